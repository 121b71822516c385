//! Which terms of a request each candidate may contain. Read from the postings, so that records are not
//! searched for terms they do not contain.

use super::{base::Base, query::Query};

/// With more postings per candidate than this, searching the records is cheaper.
const WALK: usize = 16;

/// A set of terms of a request, by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Present(u64);

impl Present {
    /// Any term may be present.
    pub(crate) const ANY: Self = Self(u64::MAX);
    const NONE: Self = Self(0);

    fn add(&mut self, term: usize) {
        self.0 |= Self::bit(term).unwrap_or(0);
    }

    /// Whether a term may be present; always true for terms beyond the size of the set.
    pub(crate) fn may_have(self, term: usize) -> bool {
        Self::bit(term).is_none_or(|bit| self.0 & bit != 0)
    }

    fn bit(term: usize) -> Option<u64> {
        u32::try_from(term).ok().and_then(|term| 1_u64.checked_shl(term))
    }
}

/// The terms that each of the skills at `places` may contain. For skills outside the base, any term may be
/// present.
pub(crate) fn present(base: &Base, query: &Query, places: &[usize]) -> Vec<Present> {
    let inside = |place: usize| if place < base.skills { Present::NONE } else { Present::ANY };
    let mut all: Vec<Present> = places.iter().map(|&place| inside(place)).collect();
    // The number of the candidate at a position, counted from one; 0 for none.
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
