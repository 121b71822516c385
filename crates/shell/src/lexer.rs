//! Quotes, escapes, expansions, operators and here-documents of shell text: the one place that knows where
//! each of them starts and ends.
//!
//! The lexer goes over a text once, without recursion, and returns lexemes that cover every byte. Words,
//! loose commands and the contexts of placeholders are all made from these lexemes.

mod frame;
mod scan;
#[cfg(test)]
mod tests;

pub(crate) use frame::BEFORE_A_COMMAND;
use frame::Frame;
use std::{collections::VecDeque, ops::Range};

/// What the outermost text is. What is nested in it, such as `$(…)`, is always a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Shell text, whole.
    Script,
    /// A line that may be cut out of something else: every Unicode blank separates words, `#` starts no
    /// comment, since an interactive shell may read on, and `<name>` and `->` are text.
    Fragment,
    /// One word that a grammar cut out: blanks and operators in it are text.
    Word,
    /// The body of a here-document: like text between double quotes that never end.
    HereDocument,
    /// Arguments that a user typed: quotes and backslashes only.
    Typed,
}

/// What encloses a stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// `"…"` and `$"…"`
    Double,
    /// `${…}`
    Expansion,
    /// `$(…)`
    Substitution,
    /// `<(…)` and `>(…)`
    Process,
    /// `(…)`
    Subshell,
    /// `$((…))` and `((…))`
    Arithmetic,
}

/// A piece of shell text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lexeme {
    /// Characters without a meaning of their own.
    Text,
    /// A backslash and the character behind it, if there is one.
    Escape,
    /// `'…'`
    Single { closed: bool },
    /// `$'…'`
    AnsiC { closed: bool },
    /// `` `…` ``
    Backquotes { closed: bool },
    /// `$[…]`
    OldArithmetic { closed: bool },
    /// `$name`, `$1`, `$@`
    Parameter,
    /// The mark that opens a context.
    Open(Context),
    /// The mark that closes it.
    Close(Context),
    /// Blanks between words.
    Blank,
    /// A line break between commands.
    Newline,
    /// `# …` to the end of its line.
    Comment,
    /// `|`, `&&`, `2>`, `<<-` and their kind; the number of a descriptor is part of it.
    Operator,
    /// The lines of a here-document.
    HereBody { expands: bool },
    /// The line that ends it.
    HereEnd,
}

/// The lexemes of a text.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    dialect: Dialect,
    /// The outermost text first.
    frames: Vec<Frame>,
    here: Vec<HereDocument>,
    queue: VecDeque<(Lexeme, Range<usize>)>,
}

/// A here-document whose body was not reached yet.
struct HereDocument {
    end: String,
    expands: bool,
    indented: bool,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str, dialect: Dialect) -> Self {
        Self {
            text,
            at: 0,
            dialect,
            frames: vec![Frame::outermost(dialect == Dialect::HereDocument)],
            here: Vec::new(),
            queue: VecDeque::new(),
        }
    }

    /// How many contexts enclose the next lexeme.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    /// The context that encloses the next lexeme most closely.
    pub(crate) fn innermost(&self) -> Option<Context> {
        self.frames.last().and_then(|frame| frame.context)
    }

    /// Whether `${…}` encloses the next lexeme, however closely.
    pub(crate) fn is_in_expansion(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.in_expansion)
    }

    /// Whether arithmetic encloses the next lexeme, however closely.
    pub(crate) fn is_in_arithmetic(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.in_arithmetic)
    }

    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::outermost(self.dialect == Dialect::HereDocument));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn lexeme(&mut self) -> Lexeme {
        match self.innermost() {
            Some(Context::Double) => self.double(),
            Some(Context::Expansion) => self.expansion(),
            Some(Context::Arithmetic) => self.arithmetic(),
            Some(Context::Substitution | Context::Process | Context::Subshell) => self.code(),
            None => match self.dialect {
                Dialect::Script | Dialect::Fragment => self.code(),
                Dialect::Word | Dialect::Typed => self.word(),
                Dialect::HereDocument => self.double(),
            },
        }
    }

    /// Whether quotes are text here: between double quotes, and in expansions there.
    fn is_in_double(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.in_double)
    }

    fn open(&mut self, context: Context, length: usize) -> Lexeme {
        let at = self.at;
        let frame = self.frame();
        frame.start_word(at);
        let inner = frame.inner(context);
        self.frames.push(inner);
        self.at += length;
        Lexeme::Open(context)
    }

    fn close(&mut self, context: Context, length: usize) -> Lexeme {
        self.frames.pop();
        self.at += length;
        Lexeme::Close(context)
    }

    /// Ends the word that is being read; a here-document is registered by its delimiter.
    fn end_word(&mut self) {
        let (text, at) = (self.text, self.at);
        if let Some((delimiter, indented)) = self.frame().end_word(text, at) {
            let quoted = delimiter.contains(['\'', '"', '\\']);
            let end = delimiter.replace(['\'', '"', '\\'], "");
            self.here.push(HereDocument { end, expands: !quoted, indented });
        }
    }

    /// Queues the bodies of the here-documents of the line that just ended.
    fn here_bodies(&mut self) {
        let mut at = self.at;
        for here in std::mem::take(&mut self.here) {
            let start = at;
            let mut end = None;
            for line in self.text[start..].split_inclusive('\n') {
                let bare = line.strip_suffix('\n').unwrap_or(line);
                let bare = if here.indented { bare.trim_start_matches('\t') } else { bare };
                if bare == here.end {
                    end = Some(at..at + line.len());
                    break;
                }
                at += line.len();
            }
            if at > start {
                self.queue.push_back((Lexeme::HereBody { expands: here.expands }, start..at));
            }
            if let Some(end) = end {
                at = end.end;
                self.queue.push_back((Lexeme::HereEnd, end));
            }
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = (Lexeme, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(queued) = self.queue.pop_front() {
            self.at = queued.1.end;
            return Some(queued);
        }
        if self.at >= self.text.len() {
            return None;
        }
        let start = self.at;
        let lexeme = self.lexeme();
        Some((lexeme, start..self.at))
    }
}
