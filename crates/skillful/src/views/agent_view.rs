//! What one agent loads, and why not the rest.

use super::{PathText, SCHEMA};
use crate::{
    agent_links::LinkPlan,
    agent_sets::AgentSets,
    turn::{MenuRoom, menu_budget},
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_agents::{Listed, Seen, View};
use skillful_catalog::AgentProfile;
use skillful_render::menu::{MenuItem, MenuLoss, Truncation, menu};
use std::{collections::HashMap, path::Path};

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
    /// How many of the skills that another agent loads `view --fix` would link.
    pub fixable: usize,
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
    pub(super) fn of(workspace: &Workspace, agent: &AgentProfile, seen: &[SeenSkill]) -> Self {
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
        let variable = |name: &str| workspace.environment().variable(name);
        let budget = menu_budget(MenuRoom::default(), Some(agent), &variable);
        let menu = menu(&items, agent.menu.style, budget);
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
    /// Other agents found here that load it. None of them: the agent does not count as missing it.
    pub loaded_by: Vec<String>,
    /// Why `view --fix` does not link it, of a skill that another agent loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_linked: Option<String>,
}

/// A reason without what is particular to one skill: quoted names, and what follows a colon.
pub fn general_reason(reason: &str) -> String {
    let mut out = String::new();
    for (at, part) in reason.split('`').enumerate() {
        if at % 2 == 0 {
            out.push_str(if at == 0 { part } else { part.trim_start() });
        } else {
            let end = out.trim_end_matches([' ', ',']).len();
            out.truncate(end);
            out.push(' ');
        }
    }
    let general = out.split(": ").next().unwrap_or_default();
    general.trim_end().replace(" :", ":").replace(" ,", ",")
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
        Self::with(workspace, agent, &AgentSets::with(workspace, agent))
    }

    /// The same from the views of all agents found here, which hold that of the agent.
    pub fn with(workspace: &Workspace, agent: &AgentProfile, sets: &AgentSets<'_>) -> Self {
        let plan = LinkPlan::of(workspace, sets, &agent.id, false);
        let missed: HashMap<&Path, Vec<&str>> =
            sets.missed(&agent.id).into_iter().map(|one| (one.unseen.key.as_path(), one.loaded_by)).collect();
        let view = match sets.get(&agent.id) {
            Some(set) => set.view.clone(),
            None => workspace.view(agent),
        };
        let seen = SeenSkill::all(&view);
        let View { agent: id, unseen, roots, built_in, notes, .. } = view;
        let text = |path: &Path| PathText::from(path);
        let not_linked = |path: &Path| plan.not_linked().iter().find(|one| *one.path == *path);
        Self {
            schema: SCHEMA,
            agent: id,
            evidence: agent.evidence.word().to_owned(),
            folder: text(&workspace.environment().cwd),
            unseen: unseen
                .into_iter()
                .map(|one| MissedSkill {
                    loaded_by: missed
                        .get(one.key.as_path())
                        .map_or_else(Vec::new, |agents| agents.iter().map(|id| (*id).to_owned()).collect()),
                    not_linked: not_linked(&one.file).map(|one| one.why.clone()),
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
            menu: MenuSize::of(workspace, agent, &seen),
            fixable: plan.links().len(),
            seen,
            notes,
        }
    }
}

impl SeenSkill {
    /// The skills that a view holds.
    pub(super) fn all(view: &View) -> Vec<Self> {
        let skill = |one: &Seen| Self {
            path: PathText::from(&one.file),
            scope: one.scope.word().to_owned(),
            hidden: match &one.listed {
                Listed::Model => None,
                Listed::UserOnly(why) | Listed::Waits(why) => Some(why.clone()),
            },
            name: one.name.clone(),
            label: one.label.clone(),
            description: one.description.clone(),
            when_to_use: one.when_to_use.clone(),
            warnings: one.warnings.clone(),
        };
        view.seen.iter().map(skill).collect()
    }
}
