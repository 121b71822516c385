//! Skills as resources: the SKILL.md of each in the list, every file to be read.

use crate::{
    names::{MARKDOWN, SKILL_FILE},
    server::{address, files, page::page, snapshot::Snapshot},
};
use rmcp::{
    ErrorData,
    model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::json;
use skillful_catalog::Entry;
use skillful_runtime::resource::content_type;
use skillful_select::access::{Way, offered};
use std::io;

/// Resources on a page.
const PAGE: usize = 100;
/// The template of the addresses of a skill's files.
pub(crate) const TEMPLATE: &str = "skill://{name}/{+path}";

/// Answers `resources/list`.
pub(crate) fn list(snapshot: &Snapshot, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
    let open: Vec<usize> = offered(&snapshot.catalog, snapshot.asker(), Way::List)
        .into_iter()
        .filter(|at| address::has_files(snapshot.entry(*at)))
        .collect();
    let found = page(open, PAGE, cursor, |at| snapshot.entry(*at).address())?;
    let resources = found.items.iter().map(|at| {
        let entry = snapshot.entry(*at);
        of_file(entry, SKILL_FILE, Some(u64::from(entry.loaded.size)))
    });
    let mut result = ListResourcesResult::with_all_items(resources.collect());
    result.next_cursor = found.next;
    Ok(result)
}

/// How a file of a skill is listed. A SKILL.md has the name and the description of its frontmatter.
pub(crate) fn of_file(entry: &Entry, path: &str, size: Option<u64>) -> Resource {
    let uri = address::below(entry, path);
    let mut resource = if path == SKILL_FILE {
        let mut resource = Resource::new(uri, &entry.name).with_mime_type(MARKDOWN);
        resource.description.clone_from(&entry.loaded.manifest.description);
        resource
    } else {
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        Resource::new(uri, name).with_mime_type(content_type(path))
    };
    resource.size = size;
    resource
}

/// The template of all files.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(TEMPLATE, "skill-file").with_title("A file of a skill").with_description(
        "SKILL.md, or any file that a skill brings. `use_skill` fills in arguments; this does not.",
    )
}

/// Answers `resources/read`: the bytes of the file.
pub(crate) fn read(snapshot: &Snapshot, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let place = address::resolve(snapshot, uri, Way::Load)?;
    let data = || Some(json!({ "uri": uri }));
    let skill = snapshot.catalog.admitted(&place.proof).map_err(|error| {
        ErrorData::resource_not_found(format!("`{uri}` is not available: {error}"), data())
    })?;
    let entry = skill.entry();
    let bytes = files::read(&skill, &place.path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let words = format!("the skill `{}` has no file `{}`", entry.address(), place.path);
            ErrorData::resource_not_found(words, data())
        }
        io::ErrorKind::FileTooLarge => {
            ErrorData::invalid_params(format!("`{uri}` is too large: {error}"), data())
        }
        _ => ErrorData::internal_error(format!("`{uri}` cannot be read: {error}"), data()),
    })?;
    let contents = match String::from_utf8(bytes) {
        Ok(text) => ResourceContents::text(text, uri).with_mime_type(content_type(&place.path)),
        Err(binary) => {
            let kind = match content_type(&place.path) {
                "text/plain" => "application/octet-stream",
                known => known,
            };
            ResourceContents::blob(base64(binary.as_bytes()), uri).with_mime_type(kind)
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Bytes as the protocol carries them.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let group = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * place) & 63) as usize];
            out.push(if place > chunk.len() { '=' } else { char::from(digit) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn bytes_are_carried_as_the_standard_says() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
