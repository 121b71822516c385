//! What is published, what is refused, and that our own client reads it back.

use crate::{
    fixture::{at_every_step, quick, small, tree},
    sign::keys::{key, ours},
    web::outside,
};
use skillful_format::{Code, Diagnostic, Limits, Tree, TreeFile, TreePath};
use skillful_registry::{
    AtomicWriter, Source,
    fetch::{FetchError, Fetched, Outside, Registry, WebError, fetch},
    publish::{Offer, PublishError, plan, plan_yank, write},
    source::{Ref, SourceLocation},
};
use skillful_testkit::{FileServer, Served};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

fn offer(name: &str, tree: Tree, version: &str) -> Offer {
    Offer {
        place: name.to_owned(),
        folder: Some(name.to_owned()),
        tree,
        left_out: Vec::new(),
        version: Some(version.to_owned()),
    }
}

fn publish(folder: &Path, offers: &[Offer]) -> Result<usize, PublishError> {
    write(&plan(folder, offers, Some("2026-11-15"))?, folder, &BTreeSet::new(), &quick())
}

/// Every file below a folder.
fn all(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, above: &str, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{above}{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                walk(&entry.path(), &format!("{name}/"), found);
            } else {
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, "", &mut found);
    found
}

fn asking(servers: &[(&str, &FileServer)]) -> Outside {
    let mut outside = outside();
    for (label, server) in servers {
        let SourceLocation::WellKnown(address) = server.url().parse::<Source>().unwrap().place else {
            panic!()
        };
        outside.web.registries.push(Registry { label: (*label).to_owned(), address });
    }
    outside
}

fn get(text: &str, pinned: Option<&str>, outside: &Outside) -> Result<Fetched, FetchError> {
    fetch(&text.parse().unwrap(), pinned.map(|it| Ref::new(it).unwrap()).as_ref(), outside)
}

fn web_error(text: &str, outside: &Outside) -> WebError {
    match get(text, None, outside).unwrap_err() {
        FetchError::Web(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn what_was_published_is_read_back_by_our_own_client_in_every_way() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two, pdf) = (small("pdf", "one"), small("pdf", "two"), small("notes", "n"));
    publish(folder.path(), &[offer("pdf", one.clone(), "1.0.0"), offer("notes", pdf.clone(), "0.1.0")])
        .unwrap();
    publish(folder.path(), &[offer("pdf", two.clone(), "1.10.0")]).unwrap();
    publish(folder.path(), &[offer("pdf", small("pdf", "next"), "2.0.0-rc.1")]).unwrap();
    let server = FileServer::folder(folder.path());
    let outside = asking(&[("team", &server)]);
    let index = get(&server.url(), None, &outside).unwrap();
    let trees: Vec<&Tree> = index.skills.iter().map(|found| &found.tree).collect();
    assert_eq!((trees, index.diagnostics.len()), (vec![&pdf, &two], 0));
    let newest = get("registry:pdf", None, &outside).unwrap();
    assert_eq!(newest.skills[0].tree, two);
    assert_eq!(newest.resolved.version.as_deref(), Some("1.10.0"));
    assert_eq!(get("registry:team/pdf@1.0.0", None, &outside).unwrap().skills[0].tree, one);
    let archive = format!("{}/archives/pdf/pdf-1.0.0.tar.gz", server.url());
    assert_eq!(get(&archive, None, &outside).unwrap().skills[0].tree, one);
    let bytes = fs::read(folder.path().join("archives/pdf/pdf-1.0.0.tar.gz")).unwrap();
    let package = skillful_archive::read(&bytes, None, &skillful_format::Limits::default()).unwrap();
    assert_eq!(package.folder, None, "SKILL.md is at the top of the archive");
}

#[test]
fn publishing_is_the_same_bytes_everywhere_and_twice_is_once() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (a, b) = (offer("a", small("a", "x"), "1.0.0"), offer("b", small("b", "y"), "1.0.0"));
    publish(here.path(), &[a.clone(), b.clone()]).unwrap();
    publish(there.path(), std::slice::from_ref(&b)).unwrap();
    publish(there.path(), std::slice::from_ref(&a)).unwrap();
    assert_eq!(all(here.path()), all(there.path()));
    assert_eq!(
        write(
            &plan(here.path(), &[b, a], Some("2030-01-01")).unwrap(),
            here.path(),
            &BTreeSet::new(),
            &AtomicWriter::default()
        )
        .unwrap(),
        0
    );
    assert_eq!(all(here.path()), all(there.path()));
    let paths: Vec<String> = all(here.path()).into_keys().collect();
    assert_eq!(
        paths,
        [
            ".well-known/agent-skills/index.json",
            "archives/a/a-1.0.0.tar.gz",
            "archives/b/b-1.0.0.tar.gz",
            "index.json",
            "skills/a.json",
            "skills/b.json"
        ]
    );
}

