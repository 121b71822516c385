//! Signing skills, and the keys whose signatures the user knows.

use super::{Library, LibraryError};
use crate::views::PathText;
use crate::views::SCHEMA;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_format::{Diagnostic, Digest, path_text};
use skillful_registry::{
    fetch::read_folder,
    sign::{self, Allowed, AllowedLine, NAMESPACE, SIGNATURE_FILE, Signed, check},
};
use std::path::{Path, PathBuf};

/// How a file begins that a new signature may replace.
const ARMOUR: &[u8] = b"-----BEGIN SSH SIGNATURE-----";

/// Which skill is signed, and with which key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignRequest {
    /// The folder of the skill, relative to the workspace.
    pub folder: PathBuf,
    /// A private key, or the public key of one that an SSH agent holds; `~/.ssh/id_ed25519` when there is none.
    pub key: Option<PathBuf>,
}

/// A skill and the signature that was written into its folder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SignedFolder {
    /// The version of this view.
    pub schema: u32,
    /// The skill.
    pub skill: String,
    /// The digest that was signed.
    #[schemars(with = "String")]
    pub tree: Digest,
    /// The number of files that the digest covers.
    pub files: usize,
    /// The key that signed.
    pub fingerprint: String,
    /// The file of that key.
    pub key: PathText,
    /// The file of the signature.
    pub signature: PathText,
    /// Files that are not covered by the signature, and why.
    #[serde(skip)]
    pub diagnostics: Vec<Diagnostic>,
}

/// What a signature proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SignatureState {
    /// There is no signature.
    Unsigned,
    /// A key that the user knows signed these files.
    Known,
    /// A key that the user does not know signed these files.
    Unknown,
    /// The signature is not a signature of these files.
    Bad,
}

/// The signature of the skill in a folder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SignatureCheck {
    /// The version of this view.
    pub schema: u32,
    /// The skill.
    pub skill: String,
    /// The digest of its files.
    #[schemars(with = "String")]
    pub tree: Digest,
    /// What the signature proves.
    pub state: SignatureState,
    /// The name that the user gave to the key.
    pub principal: Option<String>,
    /// The key.
    pub fingerprint: Option<String>,
    /// Why the signature does not count.
    pub why: Vec<String>,
    /// Whether the signer is the one asked for; without one, whether the user knows the signer.
    pub known: bool,
    /// Files that are not covered by the signature, and why.
    #[serde(skip)]
    pub diagnostics: Vec<Diagnostic>,
}

/// One key of the user's file of signers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeyLine {
    /// Its line in the file.
    pub line: usize,
    /// The names or patterns of its owners, with commas between.
    pub principals: String,
    /// The key.
    pub fingerprint: String,
    /// Such as `ssh-ed25519`.
    pub kind: String,
    /// What the key may sign, as patterns; anything when there is none.
    pub namespaces: Option<String>,
    /// The first second at which it counts, since 1970.
    pub valid_after: Option<i64>,
    /// The last second at which it counts, since 1970.
    pub valid_before: Option<i64>,
    /// The comment behind the key.
    pub comment: String,
    /// Why it does not count for skills now.
    pub why_not: Option<String>,
}

/// The user's file of signers, or the keys that changed in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnownKeys {
    /// The version of this view.
    pub schema: u32,
    /// The file.
    pub file: PathText,
    /// The keys: all of the file, or those that were added or removed.
    pub keys: Vec<KeyLine>,
    /// Lines that cannot be used.
    pub losses: Vec<String>,
}

