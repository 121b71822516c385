//! Trusting the skills of a repository or of a path, after seeing what they can do and what the audit says of them.

use super::{Cards, Library, LibraryError};
use crate::{
    bindings,
    git_head::commit_of,
    views::{CapabilityView, PathText},
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_audit::{Report, Verdict, audit};
use skillful_catalog::{
    Catalog, Entry, Scope, TrustStore,
    approvals::tree_of,
    capability::{capabilities, explain, of_own, of_own_tree},
    catalog::trust_key,
    names::in_order,
    roots::repository_of,
    trust::{OwnBy, OwnSkill, TrustedFiles},
};
use skillful_format::{Digest, Tree, TreePath, path_text};
use skillful_registry::{
    approvals::{Approvals, ApprovedBy, Approver},
    bindings::Subject,
    install::{places, verify_places},
    trusted_folders,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// What trusting a repository or a path enables.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrustPlan {
    /// The version of this view.
    pub schema: u32,
    /// The repository, folder or skill, links resolved.
    pub folder: PathText,
    /// The commit that its repository has checked out.
    pub commit: Option<String>,
    /// Its skills.
    pub skills: Vec<TrustedSkill>,
    /// Whether the answer was written: false when there is nothing that it covers.
    pub applied: bool,
    /// Whether an earlier answer about this folder covers all its skills as they are.
    #[serde(skip)]
    is_recorded: bool,
    /// Whether the answer is about all skills, also those that are trusted.
    #[serde(skip)]
    is_about_all: bool,
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
    /// What the audit says; none when its files cannot be read.
    pub audit: Option<Report>,
    /// Why its files cannot be read. They are not approved then.
    pub unreadable: Option<String>,
    /// Whether it is in use: the user approved its files, before or by this answer, or writes it.
    pub is_trusted: bool,
    /// Whether the answer covers it. A skill with blocking findings is covered only by an answer that names it.
    covered: bool,
    #[serde(skip)]
    key: String,
    #[serde(skip)]
    real: PathBuf,
    #[serde(skip)]
    own: BTreeSet<String>,
    /// Its names, which its user approves with its files.
    #[serde(skip)]
    names: BTreeSet<String>,
    #[serde(skip)]
    tree: Option<Tree>,
    /// Its files by digest, and the frontmatter that the capabilities come from.
    #[serde(skip)]
    pub(super) shown: Option<(Digest, Vec<Subject>)>,
}

impl TrustedSkill {
    /// Whether the audit reports blocking findings, or could not be made.
    pub fn is_blocked(&self) -> bool {
        self.audit.as_ref().is_none_or(|audit| audit.verdict == Verdict::Blocked)
    }

    /// Whether the answer covers it. Files that cannot be read are not covered.
    pub fn is_covered(&self) -> bool {
        self.covered && self.tree.is_some()
    }

    /// Takes it out of what the answer covers.
    pub fn skip(&mut self) {
        self.covered = false;
    }

    /// Adds it to what the answer covers. With blocking findings it must be named; returns whether it is covered.
    pub fn answer(&mut self, named: Option<&str>) -> bool {
        self.covered = !self.is_blocked() || named == Some(self.skill.as_str());
        self.covered
    }

    /// What it can do, as a card shows it.
    pub fn can(&self) -> Vec<CapabilityView> {
        if self.capabilities.is_empty() {
            return Vec::new();
        }
        CapabilityView::all(&explain(&self.capabilities, self.tree.as_ref()))
    }

    /// Its files, as they were audited.
    pub fn tree(&self) -> Option<&Tree> {
        self.tree.as_ref()
    }
}

impl TrustPlan {
    /// Asks about all skills, also those that are trusted.
    #[must_use]
    pub fn about_all(mut self) -> Self {
        self.is_about_all = true;
        self
    }

    /// Whether there is nothing to answer: every skill is trusted. With `records` the answer is also about skills that
    /// are trusted elsewhere and not in this folder.
    pub fn is_answered(&self, records: bool) -> bool {
        !self.is_about_all && self.untrusted().next().is_none() && (self.is_recorded || !records)
    }

    /// The skills that the answer is about: those that are not trusted, or all when all are asked about again.
    pub fn asked_about(&self) -> impl Iterator<Item = &TrustedSkill> {
        let all = self.is_about_all || self.is_answered(false);
        self.skills.iter().filter(move |skill| all || !skill.is_trusted)
    }

    /// The same, to be answered.
    pub fn asked_about_mut(&mut self) -> impl Iterator<Item = &mut TrustedSkill> {
        let all = self.is_about_all || self.is_answered(false);
        self.skills.iter_mut().filter(move |skill| all || !skill.is_trusted)
    }

    /// The skills that the answer covers.
    pub fn trusted(&self) -> impl Iterator<Item = &TrustedSkill> {
        self.skills.iter().filter(|skill| skill.is_covered())
    }

    /// What the skills that the answer covers ask for, by name.
    pub fn asked(&self) -> Vec<(String, Vec<Subject>)> {
        let asked = self.trusted().filter_map(|skill| {
            let (_, subjects) = skill.shown.as_ref()?;
            Some((skill.skill.clone(), subjects.clone()))
        });
        asked.filter(|(_, subjects)| !subjects.is_empty()).collect()
    }

    /// The skills that stay untrusted.
    pub fn untrusted(&self) -> impl Iterator<Item = &TrustedSkill> {
        self.skills.iter().filter(|skill| !skill.is_trusted)
    }
}

/// What was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untrusted {
    /// The folder or skill, links resolved.
    pub folder: PathBuf,
    /// Skills that stay in use, since their files are approved in another way: the path and that way.
    pub still_approved: Vec<(String, String)>,
}

