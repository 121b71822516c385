//! What another agent would load from here, and why it would not load the rest.
//!
//! A view is made from an agent's own rules, step by step as the agent does it: its roots, its walk,
//! its reading of headers, its answer to equal names, its own configuration. Every rule is a field
//! of the agent file. A skill of Skillful's catalogue that the agent does not see is never just
//! missing; it is in the list with the reason. Nothing is executed, and everything is bounded.

mod collide;
mod config;
mod dialect;
mod explain;
mod fence;
mod field;
mod header;
mod json;
mod lines;
mod mend;
mod order;
mod qualify;
mod repair;
mod roots;
mod setup;
mod sidecar;
mod skill;
mod switched_off;
#[cfg(test)]
mod tests;
mod trusted;
mod typing;
mod walk;

use serde::Serialize;
use skill::{Cause, Found, Loss, Skill};
use skillful_catalog::{
    Catalog, Inputs,
    catalog::{LoadedByAgent, MissedByAgent},
};
use skillful_profiles::{AgentProfile, Evidence, Scope};
use std::path::{Path, PathBuf};

/// What one agent would load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct View {
    /// The agent's id.
    pub agent: String,
    /// How its rules are known.
    pub evidence: Evidence,
    /// The skills it would load, in its order where it has one.
    pub seen: Vec<Seen>,
    /// The files it would not load, by path.
    pub unseen: Vec<Unseen>,
    /// Where it looks, the strongest first.
    pub roots: Vec<ViewRoot>,
    /// What a reader of this view should know.
    pub notes: Vec<String>,
}

/// A skill that the agent would load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The name it has there.
    pub name: String,
    /// The description it has there.
    pub description: Option<String>,
    /// Its file, as the agent reports it.
    #[serde(rename = "path")]
    pub file: PathBuf,
    /// Whose skill it is there.
    pub scope: Scope,
    /// Whether the model is told of it.
    pub listed: Listed,
    /// What its author should know.
    pub warnings: Vec<String>,
}

/// Whether a model is told of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "to", content = "why")]
pub enum Listed {
    /// It is in the list.
    Model,
    /// It loads, but only a person can call it; the reason.
    Nobody(String),
}

/// A file that the agent would not load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unseen {
    /// The file.
    #[serde(rename = "path")]
    pub file: PathBuf,
    /// Its name, when somebody could read it.
    pub name: Option<String>,
    /// Which rule keeps it out.
    pub code: UnseenCode,
    /// The same in a sentence.
    pub reason: String,
    /// What to do about it.
    pub fix: Option<String>,
}

/// Which rule keeps a file out of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnseenCode {
    /// The agent does not look in this folder.
    RootNotRead,
    /// The agent looks in folders of this name, but not at this place.
    RootElsewhere,
    /// The agent looks here only when it is told to.
    RootSwitchedOff,
    /// The repository is not trusted.
    Untrusted,
    /// The agent's own configuration is broken.
    ConfigurationBroken,
    /// It lies in a hidden folder.
    HiddenFolder,
    /// It lies in a folder of a name that is never entered.
    SkippedFolder,
    /// It lies too many levels below the root.
    TooDeep,
    /// The walk had ended before it came here.
    WalkLimit,
    /// It is reached over a link.
    Link,
    /// It lies inside another skill.
    Nested,
    /// The file has another name.
    FileName,
    /// The file is too large.
    FileSize,
    /// The file is not UTF-8.
    Encoding,
    /// The file cannot be read.
    Unreadable,
    /// There is no header.
    NoHeader,
    /// The header cannot be read.
    Header,
    /// The name is missing or refused.
    Name,
    /// The description is missing or refused.
    Description,
    /// Another skill of this name is taken instead.
    Collision,
    /// The user switched it off in the agent.
    Disabled,
    /// It is for other products.
    Product,
}

