//! Skills that wait for an answer: pending ones, installed ones whose files are not approved, and proposed ones.

use super::{Applied, InstallPlan, Library, LibraryError, Scope};
use crate::{calendar, views::PathText, workspace::is_waiting};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{Entry, disk, names::in_order, variables::without_values};
use skillful_database::Database;
use skillful_format::{Digest, Document, Limits, Sidecars, Tree, TreePath, path_text};
use skillful_registry::{
    Lock,
    approvals::{Approvals, ApprovedBy},
    install::{
        Action, PlanStep, plan_approve, plan_approve_edits, plan_discard_edits, plan_remove, verify_places,
    },
    lock::{LOCK_FILE, Locked, SkillKey},
    review::Card,
    sign::recheck_one,
};
use skillful_runtime::{
    authored_skills::AuthoredSkillError,
    propose::{self, Proposals, session_of},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::UNIX_EPOCH,
};

/// Why a skill waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewKind {
    /// The assistant wrote it.
    Proposed,
    /// Downloaded for the project, and not installed yet.
    Project,
    /// Downloaded for the user, and not installed yet.
    User,
    /// Installed for the project, with files that the user did not approve.
    ProjectChanged,
    /// Installed for the user, with files that the user did not approve.
    UserChanged,
}

impl ReviewKind {
    /// The word before the name where several skills share one.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Project | Self::ProjectChanged => "project",
            Self::User | Self::UserChanged => "user",
        }
    }

    /// Whether it is installed already.
    pub fn is_changed(self) -> bool {
        matches!(self, Self::ProjectChanged | Self::UserChanged)
    }

    fn scope(self) -> Scope {
        match self {
            Self::User | Self::UserChanged => Scope::User,
            Self::Proposed | Self::Project | Self::ProjectChanged => Scope::Project,
        }
    }
}

/// A skill that waits for an answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewItem {
    /// Its name; of a proposed one that of its folder, which nothing in it can change.
    pub name: String,
    /// Why it waits.
    #[serde(rename = "for")]
    pub kind: ReviewKind,
    /// What it says of itself.
    pub description: String,
    /// Where it comes from.
    pub source: Option<String>,
    /// The version, commit or address.
    pub at: Option<String>,
    /// Who signed it, by the signature that is kept and not by the word of a lock.
    pub signer: Option<String>,
    /// The digest of the files that wait.
    pub tree: Option<Digest>,
    /// Whether it is installed with files that are not those of the lock.
    pub edited: bool,
    /// When the files before the change were approved.
    pub approved_on: Option<String>,
    /// Where it goes, or lies.
    pub places: Vec<PathText>,
    /// When it was proposed, in seconds since 1970.
    pub written: Option<u64>,
    /// The session that it was proposed in.
    pub session: Option<String>,
    /// What a check says of a proposed one.
    pub diagnostics: Vec<String>,
}

/// What a decision about a skill is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reviewed {
    /// The files with this digest, whose card the user saw: only they are approved or rejected, and an approval allows what the
    /// card says that they ask for.
    Card(Digest),
    /// The skill that the user named, whose card nothing showed: its files as they are now. An approval allows no secret,
    /// variable or server.
    Name,
}

/// What was decided about a skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Decided {
    /// The skill.
    pub name: String,
    /// Why it waited.
    #[serde(rename = "for")]
    pub kind: ReviewKind,
    /// Whether it was approved.
    pub approved: bool,
    /// The digest of the files.
    pub tree: Option<Digest>,
    /// Where it lies now.
    pub folders: Vec<PathText>,
    /// Whether the lock was written.
    pub lock_written: bool,
    /// Where the user's own version was saved before it gave way.
    pub saved: Vec<PathText>,
    /// What could not be kept in step.
    pub warnings: Vec<String>,
}