impl Library<'_> {
    /// The folder that is meant: the one named or that of the named file, or the repository around the workspace.
    pub fn trust_folder(&self, named: Option<&Path>) -> Result<PathBuf, LibraryError> {
        let cwd = &self.workspace.environment().cwd;
        let folder = match named {
            Some(path) => cwd.join(path),
            None => repository_of(cwd).unwrap_or(cwd).to_path_buf(),
        };
        let is_skill_file =
            folder.is_file() && folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        let folder = if is_skill_file { folder.parent().unwrap_or(&folder).to_path_buf() } else { folder };
        if folder.is_dir() {
            return Ok(folder);
        }
        Err(LibraryError::usage(format!("`{}` is not a folder", path_text(&folder))))
    }

    /// Lists and audits the skills of a repository, or at and below another path. Writes nothing.
    pub fn plan_trust(&self, folder: &Path) -> Result<TrustPlan, LibraryError> {
        let real = folder.canonicalize().map_err(LibraryError::io(format!("use `{}`", path_text(folder))))?;
        let repository = repository_of(&real).unwrap_or(&real).to_path_buf();
        let is_whole = repository == real;
        // Of a whole repository the skills of the folders between its top and the workspace belong to it.
        let cwd = self.workspace.environment().cwd.canonicalize();
        let inner = cwd.ok().filter(|cwd| is_whole && cwd.starts_with(&real));
        let around = self.workspace.in_folder(inner.unwrap_or_else(|| real.clone()));
        let needs_answer = |catalog: &Catalog, entry: &Entry| {
            let root = &catalog.roots[entry.origin.root];
            let is_around = is_whole && root.scope != Scope::Extra;
            (is_around || entry.origin.real.starts_with(&real)) && root.needs_trust.is_some()
        };
        let found = around.catalog();
        let is_skill = ["SKILL.md", "skill.md"].iter().any(|file| real.join(file).is_file());
        let is_found = found.entries.iter().any(|entry| needs_answer(&found, entry));
        // A folder of skills that no agent reads, such as one given with --root.
        let is_elsewhere = !real.join(".git").exists() && *folder != self.workspace.environment().cwd;
        let is_root = is_skill || !is_found && is_elsewhere;
        let catalog = if is_root { around.with_root(real.clone()).catalog() } else { found };
        let entries = catalog.entries.iter().filter(|entry| needs_answer(&catalog, entry));
        let skills = entries.map(|entry| {
            let mut skill = planned(entry, &real);
            skill.capabilities.extend(own_namesake(&catalog, entry));
            skill.shown = skill.shown.map(|(tree, asked)| (tree, self.bindable(asked)));
            skill
        });
        let mut skills: Vec<TrustedSkill> = skills.collect();
        skills.sort_by(|one, other| in_order(&one.skill, &other.skill));
        let recorded = self.workspace.trust().folders.get(&real);
        let is_recorded = skills.iter().all(|skill| {
            let tree = skill.shown.as_ref().map(|(tree, _)| *tree);
            recorded
                .and_then(|trusted| trusted.skills.get(&skill.key))
                .is_some_and(|files| Some(files.tree) == tree)
        });
        Ok(TrustPlan {
            is_recorded,
            is_about_all: false,
            schema: crate::views::SCHEMA,
            commit: commit_of(&repository),
            skills,
            folder: real.into(),
            applied: false,
        })
    }

    /// Trusts the skills of a plan that the answer covers: their files are approved, by digest. With `own` the user
    /// writes these skills: their text may change, and what they can do may not. A skill that the user writes stays the
    /// user's own, with what it can do now. A yes of a user who saw the cards allows what they name.
    pub fn apply_trust(&self, plan: &mut TrustPlan, own: bool, cards: Cards) -> Result<(), LibraryError> {
        let (mut trees, mut skills) = (BTreeMap::new(), BTreeMap::new());
        for skill in plan.trusted() {
            let Some(tree) = skill.tree.as_ref().map(Tree::digest) else { continue };
            trees.entry(tree).or_insert_with(BTreeSet::new).extend(skill.names.iter().cloned());
            let files = TrustedFiles { tree, can: skill.capabilities.clone() };
            skills.insert(skill.key.clone(), files);
        }
        if skills.is_empty() {
            return Ok(());
        }
        self.approve_files(&trees, ApprovedBy::Trusted)?;
        self.change_trust(|store| {
            for skill in plan.trusted() {
                let by = store.own.get(&skill.real).map(|own| own.by).or(own.then_some(OwnBy::Trusted));
                if let Some(by) = by {
                    store.own.insert(skill.real.clone(), OwnSkill { by, can: skill.own.clone() });
                }
            }
            // Trust of a path inside a repository is not trust of the repository.
            store.trust(plan.folder.to_path_buf(), skills);
        })?;
        for skill in plan.skills.iter_mut().filter(|skill| skill.covered && skill.tree.is_some()) {
            skill.is_trusted = true;
        }
        plan.applied = true;
        match cards {
            Cards::Shown => self.bind_trusted(plan),
            Cards::NotShown => Ok(()),
        }
    }

    /// Records that the user writes a skill, with the files that it has now.
    pub(super) fn own(&self, folder: &Path, tree: &Tree) -> Result<(), LibraryError> {
        let real = folder.canonicalize().map_err(LibraryError::io(format!("use `{}`", folder.display())))?;
        let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.approve_files(&BTreeMap::from([(tree.digest(), [name].into())]), ApprovedBy::Written)?;
        let own = OwnSkill { by: OwnBy::Created, can: of_own_tree(tree) };
        self.change_trust(|store| drop(store.own.insert(real, own)))
    }

    /// Changes the record of trusted folders while no other process does.
    fn change_trust(&self, change: impl FnOnce(&mut TrustStore)) -> Result<(), LibraryError> {
        let folder = self.workspace.paths().trust.parent().unwrap_or(Path::new("/"));
        Ok(trusted_folders::change(folder, &self.writer, change)?)
    }

    fn approve_files(
        &self,
        trees: &BTreeMap<Digest, BTreeSet<String>>,
        how: ApprovedBy,
    ) -> Result<(), LibraryError> {
        let (data, date) = (&self.workspace.paths().data, self.date());
        let approver = Approver { data, date: &date, how };
        Ok(Approvals::record(approver, trees, &self.writer)?)
    }

    /// Takes trust of a folder or of the skills at a path back. Files that are approved in another way stay approved,
    /// unless the path is that of installed skills only: then their approvals are taken back.
    pub fn untrust(&self, folder: &Path) -> Result<Untrusted, LibraryError> {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let mut untrusted = None;
        self.change_trust(|store| {
            let mut next = store.clone();
            let Some(trusted) = next.untrust(&real) else { return };
            // The approvals first: a run that is stopped between the two leaves nothing trusted.
            let trees =
                trusted.skills.values().map(|files| files.tree).chain(trusted.earlier.iter().copied());
            let alone: BTreeSet<Digest> = trees.filter(|tree| next.folders_with(tree).is_empty()).collect();
            let withdrawn = Approvals::withdraw_trust(&self.workspace.paths().data, &alone, &self.writer);
            if withdrawn.is_ok() {
                store.clone_from(&next);
            }
            untrusted = Some(withdrawn.map(|()| (trusted, next)));
        })?;
        let Some((trusted, store)) = untrusted.transpose()? else {
            return self.withdraw_installed(real);
        };
        let approvals = self.approvals()?;
        let still = trusted.skills.iter().filter_map(|(key, files)| {
            let approval = approvals.trees.get(&files.tree)?;
            let elsewhere =
                store.folders_with(&files.tree).first().map(|folder| path_text(folder).into_owned());
            let how = match elsewhere {
                Some(folder) => format!("trusted in {folder}"),
                None => format!("{} on {}", approval.how, approval.date),
            };
            Some((if key.is_empty() { path_text(&real).into_owned() } else { key.clone() }, how))
        });
        let still_approved = still.collect();
        Ok(Untrusted { folder: real, still_approved })
    }
}

