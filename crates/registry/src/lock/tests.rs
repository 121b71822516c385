use super::*;
use proptest::prelude::*;
use toml::Value;

const DIGEST: &str = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

fn path(text: &str) -> TreePath {
    TreePath::new(text, &Limits::default()).unwrap()
}

fn example() -> Lock {
    let digest: Digest = DIGEST.parse().unwrap();
    let locked = Locked {
        source: "owner/repo#v1".parse().unwrap(),
        folder: Some(path("skills/pdf")),
        resolved: Resolved {
            url: Some("https://github.com/owner/repo.git".to_owned()),
            commit: Some("b".repeat(40)),
            version: None,
        },
        artefact: None,
        tree: digest,
        edited: None,
        signer: None,
        capabilities: ["runs command a\nb".to_owned(), "brings scripts".to_owned()].into(),
        pending: true,
        copied: [path(".agents/skills/pdf")].into(),
        linked: BTreeSet::new(),
        aliases: BTreeSet::new(),
        rest: BTreeMap::new(),
    };
    Lock { skills: BTreeMap::from([("pdf".parse().unwrap(), locked)]), ..Lock::default() }
}

#[test]
fn the_layout_is_one_table_per_skill_and_one_key_or_item_per_line() {
    let text = example().to_string().replace(DIGEST, "D").replace(&"b".repeat(40), "C");
    let expected = r#"# Written by `skillful`; meant to be kept with the project. One table per skill.
version = 1

[skill.pdf]
source = "github:owner/repo#v1"
folder = "skills/pdf"
url = "https://github.com/owner/repo.git"
commit = "C"
tree = "D"
pending = true
capabilities = [
    "brings scripts",
    "runs command a\nb",
]
copied = [
    ".agents/skills/pdf",
]
"#;
    assert_eq!(text, expected);
    assert_eq!(example().to_string().parse(), Ok(example()));
}

#[test]
fn digests_of_single_files_are_not_kept_since_nothing_compares_them() {
    let text = format!(
        "version = 1\n[skill.x]\nsource = \"./x\"\ntree = \"{DIGEST}\"\n[skill.x.files]\n\"SKILL.md\" = \"{DIGEST}\"\n"
    );
    let lock: Lock = text.parse().unwrap();
    assert!(!lock.to_string().contains("SKILL.md"));
}

#[test]
fn keys_of_a_newer_program_are_kept() {
    let text = format!(
        "version = 1\nfuture = {{ a = [1, \"x\"], d = 2026-11-15T10:00:00Z }}\n[skill.x]\nsource = \"./x\"\n\
         tree = \"{DIGEST}\"\napproved = true\n[skill.x.scan]\nrules = 7\n"
    );
    let lock: Lock = text.parse().unwrap();
    let again: Lock = lock.to_string().parse().unwrap();
    assert_eq!(again, lock);
    let skill = &again.skills[&"x".parse().unwrap()];
    assert_eq!(skill.rest["approved"], Value::Boolean(true));
    assert_eq!(skill.rest["scan"]["rules"], Value::Integer(7));
    assert!(again.rest["future"]["d"].is_datetime());
}

#[test]
fn a_hostile_or_broken_lock_is_refused_with_the_key_that_is_wrong() {
    let skill =
        |more: &str| format!("version = 1\n[skill.x]\nsource = \"./x\"\ntree = \"{DIGEST}\"\n{more}\n");
    assert!(skill("").parse::<Lock>().is_ok());
    let cases = [
        (String::new(), "`version`"),
        ("version = 2".to_owned(), "update skillful"),
        ("version = \"1\"".to_owned(), "`version`"),
        ("version = 1\n<<<<<<< ours\n".to_owned(), "merge conflict"),
        ("version = 1\n[skill.x\n".to_owned(), "line 2"),
        ("version = 1\n[skill.\"../x\"]\n".to_owned(), "skill.../x"),
        ("version = 1\n[skill.\".x\"]\n".to_owned(), "skill..x"),
        (format!("version = 1\n[skill.x]\ntree = \"{DIGEST}\""), "skill.x.source"),
        ("version = 1\n[skill.x]\nsource = \"./x\"".to_owned(), "skill.x.tree"),
        ("version = 1\n[skill.x]\nsource = \"ext::sh\"".to_owned(), "skill.x.source"),
        (skill("copied = [\"../x\"]"), "skill.x.copied"),
        (skill("copied = [\"/etc/x\"]"), "skill.x.copied"),
        (skill("linked = [\".agents/skills/other\"]"), "skill.x.linked"),
        (skill("folder = \"a/../../b\""), "skill.x.folder"),
        (skill("commit = \"--upload-pack=x\""), "skill.x.commit"),
        (skill("commit = \"main\""), "skill.x.commit"),
        (skill("artefact = \"md5:1\""), "skill.x.artefact"),
        (skill("capabilities = [1]"), "skill.x.capabilities"),
        (skill("signer = \"alice\""), "skill.x.signer"),
        (skill("signer = \"alice SHA256:short\""), "skill.x.signer"),
        (skill("signer = \" SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\""), "skill.x.signer"),
        (skill("signer = \"unsigned SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\""), "skill.x.signer"),
        (skill("pending = 1"), "skill.x.pending"),
    ];
    for (text, part) in cases {
        let fault = text.parse::<Lock>().unwrap_err().to_string();
        assert!(fault.contains(part), "{text}\n{fault}");
    }
}

