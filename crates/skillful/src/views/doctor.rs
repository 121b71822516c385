//! Problems of a machine and a folder, and what is in order.

use super::{DiagnosticView, MenuSize, SCHEMA, SeenSkill, SkillList, SkillSummary, general_reason};
use crate::{
    agent_links::view_key,
    agent_sets::{AgentSet, AgentSets, MissedByOne},
    numbers::thousands,
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_agents::{Unseen, UnseenCode};
use skillful_catalog::{AgentProfile, Entry, SkillState};
use skillful_format::{Diagnostic, Severity, path_text};
use skillful_registry::{
    Lock,
    install::places,
    lock::{LOCK_FILE, Locked},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashSet},
    path::{Path, PathBuf},
};

/// Skills that one finding names.
const NAMED: usize = 6;

/// What `doctor` finds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoctorReport {
    /// The version of this object.
    pub schema: u32,
    /// The agent, when only what it loads was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The skills that were looked at, by name.
    pub skills: Vec<String>,
    /// Errors first, then warnings, then what is in order.
    pub findings: Vec<HealthFinding>,
    /// What is wrong with our own files and with folders.
    pub diagnostics: Vec<DiagnosticView>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HealthFinding {
    /// `error`, `warning` or `ok`.
    pub health: Health,
    /// What it is about, for what is in order: `configuration`, `folders`, ….
    pub topic: String,
    /// One sentence.
    pub message: String,
    /// The command that fixes or shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// How a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    /// It has to be fixed.
    Error,
    /// It is worth a look.
    Warning,
    /// It is in order.
    Ok,
}

impl Health {
    /// One word for a table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Ok => "ok",
        }
    }
}

impl HealthFinding {
    /// A finding.
    pub fn new(health: Health, topic: &str, message: impl Into<String>) -> Self {
        Self { health, topic: topic.to_owned(), message: message.into(), fix: None }
    }

    /// With the command that fixes or shows it.
    #[must_use]
    pub fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }
}

impl DoctorReport {
    /// Looks at a workspace. `further` are findings of the caller, such as the model that is connected.
    pub fn of(workspace: &Workspace, further: Vec<HealthFinding>) -> Self {
        let list = SkillList::of(workspace, &super::ListFilter::default());
        let skills = list.map(|list| list.skills).unwrap_or_default();
        let catalog = workspace.catalog();
        let sets = match workspace.as_agent() {
            Some(agent) => AgentSets::with(workspace, agent),
            None => AgentSets::found(workspace),
        };
        let mut findings = states(&skills);
        findings.extend(folders(workspace));
        findings.extend(not_installed(workspace));
        findings.extend(not_set(workspace));
        findings.extend(refused(workspace, &sets));
        findings.extend(missed(workspace, &sets));
        findings.push(agents(workspace));
        findings.extend(disabled(&skills));
        findings.push(configuration(workspace));
        findings.push(menus(workspace, &sets));
        findings.extend(further);
        findings.sort_by_key(|finding| finding.health);
        Self {
            schema: SCHEMA,
            agent: workspace.as_agent().map(|agent| agent.id.clone()),
            skills: skills.into_iter().map(|skill| skill.name).collect(),
            findings,
            diagnostics: DiagnosticView::all(workspace.diagnostics().iter().chain(&catalog.diagnostics)),
        }
    }

    /// A report about some skills, without findings yet.
    pub fn empty(skills: Vec<String>) -> Self {
        Self { schema: SCHEMA, agent: None, skills, findings: Vec::new(), diagnostics: Vec::new() }
    }

    /// How many errors and warnings there are.
    pub fn counts(&self) -> (usize, usize) {
        let count = |health| self.findings.iter().filter(|finding| finding.health == health).count();
        (count(Health::Error), count(Health::Warning))
    }
}

/// Health, state, reason and fix that several skills share.
type Group<'a> = (Health, &'a str, String, Option<String>);

