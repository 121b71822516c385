//! One word of a command, as the shell would pass it on.
//!
//! The grammar tells words apart; this reads one of them and takes only what has one meaning in
//! every shell: plain text, single quotes, double quotes and escapes without an expansion.

use super::unproven::Unproven;

/// A word after its quotes are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// What the program gets, unless the word is open.
    pub(crate) text: String,
    /// Whether the shell may make other words of it: a glob or a leading tilde.
    pub(crate) open: bool,
    /// Whether what it becomes can start with anything, a hyphen too.
    pub(crate) open_start: bool,
    /// Whether it was written without quotes and escapes.
    pub(crate) plain: bool,
}

impl Word {
    /// Whether it is exactly this text, whatever the shell does.
    pub(crate) fn is(&self, text: &str) -> bool {
        !self.open && self.text == text
    }
}

/// Reads one word as it stands in the command.
pub(crate) fn read(raw: &str) -> Result<Word, Unproven> {
    let mut word =
        Word { text: String::with_capacity(raw.len()), open: false, open_start: false, plain: true };
    let (mut braces, mut brace_list, mut dots) = (false, false, false);
    let mut chars = raw.chars().peekable();
    let expansion = || Unproven::Expansion(raw.to_owned());
    let syntax = |what: &str| Unproven::Syntax(format!("{what} in `{raw}`"));
    let mut first = true;
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                word.plain = false;
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.text.push(c),
                        None => return Err(syntax("a quote without its end")),
                    }
                }
            }
            '"' => {
                word.plain = false;
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('$' | '`') => return Err(expansion()),
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.text.push(c),
                            Some('\n') | None => return Err(Unproven::Hidden("\\".to_owned())),
                            Some(c) => word.text.extend(['\\', c]),
                        },
                        Some(c) => word.text.push(c),
                        None => return Err(syntax("a quote without its end")),
                    }
                }
            }
            '\\' => {
                word.plain = false;
                match chars.next() {
                    Some('\n') | None => return Err(Unproven::Hidden("\\".to_owned())),
                    Some(c) => word.text.push(c),
                }
            }
            // Expansions, and what a grammar must not leave inside a word.
            '$' | '`' | '(' | ')' | '<' | '>' | '|' | '&' | ';' | ' ' | '\t' | '\n' => {
                return Err(expansion());
            }
            // In zsh it names the path of a program.
            '=' if first => return Err(expansion()),
            '!' if chars.peek().is_some() => return Err(expansion()),
            _ => {
                match c {
                    '*' | '?' | '[' => {
                        word.open = true;
                        word.open_start |= first;
                    }
                    '~' if first || word.text.ends_with([':', '=']) => word.open = true,
                    '{' | '}' => braces = true,
                    ',' => brace_list = true,
                    '.' => dots |= chars.peek() == Some(&'.'),
                    '^' | '#' if first => return Err(expansion()),
                    _ => {}
                }
                word.text.push(c);
            }
        }
        first = false;
    }
    if braces && (brace_list || dots) {
        return Err(Unproven::Braces(raw.to_owned()));
    }
    Ok(word)
}
