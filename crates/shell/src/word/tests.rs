use super::*;

#[track_caller]
fn check(raw: &str, expected: &[Piece<'_>]) {
    let pieces = Pieces::of_word(raw);
    assert!(pieces.closed, "{raw}");
    assert_eq!(pieces.list, expected, "{raw}");
}

fn parameter<'a>(name: &'a str, operation: &'a str) -> Piece<'a> {
    Piece::Parameter { name, operation }
}

#[test]
fn a_word_is_taken_apart_at_its_quotes_and_expansions() {
    check("a'b c'\\ d", &[Piece::Text("a"), Piece::Single("b c"), Piece::Escaped(" "), Piece::Text("d")]);
    check(
        r#""a\$\x$y""#,
        &[Piece::Double(vec![Piece::Text("a"), Piece::Escaped("$"), Piece::Text("\\x"), parameter("y", "")])],
    );
    check("$'\\x41'$\"b\"", &[Piece::AnsiC("\\x41"), Piece::Translated(vec![Piece::Text("b")])]);
    check("a;b |c", &[Piece::Text("a;b |c")]);
}

#[test]
fn names_of_parameters_are_known_whatever_is_done_with_them() {
    check("$HOME/$1$@", &[parameter("HOME", ""), Piece::Text("/"), parameter("1", ""), parameter("@", "")]);
    check("${x:-$(id)}", &[parameter("x", ":-$(id)")]);
    check("${#x}${!y}${z[0]}", &[parameter("x", ""), parameter("y", ""), parameter("z", "[0]")]);
    check("${#}${@}${x//\\}/b}", &[parameter("#", ""), parameter("@", ""), parameter("x", "//\\}/b")]);
}

#[test]
fn commands_in_a_word_are_given_as_they_would_run() {
    check("$(a \"b)\")", &[Piece::Substitution("a \"b)\"".into())]);
    check("`a \\`b\\``", &[Piece::Substitution("a `b`".into())]);
    check(
        "\"`a`\"$((1+1))$[2]",
        &[
            Piece::Double(vec![Piece::Substitution("a".into())]),
            Piece::Arithmetic("1+1"),
            Piece::Arithmetic("2"),
        ],
    );
}

#[test]
fn what_has_no_end_is_said_to_have_none() {
    for raw in ["'a", "\"a", "$(a", "${a", "`a", "$'a", "\"$(a\"", "$((1"] {
        assert!(!Pieces::of_word(raw).closed, "{raw}");
    }
}

#[test]
fn quotes_in_a_here_document_are_text() {
    let pieces = Pieces::of_here_document("it's \"$x\" \\$y \\\"");
    assert_eq!(
        pieces.list,
        [
            Piece::Text("it's \""),
            parameter("x", ""),
            Piece::Text("\" "),
            Piece::Escaped("$"),
            Piece::Text("y "),
            Piece::Text("\\\""),
        ]
    );
}
