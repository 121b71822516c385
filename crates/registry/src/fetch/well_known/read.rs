//! From the bytes of an index to entries that can be used and reasons why others cannot.

use serde_json::{Map, Value};
use skillful_format::{Code, Diagnostic, Digest, Limits, TreePath};
use skillful_net::Net;
use std::collections::BTreeMap;
use url::Url;

/// The `$schema` of an index of the current form.
pub(crate) const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/// Entries of one index.
const ENTRIES: usize = 10_000;
/// Files that an entry of the older form may list; each is a request.
const FILES: usize = 256;
/// Characters of a name.
const NAME: usize = 64;
/// Characters of a description.
const DESCRIPTION: usize = 1_024;
/// Characters of something wrong that a message repeats.
const QUOTED: usize = 80;

/// An index, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Where it came from.
    pub address: Url,
    /// What can be used, in its order.
    pub entries: Vec<IndexEntry>,
    /// What cannot, and why.
    pub faults: Vec<Fault>,
    /// What holds for all of it.
    pub notes: Vec<Diagnostic>,
}

/// A skill that an index lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Its name, by the rules of the specification.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What is fetched.
    pub artefact: Artefact,
    /// Warnings about it.
    pub notes: Vec<Diagnostic>,
}

/// What is fetched for an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Artefact {
    /// A `SKILL.md` alone.
    Text {
        /// Where it lies.
        url: Url,
        /// Of its bytes.
        digest: Digest,
    },
    /// An archive.
    Archive {
        /// Where it lies.
        url: Url,
        /// Of its bytes.
        digest: Digest,
    },
    /// Single files, in the older form; nothing proves what they should be.
    Files {
        /// The folder they lie in.
        folder: Url,
        /// Their paths.
        files: Vec<TreePath>,
    },
}

impl Artefact {
    /// What it was promised to be.
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Self::Text { digest, .. } | Self::Archive { digest, .. } => Some(*digest),
            Self::Files { .. } => None,
        }
    }
}

/// An entry that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its name, when it has one.
    pub name: Option<String>,
    /// What is wrong.
    pub why: String,
}

impl Index {
    /// Reads an index that came from an address. An error means that it is not an index.
    pub(super) fn read(bytes: &[u8], address: &Url, net: &Net) -> Result<Self, String> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))?;
        let top = value.as_object().ok_or("it is not a JSON object")?;
        let older = match top.get("$schema") {
            None => true,
            Some(Value::String(schema)) if schema == SCHEMA => false,
            Some(other) => {
                let other = quoted(&other.as_str().map_or_else(|| other.to_string(), str::to_owned));
                return Err(format!(
                    "its `$schema` is {other}, which is not known here; known is `{SCHEMA}`"
                ));
            }
        };
        let skills = top.get("skills").and_then(Value::as_array).ok_or("it has no list `skills`")?;
        if skills.len() > ENTRIES {
            return Err(format!("it lists {} skills, and the limit is {ENTRIES}", skills.len()));
        }
        let mut index =
            Self { address: address.clone(), entries: Vec::new(), faults: Vec::new(), notes: Vec::new() };
        if older {
            let message =
                "the index is of the older form, which has no digests: nothing proves what its files are";
            index.notes.push(
                Diagnostic::new(Code::EntrySkipped, message).with_severity(skillful_format::Severity::Note),
            );
        }
        for value in skills {
            let name = value.get("name").and_then(Value::as_str).map(str::to_owned);
            match entry(value, older, address, net) {
                Ok(entry) => index.entries.push(entry),
                Err(why) => index.faults.push(Fault { name: name.map(|name| cut(&name)), why }),
            }
        }
        index.refuse_twins();
        Ok(index)
    }

    /// Two entries of one name: neither is selected silently.
    fn refuse_twins(&mut self) {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &self.entries {
            *seen.entry(&entry.name).or_default() += 1;
        }
        let twins: Vec<String> =
            seen.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name.to_owned()).collect();
        for name in twins {
            self.entries.retain(|entry| entry.name != name);
            self.faults.push(Fault { name: Some(name), why: "the index lists it more than once".to_owned() });
        }
    }
}

