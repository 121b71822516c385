use super::*;
use crate::{Document, Sidecars, Soundness};

fn read(frontmatter: &str) -> Document {
    let document =
        Document::read(format!("---\n{frontmatter}\n---\nbody\n").as_bytes(), &Sidecars::default());
    assert_eq!(document.soundness, Soundness::Sound, "{frontmatter} {:?}", document.diagnostics);
    document
}

/// Checks that the frontmatter decodes to `expected` without diagnostics.
#[track_caller]
fn check(frontmatter: &str, expected: &Manifest) {
    let document = read(frontmatter);
    assert_eq!(document.diagnostics, [], "{frontmatter}");
    assert_eq!(&document.manifest, expected, "{frontmatter}");
}

fn codes(document: &Document) -> Vec<&'static str> {
    document.diagnostics.iter().map(|found| found.code.as_str()).collect()
}

fn words(text: &[&str]) -> Vec<String> {
    text.iter().map(|word| (*word).to_owned()).collect()
}

fn with(change: impl FnOnce(&mut Manifest)) -> Manifest {
    let mut manifest = Manifest::default();
    change(&mut manifest);
    manifest
}

#[test]
fn texts_in_every_spelling() {
    type Get = fn(&mut Manifest) -> &mut Option<String>;
    let fields: [(&str, Get); 17] = [
        ("name", |m| &mut m.name),
        ("description", |m| &mut m.description),
        ("when_to_use", |m| &mut m.when_to_use),
        ("when-to-use", |m| &mut m.when_to_use),
        ("license", |m| &mut m.license),
        ("compatibility", |m| &mut m.compatibility),
        ("version", |m| &mut m.version),
        ("argument-hint", |m| &mut m.argument_hint),
        ("argument_hint", |m| &mut m.argument_hint),
        ("model", |m| &mut m.model),
        ("model_tier", |m| &mut m.model_tier),
        ("effort", |m| &mut m.effort),
        ("agent", |m| &mut m.agent),
        ("shell", |m| &mut m.shell),
        ("next_skill", |m| &mut m.next_skill),
        ("override", |m| &mut m.override_mode),
        ("model-tier", |m| &mut m.model_tier),
    ];
    for (key, get) in fields {
        for (value, text) in
            [("some text", "some text"), ("1.10", "1.10"), ("true", "true"), ("'null'", "null")]
        {
            check(&format!("{key}: {value}"), &with(|m| *get(m) = Some(text.to_owned())));
        }
        check(&format!("{key}:"), &Manifest::default());
        if !key.starts_with("argument") {
            let document = read(&format!("{key}: [a]"));
            assert_eq!((codes(&document), document.manifest), (vec!["wrong-type"], Manifest::default()));
        }
    }
}

#[test]
fn flags_in_every_spelling() {
    type Set = fn(&mut Manifest, bool);
    let fields: [(&str, Set); 14] = [
        ("disable-model-invocation", |m, on| m.disable_model_invocation = on),
        ("disable_model_invocation", |m, on| m.disable_model_invocation = on),
        ("user-invocable", |m, on| m.user_invocable = on),
        ("user_invocable", |m, on| m.user_invocable = on),
        ("background", |m, on| m.background = Some(on)),
        ("always_include", |m, on| m.always_include = on),
        ("alwaysApply", |m, on| m.always_include = on),
        ("exclude_memory", |m, on| m.exclude_memory = on),
        ("exclude_persona", |m, on| m.exclude_persona = on),
        ("exclude_resources", |m, on| m.exclude_resources = on),
        ("admin_only", |m, on| m.admin_only = on),
        ("experimental", |m, on| m.experimental = on),
        ("cli", |m, on| m.cli = on),
        ("context_fork", |m, on| m.context_fork = on),
    ];
    for (key, set) in fields {
        for value in ["true", "True", "yes", "YES", "on", "1", "'yes'", "yes # note"] {
            check(&format!("{key}: {value}"), &with(|m| set(m, true)));
        }
        for value in ["false", "no", "No", "off", "0", "\"off\""] {
            check(&format!("{key}: {value}"), &with(|m| set(m, false)));
        }
    }
    check("context: fork", &with(|m| m.context_fork = true));
    for frontmatter in ["context: true", "context: [fork]", "context_fork: maybe"] {
        assert_eq!(codes(&read(frontmatter)), ["wrong-type"], "{frontmatter}");
    }
}

