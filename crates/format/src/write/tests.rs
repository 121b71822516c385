use super::*;
use crate::{Data, RareFields, Sidecars};

fn read(text: &str) -> Document {
    Document::read(text.as_bytes(), &Sidecars::default())
}

/// Checks the written frontmatter, that it decodes to the same manifest, and that writing again
/// changes nothing.
#[track_caller]
fn check(frontmatter: &str, expected: &str) {
    let text = format!("---\n{frontmatter}\n---\nbody\n");
    let first = read(&text);
    let written = document(&text, &first);
    assert_eq!(written, format!("---\n{expected}\n---\n\nbody\n"));
    let second = read(&written);
    assert_eq!((second.soundness, &second.manifest), (Soundness::Sound, &first.manifest), "{written}");
    assert_eq!(document(&written, &second), written);
}

#[test]
fn known_fields_come_first_and_unknown_ones_keep_their_order() {
    check(
        "zeta: 1\nmetadata: {a: b}\nalpha: [x, {e: z, w: []}]\ndescription: d\nname: demo",
        "name: demo\ndescription: d\nmetadata:\n  a: b\nzeta: 1\nalpha:\n  - x\n  - e: z\n    w: []",
    );
}

#[test]
fn fields_take_the_form_of_the_specification() {
    for (frontmatter, expected) in [
        ("allowed_tools: [Read, 'Bash(git add:*)']", "allowed-tools: Read Bash(git add:*)"),
        ("allowed-tools: Read,Write,  Bash(a, b)", "allowed-tools: Read Write Bash(a, b)"),
        ("allowed-tools: []", "allowed-tools: \"\""),
        ("allowed-tools: ['Bash(a(b)', Read]", "allowed-tools:\n  - Bash(a(b)\n  - Read"),
        ("context_fork: yes", "context: fork"),
        ("context-fork: true", "context: fork"),
        ("context_fork: off", "context_fork: false"),
        ("context: fork", "context: fork"),
        ("when-to-use: x", "when_to_use: x"),
        ("alwaysApply: yes", "always_include: true"),
        ("adminOnly: 'on'", "admin_only: true"),
        ("keywords: a, b", "triggers: a, b"),
        ("argument-hint: [file]", "argument-hint: \"[file]\""),
        ("globs: x\npaths: z", "globs: x\npaths: z"),
        ("paths: z\nglobs: x", "paths: z\nglobs: x"),
        ("context_fork: true\ncontext: fork", "context_fork: true\ncontext: fork"),
    ] {
        check(frontmatter, expected);
    }
}

#[test]
fn a_gate_that_cannot_be_read_stays_as_it_is() {
    check("admin_only: maybe", "admin_only: maybe");
    check("requires: [x]", "requires:\n  - x");
    check("admin_only:", "admin_only:");
}

#[test]
fn text_is_plain_only_where_every_reader_agrees() {
    for (text, written) in [
        ("plain text, (yes) [x] {y} \"z\" it's#1", "plain text, (yes) [x] {y} \"z\" it's#1"),
        ("Yes", "\"Yes\""),
        ("n", "\"n\""),
        ("null", "\"null\""),
        ("1.0", "\"1.0\""),
        ("2024-01-01", "\"2024-01-01\""),
        ("", "\"\""),
        (" a", "\" a\""),
        ("a ", "\"a \""),
        ("a: b", "\"a: b\""),
        ("a:", "\"a:\""),
        ("a #b", "\"a #b\""),
        ("@a", "\"@a\""),
        ("- a", "\"- a\""),
        ("a\nb", "\"a\\nb\""),
        ("a\tb", "\"a\\tb\""),
        ("a\u{85}b", "\"a\\x85b\""),
        ("a\u{2028}b", "\"a\\u2028b\""),
        ("a\u{202e}b", "\"a\\u202Eb\""),
        ("é名", "é名"),
        ("a---b", "\"a--\\x2Db\""),
        ("----", "\"--\\x2D-\""),
    ] {
        check(&format!("a: {}", crate::yaml::quoted(text)), &format!("a: {written}"));
    }
}

#[test]
fn three_hyphens_in_a_value_are_invisible_to_a_parser_that_splits_at_them() {
    let text = "---\nname: a\n\"k---\": x --- y\ndescription: |\n  ---\n  ------\nmetadata: {\"---\": [\"---\"]}\n# --- note ---\n---\nbody --- end\n";
    let first = read(text);
    assert_eq!(first.soundness, Soundness::Sound);
    let written = document(text, &first);
    let parts: Vec<&str> = written.splitn(3, "---").collect();
    assert_eq!((parts[0], parts[2]), ("", "\n\nbody --- end\n"), "{written}");
    let second = read(&written);
    assert_eq!(second.manifest, first.manifest);
    assert!(written.contains("# === note ===\n"));
}

