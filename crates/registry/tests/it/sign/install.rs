use super::keys::{key, ours, public, theirs};
use crate::{
    fixture::{quick, small},
    install::{AGENTS, World, path},
};
use skillful_catalog::capability;
use skillful_format::Tree;
use skillful_registry::{
    Lock,
    fetch::{self, Bounds, Fetched, FetchedSkill, Outside, Web},
    install::{Adding, Mode, PlacementPlan, Refusal, plan_add, plan_sync},
    lock::Resolved,
    sign::{Allowed, NAMESPACE, Signature, Signed, Signing, recheck},
};
use skillful_testkit::require_tool;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::Command,
};

fn plan(world: &World, tree: &Tree, signature: Option<&Signature>, signing: Signing<'_>) -> PlacementPlan {
    let source = "./lib".parse().unwrap();
    let found = FetchedSkill {
        artefact: None,
        name: "one".parse().unwrap(),
        folder: Some(path("one")),
        tree: tree.clone(),
        signature: signature.cloned(),
        capabilities: capability::of_tree(tree).unwrap_or_default(),
        diagnostics: Vec::new(),
    };
    let fetched = Fetched::of(vec![found], Resolved::default());
    let folders = [path(AGENTS)];
    let adding = Adding {
        source: &source,
        fetched: &fetched,
        folders: &folders,
        mode: Mode::Copy,
        approved: &BTreeSet::new(),
        suspect: &BTreeSet::new(),
        signing,
    };
    plan_add(&adding, &world.lock(), &world.site, &world.contents).unwrap()
}

fn refusal(plan: &PlacementPlan) -> String {
    plan.refused().next().map(|(_, why)| why.to_string()).unwrap_or_default()
}

fn signer(lock: &Lock) -> Option<String> {
    lock.skills.values().next().unwrap().signer.as_ref().map(ToString::to_string)
}

#[test]
fn a_signer_is_pinned_and_no_other_takes_their_place_unless_named() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let [alice, eve] = ["alice", "eve"].map(|name| key(folder.path(), name, "ed25519", ""));
    let allowed = Allowed::parse(&format!("alice {}\neve {}\n", public(&alice), public(&eve)));
    let signing = Signing { allowed: Some(&allowed), now: 0, agreed: None };
    let (first, second) = (small("one", "a"), small("one", "b"));
    let by = |key: &Path, tree: &Tree| ours(key, &tree.digest());

    world.apply(&plan(&world, &first, Some(&by(&alice, &first)), signing)).unwrap();
    let locked = signer(&world.lock()).unwrap();
    assert!(locked.starts_with("alice SHA256:"), "{locked}");
    assert!(!world.path(".agents/skills/one/SKILL.sig").exists(), "a signature is never installed");

    let next = plan(&world, &second, Some(&by(&alice, &second)), signing);
    assert_eq!(refusal(&next), "", "the same signer may go on");
    let other = plan(&world, &second, Some(&by(&eve, &second)), signing);
    let why = refusal(&other);
    assert!(why.contains(&locked) && why.contains("is now signed by `eve SHA256:"), "{why}");
    assert!(why.ends_with("--signer eve"), "{why}");
    assert!(world.apply(&other).is_err());
    let lost = plan(&world, &second, None, signing);
    let why = refusal(&lost);
    assert!(why.contains(&locked) && why.contains("is now not signed") && why.ends_with("--signer unsigned"));
    assert!(world.apply(&lost).is_err());
    // Approving the capabilities of a skill does not approve its signer; naming another signer is neither.
    for wrong in ["alice", "unsigned", "bob"] {
        let signing = Signing { agreed: Some(wrong), ..signing };
        let plan = plan(&world, &second, Some(&by(&eve, &second)), signing);
        assert!(matches!(plan.refused().next().unwrap().1, Refusal::OtherSigner { .. }), "{wrong}");
    }
    let agreed = Signing { agreed: Some("eve"), ..signing };
    world.apply(&plan(&world, &second, Some(&by(&eve, &second)), agreed)).unwrap();
    assert!(signer(&world.lock()).unwrap().starts_with("eve SHA256:"));
    let agreed = Signing { agreed: Some("unsigned"), ..signing };
    world.apply(&plan(&world, &first, None, agreed)).unwrap();
    assert_eq!(signer(&world.lock()), None);
}

