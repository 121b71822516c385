//! One skill of a list.

use super::{DiagnosticView, PathText};
use crate::{
    refusal,
    workspace::{PendingDownload, Workspace},
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{
    Catalog, Entry,
    gate::{Caller, Reason, calls},
    profile::RootKind,
};
use skillful_format::LENIENT;
use std::{path::PathBuf, sync::Arc};

/// A skill as every list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillSummary {
    /// The name with what qualifies it: `plugin:skill`.
    pub name: String,
    /// `available`, `unavailable`, `shadowed`, `invalid`, `disabled`, `untrusted` or `pending`.
    pub state: String,
    /// Why it is not available, one sentence each.
    pub reasons: Vec<String>,
    /// The command that changes the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Who may call it once it is available.
    pub calls: Calls,
    /// `project`, `user`, `custom`, `managed`, `plugin`, `integration`, `system` or `extra`.
    pub scope: String,
    /// `skill` or `command`.
    pub kind: String,
    /// The file that makes it a skill.
    pub path: PathText,
    /// Its folder with links resolved; of a command its file.
    pub real_path: PathText,
    /// The folder of skills it was found in.
    pub root: PathText,
    /// Other paths that lead to the same folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_at: Vec<PathText>,
    /// Agents that read the folder it lies in; which of them load it: `skillful show`, `skillful view --agent`.
    pub folder_read_by: Arc<[String]>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The files an operator's override takes its parts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overridden: Option<OverrideView>,
    /// Everything wrong with its file.
    pub diagnostics: Vec<DiagnosticView>,
}

/// Who may call a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Calls {
    /// The user by its name.
    pub user: bool,
    /// A model from its menu.
    pub model: bool,
    /// Why one of them may not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why_not: Vec<String>,
}

/// Where the parts of an overridden skill come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OverrideView {
    /// The file of the body.
    pub body: PathText,
    /// The files of the metadata, the strongest first.
    pub metadata: Vec<PathText>,
}

impl SkillSummary {
    /// A skill of a workspace's catalog.
    pub fn of(workspace: &Workspace, catalog: &Catalog, at: usize) -> Self {
        let diagnostics = &catalog.entries[at].loaded.diagnostics;
        let shown = diagnostics.iter().filter(|found| LENIENT.severity(found).is_some()).cloned().collect();
        let diagnostics = DiagnosticView::all(&LENIENT.apply(shown));
        Self { diagnostics, ..Self::without_diagnostics(workspace, catalog, at) }
    }

    /// The same without its diagnostics.
    pub fn without_diagnostics(workspace: &Workspace, catalog: &Catalog, at: usize) -> Self {
        let entry = &catalog.entries[at];
        let state = workspace.state(at);
        let path = |path: &std::path::Path| PathText::from(path);
        Self {
            name: entry.address(),
            reasons: state.reasons(),
            fix: refusal::fix(&state, entry),
            state: state.word().to_owned(),
            calls: Calls::of(entry),
            scope: entry.origin.scope.word().to_owned(),
            kind: if entry.origin.kind == RootKind::Commands { "command" } else { "skill" }.to_owned(),
            path: path(&entry.origin.file),
            real_path: path(&entry.origin.real),
            root: path(&catalog.roots[entry.origin.root].path),
            also_at: entry.origin.also.iter().map(|(_, file)| path(file)).collect(),
            folder_read_by: catalog.agents_of(entry),
            description: entry.description().map(str::to_owned),
            overridden: entry.overridden.as_ref().map(|one| OverrideView {
                body: path(&one.body),
                metadata: one.metadata.iter().map(|file| path(file)).collect(),
            }),
            diagnostics: Vec::new(),
        }
    }
}

impl SkillSummary {
    /// The file with the links of its folder resolved, by which agents' sets know a skill.
    pub fn key(&self) -> PathBuf {
        match self.path.file_name().filter(|_| self.kind == "skill") {
            Some(name) => self.real_path.join(name),
            None => self.real_path.to_path_buf(),
        }
    }

    /// A skill that a lock names and that is not installed.
    pub fn pending(workspace: &Workspace, pending: &PendingDownload) -> Self {
        let state = pending.state();
        let place = pending.places.first().cloned().unwrap_or_default();
        let text = |path: &std::path::Path| PathText::from(path);
        Self {
            name: pending.name.clone(),
            reasons: state.reasons(),
            fix: Some(format!("skillful review {}", pending.name)),
            state: state.word().to_owned(),
            calls: Calls { user: false, model: false, why_not: Vec::new() },
            scope: pending.scope.word().to_owned(),
            kind: "skill".to_owned(),
            path: text(&place.join("SKILL.md")),
            real_path: text(&place),
            root: place.parent().map(text).unwrap_or_default(),
            also_at: pending.places.iter().skip(1).map(|place| text(&place.join("SKILL.md"))).collect(),
            folder_read_by: Arc::default(),
            description: workspace.pending_description(pending),
            overridden: None,
            diagnostics: Vec::new(),
        }
    }
}

impl Calls {
    /// What the frontmatter and the sidecar allow.
    fn of(entry: &Entry) -> Self {
        let [user, model] = [Caller::User, Caller::Model].map(|caller| calls(entry, caller));
        let why = user.iter().chain(&model);
        Self { user: user.is_empty(), model: model.is_empty(), why_not: why.map(Reason::to_string).collect() }
    }
}