impl Library<'_> {
    /// Everything that waits for a review, in both scopes: proposed skills, then those of the project, then those of
    /// the user.
    pub fn reviews(&self) -> Result<Vec<ReviewItem>, LibraryError> {
        let mut items = self.proposed();
        for scope in [Scope::Project, Scope::User] {
            let mut installed = self.installed_reviews(scope)?;
            installed.sort_by(|one, other| in_order(&one.name, &other.name));
            items.extend(installed);
        }
        Ok(items)
    }

    /// The item that a word means: a name, `project:NAME`, `user:NAME`, `proposed:NAME`, or a folder.
    pub fn find_review<'i>(
        &self,
        items: &'i [ReviewItem],
        word: &str,
    ) -> Result<&'i ReviewItem, LibraryError> {
        let path = self.workspace.environment().cwd.join(word);
        let path = path.canonicalize().ok();
        let is_meant = |item: &&ReviewItem| {
            let qualified = word.split_once(':');
            item.name == word
                || qualified.is_some_and(|(prefix, name)| prefix == item.kind.prefix() && name == item.name)
                || path.is_some() && item.places.iter().any(|place| place.canonicalize().ok() == path)
        };
        let found: Vec<&ReviewItem> = items.iter().filter(is_meant).collect();
        match found.as_slice() {
            [one] => Ok(one),
            [] => Err(LibraryError::new(format!("no skill `{word}` waits for a review"))
                .fix("skillful review shows the skills that wait")),
            several => {
                let names = several.iter().map(|item| format!("{}:{}", item.kind.prefix(), item.name));
                let error =
                    LibraryError::new(format!("{} skills named `{word}` wait for a review", several.len()));
                Err(names.fold(error, |error, name| error.fix(format!("skillful review {name}"))))
            }
        }
    }

    /// The files that wait. Those of a pending skill that are not on this machine are fetched.
    pub fn review_tree(&self, item: &ReviewItem) -> Result<Tree, LibraryError> {
        if item.kind == ReviewKind::Proposed {
            return self.workspace.paths().authored_skills().read(&item.name).map_err(authored);
        }
        let library = self.for_scope(item.kind.scope())?;
        if !item.kind.is_changed() {
            let (name, lock) = (key(&item.name)?, library.lock()?);
            let locked = lock.skills.get(&name);
            let locked =
                locked.ok_or_else(|| LibraryError::new(format!("`{}` waits no longer", item.name)))?;
            library.fetch_locked(&name, locked)?;
        }
        let plan = library.plan_approval(item)?;
        let wanted = plan.inner.steps.iter().find_map(PlanStep::tree);
        let tree = wanted.and_then(|wanted| {
            let known =
                plan.inner.trees().find(|(digest, _)| *digest == wanted).map(|(_, tree)| tree.clone());
            known
                .or_else(|| library.store.read(&wanted).ok())
                .or_else(|| item.places.iter().find_map(|place| placed(place, &wanted)))
        });
        tree.ok_or_else(|| LibraryError::new(format!("the files of `{}` cannot be read", item.name)))
    }

    /// The files before the change, when the item is a changed skill and they are known.
    pub fn tree_before_change(&self, item: &ReviewItem) -> Option<Tree> {
        let library = self.for_scope(item.kind.scope()).ok().filter(|_| item.kind.is_changed())?;
        let lock = library.lock().ok()?;
        let locked = lock.skills.get(&key(&item.name).ok()?)?;
        library.store.read(&locked.installed()).ok()
    }

    /// Approves a skill, when its files are those that the decision is about. Blocking findings need `despite_findings`.
    ///
    /// ```no_run
    /// use skillful::{Library, Workspace, library::{Reviewed, Scope}};
    /// use std::time::SystemTime;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = Workspace::for_folder(folder.path(), folder.path());
    /// let library = Library::open(&workspace, Scope::User, SystemTime::now())?;
    /// for item in library.reviews()? {
    ///     let card = library.review_card(&item)?;
    ///     println!("{}: {:?}, asks for {:?}", card.item.name, card.card, card.asks);
    ///     library.approve(&item, Reviewed::Card(card.digest), false)?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn approve(
        &self,
        item: &ReviewItem,
        reviewed: Reviewed,
        despite_findings: bool,
    ) -> Result<Decided, LibraryError> {
        let tree = self.reviewed_tree(item, reviewed)?;
        let found = tree.digest();
        if Card::of(&tree).is_blocked() && !despite_findings {
            return Err(LibraryError::new(format!(
                "`{}` has blocking findings and was not approved",
                item.name
            ))
            .fix(format!("skillful review {} shows them", item.name))
            .fix("approve it all the same with --despite-findings"));
        }
        if item.kind == ReviewKind::Proposed {
            let done = self.approve_proposed(item, &tree)?;
            self.bind_seen(item, reviewed, &tree)?;
            return Ok(done);
        }
        let library = self.for_scope(item.kind.scope())?;
        let (plan, applied) = library.apply_planned(|| {
            let plan = library.plan_approval(item)?;
            // The plan reads the files again: only those that were checked may be approved.
            let others = plan.steps().iter().filter_map(PlanStep::tree).any(|tree| tree != found);
            if others {
                let message =
                    format!("the files of `{}` changed during the review; they were not approved", item.name);
                return Err(LibraryError::new(message).fix(format!("skillful review {}", item.name)));
            }
            Ok(plan)
        })?;
        let folders = plan.steps().iter().filter(|step| step.action != Action::Gone);
        let folders = folders.map(|step| library.site.path(&step.place).into()).collect();
        self.bind_seen(item, reviewed, &tree)?;
        Ok(decided(item, true, Some(found), folders, &applied))
    }

    /// The files that a decision is about; an error when others wait.
    fn reviewed_tree(&self, item: &ReviewItem, reviewed: Reviewed) -> Result<Tree, LibraryError> {
        let tree = self.review_tree(item)?;
        let found = tree.digest();
        match reviewed {
            Reviewed::Card(wanted) if wanted != found => {
                Err(LibraryError::new(format!("the files of `{}` are {found}, not {wanted}", item.name))
                    .cause("they are not those that you saw; nothing was decided")
                    .fix(format!("skillful review {} shows them", item.name)))
            }
            _ => Ok(tree),
        }
    }

    /// The digest stands on the card, so that a user who names it saw what the skill asks for.
    fn bind_seen(&self, item: &ReviewItem, reviewed: Reviewed, tree: &Tree) -> Result<(), LibraryError> {
        match reviewed {
            Reviewed::Card(_) => self.bind_reviewed(&item.name, tree),
            Reviewed::Name => Ok(()),
        }
    }

    /// Rejects a skill, when its files are those that the decision is about: a pending one is forgotten, a proposed one
    /// goes to the archive, and the files of the lock take the place of the changed ones, which are saved.
    pub fn reject(&self, item: &ReviewItem, reviewed: Reviewed) -> Result<Decided, LibraryError> {
        if let Reviewed::Card(_) = reviewed {
            self.reviewed_tree(item, reviewed)?;
        }
        if item.kind == ReviewKind::Proposed {
            let folder = self.workspace.paths().authored_skills().reject(&item.name).map_err(authored)?;
            return Ok(decided(item, false, item.tree, vec![folder.into()], &Applied::default()));
        }
        let library = self.for_scope(item.kind.scope())?;
        if item.kind.is_changed() {
            let (_, applied) = library.apply_planned(|| library.plan_discard(item))?;
            return Ok(decided(item, false, item.tree, item.places.clone(), &applied));
        }
        let (_, applied) = library.apply_planned(|| {
            let plan = plan_remove(&[key(&item.name)?], &library.lock()?, &library.site, &library.store)?;
            library.new_plan(plan, ApprovedBy::Reviewed)
        })?;
        Ok(decided(item, false, item.tree, applied.changed.iter().map(Into::into).collect(), &applied))
    }

    /// The library of the same workspace for another scope.
    fn for_scope(&self, scope: Scope) -> Result<Self, LibraryError> {
        Self::open(self.workspace, scope, self.now)
    }

    fn installed_reviews(&self, scope: Scope) -> Result<Vec<ReviewItem>, LibraryError> {
        let site = match scope {
            Scope::Project => self.workspace.project_site(),
            Scope::User => self.workspace.user_site(),
        };
        if !site.lock.join(LOCK_FILE).is_file() {
            return Ok(Vec::new());
        }
        let library = self.for_scope(scope)?;
        let (lock, approvals) = (library.lock()?, library.approvals()?);
        let changed = library.unapproved(&lock, &approvals)?;
        let mut items = Vec::new();
        for (name, locked) in &lock.skills {
            let tree = changed.get(name);
            // A lock that came with a repository names it, and this user has not approved it.
            let waits = is_waiting(locked, &library.site, |tree| approvals.has(tree));
            let kind = match (scope, waits, tree) {
                (Scope::Project, true, _) => ReviewKind::Project,
                (Scope::User, true, _) => ReviewKind::User,
                (Scope::Project, false, Some(_)) => ReviewKind::ProjectChanged,
                (Scope::User, false, Some(_)) => ReviewKind::UserChanged,
                (_, false, None) => continue,
            };
            items.push(library.item(kind, name, locked, tree.copied(), &approvals)?);
        }
        Ok(items)
    }

    fn proposed(&self) -> Vec<ReviewItem> {
        let catalog = self.workspace.catalog();
        let all = Proposals::new(&catalog, &self.workspace.config().settings).all();
        let waiting = all.into_iter().filter(|entry| propose::is_waiting(entry));
        waiting
            .map(|entry| ReviewItem {
                name: folder_name(entry),
                kind: ReviewKind::Proposed,
                description: entry.description().unwrap_or_default().to_owned(),
                source: None,
                at: None,
                signer: None,
                tree: None,
                edited: false,
                approved_on: None,
                places: vec![entry.folder().into()],
                written: written(&entry.origin.file),
                session: session_of(&entry.loaded.manifest).map(str::to_owned),
                diagnostics: skillful_format::LENIENT
                    .apply(entry.loaded.diagnostics.clone())
                    .iter()
                    .map(|found| format!("{}[{}]: {}", found.severity, found.code, found.message))
                    .collect(),
            })
            .collect()
    }

    /// Moves a proposed skill to the user's own. Its name must be free, also the one that it gives itself.
    fn approve_proposed(&self, item: &ReviewItem, tree: &Tree) -> Result<Decided, LibraryError> {
        let catalog = self.workspace.catalog();
        let proposed = self.workspace.paths().proposed();
        let (mine, others): (Vec<&Entry>, Vec<&Entry>) =
            catalog.entries.iter().partition(|entry| entry.origin.file.starts_with(&proposed));
        let name = item.name.as_str();
        let own =
            mine.iter().find(|entry| folder_name(entry) == name).map_or(name, |entry| entry.name.as_str());
        let is_called =
            |entry: &&&Entry| [name, own].iter().any(|word| entry.name == *word || entry.address() == *word);
        if let Some(other) = others.iter().find(is_called) {
            let place = path_text(&other.origin.file);
            return Err(LibraryError::new(format!("the name `{name}` is taken by {place}"))
                .fix("rename or remove that one first, or reject the proposal"));
        }
        // Before the move: of a run that is stopped in between, `review --unused` forgets the record. The other way around
        // nothing would follow the skill.
        let lost = self.follow_use(name);
        let folder = self.workspace.paths().authored_skills().approve(name, tree).map_err(authored)?;
        let applied = Applied { warnings: lost.into_iter().collect(), ..Applied::default() };
        Ok(decided(item, true, Some(tree.digest()), vec![folder.into()], &applied))
    }

    /// Records a skill of the assistant that the user approves: its use is counted from now on, and an unused one becomes
    /// stale and is archived. Returns what the user should know when that is not possible; the approval stands.
    fn follow_use(&self, name: &str) -> Option<String> {
        let now = calendar::seconds(self.now);
        let done = Database::open(&self.workspace.paths().data).and_then(|all| all.authored(name, now));
        done.err().map(|error| format!("the use of `{name}` is not counted: {error}"))
    }
}

