//! Keys and signatures of the real `ssh-keygen`.

use skillful_format::{Digest, Tree};
use skillful_registry::sign::{Signature, message, sign};
use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// Runs `ssh-keygen` with some input.
pub(crate) fn keygen(args: &[&str], input: &str) -> Output {
    let mut command = Command::new("ssh-keygen");
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().unwrap_or_else(|error| panic!("install openssh-client for this test: {error}"));
    // It may refuse before it reads.
    let _closed = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// A key of a kind, such as `ed25519` or `ecdsa-256`; all but the plain ones need the real program.
pub(crate) fn key(folder: &Path, name: &str, kind: &str, passphrase: &str) -> PathBuf {
    let file = folder.join(name);
    if kind == "ed25519" && passphrase.is_empty() && name != kind {
        skillful_testkit::ssh_key(name, &file);
        return file;
    }
    let (kind, bits) = kind.split_once('-').unwrap_or((kind, "256"));
    let path = file.to_str().unwrap();
    let made = keygen(&["-q", "-t", kind, "-b", bits, "-N", passphrase, "-C", name, "-f", path], "");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    file
}

/// The public line of a key, without its comment.
pub(crate) fn public(key: &Path) -> String {
    let text = fs::read_to_string(key.with_extension("pub")).unwrap();
    text.split(' ').take(2).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Their signature of a digest.
pub(crate) fn theirs(key: &Path, namespace: &str, hash: &str, tree: &Digest) -> Signature {
    let (key, hash) = (key.to_str().unwrap(), format!("hashalg={hash}"));
    let made = keygen(&["-q", "-Y", "sign", "-O", &hash, "-n", namespace, "-f", key], &message(tree));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Signature::new(made.stdout)
}

/// Our signature of a digest.
pub(crate) fn ours(key: &Path, tree: &Digest) -> Signature {
    sign(tree, key, &variables(&[])).unwrap().0
}

/// What a program gets in a test.
pub(crate) fn variables(more: &[(&str, &str)]) -> BTreeMap<String, String> {
    let path = std::env::var("PATH").unwrap();
    let all = [("PATH", path.as_str())].into_iter().chain(more.iter().copied());
    all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Whether they find a signature good.
pub(crate) fn they_accept(
    folder: &Path,
    allowed: &str,
    who: &str,
    namespace: &str,
    signature: &Signature,
    tree: &Digest,
) -> bool {
    let (file, sig) = (folder.join("their_allowed"), folder.join("their.sig"));
    fs::write(&file, allowed).unwrap();
    fs::write(&sig, signature.as_bytes()).unwrap();
    let (file, sig) = (file.to_str().unwrap(), sig.to_str().unwrap());
    let args = ["-Y", "verify", "-f", file, "-I", who, "-n", namespace, "-s", sig];
    keygen(&args, &message(tree)).status.success()
}

/// A small tree.
pub(crate) fn tree() -> Tree {
    crate::fixture::small("one", "a")
}