#[test]
fn comments_stay_with_their_key() {
    check(
        "# top\nzeta: 1 # one\n# before the name\n# two lines\nname: demo\nmetadata: # behind\n  # inside\n  a: b # c\n# last",
        "# before the name\n# two lines\nname: demo\n# behind\n# inside\n# c\nmetadata:\n  a: b\n# top\n# one\nzeta: 1\n# last",
    );
    check("# only a note", "# only a note");
    check("a: 'x # y' # z", "# z\na: \"x # y\"");
}

#[test]
fn comments_of_repaired_frontmatter_stay() {
    let text = "---\ndescription: x: y # one\n# two\nname: @n # three\n---\nbody\n";
    let written = document(text, &read(text));
    assert_eq!(written, "---\n# two\n# three\nname: \"@n\"\n# one\ndescription: \"x: y\"\n---\n\nbody\n");
}

#[test]
fn many_comments_stay() {
    let notes = "# note\n".repeat(500);
    let text = format!("---\n{notes}name: a\n---\nbody\n");
    assert_eq!(document(&text, &read(&text)), format!("---\n{notes}name: a\n---\n\nbody\n"));
}

#[test]
fn stacked_frontmatter_blocks_become_one() {
    let text = "---\nname: a # one\n---\n---\nlicense: MIT\n# two\nname: b\n---\nbody\n";
    let written = document(text, &read(text));
    assert_eq!(written, "---\n# one\nname: a\nlicense: MIT\n# two\n---\n\nbody\n");
    assert_eq!(document(&written, &read(&written)), written);
}

#[test]
fn broken_or_missing_frontmatter_is_returned_unchanged() {
    for text in ["body\n", "", "---\na: 1\na: 2\n---\nb\n", "---\nname: [a\n", "\n---\nname: a\n---\n"] {
        assert_eq!(document(text, &read(text)), text);
    }
}

#[test]
fn line_ends_follow_the_file() {
    let text = "---\r\nb: 1\r\nname: a\r\n---\r\nbody\r\n";
    assert_eq!(document(text, &read(text)), "---\r\nname: a\r\nb: 1\r\n---\r\n\r\nbody\r\n");
}

#[test]
fn a_long_key_is_still_a_key() {
    let key = "k".repeat(3_000);
    let text = format!("---\n? {key}\n: - ? {key}\n    : 1\n---\nbody\n");
    let first = read(&text);
    assert_eq!(first.soundness, Soundness::Sound, "{:?}", first.diagnostics);
    let written = document(&text, &first);
    assert_eq!(read(&written).manifest, first.manifest);
}

#[test]
fn keys_of_skill_toml_stay_there() {
    let text = "---\nname: a\n---\nbody\n";
    let sidecars = Sidecars { toml: Some(b"version = '1'"), ..Sidecars::default() };
    let first = Document::read(text.as_bytes(), &sidecars);
    assert_eq!(first.manifest.version.as_deref(), Some("1"));
    assert_eq!(document(text, &first), "---\nname: a\n---\n\nbody\n");
}

#[test]
fn a_closed_gate_stays_closed_in_a_copy() {
    for gate in FIELDS.iter().filter(|field| field.gate) {
        let rare = RareFields { closed_gates: vec![gate.name.to_owned()], ..RareFields::default() };
        let closed = Manifest { rare: rare.into(), ..Manifest::default() };
        let copy = read(&manifest(&closed)).manifest;
        assert_eq!(copy.closed_gates, [gate.name]);
    }
}

#[test]
fn a_manifest_without_source_text_is_written_completely() {
    let full = Manifest {
        extra: vec![("own".to_owned(), Data::List(vec![Data::Null, Data::Map(Vec::new())]))],
        ..read(
            "---\nname: a\ndescription: 'b: c'\nallowed-tools: Read\nrequires: {bins: [[a, b], c]}\nenv: [{var: A, proxy_only: yes}]\nvars: {B: {secret: yes}}\nmcp: {args: [x], idle_timeout: 2}\nuser-invocable: no\nbackground: no\nhooks: {Stop: []}\n---\n",
        )
        .manifest
    };
    assert_eq!(read(&manifest(&full)).manifest, full);
}
