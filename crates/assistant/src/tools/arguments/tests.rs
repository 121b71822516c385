use super::*;
use serde_json::json;

fn read<T>(values: Value, then: impl Fn(Arguments<'_>) -> Result<T, String>) -> Result<T, String> {
    let Value::Object(values) = values else { panic!("an object") };
    then(Arguments::new(&values, &["path", "limit", "all", "edits"])?)
}

#[test]
fn an_error_names_the_argument_the_expected_type_and_the_value() {
    let error = |values, then: fn(Arguments<'_>) -> Result<(), String>| read(values, then).unwrap_err();
    let text = |a: Arguments<'_>| a.text("path").map(|_| ());
    let number = |a: Arguments<'_>| a.number("limit", 1..=9, 3).map(|_| ());
    let flag = |a: Arguments<'_>| a.flag("all").map(|_| ());
    let list = |a: Arguments<'_>| a.list("edits", &["old"]).map(|_| ());
    for (values, then, said) in [
        (json!({}), text as fn(Arguments<'_>) -> _, "the argument `path` is missing; it is a string"),
        (json!({ "path": null }), text, "the argument `path` is missing; it is a string"),
        (json!({ "path": 7 }), text, "the argument `path` must be a string, not a number: 7"),
        (json!({ "paht": "x" }), text, "no argument named `paht`; the arguments are path, limit, all, edits"),
        (
            json!({ "limit": 10 }),
            number,
            "the argument `limit` must be a whole number from 1 to 9, not a number: 10",
        ),
        (
            json!({ "limit": -1 }),
            number,
            "the argument `limit` must be a whole number from 1 to 9, not a number: -1",
        ),
        (json!({ "all": "yes" }), flag, "the argument `all` must be true or false, not a string: \"yes\""),
        (json!({ "edits": {} }), list, "the argument `edits` must be a list of objects, not an object: {}"),
        (json!({ "edits": [{}, 1] }), list, "the argument `edits` must be objects, not a number at 1: 1"),
        (
            json!({ "edits": [{ "odl": 1 }] }),
            list,
            "in `edits` at 0: no argument named `odl`; the arguments are old",
        ),
    ] {
        assert_eq!(error(values, then), said);
    }
}

#[test]
fn a_missing_or_null_argument_counts_as_its_default() {
    assert_eq!(read(json!({ "limit": null }), |a| a.number("limit", 1..=9, 3)), Ok(3));
    assert_eq!(read(json!({}), |a| a.flag("all")), Ok(false));
    assert_eq!(read(json!({ "path": "a" }), |a| a.maybe_text("path").map(|p| p.map(str::len))), Ok(Some(1)));
}
