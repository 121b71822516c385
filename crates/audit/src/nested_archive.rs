//! Opens archives inside a skill to judge their files; the content is never used otherwise.
//!
//! Findings inside have the path inside the archive. The archive itself stays *not scanned*,
//! because another tool may unpack it differently.

use crate::{file::File, limits};
use skillful_format::Limits;

/// The limits for an archive that is only inspected.
fn bounds() -> Limits {
    Limits {
        files: limits::INSIDE_FILES,
        total_bytes: limits::INSIDE_BYTES,
        file_bytes: limits::INSIDE_BYTES,
        packed_bytes: limits::INSIDE_BYTES,
        ..Limits::default()
    }
}

/// Judges the files of an archive, if it can be opened within its limits.
pub(crate) fn look(file: &mut File<'_>, bytes: &[u8], budget: &mut usize) {
    let archive = bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"\x1f\x8b");
    if !archive || file.depth >= limits::INSIDE_DEPTH || bytes.len() as u64 > limits::INSIDE_BYTES {
        return;
    }
    let Ok(tree) = skillful_archive::contents(bytes, &bounds()) else { return };
    for (path, inner) in tree.iter() {
        let path = format!("{}!/{}", file.path, path.as_str());
        let mut one = File {
            path: &path,
            about_attacks: file.about_attacks,
            purpose: file.purpose,
            depth: file.depth + 1,
            findings: &mut *file.findings,
            capabilities: &mut *file.capabilities,
        };
        // The archive is already reported as not scanned.
        let _not_scanned = one.judge(&inner.bytes, None, budget);
    }
}
