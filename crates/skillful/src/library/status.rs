//! How installed skills compare with the lock and with their sources. Only reads.

use super::{Library, LibraryError};
use crate::{
    views::{
        install::DifferenceView,
        status::{
            DiffView, DriftView, MissedView, OutdatedView, PartView, SignatureView, StatusView, VerifyView,
        },
    },
    workspace::is_waiting,
};
use skillful_catalog::names::in_order;
use skillful_format::{Digest, Tree, path_text};
use skillful_registry::{
    fetch::fetch,
    install::{Block, Newest, UpdateState, Upstream, differences, edited_places, newest, verify},
    lock::{Locked, Resolved, SkillKey},
    sign::{Rechecked, Signed, recheck},
    source::Ref,
};
use std::collections::BTreeSet;

/// The state of a skill that its source has not got newer and that waits for a review.
pub(crate) const PENDING: &str = "pending";
/// Digits of a commit or digest that are shown.
const DIGITS: usize = 12;

/// What a version is called: the number, the commit, or the beginning of the digest.
pub fn version(resolved: &Resolved, tree: &Digest) -> String {
    match (&resolved.version, &resolved.commit) {
        (Some(version), _) => version.clone(),
        (None, Some(commit)) => digits(commit),
        (None, None) => digits(&tree.to_hex()),
    }
}

fn digits(text: &str) -> String {
    text.chars().take(DIGITS).collect()
}

impl Library<'_> {
    /// Compares every installed file and every kept signature with the lock.
    pub fn verify(&self) -> Result<VerifyView, LibraryError> {
        let lock = self.existing_lock()?;
        let mut warnings = Vec::new();
        let allowed = self.signers(&mut warnings)?;
        let drift = verify(&lock, &self.site, &self.store)?.into_iter().map(|drift| DriftView {
            skill: drift.name.to_string(),
            path: self.site.path(&drift.place).into(),
            changes: drift.changes.iter().map(ToString::to_string).collect(),
        });
        let mut drift: Vec<DriftView> = drift.collect();
        drift.sort_by(|one, other| in_order(&one.skill, &other.skill));
        let signatures = recheck(&lock, &self.store, &allowed, self.seconds())?;
        Ok(VerifyView {
            schema: crate::views::SCHEMA,
            skills: lock.skills.len(),
            pending: lock.skills.values().filter(|locked| locked.pending).count(),
            edited: lock.skills.values().filter(|locked| locked.edited.is_some()).count(),
            drift,
            signatures: signatures.iter().map(signature).collect(),
            warnings,
        })
    }

    /// Which installed skills their sources have newer.
    pub fn outdated(
        &self,
        names: &[String],
        scratch: std::path::PathBuf,
    ) -> Result<OutdatedView, LibraryError> {
        let lock = self.lock()?;
        let chosen = Self::chosen(&lock, names)?;
        let mut warnings = Vec::new();
        let approvals = self.approvals()?;
        let mut outside = self.outside(&mut warnings);
        outside.scratch = scratch;
        let mut skills = Vec::new();
        for (name, newest) in newest(&lock, &chosen, &|source, pinned| fetch(source, pinned, &outside)) {
            let Some(locked) = lock.skills.get(&name) else { continue };
            let edited = !edited_places(locked, &self.site, Some(&self.store))?.is_empty();
            let mut status = status(&name, locked, &newest, edited || locked.edited.is_some());
            let waits = is_waiting(locked, &self.site, |tree| approvals.has(tree));
            if waits && status.state == word(&UpdateState::Current) {
                (status.state, status.why) = (PENDING, Some(Block::Pending.to_string()));
            }
            skills.push(status);
        }
        skills.sort_by(|one, other| in_order(&one.skill, &other.skill));
        Ok(OutdatedView { schema: crate::views::SCHEMA, skills, warnings })
    }

    /// What the user changed in installed skills, or with `upstream` what their sources changed.
    pub fn diff(&self, names: &[String], upstream: bool) -> Result<DiffView, LibraryError> {
        let lock = self.lock()?;
        let chosen = Self::chosen(&lock, names)?;
        let mut view = DiffView { schema: crate::views::SCHEMA, ..DiffView::default() };
        if upstream {
            self.diff_upstream(names, &mut view)?;
        } else {
            self.diff_edits(&lock, &chosen, &mut view)?;
        }
        view.differences.sort_by(|one, other| in_order(&one.skill, &other.skill));
        Ok(view)
    }

    fn diff_edits(
        &self,
        lock: &skillful_registry::Lock,
        names: &BTreeSet<SkillKey>,
        view: &mut DiffView,
    ) -> Result<(), LibraryError> {
        for name in names {
            let Some(locked) = lock.skills.get(name) else { continue };
            let edited = edited_places(locked, &self.site, Some(&self.store))?;
            if edited.is_empty() {
                continue;
            }
            let base = self.base(locked);
            for (place, now) in edited {
                let place = self.site.path(&place);
                let mut missed = |why: String| view.missed.push(MissedView { skill: name.to_string(), why });
                match (&base, now) {
                    (Ok(base), Some(now)) => view.differences.push(PartView {
                        skill: name.to_string(),
                        place: Some(place.into()),
                        files: differences(base, &now).iter().map(DifferenceView::new).collect(),
                        compared: differences(base, &now),
                    }),
                    (Err(why), Some(_)) => missed(why.clone()),
                    (_, None) => missed(format!("{} is not what was installed there", path_text(&place))),
                }
            }
        }
        Ok(())
    }

    /// What was installed, from the content store or by its commit.
    pub(super) fn base(&self, locked: &Locked) -> Result<Tree, String> {
        let stored = match self.store.read(&locked.installed()) {
            Ok(tree) => return Ok(tree),
            Err(error) => error.to_string(),
        };
        let commit =
            locked.resolved.commit.as_deref().and_then(|commit| Ref::new(commit).ok()).ok_or(stored)?;
        let outside = self.outside(&mut Vec::new());
        let fetched = fetch(&locked.source, Some(&commit), &outside).map_err(|error| error.to_string())?;
        let same = fetched.skills.into_iter().find(|found| found.tree.digest() == locked.tree);
        same.map(|found| found.tree)
            .ok_or_else(|| "the files that the lock names were not found again".to_owned())
    }

    fn diff_upstream(&self, names: &[String], view: &mut DiffView) -> Result<(), LibraryError> {
        let lock = self.lock()?;
        let Upstream { newest, bases } = self.look_upstream(names, &mut view.warnings)?;
        for (name, newest) in newest {
            let Some(locked) = lock.skills.get(&name) else { continue };
            let mut missed = |why: String| view.missed.push(MissedView { skill: name.to_string(), why });
            match newest {
                Newest::Found(fresh) if fresh.found.tree.digest() != locked.tree => {
                    let base =
                        self.store.read(&locked.tree).ok().or_else(|| bases.get(&locked.tree).cloned());
                    match base {
                        Some(base) => {
                            let compared = differences(&base, &fresh.found.tree);
                            let files = compared.iter().map(DifferenceView::new).collect();
                            view.differences.push(PartView {
                                skill: name.to_string(),
                                place: None,
                                files,
                                compared,
                            });
                        }
                        None => missed(
                            "what was installed is no longer known; skillful sync may find it again"
                                .to_owned(),
                        ),
                    }
                }
                Newest::Found(_) | Newest::Pinned => {}
                Newest::Gone(why) | Newest::Unreachable(why) => missed(why),
            }
        }
        Ok(())
    }
}

