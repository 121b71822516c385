use super::*;

/// The frontmatter and the body of a file, as text.
fn parts(text: &str) -> (Option<&str>, &str) {
    let split = split(text);
    (split.frontmatter.map(|frontmatter| &text[frontmatter]), &text[split.body])
}

fn codes(text: &str) -> Vec<&'static str> {
    split(text).diagnostics.iter().map(|found| found.code.as_str()).collect()
}

#[test]
fn the_frontmatter_is_the_text_between_the_fences() {
    for (text, frontmatter, body) in [
        ("---\na: b\n---\nbody\n", "a: b\n", "body\n"),
        ("---\r\na: b\r\n---\r\nbody\r\n", "a: b\r\n", "body\r\n"),
        ("---\ra: b\r---\rbody\r", "a: b\r", "body\r"),
        ("---\r\na: b\n---\rbody", "a: b\n", "body"),
        ("\u{feff}---\na: b\n---\nbody", "a: b\n", "body"),
        ("---  \na: b\n---\t\nbody", "a: b\n", "body"),
        ("---\n---\nbody", "", "body"),
        ("---\na: b\n---", "a: b\n", ""),
        ("---\na: |\n  ---\n  x\n---\nbody", "a: |\n  ---\n  x\n", "body"),
        ("---\na: b\n ---\n---\nbody", "a: b\n ---\n", "body"),
        ("---\na: b\n--- x\n---x\n----\n---\nbody", "a: b\n--- x\n---x\n----\n", "body"),
    ] {
        assert_eq!(parts(text), (Some(frontmatter), body), "{text:?}");
    }
}

#[test]
fn closing_fence_inside_a_quoted_value_is_text() {
    for frontmatter in [
        "a: \"x\n---\ny\"\nb: c\n",
        "a: 'x\n---\nit''s'\n",
        "a:\n  \"x\n---\ny\" # note\n",
        "\"a\": \"x\n---\ny\"\n",
        "- \"x\n---\ny\"\n",
        "a: [\"x\n---\ny\", b]\n",
        "a: {b: 'x\n---\ny',\n  c: d}\n",
        "a: \"x \\\" \\\\\\\"\n---\ny\"\n",
    ] {
        let text = format!("---\n{frontmatter}---\nbody\n");
        assert_eq!(parts(&text), (Some(frontmatter), "body\n"), "{frontmatter:?}");
        assert_eq!(codes(&text), ["fence-in-quotes"], "{frontmatter:?}");
    }
}

#[test]
fn missing_quote_does_not_absorb_the_body() {
    for frontmatter in [
        "a: \"x\n",
        "a: 'tis\n",
        "a: it's \"x\n",
        "a: \"x\" # \"y\n",
        "a: b \"c\n",
        "a: [it's, \"x\" \"y]\n",
        "a: |\n  \"x\n",
        "# \"x\n",
    ] {
        for body in ["# Title\n\nSay \"hi\".\n\n---\n\nmore\n", "plain \"text\n---\n", "\n\n---\n"] {
            let text = format!("---\n{frontmatter}---\n{body}");
            assert_eq!(parts(&text), (Some(frontmatter), body), "{text:?}");
        }
    }
}

#[test]
fn frontmatter_that_no_agent_sees_leaves_its_gates_unknown() {
    for (text, code) in [
        ("\n---\nadmin_only: true\n---\n", "frontmatter-not-first"),
        (" \n\t\n---\nname: a\n---\n", "frontmatter-not-first"),
        ("---\nadmin_only: true\n", "frontmatter-unclosed"),
        ("---\nname: a\n---# Title\n", "frontmatter-unclosed"),
        ("--- # note\nadmin_only: true\n---\n", "no-frontmatter"),
        ("----\nname: a\n----\n", "no-frontmatter"),
        (" ---\nname: a\n ---\n", "no-frontmatter"),
        ("\u{2014}\nname: a\n\u{2014}\n", "no-frontmatter"),
        ("\u{feff}\u{feff}---\nname: a\n---\n", "no-frontmatter"),
        ("---yaml\n\"name\": a\n---\n", "no-frontmatter"),
    ] {
        let split = split(text);
        assert!(split.gates_unknown, "{text:?}");
        let found = split.diagnostics.last().unwrap();
        assert_eq!((found.code.as_str(), found.severity), (code, Severity::Error), "{text:?}");
        assert!(found.help.is_some());
    }
}

