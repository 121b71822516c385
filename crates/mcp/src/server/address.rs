//! Addresses of skills and their files as the Skills extension writes them: `skill://name/file`, and
//! `skill://~plugin/name/file` for a skill whose name is qualified. The last part of a skill's path is its
//! name, and a `~`, which no name starts with, keeps the two forms apart.

use crate::{names::SKILL_FILE, server::snapshot::Snapshot};
use rmcp::ErrorData;
use serde_json::json;
use skillful_catalog::{Entry, profile::RootKind};
use skillful_runtime::resource::{self as uri, SCHEME};
use skillful_select::access::{Admitted, Way, reach};

/// What marks the qualifier of a name.
const QUALIFIED: char = '~';

/// A file or folder of a skill.
pub(crate) struct SkillFile {
    /// The gate's proof for the skill.
    pub proof: Admitted,
    /// Relative to the skill; empty for its folder.
    pub path: String,
}

/// Whether a skill has files that can be served as they are: a command has no folder, and of a skill
/// that an operator overrides the file on disk is not what counts.
pub(crate) fn has_files(entry: &Entry) -> bool {
    entry.origin.kind != RootKind::Commands
        && entry.overridden.is_none()
        && !entry.name.is_empty()
        && !entry.name.starts_with(QUALIFIED)
        && !entry.name.contains('/')
}

/// The address of a skill's folder.
pub(crate) fn folder(entry: &Entry) -> String {
    let name = encode(&entry.name);
    match &entry.qualifier {
        Some(qualifier) => format!("{SCHEME}{QUALIFIED}{}/{name}", encode(qualifier)),
        None => format!("{SCHEME}{name}"),
    }
}

/// The address of something below a skill.
pub(crate) fn below(entry: &Entry, path: &str) -> String {
    let path: Vec<String> = path.split('/').map(encode).collect();
    format!("{}/{}", folder(entry), path.join("/"))
}

/// The address of a skill's SKILL.md.
pub(crate) fn skill_file(entry: &Entry) -> String {
    below(entry, SKILL_FILE)
}

/// The skill file at an address, as a caller may reach it this way. The error is the same for a file that does not
/// exist and for one that the caller may not see.
pub(crate) fn resolve(snapshot: &Snapshot, uri: &str, way: Way) -> Result<SkillFile, ErrorData> {
    let unknown = |words: String| ErrorData::resource_not_found(words, Some(json!({ "uri": uri })));
    let no_skill = || unknown(format!("`{uri}` is not the address of a skill or of one of its files"));
    let parts = parts(uri).ok_or_else(no_skill)?;
    let (qualifier, name, path) = match parts.as_slice() {
        [first, name, path @ ..] if first.starts_with(QUALIFIED) => {
            (Some(&first[QUALIFIED.len_utf8()..]), name, path)
        }
        [name, path @ ..] if !name.starts_with(QUALIFIED) => (None, name, path),
        _ => return Err(no_skill()),
    };
    let address = qualifier.map_or_else(|| name.clone(), |qualifier| format!("{qualifier}:{name}"));
    if path.iter().any(|part| part.contains('/')) {
        return Err(no_skill());
    }
    let proof = reach(&snapshot.catalog, &address, snapshot.asker(), way)
        .map_err(|refusal| unknown(refusal.message()))?;
    let entry = snapshot.entry(proof.entry());
    // A skill has one address, however many words would find it.
    if !has_files(entry) || (entry.qualifier.as_deref(), &entry.name) != (qualifier, name) {
        return Err(no_skill());
    }
    Ok(SkillFile { proof, path: path.join("/") })
}

/// The decoded parts of an address; `None` when one of them could lead elsewhere.
fn parts(uri: &str) -> Option<Vec<String>> {
    let rest = uri.strip_prefix(SCHEME)?;
    let parts: Option<Vec<String>> = rest.split('/').map(|part| uri::decode(part).ok()).collect();
    parts.filter(|parts| {
        parts
            .iter()
            .all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', '\0']))
    })
}

/// A part with everything escaped that an address could read otherwise.
fn encode(text: &str) -> String {
    uri::encode(text, b"-_.~+,=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_escape_hides_a_way_out() {
        for uri in [
            "skill://a/../b",
            "skill://a/%2e%2e/b",
            "skill://a//b",
            "skill://a/b%5Cc",
            "skill://a/%00",
            "file:///a",
            "skill://",
            "skill://a/",
        ] {
            assert_eq!(parts(uri), None, "{uri}");
        }
        assert_eq!(parts("skill://a/b%20c/d.md"), Some(vec!["a".into(), "b c".into(), "d.md".into()]));
    }

    #[test]
    fn what_is_encoded_is_decoded_again() {
        for text in ["a b", "ä/ö", "100%", "x:y", "~z"] {
            assert_eq!(uri::decode(&encode(text)).as_deref(), Ok(text));
        }
    }
}
