use super::fits;

#[test]
fn a_star_is_any_text_and_a_question_mark_one_character() {
    for (pattern, name, wanted) in [
        ("*", "", true),
        ("*", "a-b", true),
        ("a*", "abc", true),
        ("*c", "abc", true),
        ("a*c", "ac", true),
        ("a*b*c", "aXbXbXc", true),
        ("a?c", "abc", true),
        ("a?c", "ac", false),
        ("a", "ab", false),
        ("ab", "a", false),
        ("", "", true),
        ("[a]", "a", false),
    ] {
        assert_eq!(fits(pattern, name), wanted, "{pattern:?} {name:?}");
    }
}

#[test]
fn many_stars_stay_cheap() {
    let pattern = "*a".repeat(200);
    assert!(!fits(&pattern, &"a".repeat(10_000).replace('a', "b")));
}
