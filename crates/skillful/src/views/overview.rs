//! The state of this machine and this folder: agents, skills, and what needs attention.
//!
//! Every number of an attention is what its command shows.

use super::{ListFilter, MenuSize, PathText, SCHEMA, SkillList, SkillSummary};
use crate::{
    Library,
    agent_links::LinkPlan,
    agent_sets::{AgentSet, AgentSets},
    library::Scope as LibraryScope,
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_audit::{Severity, Verdict, audit};
use skillful_catalog::{
    Catalog, Entry, Scope, SkillState,
    approvals::tree_of,
    capability::{self, capabilities, explain},
    gate::Reason,
    names::in_order,
    parallel,
    profile::{Evidence, RootRule},
    roots::repository_of,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Skills of an untrusted repository that an overview audits. Of more it names the number only.
const AUDITED: usize = 64;

/// What `skillful` alone prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Overview {
    /// The version of this object.
    pub schema: u32,
    /// The version of the program.
    pub version: String,
    /// The folder.
    pub folder: PathText,
    /// The repository around it, and whether its skills are trusted.
    pub repository: RepositoryState,
    /// The agents found on this machine and in this folder.
    pub agents: Vec<AgentOverview>,
    /// Where agents were looked for.
    pub looked_for: LookedFor,
    /// All skills.
    pub skills: usize,
    /// How many skills of each state there are; states without a skill are absent.
    pub states: Vec<StateCount>,
    /// What needs attention, the most urgent first.
    pub attention: Vec<Attention>,
    /// The skills of the repository, when the user has not trusted any of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untrusted: Vec<UntrustedSkill>,
    /// The skills that are part of the program.
    pub starter: Vec<String>,
    /// How many skills from outside the repository are available.
    pub own_available: usize,
}

/// The repository around a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RepositoryState {
    /// The folder is in no repository.
    None,
    /// Its repository has no skills that need trust.
    WithoutSkills,
    /// The user trusts its skills, or some of them.
    Trusted,
    /// The user trusts none of its skills.
    Untrusted,
}

/// Where agents were looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LookedFor {
    /// Known agents.
    pub agents: usize,
    /// Their folders.
    pub folders: usize,
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentOverview {
    /// The agent.
    pub agent: String,
    /// Its name for users.
    pub title: String,
    /// The installed version, where a file says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Skills that its own rules load from this folder.
    pub loads: usize,
    /// Of these, skills of this repository.
    pub here: usize,
    /// Skills that another agent loads and this one does not.
    pub misses: usize,
    /// Of these, skills that `view --fix` would link.
    pub fixable: usize,
    /// The menu that its model reads.
    pub menu: MenuSize,
    /// The folders that it reads and that exist.
    pub folders: Vec<PathText>,
    /// Plugins whose skills it loads.
    pub plugins: usize,
    /// Whether the agent itself does not trust this folder.
    pub distrusts: bool,
    /// Whether more than its folders is known.
    pub is_known: bool,
}

/// How many skills have a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StateCount {
    /// The state.
    pub state: String,
    /// Its skills.
    pub count: usize,
}

/// One thing that needs attention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Attention {
    /// What it is about.
    pub about: AttentionKind,
    /// How many.
    pub count: usize,
    /// The same in words, with the number.
    pub text: String,
    /// The command that shows exactly that number.
    pub command: String,
}

/// What an attention is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AttentionKind {
    /// Skills that cannot be read.
    Invalid,
    /// Skills that wait for a review.
    Review,
    /// Skills of the repository that are not trusted.
    Untrusted,
    /// Findings that block a skill of the repository.
    Blocked,
    /// Skills that need something that is not there.
    Unavailable,
    /// Available skills whose programs have a variable without a value.
    Unset,
    /// Skills that one agent misses.
    Misses,
    /// Newer versions.
    Updates,
}

/// A skill of a repository that the user has not trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UntrustedSkill {
    /// The skill.
    pub skill: String,
    /// The agents found here that load it.
    pub loaded_by: Vec<String>,
    /// What it can do, in a few words; blocking findings instead when there are some.
    pub can: String,
    /// Blocking findings.
    pub blocking: usize,
}

