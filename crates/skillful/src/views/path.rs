//! Paths in views.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use skillful_format::path_text;
use std::{
    borrow::Cow,
    ffi::OsStr,
    fmt,
    ops::Deref,
    path::{Path, PathBuf},
};

/// A path that always serializes. A byte that is not UTF-8 is written as `<0xFF>`, so that two different paths stay
/// different; the path itself is kept for those who read it in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathText(PathBuf);

impl PathText {
    /// The text that is serialized.
    pub fn text(&self) -> Cow<'_, str> {
        path_text(&self.0)
    }

    /// The path.
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl Deref for PathText {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for PathText {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<OsStr> for PathText {
    fn as_ref(&self) -> &OsStr {
        self.0.as_os_str()
    }
}

impl From<PathBuf> for PathText {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

impl From<&Path> for PathText {
    fn from(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl From<&PathBuf> for PathText {
    fn from(path: &PathBuf) -> Self {
        Self(path.clone())
    }
}

impl fmt::Display for PathText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Serialize for PathText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl JsonSchema for PathText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PathText".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt as _;

    #[test]
    fn bytes_that_are_not_utf_8_are_marked_one_by_one() {
        let text = |bytes: &[u8]| {
            let path = PathText::from(Path::new(OsStr::from_bytes(bytes)));
            serde_json::to_value(path).unwrap().as_str().unwrap().to_owned()
        };
        assert_eq!(text(b"/home/\xC3\xA4/x"), "/home/\u{e4}/x");
        assert_eq!(text(b"/a\xFF\xFE/b"), "/a<0xFF><0xFE>/b");
        assert_ne!(text(b"/a\xFF"), text(b"/a\xFE"));
    }
}