#[test]
fn a_key_without_a_name_is_pinned_too_and_a_name_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let [one, two] = ["k1", "k2"].map(|name| key(folder.path(), name, "ed25519", ""));
    let tree = small("one", "a");
    let by = |key: &Path, tree: &Tree| ours(key, &tree.digest());
    world.apply(&plan(&world, &tree, Some(&by(&one, &tree)), Signing::default())).unwrap();
    let locked = signer(&world.lock()).unwrap();
    assert!(locked.starts_with("SHA256:"));
    let next = small("one", "b");
    assert!(refusal(&plan(&world, &next, Some(&by(&two, &next)), Signing::default())).contains(&locked));
    // Once the user names the key, so does the lock; for a user who does not know it, it still does.
    let known = Allowed::parse(&format!("alice {}\nalice {}\n", public(&one), public(&two)));
    let knows = Signing { allowed: Some(&known), now: 0, agreed: None };
    world.apply(&plan(&world, &tree, Some(&by(&one, &tree)), knows)).unwrap();
    assert_eq!(signer(&world.lock()).unwrap(), format!("alice {locked}"));
    world.apply(&plan(&world, &tree, Some(&by(&one, &tree)), Signing::default())).unwrap();
    assert_eq!(signer(&world.lock()).unwrap(), format!("alice {locked}"));
    // A second key that the user gave to the same name is the same signer.
    assert_eq!(refusal(&plan(&world, &next, Some(&by(&two, &next)), knows)), "");
    assert_ne!(refusal(&plan(&world, &next, Some(&by(&two, &next)), Signing::default())), "");
}

#[test]
fn a_bad_signature_is_never_installed_whatever_the_user_approves() {
    require_tool!("ssh-keygen");
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let alice = key(folder.path(), "alice", "ed25519", "");
    let allowed = Allowed::parse(&format!("alice {}", public(&alice)));
    let (tree, other) = (small("one", "a"), small("one", "b"));
    for bad in [
        ours(&alice, &other.digest()),
        theirs(&alice, "git", "sha512", &tree.digest()),
        Signature::new(Vec::new()),
        Signature::new(b"no signature".to_vec()),
    ] {
        for agreed in [None, Some("alice"), Some("unsigned")] {
            let signing = Signing { allowed: Some(&allowed), now: 0, agreed };
            let plan = plan(&world, &tree, Some(&bad), signing);
            assert!(matches!(plan.refused().next().unwrap().1, Refusal::BadSignature(_)));
            assert!(world.apply(&plan).is_err());
        }
    }
    assert_eq!(NAMESPACE, "skillful");
    assert!(!world.path(AGENTS).exists());
}

