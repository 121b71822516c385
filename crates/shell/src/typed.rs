//! Words that a user types behind a name, and words written so that every shell reads them back.

use crate::{
    lexer::{Dialect, Lexeme, Lexer},
    word::{Piece, Pieces},
};

/// Splits what a user typed as a shell would: blanks separate, quotes and backslashes join. Nothing else is
/// special, and a quote that is never closed reaches to the end, so that nothing typed is lost.
pub fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut start = None;
    for (lexeme, range) in Lexer::new(text, Dialect::Typed) {
        if lexeme == Lexeme::Blank {
            words.extend(start.take().map(|start| unquoted(&text[start..range.start])));
        } else {
            start.get_or_insert(range.start);
        }
    }
    words.extend(start.map(|start| unquoted(&text[start..])));
    words
}

/// What a typed word says without its quotes.
fn unquoted(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for piece in Pieces::of_typed(raw).list {
        match piece {
            Piece::Double(inner) => inner.iter().for_each(|piece| out.push_str(characters(piece))),
            piece => out.push_str(characters(&piece)),
        }
    }
    out
}

fn characters<'a>(piece: &Piece<'a>) -> &'a str {
    match piece {
        Piece::Escaped("") => "\\",
        Piece::Text(text) | Piece::Escaped(text) | Piece::Single(text) => text,
        // Nothing is expanded in what is typed.
        _ => "",
    }
}

/// A word that every shell reads as these characters.
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_blanks_quotes_and_backslashes_are_special() {
        assert_eq!(split("a  \"b c\" 'd\\ e' f\\ g"), ["a", "b c", "d\\ e", "f g"]);
        assert_eq!(split("$(id) `x` a|b; (c) #d"), ["$(id)", "`x`", "a|b;", "(c)", "#d"]);
        assert_eq!(split("it's\u{a0}me"), ["its\u{a0}me"]);
        assert_eq!(split(r#""a\"b\n" c\"#), ["a\"b\\n", "c\\"]);
    }

    proptest! {
        #[test]
        fn a_quoted_word_is_read_back(words in prop::collection::vec("\\PC{0,12}", 0..5)) {
            let text = words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(split(&text), words);
        }
    }
}
