//! A registry: static files that list the versions of skills. See `docs/registry.md`.
//!
//! A name that more than one registry has is refused, and so is one when any registry that could have it does not
//! answer: otherwise an attacker who makes one fail could put another in its place.

use super::{
    FetchError, Fetched, Registry, Web, WebError,
    http::{Visit, parsed, refused, shown},
    well_known::is_name,
};
use crate::{
    lock::Resolved,
    publish::shape::{self, Page, Version},
    sign,
    source::Address,
};
use skillful_format::{Code, Diagnostic, Digest};
use url::Url;

/// Versions that an error lists.
const LISTED: usize = 20;

/// What a registry lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryListing {
    /// Name, description, newest version and its files, in order of the names.
    pub skills: Vec<(String, String, Option<String>, Option<Digest>)>,
    /// What was skipped.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads what a registry lists. Nothing of it is fetched.
pub fn registry_listing(address: &Address, web: &Web) -> Result<RegistryListing, FetchError> {
    let visit = Visit::new(web);
    let url = file(&parsed(address)?, shape::INDEX)?;
    let came = visit
        .list(&url)?
        .ok_or_else(|| WebError::NoIndex { address: shown(&url), tried: shape::INDEX.to_owned() })?;
    let wrong = |why: String| WebError::NotAnIndex { address: shown(&came.address), why };
    let (listed, faults) = shape::read_index(&came.bytes).map_err(wrong)?;
    let skills = listed
        .into_iter()
        .map(|listed| (listed.name, listed.description, listed.latest, listed.tree))
        .collect();
    let diagnostics = faults.into_iter().map(|why| Diagnostic::new(Code::EntrySkipped, why)).collect();
    Ok(RegistryListing { skills, diagnostics })
}

pub(super) fn fetch(
    name: &str,
    version: Option<&str>,
    pinned: Option<&str>,
    web: &Web,
) -> Result<Fetched, FetchError> {
    let visit = Visit::new(web);
    let (label, name) = match name.split_once('/') {
        Some((label, name)) => (Some(label), name),
        None => (None, name),
    };
    let (at, page, faults) = page(&visit, label, name)?;
    let chosen = chosen(&page, version, pinned)?;
    let url = visit.web.net.join(&at, &chosen.url).map_err(|error| refused(&at, error))?;
    let came = visit.file(&url, Some(&chosen.artefact))?;
    let mut found = visit.unpacked(&came)?;
    // The digest of the registry is that of the files, without the signature.
    found.signature = sign::split(&mut found.tree);
    let got = found.tree.digest();
    let whose = || (name.to_owned(), chosen.version.to_string());
    if got != chosen.tree {
        let (name, version) = whose();
        return Err(WebError::Tree { name, version, wanted: chosen.tree, got }.into());
    }
    if found.name.as_str() != name {
        let why = format!("it calls itself `{}`", found.name);
        return Err(WebError::Entry { name: name.to_owned(), address: shown(&at), why }.into());
    }
    if let Some(why) = &chosen.yanked {
        let message = format!("{name} {} was withdrawn by its owner: {why}", chosen.version);
        found.diagnostics.push(Diagnostic::new(Code::EntrySkipped, message));
    }
    let resolved =
        Resolved { url: Some(shown(&came.address)), commit: None, version: Some(chosen.version.to_string()) };
    let diagnostics = faults.into_iter().map(|why| Diagnostic::new(Code::EntrySkipped, why)).collect();
    Ok(Fetched { diagnostics, ..Fetched::of(vec![found], resolved) })
}

/// The one page of a skill, over all registries that could have it.
fn page(visit: &Visit<'_>, label: Option<&str>, name: &str) -> Result<(Url, Page, Vec<String>), WebError> {
    let asked: Vec<&Registry> = visit
        .web
        .registries
        .iter()
        .filter(|registry| label.is_none_or(|label| registry.label == label))
        .collect();
    if asked.is_empty() {
        return Err(WebError::NoRegistry(label.map_or_else(String::new, |label| format!(" `{label}`"))));
    }
    let labels = |all: &[&Registry]| all.iter().map(|it| it.label.as_str()).collect::<Vec<_>>().join(", ");
    let not_there = || WebError::NotThere { name: name.to_owned(), asked: labels(&asked) };
    if !is_name(name) {
        return Err(not_there());
    }
    let mut found = Vec::new();
    for registry in &asked {
        let url = file(&parsed(&registry.address)?, &shape::page_path(name))?;
        let Some(came) = visit.list(&url)? else { continue };
        let wrong = |why: String| WebError::NotAnIndex { address: shown(&came.address), why };
        let (page, faults) = shape::read_page(&came.bytes, name).map_err(wrong)?;
        found.push((*registry, came.address, page, faults));
    }
    if found.len() > 1 {
        let all: Vec<&Registry> = found.iter().map(|(registry, ..)| *registry).collect();
        return Err(WebError::Ambiguous { name: name.to_owned(), labels: labels(&all) });
    }
    let (_, address, page, faults) = found.pop().ok_or_else(not_there)?;
    Ok((address, page, faults))
}

/// The version that is meant. One that was withdrawn is only taken when a lock names it.
fn chosen<'a>(page: &'a Page, version: Option<&str>, pinned: Option<&str>) -> Result<&'a Version, WebError> {
    let missing = |version: &str| {
        let there: Vec<String> =
            page.versions.iter().rev().map(|it| it.version.to_string()).take(LISTED).collect();
        let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
        WebError::NoVersion { name: page.name.clone(), version: version.to_owned(), there }
    };
    let Some(wanted) = pinned.or(version) else {
        return page.latest().ok_or_else(|| missing("that is not withdrawn"));
    };
    let found =
        page.versions.iter().find(|it| it.version.to_string() == wanted).ok_or_else(|| missing(wanted))?;
    match &found.yanked {
        Some(why) if pinned.is_none() => {
            Err(WebError::Yanked { name: page.name.clone(), version: wanted.to_owned(), why: why.clone() })
        }
        _ => Ok(found),
    }
}

/// A file of a registry.
fn file(base: &Url, path: &str) -> Result<Url, WebError> {
    let mut folder = base.clone();
    if !folder.path().ends_with('/') {
        folder.set_path(&format!("{}/", base.path()));
    }
    folder
        .join(path)
        .map_err(|_| WebError::NotAnIndex { address: shown(base), why: "it is not an address".to_owned() })
}