#[test]
fn a_version_never_changes() {
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path(), &[offer("a", small("a", "x"), "1.0.0")]).unwrap();
    let before = all(folder.path());
    let error = publish(folder.path(), &[offer("a", small("a", "y"), "1.0.0")]).unwrap_err();
    assert!(matches!(error, PublishError::Taken { .. }), "{error}");
    assert_eq!(all(folder.path()), before);
    fs::remove_file(folder.path().join("archives/a/a-1.0.0.tar.gz")).unwrap();
    publish(folder.path(), &[offer("a", small("a", "x"), "1.0.0")]).unwrap();
    assert_eq!(all(folder.path()), before, "an archive that got lost is put back");
    fs::write(folder.path().join("skills/a.json"), "{}").unwrap();
    let error = publish(folder.path(), &[offer("b", small("b", "x"), "1.0.0")]).unwrap_err();
    assert!(matches!(error, PublishError::Damaged { .. }), "{error}");
}

#[test]
fn what_breaks_the_specification_holds_a_link_or_a_secret_is_refused_with_every_reason() {
    let folder = tempfile::tempdir().unwrap();
    let head = "---\nname: a\ndescription: d\n---\n";
    let secret = format!("{head}Use `AKIAQ3EGRI7HJ2KLMN4P` as the key.\n");
    let refused = |offer: Offer| match publish(folder.path(), &[offer]).unwrap_err() {
        PublishError::Refused(refused) => refused.iter().map(ToString::to_string).collect::<String>(),
        other => panic!("{other}"),
    };
    let told = refused(offer("a", tree(&[("SKILL.md", &secret)]), "1.0.0"));
    assert!(told.contains("SKILL.md line 5: holds a secret") && !told.contains("AKIA"), "{told}");
    let mut linked = offer("a", tree(&[("SKILL.md", &format!("{head}x\n"))]), "1.0.0");
    linked.left_out.push(Diagnostic::new(Code::LinkSkipped, "`x` is a link and not part of the skill"));
    assert!(refused(linked).contains("is a link"));
    let bad = "---\nname: Other\nwat: 1\n---\nx\n";
    let told = refused(offer("a", tree(&[("SKILL.md", bad)]), "not a version"));
    for why in ["wat", "description", "is not a version"] {
        assert!(told.contains(why), "{why}: {told}");
    }
    let mut none = offer("a", tree(&[("SKILL.md", &format!("{head}x\n"))]), "");
    none.version = None;
    assert!(refused(none.clone()).contains("it has no version"));
    none.tree =
        tree(&[("SKILL.md", "---\nname: a\ndescription: d\nmetadata:\n  version: \"1.2.3\"\n---\nx\n")]);
    assert_eq!(plan(folder.path(), &[none], None).unwrap().skills[0].version.to_string(), "1.2.3");
    assert!(all(folder.path()).is_empty(), "nothing of it was written");
}

#[test]
fn a_run_that_is_stopped_leaves_lists_that_name_only_what_is_there() {
    let prepare = |folder: &Path| {
        publish(folder, &[offer("a", small("a", "x"), "1.0.0")]).unwrap();
    };
    let work = |folder: &Path, writer: AtomicWriter| {
        let offers = [offer("a", small("a", "y"), "1.1.0"), offer("b", small("b", "z"), "1.0.0")];
        let plan = plan(folder, &offers, None).map_err(|error| error.to_string())?;
        write(&plan, folder, &BTreeSet::new(), &writer).map(drop).map_err(|error| error.to_string())
    };
    let check = |folder: &Path, what: &str| {
        let files = all(folder);
        for (path, bytes) in &files {
            if !path.contains(".json") {
                continue;
            }
            let value: serde_json::Value =
                serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{what}: {path}: {error}"));
            let items = value["skills"].as_array().or_else(|| value["versions"].as_array()).unwrap().clone();
            for item in items {
                if let Some(url) = item["url"].as_str() {
                    let archive = url.trim_start_matches("../");
                    let bytes =
                        files.get(archive).unwrap_or_else(|| panic!("{what}: {path} names {archive}"));
                    let digest = item.get("digest").or_else(|| item.get("artefact")).unwrap();
                    assert_eq!(*digest, skillful_format::digest_bytes(bytes).to_string(), "{what}");
                } else {
                    assert!(
                        files.contains_key(&format!("skills/{}.json", item["name"].as_str().unwrap())),
                        "{what}"
                    );
                }
            }
        }
        assert!(work(folder, quick()).is_ok(), "{what}: it cannot be finished");
    };
    assert!(at_every_step(1, prepare, work, check) > 30);
}

