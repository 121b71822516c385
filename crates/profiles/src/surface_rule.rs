//! How an agent shows skills to its model and lets it use them.

use serde::{Deserialize, Serialize};

/// What `allowed-tools` means to an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolListMode {
    /// It has no effect.
    #[default]
    Ignored,
    /// Nothing else may be used.
    Restrict,
    /// These need no question.
    Preapprove,
}

/// How arguments are put into a skill's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArgumentRule {
    /// The first position of `$N`; absent means that positions are not replaced.
    pub first: Option<u32>,
    /// What a position without an argument becomes.
    pub missing: MissingArgument,
    /// Whether `$ARGUMENTS` is replaced.
    pub all: bool,
    /// Whether `arguments:` names may be used as `$name`.
    pub named: bool,
    /// Whether the highest position that a text uses takes all words from there on.
    pub rest: bool,
}

/// What a position without an argument becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingArgument {
    /// It stays as written.
    #[default]
    Literal,
    /// Nothing.
    Empty,
}

/// What an agent asks of a skill that is made for it, beyond what it loads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CreateRule {
    /// Longest name, in characters.
    pub name: Option<usize>,
    /// Longest description, in characters.
    pub description: Option<usize>,
}

/// How the catalogue reaches the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CatalogueRule {
    /// Its form.
    pub style: CatalogueStyle,
    /// Share of the context window, in thousandths.
    pub window_permille: Option<u32>,
    /// Fixed number of characters.
    pub characters: Option<u32>,
    /// Longest description shown.
    pub description: Option<u32>,
}

/// The form of a catalogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CatalogueStyle {
    /// `<available_skills>` as the reference library prints it.
    #[default]
    Xml,
    /// One Markdown line per skill.
    Menu,
    /// One line with a when-to-use hint.
    Preamble,
    /// Codex's developer message.
    Codex,
    /// Claude Code's listing.
    Claude,
    /// JSON.
    Json,
}