#[test]
fn a_line_changes_only_where_the_skill_changed() {
    let mut lock = example();
    let other = Locked { source: "./other".parse().unwrap(), ..lock.skills.values().next().unwrap().clone() };
    lock.skills.insert("abc".parse().unwrap(), Locked { copied: BTreeSet::new(), ..other });
    let (before, after) = (example().to_string(), lock.to_string());
    assert!(after.contains(before.split_once("\n\n").unwrap().1), "the other table must not move");
}

#[test]
fn locks_of_npm_skills_become_requests_and_losses() {
    let text = r#"{"version": 1, "skills": {
        "pdf": {"source": "owner/repo", "sourceType": "github", "ref": "v1", "skillPath": "skills/pdf/SKILL.md", "computedHash": "x"},
        "doc": {"source": "./local/doc", "sourceType": "local", "computedHash": "x"},
        "lab": {"source": "group/repo", "sourceType": "gitlab", "sourceUrl": "https://gitlab.com/group/repo.git"},
        "own": {"source": "https://git.example/x", "sourceType": "git", "skillPath": "SKILL.md"},
        "web": {"source": "example.org", "sourceType": "well-known", "sourceUrl": "https://example.org/docs"},
        "note": {"source": "n", "sourceType": "notion"},
        "../up": {"source": "o/r"},
        "bad": {"source": "o/r", "ref": "--x"},
        "token": {"source": "https://u:hunter2@h/x.git", "sourceType": "git"}
    }}"#;
    let imported = npm::import(text).unwrap();
    let wanted: Vec<String> =
        imported.wanted.iter().map(|wanted| format!("{} {}", wanted.name, wanted.source)).collect();
    assert_eq!(
        wanted,
        [
            "doc ./local/doc",
            "lab gitlab:group/repo",
            "own git+https://git.example/x",
            "pdf github:owner/repo#v1:skills/pdf",
            "web https://example.org/docs",
        ]
    );
    let lost: Vec<&str> = imported.losses.iter().map(|loss| loss.what.as_str()).collect();
    assert_eq!(lost, ["../up", "bad", "note", "token", "computedHash, skillFolderHash"]);
    assert!(!format!("{imported:?}").contains("hunter2"));

    let global = r#"{"version": 3, "skills": {"a": {"source": "o/r", "sourceType": "github", "sourceUrl":
        "https://github.com/o/r.git", "skillFolderHash": "x", "installedAt": "t"}}, "dismissed": {}, "lastSelectedAgents": []}"#;
    assert_eq!(npm::import(global).unwrap().wanted[0].source.to_string(), "github:o/r");
    assert!(npm::import("[]").is_err() && npm::import("{").is_err());
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        "\\PC{0,8}".prop_map(Value::String),
        any::<i64>().prop_map(Value::Integer),
        any::<bool>().prop_map(Value::Boolean),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            proptest::collection::btree_map("[a-zé .]{0,5}", inner, 0..3)
                .prop_map(|map| Value::Table(map.into_iter().collect())),
        ]
    })
}

/// A signer with a name that may hold anything but what names may not.
fn signer_of(name: &str, key: &Digest) -> crate::sign::Signer {
    let fingerprint: crate::sign::Fingerprint =
        ssh_key::Fingerprint::Sha256(*key.as_bytes()).to_string().parse().unwrap();
    let text = format!("{name} {fingerprint}");
    text.parse().unwrap_or(crate::sign::Signer { principal: None, fingerprint })
}