impl Library<'_> {
    /// Takes the approvals of installed skills at or below a path back.
    fn withdraw_installed(&self, real: PathBuf) -> Result<Untrusted, LibraryError> {
        let approvals = self.approvals()?;
        let mut withdrawn = BTreeSet::new();
        for scope in [super::Scope::Project, super::Scope::User] {
            let library = Self::open(self.workspace, scope, self.now)?;
            let lock = library.lock()?;
            let now = verify_places(&lock, &library.site)?;
            for (name, locked) in &lock.skills {
                let is_meant = |place: &TreePath| {
                    library.site.path(place).canonicalize().is_ok_and(|at| at.starts_with(&real))
                };
                if places(locked).any(|(place, _)| is_meant(place)) {
                    withdrawn.extend(now.get(name).copied().into_iter().chain([locked.installed()]));
                }
            }
        }
        withdrawn.retain(|tree| approvals.has(tree));
        if withdrawn.is_empty() {
            return Err(LibraryError::new(format!("`{}` was not trusted", path_text(&real)))
                .fix("skillful trust --list shows the trusted folders"));
        }
        for tree in &withdrawn {
            Approvals::withdraw(&self.workspace.paths().data, tree, &self.writer)?;
        }
        Ok(Untrusted { folder: real, still_approved: Vec::new() })
    }
}

