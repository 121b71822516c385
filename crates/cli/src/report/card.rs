//! What the user sees of a skill before deciding about it: what it can do, findings, files. Made from its view.

use super::{audit, capability};
use crate::output::{BAD, GOOD, Output, WARN, count, harmless, wrapped};
use skillful::views::install::{CardView, FileView};
use skillful_audit::{Severity, Verdict};
use skillful_catalog::capability::{kind_of, shown};

/// Files that a card names.
const FILES: usize = 40;
/// The column of the kinds of capabilities.
const KIND: usize = 12;
/// The card as text. Of a new version it shows only the difference.
pub(crate) fn text(card: &CardView, output: &Output) -> String {
    let mut out = if card.is_change { difference(card, output) } else { can_do(card, output) };
    let style = match card.audit.verdict {
        Verdict::Blocked => BAD,
        Verdict::Findings | Verdict::Incomplete => WARN,
        Verdict::NoFinding => GOOD,
    };
    let [blocking, warnings, notes] =
        [Severity::Block, Severity::Warn, Severity::Note].map(|severity| card.audit.count(severity));
    let blocked = if card.audit.verdict == Verdict::Blocked { "BLOCKED: " } else { "" };
    let mut found = format!("{blocked}{blocking} blocking, {}", count(warnings, "warning"));
    if notes > 0 {
        found.push_str(&format!(", {}", count(notes, "note")));
    }
    let known = card.audit.findings.len() - card.new_findings.len();
    if known > 0 {
        found.push_str(&format!("; {} as before", count(known, "finding")));
    }
    out.push_str(&format!("Findings: {}\n", output.paint(style, &found)));
    out.push_str(&audit::findings(&card.new_findings, output));
    out.push_str(&audit::not_scanned(&card.audit.not_scanned));
    out.push_str(&files(card, output));
    out
}

fn can_do(card: &CardView, output: &Output) -> String {
    let mut out = String::from("Can do\n");
    out.push_str(&capability::lines(&card.can, KIND, output.width));
    if !card.not_declared.is_empty() {
        out.push_str(&format!("Not declared: {}\n", card.not_declared.join(", ")));
    }
    out
}

/// What the new version can do more and less.
fn difference(card: &CardView, output: &Output) -> String {
    let mut out = String::from("Can do\n");
    for (sign, sentences) in [("+", &card.gained), ("-", &card.dropped)] {
        for sentence in sentences {
            let (kind, what) = kind_of(sentence);
            let what = &shown(what);
            let line = format!("{sign} {kind:<KIND$}{}", harmless(what));
            let line = wrapped(line.trim_end(), output.width, &" ".repeat(KIND + 2));
            out.push_str(&if sign == "+" { output.paint(WARN, line.trim_end()) + "\n" } else { line });
        }
    }
    if card.gained.is_empty() && card.dropped.is_empty() {
        out.push_str("  as before\n");
    }
    out
}

/// How many files there are, and those that differ or that no one can read.
fn files(card: &CardView, output: &Output) -> String {
    let bytes: usize = card.files.iter().map(|file| file.bytes).sum();
    let lines = count(card.lines, "line");
    let changed = if card.is_change { " changed" } else { "" };
    let mut out = format!("Files: {}{changed}, {}, {lines} a model reads\n", card.files.len(), size(bytes));
    let is_named = |file: &&FileView| card.is_change || matches!(file.role, "can be run" | "not text");
    let named: Vec<&FileView> = card.files.iter().filter(is_named).collect();
    for file in named.iter().take(FILES) {
        let change = file.change.map_or_else(String::new, |change| format!(", {change}"));
        let line = format!("  {} ({}, {}{change})", harmless(&file.path), size(file.bytes), file.role);
        out.push_str(&wrapped(&line, output.width, "    "));
    }
    if named.len() > FILES {
        out.push_str(&format!("  and {} more\n", named.len() - FILES));
    }
    out
}

pub(crate) use skillful_tui::text::size;
