use super::{Described, description, name};
use crate::{Listed, UnseenCode, dialect::Value};
use skillful_profiles::{AgentProfile, AgentProfiles, Missing};

fn agent(id: &str) -> AgentProfile {
    AgentProfiles::embedded_agent(id).unwrap()
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn of_body<'a>(value: &'a Value, body: &'a str) -> Described<'a> {
    Described { value, body: Some(body), is_command: false }
}

/// The name that an agent gives, or the reason why it refuses.
fn named(id: &str, value: &Value) -> Result<String, String> {
    name(&agent(id), value, "folder").map_err(|cause| cause.reason)
}

#[test]
fn each_agent_accepts_or_changes_names_by_its_own_rule() {
    for (id, value, wanted) in [
        ("codex", text("two  words"), Ok("two words")),
        ("codex", text("  "), Ok("folder")),
        ("codex", Value::Null, Ok("folder")),
        ("codex", Value::Scalar("1.0".into()), Ok("1.0")),
        ("codex", Value::Other("a list"), Err("Codex requires a name that is text, but this is a list")),
        ("opencode", text("  "), Ok("  ")),
        ("opencode", text("a/b"), Ok("a/b")),
        ("opencode", Value::Missing, Err("OpenCode refuses a skill without a name")),
        ("gemini-cli", text(r#"a:b\c/d<e>f*g?h"i|j"#), Ok("a-b-c-d-e-f-g-h-i-j")),
        ("gemini-cli", text(""), Ok("")),
        ("goose", text("a/b"), Err("goose refuses the name `a/b`: it allows no slash")),
        (
            "zed",
            text("-a"),
            Err("Zed refuses the name `-a`: it allows only lower-case letters, digits and hyphens"),
        ),
        ("zed", text("a--b"), Ok("a--b")),
        ("cursor", text("other"), Err("Cursor requires the name `other` to be the folder's name, `folder`")),
        ("cursor", text("folder"), Ok("folder")),
        ("claude-code", Value::Missing, Ok("folder")),
    ] {
        assert_eq!(named(id, &value).as_deref().map_err(String::as_str), wanted, "{id} {value:?}");
    }
}

#[test]
fn lengths_are_counted_in_characters() {
    let wide = "技".repeat(64);
    assert_eq!(named("codex", &text(&wide)), Ok(wide.clone()));
    let long = format!("{wide}技");
    let reason = "Codex refuses names over 64 characters; this one has 65";
    assert_eq!(named("codex", &text(&long)), Err(reason.to_owned()));
}

#[test]
fn a_missing_description_is_refused_hidden_or_replaced() {
    let of = |id: &str, value: &Value| description(&agent(id), of_body(value, "\n# First line\nmore"), None);
    let unlisted = Listed::UserOnly("it has no description".to_owned());
    assert_eq!(of("codex", &Value::Missing).unwrap_err().code, UnseenCode::Description);
    assert_eq!(of("codex", &text(" \u{3000}")).unwrap_err().code, UnseenCode::Description);
    assert_eq!(of("opencode", &Value::Missing).unwrap(), (None, unlisted));
    assert_eq!(of("opencode", &Value::Null).unwrap_err().code, UnseenCode::Description);
    assert_eq!(of("opencode", &text("")).unwrap(), (Some(String::new()), Listed::Model));
    assert_eq!(of("claude-code", &Value::Missing).unwrap(), (Some("First line".into()), Listed::Model));
}

#[test]
fn a_root_may_be_stricter_than_its_agent() {
    let of = |root| description(&agent("oh-my-pi"), of_body(&Value::Missing, ""), root);
    assert!(of(None).is_ok());
    assert_eq!(of(Some(Missing::Refuse)).unwrap_err().code, UnseenCode::Description);
}

#[test]
fn spaces_fold_if_the_agent_folds_them() {
    let of =
        |id: &str| description(&agent(id), of_body(&text(" a\u{a0}\n b "), ""), None).unwrap().0.unwrap();
    assert_eq!(of("codex"), "a b");
    assert_eq!(of("opencode"), " a\u{a0}\n b ");
}

#[test]
fn the_first_line_of_the_body_stands_in_without_the_mark_of_a_heading() {
    let of = |body: &str, is_command: bool| {
        let text = Described { value: &Value::Missing, body: Some(body), is_command };
        description(&agent("claude-code"), text, None).unwrap().0.unwrap()
    };
    for (body, wanted) in [
        ("\n\n## First *line*\n", "First *line*"),
        ("#\ntext", "#"),
        ("#tag\n", "#tag"),
        ("   indented\n", "indented"),
        ("", "Skill"),
    ] {
        assert_eq!(of(body, false), wanted, "{body:?}");
    }
    assert_eq!(of("", true), "Custom command");
    assert_eq!(of(&"a".repeat(100), false), "a".repeat(100));
    assert_eq!(of(&"a".repeat(101), false), format!("{}...", "a".repeat(97)));
}

#[test]
fn a_list_counts_as_missing_where_the_agent_says_so() {
    let list = Value::Other("a list");
    assert_eq!(named("claude-code", &list), Ok("folder".to_owned()));
    let found = description(&agent("claude-code"), of_body(&list, "Body."), None).unwrap().0;
    assert_eq!(found.as_deref(), Some("Body."));
}
