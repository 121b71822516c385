//! Skills × agents: what every agent of this machine makes of every skill.

use super::{AgentVerdict, DiagnosticView, ListFilter, PathText, SCHEMA, SkillStream, SkillSummary};
use crate::{library::version, workspace::Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_agents::{Seen, Unseen, UnseenCode, View};
use skillful_catalog::{AgentProfile, Entry, roots::repository_of};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// Every skill with its state, and what each agent of this machine makes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillMatrix {
    /// The version of this object.
    pub schema: u32,
    /// The folder that was asked about.
    pub folder: PathText,
    /// The repository around it, else the folder itself.
    pub project: PathText,
    /// Whether the user trusts the skills of the repository.
    pub trust: FolderTrust,
    /// The agents found on this machine and in this folder.
    pub agents: Vec<MatrixAgent>,
    /// Every skill, by name; of one name the available one first.
    pub skills: Vec<MatrixSkill>,
    /// What is wrong outside single skills.
    pub diagnostics: Vec<DiagnosticView>,
}

/// Whether the user trusts the skills of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FolderTrust {
    /// The folder is not part of a repository.
    NoRepository,
    /// The repository has no skills.
    NoSkills,
    /// Every skill of the repository is trusted.
    Trusted,
    /// Some skills of the repository are not trusted.
    Untrusted,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatrixAgent {
    /// The name for `--agent`.
    pub id: String,
    /// The name users know.
    pub title: String,
    /// How many of the skills it loads.
    pub loads: usize,
    /// How many it does not load although another agent does.
    pub misses: usize,
    /// The sign that a user writes before the name of a skill there, when it is known.
    #[serde(skip)]
    pub mention: String,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatrixSkill {
    /// The skill as every list shows it.
    #[serde(flatten)]
    pub skill: SkillSummary,
    /// Where it was installed from, when Skillful installed it.
    pub source: Option<String>,
    /// The installed version, commit or digest.
    pub version: Option<String>,
    /// What each agent makes of it, in the order of the columns.
    pub agents: Vec<MatrixCell>,
    /// Its position in the catalog; none when it is not installed.
    #[serde(skip)]
    pub at: Option<usize>,
}

/// What one agent makes of one skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatrixCell {
    /// `loads`; `disabled`, `invalid` or `shadowed` by rules of the agent; `misses` when another agent loads it; else
    /// `-`.
    pub word: String,
    /// The name that the agent gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why the agent does not load it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl MatrixCell {
    /// Whether the agent loads the skill.
    pub fn loads(&self) -> bool {
        self.word == "loads"
    }

    fn loaded(name: String) -> Self {
        Self { word: "loads".to_owned(), name: Some(name), why: None, fix: None }
    }

    fn missed(word: &str, why: Option<String>, fix: Option<String>) -> Self {
        Self { word: word.to_owned(), name: None, why, fix }
    }
}

impl MatrixSkill {
    /// Whether the skill waits for its user: it is broken, lacks something, or needs an answer.
    pub fn needs_attention(&self) -> bool {
        matches!(self.skill.state.as_str(), "invalid" | "unavailable" | "untrusted" | "pending")
    }

    /// Whether it belongs to the repository.
    pub fn is_here(&self) -> bool {
        self.skill.scope == "project"
    }

    /// Whether its agents, and Skillful itself, do not all make the same of it.
    pub fn differs(&self) -> bool {
        let is_available = self.skill.state == "available";
        self.agents.iter().any(|cell| cell.loads() != is_available)
    }
}

impl SkillMatrix {
    /// The matrix of a workspace.
    pub fn of(workspace: &Workspace) -> Self {
        let filter = ListFilter::default();
        // The empty filter names no state and no scope, so that it cannot be unknown.
        let listed: Vec<(SkillSummary, Option<usize>)> = SkillStream::of(workspace, &filter)
            .map(|stream| stream.positions().collect())
            .unwrap_or_default();
        let catalog = workspace.whole_catalog();
        let found = workspace.agents_found();
        let columns: Vec<Column> = found.iter().map(|agent| Column::of(workspace, agent)).collect();
        let locked = workspace.locked_folders();
        let mut skills = Vec::with_capacity(listed.len());
        for (skill, at) in listed {
            let entry = at.map(|at| &catalog.entries[at]);
            let mut agents: Vec<MatrixCell> = columns.iter().map(|column| column.cell(entry)).collect();
            if agents.iter().any(MatrixCell::loads) {
                for cell in agents.iter_mut().filter(|cell| cell.word == "-") {
                    "misses".clone_into(&mut cell.word);
                }
            }
            let folder = entry.map_or_else(|| skill.real_path.as_path(), Entry::folder);
            let locked = locked.get(folder);
            skills.push(MatrixSkill {
                source: locked.map(|locked| locked.source.to_string()),
                version: locked.map(|locked| version(&locked.resolved, &locked.tree)),
                agents,
                skill,
                at,
            });
        }
        let agents = found.iter().enumerate().map(|(at, agent)| {
            let count =
                |test: fn(&MatrixCell) -> bool| skills.iter().filter(|row| test(&row.agents[at])).count();
            let loads = count(MatrixCell::loads);
            let missed =
                |row: &&MatrixSkill| !row.agents[at].loads() && row.agents.iter().any(MatrixCell::loads);
            let misses = skills.iter().filter(missed).count();
            let mention = agent.mention.clone();
            MatrixAgent { id: agent.id.clone(), title: agent.title.clone(), loads, misses, mention }
        });
        Self {
            schema: SCHEMA,
            folder: PathText::from(&workspace.environment().cwd),
            project: PathText::from(&catalog.project),
            trust: trust(&workspace.environment().cwd, &skills),
            agents: agents.collect(),
            skills,
            diagnostics: DiagnosticView::all(workspace.diagnostics().iter().chain(&catalog.diagnostics)),
        }
    }

