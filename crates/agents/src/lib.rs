//! Predicts which skills another agent loads from a folder, and why it does not load the others.
//!
//! A view applies an agent's own rules in the agent's order: its roots, its scan, how it reads
//! frontmatter, how it treats equal names, its own configuration. Every rule is a field of the
//! agent profile. A skill of Skillful's catalog that the agent does not load is always listed with
//! a reason. Nothing is executed, and every step has a limit.

mod collide;
mod command;
mod config;
mod dialect;
mod disabled;
mod explain;
mod extension;
mod fence;
mod field;
mod frontmatter;
mod json;
pub use json::json_options;
mod label;
mod lines;
mod merge;
mod order;
mod outside;
mod own_folders;
mod parse;
mod permission;
mod plugin;
mod qualify;
mod real_path;
mod repair;
mod role_file;
mod roots;
mod setup;
mod sidecar;
mod skill;
mod substitute;
mod switched;
#[cfg(test)]
mod tests;
mod trusted;
mod typing;
mod version;
mod walk;

pub use own_folders::own_folders;
pub use version::installed_version;

use real_path::RealPaths;
use serde::Serialize;
use skill::{Cause, FoundSkill, Loss, Skill};
use skillful_catalog::{
    Catalog, Inputs,
    catalog::{LoadedByAgent, MissedByAgent},
    entry::SeenBy,
    parallel,
    walked::WalkedFolders,
};
use skillful_profiles::{AgentProfile, Evidence, Links, RootKind, Scope};
use std::{
    borrow::Borrow,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The skills that one agent loads, and those that it does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct View {
    /// The agent's id.
    pub agent: String,
    /// The source of the agent's rules.
    pub evidence: Evidence,
    /// The skills that the agent loads, in its order if it has one.
    pub seen: Vec<Seen>,
    /// The files that the agent does not load, by path.
    pub unseen: Vec<Unseen>,
    /// The folders in which the agent looks, highest precedence first.
    pub roots: Vec<ViewRoot>,
    /// The skills that are part of the program and that no skill on the disk replaces.
    pub built_in: Vec<String>,
    /// Limits and assumptions of this view.
    pub notes: Vec<String>,
}

/// A skill that the agent loads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The name of the skill in the agent.
    pub name: String,
    /// Another name that the agent shows beside the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The description of the skill in the agent.
    pub description: Option<String>,
    /// When to use the skill, if the agent appends that to the description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
    /// The file, as the agent reports it.
    #[serde(rename = "path")]
    pub file: PathBuf,
    /// The file with the links of its folder resolved: the same skill has the same key in every view.
    #[serde(skip)]
    pub key: PathBuf,
    /// The scope that the skill has in the agent.
    pub scope: Scope,
    /// Whether the agent lists the skill to the model.
    pub listed: Listed,
    /// Problems that the author should know about.
    pub warnings: Vec<String>,
}

/// Whether an agent lists a skill to the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "to", content = "why")]
pub enum Listed {
    /// The skill is in the list.
    Model,
    /// The skill loads, but only a user can call it; with the reason.
    UserOnly(String),
    /// The skill loads, and is listed once a file that its `paths` name is used; with the reason.
    Waits(String),
}

/// A file that the agent does not load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unseen {
    /// The path of the file.
    #[serde(rename = "path")]
    pub file: PathBuf,
    /// The file with the links of its folder resolved: the same skill has the same key in every view.
    #[serde(skip)]
    pub key: PathBuf,
    /// The name of the skill, if it could be read.
    pub name: Option<String>,
    /// The rule that excludes the file.
    pub code: UnseenCode,
    /// The reason as a sentence.
    pub reason: String,
    /// How to fix it.
    pub fix: Option<String>,
}

/// The rule that excludes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnseenCode {
    /// The agent does not read this folder.
    RootNotRead,
    /// The agent reads folders of this name, but not this one.
    RootElsewhere,
    /// The agent reads this folder only when the user enables it.
    RootSwitchedOff,
    /// The repository is not trusted.
    Untrusted,
    /// The agent's own configuration is broken.
    ConfigurationBroken,
    /// The file is in a hidden folder.
    HiddenFolder,
    /// The file is in a folder with a name that the agent never enters.
    SkippedFolder,
    /// The file is too many levels below the root.
    TooDeep,
    /// The scan ended before it reached the file.
    WalkLimit,
    /// The file is reached through a link.
    Link,
    /// The file is inside another skill.
    Nested,
    /// The file does not have the expected name.
    FileName,
    /// The file is too large.
    FileSize,
    /// The file is not UTF-8.
    Encoding,
    /// The file cannot be read.
    Unreadable,
    /// The file has no frontmatter.
    NoFrontmatter,
    /// The frontmatter cannot be read.
    Frontmatter,
    /// The name is missing or refused.
    Name,
    /// The description is missing or refused.
    Description,
    /// Another skill with the same name is loaded instead.
    Collision,
    /// The user disabled the skill in the agent.
    Disabled,
    /// The skill is for other products.
    Product,
}

