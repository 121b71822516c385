use crate::{
    fixture::{At, Stop, at_every_step, quick, skill, tree},
    install::{CLAUDE, World},
};
use skillful_format::Tree;
use skillful_registry::{
    ContentStore,
    content_store::{ContentStoreError, Garbage},
    install::Mode,
};
use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

fn open(root: &Path) -> ContentStore {
    ContentStore::open(&root.join("contents"), quick()).unwrap()
}

/// The file of a tree.
fn pack(root: &Path, tree: &Tree) -> PathBuf {
    root.join("contents/packs").join(tree.digest().to_hex())
}

#[test]
fn what_is_put_is_read_back_under_its_digest_and_is_read_only() {
    let folder = tempfile::tempdir().unwrap();
    let contents = open(folder.path());
    let (one, two) = (skill("one", "a"), skill("two", "b"));
    let digests = contents.lease().unwrap().put(&[&one, &two, &one]).unwrap();
    assert_eq!(digests, [one.digest(), two.digest(), one.digest()]);
    assert_eq!(contents.read(&one.digest()).unwrap(), one);
    assert_eq!(contents.list().unwrap().len(), 2);
    assert_eq!(fs::metadata(pack(folder.path(), &one)).unwrap().permissions().mode() & 0o777, 0o444);
    assert!(matches!(contents.read(&tree(&[]).digest()), Err(ContentStoreError::Missing(_))));
}

#[test]
fn the_same_tree_is_the_same_bytes_in_every_store() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (one, two) = (skill("one", "a"), skill("two", "b"));
    open(here.path()).lease().unwrap().put(&[&one, &two]).unwrap();
    open(there.path()).lease().unwrap().put(&[&two]).unwrap();
    open(there.path()).lease().unwrap().put(&[&one]).unwrap();
    for tree in [&one, &two] {
        assert_eq!(fs::read(pack(here.path(), tree)).unwrap(), fs::read(pack(there.path(), tree)).unwrap());
    }
}

#[test]
fn a_tree_that_links_lead_to_is_unfolded_read_only_and_repaired_when_it_was_changed() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let one = skill("one", "a");
    let link = || world.plan("./lib", &[("one", &one)], &[CLAUDE], Mode::Link);
    world.apply(&link()).unwrap();
    let top = world.contents.path(&one.digest());
    let modes = [("", 0o555), ("SKILL.md", 0o444), ("scripts/run.sh", 0o555), ("references/a", 0o555)];
    for spoil in ["nothing", "bytes", "link", "all"] {
        fs::set_permissions(&top, fs::Permissions::from_mode(0o755)).unwrap();
        match spoil {
            "bytes" => {
                fs::remove_file(top.join("SKILL.md")).unwrap();
                fs::write(top.join("SKILL.md"), "other").unwrap();
            }
            "link" => {
                fs::remove_file(top.join("SKILL.md")).unwrap();
                std::os::unix::fs::symlink("/etc/passwd", top.join("SKILL.md")).unwrap();
            }
            "all" => fs::rename(&top, folder.path().join("gone")).unwrap(),
            _ => fs::set_permissions(&top, fs::Permissions::from_mode(0o555)).unwrap(),
        }
        assert_eq!(link().is_done(&world.approvals()), spoil == "nothing", "{spoil}");
        world.apply(&link()).unwrap();
        assert_eq!(world.contents.read_folder(&one.digest()).unwrap(), one, "{spoil}");
        for (path, mode) in modes {
            let now = fs::metadata(top.join(path)).unwrap().permissions().mode() & 0o777;
            assert_eq!(now, mode, "{spoil}: {path}");
        }
    }
    assert_eq!(world.contents.garbage(&BTreeSet::from([one.digest()])).unwrap(), Garbage::default());
    // Cleaning takes both forms.
    let collected = world.contents.collect(&BTreeSet::new()).unwrap();
    assert_eq!(collected.trees, [one.digest()]);
    assert!(!top.exists() && !world.contents.has(&one.digest()));
}

