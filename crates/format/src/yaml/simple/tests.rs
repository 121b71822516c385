use super::{super::reader::parse_with_events, read};
use crate::yaml::PartOf;
use proptest::{collection::vec, prelude::*, sample::select};

/// Whether the text was read without the parser. What was read is what the parser reads.
fn is_read(text: &str) -> bool {
    let part = || PartOf { offset: 4, lines: 1 };
    let read = read(text, &mut part());
    let parsed = parse_with_events(text, &mut part());
    if let Some(root) = &read {
        assert_eq!(parsed.diagnostics, [], "{text:?}");
        assert_eq!(Some(root), parsed.root.as_ref(), "{text:?}");
    }
    read.is_some()
}

#[test]
fn usual_frontmatter_needs_no_parser() {
    for text in [
        "name: a\ndescription: Reads a file:no, two.\n",
        "name: a-b.c\ndescription: \"It's: a # text\"  \nlicense: 'MIT, it''s'\n",
        "name: a\n\nversion: 1.10\nuser-invocable: true\nempty:\nnext: x\n",
        "metadata:\n  author: x\n  tags:\n    - a b\n    - \"c\"\n  deep:\n    e: f\n\nlast: é 日本語 😀",
        "tools:\n- Read\n-   Bash(git:*)\nnext: [a, \"b c\", Bash(git diff:*) , 1]\nnone: []\n",
        "description: >\n  One\n  two  \n\n  three\n\n\nname: a\n",
        "description: >-\n    One\n    two\nname: a\n",
        "a: |\n  One\n    - two\n\n  three\nb: |-\n  x\n  ",
        "a:\n  b: |\n    x\n    y\n  c: >-\n    z\nd: ~\ne: http://x/#y?a:b",
        "a: |\n  é\n  x",
        "\n \na: b\nc:\n",
        "  a: b\n  c: d\n",
        "a: {\"b\":{\"c\": \"é, d\", e: [1, {f: g}], \"h\":true}, i: {}}\nj: [\"k, l\", 'm, n', {\"o\": p}, [] ]\n",
    ] {
        assert!(is_read(text), "{text:?}");
    }
}

#[test]
fn what_means_more_is_left_to_the_parser() {
    for text in [
        "",
        "# note\na: b\n",
        "a: b # note\n",
        "a: b: c\n",
        "a: b:\n",
        "a: b\n  c\n",
        "a: \"b\\n\"\n",
        "a: 'b\n  c'\n",
        "a: 'b''\n",
        "a: 'b' c\n",
        "a: &x b\n",
        "a: *x\n",
        "a: !x b\n",
        "a: {b: c,}\n",
        "a: {b}\n",
        "a: {b: }\n",
        "a: {b:c}\n",
        "a: {b: c: d}\n",
        "a: {\"b\": 1, b: 2}\n",
        "a: {\"<<\": 1}\n",
        "a: {b: c\n",
        "a: {b: c]\n",
        "a: {b: \"c\\n\"}\n",
        "a: {b: c} # d\n",
        "a: {1: c}\n",
        "a: [b]c\n",
        "a: [b: c]\n",
        "a: [b,]\n",
        "a: - b\n",
        "a: 1\na: 2\n",
        "<<: b\n",
        "true: b\n",
        "1: b\n",
        "a:\tb\n",
        "a: b\r\nc: d\n",
        "a: \u{feff}b\n",
        "a: \u{85}b\n",
        "a: \u{fffe}b\n",
        "a\u{0}: b\n",
        "a:\n  - b: c\n",
        "a:\n  -\n",
        "a:\n    b: c\n  d: e\n",
        "a: |+\n  b\n",
        "a: |2\n  b\n",
        "a: >\n  b\n   c\n",
        "a: >\n\n  b\n",
        "a: |\nb: c\n",
        "a: |\n    b\n  c\n",
        "a: b\n---\nc: d\n",
        "a: b\n...\n",
        "- a\n",
        "a : b\n",
        "a b: c\n",
        "\"a\": b\n",
        "a:b\n",
        "plain\n",
    ] {
        assert!(!is_read(text), "{text:?}");
    }
}

proptest! {
    #[test]
    fn text_in_the_form_of_frontmatter_is_read_as_the_parser_reads_it(
        lines in vec((0..6_usize, select(&[
            "", "a: b", "b: c d", "c:", "d: \"e\"", "e: 'f''g'", "f: |", "g: >-", "h: >", "i: |-", "j: [k, l]", "m: []",
            "- n", "- \"o\"", "- p: q", "r", "s: t:u #v", "w: #x", "y: é 日", "z: 1", "aa: ~", "bb: a, b]", "cc: [a]b]", "dd: 'x' y",
            "# ee", "ff: ", "gg:  hh  ", "---", "- ", "ii: - jj", "kk: [\"l\" , 'm', 1.5]", "-  nn", "oo.p/q-r: \\s",
            "pp: {q: r, \"s\":1}", "tt: [{u: v}, w x]", "xx: { 'y': z }", "zz: {a: [b, c], d: {}}", "ab: {\"c\" : d}",
        ][..])), 1..9),
        last in any::<bool>(),
    ) {
        let lines: Vec<String> = lines.iter().map(|(indent, line)| " ".repeat(indent / 2 * 2) + line).collect();
        is_read(&(lines.join("\n") + if last { "\n" } else { "" }));
    }

    #[test]
    fn any_value_is_read_as_the_parser_reads_it(value in "[ -~é日\u{85}\u{a0}\u{2028}😀]{0,12}", item in "[ a-c:#\"'\\[\\]{},-]{0,10}") {
        is_read(&format!("a: {value}\nb: [{item}]\nc:\n  - {item}\n  - {value}\n"));
        is_read(&format!("a: {value}\n"));
        is_read(&format!("a: [{item}]\n"));
        is_read(&format!("a: {{{item}}}\n"));
        is_read(&format!("a: {{\"b\": {item}, c: {value}}}\n"));
        is_read(&format!("a:\n  - {item}\n"));
        is_read(&format!("a: {item}\nb: c\n"));
    }
}
