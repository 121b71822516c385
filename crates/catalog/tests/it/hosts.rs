//! D1: hosts are data.

use skillful_catalog::{Hosts, host::Host};
use skillful_format::Code;
use std::{collections::BTreeMap, fs, path::Path};

fn host(id: &str, title: &str) -> String {
    format!("id = \"{id}\"\ntitle = \"{title}\"\nevidence = \"folders\"\n")
}

#[test]
fn every_embedded_host_file_parses_under_the_id_of_its_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hosts");
    let hosts = Hosts::embedded();
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let host = Host::parse(&fs::read_to_string(&path).unwrap())
                .unwrap_or_else(|problem| panic!("{}: {problem:?}", path.display()));
            let stem = path.file_stem().unwrap().to_str().unwrap();
            assert_eq!(host.id, stem);
            assert_eq!(hosts.get(stem), Some(&host), "it is in the program as it is in the folder");
            count += 1;
        }
    }
    assert_eq!(hosts.iter().len(), count);
    assert!(count >= 80, "{count} hosts");
}

#[test]
fn ids_and_aliases_mean_one_host_each() {
    let hosts = Hosts::embedded();
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for host in hosts.iter() {
        for name in std::iter::once(&host.id).chain(&host.aliases) {
            if let Some(other) = known.insert(name, &host.id) {
                panic!("`{name}` means `{other}` and `{}`", host.id);
            }
            assert_eq!(Hosts::embedded_host(name).map(|found| found.id), Some(host.id.clone()));
        }
    }
}

#[test]
fn every_host_has_a_place_to_look_in() {
    for host in Hosts::embedded().iter() {
        assert!(!host.roots.is_empty(), "{}", host.id);
        assert!(!host.title.trim().is_empty(), "{}", host.id);
    }
}

#[test]
fn a_persons_host_file_adds_a_host_or_replaces_one() {
    let mut hosts = Hosts::embedded();
    let before = hosts.iter().len();
    hosts.add(&host("my-own", "Mine")).unwrap();
    assert_eq!(hosts.iter().len(), before + 1);
    hosts.add(&host("codex", "My Codex")).unwrap();
    assert_eq!(hosts.iter().len(), before + 1);
    assert_eq!(hosts.get("codex").map(|host| host.title.as_str()), Some("My Codex"));
    let ids: Vec<&str> = hosts.iter().map(|host| host.id.as_str()).collect();
    assert!(ids.is_sorted());
}

#[test]
fn a_bad_host_file_is_a_diagnostic_with_its_line_and_changes_nothing() {
    let cases = [
        ("not toml", "id = \"x\"\ntitle =\n", Some(2)),
        ("unknown field", &format!("{}colour = \"red\"\n", host("x", "X")), Some(4)),
        ("unknown scope", &format!("{}[[root]]\nscope = \"moon\"\npath = \"x\"\n", host("x", "X")), Some(5)),
        ("no title", "id = \"x\"\nevidence = \"folders\"\n", Some(1)),
        ("bad id", &host("../x", "X"), None),
        ("no files", &format!("{}[scan]\nfiles = []\n", host("x", "X")), None),
        ("too large", &format!("{}# {}\n", host("x", "X"), "x".repeat(70_000)), None),
    ];
    let mut hosts = Hosts::embedded();
    let before = hosts.clone();
    for (what, text, line) in cases {
        let problem = hosts.add(text).expect_err(what);
        assert_eq!(problem.code, Code::HostFileInvalid, "{what}");
        assert_eq!(problem.span.map(|span| span.line), line, "{what}: {}", problem.message);
    }
    assert_eq!(hosts, before);
}
