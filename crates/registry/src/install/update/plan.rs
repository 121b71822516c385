//! Planning an update. Only reads.

use super::{
    super::{
        Action, InstallError, Mode, PlacementPlan, PlanStep, Refusal, Site, agreed, alias,
        merge::{Merged, Side, merge, merge_without_base},
        patch::{patch, patched},
        place::{self, Now},
        plan::places,
    },
    Answers, Backup, Block, Edit, Fresh, Newest, SkillUpdate, Update, UpdateState, Upstream,
};
use crate::{
    content_store::ContentStore,
    lock::{Lock, Locked, LockedEdit, Resolved, SkillKey},
    review::{Card, Concern},
    sign::Signing,
};
use skillful_catalog::capability;
use skillful_format::{Digest, Tree, TreePath};
use std::collections::{BTreeMap, BTreeSet};

/// Plans to replace installed skills by what their sources have now.
pub fn plan_update(
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
    upstream: &Upstream,
    answers: &Answers,
    signing: Signing<'_>,
) -> Result<Update, InstallError> {
    let plan = PlacementPlan {
        steps: Vec::new(),
        before: lock.clone(),
        after: lock.clone(),
        trees: BTreeMap::new(),
        merged: BTreeMap::new(),
        signatures: BTreeMap::new(),
        withheld: BTreeSet::new(),
    };
    let mut update = Update { plan, skills: Vec::new(), backups: Vec::new() };
    for (name, newest) in &upstream.newest {
        let Some(locked) = lock.skills.get(name) else { continue };
        let planning = Planning { name, locked, site, contents, upstream, answers, signing };
        let fresh = match newest {
            Newest::Found(fresh) if fresh.found.tree.digest() != locked.tree => fresh,
            Newest::Found(_) | Newest::Pinned => {
                update.skills.push(planning.untouched(UpdateState::Current));
                continue;
            }
            Newest::Gone(why) => {
                update.skills.push(planning.untouched(UpdateState::Gone(why.clone())));
                continue;
            }
            Newest::Unreachable(why) => {
                update.skills.push(planning.untouched(UpdateState::Unreachable(why.clone())));
                continue;
            }
        };
        let found = planning.skill(fresh)?;
        if found.skill.blocks.is_empty() {
            update.plan.steps.extend(found.steps);
            update.plan.merged.extend(found.merged);
            update.plan.trees.insert(found.after.tree, fresh.found.tree.clone());
            update.plan.trees.extend(found.target.map(|tree| (tree.digest(), tree)));
            if let (Some(signer), Some(signature)) = (&found.after.signer, &fresh.found.signature) {
                update.plan.signatures.insert((found.after.tree, signer.fingerprint), signature.clone());
            }
            update.plan.after.skills.insert(name.clone(), found.after);
            update.backups.extend(found.backups);
        }
        update.skills.push(found.skill);
    }
    Ok(update)
}

struct Planning<'a> {
    name: &'a SkillKey,
    locked: &'a Locked,
    site: &'a Site,
    contents: &'a ContentStore,
    upstream: &'a Upstream,
    answers: &'a Answers,
    signing: Signing<'a>,
}

/// What one skill adds to the plan, when nothing blocks it.
struct Planned {
    skill: SkillUpdate,
    after: Locked,
    steps: Vec<PlanStep>,
    merged: BTreeMap<Digest, Tree>,
    /// The new files with the approved edits, when there are any.
    target: Option<Tree>,
    backups: Vec<Backup>,
}

