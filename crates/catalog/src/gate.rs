//! The one function that decides who may use which skill. Every way to a skill asks it; a gate that cannot be read is
//! closed.

use crate::{
    catalog::Catalog,
    entry::{DisabledBy, Entry, Placement, SeenBy},
    environment::{Environment, Principal},
    settings::RuleOwner,
    state::PendingReason,
    variables::{SHARED_FILE, SKILL_FILE},
};
use serde::Serialize;
use std::{collections::HashMap, path::Path};

/// Who calls a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Caller {
    /// The user calls it by name.
    User,
    /// A model selects it from the menu.
    Model,
}

/// The decision of the gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// In one word.
    pub status: Status,
    /// Every reason, not only the first.
    pub reasons: Vec<Reason>,
}

impl Verdict {
    /// The verdict that follows from some reasons.
    pub fn of(reasons: Vec<Reason>) -> Self {
        let status = reasons.iter().map(Reason::status).max().unwrap_or(Status::Available);
        Self { status, reasons }
    }

    /// The reasons in words that a model may read.
    pub fn words_for_a_model(&self) -> String {
        words_for_a_model(&self.reasons)
    }
}

/// Reasons in words that a model may read: what is missing is named, who may do what is not.
pub fn words_for_a_model(reasons: &[Reason]) -> String {
    if reasons.iter().any(|reason| reason.status() != Status::Unavailable) {
        return "it is not available here".to_owned();
    }
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// The verdict in one word, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It may be used.
    Available,
    /// It would be, if something it needs were there.
    Unavailable,
    /// It is not for this user, or not for this caller.
    Gated,
    /// It is disabled.
    Disabled,
}

/// Why a skill may not be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum Reason {
    /// Its file cannot be read.
    Invalid,
    /// Another skill of its name comes first.
    Shadowed,
    /// Its repository is not trusted.
    Untrusted,
    /// The user has not approved its files.
    Pending {
        /// Why it waits.
        why: PendingReason,
    },
    /// It is disabled.
    Disabled {
        /// By whom or what.
        disabled: DisabledBy,
    },
    /// A gate of its frontmatter cannot be read.
    UnreadableGate {
        /// The field.
        field: String,
    },
    /// For administrators.
    AdminOnly,
    /// Its feature is not enabled.
    Experimental {
        /// The feature to enable.
        feature: String,
    },
    /// The agent cannot do something.
    MissingCapability {
        /// What.
        name: String,
    },
    /// A variable is not set.
    MissingVariable {
        /// Which.
        name: String,
    },
    /// A variable that the skill declares and requires has no value.
    MissingSkillVariable {
        /// Which.
        name: String,
    },
    /// No program of these is there.
    MissingProgram {
        /// Any one of them would do.
        any_of: Vec<String>,
    },
    /// A package is not installed.
    MissingPackage {
        /// Which.
        name: String,
    },
    /// A skill it needs is not there or not available.
    MissingSkill {
        /// Which.
        name: String,
    },
    /// Its requirements lead back to itself.
    RequirementCycle {
        /// Over which skill.
        name: String,
    },
    /// Made for other operating systems.
    WrongSystem {
        /// For which.
        systems: Vec<String>,
    },
    /// The agent in question does not load it.
    NotLoaded {
        /// The agent.
        agent: String,
        /// Why not.
        why: String,
    },
    /// A model may not choose it.
    NotForModels,
    /// The agent offers it to its model once a file that its `paths` name is used.
    WaitsForFile,
    /// The configuration forbids models to use it.
    Forbidden {
        /// The pattern.
        pattern: String,
    },
    /// A user may not call it.
    NotForUsers,
    /// There is nothing by which a model could choose it.
    NoDescription,
}

