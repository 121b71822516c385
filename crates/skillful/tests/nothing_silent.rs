//! A skill that some agent loads is in the list, and in what `trust` shows when a repository brings it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use skillful::{
    Environment, Library, Options, Workspace,
    library::Scope,
    views::{DoctorReport, Health, ListFilter, SkillList},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// A machine with a home and a folder of work.
struct Machine {
    folder: tempfile::TempDir,
    cwd: &'static str,
    variables: BTreeMap<String, String>,
}

impl Machine {
    fn new(cwd: &'static str) -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap(), cwd, variables: BTreeMap::new() };
        machine.write("home/.config/skillful/config.toml", "system = false\n");
        fs::create_dir_all(machine.path(cwd)).unwrap();
        machine
    }

    /// The work is a repository that every agent accepts as one.
    fn repository(self) -> Self {
        self.write("work/.git/HEAD", "ref: refs/heads/main\n");
        self.write("work/.git/objects/x", "");
        self.write("work/.git/refs/x", "");
        self
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(below)
    }

    fn write(&self, below: &str, text: &str) {
        let file = self.path(below);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A skill that every agent accepts.
    fn skill(&self, folder: &str) {
        let name = folder.rsplit('/').next().unwrap().trim_start_matches('.');
        self.write(
            &format!("{folder}/SKILL.md"),
            &format!("---\nname: {name}\ndescription: Does it.\n---\nDo it.\n"),
        );
    }

    fn workspace(&self) -> Workspace {
        let environment = Environment {
            cwd: self.path(self.cwd),
            home: self.path("home"),
            variables: self.variables.clone().into_iter().collect(),
            ..Environment::default()
        };
        Workspace::open(environment, Options::default())
    }

    /// Compares the view of every agent with the list and with `trust`; returns what agents load, by agent.
    #[track_caller]
    fn check(&self) -> BTreeMap<String, BTreeSet<String>> {
        let workspace = self.workspace();
        let list = SkillList::of(&workspace, &ListFilter::default()).unwrap();
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let mut listed = BTreeSet::new();
        for skill in &list.skills {
            let real_path: &Path = &skill.real_path;
            listed.insert(real(real_path));
            listed.extend(skill.also_at.iter().map(|path| real(path)));
        }
        let library = Library::open(&workspace, Scope::Project, SystemTime::UNIX_EPOCH).unwrap();
        let trust = library.plan_trust(&library.trust_folder(None).unwrap()).unwrap();
        let trusted: BTreeSet<PathBuf> = trust.skills.iter().map(|skill| real(&skill.path)).collect();

        let (mut loads, mut silent) = (BTreeMap::<String, BTreeSet<String>>::new(), BTreeSet::new());
        for agent in workspace.agents().iter() {
            for seen in workspace.view(agent).seen {
                let file = real(&seen.file);
                let folder = file.parent().unwrap();
                let below = folder.strip_prefix(self.path("")).unwrap_or(folder).display().to_string();
                let holds = |known: &BTreeSet<PathBuf>| known.contains(folder) || known.contains(&file);
                if !holds(&listed) {
                    silent.insert(format!("{below}: {} loads it, list is silent", agent.id));
                }
                if file.starts_with(self.path("work")) && !holds(&trusted) {
                    silent.insert(format!("{below}: {} loads it, trust is silent", agent.id));
                }
                loads.entry(agent.id.clone()).or_default().insert(below);
            }
        }
        assert_eq!(silent, BTreeSet::new());
        loads
    }

    /// Checks that an agent loads the skills of a tree, so that the comparison is about them.
    #[track_caller]
    fn loads(&self, agent: &str, folders: &[&str]) {
        let loads = self.check();
        for folder in folders {
            let found = loads.get(agent).is_some_and(|loads| loads.contains(*folder));
            assert!(found, "{agent} does not load {folder}: {:?}", loads.get(agent));
        }
    }
}

#[test]
fn skills_in_hidden_folders_in_packages_and_inside_of_skills() {
    let machine = Machine::new("work").repository();
    let folders = [
        "work/.agents/skills/.foo",
        "work/.agents/skills/a/references/x",
        "work/.agents/skills/node_modules/package/y",
        "work/.claude/skills/b/.inner/z",
        "work/.agents/skills/deep/1/2/3/4/5/6/7/8/w",
    ];
    for folder in folders.into_iter().chain(["work/.agents/skills/a", "work/.claude/skills/b"]) {
        machine.skill(folder);
    }
    machine.skill("work/.agents/skills/deep");
    machine.loads("opencode", &folders);
}

#[test]
fn commands_with_unusual_names_and_places() {
    let machine = Machine::new("work").repository();
    for file in ["README.md", ".x.md", ".inner/y.md", "sub/z.md"] {
        machine.write(&format!("work/.claude/commands/{file}"), "Do it.\n");
    }
    machine.write("work/shared/w.md", "Do it.\n");
    symlink(machine.path("work/shared"), machine.path("work/.claude/commands/linked")).unwrap();
    symlink(machine.path("work/.claude/commands"), machine.path("work/.claude/commands/again")).unwrap();
    machine.loads("claude-code", &["work/.claude/commands", "work/.claude/commands/.inner", "work/shared"]);
}

#[test]
fn such_skills_are_listed_with_the_reason_and_are_off() {
    let machine = Machine::new("work").repository();
    for folder in ["a", "a/references/x", ".foo", "node_modules/p/y"] {
        machine.skill(&format!("home/.agents/skills/{folder}"));
    }
    let list = SkillList::of(&machine.workspace(), &ListFilter::default()).unwrap();
    let lines: Vec<String> = list
        .skills
        .iter()
        .map(|skill| format!("{} {} {}", skill.name, skill.state, skill.reasons.join("; ")))
        .collect();
    assert_eq!(
        lines,
        [
            "a available ",
            "foo disabled it is in `.foo`, where only some agents load skills",
            "x disabled it is inside the skill `a`, where only some agents load skills",
            "y disabled it is in `node_modules`, where only some agents load skills",
        ]
    );
}

#[test]
fn folders_that_the_configuration_of_an_agent_names() {
    let machine = Machine::new("work").repository();
    machine
        .write("work/opencode.json", r#"{"skills": {"paths": ["./own-skills", "~/shared", "../outside"]}}"#);
    for folder in ["work/own-skills/a", "home/shared/b", "outside/c"] {
        machine.skill(folder);
    }
    machine.loads("opencode", &["work/own-skills/a", "home/shared/b", "outside/c"]);
    let list = SkillList::of(&machine.workspace(), &ListFilter::default()).unwrap();
    let states: BTreeSet<&str> = list.skills.iter().map(|skill| skill.state.as_str()).collect();
    assert_eq!(states, BTreeSet::from(["untrusted"]), "a repository names them");
}

#[test]
fn plugins_and_extensions_of_agents() {
    let machine = Machine::new("work").repository();
    let market = machine.path("market").display().to_string();
    machine.write(
        "market/.claude-plugin/marketplace.json",
        r#"{"name": "m", "plugins": [{"name": "p", "source": "./p"}]}"#,
    );
    machine.write("market/p/.claude-plugin/plugin.json", r#"{"name": "p"}"#);
    machine.skill("market/p/skills/one");
    machine.write(
        "home/.claude/plugins/known_marketplaces.json",
        &format!(r#"{{"m": {{"source": {{"source": "directory", "path": "{market}"}}, "installLocation": "{market}"}}}}"#),
    );
    machine.write("home/.claude/settings.json", r#"{"enabledPlugins": {"p@m": true}}"#);

    machine.skill("home/.codex/plugins/cache/m/q/1.0.0/skills/two");
    machine.write("home/.codex/plugins/cache/m/q/1.0.0/.codex-plugin/plugin.json", r#"{"name": "q"}"#);
    machine.write("home/.codex/config.toml", "[plugins.\"q@m\"]\nenabled = true\n");

    machine.skill("home/.gemini/extensions/e/skills/three");
    machine.write("home/.gemini/extensions/e/gemini-extension.json", r#"{"name": "e", "version": "1.0.0"}"#);
    machine.loads("claude-code", &["market/p/skills/one"]);
    machine.loads("codex", &["home/.codex/plugins/cache/m/q/1.0.0/skills/two"]);
    machine.loads("gemini-cli", &["home/.gemini/extensions/e/skills/three"]);
}

#[test]
fn commands_that_a_manifest_names_and_skills_inside_a_plugin_that_is_a_skill() {
    let machine = Machine::new("work").repository();
    machine.write("work/.claude/commands/Upper.MD", "---\ndescription: Does it.\n---\nDo it.\n");
    machine.skill("home/.gemini/extensions/e/skills/inner");
    machine
        .write("home/.gemini/extensions/e/skills/SKILL.md", "---\nname: whole\ndescription: Does it.\n---\n");
    machine.write("home/.gemini/extensions/e/gemini-extension.json", r#"{"name": "e", "version": "1.0.0"}"#);
    machine.loads("gemini-cli", &["home/.gemini/extensions/e/skills/inner"]);
    let list = SkillList::of(&machine.workspace(), &ListFilter::default()).unwrap();
    let reasons = |name: &str| {
        let skill = list.skills.iter().find(|skill| skill.name == name).unwrap();
        (skill.state.clone(), skill.reasons.join("; "))
    };
    let (state, reason) = reasons("inner");
    assert_eq!(state, "disabled");
    assert_eq!(reason, "it is inside a plugin that is a skill, where only some agents load skills");
    assert!(reasons("Upper").1.contains("does not end with `.md`"), "{:?}", reasons("Upper"));
}

#[test]
fn folders_above_without_a_repository() {
    let machine = Machine::new("work/a/b");
    for folder in ["work/.claude/skills/one", "work/a/.agents/skills/two", "work/a/b/.claude/skills/three"] {
        machine.skill(folder);
    }
    let workspace = machine.workspace();
    let list = SkillList::of(&workspace, &ListFilter::default()).unwrap();
    let names: Vec<&str> = list.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["one", "three", "two"]);
    assert!(list.skills.iter().all(|skill| skill.state == "untrusted"));
    let agents = workspace.agents();
    let claude = agents.iter().find(|agent| agent.id == "claude-code").unwrap();
    assert_eq!(workspace.view(claude).seen.len(), 2);
}

#[test]
fn nested_projects_and_linked_folders() {
    let machine = Machine::new("work/apps/web").repository();
    for folder in ["work/.opencode/skills/top", "work/apps/web/.agents/skills/near", "work/lib/linked"] {
        machine.skill(folder);
    }
    symlink(machine.path("work/lib/linked"), machine.path("work/apps/web/.agents/skills/linked")).unwrap();
    symlink(machine.path("work/lib"), machine.path("work/.opencode/skills/library")).unwrap();
    // A cycle.
    symlink(machine.path("work/.opencode/skills"), machine.path("work/.opencode/skills/again")).unwrap();
    machine.loads("opencode", &["work/.opencode/skills/top", "work/lib/linked"]);
}

/// One skill in every folder that any profile names.
#[test]
fn every_folder_of_every_profile() {
    let machine = Machine::new("work").repository();
    let workspace = machine.workspace();
    let mut at = 0;
    for agent in workspace.agents().iter() {
        let roots: Vec<PathBuf> = workspace.view(agent).roots.into_iter().map(|root| root.path).collect();
        for root in roots.iter().filter(|root| root.starts_with(machine.path(""))) {
            let below = root.strip_prefix(machine.path("")).unwrap().display().to_string();
            machine.skill(&format!("{below}/s{at}"));
            machine.skill(&format!("{below}/s{at}/inside/i{at}"));
            machine.skill(&format!("{below}/.h{at}"));
            at += 1;
        }
    }
    assert!(at > 50, "{at}");
    let loads = machine.check();
    assert!(loads.len() > 50, "{} agents load something", loads.len());
}

#[test]
fn a_pipe_in_the_place_of_a_skill_is_reported() {
    let machine = Machine::new("work").repository();
    machine.skill("work/.agents/skills/a");
    fs::create_dir_all(machine.path("work/.agents/skills/pipe")).unwrap();
    let pipe = machine.path("work/.agents/skills/pipe/SKILL.md");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let list = SkillList::of(&machine.workspace(), &ListFilter::default()).unwrap();
    let found: Vec<&str> = list.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(
        found,
        ["`SKILL.md` is a pipe, a socket or a device; OpenCode and gemini-cli wait for it without end"]
    );
}

impl Machine {
    /// The warnings of `doctor` about skills that one agent refuses and another one loads, as lines with their fixes.
    fn refusals(&self) -> Vec<String> {
        let report = DoctorReport::of(&self.workspace(), Vec::new());
        let about = report.findings.into_iter().filter(|finding| finding.message.contains(" refuses "));
        about
            .map(|finding| {
                assert_eq!(finding.health, Health::Warning);
                format!("{} | {}", finding.message, finding.fix.unwrap_or_default())
            })
            .collect()
    }
}

#[test]
fn doctor_names_what_one_agent_refuses_and_another_loads() {
    let machine = Machine::new("work").repository();
    for home in [".claude", ".cursor", ".config/opencode"] {
        fs::create_dir_all(machine.path("home").join(home)).unwrap();
    }
    machine.skill("home/.claude/skills/fine");
    assert_eq!(machine.refusals(), Vec::<String>::new());

    machine.write("home/.claude/skills/plain/SKILL.md", "Reads a plain file.\n");
    machine.write(
        "home/.claude/skills/other/SKILL.md",
        "---\nname: Another Name\ndescription: Does it.\n---\nDo it.\n",
    );
    assert_eq!(
        machine.refusals(),
        [
            "Cursor refuses 2 skills that other agents load (Claude Code, OpenCode): Cursor refuses the name (1); Cursor sees \
             no frontmatter: the first line is not `---` (1) | skillful view --agent cursor --unseen",
            "OpenCode refuses 1 skill that Claude Code loads: plain: OpenCode sees no frontmatter: the first line is not \
             `---` | skillful view --agent opencode --unseen",
        ]
    );
    // A folder that an agent does not read is how the agent is, and not a problem of the machine.
    machine.skill("home/.config/opencode/skills/own");
    assert_eq!(machine.refusals().len(), 2);
}

#[test]
fn doctor_names_an_agent_whose_own_settings_are_broken() {
    let machine = Machine::new("work").repository();
    fs::create_dir_all(machine.path("home/.claude")).unwrap();
    machine.write("home/.config/opencode/opencode.json", "{");
    machine.skill("home/.claude/skills/fine");
    assert_eq!(
        machine.refusals(),
        [
            "OpenCode refuses 1 skill that Claude Code loads: fine: OpenCode loads no skills while its configuration is \
          broken: Unterminated object on line 1 column 2 | skillful view --agent opencode --unseen"
        ]
    );
}
