//! What one agent loads, and why not the rest.

use super::{PathText, SCHEMA};
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_agents::{Listed, View};
use skillful_catalog::AgentProfile;
use std::path::Path;

/// What one agent loads in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentView {
    /// The version of this object.
    pub schema: u32,
    /// The agent.
    pub agent: String,
    /// How its rules are known.
    pub evidence: String,
    /// The folder that was asked about.
    pub folder: PathText,
    /// The skills it loads, in its order.
    pub seen: Vec<SeenSkill>,
    /// The skills it does not load.
    pub unseen: Vec<MissedSkill>,
    /// The folders it reads.
    pub roots: Vec<AgentRoot>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// A skill that an agent loads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SeenSkill {
    /// The name that the agent gives it.
    pub name: String,
    /// The description that the agent reads.
    pub description: Option<String>,
    /// Its file, as the agent shows it.
    pub path: PathText,
    /// Whose skill it is.
    pub scope: String,
    /// Why the agent keeps it from its model, when it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
    /// What the agent complains about.
    pub warnings: Vec<String>,
}

/// A skill that an agent does not load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MissedSkill {
    /// Its file.
    pub path: PathText,
    /// Its name, when it can be read.
    pub name: Option<String>,
    /// Which rule keeps it out.
    pub code: String,
    /// The same in a sentence.
    pub reason: String,
    /// What to do about it.
    pub fix: Option<String>,
}

/// A folder that an agent reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentRoot {
    /// The folder.
    pub path: PathText,
    /// Whose skills lie there.
    pub scope: String,
    /// Whether it exists.
    pub present: bool,
}

impl AgentView {
    /// The view of an agent in a workspace.
    pub fn of(workspace: &Workspace, agent: &AgentProfile) -> Self {
        let View { agent: id, seen, unseen, roots, notes, .. } = workspace.view(agent);
        let text = |path: &Path| PathText::from(path);
        Self {
            schema: SCHEMA,
            agent: id,
            evidence: agent.evidence.word().to_owned(),
            folder: text(&workspace.environment().cwd),
            seen: seen
                .into_iter()
                .map(|one| SeenSkill {
                    path: text(&one.file),
                    scope: one.scope.word().to_owned(),
                    hidden: match one.listed {
                        Listed::Model => None,
                        Listed::UserOnly(why) => Some(why),
                    },
                    name: one.name,
                    description: one.description,
                    warnings: one.warnings,
                })
                .collect(),
            unseen: unseen
                .into_iter()
                .map(|one| MissedSkill {
                    path: text(&one.file),
                    name: one.name,
                    code: serde_json::to_value(one.code)
                        .ok()
                        .and_then(|code| code.as_str().map(str::to_owned))
                        .unwrap_or_default(),
                    reason: one.reason,
                    fix: one.fix,
                })
                .collect(),
            roots: roots
                .into_iter()
                .map(|root| AgentRoot {
                    path: text(&root.path),
                    scope: root.scope.word().to_owned(),
                    present: root.present,
                })
                .collect(),
            notes,
        }
    }
}
