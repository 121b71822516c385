//! Complete views of small folders. `tests/peers` compares the reading rules with the real
//! programs; these tests check what only Skillful reports: the reasons.

use super::{Listed, UnseenCode, View, refusal, view, view_of_walked};
use skillful_catalog::{Catalog, Environment, Inputs, Settings, TrustStore};
use skillful_profiles::AgentProfiles;
use std::{collections::BTreeMap, fs, path::Path};
use tempfile::TempDir;

mod homes;
mod later;
mod plugins;
mod settings;
mod walked;

struct World {
    folder: TempDir,
    variables: BTreeMap<String, String>,
    cwd: &'static str,
}

/// Creates a home and a repository with these files.
fn world(files: &[(&str, &str)]) -> World {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in [("work/.git/HEAD", ""), ("home/.keep", "")].iter().chain(files) {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    World { folder, variables: BTreeMap::new(), cwd: "work" }
}

impl World {
    fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn view(&self, agent: &str) -> View {
        self.view_by(&AgentProfiles::embedded(), agent)
    }

    /// The view of an agent whose folders below `/etc` are those of this world.
    fn view_over_etc(&self, agent: &str) -> View {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../profiles/agents/{agent}.toml"));
        let text = fs::read_to_string(file).unwrap();
        let mut agents = AgentProfiles::embedded().clone();
        agents.add(&text.replace("/etc/", &format!("{}/etc/", self.root().display()))).unwrap();
        self.view_by(&agents, agent)
    }

    fn environment(&self) -> Environment {
        Environment {
            cwd: self.root().join(self.cwd),
            home: self.root().join("home"),
            variables: self.variables.clone(),
            ..Environment::default()
        }
    }

    fn view_by(&self, agents: &AgentProfiles, agent: &str) -> View {
        let environment = self.environment();
        let settings = Settings::default();
        let trust = TrustStore::default();
        let inputs = Inputs {
            agents,
            environment: &environment,
            settings: &settings,
            trust: &trust,
            approvals: skillful_catalog::Approvals::none(),
        };
        let agent = agents.get(agent).unwrap();
        let (catalog, walked) = Catalog::build_with_walked(inputs);
        let found = view(agent, inputs, &catalog);
        let again = view_of_walked(agent, inputs, &catalog, &walked);
        assert_eq!(again, found, "{}: from what was opened for the catalog", agent.id);
        found
    }

    fn short(&self, path: &Path) -> String {
        path.strip_prefix(self.root()).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn seen(&self, view: &View) -> Vec<String> {
        view.seen.iter().map(|seen| format!("{} {}", seen.name, self.short(&seen.file))).collect()
    }

    fn unseen(&self, view: &View) -> Vec<(String, UnseenCode)> {
        view.unseen.iter().map(|unseen| (self.short(&unseen.file), unseen.code)).collect()
    }
}

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n---\n")
}

#[test]
fn an_unread_folder_is_reported_with_a_better_one() {
    let world = world(&[
        ("work/.claude/skills/a/SKILL.md", &skill("a")),
        ("home/.gemini/skills/b/SKILL.md", &skill("b")),
    ]);
    let view = world.view("codex");
    assert!(view.seen.is_empty());
    let reasons: Vec<(&str, Option<&str>)> =
        view.unseen.iter().map(|one| (one.reason.as_str(), one.fix.as_deref())).collect();
    assert_eq!(
        reasons,
        [
            ("Codex does not read `~/.gemini/skills`", Some("link or copy the skill to `~/.agents/skills`")),
            ("Codex does not read `.claude/skills`", Some("link or copy the skill to `.agents/skills`")),
        ]
    );
}

#[test]
fn every_skill_of_the_catalog_is_loaded_or_explained_once() {
    let broken = "---\nname: x\ndescription: [\n---\n";
    let world = world(&[
        ("work/.agents/skills/good/SKILL.md", &skill("good")),
        ("work/.agents/skills/lower/skill.md", &skill("lower")),
        ("work/.agents/skills/broken/SKILL.md", broken),
        ("work/.agents/skills/group/deep/SKILL.md", &skill("deep")),
        ("work/.claude/skills/good/SKILL.md", &skill("good")),
        ("work/.claude/commands/run.md", "Run it."),
        ("home/.agents/skills/good/SKILL.md", &skill("good")),
    ]);
    for agent in AgentProfiles::embedded().iter() {
        let view = world.view(&agent.id);
        let mut files: Vec<String> = view.seen.iter().map(|seen| world.short(&seen.file)).collect();
        files.extend(view.unseen.iter().map(|unseen| world.short(&unseen.file)));
        files.sort();
        let all = [
            "home/.agents/skills/good/SKILL.md",
            "work/.agents/skills/broken/SKILL.md",
            "work/.agents/skills/good/SKILL.md",
            "work/.agents/skills/group/deep/SKILL.md",
            "work/.agents/skills/lower/skill.md",
            "work/.claude/commands/run.md",
            "work/.claude/skills/good/SKILL.md",
        ];
        assert_eq!(files, all, "{}", agent.id);
    }
}

#[test]
fn the_reason_is_the_rule_that_decided() {
    let long = skill(&"n".repeat(65));
    let world = world(&[
        ("work/.agents/skills/a/SKILL.md", "no frontmatter"),
        ("work/.agents/skills/b/SKILL.md", "---\nname: b\ndescription: *x\n---\n"),
        ("work/.agents/skills/c/SKILL.md", &long),
        ("work/.agents/skills/d/SKILL.md", "---\nname: d\n---\n"),
        ("work/.agents/skills/e/SKILL.md", &skill("e")),
        ("work/.agents/skills/e/agents/openai.yaml", "policy:\n  products: [chatgpt]\n"),
        ("work/.agents/skills/f/SKILL.md", &skill("f")),
        ("home/.codex/config.toml", "[[skills.config]]\nname = \"f\"\nenabled = false\n"),
    ]);
    let view = world.view("codex");
    let codes: Vec<UnseenCode> = view.unseen.iter().map(|unseen| unseen.code).collect();
    assert_eq!(
        codes,
        [
            UnseenCode::NoFrontmatter,
            UnseenCode::Frontmatter,
            UnseenCode::Name,
            UnseenCode::Description,
            UnseenCode::Product,
            UnseenCode::Disabled
        ]
    );
    assert!(
        view.unseen[1].reason.starts_with("Codex cannot read the frontmatter: line 3: "),
        "{}",
        view.unseen[1].reason
    );
    assert!(view.seen.is_empty());
}

#[test]
fn equal_names_all_stay_or_one_wins_or_the_winner_is_random() {
    let world = world(&[
        ("work/.agents/skills/a/SKILL.md", &skill("same")),
        ("work/.agents/skills/b/SKILL.md", &skill("same")),
        ("work/.agents/skills/SKILL.md", &skill("same")),
    ])
    .variable("GEMINI_CLI_TRUST_WORKSPACE", "true");
    assert_eq!(world.view("codex").seen.len(), 3);
    let gemini = world.view("gemini");
    assert_eq!(world.seen(&gemini), ["same work/.agents/skills/a/SKILL.md"]);
    assert!(gemini.seen[0].warnings[0].starts_with("Gemini CLI loads this one instead of "));
    let opencode = world.view("opencode");
    assert_eq!(
        world.seen(&opencode),
        ["same work/.agents/skills/SKILL.md"],
        "the view shows the first by path"
    );
    assert!(opencode.seen[0].warnings[0].ends_with("changes from run to run"));
    assert!(opencode.unseen.iter().all(|unseen| unseen.code == UnseenCode::Collision));
    assert!(opencode.unseen[0].reason.starts_with("OpenCode loads one skill of this name at random"));
}

#[test]
fn code_in_the_frontmatter_is_reported_and_never_run() {
    let world = world(&[("work/.agents/skills/evil/SKILL.md", "---js\nprocess.exit(1)\n---\n")]);
    let view = world.view("opencode");
    assert_eq!(world.seen(&view), ["evil work/.agents/skills/evil/SKILL.md"]);
    assert!(
        view.seen[0].warnings[0].starts_with("DANGER: the frontmatter is JavaScript, and OpenCode runs it")
    );
    assert!(
        view.notes
            .iter()
            .any(|note| note.starts_with("DANGER: OpenCode runs the code in the frontmatter of "))
    );
}

#[test]
fn trust_is_read_from_the_files_of_the_agent() {
    let files = [("work/.agents/skills/a/SKILL.md", skill("a"))];
    let world = || world(&[(files[0].0, files[0].1.as_str())]);
    let untrusted = world().view("gemini");
    assert_eq!(untrusted.unseen[0].code, UnseenCode::Untrusted);
    assert_eq!(world().variable("GEMINI_CLI_TRUST_WORKSPACE", "true").view("gemini").seen.len(), 1);

    let trusting = |word: &str, folder: &str| {
        let world = world();
        let text = format!("{{\"{}\": \"{word}\"}}", world.root().join(folder).display());
        fs::create_dir_all(world.root().join("home/.gemini")).unwrap();
        fs::write(world.root().join("home/.gemini/trustedFolders.json"), text).unwrap();
        world.view("gemini").seen.len()
    };
    assert_eq!(trusting("TRUST_FOLDER", "work"), 1);
    assert_eq!(trusting("TRUST_PARENT", "work"), 1);
    assert_eq!(trusting("TRUST_FOLDER", "home"), 0);
    assert_eq!(trusting("DO_NOT_TRUST", "work"), 0);

    let zed = world().view("zed");
    assert_eq!(zed.seen.len(), 1);
    assert!(zed.notes.iter().any(|note| note.contains("this view assumes that the folder is trusted")));
}

#[test]
fn no_skill_loads_with_a_broken_configuration() {
    let a = skill("a");
    let world = world(&[
        ("work/.agents/skills/a/SKILL.md", &a),
        ("home/.codex/config.toml", "[skills]\nconfig = 1\n"),
    ]);
    let view = world.view("codex");
    assert_eq!(
        world.unseen(&view),
        [("work/.agents/skills/a/SKILL.md".to_owned(), UnseenCode::ConfigurationBroken)]
    );
    assert!(view.roots.is_empty());
}

#[test]
fn a_root_at_another_level_has_its_own_reason() {
    let mut world = world(&[("work/.agents/skills/a/SKILL.md", &skill("a")), ("work/sub/.keep", "")])
        .variable("GEMINI_CLI_TRUST_WORKSPACE", "true");
    world.cwd = "work/sub";
    let view = world.view("gemini");
    assert_eq!(view.unseen[0].code, UnseenCode::RootElsewhere);
    assert_eq!(view.unseen[0].reason, "Gemini CLI reads `.agents/skills`, but not in this folder");
    assert_eq!(world.view("codex").seen.len(), 1);
}

#[test]
fn skills_that_only_a_user_can_call_are_not_listed() {
    let hidden = "---\nname: a\ndescription: D.\ndisable-model-invocation: true\n---\n";
    let world =
        world(&[("work/.agents/skills/a/SKILL.md", hidden), ("work/.claude/skills/b/SKILL.md", hidden)]);
    assert_eq!(world.view("codex").seen[0].listed, Listed::Model, "Codex does not read the key");
    let claude = world.view("claude-code");
    assert_eq!(claude.seen[0].listed, Listed::UserOnly("`disable-model-invocation` is true".to_owned()));
}

#[test]
fn files_that_only_the_agent_loads_have_a_warning() {
    let world = world(&[
        ("work/.agents/skills/a/SKILL.md", &skill("a")),
        ("work/.agents/skills/a/b/SKILL.md", &skill("b")),
    ]);
    let view = world.view("codex");
    let warned: Vec<bool> = view.seen.iter().map(|seen| !seen.warnings.is_empty()).collect();
    assert_eq!(world.seen(&view), ["a work/.agents/skills/a/SKILL.md", "b work/.agents/skills/a/b/SKILL.md"]);
    assert_eq!(warned, [false, true]);
}

#[test]
fn empty_folders_give_an_empty_view_of_every_agent() {
    let world = world(&[]);
    for agent in AgentProfiles::embedded().iter() {
        let view = world.view(&agent.id);
        assert!(view.seen.is_empty() && view.unseen.is_empty(), "{}", agent.id);
        assert!(
            !view.roots.is_empty() || agent.trust_source.is_some() || agent.roots.is_empty(),
            "{}",
            agent.id
        );
    }
}

#[test]
fn one_file_is_refused_for_the_same_reasons() {
    let world = world(&[
        ("x/SKILL.md", "---\nname: x\n---\n"),
        ("y/skill.md", &skill("y")),
        ("z/SKILL.md", &skill("z")),
    ]);
    let agent = AgentProfiles::embedded_agent("codex").unwrap();
    let code = |file: &str| refusal(&agent, &world.root().join(file)).map(|unseen| unseen.code);
    assert_eq!(code("x/SKILL.md"), Some(UnseenCode::Description));
    assert_eq!(code("y/skill.md"), Some(UnseenCode::FileName));
    assert_eq!(code("z/SKILL.md"), None);
}

#[test]
fn the_json_of_a_view_is_stable() {
    let world = world(&[("work/.claude/skills/a/SKILL.md", &skill("a"))]);
    let json = serde_json::to_value(world.view("codex")).unwrap();
    assert_eq!(json["agent"], "codex");
    assert_eq!(json["evidence"], "measured");
    assert_eq!(json["unseen"][0]["code"], "root-not-read");
    assert!(json["unseen"][0]["path"].as_str().unwrap().ends_with("work/.claude/skills/a/SKILL.md"));
    let json = serde_json::to_value(world.view("claude-code")).unwrap();
    assert_eq!(json["seen"][0]["listed"], serde_json::json!({"to": "model"}));
    assert_eq!(json["seen"][0]["scope"], "project");
}
