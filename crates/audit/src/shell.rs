//! Shell commands as calls with labelled arguments: the grammar is `brush-parser`'s.
//!
//! What the grammar cannot read, or would read too slowly, is taken apart line by line, so that a
//! placeholder in an example does not hide the command beside it.

mod call;
mod lines;
mod programs;
mod readable;
mod word;

pub(crate) use call::{Call, Out};
pub(crate) use programs::install::is_usual;
pub(crate) use word::Read;

use crate::{
    flow::{Flow, Labels},
    limits, sensitive,
};
use brush_parser::{
    ParserOptions,
    ast::{
        AndOr, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand,
        CompoundList, IoFileRedirectKind as Kind, IoFileRedirectTarget as Target, IoRedirect, Pipeline,
        SimpleCommand, Word,
    },
    parse_tokens, uncached_tokenize_str,
};
use readable::is_readable;
use std::ops::Range;

/// Reads a piece of shell and tells the flow what it does. Ranges of hits are ranges of `text`.
pub(crate) fn read(text: &str, flow: &mut Flow) {
    nested(text, flow, None, 0, &Out::default());
}

/// Reads shell inside something else, all of it at one place.
pub(crate) fn nested(
    text: &str,
    flow: &mut Flow,
    at: Option<Range<usize>>,
    depth: usize,
    stdin: &Out,
) -> Out {
    if depth > limits::SHELL_NESTING || text.trim().is_empty() {
        return Out::default();
    }
    let mut reader = Reader { flow, at, depth, offsets: offsets(text), text, left: limits::SHELL_COMMANDS };
    if is_readable(text) {
        let options = ParserOptions::default();
        let tokens = uncached_tokenize_str(text, &options.tokenizer_options());
        if let Ok(program) =
            tokens.map_err(|_| ()).and_then(|tokens| parse_tokens(&tokens, &options).map_err(|_| ()))
        {
            let mut out = Out::default();
            for list in &program.complete_commands {
                out.add(&reader.list(list, stdin));
            }
            return out;
        }
    }
    lines::read(&mut reader, stdin)
}

/// The byte of each character, when they are not the same.
fn offsets(text: &str) -> Vec<usize> {
    if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(at, _)| at).collect() }
}

pub(crate) struct Reader<'a> {
    pub(crate) flow: &'a mut Flow,
    at: Option<Range<usize>>,
    depth: usize,
    offsets: Vec<usize>,
    text: &'a str,
    left: usize,
}

