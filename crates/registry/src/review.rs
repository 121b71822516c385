//! What a user reads before approving a skill: its capabilities, the findings of the audit, which files a model
//! would read; and of a new version only the difference.

mod files;

pub use files::{Change, FileNote, Role};

use skillful_audit::{Finding, Report, Severity, Verdict, audit};
use skillful_catalog::{capability, parallel};
use skillful_format::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that a user should see of a skill before approving it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Its capabilities.
    pub capabilities: BTreeSet<String>,
    /// What of that is new.
    pub gained: BTreeSet<String>,
    /// Capabilities that it no longer has.
    pub dropped: BTreeSet<String>,
    /// The whole audit.
    pub report: Report,
    /// What of its findings is new.
    pub found: Vec<Finding>,
    /// Its files; of a new version only those that are not as they were.
    pub files: Vec<FileNote>,
    /// What it can do, one by one.
    pub can: Vec<capability::Capability>,
    /// Lines that a model reads whenever the skill is used.
    pub lines: usize,
}

/// Why a skill needs an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Concern {
    /// It has new capabilities.
    #[error("it has more capabilities than were approved")]
    Grown,
    /// The audit reports new warnings.
    #[error("the audit reports warnings")]
    Finding,
    /// The audit could not read all of it.
    #[error("the audit could not read all of it")]
    NotScanned,
    /// The audit reports blocking findings.
    #[error("the audit reports blocking findings")]
    Blocked,
}

impl Card {
    /// Of a skill that was not reviewed yet: all of it is new.
    pub fn of(tree: &Tree) -> Self {
        let capabilities = capability::of_tree(tree).unwrap_or_default();
        let report = audit(tree);
        Self {
            gained: capability::gained(&BTreeSet::new(), &capabilities).into_iter().collect(),
            dropped: BTreeSet::new(),
            found: report.findings.clone(),
            files: files::all(tree),
            can: capability::explain(&capabilities, Some(tree)),
            lines: tree
                .skill_file()
                .map_or(0, |(_, file)| String::from_utf8_lossy(&file.bytes).lines().count()),
            capabilities,
            report,
        }
    }

    /// Of a new version of an approved skill.
    pub fn since(old: &Tree, new: &Tree) -> Self {
        let (was, now) = (Self::of(old), Self::of(new));
        let mut known: BTreeMap<_, usize> = BTreeMap::new();
        for finding in &was.found {
            *known.entry(key(finding)).or_default() += 1;
        }
        let mut found = Vec::new();
        for finding in &now.found {
            match known.get_mut(&key(finding)) {
                Some(count) if *count > 0 => *count -= 1,
                _ => found.push(finding.clone()),
            }
        }
        Self {
            gained: capability::gained(&was.capabilities, &now.capabilities).into_iter().collect(),
            dropped: capability::dropped(&was.capabilities, &now.capabilities).into_iter().collect(),
            found,
            files: files::changed(old, new),
            can: now.can,
            lines: now.lines,
            capabilities: now.capabilities,
            report: now.report,
        }
    }

    /// Why it needs an approval, the worst reason last; empty when it needs none.
    pub fn concerns(&self) -> BTreeSet<Concern> {
        let mut concerns = BTreeSet::new();
        if !self.gained.is_empty() {
            concerns.insert(Concern::Grown);
        }
        for finding in &self.found {
            match finding.severity {
                Severity::Block => concerns.insert(Concern::Blocked),
                Severity::Warn => concerns.insert(Concern::Finding),
                Severity::Note => false,
            };
        }
        let is_touched = |path: &str| self.files.iter().any(|file| file.path.as_str() == path);
        if self.report.not_scanned.iter().any(|unread| is_touched(&unread.path)) {
            concerns.insert(Concern::NotScanned);
        }
        concerns
    }

    /// Whether the audit reports blocking findings.
    pub fn is_blocked(&self) -> bool {
        self.report.verdict == Verdict::Blocked
    }
}

/// The same finding in two versions; lines move.
fn key(finding: &Finding) -> (&'static str, &str, &str) {
    (finding.rule.id(), &finding.path, &finding.evidence)
}

/// The cards of skills that were not reviewed yet, in their order, made by all cores.
pub fn cards(trees: &[&Tree]) -> Vec<Card> {
    parallel::map(trees, |tree| Card::of(tree))
}
