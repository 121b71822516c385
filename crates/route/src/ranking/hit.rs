//! Results of searching and routing.

/// One skill that a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Identifies the skill within the index.
    pub id: String,
    /// The skill's name.
    pub name: String,
    /// The re-ranker's score. Scores are comparable only within one search.
    pub score: f32,
    /// Probability that the request is served, and by this skill.
    pub probability: f32,
    /// Words of the request that the skill contains, rarest first.
    pub why: Vec<Reason>,
}

/// A word of the request and where the skill contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The word as it was written in the request, in lower case.
    pub word: String,
    /// The most important part that contains it.
    pub place: WordPlace,
}

/// A part of a skill in which a word was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WordPlace {
    /// The name.
    Name,
    /// The description or `when_to_use`.
    Description,
    /// A trigger, or a section that says when to use the skill.
    Trigger,
    /// A heading of the body.
    Heading,
    /// The body.
    Body,
}

/// What to do about a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Route {
    /// No skill. The menu is not affected.
    None,
    /// Suggest these skills, or let a model choose among them.
    Suggest(Vec<Hit>),
    /// Activate this skill without asking a model.
    Activate(Hit),
}

/// When to suggest and when to activate; docs/routing.md has the measurements behind the defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Largest number of suggested skills.
    pub top_k: usize,
    /// A request gets no skill when the probability that any skill serves it is below this.
    pub min_served: f32,
    /// The best skill is activated without asking a model when its probability is at least this.
    pub skip_threshold: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { top_k: 5, min_served: MIN_SERVED, skip_threshold: SKIP_THRESHOLD }
    }
}

/// Keeps 95 % of the requests that some skill serves.
pub const MIN_SERVED: f32 = 0.45;
/// The threshold of golemcore, applied to a calibrated probability instead of a cosine.
pub const SKIP_THRESHOLD: f32 = 0.95;