#[test]
fn text_without_frontmatter_is_a_body() {
    for text in ["", "\n", "# Title\n", "----\n\n# Title\n", "--- a rule\ntext\n", "name: a\n---\n", "..."] {
        let split = split(text);
        assert!(!split.gates_unknown, "{text:?}");
        assert_eq!((split.frontmatter, split.body), (None, 0..text.len()), "{text:?}");
        assert_eq!(codes(text), ["no-frontmatter"], "{text:?}");
    }
}

#[test]
fn unclosed_frontmatter_names_the_line_that_was_meant_as_its_end() {
    let found = split("---\nname: a\n\n---# Title\n").diagnostics.remove(0);
    assert_eq!(found.help.unwrap(), "line 4 starts with `---` but continues; put `---` on a line of its own");
}

#[test]
fn frontmatter_over_the_limit_is_still_closed() {
    for filler in ["a: b\n".repeat(20_000), format!("a: \"{}\n", "x\n".repeat(40_000))] {
        let text = format!("---\n{filler}---\nbody\n");
        let (frontmatter, body) = parts(&text);
        assert!(frontmatter.unwrap().len() > FRONTMATTER_LIMIT);
        assert_eq!(body, "body\n");
    }
}

#[test]
fn positions_count_lines_and_characters() {
    let text = "\u{feff}ab\r\ncd\re\u{301}f\n\u{1f600}x";
    for (needle, line, column) in [
        ("\u{feff}", 1, 1),
        ("ab", 1, 1),
        ("b\r", 1, 2),
        ("\r\n", 1, 3),
        ("cd", 2, 1),
        ("d\r", 2, 2),
        ("e\u{301}", 3, 1),
        ("f\n", 3, 3),
        ("\u{1f600}", 4, 1),
        ("x", 4, 2),
    ] {
        let at = text.find(needle).unwrap();
        let span = span_in(text, at..at + 1);
        assert_eq!((span.line, span.column), (line, column), "{needle:?}");
    }
    let end = span_in(text, text.len()..text.len() + 9);
    assert_eq!((end.start as usize, end.end as usize, end.column), (text.len(), text.len(), 3));
}

#[test]
fn positions_requested_in_any_order_are_the_same() {
    let text = "\u{feff}a\nb\u{e9}c\r\n\rd\n\ne";
    let mut positions = Positions::new(text);
    for at in (0..=text.len()).chain((0..=text.len()).rev()) {
        assert_eq!(positions.span(at..at), span_in(text, at..at), "{at}");
    }
}

#[test]
fn keys_are_words_or_quoted() {
    for (line, expected) in [
        ("key: value", Some((0, "key", "value"))),
        ("  key:\tvalue", Some((2, "key", "value"))),
        ("key:", Some((0, "key", ""))),
        ("key : value", Some((0, "key", "value"))),
        ("- a: b", Some((2, "a", "b"))),
        ("- - a: b", Some((4, "a", "b"))),
        ("\"a b\": c", Some((0, "a b", "c"))),
        ("'a': c", Some((0, "a", "c"))),
        ("a.b/c-d_e: f", Some((0, "a.b/c-d_e", "f"))),
        ("名: 字", Some((0, "名", "字"))),
        ("a b: c", None),
        ("http://x", None),
        (": c", None),
        ("\"a: c", None),
        ("", None),
        ("-", None),
    ] {
        let found = key_of(line).map(|key| (key.indent, key.key, &line[key.value..]));
        assert_eq!(found, expected, "{line:?}");
    }
}

#[test]
fn spaces_after_a_fence_have_the_help_of_their_fence() {
    let help =
        |text: &str| split(text).diagnostics.into_iter().filter_map(|found| found.help).collect::<Vec<_>>();
    assert_eq!(
        help("--- \nname: a\n---\nb\n"),
        ["remove the spaces; gemini-cli and Zed do not see this frontmatter"]
    );
    assert_eq!(
        help("---\nname: a\n---\t\nb\n"),
        [
            "remove the spaces; gemini-cli loads the skill without its instructions, Zed does not see the frontmatter"
        ]
    );
}

#[test]
fn a_link_stored_as_text_is_called_so() {
    let message = |text: &str| split(text).diagnostics.remove(0).message;
    let link = "the file consists of a path: a link that was stored as text";
    assert_eq!(message("../../marketing/email/SKILL.md"), link);
    assert_eq!(message("shared/commands/prd.md\n"), link);
    for other in ["# Title\n", "see a/b.md\n", "a/b.md\nmore\n", "https://x.y/z.md\n", "a/b\n"] {
        assert_ne!(message(other), link, "{other}");
    }
}
