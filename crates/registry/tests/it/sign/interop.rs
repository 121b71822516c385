use super::keys::{key, keygen, ours, public, theirs, they_accept, tree, variables};
use ring::{
    digest::{SHA256, digest},
    signature::{Ed25519KeyPair, KeyPair},
};
use skillful_format::{Digest, Limits, Tree, TreeFile, TreePath};
use skillful_registry::sign::{
    Allowed, NAMESPACE, Signature, SignatureFault, Signed, check, message, sign, split,
};
use skillful_testkit::{require_tool, wait_until, write_program};
use ssh_key::{Algorithm, HashAlg, LineEnding, SshSig, public::KeyData};
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

fn checked(tree: &Digest, signature: &Signature, allowed: &str) -> Signed {
    check(tree, Some(signature), &Allowed::parse(allowed), 1_800_000_000)
}

#[test]
fn ssh_keygen_verifies_what_we_sign() {
    require_tool!("ssh-keygen");
    let folder = tempfile::tempdir().unwrap();
    let tree = tree().digest();
    let key = key(folder.path(), "id", "ed25519", "");
    let signature = ours(&key, &tree);
    let allowed = format!("alice {}", public(&key));
    let accept =
        |who, namespace, tree| they_accept(folder.path(), &allowed, who, namespace, &signature, tree);
    assert!(accept("alice", NAMESPACE, &tree));
    assert!(!accept("bob", NAMESPACE, &tree));
    assert!(!accept("alice", "file", &tree));
    assert!(!accept("alice", NAMESPACE, &Digest::from_bytes([1; 32])));
    // Ed25519 has one signature for a message, so both programs write the same file.
    assert_eq!(signature, theirs(&key, NAMESPACE, "sha512", &tree));
}

#[test]
fn we_verify_what_ssh_keygen_signs_with_every_kind_of_key() {
    require_tool!("ssh-keygen");
    let folder = tempfile::tempdir().unwrap();
    let tree = tree().digest();
    for kind in ["ed25519", "ecdsa-256", "ecdsa-384", "rsa-2048"] {
        let key = key(folder.path(), kind, kind, "");
        let allowed = format!("alice@example.org {}", public(&key));
        for hash in ["sha256", "sha512"] {
            let signature = theirs(&key, NAMESPACE, hash, &tree);
            let Signed::Known(signer) = checked(&tree, &signature, &allowed) else { panic!("{kind} {hash}") };
            assert_eq!(signer.principal.as_deref(), Some("alice@example.org"));
            let shown = keygen(&["-l", "-f", key.to_str().unwrap()], "");
            let shown = String::from_utf8(shown.stdout).unwrap();
            assert!(shown.contains(&signer.fingerprint.to_string()), "{shown}");
            assert!(matches!(checked(&tree, &signature, ""), Signed::Unknown { .. }));
            let other = Digest::from_bytes([1; 32]);
            assert_eq!(checked(&other, &signature, &allowed), Signed::Bad(SignatureFault::Mismatch));
        }
        // Signing with it through us gives one that both accept.
        let signature = ours(&key, &tree);
        assert!(matches!(checked(&tree, &signature, &allowed), Signed::Known(_)), "{kind}");
        assert!(they_accept(folder.path(), &allowed, "alice@example.org", NAMESPACE, &signature, &tree));
    }
}

#[test]
fn a_signature_for_something_else_is_refused() {
    require_tool!("ssh-keygen");
    let folder = tempfile::tempdir().unwrap();
    let tree = tree().digest();
    let id = key(folder.path(), "id", "ed25519", "");
    let signed = checked(&tree, &theirs(&id, "git", "sha512", &tree), &format!("alice {}", public(&id)));
    assert_eq!(signed, Signed::Bad(SignatureFault::Namespace("git".to_owned())));
    let large = key(folder.path(), "large", "ecdsa-521", "");
    let signed = checked(&tree, &theirs(&large, NAMESPACE, "sha512", &tree), "");
    assert_eq!(signed, Signed::Bad(SignatureFault::Key("ecdsa-sha2-nistp521".to_owned())));
}

