//! Skills the asker may use: the rest is as if it were not in the library.

use std::fmt;

/// A choice of skills, made by [`Index::restrict`](super::Index::restrict) and good until the index changes.
///
/// What is left out is neither returned nor counted: rarity of words, size of the library and the gate's
/// probability are those of the skills that are left, so that nothing about the others shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// A bit for each place of the index.
    bits: Vec<u64>,
    skills: usize,
    /// The state of the index that it was made for.
    state: u64,
}

/// The index changed after a restriction was made; make it again.
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

    /// Number of skills that are left.
    pub fn len(&self) -> usize {
        self.skills
    }

    /// Whether no skill is left.
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