/// A folder in which the agent looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewRoot {
    /// The folder.
    pub path: PathBuf,
    /// Whose skills lie there.
    pub scope: Scope,
    /// Whether it is there.
    pub present: bool,
}

/// Makes the view of an agent. `catalog` is Skillful's own, for what the agent does not see.
pub fn view(agent: &AgentProfile, inputs: Inputs<'_>, catalog: &Catalog) -> View {
    let setup = setup::Setup::read(agent, inputs.environment);
    let roots = roots::of(agent, &setup, inputs.settings);
    let roots::Searched { found, passed, notes } = roots::search(agent, &roots);
    let mut notes = [setup.notes.clone(), notes].concat();

    let mut namespaces = qualify::Namespaces::new(agent);
    let mut losses: Vec<Loss> = Vec::new();
    let mut read = Vec::new();
    for found in found {
        let described = roots.list[found.root].rule.and_then(|rule| rule.description);
        let skill = header::read(agent, found, described, &mut notes)
            .and_then(|skill| sidecar::apply(agent, skill))
            .and_then(|skill| namespaces.apply(skill));
        match skill {
            Ok(skill) => read.push(skill),
            Err(loss) => losses.push(*loss),
        }
    }
    let (standing, shadowed) = collide::apply(agent, read);
    let (mut skills, switched_off) = switched_off::apply(agent, &setup, standing);
    losses.extend(shadowed);
    losses.extend(switched_off);
    order::apply(agent, &mut skills);

    let passed = passed.into_iter().map(|passed| (passed.path, passed.why)).collect();
    let story = explain::Story { agent, setup: &setup, roots: &roots, passed };
    let unseen = explain::unseen(&story, catalog, &skills, losses);
    explain::add_unknown(catalog, &mut skills);
    View {
        agent: agent.id.clone(),
        evidence: agent.evidence,
        seen: skills.into_iter().map(|skill| seen(agent, skill)).collect(),
        unseen,
        roots: roots
            .open()
            .map(|root| ViewRoot { path: root.path, scope: root.scope, present: root.present })
            .collect(),
        notes,
    }
}

impl View {
    /// The catalog as this agent has it: its names and precedence, and the reason for every skill it misses.
    pub fn catalog(&self, inputs: Inputs<'_>, catalog: &Catalog) -> Catalog {
        let loads = self.seen.iter().map(|seen| LoadedByAgent {
            file: seen.file.clone(),
            name: seen.name.clone(),
            description: seen.description.clone(),
            scope: seen.scope,
            offered: seen.listed == Listed::Model,
        });
        let misses = self.unseen.iter().map(|unseen| MissedByAgent {
            file: unseen.file.clone(),
            why: unseen.reason.clone(),
            fix: unseen.fix.clone(),
        });
        catalog.as_agent(&self.agent, inputs, loads.collect(), misses.collect())
    }
}

fn seen(agent: &AgentProfile, skill: Skill) -> Seen {
    let Skill { found, name, description, listed, warnings } = skill;
    Seen { file: found.shown(agent).to_path_buf(), scope: found.scope, name, description, listed, warnings }
}

/// Why an agent would not load this one file, wherever it lay; `None` when it would.
pub fn refusal(agent: &AgentProfile, file: &Path) -> Option<Unseen> {
    let found = Found::new(file.to_path_buf(), Scope::Project, 0);
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let loss = if agent.scan.files.contains(&name) {
        *header::read(agent, found, None, &mut Vec::new())
            .and_then(|skill| sidecar::apply(agent, skill))
            .err()?
    } else {
        let wanted = agent.scan.files.join("` or `");
        let reason = format!("{} reads files called `{wanted}`", agent.title);
        Cause::new(UnseenCode::FileName, reason).fix(format!("rename it to `{wanted}`")).lose(&found, None)
    };
    let Loss { file, name, cause: Cause { code, reason, fix }, .. } = loss;
    Some(Unseen { file, name, code, reason, fix })
}
