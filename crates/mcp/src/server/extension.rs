//! The Skills extension: `skills/list`, `skills/get` and `resources/directory/read`.
//!
//! A client compares the digests, sizes and frontmatter of an entry with what it reads later, so that only
//! what is on disk is served: a skill whose frontmatter had to be repaired is not in the list.

use crate::{
    names::{DIRECTORY, DYNAMIC, SKILL_FILE},
    server::{address, address::SkillFile, files, page::page, resources, snapshot::Snapshot},
};
use rmcp::{
    ErrorData,
    model::{CustomResult, Resource},
};
use serde_json::{Map, Value, json};
use skillful_catalog::{AdmittedSkill, Entry};
use skillful_format::{Document, Sidecars, Soundness, digest_bytes};
use skillful_select::access::{Way, admit, offered};
use std::collections::BTreeMap;

/// Skills on a page: each may name hundreds of files.
const SKILLS_PAGE: usize = 50;
/// Children of a folder on a page.
const CHILDREN_PAGE: usize = 200;
/// How long an answer may be believed, in milliseconds. Files change under our hands.
pub(crate) const FRESH_MS: u64 = 5_000;
/// Who may keep an answer: what one user may see is not for the next.
pub(crate) const CACHE_SCOPE: &str = "private";

/// Answers `skills/list`.
pub(crate) fn list(snapshot: &Snapshot, params: &Value) -> Result<CustomResult, ErrorData> {
    let (catalog, asker) = (&snapshot.catalog, snapshot.asker());
    let open: Vec<usize> =
        offered(catalog, asker, Way::List).into_iter().filter(|at| is_listed(snapshot.entry(*at))).collect();
    let found = page(open, SKILLS_PAGE, text(params, "cursor")?, |at| snapshot.entry(*at).address())?;
    let skills: Vec<Value> = found.items.iter().filter_map(|at| listed(snapshot, *at)).collect();
    let mut result = complete();
    result.insert("skills".to_owned(), Value::Array(skills));
    if let Some(next) = found.next {
        result.insert("nextCursor".to_owned(), Value::String(next));
    }
    Ok(CustomResult(Value::Object(result)))
}

/// Answers `skills/get`, also for a skill that is in no list.
pub(crate) fn get(snapshot: &Snapshot, params: &Value) -> Result<CustomResult, ErrorData> {
    let uri = text(params, "uri")?.ok_or_else(|| ErrorData::invalid_params("`uri` is missing", None))?;
    let unknown = |words: String| ErrorData::invalid_params(words, Some(json!({ "uri": uri })));
    let place =
        address::resolve(snapshot, uri, Way::Show).map_err(|error| unknown(error.message.into_owned()))?;
    let found = (place.path == SKILL_FILE).then(|| snapshot.catalog.admitted(&place.proof).ok()).flatten();
    let skill = found
        .as_ref()
        .and_then(skill)
        .ok_or_else(|| unknown(format!("`{uri}` is not the SKILL.md of a skill")))?;
    let mut result = complete();
    result.insert("skill".to_owned(), skill);
    Ok(CustomResult(Value::Object(result)))
}

