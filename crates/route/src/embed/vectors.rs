//! The vectors of one model, in memory and in one file of the cache folder.

use super::quantised::Quantised;
use crate::{
    cache_file::{self, CacheFile},
    hash::hash,
};
use std::{
    collections::{HashMap, HashSet},
    io,
    path::{Path, PathBuf},
};

/// Raise the number with every change of the format or of the texts that are embedded. It is not a hash of
/// the sources, as in other cache files, because computing vectors again can cost money.
const MARK: &[u8] = b"skillful vectors 1\n";
/// A larger file is not read.
const LIMIT: u64 = 4 << 30;
/// Number of models whose vectors are kept, the last used ones.
const MODELS: usize = 4;
const PREFIX: &str = "vectors-";
const ENDING: &str = ".vec";
/// Number of vectors kept for skills that the current catalog does not have: those of other projects and of
/// earlier versions.
const MOST_OTHERS: usize = 20_000;
/// Largest length of a vector, and largest number of vectors of one skill.
const DIMENSIONS: usize = 16_384;
const VECTORS: usize = 16;
/// Length in bytes of the stamp and the number of vectors before the vectors of each skill.
const ENTRY: usize = 8 + 4;
/// Length in bytes of the scale before each vector.
const SCALE: usize = 4;

/// Vectors by the stamp of their skill.
pub(crate) struct Vectors {
    file: Option<PathBuf>,
    dimensions: usize,
    base: Option<CacheFile>,
    fresh: Vec<u8>,
    places: HashMap<u64, VectorRange>,
}

/// Where the vectors of a skill are stored.
#[derive(Clone, Copy)]
struct VectorRange {
    is_fresh: bool,
    start: usize,
    count: usize,
}

impl Vectors {
    /// Loads the vectors of a model from the cache folder. An unusable file counts as missing.
    pub(crate) fn open(cache: Option<&Path>, model: &str) -> Self {
        let file =
            cache.map(|folder| folder.join(format!("{PREFIX}{:016x}{ENDING}", hash([model.as_bytes()]))));
        let base = file.as_deref().and_then(|file| CacheFile::open(file, MARK, 0, LIMIT).ok().flatten());
        let mut vectors = Self { file, dimensions: 0, base, fresh: Vec::new(), places: HashMap::new() };
        vectors.find_places();
        vectors
    }

    fn find_places(&mut self) {
        let bytes = self.base.as_ref().map(AsRef::as_ref).unwrap_or_default();
        let Some(dimensions) = number(bytes, 0).filter(|dimensions| *dimensions <= DIMENSIONS) else {
            return;
        };
        self.dimensions = dimensions;
        let mut at = 4;
        while let (Some(stamp), Some(count)) = (long(bytes, at), number(bytes, at + 8)) {
            let end = at + ENTRY + count.min(VECTORS) * (SCALE + dimensions);
            if count == 0 || count > VECTORS || end > bytes.len() {
                return;
            }
            self.places.insert(stamp, VectorRange { is_fresh: false, start: at + ENTRY, count });
            at = end;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(crate) fn has(&self, stamp: u64) -> bool {
        self.places.contains_key(&stamp)
    }

    /// Stores the vectors of a skill; the first is that of name and description. When the length differs from
    /// that of the stored vectors, the server uses another model under the same name, so all stored vectors
    /// are discarded.
    pub(crate) fn add(&mut self, stamp: u64, vectors: &[Vec<f32>]) {
        let quantised: Vec<Quantised> =
            vectors.iter().take(VECTORS).filter_map(|vector| Quantised::of(vector)).collect();
        let dimensions = vectors.first().map_or(0, Vec::len);
        let is_sound = !quantised.is_empty()
            && quantised.len() == vectors.len().min(VECTORS)
            && dimensions <= DIMENSIONS
            && quantised.iter().all(|vector| vector.numbers.len() == dimensions);
        if !is_sound {
            return;
        }
        if dimensions != self.dimensions {
            self.places.clear();
            self.fresh.clear();
            self.base = None;
            self.dimensions = dimensions;
        }
        let start = self.fresh.len();
        for vector in &quantised {
            self.fresh.extend_from_slice(&vector.scale.to_le_bytes());
            self.fresh.extend(vector.numbers.iter().map(|number| number.cast_unsigned()));
        }
        self.places.insert(stamp, VectorRange { is_fresh: true, start, count: quantised.len() });
    }

    fn bytes(&self, place: VectorRange) -> &[u8] {
        let base = || self.base.as_ref().map(AsRef::as_ref).unwrap_or_default();
        let all = if place.is_fresh { self.fresh.as_slice() } else { base() };
        let end = place.start + place.count * (SCALE + self.dimensions);
        all.get(place.start..end).unwrap_or_default()
    }

    /// The mean of the similarities of name and description and of the best part of the body.
    pub(crate) fn similarity(&self, stamp: u64, query: &Quantised) -> Option<f32> {
        if query.numbers.len() != self.dimensions {
            return None;
        }
        let mut vectors = self.bytes(*self.places.get(&stamp)?).chunks_exact(SCALE + self.dimensions);
        let mut cosine = || {
            let (scale, numbers) = vectors.next()?.split_first_chunk::<SCALE>()?;
            Some(query.cosine(f32::from_le_bytes(*scale), numbers))
        };
        let head = cosine()?;
        match std::iter::from_fn(cosine).reduce(f32::max) {
            Some(body) => Some(0.5 * head + 0.5 * body),
            None => Some(head),
        }
    }

    /// Writes all vectors of the wanted skills and up to [`MOST_OTHERS`] others.
    pub(crate) fn save(&mut self, wanted: &[u64]) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let wanted: HashSet<u64> = wanted.iter().copied().collect();
        let mut stamps: Vec<(bool, u64)> =
            self.places.keys().map(|stamp| (!wanted.contains(stamp), *stamp)).collect();
        stamps.sort_unstable();
        let own = stamps.iter().filter(|(is_other, _)| !is_other).count();
        stamps.truncate(own + MOST_OTHERS);
        let mut content = u32::try_from(self.dimensions).unwrap_or(0).to_le_bytes().to_vec();
        for (_, stamp) in &stamps {
            let Some(place) = self.places.get(stamp) else { continue };
            content.extend_from_slice(&stamp.to_le_bytes());
            content.extend_from_slice(&u32::try_from(place.count).unwrap_or(0).to_le_bytes());
            content.extend_from_slice(self.bytes(*place));
        }
        cache_file::write(file, MARK, &content)?;
        cache_file::prune(file, PREFIX, ENDING, MODELS);
        Ok(())
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*bytes)).ok()
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes))
}
