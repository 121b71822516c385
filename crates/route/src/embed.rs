//! The optional second opinion: vectors of skills and of the request.
//!
//! Vectors are made ahead of time by [`Embeddings::embed_missing`] and kept by the stamp of a skill and the
//! model's name. A skill without one is judged by its words alone. Similarity is one more feature of the
//! re-ranker, never a ranking of its own that is fused: fusing by rank loses 4 to 8 points (docs/routing.md).

mod chunks;
mod quantised;
mod vectors;

pub(crate) use chunks::cut;

use crate::{library, router::Router};
use quantised::Quantised;
use skillful_catalog::Catalog;
use std::{
    collections::HashMap,
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use vectors::Vectors;

/// Skills whose texts go into one call.
const BATCH: usize = 16;
/// Calls after which the vectors are written, so that a stopped run keeps most of its work.
const SAVE_EVERY: usize = 16;
/// Characters of a request that are embedded.
const REQUEST: usize = 4_000;

/// A model that turns texts into vectors.
pub trait Embed: Send + Sync {
    /// Names the model; vectors of different models are never mixed.
    fn id(&self) -> String;

    /// Whether vectors of the body are worth their cost; else name and description alone are embedded.
    fn wants_bodies(&self) -> bool;

    /// One vector per text, in their order, all of one length.
    fn embed(&self, texts: &[&str], timeout: Duration) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why there are no vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedError {
    /// In words, without secrets.
    pub message: String,
    /// Whether other texts would fail as well: nobody there, no time left, no right to ask.
    pub concerns_all: bool,
}

/// How far the vectors are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Skills that have one now and had none before.
    pub embedded: usize,
    /// Skills that still have none.
    pub left: usize,
    /// What went wrong, the first of each run.
    pub failed: Option<String>,
}

/// A model with the vectors it made.
pub struct Embeddings {
    model: Box<dyn Embed>,
    vectors: Mutex<Vectors>,
}

impl Embeddings {
    /// A model, with the vectors that the cache folder holds of it.
    pub fn new(model: Box<dyn Embed>, cache: Option<&Path>) -> Self {
        let vectors = Mutex::new(Vectors::open(cache, &model.id()));
        Self { model, vectors }
    }

    /// Names the model.
    pub fn id(&self) -> String {
        self.model.id()
    }

    /// Embeds skills that have no vector yet, at most so many and for so long. Call it in the background and
    /// again while something is left.
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
            // When a batch fails because of one text, the others need not.
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
        // Counted, because vectors that are no use are not kept.
        progress.left = self.left(router);
        progress.embedded = missing.len().saturating_sub(progress.left);
        progress
    }

    fn save(&self, router: &Router, progress: &mut Progress) {
        let wanted: Vec<u64> = router.stamps().map(|(_, stamp)| stamp).collect();
        if let Err(error) = self.lock().save(&wanted) {
            progress.failed.get_or_insert(format!("the vectors could not be kept: {error}"));
        }
    }

    fn embed_batch(&self, batch: &[(u64, Vec<String>)], left: Duration) -> Result<usize, EmbedError> {
        if left.is_zero() {
            return Err(EmbedError { message: "there was no time left".to_owned(), concerns_all: true });
        }
        let texts: Vec<&str> = batch.iter().flat_map(|(_, texts)| texts.iter().map(String::as_str)).collect();
        let vectors = self.model.embed(&texts, left)?;
        let mut rest = vectors.as_slice();
        let mut kept = self.lock();
        for (stamp, texts) in batch {
            let Some((own, more)) = rest.split_at_checked(texts.len()) else { break };
            rest = more;
            kept.add(*stamp, own);
        }
        Ok(batch.len())
    }

    /// The texts of a skill: what it says it is, then parts of its body.
    fn texts(&self, catalog: &Catalog, entry: usize) -> Option<Vec<String>> {
        let entry = catalog.entries.get(entry)?;
        let mut texts = vec![chunks::head(&entry.name, entry.description().unwrap_or_default())];
        if self.model.wants_bodies() {
            texts.extend(chunks::body(&library::body(entry).text));
        }
        Some(texts)
    }

    /// Entries without a vector, with their stamps.
    fn missing(&self, router: &Router) -> Vec<(usize, u64)> {
        let vectors = self.lock();
        router.stamps().filter(|(_, stamp)| !vectors.has(*stamp)).collect()
    }

    /// How many skills have no vector yet.
    pub fn left(&self, router: &Router) -> usize {
        self.missing(router).len()
    }

    /// The similarity of each entry that has a vector.
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
            message: "the vector of the request is empty".to_owned(),
            concerns_all: true,
        })?;
        let kept = self.lock();
        let similar = |(entry, stamp)| Some((entry, kept.similarity(stamp, &query)?));
        Ok(router.stamps().filter_map(similar).collect())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vectors> {
        self.vectors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
