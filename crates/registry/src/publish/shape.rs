//! The files of a registry: `publish` writes them, and clients that ask for a skill read them.

use crate::fetch::{SCHEMA, is_name};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillful_format::Digest;

/// The `format` of the files.
pub const FORMAT: &str = "skillful-registry/1";
/// The list of all skills.
pub const INDEX: &str = "index.json";
/// Skills of one registry.
const SKILLS: usize = 10_000;
/// Versions of one skill.
const VERSIONS: usize = 10_000;

/// The file of one skill.
pub fn page_path(name: &str) -> String {
    format!("skills/{name}.json")
}

/// The archive of a version, from the registry's folder.
pub fn archive_path(name: &str, version: &semver::Version) -> String {
    format!("archives/{name}/{name}-{version}.tar.gz")
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// The skill.
    pub name: String,
    /// What its newest version does.
    pub description: String,
    /// The newest version that is not withdrawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest: Option<String>,
    /// The files of that version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Digest>,
}

/// All versions of a skill, the oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The skill.
    pub name: String,
    /// Each with bytes that never change.
    pub versions: Vec<Version>,
}

/// One version of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Its number.
    pub version: semver::Version,
    /// What it does.
    pub description: String,
    /// The archive, relative to this file.
    pub url: String,
    /// Of the archive's bytes.
    pub artefact: Digest,
    /// Of the files in it, as `skillful.lock` has it.
    pub tree: Digest,
    /// Why it was withdrawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yanked: Option<String>,
    /// The day it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

impl Page {
    /// The newest version that is not withdrawn; one that is not finished only when there is no other.
    pub fn latest(&self) -> Option<&Version> {
        let open = || self.versions.iter().filter(|it| it.yanked.is_none());
        let finished = open().filter(|it| it.version.pre.is_empty());
        finished.max_by_key(|it| &it.version).or_else(|| open().max_by_key(|it| &it.version))
    }

    /// As the list shows it.
    pub fn listed(&self) -> Listed {
        let latest = self.latest();
        Listed {
            name: self.name.clone(),
            description: latest.map(|it| it.description.clone()).unwrap_or_default(),
            latest: latest.map(|it| it.version.to_string()),
            tree: latest.map(|it| it.tree),
        }
    }
}

/// A skill of a well-known index: an archive at an address relative to the index.
pub fn index_entry(name: &str, description: &str, url: &str, artefact: &Digest) -> Value {
    serde_json::json!({
        "name": name,
        "type": "archive",
        "description": description,
        "url": url,
        "digest": artefact,
    })
}

/// A well-known index.
pub fn index_of(skills: &[Value]) -> Value {
    serde_json::json!({ "$schema": SCHEMA, "skills": skills })
}

/// The text of the list.
pub(super) fn write_index(listed: &[Listed]) -> String {
    pretty(&serde_json::json!({ "format": FORMAT, "skills": listed }))
}

/// The text of a skill's file.
pub(super) fn write_page(page: &Page) -> String {
    pretty(&serde_json::json!({ "format": FORMAT, "name": page.name, "versions": page.versions }))
}

/// Indented, with an end of line: users read these files, and git compares them.
pub(super) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Reads the list, and what of it cannot be used.
pub(crate) fn read_index(bytes: &[u8]) -> Result<(Vec<Listed>, Vec<String>), String> {
    let mut top = top(bytes)?;
    let items = list(&mut top, "skills", SKILLS)?;
    let (mut listed, mut faults) = (Vec::new(), Vec::new());
    for item in items {
        match serde_json::from_value::<Listed>(item) {
            Ok(item) if is_name(&item.name) => listed.push(item),
            Ok(item) => faults.push(format!("`{}` was skipped: that is not the name of a skill", item.name)),
            Err(error) => faults.push(format!("an entry was skipped: {error}")),
        }
    }
    listed.sort_by(|a: &Listed, b| a.name.cmp(&b.name));
    listed.dedup_by(|a, b| a.name == b.name);
    Ok((listed, faults))
}

/// Reads a skill's file, and what of it cannot be used.
pub(crate) fn read_page(bytes: &[u8], name: &str) -> Result<(Page, Vec<String>), String> {
    let mut top = top(bytes)?;
    if top.get("name").and_then(Value::as_str) != Some(name) {
        return Err(format!("it is not the file of `{name}`"));
    }
    let items = list(&mut top, "versions", VERSIONS)?;
    let (mut versions, mut faults) = (Vec::<Version>::new(), Vec::new());
    for item in items {
        match serde_json::from_value::<Version>(item) {
            Ok(item) if versions.iter().any(|it| it.version == item.version) => {
                return Err(format!("it lists version {} twice", item.version));
            }
            Ok(item) => versions.push(item),
            Err(error) => faults.push(format!("a version of {name} was skipped: {error}")),
        }
    }
    versions.sort_by(|a, b| a.version.cmp(&b.version));
    Ok((Page { name: name.to_owned(), versions }, faults))
}

fn top(bytes: &[u8]) -> Result<Value, String> {
    let top: Value = serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))?;
    match top.get("format").and_then(Value::as_str) {
        Some(FORMAT) => Ok(top),
        Some(_) => Err(format!("it is of another form than `{FORMAT}`; update skillful")),
        None => Err(format!("it has no `format`: `{FORMAT}`")),
    }
}

fn list(top: &mut Value, key: &str, limit: usize) -> Result<Vec<Value>, String> {
    match top.get_mut(key).map(Value::take) {
        Some(Value::Array(items)) if items.len() <= limit => Ok(items),
        Some(Value::Array(items)) => Err(format!("it has {} `{key}`, and the limit is {limit}", items.len())),
        _ => Err(format!("it has no list `{key}`")),
    }
}
