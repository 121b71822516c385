//! `skill_management`, for an agent that has this tool in place of `save_skill`: create, list, get and delete. What a
//! model creates stays pending until the user reviews it.

use crate::{dispatch::SkillArguments, turn_loop::TurnLoop};
use skillful_catalog::body;
use skillful_mcp::{names::tool, server::skill_tools};
use skillful_runtime::propose::{Proposal, Proposals, word};
use skillful_select::access::{Way, reach};

pub(crate) use tool::SKILL_MANAGEMENT;

/// Name, description and schema for the model: those of the MCP server.
pub(crate) fn spec() -> Option<skillful_llm::ToolSpec> {
    let spec = skill_tools().find(|one| one.name == SKILL_MANAGEMENT)?;
    let (name, description) = (spec.name.to_owned(), spec.description.to_owned());
    Some(skillful_llm::ToolSpec { name, description, schema: spec.schema })
}

/// Does what the operation says.
pub(crate) fn manage(
    turn_loop: &TurnLoop<'_, '_, '_, '_>,
    text: SkillArguments<'_>,
) -> Result<String, String> {
    let engine = &turn_loop.setup.engine;
    let proposals = Proposals::new(engine.catalog, engine.settings);
    let operation = text.needed("operation")?;
    match operation.trim_end_matches("_skills").trim_end_matches("_skill") {
        "create" => {
            let proposal = Proposal {
                name: text.needed("name")?,
                description: text.needed("description")?,
                content: text.needed("content")?,
                session: engine.session,
            };
            proposals.create(&proposal).map_err(|error| error.to_string())?;
            Ok(format!(
                "Created. The skill `{}` is pending until the user reviews it with `skillful review`; mention that in your answer.",
                proposal.name
            ))
        }
        "list" => {
            let found = proposals.all();
            let line = |entry: &&skillful_catalog::Entry| {
                format!(
                    "- {} ({}): {}\n",
                    entry.address(),
                    word(entry),
                    entry.description().unwrap_or_default()
                )
            };
            let lines: String = found.iter().map(line).collect();
            Ok(if lines.is_empty() { "No skill is proposed.\n".to_owned() } else { lines })
        }
        "get" => {
            let name = text.needed("name")?;
            let content = match proposals.find(name) {
                Some(entry) => body::read(entry),
                None => {
                    let proof = reach(engine.catalog, name, engine.asker, Way::Show)
                        .map_err(|refusal| refusal.message())?;
                    engine.catalog.admitted(&proof).map_err(|error| error.to_string())?.body()
                }
            };
            content.map_err(|error| format!("the skill `{name}` cannot be read: {error}"))
        }
        "delete" => {
            let name = text.needed("name")?;
            proposals.delete(name).map_err(|error| error.to_string())?;
            Ok(format!("The proposed skill `{name}` is deleted."))
        }
        _ => Err("`operation` must be create, list, get or delete".to_owned()),
    }
}