/// Skills that are not available, by state and reason.
fn states(skills: &[SkillSummary]) -> Vec<HealthFinding> {
    let mut groups: BTreeMap<Group<'_>, Vec<&str>> = BTreeMap::new();
    for skill in skills {
        let (health, why, fix) = match skill.state.as_str() {
            "available" | "disabled" => continue,
            "invalid" => (Health::Error, String::new(), Some("skillful check".to_owned())),
            "shadowed" => (Health::Warning, String::new(), Some("skillful list --state shadowed".to_owned())),
            _ => (Health::Warning, skill.reasons.join("; "), skill.fix.clone()),
        };
        groups.entry((health, skill.state.as_str(), why, fix)).or_default().push(&skill.name);
    }
    let finding = |((health, state, why, fix), names): (Group<'_>, Vec<&str>)| {
        let verb = if names.len() == 1 { "skill is" } else { "skills are" };
        let count = names.len();
        let mut different = names;
        different.dedup();
        let shown = shown(&different);
        let why = if why.is_empty() { why } else { format!(": {why}") };
        let message = format!("{count} {verb} {state}: {shown}{why}");
        HealthFinding { health, topic: "skills".to_owned(), message, fix }
    };
    groups.into_iter().map(finding).collect()
}

fn folders(workspace: &Workspace) -> Vec<HealthFinding> {
    let catalog = workspace.catalog();
    let custom = &workspace.config().settings.custom;
    let gone = catalog.roots.iter().filter(|root| !root.present && custom.contains(&root.path));
    let mut findings: Vec<HealthFinding> = gone
        .map(|root| {
            let message = format!("the configured folder {} does not exist", path_text(&root.path));
            HealthFinding::new(Health::Warning, "folders", message).fix("skillful config")
        })
        .collect();
    let problems = catalog.diagnostics.iter().filter(|one| one.severity >= Severity::Warning);
    findings.extend(problems.map(|one| {
        let place = one.path.as_ref().map_or_else(String::new, |path| format!("{}: ", path_text(path)));
        let finding = HealthFinding::new(Health::Warning, "folders", format!("{place}{}", one.message));
        HealthFinding { fix: one.help.as_deref().map(str::to_owned), ..finding }
    }));
    if findings.is_empty() {
        let read = catalog.roots.iter().filter(|root| root.present).count();
        findings.push(HealthFinding::new(Health::Ok, "folders", format!("{read} read completely")));
    }
    findings
}

/// Skills that a lock names, that the user approved, and that are not in every folder that the lock names.
fn not_installed(workspace: &Workspace) -> Vec<HealthFinding> {
    let sites =
        [(workspace.project_site(), "skillful sync"), (workspace.user_site(), "skillful sync --global")];
    let mut findings = Vec::new();
    for (site, fix) in sites {
        let Ok(lock) = Lock::load(&site.lock) else { continue };
        let is_pending = |name: &str| workspace.pending_downloads().iter().any(|one| one.name == name);
        let is_gone = |locked: &Locked| {
            places(locked).map(|(place, _)| site.path(place)).any(|place| place.symlink_metadata().is_err())
        };
        let gone: Vec<&str> = lock
            .skills
            .iter()
            .filter(|(name, locked)| is_gone(locked) && !is_pending(name.as_str()))
            .map(|(name, _)| name.as_str())
            .collect();
        if !gone.is_empty() {
            let skills =
                if gone.len() == 1 { "1 skill".to_owned() } else { format!("{} skills", gone.len()) };
            let verb = if gone.len() == 1 { "is" } else { "are" };
            let message = format!("{skills} of {LOCK_FILE} {verb} not installed: {}", gone.join(", "));
            findings.push(HealthFinding::new(Health::Error, "lock", message).fix(fix));
        }
    }
    findings
}

