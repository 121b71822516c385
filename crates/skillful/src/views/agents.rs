//! The known agents.

use super::SCHEMA;
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Serialize;

/// Every agent that Skillful knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentList {
    /// The version of this object.
    pub schema: u32,
    /// By id.
    pub agents: Vec<AgentSummary>,
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentSummary {
    /// The name for `--agent`.
    pub id: String,
    /// The name users know.
    pub title: String,
    /// Other names that mean it.
    pub aliases: Vec<String>,
    /// How its rules are known: `measured`, `source`, `documented` or `folders`.
    pub evidence: String,
    /// The folders it reads, as its profile writes them.
    pub folders: Vec<String>,
}

impl AgentList {
    /// The agents of a workspace.
    pub fn of(workspace: &Workspace) -> Self {
        let agents = workspace.agents().iter().map(|agent| AgentSummary {
            id: agent.id.clone(),
            title: agent.title.clone(),
            aliases: agent.aliases.clone(),
            evidence: agent.evidence.word().to_owned(),
            folders: {
                let mut folders: Vec<String> = agent.roots.iter().map(|root| root.path.shown()).collect();
                folders.dedup();
                folders
            },
        });
        Self { schema: SCHEMA, agents: agents.collect() }
    }
}