impl Library<'_> {
    /// The plan that puts the files of the lock in the place of the user's edits. It approves nothing.
    fn plan_discard(&self, item: &ReviewItem) -> Result<InstallPlan, LibraryError> {
        let (name, lock) = (key(&item.name)?, self.lock()?);
        let locked = lock.skills.get(&name);
        let locked = locked.ok_or_else(|| LibraryError::new(format!("`{name}` waits no longer")))?;
        let tree = self.base(locked).ok().filter(|tree| tree.digest() == locked.installed());
        let tree = tree.ok_or_else(|| {
            LibraryError::new(format!("the files of `{name}` that the lock names cannot be found again")).fix(
                format!("skillful diff {name} shows the changes; keep them elsewhere and remove the folder"),
            )
        })?;
        let (mut plan, backups) = plan_discard_edits(&name, &tree, &lock, &self.site, &self.store)?;
        if plan.steps.is_empty() {
            let message = format!(
                "`{name}` has no changes that could be discarded; it is not used until you approve it"
            );
            return Err(LibraryError::new(message).fix(format!("skillful remove {name} removes it")));
        }
        plan.withheld.insert(name);
        let mut plan = self.new_plan(plan, ApprovedBy::Reviewed)?;
        plan.backups = backups;
        Ok(plan)
    }

    /// Installed skills with files that the user did not approve or that are not those of the lock, and the digest of
    /// these files.
    fn unapproved(
        &self,
        lock: &Lock,
        approvals: &Approvals,
    ) -> Result<BTreeMap<SkillKey, Digest>, LibraryError> {
        let now = verify_places(lock, &self.site)?;
        let is_locked = |name: &SkillKey, tree: &Digest| {
            lock.skills.get(name).is_some_and(|one| one.installed() == *tree)
        };
        let is_open = |name: &SkillKey, tree: &Digest| !approvals.has(tree) || !is_locked(name, tree);
        Ok(now.into_iter().filter(|(name, tree)| is_open(name, tree)).collect())
    }

    fn item(
        &self,
        kind: ReviewKind,
        name: &SkillKey,
        locked: &Locked,
        changed: Option<Digest>,
        approvals: &Approvals,
    ) -> Result<ReviewItem, LibraryError> {
        let tree = self.store.read(&locked.tree).ok();
        let at = [&locked.resolved.version, &locked.resolved.commit, &locked.resolved.url];
        let allowed = self.signers(&mut Vec::new())?;
        let proven = recheck_one(locked, &self.store, &allowed, self.seconds()).ok().flatten();
        let signer = match (proven.and_then(|signed| signed.signer()), &locked.signer) {
            (Some(signer), _) => Some(signer.to_string()),
            (None, Some(claimed)) => Some(format!("not shown by a signature here (the lock says {claimed})")),
            (None, None) => None,
        };
        let places = skillful_registry::install::places(locked);
        Ok(ReviewItem {
            name: name.to_string(),
            kind,
            description: tree.as_ref().and_then(description).unwrap_or_default(),
            source: Some(locked.source.to_string()),
            at: at.into_iter().flatten().next().cloned(),
            signer,
            tree: changed.or(Some(locked.tree)),
            edited: changed.is_some_and(|changed| changed != locked.installed()),
            approved_on: approvals.trees.get(&locked.installed()).map(|approval| approval.date.clone()),
            places: places.map(|(place, _)| self.site.path(place).into()).collect(),
            written: None,
            session: None,
            diagnostics: Vec::new(),
        })
    }

    /// The plan that approves a pending or changed skill.
    fn plan_approval(&self, item: &ReviewItem) -> Result<InstallPlan, LibraryError> {
        let (name, lock) = (key(&item.name)?, self.lock()?);
        let (plan, how) = if item.kind.is_changed() {
            let plan = plan_approve_edits(
                &name,
                self.edited_place(&lock, &name).as_ref(),
                &lock,
                &self.site,
                &self.store,
            )?;
            (plan, ApprovedBy::Edited)
        } else {
            (plan_approve(&name, &lock, &self.site, &self.store)?, ApprovedBy::Reviewed)
        };
        self.new_plan(plan, how)
    }

    /// The only place of a skill whose files are not as locked; none when there are several or none.
    fn edited_place(&self, lock: &Lock, name: &SkillKey) -> Option<TreePath> {
        let locked = lock.skills.get(name)?;
        let edited = skillful_registry::install::edited_places(locked, &self.site, Some(&self.store)).ok()?;
        let edited: BTreeSet<TreePath> =
            edited.into_iter().filter(|(_, tree)| tree.is_some()).map(|(at, _)| at).collect();
        (edited.len() == 1).then(|| edited.into_iter().next()).flatten()
    }
}

