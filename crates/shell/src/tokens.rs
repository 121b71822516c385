//! Words and operators of shell text, by the lexer.

use crate::lexer::{Context, Dialect, Lexeme, Lexer};
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word with everything nested in it.
    Word,
    /// An operator; the parentheses of a subshell too.
    Operator,
    /// A line break between commands.
    Newline,
    /// A comment, or the lines of a here-document.
    Other,
}

/// A word or an operator, with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnToken {
    pub(crate) kind: TokenKind,
    pub(crate) range: Range<usize>,
}

/// The tokens of a text; blanks are between them.
pub(crate) fn tokens(text: &str, dialect: Dialect) -> Vec<OwnToken> {
    let mut cutter = Cutter::default();
    let mut lexer = Lexer::new(text, dialect);
    while let Some((lexeme, range)) = lexer.next() {
        cutter.add(lexeme, range, lexer.depth());
    }
    cutter.end_word();
    cutter.found
}

#[derive(Default)]
struct Cutter {
    found: Vec<OwnToken>,
    word: Option<Range<usize>>,
    /// Subshells that are open and whose commands are tokens of their own.
    subshells: usize,
}

impl Cutter {
    fn add(&mut self, lexeme: Lexeme, range: Range<usize>, depth: usize) {
        match lexeme {
            Lexeme::Open(Context::Subshell) if self.may_start_command() && depth == self.subshells + 1 => {
                self.subshells += 1;
                self.push(TokenKind::Operator, range);
            }
            Lexeme::Close(_) if depth < self.subshells => {
                self.subshells = depth;
                self.push(TokenKind::Operator, range);
            }
            Lexeme::Open(_) | Lexeme::Close(_) => self.extend(range),
            _ if depth > self.subshells => self.extend(range),
            Lexeme::Blank => self.end_word(),
            Lexeme::Newline => self.push(TokenKind::Newline, range),
            Lexeme::Operator => self.push(TokenKind::Operator, range),
            Lexeme::Comment | Lexeme::HereBody { .. } | Lexeme::HereEnd => self.push(TokenKind::Other, range),
            _ => self.extend(range),
        }
    }

    /// Whether a command may start here, so that a parenthesis is a subshell and not a part of a word.
    fn may_start_command(&self) -> bool {
        self.word.is_none() && self.found.last().is_none_or(|token| token.kind != TokenKind::Word)
    }

    fn extend(&mut self, range: Range<usize>) {
        self.word = Some(self.word.take().map_or(range.clone(), |word| word.start..range.end));
    }

    fn end_word(&mut self) {
        if let Some(range) = self.word.take() {
            self.found.push(OwnToken { kind: TokenKind::Word, range });
        }
    }

    fn push(&mut self, kind: TokenKind, range: Range<usize>) {
        self.end_word();
        self.found.push(OwnToken { kind, range });
    }
}
