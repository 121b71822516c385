//! The digest of a skill: a name that identifies exactly one set of files. Locks, indexes and
//! fingerprints use it.
//!
//! For every file one line is written, in the byte order of the paths:
//!
//! ```text
//! <SHA-256 of the bytes, 64 lower-case hex digits> <x if executable, else -> <path>\n
//! ```
//!
//! The digest is the SHA-256 of these lines together. A path contains neither a line feed nor any
//! other control character, and the parts before it have fixed lengths, so two different trees
//! never give the same lines. These commands compute it in a skill's folder (one without links and
//! `.git`):
//!
//! ```sh
//! find . -type f -printf '%P\n' | LC_ALL=C sort | while IFS= read -r f; do
//!   [ -x "$f" ] && x=x || x=-
//!   printf '%s %s %s\n' "$(sha256sum < "$f" | cut -c1-64)" "$x" "$f"
//! done | sha256sum
//! ```

use crate::tree::{Tree, TreePath};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};
use std::{borrow::Cow, fmt, str::FromStr};

/// The prefix of every written digest, which names the algorithm.
const PREFIX: &str = "sha256:";

/// A SHA-256 digest, written `sha256:` and 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Takes the raw bytes of a SHA-256 digest.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 hex digits without the prefix, for tools that want only them.
    pub fn to_hex(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.0
            .iter()
            .flat_map(|byte| [byte >> 4, byte & 15])
            .map(|nibble| char::from(DIGITS[usize::from(nibble)]))
            .collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is written `sha256:` and 64 lower-case hex digits")]
pub struct NotADigest;

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let hex = text.strip_prefix(PREFIX).ok_or(NotADigest)?.as_bytes();
        if hex.len() != 64 {
            return Err(NotADigest);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

/// Accepts lower case only: upper case would let one digest be written in many ways.
fn nibble(digit: u8) -> Result<u8, NotADigest> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(NotADigest),
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Digest {
    fn schema_name() -> Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^sha256:[0-9a-f]{64}$" })
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl de::Visitor<'_> for Text {
            type Value = Digest;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`sha256:` and 64 lower-case hex digits")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Digest, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// The digest of bytes, for example of one file or of an archive as downloaded.
pub fn digest_bytes(bytes: &[u8]) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

impl Tree {
    /// The digest of all files: their paths, execute bits and bytes.
    pub fn digest(&self) -> Digest {
        let mut lines = Sha256::new();
        for (path, file) in self.iter() {
            add_line(&mut lines, path, file.executable, &digest_bytes(&file.bytes));
        }
        Digest(lines.finalize().into())
    }
}

fn add_line(lines: &mut Sha256, path: &TreePath, executable: bool, file: &Digest) {
    lines.update(file.to_hex());
    lines.update(if executable { " x " } else { " - " });
    lines.update(path.as_str());
    lines.update("\n");
}

/// Builds the digest of a tree file by file, for a walker that does not hold all bytes at once.
///
/// The order is checked: a walker that sorts folder by folder visits `a/b` before `a.b`, which is
/// not the byte order of the paths and would give a different digest.
#[derive(Clone, Debug, Default)]
pub struct TreeDigest {
    lines: Sha256,
    last: Option<TreePath>,
}

impl TreeDigest {
    /// Starts a digest without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next file in byte order of the paths.
    pub fn add(&mut self, path: TreePath, executable: bool, file: &Digest) -> Result<(), OutOfOrder> {
        if self.last.as_ref().is_some_and(|last| *last >= path) {
            return Err(OutOfOrder(path));
        }
        add_line(&mut self.lines, &path, executable, file);
        self.last = Some(path);
        Ok(())
    }

    /// The digest of the files added.
    pub fn finish(self) -> Digest {
        Digest(self.lines.finalize().into())
    }
}

/// A file was added after one that sorts behind it, or was added twice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` was added out of order; add files in the byte order of their paths, each once")]
pub struct OutOfOrder(pub TreePath);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Limits, TreeFile};

    fn tree(files: &[(&str, &str, bool)]) -> Tree {
        let limits = Limits::default();
        let mut tree = Tree::default();
        for &(path, text, executable) in files {
            let file = TreeFile { bytes: text.into(), executable };
            tree.insert(TreePath::new(path, &limits).unwrap(), file, &limits).unwrap();
        }
        tree
    }

    /// The expected values were computed with the shell commands in the module documentation.
    #[test]
    fn known_answers() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Tree::default().digest().to_string(), empty);
        let skill = tree(&[
            ("SKILL.md", "---\nname: a\n---\n", false),
            ("a.b", "", false),
            ("a/b", "x\n", false),
            ("scripts/run.sh", "#!/bin/sh\n", true),
        ]);
        assert_eq!(skill.digest().to_string(), KNOWN);
    }
    const KNOWN: &str = "sha256:74419668786718918a87f0398ddbd1b6097809b50a5bc15be91dd8d808ea4392";

    #[test]
    fn every_part_counts() {
        let one = tree(&[("a", "bc", false)]).digest();
        assert_ne!(one, tree(&[("ab", "c", false)]).digest());
        assert_ne!(one, tree(&[("a", "bc", true)]).digest());
        assert_ne!(one, tree(&[("a", "bc", false), ("b", "", false)]).digest());
        assert_ne!(tree(&[("a", "", false), ("b", "", true)]).digest(), {
            tree(&[("a", "", true), ("b", "", false)]).digest()
        });
    }

    #[test]
    fn the_builder_agrees_and_enforces_the_order() {
        let skill = tree(&[("a.b", "1", false), ("a/b", "2", true), ("a0", "3", false)]);
        let mut builder = TreeDigest::new();
        for (path, file) in skill.iter() {
            builder.add(path.clone(), file.executable, &digest_bytes(&file.bytes)).unwrap();
        }
        let again = TreePath::new("a/b", &Limits::default()).unwrap();
        assert_eq!(builder.add(again.clone(), true, &digest_bytes(b"2")), Err(OutOfOrder(again)));
        assert_eq!(builder.finish(), skill.digest());
    }

    #[test]
    fn written_and_read_as_text() {
        let digest = digest_bytes(b"abc");
        let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse(), Ok(digest));
        let json = serde_json::to_string(&digest).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), digest);
        for wrong in ["", "sha256:", &text[7..], &text.to_uppercase(), &text.replace('a', "A"), &text[..70]] {
            assert_eq!(wrong.parse::<Digest>(), Err(NotADigest), "{wrong}");
        }
        assert!(serde_json::from_str::<Digest>("7").is_err());
    }
}
