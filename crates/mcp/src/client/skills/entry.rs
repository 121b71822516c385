//! The entry of a skill: what a server promises about it.

use super::{
    super::limits::{SKILL_BYTES, SKILL_FILES},
    SkillsError,
};
use serde_json::{Map, Value};
use skillful_format::{Digest, digest_bytes};
use std::collections::BTreeMap;

/// The file of a skill, at the end of its address.
const SKILL_FILE: &str = "/SKILL.md";

/// The rule that an entry breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Invalid {
    /// It is not an object with an address and a frontmatter.
    #[error("it has no `{0}`")]
    Missing(&'static str),
    /// The address does not end in the name of a skill's file.
    #[error("its address does not end in `/SKILL.md`")]
    Address,
    /// The last folder of the address must be the name.
    #[error("its name is not the last folder of its address")]
    Name,
    /// Neither a list of files nor `"dynamic"`.
    #[error("its `resources` is neither a list nor \"dynamic\"")]
    Resources,
    /// A file without an address, a digest or a size that can be used.
    #[error("the file `{0}` has no address below the skill, no digest `sha256:…` or no size")]
    File(String),
    /// One file twice.
    #[error("the file `{0}` is listed twice")]
    Twice(String),
    /// SKILL.md is a file of the skill too.
    #[error("its list of files has no SKILL.md")]
    NoSkillFile,
    /// More than an agent has to accept.
    #[error("it has more than {SKILL_FILES} files or more than {SKILL_BYTES} bytes")]
    TooLarge,
}

/// What an agent holds of a skill: the identity is the label of the server together with the address.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldEntry {
    server: String,
    uri: String,
    frontmatter: Map<String, Value>,
    files: Files,
}

/// The files of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// Every file by its address.
    Listed(BTreeMap<String, File>),
    /// They may change from read to read.
    Dynamic,
}

/// What is promised about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    uri: String,
    digest: Digest,
    size: u64,
}

impl File {
    /// Its length in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Its SHA-256.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Whether these bytes are the file.
    pub(super) fn verify(&self, bytes: &[u8]) -> Result<(), SkillsError> {
        let tampered = |why: String| Err(SkillsError::Tampered { uri: self.uri.clone(), why });
        if bytes.len() as u64 != self.size {
            return tampered(format!("it has {} bytes instead of {}", bytes.len(), self.size));
        }
        if digest_bytes(bytes) != self.digest {
            return tampered("it has another digest".to_owned());
        }
        Ok(())
    }

    fn read(listed: &Value, root: &str) -> Option<Self> {
        let uri = listed.get("uri")?.as_str()?.to_owned();
        let below = uri.strip_prefix(root)?.strip_prefix('/')?;
        if !is_path(below) {
            return None;
        }
        let digest = listed.get("digest")?.as_str()?.parse().ok()?;
        Some(Self { uri, digest, size: listed.get("size")?.as_u64()? })
    }
}

impl HeldEntry {
    pub(super) fn read(server: &str, entry: &Value) -> Result<Self, Invalid> {
        let uri = entry.get("uri").and_then(Value::as_str).ok_or(Invalid::Missing("uri"))?;
        let frontmatter =
            entry.get("frontmatter").and_then(Value::as_object).ok_or(Invalid::Missing("frontmatter"))?;
        let root = uri.strip_suffix(SKILL_FILE).ok_or(Invalid::Address)?;
        let name = frontmatter.get("name").and_then(Value::as_str).ok_or(Invalid::Missing("name"))?;
        let folder = root.rsplit('/').next().unwrap_or_default();
        if name.is_empty() || folder != name || !root.contains("://") {
            return Err(Invalid::Name);
        }
        let files = match entry.get("resources") {
            Some(Value::String(word)) if word == "dynamic" => Files::Dynamic,
            Some(Value::Array(listed)) => Files::Listed(files(listed, root)?),
            _ => return Err(Invalid::Resources),
        };
        if matches!(&files, Files::Listed(files) if !files.contains_key(uri)) {
            return Err(Invalid::NoSkillFile);
        }
        let (server, uri) = (server.to_owned(), uri.to_owned());
        Ok(Self { server, uri, frontmatter: frontmatter.clone(), files })
    }

    /// The agent's name for the server.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The address of its SKILL.md.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The frontmatter, as the server gives it.
    pub fn frontmatter(&self) -> &Map<String, Value> {
        &self.frontmatter
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.frontmatter.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// The files.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// What an approval is bound to: it changes with every file, and does not exist where files may change.
    pub fn approval(&self) -> Option<Digest> {
        let Files::Listed(files) = &self.files else { return None };
        let mut text = format!("{}\n{}\n", self.server, self.uri);
        for (uri, file) in files {
            text += &format!("{} {uri}\n", file.digest.to_hex());
        }
        Some(digest_bytes(text.as_bytes()))
    }

    /// What the entry promises about a file: `None` if nothing, an error if it is not a file of this skill.
    pub(super) fn promise(&self, uri: &str) -> Result<Option<&File>, ()> {
        match &self.files {
            Files::Listed(files) => files.get(uri).map(Some).ok_or(()),
            Files::Dynamic => {
                let below = uri.strip_prefix(self.root()).and_then(|rest| rest.strip_prefix('/'));
                if below.is_some_and(is_path) { Ok(None) } else { Err(()) }
            }
        }
    }

    /// The address of a file that is given by its address or by its path from the root.
    pub(super) fn resolve(&self, file: &str) -> Option<String> {
        if file.contains("://") {
            return Some(file.to_owned());
        }
        let path = file.strip_prefix("./").unwrap_or(file);
        let path = path.split(['#', '?']).next().unwrap_or_default();
        is_path(path).then(|| format!("{}/{path}", self.root()))
    }

    fn root(&self) -> &str {
        self.uri.strip_suffix(SKILL_FILE).unwrap_or(&self.uri)
    }
}

fn files(listed: &[Value], root: &str) -> Result<BTreeMap<String, File>, Invalid> {
    if listed.len() > SKILL_FILES {
        return Err(Invalid::TooLarge);
    }
    let mut files = BTreeMap::new();
    let mut bytes: u64 = 0;
    for listed in listed {
        let uri = super::quote(listed.get("uri").and_then(Value::as_str).unwrap_or("?"));
        let file = File::read(listed, root).ok_or_else(|| Invalid::File(uri.clone()))?;
        bytes = bytes.saturating_add(file.size);
        if files.insert(file.uri.clone(), file).is_some() {
            return Err(Invalid::Twice(uri));
        }
    }
    if bytes > SKILL_BYTES { Err(Invalid::TooLarge) } else { Ok(files) }
}

/// A path that stays below where it starts, however often it is decoded.
fn is_path(path: &str) -> bool {
    let escaped = path.to_ascii_lowercase();
    !path.is_empty()
        && !["%2e", "%2f", "%5c", "%00", "%25"].iter().any(|code| escaped.contains(code))
        && !path.contains(['\\', '\0'])
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Without a promise there is still a limit.
pub(super) fn within_limit(uri: &str, bytes: &[u8]) -> Result<(), SkillsError> {
    if bytes.len() as u64 <= SKILL_BYTES {
        return Ok(());
    }
    let why = format!("it has more than {SKILL_BYTES} bytes");
    Err(SkillsError::Tampered { uri: uri.to_owned(), why })
}
