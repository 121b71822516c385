//! `computedHash` as npm `skills` computes it: SHA-256 over each file's path and bytes, one after the other.
//!
//! The order is that of JavaScript's `localeCompare`, which for ASCII is fixed: characters are compared by the
//! table below without regard to case, and only between equals a small letter comes first. It distinguishes fewer
//! trees than our own digest does, and is written for npm `skills` only.

use skillful_format::{Tree, digest_bytes};
use std::cmp::Ordering;

/// What stands before the letters, in order.
const BEFORE_LETTERS: &[u8] = b" _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";

/// The hash; none when a path is not ASCII, since the order then depends on the reader's language.
pub fn computed_hash(tree: &Tree) -> Option<String> {
    let mut files: Vec<(&str, &[u8])> =
        tree.iter().map(|(path, file)| (path.as_str(), file.bytes.as_slice())).collect();
    if !files.iter().all(|(path, _)| path.is_ascii()) {
        return None;
    }
    files.sort_by(|(a, _), (b, _)| compare(a.as_bytes(), b.as_bytes()));
    let mut all = Vec::new();
    for (path, bytes) in files {
        all.extend_from_slice(path.as_bytes());
        all.extend_from_slice(bytes);
    }
    Some(digest_bytes(&all).to_hex())
}

pub(super) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let by_letter = a.iter().map(|c| letter(*c)).cmp(b.iter().map(|c| letter(*c)));
    by_letter.then_with(|| {
        let upper = |text: &[u8]| text.iter().map(u8::is_ascii_uppercase).collect::<Vec<_>>();
        upper(a).cmp(&upper(b))
    })
}

fn letter(c: u8) -> usize {
    let before = BEFORE_LETTERS.iter().position(|known| *known == c);
    before.unwrap_or_else(|| BEFORE_LETTERS.len() + usize::from(c.to_ascii_lowercase()))
}
