//! What writes, or asks sources. Every rule is the library's; the answers are bound to what was shown.

use super::{Shared, guarded, in_words, newest};
use crate::{
    job::{Answer, Deed},
    pages,
    text::count,
    theme::Theme,
};
use skillful::{
    Library, Workspace,
    agent_sets::AgentSets,
    library::{AddRequest, Answers, Cards, LibraryError, NewSkill, Reviewed, Scope, UpdateRequest},
    shell_word::shell_word,
    views::update::SkillUpdateView,
    visible::{sentence, short_path},
};
use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
    sync::{Arc, mpsc::Receiver},
    time::SystemTime,
};

pub(super) fn work(shared: &Shared, theme: Theme, asked: &Receiver<Deed>, report: &impl Fn(Answer)) {
    while let Ok(deed) = asked.recv() {
        guarded(report, || {
            let workspace = newest(shared);
            report(
                carry_out(&workspace, theme, deed).unwrap_or_else(|error| Answer::Failed(in_words(&error))),
            );
        });
    }
}

fn open(workspace: &Arc<Workspace>, scope: Scope) -> Result<Library<'_>, LibraryError> {
    Library::open(workspace, scope, SystemTime::now())
}

fn carry_out(workspace: &Arc<Workspace>, theme: Theme, deed: Deed) -> Result<Answer, LibraryError> {
    let home = &workspace.environment().home;
    match deed {
        Deed::Switch { row_name, path, enabled } => switch(workspace, &row_name, &path, enabled),
        Deed::PlanTrust { folder, width } => {
            let library = open(workspace, Scope::User)?;
            let folder = library.trust_folder(folder.as_deref())?;
            let plan = library.plan_trust(&folder)?;
            Ok(Answer::TrustPlan(Box::new(pages::plan::trust(plan, home, width, theme))))
        }
        Deed::Trust { mut plan } => {
            let library = open(workspace, Scope::User)?;
            let before = plan.untrusted().count();
            library.apply_trust(&mut plan, false, Cards::Shown)?;
            let left: Vec<String> = plan.untrusted().map(|skill| sentence(&skill.skill)).collect();
            let rest = if left.is_empty() { String::new() } else { format!(" {} untrusted.", stays(&left)) };
            let folder = short_path(&plan.folder, Path::new("/nowhere"), home);
            let trusted = count(before - left.len(), "skill");
            let message = format!("Trusted {trusted} of {folder}.{rest}   undo: skillful untrust");
            Ok(Answer::Done { message, undo: None, decided: None })
        }
        Deed::PlanUpdate { name, scope, width } => {
            let library = open(workspace, scope)?;
            let request = UpdateRequest { names: vec![name], ..UpdateRequest::default() };
            let mut warnings = Vec::new();
            let upstream = library.look_upstream(&request.names, &mut warnings)?;
            let plan = library.plan_update(&request, &upstream, warnings)?;
            let lock = library.lock()?;
            let skills: Vec<SkillUpdateView> =
                plan.skills.iter().map(|skill| SkillUpdateView::new(&library, &lock, skill)).collect();
            let asked = library.asked_by(&plan.plan);
            Ok(Answer::UpdatePlan(Box::new(pages::plan::update(plan, &skills, &asked, scope, width, theme))))
        }
        Deed::Update { plan, scope } => {
            let library = open(workspace, scope)?;
            let applied = library.apply(&plan.plan, Cards::Shown)?;
            let names: Vec<String> =
                plan.skills.iter().map(|skill| sentence(&skill.name.to_string())).collect();
            let saved = applied.saved.first().map_or_else(String::new, |saved| {
                format!("   your version: {}", short_path(saved, &workspace.environment().cwd, home))
            });
            let message =
                format!("Updated {}.{saved}   skillful update {}", names.join(", "), names.join(" "));
            Ok(Answer::Done { message, undo: None, decided: None })
        }
        Deed::CheckUpdates => check_updates(workspace),
        Deed::PlanFix { request, width } => {
            let plan = open(workspace, Scope::User)?.plan_fix(&request)?;
            let folders = (workspace.environment().cwd.as_path(), home.as_path());
            Ok(Answer::FixPlan(Box::new(pages::fix::plan(plan, folders, width, theme))))
        }
        Deed::Fix { plan } => {
            let done = pages::fix::done(&plan);
            let applied = Box::new(open(workspace, Scope::User)?.apply_fix(*plan)?);
            Ok(Answer::Done { message: done, undo: Some(Deed::UndoFix { applied }), decided: None })
        }
        Deed::UndoFix { applied } => {
            open(workspace, Scope::User)?.undo_fix(*applied)?;
            Ok(Answer::Done { message: "The fix was undone.".to_owned(), undo: None, decided: None })
        }
        Deed::PlanRemove { name, scope, width } => {
            let plan = open(workspace, scope)?.plan_remove(&[name])?;
            let folders = (workspace.environment().cwd.as_path(), home.as_path());
            Ok(Answer::RemovePlan(Box::new(pages::plan::remove(plan, folders, scope, width, theme))))
        }
        Deed::Remove { plan, scope } => {
            let removed: BTreeSet<String> =
                plan.view(None).steps.into_iter().map(|step| sentence(&step.skill)).collect();
            open(workspace, scope)?.apply(&plan, Cards::NotShown)?;
            let names = removed.into_iter().collect::<Vec<_>>().join(" ");
            let global = if scope == Scope::User { " --global" } else { "" };
            let message = format!("Removed {names}.   skillful remove {names}{global}");
            Ok(Answer::Done { message, undo: None, decided: None })
        }
        Deed::Create { name } => {
            let library = open(workspace, Scope::Project)?;
            let created = library.create(&NewSkill { name, ..NewSkill::default() })?;
            let name = sentence(&created.name);
            let message = format!("Created {name}.   o opens it   skillful new {name}");
            Ok(Answer::Created { file: created.path.text().into_owned(), message })
        }
        Deed::PlanStarter { width } => starter(workspace, width, theme),
        Deed::InstallStarter { plan, agents } => {
            open(workspace, Scope::User)?.apply(&plan, Cards::NotShown)?;
            let names: BTreeSet<String> = plan.view(None).steps.into_iter().map(|step| step.skill).collect();
            let message = format!(
                "Installed {}.   z undo   {}",
                count(names.len(), "starter skill"),
                pages::plan::starter_command(&agents)
            );
            let undo = Deed::RemoveNamed { names: names.into_iter().collect(), scope: Scope::User };
            Ok(Answer::Done { message, undo: Some(undo), decided: None })
        }
        Deed::RemoveNamed { names, scope } => {
            let library = open(workspace, scope)?;
            let plan = library.plan_remove(&names)?;
            library.apply(&plan, Cards::NotShown)?;
            let message = format!("Removed {}.", count(names.len(), "skill"));
            Ok(Answer::Done { message, undo: None, decided: None })
        }
        Deed::SearchSources { words, width } => {
            let answers = open(workspace, Scope::User)?.browse(None, false)?;
            Ok(Answer::Page(Box::new(pages::found::offered(&words, &answers, width, theme))))
        }
        Deed::ShowAgents { width } => {
            let folders = (workspace.environment().cwd.as_path(), home.as_path());
            let sets = AgentSets::found(workspace);
            Ok(Answer::Page(Box::new(pages::found::agents(&sets, folders, width, theme))))
        }
        Deed::Approve { card, despite_findings } => {
            let library = open(workspace, Scope::User)?;
            let done = library.approve(&card.item, Reviewed::Card(card.digest), despite_findings)?;
            let hex: String = card.digest.to_hex().chars().take(8).collect();
            let name = sentence(&done.name);
            let message = format!(
                "Approved {name} (sha256 {hex}).   skillful review approve {}",
                sentence(&shell_word(&done.name))
            );
            Ok(Answer::Done { message, undo: None, decided: Some(Box::new(done)) })
        }
        Deed::Reject { card } => {
            let library = open(workspace, Scope::User)?;
            let done = library.reject(&card.item, Reviewed::Card(card.digest))?;
            let saved = done.saved.first().map_or_else(String::new, |saved| {
                format!("   your version: {}", short_path(saved, &workspace.environment().cwd, home))
            });
            let message = format!(
                "Rejected {}.{saved}   skillful review reject {}",
                sentence(&done.name),
                sentence(&shell_word(&done.name))
            );
            Ok(Answer::Done { message, undo: None, decided: Some(Box::new(done)) })
        }
    }
}

