//! Everything one skill needs, and what is missing.

use crate::{args::WorkArgs, context::Context};
use skillful::{
    execution::Execution,
    refusal,
    views::{Health, HealthFinding},
};
use skillful_catalog::{
    Approvals, Catalog, Entry, SkillState,
    gate::{Caller, Reason, calls},
};
use skillful_runtime::{
    files,
    hooks::Hooks,
    policy::{Ground, PathBase, Policy, ToolLists},
    requirements::{Need, needs, offers},
};
use std::collections::BTreeMap;

pub(super) fn findings(context: &Context, catalog: &Catalog, at: usize) -> Vec<HealthFinding> {
    let entry = &catalog.entries[at];
    let execution = context.execution(WorkArgs::default());
    let needs = needs(catalog, at, context.workspace.asker());
    let mut found: Vec<HealthFinding> = state(context, entry, at, &needs).into_iter().collect();
    found.push(callers(context, entry, at));
    // A state that is about the files says it already.
    let is_said = matches!(context.workspace.state(at), SkillState::Pending { .. });
    found.extend(
        Some(installed(catalog.approvals(), entry)).filter(|one| !is_said || one.health == Health::Ok),
    );
    found.extend(requirements(&needs));
    found.extend(skillful::views::unset_variables(&context.workspace, entry));
    found.extend(servers(context, entry));
    found.extend(tools(context, entry));
    found.extend(hooks(entry));
    found.extend(programs(&execution, entry));
    found
}

/// The state, unless the missing requirements are reported one by one and are all there is to it.
fn state(context: &Context, entry: &Entry, at: usize, needs: &[Need]) -> Option<HealthFinding> {
    let state = context.workspace.state(at);
    let reasons = state.reasons();
    if reasons.is_empty() {
        return Some(HealthFinding::new(Health::Ok, "state", state.word()));
    }
    let mut reasons = reasons;
    let mut fix = refusal::fix(&state, entry);
    if let SkillState::Unavailable { reasons: all } = &state {
        if needs.iter().any(|need| !need.met) {
            let others = all.iter().filter(|reason| !is_requirement(reason));
            reasons = others.map(ToString::to_string).collect();
        }
        // The fix of this state is this very command.
        fix = fix.filter(|_| entry.seen_by.is_some());
    }
    if reasons.is_empty() {
        return None;
    }
    let message = format!("{}: {}", state.word(), reasons.join("; "));
    Some(HealthFinding { fix, ..HealthFinding::new(Health::Error, "state", message) })
}

/// Whether a reason is one of the requirements that are listed one by one.
fn is_requirement(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::MissingVariable { .. }
            | Reason::MissingSkillVariable { .. }
            | Reason::MissingProgram { .. }
            | Reason::MissingPackage { .. }
            | Reason::MissingCapability { .. }
            | Reason::MissingSkill { .. }
            | Reason::RequirementCycle { .. }
    )
}

fn callers(context: &Context, entry: &Entry, at: usize) -> HealthFinding {
    let (user, model) = (calls(entry, Caller::User), calls(entry, Caller::Model));
    let why: Vec<String> = user.iter().chain(&model).map(ToString::to_string).collect();
    let who = match (user.is_empty(), model.is_empty()) {
        (true, true) if context.workspace.state(at) != SkillState::Available => {
            return HealthFinding::new(Health::Ok, "callers", "you and models, once it is available");
        }
        (true, true) => return HealthFinding::new(Health::Ok, "callers", "you and models"),
        (true, false) => "only you can call it",
        (false, true) => "only models can call it",
        (false, false) => "neither you nor a model can call it",
    };
    HealthFinding::new(Health::Warning, "callers", format!("{who}: {}", why.join("; ")))
}

fn installed(approvals: &Approvals, entry: &Entry) -> HealthFinding {
    let known = approvals.is_installed(entry.folder());
    match approvals.check(entry) {
        Ok(()) if known => HealthFinding::new(Health::Ok, "files", "as they were approved"),
        Ok(()) => {
            HealthFinding::new(Health::Ok, "files", "not installed by Skillful; changes are not noticed")
        }
        Err(error) => HealthFinding::new(Health::Error, "files", error.to_string())
            .fix(format!("skillful review {}", entry.address())),
    }
}

