use super::{Value, read};
use crate::{
    fence::{Cut, Language},
    parse,
};
use skillful_profiles::{
    AgentProfiles, ComplexKeys, DuplicateKeys, FrontmatterRule, LineEnds, MergeKeys, Null, QuotedLines,
    QuotedSpaces, Surrogates, Tabs, Tags, TrailingText, Typing,
};

/// The value of `d`, or the line and message of the fault.
fn value(text: &str, rule: &FrontmatterRule) -> Result<Value, (Option<u32>, String)> {
    let fields = ["name".to_owned(), "d".to_owned()];
    match read(text, rule, &fields) {
        Ok(tree) => Ok(tree.value("d", rule)),
        Err(fault) => Err((fault.line, fault.message)),
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn anchors_and_aliases_are_followed() {
    let rule = FrontmatterRule::default();
    assert_eq!(value("d: &a does it", &rule), Ok(text("does it")));
    assert_eq!(value("x: &a text\nd: *a", &rule), Ok(text("text")));
    assert_eq!(value("x: &m {y: z}\nd: *m", &rule), Ok(Value::Other("a mapping")));
    assert!(value("d: x\ny: *nothing", &rule).is_err());
}

#[test]
fn tags_are_dropped_or_refused() {
    let drop = FrontmatterRule { tags: Tags::Drop, ..FrontmatterRule::default() };
    let refuse = FrontmatterRule { tags: Tags::Refuse, ..FrontmatterRule::default() };
    assert_eq!(value("d: !important does it", &drop), Ok(text("does it")));
    assert!(value("d: !important does it", &refuse).is_err());
    for rule in [&drop, &refuse] {
        assert_eq!(value("d: !!str 42", rule), Ok(text("42")));
        assert_eq!(value("d: !<tag:yaml.org,2002:str> 42", rule), Ok(text("42")));
        assert_eq!(value("d: ! 42", rule), Ok(text("42")));
        assert_eq!(value("d: !!int 42", rule), Ok(Value::Scalar("42".into())));
    }
}

#[test]
fn merge_keys_count_only_where_the_agent_merges() {
    let apply = FrontmatterRule { merge_keys: MergeKeys::Apply, ..FrontmatterRule::default() };
    let ignore = FrontmatterRule::default();
    for frontmatter in ["<<: {d: merged}", "b: &b\n  d: merged\n<<: *b", "<<: [{x: y}, {d: merged}]"] {
        assert_eq!(value(frontmatter, &apply), Ok(text("merged")), "{frontmatter}");
        assert_eq!(value(frontmatter, &ignore), Ok(Value::Missing), "{frontmatter}");
    }
    assert_eq!(value("<<: {d: merged}\nd: own", &apply), Ok(text("own")));
    assert!(value("<<: text\nd: own", &apply).is_err());
}

#[test]
fn complex_keys_are_ignored_or_a_fault() {
    let accept = FrontmatterRule::default();
    let refuse = FrontmatterRule { complex_keys: ComplexKeys::Refuse, ..FrontmatterRule::default() };
    for frontmatter in ["d: x\n? [a, b]\n: c", "d: x\n? - a\n  - b\n: c", "d: x\n[a, b]: c", "d: x\ny: ? z"] {
        assert_eq!(value(frontmatter, &accept), Ok(text("x")), "{frontmatter}");
        assert!(value(frontmatter, &refuse).is_err(), "{frontmatter}");
    }
    assert_eq!(value("d: x\n~: y", &refuse), Ok(text("x")), "a null key is not a complex key");
}

#[test]
fn a_key_that_appears_twice_is_refused_if_the_agent_refuses_it() {
    let of = |rule, frontmatter| {
        value(frontmatter, &FrontmatterRule { duplicate_keys: rule, ..FrontmatterRule::default() })
    };
    let own = "d: one\nd: two";
    let other = "d: one\nz: 1\nz: 2";
    let deep = "d: one\nz: {a: 1, a: 2}";
    assert_eq!(of(DuplicateKeys::Last, own), Ok(text("two")));
    assert_eq!(
        of(DuplicateKeys::RefuseRead, own),
        Err((Some(2), "the key `d` appears a second time here".into()))
    );
    assert_eq!(of(DuplicateKeys::RefuseRead, other), Ok(text("one")));
    assert_eq!(of(DuplicateKeys::RefuseRead, deep), Ok(text("one")));
    assert!(of(DuplicateKeys::Refuse, other).is_err());
    assert!(of(DuplicateKeys::Refuse, deep).is_err());
}

#[test]
fn a_tab_ends_the_indentation_or_is_a_fault() {
    let accept = FrontmatterRule { tabs: Tabs::Accept, ..FrontmatterRule::default() };
    let frontmatter = "d: x\nmetadata:\n\tkey: value";
    assert_eq!(value(frontmatter, &accept), Ok(text("x")));
    assert!(value(frontmatter, &FrontmatterRule::default()).is_err());
    assert!(value("d:\n\ttext", &accept).is_err(), "the text would start at the margin");
    assert!(value("\td: x\nname: y", &accept).is_err(), "the first key would be deeper than the others");
}

#[test]
fn quoted_lines_may_start_at_the_margin() {
    let frontmatter = "d: \"a\nb\"\nname: x";
    assert_eq!(value(frontmatter, &FrontmatterRule::default()), Ok(text("a b")));
    let strict = FrontmatterRule { quoted_lines: QuotedLines::Indented, ..FrontmatterRule::default() };
    assert!(value(frontmatter, &strict).is_err());
    assert!(value("d: a\nb", &FrontmatterRule::default()).is_err(), "text outside of quotes may not");
}

#[test]
fn line_ends_are_those_of_the_agent() {
    let unicode = FrontmatterRule { line_ends: LineEnds::Unicode, ..FrontmatterRule::default() };
    assert_eq!(value("d: a\u{85}b", &FrontmatterRule::default()), Ok(text("a\u{85}b")));
    assert!(value("d: a\u{2028}b", &unicode).is_err());
}

#[test]
fn values_have_the_types_that_the_agent_gives_them() {
    let core = FrontmatterRule::default();
    let js = FrontmatterRule { typing: Typing::JsYaml3, null: Null::WrongKind, ..FrontmatterRule::default() };
    for (frontmatter, in_core, in_js) in [
        ("d: 2026-01-31", Value::Text("2026-01-31".into()), Value::Scalar("2026-01-31".into())),
        ("d: '2026-01-31'", Value::Text("2026-01-31".into()), Value::Text("2026-01-31".into())),
        ("d: 0o17", Value::Scalar("0o17".into()), Value::Text("0o17".into())),
        ("d: True", Value::Scalar("True".into()), Value::Scalar("True".into())),
        ("d: yes", Value::Text("yes".into()), Value::Text("yes".into())),
        ("d:", Value::Null, Value::Null),
        ("x: y", Value::Missing, Value::Missing),
        ("d: [a]", Value::Other("a list"), Value::Other("a list")),
    ] {
        assert_eq!(value(frontmatter, &core), Ok(in_core), "{frontmatter}");
        assert_eq!(value(frontmatter, &js), Ok(in_js), "{frontmatter}");
    }
}

#[test]
fn too_complex_yaml_is_reported_as_our_limit() {
    let frontmatter = format!("d: {}{}", "[".repeat(80), "]".repeat(80));
    let fault = read(&frontmatter, &FrontmatterRule::default(), &[]).unwrap_err();
    assert!(fault.our_bound);
}

#[test]
fn spaces_at_the_end_of_a_quoted_line_fold_or_stay() {
    let keep = FrontmatterRule { quoted_spaces: QuotedSpaces::Keep, ..FrontmatterRule::default() };
    for (frontmatter, folded, kept) in [
        ("d: \"a  \n  b\"", "a b", "a   b"),
        ("d: 'a \t\r\n  b'", "a b", "a \t b"),
        ("d: \"a\n   \n  b\"", "a\nb", "a\nb"),
        ("d: a  \n  b", "a b", "a b"),
        ("d: 'it''s  \n  b'", "it's b", "it's   b"),
        ("d: |-\n  'a  \n  b", "'a  \nb", "'a  \nb"),
    ] {
        assert_eq!(value(frontmatter, &FrontmatterRule::default()), Ok(text(folded)), "{frontmatter:?}");
        assert_eq!(value(frontmatter, &keep), Ok(text(kept)), "{frontmatter:?}");
    }
}

#[test]
fn half_characters_are_joined_or_refused() {
    let refuse = FrontmatterRule { surrogates: Surrogates::Refuse, ..FrontmatterRule::default() };
    let pair = r#"d: "x \ud83c\udfc6""#;
    assert_eq!(value(pair, &FrontmatterRule::default()), Ok(text("x \u{1f3c6}")));
    assert!(value(pair, &refuse).is_err());
    assert!(
        value(
            r#"d: y
z: {a: ["\uD83C\uDFC6"]}"#,
            &refuse
        )
        .is_err(),
        "at any position"
    );
    for frontmatter in [r"d: x \ud83c", r#"d: "x \\ud83c""#, r#"d: "\u00e9""#] {
        assert!(value(frontmatter, &refuse).is_ok(), "{frontmatter}");
    }
}

#[test]
fn text_after_a_closed_value_is_a_fault_or_the_next_key() {
    let next = FrontmatterRule { trailing_text: TrailingText::NextKey, ..FrontmatterRule::default() };
    for (frontmatter, wanted) in [
        ("d: \"a\" b: c", text("a")),
        ("d: 'a' b: c", text("a")),
        ("d: [a] b: c", Value::Other("a list")),
        ("d: [a] b: [c] e: f", Value::Other("a list")),
        ("x: \"y\" d: z", text("z")),
    ] {
        assert_eq!(value(frontmatter, &next), Ok(wanted), "{frontmatter}");
        assert!(value(frontmatter, &FrontmatterRule::default()).is_err(), "{frontmatter}");
    }
    assert!(value("d: \"a\" b", &next).is_err(), "a word is not a key");
    assert!(value("d: \"a\": b", &next).is_err());
}

proptest::proptest! {
    #[test]
    fn no_frontmatter_makes_a_view_panic(frontmatter in "[a-z:&*!?\\[\\]{}'\"|>#\n \t\\\\~<é-]{0,60}") {
        for agent in ["codex", "opencode", "gemini-cli", "claude-code", "zed", "goose", "skillful"] {
            let agent = AgentProfiles::embedded_agent(agent).unwrap();
            let cut = Cut { frontmatter: &frontmatter, body: "", lines: 1, language: Language::Yaml, is_plain: true };
            let _ = parse::read(&agent, &cut);
        }
    }
}

#[test]
fn a_block_at_the_end_of_the_frontmatter_has_no_line_end_in_agents_that_cut_it() {
    let rule = FrontmatterRule { last_line_end: false, ..FrontmatterRule::default() };
    let read_as =
        |text: &str, rule: &FrontmatterRule| read(text, rule, &[]).unwrap().value("description", rule);
    let text = |text: &str| Value::Text(text.to_owned());
    for (written, short, usual) in [
        ("name: a\ndescription: |\n  One.\n  Two.", "One.\nTwo.", "One.\nTwo.\n"),
        ("name: a\ndescription: |\n  \"One.\"", "\"One.\"", "\"One.\"\n"),
        ("description: |\n  One.\nname: a", "One.\n", "One.\n"),
        ("name: a\ndescription: |+\n  One.\n\n", "One.\n\n", "One.\n\n"),
        ("name: a\ndescription: \"One.\\n\"", "One.\n", "One.\n"),
    ] {
        assert_eq!(read_as(written, &rule), text(short), "{written}");
        assert_eq!(read_as(written, &FrontmatterRule::default()), text(usual), "{written}");
    }
}
