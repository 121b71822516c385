//! Trusting a repository, after seeing what its skills can do.

use super::{Library, LibraryError};
use crate::views::PathText;
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{
    Entry, TrustStore, capability::capabilities, catalog::trust_key, disk, roots::repository_of,
};
use skillful_format::{Digest, Limits, Tree, path_text};
use skillful_registry::{
    approvals::{Approvals, ApprovedBy, Approver},
    lock::SkillKey,
    review::Card,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// What trusting a repository enables.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrustPlan {
    /// The version of this view.
    pub schema: u32,
    /// The repository, links resolved.
    pub folder: PathText,
    /// Its skills.
    pub skills: Vec<TrustedSkill>,
    /// Whether the answer was written.
    pub applied: bool,
}

/// One skill of a repository.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrustedSkill {
    /// Its name.
    pub skill: String,
    /// Its folder.
    pub path: PathText,
    /// What it can do.
    pub capabilities: BTreeSet<String>,
    /// Blocking findings, each with file and line. A skill with any stays untrusted.
    pub blocking: Vec<String>,
    #[serde(skip)]
    key: String,
    #[serde(skip)]
    tree: Option<Digest>,
}

impl TrustPlan {
    /// The skills that the answer covers: those without blocking findings.
    pub fn trusted(&self) -> impl Iterator<Item = &TrustedSkill> {
        self.skills.iter().filter(|skill| skill.blocking.is_empty())
    }

    /// The skills that stay untrusted.
    pub fn left_out(&self) -> impl Iterator<Item = &TrustedSkill> {
        self.skills.iter().filter(|skill| !skill.blocking.is_empty())
    }
}

impl Library<'_> {
    /// The folder that is meant: the one named, or the repository around the workspace.
    pub fn trust_folder(&self, named: Option<&Path>) -> Result<PathBuf, LibraryError> {
        let cwd = &self.workspace.environment().cwd;
        let folder = match named {
            Some(folder) => cwd.join(folder),
            None => repository_of(cwd).unwrap_or(cwd).to_path_buf(),
        };
        if folder.is_dir() {
            return Ok(folder);
        }
        Err(LibraryError::usage(format!("`{}` is not a folder", path_text(&folder))))
    }

    /// Lists and audits the skills of a repository. Writes nothing.
    pub fn plan_trust(&self, folder: &Path) -> Result<TrustPlan, LibraryError> {
        let real = folder.canonicalize().map_err(LibraryError::io(format!("use `{}`", path_text(folder))))?;
        let workspace = self.workspace.in_folder(folder.to_path_buf());
        let catalog = workspace.catalog();
        let needs_trust = |entry: &&Entry| catalog.roots[entry.origin.root].needs_trust.is_some();
        let skills = catalog.entries.iter().filter(needs_trust).map(|entry| {
            let read = disk::read_folder(entry.folder(), &Limits::default()).map(|(tree, _)| tree);
            // Files that cannot be audited are never called clean.
            let blocking = match &read {
                Ok(tree) => blocking(tree),
                Err(error) => vec![format!("not audited: {error}")],
            };
            TrustedSkill {
                skill: entry.address(),
                path: entry.folder().into(),
                capabilities: capabilities(entry),
                blocking,
                key: trust_key(&real, entry),
                tree: read.ok().map(|tree| {
                    skillful_catalog::variables::without_values(tree, &Limits::default()).0.digest()
                }),
            }
        });
        Ok(TrustPlan {
            schema: crate::views::SCHEMA,
            skills: skills.collect(),
            folder: real.into(),
            applied: false,
        })
    }

    /// Trusts a repository with the skills of a plan that have no blocking findings. Those that its lock names are
    /// approved by their digests.
    pub fn apply_trust(&self, plan: &mut TrustPlan) -> Result<(), LibraryError> {
        let named = |skill: &TrustedSkill| Some((skill.tree?, skill.skill.rsplit(':').next()?.parse().ok()?));
        let trees: BTreeMap<Digest, SkillKey> = plan.trusted().filter_map(named).collect();
        let (data, date) = (&self.workspace.paths().data, self.date());
        let approver = Approver { data, date: &date, how: ApprovedBy::Reviewed };
        Approvals::record(approver, &trees, &self.writer)?;
        let mut store = self.workspace.trust().clone();
        let skills = plan.trusted().map(|skill| (skill.key.clone(), skill.capabilities.clone())).collect();
        store.trust(plan.folder.to_path_buf(), skills);
        store.leave_out(&plan.folder, plan.left_out().map(|skill| skill.key.clone()));
        save(self.workspace, &store)?;
        plan.applied = true;
        Ok(())
    }

    /// Takes trust back.
    pub fn untrust(&self, folder: &Path) -> Result<PathBuf, LibraryError> {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let mut store = self.workspace.trust().clone();
        if !store.untrust(&real) {
            return Err(LibraryError::new(format!("`{}` was not trusted", path_text(&real)))
                .fix("skillful trust --list shows what is"));
        }
        save(self.workspace, &store)?;
        Ok(real)
    }
}

fn blocking(tree: &Tree) -> Vec<String> {
    let found = Card::of(tree).found;
    let is_blocking = |found: &&skillful_audit::Finding| found.severity == skillful_audit::Severity::Block;
    let named =
        |found: &skillful_audit::Finding| format!("{} {}:{}", found.rule.id(), found.path, found.line);
    found.iter().filter(is_blocking).map(named).collect()
}

fn save(workspace: &Workspace, store: &TrustStore) -> Result<(), LibraryError> {
    let file = &workspace.paths().trust;
    let folder = file.parent().unwrap_or(Path::new("/"));
    let text = toml::to_string_pretty(store)
        .map_err(|error| LibraryError::new(format!("failed to write the trusted folders: {error}")))?;
    let comment = "# Folders trusted with `skillful trust`, and what their skills could do then.\n";
    let staged = folder.join(".trust.toml.new");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&staged, comment.to_owned() + &text))
        .and_then(|()| std::fs::rename(&staged, file))
        .map_err(LibraryError::io(format!("write `{}`", path_text(file))))
}