#[test]
fn any_single_bit_of_a_signature_matters() {
    require_tool!("ssh-keygen");
    let folder = tempfile::tempdir().unwrap();
    let tree = tree().digest();
    for kind in ["ed25519", "ecdsa-256", "rsa-2048"] {
        let key = key(folder.path(), kind, kind, "");
        let allowed = Allowed::parse(&format!("* {}", public(&key)));
        let signature = theirs(&key, NAMESPACE, "sha512", &tree);
        assert!(matches!(check(&tree, Some(&signature), &allowed, 0), Signed::Known(_)));
        for bit in 0..signature.as_bytes().len() * 8 {
            let mut bytes = signature.as_bytes().to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let signed = check(&tree, Some(&Signature::new(bytes)), &allowed, 0);
            assert!(matches!(signed, Signed::Bad(_)), "{kind}, bit {bit}: {signed:?}");
        }
        for end in ["", "\n", "\n\n", " ", "x", "\r\n"] {
            let text = std::str::from_utf8(signature.as_bytes()).unwrap().trim_end();
            let signed =
                check(&tree, Some(&Signature::new(format!("{text}{end}").into_bytes())), &allowed, 0);
            assert_eq!(matches!(signed, Signed::Known(_)), ["", "\n", "\r\n"].contains(&end), "{end:?}");
        }
        let other_ends = String::from_utf8(signature.as_bytes().to_vec()).unwrap().replace('\n', "\r\n");
        let signed = check(&tree, Some(&Signature::new(other_ends.into_bytes())), &allowed, 0);
        assert!(matches!(signed, Signed::Known(_)), "a checkout may write other line ends");
    }
}

/// The files again, each as `change` makes it; a file that it makes nothing of is left out.
fn changed(tree: &Tree, change: impl Fn(&str, &TreeFile) -> Option<(String, TreeFile)>) -> Tree {
    let limits = Limits::default();
    let mut made = Tree::default();
    for (path, file) in tree.iter() {
        if let Some((path, file)) = change(path.as_str(), file) {
            made.insert(TreePath::new(&path, &limits).unwrap(), file, &limits).unwrap();
        }
    }
    made
}

#[test]
fn any_single_bit_of_any_file_matters() {
    let folder = tempfile::tempdir().unwrap();
    let tree = tree();
    let key = key(folder.path(), "id", "ed25519", "");
    let signature = ours(&key, &tree.digest());
    let allowed = Allowed::parse(&format!("alice {}", public(&key)));
    let is_good = |tree: &Tree| match check(&tree.digest(), Some(&signature), &allowed, 0) {
        Signed::Known(_) => true,
        Signed::Bad(SignatureFault::Mismatch) => false,
        other => panic!("{other:?}"),
    };
    assert!(is_good(&changed(&tree, |path, file| Some((path.to_owned(), file.clone())))));
    for (at, target) in tree.iter() {
        let others = |path: &str, file: &TreeFile| Some((path.to_owned(), file.clone()));
        for bit in 0..target.bytes.len() * 8 {
            assert!(!is_good(&changed(&tree, |path, file| {
                let (path, mut file) = others(path, file)?;
                if path == at.as_str() {
                    file.bytes[bit / 8] ^= 1 << (bit % 8);
                }
                Some((path, file))
            })));
        }
        let other = |change: &dyn Fn(&mut String, &mut TreeFile) -> bool| {
            changed(&tree, |path, file| {
                let (mut path, mut file) = others(path, file)?;
                (path != at.as_str() || change(&mut path, &mut file)).then_some((path, file))
            })
        };
        assert!(!is_good(&other(&|_, file| {
            file.executable = !file.executable;
            true
        })));
        assert!(!is_good(&other(&|path, _| {
            path.push('x');
            true
        })));
        assert!(!is_good(&other(&|_, file| {
            file.bytes.push(b'\n');
            true
        })));
        assert!(!is_good(&other(&|_, _| false)));
    }
}

