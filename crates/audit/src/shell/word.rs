//! Words of shell as a program gets them, with what they are made of.

use super::{Out, Reader, nested, path_labels, readable::is_readable};
use crate::{flow::Labels, sensitive};
use brush_parser::{
    ParserOptions,
    word::{Parameter, ParameterExpr, WordPiece, WordPieceWithSource},
};
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
        if !raw.contains(['$', '`', '\'', '"', '\\']) {
            return Read { text: raw.to_owned(), labels: path_labels(raw), raw: raw.to_owned() };
        }
        let mut read = Read { raw: raw.to_owned(), ..Read::default() };
        // The grammar of words recurses, too.
        if !is_readable(raw) {
            raw.clone_into(&mut read.text);
            return read;
        }
        match brush_parser::word::parse(raw, &ParserOptions::default()) {
            Ok(pieces) => self.pieces(&pieces, at, &mut read),
            Err(_) => read.text.push_str(raw.trim_matches(['"', '\''])),
        }
        read.labels.add(path_labels(&read.text));
        read
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource], at: Option<&Range<usize>>, read: &mut Read) {
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(text) | WordPiece::SingleQuotedText(text) => read.text.push_str(text),
                WordPiece::EscapeSequence(text) => {
                    read.text.push_str(text.strip_prefix('\\').unwrap_or(text));
                }
                WordPiece::AnsiCQuotedText(text) => {
                    if text.matches("\\x").count() + text.matches("\\0").count() >= 4 {
                        read.labels.add(Labels::DECODED);
                    }
                    read.text.push_str(text);
                }
                WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    self.pieces(inner, at, read);
                }
                WordPiece::TildeExpansion(_) => read.text.push('~'),
                WordPiece::ParameterExpansion(parameter) => self.parameter(parameter, read),
                WordPiece::CommandSubstitution(code) | WordPiece::BackquotedCommandSubstitution(code) => {
                    let place = Some(at.cloned().unwrap_or(0..0));
                    let out = nested(code, self.flow, place, self.depth + 1, &Out::default());
                    read.labels.add(out.labels);
                    read.text.push_str("$()");
                }
                WordPiece::ArithmeticExpression(_) => read.text.push('0'),
            }
        }
    }

    fn parameter(&mut self, expression: &ParameterExpr, read: &mut Read) {
        let name = match expression {
            ParameterExpr::Parameter { parameter, .. }
            | ParameterExpr::UseDefaultValues { parameter, .. }
            | ParameterExpr::AssignDefaultValues { parameter, .. }
            | ParameterExpr::IndicateErrorIfNullOrUnset { parameter, .. }
            | ParameterExpr::UseAlternativeValue { parameter, .. } => match parameter {
                Parameter::Named(name) => name.clone(),
                Parameter::Positional(0) => "0".to_owned(),
                other => other.to_string().trim_start_matches('$').to_owned(),
            },
            other => other_name(&format!("{other:?}")),
        };
        if matches!(name.as_str(), "0" | "BASH_SOURCE") {
            read.labels.add(Labels::ITSELF);
        }
        match self.flow.variables.get(&name) {
            Some(labels) => read.labels.add(*labels),
            None if sensitive::is_vendor_key(&name) => read.labels.add(Labels::KEY.and(Labels::VENDOR)),
            None if sensitive::is_secret_name(&name) => read.labels.add(Labels::KEY),
            None => {}
        }
        if name.len() > 1 && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
            self.flow.environment.push(name.clone());
        }
        // What a variable holds is what a program gets.
        if let Some(text) = self.flow.texts.get(&name).filter(|text| text.len() + read.text.len() < VALUE) {
            read.text.push_str(text);
            return;
        }
        read.text.push('$');
        read.text.push_str(&name);
    }
}

/// The name in an expansion of a rarer kind, as its debug form shows it.
fn other_name(shown: &str) -> String {
    let Some((_, rest)) = shown.split_once("Named(\"") else { return "?".to_owned() };
    rest.split('"').next().unwrap_or("?").to_owned()
}
