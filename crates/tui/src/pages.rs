//! Views of the engine as lines of a page, for a width. Workers make them, so that drawing only cuts them.

pub(crate) mod fix;
pub(crate) mod found;
pub(crate) mod plan;
pub(crate) mod review;
pub(crate) mod skill;

use crate::{
    text::wrap,
    theme::{Role, Theme},
};
use ratatui::{
    style::Style,
    text::{Line, Span},
};
use skillful::{
    views::CapabilityView,
    visible::{exact, sentence},
};
use skillful_audit::{Finding, Report, Severity, Verdict};

/// A page that is being written.
pub(crate) struct Page {
    pub(crate) theme: Theme,
    pub(crate) width: usize,
    pub(crate) lines: Vec<Line<'static>>,
}

impl Page {
    pub(crate) fn new(theme: Theme, width: u16) -> Self {
        Self { theme, width: usize::from(width).max(20), lines: Vec::new() }
    }

    pub(crate) fn blank(&mut self) {
        self.lines.push(Line::default());
    }

    /// A sentence of the program or of a skill: on as many lines as it needs.
    pub(crate) fn sentence(&mut self, text: &str, role: Role) {
        self.hanging("", &sentence(text), 0, role, role);
    }

    /// A label in a column, and a text that wraps beside it.
    pub(crate) fn labelled(&mut self, label: &str, text: &str, column: usize, role: Role) {
        self.hanging(label, &sentence(text), column, Role::Plain, role);
    }

    fn hanging(&mut self, label: &str, text: &str, column: usize, label_role: Role, role: Role) {
        let column = column.min(self.width / 2);
        let style = self.theme.style(role);
        for (at, line) in wrap(text, self.width.saturating_sub(column)).into_iter().enumerate() {
            let lead = crate::text::fixed(if at == 0 { label } else { "" }, column);
            self.lines.push(Line::from(vec![
                Span::styled(lead, self.theme.style(label_role)),
                Span::styled(line, style),
            ]));
        }
    }

    /// A line of a file, with what cannot be seen named; it wraps and keeps its blanks.
    pub(crate) fn raw(&mut self, text: &str, indent: usize, style: Style) {
        let text = exact(&text.replace('\t', "    ")).into_owned();
        crate::markdown::broken(&text, indent, self.width, style, &mut self.lines);
    }

    /// What a skill can do, one capability per line.
    pub(crate) fn capabilities(&mut self, can: &[CapabilityView], not_declared: &[String]) {
        if can.is_empty() {
            self.sentence("no capabilities (instructions only)", Role::Plain);
        }
        for one in can {
            let note = one.note.as_ref().map_or_else(String::new, |note| format!("   {note}"));
            let place = one.place.as_ref().map_or_else(String::new, |place| format!("   {place}"));
            self.labelled(&one.kind, &format!("{}{note}{place}", one.what), 12, Role::Plain);
        }
        if !not_declared.is_empty() {
            self.labelled("declares no", &not_declared.join(", "), 12, Role::Quiet);
        }
    }

    /// Findings of the audit, each with its place, its evidence and its reason.
    pub(crate) fn findings(&mut self, report: &Report, findings: &[Finding]) {
        if findings.is_empty() {
            self.sentence(&format!("no findings in {}", report.files.text()), Role::Plain);
        }
        for found in findings {
            let (word, role) = match found.severity {
                Severity::Block => ("BLOCK", Role::Danger),
                Severity::Warn => ("warn", Role::Attention),
                Severity::Note => ("note", Role::Quiet),
            };
            let head = format!("{}  {}:{}", found.rule.id(), sentence(&found.path), found.line);
            self.labelled(word, &head, 7, role);
            self.labelled("", &found.evidence, 7, Role::Plain);
            self.labelled("", found.why, 7, Role::Quiet);
        }
        for one in &report.not_scanned {
            self.labelled("", &format!("NOT SCANNED: {}", sentence(&one.path)), 7, Role::Attention);
        }
    }
}

/// The result of an audit in words: `BLOCKED: 2 blocking, 1 warning`, `1 warning`, `none`.
pub(crate) fn findings_words(report: &Report) -> (String, Role) {
    let mut words = Vec::new();
    for (severity, one) in
        [(Severity::Block, "blocking finding"), (Severity::Warn, "warning"), (Severity::Note, "note")]
    {
        let number = report.count(severity);
        if number > 0 {
            words.push(crate::text::count(number, one));
        }
    }
    if !report.not_scanned.is_empty() {
        words.push(format!("{} not scanned", crate::text::count(report.not_scanned.len(), "file")));
    }
    let text = if words.is_empty() { "none".to_owned() } else { words.join(", ") };
    match report.verdict {
        Verdict::Blocked => (format!("BLOCKED: {text}"), Role::Danger),
        Verdict::Findings | Verdict::Incomplete => (text, Role::Attention),
        Verdict::NoFinding => (text, Role::Plain),
    }
}

/// Capabilities in one line: `every tool; hook scripts/guard.sh`.
pub(crate) fn capability_words(can: &[CapabilityView]) -> String {
    if can.is_empty() {
        return "nothing beyond its instructions".to_owned();
    }
    can.iter().map(|one| sentence(&one.phrase())).collect::<Vec<_>>().join("; ")
}
