use super::*;

fn check(text: &str, skill: Option<&str>, confidence: f32, tier: Tier) {
    let expected = Verdict { skill: skill.map(str::to_owned), confidence, tier };
    assert_eq!(read(text), Some(expected), "{text}");
}

#[test]
fn an_object_is_read_alone_fenced_or_inside_text() {
    let object = r#"{"skill": "a", "confidence": 0.5, "model_tier": "coding", "reason": "x {y}"}"#;
    check(object, Some("a"), 0.5, Tier::Coding);
    check(&format!("```json\n{object}\n```"), Some("a"), 0.5, Tier::Coding);
    check(&format!("Let me see {{not json}}. {{\"a\": 1}} So: {object} Done."), Some("a"), 0.5, Tier::Coding);
}

#[test]
fn missing_or_invalid_fields_get_their_default() {
    check(r#"{"skill": "a"}"#, Some("a"), 0.8, Tier::Balanced);
    check(r#"{"skill": "a", "confidence": "high", "model_tier": "huge"}"#, Some("a"), 0.8, Tier::Balanced);
    check(r#"{"skill": "a", "confidence": 7, "model_tier": " Deep "}"#, Some("a"), 1.0, Tier::Deep);
    check(r#"{"skill": "a", "confidence": -1}"#, Some("a"), 0.0, Tier::Balanced);
}

#[test]
fn no_skill_can_be_expressed_in_several_ways() {
    for skill in ["null", "\"none\"", "\"None\"", "\" \"", "\"\""] {
        check(&format!(r#"{{"skill": {skill}}}"#), None, 0.8, Tier::Balanced);
    }
}

#[test]
fn other_answers_are_not_a_verdict() {
    for text in ["", "none", "a", "{", "[]", "{\"skill\": 3}", "{\"skil\": \"a\"}", "{\"skill\": \"a\""] {
        assert_eq!(read(text), None, "{text}");
    }
    assert_eq!(read(&"{".repeat(100_000)), None);
}
