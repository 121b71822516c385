//! Contract D1: agent profiles are data.

use skillful_format::Code;
use skillful_profiles::{AgentProfile, AgentProfiles};
use std::{collections::BTreeMap, fs, path::Path};

fn agent(id: &str, title: &str) -> String {
    format!("id = \"{id}\"\ntitle = \"{title}\"\nevidence = \"folders\"\n")
}

#[test]
fn every_embedded_profile_parses_and_has_the_id_of_its_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents");
    let agents = AgentProfiles::embedded();
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let agent = AgentProfile::parse(&fs::read_to_string(&path).unwrap())
                .unwrap_or_else(|problem| panic!("{}: {problem:?}", path.display()));
            let stem = path.file_stem().unwrap().to_str().unwrap();
            assert_eq!(agent.id, stem);
            assert_eq!(agents.get(stem), Some(&agent), "the embedded profile equals the file");
            count += 1;
        }
    }
    assert_eq!(agents.iter().len(), count);
    assert!(count >= 80, "{count} agents");
}

#[test]
fn ids_and_aliases_mean_one_agent_each() {
    let agents = AgentProfiles::embedded();
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for agent in agents.iter() {
        for name in std::iter::once(&agent.id).chain(&agent.aliases) {
            if let Some(other) = known.insert(name, &agent.id) {
                panic!("`{name}` means `{other}` and `{}`", agent.id);
            }
            assert_eq!(AgentProfiles::embedded_agent(name).map(|found| found.id), Some(agent.id.clone()));
        }
    }
}

#[test]
fn every_agent_has_a_root_folder() {
    for agent in AgentProfiles::embedded().iter() {
        assert!(!agent.roots.is_empty(), "{}", agent.id);
        assert!(!agent.title.trim().is_empty(), "{}", agent.id);
    }
}

#[test]
fn a_user_profile_adds_an_agent_or_replaces_one() {
    let mut agents = AgentProfiles::embedded();
    let before = agents.iter().len();
    agents.add(&agent("my-own", "Mine")).unwrap();
    assert_eq!(agents.iter().len(), before + 1);
    agents.add(&agent("codex", "My Codex")).unwrap();
    assert_eq!(agents.iter().len(), before + 1);
    assert_eq!(agents.get("codex").map(|agent| agent.title.as_str()), Some("My Codex"));
    let ids: Vec<&str> = agents.iter().map(|agent| agent.id.as_str()).collect();
    assert!(ids.is_sorted());
}

#[test]
fn a_bad_profile_is_a_diagnostic_with_its_line_and_changes_nothing() {
    let cases = [
        ("not toml", "id = \"x\"\ntitle =\n", Some(2)),
        ("unknown field", &format!("{}colour = \"red\"\n", agent("x", "X")), Some(4)),
        ("unknown scope", &format!("{}[[root]]\nscope = \"moon\"\npath = \"x\"\n", agent("x", "X")), Some(5)),
        ("no title", "id = \"x\"\nevidence = \"folders\"\n", Some(1)),
        ("bad id", &agent("../x", "X"), None),
        ("no files", &format!("{}[scan]\nfiles = []\n", agent("x", "X")), None),
        ("too large", &format!("{}# {}\n", agent("x", "X"), "x".repeat(70_000)), None),
    ];
    let mut agents = AgentProfiles::embedded();
    let before = agents.clone();
    for (what, text, line) in cases {
        let problem = agents.add(text).expect_err(what);
        assert_eq!(problem.code, Code::AgentProfileInvalid, "{what}");
        assert_eq!(problem.span.map(|span| span.line), line, "{what}: {}", problem.message);
    }
    assert_eq!(agents, before);
}