    /// What every agent makes of one skill, as a page about that skill shows it.
    pub fn verdicts(&self, row: &MatrixSkill) -> Vec<AgentVerdict> {
        let verdict = |(agent, cell): (&MatrixAgent, &MatrixCell)| AgentVerdict {
            agent: agent.id.clone(),
            title: agent.title.clone(),
            loads: cell.loads(),
            why: cell.why.clone(),
        };
        self.agents.iter().zip(&row.agents).map(verdict).collect()
    }
}

fn trust(cwd: &Path, skills: &[MatrixSkill]) -> FolderTrust {
    let mut own = skills.iter().filter(|skill| skill.is_here()).peekable();
    match () {
        () if repository_of(cwd).is_none() => FolderTrust::NoRepository,
        () if own.peek().is_none() => FolderTrust::NoSkills,
        () if own.any(|skill| skill.skill.state == "untrusted") => FolderTrust::Untrusted,
        () => FolderTrust::Trusted,
    }
}

/// What one agent makes of files, by their path and by the path with links resolved.
struct Column {
    seen: Vec<Seen>,
    unseen: Vec<Unseen>,
    by_path: HashMap<PathBuf, FileVerdict>,
    by_real: HashMap<PathBuf, FileVerdict>,
}

#[derive(Clone, Copy)]
enum FileVerdict {
    Seen(usize),
    Unseen(usize),
}

impl Column {
    fn of(workspace: &Workspace, agent: &AgentProfile) -> Self {
        let View { seen, unseen, .. } = workspace.view(agent);
        let unseen_files = unseen.iter().enumerate().map(|(at, one)| (&one.file, FileVerdict::Unseen(at)));
        let seen_files = seen.iter().enumerate().map(|(at, one)| (&one.file, FileVerdict::Seen(at)));
        let (mut by_path, mut by_real) = (HashMap::new(), HashMap::new());
        // A file that the agent loads by one path is loaded, whatever it makes of other paths to it.
        for (file, verdict) in unseen_files.chain(seen_files) {
            by_path.insert(file.clone(), verdict);
            if let Ok(real) = file.canonicalize() {
                by_real.insert(real, verdict);
            }
        }
        Self { seen, unseen, by_path, by_real }
    }

    fn cell(&self, entry: Option<&Entry>) -> MatrixCell {
        let Some(entry) = entry else {
            return MatrixCell::missed("-", Some("it is not installed yet".to_owned()), None);
        };
        let file = &entry.origin.file;
        let real = file.file_name().map(|name| entry.origin.real.join(name));
        let paths = std::iter::once(file).chain(entry.origin.also.iter().map(|(_, file)| file));
        let by_path = paths.filter_map(|path| self.by_path.get(path));
        // Of a command the resolved path is its file.
        let by_real = [real.as_ref(), Some(&entry.origin.real)];
        let by_real = by_real.into_iter().flatten().filter_map(|real| self.by_real.get(real));
        let mut unseen = None;
        for verdict in by_path.chain(by_real) {
            match *verdict {
                FileVerdict::Seen(at) => return MatrixCell::loaded(self.seen[at].name.clone()),
                FileVerdict::Unseen(at) => unseen = unseen.or(Some(&self.unseen[at])),
            }
        }
        match unseen {
            Some(one) => MatrixCell::missed(word(one.code), Some(one.reason.clone()), one.fix.clone()),
            None => MatrixCell::missed("-", Some("its folder is not read".to_owned()), None),
        }
    }
}

/// The word for the rule that keeps a file out.
fn word(code: UnseenCode) -> &'static str {
    match code {
        UnseenCode::Disabled | UnseenCode::RootSwitchedOff => "disabled",
        UnseenCode::Collision => "shadowed",
        code if code.is_refusal() => "invalid",
        _ => "-",
    }
}
