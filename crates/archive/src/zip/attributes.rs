//! The kind of a zip entry, from three fields: its name, its Unix mode, its DOS attributes.

use crate::{gate::EntryKind, refuse};
use skillful_format::Diagnostic;

const MODE_TYPE: u32 = 0o170_000;
const MODE_FILE: u32 = 0o100_000;
const MODE_FOLDER: u32 = 0o040_000;
const MODE_LINK: u32 = 0o120_000;

const DOS_LABEL: u32 = 0x08;
const DOS_FOLDER: u32 = 0x10;
const DOS_DEVICE: u32 = 0x40;
const DOS_REPARSE: u32 = 0x400;

/// Reads the kind. The mode counts whatever system the entry says it was made on, because readers
/// differ in whether they ask.
pub(super) fn kind(name: &str, attributes: u32) -> Result<EntryKind, Diagnostic> {
    let mode = attributes >> 16;
    if attributes & DOS_REPARSE != 0 {
        return Err(refuse::special(name.as_bytes(), "a link (a reparse point of Windows)"));
    }
    if attributes & (DOS_LABEL | DOS_DEVICE) != 0 {
        return Err(refuse::special(name.as_bytes(), "a device or a volume label"));
    }
    let mode_is_folder = match mode & MODE_TYPE {
        0 => None,
        MODE_FILE => Some(false),
        MODE_FOLDER => Some(true),
        MODE_LINK => return Err(refuse::special(name.as_bytes(), "a symbolic link")),
        _ => return Err(refuse::special(name.as_bytes(), "a device, a pipe or a socket")),
    };
    let is_folder = name.ends_with('/');
    let says_folder = attributes & DOS_FOLDER != 0;
    if mode_is_folder.is_some_and(|said| said != is_folder) || (says_folder && !is_folder) {
        return Err(refuse::unreadable(format!(
            "`{}` is a folder by its name or its attributes, but not by both",
            refuse::shown(name.as_bytes())
        )));
    }
    Ok(if is_folder { EntryKind::Folder } else { EntryKind::File { executable: mode & 0o111 != 0 } })
}
