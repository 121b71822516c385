//! One word of a command, and the pieces it is made of.

#[cfg(test)]
mod tests;

use crate::lexer::{Context, Dialect, Lexeme, Lexer};
use std::{borrow::Cow, ops::Range};

/// A word as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// With its quotes.
    pub raw: String,
    /// Its bytes in the text, where they are known.
    pub range: Option<Range<usize>>,
}

impl Word {
    /// What the word is made of.
    pub fn pieces(&self) -> Pieces<'_> {
        Pieces::of_word(&self.raw)
    }
}

/// What a word, or the body of a here-document, is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces<'a> {
    /// In their order.
    pub list: Vec<Piece<'a>>,
    /// Whether every quote, expansion and substitution has its end.
    pub closed: bool,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Characters without quotes; between double quotes, characters without a meaning of their own.
    Text(&'a str),
    /// The character that a backslash protects; empty for a backslash at the end of the text.
    Escaped(&'a str),
    /// What stands in `'…'`.
    Single(&'a str),
    /// What stands in `$'…'`, undecoded.
    AnsiC(&'a str),
    /// What stands in `"…"`.
    Double(Vec<Piece<'a>>),
    /// What stands in `$"…"`, which some shells translate.
    Translated(Vec<Piece<'a>>),
    /// `$name`, `${name…}`
    Parameter {
        /// The name, the number or the special character.
        name: &'a str,
        /// What stands behind the name in braces.
        operation: &'a str,
    },
    /// The commands of `$(…)`, `` `…` ``, `<(…)` and `>(…)`.
    Substitution(Cow<'a, str>),
    /// The expression of `$((…))` and `$[…]`.
    Arithmetic(&'a str),
}

impl<'a> Pieces<'a> {
    /// The pieces of one word.
    pub fn of_word(raw: &'a str) -> Self {
        Self::read(raw, Dialect::Word)
    }

    /// The pieces of the body of a here-document that the shell expands: quotes in it are text.
    pub fn of_here_document(body: &'a str) -> Self {
        Self::read(body, Dialect::HereDocument)
    }

    /// The pieces of one typed word: quotes and backslashes only.
    pub(crate) fn of_typed(raw: &'a str) -> Self {
        Self::read(raw, Dialect::Typed)
    }

    fn read(raw: &'a str, dialect: Dialect) -> Self {
        let mut lexer = Lexer::new(raw, dialect);
        let mut builder = Builder { raw, list: Vec::new(), double: None, translated: false, closed: true };
        while let Some((lexeme, range)) = lexer.next() {
            match lexeme {
                Lexeme::Open(Context::Double) => {
                    builder.double = Some(Vec::new());
                    builder.translated = raw[range].starts_with('$');
                }
                Lexeme::Close(_) => builder.end_double(),
                Lexeme::Open(context) => {
                    let close = close_of(&mut lexer);
                    builder.closed &= close.is_some();
                    let end = close.map_or(raw.len(), |close| close.start);
                    builder.nested(context, &raw[range.end..end]);
                }
                _ => builder.add(lexeme, range, dialect),
            }
        }
        builder.closed &= builder.double.is_none();
        builder.end_double();
        Self { list: builder.list, closed: builder.closed }
    }
}

/// The mark that closes the context which was just opened.
fn close_of(lexer: &mut Lexer<'_>) -> Option<Range<usize>> {
    let depth = lexer.depth();
    while let Some((_, range)) = lexer.next() {
        if lexer.depth() < depth {
            return Some(range);
        }
    }
    None
}

struct Builder<'a> {
    raw: &'a str,
    list: Vec<Piece<'a>>,
    /// The pieces between double quotes that are open.
    double: Option<Vec<Piece<'a>>>,
    translated: bool,
    closed: bool,
}

impl<'a> Builder<'a> {
    fn push(&mut self, piece: Piece<'a>) {
        self.double.as_mut().unwrap_or(&mut self.list).push(piece);
    }

    fn end_double(&mut self) {
        if let Some(pieces) = self.double.take() {
            let quoted = if self.translated { Piece::Translated } else { Piece::Double };
            self.list.push(quoted(pieces));
        }
    }

    fn nested(&mut self, context: Context, inner: &'a str) {
        match context {
            Context::Expansion => {
                let name = parameter_name(inner);
                self.push(Piece::Parameter {
                    name,
                    operation: inner.split_once(name).map_or("", |(_, o)| o),
                });
            }
            Context::Arithmetic => self.push(Piece::Arithmetic(inner)),
            Context::Substitution | Context::Process | Context::Subshell | Context::Double => {
                self.push(Piece::Substitution(Cow::Borrowed(inner)));
            }
        }
    }

    fn add(&mut self, lexeme: Lexeme, range: Range<usize>, dialect: Dialect) {
        let text = &self.raw[range];
        let mut inner = |opening: usize, closed: bool| {
            self.closed &= closed;
            &text[opening..text.len() - usize::from(closed)]
        };
        let piece = match lexeme {
            Lexeme::Single { closed } => Piece::Single(inner(1, closed)),
            Lexeme::AnsiC { closed } => Piece::AnsiC(inner(2, closed)),
            Lexeme::Backquotes { closed } => Piece::Substitution(unescaped(inner(1, closed))),
            Lexeme::OldArithmetic { closed } => Piece::Arithmetic(inner(2, closed)),
            Lexeme::Parameter => Piece::Parameter { name: &text[1..], operation: "" },
            Lexeme::Escape => {
                let protected = &text[1..];
                let special = match (self.double.is_some(), dialect) {
                    (true, Dialect::Typed) => matches!(protected, "\"" | "\\" | "$" | "`"),
                    (true, _) => matches!(protected, "\"" | "\\" | "$" | "`" | "\n"),
                    (false, Dialect::HereDocument) => matches!(protected, "\\" | "$" | "`" | "\n"),
                    (false, _) => true,
                };
                if special { Piece::Escaped(protected) } else { Piece::Text(text) }
            }
            _ => Piece::Text(text),
        };
        self.push(piece);
    }
}

/// The name in `${…}`: behind `!` or `#`, before an index or an operation.
fn parameter_name(inner: &str) -> &str {
    let behind = inner.strip_prefix(['!', '#']).filter(|behind| !behind.is_empty()).unwrap_or(inner);
    let name = behind.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let special = behind.starts_with(['@', '*', '#', '?', '-', '$', '!']);
    if name == 0 && special { &behind[..1] } else { &behind[..name] }
}

/// Commands between backquotes, where a backslash protects backquotes, dollars and itself.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains("\\`") && !text.contains("\\\\") && !text.contains("\\$") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('`' | '\\' | '$')) => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}