#[test]
fn lists_in_every_form() {
    type Get = fn(&mut Manifest) -> &mut Vec<String>;
    let fields: [(&str, Get); 9] = [
        ("arguments", |m| &mut m.arguments),
        ("paths", |m| &mut m.paths),
        ("globs", |m| &mut m.paths),
        ("source_types", |m| &mut m.source_types),
        ("file_types", |m| &mut m.file_types),
        ("resource_types", |m| &mut m.resource_types),
        ("companion_skills", |m| &mut m.companion_skills),
        ("exclude_skills", |m| &mut m.exclude_skills),
        ("requires_capability", |m| &mut m.requires_capability),
    ];
    for (key, get) in fields {
        for value in
            ["[a, b]", "\n  - a\n  - b", "\n- a\n- b", "a b", "a, b", "a,b", "' a ,  b '", "[a, 'b']"]
        {
            check(&format!("{key}: {value}"), &with(|m| *get(m) = words(&["a", "b"])));
        }
        check(&format!("{key}: ['a b', 1, true]"), &with(|m| *get(m) = words(&["a b", "1", "true"])));
        for value in ["", "[]", "''", "~"] {
            check(&format!("{key}: {value}"), &Manifest::default());
        }
    }
    // Words of these fields may contain spaces.
    for key in ["triggers", "keywords"] {
        check(&format!("{key}: make a plan, x"), &with(|m| m.triggers = words(&["make a plan", "x"])));
    }
    check("dependencies: a >= 1, b", &with(|m| m.dependencies = words(&["a >= 1", "b"])));
    check("paths: src/**/*.{ts,tsx} b", &with(|m| m.paths = words(&["src/**/*.{ts,tsx}", "b"])));
}

#[test]
fn a_tool_keeps_its_pattern() {
    let grant = |name: &str, pattern: Option<&str>| ToolGrant {
        name: name.to_owned(),
        pattern: pattern.map(str::to_owned),
    };
    let expected =
        vec![grant("Read", None), grant("Bash", Some("git add:*, git push")), grant("mcp__x__y", None)];
    for key in ["allowed-tools", "allowed_tools"] {
        for value in [
            "Read Bash(git add:*, git push) mcp__x__y",
            "Read, Bash(git add:*, git push), mcp__x__y",
            "[Read, 'Bash(git add:*, git push)', mcp__x__y]",
            "\n  - Read\n  - Bash(git add:*, git push)\n  - mcp__x__y",
        ] {
            check(&format!("{key}: {value}"), &with(|m| m.allowed_tools = Some(expected.clone())));
        }
    }
    check("disallowed-tools: Read", &with(|m| m.disallowed_tools = vec![grant("Read", None)]));
    check("allowed-tools:", &Manifest::default());
    check("allowed-tools: ''", &with(|m| m.allowed_tools = Some(Vec::new())));
}

#[test]
fn a_tool_list_that_cannot_be_read_grants_nothing() {
    for (frontmatter, code) in [
        ("allowed-tools: {Read: true}", "wrong-type"),
        ("allowed-tools: [[Read]]", "wrong-type"),
        ("allowed-tools: Bash(git", "tool-pattern"),
        ("allowed-tools: ['a b']", "tool-pattern"),
        ("allowed-tools: true", "wrong-type"),
        ("allowed-tools: 5", "wrong-type"),
    ] {
        let document = read(frontmatter);
        assert_eq!(document.manifest.allowed_tools, Some(Vec::new()), "{frontmatter}");
        assert_eq!(codes(&document), [code], "{frontmatter}");
    }
}

#[test]
fn unreadable_gate_closes() {
    for (frontmatter, gate) in [
        ("admin_only: maybe", "admin_only"),
        ("admin_only:", "admin_only"),
        ("admin_only: [true]", "admin_only"),
        ("adminOnly: 'yes please'", "admin_only"),
        ("experimental: 2", "experimental"),
        ("disable-model-invocation: never", "disable-model-invocation"),
        ("user-invocable: {a: b}", "user-invocable"),
        ("requires: [git]", "requires"),
        ("requires: git", "requires"),
        ("requires: {env: {A: b}}", "requires"),
        ("requires: {binary: [[a, [b]]]}", "requires"),
        ("requires: {python: 3}", "requires"),
        ("requires_capability: {a: b}", "requires_capability"),
        ("dependencies: {a: 1}", "dependencies"),
        ("dependencies: [[a]]", "dependencies"),
        ("admin_only: true\nadmin-only: true", "admin_only"),
        ("user-invocable: false\nuser_invocable: true", "user-invocable"),
    ] {
        let document = read(frontmatter);
        assert_eq!(document.manifest.closed_gates, [gate], "{frontmatter}");
        assert!(document.diagnostics.iter().all(|found| found.span.is_some() && found.help.is_some()));
    }
}

