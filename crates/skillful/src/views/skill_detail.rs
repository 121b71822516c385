//! One skill in full.

use super::{AskedFor, CapabilityView, PathText, SCHEMA, SkillSummary};
use crate::{audited_files::AuditedFiles, library::version, workspace::Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_audit::{Report, Severity};
use skillful_catalog::{
    AgentProfile, Catalog, Entry, body,
    capability::{self, capabilities, explain, not_declared},
};
use skillful_format::{Manifest, Sidecar, Tree};
use skillful_runtime::requirements::{Need, needs};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Similar skills that are named.
const SIMILAR: usize = 3;
/// The least probability of a similar skill.
const LIKELY: f32 = 0.2;

/// One skill in full.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SkillDetail {
    /// The version of this object.
    pub schema: u32,
    /// What a list shows of it.
    #[serde(flatten)]
    pub summary: SkillSummary,
    /// Other skills of the same name, by qualified name, with their state.
    pub also: Vec<(String, String)>,
    /// Where it comes from.
    pub source: SkillOrigin,
    /// How large it is; absent when its folder cannot be read.
    pub size: Option<SkillSize>,
    /// The fields of its frontmatter as they were read.
    pub manifest: Manifest,
    /// What files beside it add.
    pub sidecar: Sidecar,
    /// What it can do beyond being read, as sentences.
    pub capabilities: Vec<String>,
    /// The same, one by one.
    pub can: Vec<CapabilityView>,
    /// What it does not declare: network, secrets, hooks, MCP servers.
    pub not_declared: Vec<String>,
    /// The secrets and the server that it asks for, and whether the user allowed them.
    pub asks: Vec<AskedFor>,
    /// What it needs, met or not.
    pub needs: Vec<Need>,
    /// How many findings the audit has; absent when its folder cannot be read.
    pub findings: Option<FindingCounts>,
    /// Skills that answer to the same requests, the likeliest first.
    pub similar: Vec<SimilarSkill>,
    /// Its files besides its own, relative.
    pub files: Vec<String>,
    /// What each agent of this machine makes of it.
    pub agents: Vec<AgentVerdict>,
    /// Its instructions.
    pub body: String,
}

/// Where a skill comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillOrigin {
    /// Whether Skillful installed it.
    pub installed: bool,
    /// The source, of an installed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The installed version, commit or digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Who signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// The file of the lock that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<PathText>,
}

/// How large a skill is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillSize {
    /// Its files.
    pub files: usize,
    /// Their bytes.
    pub bytes: usize,
}

/// Findings of the audit by severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindingCounts {
    /// Blocking findings.
    pub blocking: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes.
    pub notes: usize,
    /// Files that were not scanned.
    pub not_scanned: usize,
}

/// A skill that answers to the same requests.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SimilarSkill {
    /// The skill.
    pub name: String,
    /// How likely the description of the first skill means it, from 0 to 1.
    pub probability: f32,
}

/// Whether one agent loads a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentVerdict {
    /// The agent.
    pub agent: String,
    /// Its name for users.
    pub title: String,
    /// Whether it loads the skill by its own rules.
    pub loads: bool,
    /// Why it does not.
    pub why: Option<String>,
}

impl AgentVerdict {
    fn of(workspace: &Workspace, agent: &AgentProfile, entry: &Entry) -> Self {
        let files: Vec<&Path> = std::iter::once(&entry.origin.file)
            .chain(entry.origin.also.iter().map(|(_, file)| file))
            .map(PathBuf::as_path)
            .collect();
        let real = entry.origin.file.canonicalize().ok();
        let is_it = |path: &Path| files.contains(&path) || real.is_some() && path.canonicalize().ok() == real;
        Self::in_view(agent, &workspace.view(agent), &is_it)
    }

    /// Whether an agent loads the skill whose file `is_it` recognises.
    pub fn in_view(
        agent: &AgentProfile,
        view: &skillful_agents::View,
        is_it: &dyn Fn(&Path) -> bool,
    ) -> Self {
        let loads = view.seen.iter().any(|seen| is_it(&seen.file));
        let missed = view.unseen.iter().find(|missed| is_it(&missed.file));
        let why = missed.map_or_else(|| "its folder is not read".to_owned(), |missed| missed.reason.clone());
        Self { agent: agent.id.clone(), title: agent.title.clone(), loads, why: (!loads).then_some(why) }
    }
}

