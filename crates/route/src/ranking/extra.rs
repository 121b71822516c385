//! Input from other stages for a search.

use super::restrict::Restriction;

/// What a search takes into account besides the words of the request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extra<'a> {
    /// Skills that the user may use; all when absent.
    pub within: Option<&'a Restriction>,
    /// Similarities from 0 to 1 that another stage computed, such as cosines, by id. These skills join the
    /// candidates, the similarity is one more feature of the re-ranker, and the largest one influences the
    /// gate. A candidate without a similarity gets the smallest of these.
    pub similar: &'a [(&'a str, f32)],
    /// What a similarity of 1 adds to a score; [`SIMILARITY`] when absent.
    pub weight: Option<f32>,
}

/// What a similarity of 1 adds to a score, fitted with the cosines of `MiniLM` over name and description. A
/// model whose cosines lie closer together needs a larger value.
pub const SIMILARITY: f32 = 6.0;
/// Largest number of similar skills that are considered.
pub const SIMILAR_LIMIT: usize = 150;

impl Extra<'_> {
    /// The similarities that are finite numbers, at most [`SIMILAR_LIMIT`] of them.
    pub(crate) fn similarities(&self) -> impl Iterator<Item = (&str, f32)> {
        let sound = self.similar.iter().filter(|(_, similarity)| similarity.is_finite());
        sound.take(SIMILAR_LIMIT).map(|&(id, similarity)| (id, similarity.clamp(0.0, 1.0)))
    }

    /// The value for a candidate without a similarity.
    pub(crate) fn least(&self) -> f32 {
        self.similarities().map(|(_, similarity)| similarity).reduce(f32::min).unwrap_or(0.0)
    }

    /// The weight, limited to a sensible range.
    pub(crate) fn weight(&self) -> f32 {
        self.weight.filter(|weight| weight.is_finite()).unwrap_or(SIMILARITY).clamp(0.0, 1000.0)
    }
}
