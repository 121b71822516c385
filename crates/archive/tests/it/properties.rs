//! For all trees and all bytes.

use crate::{SKILL, read, tree};
use proptest::{collection::vec, prelude::*};
use skillful_archive::{write_tar_gz, write_zip};
use skillful_format::{Limits, Tree, TreeFile, TreePath};

/// Bytes as files have them: random, repeated, or text.
fn contents() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..2000),
        (any::<u8>(), 0..200_000_usize).prop_map(|(byte, count)| vec![byte; count]),
        (vec(any::<u8>(), 1..300), 1..300_usize).prop_map(|(bytes, times)| bytes.repeat(times)),
        "[a-z \n]{0,400}".prop_map(String::into_bytes),
    ]
}

/// Trees of a few files; files that clash with an earlier one are left out.
fn trees() -> impl Strategy<Value = Tree> {
    let path = "[a-zäß0-9_+=()-][a-zé漢😀0-9 ._-]{0,30}[a-z0-9](/[a-z0-9_-]{1,60}){0,5}";
    vec((path, contents(), any::<bool>()), 0..8).prop_map(|files| {
        let limits = Limits::default();
        let mut tree = tree(&[("SKILL.md", SKILL, false)]);
        for (path, bytes, executable) in files {
            if let Ok(path) = TreePath::new(&path, &limits) {
                let _clashes = tree.insert(path, TreeFile { bytes, executable }, &limits);
            }
        }
        tree
    })
}

fn sample() -> Tree {
    tree(&[("SKILL.md", SKILL, false), ("a/run.sh", &b"echo hello\n".repeat(9), true), ("ä", b"x", false)])
}

fn names_and_bytes(tree: &Tree) -> Vec<(&TreePath, &[u8])> {
    tree.iter().map(|(path, file)| (path, file.bytes.as_slice())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn a_tree_survives_packing(tree in trees(), folder in "[a-z][a-z0-9-]{0,20}") {
        prop_assume!(!folder.ends_with('-') && TreePath::new(&folder, &Limits::default()).is_ok());
        for write in [write_zip, write_tar_gz] {
            let bytes = write(&tree, &folder).unwrap();
            prop_assert_eq!(&bytes, &write(&tree.clone(), &folder).unwrap());
            let package = read(&bytes).unwrap();
            prop_assert_eq!(&package.tree, &tree);
            prop_assert_eq!(package.tree.digest(), tree.digest());
            prop_assert_eq!(package.folder.as_deref(), Some(folder.as_str()));
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(kind in 0..5_usize, bytes in vec(any::<u8>(), 0..1500)) {
        let magic: [&[u8]; 5] =
            [b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08\0\0\0\0\0\0\x03", b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01"];
        let _outcome = read(&[magic[kind], &bytes].concat());
    }

    #[test]
    fn any_tar_blocks_are_read_without_panic(blocks in vec(any::<u8>(), 0..3000), sound in any::<bool>()) {
        let mut tar = crate::raw_tar::tar(&[crate::raw_tar::Entry::file("SKILL.md", SKILL)]);
        if sound {
            tar.truncate(tar.len() - 1024);
        }
        let _outcome = read(&crate::raw_tar::gzip(&[tar, blocks].concat()));
    }
}

/// One flipped bit may be refused or make no difference, but it never changes a name or a content: those
/// are said twice or summed. Only the mode of a zip entry is said once.
#[test]
fn no_single_bit_changes_a_name_or_a_content() {
    let tree = sample();
    for bytes in [write_zip(&tree, "demo").unwrap(), write_tar_gz(&tree, "demo").unwrap()] {
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                if let Ok(package) = read(&flipped) {
                    assert_eq!(names_and_bytes(&package.tree), names_and_bytes(&tree), "byte {at} bit {bit}");
                }
            }
        }
    }
}

#[test]
fn no_cut_archive_is_read() {
    for bytes in [write_zip(&sample(), "demo").unwrap(), write_tar_gz(&sample(), "demo").unwrap()] {
        // The first two bytes alone are the text `PK`.
        for at in 3..bytes.len() {
            assert!(read(&bytes[..at]).is_err(), "cut at {at}");
        }
    }
}

/// Deflate writes the same bytes in several ways, so an archive with a byte more may by chance be as good;
/// it must then mean the same.
#[test]
fn no_byte_can_be_added_or_removed() {
    let tree = sample();
    let check = |bytes: &[u8], what: &str, at: usize| {
        if let Ok(package) = read(bytes) {
            assert_eq!(package.tree, tree, "{what} at {at}");
        }
    };
    for bytes in [write_zip(&tree, "demo").unwrap(), write_tar_gz(&tree, "demo").unwrap()] {
        for at in 0..bytes.len() {
            check(&[&bytes[..at], b"x", &bytes[at..]].concat(), "added", at);
            check(&[&bytes[..at], &bytes[at + 1..]].concat(), "removed", at);
        }
    }
}
