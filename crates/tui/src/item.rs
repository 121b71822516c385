//! One row of a list: text that is safe to draw, and what a search looks at.

use crate::theme::Role;
use nucleo_matcher::Utf32String;
use skillful::{
    views::{MatrixAgent, MatrixSkill},
    visible::sentence,
};

/// The word in the STATE column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Badge {
    /// The word.
    pub word: String,
    /// What it means.
    pub role: Role,
}

/// One row of a list.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// The name; harmless text, as every other field.
    pub name: String,
    /// The word in the STATE column.
    pub badge: Badge,
    /// What it does.
    pub description: String,
    pub(crate) state: String,
    pub(crate) scope: String,
    pub(crate) source: String,
    /// Ids of agents that load it, and of those that miss it.
    pub(crate) agents: Vec<String>,
    pub(crate) missing: Vec<String>,
    pub(crate) needs_attention: bool,
    pub(crate) is_pending: bool,
    pub(crate) is_here: bool,
    /// What identifies the row when the catalog changes.
    pub(crate) key: String,
    pub(crate) name_chars: Utf32String,
    pub(crate) lower: String,
}

impl Item {
    /// A row of a picker. Texts may come from a skill's author.
    pub fn new(name: &str, badge: Badge, description: &str) -> Self {
        let (name, description) = (sentence(name), sentence(description));
        Self {
            name_chars: Utf32String::from(name.as_str()),
            lower: description.to_lowercase(),
            key: name.clone(),
            badge,
            description,
            name,
            ..Self::default()
        }
    }

    /// A skill of the matrix.
    pub(crate) fn of(row: &MatrixSkill, agents: &[MatrixAgent]) -> Self {
        let skill = &row.skill;
        let ids = |loads: bool| -> Vec<String> {
            let pairs = agents.iter().zip(&row.agents);
            let is_meant = |cell: &skillful::views::MatrixCell| {
                if loads {
                    cell.loads()
                } else {
                    !cell.loads() && row.agents.iter().any(skillful::views::MatrixCell::loads)
                }
            };
            pairs.filter(|(_, cell)| is_meant(cell)).map(|(agent, _)| agent.id.clone()).collect()
        };
        let role = match skill.state.as_str() {
            "available" => Role::Plain,
            "invalid" => Role::Danger,
            "untrusted" | "pending" | "unavailable" => Role::Attention,
            _ => Role::Quiet,
        };
        let word = match skill.state.as_str() {
            state @ ("invalid" | "untrusted" | "pending") => state.to_uppercase(),
            state => state.to_owned(),
        };
        Self {
            state: skill.state.clone(),
            scope: skill.scope.clone(),
            source: row.source.as_deref().map(sentence).unwrap_or_default(),
            agents: ids(true),
            missing: ids(false),
            needs_attention: row.needs_attention(),
            is_pending: skill.state == "pending",
            is_here: row.is_here(),
            key: skill.path.text().into_owned(),
            ..Self::new(&skill.name, Badge { word, role }, skill.description.as_deref().unwrap_or("-"))
        }
    }

    /// The agents that load it: short names and how many more when columns are few.
    pub(crate) fn agents_text(&self, wide: bool, room: usize) -> String {
        if self.agents.is_empty() {
            return "-".to_owned();
        }
        let short =
            |id: &String| if wide { id.clone() } else { id.split('-').next().unwrap_or(id).to_owned() };
        let text = |shown: usize| {
            let mut words: Vec<String> = self.agents.iter().take(shown).map(short).collect();
            if self.agents.len() > shown {
                words.push(format!("+{}", self.agents.len() - shown));
            }
            words.join(" ")
        };
        // Names that do not fit are counted, not cut.
        let most = if wide { 3 } else { 2 };
        let fitting = (1..=most).rev().map(&text).find(|text| crate::text::columns(text) <= room);
        fitting.unwrap_or_else(|| text(1))
    }
}