#[test]
fn a_changed_tree_is_noticed_and_repaired_by_the_next_put() {
    let folder = tempfile::tempdir().unwrap();
    let contents = open(folder.path());
    let one = skill("one", "a");
    contents.lease().unwrap().put(&[&one]).unwrap();
    let file = pack(folder.path(), &one);
    let whole = fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let longer = [whole.as_slice(), b"1 - z\nz"].concat();
    for spoiled in [b"other".as_slice(), b"", &whole[..whole.len() - 1], &flipped, &longer] {
        fs::remove_file(&file).unwrap();
        fs::write(&file, spoiled).unwrap();
        assert!(matches!(contents.read(&one.digest()), Err(ContentStoreError::Damaged { .. })));
        contents.lease().unwrap().put(&[&one]).unwrap();
        assert_eq!(contents.read(&one.digest()).unwrap(), one);
    }
    assert_eq!(contents.garbage(&BTreeSet::from([one.digest()])).unwrap(), Garbage::default());
}

#[test]
fn what_could_not_be_read_back_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let contents = open(folder.path());
    let noisy = tree(&[("SKILL.md", "x"), ("lib/node_modules/a.js", "x")]);
    let refused = contents.lease().unwrap().put(&[&noisy]);
    assert!(matches!(refused, Err(ContentStoreError::Noise(path)) if path == "lib/node_modules/a.js"));
}

#[test]
fn garbage_is_listed_and_collected_but_not_while_a_process_adds() {
    let folder = tempfile::tempdir().unwrap();
    let contents = open(folder.path());
    let (one, two) = (skill("one", "a"), skill("two", "b"));
    contents.lease().unwrap().put(&[&one, &two]).unwrap();
    let killed =
        ContentStore::open(&folder.path().join("contents"), At::new(1, Stop::Killed).writer()).unwrap();
    assert!(killed.lease().unwrap().put(&[&skill("three", "c")]).is_err());
    let keep = BTreeSet::from([one.digest()]);
    let garbage = contents.garbage(&keep).unwrap();
    assert_eq!((garbage.trees.as_slice(), garbage.staged.len()), ([two.digest()].as_slice(), 1));

    let lease = contents.lease().unwrap();
    assert!(matches!(contents.collect(&keep), Err(ContentStoreError::Busy)));
    drop(lease);
    assert_eq!(contents.collect(&keep).unwrap(), garbage);
    assert_eq!(contents.garbage(&keep).unwrap(), Garbage::default());
    assert_eq!(contents.list().unwrap(), [one.digest()]);
}

#[test]
fn a_put_that_is_stopped_at_any_step_leaves_each_tree_whole_or_absent() {
    let trees: Vec<Tree> = (0..8).map(|n| skill(&format!("s{n}"), &format!("w{n}"))).collect();
    let faults = at_every_step(
        1,
        |_| {},
        |root, writer| {
            let contents = ContentStore::open(&root.join("contents"), writer).map_err(|e| e.to_string())?;
            let lease = contents.lease().map_err(|e| e.to_string())?;
            lease.put(&trees.iter().collect::<Vec<_>>()).map(|_| ()).map_err(|e| e.to_string())
        },
        |root, what| {
            let contents = open(root);
            for digest in contents.list().unwrap() {
                assert!(contents.read(&digest).is_ok(), "{what}: a tree is broken");
            }
            // Whoever comes next is not disturbed by what was left.
            contents.lease().unwrap().put(&trees.iter().collect::<Vec<_>>()).unwrap();
            contents.collect(&trees.iter().map(Tree::digest).collect()).unwrap();
            assert_eq!(contents.list().unwrap().len(), trees.len(), "{what}");
            assert_eq!(fs::read_dir(root.join("contents/packs")).unwrap().count(), trees.len(), "{what}");
        },
    );
    assert!(faults >= 120, "only {faults} faults were set");
}
