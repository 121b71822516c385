//! `trust` and `untrust`: the user's answer about a repository, after seeing what its skills can do.

use super::{library, printed, review, ui};
use crate::{
    args::{TrustArgs, UntrustArgs},
    consent,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{BAD, DIM, HEAD, Output, WARN, count, harmless, tell, wrapped},
    prompt,
    report::{capability, card},
};
use skillful::{
    library::{Cards, TrustPlan, TrustedSkill},
    shell_word::shell_word,
    views::{SCHEMA, StillApproved, TrustedFolders, UntrustedFolder, install::CardView},
};
use skillful_assistant::project;
use skillful_audit::{Finding, Severity};
use skillful_format::path_text;
use skillful_registry::review::Card;
use skillful_tui::{Badge, Item, Picker, Role, pick};
use std::{collections::BTreeSet, path::PathBuf};

/// Widest column of names; longer names push their line.
const NAMES: usize = 24;
/// Digits of a commit that are shown.
const DIGITS: usize = 7;

pub(crate) fn run(context: &mut Context, args: &TrustArgs) -> Outcome {
    if args.list {
        return list(context);
    }
    let library = library::user(context)?;
    let folder = library.trust_folder(args.folder.as_deref())?;
    let plan = library.plan_trust(&folder)?;
    let mut plan = if args.own { plan.about_all() } else { plan };
    let followed = followed(context, &plan);
    if plan.skills.is_empty() && !followed.is_empty() {
        return instructions(context, args, &plan, &followed);
    }
    let is_answered = plan.is_answered(args.yes);
    if !context.output.json {
        printed(context.output.print(&question(context, &plan, args.own, is_answered)))?;
        if !followed.is_empty() && !is_answered {
            let line = format!(
                "Skillful's assistant then follows {}, also when the text changes.",
                names(context, &followed)
            );
            printed(context.output.print(&format!("{}\n", wrapped(&line, context.output.width, ""))))?;
        }
    }
    if plan.skills.is_empty() || is_answered {
        if context.output.json {
            printed(context.output.print_json(&plan))?;
        }
        return Ok(Exit::Clean);
    }
    if !args.yes {
        if context.output.json {
            printed(context.output.print_json(&plan))?;
            return Ok(Exit::Findings);
        }
        if !prompt::is_possible() {
            let command = command(args);
            let failure =
                Failure::new("confirmation required, but there is no terminal; nothing was trusted");
            return Err(failure.hint(if plan.asked_about().all(TrustedSkill::is_blocked) {
                format!("{command} on a terminal, then [r]eview each")
            } else {
                format!("read the list above, then {command} --yes; for one call: --trust-project")
            }));
        }
        tell(&consent::allowed_by_yes(&plan.asked()));
        if !agrees(context, &mut plan)? {
            return Err(Failure::new("nothing was trusted"));
        }
    }
    let asked: BTreeSet<String> = plan.asked_about().map(|skill| skill.skill.clone()).collect();
    let cards = if args.yes { Cards::NotShown } else { Cards::Shown };
    library.apply_trust(&mut plan, args.own, cards)?;
    let answered = plan.trusted().filter(|skill| asked.contains(&skill.skill)).count();
    let left: Vec<String> = plan.untrusted().map(|skill| harmless(&skill.skill)).collect();
    if context.output.json {
        printed(context.output.print_json(&plan))?;
    } else if answered == 0 {
        return Err(Failure::new("nothing was trusted")
            .cause("every skill has blocking findings, cannot be read, or was skipped")
            .hint(format!("{} on a terminal, then [r]eview each", command(args))));
    } else {
        let skills = count(answered, "skill");
        let mut text = format!("Trusted {skills} of {}.", context.named(&plan.folder));
        if !left.is_empty() {
            let verb = if left.len() == 1 { "stays" } else { "stay" };
            text.push_str(&format!(" {} {verb} untrusted.", left.join(", ")));
        }
        let named = args.folder.as_ref().map(|_| format!(" {}", context.named(&plan.folder)));
        text.push_str(&format!("\nUndo: skillful untrust{}\n", named.unwrap_or_default()));
        printed(context.output.print(&text))?;
    }
    Ok(if plan.applied && left.is_empty() { Exit::Clean } else { Exit::Findings })
}

