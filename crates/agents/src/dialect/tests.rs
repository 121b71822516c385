use super::{Value, read};
use crate::{
    fence::{Cut, Language},
    mend,
};
use skillful_profiles::{
    AgentProfiles, ComplexKeys, DuplicateKeys, HeaderRule, LineEnds, MergeKeys, Null, QuotedBlanks,
    QuotedLines, Surrogates, Tabs, Tags, TrailingText, Typing,
};

/// The value of `d`, or the line and the message of the fault.
fn value(text: &str, rule: &HeaderRule) -> Result<Value, (Option<u32>, String)> {
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
    let rule = HeaderRule::default();
    assert_eq!(value("d: &a does it", &rule), Ok(text("does it")));
    assert_eq!(value("x: &a text\nd: *a", &rule), Ok(text("text")));
    assert_eq!(value("x: &m {y: z}\nd: *m", &rule), Ok(Value::Other("a mapping")));
    assert!(value("d: x\ny: *nothing", &rule).is_err());
}

#[test]
fn tags_are_dropped_or_refused() {
    let drop = HeaderRule { tags: Tags::Drop, ..HeaderRule::default() };
    let refuse = HeaderRule { tags: Tags::Refuse, ..HeaderRule::default() };
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
    let apply = HeaderRule { merge_keys: MergeKeys::Apply, ..HeaderRule::default() };
    let ignore = HeaderRule::default();
    for header in ["<<: {d: merged}", "b: &b\n  d: merged\n<<: *b", "<<: [{x: y}, {d: merged}]"] {
        assert_eq!(value(header, &apply), Ok(text("merged")), "{header}");
        assert_eq!(value(header, &ignore), Ok(Value::Missing), "{header}");
    }
    assert_eq!(value("<<: {d: merged}\nd: own", &apply), Ok(text("own")));
    assert!(value("<<: text\nd: own", &apply).is_err());
}

#[test]
fn complex_keys_are_a_key_nobody_reads_or_a_fault() {
    let accept = HeaderRule::default();
    let refuse = HeaderRule { complex_keys: ComplexKeys::Refuse, ..HeaderRule::default() };
    for header in ["d: x\n? [a, b]\n: c", "d: x\n? - a\n  - b\n: c", "d: x\n[a, b]: c", "d: x\ny: ? z"] {
        assert_eq!(value(header, &accept), Ok(text("x")), "{header}");
        assert!(value(header, &refuse).is_err(), "{header}");
    }
    assert_eq!(value("d: x\n~: y", &refuse), Ok(text("x")), "a key without a text is no complex key");
}

#[test]
fn a_key_written_twice_is_refused_where_the_agent_says_so() {
    let of = |rule, header| value(header, &HeaderRule { duplicate_keys: rule, ..HeaderRule::default() });
    let own = "d: one\nd: two";
    let other = "d: one\nz: 1\nz: 2";
    let deep = "d: one\nz: {a: 1, a: 2}";
    assert_eq!(of(DuplicateKeys::Last, own), Ok(text("two")));
    assert_eq!(
        of(DuplicateKeys::RefuseRead, own),
        Err((Some(2), "the key `d` stands here a second time".into()))
    );
    assert_eq!(of(DuplicateKeys::RefuseRead, other), Ok(text("one")));
    assert_eq!(of(DuplicateKeys::RefuseRead, deep), Ok(text("one")));
    assert!(of(DuplicateKeys::Refuse, other).is_err());
    assert!(of(DuplicateKeys::Refuse, deep).is_err());
}

#[test]
fn a_tab_ends_the_indentation_or_the_reading() {
    let accept = HeaderRule { tabs: Tabs::Accept, ..HeaderRule::default() };
    let header = "d: x\nmetadata:\n\tkey: value";
    assert_eq!(value(header, &accept), Ok(text("x")));
    assert!(value(header, &HeaderRule::default()).is_err());
    assert!(value("d:\n\ttext", &accept).is_err(), "the text would stand at the margin");
    assert!(value("\td: x\nname: y", &accept).is_err(), "the first key would stand deeper than the others");
}

#[test]
fn quoted_lines_may_start_at_the_margin() {
    let header = "d: \"a\nb\"\nname: x";
    assert_eq!(value(header, &HeaderRule::default()), Ok(text("a b")));
    let strict = HeaderRule { quoted_lines: QuotedLines::Indented, ..HeaderRule::default() };
    assert!(value(header, &strict).is_err());
    assert!(value("d: a\nb", &HeaderRule::default()).is_err(), "text outside of quotes may not");
}

