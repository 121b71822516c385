//! Skills into a folder that any server of static files can offer: reproducible archives, the files of a registry,
//! and a well-known index. First a plan, which is a value; then it is written.
//!
//! A version never changes: publishing the same files again changes nothing, and other files under the same version
//! are refused.
//! Files are written one by one, each whole, archives before what names them; so a reader in the meantime, or
//! after a crash, finds a correct index.

mod error;
mod judge;
pub mod shape;

pub use error::PublishError;
pub use judge::{Offer, Refused};

use crate::{atomic_write::AtomicWriter, fetch::PLACES, sign};
use cap_std::{ambient_authority, fs::Dir};
use serde_json::Value;
use shape::{Page, Version, archive_path, index_entry, index_of, page_path};
use skillful_audit::{Finding, Severity};
use skillful_catalog::bounded::{self, ReadError};
use skillful_format::{Digest, Limits, digest_bytes};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
};

/// Bytes of a file of a registry that is read again.
const FILE_LIMIT: u64 = 16 << 20;
/// What stands before a path of the registry in the well-known index, which lies two folders deep.
const UP: &str = "../../";

/// What would be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishPlan {
    /// What happens to each skill, in order of the names.
    pub skills: Vec<PublishStep>,
    /// Files that change, in the order in which they are written.
    pub files: Vec<(String, Vec<u8>)>,
}

/// What happens to one skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishStep {
    /// The skill.
    pub name: String,
    /// The version.
    pub version: semver::Version,
    /// Whether it was there already, with the same files.
    pub there: bool,
    /// What could not be looked into.
    pub notes: Vec<String>,
    /// Blocking findings and warnings of the audit.
    pub findings: Vec<Finding>,
}

impl PublishStep {
    /// Whether it is new and has blocking findings, so that it needs an answer that names it.
    pub fn is_blocked(&self) -> bool {
        !self.there && self.findings.iter().any(|finding| finding.severity == Severity::Block)
    }
}

/// Plans to publish skills into a folder. `day` is recorded with new versions.
pub fn plan(folder: &Path, offers: &[Offer], day: Option<&str>) -> Result<PublishPlan, PublishError> {
    let judged = judge::judge(offers)?;
    let mut pages = pages(folder)?;
    let mut files = Vec::new();
    let mut skills = Vec::new();
    for offer in judged {
        let page = pages
            .entry(offer.name.clone())
            .or_insert_with(|| Page { name: offer.name.clone(), versions: Vec::new() });
        let (name, version) = (&offer.name, &offer.version);
        let path = archive_path(name, version);
        let old = page.versions.iter().find(|it| it.version == *version).cloned();
        let there = old.is_some();
        if let Some(old) = &old
            && old.tree != offer.tree
        {
            let (name, version) = (name.clone(), version.to_string());
            return Err(PublishError::Taken { name, version, there: old.tree, new: offer.tree });
        }
        let artefact = digest_bytes(&offer.archive);
        match old {
            // What was published stays, also when another program would pack the same files differently.
            Some(old) if holds(&folder.join(&path), old.artefact) => {}
            Some(old) if old.artefact != artefact => {
                let (name, version) = (name.clone(), version.to_string());
                return Err(PublishError::Lost { name, version, wanted: old.artefact, path });
            }
            Some(_) => files.push((path, offer.archive)),
            None => {
                page.versions.push(Version {
                    version: version.clone(),
                    description: offer.description,
                    url: format!("../{path}"),
                    artefact,
                    tree: offer.tree,
                    yanked: None,
                    published: day.map(str::to_owned),
                });
                page.versions.sort_by(|a, b| a.version.cmp(&b.version));
                files.push((path, offer.archive));
            }
        }
        skills.push(PublishStep {
            name: offer.name,
            version: offer.version,
            there,
            notes: offer.notes,
            findings: offer.findings,
        });
    }
    let changed = skills.iter().map(|step| step.name.clone()).collect();
    files.extend(lists(&pages, &changed));
    Ok(PublishPlan { skills, files: changes(folder, files) })
}

/// Plans to withdraw a version, with a reason for users.
pub fn plan_yank(folder: &Path, name: &str, version: &str, why: &str) -> Result<PublishPlan, PublishError> {
    let mut pages = pages(folder)?;
    let missing = || PublishError::NotThere { name: name.to_owned(), version: version.to_owned() };
    let page = pages.get_mut(name).ok_or_else(missing)?;
    let found = page.versions.iter_mut().find(|it| it.version.to_string() == version).ok_or_else(missing)?;
    let there = found.yanked.is_some();
    if !there {
        found.yanked = Some(why.to_owned());
    }
    let step = PublishStep {
        name: name.to_owned(),
        version: found.version.clone(),
        there,
        notes: Vec::new(),
        findings: Vec::new(),
    };
    let files = lists(&pages, &BTreeSet::from([name.to_owned()]));
    Ok(PublishPlan { skills: vec![step], files: changes(folder, files) })
}

