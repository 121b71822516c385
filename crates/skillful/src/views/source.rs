//! Sources, and the skills that they offer.

use super::SCHEMA;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_registry::source::SourceLocation;
use skillful_registry::sources::{Listing, OfferState, Offered, Sources};
use std::collections::BTreeSet;

/// The sources of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceList {
    /// The version of this object.
    pub schema: u32,
    /// In the order of the labels.
    pub sources: Vec<SourceView>,
    /// Other hosts that sources may redirect to.
    pub hosts: BTreeSet<String>,
    /// Whether plain HTTP to this machine is allowed.
    pub loopback: bool,
}

/// One source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceView {
    /// The user's name for it.
    pub label: String,
    /// Its address.
    pub source: String,
    /// Whether it is asked.
    pub enabled: bool,
    /// What it is: `folder`, `archive`, `git`, `index` or `registry`.
    pub kind: &'static str,
}

/// A source that was added or removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceChanged {
    /// The version of this object.
    pub schema: u32,
    /// The user's name for it.
    pub label: String,
    /// Whether it is configured now.
    pub present: bool,
}

/// The skills that sources offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceSkills {
    /// The version of this object.
    pub schema: u32,
    /// The sources that answered.
    pub sources: Vec<SourceListing>,
    /// The skills, in the order of the sources.
    pub skills: Vec<OfferedSkill>,
    /// The sources that did not answer.
    pub unreachable: Vec<UnreachableSource>,
}

/// A source that answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceListing {
    /// The user's name for it.
    pub label: String,
    /// How many skills it offers.
    pub skills: usize,
    /// The age of the answer in seconds, when it is a cached one.
    pub age: Option<u64>,
}

/// A skill that a source offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OfferedSkill {
    /// Its name.
    pub name: String,
    /// The user's name for the source.
    pub source_label: String,
    /// What it does.
    pub description: String,
    /// The offered version.
    pub version: Option<String>,
    /// What `skillful add` takes to install it.
    pub source: String,
    /// Whether it is installed here.
    pub state: OfferedState,
}

/// How an offered skill compares with what is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OfferedState {
    /// Not installed.
    New,
    /// Installed in this version.
    Installed,
    /// Downloaded, and pending review.
    Pending,
    /// Installed in another version.
    Update,
    /// A skill of this name is installed from another source.
    Elsewhere,
}

/// A source that did not answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnreachableSource {
    /// The user's name for it.
    pub label: String,
    /// Why.
    pub why: String,
}

impl SourceList {
    /// The view of the configured sources.
    pub fn of(sources: &Sources) -> Self {
        let source = |(label, it): (&String, &skillful_registry::sources::SourceEntry)| SourceView {
            label: label.clone(),
            source: it.source.to_string(),
            enabled: it.enabled,
            kind: match &it.source.place {
                _ if it.registry => "registry",
                SourceLocation::Path(_) => "folder",
                SourceLocation::Archive(_) => "archive",
                SourceLocation::Git(_) | SourceLocation::Forge { .. } => "git",
                SourceLocation::WellKnown(_) => "index",
                SourceLocation::Registry { .. } => "registry",
                SourceLocation::Starter => "starter",
            },
        };
        Self {
            schema: SCHEMA,
            sources: sources.sources.iter().map(source).collect(),
            hosts: sources.hosts.clone(),
            loopback: sources.loopback,
        }
    }
}

impl SourceListing {
    /// The view of an answer.
    pub fn of(label: &str, listing: &Listing) -> Self {
        Self {
            label: label.to_owned(),
            skills: listing.skills.len(),
            age: listing.age.map(|age| age.as_secs()),
        }
    }
}

impl OfferedSkill {
    /// The view of a skill that the source `label` offers.
    pub fn of(label: &str, offered: &Offered, state: OfferState) -> Self {
        Self {
            name: offered.name.clone(),
            source_label: label.to_owned(),
            description: offered.description.clone(),
            version: offered.version.clone(),
            source: offered.source.clone(),
            state: match state {
                OfferState::New => OfferedState::New,
                OfferState::Installed => OfferedState::Installed,
                OfferState::Pending => OfferedState::Pending,
                OfferState::Update => OfferedState::Update,
                OfferState::Elsewhere => OfferedState::Elsewhere,
            },
        }
    }
}
