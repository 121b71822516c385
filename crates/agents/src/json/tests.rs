use super::{JsonForm, parse};
use proptest::prelude::*;
use serde_json::json;

#[test]
fn comments_and_trailing_commas_are_removed() {
    for (text, wanted) in [
        ("{\"a\": 1} // x", json!({ "a": 1 })),
        ("/* a\nb */{}", json!({})),
        ("[1, 2, ]", json!([1, 2])),
        ("{\"a\": [1,], // c\n}", json!({ "a": [1] })),
        ("\u{feff}{}", json!({})),
    ] {
        assert_eq!(parse(text, JsonForm::TrailingCommas), Ok(wanted), "{text:?}");
    }
}

#[test]
fn text_in_quotes_stays() {
    assert_eq!(
        parse("{\"a\": \"// b, ] /* c */\"}", JsonForm::TrailingCommas),
        Ok(json!({ "a": "// b, ] /* c */" }))
    );
    assert_eq!(parse("{\"a\": \"\\\",]\"}", JsonForm::TrailingCommas), Ok(json!({ "a": "\",]" })));
    assert_eq!(parse("[1,2]", JsonForm::Comments), Ok(json!([1, 2])));
}

#[test]
fn commas_stay_where_the_agent_does_not_take_them() {
    for text in ["[1,]", "{\"a\": 1,}", "[1, // c\n]"] {
        assert!(
            parse(text, JsonForm::Comments).is_err() && parse(text, JsonForm::TrailingCommas).is_ok(),
            "{text}"
        );
    }
}

#[test]
fn nothing_else_is_allowed_that_json_does_not_allow() {
    for text in [
        "",
        " // only a comment",
        "{a: 1}",
        "{'a': 1}",
        "[1 2]",
        "[,]",
        "[1,,]",
        "0x10",
        "+1",
        ".5",
        "1.",
        "01",
        "NaN",
        "\"\\x41\"",
        "\"a\nb\"",
        "{} {}",
        "{",
        "[1",
        "tru",
        "{\"a\"}",
        "{,}",
    ] {
        assert!(parse(text, JsonForm::TrailingCommas).is_err(), "{text:?}");
    }
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert!(parse(&deep, JsonForm::TrailingCommas).is_err());
}

/// Pieces of JSON, right and wrong.
const PIECES: [&str; 20] = [
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"a\"",
    "\"b\":",
    "\"\\n\\u00e4\"",
    "\"\n\"",
    "\"\\",
    "1",
    "0",
    "-",
    ".5",
    "e2",
    "true",
    "null",
    " ",
    "\n",
];

proptest! {
    #[test]
    fn plain_json_is_read_as_serde_reads_it(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..10)) {
        // Minus zero is read as zero.
        let text = pieces.concat().replace("-0", "-1");
        let plain = serde_json::from_str::<serde_json::Value>(&text).ok().filter(|value| !value.is_null());
        prop_assert_eq!(parse(&text, JsonForm::Comments).ok(), plain, "{:?}", text);
    }
}

#[test]
fn strict_json_has_no_comments() {
    assert!(parse("{} // c", JsonForm::Strict).is_err());
    assert!(parse("[1,]", JsonForm::Strict).is_err());
    assert_eq!(parse("\u{feff}[1]", JsonForm::Strict), Ok(json!([1])));
}
