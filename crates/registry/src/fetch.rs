//! Fetching: from a source to skills in memory. Nothing fetched is run, unpacked onto a disk or trusted.
//!
//! A skill arrives whole or not at all: what a skill never has (links, folders of tools, a user's values)
//! is skipped and reported; anything else that cannot be installed refuses the skill.

mod choose;
mod error;
mod git;
mod http;
mod local;
mod progress;
mod registry;
mod starter;
mod web_error;
mod well_known;

pub use error::{FetchError, GitError};
pub use git::Bounds;
pub use http::{Registry, Web};
pub use progress::{Phase, Progress};
pub use registry::{RegistryListing, registry_listing};
pub use web_error::WebError;
pub use well_known::{Artefact, Fault, Index, IndexEntry, index};
pub(crate) use well_known::{PLACES, SCHEMA, is_name};

use crate::{
    lock::{Resolved, SkillKey},
    sign::{self, Signature},
    source::{Ref, Source, SourceLocation},
};
use skillful_format::{Diagnostic, Digest, Tree, TreePath};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// What a fetch needs from outside.
#[derive(Clone, Debug)]
pub struct Outside {
    /// What relative paths are relative to.
    pub base: PathBuf,
    /// What `~` means.
    pub home: PathBuf,
    /// Variables of the user; a program gets a few of them, by name.
    pub variables: BTreeMap<String, String>,
    /// A folder for what is thrown away afterwards.
    pub scratch: PathBuf,
    /// The bounds of a fetch over git.
    pub bounds: Bounds,
    /// The way to everything that is downloaded.
    pub web: Web,
}

/// What a source held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The skills that were asked for; never none, in order of the names.
    pub skills: Vec<FetchedSkill>,
    /// What the source was.
    pub resolved: Resolved,
    /// Skills of the source that cannot be installed, though others can.
    pub refused: Vec<RefusedSkill>,
    /// What of the source was skipped, with the reason; the refused skills as well.
    pub diagnostics: Vec<Diagnostic>,
}

impl Fetched {
    /// Skills of which each can be installed.
    pub fn of(skills: Vec<FetchedSkill>, resolved: Resolved) -> Self {
        Self { skills, resolved, refused: Vec::new(), diagnostics: Vec::new() }
    }
}

/// A skill of a source that cannot be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedSkill {
    /// Its name, when that is known; else the name of its folder counts.
    pub name: Option<SkillKey>,
    /// Where in the source it lies.
    pub folder: String,
    /// What is wrong with it.
    pub why: String,
}

impl RefusedSkill {
    /// Whether a user who writes this name means it.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.as_ref().is_some_and(|own| own.as_str() == name)
            || self.folder.rsplit('/').next() == Some(name)
    }
}

/// One skill that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedSkill {
    /// The name that its folder gets; never another skill's of the same source.
    pub name: SkillKey,
    /// Where in the source it lies.
    pub folder: Option<TreePath>,
    /// Its files.
    pub tree: Tree,
    /// The signature of the files, which is none of them; not checked yet.
    pub signature: Option<Signature>,
    /// Of the archive as it arrived.
    pub artefact: Option<Digest>,
    /// What it could do.
    pub capabilities: BTreeSet<String>,
    /// What was skipped.
    pub diagnostics: Vec<Diagnostic>,
}

/// Fetches what a source names. `pinned` is the state that a lock names: the commit of a repository, which is fetched
/// instead of the ref, or the version in a registry, which may be withdrawn since.
pub fn fetch(source: &Source, pinned: Option<&Ref>, outside: &Outside) -> Result<Fetched, FetchError> {
    let mut fetched = match &source.place {
        SourceLocation::Path(path) => local::fetch(&absolute(path, outside))?,
        SourceLocation::Starter => starter::fetch()?,
        SourceLocation::Git(_) | SourceLocation::Forge { .. } => {
            outside.web.progress.report(Phase::Repository, 0, None);
            git::fetch(source, pinned, outside)?
        }
        SourceLocation::Archive(address) => http::archive(address, &outside.web)?,
        SourceLocation::WellKnown(address) => {
            well_known::fetch(address, source.skill.as_ref(), &outside.web)?
        }
        SourceLocation::Registry { name, version } => {
            let pinned = pinned.map(Ref::as_str);
            registry::fetch(name, version.as_deref(), pinned, &outside.web)?
        }
    };
    for found in &mut fetched.skills {
        if found.signature.is_none() {
            found.signature = sign::split(&mut found.tree);
        }
    }
    choose::choose(fetched, source)
}

/// The skill at the top of a folder of this disk, as it would be fetched.
pub fn read_folder(folder: &Path) -> Result<FetchedSkill, FetchError> {
    let mut found = local::one_folder(folder)?;
    found.signature = sign::split(&mut found.tree);
    Ok(found)
}

/// The folder or file that a path of a source means.
pub fn absolute(path: &str, outside: &Outside) -> PathBuf {
    match path.strip_prefix('~') {
        Some(rest) => outside.home.join(rest.trim_start_matches('/')),
        None => outside.base.join(Path::new(path)),
    }
}