fn entry(value: &Value, older: bool, address: &Url, net: &Net) -> Result<IndexEntry, String> {
    let fields = value.as_object().ok_or("it is not a JSON object")?;
    let name = text(fields, "name")?;
    if !is_name(name) {
        return Err(format!("its name {} is not of small letters, digits and single hyphens", quoted(name)));
    }
    let mut notes = Vec::new();
    let note = |message: String| {
        Diagnostic::new(Code::EntrySkipped, message).with_severity(skillful_format::Severity::Note)
    };
    let mut description = match fields.get("description") {
        Some(Value::String(text)) => text.clone(),
        Some(_) => return Err("its `description` is not a text".to_owned()),
        None => {
            notes.push(note(format!(
                "the index has no description of `{name}`, which the specification requires"
            )));
            String::new()
        }
    };
    if description.chars().count() > DESCRIPTION {
        notes.push(note(format!(
            "the index describes `{name}` at more length than {DESCRIPTION} characters; it was cut"
        )));
        description = description.chars().take(DESCRIPTION).collect();
    }
    let artefact = if older { files(fields, name, address)? } else { promised(fields, address, net)? };
    Ok(IndexEntry { name: name.to_owned(), description, artefact, notes })
}

fn promised(fields: &Map<String, Value>, address: &Url, net: &Net) -> Result<Artefact, String> {
    let kind = text(fields, "type")?;
    if !matches!(kind, "skill-md" | "archive") {
        return Err(format!("its type {} is not known; known are `skill-md` and `archive`", quoted(kind)));
    }
    let url = net.join(address, text(fields, "url")?).map_err(|error| format!("its `url`: {error}"))?;
    let digest = match fields.get("digest") {
        Some(Value::String(digest)) => digest.parse().map_err(|why| format!("its `digest`: {why}"))?,
        Some(_) => return Err("its `digest` is not a text".to_owned()),
        // A guess would trust a digest that the index does not promise.
        None if fields.contains_key("sha256") => {
            return Err("it has `sha256` where the specification has `digest`, written sha256:…".to_owned());
        }
        None => return Err("it has no `digest`".to_owned()),
    };
    Ok(if kind == "archive" { Artefact::Archive { url, digest } } else { Artefact::Text { url, digest } })
}

fn files(fields: &Map<String, Value>, name: &str, address: &Url) -> Result<Artefact, String> {
    let Some(list) = fields.get("files").and_then(Value::as_array) else {
        let why = if fields.contains_key("url") {
            "; an index with `url` and `digest` has a `$schema`"
        } else {
            ""
        };
        return Err(format!("it has no list `files`{why}"));
    };
    if list.len() > FILES {
        return Err(format!("it lists {} files, and the limit is {FILES}", list.len()));
    }
    let mut files = Vec::with_capacity(list.len());
    for value in list {
        let path = value.as_str().ok_or("one of its `files` is not a text")?;
        let path = TreePath::new(path, &Limits::default())
            .map_err(|fault| format!("its path {} {fault}", quoted(path)))?;
        files.push(path);
    }
    if !files.iter().any(|path| path.as_str() == "SKILL.md") {
        return Err("its `files` have no SKILL.md".to_owned());
    }
    let folder = address.join(&format!("{name}/")).map_err(|_| "its folder is not an address")?;
    Ok(Artefact::Files { folder, files })
}

fn text<'a>(fields: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    match fields.get(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("its `{key}` is not a text")),
        None => Err(format!("it has no `{key}`")),
    }
}

/// The rules of the specification for names.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=NAME).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

fn cut(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(QUOTED).collect()
}

fn quoted(text: &str) -> String {
    format!("`{}`", cut(text))
}
