use super::*;
use crate::{Document, Severity, Soundness};

const SKILL: &[u8] = b"---\nname: a\ntriggers: [x]\n---\nbody\n";

fn with(sidecars: &Sidecars<'_>) -> Document {
    let document = Document::read(SKILL, sidecars);
    assert_eq!(document.soundness, Soundness::Sound, "a sidecar never blocks the skill");
    assert_eq!(document.manifest.name.as_deref(), Some("a"));
    document
}

fn openai(text: &str) -> Document {
    with(&Sidecars { openai: Some(text.as_bytes()), ..Sidecars::default() })
}

fn toml(text: &str) -> Document {
    with(&Sidecars { toml: Some(text.as_bytes()), ..Sidecars::default() })
}

fn findings(document: &Document) -> Vec<(&'static str, String)> {
    document
        .diagnostics
        .iter()
        .map(|found| {
            let path = found.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
            (found.code.as_str(), path)
        })
        .collect()
}

#[test]
fn an_agent_file_is_read_completely() {
    let document = openai(
        "interface:\n  display_name: '  A   B '\n  short_description: s\n  default_prompt: p\n  brand_color: '#aAbBcC'\n  icon_small: ./assets/s.svg\n  icon_large: assets/l.png\ndependencies:\n  tools:\n    - {type: mcp, value: v, description: d, transport: stdio, command: c, url: u}\npolicy:\n  allow_implicit_invocation: no\n  products: [codex]\npermissions: {network: true}\n",
    );
    let sidecar = &document.sidecar;
    assert_eq!(findings(&document), []);
    assert_eq!(sidecar.display_name.as_deref(), Some("A B"));
    assert_eq!(sidecar.brand_color.as_deref(), Some("#aAbBcC"));
    assert_eq!(sidecar.icon_small.as_deref(), Some("./assets/s.svg"));
    assert_eq!((sidecar.tools[0].kind.as_str(), sidecar.tools[0].url.as_deref()), ("mcp", Some("u")));
    assert_eq!((sidecar.allow_implicit_invocation, sidecar.products.len()), (Some(false), 1));
    assert!(sidecar.permissions.is_some());
}

#[test]
fn one_bad_field_is_dropped_and_reported() {
    for (text, kept) in [
        ("interface: {display_name: A, brand_color: blue}", true),
        ("interface: {display_name: A, icon_small: ../x}", true),
        ("interface: {display_name: A, icon_small: assets/../../x}", true),
        ("interface: {display_name: A, icon_large: /etc/x}", true),
        ("interface: {display_name: A, short_description: [x]}", true),
        ("interface: {display_name: A}\npolicy: [x]", true),
        ("interface: {display_name: A}\npolicy: {products: x}", true),
        ("interface: {display_name: A}\npolicy: {products: [[x]]}", true),
        ("interface: {display_name: A}\ndependencies: {tools: x}", true),
        ("interface: {display_name: A}\ndependencies: {tools: [{type: mcp}]}", true),
        ("interface: [A]", false),
        ("[A]", false),
    ] {
        let document = openai(text);
        assert_eq!(findings(&document), [("sidecar-field", OPENAI.to_owned())], "{text}");
        assert_eq!(document.sidecar.display_name.is_some(), kept, "{text}");
        assert!(document.diagnostics[0].span.is_some() && document.diagnostics[0].help.is_some());
    }
    let long = openai(&format!("interface: {{display_name: {}}}", "x".repeat(65)));
    assert_eq!(long.sidecar.display_name, None);
}

#[test]
fn a_bad_part_of_a_tool_leaves_the_tool() {
    let long = "x".repeat(65);
    let document = openai(&format!(
        "dependencies: {{tools: [{{type: mcp, value: v, transport: {long}}}, {{value: w}}]}}"
    ));
    assert_eq!(document.sidecar.tools.len(), 1);
    assert_eq!(findings(&document).len(), 2);
}

#[test]
fn an_unknown_key_is_a_note() {
    for text in ["other: 1", "interface: {other: 1}", "policy: {other: 1}", "dependencies: {other: 1}"] {
        let document = openai(text);
        assert_eq!(document.diagnostics[0].severity, Severity::Note, "{text}");
    }
}

#[test]
fn an_unreadable_policy_means_no() {
    let document = openai("policy: {allow_implicit_invocation: perhaps}");
    assert_eq!(document.sidecar.allow_implicit_invocation, Some(false));
    assert_eq!(findings(&document).len(), 1);
}

#[test]
fn a_bad_file_is_ignored_and_reported() {
    let large = vec![b' '; usize::try_from(SIDECAR_LIMIT).unwrap() + 1];
    for bytes in [&b"a: [b"[..], b"\xff", b"a: &x b", b"a: 1\na: 2", b"\0", b"= 1", &large] {
        let document = with(&Sidecars { skillful: Some(bytes), openai: Some(bytes), toml: Some(bytes) });
        let files: Vec<String> = findings(&document).into_iter().map(|(_, file)| file).collect();
        for file in SIDECAR_FILES {
            assert!(files.contains(&file.to_owned()), "{:?} {files:?}", bytes.get(..9));
        }
        assert_eq!(document.sidecar, Sidecar::default());
    }
    for bytes in [&b""[..], b"# note\n", b"\xef\xbb\xbf"] {
        let document = with(&Sidecars { skillful: Some(bytes), openai: Some(bytes), toml: Some(bytes) });
        assert_eq!(findings(&document), [], "{bytes:?}");
    }
}