#[test]
fn line_ends_are_those_of_the_agent() {
    let unicode = HeaderRule { line_ends: LineEnds::Unicode, ..HeaderRule::default() };
    assert_eq!(value("d: a\u{85}b", &HeaderRule::default()), Ok(text("a\u{85}b")));
    assert!(value("d: a\u{2028}b", &unicode).is_err());
}

#[test]
fn values_are_typed_as_the_agent_does() {
    let core = HeaderRule::default();
    let js = HeaderRule { typing: Typing::JsYaml3, null: Null::WrongKind, ..HeaderRule::default() };
    for (header, in_core, in_js) in [
        ("d: 2026-01-31", Value::Text("2026-01-31".into()), Value::Scalar("2026-01-31".into())),
        ("d: '2026-01-31'", Value::Text("2026-01-31".into()), Value::Text("2026-01-31".into())),
        ("d: 0o17", Value::Scalar("0o17".into()), Value::Text("0o17".into())),
        ("d: True", Value::Scalar("True".into()), Value::Scalar("True".into())),
        ("d: yes", Value::Text("yes".into()), Value::Text("yes".into())),
        ("d:", Value::Null, Value::Null),
        ("x: y", Value::Missing, Value::Missing),
        ("d: [a]", Value::Other("a list"), Value::Other("a list")),
    ] {
        assert_eq!(value(header, &core), Ok(in_core), "{header}");
        assert_eq!(value(header, &js), Ok(in_js), "{header}");
    }
}

#[test]
fn what_is_too_involved_is_our_bound_and_not_the_agents() {
    let header = format!("d: {}{}", "[".repeat(80), "]".repeat(80));
    let fault = read(&header, &HeaderRule::default(), &[]).unwrap_err();
    assert!(fault.our_bound);
}

#[test]
fn blanks_at_the_end_of_a_quoted_line_fold_or_stay() {
    let keep = HeaderRule { quoted_blanks: QuotedBlanks::Keep, ..HeaderRule::default() };
    for (header, folded, kept) in [
        ("d: \"a  \n  b\"", "a b", "a   b"),
        ("d: 'a \t\r\n  b'", "a b", "a \t b"),
        ("d: \"a\n   \n  b\"", "a\nb", "a\nb"),
        ("d: a  \n  b", "a b", "a b"),
        ("d: 'it''s  \n  b'", "it's b", "it's   b"),
        ("d: |-\n  'a  \n  b", "'a  \nb", "'a  \nb"),
    ] {
        assert_eq!(value(header, &HeaderRule::default()), Ok(text(folded)), "{header:?}");
        assert_eq!(value(header, &keep), Ok(text(kept)), "{header:?}");
    }
}

#[test]
fn half_characters_are_joined_or_refused() {
    let refuse = HeaderRule { surrogates: Surrogates::Refuse, ..HeaderRule::default() };
    let pair = r#"d: "x \ud83c\udfc6""#;
    assert_eq!(value(pair, &HeaderRule::default()), Ok(text("x \u{1f3c6}")));
    assert!(value(pair, &refuse).is_err());
    assert!(
        value(
            r#"d: y
z: {a: ["\uD83C\uDFC6"]}"#,
            &refuse
        )
        .is_err(),
        "wherever it stands"
    );
    for header in [r"d: x \ud83c", r#"d: "x \\ud83c""#, r#"d: "\u00e9""#] {
        assert!(value(header, &refuse).is_ok(), "{header}");
    }
}

#[test]
fn text_after_a_closed_value_is_a_fault_or_the_next_key() {
    let next = HeaderRule { trailing_text: TrailingText::NextKey, ..HeaderRule::default() };
    for (header, wanted) in [
        ("d: \"a\" b: c", text("a")),
        ("d: 'a' b: c", text("a")),
        ("d: [a] b: c", Value::Other("a list")),
        ("d: [a] b: [c] e: f", Value::Other("a list")),
        ("x: \"y\" d: z", text("z")),
    ] {
        assert_eq!(value(header, &next), Ok(wanted), "{header}");
        assert!(value(header, &HeaderRule::default()).is_err(), "{header}");
    }
    assert!(value("d: \"a\" b", &next).is_err(), "a word is no key");
    assert!(value("d: \"a\": b", &next).is_err());
}

proptest::proptest! {
    #[test]
    fn no_header_makes_an_agent_panic(header in "[a-z:&*!?\\[\\]{}'\"|>#\n \t\\\\~<é-]{0,60}") {
        for agent in ["codex", "opencode", "gemini-cli", "claude-code", "zed", "goose", "skillful"] {
            let agent = AgentProfiles::embedded_agent(agent).unwrap();
            let cut = Cut { header: &header, body: "", lines: 1, language: Language::Yaml, is_plain: true };
            let _ = mend::read(&agent, &cut);
        }
    }
}
