//! `save_skill`: the model proposes a skill, which stays pending until the user reviews it.

use crate::{dispatch::SkillArguments, turn_loop::TurnLoop};
use serde_json::json;
use skillful_llm::ToolSpec;
use skillful_runtime::propose::{CONTENT_LIMIT, DESCRIPTION_LIMIT, NAME_LIMIT, Proposal, Proposals};

/// Name of the tool.
pub(crate) const SAVE_SKILL: &str = "save_skill";

/// Name, description and schema for the model.
pub(crate) fn spec() -> ToolSpec {
    let text = |words: String| json!({ "type": "string", "description": words });
    ToolSpec {
        name: SAVE_SKILL.to_owned(),
        description: include_str!("../prompts/tools/save_skill.md").trim_end().to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "name": text(format!("Lower-case letters, digits and hyphens, at most {NAME_LIMIT}")),
                "description": text(format!("What it does and when to use it, at most {DESCRIPTION_LIMIT} characters")),
                "content": text(format!("The instructions in Markdown, without frontmatter, at most {CONTENT_LIMIT} characters")),
            },
            "required": ["name", "description", "content"],
            "additionalProperties": false,
        }),
    }
}

/// Writes the proposal.
pub(crate) fn save(turn_loop: &TurnLoop<'_, '_, '_, '_>, text: SkillArguments<'_>) -> Result<String, String> {
    let engine = &turn_loop.setup.engine;
    let proposal = Proposal {
        name: text.needed("name")?,
        description: text.needed("description")?,
        content: text.needed("content")?,
        session: engine.session,
    };
    let proposals = Proposals::new(engine.catalog, engine.settings);
    proposals.save(&proposal).map_err(|error| error.to_string())?;
    Ok(format!(
        "Saved. The skill `{}` is pending until the user reviews it with `skillful review`; tell them so.",
        proposal.name
    ))
}
