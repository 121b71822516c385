//! Skills that models propose. They are written into `Settings::proposed`, which no agent reads and whose
//! skills are off until a person enables them; what a person enabled is theirs.

use crate::{names::SKILL_FILE, server::library::Snapshot};
use skillful_catalog::{
    Entry, State, disk,
    settings::{Select, SkillRule},
};
use skillful_format::{Document, Limits, Manifest, Sidecars, Tree, TreeFile, TreePath, scaffold, write};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Characters of a name.
pub const NAME_LIMIT: usize = 50;
/// Characters of a description.
pub const DESCRIPTION_LIMIT: usize = 200;
/// Characters of instructions.
pub const CONTENT_LIMIT: usize = 50_000;
/// Skills that can be proposed at a time.
pub const PROPOSALS_LIMIT: usize = 100;

/// Why a proposal was not written, shown or removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProposalError {
    #[error("skills cannot be proposed here")]
    NoPlace,
    #[error("`{name}` cannot be the name of a skill: {why}")]
    Name { name: String, why: String },
    #[error(
        "`description` must say in 1 to {DESCRIPTION_LIMIT} characters what the skill does and when to use it; it has {length}"
    )]
    Description { length: usize },
    #[error("`content` must hold the instructions in 1 to {CONTENT_LIMIT} characters; it has {length}")]
    Content { length: usize },
    #[error("`content` must be the instructions alone; leave the header between `---` lines out")]
    Header,
    #[error("the name `{name}` is taken or kept back; choose another")]
    Taken { name: String },
    #[error("{PROPOSALS_LIMIT} proposed skills wait for a person; ask them to enable or delete some first")]
    TooMany,
    #[error("no model proposed a skill `{name}`; only proposed skills can be deleted here")]
    NotOurs { name: String },
    #[error("a person enabled the skill `{name}`, so that only a person can delete it")]
    Adopted { name: String },
    #[error("the proposed skill `{name}` could not be {done}: {source}")]
    Disk { name: String, done: &'static str, source: io::Error },
}

/// Whether a name can be given: golemcore's rule, and the specification's.
fn check_name(name: &str) -> Result<(), ProposalError> {
    let refuse =
        |why: &str| ProposalError::Name { name: name.chars().take(80).collect(), why: why.to_owned() };
    if name.chars().count() > NAME_LIMIT {
        return Err(refuse("it is longer than 50 characters"));
    }
    scaffold::check_name(name).map_err(|refused| refuse(refused.why))
}

/// Writes a proposal; it is off until a person enables it.
pub(crate) fn create(
    snapshot: &Snapshot,
    name: &str,
    description: &str,
    content: &str,
) -> Result<PathBuf, ProposalError> {
    let place = snapshot.settings.proposed.as_deref().ok_or(ProposalError::NoPlace)?;
    check_name(name)?;
    let (description, content) = (description.trim(), content.trim());
    let length = description.chars().count();
    if length == 0 || length > DESCRIPTION_LIMIT {
        return Err(ProposalError::Description { length });
    }
    let length = content.chars().count();
    if length == 0 || length > CONTENT_LIMIT {
        return Err(ProposalError::Content { length });
    }
    // A header could bring servers, hooks and gates that nobody has looked at.
    if Document::read(content.as_bytes(), &Sidecars::default()).header.is_some() || content.starts_with("---")
    {
        return Err(ProposalError::Header);
    }
    let folder = place.join(name);
    let is_known = |entry: &Entry| entry.name == name || entry.address() == name;
    // A rule that outlived its skill must not switch on another one.
    let is_switched_on = |rule: &SkillRule| match &rule.select {
        Select::Name(meant) => rule.enabled && meant == name,
        Select::Path(path) => rule.enabled && path.starts_with(&folder),
    };
    if folder.symlink_metadata().is_ok()
        || snapshot.catalog.entries.iter().any(is_known)
        || snapshot.settings.rules.iter().any(is_switched_on)
    {
        return Err(ProposalError::Taken { name: name.to_owned() });
    }
    if all(snapshot).len() >= PROPOSALS_LIMIT {
        return Err(ProposalError::TooMany);
    }
    let manifest = Manifest {
        name: Some(name.to_owned()),
        description: Some(description.to_owned()),
        ..Manifest::default()
    };
    let text = format!("{}\n{content}\n", write::manifest(&manifest));
    write_skill(&folder, text).map_err(|source| ProposalError::Disk {
        name: name.to_owned(),
        done: "written",
        source,
    })?;
    Ok(folder)
}

fn write_skill(folder: &Path, text: String) -> io::Result<()> {
    let limits = Limits::default();
    let mut tree = Tree::default();
    let path = TreePath::new(SKILL_FILE, &limits).map_err(|fault| io::Error::other(fault.to_string()))?;
    tree.insert(path, TreeFile { bytes: text.into_bytes(), executable: false }, &limits)
        .map_err(|found| io::Error::other(found.message))?;
    disk::write_folder(&tree, folder).map(|_| ())
}

/// The proposed skills, with what became of them.
pub(crate) fn all(snapshot: &Snapshot) -> Vec<&Entry> {
    let Some(place) = &snapshot.settings.proposed else { return Vec::new() };
    let ours = |entry: &&Entry| entry.folder().parent() == Some(place.as_path());
    let mut found: Vec<&Entry> = snapshot.catalog.entries.iter().filter(ours).collect();
    found.sort_by_key(|entry| entry.address());
    found
}

/// A proposed skill by its name.
pub(crate) fn find<'a>(snapshot: &'a Snapshot, name: &str) -> Option<&'a Entry> {
    all(snapshot).into_iter().find(|entry| entry.folder().file_name().is_some_and(|folder| folder == name))
}

/// What became of a proposal, in one word.
pub(crate) fn word(entry: &Entry) -> &'static str {
    match entry.state {
        State::Disabled { .. } => "proposed",
        State::Ready => "enabled",
        _ => entry.state.word(),
    }
}

/// Removes a proposal that nobody enabled.
pub(crate) fn delete(snapshot: &Snapshot, name: &str) -> Result<(), ProposalError> {
    let place = snapshot.settings.proposed.as_deref().ok_or(ProposalError::NoPlace)?;
    check_name(name)?;
    let entry = find(snapshot, name).ok_or_else(|| ProposalError::NotOurs { name: name.to_owned() })?;
    if !matches!(entry.state, State::Disabled { .. } | State::Invalid) {
        return Err(ProposalError::Adopted { name: name.to_owned() });
    }
    let failed = |source| ProposalError::Disk { name: name.to_owned(), done: "deleted", source };
    // Out of sight in one step, then away.
    let gone = place.join(format!(".deleted-{name}-{}", std::process::id()));
    fs::rename(place.join(name), &gone).and_then(|()| fs::remove_dir_all(&gone)).map_err(failed)
}
