use super::*;
use insta::assert_snapshot;
use skillful_format::{Code, source::span_in};

const TEXT: &str = "---\ndescription: |\n  größer\n  zwei\n---\n";

#[test]
fn fields_have_stable_names_and_what_is_not_known_is_left_out() {
    let start = TEXT.find("größer").unwrap();
    let whole = start..TEXT.find("zwei").unwrap() + 4;
    let findings = [
        Diagnostic::new(Code::WrongType, "all of it")
            .in_path("/work/SKILL.md")
            .at(span_in(TEXT, whole.clone()))
            .help("fix it"),
        Diagnostic::new(Code::NonSpecKey, "no text").in_path("/gone/SKILL.md").at(span_in(TEXT, whole)),
        Diagnostic::new(Code::ConfigInvalid, "nowhere"),
    ];
    let view = with_ends(&findings, |path| path.starts_with("/work").then(|| TEXT.to_owned()));
    assert_snapshot!(to_text(&view, Layout::Indented).unwrap(), @r#"
    [
      {
        "code": "wrong-type",
        "severity": "error",
        "path": "/work/SKILL.md",
        "line": 3,
        "column": 3,
        "end_line": 4,
        "end_column": 7,
        "start": 21,
        "end": 36,
        "message": "all of it",
        "help": "fix it"
      },
      {
        "code": "non-spec-key",
        "severity": "note",
        "path": "/gone/SKILL.md",
        "line": 3,
        "column": 3,
        "start": 21,
        "end": 36,
        "message": "no text"
      },
      {
        "code": "config-invalid",
        "severity": "warning",
        "message": "nowhere"
      }
    ]
    "#);
}

#[test]
fn json_text_holds_nothing_raw_and_reads_back_the_same() {
    let message = "\u{1b}[2J \u{9b}1m \u{202e} \u{e0041} \u{7f} ä 🦀 \n \"\\u0041\"";
    let findings = [Diagnostic::new(Code::ConfigInvalid, message)];
    let text = to_text(&with_ends(&findings, |_| None::<String>), Layout::Indented).unwrap();
    assert!(!text.contains(|c| c != '\n' && visible::is_hidden(c)));
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read[0]["message"], message);
}
