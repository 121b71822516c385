//! A skill of a catalog: its fields, where it was found, and its placement.

use crate::{
    bounded::{self, Boundary},
    load::Loaded,
    profile::{RootKind, Scope},
    skipped_place::SkippedPlace,
    state::{PendingReason, UntrustedReason},
};
use serde::Serialize;
use skillful_format::{Code, Diagnostic, Digest};
use std::{
    io,
    ops::{Deref, DerefMut},
    path::{Path, PathBuf},
    sync::Arc,
};

/// A skill of a catalog.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name it goes by.
    pub name: String,
    /// The plugin or folder that qualifies the name.
    pub qualifier: Option<String>,
    /// Where it was found.
    pub origin: Origin,
    /// Its frontmatter, its sidecars and what was found while reading it.
    pub loaded: Box<Loaded>,
    /// Whether it is in use, and why not.
    pub placement: Placement,
    /// What few skills have.
    rare: Option<Box<RareParts>>,
}

/// What few skills of a catalog have. It is read and written as if it were part of the [`Entry`], and takes no memory where
/// there is none of it.
#[derive(Clone, Debug, Default)]
pub struct RareParts {
    /// Where its parts come from, when an operator overrides a bundled skill.
    pub overridden: Option<Override>,
    /// The files that the user approved, when it needs an approval; compared again each time it is used.
    pub approved: Option<Digest>,
    /// Variables it requires that have no value here; names only, and never remembered on disk.
    pub missing_variables: Vec<String>,
    /// What an agent makes of it, in a catalog as that agent has it.
    pub seen_by: Option<SeenBy>,
    /// The name that its name looks like although it is another.
    pub looks_like: Option<String>,
    /// Skills of the user, by file, whose place this skill of a repository takes.
    pub displaces: Vec<PathBuf>,
    /// The pattern of the configuration that keeps it from models.
    pub forbidden: Option<String>,
}

static NONE: RareParts = RareParts {
    overridden: None,
    approved: None,
    missing_variables: Vec::new(),
    seen_by: None,
    looks_like: None,
    displaces: Vec::new(),
    forbidden: None,
};

impl Deref for Entry {
    type Target = RareParts;

    fn deref(&self) -> &RareParts {
        self.rare.as_deref().unwrap_or(&NONE)
    }
}

impl DerefMut for Entry {
    fn deref_mut(&mut self) -> &mut RareParts {
        self.rare.get_or_insert_default()
    }
}

impl Entry {
    /// A skill that was found, before it is placed.
    pub(crate) fn found(
        name: String,
        qualifier: Option<String>,
        origin: Origin,
        loaded: Box<Loaded>,
    ) -> Self {
        Self { name, qualifier, origin, loaded, placement: Placement::Active, rare: None }
    }

    /// Sets what the judge says of it.
    pub(crate) fn judged(
        &mut self,
        placement: Placement,
        approved: Option<Digest>,
        forbidden: Option<String>,
    ) {
        self.placement = placement;
        // Most have neither, and then nothing is made for them.
        if self.approved != approved {
            self.approved = approved;
        }
        if self.forbidden != forbidden {
            self.forbidden = forbidden;
        }
    }
}

/// What one agent makes of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "agent_view")]
pub enum SeenBy {
    /// The agent loads it and offers it to its model.
    Offered,
    /// The agent loads it and keeps it from its model.
    Loaded,
    /// The agent loads it and offers it once a file that its `paths` name is used.
    Waits,
    /// The agent does not load it.
    Missed {
        /// The agent.
        agent: String,
        /// Why not.
        why: String,
        /// What would change that.
        fix: Option<String>,
    },
}

/// Where a skill was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its root, as an index into the roots of the catalog.
    pub root: usize,
    /// Whose skill it is.
    pub scope: Scope,
    /// Skill folder, command file, …
    pub kind: RootKind,
    /// The file that makes it a skill, as found.
    pub file: PathBuf,
    /// The skill's folder, or the command's file, links resolved.
    pub real: PathBuf,
    /// Other ways that lead to the same folder: root and path.
    pub also: Vec<(usize, PathBuf)>,
    /// Where its files must be; none for a user's own skill.
    pub within: Option<Arc<Boundary>>,
    /// The place that Skillful does not load skills from.
    pub skipped: Option<SkippedPlace>,
}

