//! Plans that the user answers: trust, update.

use super::{Page, capability_words, findings_words};
use crate::{
    job::{Deed, Plan},
    text::count,
    theme::{Role, Theme},
};
use skillful::{
    bindings::phrase,
    library::{InstallPlan, Scope, TrustPlan, TrustedSkill, UpdatePlan},
    views::{
        install::ActionView,
        update::{EditOutcome, SkillUpdateView},
    },
    visible::{sentence, short_path},
};
use skillful_audit::Severity;
use skillful_registry::bindings::Subject;
use std::path::Path;

/// The column of the names of starter skills.
const STARTER_NAME: usize = 18;

/// Everything that trust would enable, by skill, with every capability and every finding.
pub(crate) fn trust(plan: TrustPlan, home: &Path, width: u16, theme: Theme) -> Plan {
    let folder = short_path(&plan.folder, Path::new("/nowhere"), home);
    let mut page = Page::new(theme, width);
    let asked: Vec<&TrustedSkill> = plan.asked_about().collect();
    if plan.skills.is_empty() || plan.is_answered(false) {
        let why =
            if plan.skills.is_empty() { "has no skills that need trust" } else { "has only trusted skills" };
        page.sentence(&format!("{folder} {why}; nothing to trust."), Role::Plain);
        return Plan { title: format!("Trust {folder}"), lines: page.lines, deed: None, yes: String::new() };
    }
    for skill in &asked {
        page.sentence(&skill.skill, Role::Heading);
        match &skill.audit {
            Some(audit) => {
                let (words, role) = findings_words(audit);
                page.labelled("  findings", &words, 12, role);
                for found in audit.findings.iter().filter(|found| found.severity > Severity::Note) {
                    let place = format!("{} {}:{}", found.rule.id(), sentence(&found.path), found.line);
                    page.labelled("", &place, 12, role);
                }
            }
            None => {
                let why = skill.unreadable.as_deref().unwrap_or("its files cannot be read");
                page.labelled("  findings", &format!("BLOCKED: not audited: {why}"), 12, Role::Danger);
            }
        }
        page.labelled("  can", &capability_words(&skill.can()), 12, Role::Plain);
    }
    allowed_by_yes(&mut page, &plan.asked());
    page.blank();
    page.sentence(
        "Trusting means: Skillful offers these skills to you and to models. It does not change what other agents load \
         by themselves. New or changed skills ask again.",
        Role::Quiet,
    );
    let covered = asked.iter().filter(|skill| skill.is_covered()).count();
    let left: Vec<String> =
        asked.iter().filter(|skill| !skill.is_covered()).map(|skill| sentence(&skill.skill)).collect();
    let rest = if left.is_empty() { String::new() } else { format!(", leave {} out", left.join(", ")) };
    let at = plan.commit.as_ref().map_or_else(String::new, |commit| {
        format!(" at commit {}", commit.chars().take(7).collect::<String>())
    });
    let title = format!("Trust {folder}? It has {}{at}.", count(plan.skills.len(), "skill"));
    let (yes, deed) = if covered == 0 {
        (
            "every skill has blocking findings: skillful trust on a terminal, then [r]eview each".to_owned(),
            None,
        )
    } else {
        (format!("trust {covered}{rest}"), Some(Deed::Trust { plan: Box::new(plan) }))
    };
    Plan { title, lines: page.lines, deed, yes }
}

/// The folders that are removed, and what is left as it is.
pub(crate) fn remove(
    plan: InstallPlan,
    folders: (&Path, &Path),
    scope: Scope,
    width: u16,
    theme: Theme,
) -> Plan {
    let mut page = Page::new(theme, width);
    let view = plan.view(None);
    let mut names: Vec<&str> = view.steps.iter().map(|step| step.skill.as_str()).collect();
    names.dedup();
    let title = format!("Remove {}", sentence(&names.join(", ")));
    for step in &view.steps {
        let line = step.sentence(&short_path(&step.path, folders.0, folders.1));
        page.sentence(&line, if step.action == ActionView::Refuse { Role::Attention } else { Role::Removed });
    }
    for fix in &plan.fixes {
        page.sentence(&format!("fix: {fix}"), Role::Action);
    }
    let is_refused = plan.refused().next().is_some();
    let deed = (!is_refused).then(|| Deed::Remove { plan: Box::new(plan), scope });
    let yes = if is_refused { "nothing can be removed".to_owned() } else { "remove".to_owned() };
    Plan { title, lines: page.lines, deed, yes }
}

/// The command that installs the starter skills for agents.
pub(crate) fn starter_command(agents: &[String]) -> String {
    let agents: String = agents.iter().map(|agent| format!(" --agent {agent}")).collect();
    format!("skillful starter install{agents}")
}

