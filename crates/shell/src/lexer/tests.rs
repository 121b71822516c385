use super::*;
use proptest::prelude::*;

/// Each lexeme as it is written, without blanks.
#[track_caller]
fn check(text: &str, expected: &[(Lexeme, &str)]) {
    let found: Vec<(Lexeme, &str)> = Lexer::new(text, Dialect::Script)
        .filter(|(lexeme, _)| *lexeme != Lexeme::Blank)
        .map(|(lexeme, range)| (lexeme, &text[range]))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn quotes_and_escapes_end_where_a_shell_ends_them() {
    use Lexeme::{Close, Escape, Open, Parameter, Single, Text};
    check(r#"a\ b'c"d'"#, &[(Text, "a"), (Escape, "\\ "), (Text, "b"), (Single { closed: true }, "'c\"d'")]);
    check(
        r#""a'$x\"b" c"#,
        &[
            (Open(Context::Double), "\""),
            (Text, "a'"),
            (Parameter, "$x"),
            (Escape, "\\\""),
            (Text, "b"),
            (Close(Context::Double), "\""),
            (Text, "c"),
        ],
    );
    check("'open", &[(Single { closed: false }, "'open")]);
    check(
        "$$'a' $'b\\'c'",
        &[(Parameter, "$$"), (Single { closed: true }, "'a'"), (Lexeme::AnsiC { closed: true }, "$'b\\'c'")],
    );
}

#[test]
fn substitutions_nest_and_hold_quotes_of_their_own() {
    use Lexeme::{Close, Open, Text};
    check(
        r#""$(a "b)")""#,
        &[
            (Open(Context::Double), "\""),
            (Open(Context::Substitution), "$("),
            (Text, "a"),
            (Open(Context::Double), "\""),
            (Text, "b)"),
            (Close(Context::Double), "\""),
            (Close(Context::Substitution), ")"),
            (Close(Context::Double), "\""),
        ],
    );
    check(
        "${a:-${b}}c",
        &[
            (Open(Context::Expansion), "${"),
            (Text, "a:-"),
            (Open(Context::Expansion), "${"),
            (Text, "b"),
            (Close(Context::Expansion), "}"),
            (Close(Context::Expansion), "}"),
            (Text, "c"),
        ],
    );
    check(
        "$((1+(2)))",
        &[
            (Open(Context::Arithmetic), "$(("),
            (Text, "1+"),
            (Text, "("),
            (Text, "2"),
            (Text, ")"),
            (Close(Context::Arithmetic), "))"),
        ],
    );
}

#[test]
fn a_pattern_of_case_does_not_close_a_substitution() {
    let text = "$(case x in a) b;; (c) d;; esac) e";
    let closes: Vec<usize> = Lexer::new(text, Dialect::Script)
        .filter(|(lexeme, _)| *lexeme == Lexeme::Close(Context::Substitution))
        .map(|(_, range)| range.start)
        .collect();
    assert_eq!(closes, [text.rfind(") e").unwrap()]);
    check(
        "$(echo case)",
        &[
            (Lexeme::Open(Context::Substitution), "$("),
            (Lexeme::Text, "echo"),
            (Lexeme::Text, "case"),
            (Lexeme::Close(Context::Substitution), ")"),
        ],
    );
}

#[test]
fn operators_descriptors_and_comments_are_distinguished_from_words() {
    use Lexeme::{Comment, Newline, Operator, Text};
    check(
        "a 2>&1 b#c&&d # e;f\ng",
        &[
            (Text, "a"),
            (Operator, "2>&"),
            (Text, "1"),
            (Text, "b#c"),
            (Operator, "&&"),
            (Text, "d"),
            (Comment, "# e;f"),
            (Newline, "\n"),
            (Text, "g"),
        ],
    );
    // To some shells a carriage return is a letter, and then this is not a comment.
    check("a \r#b", &[(Text, "a"), (Text, "#b")]);
}

#[test]
fn here_documents_are_bodies_and_not_commands() {
    use Lexeme::{HereBody, HereEnd, Newline, Operator, Single, Text};
    check(
        "cat <<A <<-'B'\n'x\nA\n\t$y\n\tB\nz",
        &[
            (Text, "cat"),
            (Operator, "<<"),
            (Text, "A"),
            (Operator, "<<-"),
            (Single { closed: true }, "'B'"),
            (Newline, "\n"),
            (HereBody { expands: true }, "'x\n"),
            (HereEnd, "A\n"),
            (HereBody { expands: false }, "\t$y\n"),
            (HereEnd, "\tB\n"),
            (Text, "z"),
        ],
    );
    check(
        "cat <<A\nnever ends",
        &[
            (Text, "cat"),
            (Operator, "<<"),
            (Text, "A"),
            (Newline, "\n"),
            (HereBody { expands: true }, "never ends"),
        ],
    );
}

#[test]
fn deep_and_wide_text_takes_no_more_than_linear_time() {
    for piece in ["$(", "${'", "\"${", "(", "((", "<<a ", "`", "$'", "case x in a)", "é"] {
        let text = piece.repeat(200_000);
        assert!(Lexer::new(&text, Dialect::Script).count() > 0, "{piece}");
    }
}

proptest! {
    #[test]
    fn every_byte_is_in_one_lexeme(
        text in "[ab $'\"`(){}\\[\\]<>|&;#\\\\\n\t=!1é-]{0,80}",
        dialect in prop::sample::select(vec![
            Dialect::Script, Dialect::Fragment, Dialect::Word, Dialect::HereDocument, Dialect::Typed,
        ]),
    ) {
        let mut end = 0;
        for (_, range) in Lexer::new(&text, dialect) {
            prop_assert_eq!(range.start, end);
            prop_assert!(range.end > range.start && text.get(range.clone()).is_some());
            end = range.end;
        }
        prop_assert_eq!(end, text.len());
    }
}