/// The files that name archives, the most particular first.
fn lists(pages: &BTreeMap<String, Page>, changed: &BTreeSet<String>) -> Vec<(String, Vec<u8>)> {
    let own = pages.values().filter(|page| changed.contains(&page.name));
    let mut files: Vec<(String, Vec<u8>)> =
        own.map(|page| (page_path(&page.name), shape::write_page(page).into_bytes())).collect();
    let listed: Vec<_> = pages.values().map(Page::listed).collect();
    files.push((shape::INDEX.to_owned(), shape::write_index(&listed).into_bytes()));
    files.push((PLACES[0].to_owned(), shape::pretty(&well_known(pages)).into_bytes()));
    files
}

/// Without the files that have the same text already.
fn changes(folder: &Path, mut files: Vec<(String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
    files.retain(|(path, bytes)| !read(&folder.join(path)).is_ok_and(|now| now.as_ref() == Some(bytes)));
    files
}

/// Whether a file is there and has those bytes.
fn holds(path: &Path, digest: Digest) -> bool {
    read(path).is_ok_and(|now| now.is_some_and(|now| digest_bytes(&now) == digest))
}

/// Carries out a plan, and returns how many files changed. A skill with blocking findings is published only when
/// `despite_findings` has its name; without it nothing is.
pub fn write(
    plan: &PublishPlan,
    folder: &Path,
    despite_findings: &BTreeSet<String>,
    writer: &AtomicWriter,
) -> Result<usize, PublishError> {
    let open = plan.skills.iter().filter(|step| step.is_blocked() && !despite_findings.contains(&step.name));
    let blocked: Vec<PublishStep> = open.cloned().collect();
    if !blocked.is_empty() {
        return Err(PublishError::Blocked(blocked));
    }
    let failed = |path: &str, error| PublishError::Disk { path: folder.join(path), error };
    bounded::stays_inside(folder).map_err(|error| failed("", error.into()))?;
    std::fs::create_dir_all(folder).map_err(|error| failed("", error))?;
    let top = Dir::open_ambient_dir(folder, ambient_authority()).map_err(|error| failed("", error))?;
    for (path, bytes) in &plan.files {
        let (parent, name) = path.rsplit_once('/').unwrap_or((".", path));
        let put = || {
            writer.make_folders(&top, parent)?;
            writer.write_file(&top.open_dir(parent)?, name, bytes)
        };
        put().map_err(|error| failed(path, error))?;
    }
    Ok(plan.files.len())
}

/// The index that agents look for: the newest version of each skill.
fn well_known(pages: &BTreeMap<String, Page>) -> Value {
    let skills: Vec<Value> = pages
        .values()
        .filter_map(|page| {
            let latest = page.latest()?;
            let url = format!("{UP}{}", archive_path(&page.name, &latest.version));
            Some(index_entry(&page.name, &latest.description, &url, &latest.artefact))
        })
        .collect();
    index_of(&skills)
}

/// What the folder holds already. A file that cannot be read stops everything: writing the index without it
/// would withdraw a skill by mistake.
fn pages(folder: &Path) -> Result<BTreeMap<String, Page>, PublishError> {
    let skills = folder.join("skills");
    let entries = match std::fs::read_dir(&skills) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(PublishError::Disk { path: skills, error }),
    };
    let mut names = BTreeSet::new();
    for entry in entries {
        let entry = entry.map_err(|error| PublishError::Disk { path: skills.clone(), error })?;
        names.extend(
            entry.file_name().to_str().and_then(|name| name.strip_suffix(".json")).map(str::to_owned),
        );
    }
    let mut pages = BTreeMap::new();
    for name in names.into_iter().filter(|name| crate::fetch::is_name(name)) {
        let path = folder.join(page_path(&name));
        let damaged = |why: String| PublishError::Damaged { path: path.clone(), why };
        let bytes = read(&path).map_err(|error| PublishError::Disk { path: path.clone(), error })?;
        let bytes = bytes.ok_or_else(|| damaged("it is gone".to_owned()))?;
        let (page, faults) = shape::read_page(&bytes, &name).map_err(damaged)?;
        if let Some(fault) = faults.into_iter().next() {
            return Err(damaged(fault));
        }
        pages.insert(name, page);
    }
    Ok(pages)
}

/// A file, when it is there and not larger than any of ours.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let limit = FILE_LIMIT.max(Limits::default().packed_bytes);
    match bounded::read(path, limit, bounded::around(path).as_ref()) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(ReadError::Missing) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Reads an archive back as a client would, so that every published archive can be installed.
fn reads_back(archive: &[u8], wanted: Digest) -> Result<(), String> {
    let mut package = skillful_archive::read(archive, Some("skill.tar.gz"), &Limits::default())
        .map_err(|it| it.to_string())?;
    drop(sign::split(&mut package.tree));
    if package.tree.digest() == wanted {
        Ok(())
    } else {
        Err("its archive does not give the same files".to_owned())
    }
}
