//! What an agent takes for a name and for a description.

use serde::{Deserialize, Serialize};

/// What a name may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NameRule {
    /// What a missing name does.
    pub missing: Missing,
    /// What a blank name is.
    pub blank: BlankName,
    /// Which YAML values count as a name.
    pub kinds: Kinds,
    /// Longest name; absent means no limit.
    pub max: Option<u32>,
    /// Which characters it may have.
    pub characters: Characters,
    /// Whether it must be the folder's name.
    pub equals_folder: bool,
    /// How the agent rewrites it.
    pub rewrite: Rewrite,
}

impl Default for NameRule {
    fn default() -> Self {
        Self {
            missing: Missing::Accept,
            blank: BlankName::Missing,
            kinds: Kinds::Text,
            max: None,
            characters: Characters::Any,
            equals_folder: false,
            rewrite: Rewrite::None,
        }
    }
}

/// What a missing field does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// The skill loads all the same; a name falls back to the folder's.
    Accept,
    /// The skill is refused.
    Refuse,
    /// The skill loads and is not listed to the model.
    Unlisted,
}

/// What a name of nothing but blanks is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlankName {
    /// As if there were none.
    Missing,
    /// A name like any other.
    Name,
}

/// Which YAML values an agent takes for a text field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kinds {
    /// Text only; a bare number or boolean is refused.
    Text,
    /// Any single value, read as it is written.
    Scalars,
}

/// Which characters a name may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Characters {
    /// Anything.
    Any,
    /// No slash.
    NoSlash,
    /// `a-z`, `0-9` and inner hyphens.
    Slug,
}

/// How an agent rewrites a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rewrite {
    /// Not at all.
    None,
    /// Runs of blanks become one.
    OneLine,
    /// Each of `: \ / < > * ? " |` becomes a hyphen.
    PathSafe,
}

/// What a description may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DescriptionRule {
    /// What a missing description does.
    pub missing: Missing,
    /// What an empty one does.
    pub empty: Missing,
    /// What is shown in place of a missing one.
    pub stand_in: StandIn,
    /// Which YAML values count.
    pub kinds: Kinds,
    /// Longest description that loads; absent means no limit.
    pub max: Option<u32>,
    /// Whether runs of blanks and line ends become one blank.
    pub one_line: bool,
}

impl Default for DescriptionRule {
    fn default() -> Self {
        Self {
            missing: Missing::Accept,
            empty: Missing::Accept,
            stand_in: StandIn::Nothing,
            kinds: Kinds::Text,
            max: None,
            one_line: false,
        }
    }
}

/// What is shown in place of a missing description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StandIn {
    /// Nothing.
    Nothing,
    /// The first line of the body that is not blank.
    FirstLine,
}