impl Overview {
    /// The overview of a workspace. `now` is the time that signatures of pending skills are judged by.
    pub fn of(workspace: &Workspace, version: &str, now: SystemTime) -> Self {
        let sets = AgentSets::found(workspace);
        let catalog = workspace.catalog();
        let list = SkillList::without_diagnostics(workspace, &ListFilter::default());
        let skills = list.as_ref().map(|list| list.skills.as_slice()).unwrap_or_default();
        let states: Vec<StateCount> = list
            .as_ref()
            .map(SkillList::counts)
            .unwrap_or_default()
            .into_iter()
            .map(|(state, count)| StateCount { state: state.to_owned(), count })
            .collect();
        let agents: Vec<AgentOverview> =
            parallel::map_each(&sets.agents, |set| AgentOverview::of(workspace, &sets, set));
        let untrusted_at: Vec<usize> = (0..catalog.entries.len())
            .filter(|at| matches!(workspace.state(*at), SkillState::Untrusted { .. }))
            .collect();
        let repository = repository_state(workspace, &catalog, &untrusted_at);
        let is_untrusted = repository == RepositoryState::Untrusted;
        let untrusted = if is_untrusted && untrusted_at.len() <= AUDITED {
            untrusted(&sets, &catalog, &untrusted_at)
        } else {
            Vec::new()
        };
        let mut attention = of_states(workspace, &catalog, skills);
        attention.extend(of_trust(skills, is_untrusted, &untrusted));
        attention.extend(of_reviews(workspace, now));
        attention.extend(of_agents(&agents));
        attention.extend(of_updates(workspace));
        attention.sort_by_key(|one| one.about as u8);
        let starter = skills.iter().filter(|skill| skill.scope == Scope::System.word());
        let own =
            skills.iter().filter(|skill| skill.state == "available" && skill.scope != Scope::Project.word());
        Self {
            schema: SCHEMA,
            version: version.to_owned(),
            folder: PathText::from(&workspace.environment().cwd),
            repository,
            agents,
            looked_for: looked_for(workspace),
            skills: skills.len(),
            states,
            attention,
            untrusted,
            starter: starter.map(|skill| skill.name.clone()).collect(),
            own_available: own.count(),
        }
    }
}

impl AgentOverview {
    fn of(workspace: &Workspace, sets: &AgentSets<'_>, set: &AgentSet<'_>) -> Self {
        let view = &set.view;
        let environment = workspace.environment();
        let project = repository_of(&environment.cwd).unwrap_or(&environment.cwd);
        let plan = LinkPlan::of(workspace, sets, &set.profile.id, false);
        let present = view.roots.iter().filter(|root| root.present);
        let plugins: BTreeSet<&str> = view
            .seen
            .iter()
            .filter(|seen| seen.scope == Scope::Plugin)
            .map(|seen| seen.name.split_once(':').map_or(seen.name.as_str(), |(plugin, _)| plugin))
            .collect();
        let seen = super::SeenSkill::all(view);
        Self {
            agent: set.profile.id.clone(),
            title: set.profile.title.clone(),
            loads: view.seen.len(),
            version: skillful_agents::installed_version(set.profile, environment),
            here: set.here(project),
            misses: plan.links().len() + plan.not_linked().len(),
            fixable: plan.links().len(),
            menu: MenuSize::of(workspace, set.profile, &seen),
            folders: present.map(|root| PathText::from(&root.path)).collect(),
            plugins: plugins.len(),
            distrusts: view.unseen.iter().any(|unseen| unseen.code == skillful_agents::UnseenCode::Untrusted),
            is_known: set.profile.evidence != Evidence::Folders,
        }
    }
}

fn repository_state(workspace: &Workspace, catalog: &Catalog, untrusted: &[usize]) -> RepositoryState {
    let needs_trust = |entry: &&Entry| catalog.roots[entry.origin.root].needs_trust.is_some();
    let all = catalog.entries.iter().filter(needs_trust).count();
    match (repository_of(&workspace.environment().cwd), all) {
        (None, 0) => RepositoryState::None,
        (Some(_), 0) => RepositoryState::WithoutSkills,
        (_, all) if all == untrusted.len() => RepositoryState::Untrusted,
        (None, _) => RepositoryState::None,
        (Some(_), _) => RepositoryState::Trusted,
    }
}

fn looked_for(workspace: &Workspace) -> LookedFor {
    let products: Vec<_> = workspace.agents().iter().filter(|agent| agent.product).collect();
    let written = |rule: &RootRule| match rule.path.resolve(Path::new(""), Path::new("~"), &|_| None) {
        Some(path) => path,
        None => PathBuf::from(rule.path.as_str()),
    };
    let folders: BTreeSet<PathBuf> =
        products.iter().flat_map(|agent| agent.roots.iter().map(written)).collect();
    LookedFor { agents: products.len(), folders: folders.len() }
}