/// The names of a skill by every path that leads to it.
fn names(entry: &Entry) -> BTreeSet<String> {
    let others = entry.origin.also.iter().filter_map(|(_, file)| file.parent()?.file_name());
    others
        .map(|name| path_text(Path::new(name)).into_owned())
        .chain([entry.name.clone(), entry.address()])
        .collect()
}

/// What the user should know before the answer: a skill that takes the place of one of their own is called by its name.
fn own_namesake(catalog: &Catalog, entry: &Entry) -> Option<String> {
    let is_own = |other: &&Entry| {
        matches!(other.origin.scope, Scope::User | Scope::Custom | Scope::Managed)
            && catalog.roots[other.origin.root].needs_trust.is_none()
            && other.address() == entry.address()
    };
    let own = catalog.entries.iter().find(is_own)?;
    Some(format!("has the name of your own skill at {}", path_text(own.folder())))
}

fn planned(entry: &Entry, folder: &Path) -> TrustedSkill {
    let (tree, unreadable) = match tree_of(entry) {
        Ok(tree) => (Some(tree), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let mut skill = TrustedSkill {
        skill: entry.address(),
        path: entry.folder().into(),
        capabilities: capabilities(entry),
        audit: tree.as_ref().map(audit),
        unreadable,
        is_trusted: entry.approved.is_some(),
        covered: false,
        key: trust_key(folder, entry),
        real: entry.origin.real.clone(),
        own: tree.as_ref().map(|tree| of_own(entry, tree)).unwrap_or_default(),
        names: names(entry),
        shown: tree.as_ref().map(|tree| (tree.digest(), bindings::asked(&entry.loaded))),
        tree,
    };
    skill.covered = skill.is_trusted || !skill.is_blocked();
    skill
}
