//! Patterns of commands: `git:*`, `git status`, `npm run test:*`, `docker ps *`.

use super::{
    program,
    shell::{self, Simple},
    unproven::Unproven,
};
use skillful_shell::Literal;

/// What is inside the parentheses of a grant for a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    words: Vec<PatternWord>,
    /// Whether more words may follow.
    open_end: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternWord {
    Literal(String),
    /// With `*` for any characters of one word.
    Wild(String),
}

/// How a pattern applies to one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// It is within the pattern.
    Yes,
    /// It is another command.
    No,
    /// It would be within it, but it could do something else.
    Unproven(Unproven),
}

impl CommandPattern {
    /// Reads a pattern; one that cannot be read matches nothing, and the caller reports it.
    pub(crate) fn read(pattern: &str) -> Option<Self> {
        let pattern = pattern.trim();
        let (head, open_end) = match pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *")) {
            Some(head) => (head.trim_end(), true),
            None => (pattern, false),
        };
        if !head.contains('*') {
            let [command] = shell::read(head.as_bytes()).ok()?.try_into().ok()?;
            let literal = command.files.is_empty() && command.words.iter().all(|word: &Literal| !word.open);
            let words = command.words.into_iter().map(|word| PatternWord::Literal(word.text)).collect();
            return literal.then_some(Self { words, open_end });
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "_./+-=:,@%*".contains(c);
        let words: Vec<PatternWord> = head
            .split_ascii_whitespace()
            .map(str::to_owned)
            .map(|word| if word.contains('*') { PatternWord::Wild(word) } else { PatternWord::Literal(word) })
            .collect();
        let sound = matches!(words.first(), Some(PatternWord::Literal(_)))
            && head.chars().all(|c| plain(c) || c == ' ');
        sound.then_some(Self { words, open_end })
    }

    /// Whether it lets a command through.
    pub(crate) fn allows(&self, command: &Simple) -> Match {
        let enough = command.words.len() == self.words.len()
            || self.open_end && command.words.len() > self.words.len();
        if !enough || !self.words.iter().zip(&command.words).all(|(pattern, word)| pattern.is(word)) {
            return Match::No;
        }
        let exact = !self.open_end && self.words.iter().all(|word| matches!(word, PatternWord::Literal(_)));
        match program::escape(command).filter(|_| !exact) {
            Some(reason) => Match::Unproven(reason),
            None => Match::Yes,
        }
    }

    /// Whether a word is the name of its program.
    pub(crate) fn is_program(&self, word: &str) -> bool {
        self.words
            .first()
            .is_none_or(|first| program::name(first.text()).eq_ignore_ascii_case(program::name(word)))
    }

    /// Whether it can mean a command, for a list of what is forbidden: the program by its last name
    /// in any case, the other words in this order with anything between and after them.
    pub(crate) fn may_mean(&self, command: &Simple) -> bool {
        let [first, rest @ ..] = self.words.as_slice() else { return true };
        let same = program::name(first.text()).eq_ignore_ascii_case(program::name(command.program()));
        let mut words = command.words[1..].iter();
        same && rest.iter().all(|pattern| words.any(|word| word.open || pattern.is(word)))
    }

    /// Whether everything this lets through is let through by `wider` too, as far as can be proven.
    pub(crate) fn within(&self, wider: &Self) -> bool {
        let head = self.words.len() >= wider.words.len()
            && wider.words.iter().zip(&self.words).all(|(wide, narrow)| wide == narrow);
        head && if wider.open_end { true } else { !self.open_end && self.words.len() == wider.words.len() }
    }
}

impl PatternWord {
    fn text(&self) -> &str {
        match self {
            Self::Literal(text) | Self::Wild(text) => text,
        }
    }

    fn is(&self, word: &Literal) -> bool {
        match self {
            Self::Literal(text) => word.is(text),
            Self::Wild(pattern) => !word.open && wild(pattern, &word.text),
        }
    }
}

/// Whether `text` matches the pattern, `*` standing for anything, from both ends inwards.
pub(crate) fn wild(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
