//! What each context makes of the next character.

use super::{Context, Dialect, Lexeme, Lexer};

/// Operators, longer ones first.
const OPERATORS: [&str; 21] = [
    "<<<", "<<-", "&>>", ";;&", "<<", "<>", "<&", ">>", ">|", ">&", "&>", "&&", "||", "|&", ";;", ";&", "<",
    ">", "&", "|", ";",
];

impl Lexer<'_> {
    /// Commands: words, operators, comments.
    pub(super) fn code(&mut self) -> Lexeme {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Lexeme::Text };
        match first {
            '\n' => {
                self.end_word();
                self.frame().operator("\n");
                self.at += 1;
                self.here_bodies();
                Lexeme::Newline
            }
            c if self.is_blank(c) => {
                self.end_word();
                let blank = rest.find(|c: char| c == '\n' || !self.is_blank(c)).unwrap_or(rest.len());
                self.at += blank;
                Lexeme::Blank
            }
            '\\' if self.continuation().is_some() => {
                self.at += self.continuation().unwrap_or(1);
                Lexeme::Blank
            }
            '#' if self.starts_comment() => {
                self.at += rest.find('\n').unwrap_or(rest.len());
                Lexeme::Comment
            }
            '<' | '>' if self.is_sign() => {
                let at = self.at;
                self.frame().start_word(at);
                self.text_run(placeholder(rest).unwrap_or(1))
            }
            '<' | '>' if rest[1..].starts_with('(') => self.open(Context::Process, 2),
            '(' if rest.starts_with("((") => self.open(Context::Arithmetic, 2),
            '(' => self.open(Context::Subshell, 1),
            ')' => {
                self.end_word();
                let frame = self.frame();
                match frame.context {
                    Some(context) if frame.cases == 0 => self.close(context, 1),
                    _ => {
                        self.frame().operator(")");
                        self.at += 1;
                        Lexeme::Operator
                    }
                }
            }
            '<' | '>' | '&' | '|' | ';' => {
                self.end_word();
                self.operator(0)
            }
            _ => {
                if let Some(digits) = self.descriptor() {
                    return self.operator(digits);
                }
                self.word_part(|lexer, c| {
                    matches!(c, '\n' | '(' | ')' | '<' | '>' | '&' | '|' | ';') || lexer.is_blank(c)
                })
            }
        }
    }

    /// One word, or typed arguments: only quotes, escapes and expansions end a run of text.
    pub(super) fn word(&mut self) -> Lexeme {
        let rest = self.rest();
        if self.dialect == Dialect::Typed && rest.starts_with(char::is_whitespace) {
            self.end_word();
            self.at += rest.len() - rest.trim_start().len();
            return Lexeme::Blank;
        }
        self.word_part(|lexer, c| lexer.dialect == Dialect::Typed && c.is_whitespace())
    }

    /// The next part of a word; `ends` decides which characters end a run of text.
    fn word_part(&mut self, ends: impl Fn(&Self, char) -> bool) -> Lexeme {
        let at = self.at;
        self.frame().start_word(at);
        let rest = self.rest();
        let expands = self.dialect != Dialect::Typed;
        match rest.as_bytes()[0] {
            b'\\' => self.escape(),
            b'\'' => {
                let closed = self.skip_past(1, '\'', false);
                Lexeme::Single { closed }
            }
            b'"' => self.open(Context::Double, 1),
            b'`' if expands => {
                let closed = self.skip_past(1, '`', true);
                Lexeme::Backquotes { closed }
            }
            b'$' if expands => self.dollar(),
            _ => {
                let special = |c: char| {
                    matches!(c, '\\' | '\'' | '"') || (expands && matches!(c, '$' | '`')) || ends(self, c)
                };
                let end = rest.find(special).unwrap_or(rest.len());
                self.text_run(end)
            }
        }
    }

    /// Between double quotes, and in a here-document.
    pub(super) fn double(&mut self) -> Lexeme {
        let rest = self.rest();
        let quoted = self.frames.len() > 1;
        let expands = self.dialect != Dialect::Typed;
        match rest.as_bytes()[0] {
            b'"' if quoted => self.close(Context::Double, 1),
            b'\\' => self.escape(),
            b'`' if expands => {
                let closed = self.skip_past(1, '`', true);
                Lexeme::Backquotes { closed }
            }
            b'$' if expands => self.dollar(),
            _ => {
                let special =
                    |c: char| c == '\\' || (quoted && c == '"') || (expands && matches!(c, '$' | '`'));
                let end = rest.find(special).unwrap_or(rest.len());
                self.text_run(end)
            }
        }
    }

    /// In `${…}`.
    pub(super) fn expansion(&mut self) -> Lexeme {
        let rest = self.rest();
        match rest.as_bytes()[0] {
            b'}' => self.close(Context::Expansion, 1),
            b'\\' => self.escape(),
            b'\'' if !self.is_in_double() => {
                let closed = self.skip_past(1, '\'', false);
                Lexeme::Single { closed }
            }
            b'"' => self.open(Context::Double, 1),
            b'`' => {
                let closed = self.skip_past(1, '`', true);
                Lexeme::Backquotes { closed }
            }
            b'$' => self.dollar(),
            _ => {
                let end = rest.find(['}', '\\', '\'', '"', '`', '$']).unwrap_or(rest.len());
                self.text_run(end)
            }
        }
    }

    /// In `((…))`.
    pub(super) fn arithmetic(&mut self) -> Lexeme {
        let rest = self.rest();
        match rest.as_bytes()[0] {
            b'(' => {
                self.frame().parentheses += 1;
                self.text_run(1)
            }
            b')' if self.frame().parentheses > 0 => {
                self.frame().parentheses -= 1;
                self.text_run(1)
            }
            b')' => self.close(Context::Arithmetic, if rest.starts_with("))") { 2 } else { 1 }),
            b'\\' => self.escape(),
            b'`' => {
                let closed = self.skip_past(1, '`', true);
                Lexeme::Backquotes { closed }
            }
            b'$' => self.dollar(),
            _ => {
                let end = rest.find(['(', ')', '\\', '`', '$']).unwrap_or(rest.len());
                self.text_run(end)
            }
        }
    }

    /// What a dollar sign starts.
    fn dollar(&mut self) -> Lexeme {
        let rest = self.rest();
        if rest.starts_with("$((") {
            return self.open(Context::Arithmetic, 3);
        }
        match rest.as_bytes().get(1) {
            Some(b'[') => {
                let closed = self.skip_past(2, ']', true);
                Lexeme::OldArithmetic { closed }
            }
            Some(b'(') => self.open(Context::Substitution, 2),
            Some(b'{') => self.open(Context::Expansion, 2),
            Some(b'\'') if !self.is_in_double() && self.innermost() != Some(Context::Arithmetic) => {
                let closed = self.skip_past(2, '\'', true);
                Lexeme::AnsiC { closed }
            }
            Some(b'"') if !self.is_in_double() && self.innermost() != Some(Context::Arithmetic) => {
                self.open(Context::Double, 2)
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?-$!".contains(byte) => {
                self.at += 2;
                Lexeme::Parameter
            }
            Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => {
                let name = rest[1..].bytes().take_while(|byte| is_name(*byte)).count();
                self.at += 1 + name;
                Lexeme::Parameter
            }
            _ => self.text_run(1),
        }
    }

    /// A run of text, at least one character long.
    fn text_run(&mut self, length: usize) -> Lexeme {
        let least = self.rest().chars().next().map_or(0, char::len_utf8);
        self.at += length.max(least);
        Lexeme::Text
    }

    fn escape(&mut self) -> Lexeme {
        let next = self.rest().chars().nth(1).map_or(0, char::len_utf8);
        self.at += 1 + next;
        Lexeme::Escape
    }

    /// Goes behind the next `end`, and returns whether there is one.
    fn skip_past(&mut self, opening: usize, end: char, escapes: bool) -> bool {
        let mut chars = self.rest()[opening..].char_indices();
        let from = self.at + opening;
        while let Some((at, c)) = chars.next() {
            if c == end {
                self.at = from + at + c.len_utf8();
                return true;
            }
            if escapes && c == '\\' {
                chars.next();
            }
        }
        self.at = self.text.len();
        false
    }

    fn operator(&mut self, digits: usize) -> Lexeme {
        let rest = &self.rest()[digits..];
        let length = OPERATORS.iter().find(|known| rest.starts_with(**known)).map_or(1, |known| known.len());
        let operator = &rest[..length];
        self.frame().operator(operator);
        self.at += digits + length;
        Lexeme::Operator
    }

    /// Digits of a descriptor that a redirection names.
    fn descriptor(&mut self) -> Option<usize> {
        if self.frame().is_in_word() {
            return None;
        }
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let behind = &rest[digits..];
        let process = behind.get(1..).is_some_and(|behind| behind.starts_with('('));
        let sign = self.dialect == Dialect::Fragment && placeholder(behind).is_some();
        (digits > 0 && behind.starts_with(['<', '>']) && !process && !sign).then_some(digits)
    }

    /// Whether an angle bracket of a fragment is text: `<name>` stands for something, `->` points at it.
    fn is_sign(&self) -> bool {
        self.dialect == Dialect::Fragment
            && (placeholder(self.rest()).is_some()
                || (self.rest().starts_with('>') && self.text[..self.at].ends_with(['-', '='])))
    }

    /// A backslash and a line break between two words, which join two lines.
    fn continuation(&mut self) -> Option<usize> {
        if self.frame().is_in_word() {
            return None;
        }
        let windows = self.dialect == Dialect::Fragment && self.rest().starts_with("\\\r\n");
        if windows { Some(3) } else { self.rest().starts_with("\\\n").then_some(2) }
    }

    fn is_blank(&self, c: char) -> bool {
        match self.dialect {
            Dialect::Fragment => c.is_whitespace(),
            _ => matches!(c, ' ' | '\t' | '\r'),
        }
    }

    /// A carriage return is a blank between words, but a shell may take it for a letter, and then `#` behind
    /// it starts no comment.
    fn starts_comment(&mut self) -> bool {
        self.dialect != Dialect::Fragment
            && !self.frame().is_in_word()
            && !self.text[..self.at].ends_with('\r')
    }
}

/// Bytes of `<name>`, which examples write for a value.
fn placeholder(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('<')?;
    let end = inner.find(['<', '>', '|', ';', '&', '(', ')', '"', '\'', '\n'])?;
    let named = inner.starts_with(|c: char| c.is_alphabetic()) && inner[end..].starts_with('>');
    named.then_some(end + 2)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
