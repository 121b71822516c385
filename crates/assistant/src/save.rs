//! `save_skill`: what was learned becomes a proposed skill, which is off until a person reviewed it.

use crate::{dispatch::Text, flow::Flow};
use serde_json::json;
use skillful_llm::ToolSpec;
use skillful_runtime::propose::{CONTENT_LIMIT, DESCRIPTION_LIMIT, NAME_LIMIT, Proposal, Proposals};

/// Its name.
pub(crate) const SAVE_SKILL: &str = "save_skill";

/// Its words.
pub(crate) fn spec() -> ToolSpec {
    let text = |words: String| json!({ "type": "string", "description": words });
    ToolSpec {
        name: SAVE_SKILL.to_owned(),
        description:
            "Save a procedure that worked, and will be needed again, as a skill. It is off until the \
            person has reviewed it: tell them so. The same name again replaces what waits."
                .to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "name": text(format!("Lower-case letters, digits and hyphens, at most {NAME_LIMIT}")),
                "description": text(format!("What it does and when to use it, at most {DESCRIPTION_LIMIT} characters")),
                "content": text(format!("The instructions in Markdown, without a header, at most {CONTENT_LIMIT} characters")),
            },
            "required": ["name", "description", "content"],
            "additionalProperties": false,
        }),
    }
}

/// Writes the proposal.
pub(crate) fn save(flow: &Flow<'_, '_, '_, '_>, text: Text<'_>) -> Result<String, String> {
    let engine = &flow.world.engine;
    let proposal = Proposal {
        name: text.needed("name")?,
        description: text.needed("description")?,
        content: text.needed("content")?,
        session: engine.session,
    };
    let proposals = Proposals::new(engine.catalog, engine.settings);
    proposals.save(&proposal).map_err(|error| error.to_string())?;
    Ok(format!(
        "Saved. The skill `{}` is off until the person has looked at it with `skillful review`; tell them so.",
        proposal.name
    ))
}
