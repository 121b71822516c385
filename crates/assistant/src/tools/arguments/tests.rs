use super::*;
use serde_json::json;

fn read<T>(values: Value, then: impl Fn(Arguments<'_>) -> Result<T, String>) -> Result<T, String> {
    let Value::Object(values) = values else { panic!("an object") };
    then(Arguments::new(&values, &["path", "limit", "all", "edits"])?)
}

#[test]
fn a_wrong_argument_is_named_with_what_was_expected_and_what_came() {
    let error = |values, then: fn(Arguments<'_>) -> Result<(), String>| read(values, then).unwrap_err();
    let text = |a: Arguments<'_>| a.text("path").map(|_| ());
    let number = |a: Arguments<'_>| a.number("limit", 1..=9, 3).map(|_| ());
    let flag = |a: Arguments<'_>| a.flag("all").map(|_| ());
    let list = |a: Arguments<'_>| a.list("edits", &["old"]).map(|_| ());
    for (values, then, said) in [
        (json!({}), text as fn(Arguments<'_>) -> _, "the argument `path` is missing; it is a text"),
        (json!({ "path": null }), text, "the argument `path` is missing; it is a text"),
        (json!({ "path": 7 }), text, "the argument `path` must be a text, and came a number: 7"),
        (json!({ "paht": "x" }), text, "there is no argument `paht`; there are path, limit, all, edits"),
        (
            json!({ "limit": 10 }),
            number,
            "the argument `limit` must be a whole number from 1 to 9, and came a number: 10",
        ),
        (
            json!({ "limit": -1 }),
            number,
            "the argument `limit` must be a whole number from 1 to 9, and came a number: -1",
        ),
        (json!({ "all": "yes" }), flag, "the argument `all` must be true or false, and came a text: \"yes\""),
        (
            json!({ "edits": {} }),
            list,
            "the argument `edits` must be a list of objects, and came an object: {}",
        ),
        (
            json!({ "edits": [{}, 1] }),
            list,
            "the argument `edits` must be objects, and at 1 came a number: 1",
        ),
        (
            json!({ "edits": [{ "odl": 1 }] }),
            list,
            "in `edits` at 0: there is no argument `odl`; there are old",
        ),
    ] {
        assert_eq!(error(values, then), said);
    }
}

#[test]
fn what_is_left_out_or_null_counts_as_its_default() {
    assert_eq!(read(json!({ "limit": null }), |a| a.number("limit", 1..=9, 3)), Ok(3));
    assert_eq!(read(json!({}), |a| a.flag("all")), Ok(false));
    assert_eq!(read(json!({ "path": "a" }), |a| a.maybe_text("path").map(|p| p.map(str::len))), Ok(Some(1)));
}
