//! The text of an update.

use crate::{
    context::Context,
    output::{DIM, WARN, count, harmless, wrapped},
    report::difference::{self, PLAN_LINES},
};
use skillful::{
    Library,
    library::{Applied, UpdatePlan},
    views::update::{EditOutcome, SkillUpdateView},
};
use skillful_catalog::capability::shown as short;
use skillful_registry::{install::Action, lock::LOCK_FILE};
use std::collections::BTreeSet;

/// Narrowest and widest column of names.
const NAMES: (usize, usize) = (1, 24);

/// One line per skill that is not current, with its new capabilities and findings below. `whole` adds the
/// differences of the files.
pub(super) fn text(context: &Context, skills: &[SkillUpdateView], whole: bool) -> String {
    let output = &context.output;
    let is_shown = |skill: &&SkillUpdateView| skill.state != "current" || !skill.blocks.is_empty();
    let shown: Vec<&SkillUpdateView> = skills.iter().filter(is_shown).collect();
    let longest = |length: fn(&SkillUpdateView) -> usize| shown.iter().map(|skill| length(skill)).max();
    let names = longest(|skill| skill.skill.chars().count()).unwrap_or(0).clamp(NAMES.0, NAMES.1) + 2;
    let column = longest(|skill| versions(skill).chars().count()).unwrap_or(0) + 3;
    let indent = " ".repeat(names);
    let mut out = String::new();
    for skill in &shown {
        let name = harmless(&skill.skill);
        let (what, style) = summary(skill);
        let line = format!("{name:<names$}{:<column$}{what}", versions(skill));
        let lines = wrapped(line.trim_end(), output.width, &indent);
        out.push_str(&match style {
            Some(style) => lines.lines().map(|line| output.paint(style, line) + "\n").collect(),
            None => lines,
        });
        for (sign, capabilities) in [("+", &skill.gained), ("-", &skill.dropped)] {
            for capability in capabilities {
                let line = format!("{indent}{sign} {}", harmless(&short(capability)));
                out.push_str(&wrapped(&line, output.width, &format!("{indent}  ")));
            }
        }
        for finding in skill.warnings() {
            let line = format!(
                "{indent}{} {} {}:{}",
                finding.severity,
                finding.rule.id(),
                harmless(finding.path.as_str()),
                finding.line,
            );
            out.push_str(&format!("{line}\n{indent}  {}\n", harmless(&finding.evidence)));
        }
        // A new version that needs approval is always shown whole.
        if whole || skill.needs_approval {
            out.push_str(&difference::text(output, &skill.compared, Some(PLAN_LINES)));
        }
    }
    let current = skills.len() - shown.len();
    if current > 0 {
        let verb = if current == 1 { "is" } else { "are" };
        let line = format!("{} {verb} current", count(current, "skill"));
        out.push_str(&format!("{}\n", output.paint(DIM, &line)));
    }
    out
}

fn versions(skill: &SkillUpdateView) -> String {
    match (&skill.from, &skill.to) {
        (Some(old), Some(new)) => format!("{} -> {}", harmless(old), harmless(new)),
        (Some(old), None) => harmless(old),
        (None, _) => String::new(),
    }
}

/// What happens to a skill: the problem first, else the changed files and the edits that are kept.
fn summary(skill: &SkillUpdateView) -> (String, Option<anstyle::Style>) {
    if let Some(why) = skill.why.as_ref().filter(|_| skill.blocks.is_empty()) {
        return (harmless(why), Some(WARN));
    }
    if skill.needs_approval {
        let more = if skill.gained.is_empty() { "new findings" } else { "can do more than you approved" };
        return (format!("NEEDS REVIEW: {more}"), Some(WARN));
    }
    if skill.conflict {
        let files: BTreeSet<&str> = edited(skill, &[EditOutcome::Conflict]);
        let files = files.into_iter().map(harmless).collect::<Vec<_>>().join(", ");
        return (format!("CONFLICT: you and the source changed {files}"), Some(WARN));
    }
    if let [block, ..] = skill.blocks.as_slice() {
        return (format!("NOT UPDATED: {}", harmless(block)), Some(WARN));
    }
    let changed = count(skill.compared.len(), "file");
    let kept = edited(skill, &[EditOutcome::Mine, EditOutcome::Joined, EditOutcome::Same]);
    let kept = match kept.into_iter().map(harmless).collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [file] => format!(", your edit in {file} kept"),
        files => format!(", your edits in {} kept", files.join(", ")),
    };
    (format!("{changed} changed{kept}"), None)
}

fn edited<'a>(skill: &'a SkillUpdateView, how: &[EditOutcome]) -> BTreeSet<&'a str> {
    skill.edits.iter().filter(|edit| how.contains(&edit.how)).map(|edit| edit.path.as_str()).collect()
}

/// What was updated, what stays, and what the user should do next. A merge does not approve edits that were not
/// approved before.
pub(super) fn done(
    context: &Context,
    library: &Library<'_>,
    update: &UpdatePlan,
    applied: &Applied,
) -> String {
    let names: BTreeSet<&str> = update.plan.steps().iter().map(|step| step.name.as_str()).collect();
    let lock = if applied.lock_written { format!(" Updated {LOCK_FILE}.") } else { String::new() };
    let mut out = format!("Updated {}.{lock}\n", count(names.len(), "skill"));
    for saved in &applied.saved {
        out.push_str(&format!("Your version is saved in {}\n", context.short(saved)));
    }
    for left in &applied.left {
        out.push_str(&format!("An earlier run left {}; look into it\n", context.short(left)));
    }
    let approvals = library.approvals().unwrap_or_default();
    let merged = update.plan.steps().iter().filter(|step| step.action == Action::Merge);
    let open = merged.filter(|step| step.tree().is_some_and(|tree| !approvals.has(&tree)));
    for step in open {
        let name = harmless(step.name.as_str());
        let place = context.short(&library.site().path(&step.place));
        out.push_str(&format!("Your edits in {place} are not approved: skillful review approve {name}\n"));
    }
    out
}
