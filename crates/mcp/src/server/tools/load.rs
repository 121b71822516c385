//! `use_skill`, `read_skill_file` and `skill_transition`.

use super::Call;
use crate::{
    names::{SKILL_FILE, tool},
    server::reply::{Refused, Reply, ToolAnswer},
};
use serde_json::{Value, json};
use skillful_runtime::{
    compose,
    resource::{self, ResourceError},
    session::{Event, Outcome, Skill},
};
use skillful_select::access::{Admitted, Way, reach};

pub(super) fn use_skill(call: &Call<'_>) -> Reply {
    let name = call.needed("name")?;
    let arguments = call.text("arguments")?.unwrap_or_default();
    let proof = find(call, name, Way::Load)?;
    // Reading may fail; only what was read is active.
    let answer = load(call, &proof, arguments)?;
    let entry = call.snapshot.entry(proof.entry());
    let skill = Skill::of(&entry.address(), &entry.loaded.manifest);
    let event = Event::Activate { skill, call: call.id.to_owned() };
    let outcome = call.conversation.apply(&event, &|_| Err(String::new()));
    call.live.used(&entry.address());
    Ok(told(call, answer, &outcome))
}

pub(super) fn skill_transition(call: &Call<'_>) -> Reply {
    let target = call.text("target_skill")?.unwrap_or_default().to_owned();
    let reason = call.text("reason")?.map(str::to_owned);
    let gate = |word: &str| -> Result<Skill, String> {
        let proof = find(call, word, Way::Transition).map_err(|Refused(words)| words)?;
        let entry = call.snapshot.entry(proof.entry());
        Ok(Skill::of(&entry.address(), &entry.loaded.manifest))
    };
    let to = match call.conversation.apply(&Event::Transition { target, reason }, &gate) {
        Outcome::Pending { target } => target,
        Outcome::Stayed(why) => return Err(Refused::new(why.to_string())),
        _ => return Err(Refused::new("nothing to go on to")),
    };
    // What cannot be read is not gone on to; the next request takes its place.
    let mut answer = load(call, &find(call, &to, Way::Transition)?, "")?;
    let outcome = call.conversation.apply(&Event::Step, &gate);
    let Outcome::Moved { from, depth, .. } = &outcome else {
        return Err(Refused::new("nothing to go on to"));
    };
    call.live.used(&to);
    let before = from.as_ref().map_or_else(String::new, |from| format!(" from `{from}`"));
    answer.text = format!("You went on{before} to the skill `{to}`.\n\n{}", answer.text);
    answer.data["from"] = json!(from);
    answer.data["depth"] = json!(depth);
    Ok(told(call, answer, &outcome))
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
    let data = json!({
        "name": entry.address(),
        "path": path,
        "content_type": found.content_type,
        "content": found.text,
    });
    Ok(ToolAnswer { text: found.text, data })
}

/// The skill that a word means to the caller, or a message that reveals no skill that the caller may not use.
pub(super) fn find(call: &Call<'_>, word: &str, way: Way) -> Result<Admitted, Refused> {
    let snapshot = call.snapshot;
    reach(&snapshot.catalog, word, snapshot.asker(), way).map_err(|refusal| {
        Refused::new(format!("{}; `{}` finds skills by what they do", refusal.message(), tool::SEARCH_SKILLS))
    })
}

/// A skill with its companions, as a model reads it.
fn load(call: &Call<'_>, proof: &Admitted, arguments: &str) -> Reply {
    let entry = call.snapshot.entry(proof.entry());
    let (activation, text) = compose::load(&call.snapshot.engine(), proof, arguments)
        .map_err(|error| Refused::new(format!("the skill `{}` cannot be used: {error}", entry.address())))?;
    let mut data = json!(activation);
    if let Value::Object(data) = &mut data {
        // They are in the text; where the file lies and how it is written is the user's business.
        for key in ["instructions", "path"] {
            data.remove(key);
        }
    }
    let wrong = activation.diagnostics.iter();
    data["diagnostics"] =
        wrong.map(|one| json!({ "code": one.code.to_string(), "message": one.message })).collect();
    data["content"] = json!(text);
    Ok(ToolAnswer { text, data })
}

/// Adds what the run makes of a skill: that it wants a context of its own, and what may follow it.
fn told(call: &Call<'_>, mut answer: ToolAnswer, outcome: &Outcome) -> ToolAnswer {
    // What its commands could not see is among the data already.
    let seen = answer.data["notes"].as_array().into_iter().flatten();
    let mut notes: Vec<String> = seen.filter_map(Value::as_str).map(str::to_owned).collect();
    if let Outcome::Directive { .. } = outcome {
        notes.push(
            "This skill asks for a context of its own: give it to a sub-agent if you have one, else follow it here."
                .to_owned(),
        );
    }
    if let Some(targets) = call.conversation.targets() {
        notes.push(format!("Go on with `{}` where it fits:\n{targets}", tool::SKILL_TRANSITION));
    }
    for note in &notes {
        answer.text.push_str(&format!("\n{note}\n"));
    }
    answer.data["notes"] = json!(notes);
    answer
}
