use super::*;
use crate::{diagnostic::Code, source::span_in};

fn read(text: &str) -> Yaml {
    parse(text, &mut PartOf { offset: 0, lines: 0 })
}

#[test]
fn plain_values_follow_the_core_rules() {
    let number = |text: &str| Data::Number(text.to_owned());
    let word = |text: &str| Data::Text(text.to_owned());
    for (text, expected) in [
        ("~", Data::Null),
        ("null", Data::Null),
        ("", Data::Null),
        ("true", Data::Bool(true)),
        ("FALSE", Data::Bool(false)),
        ("yes", word("yes")),
        ("no", word("no")),
        ("1.10", number("1.10")),
        ("-1e5", number("-1e5")),
        ("+1.", number("+1.")),
        (".5", number(".5")),
        ("0x1F", number("0x1F")),
        ("0o17", number("0o17")),
        (".inf", number(".inf")),
        ("-.INF", number("-.INF")),
        (".nan", number(".nan")),
        ("-", Data::List(vec![Data::Null])),
        ("0x", word("0x")),
        ("0xg", word("0xg")),
        ("1e", word("1e")),
        ("1.2.3", word("1.2.3")),
        (".", word(".")),
        ("-.nan", word("-.nan")),
        ("2024-01-01", word("2024-01-01")),
        ("'1'", word("1")),
        ("\"\\u0041\"", word("A")),
    ] {
        let yaml = read(&format!("a: {text}\n").replace("a: -\n", "a:\n  -\n"));
        let data = yaml.root.map(|root| root.to_data());
        assert_eq!(data, Some(Data::Map(vec![("a".to_owned(), expected)])), "{text}");
    }
}

#[test]
fn unbounded_or_ambiguous_yaml_is_refused() {
    let deep = |open: &str, close: &str| format!("a: {}{}\n", open.repeat(40), close.repeat(40));
    for (text, code) in [
        ("a: &x 1\n".to_owned(), Code::YamlAnchor),
        ("a: &x [1]\nb: *x\n".to_owned(), Code::YamlAnchor),
        ("a: !!str 1\n".to_owned(), Code::YamlTag),
        ("a: !local [1]\n".to_owned(), Code::YamlTag),
        ("<<: {a: 1}\n".to_owned(), Code::YamlMergeKey),
        ("a: 1\n--- \nb: 2\n".to_owned(), Code::YamlDocuments),
        ("a: 1\nb: 2\na: 3\n".to_owned(), Code::YamlDuplicateKey),
        ("x: {a: 1, a: 1}\n".to_owned(), Code::YamlDuplicateKey),
        ("[a]: 1\n".to_owned(), Code::KeyNotText),
        ("? {a: b}\n: 1\n".to_owned(), Code::KeyNotText),
        (": 1\n".to_owned(), Code::KeyNotText),
        (deep("[", "]"), Code::YamlTooDeep),
        (deep("{a: ", "}"), Code::YamlTooDeep),
        (format!("{}x\n", "- ".repeat(40)), Code::YamlTooDeep),
        (format!("{}x\n", "? ".repeat(40)), Code::YamlTooDeep),
        (deep(&"[".repeat(20), &"]".repeat(20)), Code::YamlTooDeep),
        (format!("a: [{}]\n", "1,".repeat(MAX_NODES)), Code::YamlTooLarge),
    ] {
        let yaml = read(&text);
        assert!(!yaml.syntax_failed, "{text:.60}: {:?}", yaml.diagnostics);
        assert!(
            yaml.diagnostics.iter().any(|found| found.code == code),
            "{text:.60}: {:?}",
            yaml.diagnostics
        );
        assert!(yaml.diagnostics.iter().all(|found| found.help.is_some() && found.span.is_some()));
    }
}

#[test]
fn depth_and_size_up_to_the_limit_pass() {
    let depth = MAX_DEPTH - 1;
    assert!(read(&format!("a: {}1{}\n", "[".repeat(depth - 1), "]".repeat(depth - 1))).root.is_some());
    assert!(read(&format!("a: [{}]\n", "1,".repeat(MAX_NODES - 3))).root.is_some());
    assert!(read(&format!("{}a: 1\n", "# note\n".repeat(2_000))).root.is_some());
}

#[test]
fn every_key_and_value_has_its_position() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["名: x", "b:", "  - é: 'q'", "  - \"z\"", "c: {d: e}", ""].join(end);
        let yaml = read(&text);
        let root = yaml.root.unwrap();
        let mut seen = Vec::new();
        collect(&root, &mut seen);
        for (span, expected) in seen {
            let range = span.start as usize..span.end as usize;
            assert_eq!(text[range.clone()].trim_matches(['\'', '"']), expected, "{text:?}");
            assert_eq!(span, span_in(&text, range), "{text:?}");
        }
    }
}

fn collect(node: &Node, seen: &mut Vec<(Span, String)>) {
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| collect(item, seen)),
        Value::Map(pairs) => {
            for (key, value) in pairs {
                seen.push((key.span, key.text.clone()));
                collect(value, seen);
            }
        }
        _ => seen.push((node.span, node.scalar().unwrap().to_owned())),
    }
}

#[test]
fn data_survives_json() {
    let data = Data::Map(vec![
        ("b".to_owned(), Data::List(vec![Data::Null, Data::Bool(true), Data::Number("1.5".to_owned())])),
        ("a".to_owned(), Data::Text("x".to_owned())),
    ]);
    assert_eq!(Data::from_json(&data.to_json()), data);
}

#[test]
fn quoted_text_never_holds_three_hyphens_and_reads_back() {
    for text in [
        "---",
        "----",
        "-----------",
        "a --- b",
        "\"\\\n\t\r",
        "\u{202e}\u{feff}\u{85}\u{e0041}\u{ffff}",
        "é",
    ] {
        let written = quoted(text);
        assert!(!written.contains("---") && written.chars().all(|c| !needs_escape(c)), "{written}");
        let yaml = read(&format!("a: {written}\n"));
        let root = yaml.root.unwrap();
        assert_eq!(root.get("a").and_then(Node::scalar), Some(text));
    }
}

#[test]
fn a_quote_that_is_not_closed_is_reported_where_it_opens() {
    for (text, line, column) in [
        ("name: a\ndescription: \"never closed\nlicense: MIT\n", 2, 14),
        ("name: a\ndescription: 'it''s never closed\n", 2, 14),
        ("a: \"x \\\" y\"\nb: it's fine\nc:\n  - 'one'\n  - 'two\nd: 1\n", 5, 5),
        ("a: [\"x\", \"y]\nb: 1\n", 1, 10),
        ("# it's a comment\na: 1 # don't\n'b: 2\n", 3, 1),
        ("é: \"é\"\nü: 'é\n", 2, 4),
        ("a: 1\r\nb: \"x\r\nc: 2\r\n", 2, 4),
    ] {
        let yaml = read(text);
        assert!(yaml.syntax_failed, "{text:?}");
        let found = &yaml.diagnostics[0];
        assert_eq!(found.message, "a quoted value is not closed", "{text:?}");
        let span = found.span.unwrap();
        assert_eq!((span.line, span.column), (line, column), "{text:?}");
        let quote = &text[span.start as usize..=span.start as usize];
        assert!(["\"", "'"].contains(&quote), "{text:?}: {quote}");
    }
}
