//! Judges a Markdown page, or other text that a model reads: its instructions, examples and hidden
//! parts.

mod carried;
mod code;
mod commands;
mod hidden;
mod inventory;
mod orders;
pub(crate) mod planted_orders;
mod sections;
mod topic;

pub(crate) use topic::is_security_skill;

use crate::{
    file::{File, Text},
    lines,
    markdown::{self, Page, Part, Piece},
    prose::{self, Voice},
    report::Severity,
    rule::Rule,
    user_download,
};
use hidden::{hidden_parts, instructs};
use skillful_format::Document;
use std::{collections::BTreeSet, ops::Range};
use topic::shows_wrong;

/// Bytes of a section, with its subsections, that are judged together.
const SECTION: usize = 4_000;

/// Judges a page.
pub(crate) fn look(file: &mut File<'_>, text: &Text<'_>, document: Option<&Document>) {
    let start = document.map_or(0, |document| document.body.start.min(text.plain.len()));
    // A plain text that differs from the source has other offsets, so the body is located again.
    let start = if text.plain.len() == text.source.len() { start } else { body_start(text.plain) };
    let start = if document.is_some_and(|document| document.frontmatter.is_none()) {
        0
    } else {
        lines::floor(text.plain, start)
    };
    if let Some(document) = document {
        describe(file, document);
    }
    let page = markdown::read(&text.plain[start..], start);
    if document.is_some() {
        frontmatter_comments(file, text, start);
    }
    let marked = commands::marked_blocks(&text.plain[start..], start);
    let mut looker = Looker {
        about: about(&page, text.plain),
        page: &page,
        file,
        text,
        marked,
        carried: carried::Carried::default(),
    };
    if let Some(document) = document {
        looker.commands(document.body.start, start);
    }
    looker.pieces();
    looker.sections(start);
    looker.definitions(start);
    if let Some(found) = prose::kept_hidden::look(&text.plain[start..]) {
        let about = looker.file.about_attacks;
        let severity = if about { Severity::Warn } else { Severity::Block };
        looker.file.emit(text, Rule::Conceal, severity, &(start + found.start..start + found.end));
    }
    if let Some(found) = inventory::look(&text.plain[start..]) {
        let about = looker.file.about_attacks;
        let severity = if about { Severity::Warn } else { Severity::Block };
        looker.file.emit(text, Rule::AskSend, severity, &(start + found.start..start + found.end));
    }
}

/// Judges comments of the frontmatter, and texts of keys that agents do not display.
fn frontmatter_comments(file: &mut File<'_>, text: &Text<'_>, end: usize) {
    let mut at = 0;
    for line in text.plain[..end].split_inclusive('\n') {
        let from = at;
        at += line.len();
        let Some(comment) = line.find('#').filter(|hash| line[..*hash].trim().is_empty()) else { continue };
        if let Some(severity) = instructs(&line[comment + 1..], file.purpose) {
            file.emit(text, Rule::HiddenText, severity, &(from..at));
        }
    }
}

fn body_start(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("---") else { return 0 };
    rest.find("\n---").map_or(0, |at| 3 + at + 4)
}

/// Judges the description, which is part of every session.
fn describe(file: &mut File<'_>, document: &Document) {
    for (key, value) in
        [("description", &document.manifest.description), ("when_to_use", &document.manifest.when_to_use)]
    {
        let Some(value) = value else { continue };
        let (_, plain) = crate::hidden::look(value);
        let plain = plain.map_or_else(|| value.clone(), |plain| plain.text);
        for matched in prose::look(&plain, Voice::of(file.about_attacks), file.purpose) {
            let evidence = plain.get(matched.range).map(lines::evidence).unwrap_or_default();
            file.add(matched.rule, matched.severity, document.value_span(key), evidence);
        }
    }
}

