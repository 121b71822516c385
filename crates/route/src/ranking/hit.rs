//! What search and routing answer.

/// One skill found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Names the skill within the library.
    pub id: String,
    /// Its handle.
    pub name: String,
    /// The re-ranker's score; only its order means anything.
    pub score: f32,
    /// How likely it is that the request is served, and by this skill.
    pub probability: f32,
    /// Words of the request that were found, rarest first.
    pub why: Vec<Reason>,
}

/// A word of the request and where the skill has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The word as said, in small letters.
    pub word: String,
    /// The best place it was found.
    pub place: Place,
}

/// A part of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The name.
    Name,
    /// The description or `when_to_use`.
    Description,
    /// A trigger, or a section that says when to use it.
    Trigger,
    /// A heading of the body.
    Heading,
    /// The body.
    Body,
}

/// What to do about a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Route {
    /// No skill; the catalogue still stands.
    None,
    /// Offer these, or let a model choose among them.
    Suggest(Vec<Hit>),
    /// Sure enough to do without a model.
    Activate(Hit),
}

/// When to suggest and when to act; the defaults are measured in docs/routing.md.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Skills to suggest at most.
    pub top_k: usize,
    /// A request that is less likely to be served by any skill gets none.
    pub min_served: f32,
    /// A best skill at least this likely is taken without asking.
    pub skip_threshold: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { top_k: 5, min_served: MIN_SERVED, skip_threshold: SKIP_THRESHOLD }
    }
}

/// Keeps 95 % of the requests that some skill serves.
pub const MIN_SERVED: f32 = 0.45;
/// golemcore's threshold, on a calibrated probability instead of a cosine.
pub const SKIP_THRESHOLD: f32 = 0.95;