impl Reader<'_> {
    fn byte(&self, index: usize) -> usize {
        if self.offsets.is_empty() {
            index
        } else {
            self.offsets.get(index).copied().unwrap_or(self.text.len())
        }
    }

    fn place(&self, word: &Word) -> Option<Range<usize>> {
        let loc = word.loc.as_ref()?;
        Some(self.byte(loc.start.index)..self.byte(loc.end.index))
    }

    fn list(&mut self, list: &CompoundList, stdin: &Out) -> Out {
        let mut out = Out::default();
        for item in &list.0 {
            out.add(&self.pipeline(&item.0.first, stdin));
            for more in &item.0.additional {
                let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = more;
                out.add(&self.pipeline(pipeline, stdin));
            }
        }
        out
    }

    fn pipeline(&mut self, pipeline: &Pipeline, stdin: &Out) -> Out {
        let mut out = stdin.clone();
        for command in &pipeline.seq {
            out = self.command(command, &out);
        }
        out
    }

    fn command(&mut self, command: &Command, stdin: &Out) -> Out {
        if self.left == 0 {
            return Out::default();
        }
        self.left -= 1;
        match command {
            Command::Simple(simple) => self.simple(simple, stdin),
            Command::Compound(compound, redirects) => {
                let mut call =
                    Call { stdin: stdin.clone(), range: self.at.clone().unwrap_or(0..0), ..Call::default() };
                for redirect in redirects.iter().flat_map(|list| &list.0) {
                    self.redirect(redirect, &mut call);
                }
                let input = call.stdin;
                let out = self.compound(compound, &input);
                for (target, _) in &call.writes {
                    self.flow.write(target, out.labels, &out.text, call.range.clone());
                }
                out
            }
            Command::Function(function) => self.compound(&function.body.0, stdin),
            Command::ExtendedTest(..) => Out::default(),
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, stdin: &Out) -> Out {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, stdin),
            CompoundCommand::Subshell(shell) => self.list(&shell.list, stdin),
            CompoundCommand::ForClause(clause) => {
                let mut labels = Labels::NONE;
                self.flow.texts.remove(&clause.variable_name);
                for value in clause.values.iter().flatten() {
                    let value = self.word(value);
                    labels.add(value.labels);
                    // Any of the values tells what the body does with it.
                    if value.text.contains('/') {
                        self.remember(&clause.variable_name, &value);
                    }
                }
                self.flow.variables.insert(clause.variable_name.clone(), labels);
                self.list(&clause.body.list, stdin)
            }
            CompoundCommand::ArithmeticForClause(clause) => self.list(&clause.body.list, stdin),
            CompoundCommand::CaseClause(clause) => {
                let mut out = Out::default();
                for case in &clause.cases {
                    if let Some(list) = &case.cmd {
                        out.add(&self.list(list, stdin));
                    }
                }
                out
            }
            CompoundCommand::IfClause(clause) => {
                let mut out = self.list(&clause.condition, stdin);
                out.add(&self.list(&clause.then, stdin));
                for other in clause.elses.iter().flatten() {
                    if let Some(condition) = &other.condition {
                        out.add(&self.list(condition, stdin));
                    }
                    out.add(&self.list(&other.body, stdin));
                }
                out
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                // `while read line` takes its lines from what comes in.
                self.list(&clause.0, stdin);
                self.list(&clause.1.list, stdin)
            }
            CompoundCommand::Arithmetic(_) | CompoundCommand::Coprocess(_) => Out::default(),
        }
    }

    fn simple(&mut self, simple: &SimpleCommand, stdin: &Out) -> Out {
        let mut call = Call { stdin: stdin.clone(), ..Call::default() };
        let mut range = self.at.clone();
        let mut widen = |place: Option<Range<usize>>| {
            if let Some(place) = place {
                range = Some(match range.take() {
                    Some(range) => range.start.min(place.start)..range.end.max(place.end),
                    None => place,
                });
            }
        };
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            if let Item::AssignmentWord(assignment, word) = item {
                let loc = &assignment.loc;
                let place = self.place(word).unwrap_or(self.byte(loc.start.index)..self.byte(loc.end.index));
                let place = self.at.clone().unwrap_or(place);
                widen(Some(place.clone()).filter(|_| self.at.is_none()));
                let labels = match &assignment.value {
                    AssignmentValue::Scalar(value) => self.text_of_word(&value.value, Some(&place)),
                    AssignmentValue::Array(items) => {
                        let mut read = Read::default();
                        for (_, item) in items {
                            read.labels.add(self.word(item).labels);
                        }
                        read
                    }
                };
                let (AssignmentName::VariableName(name) | AssignmentName::ArrayElementName(name, _)) =
                    &assignment.name;
                self.flow.variables.insert(name.clone(), labels.labels);
                self.remember(name, &labels);
            } else if let Item::IoRedirect(redirect) = item {
                self.redirect(redirect, &mut call);
            }
        }
        let Some(program) = &simple.word_or_name else { return Out::default() };
        if self.at.is_none() {
            widen(self.place(program));
        }
        call.words.push(self.word(program));
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::Word(word) | Item::AssignmentWord(_, word) => {
                    if self.at.is_none() {
                        widen(self.place(word));
                    }
                    let read = self.word(word);
                    if let Item::AssignmentWord(assignment, _) = item
                        && let AssignmentName::VariableName(name) = &assignment.name
                    {
                        self.flow.variables.insert(name.clone(), read.labels);
                        let value = read.text.split_once('=').map_or("", |(_, value)| value).to_owned();
                        self.remember(name, &Read { text: value, ..read.clone() });
                    }
                    call.words.push(read);
                }
                Item::IoRedirect(redirect) => self.redirect(redirect, &mut call),
                Item::ProcessSubstitution(_, shell) => {
                    let out = self.list(&shell.list, &Out::default());
                    call.words.push(Read {
                        text: "<()".to_owned(),
                        labels: out.labels,
                        raw: "<()".to_owned(),
                    });
                }
            }
        }
        call.range = range.unwrap_or(0..0);
        programs::call(self, call)
    }

    /// Keeps the text of a variable, when all of it is known.
    fn remember(&mut self, name: &str, value: &Read) {
        if value.text.contains("$()") || value.text.is_empty() {
            self.flow.texts.remove(name);
        } else {
            self.flow.texts.insert(name.to_owned(), value.text.clone());
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect, call: &mut Call) {
        match redirect {
            IoRedirect::File(_, kind, target) => match target {
                Target::Filename(word) | Target::Duplicate(word) => {
                    let read = self.word(word);
                    match kind {
                        Kind::Write | Kind::Append | Kind::Clobber => {
                            call.writes.push((read.text, read.labels));
                        }
                        Kind::Read | Kind::ReadAndWrite => call.reads(self.flow, &read),
                        Kind::DuplicateInput | Kind::DuplicateOutput => {
                            if read.text.starts_with("/dev/") {
                                call.writes.push((read.text, read.labels));
                            }
                        }
                    }
                }
                Target::ProcessSubstitution(_, shell) => {
                    let out = self.list(&shell.list, &Out::default());
                    call.stdin.add(&out);
                }
                Target::Fd(_) => {}
            },
            IoRedirect::HereDocument(_, document) => {
                let read = self.word(&document.doc);
                call.stdin.add(&Out { labels: read.labels, text: document.doc.value.clone(), shell: false });
            }
            IoRedirect::HereString(_, word) => {
                let read = self.word(word);
                call.stdin.add(&Out { labels: read.labels, text: read.text, shell: false });
            }
            IoRedirect::OutputAndError(word, _) => {
                let read = self.word(word);
                call.writes.push((read.text, read.labels));
            }
        }
    }

    fn word(&mut self, word: &Word) -> Read {
        let at = self.at.clone().or_else(|| self.place(word));
        self.text_of_word(&word.value, at.as_ref())
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }
}

/// What the name of a file says about it.
pub(crate) fn path_labels(text: &str) -> Labels {
    let mut labels = Labels::NONE;
    if text.len() < 4 || text.len() > 4_096 {
        return labels;
    }
    if sensitive::is_credential(text) || sensitive::is_dotenv(text) {
        labels.add(Labels::SECRET_PATH);
    }
    if sensitive::is_private(text) {
        labels.add(Labels::PRIVATE_PATH);
    }
    labels
}
