//! Restricts a search to the skills that a user may use.

use std::fmt;

/// A set of allowed skills, made by [`Index::restrict`](super::Index::restrict) and valid until the index
/// changes.
///
/// Other skills are neither returned nor counted: the rarity of words, the number of skills and the
/// probability of the gate are computed from the allowed skills only, so that results reveal nothing about
/// the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// One bit for each position of the index.
    bits: Vec<u64>,
    skills: usize,
    /// The state of the index that the restriction was made for.
    state: u64,
}

/// The index changed after a restriction was made; make the restriction again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stale;

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the search index changed after its restriction was made; make the restriction again")
    }
}

impl std::error::Error for Stale {}

impl Restriction {
    pub(crate) fn of(places: impl Iterator<Item = bool>, state: u64) -> Self {
        let mut restriction = Self { bits: Vec::new(), skills: 0, state };
        for (place, allowed) in places.enumerate() {
            if place % 64 == 0 {
                restriction.bits.push(0);
            }
            if let Some(word) = restriction.bits.last_mut().filter(|_| allowed) {
                *word |= 1 << (place % 64);
                restriction.skills += 1;
            }
        }
        restriction
    }

    /// Number of allowed skills.
    pub fn len(&self) -> usize {
        self.skills
    }

    /// Whether no skill is allowed.
    pub fn is_empty(&self) -> bool {
        self.skills == 0
    }

    pub(crate) fn allows(&self, place: usize) -> bool {
        self.bits.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    pub(crate) fn check(&self, state: u64) -> Result<(), Stale> {
        if self.state == state { Ok(()) } else { Err(Stale) }
    }
}