#[test]
fn gate_with_a_comment_is_read() {
    check("admin-only: yes # note", &with(|m| m.admin_only = true));
    check("admin_only: true # x\nexperimental: off # y", &with(|m| m.admin_only = true));
}

#[test]
fn gate_below_another_key_has_no_effect_and_is_reported() {
    for frontmatter in ["metadata:\n  admin_only: true", "other:\n  adminOnly: true"] {
        let document = read(frontmatter);
        assert!(!document.manifest.admin_only && document.manifest.closed_gates.is_empty());
        assert!(codes(&document).contains(&"gate-nested"), "{frontmatter}");
    }
    let document = read("metadata:\n  always_include: true");
    assert!(!document.manifest.always_include);
    assert_eq!(codes(&read("metadata:\n  requires: {bins: [git], env: [A]}")), ["gate-nested"]);
}

/// `dependencies` and `requires` are common names for an author's own data.
#[test]
fn data_below_another_key_that_is_not_a_gate_is_not_reported() {
    for frontmatter in [
        "metadata:\n  dependencies: [curl, python]",
        "metadata:\n  requires:\n    python_packages: [requests]",
        "metadata:\n  requires: {challenge: true, wallet: true}",
        "metadata:\n  requires: {}",
        "metadata:\n  requires: Python 3",
    ] {
        assert_eq!(codes(&read(frontmatter)), [""; 0], "{frontmatter}");
    }
}

#[test]
fn two_spellings_of_one_field_take_the_first() {
    let document = read("globs: a\npaths: b");
    assert_eq!((codes(&document), document.manifest.paths.clone()), (vec!["two-spellings"], words(&["a"])));
}

#[test]
fn keywords_and_triggers_are_both_read() {
    let both = with(|m| m.triggers = words(&["audit", "scan", "is this safe", "check it"]));
    check("keywords: [audit, scan]\ntriggers: is this safe, check it", &both);
}

/// The severity and the message of each diagnostic.
fn messages(frontmatter: &str) -> Vec<String> {
    read(frontmatter).diagnostics.iter().map(|d| format!("{}: {}", d.severity, d.message)).collect()
}

#[test]
fn a_field_that_another_program_may_read_is_a_note() {
    for (frontmatter, message) in [
        ("context: own-docs", "note: `context` is text instead of `fork`, so Skillful ignores it"),
        (
            "env: {DIR: ~/x}",
            "note: `env` is a mapping instead of a list of variables, so Skillful ignores it",
        ),
        (
            "triggers: [{pattern: a}]",
            "note: an item of `triggers` is a mapping instead of text, so Skillful ignores it",
        ),
        ("compatibility: [claude-code]", "error: `compatibility` must be text, but is a list"),
        ("description: ['TODO: this']", "error: `description` must be text, but is a list"),
        (
            "allowed-tools: [{WebFetch(domain: a.b)}]",
            "error: an item of `allowed-tools` must be a tool, but is a mapping",
        ),
        (
            "disallowed-tools: {Bash: no}",
            "error: `disallowed-tools` must be a list of tools, but is a mapping",
        ),
        ("vars: [A]", "error: `vars` must be a mapping of variables, but is a list"),
    ] {
        assert_eq!(messages(frontmatter), [message], "{frontmatter}");
    }
}

#[test]
fn requirements_with_names_in_mappings() {
    let requires = |env: &[&str], binary: &[&str]| Requires {
        env: words(env),
        binary: binary.iter().map(|program| words(&[program])).collect(),
        ..Requires::default()
    };
    check(
        "requires:\n  env:\n    - {name: A, required: true}\n    - {name: B, required: no}\n    - {name: C, optional: yes}\n    - D\n  bins: [{name: git}, jq]",
        &with(|m| m.requires = requires(&["A", "D"], &["git", "jq"])),
    );
    check("requires: []", &Manifest::default());
    for (frontmatter, message) in [
        (
            "requires: [a]",
            "error: `requires` must be a mapping of `env`, `binary` and `skills`, but is a list",
        ),
        (
            "requires: {env: [{title: A}]}",
            "error: an item of `requires.env` must be a name, but is a mapping",
        ),
        (
            "requires: {env: {A: {default: b}}}",
            "error: `requires.env` must be a list of names, but is a mapping",
        ),
        (
            "requires: {api_keys: [{name: A}]}",
            "error: `requires.api_keys` is not a known requirement, so it can never be met",
        ),
    ] {
        let document = read(frontmatter);
        assert_eq!(document.manifest.closed_gates, ["requires"], "{frontmatter}");
        assert_eq!(messages(frontmatter), [message], "{frontmatter}");
    }
}

