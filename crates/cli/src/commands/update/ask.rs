//! The questions of an update, one for each thing that no general yes covers.

use crate::{
    commands::registry::Desk,
    context::Context,
    error::{Failure, failed},
    output::{harmless, tell},
    prompt,
    report::difference,
};
use skillful_registry::install::{
    Answers, Block, How, Side, SkillUpdate, Update, differences, edited_places,
};

/// Asks about every skill that waits for an answer; says whether there was one.
pub(super) fn all(
    context: &Context,
    desk: &Desk,
    update: &Update,
    answers: &mut Answers,
) -> Result<bool, Failure> {
    let mut answered = false;
    for skill in update.skills.iter().filter(|skill| !skill.is_stuck()) {
        if skill.needs_agreement() {
            if !agrees(skill)? {
                continue;
            }
            answers.agreed.insert(skill.name.clone());
            answered = true;
        }
        if skill.has_conflict() {
            show_conflicts(context, desk, skill)?;
            if let Some(side) = side(skill)? {
                answers.keep.insert(skill.name.clone(), side);
                answered = true;
            }
        }
    }
    Ok(answered)
}

/// Shows only what is new, and asks about it.
fn agrees(skill: &SkillUpdate) -> Result<bool, Failure> {
    let name = harmless(skill.name.as_str());
    for block in &skill.blocks {
        match block {
            Block::Grown(powers) => {
                for power in powers {
                    tell(&format!("  new: {}\n", harmless(power)));
                }
            }
            Block::Concern(concern) => tell(&format!("  {concern}\n")),
            _ => {}
        }
    }
    prompt::yes(&format!("agree to this for {name}?")).map_err(failed("ask"))
}

/// The two versions of each file that both sides changed.
fn show_conflicts(context: &Context, desk: &Desk, skill: &SkillUpdate) -> Result<(), Failure> {
    let (Some(locked), Some(new)) = (desk.lock.skills.get(&skill.name), &skill.new) else { return Ok(()) };
    let places = edited_places(locked, &desk.site, Some(&desk.contents));
    for (place, mine) in places.map_err(crate::commands::registry::refused)? {
        let (Some(mine), Some(edit)) = (mine, skill.edits.iter().find(|edit| edit.place == place)) else {
            continue;
        };
        let in_conflict = |path: &skillful_format::TreePath| {
            edit.files.iter().any(|file| file.path == *path && matches!(file.how, How::Conflict(_)))
        };
        let mut files = differences(&mine, new);
        files.retain(|file| in_conflict(&file.path));
        let place = context.short(&desk.site.path(&place));
        tell(&format!("your version in {} (-) and the new one (+):\n", harmless(&place)));
        tell(&difference::text(&context.output, &files, None));
    }
    Ok(())
}

fn side(skill: &SkillUpdate) -> Result<Option<Side>, Failure> {
    let name = harmless(skill.name.as_str());
    let question = format!("{name}: keep mine, take theirs (mine is saved first), or skip? [m/t/S]");
    let answer = prompt::line(&question).map_err(failed("ask"))?.unwrap_or_default();
    Ok(match answer.trim() {
        "m" | "mine" => Some(Side::Mine),
        "t" | "theirs" => Some(Side::Theirs),
        _ => None,
    })
}
