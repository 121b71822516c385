//! Commands with one meaning only: for a judge who must prove what would run.
//!
//! Three readers must agree before a command is returned. The grammar must take it; every character must be
//! in a token of the grammar; and the lexer of this crate must cut the same tokens. So a difference between
//! the grammar's reading and a shell's cannot open a gate.

#[cfg(test)]
mod tests;

use crate::{
    grammar::{Globs, Tokens},
    lexer::Dialect,
    script::List,
    tokens::{self, TokenKind},
    unreadable::Unreadable,
};
use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// A command longer than this is not read.
pub const COMMAND_LIMIT: usize = 16 << 10;
/// Openings of substitutions that are read at most; the grammar recurses.
const NEST_LIMIT: usize = 32;
/// Tokens of a command that are read at most: more are not reviewed by anyone.
const TOKEN_LIMIT: usize = 2_000;
/// Operators that a judge knows.
const OPERATORS: [&str; 11] = ["&&", "||", "|", ";", ">", ">>", ">|", "<", ">&", "&>", "&>>"];

/// Reads a command line.
pub fn read(command: &[u8]) -> Result<List, Unreadable> {
    if command.len() > COMMAND_LIMIT {
        return Err(Unreadable::TooLong(COMMAND_LIMIT));
    }
    let text = std::str::from_utf8(command).map_err(|_| Unreadable::NotText)?;
    if let Some(c) = text.chars().find(|c| !is_visible(*c)) {
        return Err(Unreadable::Character(c.into()));
    }
    // Blanks around a command, a last line break among them, mean nothing to a shell.
    let text = text.trim_matches([' ', '\t', '\n']);
    if text.is_empty() {
        return Err(Unreadable::Empty);
    }
    let openings = text.matches(['`', '(']).count() + text.matches("${").count();
    if openings > NEST_LIMIT && text.contains(['$', '`']) {
        return Err(Unreadable::TooNested);
    }
    // The grammar does not come back from a here-document that never ends inside a substitution.
    if openings > 0 && text.contains("<<") {
        return Err(Unreadable::Operator("<<".to_owned()));
    }
    // Extended globs are off in a shell that runs a command, so `!(x)` must not be read as a word.
    let tokens = Tokens::of(text, Globs::Plain).map_err(Unreadable::Syntax)?;
    if tokens.written().len() > TOKEN_LIMIT {
        return Err(Unreadable::TooLong(COMMAND_LIMIT));
    }
    account(text, &tokens)?;
    let list = tokens.parse(text).map_err(Unreadable::Syntax)?;
    agree(text, &tokens)?;
    Ok(list)
}

/// Whether a character shows what it is. Tabs and line breaks are judged later, where they stand.
fn is_visible(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control() || matches!(c, '\t' | '\n');
    }
    !matches!(
        get_general_category(c),
        Category::Control
            | Category::Format
            | Category::LineSeparator
            | Category::ParagraphSeparator
            | Category::SpaceSeparator
            | Category::PrivateUse
            | Category::Surrogate
            | Category::Unassigned
    )
}

/// Shows that nothing but blanks lies between the tokens, and that every operator is one we judge.
fn account(text: &str, tokens: &Tokens) -> Result<(), Unreadable> {
    let mut rest = text;
    for (piece, operator) in tokens.written() {
        rest = rest.trim_start_matches([' ', '\t']);
        if operator && piece == "\n" || rest.starts_with('\n') {
            return Err(Unreadable::Lines);
        }
        rest = rest.strip_prefix(piece).ok_or_else(|| hidden(rest))?;
        if operator && !OPERATORS.contains(&piece) {
            return Err(Unreadable::Operator(piece.to_owned()));
        }
    }
    if rest.trim_matches([' ', '\t']).is_empty() { Ok(()) } else { Err(hidden(rest)) }
}

fn hidden(rest: &str) -> Unreadable {
    Unreadable::Hidden(rest.trim_start().chars().take(16).collect())
}

/// Shows that the lexer cuts the text as the grammar does.
fn agree(text: &str, tokens: &Tokens) -> Result<(), Unreadable> {
    let mut own = Vec::new();
    for token in tokens::tokens(text, Dialect::Script) {
        let piece = &text[token.range.clone()];
        // To the grammar the number of a descriptor is a word of its own.
        let digits = match token.kind {
            TokenKind::Operator => piece.len() - piece.trim_start_matches(|c: char| c.is_ascii_digit()).len(),
            _ => 0,
        };
        own.extend([&piece[..digits], &piece[digits..]].into_iter().filter(|piece| !piece.is_empty()));
    }
    match tokens.written().zip(&own).find(|((theirs, _), ours)| theirs != *ours) {
        None if tokens.written().len() == own.len() => Ok(()),
        None => Err(hidden(text)),
        Some((_, ours)) => Err(hidden(ours)),
    }
}