/// `names` of at most three skills.
fn some(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        few if few.len() <= 3 => format!(": {}", few.join(", ")),
        many => format!(": {}, … {} more", many[..2].join(", "), many.len() - 2),
    }
}

fn of_states(workspace: &Workspace, catalog: &Catalog, skills: &[SkillSummary]) -> Vec<Attention> {
    let of = |state: &str| -> Vec<&str> {
        skills.iter().filter(|skill| skill.state == state).map(|skill| skill.name.as_str()).collect()
    };
    let mut all = Vec::new();
    let invalid = of("invalid");
    if !invalid.is_empty() {
        all.push(Attention {
            about: AttentionKind::Invalid,
            count: invalid.len(),
            text: format!("{} invalid{}", invalid.len(), some(&invalid)),
            command: "skillful check".to_owned(),
        });
    }
    let unavailable = of("unavailable");
    if !unavailable.is_empty() {
        let needs = needs(workspace, catalog);
        let words: Vec<&str> = needs.iter().map(String::as_str).collect();
        let words = some(&words).replacen(": ", ": need ", 1);
        all.push(Attention {
            about: AttentionKind::Unavailable,
            count: unavailable.len(),
            text: format!("{} unavailable{words}", unavailable.len()),
            command: "skillful list --state unavailable".to_owned(),
        });
    }
    let without_value = |at: &usize| {
        let entry = &catalog.entries[*at];
        !entry.loaded.manifest.env.is_empty()
            && workspace.state(*at) == SkillState::Available
            && !workspace.unset_variables(entry).is_empty()
    };
    let unset: Vec<String> =
        (0..catalog.entries.len()).filter(without_value).map(|at| catalog.entries[at].address()).collect();
    if !unset.is_empty() {
        let names: Vec<&str> = unset.iter().map(String::as_str).collect();
        all.push(Attention {
            about: AttentionKind::Unset,
            count: unset.len(),
            text: format!("{} without a variable{}", unset.len(), some(&names)),
            command: "skillful doctor".to_owned(),
        });
    }
    all
}

/// What unavailable skills need, by name.
fn needs(workspace: &Workspace, catalog: &Catalog) -> BTreeSet<String> {
    let mut needs = BTreeSet::new();
    for at in 0..catalog.entries.len() {
        let SkillState::Unavailable { reasons } = workspace.state(at) else { continue };
        for reason in reasons {
            needs.insert(match reason {
                Reason::MissingProgram { any_of } => any_of.join(" or "),
                Reason::MissingVariable { name }
                | Reason::MissingSkillVariable { name }
                | Reason::MissingCapability { name }
                | Reason::MissingPackage { name }
                | Reason::MissingSkill { name } => name,
                Reason::WrongSystem { systems } => systems.join(" or "),
                Reason::Experimental { feature } => feature,
                other => other.to_string(),
            });
        }
    }
    needs
}

