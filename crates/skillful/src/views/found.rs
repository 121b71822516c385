//! Skills that a search finds.

use super::PathText;
use crate::{refusal, workspace::Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{Catalog, SkillState};
use skillful_route::{FoundSkill, WordPlace};

/// A skill that matches words.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FoundView {
    /// Its name with what qualifies it.
    pub address: String,
    /// Its file.
    pub path: PathText,
    /// What it does.
    pub description: Option<String>,
    /// How likely it is meant, from 0 to 1.
    pub probability: f32,
    /// The score that orders the results.
    pub score: f32,
    /// The words that match, the rarest first.
    pub why: Vec<MatchedWord>,
    /// Its state, when it is not available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The command that changes the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// A word of the request that a skill has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatchedWord {
    /// The word.
    pub word: String,
    /// Where the skill has it: `name`, `description`, `trigger`, `heading` or `body`.
    pub place: String,
}

impl FoundView {
    /// A result of the search index.
    pub fn of(catalog: &Catalog, found: &FoundSkill) -> Self {
        let entry = &catalog.entries[found.entry];
        Self {
            address: entry.address(),
            path: PathText::from(&entry.origin.file),
            description: entry.description().map(str::to_owned),
            probability: found.probability,
            score: found.score,
            why: found
                .why
                .iter()
                .map(|reason| MatchedWord {
                    word: reason.word.clone(),
                    place: match reason.place {
                        WordPlace::Name => "name",
                        WordPlace::Description => "description",
                        WordPlace::Trigger => "trigger",
                        WordPlace::Heading => "heading",
                        WordPlace::Body => "body",
                    }
                    .to_owned(),
                })
                .collect(),
            state: None,
            fix: None,
        }
    }

    /// The same for a user, who also learns the state of a skill that is not available.
    pub fn with_state(workspace: &Workspace, found: &FoundSkill) -> Self {
        let catalog = workspace.catalog();
        let state = workspace.state(found.entry);
        let view = Self::of(&catalog, found);
        if state == SkillState::Available {
            return view;
        }
        let fix = refusal::fix(&state, &catalog.entries[found.entry]);
        Self { state: Some(state.word().to_owned()), fix, ..view }
    }

    /// The first words that match, for a line of text.
    pub fn words(&self, most: usize) -> String {
        self.why.iter().take(most).map(|one| one.word.as_str()).collect::<Vec<_>>().join(", ")
    }
}
