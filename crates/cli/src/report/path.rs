//! Paths as text and as URIs.

use super::visible;
use std::{
    fmt::Write as _,
    path::{Component, Path},
};

/// The part of a path below a folder; `None` when it is elsewhere or climbs out again.
pub(super) fn below<'a>(path: &'a Path, base: &Path) -> Option<&'a Path> {
    let rest = path.strip_prefix(base).ok()?;
    rest.components().all(|part| part != Component::ParentDir).then_some(rest)
}

/// A path for the terminal: short where it can be, and without raw control characters.
pub(super) fn shown(path: &Path, base: &Path, home: Option<&Path>) -> String {
    if let Some(rest) = below(path, base).filter(|rest| !rest.as_os_str().is_empty()) {
        return visible::path(rest);
    }
    match home.and_then(|home| below(path, home)) {
        Some(rest) => format!("~/{}", visible::path(rest)),
        None => visible::path(path),
    }
}

/// A URI reference: absolute for an absolute path, else relative.
pub(super) fn uri(path: &Path) -> String {
    let mut uri = String::new();
    if path.is_absolute() {
        uri.push_str("file://");
    }
    let mut first = !path.is_absolute();
    for part in path.components() {
        let part = match part {
            Component::RootDir | Component::CurDir => continue,
            other => other.as_os_str(),
        };
        if !first {
            uri.push('/');
        }
        first = false;
        encode(part.as_encoded_bytes(), path.is_absolute(), &mut uri);
    }
    if uri.is_empty() {
        uri.push_str("./");
    }
    uri
}

/// The URI of a folder, which ends with a slash so that others can be resolved against it.
pub(super) fn folder_uri(path: &Path) -> String {
    let mut uri = uri(path);
    if !uri.ends_with('/') || uri == "file://" {
        uri.push('/');
    }
    uri
}

/// Percent-encodes all but the unreserved characters of RFC 3986. A colon stays in an absolute URI
/// (a drive), and not in a relative one, where it would look like a scheme.
fn encode(bytes: &[u8], colon: bool, uri: &mut String) {
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || (colon && byte == b':') {
            uri.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests;
