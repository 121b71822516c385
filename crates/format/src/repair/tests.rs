use crate::{Data, Document, Sidecars, Soundness, source::span_in};

fn read(frontmatter: &str) -> Document {
    Document::read(format!("---\n{frontmatter}---\nbody\n").as_bytes(), &Sidecars::default())
}

/// Checks the value of `a` after repairs, and the codes of the repairs.
#[track_caller]
fn check(frontmatter: &str, expected: &str, codes: &[&str]) {
    let document = read(frontmatter);
    let text = document.manifest.extra.iter().find(|(key, _)| key == "a").map(|(_, data)| data.clone());
    assert_eq!(text, Some(Data::Text(expected.to_owned())), "{frontmatter:?} {:?}", document.diagnostics);
    let found: Vec<&str> = document
        .diagnostics
        .iter()
        .map(|found| found.code.as_str())
        .filter(|code| *code != "unknown-key")
        .collect();
    assert_eq!(found, codes, "{frontmatter:?}");
    let repaired = if codes.is_empty() { Soundness::Sound } else { Soundness::Repaired };
    assert_eq!(document.soundness, repaired);
}

#[track_caller]
fn check_broken(frontmatter: &str) {
    let document = read(frontmatter);
    assert_eq!(document.soundness, Soundness::Broken, "{frontmatter:?} {:?}", document.manifest);
    assert_eq!(document.manifest, crate::Manifest::default());
    let found = &document.diagnostics[0];
    assert!(found.span.is_some() && found.help.is_some(), "{found:?}");
}

#[test]
fn unquoted_colon_is_text() {
    check("a: Use when: asked\n", "Use when: asked", &["unquoted-colon"]);
    check("a: Use when: x # note\nb: c\n", "Use when: x", &["unquoted-colon"]);
    check("a: one: two\n  three: four\n\n  five\nb: c\n", "one: two three: four five", &["unquoted-colon"]);
    check("a: one\n  two: three\nb: c\n", "one two: three", &["unquoted-colon"]);
    check("a: ends with:\nb: c: d\n", "ends with:", &["unquoted-colon", "unquoted-colon"]);
}

#[test]
fn value_that_starts_with_a_reserved_mark_is_text() {
    for value in
        ["@me", "`code` it", "%x", "[x] y", "{x} y", "**bold** text", "[never closed", ">=1.0 needed", "|x|"]
    {
        check(&format!("a: {value}\n"), value, &["unquoted-value"]);
    }
}

#[test]
fn list_item_is_repaired_like_a_value() {
    let document = read("a:\n  - \"x\" in message\n  - @y\n  - plain\n");
    let text = |text: &str| Data::Text(text.to_owned());
    let items = vec![text("\"x\" in message"), text("@y"), text("plain")];
    assert_eq!(document.manifest.extra, [("a".to_owned(), Data::List(items))]);
}

#[test]
fn text_after_a_block_mark_is_its_first_line() {
    check("a: | one\n  two\n", "one\ntwo\n", &["text-after-block-mark"]);
    check("a: >- one\n\n    two\nb: c\n", "one\ntwo", &["text-after-block-mark"]);
    check("a: > one: two\nb: c\n", "one: two\n", &["text-after-block-mark"]);
}

#[test]
fn text_without_indentation_is_joined() {
    check("a: one\ntwo\n\n- three\nb: c\n", "one two - three", &["unindented-text"]);
    check("a: \"one\ntwo\nthree\"\nb: c\n", "one two three", &["unindented-text"]);
    check("a:\none two\nthree\nb: c\n", "one two three", &["unindented-text"]);
    check("a: one #1\ntwo # note\nb: c\n", "one #1 two", &["unindented-text"]);
}

#[test]
fn text_after_a_quote_that_ends_too_early_is_kept() {
    check("a: \"one\"\n  two \"x\"\nb: c\n", "one two \"x\"", &["unquoted-value"]);
    check("a: 'one'\n  it's\n", "one it's", &["unquoted-value"]);
    check("a: \"one\" two\n", "\"one\" two", &["unquoted-value"]);
    check("a: \"one \"two\" three\"\n", "one \"two\" three", &["unquoted-value"]);
    check("a: 'it's fine'\n", "it's fine", &["unquoted-value"]);
    check("a: \"one\" and \"two\"\n", "\"one\" and \"two\"", &["unquoted-value"]);
}

