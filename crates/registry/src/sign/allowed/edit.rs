//! Adding and removing keys, without touching any other line.

use super::{
    super::{Fingerprint, NAMESPACE, signer::is_principal},
    ALLOWED_LIMIT, Allowed, AllowedError, AllowedLine, line,
};
use crate::atomic_write::AtomicWriter;
use cap_std::{ambient_authority, fs::Dir};
use ssh_key::PublicKey;
use std::{
    io::{self, Read},
    path::{Path, PathBuf},
};

/// A public key is a line of this many bytes at most.
const KEY_LIMIT: u64 = 64 << 10;

/// Why a key is not added.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The name would be read as something else.
    #[error(
        "`{0}` cannot name a signer: it is one word, such as an e-mail address, without `,`, `*`, `?`, `!`, `\"` and `#`"
    )]
    Name(String),
    /// The disk refused.
    #[error("the key `{}` cannot be read: {error}", path.display())]
    Disk {
        /// The key's file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// It must stay where it is.
    #[error("`{}` holds a private key, which is not needed to check a signature; name the file with `.pub`", .0.display())]
    Private(PathBuf),
    /// Not a key at all.
    #[error("`{}` does not hold one public key in OpenSSH's form, such as `ssh-ed25519 AAAA…`", .0.display())]
    NoKey(PathBuf),
    /// The file is full.
    #[error("there are too many signers; remove some first")]
    TooLarge,
}

impl Allowed {
    /// The text with one more key, for skills only, and the line that was added; none when it is there already.
    pub fn with_key(
        text: &str,
        principal: &str,
        file: &Path,
    ) -> Result<Option<(String, AllowedLine)>, KeyFileError> {
        let is_name = is_principal(principal)
            && !principal.contains([' ', '\t', '"', ',', '*', '?'])
            && !principal.starts_with(['!', '#']);
        if !is_name {
            return Err(KeyFileError::Name(principal.to_owned()));
        }
        let key = public_key(file)?;
        let fingerprint = Fingerprint::of(key.key_data());
        let there = Self::parse(text).lines;
        if there.iter().any(|line| {
            line.fingerprint == fingerprint
                && line.principals == principal
                && line.namespaces.as_deref() == Some(NAMESPACE)
                && line.valid_after.is_none()
                && line.valid_before.is_none()
        }) {
            return Ok(None);
        }
        let key = key.to_openssh().map_err(|_| KeyFileError::NoKey(file.to_path_buf()))?;
        let added = format!("{principal} namespaces=\"{NAMESPACE}\" {key}");
        let mut text = text.to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let number = text.matches('\n').count() + 1;
        let read = line::read(&added, number).ok().flatten();
        let read = read.ok_or_else(|| KeyFileError::NoKey(file.to_path_buf()))?;
        text.push_str(&added);
        text.push('\n');
        if text.len() > ALLOWED_LIMIT { Err(KeyFileError::TooLarge) } else { Ok(Some((text, read))) }
    }

    /// The text without the keys of a name, or without the key of a fingerprint, and the lines that went. A line
    /// for more names keeps the others.
    pub fn without(text: &str, who: &str) -> (String, Vec<AllowedLine>) {
        let mut gone = Vec::new();
        let mut kept = String::with_capacity(text.len());
        for (at, whole) in text.split_inclusive('\n').enumerate() {
            let Ok(Some(read)) = line::read(whole, at + 1) else {
                kept.push_str(whole);
                continue;
            };
            let names = read.principals.split(',').filter(|name| !name.is_empty());
            let others: Vec<&str> = names.clone().filter(|name| *name != who).collect();
            let is_key = read.fingerprint.to_string() == who;
            let is_named = others.len() < names.count();
            // A line that would only exclude names is not kept.
            let is_anybody = others.iter().any(|name| !name.starts_with('!'));
            if is_key || (is_named && !is_anybody) {
                gone.push(read);
            } else if is_named && let Some((_, rest)) = line::word(whole.trim_start()) {
                let others = others.join(",");
                // Otherwise the rest of a name would be read as the key, or all of it as a comment.
                let quote = if others.contains([' ', '\t']) || others.starts_with('#') { "\"" } else { "" };
                kept.push_str(&format!("{quote}{others}{quote} {rest}"));
                gone.push(AllowedLine { principals: who.to_owned(), ..read });
            } else {
                kept.push_str(whole);
            }
        }
        (kept, gone)
    }

    /// Writes the file: staged beside it, synced, renamed. A link of the user's stays a link.
    pub fn save(path: &Path, text: &str, writer: &AtomicWriter) -> Result<(), AllowedError> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let write = || {
            let (Some(folder), Some(name)) = (real.parent(), real.file_name().and_then(|name| name.to_str()))
            else {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "it has no folder or no name"));
            };
            std::fs::create_dir_all(folder)?;
            writer.write_file(&Dir::open_ambient_dir(folder, ambient_authority())?, name, text.as_bytes())
        };
        write().map_err(|error| AllowedError::Disk { path: path.to_path_buf(), action: "written", error })
    }
}

fn public_key(file: &Path) -> Result<PublicKey, KeyFileError> {
    let failed = |error| KeyFileError::Disk { path: file.to_path_buf(), error };
    let mut text = Vec::new();
    std::fs::File::open(file).map_err(failed)?.take(KEY_LIMIT).read_to_end(&mut text).map_err(failed)?;
    let no_key = || KeyFileError::NoKey(file.to_path_buf());
    let text = String::from_utf8(text).map_err(|_| no_key())?;
    if text.contains("PRIVATE KEY-----") {
        return Err(KeyFileError::Private(file.to_path_buf()));
    }
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    match (lines.next(), lines.next()) {
        (Some(line), None) if !line.contains(crate::source::is_unseen) => {
            PublicKey::from_openssh(line).map_err(|_| no_key())
        }
        _ => Err(no_key()),
    }
}
