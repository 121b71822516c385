//! What a model may read of a skill besides its SKILL.md.

use crate::{
    diagnostic::Code,
    tree::{Tree, TreePath},
};

/// Bytes of a text that is handed to a model in one piece.
pub const READ_LIMIT: u64 = 256 << 10;

/// One file of a skill beside its skill file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource<'a> {
    /// Where it is in the skill.
    pub path: &'a TreePath,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its text, or why there is none.
    pub content: Content<'a>,
}

/// The text of a resource, or why a model does not get it. The file stays on disk either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// UTF-8 without NUL, within [`READ_LIMIT`].
    Text(&'a str),
    /// Not UTF-8, or with a NUL.
    Binary,
    /// Text, but more than [`READ_LIMIT`].
    TooLarge,
}

impl<'a> Content<'a> {
    /// Looks at the bytes of a file.
    pub fn of(bytes: &'a [u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Err(_) => Self::Binary,
            Ok(text) if text.contains('\0') => Self::Binary,
            Ok(_) if bytes.len() as u64 > READ_LIMIT => Self::TooLarge,
            Ok(text) => Self::Text(text),
        }
    }

    /// The code to report it under, when there is no text.
    pub const fn code(&self) -> Option<Code> {
        match self {
            Self::Text(_) => None,
            Self::Binary => Some(Code::FileBinary),
            Self::TooLarge => Some(Code::FileOverReadLimit),
        }
    }
}

/// Every file but the skill file, in the order of the tree.
pub fn text_resources(tree: &Tree) -> Vec<Resource<'_>> {
    let skill_file = tree.skill_file().map(|(name, _)| name);
    tree.iter()
        .filter(|(path, _)| Some(path.as_str()) != skill_file)
        .map(|(path, file)| Resource {
            path,
            bytes: file.bytes.len() as u64,
            content: Content::of(&file.bytes),
        })
        .collect()
}
