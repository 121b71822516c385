//! `use_skill`, `read_skill_file` and `skill_transition`.

use super::Call;
use crate::{
    names::{SKILL_FILE, tool},
    server::{
        parts,
        reply::{Refused, Reply},
    },
};
use skillful_render::escape;
use skillful_runtime::{
    Activation, compose,
    resource::{self, ResourceError},
    session::{Event, Outcome, Skill},
};
use skillful_select::access::{Admitted, Way, reach};

pub(super) fn use_skill(call: &Call<'_>) -> Reply {
    let name = call.needed("name")?;
    let arguments = call.text("arguments")?.unwrap_or_default();
    let part = call.part()?;
    let proof = find(call, name, Way::Load)?;
    let entry = call.snapshot.entry(proof.entry());
    if part > 1 {
        // Its commands do not run again for the rest of a text that they are in.
        let text = match call.conversation.text_of(&entry.address()) {
            Some(text) => text,
            None => load(call, &proof, arguments)?,
        };
        return in_part(call, &entry.address(), &text, part);
    }
    // Reading may fail; only what was read is active.
    let text = load(call, &proof, arguments)?;
    let skill = Skill::of(entry);
    let event = Event::Activate { skill, call: call.id.to_owned() };
    let outcome = call.conversation.apply(&event, &|_| Err(String::new()));
    call.live.used(&entry.address());
    let text = told(call, text, &outcome);
    call.conversation.keep_text(&entry.address(), &text);
    in_part(call, &entry.address(), &text, part)
}

/// A part of the text of a skill.
fn in_part(call: &Call<'_>, name: &str, text: &str, part: usize) -> Reply {
    parts::part(text, part, call.room, &format!("`{}` with `name`: `{name}` and", tool::USE_SKILL))
}

pub(super) fn skill_transition(call: &Call<'_>) -> Reply {
    let target = call.text("target_skill")?.unwrap_or_default().to_owned();
    let reason = call.text("reason")?.map(str::to_owned);
    let gate = |word: &str| -> Result<Skill, String> {
        let proof = find(call, word, Way::Transition).map_err(|Refused(words)| words)?;
        let entry = call.snapshot.entry(proof.entry());
        Ok(Skill::of(entry))
    };
    let to = match call.conversation.apply(&Event::Transition { target, reason }, &gate) {
        Outcome::Pending { target } => target,
        Outcome::Stayed(why) => return Err(Refused::new(why.to_string())),
        _ => return Err(Refused::new("nothing to go on to")),
    };
    // What cannot be read is not gone on to; the next request takes its place.
    let text = load(call, &find(call, &to, Way::Transition)?, "")?;
    let outcome = call.conversation.apply(&Event::Step, &gate);
    let Outcome::Moved { from, .. } = &outcome else {
        return Err(Refused::new("nothing to go on to"));
    };
    call.live.used(&to);
    let before = from.as_ref().map_or_else(String::new, |from| format!(" from `{from}`"));
    let text = told(call, format!("You went on{before} to the skill `{to}`.\n\n{text}"), &outcome);
    call.conversation.keep_text(&to, &text);
    in_part(call, &to, &text, 1)
}

pub(super) fn read_skill_file(call: &Call<'_>) -> Reply {
    let (name, path) = (call.needed("name")?, call.needed("path")?);
    let proof = find(call, name, Way::Load)?;
    let skill = call.snapshot.catalog.admitted(&proof).map_err(|error| Refused::new(error.to_string()))?;
    let entry = skill.entry();
    let missing = || ResourceError::Missing { name: entry.address(), path: path.to_owned() };
    if !skillful_runtime::files::is_part(&skill, path) {
        return Err(Refused::new(missing().to_string()));
    }
    // Of a skill that an operator overrides the file on disk is not what counts.
    let own = path == SKILL_FILE && entry.overridden.is_some();
    let found = resource::of_skill(&skill, Some(path).filter(|_| !own))
        .map_err(|error| Refused::new(error.to_string()))?;
    let again = format!("`{}` with `name`: `{name}`, `path`: `{path}` and", tool::READ_SKILL_FILE);
    parts::part(&found.text, call.part()?, call.room, &again)
}

/// The skill that a word means to the caller, or a message that reveals no skill that the caller may not use.
pub(super) fn find(call: &Call<'_>, word: &str, way: Way) -> Result<Admitted, Refused> {
    let snapshot = call.snapshot;
    reach(&snapshot.catalog, word, snapshot.asker(), way).map_err(|refusal| {
        Refused::new(format!("{}; `{}` finds skills by what they do", refusal.message(), tool::SEARCH_SKILLS))
    })
}

/// A skill with its companions, as a model reads it, and what its author allows and its commands could not see.
fn load(call: &Call<'_>, proof: &Admitted, arguments: &str) -> Reply {
    let entry = call.snapshot.entry(proof.entry());
    let (activation, mut text) = compose::load(&call.snapshot.engine(), proof, arguments)
        .map_err(|error| Refused::new(format!("the skill `{}` cannot be used: {error}", entry.address())))?;
    for note in tools_of(&activation).into_iter().chain(activation.notes) {
        text.push_str(&format!("\n{note}\n"));
    }
    Ok(text)
}

/// The tools that the author of a skill allows and forbids. A server cannot enforce them, so that the model reads them.
fn tools_of(activation: &Activation) -> Vec<String> {
    let listed =
        |tools: &[String]| tools.iter().map(|tool| escape::line(tool)).collect::<Vec<_>>().join(", ");
    let allowed = activation.allowed_tools.as_ref().map(|tools| match tools.as_slice() {
        [] => "This skill works without tools.".to_owned(),
        tools => format!("Tools that this skill allows: {}.", listed(tools)),
    });
    let forbidden = Some(&activation.disallowed_tools)
        .filter(|tools| !tools.is_empty())
        .map(|tools| format!("Tools that this skill forbids: {}.", listed(tools)));
    allowed.into_iter().chain(forbidden).collect()
}

/// Adds what the run makes of a skill: that it wants a context of its own, and what may follow it.
fn told(call: &Call<'_>, mut text: String, outcome: &Outcome) -> String {
    if let Outcome::Directive { .. } = outcome {
        text.push_str(
            "\nThis skill asks for a context of its own: give it to a sub-agent if you have one, else follow it here.\n",
        );
    }
    if let Some(targets) = call.conversation.targets() {
        text.push_str(&format!("\nGo on with `{}` where it fits:\n{targets}\n", tool::SKILL_TRANSITION));
    }
    text
}
