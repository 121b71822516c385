//! How an agent presents skills to its model and lets it use them.

use serde::{Deserialize, Serialize};

/// The meaning of `allowed-tools` in an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolListMode {
    /// It has no effect.
    #[default]
    Ignored,
    /// The skill may use only these tools.
    Restrict,
    /// The skill may use these tools without a confirmation.
    Preapprove,
}

/// How an agent inserts arguments into a skill's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArgumentRule {
    /// The first position of `$N`; absent means that positions are not replaced.
    pub first: Option<u32>,
    /// The replacement of a position without an argument.
    pub missing: MissingArgument,
    /// Whether `$ARGUMENTS` is replaced.
    pub all: bool,
    /// Whether the names in `arguments:` may be used as `$name`.
    pub named: bool,
    /// Whether the highest position in a text takes all remaining words.
    pub rest: bool,
}

/// The replacement of a position without an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingArgument {
    /// The text as written.
    #[default]
    Literal,
    /// An empty text.
    Empty,
}

/// Stricter limits for new skills made for an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CreateRule {
    /// Maximum length of a name, in characters.
    pub name: Option<usize>,
    /// Maximum length of a description, in characters.
    pub description: Option<usize>,
}

/// The form and size of an agent's menu.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MenuRule {
    /// The form.
    pub style: MenuStyle,
    /// Maximum share of the context window, in thousandths.
    pub window_permille: Option<u32>,
    /// Maximum number of characters.
    pub characters: Option<u32>,
    /// The variable that sets the maximum number of characters, whatever the window; a number above zero counts.
    pub characters_variable: Option<String>,
    /// Maximum length of a description, in characters.
    pub description: Option<u32>,
}

/// The form of a menu.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MenuStyle {
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
