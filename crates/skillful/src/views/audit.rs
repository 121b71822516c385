//! What an audit found.

use super::{PathText, SCHEMA};
use crate::{
    agent_sets::{AgentSets, key_of},
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_audit::Report;
use skillful_catalog::{Entry, capability, names::in_order};
use skillful_format::{Tree, path_text};
use std::path::Path;

/// The audits of some skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditList {
    /// The version of this object.
    pub schema: u32,
    /// The worst first.
    pub skills: Vec<AuditView>,
}

/// The audit of one skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditView {
    /// The name of its folder or archive.
    pub name: String,
    /// Its folder or archive.
    pub path: PathText,
    /// The result as one sentence.
    pub sentence: String,
    /// Agents found here that load the skill, by id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loaded_by: Vec<String>,
    /// Whether the skill has no `allowed-tools`, so that it may use every tool.
    pub every_tool: bool,
    /// The result in full.
    #[serde(flatten)]
    pub report: Report,
}

impl AuditList {
    /// The audits of some skills, the worst first, then by name and path.
    pub fn new(mut skills: Vec<AuditView>) -> Self {
        skills.sort_by(|a, b| {
            let rank = |one: &AuditView| std::cmp::Reverse(one.report.verdict);
            rank(a).cmp(&rank(b)).then_with(|| in_order(&a.name, &b.name)).then_with(|| a.path.cmp(&b.path))
        });
        Self { schema: SCHEMA, skills }
    }
}

impl AuditList {
    /// Names the agents found here that load these skills.
    #[must_use]
    pub fn with_loaders(mut self, workspace: &Workspace) -> Self {
        let catalog = workspace.whole_catalog();
        let sets = AgentSets::found(workspace);
        let loaders = sets.loaders();
        for skill in &mut self.skills {
            let is_it = |entry: &&Entry| *entry.folder() == *skill.path || *entry.origin.file == *skill.path;
            let found =
                catalog.entries.iter().find(is_it).and_then(|entry| loaders.get(key_of(entry).as_path()));
            skill.loaded_by = found.into_iter().flatten().map(|id| (*id).to_owned()).collect();
        }
        self
    }
}

impl AuditView {
    /// The audit of the skill at a path.
    pub fn new(path: &Path, report: Report) -> Self {
        Self {
            name: path_text(Path::new(path.file_name().unwrap_or(path.as_os_str()))).into_owned(),
            path: path.into(),
            sentence: report.sentence(),
            loaded_by: Vec::new(),
            every_tool: false,
            report,
        }
    }

    /// With what only the whole skill shows: whether it limits its tools.
    #[must_use]
    pub fn of_tree(self, tree: &Tree) -> Self {
        let is_every_tool = |one: capability::Capability| one.kind == "tools" && one.what == "every tool";
        let sentences = capability::of_tree(tree);
        let all = sentences.map(|sentences| capability::explain(&sentences, None)).unwrap_or_default();
        Self { every_tool: all.into_iter().any(is_every_tool), ..self }
    }
}
