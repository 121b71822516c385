//! Folders that are searched for skills.

use super::{PathText, SCHEMA};
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{Scope, profile::RootKind};

/// The folders that are searched for skills, in order of precedence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FolderList {
    /// The version of this object.
    pub schema: u32,
    /// The working folder.
    pub folder: PathText,
    /// The repository around it, else the folder itself.
    pub project: PathText,
    /// The folders.
    pub folders: Vec<SkillFolder>,
    /// Folders that do not exist and are not listed.
    pub missing: usize,
}

/// A folder of skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillFolder {
    /// The folder.
    pub path: PathText,
    /// Its scope, such as `project` or `user`.
    #[schemars(with = "String")]
    pub scope: Scope,
    /// What it contains: `skills`, `commands`, `plugins`, `integrations` or `overrides`.
    #[schemars(with = "String")]
    pub kind: RootKind,
    /// Whether it exists.
    pub present: bool,
    /// The agents that read it.
    pub agents: Vec<String>,
    /// What qualifies the names of its skills.
    pub qualifier: Option<String>,
    /// The repository that the user must trust before its skills are offered.
    pub needs_trust: Option<PathText>,
    /// How many skills it has.
    pub skills: usize,
}

impl FolderList {
    /// The folders of a workspace; `all` includes those that do not exist.
    pub fn of(workspace: &Workspace, all: bool) -> Self {
        let catalog = workspace.catalog();
        let count = |at: usize| catalog.entries.iter().filter(|entry| entry.origin.root == at).count();
        let listed = catalog.roots.iter().enumerate().filter(|(_, root)| all || root.present);
        let folders: Vec<SkillFolder> = listed
            .map(|(at, root)| SkillFolder {
                path: (&root.path).into(),
                scope: root.scope,
                kind: root.kind,
                present: root.present,
                agents: root.agents.clone(),
                qualifier: root.qualifier.clone(),
                needs_trust: root.needs_trust.as_ref().map(Into::into),
                skills: count(at),
            })
            .collect();
        Self {
            schema: SCHEMA,
            folder: (&workspace.environment().cwd).into(),
            project: (&catalog.project).into(),
            missing: catalog.roots.len() - folders.len(),
            folders,
        }
    }
}
