//! How an agent scans one root folder.

use serde::{Deserialize, Serialize};

/// How an agent scans one root folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScanRule {
    /// The file names that make a folder a skill, highest precedence first.
    pub files: Vec<String>,
    /// Maximum depth of a skill's folder below the root; absent means no limit.
    pub depth: Option<u32>,
    /// Whether a skill file directly in the root is a skill.
    pub root_skill: bool,
    /// Whether Markdown files directly in the root are skills, named after the file.
    pub flat_files: bool,
    /// Maximum number of folders per root, including the root; absent means no limit.
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
    /// Whether the scan looks for further skills inside a skill.
    pub nested: Nested,
    /// Whether a folder that is reached twice is one skill or two.
    pub repeated_folder: RepeatedFolder,
    /// Whether folders of skills below the working folder join when a file there is touched, their skills qualified by the
    /// folder.
    pub below: bool,
    /// In which order folders are visited, which decides between equal names.
    pub order: ScanOrder,
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
            repeated_folder: RepeatedFolder::One,
            below: false,
            order: ScanOrder::Breadth,
        }
    }
}

/// In which order the folders below a root are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScanOrder {
    /// All folders of one level before those of the next.
    Breadth,
    /// Everything below a folder before the next folder.
    Depth,
}

/// Whether folders are entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visit {
    /// Never entered.
    Skip,
    /// Entered.
    Scan,
    /// A skill file directly in it counts; it is not searched further.
    OnlySkill,
}

/// How a symbolic link is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// Followed.
    Follow,
    /// Ignored.
    Skip,
}

/// Whether the scan continues inside a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nested {
    /// A SKILL.md inside a skill is a file of that skill.
    Stop,
    /// The same; and a SKILL.md in the root makes the root one skill.
    StopAtRoot,
    /// A SKILL.md inside a skill is another skill.
    Descend,
}

/// How a folder that is reached over two paths counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepeatedFolder {
    /// As one skill.
    One,
    /// As one skill for each path.
    Each,
}
