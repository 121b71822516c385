//! Embedding vectors of skills and requests, an optional second source of evidence.
//!
//! [`Embeddings::embed_missing`] computes vectors ahead of time and stores them by the stamp of the skill and
//! the id of the model. A skill without a vector is ranked by its words alone. Similarity is one more feature
//! of the re-ranker, not a separate ranking to be fused with the first: fusing by rank costs 4 to 8 points of
//! accuracy (docs/routing.md).

mod chunks;
mod quantised;
mod vectors;

pub(crate) use chunks::cut;

use crate::{indexed_skills, router::Router};
use quantised::Quantised;
use skillful_catalog::Catalog;
use std::{
    collections::HashMap,
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use vectors::Vectors;

/// Number of skills whose texts go into one call.
const BATCH: usize = 16;
/// Vectors are written to disk after this many calls, so that an interrupted run keeps most of its work.
const SAVE_EVERY: usize = 16;
/// Characters of a request that are embedded.
const REQUEST: usize = 4_000;

/// A model that turns texts into vectors.
pub trait Embed: Send + Sync {
    /// Identifies the model; vectors of different models are never mixed.
    fn id(&self) -> String;

    /// Whether the body of a skill is embedded too. If not, only name and description are.
    fn wants_bodies(&self) -> bool;

    /// Returns one vector per text, in the same order, all of the same length.
    fn embed(&self, texts: &[&str], timeout: Duration) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why a model returned no vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedError {
    /// The reason, without secrets.
    pub message: String,
    /// Whether other texts would fail too: the server is unreachable, the time is up, or the key was refused.
    pub concerns_all: bool,
}

/// Result of one run of [`Embeddings::embed_missing`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of skills that got a vector in this run.
    pub embedded: usize,
    /// Number of skills that still have no vector.
    pub left: usize,
    /// The first error of this run.
    pub failed: Option<String>,
}

/// A model and the vectors it computed.
pub struct Embeddings {
    model: Box<dyn Embed>,
    vectors: Mutex<Vectors>,
}

impl Embeddings {
    /// Loads the vectors of this model that the cache folder holds.
    pub fn new(model: Box<dyn Embed>, cache: Option<&Path>) -> Self {
        let vectors = Mutex::new(Vectors::open(cache, &model.id()));
        Self { model, vectors }
    }

    /// Identifies the model.
    pub fn id(&self) -> String {
        self.model.id()
    }

    /// Embeds up to `most` skills that have no vector yet, for at most `time`. Call it in the background, and
    /// again while [`Progress::left`] is above zero.
    pub fn embed_missing(&self, router: &Router, catalog: &Catalog, most: usize, time: Duration) -> Progress {
        let start = Instant::now();
        let missing = self.missing(router);
        let mut progress = Progress { left: missing.len(), ..Progress::default() };
        for (at, batch) in
            missing.get(..most.min(missing.len())).unwrap_or_default().chunks(BATCH).enumerate()
        {
            let texts: Vec<(u64, Vec<String>)> = batch
                .iter()
                .filter_map(|(entry, stamp)| Some((*stamp, self.texts(catalog, *entry)?)))
                .collect();
            // One bad text fails a whole batch, so the texts of a failed batch are tried one by one.
            let singles = || texts.chunks(1);
            let outcome = match self.embed_batch(&texts, time.saturating_sub(start.elapsed())) {
                Err(error) if !error.concerns_all && texts.len() > 1 => {
                    let mut first = error;
                    for single in singles() {
                        match self.embed_batch(single, time.saturating_sub(start.elapsed())) {
                            Ok(count) => progress.embedded += count,
                            Err(error) if error.concerns_all => {
                                first = error;
                                break;
                            }
                            Err(_) => {}
                        }
                    }
                    Err(first)
                }
                outcome => outcome,
            };
            match outcome {
                Ok(count) => progress.embedded += count,
                Err(error) => {
                    let stop = error.concerns_all;
                    progress.failed.get_or_insert(error.message);
                    if stop {
                        break;
                    }
                }
            }
            if at % SAVE_EVERY == SAVE_EVERY - 1 {
                self.save(router, &mut progress);
            }
        }
        if progress.embedded > 0 {
            self.save(router, &mut progress);
        }
        // Counted again, because unusable vectors are not stored.
        progress.left = self.left(router);
        progress.embedded = missing.len().saturating_sub(progress.left);
        progress
    }

    fn save(&self, router: &Router, progress: &mut Progress) {
        let wanted: Vec<u64> = router.stamps().map(|(_, stamp)| stamp).collect();
        if let Err(error) = self.lock().save(&wanted) {
            progress.failed.get_or_insert(format!("the vectors could not be written: {error}"));
        }
    }

    fn embed_batch(&self, batch: &[(u64, Vec<String>)], left: Duration) -> Result<usize, EmbedError> {
        if left.is_zero() {
            return Err(EmbedError {
                message: "the time limit was reached before the model was called".to_owned(),
                concerns_all: true,
            });
        }
        let texts: Vec<&str> = batch.iter().flat_map(|(_, texts)| texts.iter().map(String::as_str)).collect();
        let vectors = self.model.embed(&texts, left)?;
        let mut rest = vectors.as_slice();
        let mut stored = self.lock();
        for (stamp, texts) in batch {
            let Some((own, more)) = rest.split_at_checked(texts.len()) else { break };
            rest = more;
            stored.add(*stamp, own);
        }
        Ok(batch.len())
    }

    /// The texts to embed for a skill: name and description first, then parts of the body.
    fn texts(&self, catalog: &Catalog, entry: usize) -> Option<Vec<String>> {
        let entry = catalog.entries.get(entry)?;
        let mut texts = vec![chunks::head(&entry.name, entry.description().unwrap_or_default())];
        if self.model.wants_bodies() {
            texts.extend(chunks::body(&indexed_skills::body(entry).text()));
        }
        Some(texts)
    }

    /// Entries without a vector, with their stamps.
    fn missing(&self, router: &Router) -> Vec<(usize, u64)> {
        let vectors = self.lock();
        router.stamps().filter(|(_, stamp)| !vectors.has(*stamp)).collect()
    }

    /// Number of skills that have no vector yet.
    pub fn left(&self, router: &Router) -> usize {
        self.missing(router).len()
    }

    /// The similarity to `text` of each entry that has a vector.
    pub(crate) fn similarities(
        &self,
        router: &Router,
        text: &str,
        timeout: Duration,
    ) -> Result<HashMap<usize, f32>, EmbedError> {
        if self.lock().is_empty() {
            return Ok(HashMap::new());
        }
        let vectors = self.model.embed(&[&cut(text, REQUEST)], timeout)?;
        let query = vectors.first().and_then(|vector| Quantised::of(vector)).ok_or_else(|| EmbedError {
            message: "the model returned no usable vector for the request".to_owned(),
            concerns_all: true,
        })?;
        let stored = self.lock();
        let similar = |(entry, stamp)| Some((entry, stored.similarity(stamp, &query)?));
        Ok(router.stamps().filter_map(similar).collect())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vectors> {
        self.vectors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
