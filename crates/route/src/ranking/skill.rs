//! The parts of a skill that the index reads.

/// The text of one skill, borrowed from its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skill<'a> {
    /// Identifies the skill within the index; unique.
    pub id: &'a str,
    /// The skill's name.
    pub name: &'a str,
    /// What it does and when to use it.
    pub description: &'a str,
    /// A longer hint about when to use it; empty when absent.
    pub when_to_use: &'a str,
    /// Words that describe when it applies.
    pub triggers: &'a [String],
    /// The instructions, without the frontmatter.
    pub body: &'a str,
}
