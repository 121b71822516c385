//! Paths as text.

use std::{borrow::Cow, fmt::Write as _, path::Path};

/// A path as text that never fails and never hides a byte: one that is not UTF-8 is written as `<0xFF>`, so that two
/// different paths stay different.
///
/// ```
/// # use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _, path::Path};
/// let folder = Path::new(OsStr::from_bytes(b"/src/api-\xFF"));
/// assert_eq!(skillful_format::path_text(folder), "/src/api-<0xFF>");
/// ```
pub fn path_text(path: &Path) -> Cow<'_, str> {
    if let Some(text) = path.to_str() {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "<0x{byte:02X}>");
        }
    }
    Cow::Owned(text)
}
