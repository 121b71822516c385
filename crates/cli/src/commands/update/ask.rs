//! The questions of an update, one for each thing that no general yes covers.

use crate::{
    context::Context,
    error::{Failure, failed},
    output::{harmless, tell},
    prompt,
    report::difference,
};
use skillful::{
    Library,
    library::{UpdatePlan, UpdateRequest},
};
use skillful_registry::{
    Lock,
    install::{Block, How, Side, SkillUpdate, differences, edited_places},
};

/// Asks about every skill with an open question; returns whether there was an answer.
pub(super) fn all(
    context: &Context,
    library: &Library<'_>,
    lock: &Lock,
    update: &UpdatePlan,
    request: &mut UpdateRequest,
) -> Result<bool, Failure> {
    let mut answered = false;
    for skill in update.skills.iter().filter(|skill| !skill.is_stuck()) {
        if skill.needs_agreement() {
            if !approves(skill)? {
                continue;
            }
            request.approved.insert(skill.name.to_string());
            answered = true;
        }
        if skill.has_conflict() {
            show_conflicts(context, library, lock, skill)?;
            if let Some(side) = side(skill)? {
                request.keep.insert(skill.name.to_string(), side);
                answered = true;
            }
        }
    }
    Ok(answered)
}

/// Shows only what is new, and asks about it. Blocking findings need the name.
fn approves(skill: &SkillUpdate) -> Result<bool, Failure> {
    let name = harmless(skill.name.as_str());
    for block in &skill.blocks {
        match block {
            Block::Grown(capabilities) => {
                for capability in capabilities {
                    tell(&format!("  new: {}\n", harmless(capability)));
                }
            }
            Block::Concern(concern) => tell(&format!("  {concern}\n")),
            _ => {}
        }
    }
    if skill.card.as_ref().is_some_and(|card| card.is_blocked()) {
        let question = format!("it has blocking findings; type \"{name}\" to approve it anyway:");
        let answer = prompt::line(&question).map_err(failed("ask"))?;
        return Ok(answer.is_some_and(|answer| answer.trim() == skill.name.as_str()));
    }
    prompt::yes(&format!("approve this for {name}?")).map_err(failed("ask"))
}

/// The two versions of each file that both sides changed.
fn show_conflicts(
    context: &Context,
    library: &Library<'_>,
    lock: &Lock,
    skill: &SkillUpdate,
) -> Result<(), Failure> {
    let (Some(locked), Some(new)) = (lock.skills.get(&skill.name), &skill.new) else { return Ok(()) };
    let places = edited_places(locked, library.site(), Some(library.store()));
    for (place, mine) in places.map_err(crate::commands::library::refused)? {
        let (Some(mine), Some(edit)) = (mine, skill.edits.iter().find(|edit| edit.place == place)) else {
            continue;
        };
        let in_conflict = |path: &skillful_format::TreePath| {
            edit.files.iter().any(|file| file.path == *path && matches!(file.how, How::Conflict(_)))
        };
        let mut files = differences(&mine, new);
        files.retain(|file| in_conflict(&file.path));
        let place = context.short(&library.site().path(&place));
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
