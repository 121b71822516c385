//! A version that can do more than the one before always has new capabilities.

use proptest::{collection::vec, option, prelude::*, sample::select};
use skillful_catalog::capability::{dropped, gained, grew, of_tree};
use skillful_format::{Limits, Tree, TreeFile, TreePath};
use skillful_testkit::Attempts;
use std::collections::BTreeSet;

/// A skill as its author thinks of it.
#[derive(Clone, Debug)]
struct Skill {
    tools: Option<Vec<(&'static str, Option<&'static str>)>>,
    bans: Vec<&'static str>,
    commands: Vec<&'static str>,
    hooks: Vec<(&'static str, Option<&'static str>, Vec<&'static str>)>,
    secrets: Vec<(&'static str, &'static str, &'static str)>,
    server: Option<Server>,
    files: Vec<(&'static str, &'static str)>,
    shown_secret: Option<bool>,
    is_hidden_from_models: bool,
    is_always_loaded: bool,
    permission: Option<&'static str>,
}

#[derive(Clone, Debug)]
struct Server {
    is_remote: bool,
    name: &'static str,
    args: Vec<&'static str>,
    variable: Option<&'static str>,
    header: Option<&'static str>,
}

fn skills() -> impl Strategy<Value = Skill> {
    let tool = || (select(vec!["Read", "Bash", "Edit"]), option::of(select(vec!["git:*", "ls:*"])));
    let hook = (
        select(vec!["PreToolUse", "Stop"]),
        option::of(select(vec!["Bash", "Edit"])),
        vec(select(vec!["guard.sh", "a b", "a", "b"]), 1..3),
    );
    let secret = (select(vec!["HINT", "KEY"]), select(vec!["github", "mail"]), select(vec!["token", "id"]));
    let server = (
        any::<bool>(),
        select(vec!["one", "two"]),
        vec(select(vec!["-y", "a b", "a", "b"]), 0..3),
        option::of(select(vec!["TOKEN", "OPENAI_API_KEY"])),
        option::of(select(vec!["X-Key", "X-Other"])),
    )
        .prop_map(|(is_remote, name, args, variable, header)| Server {
            is_remote,
            name,
            args,
            variable,
            header,
        });
    let file = (
        select(vec!["scripts/run.sh", "guard.sh", "assets/data.bin", "references/more.md", "notes.txt"]),
        select(vec!["one", "two"]),
    );
    let first = (
        option::of(vec(tool(), 0..3)),
        vec(select(vec!["Bash", "Edit"]), 0..2),
        vec(select(vec!["git status", "ls", "sh references/more.md"]), 0..2),
        vec(hook, 0..2),
        vec(secret, 0..2),
        option::of(server),
    );
    let second = (
        vec(file, 0..3),
        option::of(any::<bool>()),
        any::<bool>(),
        any::<bool>(),
        option::of(select(vec!["net", "disk"])),
    );
    (first, second).prop_map(|((tools, bans, commands, hooks, secrets, server), second)| {
        let (files, shown_secret, is_hidden_from_models, is_always_loaded, permission) = second;
        Skill {
            tools,
            bans,
            commands,
            hooks,
            secrets,
            server,
            files,
            shown_secret,
            is_hidden_from_models,
            is_always_loaded,
            permission,
        }
    })
}

impl Skill {
    fn tree(&self) -> Tree {
        let limits = Limits::default();
        let mut tree = Tree::default();
        let mut files = self.files.clone();
        let text = self.text();
        files.push(("SKILL.md", &text));
        let sidecar = self.permission.map(|name| format!("permissions:\n  {name}: true\n"));
        files.extend(sidecar.as_deref().map(|text| ("agents/openai.yaml", text)));
        for (path, text) in files {
            let file = TreeFile { bytes: text.as_bytes().to_vec(), executable: false };
            // The second of two files of one name stays away, here as in `possible`.
            let _clash = tree.insert(TreePath::new(path, &limits).unwrap(), file, &limits);
        }
        tree
    }

    fn text(&self) -> String {
        let json = |words: &[&str]| serde_json::to_string(words).unwrap();
        let mut text = "---\nname: one\ndescription: A skill that is used in a test.\n".to_owned();
        if let Some(tools) = &self.tools {
            let one = |(name, pattern): &(&str, Option<&str>)| match pattern {
                Some(pattern) => format!("{name}({pattern})"),
                None => (*name).to_owned(),
            };
            let all: Vec<String> = tools.iter().map(one).collect();
            text += &format!("allowed-tools: {}\n", serde_json::to_string(&all).unwrap());
        }
        if !self.bans.is_empty() {
            text += &format!("disallowed-tools: {}\n", json(&self.bans));
        }
        if !self.hooks.is_empty() {
            text += "hooks:\n";
            for event in ["PreToolUse", "Stop"] {
                let of_event: Vec<_> = self.hooks.iter().filter(|(name, ..)| *name == event).collect();
                if !of_event.is_empty() {
                    text += &format!("  {event}:\n");
                }
                for (_, matcher, command) in of_event {
                    let matcher = matcher.map_or_else(String::new, |one| format!("matcher: {one}, "));
                    text += &format!(
                        "    - {{{matcher}hooks: [{{type: command, command: {}}}]}}\n",
                        json(command)
                    );
                }
            }
        }
        if !self.secrets.is_empty() {
            text += "env:\n";
            for (var, service, key) in &self.secrets {
                text += &format!("  - {{var: {var}, from: secret, service: {service}, key: {key}}}\n");
            }
        }
        if let Some(server) = &self.server {
            let key = if server.is_remote { "url" } else { "command" };
            text += &format!("mcp:\n  {key}: {}\n", server.address());
            if !server.is_remote {
                text += &format!("  args: {}\n", json(&server.args));
            }
            if let Some(name) = server.variable {
                text += &format!("  env: {{V: \"${{{name}}}\"}}\n");
            }
            if let Some(name) = server.header {
                text += &format!("  headers: {{{name}: x}}\n");
            }
        }
        if let Some(shown) = self.shown_secret {
            text += &format!("vars:\n  SECRET: {{secret: true, expose_to_model: {shown}}}\n");
        }
        if self.is_hidden_from_models {
            text += "disable-model-invocation: true\n";
        }
        if self.is_always_loaded {
            text += "always_include: true\n";
        }
        text += "---\nText.\n";
        for command in &self.commands {
            text += &format!("!`{command}`\n");
        }
        text
    }

    /// Everything that can happen because of it, worked out without the capabilities.
    fn possible(&self) -> BTreeSet<String> {
        let mut set = BTreeSet::new();
        for (tool, words) in [("Read", ""), ("Edit", ""), ("Bash", "git"), ("Bash", "ls"), ("Bash", "rm")] {
            let grants = |(name, pattern): &(&str, Option<&str>)| {
                *name == tool && pattern.is_none_or(|pattern| pattern.trim_end_matches(":*") == words)
            };
            let is_listed = self.tools.as_ref().is_none_or(|tools| tools.iter().any(grants));
            if is_listed && !self.bans.contains(&tool) {
                set.insert(format!("tool {tool} {words}"));
            }
        }
        set.extend(self.commands.iter().map(|command| format!("command {command}")));
        for (event, matcher, command) in &self.hooks {
            for tool in ["Bash", "Edit"] {
                if matcher.is_none_or(|matcher| matcher == tool) {
                    set.insert(format!("hook {event} {tool} {command:?}"));
                }
            }
        }
        set.extend(self.secrets.iter().map(|(var, service, key)| format!("secret {var} {service} {key}")));
        if let Some(server) = &self.server {
            set.insert(format!(
                "server {} {:?}",
                server.address(),
                (!server.is_remote).then_some(&server.args)
            ));
            set.extend(server.variable.map(|name| format!("server gets {name}")));
            set.extend(server.header.map(|name| format!("server is sent {name}")));
        }
        if let Some(shown) = self.shown_secret {
            set.insert(format!("secret shown {shown}"));
        }
        if !self.is_hidden_from_models {
            set.insert("called by models".to_owned());
        }
        if self.is_always_loaded {
            set.insert("always loaded".to_owned());
        }
        let runs = !self.commands.is_empty() || !self.hooks.is_empty() || self.server.is_some();
        let mut seen = BTreeSet::new();
        for (path, text) in self.files.iter().filter(|(path, _)| seen.insert(*path)) {
            let is_code = ["scripts/run.sh", "guard.sh"].contains(path);
            let is_named = self.commands.iter().any(|command| command.contains(path));
            let is_text = *path == "references/more.md";
            if is_code || (runs && !is_text) || is_named {
                set.insert(format!("file {path} {text}"));
            }
        }
        set
    }
}

impl Server {
    fn address(&self) -> String {
        if self.is_remote { format!("https://{}.example/mcp", self.name) } else { self.name.to_owned() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_can_do_more_has_gained_capabilities(before in skills(), after in skills()) {
        let [was, is] = [&before, &after].map(|skill| of_tree(&skill.tree()).unwrap());
        let more: Vec<String> = after.possible().difference(&before.possible()).cloned().collect();
        prop_assert!(more.is_empty() || grew(&was, &is), "unseen: {more:?}\n{was:?}\n{is:?}");
    }

    #[test]
    fn the_same_skill_gains_and_drops_nothing(skill in skills()) {
        let set = of_tree(&skill.tree()).unwrap();
        prop_assert!(gained(&set, &set).is_empty() && dropped(&set, &set).is_empty());
    }
}

/// The capabilities of a skill with these lines in its frontmatter, this text and these files beside it.
fn set_of((frontmatter, text, files): &Version) -> BTreeSet<String> {
    let limits = Limits::default();
    let mut tree = Tree::default();
    let skill = format!("---\nname: one\ndescription: A skill.\n{frontmatter}---\n{text}\n");
    let mut all: Vec<(&str, &str)> = files.to_vec();
    all.push(("SKILL.md", &skill));
    for (path, text) in all {
        let (path, executable) = path.strip_prefix('*').map_or((path, false), |path| (path, true));
        let file = TreeFile { bytes: text.as_bytes().to_vec(), executable };
        tree.insert(TreePath::new(path, &limits).unwrap(), file, &limits).unwrap();
    }
    of_tree(&tree).unwrap()
}

type Version = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

#[test]
fn what_no_generator_makes_is_growth_too() {
    const READ: &str = "allowed-tools: Read\n";
    const RUNS: &str = "allowed-tools: Bash(git log)\n";
    const GUARD: &str = "hooks: {PreToolUse: [{hooks: [{type: command, command: x}]}]}\n";
    let frontmatter: [(&'static str, &'static str); 27] = [
        ("", "allowed-tools: Bash\n"),
        ("", "allowed-tools: Read, Write\n"),
        ("", "allowed-tools: mcp__mail__send\n"),
        ("", "exclude_skills: [guard]\n"),
        ("exclude_skills: [a]\n", "exclude_skills: [a, guard]\n"),
        ("", "exclude_memory: true\n"),
        ("", "exclude_persona: true\n"),
        ("", "exclude_resources: true\n"),
        ("", "source_types: [repl]\n"),
        ("", "file_types: [pdf]\n"),
        ("", "paths: ['**/*']\n"),
        ("paths: ['src/*']\n", "paths: ['**/*']\n"),
        ("", "globs: '**/*'\n"),
        ("", "alwaysApply: true\n"),
        ("", "context: fork\n"),
        ("context: fork\n", "context: fork\nagent: general-purpose\n"),
        ("context: fork\n", "context: fork\nbackground: true\n"),
        ("", "model: other/model\n"),
        ("", "model_tier: deep\n"),
        ("", "effort: high\n"),
        ("requires_capability: [admin]\n", ""),
        (GUARD, ""),
        ("vars: {URL: {default: 'https://a.example'}}\n", "vars: {URL: {default: 'https://b.example'}}\n"),
        ("vars: {URL: {}}\n", "vars: {URL: {default: x}}\n"),
        ("", "permissions: {network: true}\n"),
        ("", "permissionMode: bypassPermissions\n"),
        ("", "mcp_servers: {x: {command: id}}\n"),
    ];
    let files: [(&'static str, &'static str); 27] = [
        ("Makefile", "all:"),
        ("package.json", "{}"),
        ("pyproject.toml", "[x]"),
        ("lib/tool.awk", "BEGIN{}"),
        ("lib/tool.jar", "PK"),
        ("assets/page.html", "<script>"),
        ("assets/deploy.yaml", "kind: Job"),
        ("assets/flow.json", "{}"),
        ("Dockerfile", "RUN id"),
        ("references/x/SKILL.md", "!`id`"),
        ("references/x/skill.md", "text"),
        ("CLAUDE.md", "Always."),
        ("references/AGENTS.md", "Always."),
        ("GEMINI.md", "Always."),
        ("docs/x.instructions.md", "Always."),
        (".mcp.json", "{}"),
        (".claude/settings.json", "{}"),
        (".claude/commands/x.md", "!`id`"),
        (".claude-plugin/plugin.json", "{}"),
        ("hooks/hooks.json", "{}"),
        ("gemini-extension.json", "{}"),
        (".vscode/tasks.json", "{}"),
        (".envrc", "id"),
        (".cursor/rules/x.mdc", "Always."),
        ("agents/claude.yaml", "permissions: {network: true}"),
        ("*references/more.md", "#!/bin/sh"),
        ("agents/openai.yaml", "permissions: {network: true}"),
    ];
    let mut pairs: Vec<(Version, Version)> = Vec::new();
    pairs.extend(
        frontmatter.iter().map(|(before, after)| ((*before, "Text.", &[][..]), (*after, "Text.", &[][..]))),
    );
    let changed: Vec<&'static [(&'static str, &'static str)]> =
        files.iter().map(|file| &*Box::leak(vec![*file].into_boxed_slice())).collect();
    pairs.extend(changed.iter().map(|files| ((READ, "Text.", &[][..]), (READ, "Text.", *files))));
    // The same files with another text.
    let others: Vec<&'static [(&'static str, &'static str)]> = files
        .iter()
        .filter(|(path, _)| *path != "agents/openai.yaml")
        .map(|(path, _)| &*Box::leak(vec![(*path, "other")].into_boxed_slice()))
        .collect();
    pairs.extend(
        others
            .iter()
            .zip(&changed)
            .map(|(before, after)| ((READ, "Text.", *before), (READ, "Text.", *after))),
    );
    // In a plugin Markdown is a command or an agent.
    pairs.push((
        (READ, "Text.", &[("plugin.json", "{}"), ("commands/x.md", "a")]),
        (READ, "Text.", &[("plugin.json", "{}"), ("commands/x.md", "b")]),
    ));
    // A variable of the shell becomes what a user wrote.
    let with_arguments = ("allowed-tools: Bash(git log)\narguments: [F]\n", "!`git log $F`", &[][..]);
    pairs.push(((RUNS, "!`git log $F`", &[]), with_arguments));
    let count = pairs.len();
    let unseen: Vec<String> = pairs
        .iter()
        .filter(|(before, after)| !grew(&set_of(before), &set_of(after)))
        .map(|(before, after)| format!("{before:?} → {after:?}"))
        .collect();
    assert!(unseen.is_empty(), "{} of {count} unseen:\n{}", unseen.len(), unseen.join("\n"));
    let honest: [(Version, Version); 6] = [
        ((READ, "Text.", &[]), (READ, "Other text.", &[])),
        ((READ, "Text.", &[]), (READ, "Text.", &[("references/more.md", "More."), ("LICENSE", "MIT")])),
        ((READ, "Text.", &[]), (READ, "Text.", &[("assets/logo.png", "x"), ("data/table.csv", "a,b")])),
        (
            (READ, "Text.", &[]),
            (READ, "Text.", &[("agents/openai.yaml", "interface: {display_name: One}\n")]),
        ),
        (("", "Text.", &[]), ("allowed-tools: Read, Grep\n", "Text.", &[])),
        (("always_include: true\n", "Text.", &[]), ("", "Text.", &[])),
    ];
    for (before, after) in &honest {
        assert!(!grew(&set_of(before), &set_of(after)), "{before:?} → {after:?}");
    }
    let name = "what_no_generator_makes_is_growth_too";
    Attempts::of(name).refused(count).honest(honest.len()).report();
}

#[test]
fn a_change_that_only_looks_smaller_is_growth() {
    let set = |text: &str| {
        let limits = Limits::default();
        let mut tree = Tree::default();
        let text = format!("---\nname: one\ndescription: A skill.\n{text}---\nText.\n");
        let file = TreeFile { bytes: text.into_bytes(), executable: false };
        tree.insert(TreePath::new("SKILL.md", &limits).unwrap(), file, &limits).unwrap();
        of_tree(&tree).unwrap()
    };
    let cases = [
        ("allowed-tools: Read\n", "", "uses every tool"),
        ("allowed-tools: Bash(git:*)\n", "allowed-tools: Bash\n", "uses tool Bash"),
        ("disallowed-tools: Bash\n", "", "no longer bans tool Bash"),
        ("disable-model-invocation: true\n", "", "no longer bans calls by models"),
        ("admin_only: true\n", "", "no longer bans users who are not administrators"),
        (
            "env: [{var: HINT, from: config, config_path: a}]\n",
            "env: [{var: HINT, from: secret, service: github, key: token}]\n",
            "gets variable HINT from secret github/token, not marked sensitive",
        ),
        (
            "hooks: {PreToolUse: [{matcher: Edit, hooks: [{type: command, command: x}]}]}\n",
            "hooks: {PreToolUse: [{hooks: [{type: command, command: x}]}]}\n",
            "runs hook PreToolUse: x",
        ),
        (
            "mcp: {url: 'https://a.example'}\n",
            "mcp: {url: 'https://a.example?k=${OPENAI_API_KEY}'}\n",
            "gives its MCP server the variable OPENAI_API_KEY",
        ),
    ];
    let count = cases.len();
    for (before, after, expected) in cases {
        let more = gained(&set(before), &set(after));
        assert!(more.iter().any(|one| one == expected), "{before}{after}{more:?}");
    }
    assert!(!grew(&set(""), &set("allowed-tools: Read\n")), "a list is narrower than every tool");
    assert!(!grew(&set("allowed-tools: Bash\n"), &set("allowed-tools: Bash(git:*)\n")));
    assert!(!grew(&set(""), &set("disallowed-tools: Bash\n")));
    Attempts::of("a_change_that_only_looks_smaller_is_growth").refused(count).honest(3).report();
}
