//! `skill://name` and `skill://name/relative`: text of a skill, and nothing outside it.

use crate::files;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{AdmittedSkill, Catalog, access::NotAdmitted, bounded, profile::RootKind};
use skillful_select::access::{Asker, Refusal, Way, reach};
use std::{fmt, io, io::Read, str::FromStr};

/// The scheme.
pub const SCHEME: &str = "skill://";
/// Largest file that is read for a model.
pub const TEXT_LIMIT: u64 = 256 << 10;

/// The address of a text: a skill, or one of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkillUri {
    /// The skill's address.
    pub name: String,
    /// The file, relative to the skill; `None` means its instructions.
    pub path: Option<String>,
}

/// Why a text is not the address of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UriFault {
    /// Another scheme.
    #[error("it does not start with `skill://`")]
    Scheme,
    /// No skill.
    #[error("it names no skill")]
    NoName,
    /// A broken escape, or bytes that are not UTF-8.
    #[error("its escapes are not valid")]
    Escape,
    /// A path that does not stay inside.
    #[error("its path must be relative and stay inside the skill")]
    Outside,
}

impl FromStr for SkillUri {
    type Err = UriFault;

    /// Reads an address. Escapes are decoded first, so that none can hide a way out.
    fn from_str(text: &str) -> Result<Self, UriFault> {
        let rest = text.strip_prefix(SCHEME).ok_or(UriFault::Scheme)?;
        let (name, path) = match rest.split_once('/') {
            Some((name, path)) => (name, Some(path)),
            None => (rest, None),
        };
        let name = decode(name)?;
        if name.trim().is_empty() {
            return Err(UriFault::NoName);
        }
        let path = path.map(decode).transpose()?.filter(|path| !path.is_empty());
        let path = path.map(|path| inside(&path)).transpose()?.filter(|path| !path.is_empty());
        Ok(Self { name, path })
    }
}

impl fmt::Display for SkillUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}", encode(&self.name, b"-_.~:@"))?;
        match &self.path {
            Some(path) => write!(f, "/{}", encode(path, b"-_.~:@/+,=")),
            None => Ok(()),
        }
    }
}

/// A relative path without `.`, `..`, a drive or a root.
fn inside(path: &str) -> Result<String, UriFault> {
    if path.starts_with('/') || path.contains(['\\', '\0']) || path.get(1..2) == Some(":") {
        return Err(UriFault::Outside);
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") { Err(UriFault::Outside) } else { Ok(parts.join("/")) }
}

/// The text behind the escapes of an address.
pub fn decode(text: &str) -> Result<String, UriFault> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        let (Some(high), Some(low)) = (digit(), digit()) else { return Err(UriFault::Escape) };
        bytes.extend(u8::try_from(high * 16 + low));
    }
    String::from_utf8(bytes).map_err(|_| UriFault::Escape)
}

/// A text as a part of an address: letters, digits and what is in `plain` stand as they are.
pub fn encode(text: &str, plain: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A text of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// Its kind, as the web names it.
    pub content_type: &'static str,
    /// The text.
    pub text: String,
}