#[test]
fn skillful_yaml_wins_over_openai_yaml() {
    let document = with(&Sidecars {
        openai: Some(
            b"interface: {display_name: A, default_prompt: p}\ndependencies: {tools: [{type: a, value: b}]}",
        ),
        skillful: Some(b"interface: {display_name: B}\ndependencies: {tools: [{type: c, value: d}]}"),
        toml: None,
    });
    assert_eq!(document.sidecar.display_name.as_deref(), Some("B"));
    assert_eq!(document.sidecar.default_prompt.as_deref(), Some("p"));
    assert_eq!(document.sidecar.tools.len(), 1);
    assert_eq!(document.sidecar.tools[0].kind, "c");
}

#[test]
fn toml_supplies_only_keys_missing_in_the_frontmatter() {
    let document = toml(
        "keywords = ['y']\nname = 'b'\nadmin_only = true\nversion = '1'\n[requires]\nenv = ['A']\n[x]\ny = [1.5, 2024-01-01]\n",
    );
    let manifest = &document.manifest;
    assert_eq!((manifest.triggers.as_slice(), manifest.admin_only), (&["x".to_owned()][..], true));
    assert_eq!((manifest.version.as_deref(), manifest.requires.env.len()), (Some("1"), 1));
    assert_eq!(manifest.extra.len(), 1);
    assert_eq!(findings(&document), [("unknown-key", TOML.to_owned())]);
    assert_eq!(document.value_span("version"), None);
}

#[test]
fn a_gate_in_toml_fails_closed_and_names_the_file() {
    let document = toml("admin_only = 'perhaps'");
    assert_eq!(document.manifest.closed_gates, ["admin_only"]);
    assert_eq!(findings(&document), [("gate-unreadable", TOML.to_owned())]);
}

#[test]
fn toml_with_too_many_values_is_ignored() {
    let many = (0..=crate::yaml::MAX_NODES).map(|at| format!("k{at} = 1\n")).collect::<Vec<_>>().concat();
    assert_eq!(findings(&toml(&many)), [("sidecar-unreadable", TOML.to_owned())]);
}

#[test]
fn positions_in_a_sidecar_count_its_byte_order_mark() {
    let document = openai("\u{feff}interface:\n  brand_color: blue\n");
    let span = document.diagnostics[0].span.unwrap();
    assert_eq!((span.line, span.column, span.start), (2, 16, 3 + 26));
}

#[test]
fn openclaw_requirements_are_read() {
    let text = "---\nmetadata:\n  openclaw:\n    os: [linux, darwin]\n    requires:\n      bins: [a]\n      anyBins: [b, c]\n      env:\n        - A\n        - {name: B}\n        - {name: C, optional: true}\n---\n";
    let document = Document::read(text.as_bytes(), &Sidecars::default());
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(document.sidecar.requires.env, words(&["A", "B"]));
    assert_eq!(document.sidecar.requires.binary, [words(&["a"]), words(&["b", "c"])]);
    assert_eq!(document.sidecar.systems, words(&["linux", "darwin"]));
    for bad in ["x", "{requires: x}", "{requires: {env: [[A]]}}", "{os: {a: b}}"] {
        let text = format!("---\nmetadata:\n  openclaw: {bad}\n---\n");
        let document = Document::read(text.as_bytes(), &Sidecars::default());
        assert_eq!(findings(&document), [("sidecar-field", String::new())], "{bad}");
    }
}

#[test]
fn an_openclaw_part_is_named_with_its_fix() {
    let found = |value: &str| {
        let text = format!("---\nmetadata:\n  openclaw: {value}\n---\n");
        let document = Document::read(text.as_bytes(), &Sidecars::default());
        let found = document.diagnostics.into_iter().next().unwrap();
        format!("{}; {}", found.message, found.help.unwrap())
    };
    assert_eq!(
        found("true"),
        "`metadata.openclaw` is not a mapping, so it was ignored; write keys and values, or remove it"
    );
    assert_eq!(
        found("{requires: [tool >= 3]}"),
        "`metadata.openclaw.requires` is not a mapping, so it was ignored; write `bins`, `anyBins` or `env` with a list of names below it"
    );
    assert_eq!(
        found("{requires: {env: {A: required}}}"),
        "`metadata.openclaw.requires.env` contains something other than names, so it was ignored; write a list of names"
    );
    assert_eq!(
        found("{os: {a: b}}"),
        "`metadata.openclaw.os` contains something other than names, so it was ignored; write a list of names"
    );
}
