//! What an audit comes to. It never says "safe": it says what was looked at and what was found.

use crate::{limits, rule::Rule};
use serde::Serialize;
use skillful_format::Span;
use std::{collections::BTreeSet, fmt};

/// How much a finding weighs. Ordered, so that `max()` is the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing before trusting.
    Note,
    /// A shape that attacks have, and honest skills may have too.
    Warn,
    /// A combination that an honest skill has no reason for.
    Block,
}

impl Severity {
    /// One step down: for text that shows or warns rather than does.
    #[must_use]
    pub fn lower(self) -> Self {
        match self {
            Self::Block => Self::Warn,
            Self::Warn | Self::Note => Self::Note,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Note => "note",
            Self::Warn => "warn",
            Self::Block => "block",
        })
    }
}

/// One thing found, with the place, the evidence and the fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule that found it.
    #[serde(serialize_with = "rule_id")]
    pub rule: Rule,
    /// How much it weighs here; never more than the table says.
    pub severity: Severity,
    /// The file, inside the skill.
    pub path: String,
    /// Line, from 1; 0 when the file as a whole is meant.
    pub line: u32,
    /// The place in the file.
    pub span: Option<Span>,
    /// The text found, on one line, cut, with invisible characters named.
    pub evidence: String,
    /// Why this matters.
    pub why: &'static str,
    /// What to do about it.
    pub fix: &'static str,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn rule_id<S: serde::Serializer>(rule: &Rule, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rule.id())
}

/// Something that was not looked at, and why: never counted as clean.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NotScanned {
    /// The file, inside the skill.
    pub path: String,
    /// Why it was not scanned.
    pub why: String,
}

/// What a skill may use, as it says itself and as its commands and scripts show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Powers {
    /// Tools it asks for.
    pub tools: BTreeSet<String>,
    /// Commands of its hooks.
    pub hooks: BTreeSet<String>,
    /// MCP servers it starts or speaks to.
    pub servers: BTreeSet<String>,
    /// Commands that run before a model reads the body.
    pub preprocessing: BTreeSet<String>,
    /// Variables and secrets by name.
    pub environment: BTreeSet<String>,
    /// Hosts that its text and code name.
    pub hosts: BTreeSet<String>,
    /// Programs that its scripts and command examples call.
    pub programs: BTreeSet<String>,
    /// Scripts it brings.
    pub scripts: BTreeSet<String>,
}

impl Powers {
    /// Adds to one list, within its bound.
    pub(crate) fn add(list: &mut BTreeSet<String>, item: impl Into<String>) {
        if list.len() < limits::POWERS {
            list.insert(item.into());
        }
    }

    /// The lists with their names, in the order of the report.
    pub fn lists(&self) -> [(&'static str, &BTreeSet<String>); 8] {
        [
            ("tools", &self.tools),
            ("hooks", &self.hooks),
            ("MCP servers", &self.servers),
            ("commands before reading", &self.preprocessing),
            ("variables", &self.environment),
            ("hosts", &self.hosts),
            ("programs", &self.programs),
            ("scripts", &self.scripts),
        ]
    }
}

/// The outcome in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No rule of this set found anything above a note, and every file was read.
    NoFinding,
    /// Something to look at.
    Findings,
    /// Something was not scanned, so that the rest cannot be called clean.
    Incomplete,
    /// A combination that an honest skill has no reason for.
    Blocked,
}

/// How many files were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Files {
    /// Read and judged, whole.
    pub read: usize,
    /// All files of the skill.
    pub of: usize,
}

/// What an audit of one skill found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Version of the rules.
    pub ruleset: &'static str,
    /// How much was read.
    pub files: Files,
    /// The outcome in one word.
    pub verdict: Verdict,
    /// What was found, by path and place.
    pub findings: Vec<Finding>,
    /// What was not looked at.
    pub not_scanned: Vec<NotScanned>,
    /// What the skill may use.
    pub powers: Powers,
}

impl Report {
    /// Adds what a caller knows it could not hand over: links, folders of tools, files over a limit.
    pub fn not_scanned_either(&mut self, more: impl IntoIterator<Item = NotScanned>) {
        for one in more {
            self.files.of += 1;
            self.not_scanned.push(one);
        }
        self.not_scanned.sort();
        self.verdict = verdict(&self.findings, &self.not_scanned);
    }

    /// How many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// The result as one honest sentence.
    pub fn sentence(&self) -> String {
        let Files { read, of } = self.files;
        let over = format!("by ruleset {} over {read} of {of} files", self.ruleset);
        match self.verdict {
            Verdict::NoFinding if self.findings.is_empty() => format!("no finding {over}"),
            Verdict::NoFinding => format!("no finding above a note, {} {over}", self.counts()),
            Verdict::Findings => format!("{} {over}", self.counts()),
            Verdict::Incomplete => format!("incomplete: {} {over}", self.counts()),
            Verdict::Blocked => format!("blocked: {} {over}", self.counts()),
        }
    }

    fn counts(&self) -> String {
        let parts =
            [(Severity::Block, "to block"), (Severity::Warn, "to look at"), (Severity::Note, "to know")];
        let parts: Vec<String> = parts
            .into_iter()
            .filter_map(|(severity, words)| match self.count(severity) {
                0 => None,
                count => Some(format!("{count} {words}")),
            })
            .collect();
        if parts.is_empty() { "no finding".to_owned() } else { parts.join(", ") }
    }
}

pub(crate) fn verdict(findings: &[Finding], not_scanned: &[NotScanned]) -> Verdict {
    match findings.iter().map(|finding| finding.severity).max() {
        Some(Severity::Block) => Verdict::Blocked,
        _ if !not_scanned.is_empty() => Verdict::Incomplete,
        Some(Severity::Warn) => Verdict::Findings,
        Some(Severity::Note) | None => Verdict::NoFinding,
    }
}
