//! The tools as data: name, words for a model, schema, and what they do.

mod find;
mod load;
mod manage;

use crate::{
    names::tool,
    server::{
        handler::Conversation,
        live::Live,
        reply::{Refused, Reply},
        snapshot::Snapshot,
    },
};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use skillful_runtime::menu::{MOST_FOUND, MOST_LISTED};
use std::sync::LazyLock;

/// What a tool works with.
pub(crate) struct Call<'a> {
    /// The skills, and who asks.
    pub snapshot: &'a Snapshot,
    /// The library behind them.
    pub live: &'a Live,
    /// What is active in this connection.
    pub conversation: &'a Conversation,
    /// The id of the call; a retry has the same.
    pub id: &'a str,
    /// Bytes of a result that the client does not cut.
    pub room: usize,
    arguments: &'a JsonObject,
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        live: &'a Live,
        conversation: &'a Conversation,
        id: &'a str,
        room: usize,
        arguments: &'a JsonObject,
    ) -> Self {
        Self { snapshot, live, conversation, id, room, arguments }
    }

    /// An optional text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, Refused> {
        match self.arguments.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Refused::new(format!("`{name}` must be text"))),
        }
    }

    /// A text that must be there.
    pub(super) fn needed(&self, name: &str) -> Result<&'a str, Refused> {
        let text = self.text(name)?.map(str::trim).filter(|text| !text.is_empty());
        text.ok_or_else(|| Refused::new(format!("`{name}` is missing")))
    }

    /// The part of a long text, counted from 1.
    pub(super) fn part(&self) -> Result<usize, Refused> {
        self.number("part", 1, usize::MAX)
    }

    /// A whole number, held in bounds.
    pub(super) fn number(&self, name: &str, default: usize, most: usize) -> Result<usize, Refused> {
        match self.arguments.get(name) {
            None | Some(Value::Null) => Ok(default),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(usize::try_from(number).unwrap_or(most).min(most)),
                None => Err(Refused::new(format!("`{name}` must be a whole number, 0 or more"))),
            },
        }
    }
}

/// The effect of a tool, by which agents decide whether to ask the user.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Nothing.
    Reads,
    /// The commands of a skill's body may run, as far as the user lets them.
    Runs,
    /// Proposals come and go.
    Writes,
}

/// A tool.
pub(crate) struct Row {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Its effect.
    effect: Effect,
    properties: fn() -> Value,
    /// Whether its result may be long and then comes in parts.
    in_parts: bool,
    required: &'static [&'static str],
    /// What it does.
    pub run: fn(&Call<'_>) -> Reply,
}