impl Reason {
    fn status(&self) -> Status {
        match self {
            Self::Disabled { .. } => Status::Disabled,
            Self::Invalid
            | Self::Shadowed
            | Self::Untrusted
            | Self::Pending { .. }
            | Self::UnreadableGate { .. }
            | Self::AdminOnly
            | Self::Experimental { .. }
            | Self::NotLoaded { .. }
            | Self::NotForModels
            | Self::WaitsForFile
            | Self::Forbidden { .. }
            | Self::NotForUsers
            | Self::NoDescription => Status::Gated,
            Self::MissingCapability { .. }
            | Self::MissingVariable { .. }
            | Self::MissingSkillVariable { .. }
            | Self::MissingProgram { .. }
            | Self::MissingPackage { .. }
            | Self::MissingSkill { .. }
            | Self::RequirementCycle { .. }
            | Self::WrongSystem { .. } => Status::Unavailable,
        }
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Invalid => f.write_str("its file cannot be read"),
            Self::Shadowed => f.write_str("another skill of this name comes first"),
            Self::Untrusted => f.write_str("its repository is not trusted"),
            Self::Pending { why } => write!(f, "{why}"),
            Self::Disabled { disabled } => match disabled {
                DisabledBy::Source => f.write_str("its source is disabled"),
                DisabledBy::Ignore { glob } => write!(f, "the ignore list names `{glob}`"),
                DisabledBy::NotIncluded => f.write_str("it is not on the include list"),
                DisabledBy::Unreadable { file } => {
                    write!(f, "rules about skills in `{}` cannot be read", file.display())
                }
                DisabledBy::Rule { owner } => write!(f, "disabled by {}", owner_words(owner)),
                DisabledBy::Place(place) => write!(f, "{place}"),
            },
            Self::UnreadableGate { field } => write!(f, "its `{field}` cannot be read"),
            Self::AdminOnly => f.write_str("it is for administrators"),
            Self::Experimental { feature } => write!(f, "the feature `{feature}` is not enabled"),
            Self::MissingCapability { name } => write!(f, "the capability `{name}` is missing"),
            Self::MissingVariable { name } => write!(f, "the variable `{name}` is not set"),
            Self::MissingSkillVariable { name } => write!(
                f,
                "its variable `{name}` has no value; set it in `{SKILL_FILE}` beside the skill, in \
                 `{SHARED_FILE}` in the configuration folder, or in the environment"
            ),
            Self::MissingProgram { any_of } => {
                write!(f, "the program `{}` is not installed", any_of.join("` or `"))
            }
            Self::MissingPackage { name } => write!(f, "the package `{name}` is not installed"),
            Self::MissingSkill { name } => write!(f, "the skill `{name}` is not available"),
            Self::RequirementCycle { name } => write!(f, "it needs itself over `{name}`"),
            Self::WrongSystem { systems } => write!(f, "it is made for {}", systems.join(", ")),
            Self::NotLoaded { agent, why } => write!(f, "`{agent}` does not load it: {why}"),
            Self::NotForModels => f.write_str("only the user can call it"),
            Self::WaitsForFile => f.write_str("it waits for a file that its `paths` name"),
            Self::Forbidden { pattern } => {
                write!(f, "`forbidden_tools` has `Skill({pattern})`, so only the user can call it")
            }
            Self::NotForUsers => f.write_str("only models can call it"),
            Self::NoDescription => f.write_str("it has no description"),
        }
    }
}

fn owner_words(owner: &RuleOwner) -> &'static str {
    match owner {
        RuleOwner::Managed => "the administrator",
        RuleOwner::User => "you",
        RuleOwner::Project => "the repository",
        RuleOwner::Call => "this call",
        RuleOwner::Proposed => "default, since a model proposed it",
    }
}

/// Asks whether `principal` may use an entry as `caller`.
pub fn gate(
    catalog: &Catalog,
    entry: &Entry,
    principal: &Principal,
    environment: &Environment,
    caller: Caller,
) -> Verdict {
    let mut reasons = requirements_of(catalog, entry, principal, environment);
    invocation(entry, caller, &mut reasons);
    Verdict::of(reasons)
}

