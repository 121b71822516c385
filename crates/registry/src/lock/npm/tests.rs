use super::{
    hash::{compare, computed_hash},
    *,
};
use crate::lock::{Lock, Locked, Resolved};
use serde_json::json;
use skillful_format::{Digest, Tree, TreeFile};
use std::collections::{BTreeMap, BTreeSet};

fn tree(files: &[(&str, &str)]) -> Tree {
    let limits = Limits::default();
    let mut tree = Tree::default();
    for (path, text) in files {
        let file = TreeFile { bytes: text.as_bytes().to_vec(), executable: false };
        tree.insert(TreePath::new(path, &limits).unwrap(), file, &limits).unwrap();
    }
    tree
}

/// The value is what Node 20 computes with npm's own function over these files.
#[test]
fn the_hash_is_the_one_that_npm_computes() {
    let files = [
        ("SKILL.md", "---\nname: one\n---\n"),
        ("README.md", "r"),
        ("scripts/run.sh", "#!/bin/sh\n"),
        ("scripts/Run.py", "1"),
        ("a/b/c.txt", "2"),
        ("a-b.txt", "3"),
        ("a_b.txt", "4"),
        ("a.b", "5"),
        ("A b.md", "6"),
        ("skill.txt", "7"),
        ("10.md", "8"),
        ("9.md", "9"),
    ];
    let hash = computed_hash(&tree(&files));
    assert_eq!(hash.as_deref(), Some("065015ab0bd08bda8c7f139bf7dba3002c4048ca50e559ff89a202bcdca29873"));
    assert_eq!(computed_hash(&tree(&[("SKILL.md", ""), ("é", "")])), None);
    for (before, after) in
        [("ab", "aB"), ("aB", "Ab"), ("a.md", "a/b"), ("a_b", "a-b"), ("skill", "SKILL.md")]
    {
        assert!(compare(before.as_bytes(), after.as_bytes()).is_lt(), "{before} {after}");
    }
}

/// Two trees with one hash of npm have two digests of ours.
#[test]
fn trees_that_share_a_hash_of_npm_have_digests_of_their_own() {
    let (one, two) = (tree(&[("a", "bc")]), tree(&[("ab", "c")]));
    assert_eq!(computed_hash(&one), computed_hash(&two));
    assert_ne!(one.digest(), two.digest());
}

fn locked(source: &str, folder: Option<&str>, tree: &Tree) -> Locked {
    Locked {
        source: source.parse().unwrap(),
        folder: folder.map(|folder| TreePath::new(folder, &Limits::default()).unwrap()),
        resolved: Resolved::default(),
        artefact: None,
        tree: tree.digest(),
        edited: None,
        signer: None,
        capabilities: BTreeSet::default(),
        pending: false,
        copied: BTreeSet::default(),
        linked: BTreeSet::default(),
        aliases: BTreeSet::default(),
        rest: BTreeMap::default(),
    }
}

fn lock(skills: &[(&str, Locked)]) -> Lock {
    let skills = skills.iter().map(|(name, locked)| (name.parse().unwrap(), locked.clone()));
    Lock { skills: skills.collect(), ..Lock::default() }
}

fn kept(text: &str, file: NpmFile, before: &Lock, after: &Lock, trees: &[&Tree]) -> InStep {
    let find =
        |digest: &Digest| trees.iter().find(|tree| tree.digest() == *digest).map(|tree| (*tree).clone());
    keep_in_step(text, file, (before, after), &find, "2026-11-15T18:00:00.000Z").unwrap()
}

