//! Skills that models propose. They are written into `Settings::proposed`, which no agent reads and whose
//! skills are disabled until the user enables them; an enabled skill belongs to the user.

use skillful_catalog::{
    Catalog, Entry, Placement, Settings, disk,
    settings::{Select, SkillRule},
};
use skillful_format::{
    Data, Document, Limits, Manifest, Sidecars, Tree, TreeFile, TreePath, scaffold, write,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The file of a skill.
const SKILL_FILE: &str = "SKILL.md";
/// The key of `metadata` that names the session.
const SESSION_KEY: &str = "proposed-in";
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
#[non_exhaustive]
pub enum ProposalError {
    /// There is no folder for proposals.
    #[error("skills cannot be proposed here")]
    NoPlace,
    /// No skill can be called so.
    #[error("`{name}` cannot be the name of a skill: {why}")]
    Name {
        /// The beginning of what was given.
        name: String,
        /// The rule that it breaks.
        why: String,
    },
    /// The description is empty or too long.
    #[error(
        "`description` must state in 1 to {DESCRIPTION_LIMIT} characters what the skill does and when to use it; it has {length}"
    )]
    Description {
        /// Its characters.
        length: usize,
    },
    /// The instructions are empty or too long.
    #[error("`content` must hold the instructions in 1 to {CONTENT_LIMIT} characters; it has {length}")]
    Content {
        /// Their characters.
        length: usize,
    },
    /// The instructions bring frontmatter of their own.
    #[error("`content` must be the instructions alone, without the frontmatter between `---` lines")]
    Header,
    /// Another skill, or a rule about one, has the name.
    #[error("the name `{name}` is taken or reserved; choose another")]
    Taken {
        /// The name.
        name: String,
    },
    /// The user has to decide about others first.
    #[error(
        "{PROPOSALS_LIMIT} proposed skills are pending review; ask the user to approve or reject some first"
    )]
    TooMany,
    /// Not a proposal.
    #[error("no model proposed a skill `{name}`; only proposed skills can be changed or deleted here")]
    NotOurs {
        /// The name.
        name: String,
    },
    /// The user enabled it.
    #[error("the user enabled the skill `{name}`; only the user can change or delete it")]
    Adopted {
        /// The name.
        name: String,
    },
    /// The operating system failed.
    #[error("the proposed skill `{name}` could not be {done}: {source}")]
    Disk {
        /// The name.
        name: String,
        /// What was tried.
        done: &'static str,
        /// The system's error.
        source: io::Error,
    },
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

/// What a model wants to be a skill.
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does and when to use it.
    pub description: &'a str,
    /// The instructions.
    pub content: &'a str,
    /// The session in which it was proposed, when there is one.
    pub session: Option<&'a str>,
}

/// The proposals of one moment. A caller that changes them reads them again before the next change.
#[derive(Clone, Copy, Debug)]
pub struct Proposals<'c, 's> {
    catalog: &'c Catalog,
    settings: &'s Settings,
}

impl<'c, 's> Proposals<'c, 's> {
    /// Those among the skills of a catalog.
    pub fn new(catalog: &'c Catalog, settings: &'s Settings) -> Self {
        Self { catalog, settings }
    }

