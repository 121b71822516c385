//! What an update would bring, for a person and for a script.

use crate::{
    commands::{outdated::version, registry::Desk},
    context::Context,
    error::{Failure, failed},
    output::{DIM, WARN, harmless},
    report::difference::{self, PLAN_LINES},
};
use serde_json::{Value, json};
use skillful_audit::Severity;
use skillful_registry::install::{Action, How, SkillUpdate, State, Update, differences};
use skillful_runtime::installed::Installed;

/// Everything that is new, skill by skill.
pub(super) fn text(context: &Context, desk: &Desk, update: &Update) -> String {
    let mut out = String::new();
    for skill in &update.skills {
        let name = harmless(skill.name.as_str());
        match &skill.state {
            State::Current => {}
            State::Gone(why) | State::Unreachable(why) => {
                let line = format!("{name}: {}", harmless(why));
                out.push_str(&format!("{}\n", context.output.paint(WARN, &line)));
            }
            State::Outdated => out.push_str(&outdated(context, desk, skill)),
        }
    }
    let current = update.skills.iter().filter(|skill| skill.state == State::Current).count();
    if current > 0 {
        let count = if current == 1 { "1 skill is".to_owned() } else { format!("{current} skills are") };
        out.push_str(&format!("{}\n", context.output.paint(DIM, &format!("{count} current"))));
    }
    out
}

/// The versions of a skill, as a person calls them.
fn versions(desk: &Desk, skill: &SkillUpdate) -> Option<(String, String)> {
    let old = desk.lock.skills.get(&skill.name)?.tree;
    let new = skill.new.as_ref()?.digest();
    Some((version(&skill.from, &old), version(&skill.to, &new)))
}

fn outdated(context: &Context, desk: &Desk, skill: &SkillUpdate) -> String {
    let mut out = harmless(skill.name.as_str());
    if let Some((old, new)) = versions(desk, skill) {
        out.push_str(&format!(": {} → {}", harmless(&old), harmless(&new)));
    }
    out.push('\n');
    for (what, powers) in [("new: ", &skill.gained), ("no longer: ", &skill.dropped)] {
        for power in powers {
            out.push_str(&format!("  {what}{}\n", harmless(power)));
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
        let place = context.short(&desk.site.path(&edit.place));
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
    let agree = if skill.needs_agreement() { format!(" --agree {}", skill.name) } else { String::new() };
    let keep = if skill.has_conflict() { " --keep mine|theirs" } else { "" };
    Some(format!(
        "look with `skillful diff {0} --upstream`, then `skillful update {0}{agree}{keep}`",
        skill.name
    ))
}

/// What a person should do after it: changes that nobody accepted are not accepted by a merge.
pub(super) fn next(context: &Context, desk: &Desk, update: &Update) -> Result<String, Failure> {
    let merged = update.plan.steps.iter().filter(|step| step.action == Action::Merge);
    let places: Vec<_> = merged.map(|step| desk.site.path(&step.place)).collect();
    if places.is_empty() {
        return Ok(String::new());
    }
    let installed =
        Installed::read(&context.workspace.paths().data).map_err(failed("read what was installed"))?;
    let waiting = places.iter().filter(|place| installed.check(place).is_err());
    Ok(waiting
        .map(|place| {
            let place = context.short(place);
            format!("next: your changes were never accepted; look at them, then `skillful accept {place}`\n")
        })
        .collect())
}

/// One skill for a script.
pub(super) fn json(desk: &Desk, skill: &SkillUpdate) -> Value {
    let (state, why) = match &skill.state {
        State::Current => ("current", None),
        State::Outdated => ("update", None),
        State::Gone(why) => ("gone", Some(why)),
        State::Unreachable(why) => ("unreachable", Some(why)),
    };
    let versions = versions(desk, skill);
    let files = match (&skill.old, &skill.new) {
        (Some(old), Some(new)) => difference::json(&differences(old, new)),
        _ => Value::Null,
    };
    let edits = skill.edits.iter().flat_map(|edit| {
        edit.files.iter().map(|file| {
            let how = match file.how {
                How::Mine => "mine",
                How::Theirs => "theirs",
                How::Same => "same",
                How::Joined => "joined",
                How::Conflict(_) => "conflict",
            };
            json!({ "place": desk.site.path(&edit.place), "path": file.path.as_str(), "how": how })
        })
    });
    json!({
        "skill": skill.name.as_str(),
        "state": state,
        "why": why,
        "from": versions.as_ref().map(|(old, _)| old),
        "to": versions.as_ref().map(|(_, new)| new),
        "gained": skill.gained,
        "dropped": skill.dropped,
        "findings": skill.card.as_ref().map(|card| &card.found),
        "files": files,
        "edits": edits.collect::<Vec<_>>(),
        "waits": skill.blocks.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "conflict": skill.has_conflict(),
        "agreement": skill.needs_agreement(),
    })
}
