use super::deep;
use serde_json::{Value, json};

fn merged(first: &str, second: &str) -> String {
    let mut value: Value = serde_json::from_str(first).unwrap();
    deep(&mut value, serde_json::from_str(second).unwrap());
    value.to_string()
}

#[test]
fn known_keys_keep_their_place_and_new_ones_come_last() {
    assert_eq!(merged(r#"{"a":1,"*":2}"#, r#"{"b":3,"a":4}"#), r#"{"a":4,"*":2,"b":3}"#);
    assert_eq!(merged(r#"{"s":{"a":1}}"#, r#"{"s":{"b":2}}"#), r#"{"s":{"a":1,"b":2}}"#);
}

#[test]
fn a_list_or_a_text_replaces() {
    assert_eq!(merged(r#"{"s":{"a":1}}"#, r#"{"s":"x"}"#), r#"{"s":"x"}"#);
    assert_eq!(merged(r#"{"s":"x"}"#, r#"{"s":{"a":1}}"#), r#"{"s":{"a":1}}"#);
    assert_eq!(merged(r#"{"s":[1,2]}"#, r#"{"s":[3]}"#), r#"{"s":[3]}"#);
    let mut value = json!({});
    deep(&mut value, json!({"a": null}));
    assert_eq!(value, json!({"a": null}));
}