#[test]
fn signatures_are_kept_and_checked_again_offline() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let alice = key(folder.path(), "alice", "ed25519", "");
    let allowed = Allowed::parse(&format!("alice {}", public(&alice)));
    let tree = small("one", "a");
    let signature = ours(&alice, &tree.digest());
    let signing = Signing { allowed: Some(&allowed), now: 0, agreed: None };
    world.apply(&plan(&world, &tree, Some(&signature), signing)).unwrap();
    let again = |world: &World, allowed: &Allowed| {
        let mut all = recheck(&world.lock(), &world.contents, allowed, 0).unwrap();
        assert_eq!(all.len(), 1);
        all.remove(0).found
    };
    assert!(matches!(again(&world, &allowed), Some(Signed::Known(_))));
    assert!(matches!(again(&world, &Allowed::default()), Some(Signed::Unknown { .. })));

    // Another machine with the lock gets the signature together with the files.
    let elsewhere = tempfile::tempdir().unwrap();
    let there = World::at(elsewhere.path());
    world.lock().save(&there.site.lock, &quick()).unwrap();
    assert_eq!(again(&there, &allowed), None);
    let fetched = BTreeMap::from([(tree.digest(), tree.clone())]);
    let mut sync = plan_sync(&there.lock(), &there.site, &there.contents, &fetched).unwrap();
    let stranger = ours(&key(elsewhere.path(), "eve", "ed25519", ""), &tree.digest());
    sync.keep_signatures([(&tree.digest(), &stranger), (&tree.digest(), &Signature::new(Vec::new()))]);
    sync.keep_signatures([(&tree.digest(), &signature)]);
    there.apply(&sync).unwrap();
    assert!(matches!(again(&there, &allowed), Some(Signed::Known(_))));
    let folder_of = |world: &World| world.root.join("contents/signatures");
    assert_eq!(fs::read_dir(folder_of(&there)).unwrap().count(), 1, "only the one that the lock names");

    // Somebody who writes to the store is found out.
    let file = fs::read_dir(folder_of(&world)).unwrap().next().unwrap().unwrap().path();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&file, ours(&alice, &small("one", "b").digest()).as_bytes()).unwrap();
    assert!(matches!(again(&world, &allowed), Some(Signed::Bad(_))));
    fs::write(&file, stranger.as_bytes()).unwrap();
    assert!(matches!(again(&world, &allowed), Some(Signed::Bad(_))));

    // A signature goes with its tree, and what a crash left goes too.
    fs::write(folder_of(&world).join(".skillful-0000000000000000"), "half").unwrap();
    world.contents.collect(&BTreeSet::from([tree.digest()])).unwrap();
    assert_eq!(fs::read_dir(folder_of(&world)).unwrap().count(), 1);
    world.contents.collect(&BTreeSet::new()).unwrap();
    assert_eq!(fs::read_dir(folder_of(&world)).unwrap().count(), 0);
}

#[test]
fn a_signature_arrives_the_same_way_from_a_folder_an_archive_and_a_repository() {
    require_tool!("git");
    let folder = tempfile::tempdir().unwrap();
    let alice = key(folder.path(), "alice", "ed25519", "");
    let skill = folder.path().join("lib/one");
    fs::create_dir_all(skill.join("scripts")).unwrap();
    fs::write(skill.join("SKILL.md"), "---\nname: one\ndescription: Says a.\n---\nx\n").unwrap();
    fs::write(skill.join("scripts/run.sh"), "echo\n").unwrap();
    let digest = fetch::read_folder(&skill).unwrap().tree.digest();
    let signature = ours(&alice, &digest);
    fs::write(skill.join("SKILL.sig"), signature.as_bytes()).unwrap();
    // What is of the user or of a tool is neither fetched nor signed.
    fs::create_dir_all(skill.join("node_modules/x")).unwrap();
    fs::write(skill.join("node_modules/x/i.js"), "x").unwrap();
    let read = fetch::read_folder(&skill).unwrap();
    assert_eq!((read.tree.digest(), read.signature.as_ref()), (digest, Some(&signature)));
    assert!(fetch::read_folder(&folder.path().join("lib")).is_err(), "there is no skill at the top");

    let (whole, _) =
        skillful_catalog::disk::read_folder(&skill, &skillful_format::Limits::default()).unwrap();
    let archive = folder.path().join("one.tar.gz");
    fs::write(&archive, skillful_archive::write_tar_gz(&whole, "one").unwrap()).unwrap();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-C"]).arg(folder.path().join("lib"));
        assert!(command.args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").status().unwrap().success());
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "x"]);
    let outside = Outside {
        base: folder.path().to_path_buf(),
        home: folder.path().to_path_buf(),
        variables: super::keys::variables(&[]),
        scratch: folder.path().join("scratch"),
        bounds: Bounds::default(),
        web: Web::default(),
    };
    let repository = format!("file://{}", folder.path().join("lib").display());
    for source in ["./lib", "./one.tar.gz", &repository] {
        let fetched = fetch::fetch(&source.parse().unwrap(), None, &outside).unwrap();
        let [found] = fetched.skills.as_slice() else { panic!("{source}") };
        assert_eq!(found.tree.digest(), digest, "{source}");
        assert_eq!(found.signature.as_ref(), Some(&signature), "{source}");
        assert!(found.tree.get("SKILL.sig").is_none());
    }
}
