//! Homes of agents that a variable moves, also to a place relative to the working folder.

use super::{World, skill, world};
use skillful_catalog::{Approvals, Catalog, Inputs, Scope, Settings, TrustStore};
use skillful_profiles::AgentProfiles;

fn names(world: &World, agent: &str) -> String {
    world.view(agent).seen.iter().map(|seen| seen.name.clone()).collect::<Vec<_>>().join(" ")
}

/// The skills of a catalog with their scopes, and what a skill of this file needs: the trust of which folder.
fn listed(world: &World, file: &str) -> (Option<Scope>, Option<String>) {
    let (agents, environment) = (AgentProfiles::embedded(), world.environment());
    let mut settings = Settings::default();
    settings.agent_folders = crate::own_folders(&agents, &environment, &settings);
    let trust = TrustStore::default();
    let (agents, environment, settings) = (&agents, &environment, &settings);
    let catalog =
        Catalog::build(Inputs { agents, environment, settings, trust: &trust, approvals: Approvals::none() });
    let found = catalog.entries.iter().find(|entry| entry.origin.file == world.root().join(file));
    let root = found.map(|entry| &catalog.roots[entry.origin.root]);
    (
        root.map(|root| root.scope),
        root.and_then(|root| root.needs_trust.as_deref()).map(|path| world.short(path)),
    )
}

/// One row: agent, variable, its value, and the folder of skills that it moves, below the home.
const HOMES: [(&str, &str, &str); 5] = [
    ("codex", "CODEX_HOME", "skills"),
    ("claude-code", "CLAUDE_CONFIG_DIR", "skills"),
    ("gemini-cli", "GEMINI_CLI_HOME", ".gemini/skills"),
    ("opencode", "XDG_CONFIG_HOME", "opencode/skills"),
    ("opencode", "OPENCODE_TEST_HOME", ".claude/skills"),
];

#[test]
fn a_relative_home_of_an_agent_is_listed_as_a_folder_of_the_project_that_needs_trust() {
    let moved = skill("moved");
    for (agent, variable, folder) in HOMES {
        let file = format!("work/here/{folder}/moved/SKILL.md");
        let world = world(&[(&file, &moved), ("work/.git/objects/.keep", ""), ("work/.git/refs/.keep", "")]);
        assert_eq!(names(&world, agent), "", "{variable} is not set");
        let world = world.variable(variable, "here").variable("GEMINI_CLI_TRUST_WORKSPACE", "true");
        assert_eq!(names(&world, agent), "moved", "{variable}");
        assert_eq!(listed(&world, &file), (Some(Scope::Project), Some("work".to_owned())), "{variable}");
    }
}

#[test]
fn an_absolute_home_of_an_agent_is_of_the_user() {
    let moved = skill("moved");
    for (agent, variable, folder) in HOMES {
        let file = format!("away/{folder}/moved/SKILL.md");
        let world = world(&[(&file, &moved)]);
        let away = world.root().join("away").display().to_string();
        let world = world.variable(variable, &away).variable("GEMINI_CLI_TRUST_WORKSPACE", "true");
        assert_eq!(names(&world, agent), "moved", "{variable}");
        assert_eq!(listed(&world, &file), (Some(Scope::User), None), "{variable}");
    }
}

#[test]
fn an_empty_variable_is_not_set_or_the_working_folder_as_the_agent_takes_it() {
    let (own, here) = (skill("own"), skill("here"));
    let files = [
        ("home/.codex/skills/own/SKILL.md", own.as_str()),
        ("home/.claude/skills/own/SKILL.md", own.as_str()),
        ("work/skills/here/SKILL.md", here.as_str()),
    ];
    assert_eq!(names(&world(&files).variable("CODEX_HOME", ""), "codex"), "own");
    let world = world(&files).variable("CLAUDE_CONFIG_DIR", "");
    assert_eq!(names(&world, "claude-code"), "here");
    assert_eq!(listed(&world, files[2].0), (Some(Scope::Project), Some("work".to_owned())));
}

#[test]
fn the_tests_of_opencode_move_its_home_and_the_administrators_folder() {
    let (own, other, more) = (skill("own"), skill("other"), skill("more"));
    let world = world(&[
        ("home/.agents/skills/own/SKILL.md", own.as_str()),
        ("home/.config/opencode/opencode.json", r#"{"skills": {"paths": ["~/more"]}}"#),
        ("away/.agents/skills/other/SKILL.md", other.as_str()),
        ("away/more/m/SKILL.md", more.as_str()),
        ("rules/opencode.json", r#"{"permission": {"skill": {"other": "deny"}}}"#),
    ]);
    let (away, rules) = (world.root().join("away"), world.root().join("rules"));
    assert_eq!(names(&world, "opencode"), "own");
    let world = world.variable("OPENCODE_TEST_HOME", &away.display().to_string());
    assert_eq!(names(&world, "opencode"), "more other");
    let world = world.variable("OPENCODE_TEST_MANAGED_CONFIG_DIR", &rules.display().to_string());
    assert!(
        world
            .view("opencode")
            .seen
            .iter()
            .all(|seen| seen.name != "other" || seen.listed != super::Listed::Model)
    );
}
