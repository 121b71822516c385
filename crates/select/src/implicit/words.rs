//! A shell's line, cut into commands and words. Enough to see what is run and what is read: quotes,
//! escapes, separators, comments, redirections and here-documents. Nothing is expanded.

/// How quotes and escapes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// A backslash escapes.
    Posix,
    /// A backtick escapes, and a backslash is part of a path.
    PowerShell,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// One command.
    Words(Vec<String>),
    /// The start of a subshell.
    Opened,
    /// The end of one.
    Closed,
}

/// The commands of a line, in order.
pub(super) fn steps(line: &str, dialect: Dialect) -> Vec<Step> {
    let mut cutter = Cutter {
        rest: line.chars().peekable(),
        dialect,
        steps: Vec::new(),
        words: Vec::new(),
        word: None,
        skip: false,
        heredocs: Vec::new(),
    };
    cutter.run();
    cutter.steps
}

struct Cutter<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    dialect: Dialect,
    steps: Vec<Step>,
    words: Vec<String>,
    /// The word being read; quotes make even an empty one.
    word: Option<String>,
    /// The next word is the target of a redirection and no argument.
    skip: bool,
    /// Ends of here-documents that start on the next line.
    heredocs: Vec<String>,
}

impl Cutter<'_> {
    fn run(&mut self) {
        while let Some(c) = self.rest.next() {
            match c {
                '\'' => self.quoted('\''),
                '"' => self.quoted('"'),
                '\\' if self.dialect == Dialect::Posix => self.escaped(),
                '`' if self.dialect == Dialect::PowerShell => self.escaped(),
                '#' if self.word.is_none() => while self.rest.next_if(|c| *c != '\n').is_some() {},
                '\n' => {
                    self.end_command();
                    self.heredoc_bodies();
                }
                ';' | '|' | '&' | '`' => self.end_command(),
                '(' => {
                    self.end_command();
                    self.steps.push(Step::Opened);
                }
                ')' => {
                    self.end_command();
                    self.steps.push(Step::Closed);
                }
                '{' | '}' if self.word.is_none() && self.stands_alone() => self.end_command(),
                '>' => self.redirect(),
                '<' => self.input(),
                c if c.is_whitespace() => self.end_word(),
                c => self.push(c),
            }
        }
        self.end_command();
    }

    fn stands_alone(&mut self) -> bool {
        self.rest.peek().is_none_or(|next| next.is_whitespace() || *next == ';')
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn escaped(&mut self) {
        match self.rest.next() {
            // A line that goes on.
            None | Some('\n') => {}
            Some(c) => self.push(c),
        }
    }

    fn quoted(&mut self, end: char) {
        self.word.get_or_insert_default();
        while let Some(c) = self.rest.next() {
            match c {
                c if c == end => return,
                '\\' if end == '"' && self.dialect == Dialect::Posix => match self.rest.next() {
                    None => return,
                    Some(c @ ('"' | '\\' | '$' | '`')) => self.push(c),
                    Some('\n') => {}
                    Some(c) => {
                        self.push('\\');
                        self.push(c);
                    }
                },
                '`' if end == '"' && self.dialect == Dialect::PowerShell => self.escaped(),
                c => self.push(c),
            }
        }
    }

    /// `> file`, `>> file`, `2>&1`: what is written is not an argument.
    fn redirect(&mut self) {
        // The number of a stream belongs to the sign.
        if self.word.as_deref().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        while self.rest.next_if(|c| matches!(c, '>' | '|' | '&')).is_some() {}
        self.skip = true;
    }

    /// `< file` is read like an argument; `<< END` starts a text; `<<< word` is one; `<(x)` a command.
    fn input(&mut self) {
        self.end_word();
        if self.rest.next_if_eq(&'<').is_none() {
            return;
        }
        if self.rest.next_if_eq(&'<').is_some() {
            self.skip = true;
            return;
        }
        let _tabs = self.rest.next_if_eq(&'-');
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        let mut end = String::new();
        while let Some(c) =
            self.rest.next_if(|c| !c.is_whitespace() && !matches!(c, ';' | '|' | '&' | '>' | '<' | ')'))
        {
            if !matches!(c, '\'' | '"' | '\\') {
                end.push(c);
            }
        }
        self.heredocs.push(end);
    }

    /// Skips the texts of the here-documents of the line that just ended.
    fn heredoc_bodies(&mut self) {
        for end in std::mem::take(&mut self.heredocs) {
            loop {
                let mut line = String::new();
                let mut ended = false;
                for c in self.rest.by_ref() {
                    if c == '\n' {
                        ended = true;
                        break;
                    }
                    line.push(c);
                }
                if line.trim_start_matches('\t') == end || !ended {
                    break;
                }
            }
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if !std::mem::take(&mut self.skip) {
            self.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.skip = false;
        if !self.words.is_empty() {
            self.steps.push(Step::Words(std::mem::take(&mut self.words)));
        }
    }
}
