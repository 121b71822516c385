//! Skills on their way in and out: what a source offers, what was exported, what was formatted.

use super::{PathText, SCHEMA};
use crate::library::Download;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_audit::Finding;
use skillful_format::{Digest, Document, Sidecars, Tree};

/// The skills of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OfferedSkills {
    /// The version of this object.
    pub schema: u32,
    /// By name.
    pub skills: Vec<OfferedSkill>,
}

/// A skill of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OfferedSkill {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Whether its audit has a blocking finding.
    pub blocked: bool,
}

/// A file that a skill was written to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportView {
    /// The version of this object.
    pub schema: u32,
    /// The file.
    pub path: PathText,
    /// Its size.
    pub bytes: usize,
    /// The files of the skill.
    pub files: usize,
    /// The digest of the skill.
    pub digest: Digest,
    /// Blocking findings of the audit.
    pub blocking: Vec<Finding>,
}

/// Frontmatter in canonical form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormatReport {
    /// The version of this object.
    pub schema: u32,
    /// Files that were read.
    pub checked: usize,
    /// Files that changed, or would change.
    pub changed: Vec<PathText>,
    /// Files that were left as they are.
    pub skipped: Vec<SkippedFile>,
}

/// A file that was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkippedFile {
    /// The file.
    pub path: PathText,
    /// Why.
    pub reason: String,
}

impl OfferedSkills {
    /// The skills of a download.
    pub fn of(download: &Download) -> Self {
        let cards = download.cards();
        let skill = |(name, tree): (&skillful_registry::lock::SkillKey, &Tree)| OfferedSkill {
            name: name.to_string(),
            description: description(tree),
            blocked: cards.get(name).is_some_and(skillful_registry::review::Card::is_blocked),
        };
        Self { schema: SCHEMA, skills: download.skills().map(skill).collect() }
    }
}

fn description(tree: &Tree) -> String {
    let document = tree.skill_file().map(|(_, file)| Document::read(&file.bytes, &Sidecars::default()));
    document.and_then(|document| document.manifest.description).unwrap_or_default()
}
