//! A plan of the library: what would be done, as a value that can be shown and carried out.

use super::{Library, LibraryError, team::TeamNote};
use crate::views::install::{CardView, InstallView, StepView};
use serde::{Serialize, Serializer};
use skillful_format::{Digest, Tree};
use skillful_registry::{
    AtomicWriter,
    approvals::{Approvals, ApprovedBy},
    install::{Action, Backup, PlacementPlan, PlanStep, Refusal, save_backups},
    lock::SkillKey,
    review::{self, Card},
    team_record::TeamRecord,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// What the user answered. Nothing here is implied by agreeing to a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Pending skills that the user approved, by name.
    pub approved: BTreeSet<SkillKey>,
    /// Skills with blocking findings that the user approved all the same, by name.
    pub despite_findings: BTreeSet<SkillKey>,
    /// The same for every skill of the plan, as if the user had named each.
    pub despite_all_findings: bool,
}

impl Answers {
    /// Whether the user approved a skill despite its blocking findings.
    pub fn is_despite_findings(&self, name: &SkillKey) -> bool {
        self.despite_all_findings || self.despite_findings.contains(name)
    }
}

/// Whether the user saw the cards of what a yes is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cards {
    /// Each card was shown, with what the skill asks for: the yes also allows these secrets, variables and servers.
    Shown,
    /// They were not shown, as with `--yes`: a skill asks again at its first use.
    NotShown,
}

/// What would be done to the folders of agents and to the lock. Made by the library only.
#[derive(Clone, Debug)]
pub struct InstallPlan {
    pub(super) inner: PlacementPlan,
    pub(super) how: ApprovedBy,
    /// What an audit says of the skills that are new here.
    pub cards: BTreeMap<SkillKey, Card>,
    /// What the user should know and that stops nothing.
    pub warnings: Vec<String>,
    /// What the user can do about refused steps, beside what the steps say.
    pub fixes: Vec<String>,
    /// Steps that are skipped, each with the reason. The rest of the plan can be carried out.
    pub left_out: Vec<(PlanStep, Refusal)>,
    pub(super) backups: Vec<Backup>,
    /// What is recorded about the team server that the plan is from.
    pub(super) team: Option<TeamNote>,
    /// Skills of the lock that this user has not approved.
    held: BTreeSet<SkillKey>,
    /// Skills that the lock itself calls pending: a review decides about them, and a yes to the plan does not.
    pending_in_lock: BTreeSet<SkillKey>,
    /// Skills with files that the content store did not have when the plan was made.
    new_here: BTreeSet<SkillKey>,
    pub(super) approvals: Approvals,
    base: PathBuf,
    lock: PathBuf,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Places that were made, replaced or removed.
    pub changed: Vec<PathBuf>,
    /// Folders that a stopped run left behind and that may hold something of the user.
    pub left: Vec<PathBuf>,
    /// Whether the lock was written.
    pub lock_written: bool,
    /// Where the user's own versions were saved before they gave way.
    pub saved: Vec<PathBuf>,
    /// What could not be kept in step.
    pub warnings: Vec<String>,
}

impl InstallPlan {
    pub(super) fn new(
        library: &Library<'_>,
        mut inner: PlacementPlan,
        how: ApprovedBy,
    ) -> Result<Self, LibraryError> {
        inner.keep_to(&library.agent_folders());
        let taken_back = TeamRecord::load(&library.workspace.paths().data)?.revoked;
        inner.refuse_revoked(|tree| taken_back.get(tree).map(|revoked| revoked.reason.clone()));
        let known: BTreeSet<Digest> = inner.trees().map(|(digest, _)| digest).collect();
        let is_new = |tree: Digest| known.contains(&tree) && !library.store.has(&tree);
        let new_here = inner.steps.iter().filter(|step| step.action != Action::Keep);
        let new_here = new_here.filter(|step| step.tree().is_some_and(is_new)).map(|step| step.name.clone());
        Ok(Self {
            new_here: new_here.collect(),
            inner,
            how,
            cards: BTreeMap::new(),
            warnings: Vec::new(),
            fixes: Vec::new(),
            left_out: Vec::new(),
            backups: Vec::new(),
            team: None,
            held: BTreeSet::new(),
            pending_in_lock: BTreeSet::new(),
            approvals: library.approvals()?,
            base: library.site.base.clone(),
            lock: library.lock_file(),
        })
    }

