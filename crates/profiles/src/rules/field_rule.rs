//! What an agent accepts as a name and as a description.

use serde::{Deserialize, Serialize};

/// Which names an agent accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NameRule {
    /// The effect of a missing name.
    pub missing: Missing,
    /// How a name that consists of spaces counts.
    pub blank: BlankName,
    /// The YAML types that are accepted as a name.
    pub kinds: Kinds,
    /// Maximum length of a name; absent means no limit.
    pub max: Option<u32>,
    /// The characters that a name may contain.
    pub characters: Characters,
    /// Whether names that differ only in the case of letters are the same name.
    pub any_case: bool,
    /// Whether the name must be the folder's name.
    pub equals_folder: bool,
    /// How the agent changes a name.
    pub rewrite: Rewrite,
    /// What a skill is called by.
    pub identity: Identity,
    /// Names that the list shows only for a folder, never as the second name of a skill.
    pub reserved: Vec<String>,
}

impl Default for NameRule {
    fn default() -> Self {
        Self {
            missing: Missing::Accept,
            blank: BlankName::Missing,
            kinds: Kinds::Text,
            max: None,
            characters: Characters::Any,
            any_case: false,
            equals_folder: false,
            rewrite: Rewrite::None,
            identity: Identity::Frontmatter,
            reserved: Vec::new(),
        }
    }
}

/// What a skill is called by in an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Identity {
    /// The name in its frontmatter.
    Frontmatter,
    /// The name of its folder. The list shows the name in the frontmatter beside it, if that consists of letters,
    /// digits and `.`, `:`, `_`, `-`, and nothing before it has that name.
    Folder,
}

/// The effect of a missing field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// The skill loads; a missing name falls back to the folder's name.
    Accept,
    /// The skill is refused.
    Refuse,
    /// The skill loads and is not listed to the model.
    Unlisted,
}

/// How a name that consists only of spaces counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlankName {
    /// As a missing name.
    Missing,
    /// As an ordinary name.
    Name,
}

/// The YAML types that an agent accepts for a text field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kinds {
    /// Text only; a number or boolean without quotes is refused.
    Text,
    /// Any single value, taken as written.
    Scalars,
}

/// The characters that a name may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Characters {
    /// Any character.
    Any,
    /// No slash.
    NoSlash,
    /// `a-z`, `0-9` and inner hyphens.
    Slug,
    /// Letters and digits of any script, `_`, `:`, `.` and `-`.
    Word,
    /// A letter or digit of ASCII first, then such and `-`, `_`, `.` and `:`.
    AsciiWord,
}

/// How an agent changes a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rewrite {
    /// Not at all.
    None,
    /// Several spaces in a row become one.
    OneLine,
    /// Spaces around it are removed.
    Trim,
    /// Each of `: \ / < > * ? " |` becomes a hyphen.
    PathSafe,
    /// Spaces around it are removed, and spaces in a row become a hyphen.
    Hyphens,
}

/// Which descriptions an agent accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DescriptionRule {
    /// The effect of a missing description.
    pub missing: Missing,
    /// The effect of an empty description.
    pub empty: Missing,
    /// Whether a description that consists of spaces counts as one.
    pub blank: bool,
    /// What the agent shows instead of a missing description.
    pub fallback: DescriptionFallback,
    /// Maximum length of that text in characters, with three dots at the end of a single line; absent means no limit.
    pub fallback_max: Option<u32>,
    /// What the agent shows when the body is empty, too.
    pub fallback_empty: Option<String>,
    /// The same for a command file.
    pub fallback_command: Option<String>,
    /// The YAML types that are accepted as a description.
    pub kinds: Kinds,
    /// Maximum length of a description that loads; absent means no limit.
    pub max: Option<u32>,
    /// Whether several spaces and line ends in a row become one space.
    pub one_line: bool,
    /// Whether spaces and line ends around the text are removed.
    pub trim: bool,
}

impl Default for DescriptionRule {
    fn default() -> Self {
        Self {
            missing: Missing::Accept,
            empty: Missing::Accept,
            blank: false,
            fallback: DescriptionFallback::Nothing,
            fallback_max: None,
            fallback_empty: None,
            fallback_command: None,
            kinds: Kinds::Text,
            max: None,
            one_line: false,
            trim: false,
        }
    }
}

/// What an agent shows instead of a missing description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DescriptionFallback {
    /// Nothing.
    Nothing,
    /// The first line of the body that is not blank, without the mark of a heading.
    FirstLine,
    /// The first three lines of the body that are neither blank nor a heading, joined by spaces, and cut without dots.
    FirstLines,
}