fn status(name: &SkillKey, locked: &Locked, newest: &Newest, edited: bool) -> StatusView {
    let before = version(&locked.resolved, &locked.tree);
    let (state, after, why) = match newest {
        Newest::Found(fresh) if fresh.found.tree.digest() != locked.tree => {
            let tree = fresh.found.tree.digest();
            let after = version(&fresh.resolved, &tree);
            // The same version with other files: then the files tell them apart.
            (UpdateState::Outdated, Some(if after == before { digits(&tree.to_hex()) } else { after }), None)
        }
        Newest::Found(_) | Newest::Pinned => (UpdateState::Current, Some(before.clone()), None),
        Newest::Gone(why) => (UpdateState::Gone(why.clone()), None, Some(why.clone())),
        Newest::Unreachable(why) => (UpdateState::Unreachable(why.clone()), None, Some(why.clone())),
    };
    StatusView { skill: name.to_string(), locked: before, newest: after, state: word(&state), edited, why }
}

/// How a skill stands to its source, in a word.
pub fn word(state: &UpdateState) -> &'static str {
    match state {
        UpdateState::Current => "current",
        UpdateState::Outdated => "update",
        UpdateState::Gone(_) => "gone",
        UpdateState::Unreachable(_) => "unreachable",
    }
}

fn signature(one: &Rechecked) -> SignatureView {
    let state = match &one.found {
        None => "not kept",
        Some(Signed::Unsigned) => "unsigned",
        Some(Signed::Known(_)) => "known",
        Some(Signed::Unknown { .. }) => "unknown",
        Some(Signed::Bad(_)) => "bad",
    };
    let signer = one.found.as_ref().and_then(Signed::signer);
    let bad = match &one.found {
        Some(Signed::Bad(fault)) => Some(format!("its signature by {} {fault}", one.signer)),
        // A key that another user knows is not a fault of the skill; one that no longer counts is worth a word.
        Some(Signed::Unknown { unfit, .. }) if !unfit.is_empty() => Some(format!(
            "its signature by {} is of a key that does not count: {}",
            one.signer,
            unfit.join("; ")
        )),
        _ => None,
    };
    SignatureView {
        skill: one.name.to_string(),
        locked: one.signer.to_string(),
        state,
        principal: signer.as_ref().and_then(|signer| signer.principal.clone()),
        fingerprint: signer.map(|signer| signer.fingerprint.to_string()),
        why: bad,
    }
}
