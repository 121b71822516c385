//! What other stages know, handed to a search.

use super::restrict::Restriction;

/// What a search takes into account besides the words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extra<'a> {
    /// Skills the asker may use; all when absent.
    pub within: Option<&'a Restriction>,
    /// What another stage found: ids with a similarity from 0 to 1, such as a cosine. They join the
    /// candidates, the similarity is one more feature of the re-ranker, and the largest one moves the gate.
    /// A candidate that is not among them counts as the least similar of them.
    pub similar: &'a [(&'a str, f32)],
    /// What a similarity of 1 adds to a score; [`SIMILARITY`] when absent.
    pub weight: Option<f32>,
}

/// What a similarity of 1 adds to a score, fitted with the cosines of `MiniLM` over name and description.
/// A model whose cosines lie closer together wants a larger one.
pub const SIMILARITY: f32 = 6.0;
/// Similar skills that are looked at.
pub const SIMILAR_LIMIT: usize = 150;

impl Extra<'_> {
    /// The similarities that are numbers, at most [`SIMILAR_LIMIT`] of them.
    pub(crate) fn similarities(&self) -> impl Iterator<Item = (&str, f32)> {
        let sound = self.similar.iter().filter(|(_, similarity)| similarity.is_finite());
        sound.take(SIMILAR_LIMIT).map(|&(id, similarity)| (id, similarity.clamp(0.0, 1.0)))
    }

    /// What stands in for a similarity that was not given.
    pub(crate) fn least(&self) -> f32 {
        self.similarities().map(|(_, similarity)| similarity).reduce(f32::min).unwrap_or(0.0)
    }

    /// The weight, kept within reason.
    pub(crate) fn weight(&self) -> f32 {
        self.weight.filter(|weight| weight.is_finite()).unwrap_or(SIMILARITY).clamp(0.0, 1000.0)
    }
}