fn requirements(needs: &[Need]) -> Vec<HealthFinding> {
    let finding = |need: &Need| {
        if need.met {
            return HealthFinding::new(Health::Ok, "needs", format!("{} {}: found", need.kind, need.name));
        }
        let message = format!("it needs the {} {}, which is missing", need.kind, need.name);
        HealthFinding { fix: need.fix.clone(), ..HealthFinding::new(Health::Error, "needs", message) }
    };
    needs.iter().map(finding).collect()
}

fn servers(context: &Context, entry: &Entry) -> Vec<HealthFinding> {
    let offers = offers(entry, &context.workspace.config().mcp.keys().cloned().collect());
    let finding = |offer: &skillful_runtime::requirements::Offer| {
        let how = offer.url.as_deref().or(offer.command.as_deref());
        let how = how.map_or_else(
            || "its author does not say how to get it".to_owned(),
            |how| format!("it is `{how}`"),
        );
        let message = format!("it wants the MCP server {}, which is not configured; {how}", offer.name);
        HealthFinding::new(Health::Warning, "servers", message)
            .fix(format!("add [mcp.\"{}\"] to the configuration", offer.name))
    };
    offers.iter().map(finding).collect()
}

fn tools(context: &Context, entry: &Entry) -> Option<HealthFinding> {
    let manifest = &entry.loaded.manifest;
    let lists = ToolLists {
        allowed: manifest.allowed_tools.clone(),
        disallowed: manifest.disallowed_tools.clone(),
        ..ToolLists::default()
    };
    lists.allowed.as_ref()?;
    let place = PathBase { folder: context.workspace.environment().cwd.display().to_string(), home: None };
    let ground = Ground::new(&BTreeMap::new(), &[], skillful_catalog::profile::ToolListMode::Restrict, place);
    let policy = Policy::of(&lists, &ground);
    let allowed: Vec<String> = lists.allowed.iter().flatten().map(ToString::to_string).collect();
    let what = if allowed.is_empty() {
        "none is allowed while it is active".to_owned()
    } else {
        format!("while it is active only these are allowed: {}", allowed.join(", "))
    };
    if policy.notes.is_empty() {
        return Some(HealthFinding::new(Health::Ok, "tools", what));
    }
    let message = format!("tools: {what}; {}", policy.notes.join("; "));
    Some(HealthFinding::new(Health::Warning, "tools", message))
}

fn hooks(entry: &Entry) -> Option<HealthFinding> {
    let (hooks, wrong) = Hooks::of(&entry.loaded.manifest);
    if hooks.0.is_empty() && wrong.is_empty() {
        return None;
    }
    let events: Vec<&str> = hooks.events().collect();
    let what = format!("it hooks into {}", events.join(", "));
    let problems: Vec<String> = wrong.into_iter().map(|one| one.message).collect();
    Some(if problems.is_empty() {
        HealthFinding::new(Health::Ok, "hooks", what)
    } else {
        HealthFinding::new(Health::Error, "hooks", format!("{what}; {}", problems.join("; ")))
    })
}

fn programs(execution: &Execution, entry: &Entry) -> Option<HealthFinding> {
    let manifest = &entry.loaded.manifest;
    let files = files::beside(entry);
    let scripts: Vec<&str> = files.iter().filter_map(|path| path.strip_prefix("scripts/")).collect();
    let runs = !scripts.is_empty()
        || manifest.cli
        || manifest.hooks.is_some()
        || manifest.mcp.is_some()
        || !entry.loaded.commands.is_empty();
    if !runs {
        return None;
    }
    Some(match execution.sandbox.report().best() {
        Some(tier) => {
            let list = if scripts.is_empty() { String::new() } else { format!(": {}", scripts.join(", ")) };
            HealthFinding::new(Health::Ok, "programs", format!("they run in {tier}{list}"))
        }
        None => HealthFinding::new(Health::Error, "programs", "no sandbox works here, so they are not run")
            .fix("skillful sandbox"),
    })
}