/// For each section, whether it or a section above it is about attacks.
fn about(page: &Page, text: &str) -> Vec<bool> {
    let mut about: Vec<bool> = Vec::with_capacity(page.sections.len());
    for section in &page.sections {
        let title = text.get(section.title.clone()).unwrap_or_default();
        let above = section.above.and_then(|above| about.get(above).copied()).unwrap_or(false);
        about.push(above || prose::is_about_attacks(title) || shows_wrong(title));
    }
    about
}

struct Looker<'a, 'b> {
    page: &'a Page,
    about: Vec<bool>,
    file: &'a mut File<'b>,
    text: &'a Text<'a>,
    /// Where blocks start whose fence says `!`.
    marked: BTreeSet<usize>,
    /// What the blocks above the current one left behind.
    carried: carried::Carried,
}

impl Looker<'_, '_> {
    fn slice(&self, range: &Range<usize>) -> &str {
        self.text.plain.get(range.clone()).unwrap_or_default()
    }

    fn is_about(&self, piece: &Piece) -> bool {
        self.file.about_attacks
            || piece.section.is_some_and(|section| self.about.get(section).copied().unwrap_or(false))
    }

    fn pieces(&mut self) {
        let page = self.page;
        let mut before: Option<Range<usize>> = None;
        for piece in &page.pieces {
            let about = self.is_about(piece);
            match &piece.part {
                Part::Prose => {
                    self.prose(&piece.range, about || piece.shown);
                    before = Some(piece.range.clone());
                }
                Part::Code { language, text, places } => {
                    let wrong = before.as_ref().is_some_and(|before| {
                        let before_text = self.slice(before);
                        let tail =
                            &before_text[lines::floor(before_text, before_text.len().saturating_sub(160))..];
                        shows_wrong(tail) || prose::is_about_attacks(tail)
                    });
                    if self.marked.contains(&piece.range.start) || language.starts_with('!') {
                        self.command_block(text, places);
                    } else {
                        let shown = about || piece.shown || wrong;
                        self.code(language, text, places, shown);
                        self.planted(language, text, &piece.range, shown);
                    }
                }
                Part::Inline => self.inline(&piece.range, about || piece.shown),
                Part::Html => self.html(&piece.range, about),
                Part::Link { target, title, image } => self.link(piece, target, title, *image),
            }
        }
    }

    fn prose(&mut self, range: &Range<usize>, shows: bool) {
        let text = self.text;
        let part = text.plain.get(range.clone()).unwrap_or_default();
        for matched in prose::look(part, Voice::of(shows), self.file.purpose) {
            self.file.emit(
                text,
                matched.rule,
                matched.severity,
                &(range.start + matched.range.start..range.start + matched.range.end),
            );
        }
        self.commands_in_prose(range);
        self.file.patterns(text, range.clone(), false, shows);
    }
}

/// Judges other text that a model may read.
pub(crate) fn look_plain(file: &mut File<'_>, text: &Text<'_>, html: bool) {
    let mut at = 0;
    for paragraph in text.plain.split_inclusive("\n\n") {
        for matched in prose::look(paragraph, Voice::of(file.about_attacks), file.purpose) {
            file.emit(
                text,
                matched.rule,
                matched.severity,
                &(at + matched.range.start..at + matched.range.end),
            );
        }
        at += paragraph.len();
    }
    if html {
        hidden::forms(file, text);
        hidden::sending_scripts(file, text);
        for hidden in hidden_parts(text.plain) {
            let part = text.plain.get(hidden.clone()).unwrap_or_default();
            if instructs(part, file.purpose) == Some(Severity::Block) {
                file.emit(text, Rule::HiddenText, Severity::Block, &hidden);
            }
        }
    } else if let Some((found, severity)) =
        text.plain.get(..lines::floor(text.plain, SECTION)).and_then(user_download::look)
    {
        file.emit(text, Rule::HumanRun, severity, &found);
    }
    file.patterns(text, 0..text.plain.len(), false, file.about_attacks);
}