fn decided(
    item: &ReviewItem,
    approved: bool,
    tree: Option<Digest>,
    folders: Vec<PathText>,
    applied: &Applied,
) -> Decided {
    let (saved, warnings) = (applied.saved.iter().map(Into::into).collect(), applied.warnings.clone());
    Decided {
        name: item.name.clone(),
        kind: item.kind,
        approved,
        tree,
        folders,
        lock_written: applied.lock_written,
        saved,
        warnings,
    }
}

/// The files of a place, when they are those that are wanted: a clone has them, and its content store does not.
fn placed(place: &Path, wanted: &Digest) -> Option<Tree> {
    let (tree, skipped) = disk::read_folder(place, &Limits::default()).ok()?;
    let tree = without_values(tree, &Limits::default()).0;
    (skipped.is_empty() && tree.digest() == *wanted).then_some(tree)
}

fn key(name: &str) -> Result<SkillKey, LibraryError> {
    name.parse().map_err(|why| LibraryError::usage(format!("`{name}` {why}")))
}

fn description(tree: &Tree) -> Option<String> {
    let (_, file) = tree.skill_file()?;
    Document::read(&file.bytes, &Sidecars::default()).manifest.description
}

fn folder_name(entry: &Entry) -> String {
    path_text(Path::new(entry.folder().file_name().unwrap_or_default())).into_owned()
}

/// When a file was written, in seconds since 1970.
fn written(file: &Path) -> Option<u64> {
    let time = std::fs::metadata(file).and_then(|meta| meta.modified()).ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

fn authored(error: AuthoredSkillError) -> LibraryError {
    LibraryError::new(error)
}
