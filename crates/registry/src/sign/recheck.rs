//! The signatures of what is installed, again, without a network.

use super::{Allowed, SignatureFault, Signed, Signer, check};
use crate::{
    content_store::{ContentStore, ContentStoreError},
    lock::{Lock, Locked, SkillKey},
};

/// The check of one signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rechecked {
    /// The skill.
    pub name: SkillKey,
    /// Whom the lock names.
    pub signer: Signer,
    /// The result of the check; none when the signature is not kept on this machine.
    pub found: Option<Signed>,
}

/// Checks every signature that a lock names, at a time in seconds since 1970.
pub fn recheck(
    lock: &Lock,
    contents: &ContentStore,
    allowed: &Allowed,
    now: i64,
) -> Result<Vec<Rechecked>, ContentStoreError> {
    let mut all = Vec::new();
    for (name, locked) in &lock.skills {
        let Some(signer) = &locked.signer else { continue };
        let found = recheck_one(locked, contents, allowed, now)?;
        all.push(Rechecked { name: name.clone(), signer: signer.clone(), found });
    }
    Ok(all)
}

/// Checks the signature of one skill; none when the lock names no signer, or when the signature is not kept on this
/// machine. A lock comes with a repository, so the signer in it is not evidence.
pub fn recheck_one(
    locked: &Locked,
    contents: &ContentStore,
    allowed: &Allowed,
    now: i64,
) -> Result<Option<Signed>, ContentStoreError> {
    let Some(signer) = &locked.signer else { return Ok(None) };
    let kept = contents.signature(&locked.tree, &signer.fingerprint)?;
    Ok(kept.map(|kept| match check(&locked.tree, Some(&kept), allowed, now) {
        signed if signed.signer().is_some_and(|found| found.fingerprint != signer.fingerprint) => {
            Signed::Bad(SignatureFault::OtherKey)
        }
        signed => signed,
    }))
}
