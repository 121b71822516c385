//! Which of a request's terms each candidate may have: read from the postings, so that the records are not searched
//! for what is not there.

use super::{base::Base, query::Query};

/// Postings for each candidate beyond which it costs less to search the records.
const WALK: usize = 16;

/// Terms of a request, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Present(u64);

impl Present {
    /// Any term may be there.
    pub(crate) const ANY: Self = Self(u64::MAX);
    const NONE: Self = Self(0);

    fn add(&mut self, term: usize) {
        self.0 |= Self::bit(term).unwrap_or(0);
    }

    /// Whether a term may be there; always so for the terms that do not fit.
    pub(crate) fn may_have(self, term: usize) -> bool {
        Self::bit(term).is_none_or(|bit| self.0 & bit != 0)
    }

    fn bit(term: usize) -> Option<u64> {
        u32::try_from(term).ok().and_then(|term| 1_u64.checked_shl(term))
    }
}

/// What each of the skills at `places` may have of a request; of those outside the base nothing is known.
pub(crate) fn present(base: &Base, query: &Query, places: &[usize]) -> Vec<Present> {
    let inside = |place: usize| if place < base.skills { Present::NONE } else { Present::ANY };
    let mut all: Vec<Present> = places.iter().map(|&place| inside(place)).collect();
    // The number of the candidate at a place, from one.
    let mut numbers = vec![0_u8; base.skills];
    for (number, &place) in (1..=u8::MAX).zip(places) {
        if let Some(slot) = numbers.get_mut(place) {
            *slot = number;
        }
    }
    let few = u8::try_from(places.len()).is_ok();
    for (at, term) in query.terms.iter().enumerate().filter(|(_, term)| term.count > 0) {
        let Some(postings) = base.postings(term.key) else { continue };
        if let Some(dense) = postings.dense() {
            for (present, place) in all.iter_mut().zip(places) {
                if dense.get(*place).is_some_and(|impact| *impact > 0) {
                    present.add(at);
                }
            }
        } else if few && postings.count <= places.len() * WALK {
            postings.each(|skill, _| {
                let number = numbers.get(skill).copied().map_or(0, usize::from);
                if let Some(present) = number.checked_sub(1).and_then(|number| all.get_mut(number)) {
                    present.add(at);
                }
            });
        } else {
            for present in &mut all {
                present.add(at);
            }
        }
    }
    all
}
