//! The result of an audit. It never says "safe": it lists what was read and what was found.

use crate::{limits, model_review::ModelReview, rule::Rule};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_format::Span;
use std::{collections::BTreeSet, fmt};

/// The severity of a finding. Ordered, so that `max()` is the most serious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information for the decision to trust a skill.
    Note,
    /// A combination that attacks use and honest skills may use too.
    Warn,
    /// A combination that an honest skill has no reason for.
    Block,
}

impl Severity {
    /// One severity lower: for text that shows or warns against something instead of doing it.
    #[must_use]
    pub fn lower(self) -> Self {
        match self {
            Self::Block => Self::Warn,
            Self::Warn | Self::Note => Self::Note,
        }
    }

    /// The severity below a heading, in a table or after words that say that something is only shown. The author
    /// writes those too, and a model can act on what is below them: what blocks still blocks.
    #[must_use]
    pub fn shown(self) -> Self {
        match self {
            Self::Block => Self::Block,
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

/// One finding, with its position, evidence and fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// The rule that applies.
    #[serde(serialize_with = "rule_id")]
    #[schemars(with = "String")]
    pub rule: Rule,
    /// The severity here; never higher than in the table of rules.
    pub severity: Severity,
    /// The file, inside the skill.
    pub path: String,
    /// Line, from 1; 0 for the file as a whole.
    pub line: u32,
    /// The position in the file.
    pub span: Option<Span>,
    /// The text found, on one line, shortened, with invisible characters named.
    pub evidence: String,
    /// Why the finding matters.
    pub why: &'static str,
    /// How to fix it.
    pub fix: &'static str,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn rule_id<S: serde::Serializer>(rule: &Rule, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rule.id())
}

/// A file that was not scanned, and why; it never counts as clean.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct NotScanned {
    /// The file, inside the skill.
    pub path: String,
    /// Why it was not scanned.
    pub why: String,
}

/// The capabilities of a skill, as it declares them and as its commands and scripts show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Capabilities {
    /// Tools that the skill requests.
    pub tools: BTreeSet<String>,
    /// Commands of its hooks.
    pub hooks: BTreeSet<String>,
    /// MCP servers that the skill starts or connects to.
    pub servers: BTreeSet<String>,
    /// Commands that run before a model reads the body.
    pub preprocessing: BTreeSet<String>,
    /// Names of variables and secrets.
    pub environment: BTreeSet<String>,
    /// Network hosts in its text and code.
    pub hosts: BTreeSet<String>,
    /// Programs that its scripts and command examples call.
    pub programs: BTreeSet<String>,
    /// Scripts in the skill.
    pub scripts: BTreeSet<String>,
}

impl Capabilities {
    /// Adds to one list, within its limit.
    pub(crate) fn add(list: &mut BTreeSet<String>, item: impl Into<String>) {
        if list.len() < limits::CAPABILITIES {
            list.insert(item.into());
        }
    }

    /// The lists with their names, in the order of the report.
    pub fn lists(&self) -> [(&'static str, &BTreeSet<String>); 8] {
        [
            ("tools", &self.tools),
            ("hooks", &self.hooks),
            ("MCP servers", &self.servers),
            ("commands on load", &self.preprocessing),
            ("variables", &self.environment),
            ("hosts", &self.hosts),
            ("programs", &self.programs),
            ("scripts", &self.scripts),
        ]
    }
}

/// The result in one word. Ordered, so that `max()` is the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No finding above a note, and every file was read.
    NoFinding,
    /// At least one warning.
    Findings,
    /// A file was not scanned, so that the skill cannot be called clean.
    Incomplete,
    /// At least one blocking finding.
    Blocked,
}

/// How many files were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Files {
    /// Files that were read completely.
    pub read: usize,
    /// All files of the skill.
    pub of: usize,
}

impl Files {
    /// `3 files`, or `2 of 3 files` when one was not read.
    pub fn text(self) -> String {
        let Self { read, of } = self;
        let files = if of == 1 { "file" } else { "files" };
        if read == of { format!("{of} {files}") } else { format!("{read} of {of} {files}") }
    }
}

/// The result of the audit of one skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// Version of the rules.
    pub ruleset: &'static str,
    /// The number of files read.
    pub files: Files,
    /// The result in one word.
    pub verdict: Verdict,
    /// The findings, by path and position.
    pub findings: Vec<Finding>,
    /// The files that were not scanned.
    pub not_scanned: Vec<NotScanned>,
    /// The capabilities of the skill.
    pub capabilities: Capabilities,
    /// What a model found, if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelReview>,
}

impl Report {
    /// Adds what a model found. The findings of the rules stay, and the verdict can only become worse.
    pub fn add_model_review(&mut self, review: ModelReview) {
        self.verdict = self.verdict.max(review.verdict());
        self.model = Some(review);
    }

    /// Adds files that the caller could not pass to the audit: links, folders of tools, files over
    /// a limit.
    pub fn add_not_scanned(&mut self, more: impl IntoIterator<Item = NotScanned>) {
        for one in more {
            self.files.of += 1;
            self.not_scanned.push(one);
        }
        self.not_scanned.sort();
        self.verdict = self.verdict.max(verdict(&self.findings, &self.not_scanned));
    }

    /// Whether a part of the skill was not judged: a file that was not scanned, or an answer of the model that cannot be used.
    pub fn is_incomplete(&self) -> bool {
        let is_answered = self.model.as_ref().is_none_or(|review| review.not_usable.is_empty());
        !self.not_scanned.is_empty() || self.verdict == Verdict::Incomplete || !is_answered
    }

    /// The severities of all findings, of the rules and of the model.
    pub fn severities(&self) -> impl Iterator<Item = Severity> {
        let model = self.model.iter().flat_map(|review| &review.findings).map(|finding| finding.severity);
        self.findings.iter().map(|finding| finding.severity).chain(model)
    }

    /// The number of findings with a severity, of the rules and of the model.
    pub fn count(&self, severity: Severity) -> usize {
        self.severities().filter(|one| *one == severity).count()
    }

    /// The result as one sentence.
    pub fn sentence(&self) -> String {
        format!("{} in {}, rules {}", self.result(), self.files.text(), self.ruleset)
    }

    /// The findings by severity: `BLOCKED: 2 blocking findings, 1 warning`.
    pub fn result(&self) -> String {
        match self.verdict {
            Verdict::NoFinding | Verdict::Findings => self.counts(),
            Verdict::Incomplete => format!("INCOMPLETE: {}", self.counts()),
            Verdict::Blocked => format!("BLOCKED: {}", self.counts()),
        }
    }

    fn counts(&self) -> String {
        let kinds =
            [(Severity::Block, "blocking finding"), (Severity::Warn, "warning"), (Severity::Note, "note")];
        let parts: Vec<String> = kinds
            .into_iter()
            .filter_map(|(severity, name)| match self.count(severity) {
                0 => None,
                1 => Some(format!("1 {name}")),
                count => Some(format!("{count} {name}s")),
            })
            .collect();
        if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
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