impl Planning<'_> {
    fn untouched(&self, state: UpdateState) -> SkillUpdate {
        SkillUpdate {
            name: self.name.clone(),
            state,
            from: self.locked.resolved.clone(),
            to: Resolved::default(),
            old: None,
            new: None,
            gained: Vec::new(),
            dropped: Vec::new(),
            card: None,
            edits: Vec::new(),
            blocks: Vec::new(),
        }
    }

    fn base(&self) -> Option<Tree> {
        let stored = self.contents.read(&self.locked.tree).ok();
        stored.or_else(|| self.upstream.bases.get(&self.locked.tree).cloned())
    }

    fn skill(&self, fresh: &Fresh) -> Result<Planned, InstallError> {
        let (old, new) = (self.base(), &fresh.found.tree);
        let tree = new.digest();
        let judged = self.signing.judge(&tree, fresh.found.signature.as_ref(), self.locked.signer.as_ref());
        let after = Locked {
            folder: fresh.found.folder.clone(),
            resolved: fresh.resolved.clone(),
            artefact: fresh.artefact,
            tree,
            edited: None,
            signer: judged.signer,
            capabilities: fresh.found.capabilities.clone(),
            ..self.locked.clone()
        };
        let mut skill = self.untouched(UpdateState::Outdated);
        skill.to = fresh.resolved.clone();
        skill.blocks.extend(judged.refusal.map(Block::Signer));
        let mut planned = Planned {
            skill,
            after,
            steps: Vec::new(),
            merged: BTreeMap::new(),
            target: None,
            backups: Vec::new(),
        };
        let edited = self.carry_edits(old.as_ref(), new, &mut planned);
        let Planned { skill, after, .. } = &mut planned;
        // Of a pending skill no capability is approved yet.
        if !self.locked.pending {
            let agreed = agreed(self.locked, old.as_ref());
            skill.gained = capability::gained(&agreed, &after.capabilities);
            skill.dropped = capability::dropped(&agreed, &after.capabilities);
            let card = old.as_ref().map_or_else(|| Card::of(new), |old| Card::since(old, new));
            self.judge(skill, &card);
            skill.card = Some(Box::new(card));
        }
        let target = planned.target.clone();
        let (base, target) = (edited.as_ref().or(old.as_ref()), target.as_ref().unwrap_or(new));
        for (place, mode) in places(self.locked) {
            self.place((place, mode), base, target, &mut planned)?;
        }
        planned.skill.old = old;
        planned.skill.new = Some(new.clone());
        Ok(planned)
    }

    /// Merges the approved edits with the new version, and puts what comes of it into the lock. Returns the files
    /// with the edits as they were.
    fn carry_edits(&self, old: Option<&Tree>, new: &Tree, planned: &mut Planned) -> Option<Tree> {
        let edited = self.locked.edited.as_ref()?;
        let stored = self.contents.read(&edited.tree).ok();
        let mine = stored.or_else(|| patched(old?, edited.patch.as_ref()?));
        let (Some(first), Some(mine)) = (places(self.locked).next(), mine) else {
            let place = places(self.locked).next().map(|(place, _)| place.clone());
            let why = Refusal::EditNotText;
            planned.skill.blocks.extend(place.map(|place| Block::Refused { place, why }));
            return None;
        };
        let merged = self.merged(first.0, (old, &mine, new), planned);
        if merged.digest() != planned.after.tree {
            let edit = LockedEdit { tree: merged.digest(), patch: patch(new, &merged) };
            planned.after.capabilities = capability::of_tree(&merged).unwrap_or_default();
            planned.after.edited = Some(edit);
            planned.target = Some(merged);
        }
        Some(mine)
    }

    /// What no edit has to do with.
    fn judge(&self, skill: &mut SkillUpdate, card: &Card) {
        if !self.answers.agreed.contains(self.name) {
            if !skill.gained.is_empty() {
                let shown = skill.gained.iter().map(|one| capability::shown(one)).collect();
                skill.blocks.push(Block::Grown(shown));
            }
            // New capabilities are measured by the approved ones.
            let concerns = card.concerns().into_iter().filter(|concern| *concern != Concern::Grown);
            skill.blocks.extend(concerns.map(Block::Concern));
        }
    }

    fn place(
        &self,
        (place, mode): (&TreePath, Mode),
        old: Option<&Tree>,
        new: &Tree,
        planned: &mut Planned,
    ) -> Result<(), InstallError> {
        let now = place::look(self.site, place).map_err(|error| InstallError::Disk {
            path: self.site.path(place),
            action: "read",
            error,
        })?;
        let wanted = planned.after.installed();
        let mut step = PlanStep {
            name: self.name.clone(),
            place: place.clone(),
            mode,
            action: Action::Keep,
            gained: planned.skill.gained.clone(),
            dropped: planned.skill.dropped.clone(),
            seen: now.seen(),
            new: Some(wanted),
        };
        step.action = match (&now, mode) {
            _ if self.locked.pending => Action::Pending,
            (Now::Absent, _) => Action::Create,
            (Now::Link(to), Mode::Link)
                if *to == self.contents.path(&wanted) && self.contents.read_folder(&wanted).is_ok() =>
            {
                Action::Keep
            }
            // The content store is read-only, so nothing of a user is behind a link into it.
            (Now::Link(to), Mode::Link) if to.parent() == self.contents.path(&wanted).parent() => {
                Action::Replace
            }
            (Now::Link(to), Mode::Alias) if alias::leads_to_copy(self.site, place, to, self.locked) => {
                Action::Keep
            }
            (Now::Folder { tree, .. }, Mode::Copy) if tree.digest() == wanted => Action::Keep,
            (Now::Folder { tree, .. }, Mode::Copy) if tree.digest() == self.locked.installed() => {
                Action::Replace
            }
            (Now::Folder { tree, .. }, Mode::Copy) => {
                let (action, digest) = self.edited(place, (old, tree.as_ref(), new), planned);
                step.new = Some(digest);
                action
            }
            (Now::Other, Mode::Copy) => refuse(place, Refusal::Edited, planned),
            _ => refuse(place, Refusal::NotOurs, planned),
        };
        planned.steps.push(step);
        Ok(())
    }

    /// A place that the user changed, without an approval of the change.
    fn edited(
        &self,
        place: &TreePath,
        trees: (Option<&Tree>, &Tree, &Tree),
        planned: &mut Planned,
    ) -> (Action, Digest) {
        let tree = self.merged(place, trees, planned);
        let digest = tree.digest();
        if digest == trees.1.digest() {
            return (Action::Keep, digest);
        }
        if digest == planned.after.installed() {
            return (Action::Replace, digest);
        }
        planned.merged.insert(digest, tree);
        (Action::Merge, digest)
    }

    /// The user's files with the changes of the new version; conflicts are noted, and what gives way is saved.
    fn merged(
        &self,
        place: &TreePath,
        (old, mine, new): (Option<&Tree>, &Tree, &Tree),
        planned: &mut Planned,
    ) -> Tree {
        let answer = self.answers.keep.get(self.name).copied();
        let prefer = answer.unwrap_or(Side::Mine);
        let merged = match old {
            Some(old) => merge(old, mine, new, prefer),
            None => merge_without_base(mine, new, prefer),
        };
        let has_conflict = merged.conflicts().next().is_some();
        if answer.is_none() {
            let block = |(path, why): (&TreePath, _)| Block::Conflict {
                place: place.clone(),
                path: path.clone(),
                why,
            };
            planned.skill.blocks.extend(merged.conflicts().map(block));
        } else if has_conflict && prefer == Side::Theirs {
            let backup = Backup { skill: self.name.clone(), tree: mine.clone() };
            if !planned.backups.contains(&backup) {
                planned.backups.push(backup);
            }
        }
        let Merged { tree, files } = merged;
        planned.skill.edits.push(Edit { place: place.clone(), files });
        tree
    }
}

fn refuse(place: &TreePath, why: Refusal, planned: &mut Planned) -> Action {
    planned.skill.blocks.push(Block::Refused { place: place.clone(), why: why.clone() });
    Action::Refuse(why)
}
