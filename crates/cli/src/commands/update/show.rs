//! What an update would bring, as text and as JSON.

use crate::{
    context::Context,
    output::{DIM, WARN, harmless},
    report::difference::{self, PLAN_LINES},
};
use serde::Serialize;
use skillful::{
    Library,
    library::{Applied, UpdatePlan, version, word},
    views::install::DifferenceView,
};
use skillful_audit::{Finding, Severity};
use skillful_registry::{
    Lock,
    install::{Action, How, SkillUpdate, UpdateState as State, differences},
};
use std::{collections::BTreeSet, path::PathBuf};

/// Everything that is new, skill by skill.
pub(super) fn text(context: &Context, library: &Library<'_>, lock: &Lock, update: &UpdatePlan) -> String {
    let mut out = String::new();
    for skill in &update.skills {
        let name = harmless(skill.name.as_str());
        match &skill.state {
            State::Current => {}
            State::Gone(why) | State::Unreachable(why) => {
                let line = format!("{name}: {}", harmless(why));
                out.push_str(&format!("{}\n", context.output.paint(WARN, &line)));
            }
            State::Outdated => out.push_str(&outdated(context, library, lock, skill)),
        }
    }
    let current = update.skills.iter().filter(|skill| skill.state == State::Current).count();
    if current > 0 {
        let count = if current == 1 { "1 skill is".to_owned() } else { format!("{current} skills are") };
        out.push_str(&format!("{}\n", context.output.paint(DIM, &format!("{count} current"))));
    }
    out
}

/// The versions of a skill before and after.
fn versions(lock: &Lock, skill: &SkillUpdate) -> Option<(String, String)> {
    let old = lock.skills.get(&skill.name)?.tree;
    let new = skill.new.as_ref()?.digest();
    Some((version(&skill.from, &old), version(&skill.to, &new)))
}

fn outdated(context: &Context, library: &Library<'_>, lock: &Lock, skill: &SkillUpdate) -> String {
    let mut out = harmless(skill.name.as_str());
    if let Some((old, new)) = versions(lock, skill) {
        out.push_str(&format!("  {} -> {}", harmless(&old), harmless(&new)));
    }
    out.push_str(match () {
        () if skill.needs_agreement() => "   NEEDS REVIEW\n",
        () if skill.has_conflict() => "   CONFLICT\n",
        () => "\n",
    });
    for (sign, capabilities) in [("+", &skill.gained), ("-", &skill.dropped)] {
        for capability in capabilities {
            out.push_str(&format!("  {sign} {}\n", harmless(capability)));
        }
    }
    let card = skill.card.as_ref();
    for finding in card.iter().flat_map(|card| &card.found).filter(|found| found.severity >= Severity::Warn) {
        let place = format!("{}:{}", finding.path, finding.line);
        out.push_str(&format!(
            "  {}: {} {}: {}\n",
            finding.severity,
            harmless(&place),
            finding.rule.id(),
            harmless(&finding.evidence)
        ));
    }
    if let (Some(old), Some(new)) = (&skill.old, &skill.new) {
        out.push_str(&difference::text(&context.output, &differences(old, new), Some(PLAN_LINES)));
    }
    for edit in &skill.edits {
        let place = context.short(&library.site().path(&edit.place));
        for file in &edit.files {
            let what = match file.how {
                How::Mine => "stays as you have it",
                How::Joined => "gets the new changes and keeps yours",
                How::Same => "is already as the new version has it",
                How::Theirs | How::Conflict(_) => continue,
            };
            out.push_str(&format!("  {}/{} {what}\n", harmless(&place), harmless(file.path.as_str())));
        }
    }
    out
}

/// How a skill that stays as it is could go on.
pub(super) fn way_on(skill: &SkillUpdate) -> Option<String> {
    if skill.is_stuck() {
        return None;
    }
    let approve = if skill.needs_agreement() { format!(" --approve {}", skill.name) } else { String::new() };
    let keep = if skill.has_conflict() { " --keep mine|theirs" } else { "" };
    Some(format!("skillful diff {0} --upstream, then skillful update {0}{approve}{keep}", skill.name))
}

/// What was done, and what the user should do next: a merge does not approve edits that were not approved before.
pub(super) fn done(
    context: &Context,
    library: &Library<'_>,
    update: &UpdatePlan,
    applied: &Applied,
) -> String {
    let names: BTreeSet<&str> = update.plan.steps().iter().map(|step| step.name.as_str()).collect();
    let count = if names.len() == 1 { "1 skill".to_owned() } else { format!("{} skills", names.len()) };
    let mut out = format!("updated {count}\n");
    for saved in &applied.saved {
        out.push_str(&format!("your version is saved in {}\n", context.short(saved)));
    }
    for left in &applied.left {
        out.push_str(&format!("an earlier run left {}; look into it\n", context.short(left)));
    }
    let approvals = library.approvals().unwrap_or_default();
    let merged = update.plan.steps().iter().filter(|step| step.action == Action::Merge);
    let open = merged.filter(|step| step.tree().is_some_and(|tree| !approvals.has(&tree)));
    for step in open {
        let name = harmless(step.name.as_str());
        let place = context.short(&library.site().path(&step.place));
        out.push_str(&format!("your edits in {place} are not approved: skillful review approve {name}\n"));
    }
    out
}

/// One skill as JSON.
#[derive(Serialize)]
pub(super) struct UpdateView {
    skill: String,
    state: &'static str,
    why: Option<String>,
    from: Option<String>,
    to: Option<String>,
    gained: Vec<String>,
    dropped: Vec<String>,
    findings: Option<Vec<Finding>>,
    files: Option<Vec<DifferenceView>>,
    edits: Vec<EditView>,
    blocks: Vec<String>,
    conflict: bool,
    needs_approval: bool,
}

#[derive(Serialize)]
struct EditView {
    place: PathBuf,
    path: String,
    how: &'static str,
}

impl UpdateView {
    pub(super) fn new(library: &Library<'_>, lock: &Lock, skill: &SkillUpdate) -> Self {
        let why = match &skill.state {
            State::Current | State::Outdated => None,
            State::Gone(why) | State::Unreachable(why) => Some(why.clone()),
        };
        let versions = versions(lock, skill);
        let files = match (&skill.old, &skill.new) {
            (Some(old), Some(new)) => Some(differences(old, new).iter().map(DifferenceView::new).collect()),
            _ => None,
        };
        let edits = skill.edits.iter().flat_map(|edit| {
            edit.files.iter().map(|file| EditView {
                place: library.site().path(&edit.place),
                path: file.path.to_string(),
                how: match file.how {
                    How::Mine => "mine",
                    How::Theirs => "theirs",
                    How::Same => "same",
                    How::Joined => "joined",
                    How::Conflict(_) => "conflict",
                },
            })
        });
        Self {
            skill: skill.name.to_string(),
            state: word(&skill.state),
            why,
            from: versions.as_ref().map(|(old, _)| old.clone()),
            to: versions.map(|(_, new)| new),
            gained: skill.gained.clone(),
            dropped: skill.dropped.clone(),
            findings: skill.card.as_ref().map(|card| card.found.clone()),
            files,
            edits: edits.collect(),
            blocks: skill.blocks.iter().map(ToString::to_string).collect(),
            conflict: skill.has_conflict(),
            needs_approval: skill.needs_agreement(),
        }
    }
}