#[test]
fn requirements_in_every_form() {
    let expected = Requires {
        env: words(&["A", "B"]),
        binary: vec![words(&["git"]), words(&["rg", "grep"])],
        skills: words(&["x"]),
        mcp: words(&["y"]),
    };
    for frontmatter in [
        "requires:\n  env: [A, B]\n  binary: git\n  anyBins: [rg, grep]\n  skills: x\n  mcp: [y]",
        "requires:\n  env: A B\n  bins: [git, [rg, grep]]\n  skills: [x]\n  mcp: y",
    ] {
        check(frontmatter, &with(|m| m.requires = expected.clone()));
    }
    check("requires:", &Manifest::default());
}

#[test]
fn environment_in_every_form() {
    let spec = EnvSpec {
        var: "A".to_owned(),
        from: Some("config".to_owned()),
        sensitive: true,
        key: Some("k".to_owned()),
        rest: vec![("note".to_owned(), Data::Text("n".to_owned()))],
        ..EnvSpec::default()
    };
    for value in [
        "[{var: A, from: config, sensitive: yes, key: k, note: n}]",
        "'[{\"var\": \"A\", \"from\": \"config\", \"sensitive\": true, \"key\": \"k\", \"note\": \"n\"}]'",
    ] {
        check(&format!("env: {value}"), &with(|m| m.env = vec![spec.clone()]));
    }
    check("env: [A]", &with(|m| m.env = vec![EnvSpec { var: "A".to_owned(), ..EnvSpec::default() }]));
    let shy = read("env: [{var: A, sensitive: perhaps, proxy_only: 0}]").manifest.env.remove(0);
    assert!(shy.sensitive && !shy.proxy_only);
    let whole = read(
        "env:\n- var: A\n  from: secret\n  config_path: a.b\n  when: [x.y, z]\n  service: s\n  key: 5\n  template: t\n  user_path_fn: f\n  fallback_var: B\n  proxy_only: true\n  gate_has_calendars: true\n  gate_off: no\n  gate_strange: {}",
    );
    let text = |text: &str| Some(text.to_owned());
    let expected = EnvSpec {
        var: "A".to_owned(),
        from: text("secret"),
        config_path: text("a.b"),
        when: words(&["x.y", "z"]),
        service: text("s"),
        key: text("5"),
        template: text("t"),
        user_path_fn: text("f"),
        fallback_var: text("B"),
        gates: words(&["has_calendars", "strange"]),
        sensitive: false,
        proxy_only: true,
        rest: Vec::new(),
    };
    assert_eq!((codes(&whole), whole.manifest.env.clone()), (Vec::new(), vec![expected]));
    assert_eq!(read("env: [{var: A, when: x.y}]").manifest.env[0].when, ["x.y"]);
    // A variable whose condition cannot be read is dropped together with its condition.
    for value in ["[{var: A, when: {x: y}}]", "[{var: A, when: [[x]]}]", "[{var: A, from: [config]}]"] {
        let document = read(&format!("env: {value}"));
        assert_eq!(
            (codes(&document), document.manifest.env.clone()),
            (vec!["wrong-type"], Vec::new()),
            "{value}"
        );
    }
    for value in ["text", "{A: b}", "[1]", "[{from: config}]"] {
        assert_eq!(codes(&read(&format!("env: {value}"))), ["wrong-type"], "{value}");
    }
}

