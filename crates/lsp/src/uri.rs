//! Addresses of files. The bytes of a path need not be UTF-8.

use lsp_types::Uri;
use skillful::authoring::completion::escape;
use skillful_format::outline::percent_decoded;
use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    str::FromStr,
};

/// The path of a `file:` address; `None` for other addresses and other machines.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let text = uri.as_str();
    let (scheme, rest) = text.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let slash = rest.find('/')?;
            let host = &rest[..slash];
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return None;
            }
            &rest[slash..]
        }
        None => rest,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let bytes = percent_decoded(path);
    if bytes.first() != Some(&b'/') || bytes.contains(&0) {
        return None;
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

/// The address of a file.
pub(crate) fn of_path(path: &Path) -> Option<Uri> {
    let mut text = String::from("file://");
    escape(path.as_os_str().as_bytes(), &mut text);
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_way_there_and_back() {
        for bytes in [&b"/a b/c#d?e/SKILL.md"[..], b"/x/\xff\xfe/%41", "/ä/ö".as_bytes(), b"/100%/%zz"] {
            let path = PathBuf::from(OsString::from_vec(bytes.to_vec()));
            let uri = of_path(&path).expect("an address");
            assert_eq!(path_of(&uri), Some(path), "{}", uri.as_str());
        }
    }

    #[test]
    fn only_files_of_this_machine_have_a_path() {
        let path = |text: &str| Uri::from_str(text).ok().and_then(|uri| path_of(&uri));
        assert_eq!(path("file:///a%20b"), Some(PathBuf::from("/a b")));
        assert_eq!(path("file://localhost/a"), Some(PathBuf::from("/a")));
        assert_eq!(path("file:/a"), Some(PathBuf::from("/a")));
        for other in
            ["file://server/a", "untitled:Untitled-1", "https://example.org/a", "file:///a%00b", "file:a"]
        {
            assert_eq!(path(other), None, "{other}");
        }
    }
}