/// Every reason why a skill cannot be used, by the user and by models alike.
pub(crate) fn requirements_of(
    catalog: &Catalog,
    entry: &Entry,
    principal: &Principal,
    environment: &Environment,
) -> Vec<Reason> {
    let asked = GateQuestion { catalog, principal, environment };
    let mut reasons = Vec::new();
    asked.placement(entry, &mut reasons);
    asked.requirements(entry, &mut reasons);
    for name in needed_skills(entry) {
        reasons.extend(asked.skill(entry, name));
    }
    reasons
}

/// One question to the gate: the user, the caller, the skill.
struct GateQuestion<'a> {
    catalog: &'a Catalog,
    principal: &'a Principal,
    environment: &'a Environment,
}

impl<'a> GateQuestion<'a> {
    fn placement(&self, entry: &Entry, reasons: &mut Vec<Reason>) {
        let user = self.principal.user.as_deref();
        match &entry.placement {
            Placement::Active => {}
            Placement::Shadowed { .. } => {
                // A skill that this user disabled shadows nothing for them.
                let winner = self.catalog.called_by(&entry.address(), user);
                if winner.is_none_or(|(_, winner)| winner.origin != entry.origin) {
                    reasons.push(Reason::Shadowed);
                }
            }
            Placement::Disabled { by } => reasons.push(Reason::Disabled { disabled: by.clone() }),
            Placement::Untrusted { .. } => reasons.push(Reason::Untrusted),
            Placement::Pending { why } => reasons.push(Reason::Pending { why: why.clone() }),
            Placement::Invalid => reasons.push(Reason::Invalid),
        }
        if self.catalog.is_disabled_by(entry, user) {
            reasons.push(Reason::Disabled { disabled: DisabledBy::Rule { owner: RuleOwner::User } });
        }
        if let Some(SeenBy::Missed { agent, why, .. }) = &entry.seen_by {
            reasons.push(Reason::NotLoaded { agent: agent.clone(), why: why.clone() });
        }
        let manifest = &entry.loaded.manifest;
        for field in &manifest.closed_gates {
            reasons.push(Reason::UnreadableGate { field: field.clone() });
        }
        if manifest.admin_only && !self.principal.admin {
            reasons.push(Reason::AdminOnly);
        }
        if manifest.experimental {
            let feature = format!("skill_{}", entry.name);
            if !self.environment.features.contains(&feature) {
                reasons.push(Reason::Experimental { feature });
            }
        }
        for name in &manifest.requires_capability {
            if !self.environment.capabilities.contains(name) {
                reasons.push(Reason::MissingCapability { name: name.clone() });
            }
        }
    }

    /// What must be there on this machine.
    fn requirements(&self, entry: &Entry, reasons: &mut Vec<Reason>) {
        let manifest = &entry.loaded.manifest;
        let sidecar = &entry.loaded.sidecar;
        for requires in [&manifest.requires, &sidecar.requires] {
            for name in requires.env.iter().filter(|name| self.environment.variable(name).is_none()) {
                reasons.push(Reason::MissingVariable { name: name.clone() });
            }
            for any_of in &requires.binary {
                if !any_of.iter().any(|name| self.environment.has_program(name)) {
                    reasons.push(Reason::MissingProgram { any_of: any_of.clone() });
                }
            }
        }
        // The user may have set a value since the catalog was made.
        let missing = entry.missing_variables.iter();
        for name in missing.filter(|name| self.environment.variable(name).is_none()) {
            reasons.push(Reason::MissingSkillVariable { name: name.clone() });
        }
        for name in manifest.dependencies.iter().filter(|name| !self.environment.packages.has(name)) {
            reasons.push(Reason::MissingPackage { name: name.clone() });
        }
        if !sidecar.systems.is_empty() && !sidecar.systems.contains(&self.environment.system) {
            reasons.push(Reason::WrongSystem { systems: sidecar.systems.clone() });
        }
    }

