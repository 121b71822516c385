//! What the user allows the proxy to do.

use std::collections::{BTreeMap, BTreeSet};

/// What the user allows while a proxy serves.
#[derive(Clone, Debug, Default)]
pub struct ProxyPolicy {
    /// Skills whose programs may be run: `None` allows all that the gate lets through, the empty set none.
    pub skills: Option<BTreeSet<String>>,
    /// Skills that this turn selected.
    pub selected: BTreeSet<String>,
    /// Variables that may be looked up: `None` allows all of [`Self::readable`], the empty set none.
    pub lookups: Option<BTreeSet<String>>,
    /// Variables, as skill and name, that a skill may read itself, and the model through it.
    pub readable: BTreeSet<(String, String)>,
    /// Names that no program gets, besides [`BLOCKED`](super::BLOCKED).
    pub blocked: BTreeSet<String>,
    /// Variables that every program gets.
    pub base: BTreeMap<String, String>,
}
