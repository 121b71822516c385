//! Trusting a repository, after seeing what its skills can do.

use super::{Library, LibraryError};
use crate::bindings;
use crate::views::PathText;
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{
    Entry, TrustStore,
    approvals::tree_of,
    capability::{capabilities, declared_in},
    catalog::trust_key,
    roots::repository_of,
    trust::TrustedFiles,
};
use skillful_format::{Digest, Manifest, Tree, path_text};
use skillful_registry::{
    approvals::{Approvals, ApprovedBy, Approver},
    bindings::Subject,
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
    /// Whether the user approved its files before.
    pub is_trusted: bool,
    #[serde(skip)]
    key: String,
    #[serde(skip)]
    real: PathBuf,
    #[serde(skip)]
    tree: Option<Digest>,
    /// Its files by digest, and the frontmatter that the capabilities come from.
    #[serde(skip)]
    pub(super) shown: Option<(Digest, Manifest)>,
}

impl TrustPlan {
    /// The skills that the answer covers: those without blocking findings.
    pub fn trusted(&self) -> impl Iterator<Item = &TrustedSkill> {
        self.skills.iter().filter(|skill| skill.blocking.is_empty())
    }

    /// What the skills that the answer covers ask for, by name.
    pub fn asked(&self) -> Vec<(String, Vec<Subject>)> {
        let asked = self.trusted().filter_map(|skill| {
            let (_, manifest) = skill.shown.as_ref()?;
            Some((skill.skill.clone(), bindings::asked(manifest)))
        });
        asked.filter(|(_, subjects)| !subjects.is_empty()).collect()
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
            let read = tree_of(entry);
            // Files that cannot be read or audited are never called clean.
            let blocking = match &read {
                Ok(tree) => blocking(tree),
                Err(error) => vec![format!("not audited: {error}")],
            };
            TrustedSkill {
                skill: entry.address(),
                path: entry.folder().into(),
                capabilities: capabilities(entry),
                blocking,
                is_trusted: entry.approved.is_some(),
                key: trust_key(&real, entry),
                real: entry.origin.real.clone(),
                tree: read.as_ref().ok().map(Tree::digest),
                shown: read.ok().map(|tree| (tree.digest(), entry.loaded.manifest.clone())),
            }
        });
        Ok(TrustPlan {
            schema: crate::views::SCHEMA,
            skills: skills.collect(),
            folder: real.into(),
            applied: false,
        })
    }

    /// Trusts a repository with the skills of a plan that have no blocking findings: their files are approved, by
    /// digest. With `own` the user writes these skills, and they may change as long as they can do no more.
    pub fn apply_trust(&self, plan: &mut TrustPlan, own: bool) -> Result<(), LibraryError> {
        let mut store = self.workspace.trust().clone();
        let (mut trees, mut skills) = (BTreeMap::new(), BTreeMap::new());
        for skill in plan.trusted() {
            let Some(tree) = skill.tree else { continue };
            trees.insert(tree, skill.skill.clone());
            let files = TrustedFiles { tree, can: skill.capabilities.clone() };
            skills.insert(skill.key.clone(), files);
            if own {
                store.own.insert(skill.real.clone(), skill.capabilities.clone());
            }
        }
        self.approve_files(&trees, ApprovedBy::Trusted)?;
        store.trust(plan.folder.to_path_buf(), skills);
        save(self.workspace, &store)?;
        plan.applied = true;
        Ok(())
    }

    /// Records that the user writes a skill, with the files that it has now.
    pub(super) fn own(&self, folder: &Path, tree: &Tree) -> Result<(), LibraryError> {
        let real = folder.canonicalize().map_err(LibraryError::io(format!("use `{}`", folder.display())))?;
        let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.approve_files(&BTreeMap::from([(tree.digest(), name)]), ApprovedBy::Written)?;
        let mut store = self.workspace.trust().clone();
        store.own.insert(real, declared_in(tree));
        save(self.workspace, &store)
    }

    fn approve_files(&self, trees: &BTreeMap<Digest, String>, how: ApprovedBy) -> Result<(), LibraryError> {
        let (data, date) = (&self.workspace.paths().data, self.date());
        let approver = Approver { data, date: &date, how };
        Ok(Approvals::record(approver, trees, &self.writer)?)
    }

    /// Takes trust back.
    pub fn untrust(&self, folder: &Path) -> Result<PathBuf, LibraryError> {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let mut store = self.workspace.trust().clone();
        let Some(trusted) = store.untrust(&real) else {
            return Err(LibraryError::new(format!("`{}` was not trusted", path_text(&real)))
                .fix("skillful trust --list shows what is"));
        };
        // The approvals first: a run that is stopped between the two leaves nothing trusted.
        let trees = trusted.skills.values().map(|files| files.tree).collect();
        Approvals::withdraw_trust(&self.workspace.paths().data, &trees, &self.writer)?;
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
    let comment = "# Folders trusted with `skillful trust`, and the files of their skills then. What you approved is in approvals.toml.\n";
    let staged = folder.join(".trust.toml.new");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&staged, comment.to_owned() + &text))
        .and_then(|()| std::fs::rename(&staged, file))
        .map_err(LibraryError::io(format!("write `{}`", path_text(file))))
}
