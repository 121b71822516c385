//! Hashes of files and of what they were made from: stable between runs, quick enough for a whole index file.

use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

/// A hash of bytes that come in pieces, which finds damage. Where pieces end does not count.
pub(crate) struct Checksum(Xxh3);

impl Checksum {
    pub(crate) fn new() -> Self {
        Self(Xxh3::new())
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn sum(&self) -> u64 {
        self.0.digest()
    }
}

/// Hashes several parts. Boundaries count: `["ab", "c"]` and `["a", "bc"]` differ.
pub(crate) fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    parts.into_iter().fold(0, |state, part| xxh3_64_with_seed(part, state))
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn where_parts_end_counts() {
        let hash = |parts: &[&str]| hash(parts.iter().map(|part| part.as_bytes()));
        let all =
            [hash(&["ab", "c"]), hash(&["a", "bc"]), hash(&["abc"]), hash(&["abc", ""]), hash(&["", "abc"])];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{at}: {all:?}");
        }
    }
}