/// Every tool. Texts are read by a model in every session, so that they are short.
const TOOLS: [Row; 6] = [
    Row {
        name: tool::USE_SKILL,
        title: "Use a skill",
        description: "Load a skill: its instructions, the folder its files are in, and the skills that come \
            along. Call this before doing a task that a skill covers, then follow what it says.",
        effect: Effect::Runs,
        properties: || {
            json!({
                "name": { "type": "string", "description": "Name of the skill, as listed" },
                "arguments": { "type": "string", "description": "What the skill is to do, as the user would type it" },
            })
        },
        in_parts: true,
        required: &["name"],
        run: load::use_skill,
    },
    Row {
        name: tool::READ_SKILL_FILE,
        title: "Read a file of a skill",
        description: "Read a text file that a skill brings, such as `references/api.md`.",
        effect: Effect::Reads,
        properties: || {
            json!({
                "name": { "type": "string", "description": "Name of the skill" },
                "path": { "type": "string", "description": "Path relative to the skill's folder" },
            })
        },
        in_parts: true,
        required: &["name", "path"],
        run: load::read_skill_file,
    },
    Row {
        name: tool::LIST_SKILLS,
        title: "List skills",
        description: "List the skills that can be used, by name. With many skills `search_skills` is quicker.",
        effect: Effect::Reads,
        properties: || {
            json!({
                "filter": { "type": "string", "description": "Only skills whose name or description holds this text" },
                "offset": { "type": "integer", "minimum": 0, "description": "Skip this many" },
                "limit": { "type": "integer", "minimum": 1, "maximum": MOST_LISTED, "description": "Default 100" },
            })
        },
        in_parts: false,
        required: &[],
        run: find::list_skills,
    },
    Row {
        name: tool::SEARCH_SKILLS,
        title: "Search skills",
        description: "Find the skills that serve a task, best first. Ask in the words of the task.",
        effect: Effect::Reads,
        properties: || {
            json!({
                "query": { "type": "string", "description": "What is to be done" },
                "limit": { "type": "integer", "minimum": 1, "maximum": MOST_FOUND, "description": "Default 5" },
            })
        },
        in_parts: false,
        required: &["query"],
        run: find::search_skills,
    },
    Row {
        name: tool::SKILL_TRANSITION,
        title: "Go on to another skill",
        description: "End the active skill and go on with another one, for instance the one it names for the \
            next stage. At most five times in a turn.",
        effect: Effect::Runs,
        properties: || {
            json!({
                "target_skill": { "type": "string", "description": "Name of the skill to go on to" },
                "reason": { "type": "string", "description": "Why" },
            })
        },
        in_parts: false,
        required: &["target_skill"],
        run: load::skill_transition,
    },
    Row {
        name: tool::SKILL_MANAGEMENT,
        title: "Propose skills",
        description: "Propose a new skill from what was learned (`create`), `list` and `get` what was proposed, \
            `delete` a proposal. A proposed skill is disabled until the user enables it: remind them.",
        effect: Effect::Writes,
        properties: || {
            json!({
                "operation": { "type": "string", "enum": ["create", "list", "get", "delete"] },
                "name": { "type": "string", "description": "Lower-case letters, digits and hyphens, at most 50" },
                "description": { "type": "string", "description": "What it does and when to use it, at most 200 characters" },
                "content": { "type": "string", "description": "The instructions in Markdown, without frontmatter, at most 50000 characters" },
            })
        },
        in_parts: true,
        required: &["operation"],
        run: manage::skill_management,
    },
];

static LISTED: LazyLock<Vec<Tool>> = LazyLock::new(|| TOOLS.iter().map(Row::tool).collect());

/// The argument that names a part.
fn part_schema() -> Value {
    json!({ "type": "integer", "minimum": 1, "description": "Part of a long text, as the part before it says" })
}

impl Row {
    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": (self.properties)(),
            "required": self.required,
            "additionalProperties": false,
        })
    }

    fn tool(&self) -> Tool {
        let mut schema = self.schema();
        if self.in_parts {
            schema["properties"]["part"] = part_schema();
        }
        let schema = match schema {
            Value::Object(schema) => schema,
            _ => JsonObject::new(),
        };
        let hints = ToolAnnotations::with_title(self.title)
            .read_only(self.effect == Effect::Reads)
            .destructive(self.effect == Effect::Writes)
            .idempotent(self.effect == Effect::Reads)
            .open_world(false);
        Tool::new(self.name, self.description, schema).with_title(self.title).with_annotations(hints)
    }
}

/// A tool about skills, in the words that every model gets.
pub struct SkillTool {
    /// Its name.
    pub name: &'static str,
    /// What it does and when to use it.
    pub description: &'static str,
    /// The schema of its arguments.
    pub schema: Value,
}

/// The tools about skills, for a face of our own.
pub fn skill_tools() -> impl Iterator<Item = SkillTool> {
    TOOLS.into_iter().map(|row| SkillTool {
        name: row.name,
        description: row.description,
        schema: row.schema(),
    })
}

/// What `tools/list` answers. A model that has no skill with a next one is not shown how to go on to it.
pub(crate) fn list(has_pipelines: bool, takes_proposals: bool) -> Vec<Tool> {
    let is_shown = |tool: &&Tool| match tool.name.as_ref() {
        tool::SKILL_TRANSITION => has_pipelines,
        tool::SKILL_MANAGEMENT => takes_proposals,
        _ => true,
    };
    LISTED.iter().filter(is_shown).cloned().collect()
}

/// A tool as it is listed.
pub(crate) fn listed(name: &str) -> Option<Tool> {
    LISTED.iter().find(|tool| tool.name == name).cloned()
}

/// A tool by its name.
pub(crate) fn named(name: &str) -> Option<&'static Row> {
    static ROWS: [Row; 6] = TOOLS;
    ROWS.iter().find(|row| row.name == name)
}