    pub(super) fn with_cards(mut self, cards: BTreeMap<SkillKey, Card>) -> Self {
        self.cards = cards;
        self
    }

    pub(super) fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings = warnings;
        self
    }

    pub(super) fn with_team(mut self, team: TeamNote) -> Self {
        self.team = Some(team);
        self
    }

    /// Leaves out what is refused, and keeps the reasons.
    pub(super) fn without_refused(mut self) -> Self {
        let (inner, left_out) = self.inner.without_refused();
        self.inner = inner;
        self.left_out = left_out;
        self
    }

    /// Audits every tree that comes into use or is pending and was not approved before, and refuses those with
    /// blocking findings that no answer names.
    pub(super) fn audited(mut self, answers: &Answers) -> Self {
        let mut new: BTreeSet<Digest> = self.inner.approves(&self.approvals).into_keys().collect();
        let pending = self.inner.steps.iter().filter(|step| step.action == Action::Pending);
        new.extend(pending.clone().filter_map(PlanStep::tree));
        self.pending_in_lock = pending.map(|step| step.name.clone()).collect();
        let (digests, trees): (Vec<Digest>, Vec<&Tree>) =
            self.inner.trees().filter(|(digest, _)| new.contains(digest)).unzip();
        let cards: BTreeMap<Digest, Card> = digests.into_iter().zip(review::cards(&trees)).collect();
        for step in &mut self.inner.steps {
            let Some(card) = step.tree().and_then(|tree| cards.get(&tree)) else { continue };
            let is_placed = matches!(step.action, Action::Create | Action::Replace | Action::Keep);
            if is_placed && card.is_blocked() && !answers.is_despite_findings(&step.name) {
                step.action = Action::Refuse(Refusal::Suspect);
            }
            self.cards.insert(step.name.clone(), card.clone());
        }
        self
    }

    /// What this user has not approved and no answer names stays pending, or is refused when the plan is all or
    /// nothing. A folder that is there already stays, and is not approved.
    pub(super) fn unapproved_held(mut self, answers: &Answers, frozen: bool) -> Self {
        let new = self.inner.approves(&self.approvals).into_values();
        let held: BTreeSet<SkillKey> = new.filter(|name| !answers.approved.contains(name)).collect();
        for step in self.inner.steps.iter_mut().filter(|step| held.contains(&step.name)) {
            match step.action {
                _ if frozen => step.action = Action::Refuse(Refusal::NotApproved),
                Action::Create | Action::Replace => step.action = Action::Pending,
                _ => {}
            }
        }
        self.inner.withheld.extend(held.iter().cloned());
        self.held = held;
        self
    }

    /// Refuses folders that are there with files that a team server took back: a lock that names them is not reproduced.
    pub(super) fn refuse_revoked_here(&mut self, record: &TeamRecord) {
        for step in self.inner.steps.iter_mut().filter(|step| step.action == Action::Keep) {
            if let Some(revoked) = step.tree().and_then(|tree| record.revoked.get(&tree)) {
                step.action = Action::Refuse(Refusal::Revoked(revoked.reason.clone()));
            }
        }
    }

    /// What is done to each place.
    pub fn steps(&self) -> &[PlanStep] {
        &self.inner.steps
    }

    /// The steps that cannot be done; a plan with any is not carried out.
    pub fn refused(&self) -> impl Iterator<Item = (&PlanStep, &Refusal)> {
        self.inner.refused()
    }

    /// A pending entry is refused in a plan that is all or nothing: it would not be installed.
    pub(super) fn pending_refused(mut self) -> Self {
        for step in self.inner.steps.iter_mut().filter(|step| step.action == Action::Pending) {
            step.action = Action::Refuse(Refusal::Pending);
        }
        self
    }

    /// Whether there is nothing to do. Skills may be pending all the same.
    pub fn is_done(&self) -> bool {
        self.held.is_empty() && self.new_here.is_empty() && self.inner.is_done(&self.approvals)
    }

    /// Pending skills whose files come to this machine with the plan.
    pub fn downloads(&self) -> BTreeSet<SkillKey> {
        self.pending().intersection(&self.new_here).cloned().collect()
    }

    /// Whether something stays undone when the plan is carried out: skipped, or pending.
    pub fn leaves_undone(&self) -> bool {
        !self.left_out.is_empty() || !self.pending().is_empty()
    }

    /// Skills that stay pending when the plan is carried out.
    pub fn pending(&self) -> BTreeSet<SkillKey> {
        let pending = self.inner.steps.iter().filter(|step| step.action == Action::Pending);
        pending.map(|step| step.name.clone()).chain(self.held.iter().cloned()).collect()
    }

    /// Pending skills that an answer without their names can approve: those without blocking findings that the lock
    /// does not call pending.
    pub fn approvable(&self) -> BTreeSet<SkillKey> {
        let is_blocked = |name: &SkillKey| self.cards.get(name).is_some_and(Card::is_blocked);
        let is_open = |name: &SkillKey| !is_blocked(name) && !self.pending_in_lock.contains(name);
        self.pending().into_iter().filter(is_open).collect()
    }

    /// Whether approving these skills installs any of them. Others are in their places already.
    pub fn would_install(&self, approved: &BTreeSet<SkillKey>) -> bool {
        let pending = self.inner.steps.iter().filter(|step| step.action == Action::Pending);
        pending.into_iter().any(|step| approved.contains(&step.name))
    }

    /// The folders that the plan leaves as they are and approves for this user.
    pub(super) fn is_approved_only(&self, step: &PlanStep) -> bool {
        step.action == Action::Keep
            && step.tree().is_some_and(|tree| !self.approvals.has(&tree))
            && !self.inner.withheld.contains(&step.name)
    }

    pub(super) fn save_backups(
        &self,
        folder: &Path,
        writer: &AtomicWriter,
    ) -> Result<Vec<PathBuf>, LibraryError> {
        Ok(save_backups(&self.backups, folder, writer)?)
    }

    /// The plan as text and JSON show it; with what was done, when it was carried out.
    pub fn view(&self, applied: Option<&Applied>) -> InstallView {
        let step =
            |step: &PlanStep| StepView::new(step, &self.base, &self.inner, self.is_approved_only(step));
        InstallView {
            schema: crate::views::SCHEMA,
            lock: (&self.lock).into(),
            steps: self.inner.steps.iter().map(step).collect(),
            left_out: self
                .left_out
                .iter()
                .map(|(step, why)| StepView::refused(step, &self.base, why))
                .collect(),
            cards: self.cards.iter().map(|(name, card)| (name.to_string(), CardView::new(card))).collect(),
            warnings: [self.warnings.clone(), applied.map(|it| it.warnings.clone()).unwrap_or_default()]
                .concat(),
            applied: applied.is_some(),
            lock_written: applied.is_some_and(|applied| applied.lock_written),
            left: applied.map(|applied| applied.left.iter().map(Into::into).collect()).unwrap_or_default(),
            saved: applied.map(|applied| applied.saved.iter().map(Into::into).collect()).unwrap_or_default(),
        }
    }
}

impl AsRef<Self> for InstallPlan {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Serialize for InstallPlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.view(None).serialize(serializer)
    }
}
