use crate::bare;

/// What holds depends on the machine; that the exit code, the text and the JSON agree does not.
#[test]
fn sandbox_exits_with_0_where_a_tier_holds_and_with_4_where_none_does() {
    let machine = bare();
    let output = machine.run("sandbox --json");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let usable = json["tiers"].as_array().unwrap().iter().find(|tier| tier["usable"] == true);
    let expected = if usable.is_some() { 0 } else { 4 };
    assert_eq!(output.status.code(), Some(expected), "{json}");
    assert_eq!(json["best"], usable.map_or(serde_json::Value::Null, |tier| tier["tier"].clone()));
    for tier in json["tiers"].as_array().unwrap() {
        assert_ne!(tier["usable"] == true, tier["fix"].is_string(), "what does not hold has a fix: {tier}");
    }
    assert!(json["limits"]["processes"]["by"].is_string() && json["limits"]["memory"]["by"].is_string());
    let text = machine.run("sandbox");
    assert_eq!(text.status.code(), Some(expected));
    let text = String::from_utf8(text.stdout).unwrap();
    for word in ["bubblewrap", "landlock", "processes", "memory"] {
        assert!(text.contains(word), "{text}");
    }
}
