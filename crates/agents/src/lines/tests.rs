use super::read;

fn both(frontmatter: &str) -> Option<(String, String)> {
    read(frontmatter)
}

#[test]
fn both_fields_must_be_there() {
    assert_eq!(both("name: a"), None);
    assert_eq!(both("description: b"), None);
    assert_eq!(both("name : a\ndescription: b"), None, "no space before the colon");
    assert_eq!(both("name: a\ndescription:"), Some(("a".into(), String::new())));
}

#[test]
fn values_are_taken_as_written() {
    for (value, wanted) in [
        ("\"Does\" it", "\"Does\" it"),
        ("a # b", "a # b"),
        ("| text", "| text"),
        ("[one, two]", "[one, two]"),
        ("\u{3000}x\u{feff}", "x"),
    ] {
        assert_eq!(both(&format!("name:x\ndescription: {value}")), Some(("x".into(), wanted.into())));
    }
}

#[test]
fn indented_lines_continue_a_description() {
    let frontmatter = "description: one\n  two\n\tthree\n\n  four\nname: x";
    assert_eq!(both(frontmatter), Some(("x".into(), "one two three".into())), "a blank line ends it");
    assert_eq!(both("name: x\r\ndescription: >\r\n  a\r\n  b"), Some(("x".into(), "> a b".into())));
}

#[test]
fn the_last_one_wins_at_any_indentation() {
    assert_eq!(both("name: a\ndescription: b\nmetadata:\n  name: inner"), Some(("inner".into(), "b".into())));
}