fn of_trust(skills: &[SkillSummary], is_untrusted: bool, untrusted: &[UntrustedSkill]) -> Vec<Attention> {
    let names: Vec<&str> =
        skills.iter().filter(|skill| skill.state == "untrusted").map(|skill| skill.name.as_str()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let count = names.len();
    let blocked: Vec<&UntrustedSkill> = untrusted.iter().filter(|skill| skill.blocking > 0).collect();
    let mut text = format!("{count} untrusted");
    match blocked.len() {
        0 if is_untrusted => {}
        0 => text.push_str(&some(&names)),
        some => text.push_str(&format!(", {some} of them blocked")),
    }
    // Of this repository `trust` shows them all.
    let is_here =
        skills.iter().filter(|skill| skill.state == "untrusted").all(|skill| skill.scope == "project");
    let command = if is_untrusted || is_here { "skillful trust" } else { "skillful list --state untrusted" };
    let mut all =
        vec![Attention { about: AttentionKind::Untrusted, count, text, command: command.to_owned() }];
    all.extend(blocked.into_iter().map(|skill| {
        let findings = if skill.blocking == 1 { "finding" } else { "findings" };
        Attention {
            about: AttentionKind::Blocked,
            count: skill.blocking,
            text: format!("{} blocking {findings} in {}", skill.blocking, skill.skill),
            command: format!("skillful audit {}", crate::shell_word::shell_word(&skill.skill)),
        }
    }));
    all
}

fn of_reviews(workspace: &Workspace, now: SystemTime) -> Option<Attention> {
    let library = Library::open(workspace, LibraryScope::User, now).ok()?;
    let reviews = library.reviews().ok()?;
    let names: Vec<&str> = reviews.iter().map(|item| item.name.as_str()).collect();
    (!names.is_empty()).then(|| Attention {
        about: AttentionKind::Review,
        count: names.len(),
        text: format!("{} pending review{}", names.len(), some(&names)),
        command: "skillful review".to_owned(),
    })
}

fn of_agents(agents: &[AgentOverview]) -> Vec<Attention> {
    let missing = agents.iter().filter(|agent| agent.misses > 0);
    let attention = missing.map(|agent| Attention {
        about: AttentionKind::Misses,
        count: agent.misses,
        text: format!("{} that {} misses, {} fixable", agent.misses, agent.title, agent.fixable),
        command: format!("skillful view --agent {}", agent.agent),
    });
    attention.collect()
}

fn of_updates(workspace: &Workspace) -> Vec<Attention> {
    let sites = [
        (workspace.project_site(), "skillful update --check"),
        (workspace.user_site(), "skillful update --global --check"),
    ];
    let attention = sites.into_iter().filter_map(|(site, command)| {
        let names = workspace.known_updates(&site);
        let shown: Vec<&str> = names.iter().map(String::as_str).collect();
        let noun = if names.len() == 1 { "update" } else { "updates" };
        (!names.is_empty()).then(|| Attention {
            about: AttentionKind::Updates,
            count: names.len(),
            text: format!("{} {noun}{}", names.len(), some(&shown)),
            command: command.to_owned(),
        })
    });
    attention.collect()
}

fn untrusted(sets: &AgentSets<'_>, catalog: &Catalog, at: &[usize]) -> Vec<UntrustedSkill> {
    let loaders = sets.loaders();
    let mut at = at.to_vec();
    at.sort_by(|one, other| in_order(&catalog.entries[*one].address(), &catalog.entries[*other].address()));
    parallel::map_each(&at, |at| {
        let entry = &catalog.entries[*at];
        let key: PathBuf = match entry.origin.file.file_name() {
            Some(file) if entry.origin.real.is_dir() => entry.origin.real.join(file),
            _ => entry.origin.real.clone(),
        };
        let loaded_by = loaders.get(key.as_path() as &Path).map_or_else(Vec::new, |agents| {
            let title =
                |id: &&str| sets.get(id).map_or_else(|| (*id).to_owned(), |set| set.profile.title.clone());
            agents.iter().map(title).collect()
        });
        let (can, blocking) = can(entry);
        UntrustedSkill { skill: entry.address(), loaded_by, can, blocking }
    })
}

/// What a skill can do in a few words, and how many findings block it.
fn can(entry: &Entry) -> (String, usize) {
    let tree = match tree_of(entry) {
        Ok(tree) => tree,
        Err(error) => return (format!("not audited: {error}"), 0),
    };
    let report = audit(&tree);
    if report.verdict == Verdict::Blocked {
        let of = |severity, noun: &str| match report.count(severity) {
            0 => None,
            1 => Some(format!("1 {noun}")),
            count => Some(format!("{count} {noun}s")),
        };
        let parts = [of(Severity::Block, "blocking finding"), of(Severity::Warn, "warning")];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        return (format!("BLOCKED: {}", parts.join(", ")), report.count(Severity::Block));
    }
    let sentences = capability::of_tree(&tree).unwrap_or_else(|| capabilities(entry));
    let all = explain(&sentences, Some(&tree));
    let of = |kind: &str| all.iter().filter(|one| one.kind == kind).count();
    let mut parts = Vec::new();
    for (kind, one, many) in [
        ("command", "run 1 command", "commands"),
        ("hook", "1 hook", "hooks"),
        ("script", "1 script", "scripts"),
        ("MCP server", "1 MCP server", "MCP servers"),
        ("secret", "1 secret", "secrets"),
        ("network", "1 host", "hosts"),
    ] {
        match of(kind) {
            0 => {}
            1 => parts.push(one.to_owned()),
            count if kind == "command" => parts.push(format!("run {count} {many}")),
            count => parts.push(format!("{count} {many}")),
        }
    }
    parts.extend(all.iter().filter(|one| one.kind == "tools").map(|one| one.what.clone()));
    (parts.join(", "), 0)
}