impl UnseenCode {
    /// Whether the agent looks at the place of the file and does not take it: neither does the agent leave its folder
    /// alone, nor did a user decide it.
    pub fn is_refusal(self) -> bool {
        match self {
            Self::RootNotRead
            | Self::RootElsewhere
            | Self::RootSwitchedOff
            | Self::Untrusted
            | Self::Collision
            | Self::Disabled
            | Self::Product => false,
            Self::ConfigurationBroken
            | Self::HiddenFolder
            | Self::SkippedFolder
            | Self::TooDeep
            | Self::WalkLimit
            | Self::Link
            | Self::Nested
            | Self::FileName
            | Self::FileSize
            | Self::Encoding
            | Self::Unreadable
            | Self::NoFrontmatter
            | Self::Frontmatter
            | Self::Name
            | Self::Description => true,
        }
    }
}

/// A folder in which the agent looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewRoot {
    /// The path of the folder.
    pub path: PathBuf,
    /// The scope of its skills.
    pub scope: Scope,
    /// Whether the folder exists.
    pub present: bool,
    /// What the folder contains.
    #[serde(skip)]
    pub kind: RootKind,
    /// Whether the agent loads a skill whose folder is a link in it.
    #[serde(skip)]
    pub follows_links: bool,
}

/// The skills that an agent asks its user about before its model loads them, of these names.
pub fn asked_about<'n>(
    agent: &AgentProfile,
    environment: &skillful_catalog::Environment,
    names: impl IntoIterator<Item = &'n str>,
) -> Vec<String> {
    let Some(rule) = &agent.config.permissions else { return Vec::new() };
    let setup = setup::Setup::read(agent, environment);
    let Ok(permissions) = permission::Permissions::read(rule, &setup.config) else { return Vec::new() };
    names.into_iter().filter(|name| permissions.is_asked(name)).map(str::to_owned).collect()
}

/// Computes the view of an agent. `catalog` is Skillful's own catalog, which supplies the skills
/// that the agent does not load.
pub fn view(agent: &AgentProfile, inputs: Inputs<'_>, catalog: &Catalog) -> View {
    view_of_walked(agent, inputs, catalog, &WalkedFolders::default())
}

/// The same with what was opened for the catalog, which is not opened again.
pub fn view_of_walked(
    agent: &AgentProfile,
    inputs: Inputs<'_>,
    catalog: &Catalog,
    walked: &WalkedFolders,
) -> View {
    made(agent, inputs, walked, || catalog)
}

/// The same. `catalog` is called when the folders of the agent have been searched and its files read, so that another thread
/// can make the catalog meanwhile.
pub fn view_beside<C: Borrow<Catalog>>(
    agent: &AgentProfile,
    inputs: Inputs<'_>,
    catalog: impl FnOnce() -> C,
) -> View {
    made(agent, inputs, &WalkedFolders::default(), catalog)
}

