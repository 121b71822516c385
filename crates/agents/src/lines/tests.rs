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

/// The fields of the reader of every line with a colon, as `key=value`.
fn lines(frontmatter: &str) -> Vec<String> {
    super::keys(frontmatter).into_iter().map(|(key, value)| format!("{key}={value}")).collect()
}

#[test]
fn every_line_with_a_colon_is_a_field_of_the_second_reader() {
    for (frontmatter, wanted) in [
        ("name: a\ndescription: b: c", vec!["description=b: c", "name=a"]),
        ("# name: a\n\n name : b \nno field", vec!["name=b"]),
        ("a: \"one \\\" two \\\\\"\nb: 'one'\nc: \"one", vec!["a=one \" two \\", "b='one'", "c=\"one"]),
        ("a: 1.0\nb: 1e3\nc: 1_0\nd: .5\ne: 0x1F", vec!["a=1", "b=1000", "c=1_0", "d=0.5", "e=0x1F"]),
        ("a: null\nb: ~\nc:", vec!["b=~"]),
        ("a: one\na: two", vec!["a=two"]),
    ] {
        assert_eq!(lines(frontmatter), wanted, "{frontmatter}");
    }
}

#[test]
fn indented_lines_are_a_list_or_a_mapping_of_the_second_reader() {
    assert_eq!(lines("a:\n  - one\n  - 2.0\nb: c"), ["a=one,2", "b=c"]);
    assert_eq!(lines("a:\n  b: c\n  d: e\nf: g"), ["a=[object Object]", "f=g"]);
    assert_eq!(lines("a: b\n  c: d"), ["a=b", "c=d"], "a line further in below a value is a field");
}
