//! One call of a program: its words, what comes in, where its output goes.

use super::Read;
use crate::flow::{Flow, Labels};
use skillful_shell::script::RedirectionKind;
use std::ops::Range;

/// Characters of output that are followed.
const TEXT: usize = 8 << 10;

/// What a command gives out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Out {
    pub(crate) labels: Labels,
    /// The text itself, where it is known.
    pub(crate) text: String,
    /// Whether it is the output of an interactive shell.
    pub(crate) shell: bool,
}

impl Out {
    pub(crate) fn of(labels: Labels) -> Self {
        Self { labels, ..Self::default() }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.labels.add(other.labels);
        self.shell |= other.shell;
        if self.text.len() + other.text.len() < TEXT {
            if !self.text.is_empty() && !other.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(&other.text);
        }
    }
}

/// One call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    /// The program and its arguments.
    pub(crate) words: Vec<Read>,
    pub(crate) stdin: Out,
    /// Files that its output goes to.
    pub(crate) writes: Vec<(String, Labels)>,
    pub(crate) range: Range<usize>,
}

impl Call {
    /// The last part of the program's path, lower case.
    pub(crate) fn program(&self) -> String {
        let text = self.words.first().map_or("", |word| word.text.as_str());
        let name = text.rsplit(['/', '\\']).next().unwrap_or(text).to_ascii_lowercase();
        name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
    }

    pub(crate) fn arguments(&self) -> &[Read] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Whether a flag is there, alone, with a value behind `=`, or among short ones.
    pub(crate) fn has(&self, flags: &[&str]) -> bool {
        self.arguments().iter().any(|word| {
            flags.iter().any(|flag| {
                word.text == *flag
                    || word.text.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))
                    || (flag.len() == 2
                        && !word.text.starts_with("--")
                        && word.text.starts_with('-')
                        && word.text[1..].chars().all(|c| c.is_ascii_alphabetic())
                        && word.text.contains(&flag[1..]))
            })
        })
    }

    /// The value of a flag: behind `=`, attached, or the next word.
    pub(crate) fn value(&self, flags: &[&str]) -> Option<&Read> {
        let arguments = self.arguments();
        // `-qO file` ends with the flag `-O`.
        let ends = |word: &str| {
            word.len() > 2
                && word.starts_with('-')
                && word[1..].bytes().all(|b| b.is_ascii_alphabetic())
                && flags.iter().any(|flag| flag.len() == 2 && word.ends_with(&flag[1..]))
        };
        let at = arguments.iter().position(|word| flags.contains(&word.text.as_str()) || ends(&word.text))?;
        arguments.get(at + 1)
    }

    /// Words that are not flags.
    pub(crate) fn plain(&self) -> impl Iterator<Item = &Read> {
        self.arguments().iter().filter(|word| !word.text.starts_with('-'))
    }

    /// All arguments as one text.
    pub(crate) fn line(&self) -> String {
        let mut line = String::new();
        for word in self.arguments() {
            if line.len() > TEXT {
                break;
            }
            line.push_str(&word.text);
            line.push(' ');
        }
        line
    }

    /// The labels of all arguments.
    pub(crate) fn labels(&self) -> Labels {
        self.arguments().iter().fold(Labels::NONE, |labels, word| labels.and(word.labels))
    }

    /// Takes what a redirection leads to as input or output.
    pub(crate) fn redirect(&mut self, flow: &Flow, kind: RedirectionKind, target: Read) {
        match kind {
            RedirectionKind::Write
            | RedirectionKind::Append
            | RedirectionKind::Clobber
            | RedirectionKind::OutputAndError => self.writes.push((target.text, target.labels)),
            RedirectionKind::Read | RedirectionKind::ReadAndWrite => {
                self.stdin.labels.add(content(flow, &target));
            }
            RedirectionKind::DuplicateInput | RedirectionKind::DuplicateOutput => {
                if target.text.starts_with("/dev/") {
                    self.writes.push((target.text, target.labels));
                }
            }
            RedirectionKind::HereDocument | RedirectionKind::HereString => {
                self.stdin.add(&Out { labels: target.labels, text: target.text, shell: false });
            }
        }
    }
}

/// The labels of what is in a file.
pub(crate) fn content(flow: &Flow, file: &Read) -> Labels {
    let name = file.text.trim_start_matches('@');
    file.labels.content().and(flow.files.get(name).copied().unwrap_or_default())
}