/// Skills that an agent finds and refuses, and that another agent of this machine loads.
fn refused(workspace: &Workspace, sets: &AgentSets<'_>) -> Vec<HealthFinding> {
    let catalog = workspace.whole_catalog();
    let readable: HashSet<PathBuf> = catalog
        .entries
        .iter()
        .enumerate()
        .filter(|(at, _)| !matches!(workspace.state(*at), SkillState::Invalid { .. }))
        .map(|(_, entry)| view_key(entry))
        .collect();
    let name = |unseen: &Unseen| {
        let folder = unseen.file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy());
        unseen.name.clone().or(folder.map(Cow::into_owned)).unwrap_or_default()
    };
    let general = |unseen: &Unseen| match unseen.code {
        UnseenCode::Name | UnseenCode::Description | UnseenCode::Frontmatter => {
            general_reason(&unseen.reason)
        }
        _ => unseen.reason.clone(),
    };
    let is_asked = |id: &str| workspace.as_agent().is_none_or(|agent| agent.id == id);
    let mut findings = Vec::new();
    for set in sets.agents.iter().filter(|set| is_asked(&set.profile.id)) {
        // Several skills often have the same reason, up to their names and lines.
        let mut reasons: BTreeMap<String, Vec<&Unseen>> = BTreeMap::new();
        let mut loaders: BTreeSet<&str> = BTreeSet::new();
        let missed = sets.missed(&set.profile.id);
        for MissedByOne { unseen, loaded_by } in missed.iter().filter(|one| one.unseen.code.is_refusal()) {
            reasons.entry(general(unseen)).or_default().push(unseen);
            loaders
                .extend(loaded_by.iter().filter_map(|id| sets.get(id)).map(|set| set.profile.title.as_str()));
        }
        // What no other agent here loads either is a loss all the same, when Skillful can read it.
        for unseen in
            set.view.unseen.iter().filter(|one| one.code.is_refusal() && readable.contains(&one.key))
        {
            if missed.iter().all(|one| one.unseen.key != unseen.key) {
                reasons.entry(general(unseen)).or_default().push(unseen);
            }
        }
        let all: Vec<&Unseen> = reasons.values().flatten().copied().collect();
        let Some(first) = all.first() else { continue };
        let loaders: Vec<&str> = loaders.into_iter().collect();
        let others = match loaders.len() {
            0 => "Skillful can read".to_owned(),
            1 => format!("{} loads", shown(&loaders)),
            _ => format!("other agents load ({})", shown(&loaders)),
        };
        let why = if all.iter().all(|one| one.reason == first.reason) {
            let names: Vec<String> = all.iter().map(|one| name(one)).collect();
            format!("{}: {}", shown(&names), first.reason)
        } else {
            let mut parts: Vec<(usize, String)> =
                reasons.into_iter().map(|(reason, skills)| (skills.len(), reason)).collect();
            parts.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            parts.iter().map(|(count, reason)| format!("{reason} ({count})")).collect::<Vec<_>>().join("; ")
        };
        let skills = if all.len() == 1 { "1 skill".to_owned() } else { format!("{} skills", all.len()) };
        let message = format!("{} refuses {skills} that {others}: {why}", set.profile.title);
        let fix = format!("skillful view --agent {} --unseen", set.profile.id);
        findings.push(HealthFinding::new(Health::Warning, "agents", message).fix(fix));
    }
    findings
}

/// Variables of the programs of one skill that have no value.
pub fn unset_variables(workspace: &Workspace, entry: &Entry) -> Vec<HealthFinding> {
    let finding = |found: Diagnostic| {
        let finding = HealthFinding::new(Health::Warning, "variables", found.message);
        HealthFinding { fix: found.help.map(Into::into), ..finding }
    };
    workspace.unset_variables(entry).into_iter().map(finding).collect()
}

/// The same of every available skill.
fn not_set(workspace: &Workspace) -> Vec<HealthFinding> {
    let catalog = workspace.catalog();
    let is_used = |at: &usize| workspace.state(*at) == SkillState::Available;
    let used = (0..catalog.entries.len()).filter(is_used).map(|at| &catalog.entries[at]);
    used.flat_map(|entry| unset_variables(workspace, entry)).collect()
}