#[test]
fn variables_in_every_form() {
    let manifest = read(
        "vars:\n  A: x\n  PORT: 8080\n  E:\n  F: {description: d, default: '', required: on, secret: 1, expose_to_model: no}\n  G: {secret: perhaps, required: {}}",
    )
    .manifest;
    let get = |name: &str| manifest.vars.iter().find(|(key, _)| key == name).unwrap().1.clone();
    assert_eq!(get("A").default.as_deref(), Some("x"));
    assert_eq!(get("PORT").default.as_deref(), Some("8080"));
    assert_eq!(get("E"), Variable::default());
    let full = get("F");
    assert_eq!((full.description.as_deref(), full.default.as_deref()), (Some("d"), Some("")));
    assert!(full.required && full.secret && !full.expose_to_model);
    assert!(get("G").secret && get("G").required);
    assert_eq!(codes(&read("vars: [A]")), ["wrong-type"]);
    assert_eq!(codes(&read("vars: {A: [x]}")), ["wrong-type"]);
    assert_eq!(codes(&read("vars: {A: {default: [x]}}")), ["wrong-type"]);
    assert_eq!(
        read("vars: {A: {default: 80}, B: {default: true}, C: {default: ~}}").manifest.vars,
        [
            ("A".to_owned(), Variable { default: Some("80".to_owned()), ..Variable::default() }),
            ("B".to_owned(), Variable { default: Some("true".to_owned()), ..Variable::default() }),
            ("C".to_owned(), Variable::default()),
        ]
    );
    assert_eq!(codes(&read("vars: {A: {x: y}}")), ["unknown-key"]);
}

#[test]
fn a_server_in_every_form() {
    let manifest = read(
        "mcp:\n  command: run it\n  args: [a, 1]\n  url: http://x\n  env: {B: '${C}', D: 2}\n  startup_timeout: 30\n  idle_timeout: '5'\n  other: [x]",
    )
    .manifest;
    let server = manifest.mcp.clone().unwrap();
    assert_eq!((server.command.as_deref(), server.url.as_deref()), (Some("run it"), Some("http://x")));
    assert_eq!(
        (server.args, server.startup_timeout, server.idle_timeout),
        (words(&["a", "1"]), Some(30), Some(5))
    );
    assert_eq!(server.env, [("B".into(), "${C}".into()), ("D".into(), "2".into())]);
    assert_eq!(server.rest.len(), 1);
    assert_eq!(read("mcp: {command: '  '}").manifest.mcp, Some(McpServer::default()));
    for value in ["x", "[x]", "{startup_timeout: soon}", "{args: {a: b}}", "{env: [a]}", "{env: {A: []}}"] {
        assert_eq!(codes(&read(&format!("mcp: {value}"))), ["wrong-type"], "{value}");
    }
}

#[test]
fn pipelines_hooks_and_metadata_are_read() {
    let manifest = read(
        "next_skill: b\nconditional_next_skills: {ok: c, 1: d}\nhooks:\n  Stop: [{command: x}]\nmetadata: {v: 1.0, o: {n: [1]}}",
    )
    .manifest;
    assert_eq!(manifest.conditional_next_skills, [("ok".into(), "c".into()), ("1".into(), "d".into())]);
    assert!(manifest.hooks.clone().unwrap().get("Stop").is_some());
    assert_eq!(manifest.metadata[0], ("v".to_owned(), Data::Number("1.0".to_owned())));
    for frontmatter in ["conditional_next_skills: x", "conditional_next_skills: {a: []}", "metadata: x"] {
        assert_eq!(codes(&read(frontmatter)), ["wrong-type"], "{frontmatter}");
    }
}

#[test]
fn unknown_keys_of_any_type_are_kept_in_order() {
    let document = read("z: {a: [1, ~, {b: 'c'}]}\ny: [x]\n1: true\nw:");
    let keys: Vec<&str> = document.manifest.extra.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["z", "y", "1", "w"]);
    assert_eq!(codes(&document), ["unknown-key"; 4]);
}

#[test]
fn a_hint_in_brackets_is_text() {
    check("argument-hint: [file]", &with(|m| m.argument_hint = Some("[file]".to_owned())));
    check("argument-hint: [a, b]", &with(|m| m.argument_hint = Some("[a, b]".to_owned())));
}

#[test]
fn tools_are_names_with_or_without_a_pattern() {
    for (text, expected) in [
        ("Read", Some(("Read", None))),
        (" Bash(git:*) ", Some(("Bash", Some("git:*")))),
        ("Bash(echo (x))", Some(("Bash", Some("echo (x)")))),
        ("mcp__a-b.c:*", Some(("mcp__a-b.c:*", None))),
        ("Bash()", Some(("Bash", Some("")))),
        ("", None),
        ("(x)", None),
        ("a b", None),
        ("Bash(x", None),
        ("Bash(x)y", None),
    ] {
        let found = ToolGrant::parse(text);
        assert_eq!(found.as_ref().map(|g| (g.name.as_str(), g.pattern.as_deref())), expected, "{text}");
    }
}