    /// The proposed skills, with their placement.
    pub fn all(&self) -> Vec<&'c Entry> {
        let Some(place) = &self.settings.proposed else { return Vec::new() };
        let ours = |entry: &&Entry| entry.folder().parent() == Some(place.as_path());
        let mut found: Vec<&Entry> = self.catalog.entries.iter().filter(ours).collect();
        found.sort_by_key(|entry| entry.address());
        found
    }

    /// A proposed skill by its name.
    pub fn find(&self, name: &str) -> Option<&'c Entry> {
        let is = |entry: &&Entry| entry.folder().file_name().is_some_and(|folder| folder == name);
        self.all().into_iter().find(is)
    }

    /// Writes a new proposal; it is disabled until the user enables it.
    pub fn create(&self, proposal: &Proposal<'_>) -> Result<PathBuf, ProposalError> {
        let place = self.place()?;
        let name = proposal.name;
        let text = text_of(proposal)?;
        let folder = place.join(name);
        let is_known = |entry: &Entry| entry.name == name || entry.address() == name;
        // A rule that outlived its skill must not enable another one.
        let is_switched_on = |rule: &SkillRule| match &rule.select {
            Select::Name(meant) => rule.enabled && meant == name,
            Select::Path(path) => rule.enabled && path.starts_with(&folder),
        };
        if folder.symlink_metadata().is_ok()
            || self.catalog.entries.iter().any(is_known)
            || self.settings.rules.iter().any(is_switched_on)
        {
            return Err(ProposalError::Taken { name: name.to_owned() });
        }
        if self.all().len() >= PROPOSALS_LIMIT {
            return Err(ProposalError::TooMany);
        }
        write_skill(&folder, text).map_err(failed(name, "written"))?;
        Ok(folder)
    }

    /// Replaces a proposal that is not enabled.
    pub fn update(&self, proposal: &Proposal<'_>) -> Result<PathBuf, ProposalError> {
        let folder = self.waiting(proposal.name)?;
        let text = text_of(proposal)?;
        let before = write_skill(&folder, text).map_err(failed(proposal.name, "written"))?;
        if let Some(before) = before {
            fs::remove_dir_all(before).map_err(failed(proposal.name, "written"))?;
        }
        Ok(folder)
    }

    /// Writes a proposal, in place of a pending one of the same name.
    pub fn save(&self, proposal: &Proposal<'_>) -> Result<PathBuf, ProposalError> {
        match self.find(proposal.name) {
            Some(_) => self.update(proposal),
            None => self.create(proposal),
        }
    }

    /// Removes a proposal that is not enabled.
    pub fn delete(&self, name: &str) -> Result<(), ProposalError> {
        let folder = self.waiting(name)?;
        // Out of sight in one step, then away.
        let gone = folder.with_file_name(format!(".deleted-{name}-{}", std::process::id()));
        fs::rename(&folder, &gone).and_then(|()| fs::remove_dir_all(&gone)).map_err(failed(name, "deleted"))
    }

    fn place(&self) -> Result<&'s Path, ProposalError> {
        self.settings.proposed.as_deref().ok_or(ProposalError::NoPlace)
    }

    /// The folder of a proposal about which no user decided.
    fn waiting(&self, name: &str) -> Result<PathBuf, ProposalError> {
        let place = self.place()?;
        check_name(name)?;
        let entry = self.find(name).ok_or_else(|| ProposalError::NotOurs { name: name.to_owned() })?;
        if !is_waiting(entry) {
            return Err(ProposalError::Adopted { name: name.to_owned() });
        }
        Ok(place.join(name))
    }
}

/// Whether a proposal is pending review.
pub fn is_waiting(entry: &Entry) -> bool {
    matches!(entry.placement, Placement::Disabled { .. } | Placement::Invalid)
}

/// The state of a proposal, in one word.
pub fn word(entry: &Entry) -> &'static str {
    match entry.placement {
        Placement::Disabled { .. } => "proposed",
        Placement::Active => "enabled",
        _ => entry.placement.word(),
    }
}

/// The session in which a skill was proposed, when its frontmatter names it.
pub fn session_of(manifest: &Manifest) -> Option<&str> {
    manifest.metadata.iter().find(|(key, _)| key == SESSION_KEY).and_then(|(_, value)| match value {
        Data::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

/// The file of a proposal that keeps to the limits.
fn text_of(proposal: &Proposal<'_>) -> Result<String, ProposalError> {
    check_name(proposal.name)?;
    let (description, content) = (proposal.description.trim(), proposal.content.trim());
    let length = description.chars().count();
    if length == 0 || length > DESCRIPTION_LIMIT {
        return Err(ProposalError::Description { length });
    }
    let length = content.chars().count();
    if length == 0 || length > CONTENT_LIMIT {
        return Err(ProposalError::Content { length });
    }
    // Frontmatter could bring servers, hooks and gates that no user reviewed.
    if Document::read(content.as_bytes(), &Sidecars::default()).frontmatter.is_some()
        || content.starts_with("---")
    {
        return Err(ProposalError::Header);
    }
    let session = |session: &str| (SESSION_KEY.to_owned(), Data::Text(session.to_owned()));
    let manifest = Manifest {
        name: Some(proposal.name.to_owned()),
        description: Some(description.to_owned()),
        metadata: proposal.session.map(session).into_iter().collect(),
        ..Manifest::default()
    };
    Ok(format!("{}\n{content}\n", write::manifest(&manifest)))
}

/// What stood there before, put aside.
fn write_skill(folder: &Path, text: String) -> io::Result<Option<PathBuf>> {
    let limits = Limits::default();
    let mut tree = Tree::default();
    let path = TreePath::new(SKILL_FILE, &limits).map_err(|fault| io::Error::other(fault.to_string()))?;
    tree.insert(path, TreeFile { bytes: text.into_bytes(), executable: false }, &limits)
        .map_err(|found| io::Error::other(found.message))?;
    disk::write_folder(&tree, folder)
}

fn failed(name: &str, done: &'static str) -> impl FnOnce(io::Error) -> ProposalError {
    move |source| ProposalError::Disk { name: name.to_owned(), done, source }
}

#[cfg(test)]
mod tests;
