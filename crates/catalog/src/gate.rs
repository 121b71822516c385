//! The one place that says who may use what. Every path asks it; a gate that cannot be read is
//! closed.

use crate::{
    catalog::Catalog,
    entry::{DisabledBy, Entry, State},
    environment::{Environment, Principal},
};
use serde::Serialize;
use skillful_format::manifest::Requires;

/// Through which door somebody wants to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Door {
    /// A person calls it by name.
    Person,
    /// A model chooses it from the catalogue.
    Model,
}

/// What the gate says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// In one word.
    pub status: Status,
    /// Every reason, not only the first.
    pub reasons: Vec<Reason>,
}

/// The verdict in one word, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It may be used.
    Available,
    /// It would be, if something it needs were there.
    Unavailable,
    /// It is not for this person, or not through this door.
    Gated,
    /// Somebody switched it off.
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
    /// Somebody switched it off.
    SwitchedOff {
        /// Who or what.
        disabled: DisabledBy,
    },
    /// A gate of its header cannot be read.
    UnreadableGate {
        /// The field.
        field: String,
    },
    /// For administrators.
    AdminOnly,
    /// Its feature is not switched on.
    Experimental {
        /// The feature to switch on.
        feature: String,
    },
    /// The host cannot do something.
    MissingCapability {
        /// What.
        name: String,
    },
    /// A variable is not set.
    MissingVariable {
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
    /// A model may not choose it.
    NotForModels,
    /// A person may not call it.
    NotForPersons,
    /// There is nothing by which a model could choose it.
    NoDescription,
}

impl Reason {
    fn status(&self) -> Status {
        match self {
            Self::SwitchedOff { .. } => Status::Disabled,
            Self::Invalid
            | Self::Shadowed
            | Self::Untrusted
            | Self::UnreadableGate { .. }
            | Self::AdminOnly
            | Self::Experimental { .. }
            | Self::NotForModels
            | Self::NotForPersons
            | Self::NoDescription => Status::Gated,
            Self::MissingCapability { .. }
            | Self::MissingVariable { .. }
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
            Self::SwitchedOff { disabled } => match disabled {
                DisabledBy::Source => f.write_str("its source is switched off"),
                DisabledBy::Ignore { glob } => write!(f, "the ignore list has `{glob}`"),
                DisabledBy::NotIncluded => f.write_str("it is not on the include list"),
                DisabledBy::Rule { owner } => write!(f, "disabled by {}", owner_words(owner)),
            },
            Self::UnreadableGate { field } => write!(f, "its `{field}` cannot be read"),
            Self::AdminOnly => f.write_str("it is for administrators"),
            Self::Experimental { feature } => write!(f, "the feature `{feature}` is not switched on"),
            Self::MissingCapability { name } => write!(f, "this host has no `{name}`"),
            Self::MissingVariable { name } => write!(f, "the variable `{name}` is not set"),
            Self::MissingProgram { any_of } => {
                write!(f, "the program `{}` is not installed", any_of.join("` or `"))
            }
            Self::MissingPackage { name } => write!(f, "the package `{name}` is not installed"),
            Self::MissingSkill { name } => write!(f, "the skill `{name}` is not available"),
            Self::RequirementCycle { name } => write!(f, "it needs itself over `{name}`"),
            Self::WrongSystem { systems } => write!(f, "it is made for {}", systems.join(", ")),
            Self::NotForModels => f.write_str("models may not choose it"),
            Self::NotForPersons => f.write_str("persons may not call it"),
            Self::NoDescription => f.write_str("it has no description to choose it by"),
        }
    }
}

fn owner_words(owner: &crate::settings::RuleOwner) -> &'static str {
    use crate::settings::RuleOwner as O;
    match owner {
        O::Managed => "the administrator",
        O::User => "you",
        O::Project => "the repository",
        O::Call => "this call",
    }
}

/// Requirements of requirements are followed this deep.
const REQUIREMENT_DEPTH: usize = 16;

/// Asks whether `principal` may use an entry through `door`.
pub fn gate(
    catalog: &Catalog,
    entry: &Entry,
    principal: &Principal,
    environment: &Environment,
    door: Door,
) -> Verdict {
    let mut reasons = Vec::new();
    standing(entry, principal, environment, &mut reasons);
    let mut path = vec![entry.address()];
    requirements(catalog, entry, principal, environment, &mut path, &mut reasons);
    invocation(entry, door, &mut reasons);
    let status = reasons.iter().map(Reason::status).max().unwrap_or(Status::Available);
    Verdict { status, reasons }
}

