//! The entry that a fetched skill gets in the lock, and whether it may take the place of the one before.

use super::{Adding, Planning};
use crate::{
    fetch::FetchedSkill,
    install::{InstallError, Mode, Refusal, agreed},
    lock::Locked,
    review::{Card, Concern},
    source::SourceLocation,
};
use skillful_catalog::capability;
use skillful_catalog::parallel;
use skillful_format::{Digest, Limits, TreePath};
use std::collections::BTreeSet;

impl Planning<'_> {
    /// Everything that one source gave.
    pub(super) fn add(&mut self, adding: &Adding<'_>) -> Result<(), InstallError> {
        let skills = &adding.fetched.skills;
        let digests = parallel::map(skills, |found| found.tree.digest());
        for (found, digest) in skills.iter().zip(digests) {
            let old = self.before.skills.get(&found.name);
            // A skill of another source is refused where it was to go; the folders of the installed one are not part of it.
            let same = old.filter(|old| is_same_source(old, adding, found));
            let mut new = locked(adding, found, digest, same)?;
            let locked_signer = old.and_then(|old| old.signer.as_ref());
            let judged = adding.signing.judge(&new.tree, found.signature.as_ref(), locked_signer);
            new.signer = judged.signer;
            let refusal = match old {
                Some(old) if same.is_none() => Some(Refusal::OtherSource(old.source.to_string())),
                _ if judged.refusal.is_some() => judged.refusal,
                Some(old) if old.edited.is_some() && old.tree != new.tree => Some(Refusal::HasEdits),
                Some(old) if adding.approved.contains(&found.name) || old.pending || old.tree == new.tree => {
                    None
                }
                Some(_) if adding.suspect.contains(&found.name) => Some(Refusal::Concern(Concern::Blocked)),
                Some(old) if adding.source.is_remote() => self.grown(old, found),
                _ => None,
            };
            // The same version keeps the edits that were approved.
            if let Some(old) = old.filter(|old| old.tree == new.tree && old.edited.is_some()) {
                new.edited.clone_from(&old.edited);
                new.capabilities.clone_from(&old.capabilities);
                self.trees
                    .extend(self.contents.read(&old.installed()).ok().map(|tree| (old.installed(), tree)));
            }
            self.skill(&found.name, &new, refusal.as_ref())?;
            self.trees.insert(new.tree, found.tree.clone());
            if let (Some(signer), Some(signature)) = (&new.signer, &found.signature) {
                self.signatures.insert((new.tree, signer.fingerprint), signature.clone());
            }
            self.after.skills.insert(found.name.clone(), new);
        }
        Ok(())
    }

    /// Why files of another machine do not replace those that the user approved. An update asks the
    /// same, so that adding again does not bypass it.
    fn grown(&self, old: &Locked, found: &FetchedSkill) -> Option<Refusal> {
        let Ok(base) = self.contents.read(&old.tree) else { return Some(Refusal::NotSynced) };
        if capability::grew(&agreed(old, Some(&base)), &found.capabilities) {
            return Some(Refusal::Concern(Concern::Grown));
        }
        Card::since(&base, &found.tree).concerns().pop_last().map(Refusal::Concern)
    }
}

fn is_same_source(old: &Locked, adding: &Adding<'_>, found: &FetchedSkill) -> bool {
    let same = match (&old.source.place, &adding.source.place) {
        // Another version is the same skill.
        (SourceLocation::Registry { name: old, .. }, SourceLocation::Registry { name: new, .. }) => {
            old == new
        }
        (old, new) => old == new,
    };
    // Other installers do not record where in a source a skill is.
    same && (old.folder == found.folder || old.folder.is_none())
}

fn locked(
    adding: &Adding<'_>,
    found: &FetchedSkill,
    tree: Digest,
    old: Option<&Locked>,
) -> Result<Locked, InstallError> {
    let place = |folder: &TreePath| {
        TreePath::new(&format!("{folder}/{}", found.name), &Limits::default())
            .map_err(|fault| InstallError::Refused(format!("the path `{folder}/{}` {fault}", found.name)))
    };
    let places: BTreeSet<TreePath> = adding.folders.iter().map(place).collect::<Result<_, _>>()?;
    let (mut copied, mut linked) =
        old.map(|old| (old.copied.clone(), old.linked.clone())).unwrap_or_default();
    let (into, from) = match adding.mode {
        Mode::Copy => (&mut copied, &mut linked),
        Mode::Link | Mode::Alias => (&mut linked, &mut copied),
    };
    from.retain(|place| !places.contains(place));
    let mut aliases = old.map(|old| old.aliases.clone()).unwrap_or_default();
    aliases.retain(|place| !places.contains(place));
    into.extend(places);
    // What the user approved stays in use; what no user reviewed stays pending.
    let seen = old.is_some_and(|old| !old.pending);
    Ok(Locked {
        source: adding.source.clone(),
        folder: found.folder.clone(),
        resolved: adding.fetched.resolved.clone(),
        artefact: found.artefact,
        tree,
        edited: None,
        signer: None,
        capabilities: found.capabilities.clone(),
        pending: (adding.source.is_remote() || adding.suspect.contains(&found.name))
            && !adding.approved.contains(&found.name)
            && !seen,
        copied,
        linked,
        aliases,
        rest: old.map(|old| old.rest.clone()).unwrap_or_default(),
    })
}