#[test]
fn a_lock_of_a_project_is_kept_in_step_and_everything_else_in_it_stays() {
    let (old, new) = (tree(&[("SKILL.md", "old")]), tree(&[("SKILL.md", "new")]));
    let text = json!({"version": 1, "later": true, "skills": {
        "zoo": {"source": "x/y", "sourceType": "github", "computedHash": "h", "extra": 1},
        "other": {"source": "some/one", "sourceType": "github", "computedHash": "h"},
    }})
    .to_string();
    let before = Lock::default();
    let after = lock(&[
        ("pdf", locked("owner/repo#v1", Some("skills/pdf"), &old)),
        ("doc", locked("./lib", Some("doc"), &old)),
        ("other", locked("some/body", None, &old)),
        ("held", Locked { pending: true, ..locked("owner/repo", None, &old) }),
    ]);
    let added = kept(&text, NpmFile::Project, &before, &after, &[&old]);
    let hash = computed_hash(&old).unwrap();
    let wanted = json!({"version": 1, "later": true, "skills": {
        "doc": {"source": "./lib/doc", "sourceType": "local", "computedHash": hash},
        "other": {"source": "some/one", "sourceType": "github", "computedHash": "h"},
        "pdf": {"source": "owner/repo", "sourceUrl": "https://github.com/owner/repo.git", "ref": "v1",
            "sourceType": "github", "skillPath": "skills/pdf/SKILL.md", "computedHash": hash},
        "zoo": {"source": "x/y", "sourceType": "github", "computedHash": "h", "extra": 1},
    }});
    let text = added.text.unwrap();
    assert_eq!(text, format!("{}\n", serde_json::to_string_pretty(&wanted).unwrap()));
    assert_eq!(added.losses.len(), 1, "{:?}", added.losses);
    // What was written is read again as what was meant.
    let wanted = import(&text).unwrap().wanted;
    let sources: Vec<String> = wanted.iter().map(|wanted| wanted.source.to_string()).collect();
    assert_eq!(sources, ["./lib/doc", "github:some/one", "github:owner/repo#v1:skills/pdf", "github:x/y"]);

    // The same lock changes nothing, another version changes the hash, and what goes goes.
    assert_eq!(kept(&text, NpmFile::Project, &after, &after, &[&old]).text, None);
    let mut newer = after.clone();
    newer.skills.insert("pdf".parse().unwrap(), locked("owner/repo", Some("skills/pdf"), &new));
    newer.skills.remove(&"doc".parse().unwrap());
    newer.skills.remove(&"other".parse().unwrap());
    let changed = kept(&text, NpmFile::Project, &after, &newer, &[&new]);
    let value: serde_json::Value = serde_json::from_str(&changed.text.unwrap()).unwrap();
    assert_eq!(value["skills"]["pdf"]["computedHash"], computed_hash(&new).unwrap());
    assert_eq!(value["skills"]["pdf"].get("ref"), None);
    assert_eq!(value["skills"].get("doc"), None);
    assert_eq!(value["skills"]["other"]["source"], "some/one", "somebody else's entry stays");
}

#[test]
fn a_lock_of_a_user_keeps_its_times_and_says_no_hash_that_is_not_known() {
    let new = tree(&[("SKILL.md", "new")]);
    let text = json!({"version": 3, "skills": {
        "pdf": {"source": "owner/repo", "sourceType": "github", "sourceUrl": "https://github.com/owner/repo.git",
            "skillFolderHash": "x", "installedAt": "t0", "updatedAt": "t0", "pluginName": "p"},
    }, "dismissed": {}, "lastSelectedAgents": ["codex"]})
    .to_string();
    let after = lock(&[("pdf", locked("owner/repo", None, &new))]);
    let changed = kept(&text, NpmFile::User, &Lock::default(), &after, &[&new]).text.unwrap();
    let value: serde_json::Value = serde_json::from_str(&changed).unwrap();
    let entry = &value["skills"]["pdf"];
    assert_eq!(
        (&entry["installedAt"], &entry["updatedAt"]),
        (&"t0".into(), &"2026-11-15T18:00:00.000Z".into())
    );
    assert_eq!((&entry["skillFolderHash"], &entry["pluginName"]), (&"".into(), &"p".into()));
    assert_eq!(value["lastSelectedAgents"], json!(["codex"]));
}

#[test]
fn a_file_that_is_not_understood_is_not_written() {
    let locks = (&Lock::default(), &Lock::default());
    let keep = |text: &str| keep_in_step(text, NpmFile::Project, locks, &|_| None, "");
    assert_eq!(keep(r#"{"version": 2, "skills": {}}"#), Err(NpmFault::Version));
    assert_eq!(keep(r#"{"version": 1}"#), Err(NpmFault::Shape));
    assert!(matches!(keep("<<<<<<< ours"), Err(NpmFault::Json(_))));
}