fn standing(entry: &Entry, principal: &Principal, environment: &Environment, reasons: &mut Vec<Reason>) {
    match &entry.state {
        State::Ready => {}
        State::Shadowed { .. } => reasons.push(Reason::Shadowed),
        State::Disabled { by } => reasons.push(Reason::SwitchedOff { disabled: by.clone() }),
        State::Untrusted { .. } => reasons.push(Reason::Untrusted),
        State::Invalid => reasons.push(Reason::Invalid),
    }
    let manifest = &entry.loaded.manifest;
    for field in &manifest.closed_gates {
        reasons.push(Reason::UnreadableGate { field: field.clone() });
    }
    if manifest.admin_only && !principal.admin {
        reasons.push(Reason::AdminOnly);
    }
    if manifest.experimental {
        let feature = format!("skill_{}", entry.name);
        if !environment.features.contains(&feature) {
            reasons.push(Reason::Experimental { feature });
        }
    }
    for name in &manifest.requires_capability {
        if !environment.capabilities.contains(name) {
            reasons.push(Reason::MissingCapability { name: name.clone() });
        }
    }
}

fn requirements(
    catalog: &Catalog,
    entry: &Entry,
    principal: &Principal,
    environment: &Environment,
    path: &mut Vec<String>,
    reasons: &mut Vec<Reason>,
) {
    let manifest = &entry.loaded.manifest;
    let mut own = |requires: &Requires| {
        for name in requires.env.iter().filter(|name| environment.variable(name).is_none()) {
            reasons.push(Reason::MissingVariable { name: name.clone() });
        }
        for any_of in &requires.binary {
            if !any_of.iter().any(|name| environment.has_program(name)) {
                reasons.push(Reason::MissingProgram { any_of: any_of.clone() });
            }
        }
    };
    own(&manifest.requires);
    own(&entry.loaded.sidecar.requires);
    if let Some(packages) = &environment.packages {
        for dependency in &manifest.dependencies {
            let name = package_name(dependency);
            if !packages.contains(&name) {
                reasons.push(Reason::MissingPackage { name });
            }
        }
    }
    let systems = &entry.loaded.sidecar.systems;
    if !systems.is_empty() && !systems.contains(&environment.system) {
        reasons.push(Reason::WrongSystem { systems: systems.clone() });
    }
    for name in &manifest.requires.skills {
        if path.contains(name) || path.len() >= REQUIREMENT_DEPTH {
            reasons.push(Reason::RequirementCycle { name: name.clone() });
            continue;
        }
        let Some((_, needed)) = catalog.called(name).find(|(_, entry)| entry.state == State::Ready) else {
            reasons.push(Reason::MissingSkill { name: name.clone() });
            continue;
        };
        let mut inner = Vec::new();
        standing(needed, principal, environment, &mut inner);
        path.push(name.clone());
        requirements(catalog, needed, principal, environment, path, &mut inner);
        path.pop();
        let cycle = inner.into_iter().find_map(|reason| match reason {
            Reason::RequirementCycle { .. } => Some(Reason::RequirementCycle { name: name.clone() }),
            _ => Some(Reason::MissingSkill { name: name.clone() }),
        });
        reasons.extend(cycle);
    }
}

/// `caldav>=1.0` asks for the package `caldav`; Python writes hyphens as underscores on import.
fn package_name(dependency: &str) -> String {
    let end = dependency.find(['<', '>', '=', '!', '~', '[', ';', ' ']).unwrap_or(dependency.len());
    dependency[..end].trim().replace('-', "_")
}

fn invocation(entry: &Entry, door: Door, reasons: &mut Vec<Reason>) {
    let manifest = &entry.loaded.manifest;
    match door {
        Door::Model => {
            if manifest.disable_model_invocation
                || entry.loaded.sidecar.allow_implicit_invocation == Some(false)
            {
                reasons.push(Reason::NotForModels);
            }
            if manifest.description.as_deref().is_none_or(|text| text.trim().is_empty()) {
                reasons.push(Reason::NoDescription);
            }
        }
        Door::Person => {
            if !manifest.user_invocable {
                reasons.push(Reason::NotForPersons);
            }
        }
    }
}