/// Answers `resources/directory/read`.
pub(crate) fn directory(snapshot: &Snapshot, params: &Value) -> Result<CustomResult, ErrorData> {
    let uri = text(params, "uri")?.ok_or_else(|| ErrorData::invalid_params("`uri` is missing", None))?;
    let unknown = |words: String| ErrorData::invalid_params(words, Some(json!({ "uri": uri })));
    let SkillFile { proof, path } =
        address::resolve(snapshot, uri, Way::Load).map_err(|error| unknown(error.message.into_owned()))?;
    let skill = snapshot
        .catalog
        .admitted(&proof)
        .map_err(|error| unknown(format!("`{uri}` is not available: {error}")))?;
    let entry = skill.entry();
    let listing = files::list(&skill).map_err(|error| unknown(format!("`{uri}` cannot be read: {error}")))?;
    let above = if path.is_empty() { String::new() } else { format!("{path}/") };
    // By path, so that a folder is named once.
    let mut children: BTreeMap<String, Resource> = BTreeMap::new();
    for (file, size) in &listing.files {
        let Some(rest) = file.strip_prefix(&above) else { continue };
        match rest.split_once('/') {
            Some((folder, _)) => {
                let child = format!("{above}{folder}");
                let resource = Resource::new(address::below(entry, &child), folder).with_mime_type(DIRECTORY);
                children.entry(child).or_insert(resource);
            }
            None => {
                children.insert(file.clone(), resources::of_file(entry, file, Some(*size)));
            }
        }
    }
    if children.is_empty() {
        return Err(unknown(format!("`{uri}` is not a folder of a skill")));
    }
    let children: Vec<(String, Resource)> = children.into_iter().collect();
    let found = page(children, CHILDREN_PAGE, text(params, "cursor")?, |(path, _)| path.clone())?;
    let mut result = complete();
    let children: Vec<Resource> = found.items.into_iter().map(|(_, resource)| resource).collect();
    result.insert("resources".to_owned(), json!(children));
    if let Some(next) = found.next {
        result.insert("nextCursor".to_owned(), Value::String(next));
    }
    Ok(CustomResult(Value::Object(result)))
}

/// What every answer of the extension carries.
fn complete() -> Map<String, Value> {
    let mut result = Map::new();
    result.insert("resultType".to_owned(), json!("complete"));
    result.insert("ttlMs".to_owned(), json!(FRESH_MS));
    result.insert("cacheScope".to_owned(), json!(CACHE_SCOPE));
    result
}

/// A text of the request; an error when it is something else.
fn text<'a>(params: &'a Value, key: &str) -> Result<Option<&'a str>, ErrorData> {
    match params.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ErrorData::invalid_params(format!("`{key}` must be text"), None)),
    }
}

/// Whether a skill can have an entry, as far as that is known without reading it.
pub(crate) fn is_listed(entry: &Entry) -> bool {
    let manifest = &entry.loaded.manifest;
    address::has_files(entry)
        && entry.loaded.has_header
        && entry.loaded.soundness == Soundness::Sound
        && manifest.name.as_deref() == Some(&entry.name)
        && manifest.description.is_some()
}

/// The entry of a skill of the list.
fn listed(snapshot: &Snapshot, at: usize) -> Option<Value> {
    let proof = admit(&snapshot.catalog, at, snapshot.asker(), Way::List).ok()?;
    skill(&snapshot.catalog.admitted(&proof).ok()?)
}

/// The entry of a skill; `None` when its frontmatter is not what an entry needs.
fn skill(skill: &AdmittedSkill<'_>) -> Option<Value> {
    let entry = skill.entry();
    if !is_listed(entry) {
        return None;
    }
    let bytes = files::read(skill, SKILL_FILE).ok()?;
    let document = Document::read(&bytes, &Sidecars::default());
    if document.soundness != Soundness::Sound {
        return None;
    }
    let header: Map<String, Value> =
        document.keys.iter().map(|(key, node)| (key.text.clone(), node.to_data().to_json())).collect();
    let is_text = |key: &str| header.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    if header.get("name").and_then(Value::as_str) != Some(&entry.name) || !is_text("description") {
        return None;
    }
    let resources = manifest(skill, &bytes).map_or_else(|| json!(DYNAMIC), Value::Array);
    Some(json!({ "uri": address::skill_file(entry), "frontmatter": header, "resources": resources }))
}

/// Every file with its digest and size; `None` when there are more than a client has to accept, or when one
/// cannot be read: an incomplete list would be wrong.
fn manifest(skill: &AdmittedSkill<'_>, skill_file: &[u8]) -> Option<Vec<Value>> {
    let entry = skill.entry();
    let listing = files::list(skill).ok().filter(|listing| listing.complete)?;
    let item = |path: &str, bytes: &[u8]| {
        let digest = digest_bytes(bytes).to_string();
        json!({ "uri": address::below(entry, path), "digest": digest, "size": bytes.len() })
    };
    listing
        .files
        .iter()
        .map(|(path, _)| {
            // The very bytes that the header was taken from.
            if path == SKILL_FILE {
                return Some(item(path, skill_file));
            }
            files::read(skill, path).ok().map(|bytes| item(path, &bytes))
        })
        .collect()
}
