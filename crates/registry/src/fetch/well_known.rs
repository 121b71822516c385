//! Indexes of skills at `/.well-known/agent-skills/index.json`, and the older form at `/.well-known/skills/` or, as OpenCode
//! has it, right below the address.
//!
//! An index is looked for below the given address and nowhere else: a publisher of a path does not
//! own the whole host. What an entry promises is compared before it is unpacked. An entry that cannot be
//! used is a diagnostic, and an error when it was asked for by name; it never hides another one.

mod read;
#[cfg(test)]
mod tests;

pub use read::{Artefact, Fault, Index, IndexEntry};
pub(crate) use read::{SCHEMA, is_name};

use super::{
    FetchError, Fetched, FetchedSkill, Web, WebError, choose,
    http::{Visit, archive, parsed, shown},
};
use crate::{
    lock::Resolved,
    source::{Address, SkillName},
};
use skillful_format::{Code, Diagnostic, Limits, Tree, TreeFile, TreePath};
use url::Url;

/// Where an index lies, the newer form first.
pub(crate) const PLACES: [&str; 3] =
    [".well-known/agent-skills/index.json", ".well-known/skills/index.json", "index.json"];
/// Skills of an index that are fetched at once.
const AT_ONCE: usize = 200;
/// Reasons that an error repeats.
const REASONS: usize = 3;
/// Names that an error lists.
const LISTED: usize = 20;

/// Reads the index at an address. Nothing that it lists is fetched.
pub fn index(address: &Address, web: &Web) -> Result<Index, FetchError> {
    Ok(found(&Visit::new(web), address)?)
}

fn found(visit: &Visit<'_>, address: &Address) -> Result<Index, WebError> {
    let base = parsed(address)?;
    let mut page = None;
    for place in places(&base) {
        let Some(came) = visit.list(&place)? else { continue };
        // Servers of web applications answer every address with the same page.
        if came.kind == "text/html" {
            page = Some(came);
            continue;
        }
        return Index::read(&came.bytes, &came.address, &visit.web.net)
            .map_err(|why| WebError::NotAnIndex { address: shown(&came.address), why });
    }
    match page {
        Some(page) => Err(WebError::Page { address: shown(&page.address), kind: page.kind }),
        None => Err(WebError::NoIndex { address: shown(&base), tried: PLACES.join(", ") }),
    }
}

/// The addresses that an index may have. An address of a file is used as it is.
fn places(base: &Url) -> Vec<Url> {
    if base.path().ends_with("/index.json") {
        return vec![base.clone()];
    }
    let mut folder = base.clone();
    if !folder.path().ends_with('/') {
        folder.set_path(&format!("{}/", base.path()));
    }
    PLACES.iter().filter_map(|place| folder.join(place).ok()).collect()
}

pub(super) fn fetch(address: &Address, wanted: Option<&SkillName>, web: &Web) -> Result<Fetched, FetchError> {
    if address.as_str().ends_with("/SKILL.md") {
        return archive(address, web);
    }
    let visit = Visit::new(web);
    let index = found(&visit, address)?;
    let entries: Vec<&IndexEntry> = match wanted {
        Some(wanted) => vec![named(&index, wanted.as_str())?],
        None => index.entries.iter().collect(),
    };
    if entries.len() > AT_ONCE {
        let (address, count) = (shown(&index.address), entries.len());
        return Err(WebError::TooMany { address, count, limit: AT_ONCE }.into());
    }
    let mut diagnostics = index.notes.clone();
    diagnostics.extend(index.faults.iter().map(|fault| skipped(fault.name.as_deref(), &fault.why)));
    let weight = choose::Weight::default();
    let mut skills = Vec::new();
    for entry in entries {
        match taken(&visit, &index, entry) {
            Ok(found) => {
                weight.add(&found.tree)?;
                skills.push(found);
            }
            Err(error) if wanted.is_some() => return Err(error),
            Err(error) => diagnostics.push(skipped(Some(&entry.name), &error.to_string())),
        }
    }
    if skills.is_empty() {
        let mut why: Vec<&str> =
            diagnostics.iter().map(|found| found.message.as_str()).take(REASONS).collect();
        if why.is_empty() {
            why.push("it is empty");
        }
        return Err(WebError::Nothing { address: shown(&index.address), why: why.join("; ") }.into());
    }
    let resolved = Resolved { url: Some(shown(&index.address)), ..Resolved::default() };
    Ok(Fetched { diagnostics, ..Fetched::of(skills, resolved) })
}

