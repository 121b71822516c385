//! How an agent walks one root.

use serde::{Deserialize, Serialize};

/// How a root is walked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScanRule {
    /// File names that make a folder a skill, the first to win first.
    pub files: Vec<String>,
    /// Levels below the root at which a skill's folder may lie; absent means no limit.
    pub depth: Option<u32>,
    /// Whether a skill file directly in the root counts.
    pub root_skill: bool,
    /// Whether Markdown files directly in the root are skills, named by their stem.
    pub flat_files: bool,
    /// Folders visited per root, the root included; absent means no limit.
    pub folders: Option<u32>,
    /// Whether folders whose name starts with a dot are entered.
    pub hidden: Visit,
    /// Names of folders that are never entered.
    pub skip: Vec<String>,
    /// Prefixes of folder names that are never entered.
    pub skip_prefixes: Vec<String>,
    /// Whether linked folders are entered.
    pub folder_links: Links,
    /// Whether a skill file that is itself a link counts.
    pub file_links: Links,
    /// Whether a skill's own folder is searched for further skills.
    pub nested: Nested,
    /// Whether one folder reached over two ways is one skill.
    pub twins: Twins,
}

impl Default for ScanRule {
    fn default() -> Self {
        Self {
            files: vec!["SKILL.md".to_owned()],
            depth: Some(1),
            root_skill: false,
            flat_files: false,
            folders: None,
            hidden: Visit::Skip,
            skip: Vec::new(),
            skip_prefixes: Vec::new(),
            folder_links: Links::Follow,
            file_links: Links::Follow,
            nested: Nested::Stop,
            twins: Twins::One,
        }
    }
}

/// Whether something is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visit {
    /// Never entered.
    Skip,
    /// Entered.
    Scan,
}

/// What is done with a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// Followed.
    Follow,
    /// Left alone.
    Skip,
}

/// Whether the walk goes on inside a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nested {
    /// A skill's folder is its own; a SKILL.md inside is one of its files.
    Stop,
    /// A SKILL.md inside a skill is another skill.
    Descend,
}

/// What two ways to one folder make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Twins {
    /// One skill.
    One,
    /// One skill for each way.
    Each,
}