/// The starter skills for every agent found here, or in the folder that many agents read when none was found.
fn starter(workspace: &Arc<Workspace>, width: u16, theme: Theme) -> Result<Answer, LibraryError> {
    let library = open(workspace, Scope::User)?;
    let agents: Vec<String> = workspace.agents_found().into_iter().map(|agent| agent.id.clone()).collect();
    let source = "starter:".to_owned();
    let download =
        library.download(&AddRequest { source, agents: agents.clone(), ..AddRequest::default() })?;
    let plan = library.plan_add(&download, &Answers::default())?;
    let folders = (workspace.environment().cwd.as_path(), workspace.environment().home.as_path());
    Ok(Answer::StarterPlan(Box::new(pages::plan::starter(plan, agents, folders, width, theme))))
}

fn stays(names: &[String]) -> String {
    format!("{} {}", names.join(", "), if names.len() == 1 { "stays" } else { "stay" })
}

/// Writes one rule: about the name, or about the path when several skills have the name.
fn switch(
    workspace: &Arc<Workspace>,
    name: &str,
    path: &Path,
    enabled: bool,
) -> Result<Answer, LibraryError> {
    let library = open(workspace, Scope::User)?;
    let request = library.switch_of(name, path, enabled);
    let done = library.apply_switch(library.plan_switch(&request)?)?;
    if let Some((why, still)) = done.skills.iter().find_map(|skill| Some((skill.not_as_asked()?, skill))) {
        let fix = still.fix.as_ref().map_or_else(String::new, |fix| format!("   fix: {fix}"));
        return Ok(Answer::Failed(sentence(&format!("{name} {why}{fix}"))));
    }
    let verb = if enabled { "Enabled" } else { "Disabled" };
    let word = sentence(&shell_word(&request.words[0]));
    let other = if enabled { "disable" } else { "enable" };
    // The line of a narrow window has room for the way back and not for the path of the configuration.
    let message = format!("{verb} {}.   z undo   skillful {other} {word}", sentence(name));
    let undo = Deed::Switch { row_name: name.to_owned(), path: path.to_path_buf(), enabled: !enabled };
    Ok(Answer::Done { message, undo: Some(undo), decided: None })
}

fn check_updates(workspace: &Arc<Workspace>) -> Result<Answer, LibraryError> {
    let (mut found, mut silent) = (HashMap::new(), 0);
    for scope in [Scope::Project, Scope::User] {
        let library = open(workspace, scope)?;
        if library.lock()?.skills.is_empty() {
            continue;
        }
        let scratch = workspace.paths().cache.join("fetch");
        for skill in library.outdated(&[], scratch)?.skills {
            match (skill.state, skill.newest) {
                ("update", Some(newest)) => drop(found.insert(skill.skill, newest)),
                ("unreachable", _) => silent += 1,
                _ => {}
            }
        }
    }
    let rest =
        if silent == 0 { String::new() } else { format!(", {} did not answer", count(silent, "source")) };
    let message = match found.len() {
        0 => format!("No updates{rest}.   skillful update --check"),
        number => format!("{}{rest}.   u updates one   skillful update", count(number, "update")),
    };
    Ok(Answer::Updates { found, message })
}