fn named<'a>(index: &'a Index, wanted: &str) -> Result<&'a IndexEntry, FetchError> {
    if let Some(fault) = index.faults.iter().find(|fault| fault.name.as_deref() == Some(wanted)) {
        let (name, address) = (wanted.to_owned(), shown(&index.address));
        return Err(WebError::Entry { name, address, why: fault.why.clone() }.into());
    }
    index.entries.iter().find(|entry| entry.name == wanted).ok_or_else(|| {
        let there: Vec<&str> = index.entries.iter().map(|entry| entry.name.as_str()).take(LISTED).collect();
        FetchError::NoSuchSkill { wanted: wanted.to_owned(), there: there.join(", ") }
    })
}

fn skipped(name: Option<&str>, why: &str) -> Diagnostic {
    let message = match name {
        Some(name) => format!("`{name}` was skipped: {why}"),
        None => format!("an entry was skipped: {why}"),
    };
    Diagnostic::new(Code::EntrySkipped, message)
}

/// The skill of an entry, checked.
fn taken(visit: &Visit<'_>, index: &Index, entry: &IndexEntry) -> Result<FetchedSkill, FetchError> {
    let refused =
        |why: String| WebError::Entry { name: entry.name.clone(), address: shown(&index.address), why };
    let mut found = match &entry.artefact {
        Artefact::Text { url, digest } => {
            let came = visit.file(url, Some(digest))?;
            let mut found = single(&came.bytes, &entry.name).map_err(refused)?;
            found.artefact = Some(*digest);
            found
        }
        Artefact::Archive { url, digest } => {
            let came = visit.file(url, Some(digest))?;
            if !is_archive(&came.bytes) {
                return Err(refused("it is neither a zip nor a tar.gz".to_owned()).into());
            }
            visit.unpacked(&came)?
        }
        Artefact::Files { folder, files } => {
            let mut tree = Tree::default();
            for path in files {
                let url = below(folder, path);
                let bytes = visit.file(&url, None)?.bytes;
                let limits = Limits::default();
                tree.insert(path.clone(), TreeFile { bytes, executable: false }, &limits)
                    .map_err(|found| refused(found.message))?;
            }
            whole(tree, &entry.name).map_err(refused)?
        }
    };
    if found.name.as_str() != entry.name {
        // A name in the index that differs from the one in the files could pass one skill off as another.
        return Err(refused(format!("it calls itself `{}`", found.name)).into());
    }
    found.diagnostics.extend(entry.notes.iter().cloned());
    Ok(found)
}

fn is_archive(bytes: &[u8]) -> bool {
    matches!(bytes, [b'P', b'K', 3 | 5, ..] | [0x1f, 0x8b, ..])
}

fn below(folder: &Url, path: &TreePath) -> Url {
    let mut url = folder.clone();
    if let Ok(mut parts) = url.path_segments_mut() {
        parts.pop_if_empty().extend(path.as_str().split('/'));
    }
    url
}

fn single(bytes: &[u8], name: &str) -> Result<FetchedSkill, String> {
    if is_archive(bytes) || std::str::from_utf8(bytes).is_err() {
        return Err("it is not text, and the index lists it as a SKILL.md".to_owned());
    }
    let limits = Limits::default();
    let path = TreePath::new("SKILL.md", &limits).map_err(|fault| fault.to_string())?;
    let mut tree = Tree::default();
    let file = TreeFile { bytes: bytes.to_vec(), executable: false };
    tree.insert(path, file, &limits).map_err(|found| found.message)?;
    whole(tree, name)
}

fn whole(tree: Tree, own: &str) -> Result<FetchedSkill, String> {
    let mut diagnostics = Vec::new();
    let tree = choose::plain(tree, &mut diagnostics);
    let (name, capabilities) = choose::facts_of(&tree, Some(own)).ok_or("it has no SKILL.md")?;
    Ok(FetchedSkill { name, folder: None, tree, signature: None, artefact: None, capabilities, diagnostics })
}
