//! What one agent loads, and why not the rest.

use super::{PathText, SCHEMA};
use crate::{
    turn::{MenuRoom, menu_budget},
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_agents::{Listed, View};
use skillful_catalog::AgentProfile;
use skillful_render::menu::{MenuItem, MenuLoss, Truncation, menu};
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
    /// The skills that are part of the program, without those that a skill on the disk replaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub built_in: Vec<String>,
    /// The menu that its model reads.
    pub menu: MenuSize,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// How large the menu of an agent is, and what it loses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MenuSize {
    /// Skills in it.
    pub skills: usize,
    /// How much of the budget they take.
    pub used: usize,
    /// The budget.
    pub limit: usize,
    /// The unit of both: `characters` or tokens.
    pub unit: String,
    /// Skills whose description is shortened or missing.
    pub shortened: usize,
    /// Skills that do not fit at all.
    pub left_out: usize,
}

impl MenuSize {
    /// The menu of what an agent loads and offers to its model, whatever Skillful would offer.
    fn of(agent: &AgentProfile, seen: &[SeenSkill]) -> Self {
        let item = |one: &SeenSkill| MenuItem {
            name: match &one.label {
                Some(label) => format!("{} ({label})", one.name),
                None => one.name.clone(),
            },
            description: one.description.clone().unwrap_or_default(),
            when_to_use: one.when_to_use.clone(),
            location: one.path.to_string(),
        };
        let items: Vec<MenuItem> = seen.iter().filter(|one| one.hidden.is_none()).map(item).collect();
        let menu = menu(&items, agent.menu.style, menu_budget(MenuRoom::default(), Some(agent)));
        let omitted = |loss: &&MenuLoss| loss.truncation == Truncation::Omitted;
        let left_out = menu.losses.iter().filter(omitted).count();
        Self {
            skills: menu.skills,
            used: menu.used,
            limit: menu.budget.limit,
            unit: menu.budget.unit.words().to_owned(),
            shortened: menu.losses.len() - left_out,
            left_out,
        }
    }
}

/// A skill that an agent loads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SeenSkill {
    /// The name that the agent gives it.
    pub name: String,
    /// Another name that the agent shows beside the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The description that the agent reads.
    pub description: Option<String>,
    /// When to use the skill, if the agent appends that to the description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
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
        let View { agent: id, seen, unseen, roots, built_in, notes, .. } = workspace.view(agent);
        let text = |path: &Path| PathText::from(path);
        let seen: Vec<SeenSkill> = seen
            .into_iter()
            .map(|one| SeenSkill {
                path: text(&one.file),
                scope: one.scope.word().to_owned(),
                hidden: match one.listed {
                    Listed::Model => None,
                    Listed::UserOnly(why) => Some(why),
                },
                name: one.name,
                label: one.label,
                description: one.description,
                when_to_use: one.when_to_use,
                warnings: one.warnings,
            })
            .collect();
        Self {
            schema: SCHEMA,
            agent: id,
            evidence: agent.evidence.word().to_owned(),
            folder: text(&workspace.environment().cwd),
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
            built_in,
            menu: MenuSize::of(agent, &seen),
            seen,
            notes,
        }
    }
}
