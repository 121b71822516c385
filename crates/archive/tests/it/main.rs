//! Packages: hostile ones are refused, honest ones are read, ours are the same byte for byte.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod benign;
mod hostile;
mod hostile_gzip;
mod hostile_names;
mod hostile_tar;
mod hostile_zip;
mod hostile_zip_structure;
mod interop;
mod properties;
mod raw_tar;
mod raw_zip;
mod write;

use skillful_archive::{Package, RefusedPackage};
use skillful_format::{Limits, Tree, TreeFile, TreePath};

/// The text of every skill file here.
const SKILL: &[u8] = b"---\nname: demo\ndescription: a skill for tests\n---\nDo the thing.\n";

fn read(bytes: &[u8]) -> Result<Package, RefusedPackage> {
    skillful_archive::read(bytes, None, &Limits::default())
}

/// A tree with these files.
fn tree(files: &[(&str, &[u8], bool)]) -> Tree {
    let limits = Limits::default();
    let mut tree = Tree::default();
    for &(path, bytes, executable) in files {
        let file = TreeFile { bytes: bytes.to_vec(), executable };
        tree.insert(TreePath::new(path, &limits).unwrap(), file, &limits).unwrap();
    }
    tree
}

/// Bytes that do not compress, the same in every run.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    })
    .take(count)
    .collect()
}

/// Bytes that shrink to about a thirtieth: too well for a whole archive, not for a single member.
fn thirtyfold(count: usize) -> Vec<u8> {
    noise(count / 32 + 1).chunks(16).flat_map(|chunk| [chunk, &[b'a'; 496]].concat()).take(count).collect()
}
