//! Commands of a page that run before a model reads it, found by the parser that the runtime asks, and text
//! that another agent may read as such a command.

use super::Looker;
use crate::{
    flow::{Flow, Origin},
    hidden, markdown,
    report::{Capabilities, Severity},
    rule::Rule,
    shell,
};
use skillful_format::body_commands::{self, BodyCommand, CommandForm};
use std::{collections::BTreeSet, ops::Range};

/// Where blocks start whose fence says `!`, whatever blank stands before it.
pub(super) fn marked_blocks(body: &str, offset: usize) -> BTreeSet<usize> {
    let fences = body_commands::notations(body).filter(|one| one.form == CommandForm::Fence);
    fences.map(|one| one.range.start + offset).collect()
}

impl Looker<'_, '_> {
    /// Judges the commands of a body. The runtime reads the file as written, so the source counts; what a
    /// model reads without hidden characters counts too.
    pub(super) fn commands(&mut self, source_start: usize, plain_start: usize) {
        let text = self.text;
        let in_source = text.source.get(source_start..).unwrap_or_default();
        for command in body_commands::commands(in_source) {
            let range = source_start + command.inner.start..source_start + command.inner.end;
            let severity = self.severity(&command.text);
            self.file.emit_source(text, Rule::Preprocessing, severity, &range);
            Capabilities::add(&mut self.file.capabilities.preprocessing, command.text);
        }
        if text.is_changed() {
            let in_plain = text.plain.get(plain_start..).unwrap_or_default();
            for BodyCommand { text: command, inner, .. } in body_commands::commands(in_plain) {
                self.runs_before(&command, plain_start + inner.start..plain_start + inner.end);
            }
        }
    }

    /// Judges what stands in a sentence and may be read as a command.
    pub(super) fn commands_in_prose(&mut self, range: &Range<usize>) {
        let part = self.slice(range).to_owned();
        for one in body_commands::notations(&part).filter(|one| !one.text.is_empty()) {
            self.runs_before(&one.text, range.start + one.inner.start..range.start + one.inner.end);
        }
    }

    /// Judges a block whose fence says `!`.
    pub(super) fn command_block(&mut self, code: &str, places: &[(usize, usize)]) {
        let end = markdown::place(places, code.len().saturating_sub(1)) + 1;
        self.runs_before(code, markdown::place(places, 0)..end);
    }

    fn runs_before(&mut self, command: &str, range: Range<usize>) {
        let severity = self.severity(command);
        self.file.emit(self.text, Rule::Preprocessing, severity, &range);
    }

    /// How bad it is that a command runs without a question.
    fn severity(&self, command: &str) -> Severity {
        let plain = hidden::look(command).1;
        let mut flow = Flow::new(Origin::Auto, self.file.purpose);
        shell::read(plain.as_ref().map_or(command, |plain| plain.text.as_str()), &mut flow);
        flow.hits.iter().map(|hit| hit.severity).max().unwrap_or(Severity::Note)
    }
}
