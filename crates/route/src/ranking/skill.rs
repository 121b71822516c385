//! What the index reads of a skill.

/// The text of one skill, borrowed from wherever it lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skill<'a> {
    /// Names the skill within the library; unique.
    pub id: &'a str,
    /// The handle.
    pub name: &'a str,
    /// What it does and when to use it.
    pub description: &'a str,
    /// A richer hint about when to use it; empty when absent.
    pub when_to_use: &'a str,
    /// Words that describe when it applies.
    pub triggers: &'a [String],
    /// The instructions, without the header.
    pub body: &'a str,
}
