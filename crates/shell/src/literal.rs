//! A word whose value is known without running anything: plain text, single quotes, double quotes and escapes
//! without an expansion, which every shell reads alike.

use crate::{
    unreadable::Unreadable,
    word::{Piece, Word},
};

/// A word after its quotes are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// What the program gets, unless the word is open.
    pub text: String,
    /// Whether the shell may make other words of it: a glob or a leading tilde.
    pub open: bool,
    /// Whether what it becomes can start with anything, a hyphen too.
    pub open_start: bool,
    /// Whether it was written without quotes and escapes.
    pub plain: bool,
}

impl Literal {
    /// The value of a word, or why it is not certain.
    pub fn of(word: &Word) -> Result<Self, Unreadable> {
        let pieces = word.pieces();
        let mut reader = Reader {
            raw: &word.raw,
            literal: Self {
                text: String::with_capacity(word.raw.len()),
                open: false,
                open_start: false,
                plain: true,
            },
            first: true,
            braces: false,
            brace_list: false,
        };
        for (at, piece) in pieces.list.iter().enumerate() {
            reader.piece(piece, at + 1 == pieces.list.len())?;
            reader.first = false;
        }
        if !pieces.closed {
            return Err(Unreadable::Syntax(format!("a quote without its end in `{}`", word.raw)));
        }
        if reader.braces && reader.brace_list {
            return Err(Unreadable::Braces(word.raw.clone()));
        }
        Ok(reader.literal)
    }

    /// Whether it is exactly this text, whatever the shell does.
    pub fn is(&self, text: &str) -> bool {
        !self.open && self.text == text
    }
}

struct Reader<'a> {
    raw: &'a str,
    literal: Literal,
    first: bool,
    braces: bool,
    brace_list: bool,
}

impl Reader<'_> {
    fn expansion(&self) -> Unreadable {
        Unreadable::Expansion(self.raw.to_owned())
    }

    fn piece(&mut self, piece: &Piece<'_>, last: bool) -> Result<(), Unreadable> {
        match piece {
            Piece::Text(text) => self.text(text, last),
            Piece::Single(text) => {
                self.literal.plain = false;
                self.literal.text.push_str(text);
                Ok(())
            }
            Piece::Escaped(c) => {
                self.literal.plain = false;
                self.escaped(c)
            }
            Piece::Double(pieces) => {
                self.literal.plain = false;
                pieces.iter().try_for_each(|piece| self.quoted(piece))
            }
            Piece::AnsiC(_)
            | Piece::Translated(_)
            | Piece::Parameter { .. }
            | Piece::Substitution(_)
            | Piece::Arithmetic(_) => Err(self.expansion()),
        }
    }

    fn quoted(&mut self, piece: &Piece<'_>) -> Result<(), Unreadable> {
        match piece {
            Piece::Text(text) if !text.contains(['$', '`']) => {
                self.literal.text.push_str(text);
                Ok(())
            }
            Piece::Escaped(c) => self.escaped(c),
            _ => Err(self.expansion()),
        }
    }

    /// A line break behind a backslash joins lines, which hides what stands on the next one.
    fn escaped(&mut self, c: &str) -> Result<(), Unreadable> {
        if matches!(c, "" | "\n") {
            return Err(Unreadable::Hidden("\\".to_owned()));
        }
        self.literal.text.push_str(c);
        Ok(())
    }

    fn text(&mut self, text: &str, last: bool) -> Result<(), Unreadable> {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let first = std::mem::take(&mut self.first);
            match c {
                // Expansions, and what a grammar must not leave inside a word.
                '$' | '`' | '(' | ')' | '<' | '>' | '|' | '&' | ';' | ' ' | '\t' | '\n' => {
                    return Err(self.expansion());
                }
                // In zsh it names the path of a program; `^` and `#` start patterns there.
                '=' | '^' | '#' if first => return Err(self.expansion()),
                '!' if chars.peek().is_some() || !last => return Err(self.expansion()),
                '*' | '?' | '[' => {
                    self.literal.open = true;
                    self.literal.open_start |= first;
                }
                '~' if first || self.literal.text.ends_with([':', '=']) => self.literal.open = true,
                '{' | '}' => self.braces = true,
                ',' => self.brace_list = true,
                '.' => self.brace_list |= chars.peek() == Some(&'.'),
                _ => {}
            }
            self.literal.text.push(c);
        }
        Ok(())
    }
}
