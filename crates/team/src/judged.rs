//! An uploaded skill after the engine judged it: what it is, what it can do, what the audit found.

use crate::error::TeamError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillful_audit::{Finding, Verdict};
pub use skillful_catalog::capability::gained;
use skillful_format::{
    Digest, Document, SPEC, Sidecars, Soundness, Tree, check, digest_bytes, scaffold::check_name,
};
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
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
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
        let name = manifest.name.as_deref().or(folder).unwrap_or_default().trim().to_owned();
        check_name(&name).map_err(|refused| {
            TeamError::invalid("invalid-name", format!("the name of the skill is not valid: {refused}"))
        })?;
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

/// A skill as registries give it out: the same bytes for the same files.
pub fn archive(tree: &Tree) -> Result<Vec<u8>, TeamError> {
    skillful_archive::write_tar_gz_bare(tree)
        .map_err(|refused| TeamError::invalid("not-storable", refused.message))
}

fn finding(found: &Finding) -> FindingView {
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
    let Some((_, file)) = tree.skill_file() else {
        return Err(TeamError::invalid("no-skill-file", "the upload has no SKILL.md at its top"));
    };
    let bytes = |path: &str| tree.get(path).map(|file| file.bytes.as_slice());
    let sidecars = Sidecars {
        skillful: bytes("agents/skillful.yaml"),
        openai: bytes("agents/openai.yaml"),
        toml: bytes("skill.toml"),
    };
    Ok(Document::read(&file.bytes, &sidecars))
}

/// Every result of the check of a skill.
pub fn checked(tree: &Tree) -> Result<Vec<CheckedView>, TeamError> {
    let document = read(tree)?;
    let Some((path, file)) = tree.skill_file() else { return Ok(Vec::new()) };
    let text = String::from_utf8_lossy(&file.bytes);
    let has_file = |wanted: &str| tree.get(wanted).is_some();
    Ok(check(&text, &document, None, &has_file, &SPEC)
        .into_iter()
        .map(|found| CheckedView {
            code: found.code.to_string(),
            severity: found.severity.to_string(),
            path: path.to_owned(),
            line: found.span.map(|span| span.line),
            message: found.message,
            help: found.help,
        })
        .collect())
}