fn any_locked(name: String) -> impl Strategy<Value = (SkillKey, Locked)> {
    let digest = any::<[u8; 32]>().prop_map(Digest::from_bytes);
    let capabilities = proptest::collection::btree_set("[\\PC\n\t]{1,10}", 0..4);
    let parts = (proptest::option::of(digest.clone()), proptest::option::of("\\PC{1,8}"), any::<bool>());
    let rest = proptest::collection::btree_map("future-[a-z]{1,4}", any_value(), 0..3);
    let edited = proptest::option::of(proptest::collection::vec("[-+ ]\\PC{0,8}\r?", 0..3));
    (digest, capabilities, parts, rest, edited).prop_map(
        move |(tree, capabilities, (artefact, signer, pending), rest, edited)| {
            let place = path(&format!(".claude/skills/{name}"));
            let locked = Locked {
                source: "o/r#v1".parse().unwrap(),
                folder: None,
                resolved: Resolved { version: signer.clone(), ..Resolved::default() },
                artefact,
                tree,
                edited: edited.map(|lines| LockedEdit {
                    tree,
                    patch: (!lines.is_empty()).then(|| lines.into_iter().map(|line| line + "\n").collect()),
                }),
                signer: signer.map(|name| signer_of(&name, &tree)),
                capabilities,
                pending,
                copied: [place.clone()].into(),
                aliases: BTreeSet::new(),
                linked: if pending { [place].into() } else { BTreeSet::new() },
                rest,
            };
            (name.parse().unwrap(), locked)
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_and_written_the_same(
        skills in proptest::collection::vec("[a-zé][a-z0-9 .-]{0,6}[a-z]"
            .prop_filter("a name", |name| name.parse::<SkillKey>().is_ok()).prop_flat_map(any_locked), 0..4),
        rest in proptest::collection::btree_map("x-[a-z]{1,4}", any_value(), 0..3),
    ) {
        let lock = Lock { skills: skills.into_iter().collect(), rest, ..Lock::default() };
        let text = lock.to_string();
        let read: Lock = text.parse().map_err(|fault| TestCaseError::fail(format!("{fault}\n{text}")))?;
        prop_assert_eq!(&read, &lock, "{}", text);
        prop_assert_eq!(read.to_string(), text);
    }

    #[test]
    fn no_text_panics_the_reader(text in "(version = 1\n)?\\PC{0,60}|[a-z\\[\\]{}=\"\n., ]{0,60}") {
        let _read = text.parse::<Lock>();
        let _read = npm::import(&text);
    }
}

#[test]
fn what_was_pushed_is_kept_by_target_and_skill() {
    let text = "version = 1\n\n[push.\"https://api.example.org/v1\".pdf]\nid = \"skill_1\"\nversion = \"2\"\ntree = \"sha256:0000000000000000000000000000000000000000000000000000000000000000\"\n";
    let lock: Lock = text.parse().unwrap();
    assert_eq!(lock.pushed["https://api.example.org/v1"]["pdf"].version, "2");
    assert!(lock.to_string().ends_with(text.strip_prefix("version = 1\n").unwrap()), "{lock}");
    assert_eq!(lock.to_string().parse::<Lock>().unwrap(), lock);
    for wrong in [
        "push = 1",
        "[push.x]\ny = 1",
        "[push.x.y]\nid = \"a\"\nversion = \"1\"",
        "[push.x.y]\nid = \"a\"\nversion = \"1\"\ntree = \"no\"",
    ] {
        assert!(format!("version = 1\n{wrong}\n").parse::<Lock>().is_err(), "{wrong}");
    }
}

#[test]
fn an_id_of_a_lock_leads_to_no_other_resource_of_an_api() {
    let tree = "sha256:0000000000000000000000000000000000000000000000000000000000000000";
    let read = |id: &str, version: &str| {
        format!("version = 1\n[push.x.y]\nid = {id:?}\nversion = {version:?}\ntree = {tree:?}\n")
            .parse::<Lock>()
    };
    assert!(read("skill_01Ab-c.d", "1759178010641129").is_ok());
    for odd in [
        "",
        ".",
        "..",
        "../../files",
        "a/b",
        "a?x=1",
        "a#b",
        "a%2e%2e",
        "a b",
        "a\\b",
        "ä",
        "a\nb",
        &"a".repeat(201),
    ] {
        assert!(read(odd, "1").is_err(), "{odd:?}");
        assert!(read("a", odd).is_err(), "{odd:?}");
    }
}