impl Library<'_> {
    /// Signs the skill in a folder and writes the signature beside its files.
    pub fn sign(&self, request: &SignRequest) -> Result<SignedFolder, LibraryError> {
        let environment = self.workspace.environment();
        let folder = environment.cwd.join(&request.folder);
        let found = read_folder(&folder)?;
        if found.signature.as_ref().is_some_and(|old| !old.as_bytes().starts_with(ARMOUR)) {
            return Err(LibraryError::new(format!("`{SIGNATURE_FILE}` does not hold a signature"))
                .fix("move it away; only a signature can have that name at the top of a skill"));
        }
        let key = request.key.as_ref().map(|key| environment.cwd.join(key));
        let key = key.unwrap_or_else(|| environment.home.join(".ssh/id_ed25519"));
        let tree = found.tree.digest();
        let (signature, fingerprint) = sign::sign(&tree, &key, &environment.variables)?;
        let file = folder.join(SIGNATURE_FILE);
        sign::write(&folder, &signature, &self.writer)
            .map_err(LibraryError::io(format!("write `{}`", path_text(&file))))?;
        Ok(SignedFolder {
            schema: SCHEMA,
            skill: found.name.to_string(),
            tree,
            files: found.tree.len(),
            fingerprint: fingerprint.to_string(),
            key: key.into(),
            signature: file.into(),
            diagnostics: found.diagnostics,
        })
    }

    /// Checks the signature of the skill in a folder. `signer` is the name or the key that is expected.
    pub fn check_signature(
        &self,
        folder: &Path,
        signer: Option<&str>,
    ) -> Result<SignatureCheck, LibraryError> {
        let found = read_folder(&self.workspace.environment().cwd.join(folder))?;
        let tree = found.tree.digest();
        let allowed = self.signers(&mut Vec::new())?;
        let signed = check(&tree, found.signature.as_ref(), &allowed, self.seconds());
        let by = signed.signer();
        let known = match (signer, &by) {
            (None, _) => matches!(signed, Signed::Known(_)),
            (Some(wanted), Some(by)) => {
                by.is_named(wanted) || allowed.allows(wanted, by.fingerprint, NAMESPACE, self.seconds())
            }
            (Some(_), None) => false,
        };
        let (state, why) = match &signed {
            Signed::Unsigned => (SignatureState::Unsigned, Vec::new()),
            Signed::Known(_) => (SignatureState::Known, Vec::new()),
            Signed::Unknown { unfit, .. } => (SignatureState::Unknown, unfit.clone()),
            Signed::Bad(fault) => (SignatureState::Bad, vec![format!("the signature {fault}")]),
        };
        Ok(SignatureCheck {
            schema: SCHEMA,
            skill: found.name.to_string(),
            tree,
            state,
            principal: by.as_ref().and_then(|by| by.principal.clone()),
            fingerprint: by.map(|by| by.fingerprint.to_string()),
            why,
            known,
            diagnostics: found.diagnostics,
        })
    }

    /// The keys whose signatures the user knows.
    pub fn known_keys(&self) -> Result<KnownKeys, LibraryError> {
        let allowed = self.signers(&mut Vec::new())?;
        let losses = allowed.losses.iter().map(ToString::to_string).collect();
        Ok(KnownKeys { losses, ..self.keys(&allowed.lines) })
    }

    /// Adds a public key under a name, for signatures of skills only. Returns the key when it is new.
    pub fn add_key(&self, principal: &str, key: &Path) -> Result<KnownKeys, LibraryError> {
        let path = self.workspace.paths().allowed_signers();
        let key = self.workspace.environment().cwd.join(key);
        let Some((text, line)) = Allowed::with_key(&Allowed::text(&path)?, principal, &key)? else {
            return Ok(self.keys(&[]));
        };
        Allowed::save(&path, &text, &self.writer)?;
        Ok(self.keys(&[line]))
    }

    /// Removes the keys of a name, or the key of a fingerprint. Returns those that were removed.
    pub fn remove_key(&self, principal: &str) -> Result<KnownKeys, LibraryError> {
        let path = self.workspace.paths().allowed_signers();
        let (text, removed) = Allowed::without(&Allowed::text(&path)?, principal);
        if removed.is_empty() {
            return Err(LibraryError::new(format!("no key of `{principal}` is known"))
                .fix("`skillful sign keys` lists the known keys"));
        }
        Allowed::save(&path, &text, &self.writer)?;
        Ok(self.keys(&removed))
    }

    fn keys(&self, lines: &[AllowedLine]) -> KnownKeys {
        let line = |line: &AllowedLine| KeyLine {
            line: line.number,
            principals: line.principals.clone(),
            fingerprint: line.fingerprint.to_string(),
            kind: line.kind.clone(),
            namespaces: line.namespaces.clone(),
            valid_after: line.valid_after,
            valid_before: line.valid_before,
            comment: line.comment.clone(),
            why_not: line.unfit(NAMESPACE, self.seconds()),
        };
        KnownKeys {
            schema: SCHEMA,
            file: self.workspace.paths().allowed_signers().into(),
            keys: lines.iter().map(line).collect(),
            losses: Vec::new(),
        }
    }
}
