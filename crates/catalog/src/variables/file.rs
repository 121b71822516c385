//! Reading a file of variables: bounded; one wrong value does not cost the others.

use super::{FILE_LIMIT, SHARED_FILE, SKILL_FILE};
use crate::folder::{FileRead, Folder};
use rustix::io::Errno;
use serde_json::Value as Json;
use skillful_format::{Code, Diagnostic};
use std::path::{Path, PathBuf};

pub(super) type Object = serde_json::Map<String, Json>;

/// The content of a file of variables.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) object: Object,
    /// The file, when there is one.
    pub(super) path: Option<PathBuf>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Read {
    /// Whether there is a file, readable or not.
    pub(super) fn is_there(&self) -> bool {
        self.path.is_some()
    }
}

/// `vars.json` in a folder of the user; a link of their own is followed.
pub(super) fn read_own(folder: &Path) -> Read {
    read(folder, SKILL_FILE)
}

/// What is said of `vars.json` in a folder of others.
pub(super) fn not_read(folder: &Path, skill: &str) -> Read {
    let path = folder.join(SKILL_FILE);
    if path.symlink_metadata().is_err() {
        return Read::default();
    }
    let message = format!(
        "`{SKILL_FILE}` beside a skill of a repository or plugin is not read, since its author could have written it"
    );
    let help = format!("put your values into the section `{skill}` of your own `{SHARED_FILE}`");
    let diagnostics = vec![Diagnostic::new(Code::ConfigInvalid, message).in_path(&path).help(help)];
    Read { object: Object::new(), path: Some(path), diagnostics }
}

/// The user's file; a link of their own is followed.
pub(super) fn read_shared(path: &Path) -> Read {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(SHARED_FILE);
    read(path.parent().unwrap_or(path), name)
}

fn read(folder: &Path, name: &str) -> Read {
    let path = folder.join(name);
    let refused = |code: Code, why: String, help: &'static str| {
        let told = Diagnostic::new(code, format!("`{name}` {why}; its variables count as not set"));
        let diagnostics = vec![told.in_path(&path).help(help)];
        Read { object: Object::new(), path: Some(path.clone()), diagnostics }
    };
    let opened = Folder::open(folder).and_then(|folder| folder.read(name, FILE_LIMIT));
    let bytes = match opened {
        Ok(FileRead::Bytes(bytes, _)) => bytes,
        Ok(FileRead::TooLarge(_)) => {
            let why = format!("is larger than {FILE_LIMIT} bytes and was not read");
            return refused(Code::ConfigInvalid, why, "keep values in it and nothing else");
        }
        Ok(FileRead::NotAFile | FileRead::Outside(_)) => {
            return refused(Code::ConfigInvalid, "is not a regular file".to_owned(), "put a file there");
        }
        Err(Errno::NOENT | Errno::NOTDIR) => return Read::default(),
        Err(error) => {
            return refused(Code::ConfigInvalid, format!("could not be read: {error}"), "make it readable");
        }
    };
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    match serde_json::from_slice(text) {
        Ok(Json::Object(object)) => Read { object, path: Some(path), diagnostics: Vec::new() },
        Ok(other) => {
            let why = format!("must be a mapping, and is {}", kind(&other));
            refused(Code::ConfigInvalid, why, "write it as {\"NAME\": \"value\"}")
        }
        Err(error) => {
            // Only the place: what stands there may be a secret.
            let why = format!("is not JSON (line {}, column {})", error.line(), error.column());
            refused(Code::ConfigInvalid, why, "repair the file")
        }
    }
}

/// The text of a single value, `None` for null, or what it is instead.
pub(super) fn scalar(json: &Json) -> Result<Option<String>, &'static str> {
    match json {
        Json::Null => Ok(None),
        Json::Bool(flag) => Ok(Some(flag.to_string())),
        Json::Number(number) => Ok(Some(number.to_string())),
        Json::String(text) => Ok(Some(text.clone())),
        Json::Array(_) | Json::Object(_) => Err(kind(json)),
    }
}

fn kind(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "a mapping",
    }
}
