//! Written archives: the same bytes everywhere, and nothing our own reader would refuse.

use crate::{SKILL, noise, read, thirtyfold, tree};
use skillful_archive::{write_tar_gz, write_zip};
use skillful_format::{Code, Tree, digest_bytes};

fn sample() -> Tree {
    tree(&[
        ("SKILL.md", SKILL, false),
        ("references/guide.md", &b"A guide for those who need one. ".repeat(40), false),
        ("scripts/run.sh", b"#!/bin/sh\nexit 0\n", true),
        ("ä/ß.txt", b"", false),
    ])
}

/// If this fails after an upgrade of the compressor, packages written by different releases differ:
/// say so in the release notes and set the new digests.
#[test]
fn the_bytes_are_pinned() {
    let zip = digest_bytes(&write_zip(&sample(), "demo").unwrap()).to_string();
    let tar = digest_bytes(&write_tar_gz(&sample(), "demo").unwrap()).to_string();
    assert_eq!((zip.as_str(), tar.as_str()), PINNED);
}
const PINNED: (&str, &str) = (
    "sha256:a74e941874c6304815b3bf8ee1bb247c415018a3663b6a02b1f3d29495deb0dd",
    "sha256:40da937580dc960ae67ffd19b95ea78f6ca6da5c1232fd46e14ae282f9aa8b95",
);

#[test]
fn what_is_written_can_be_read() {
    let long = format!("{}/{}", "a".repeat(120), "b".repeat(119));
    let trees = [
        sample(),
        tree(&[("SKILL.md", SKILL, true), (&long, b"x", true)]),
        tree(&[("skill.md", SKILL, false), ("deep/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o", b"", false)]),
        // Too well packed to be believed, so they are stored.
        tree(&[("SKILL.md", SKILL, false), ("zeros", &vec![0; 3 << 20], false)]),
        tree(&[("SKILL.md", SKILL, false), ("log", &thirtyfold(3 << 20), false)]),
        tree(&[("SKILL.md", SKILL, false), ("noise", &noise(3 << 20), false)]),
    ];
    for tree in trees {
        for bytes in [write_zip(&tree, "demo").unwrap(), write_tar_gz(&tree, "demo").unwrap()] {
            let package = read(&bytes).unwrap();
            assert_eq!(package.tree, tree);
            assert_eq!(package.tree.digest(), tree.digest());
            assert_eq!(package.folder.as_deref(), Some("demo"));
            assert!(package.diagnostics.is_empty());
        }
    }
}

#[test]
fn two_thousand_small_files_are_not_a_bomb() {
    let names: Vec<String> = (0..1999).map(|n| format!("references/{n}.md")).collect();
    let files: Vec<(&str, &[u8], bool)> =
        names.iter().map(|name| (name.as_str(), b"short".as_slice(), false)).collect();
    let tree = tree(&[&[("SKILL.md", SKILL, false)], files.as_slice()].concat());
    for bytes in [write_zip(&tree, "demo").unwrap(), write_tar_gz(&tree, "demo").unwrap()] {
        assert_eq!(read(&bytes).unwrap().tree, tree);
    }
}

#[test]
fn the_wrapper_is_one_plain_name() {
    for folder in ["", ".", "..", "a/b", "/a", "a\\b", "CON", "a ", "a\u{202e}", "../x"] {
        assert_eq!(write_zip(&sample(), folder).unwrap_err().code, Code::EntryPath, "{folder:?}");
        assert_eq!(write_tar_gz(&sample(), folder).unwrap_err().code, Code::EntryPath, "{folder:?}");
    }
}