/// What the assistant follows here once the plan is applied, and does not follow yet.
fn followed(context: &Context, plan: &TrustPlan) -> Vec<PathBuf> {
    let workspace = &context.workspace;
    let is_here = workspace.catalog().project.canonicalize().is_ok_and(|here| here == *plan.folder);
    // Trust of the home would be trust of everything below it.
    let is_small = !workspace.environment().home.starts_with(&plan.folder);
    if is_here && is_small && !project::is_trusted(workspace) {
        project::followed(workspace)
    } else {
        Vec::new()
    }
}

fn names(context: &Context, files: &[PathBuf]) -> String {
    files.iter().map(|file| harmless(&context.short(file))).collect::<Vec<_>>().join(", ")
}

/// A project without skills whose instruction files the assistant follows once it is trusted.
fn instructions(context: &Context, args: &TrustArgs, plan: &TrustPlan, files: &[PathBuf]) -> Outcome {
    let folder = context.named(&plan.folder);
    let is_json = context.output.json;
    if !is_json {
        let head = format!("Trust {}? It has no skills.", context.output.paint(HEAD, &folder));
        let text = format!(
            "Trusting means: Skillful's assistant follows {}, also when the text changes. Skills that come later ask again.",
            names(context, files)
        );
        printed(context.output.print(&format!("{head}\n{}\n", wrapped(&text, context.output.width, ""))))?;
    }
    if !args.yes {
        if is_json {
            printed(context.output.print_json(plan))?;
            return Ok(Exit::Findings);
        }
        if !prompt::is_possible() {
            return Err(Failure::new("confirmation required, but there is no terminal; nothing was trusted")
                .hint(format!(
                    "read the files, then {} --yes; for one call: --trust-project",
                    command(args)
                )));
        }
        if !prompt::yes("Trust it?").map_err(failed("read the answer"))? {
            return Err(Failure::new("nothing was trusted"));
        }
    }
    project::trust(&context.workspace).map_err(|error| Failure::new(error.to_string()))?;
    if is_json {
        let mut done = plan.clone();
        done.applied = true;
        printed(context.output.print_json(&done))?;
    } else {
        let text = format!("Trusted the instructions of {folder}.\nUndo: skillful untrust\n");
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}

/// The command as the user gave it, without answers.
fn command(args: &TrustArgs) -> String {
    let folder = args.folder.as_ref().map(|folder| format!(" {}", harmless(&shell_word(&path_text(folder)))));
    let own = if args.own { " --own" } else { "" };
    format!("skillful trust{}{own}", folder.unwrap_or_default())
}

pub(crate) fn undo(context: &mut Context, args: &UntrustArgs) -> Outcome {
    let library = library::user(context)?;
    let folder = library.trust_folder(args.folder.as_deref())?;
    let untrusted = library.untrust(&folder)?;
    if context.output.json {
        let still = untrusted.still_approved.into_iter();
        let view = UntrustedFolder {
            schema: SCHEMA,
            untrusted: (&untrusted.folder).into(),
            still_approved: still.map(|(skill, how)| StillApproved { skill, how }).collect(),
        };
        printed(context.output.print_json(&view))?;
        return Ok(Exit::Clean);
    }
    let mut text = format!("Untrusted {}.\n", context.named(&untrusted.folder));
    for (skill, how) in &untrusted.still_approved {
        let line = format!("{skill} stays in use: the same files are {how}");
        text.push_str(&wrapped(&harmless(&line), context.output.width, "  "));
    }
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}

fn list(context: &Context) -> Outcome {
    let trusted = context.workspace.trust().folders.keys().map(Into::into).collect();
    let list = TrustedFolders { schema: SCHEMA, trusted };
    if context.output.json {
        printed(context.output.print_json(&list))?;
    } else if list.trusted.is_empty() {
        printed(context.output.print("no trusted folders\n"))?;
    } else {
        let lines: String = list.trusted.iter().map(|folder| context.named(folder) + "\n").collect();
        printed(context.output.print(&lines))?;
    }
    Ok(Exit::Clean)
}

/// Everything that trust would enable, by skill, with every capability and every finding.
fn question(context: &Context, plan: &TrustPlan, own: bool, is_answered: bool) -> String {
    let output = &context.output;
    let folder = context.named(&plan.folder);
    if plan.skills.is_empty() {
        return format!("{folder} has no skills that need trust; nothing to trust.\n");
    }
    let skills = count(plan.skills.len(), "skill");
    if is_answered {
        return format!("{folder} has {skills}, all trusted; nothing to trust.\n");
    }
    let at = plan.commit.as_ref().map(|commit| format!(" at commit {}", &commit[..DIGITS]));
    let at = at.unwrap_or_default();
    let asked: Vec<&TrustedSkill> = plan.asked_about().collect();
    let before = match plan.skills.len() - asked.len() {
        0 => String::new(),
        number => {
            format!(" {} trusted already.", count(number, "skill") + if number == 1 { " is" } else { " are" })
        }
    };
    let head = format!("Trust {}? It has {skills}{at}.{before}", output.paint(HEAD, &folder));
    let mut out = format!("{}\n", wrapped(&head, output.width, ""));
    let names: Vec<String> = asked.iter().map(|skill| harmless(&skill.skill)).collect();
    let column = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(NAMES) + 2;
    for (skill, name) in asked.iter().zip(&names) {
        let mut parts = findings(output, skill);
        parts.push(capability::words(&skill.can()));
        for (at, part) in parts.iter().enumerate() {
            let name = if at == 0 { name.as_str() } else { "" };
            let gap = " ".repeat(column.saturating_sub(name.chars().count()).max(2));
            let line = format!("  {}{gap}{part}", output.paint(HEAD, name));
            out.push_str(&wrapped(&line, output.width, &" ".repeat(column + 2)));
        }
    }
    out.push_str(
        "\nTrusting means: Skillful offers these skills to you and to models. It does not\nchange what other agents \
         load by themselves.",
    );
    out.push_str(if own {
        "\nYou write these skills: changed text needs no new answer. New skills, changed\ncode, new names and new \
         capabilities ask again.\n\n"
    } else {
        " New or changed skills ask again.\n\n"
    });
    out
}

/// What the audit says of a skill, a line for each severity.
fn findings(output: &Output, skill: &TrustedSkill) -> Vec<String> {
    let Some(audit) = &skill.audit else {
        let why = skill.unreadable.as_deref().unwrap_or("its files cannot be read");
        return vec![output.paint(BAD, &format!("BLOCKED: not audited: {}", harmless(why)))];
    };
    let mut lines = Vec::new();
    for (severity, style, what) in [
        (Severity::Block, BAD, "blocking finding"),
        (Severity::Warn, WARN, "warning"),
        (Severity::Note, DIM, "note"),
    ] {
        let found: Vec<&Finding> = audit.findings.iter().filter(|one| one.severity == severity).collect();
        if found.is_empty() {
            continue;
        }
        let head = if severity == Severity::Block { "BLOCKED: " } else { "" };
        let head = output.paint(style, &format!("{head}{}", count(found.len(), what)));
        let mut all: Vec<String> = found
            .iter()
            .map(|found| harmless(&format!("{} {}:{}", found.rule.id(), found.path, found.line)))
            .collect();
        all.dedup();
        lines.push(format!("{head}: {}", all.join(", ")));
    }
    let unread: Vec<String> = audit.not_scanned.iter().map(|unread| harmless(&unread.path)).collect();
    if !unread.is_empty() {
        lines.push(format!("{}: {}", output.paint(WARN, "not audited"), unread.join(", ")));
    }
    lines
}

/// Asks about all skills at once, or about each after its card and its files. Returns whether anything is to be
/// trusted.
fn agrees(context: &Context, plan: &mut TrustPlan) -> Result<bool, Failure> {
    let left: Vec<String> =
        plan.asked_about().filter(|skill| !skill.is_covered()).map(|skill| harmless(&skill.skill)).collect();
    let left = match left.as_slice() {
        [] => String::new(),
        few if few.len() <= 3 => format!(", leave {} out", few.join(", ")),
        many => format!(", leave {} out", many.len()),
    };
    let all = match plan.asked_about().filter(|skill| skill.is_covered()).count() {
        0 => String::new(),
        some => format!("[t]rust {some}{left}   "),
    };
    let is_choice =
        ui::is_possible(context).is_ok() && plan.asked_about().filter(|skill| skill.is_covered()).count() > 1;
    let choose = if is_choice { "[c]hoose   " } else { "" };
    let question = format!("{all}{choose}[r]eview each   [n]o");
    loop {
        let answer = prompt::line(&question).map_err(failed("read the answer"))?;
        match answer.as_deref().map(str::trim) {
            Some("t" | "T" | "trust") if !all.is_empty() => return Ok(true),
            Some("c" | "C" | "choose") if is_choice => return choose_some(context, plan),
            Some("r" | "R" | "review") => return review_each(context, plan),
            None | Some("n" | "N" | "no") => return Ok(false),
            // Every other answer was not offered.
            Some(_) => {}
        }
    }
}

/// Lets the user choose which skills the answer covers. Those with blocking findings need a review that names them.
fn choose_some(context: &Context, plan: &mut TrustPlan) -> Result<bool, Failure> {
    let mut asked: Vec<&mut TrustedSkill> =
        plan.asked_about_mut().filter(|skill| skill.is_covered()).collect();
    let item = |skill: &&mut TrustedSkill| {
        let warnings = skill.audit.as_ref().map_or(0, |audit| audit.count(Severity::Warn));
        let badge = match warnings {
            0 => Badge::default(),
            some => Badge { word: count(some, "warning"), role: Role::Attention },
        };
        Item::new(&skill.skill, badge, &capability::words(&skill.can()))
    };
    let chosen = pick(Picker {
        title: "Trust which skills?".to_owned(),
        items: asked.iter().map(item).collect(),
        chosen: Some((0..asked.len()).collect()),
        query: String::new(),
        theme: ui::theme(context),
    })?;
    let Some(chosen) = chosen else { return Ok(false) };
    for (at, skill) in asked.iter_mut().enumerate() {
        if !chosen.contains(&at) {
            skill.skip();
        }
    }
    Ok(true)
}

/// Shows every skill with all its files and asks about it. Blocking findings need an answer that names the skill.
fn review_each(context: &Context, plan: &mut TrustPlan) -> Result<bool, Failure> {
    let output = &context.output;
    let mut asked: Vec<&mut TrustedSkill> = plan.asked_about_mut().collect();
    for skill in &mut asked {
        skill.skip();
    }
    let total = asked.len();
    for (at, skill) in asked.iter_mut().enumerate() {
        let name = harmless(&skill.skill);
        let place = context.short(&skill.path);
        let head = output.paint(HEAD, &format!("{name}   {place}"));
        let mut text = format!("\nReview {} of {total}   {head}\n", at + 1);
        let Some(tree) = skill.tree() else {
            let why = skill.unreadable.as_deref().unwrap_or_default();
            printed(output.print(&format!("{text}not audited: {}\n", harmless(why))))?;
            continue;
        };
        text.push_str(&card::text(&CardView::new(&Card::of(tree)), output));
        text.push_str(&review::files(output, tree));
        printed(output.print(&format!("{text}\n")))?;
        let is_blocked = skill.is_blocked();
        let trust =
            if is_blocked { format!("type \"{name}\" to trust it anyway") } else { "[t]rust".to_owned() };
        loop {
            let question = format!("{trust}  [s]kip  [q]uit");
            let answer = prompt::line(&question).map_err(failed("read the answer"))?;
            match answer.as_deref().map(str::trim) {
                Some(word) if is_blocked && skill.answer(Some(word)) => break,
                Some("t" | "trust") if !is_blocked && skill.answer(None) => break,
                Some("s" | "skip") => break,
                None | Some("q" | "quit") => return Ok(false),
                Some(_) => {}
            }
        }
    }
    Ok(asked.iter().any(|skill| skill.is_covered()))
}
