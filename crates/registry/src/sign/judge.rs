//! Whether a skill may be installed by who signed it: a signer is pinned by the first install, and no other
//! takes their place without a user who names the new one.

use super::{Allowed, Signature, Signed, Signer, check};
use crate::install::Refusal;
use skillful_format::Digest;

/// The word that approves a skill without a signature.
pub const UNSIGNED: &str = "unsigned";

/// What judging signatures needs. The default knows no signer: keys are still pinned, and bad signatures refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signing<'a> {
    /// The keys that the user knows.
    pub allowed: Option<&'a Allowed>,
    /// The time, in seconds since 1970.
    pub now: i64,
    /// The signer whom the user named: a name, a fingerprint, or `unsigned`. No other signer is then accepted, and a
    /// change to that signer is approved.
    pub agreed: Option<&'a str>,
}

/// The decision about the signature of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureDecision {
    /// For the lock.
    pub signer: Option<Signer>,
    /// Why it is not installed.
    pub refusal: Option<Refusal>,
}

impl Signing<'_> {
    /// Judges the signature of a tree against the signer that the lock names.
    pub fn judge(
        &self,
        tree: &Digest,
        signature: Option<&Signature>,
        locked: Option<&Signer>,
    ) -> SignatureDecision {
        let nobody = Allowed::default();
        let allowed = self.allowed.unwrap_or(&nobody);
        let signed = check(tree, signature, allowed, self.now);
        if let Signed::Bad(fault) = signed {
            return SignatureDecision { signer: None, refusal: Some(Refusal::BadSignature(fault)) };
        }
        let mut signer = signed.signer();
        let refusal = match (self.agreed, locked) {
            (Some(word), _) => {
                let is_meant = match &signer {
                    Some(signer) => signer.is_named(word),
                    None => word == UNSIGNED,
                };
                (!is_meant)
                    .then(|| Refusal::OtherSigner { wanted: word.to_owned(), found: told(signer.as_ref()) })
            }
            (None, Some(locked))
                if !signer.as_ref().is_some_and(|signer| signer.is_same(locked, allowed)) =>
            {
                Some(Refusal::SignerChanged {
                    was: locked.to_string(),
                    now: told(signer.as_ref()),
                    word: signer.as_ref().map_or_else(|| UNSIGNED.to_owned(), Signer::word),
                })
            }
            (None, _) => None,
        };
        // A name that another user's file gave to the same key is kept.
        if let (Some(signer), Some(locked)) = (&mut signer, locked)
            && signer.principal.is_none()
            && signer.fingerprint == locked.fingerprint
        {
            signer.principal.clone_from(&locked.principal);
        }
        SignatureDecision { signer, refusal }
    }
}

fn told(signer: Option<&Signer>) -> String {
    signer.map_or_else(|| "not signed".to_owned(), |signer| format!("signed by `{signer}`"))
}
