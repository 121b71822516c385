//! Shell commands as calls with labelled arguments. `skillful-shell` reads them, loosely where the text is not
//! valid shell; what programs do with what they get is judged here.

mod call;
mod lines;
mod programs;
mod word;

pub(crate) use call::{Call, Out};
pub(crate) use programs::install::is_usual;
pub(crate) use word::Read;

use crate::{
    flow::{Flow, Labels},
    limits, sensitive,
};
use skillful_shell::{
    Word,
    loose::{self, Loose},
    script::{
        Command, Compound, Item, List, Pipeline, Redirection, RedirectionKind as Kind, Simple, Target, Value,
    },
};
use std::ops::Range;

/// Reads a piece of shell and adds what it does to the flow. Ranges of hits are ranges of `text`.
pub(crate) fn read(text: &str, flow: &mut Flow) {
    flow.is_endless |= ["while true", "while :", "while [ 1 ]"].iter().any(|loops| text.contains(loops));
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
    let mut reader = Reader { flow, at, depth, left: limits::SHELL_COMMANDS };
    match loose::read(text) {
        Loose::Script(list) => reader.list(&list, stdin),
        Loose::Lines(lines) => lines::read(&mut reader, &lines, stdin),
    }
}

pub(crate) struct Reader<'a> {
    pub(crate) flow: &'a mut Flow,
    at: Option<Range<usize>>,
    depth: usize,
    left: usize,
}

impl Reader<'_> {
    fn list(&mut self, list: &List, stdin: &Out) -> Out {
        let mut out = Out::default();
        for pipeline in list.chains.iter().flat_map(|chain| &chain.pipelines) {
            out.add(&self.pipeline(pipeline, stdin));
        }
        out
    }

    fn pipeline(&mut self, pipeline: &Pipeline, stdin: &Out) -> Out {
        let mut out = stdin.clone();
        for command in &pipeline.commands {
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
            Command::Compound(compound, redirections) => {
                let mut call =
                    Call { stdin: stdin.clone(), range: self.at.clone().unwrap_or(0..0), ..Call::default() };
                for redirection in redirections {
                    self.redirection(redirection, &mut call);
                }
                let input = call.stdin;
                let out = self.compound(compound, &input);
                for (target, _) in &call.writes {
                    self.flow.write(target, out.labels, &out.text, call.range.clone());
                }
                out
            }
            Command::Function(body) => self.compound(body, stdin),
            Command::Test => Out::default(),
        }
    }

    fn compound(&mut self, compound: &Compound, stdin: &Out) -> Out {
        match compound {
            Compound::Group(list) | Compound::Subshell(list) | Compound::ArithmeticFor(list) => {
                self.list(list, stdin)
            }
            Compound::For { variable, values, body } => {
                let mut labels = Labels::NONE;
                self.flow.texts.remove(variable);
                for value in values {
                    let value = self.word(value);
                    labels.add(value.labels);
                    // Any of the values tells what the body does with it.
                    if value.text.contains('/') {
                        self.remember(variable, &value);
                    }
                }
                self.flow.variables.insert(variable.clone(), labels);
                self.list(body, stdin)
            }
            Compound::If(lists) | Compound::Case(lists) => {
                let mut out = Out::default();
                for list in lists {
                    out.add(&self.list(list, stdin));
                }
                out
            }
            Compound::While { condition, body } => {
                // `while read line` takes its lines from what comes in.
                self.list(condition, stdin);
                self.list(body, stdin)
            }
            Compound::Arithmetic | Compound::Coprocess => Out::default(),
        }
    }

    fn simple(&mut self, simple: &Simple, stdin: &Out) -> Out {
        let mut call = Call { stdin: stdin.clone(), ..Call::default() };
        let mut range = self.at.clone();
        for item in &simple.before {
            match item {
                Item::Assignment(assignment, written) => {
                    self.widen(&mut range, written);
                    let value = match &assignment.value {
                        Value::Scalar(value) => {
                            let at = self.at.clone().or_else(|| written.range.clone());
                            self.text_of_word(&value.raw, at.as_ref())
                        }
                        Value::Array(items) => {
                            let mut read = Read::default();
                            for item in items {
                                read.labels.add(self.word(item).labels);
                            }
                            read
                        }
                    };
                    self.flow.variables.insert(assignment.name.clone(), value.labels);
                    self.remember(&assignment.name, &value);
                }
                Item::Redirection(redirection) => self.redirection(redirection, &mut call),
                Item::Word(_) | Item::Process(_) => {}
            }
        }
        let Some(program) = &simple.program else { return Out::default() };
        self.widen(&mut range, program);
        call.words.push(self.word(program));
        for item in &simple.after {
            match item {
                Item::Word(word) => {
                    self.widen(&mut range, word);
                    call.words.push(self.word(word));
                }
                Item::Assignment(assignment, word) => {
                    self.widen(&mut range, word);
                    let read = self.word(word);
                    if assignment.index.is_none() {
                        self.flow.variables.insert(assignment.name.clone(), read.labels);
                        let value = read.text.split_once('=').map_or("", |(_, value)| value).to_owned();
                        self.remember(&assignment.name, &Read { text: value, ..read.clone() });
                    }
                    call.words.push(read);
                }
                Item::Redirection(redirection) => self.redirection(redirection, &mut call),
                Item::Process(list) => {
                    let out = self.list(list, &Out::default());
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

    /// Takes the place of a word into the range of its command, unless all of it is at one place.
    fn widen(&self, range: &mut Option<Range<usize>>, word: &Word) {
        let Some(place) = word.range.clone().filter(|_| self.at.is_none()) else { return };
        *range = Some(match range.take() {
            Some(range) => range.start.min(place.start)..range.end.max(place.end),
            None => place,
        });
    }

    /// Keeps the text of a variable, when all of it is known.
    fn remember(&mut self, name: &str, value: &Read) {
        if value.text.contains("$()") || value.text.is_empty() {
            self.flow.texts.remove(name);
        } else {
            self.flow.texts.insert(name.to_owned(), value.text.clone());
        }
    }

    fn redirection(&mut self, redirection: &Redirection, call: &mut Call) {
        match &redirection.target {
            Target::Word(word) if redirection.kind == Kind::HereDocument => {
                let at = self.at.clone().or_else(|| word.range.clone());
                let labels = self.here_document(&word.raw, at.as_ref());
                call.stdin.add(&Out { labels, text: word.raw.clone(), shell: false });
            }
            Target::Word(word) | Target::Duplicate(word) => {
                let read = self.word(word);
                call.redirect(self.flow, redirection.kind, read);
            }
            Target::Process(list) => {
                let out = self.list(list, &Out::default());
                call.stdin.add(&out);
            }
            Target::Descriptor(_) => {}
        }
    }

    fn word(&mut self, word: &Word) -> Read {
        let at = self.at.clone().or_else(|| word.range.clone());
        self.text_of_word(&word.raw, at.as_ref())
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
    if sensitive::is_credential(text) || sensitive::is_dotenv(text) || sensitive::is_key_folder(text) {
        labels.add(Labels::SECRET_PATH);
    }
    if sensitive::is_private(text) {
        labels.add(Labels::PRIVATE_PATH);
    }
    labels
}
