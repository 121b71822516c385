use super::plain;

#[test]
fn comments_and_trailing_commas_are_removed() {
    for (text, wanted) in [
        ("{\"a\": 1} // x", "{\"a\": 1} "),
        ("/* a\nb */{}", "\n{}"),
        ("[1, 2, ]", "[1, 2  ]"),
        ("{\"a\": [1,], // c\n}", "{\"a\": [1 ]  \n}"),
        ("\u{feff}{}", "{}"),
    ] {
        assert_eq!(plain(text, true), wanted, "{text:?}");
    }
}

#[test]
fn text_in_quotes_stays() {
    for text in ["{\"a\": \"// b, ] /* c */\"}", "{\"a\": \"\\\",]\"}", "[1,2]"] {
        assert_eq!(plain(text, true), text);
    }
    assert_eq!(plain("[1,]", false), "[1,]", "commas stay if the agent does not accept them");
}
