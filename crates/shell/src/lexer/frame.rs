//! What the lexer remembers about one level of nesting: how far a simple command is, so that `#`, `case` and
//! the delimiter of a here-document are distinguished from ordinary words.

use super::Context;

/// Words behind which another command starts.
pub(crate) const BEFORE_A_COMMAND: [&str; 11] =
    ["!", "do", "elif", "else", "if", "then", "time", "until", "while", "{", "coproc"];

/// One level of nesting.
pub(super) struct Frame {
    pub(super) context: Option<Context>,
    /// Whether single quotes are text.
    pub(super) in_double: bool,
    /// Whether this or an outer level is `${…}`.
    pub(super) in_expansion: bool,
    /// Whether this or an outer level is arithmetic.
    pub(super) in_arithmetic: bool,
    /// Parentheses that are open in arithmetic.
    pub(super) parentheses: usize,
    /// `case` commands that are open; a parenthesis in one ends a pattern.
    pub(super) cases: usize,
    position: Position,
    /// Where the word that is being read starts.
    word: Option<usize>,
    next: NextWord,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// The next word is the name of a command, or a reserved word.
    Start,
    /// Behind `case`.
    CaseSubject,
    /// Behind what `case` looks at.
    CaseIn,
    /// Among the arguments.
    Rest,
}

/// What the next word is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextWord {
    Command,
    RedirectionTarget,
    Delimiter { indented: bool },
}

impl Frame {
    pub(super) fn outermost(in_double: bool) -> Self {
        Self {
            context: None,
            in_double,
            in_expansion: false,
            in_arithmetic: false,
            parentheses: 0,
            cases: 0,
            position: Position::Start,
            word: None,
            next: NextWord::Command,
        }
    }

    /// The level that a mark in this one opens.
    pub(super) fn inner(&self, context: Context) -> Self {
        let in_double = match context {
            Context::Double => true,
            Context::Expansion | Context::Arithmetic => self.in_double,
            Context::Substitution | Context::Process | Context::Subshell => false,
        };
        Self {
            context: Some(context),
            in_expansion: self.in_expansion || context == Context::Expansion,
            in_arithmetic: self.in_arithmetic || context == Context::Arithmetic,
            ..Self::outermost(in_double)
        }
    }

    pub(super) fn start_word(&mut self, at: usize) {
        self.word.get_or_insert(at);
    }

    pub(super) fn is_in_word(&self) -> bool {
        self.word.is_some()
    }

    /// Ends the word that is being read. The delimiter of a here-document is returned, and whether tabs
    /// before its end are skipped.
    pub(super) fn end_word<'a>(&mut self, text: &'a str, end: usize) -> Option<(&'a str, bool)> {
        let raw = &text[self.word.take()?..end];
        match std::mem::replace(&mut self.next, NextWord::Command) {
            NextWord::Delimiter { indented } => return Some((raw, indented)),
            NextWord::RedirectionTarget => return None,
            NextWord::Command => {}
        }
        self.position = match self.position {
            Position::Start if raw == "case" => {
                self.cases += 1;
                Position::CaseSubject
            }
            Position::Start if raw == "esac" => {
                self.cases = self.cases.saturating_sub(1);
                Position::Rest
            }
            Position::Start if BEFORE_A_COMMAND.contains(&raw) => Position::Start,
            Position::CaseSubject => Position::CaseIn,
            Position::CaseIn if raw == "in" => Position::Start,
            _ => Position::Rest,
        };
        None
    }

    /// An operator was read behind the last word.
    pub(super) fn operator(&mut self, operator: &str) {
        self.next = match operator.trim_start_matches(|c: char| c.is_ascii_digit()) {
            "<<" => NextWord::Delimiter { indented: false },
            "<<-" => NextWord::Delimiter { indented: true },
            other if other.contains(['<', '>']) => NextWord::RedirectionTarget,
            _ => {
                self.position = Position::Start;
                NextWord::Command
            }
        };
    }
}
