//! Words of shell as a program gets them, with what they are made of.

use super::{Out, Reader, nested, path_labels};
use crate::{flow::Labels, limits};
use skillful_shell::{Piece, Pieces};
use std::ops::Range;

/// Characters of a variable that are followed.
const VALUE: usize = 1_000;

/// A word with its quotes taken off.
#[derive(Clone, Debug, Default)]
pub(crate) struct Read {
    pub(crate) text: String,
    pub(crate) labels: Labels,
    /// As it is written.
    pub(crate) raw: String,
}

impl Reader<'_> {
    /// A word as a program gets it; what it is made of gives its labels.
    pub(crate) fn text_of_word(&mut self, raw: &str, at: Option<&Range<usize>>) -> Read {
        let mut read = Read { raw: raw.to_owned(), ..Read::default() };
        if raw.contains(['$', '`', '\'', '"', '\\']) {
            self.pieces(&Pieces::of_word(raw).list, at, &mut read);
        } else {
            raw.clone_into(&mut read.text);
        }
        read.labels.add(path_labels(&read.text));
        read
    }

    /// What the body of a here-document is made of.
    pub(crate) fn here_document(&mut self, body: &str, at: Option<&Range<usize>>) -> Labels {
        let mut read = Read::default();
        self.pieces(&Pieces::of_here_document(body).list, at, &mut read);
        read.labels.add(path_labels(&read.text));
        read.labels
    }

    fn pieces(&mut self, pieces: &[Piece<'_>], at: Option<&Range<usize>>, read: &mut Read) {
        for piece in pieces {
            match piece {
                Piece::Text(text) | Piece::Single(text) => read.text.push_str(text),
                // A line break behind a backslash joins two lines.
                Piece::Escaped(c) => read.text.push_str(c.trim_start_matches('\n')),
                Piece::AnsiC(text) => {
                    if text.matches("\\x").count() + text.matches("\\0").count() >= 4 {
                        read.labels.add(Labels::DECODED);
                    }
                    read.text.push_str(text);
                }
                Piece::Double(inner) | Piece::Translated(inner) => self.pieces(inner, at, read),
                Piece::Parameter { name, operation } => {
                    self.parameter(name, read);
                    self.operation(operation, at, read, 0);
                }
                Piece::Substitution(code) => {
                    self.substitution(code, at, read);
                    read.text.push_str("$()");
                }
                Piece::Arithmetic(_) => read.text.push('0'),
            }
        }
    }

    fn substitution(&mut self, code: &str, at: Option<&Range<usize>>, read: &mut Read) {
        let place = Some(at.cloned().unwrap_or(0..0));
        let out = nested(code, self.flow, place, self.depth + 1, &Out::default());
        read.labels.add(out.labels);
    }

    /// Commands in the default value, the pattern or the index of an expansion run too.
    fn operation(&mut self, operation: &str, at: Option<&Range<usize>>, read: &mut Read, depth: usize) {
        if depth > limits::SHELL_NESTING || !operation.contains(['$', '`']) {
            return;
        }
        let pieces = Pieces::of_word(operation).list;
        let inner = pieces.iter().flat_map(|piece| match piece {
            Piece::Double(inner) | Piece::Translated(inner) => inner.as_slice(),
            piece => std::slice::from_ref(piece),
        });
        for piece in inner {
            match piece {
                Piece::Substitution(code) => self.substitution(code, at, read),
                Piece::Parameter { operation, .. } => self.operation(operation, at, read, depth + 1),
                _ => {}
            }
        }
    }

    fn parameter(&mut self, name: &str, read: &mut Read) {
        if matches!(name, "0" | "BASH_SOURCE") {
            read.labels.add(Labels::ITSELF);
        }
        match self.flow.variables.get(name) {
            Some(labels) => read.labels.add(*labels),
            None => read.labels.add(crate::script::variable(name, &self.flow.purpose)),
        }
        // What a user says to an agent, and what it answers.
        if matches!(
            name,
            "PROMPT"
                | "USER_PROMPT"
                | "USER_MESSAGE"
                | "CONVERSATION"
                | "TRANSCRIPT"
                | "CHAT_HISTORY"
                | "ANSWER"
        ) {
            read.labels.add(Labels::WORK);
        }
        if name.len() > 1 && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
            self.flow.environment.push(name.to_owned());
        }
        // What a variable holds is what a program gets.
        if let Some(text) = self.flow.texts.get(name).filter(|text| text.len() + read.text.len() < VALUE) {
            read.text.push_str(text);
            return;
        }
        read.text.push('$');
        read.text.push_str(name);
    }
}