#[test]
fn tabs_in_indentation_are_read_as_spaces() {
    let document = read("metadata:\n\ta: b\n\tc:\n\t\td: e\n");
    assert_eq!(document.soundness, Soundness::Repaired);
    assert_eq!(document.manifest.metadata[0], ("a".to_owned(), Data::Text("b".to_owned())));
    let tabs = document.diagnostics.iter().filter(|found| found.code.as_str() == "tab-indentation");
    assert_eq!(tabs.count(), 1);
}

#[test]
fn fence_inside_quotes_is_read_as_text() {
    check("a: \"one\n---\ntwo\"\nb: c\n", "one --- two", &["fence-in-quotes", "unindented-text"]);
}

#[test]
fn values_beside_a_repaired_value_stay_unchanged() {
    let document = read(
        "bad: x: y\ntags: [\"a, b\", 'c: d']\nlong: [a,\n  b]\nmap: {a: 'b'}\nblock: |\n  e: f: g\n  \"h\nq: \"i: j\"\n",
    );
    let text = |text: &str| Data::Text(text.to_owned());
    let get = |key: &str| document.manifest.extra.iter().find(|(k, _)| k == key).unwrap().1.clone();
    assert_eq!(get("bad"), text("x: y"));
    assert_eq!(get("tags"), Data::List(vec![text("a, b"), text("c: d")]));
    assert_eq!(get("long"), Data::List(vec![text("a"), text("b")]));
    assert_eq!(get("block"), text("e: f: g\n\"h\n"));
    assert_eq!(get("q"), text("i: j"));
}

#[test]
fn comments_stay_comments() {
    let document = read("a: x: y\n# z: w\n  # indented\nb: c: d # e\n");
    assert_eq!(document.soundness, Soundness::Repaired, "{:?}", document.diagnostics);
    let texts: Vec<Data> = document.manifest.extra.iter().map(|(_, data)| data.clone()).collect();
    assert_eq!(texts, [Data::Text("x: y".to_owned()), Data::Text("c: d".to_owned())]);
}

#[test]
fn a_repair_never_absorbs_a_gate() {
    check_broken("description: one: two\n  admin_only: true\n");
    check_broken("description: one\n  adminOnly: true\nname: x: y\n");
    check_broken("description: \"one\nadmin_only: true\nname: two\"\n");
    check_broken("description: one\ntwo\n  'requires': x\n");
    for gate in ["admin_only : true", "\"admin_only\": true", "'admin-only': yes"] {
        let document = read(&format!("description: one: two\n{gate}\n"));
        assert_eq!(document.soundness, Soundness::Repaired);
        assert!(document.manifest.admin_only, "{gate}");
    }
}

#[test]
fn a_repaired_gate_is_closed_unless_it_can_be_read() {
    for gate in ["admin_only: [true", "admin_only: true: x", "admin_only: @yes", "requires: {env"] {
        let document = read(&format!("{gate}\n"));
        assert_eq!(document.manifest.closed_gates.len(), 1, "{gate} {:?}", document.diagnostics);
    }
}

#[test]
fn unclear_values_stay_broken() {
    check_broken("name: a\n<<<<<<< mine\ndescription: b\n=======\ndescription: c\n>>>>>>> theirs\n");
    check_broken("description: \"never closed\nname: a\n");
    check_broken("triggers:\n\n* \"one\"\n* \"two\"\nname: a\n");
    check_broken("a: 'b\n");
    check_broken("}\n");
}

#[test]
fn positions_after_a_repair_are_those_of_the_file() {
    let frontmatter = "bad: x: y # n\n名: @z\nmap:\n\tb: c\nd: 'e'\n";
    let text = format!("\u{feff}---\r\n{}---\r\n", frontmatter.replace('\n', "\r\n"));
    let document = Document::read(text.as_bytes(), &Sidecars::default());
    let mut seen = Vec::new();
    for (key, node) in &document.keys {
        for span in [key.span, node.span] {
            let range = span.start as usize..span.end as usize;
            assert_eq!(span, span_in(&text, range.clone()));
            seen.push(text[range].to_owned());
        }
    }
    assert_eq!(seen[..6], ["bad", "x: y", "名", "@z", "map", ""], "{seen:?}");
    assert_eq!(seen[6..], ["d", "'e'"]);
}