/// Agents that miss skills which another agent loads; the number is that of the overview.
fn missed(workspace: &Workspace, sets: &AgentSets<'_>) -> Vec<HealthFinding> {
    if workspace.as_agent().is_some() {
        return Vec::new();
    }
    let finding = |set: &AgentSet<'_>| {
        let count = sets.missed(&set.profile.id).len();
        let skills = if count == 1 { "1 skill".to_owned() } else { format!("{count} skills") };
        let message = format!("{} misses {skills} that another agent loads", set.profile.title);
        let fix = format!("skillful view --agent {}", set.profile.id);
        (count > 0).then(|| HealthFinding::new(Health::Warning, "agents", message).fix(fix))
    };
    sets.agents.iter().filter_map(finding).collect()
}

/// The agents found here, with their versions where a file says them.
fn agents(workspace: &Workspace) -> HealthFinding {
    let name =
        |agent: &&AgentProfile| match skillful_agents::installed_version(agent, workspace.environment()) {
            Some(version) => format!("{} {version}", agent.title),
            None => agent.title.clone(),
        };
    let found: Vec<String> = workspace.agents_found().iter().map(name).collect();
    let message = if found.is_empty() { "none found".to_owned() } else { found.join(", ") };
    HealthFinding::new(Health::Ok, "agents", message)
}

/// Skills that are disabled, with the command that names by whom.
fn disabled(skills: &[SkillSummary]) -> Option<HealthFinding> {
    let is_disabled = |skill: &&SkillSummary| skill.state == "disabled";
    let names: Vec<&str> = skills.iter().filter(is_disabled).map(|skill| skill.name.as_str()).collect();
    let noun = if names.len() == 1 { "skill" } else { "skills" };
    let message = format!("{} {noun}: {}; skillful list --state disabled", names.len(), shown(&names));
    (!names.is_empty()).then(|| HealthFinding::new(Health::Ok, "disabled", message))
}

/// Some names, and how many more there are.
fn shown<T: AsRef<str>>(names: &[T]) -> String {
    let named = |names: &[T]| names.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    if names.len() > NAMED {
        format!("{}, … {} more", named(&names[..NAMED - 1]), names.len() - NAMED + 1)
    } else {
        named(names)
    }
}

fn configuration(workspace: &Workspace) -> HealthFinding {
    let file = &workspace.paths().config;
    match workspace.diagnostics().first() {
        Some(one) => {
            let place = one.path.as_deref().unwrap_or(file);
            let message = format!("{}: {}", path_text(place), one.message);
            HealthFinding {
                fix: one.help.as_deref().map(str::to_owned),
                ..HealthFinding::new(Health::Error, "configuration", message)
            }
        }
        None if file.exists() => {
            HealthFinding::new(Health::Ok, "configuration", path_text(file).into_owned())
        }
        None => HealthFinding::new(Health::Ok, "configuration", "none; every setting has its default"),
    }
}

/// The largest menu among the agents of this machine, against the room that its agent gives it.
fn menus(workspace: &Workspace, sets: &AgentSets<'_>) -> HealthFinding {
    let is_asked = |set: &&AgentSet<'_>| workspace.as_agent().is_none_or(|agent| agent.id == set.profile.id);
    let mut largest: Option<(usize, String, bool)> = None;
    for set in sets.agents.iter().filter(is_asked) {
        let agent = set.profile;
        let view = &set.view;
        let menu = MenuSize::of(workspace, agent, &SeenSkill::all(view));
        let line = format!(
            "{}: {} {}, {} of {} {}",
            agent.title,
            menu.skills,
            if menu.skills == 1 { "skill" } else { "skills" },
            thousands(menu.used),
            thousands(menu.limit),
            menu.unit
        );
        let is_cut = menu.shortened + menu.left_out > 0;
        if largest.as_ref().is_none_or(|(used, _, _)| menu.used > *used) {
            largest = Some((menu.used, line, is_cut));
        }
    }
    match largest {
        None => HealthFinding::new(Health::Ok, "menus", "no agent was found on this machine"),
        Some((_, line, false)) => HealthFinding::new(Health::Ok, "menus", format!("largest: {line}")),
        Some((_, line, true)) => {
            HealthFinding::new(Health::Warning, "menus", format!("the menu does not fit whole: {line}"))
                .fix("skillful menu --report")
        }
    }
}
