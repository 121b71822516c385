//! Commands of text that may not be shell: a fragment, an example with a prompt, a line with a placeholder.
//!
//! The grammar is asked first. What it does not take is cut into lines, commands and words by the lexer, so
//! that one line which cannot be read does not hide the command beside it.

#[cfg(test)]
mod tests;

use crate::{
    bounds::is_bounded,
    grammar::{Globs, Tokens},
    lexer::Dialect,
    script::List,
    tokens::{TokenKind, tokens},
};
use std::ops::Range;

/// Prompts of examples.
const PROMPTS: [&str; 5] = ["$", "%", ">", "#", "!"];

/// Text as far as it can be read.
#[derive(Clone, Debug)]
pub enum Loose<'a> {
    /// The grammar takes it.
    Script(List),
    /// The commands of each line.
    Lines(Vec<Vec<LooseCommand<'a>>>),
}

/// A command of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LooseCommand<'a> {
    /// The program and its arguments, as written.
    pub words: Vec<&'a str>,
    /// Operators of redirections, without a descriptor, and what stands behind them.
    pub redirections: Vec<(&'a str, &'a str)>,
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Whether it takes the output of the command before it.
    pub piped: bool,
}

/// Reads text that may not be shell.
pub fn read(text: &str) -> Loose<'_> {
    if is_bounded(text)
        && let Ok(list) = Tokens::of(text, Globs::Extended).and_then(|tokens| tokens.parse(text))
    {
        return Loose::Script(list);
    }
    Loose::Lines(lines(text))
}

fn lines(text: &str) -> Vec<Vec<LooseCommand<'_>>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        // A backslash before the line break joins two lines.
        let bare = line.trim_end_matches(['\n', '\r']);
        let continued =
            bare.len() < line.len() && !(bare.len() - bare.trim_end_matches('\\').len()).is_multiple_of(2);
        if continued && end < text.len() {
            continue;
        }
        let whole = &text[start..end];
        if !whole.trim().is_empty() && !whole.trim_start().starts_with('#') {
            found.push(commands(whole, start));
        }
        start = end;
    }
    found
}

/// The commands of a line.
fn commands(line: &str, offset: usize) -> Vec<LooseCommand<'_>> {
    let mut found = Vec::new();
    let mut command = LooseCommand::default();
    let mut operator: Option<&str> = None;
    for token in tokens(line, Dialect::Fragment) {
        let text = &line[token.range.clone()];
        let range = token.range.start + offset..token.range.end + offset;
        match token.kind {
            TokenKind::Word => {
                if operator.is_none() && command.words.is_empty() && PROMPTS.contains(&text) {
                    continue;
                }
                if command.words.is_empty() && command.redirections.is_empty() {
                    command.range = range.clone();
                }
                command.range.end = range.end;
                match operator.take() {
                    Some(operator) => command.redirections.push((operator, text)),
                    None => command.words.push(text),
                }
            }
            TokenKind::Operator if text.contains(['<', '>']) => {
                let bare = text.trim_start_matches(|c: char| c.is_ascii_digit());
                let alone = line[token.range.end..].starts_with(char::is_whitespace);
                let prompt = alone && command.words.is_empty() && PROMPTS.contains(&text);
                operator = (!prompt).then_some(bare);
            }
            TokenKind::Operator | TokenKind::Newline => {
                operator = None;
                let piped = matches!(text, "|" | "|&");
                found
                    .push(std::mem::replace(&mut command, LooseCommand { piped, ..LooseCommand::default() }));
            }
            TokenKind::Other => {}
        }
    }
    found.push(command);
    found.retain(|command| !command.words.is_empty() || !command.redirections.is_empty());
    found
}
