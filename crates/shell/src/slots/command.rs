//! The words of a simple command as far as it was read.

use crate::lexer::BEFORE_A_COMMAND;

/// What a word is for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Purpose {
    #[default]
    Argument,
    RedirectionTarget,
    Delimiter,
}

/// The words of a simple command as far as it was read.
#[derive(Default)]
pub(super) struct CommandSoFar {
    done: Vec<String>,
    word: Option<WordSoFar>,
    purpose: Purpose,
    /// Expansions in braces, which are not a part of its words.
    expansions: Vec<String>,
}

/// A word as far as it was read.
#[derive(Default)]
struct WordSoFar {
    text: String,
    /// Bytes of the text before the first quote or expansion.
    unquoted: Option<usize>,
}

impl CommandSoFar {
    pub(super) fn words(&self) -> &[String] {
        &self.done
    }

    /// The word that is being read.
    pub(super) fn prefix(&self) -> Option<&str> {
        self.word.as_ref().map(|word| word.text.as_str())
    }

    /// Whether that word assigns to a variable: quotes before the equals sign make it a command.
    pub(super) fn is_assignment(&self) -> bool {
        let unquoted = |word: &WordSoFar| word.text[..word.unquoted.unwrap_or(word.text.len())].to_owned();
        self.purpose == Purpose::Argument && self.word.as_ref().is_some_and(|w| is_assignment(&unquoted(w)))
    }

    pub(super) fn is_target(&self) -> bool {
        self.purpose == Purpose::RedirectionTarget
    }

    /// Whether the word that is being read, or must come next, ends a here-document.
    pub(super) fn is_delimiter(&self) -> bool {
        self.purpose == Purpose::Delimiter
    }

    /// A quote or an expansion starts here, and with it the word if none is being read.
    pub(super) fn start_quoted(&mut self) {
        let word = self.word.get_or_insert_default();
        word.unquoted.get_or_insert(word.text.len());
    }

    pub(super) fn push(&mut self, text: &str) {
        self.word.get_or_insert_default().text.push_str(text);
    }

    pub(super) fn end_word(&mut self) {
        let Some(WordSoFar { text, .. }) = self.word.take() else { return };
        let argument = std::mem::take(&mut self.purpose) == Purpose::Argument;
        let reserved = self.done.is_empty() && BEFORE_A_COMMAND.contains(&text.as_str());
        if argument && !reserved {
            self.done.push(text);
        }
    }

    /// Takes an operator; returns the words of the command that it ends.
    pub(super) fn operator(&mut self, operator: &str) -> Vec<String> {
        self.end_word();
        match operator.trim_start_matches(|c: char| c.is_ascii_digit()) {
            "<<" | "<<-" => self.purpose = Purpose::Delimiter,
            bare if bare.contains(['<', '>']) => self.purpose = Purpose::RedirectionTarget,
            _ => return self.end(),
        }
        Vec::new()
    }

    /// An expansion in braces.
    pub(super) fn expand(&mut self, inner: &str) {
        self.expansions.push(format!("${{{inner}}}"));
    }

    /// Ends the command; returns its words, and behind them its expansions in braces.
    pub(super) fn end(&mut self) -> Vec<String> {
        self.end_word();
        let Self { mut done, expansions, .. } = std::mem::take(self);
        done.extend(expansions);
        done
    }
}

/// Whether a word without quotes starts with `name=` or `name+=`.
pub fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+'))
    })
}