/// The starter skills, the folders that get them, and what is left as it is.
pub(crate) fn starter(
    plan: InstallPlan,
    agents: Vec<String>,
    folders: (&Path, &Path),
    width: u16,
    theme: Theme,
) -> Plan {
    let mut page = Page::new(theme, width);
    let view = plan.view(None);
    let mut placed: Vec<(String, Vec<String>)> = Vec::new();
    for step in view.steps.iter().filter(|step| step.action != ActionView::Refuse) {
        let folder = step.path.parent().unwrap_or(&step.path);
        let (name, folder) = (sentence(&step.skill), short_path(folder, folders.0, folders.1));
        match placed.iter_mut().find(|(known, _)| *known == name) {
            Some((_, folders)) => folders.push(folder),
            None => placed.push((name, vec![folder])),
        }
    }
    for (name, folders) in &placed {
        page.labelled(name, &folders.join(", "), STARTER_NAME, Role::Added);
    }
    for step in view.steps.iter().filter(|step| step.action == ActionView::Refuse) {
        page.sentence(&step.sentence(&short_path(&step.path, folders.0, folders.1)), Role::Attention);
    }
    let is_refused = plan.refused().next().is_some();
    for fix in &plan.fixes {
        page.sentence(&format!("fix: {fix}"), Role::Action);
    }
    page.blank();
    page.sentence(&starter_command(&agents), Role::Quiet);
    let title = format!("Install {} for you in every project", count(placed.len(), "starter skill"));
    let (yes, deed) = match () {
        () if is_refused => ("nothing can be installed".to_owned(), None),
        () if plan.is_done() => ("they are installed already".to_owned(), None),
        () => ("install".to_owned(), Some(Deed::InstallStarter { plan: Box::new(plan), agents })),
    };
    Plan { title, lines: page.lines, deed, yes }
}

/// What an update changes, with what a skill can do more.
pub(crate) fn update(
    plan: UpdatePlan,
    skills: &[SkillUpdateView],
    asked: &[(String, Vec<Subject>)],
    scope: Scope,
    width: u16,
    theme: Theme,
) -> Plan {
    let mut page = Page::new(theme, width);
    let mut title = "Update".to_owned();
    for skill in skills {
        title = format!("Update {}", sentence(&skill.skill));
        let version = |version: &Option<String>| version.clone().unwrap_or_else(|| "-".to_owned());
        let versions = format!("{} -> {}", version(&skill.from), version(&skill.to));
        page.labelled("version", &versions, 12, Role::Plain);
        let why = skill.why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        page.labelled("state", &format!("{}{why}", skill.state), 12, Role::Plain);
        for (sign, role, list) in [("+", Role::Attention, &skill.gained), ("-", Role::Plain, &skill.dropped)]
        {
            for capability in list {
                page.labelled(sign, capability, 12, role);
            }
        }
        for block in &skill.blocks {
            page.labelled("not now", block, 12, Role::Attention);
        }
        if let Some(fix) = &skill.fix {
            page.labelled("fix", fix, 12, Role::Action);
        }
        for edit in &skill.edits {
            let how = match edit.how {
                EditOutcome::Mine => "your edit is kept",
                EditOutcome::Theirs => "the new version replaces your edit, which is saved",
                EditOutcome::Same => "the source made the same change",
                EditOutcome::Joined => "your edit and the new version are merged",
                EditOutcome::Conflict => "you and the source changed the same lines",
            };
            page.labelled("edit", &format!("{}: {how}", edit.path), 12, Role::Attention);
        }
        for finding in skill.warnings() {
            let text = format!("{} {}:{}", finding.rule.id(), sentence(&finding.path), finding.line);
            page.labelled("new finding", &text, 12, Role::Attention);
        }
        for file in skill.files.iter().flatten() {
            page.blank();
            page.sentence(&file.path, Role::Heading);
            for line in file.diff.as_deref().unwrap_or_default().lines() {
                let role = match line.as_bytes().first() {
                    Some(b'+') => Role::Added,
                    Some(b'-') => Role::Removed,
                    Some(b'@' | b'\\') => Role::Quiet,
                    _ => Role::Plain,
                };
                page.raw(line, 0, theme.style(role));
            }
        }
    }
    allowed_by_yes(&mut page, asked);
    let is_done = plan.plan.is_done();
    let deed = (!is_done).then(|| Deed::Update { plan: Box::new(plan), scope });
    let yes = if is_done { "nothing to update now".to_owned() } else { "update now".to_owned() };
    Plan { title, lines: page.lines, deed, yes }
}

/// What a yes to a plan allows, a line for each skill that asks for something.
fn allowed_by_yes(page: &mut Page, asked: &[(String, Vec<Subject>)]) {
    for (skill, subjects) in asked {
        let phrases: Vec<String> = subjects.iter().map(phrase).collect();
        page.blank();
        page.sentence(&format!("A yes lets {skill} have {}.", phrases.join(", ")), Role::Attention);
    }
}
