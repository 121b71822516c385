//! `skill_management`: what models propose and users decide.

use super::{Call, load::find};
use crate::{
    names::tool,
    server::{
        parts,
        reply::{Refused, Reply},
    },
};
use skillful_catalog::body;
use skillful_runtime::propose::{Proposal, word};
use skillful_select::access::Way;

pub(super) fn skill_management(call: &Call<'_>) -> Reply {
    // golemcore says `create_skill` and `list_skills`.
    let operation = call.needed("operation")?;
    match operation.trim_end_matches("_skills").trim_end_matches("_skill") {
        "create" => create(call),
        "list" => Ok(list(call)),
        "get" => get(call),
        "delete" => delete(call),
        _ => Err(Refused::new("`operation` must be create, list, get or delete")),
    }
}

fn create(call: &Call<'_>) -> Reply {
    let name = call.needed("name")?;
    let (description, content) = (call.needed("description")?, call.needed("content")?);
    let _turn = call.live.manage();
    // What others did meanwhile counts, too.
    let snapshot = call.live.reload().map_err(Refused::new)?;
    let proposal = Proposal { name, description, content, session: None };
    snapshot.proposals().create(&proposal).map_err(|error| Refused::new(error.to_string()))?;
    let snapshot = call.live.reload().map_err(Refused::new)?;
    let state = snapshot.proposals().find(name).map_or("proposed", word);
    Ok(format!(
        "The skill `{name}` is {state} and disabled. The user can read it with `skillful show {name}` and \
         switch it on with `skillful enable {name}`.\n"
    ))
}

fn list(call: &Call<'_>) -> String {
    let found = call.snapshot.proposals().all();
    if found.is_empty() {
        "No skill is proposed.\n".to_owned()
    } else {
        found
            .iter()
            .map(|entry| {
                let words = entry.description().unwrap_or_default();
                format!("- {} ({}): {words}\n", entry.address(), word(entry))
            })
            .collect()
    }
}

/// A proposal as it was written, else a skill that may be shown to who asks.
fn get(call: &Call<'_>) -> Reply {
    let name = call.needed("name")?;
    let proposals = call.snapshot.proposals();
    let (entry, content) = match proposals.find(name) {
        Some(entry) => (entry, body::read(entry)),
        None => {
            let proof = find(call, name, Way::Show)?;
            let skill =
                call.snapshot.catalog.admitted(&proof).map_err(|error| Refused::new(error.to_string()))?;
            (skill.entry(), skill.body())
        }
    };
    let content = content
        .map_err(|error| Refused::new(format!("the skill `{}` cannot be read: {error}", entry.address())))?;
    let again = format!("`{}` with `operation`: `get`, `name`: `{name}` and", tool::SKILL_MANAGEMENT);
    parts::part(&content, call.part()?, call.room, &again)
}

fn delete(call: &Call<'_>) -> Reply {
    let name = call.needed("name")?;
    let _turn = call.live.manage();
    let snapshot = call.live.reload().map_err(Refused::new)?;
    snapshot.proposals().delete(name).map_err(|error| Refused::new(error.to_string()))?;
    call.live.reload().map_err(Refused::new)?;
    Ok(format!("The proposed skill `{name}` is deleted.\n"))
}