impl SkillOrigin {
    fn of(workspace: &Workspace, entry: &Entry) -> Self {
        let not_installed = Self { installed: false, source: None, version: None, signer: None, lock: None };
        let Some((lock, locked)) = workspace.locked(entry.folder()) else { return not_installed };
        Self {
            installed: true,
            source: Some(locked.source.to_string()),
            version: Some(version(&locked.resolved, &locked.tree)),
            signer: locked.signer.map(|signer| signer.to_string()),
            lock: Some(lock.into()),
        }
    }
}

impl SkillSize {
    fn of(tree: &Tree) -> Self {
        Self { files: tree.iter().count(), bytes: tree.iter().map(|(_, file)| file.bytes.len()).sum() }
    }
}

impl FindingCounts {
    /// The counts of a report.
    pub fn of(report: &Report) -> Self {
        Self {
            blocking: report.count(Severity::Block),
            warnings: report.count(Severity::Warn),
            notes: report.count(Severity::Note),
            not_scanned: report.not_scanned.len(),
        }
    }
}

impl SkillDetail {
    /// A skill of a workspace, with its body and its files.
    pub fn of(workspace: &Workspace, at: usize) -> io::Result<Self> {
        let catalog = workspace.catalog();
        let entry = &catalog.entries[at];
        let agents = workspace.agents_found();
        let agents = agents.iter().map(|agent| AgentVerdict::of(workspace, agent, entry)).collect();
        let similar = similar(workspace, at, entry);
        Ok(Self { similar, ..Self::preview(workspace, at, agents)? })
    }

    /// The same with verdicts of agents that the caller has, and without similar skills, which need the search index:
    /// for a reader who looks at one skill after the other.
    pub fn preview(workspace: &Workspace, at: usize, agents: Vec<AgentVerdict>) -> io::Result<Self> {
        let catalog = workspace.catalog();
        let entry = &catalog.entries[at];
        let summary = SkillSummary::of(workspace, &catalog, at);
        let address = entry.address();
        let others = catalog.called(&address).filter(|(other, _)| *other != at);
        let files = AuditedFiles::read(&entry.origin.real).ok();
        // A command is one file, without a folder of its own.
        let tree = files.as_ref().filter(|_| entry.origin.real.is_dir()).map(AuditedFiles::tree);
        let sentences = tree.and_then(capability::of_tree).unwrap_or_else(|| capabilities(entry));
        Ok(Self {
            schema: SCHEMA,
            also: others
                .map(|(other, one)| {
                    let state = workspace.state(other);
                    (format!("{}:{}", one.origin.scope.word(), one.address()), state.word().to_owned())
                })
                .collect(),
            source: SkillOrigin::of(workspace, entry),
            size: tree.map(SkillSize::of),
            manifest: entry.loaded.manifest.clone(),
            sidecar: Sidecar::clone(&entry.loaded.sidecar),
            can: CapabilityView::all(&explain(&sentences, tree)),
            not_declared: not_declared(&sentences).into_iter().map(str::to_owned).collect(),
            capabilities: sentences.into_iter().collect(),
            asks: AskedFor::all(workspace, entry),
            needs: all_needs(workspace, &catalog, at),
            findings: files.as_ref().map(|files| FindingCounts::of(&files.report())),
            similar: Vec::new(),
            files: skillful_runtime::files::beside(entry),
            agents,
            body: body::read(entry)?,
            summary,
        })
    }
}

/// What a search for the description of a skill finds besides it.
fn similar(workspace: &Workspace, at: usize, entry: &Entry) -> Vec<SimilarSkill> {
    let catalog = workspace.catalog();
    let Some(description) = entry.description() else { return Vec::new() };
    let found = workspace.index().search(description, SIMILAR + 1, &|other| other != at);
    let likely = found.iter().filter(|one| one.probability >= LIKELY).take(SIMILAR);
    likely
        .map(|one| SimilarSkill { name: catalog.entries[one.entry].address(), probability: one.probability })
        .collect()
}

/// What a skill needs, and the variables of its programs that have no value.
fn all_needs(workspace: &Workspace, catalog: &Catalog, at: usize) -> Vec<Need> {
    let mut all = needs(catalog, at, workspace.asker());
    let entry = &catalog.entries[at];
    let unset = workspace.unset_variables(entry);
    let declared = entry.loaded.manifest.env.iter();
    all.extend(declared.filter_map(|spec| {
        let found = unset.iter().find(|found| found.message.starts_with(&format!("`{}` of ", spec.var)))?;
        Some(Need {
            kind: "variable",
            name: spec.var.clone(),
            met: false,
            fix: found.help.clone().map(Into::into),
        })
    }));
    all
}
