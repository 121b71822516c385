//! The form of a field's value, as far as an editor can offer or explain it.

/// The form of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// Free text.
    Text,
    /// Free text with at most this many characters in the specification.
    Limited(usize),
    /// `true` or `false`.
    Flag,
    /// One of these words. With `open`, other texts are valid, too.
    Word {
        /// The words with their meanings.
        words: &'static [FieldWord],
        /// Whether other texts are valid.
        open: bool,
    },
    /// A list of texts.
    List,
    /// A list of file patterns.
    Globs,
    /// A list of tools: `Name` or `Name(pattern)`.
    Tools,
    /// The name of one skill.
    Skill,
    /// A list of names of skills.
    Skills,
    /// A mapping with these keys.
    Parts(&'static [FieldPart]),
    /// A mapping from names that the author chooses to mappings with these keys.
    Named(&'static [FieldPart]),
    /// A list of mappings with these keys.
    Items(&'static [FieldPart]),
    /// A mapping from labels that the author chooses to names of skills.
    SkillsByLabel,
    /// A mapping whose keys the author chooses.
    Free,
}

/// A word that a field accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldWord {
    /// As written in the frontmatter.
    pub word: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// A key inside the value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldPart {
    /// The key.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// The form of its value.
    pub value: FieldValue,
}

impl FieldValue {
    /// The form in words.
    pub fn words(&self) -> &'static str {
        match self {
            Self::Text | Self::Limited(_) => "text",
            Self::Flag => "`true` or `false`",
            Self::Word { open: false, .. } => "one of a few words",
            Self::Word { open: true, .. } => "a word or a text",
            Self::List => "a list, or one text separated by commas",
            Self::Globs => "a list of file patterns, or one text separated by commas",
            Self::Tools => "one text of tools separated by spaces, or a list",
            Self::Skill => "the name of a skill",
            Self::Skills => "a list of skills",
            Self::Parts(_) | Self::Free => "a mapping",
            Self::Named(_) => "a mapping of names to mappings",
            Self::Items(_) => "a list of mappings",
            Self::SkillsByLabel => "a mapping of labels to skills",
        }
    }

    /// The keys inside the value, when they are known.
    pub fn parts(&self) -> &'static [FieldPart] {
        match self {
            Self::Parts(parts) | Self::Named(parts) | Self::Items(parts) => parts,
            _ => &[],
        }
    }
}
