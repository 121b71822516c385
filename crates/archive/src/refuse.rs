//! The refusals, in one place so that they read alike.

use skillful_format::{Code, Diagnostic};

/// What a package may be; the help for everything else.
pub(super) const KINDS: &str = "a package is a .zip or .skill, a .tar.gz or a bare SKILL.md";

/// The help where an archive was made in an unusual way or tampered with.
const AGAIN: &str = "pack the folder again with a common tool and its default settings";

/// Longest part of a name that is quoted in a message.
const SHOWN: usize = 80;

/// A damaged archive, or one whose records disagree.
pub(super) fn unreadable(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::ArchiveUnreadable, message).help(AGAIN)
}

/// Bytes that belong to nothing.
pub(super) fn stray(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::ArchiveTrailing, message)
        .help("nothing may stand before, after or between the entries of an archive")
}

/// An entry that is neither a file nor a folder.
pub(super) fn special(name: &[u8], what: &str) -> Diagnostic {
    Diagnostic::new(Code::EntryKind, format!("`{}` is {what}", shown(name)))
        .help("a package holds regular files and folders only; replace links by copies")
}

/// A name that is not usable as a path.
pub(super) fn path(name: &[u8], why: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::new(Code::EntryPath, format!("the path `{}` {why}", shown(name)))
        .help("use short relative paths with forward slashes that exist on every system")
}

/// A name as it may be shown: never a control sequence, never a screenful.
pub(super) fn shown(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
