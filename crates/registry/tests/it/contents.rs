use crate::fixture::{At, Stop, at_every_step, quick, skill, tree};
use skillful_registry::{
    Contents,
    contents::{ContentsError, Garbage},
};
use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt, path::Path};

fn open(root: &Path) -> Contents {
    Contents::open(&root.join("contents"), quick()).unwrap()
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
    let place = contents.path(&one.digest());
    for (path, mode) in [("", 0o555), ("SKILL.md", 0o444), ("scripts/run.sh", 0o555), ("references/a", 0o555)]
    {
        assert_eq!(fs::metadata(place.join(path)).unwrap().permissions().mode() & 0o777, mode, "{path}");
    }
    assert!(matches!(contents.read(&tree(&[]).digest()), Err(ContentsError::Missing(_))));
}

#[test]
fn a_changed_tree_is_noticed_and_mended_by_the_next_put() {
    let folder = tempfile::tempdir().unwrap();
    let contents = open(folder.path());
    let one = skill("one", "a");
    contents.lease().unwrap().put(&[&one]).unwrap();
    let file = contents.path(&one.digest()).join("SKILL.md");
    for spoil in [true, false] {
        let top = contents.path(&one.digest());
        fs::set_permissions(&top, fs::Permissions::from_mode(0o755)).unwrap();
        fs::remove_file(&file).unwrap();
        if spoil {
            fs::write(&file, "other").unwrap();
        } else {
            std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
        }
        assert!(matches!(contents.read(&one.digest()), Err(ContentsError::Damaged { .. })));
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
    assert!(matches!(refused, Err(ContentsError::Noise(path)) if path == "lib/node_modules/a.js"));
}

#[test]
fn garbage_is_listed_and_collected_but_not_while_somebody_adds() {
    let folder = tempfile::tempdir().unwrap();
    let contents = open(folder.path());
    let (one, two) = (skill("one", "a"), skill("two", "b"));
    contents.lease().unwrap().put(&[&one, &two]).unwrap();
    let killed = Contents::open(&folder.path().join("contents"), At::new(5, Stop::Killed).hand()).unwrap();
    assert!(killed.lease().unwrap().put(&[&skill("three", "c")]).is_err());
    let keep = BTreeSet::from([one.digest()]);
    let garbage = contents.garbage(&keep).unwrap();
    assert_eq!((garbage.trees.as_slice(), garbage.staged.len()), ([two.digest()].as_slice(), 1));

    let lease = contents.lease().unwrap();
    assert!(matches!(contents.collect(&keep), Err(ContentsError::Busy)));
    drop(lease);
    assert_eq!(contents.collect(&keep).unwrap(), garbage);
    assert_eq!(contents.garbage(&keep).unwrap(), Garbage::default());
    assert_eq!(contents.list().unwrap(), [one.digest()]);
}

#[test]
fn a_put_that_is_stopped_at_any_step_leaves_each_tree_whole_or_absent() {
    let trees = [skill("one", "a"), skill("two", "b")];
    let faults = at_every_step(
        1,
        |_| {},
        |root, hand| {
            let contents = Contents::open(&root.join("contents"), hand).map_err(|e| e.to_string())?;
            let lease = contents.lease().map_err(|e| e.to_string())?;
            lease.put(&[&trees[0], &trees[1]]).map(|_| ()).map_err(|e| e.to_string())
        },
        |root, what| {
            let contents = open(root);
            for digest in contents.list().unwrap() {
                assert!(contents.read(&digest).is_ok(), "{what}: a tree is broken");
            }
            // Whoever comes next is not disturbed by what was left.
            contents.lease().unwrap().put(&[&trees[0], &trees[1]]).unwrap();
            contents.collect(&trees.iter().map(skillful_format::Tree::digest).collect()).unwrap();
            assert_eq!(contents.list().unwrap().len(), 2, "{what}");
            assert_eq!(fs::read_dir(root.join("contents/sha256")).unwrap().count(), 2, "{what}");
        },
    );
    assert!(faults >= 120, "only {faults} faults were set");
}
