//! Code lenses: which agents of this machine load the skill, and what it costs in tokens.

use crate::{background::Snapshot, check::Checked};
use lsp_types::{CodeLens, Command, Position, Range, Uri};
use serde_json::json;
use skillful::views::AgentVerdict;
use skillful_profiles::MenuStyle;
use skillful_render::{
    budget::{Budget, Unit},
    menu::{MenuItem, menu},
};
use std::path::Path;

/// Shows which agents load the skill.
pub(crate) const SHOW_AGENTS: &str = "skillful.showAgents";
/// Shows what the skill costs.
pub(crate) const SHOW_COST: &str = "skillful.showCost";

/// What a skill costs, in estimated tokens.
pub(crate) struct Cost {
    /// In the menu of every session.
    menu: usize,
    /// When the skill is loaded.
    body: usize,
}

impl Cost {
    pub(crate) fn of(text: &str, checked: &Checked, path: &Path) -> Self {
        let manifest = &checked.document.manifest;
        let name = manifest.name.clone().or_else(|| checked.folder.clone()).unwrap_or_default();
        let item = MenuItem {
            name,
            description: manifest.description.clone().unwrap_or_default(),
            when_to_use: manifest.when_to_use.clone(),
            location: path.display().to_string(),
        };
        let unit = Unit::EstimatedTokens;
        let budget = Budget { limit: usize::MAX / 8, unit, ..Budget::default() };
        let body = checked.document.body_of(text);
        Self { menu: menu(&[item], MenuStyle::Preamble, budget).used, body: unit.cost(body) }
    }

    fn title(&self) -> String {
        format!("~{} tokens in the menu, ~{} when loaded", self.menu, self.body)
    }

    /// The same with its meaning.
    pub(crate) fn details(&self) -> String {
        format!(
            "menu: about {} tokens in every session (name and description)\nbody: about {} tokens when the skill is loaded\n{}",
            self.menu,
            self.body,
            Unit::EstimatedTokens.rule()
        )
    }
}

/// The lenses of a skill, on its first line.
pub(crate) fn lenses(uri: &Uri, path: &Path, cost: &Cost, snapshot: Option<&Snapshot>) -> Vec<CodeLens> {
    let lens = |title: String, command: &str| CodeLens {
        range: Range { start: Position::default(), end: Position::default() },
        command: Some(Command {
            title,
            command: command.to_owned(),
            arguments: Some(vec![json!(uri.as_str())]),
        }),
        data: None,
    };
    let verdicts = snapshot.and_then(|snapshot| snapshot.verdicts.get(path));
    let agents = verdicts.map(|verdicts| lens(title(verdicts), SHOW_AGENTS));
    agents.into_iter().chain([lens(cost.title(), SHOW_COST)]).collect()
}

fn title(verdicts: &[AgentVerdict]) -> String {
    let loads = verdicts.iter().filter(|verdict| verdict.loads).count();
    match verdicts.len() {
        0 => "no agent found on this machine".to_owned(),
        1 => format!("{loads} of 1 agent on this machine loads it"),
        all => format!("{loads} of {all} agents on this machine load it"),
    }
}

/// Each agent, and why it does not load the skill.
pub(crate) fn details(verdicts: &[AgentVerdict]) -> String {
    let mut out = title(verdicts);
    for AgentVerdict { title, why, .. } in verdicts {
        match why {
            None => out.push_str(&format!("\n{title}: loads it")),
            Some(why) => out.push_str(&format!("\n{title}: does not load it: {why}")),
        }
    }
    out
}
