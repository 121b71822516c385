//! Files that hold keys, by their names and by the folders above them. Reading one needs the user's approval, and
//! commands do not see them.
//!
//! Names are compared without case and without characters that some file systems ignore, so that another
//! spelling of a name is that name.

use crate::{mounted_place, sha1};
use skillful_catalog::variables::{SHARED_FILE, SKILL_FILE, SKILLS_FOLDER};
use std::{
    io::Read,
    path::{Component, Path, PathBuf},
};

/// Folders and files below the home or a project that hold keys.
const KEY_FOLDERS: [&str; 24] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".azure",
    ".kube",
    ".docker/config.json",
    ".password-store",
    ".config/gcloud",
    ".config/gh",
    ".config/op",
    ".config/rclone",
    ".config/git/credentials",
    ".config/hub",
    ".config/glab-cli",
    ".config/sops",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".terraform.d/credentials.tfrc.json",
    ".m2/settings-security.xml",
    ".local/share/keyrings",
    ".mozilla",
    "library/keychains",
    "skillful/secrets",
];
/// Files that hold keys, by name.
const KEY_FILES: [&str; 26] = [
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".git-credentials",
    ".vault-token",
    ".terraformrc",
    ".dockercfg",
    ".boto",
    ".s3cfg",
    ".databrickscfg",
    "kubeconfig",
    "rclone.conf",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "credentials.yml",
    "secrets.toml",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
];
/// Files that hold keys, by ending.
const KEY_ENDINGS: [&str; 10] =
    [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".age", ".p8"];
/// Files that hold keys, by beginning.
const KEY_BEGINNINGS: [&str; 5] = [".env.", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa"];
/// Endings of harmless files that look like key files.
const SHOWN: [&str; 6] = [".example", ".sample", ".template", ".dist", ".defaults", ".pub"];
/// What a file with a private key says.
const PRIVATE: &[u8] = b"PRIVATE KEY";
/// Bytes of a file that are searched for it, and of one that is compared with git's index.
const SEARCHED: u64 = 256 << 10;
/// Bytes of an index of git that are read.
const INDEX: u64 = 64 << 20;

/// Whether a file may hold keys, by its name and by the folders above it.
pub fn is_key(path: &Path) -> bool {
    let parts = folded(path);
    KEY_FOLDERS.iter().any(|names| holds(&parts, &folded(Path::new(names))))
        // A folder of sources may be called `credentials`.
        || parts.last().is_some_and(|name| is_key_name(name)) && !path.is_dir()
}

/// Whether a file holds the values of variables, the secret ones too. A model never reads it.
pub fn holds_variables(path: &Path) -> bool {
    let parts = folded(path);
    let Some(name) = parts.last() else { return false };
    let own = parts.len() > 1 && ["skillful", SKILLS_FOLDER].contains(&parts[parts.len() - 2].as_str());
    name == SHARED_FILE && (own || path.with_file_name("trust.toml").exists())
        || name == SKILL_FILE && path.parent().is_some_and(is_skill)
}

fn is_skill(folder: &Path) -> bool {
    ["SKILL.md", "skill.md"].iter().any(|name| folder.join(name).symlink_metadata().is_ok())
}

fn is_key_name(name: &str) -> bool {
    if SHOWN.iter().any(|ending| name.ends_with(ending)) {
        return false;
    }
    KEY_FILES.contains(&name)
        || KEY_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || KEY_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// The folders and files of a home that hold keys and exist, under every path by which these folders show the
/// home: no command sees them.
pub fn in_home(home: &Path, given: &[PathBuf]) -> Vec<PathBuf> {
    let real = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    let seen = given.iter().filter_map(|folder| mounted_place::seen_from(folder, &real));
    let mut homes: Vec<PathBuf> = seen.chain([real.clone()]).collect();
    homes.dedup();
    let named = |home: PathBuf| KEY_FOLDERS.iter().chain(&KEY_FILES).map(move |name| home.join(name));
    homes.into_iter().flat_map(named).filter(|path| path.symlink_metadata().is_ok()).collect()
}

/// Whether commands must not see a file of a project. A certificate is not a key, and a key file whose content
/// git tracks is a fixture that everyone with the repository has; both are needed by tests.
pub(crate) fn is_hidden_file(path: &Path, name: &str, index: &dyn Fn() -> Option<Vec<u8>>) -> bool {
    if !is_key_name(name) {
        return false;
    }
    let by_ending = KEY_ENDINGS.iter().any(|ending| name.ends_with(ending));
    if !by_ending {
        return true;
    }
    let Some(content) = read(path, SEARCHED) else { return true };
    let is_certificate = content.starts_with(b"-----BEGIN ")
        && path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pem"))
        && !content.windows(PRIVATE.len()).any(|at| at == PRIVATE);
    !is_certificate && !index().is_some_and(|index| tracks(&index, &content))
}

/// Whether an index of git names an object with this content. An attacker cannot write that entry without the
/// content.
fn tracks(index: &[u8], content: &[u8]) -> bool {
    let mut object = format!("blob {}\0", content.len()).into_bytes();
    object.extend_from_slice(content);
    let id = sha1::digest(&object);
    index.windows(id.len()).any(|at| at == id)
}

/// The index of the repository around a folder.
pub(crate) fn index_of(folder: &Path) -> Option<Vec<u8>> {
    let repository = folder.ancestors().find(|above| above.join(".git").is_dir())?;
    read(&repository.join(".git/index"), INDEX)
}

/// The whole content of a regular file of at most `most` bytes.
fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let meta = path.symlink_metadata().ok()?;
    if !meta.is_file() || meta.len() > most {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// The names of a path, folded as the most lenient file system does.
pub fn folded(path: &Path) -> Vec<String> {
    let normal = |component| match component {
        Component::Normal(name) => Some(fold(&name.to_string_lossy())),
        _ => None,
    };
    path.components().filter_map(normal).collect()
}

/// A name as the most lenient file system compares it.
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let unseen = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let seen: String = name.chars().filter(|c| !unseen(c)).collect();
    // Both directions, since some letters map in one direction only.
    seen.to_uppercase().to_lowercase()
}

/// Whether these names appear consecutively in a path.
fn holds(parts: &[String], names: &[String]) -> bool {
    !names.is_empty() && parts.windows(names.len()).any(|window| window == names)
}

#[cfg(test)]
mod tests;
