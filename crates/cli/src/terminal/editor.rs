//! The line editor: history, completion, several lines.

use super::{
    complete::Vocabulary,
    picking::{Picking, Rows, painted},
};
use crate::output::{DIM, cut, tell};
use rustyline::{
    Cmd, CompletionType, Config, Context, Editor, Event, EventHandler, Helper, KeyCode, KeyEvent, Modifiers,
    completion::{Completer, Pair},
    error::ReadlineError,
    highlight::Highlighter,
    hint::Hinter,
    history::FileHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};
use std::{borrow::Cow, io, path::PathBuf};

/// Most lines of the history.
const REMEMBERED: usize = 1000;
/// Rows of a terminal that does not know its size.
const USUAL_HEIGHT: usize = 24;
/// Milliseconds after which an Esc is a key of its own.
const ESCAPE_TIME: u16 = 80;
/// The file of the history, in the data folder.
const FILE: &str = "history";

/// The result of asking for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A message.
    Line(String),
    /// The user switched the mode while this was typed.
    Switch(String),
    /// The user interrupted an empty line.
    Cleared,
    /// The user ended the input.
    End,
}

/// Asks for lines at a terminal.
pub(crate) struct Lines {
    editor: Editor<Help, FileHistory>,
    picking: Picking,
    file: PathBuf,
}

impl Lines {
    /// An editor with the history of the user.
    pub(crate) fn new(data: &std::path::Path, width: usize, color: bool) -> io::Result<Self> {
        let config = Config::builder()
            .max_history_size(REMEMBERED)
            .and_then(|config| config.history_ignore_dups(true))
            .map_err(told)?
            .history_ignore_space(true)
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .bracketed_paste(true)
            // A lone Esc closes the list; the bytes of a key come together.
            .keyseq_timeout(Some(ESCAPE_TIME))
            .build();
        let mut editor = Editor::with_config(config).map_err(told)?;
        let newline = || EventHandler::Simple(Cmd::Newline);
        editor.bind_sequence(Event::from(KeyEvent(KeyCode::Enter, Modifiers::ALT)), newline());
        let picking = Picking::default();
        for (event, handler) in picking.keys() {
            editor.bind_sequence(event, handler);
        }
        editor.set_helper(Some(Help {
            words: Vocabulary::default(),
            picking: picking.clone(),
            width,
            color,
        }));
        let file = data.join(FILE);
        // A history that cannot be read counts as empty.
        let _missing = editor.load_history(&file);
        Ok(Self { editor, picking, file })
    }

    /// Sets the words that can be completed.
    pub(crate) fn know(&mut self, words: Vocabulary) {
        self.picking.know(words.clone());
        if let Some(help) = self.editor.helper_mut() {
            help.words = words;
        }
    }

    /// Asks for a line that begins with a text, which the user can change.
    pub(crate) fn ask(&mut self, prompt: &str, begins: &str) -> io::Result<Typed> {
        match self.editor.readline_with_initial(prompt, (begins, "")) {
            Ok(typed) => {
                let chosen = self.picking.take_chosen();
                // The line above shows what was typed.
                if let Some(chosen) = &chosen {
                    tell(&format!("{prompt}{chosen}\n"));
                }
                let line = chosen.unwrap_or(typed);
                if !line.trim().is_empty() {
                    self.remember(&line);
                }
                Ok(Typed::Line(joined(&line)))
            }
            Err(ReadlineError::Interrupted) => {
                Ok(self.picking.take_switched().map_or(Typed::Cleared, Typed::Switch))
            }
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(error) => Err(told(error)),
        }
    }

    /// Adds a line to the history; a failure is ignored.
    fn remember(&mut self, line: &str) {
        let Ok(true) = self.editor.add_history_entry(line) else { return };
        if let Some(folder) = self.file.parent() {
            let _unwritable = std::fs::create_dir_all(folder);
        }
        let _unwritable = self.editor.append_history(&self.file);
    }
}

fn told(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

/// Joins lines that end in `\`.
fn joined(line: &str) -> String {
    line.replace("\\\n", "\n")
}

fn goes_on(line: &str) -> bool {
    line.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1
}

/// Completion, hints and validation.
struct Help {
    words: Vocabulary,
    picking: Picking,
    width: usize,
    color: bool,
}

impl Helper for Help {}

impl Completer for Help {
    type Candidate = Pair;

    fn complete(&self, line: &str, cursor: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        if let Some((start, word)) = self.picking.take_elected() {
            return Ok((start, vec![Pair { display: word.clone(), replacement: word }]));
        }
        let (start, found) = self.words.complete(line, cursor);
        let longest = found.iter().map(|choice| choice.word.chars().count()).max().unwrap_or(0);
        let pair = |choice: &&super::complete::Choice| Pair {
            display: cut(
                format!("{:<longest$}  {}", choice.word, choice.about).trim_end(),
                self.width.saturating_sub(2),
            ),
            replacement: format!("{} ", choice.word),
        };
        Ok((start, found.iter().map(pair).collect()))
    }
}

impl Hinter for Help {
    type Hint = Rows;

    fn hint(&self, line: &str, cursor: usize, _: &Context<'_>) -> Option<Rows> {
        if cursor != line.len() {
            return None;
        }
        // A terminal may not know its size.
        let (width, height) = match terminal_size::terminal_size() {
            Some((width, height)) if width.0 > 0 && height.0 > 0 => (width.0.into(), height.0.into()),
            _ => (self.width, USUAL_HEIGHT),
        };
        if let Some(rows) = self.picking.rows(line, cursor, width, height) {
            return Some(rows);
        }
        if let Some(about) = self.words.about(line, cursor).filter(|about| !about.is_empty()) {
            let room = self.width.saturating_sub(line.chars().count() + 8);
            return Some(Rows::beside(format!("  {}", cut(about, room.max(1))), None));
        }
        let rest = self.words.rest(line, cursor)?;
        Some(Rows::beside(rest.clone(), Some(rest)))
    }
}

impl Highlighter for Help {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        match hint.strip_prefix('\n') {
            Some(rows) => Cow::Owned(format!("\n{}", painted(rows, self.color))),
            None if self.color => Cow::Owned(format!("{DIM}{hint}{DIM:#}")),
            None => Cow::Borrowed(hint),
        }
    }
}

impl Validator for Help {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let open = goes_on(context.input());
        Ok(if open { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_on_behind_a_backslash_but_not_behind_two() {
        assert!(goes_on("one \\") && !goes_on("one \\\\") && !goes_on("one"));
        assert_eq!(joined("one \\\ntwo"), "one \ntwo");
    }
}