/// Why a text cannot be read. No other file of that name is searched for.
#[derive(Debug, thiserror::Error)]
pub enum ResourceError {
    /// Not an address.
    #[error("`{uri}` is not the address of a skill's file: {fault}")]
    Uri {
        /// As given.
        uri: String,
        /// What is wrong.
        fault: UriFault,
    },
    /// No such skill, or the caller may not use it.
    #[error("{}", .0.message())]
    Refused(Refusal),
    /// Its files are not those that the gate was asked about.
    #[error(transparent)]
    NotAdmitted(#[from] NotAdmitted),
    /// No such file.
    #[error("the skill `{name}` has no file `{path}`")]
    Missing {
        /// The skill.
        name: String,
        /// The file.
        path: String,
    },
    /// A link out of the skill, or a path through one.
    #[error("`{path}` leads outside the skill `{name}`")]
    Outside {
        /// The skill.
        name: String,
        /// The file.
        path: String,
    },
    /// Too large to be read as text.
    #[error("`{path}` of `{name}` is over {TEXT_LIMIT} bytes; read it from disk")]
    TooLarge {
        /// The skill.
        name: String,
        /// The file.
        path: String,
    },
    /// Not UTF-8.
    #[error("`{path}` of `{name}` is not text; read it from disk")]
    NotText {
        /// The skill.
        name: String,
        /// The file.
        path: String,
    },
    /// The operating system failed.
    #[error("`{path}` of `{name}` cannot be read: {source}")]
    Read {
        /// The skill.
        name: String,
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// Reads what an address names, as a caller may reach it this way.
pub fn read(catalog: &Catalog, uri: &str, asker: Asker<'_>, way: Way) -> Result<Resource, ResourceError> {
    let parsed: SkillUri = uri.parse().map_err(|fault| ResourceError::Uri { uri: uri.to_owned(), fault })?;
    let proof = reach(catalog, &parsed.name, asker, way).map_err(ResourceError::Refused)?;
    of_skill(&catalog.admitted(&proof)?, parsed.path.as_deref())
}

/// Reads the instructions or a file of a skill that the gate admitted.
pub fn of_skill(skill: &AdmittedSkill<'_>, path: Option<&str>) -> Result<Resource, ResourceError> {
    let entry = skill.entry();
    let name = entry.address();
    let uri = SkillUri { name: name.clone(), path: path.map(str::to_owned) }.to_string();
    let Some(path) = path else {
        let text = skill.body().map_err(|source| ResourceError::Read {
            name,
            path: "SKILL.md".to_owned(),
            source,
        })?;
        return Ok(Resource { uri, content_type: "text/markdown", text });
    };
    let path = inside(path).map_err(|fault| ResourceError::Uri { uri: uri.clone(), fault })?;
    let file = || (name.clone(), path.clone());
    if entry.origin.kind == RootKind::Commands || !files::is_part(skill, &path) {
        let (name, path) = file();
        return Err(ResourceError::Missing { name, path });
    }
    let bytes = contained(skill, &path).map_err(|source| {
        let (name, path) = file();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::IsADirectory => ResourceError::Missing { name, path },
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => {
                ResourceError::Outside { name, path }
            }
            _ => ResourceError::Read { name, path, source },
        }
    })?;
    let (name, path) = file();
    if bytes.len() as u64 > TEXT_LIMIT {
        return Err(ResourceError::TooLarge { name, path });
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Resource { uri, content_type: content_type(&path), text }),
        Err(_) => Err(ResourceError::NotText { name, path }),
    }
}

/// Reads through the handle of the skill's folder, which no link leads out of.
fn contained(skill: &AdmittedSkill<'_>, path: &str) -> io::Result<Vec<u8>> {
    let entry = skill.entry();
    if skill.approved_files().is_some() {
        let file = skill.approved_file(path).ok_or(io::ErrorKind::NotFound)?;
        return Ok(file.bytes.clone());
    }
    let file = bounded::open_regular(&entry.open_folder()?, path)?;
    let mut bytes = Vec::new();
    file.take(TEXT_LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a file is, by its ending.
pub fn content_type(path: &str) -> &'static str {
    const TYPES: [(&str, &str); 17] = [
        ("md", "text/markdown"),
        ("markdown", "text/markdown"),
        ("json", "application/json"),
        ("jsonl", "application/jsonl"),
        ("yaml", "application/yaml"),
        ("yml", "application/yaml"),
        ("toml", "application/toml"),
        ("xml", "application/xml"),
        ("svg", "image/svg+xml"),
        ("html", "text/html"),
        ("css", "text/css"),
        ("csv", "text/csv"),
        ("js", "text/javascript"),
        ("ts", "text/x-typescript"),
        ("py", "text/x-python"),
        ("sh", "text/x-shellscript"),
        ("rs", "text/x-rust"),
    ];
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    TYPES.iter().find(|(known, _)| *known == ending).map_or("text/plain", |(_, kind)| *kind)
}