/// Where the parts of an overridden skill come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Override {
    /// The file that the body is taken from.
    pub body: PathBuf,
    /// The files that the metadata is taken from, the strongest first.
    pub metadata: Vec<PathBuf>,
    /// The `skill.toml` of a project that overrides a skill of the same project. It counts among the files of the
    /// skill, so that an approval is about it too. None when an operator overrides the skill.
    pub project_file: Option<PathBuf>,
}

/// The placement of a skill when the catalog was made. The gate decides who may use a placed skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum Placement {
    /// In use.
    Active,
    /// Another skill of the same name comes first.
    Shadowed {
        /// That skill, as an index into the catalog.
        by: usize,
    },
    /// Disabled.
    Disabled {
        /// By what.
        by: DisabledBy,
    },
    /// It is a skill of a repository, and the user has not approved its files.
    Untrusted {
        /// Why it is not trusted.
        why: UntrustedReason,
    },
    /// It is installed, and the user has not approved its files as they are now.
    Pending {
        /// Why it waits.
        why: PendingReason,
    },
    /// Not readable; its gates are closed.
    Invalid,
}

impl Placement {
    /// One word for a table.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Active => "available",
            Self::Shadowed { .. } => "shadowed",
            Self::Disabled { .. } => "disabled",
            Self::Untrusted { .. } => "untrusted",
            Self::Pending { .. } => "pending",
            Self::Invalid => "invalid",
        }
    }
}

/// What disabled a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum DisabledBy {
    /// Its agent or scope is disabled.
    Source,
    /// An ignore glob.
    Ignore {
        /// As written.
        glob: String,
    },
    /// It is on no include list.
    NotIncluded,
    /// Rules about skills that cannot be read.
    Unreadable {
        /// The configuration.
        file: PathBuf,
    },
    /// A rule about this skill.
    Rule {
        /// Whose rule.
        owner: crate::settings::RuleOwner,
    },
    /// Its place, where only some agents load skills.
    Place(SkippedPlace),
}

impl Entry {
    /// The name with what qualifies it: `plugin:skill`, `apps/web:deploy`.
    pub fn address(&self) -> String {
        match &self.qualifier {
            Some(qualifier) => format!("{qualifier}:{}", self.name),
            None => self.name.clone(),
        }
    }

    /// The folder of the skill as found; a command file's is the folder it lies in.
    pub fn folder(&self) -> &Path {
        self.origin.file.parent().unwrap_or(&self.origin.file)
    }

    /// The warning that a skill of a repository takes the place of one of the user.
    pub fn displacement(&self) -> Option<Diagnostic> {
        let first = self.displaces.first()?;
        let message = format!(
            "`{}` of this repository takes the place of your own skill at `{}`",
            self.address(),
            first.display()
        );
        let help = format!("to use your own, run `skillful disable {}`", self.folder().display());
        Some(Diagnostic::new(Code::DisplacesOwn, message).in_path(&self.origin.file).help(help))
    }

    /// Opens the skill's folder, which must still be where the skill may lie.
    pub fn open_folder(&self) -> io::Result<cap_std::fs::Dir> {
        bounded::open_folder(self.folder(), self.origin.within.as_deref())
    }

    /// Reads a file beside the skill's own: at most `limit` bytes of its beginning.
    pub fn read_start(&self, name: &str, limit: usize) -> Result<String, bounded::ReadError> {
        bounded::read_start(&self.folder().join(name), limit, self.origin.within.as_deref())
            .map(|(text, _)| text)
    }

    /// The description that a user reads: that of the frontmatter, else that of the sidecar.
    pub fn description(&self) -> Option<&str> {
        self.loaded.manifest.description.as_deref().or(self.loaded.sidecar.short_description.as_deref())
    }
}
