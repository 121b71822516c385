use super::{block, quote};

#[test]
fn quoting_changes_values_that_are_not_valid_yaml() {
    for (line, wanted) in [
        ("a: b: c", "a: 'b: c'"),
        ("a: it's: so", "a: 'it''s: so'"),
        ("a: b: c # note", "a: 'b: c' # note"),
        ("a: @me", "a: '@me'"),
        ("a: `x`", "a: '`x`'"),
        ("a: [b", "a: '[b'"),
        ("a: [b] c", "a: '[b] c'"),
        ("a: {b: c}", "a: '{b: c}'"),
        ("  a: b: c", "  a: 'b: c'"),
        ("- a: b: c", "- a: 'b: c'"),
        ("my key: b:\tc", "my key: 'b:\tc'"),
        ("a.b : c: d", "a.b : 'c: d'"),
    ] {
        assert_eq!(quote(line), wanted, "{line:?}");
    }
}

#[test]
fn quoting_keeps_other_lines_unchanged() {
    for line in [
        "a: plain",
        "a: ends:",
        "a: http://x.y",
        "a: \"q\": r",
        "a: 'q': r",
        "a: > b: c",
        "a: *b c",
        "a: %b",
        "a: - b",
        "a: [b, c]",
        "a: {b}",
        "a:b: c",
        "a: b # c: d",
        ": b: c",
        "no colon here",
        "# a comment",
        "",
    ] {
        assert_eq!(quote(line), line);
    }
}

#[test]
fn quoting_skips_blocks() {
    let frontmatter = "a: |\n  b: c: d\n\n  @e\nf: g: h";
    assert_eq!(quote(frontmatter), "a: |\n  b: c: d\n\n  @e\nf: 'g: h'");
}

#[test]
fn a_value_with_any_colon_becomes_a_block() {
    for (line, wanted) in [
        ("a: b: c", "a: |-\n  b: c"),
        ("a: http://x", "a: |-\n  http://x"),
        ("a: ends:", "a: |-\n  ends:"),
        ("a_1 :  b: c # d ", "a_1: |-\n  b: c # d"),
        ("a: > b: c", "a: |-\n  > b: c"),
    ] {
        assert_eq!(block(line), wanted, "{line:?}");
    }
}

#[test]
fn blocks_are_made_of_unindented_word_keys_only() {
    for line in [
        "a-b: c: d",
        "a.b: c: d",
        "1a: b: c",
        "\"a\": b: c",
        " a: b: c",
        "a: \"b: c\"",
        "a: 'b: c'",
        "a: |",
        "a: b",
    ] {
        assert_eq!(block(line), line);
    }
}

#[test]
fn values_with_a_meaning_in_yaml_are_quoted_for_word_keys() {
    for (line, wanted) in [
        ("description: a: b", r#"description: "a: b""#),
        ("description: >- text", r#"description: ">- text""#),
        ("description: say \"x\" [now]", r#"description: "say \"x\" [now]""#),
        ("argument-hint: [a] [b]", r#"argument-hint: "[a] [b]""#),
        ("description: 'a: b'", "description: 'a: b'"),
        ("description: plain", "description: plain"),
        ("  inner: a: b", "  inner: a: b"),
        ("key1: a: b", "key1: a: b"),
    ] {
        assert_eq!(super::quote_words(line), wanted);
    }
}