fn made<C: Borrow<Catalog>>(
    agent: &AgentProfile,
    inputs: Inputs<'_>,
    walked: &WalkedFolders,
    catalog: impl FnOnce() -> C,
) -> View {
    let setup = setup::Setup::read(agent, inputs.environment);
    let roots = roots::of(agent, inputs.agents, &setup, inputs.settings);
    let mut paths = RealPaths::default();
    let roots::Searched { found, skipped, notes } = roots::search(agent, &setup, &roots, walked, &mut paths);
    let mut notes = [setup.notes.clone(), notes].concat();

    let mut namespaces = qualify::Namespaces::new(agent);
    let mut losses: Vec<Loss> = Vec::new();
    let mut read = Vec::new();
    let results = parallel::map(&found, |found| {
        let described = roots.list[found.root].rule.and_then(|rule| rule.description);
        let mut notes = Vec::new();
        let skill = frontmatter::read(agent, found.clone(), described, &mut notes);
        (skill.and_then(|skill| sidecar::apply(agent, skill)), notes)
    });
    for (skill, own_notes) in results {
        notes.extend(own_notes);
        match skill.and_then(|skill| namespaces.apply(skill)) {
            Ok(skill) => read.push(skill),
            Err(loss) => losses.push(*loss),
        }
    }
    qualify::ambiguous(agent, &mut read);
    let catalog = catalog();
    let catalog = catalog.borrow();
    if agent.roots.iter().any(|rule| rule.kind == RootKind::Overrides) {
        take_overrides(catalog, &mut read);
    }
    // A skill below the working folder has the folder in its name, so that it stays beside others of its own name.
    let mut folders: BTreeMap<Option<&str>, Vec<Skill>> = BTreeMap::new();
    for skill in read {
        folders.entry(roots.list[skill.found.root].below.as_deref()).or_default().push(skill);
    }
    let mut standing = Vec::new();
    for skills in folders.into_values() {
        let (winners, shadowed) = collide::apply(agent, skills);
        standing.extend(winners);
        losses.extend(shadowed);
    }
    // The rules of the user name a skill without its folder.
    let (mut skills, disabled) = disabled::apply(agent, &setup, standing);
    losses.extend(disabled);
    for skill in &mut skills {
        if let Some(folder) = &roots.list[skill.found.root].below {
            skill.name = format!("{folder}:{}", skill.name);
            skill.label = None;
        }
    }
    order::apply(agent, &mut skills);
    label::apply(agent, &mut skills);

    outside::hide(catalog, &mut paths, &mut skills, &mut losses);
    let skipped = skipped.into_iter().map(|skipped| (skipped.path, skipped.why)).collect();
    let discovery = explain::Discovery { agent, setup: &setup, roots: &roots, skipped };
    let keys: Vec<PathBuf> = catalog.entries.iter().map(|entry| paths.key_of(&entry.origin.file)).collect();
    let unseen = explain::unseen(&discovery, catalog, &keys, &skills, losses);
    explain::add_unknown(catalog, &keys, &mut skills);
    let is_replaced = |name: &&String| skills.iter().any(|skill| skill.name == **name);
    View {
        agent: agent.id.clone(),
        evidence: agent.evidence,
        built_in: agent.built_in.iter().filter(|name| !is_replaced(name)).cloned().collect(),
        seen: skills.into_iter().map(|skill| seen(agent, skill)).collect(),
        unseen,
        roots: roots
            .open()
            .map(|root| {
                let links = root.rule.and_then(|rule| rule.links).unwrap_or(agent.scan.folder_links);
                ViewRoot {
                    follows_links: links == Links::Follow && agent.scan.folder_links == Links::Follow,
                    path: root.path,
                    scope: root.scope,
                    present: root.present,
                    kind: root.kind,
                }
            })
            .collect(),
        notes,
    }
}

/// An agent that has overrides reads the description of a skill from them.
fn take_overrides(catalog: &Catalog, skills: &mut [Skill]) {
    for entry in catalog.entries.iter().filter(|entry| entry.overridden.is_some()) {
        let is_same = |skill: &&mut Skill| skill.found.real.parent() == Some(entry.origin.real.as_path());
        for skill in skills.iter_mut().filter(is_same) {
            skill.description = entry.description().map(str::to_owned);
        }
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
            seen_by: match seen.listed {
                Listed::Model => SeenBy::Offered,
                Listed::UserOnly(_) => SeenBy::Loaded,
                Listed::Waits(_) => SeenBy::Waits,
            },
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
    let Skill { found, name, label, description, when_to_use, listed, warnings } = skill;
    Seen {
        file: found.shown(agent).to_path_buf(),
        key: found.key.clone(),
        scope: found.scope,
        name,
        label,
        description,
        when_to_use,
        listed,
        warnings,
    }
}

/// Why an agent would refuse this one file, independent of its folder; `None` when it would load
/// it.
pub fn refusal(agent: &AgentProfile, file: &Path) -> Option<Unseen> {
    refusal_by(agent, file, |found| frontmatter::read(agent, found, None, &mut Vec::new()))
}

/// The same for a file whose content an editor holds.
pub fn refusal_of_text(agent: &AgentProfile, file: &Path, text: &str) -> Option<Unseen> {
    refusal_by(agent, file, |found| frontmatter::read_bytes(agent, found, text.as_bytes()))
}

fn refusal_by(
    agent: &AgentProfile,
    file: &Path,
    read: impl FnOnce(FoundSkill) -> Result<Skill, Box<Loss>>,
) -> Option<Unseen> {
    let found = FoundSkill::new(file.to_path_buf(), Scope::Project, 0, &mut RealPaths::default());
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let loss = if agent.scan.files.contains(&name) {
        *read(found).and_then(|skill| sidecar::apply(agent, skill)).err()?
    } else {
        let wanted = agent.scan.files.join("` or `");
        let reason = format!("{} reads only files called `{wanted}`", agent.title);
        Cause::new(UnseenCode::FileName, reason).fix(format!("rename it to `{wanted}`")).lose(&found, None)
    };
    let Loss { file, key, name, cause: Cause { code, reason, fix } } = loss;
    Some(Unseen { file, key, name, code, reason, fix })
}