#[test]
fn both_programs_read_the_same_file_of_signers() {
    require_tool!("ssh-keygen");
    let folder = tempfile::tempdir().unwrap();
    let tree = tree().digest();
    let id = key(folder.path(), "id", "ed25519", "");
    let other = public(&key(folder.path(), "other", "ecdsa-256", ""));
    let (signature, public) = (ours(&id, &tree), public(&id));
    let Signed::Unknown { fingerprint, .. } = checked(&tree, &signature, "") else { panic!() };
    let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap();
    let lines = [
        format!("alice {public}"),
        format!("alice {public} a comment with \"quotes\" and # marks"),
        format!("  \talice\t{public}\t"),
        format!("alice {other}\nalice {public}"),
        format!("alice {other}"),
        format!("# alice {public}"),
        format!("\"alice\" {public}"),
        format!("\"alice b\",bob {public}"),
        format!("al\"ice\" {public}"),
        format!("bob,alice {public}"),
        format!("bob,!alice,* {public}"),
        format!("al* {public}"),
        format!("a?ice {public}"),
        format!("* {public}"),
        format!("!bob {public}"),
        format!("ALICE {public}"),
        format!("alice namespaces=\"skillful\" {public}"),
        format!("alice NAMESPACES=\"git,skill*\" {public}"),
        format!("alice namespaces=\"*,!skillful\" {public}"),
        format!("alice namespaces=\"git\" {public}"),
        format!("alice namespaces=\"\" {public}"),
        format!("alice valid-after=\"20200101Z\" {public}"),
        format!("alice valid-after=\"20990101Z\" {public}"),
        format!("alice valid-before=\"202001010000Z\" {public}"),
        format!("alice valid-before=\"20990101000000Z\",namespaces=\"skillful\" {public}"),
        format!("alice valid-after=\"20200101\",valid-before=\"20990101\" {public}"),
        format!("alice cert-authority {public}"),
        format!(
            "alice namespaces=\"git\" {public}\nalice valid-before=\"20200101Z\" {public}\nalice {public}"
        ),
    ];
    for line in lines {
        for who in ["alice", "bob", "alice b"] {
            let us = Allowed::parse(&line).allows(who, fingerprint, NAMESPACE, now);
            let them = they_accept(folder.path(), &line, who, NAMESPACE, &signature, &tree);
            assert_eq!(us, them, "{who} in {line}");
        }
    }
}

#[test]
fn a_key_with_a_passphrase_signs_through_ssh_keygen() {
    require_tool!("ssh-keygen");
    let folder = tempfile::tempdir().unwrap();
    let tree = tree().digest();
    let key = key(folder.path(), "id", "ed25519", "open sesame");
    let asks = folder.path().join("ask");
    write_program(&asks, "#!/bin/sh\necho 'open sesame'\n");
    let ask = asks.to_str().unwrap();
    let with = variables(&[("SSH_ASKPASS", ask), ("SSH_ASKPASS_REQUIRE", "force"), ("DISPLAY", ":0")]);
    let (signature, fingerprint) = sign(&tree, &key, &with).unwrap();
    let signed = checked(&tree, &signature, &format!("alice {}", public(&key)));
    assert_eq!(signed.signer().unwrap().fingerprint, fingerprint);

    let wrong = folder.path().join("wrong");
    write_program(&wrong, "#!/bin/sh\necho no\n");
    let ask = wrong.to_str().unwrap();
    let with = variables(&[("SSH_ASKPASS", ask), ("SSH_ASKPASS_REQUIRE", "force"), ("DISPLAY", ":0")]);
    let refused = sign(&tree, &key, &with).unwrap_err().to_string();
    assert!(refused.contains("did not sign"), "{refused}");
    let missing = sign(&tree, Path::new("/no/key"), &with).unwrap_err().to_string();
    assert!(missing.contains("ssh-keygen -t ed25519"), "{missing}");
}

/// An agent that ends with the test.
struct Agent(Child);

