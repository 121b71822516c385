//! An uploaded skill after the engine judged it: what it is, what it can do, what the audit found.

use crate::error::TeamError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillful::authoring::{
    ProblemFix, TextChange, TextProblem,
    check::{check_tree, sidecars},
};
use skillful_audit::{Finding, Verdict};
pub use skillful_catalog::capability::{Capability, explain, gained, not_declared};
use skillful_format::{Data, Digest, Document, SPEC, Soundness, Tree, digest_bytes, scaffold::check_name};
use skillful_registry::review::Card;
use std::{collections::BTreeSet, fmt, str::FromStr};
use utoipa::ToSchema;

/// What the audit says about a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum VersionVerdict {
    /// No finding above a note.
    Pass,
    /// Warnings.
    Warn,
    /// Blocking findings.
    Block,
}

crate::actor::words!(VersionVerdict { Pass = "pass", Warn = "warn", Block = "block" });

/// One finding of the audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindingView {
    /// The rule.
    pub rule: String,
    /// `block`, `warn` or `note`.
    pub severity: String,
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The text that was found.
    pub evidence: String,
    /// Why it matters.
    pub message: String,
    /// How to fix it.
    pub fix: String,
}

/// One result of the check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CheckedView {
    /// The stable code.
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// Where the text that it is about begins, in UTF-16 units, as browsers and editors count.
    pub start: Option<usize>,
    /// Where that text ends.
    pub end: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// The edits that fix it.
    pub fix: Option<FixView>,
}

/// The edits that fix one result of the check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FixView {
    /// What they do, as an order.
    pub title: String,
    /// Whether they keep what the skill means.
    pub automatic: bool,
    /// The edits, in the order of the text, without overlaps.
    pub edits: Vec<EditView>,
}

/// One edit. Places count UTF-16 units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EditView {
    /// Where the replaced text begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What stands there afterwards.
    pub text: String,
}

impl From<TextProblem> for CheckedView {
    fn from(found: TextProblem) -> Self {
        let edit = |edit: TextChange| EditView { start: edit.start, end: edit.end, text: edit.text };
        let fix = |fix: ProblemFix| FixView {
            title: fix.title,
            automatic: fix.automatic,
            edits: fix.edits.into_iter().map(edit).collect(),
        };
        Self {
            code: found.code,
            severity: found.severity,
            path: found.path,
            line: found.line,
            start: found.start,
            end: found.end,
            message: found.message,
            help: found.help,
            fix: found.fix.map(fix),
        }
    }
}

/// A skill that was judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its files.
    pub tree: Tree,
    /// Their digest.
    pub digest: Digest,
    /// The digest of its archive, as a registry names it.
    pub archive: Digest,
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// Its version, as written.
    pub semver: String,
    /// The frontmatter as JSON.
    pub manifest: Value,
    /// What it can do, as sentences.
    pub capabilities: BTreeSet<String>,
    /// What the audit found.
    pub findings: Vec<FindingView>,
    /// The sum of that.
    pub verdict: VersionVerdict,
}

impl Judged {
    /// Judges files. `folder` is the name of the folder around them; it is the name of a skill without one.
    pub fn of(tree: Tree, folder: Option<&str>) -> Result<Self, TeamError> {
        let document = read(&tree)?;
        if document.soundness == Soundness::Broken {
            let why: Vec<&str> = document.diagnostics.iter().map(|found| found.message.as_str()).collect();
            return Err(TeamError::invalid(
                "invalid-skill",
                format!("SKILL.md cannot be read: {}", why.join("; ")),
            ));
        }
        let manifest = &document.manifest;
        let name = checked_name(&document, folder)?;
        let description = manifest.description.clone().unwrap_or_default();
        if description.trim().is_empty() {
            return Err(TeamError::invalid(
                "no-description",
                "the skill has no description; write one in the frontmatter: what it does and when to use it",
            ));
        }
        let card = Card::of(&tree);
        Ok(Self {
            digest: tree.digest(),
            archive: digest_bytes(&archive(&tree)?),
            semver: manifest.version.clone().unwrap_or_default(),
            manifest: serde_json::to_value(manifest).unwrap_or_default(),
            findings: card.report.findings.iter().map(finding).collect(),
            verdict: match card.report.verdict {
                Verdict::Blocked => VersionVerdict::Block,
                Verdict::Findings | Verdict::Incomplete => VersionVerdict::Warn,
                Verdict::NoFinding => VersionVerdict::Pass,
            },
            capabilities: card.capabilities,
            name,
            description,
            tree,
        })
    }
}

/// The data of the author in a stored frontmatter, as one object.
pub fn metadata(manifest: &Value) -> Value {
    let pairs = manifest["metadata"].as_array().into_iter().flatten();
    let named = pairs.filter_map(|pair| {
        let (name, data): (String, Data) = serde_json::from_value(pair.clone()).ok()?;
        Some((name, data.to_json()))
    });
    Value::Object(named.collect())
}

/// The name of a skill: that of its frontmatter, else that of the folder around it.
fn checked_name(document: &Document, folder: Option<&str>) -> Result<String, TeamError> {
    let name = document.manifest.name.as_deref().or(folder).unwrap_or_default().trim().to_owned();
    check_name(&name).map_err(|refused| {
        TeamError::invalid("invalid-name", format!("the name of the skill is not valid: {refused}"))
    })?;
    Ok(name)
}

/// The name that files have, without judging them.
pub(crate) fn name_of(tree: &Tree, folder: Option<&str>) -> Result<String, TeamError> {
    checked_name(&read(tree)?, folder)
}

/// A skill as registries give it out: the same bytes for the same files.
pub fn archive(tree: &Tree) -> Result<Vec<u8>, TeamError> {
    skillful_archive::write_tar_gz_bare(tree)
        .map_err(|refused| TeamError::invalid("not-storable", refused.message))
}

pub(crate) fn finding(found: &Finding) -> FindingView {
    FindingView {
        rule: found.rule.id().to_owned(),
        severity: found.severity.to_string(),
        path: found.path.clone(),
        line: (found.line > 0).then_some(found.line),
        evidence: found.evidence.clone(),
        message: found.why.to_owned(),
        fix: found.fix.to_owned(),
    }
}

fn read(tree: &Tree) -> Result<Document, TeamError> {
    let (_, file) = tree.skill_file().ok_or_else(no_skill_file)?;
    Ok(Document::read(&file.bytes, &sidecars(tree)))
}

/// Every result of the check of a skill.
pub fn checked(tree: &Tree) -> Result<Vec<CheckedView>, TeamError> {
    checked_in(tree, None)
}

/// The same for a skill that gets a folder of this name.
pub fn checked_in(tree: &Tree, folder: Option<&str>) -> Result<Vec<CheckedView>, TeamError> {
    let found = check_tree(tree, folder, &SPEC).ok_or_else(no_skill_file)?;
    Ok(found.problems.into_iter().map(CheckedView::from).collect())
}

fn no_skill_file() -> TeamError {
    TeamError::invalid("no-skill-file", "the upload has no SKILL.md at its top")
}