    /// What is wrong with a skill that `entry` needs. Everything below it is looked at once,
    /// however many ways lead there, so that no net of requirements can keep the gate busy.
    fn skill(&self, entry: &'a Entry, name: &str) -> Option<Reason> {
        let missing = || Reason::MissingSkill { name: name.to_owned() };
        let Some(first) = self.needed(entry, name) else { return Some(missing()) };
        let mut fine = true;
        let mut known: Vec<&Entry> = vec![first];
        let mut places: HashMap<&Path, usize> = HashMap::from([(first.origin.file.as_path(), 0)]);
        let mut needs: Vec<Vec<usize>> = Vec::new();
        let mut at = 0;
        while let Some(one) = known.get(at).copied() {
            if one.origin == entry.origin {
                return Some(Reason::RequirementCycle { name: name.to_owned() });
            }
            let mut reasons = Vec::new();
            self.placement(one, &mut reasons);
            self.requirements(one, &mut reasons);
            fine &= reasons.is_empty();
            let mut below = Vec::new();
            for next in needed_skills(one) {
                match self.needed(one, next) {
                    Some(next) => below.push(*places.entry(&next.origin.file).or_insert_with(|| {
                        known.push(next);
                        known.len() - 1
                    })),
                    None => fine = false,
                }
            }
            needs.push(below);
            at += 1;
        }
        (!fine || has_cycle(&needs)).then(missing)
    }

    /// The skill that a name means to another one: first its neighbour in the same plugin.
    fn needed(&self, entry: &Entry, name: &str) -> Option<&'a Entry> {
        let user = self.principal.user.as_deref();
        let near = entry.qualifier.as_ref().map(|qualifier| format!("{qualifier}:{name}"));
        near.and_then(|near| self.catalog.called_by(&near, user))
            .or_else(|| self.catalog.called_by(name, user))
            .map(|(_, entry)| entry)
    }
}

fn needed_skills(entry: &Entry) -> impl Iterator<Item = &String> {
    entry.loaded.manifest.requires.skills.iter().chain(&entry.loaded.sidecar.requires.skills)
}

/// Whether taking away again and again what needs nothing leaves something over.
fn has_cycle(needs: &[Vec<usize>]) -> bool {
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    for (at, below) in needs.iter().enumerate() {
        for next in below {
            needed_by[*next].push(at);
        }
    }
    let mut free: Vec<usize> = (0..needs.len()).filter(|at| open[*at] == 0).collect();
    let mut taken = 0;
    while let Some(at) = free.pop() {
        taken += 1;
        for above in &needed_by[at] {
            open[*above] -= 1;
            if open[*above] == 0 {
                free.push(*above);
            }
        }
    }
    taken < needs.len()
}

/// Why the frontmatter or the sidecar of a skill keeps a caller away, whatever the state of the skill.
pub fn calls(entry: &Entry, caller: Caller) -> Vec<Reason> {
    let mut reasons = Vec::new();
    invocation(entry, caller, &mut reasons);
    reasons
}

fn invocation(entry: &Entry, caller: Caller, reasons: &mut Vec<Reason>) {
    let manifest = &entry.loaded.manifest;
    match caller {
        Caller::Model => {
            if manifest.disable_model_invocation
                || entry.seen_by == Some(SeenBy::Loaded)
                || entry.loaded.sidecar.allow_implicit_invocation == Some(false)
            {
                reasons.push(Reason::NotForModels);
            }
            if entry.seen_by == Some(SeenBy::Waits) {
                reasons.push(Reason::WaitsForFile);
            }
            if let Some(pattern) = &entry.forbidden {
                reasons.push(Reason::Forbidden { pattern: pattern.clone() });
            }
            if manifest.description.as_deref().is_none_or(|text| text.trim().is_empty()) {
                reasons.push(Reason::NoDescription);
            }
        }
        Caller::User => {
            if !manifest.user_invocable {
                reasons.push(Reason::NotForUsers);
            }
        }
    }
}