#[test]
fn a_withdrawn_version_is_refused_unless_a_lock_names_it() {
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path(), &[offer("a", small("a", "x"), "1.0.0")]).unwrap();
    publish(folder.path(), &[offer("a", small("a", "y"), "1.1.0")]).unwrap();
    let yank = |version: &str| {
        write(
            &plan_yank(folder.path(), "a", version, "it deletes files").unwrap(),
            folder.path(),
            &BTreeSet::new(),
            &quick(),
        )
        .unwrap()
    };
    assert!(yank("1.1.0") > 0);
    assert_eq!(yank("1.1.0"), 0);
    assert!(matches!(plan_yank(folder.path(), "a", "9.0.0", "x"), Err(PublishError::NotThere { .. })));
    let server = FileServer::folder(folder.path());
    let outside = asking(&[("team", &server)]);
    assert_eq!(get("registry:a", None, &outside).unwrap().resolved.version.as_deref(), Some("1.0.0"));
    let error = web_error("registry:a@1.1.0", &outside);
    assert!(matches!(&error, WebError::Yanked { why, .. } if why == "it deletes files"), "{error}");
    let locked = get("registry:a@1.1.0", Some("1.1.0"), &outside).unwrap();
    assert_eq!(locked.skills[0].tree, small("a", "y"));
    assert!(locked.skills[0].diagnostics[0].message.contains("was withdrawn"));
    assert_eq!(get(&server.url(), None, &outside).unwrap().skills[0].tree, small("a", "x"));
    yank("1.0.0");
    assert!(matches!(web_error("registry:a", &outside), WebError::NoVersion { .. }));
}

#[test]
fn a_registry_is_believed_only_where_it_keeps_its_word() {
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path(), &[offer("a", small("a", "x"), "1.0.0")]).unwrap();
    let page = folder.path().join("skills/a.json");
    let good = fs::read_to_string(&page).unwrap();
    let tree = small("a", "x").digest().to_string();
    let server = FileServer::folder(folder.path());
    let outside = asking(&[("team", &server)]);
    let with = |text: String| {
        fs::write(&page, text).unwrap();
        web_error("registry:a", &outside)
    };
    let other = skillful_format::digest_bytes(b"").to_string();
    assert!(matches!(with(good.replace(&tree, &other)), WebError::Tree { .. }));
    let archive =
        skillful_format::digest_bytes(&fs::read(folder.path().join("archives/a/a-1.0.0.tar.gz")).unwrap());
    assert!(matches!(with(good.replace(&archive.to_string(), &other)), WebError::Digest { .. }));
    assert!(matches!(with(good.replace("../archives", "https://evil.example")), WebError::Elsewhere { .. }));
    assert!(matches!(with(good.replace("registry/1", "registry/2")), WebError::NotAnIndex { .. }));
    assert!(matches!(with("[]".to_owned()), WebError::NotAnIndex { .. }));
    assert!(matches!(with(good.replace("\"a\"", "\"b\"")), WebError::NotAnIndex { .. }));
    assert!(matches!(with(good.replace("1.0.0\"", "one\"")), WebError::NoVersion { .. }));
}

#[test]
fn a_name_in_two_registries_or_behind_a_dead_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path(), &[offer("a", small("a", "x"), "1.0.0")]).unwrap();
    let (one, two) = (FileServer::folder(folder.path()), FileServer::folder(folder.path()));
    let dead = FileServer::with(|_| Served::Status(500));
    let both = asking(&[("one", &one), ("two", &two)]);
    assert!(matches!(web_error("registry:a", &both), WebError::Ambiguous { .. }));
    assert!(get("registry:two/a", None, &both).is_ok());
    assert!(matches!(web_error("registry:three/a", &both), WebError::NoRegistry(_)));
    assert!(matches!(web_error("registry:b", &both), WebError::NotThere { .. }));
    assert!(matches!(web_error("registry:a", &outside()), WebError::NoRegistry(_)));
    let half = asking(&[("dead", &dead), ("one", &one)]);
    assert!(matches!(web_error("registry:a", &half), WebError::Net { .. }));
    assert!(get("registry:one/a", None, &half).is_ok());
}

#[test]
fn a_signature_travels_in_the_archive_and_one_of_other_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plain = small("a", "x");
    let signature = ours(&key(folder.path(), "key", "ed25519", ""), &plain.digest());
    let with = |tree: &Tree| {
        let limits = Limits::default();
        let mut all = tree.clone();
        let file = TreeFile { bytes: signature.as_bytes().to_vec(), executable: false };
        all.insert(TreePath::new("SKILL.sig", &limits).unwrap(), file, &limits).unwrap();
        all
    };
    let site = folder.path().join("site");
    let error = publish(&site, &[offer("a", with(&small("a", "other")), "1.0.0")]).unwrap_err();
    assert!(error.to_string().contains("SKILL.sig"), "{error}");
    publish(&site, &[offer("a", with(&plain), "1.0.0")]).unwrap();
    let server = FileServer::folder(&site);
    let outside = asking(&[("team", &server)]);
    for source in ["registry:a".to_owned(), server.url()] {
        let found = get(&source, None, &outside).unwrap().skills.remove(0);
        assert_eq!(found.tree, plain, "a signature is none of the files");
        assert_eq!(found.signature.as_ref(), Some(&signature));
    }
}