impl Drop for Agent {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

#[test]
fn a_key_that_only_an_agent_holds_signs_by_its_public_file() {
    require_tool!("ssh-keygen", "ssh-agent", "ssh-add");
    let folder = tempfile::tempdir().unwrap();
    let tree = tree().digest();
    let key = key(folder.path(), "id", "ed25519", "");
    let socket = folder.path().join("agent");
    let mut command = Command::new("ssh-agent");
    command.arg("-D").arg("-a").arg(&socket).stdout(Stdio::null()).stderr(Stdio::null());
    let _agent = Agent(command.spawn().unwrap());
    wait_until("the agent listens", || socket.exists());
    let added = Command::new("ssh-add").arg("-q").arg(&key).env("SSH_AUTH_SOCK", &socket).status().unwrap();
    assert!(added.success());
    fs::remove_file(&key).unwrap();
    let with = variables(&[("SSH_AUTH_SOCK", socket.to_str().unwrap())]);
    let (signature, _) = sign(&tree, &key.with_extension("pub"), &with).unwrap();
    assert!(matches!(checked(&tree, &signature, &format!("a {}", public(&key))), Signed::Known(_)));
}

#[test]
fn signatures_of_hardware_keys_are_checked_as_ssh_keygen_does() {
    require_tool!("ssh-keygen");
    let folder = tempfile::tempdir().unwrap();
    let tree = tree().digest();
    let pair = Ed25519KeyPair::from_seed_unchecked(&[9; 32]).unwrap();
    let point: [u8; 32] = pair.public_key().as_ref().try_into().unwrap();
    let public = ssh_key::public::SkEd25519::new(ssh_key::public::Ed25519PublicKey(point), "ssh:");
    let public = KeyData::SkEd25519(public);
    let data = SshSig::signed_data(NAMESPACE, HashAlg::Sha512, message(&tree).as_bytes()).unwrap();
    // Flags: the user touched it. Then how often it signed.
    let trailer = [1, 0, 0, 0, 7];
    let mut signed = digest(&SHA256, b"ssh:").as_ref().to_vec();
    signed.extend(trailer);
    signed.extend(digest(&SHA256, &data).as_ref());
    let mut bytes = pair.sign(&signed).as_ref().to_vec();
    bytes.extend(trailer);
    let signature = ssh_key::Signature::new(Algorithm::SkEd25519, bytes).unwrap();
    let whole = SshSig::new(public.clone(), NAMESPACE, HashAlg::Sha512, signature).unwrap();
    let text = format!("{}\n", whole.to_pem(LineEnding::LF).unwrap().trim_end());
    let signature = Signature::new(text.into_bytes());
    let line = ssh_key::PublicKey::new(public, "").to_openssh().unwrap();
    let allowed = format!("alice {line}");
    assert!(they_accept(folder.path(), &allowed, "alice", NAMESPACE, &signature, &tree));
    assert!(matches!(checked(&tree, &signature, &allowed), Signed::Known(_)));
    for bit in 0..signature.as_bytes().len() * 8 {
        let mut bytes = signature.as_bytes().to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(matches!(checked(&tree, &Signature::new(bytes), &allowed), Signed::Bad(_)), "bit {bit}");
    }
}

#[test]
fn the_signature_is_split_off_and_the_rest_is_the_tree() {
    let limits = Limits::default();
    let plain = tree();
    let mut with = plain.clone();
    let file = TreeFile { bytes: b"sig".to_vec(), executable: true };
    with.insert(TreePath::new("SKILL.sig", &limits).unwrap(), file.clone(), &limits).unwrap();
    with.insert(TreePath::new("below/SKILL.sig", &limits).unwrap(), file, &limits).unwrap();
    assert_eq!(split(&mut with), Some(Signature::new(b"sig".to_vec())));
    assert_eq!((with.len(), split(&mut with)), (plain.len() + 1, None));
    assert!(with.get("below/SKILL.sig").is_some(), "only the one at the top is one");
}
