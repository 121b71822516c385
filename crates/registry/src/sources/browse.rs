//! What the sources offer, and what of it is installed. Lists are read; no skill of an index is downloaded.

use super::{SourceEntry, cache};
use crate::{
    fetch::{self, FetchError, Outside},
    lock::Lock,
    source::{SkillName, Source, SourceLocation},
};
use serde::{Deserialize, Serialize};
use skillful_format::{Digest, Document, Sidecars, Tree, TreePath};
use std::{
    path::Path,
    time::{Duration, SystemTime},
};

/// What a word in a name weighs, and one in a description.
const IN_NAME: u32 = 3;
const IN_DESCRIPTION: u32 = 1;

/// A skill that a source offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its newest version, when it has versions.
    pub version: Option<String>,
    /// Of the archive.
    pub artefact: Option<Digest>,
    /// Of the files.
    pub tree: Option<Digest>,
    /// What `add` is given.
    pub source: String,
    /// The commit of a repository.
    #[serde(default)]
    pub commit: Option<String>,
    /// Where in the source it lies.
    #[serde(default)]
    pub folder: Option<String>,
}

/// What a source offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// In order of the names.
    pub skills: Vec<Offered>,
    /// What was skipped, as sentences.
    pub notes: Vec<String>,
    /// How old it is, when it was not asked for now.
    pub age: Option<Duration>,
    /// Why it could not be asked now, when what was remembered is shown instead.
    pub stale: Option<String>,
}

/// How sources are asked.
#[derive(Clone, Copy, Debug)]
pub struct Browsing<'a> {
    /// For fetches.
    pub outside: &'a Outside,
    /// Where answers are remembered.
    pub cache: Option<&'a Path>,
    /// The time.
    pub now: SystemTime,
    /// Ask again, whatever is remembered.
    pub refresh: bool,
}

/// Asks sources, all at once. One that fails is an error of its own and hides no other.
pub fn browse_all<'a>(
    sources: &[(&'a str, &SourceEntry)],
    browsing: Browsing<'_>,
) -> Vec<(&'a str, Result<Listing, FetchError>)> {
    std::thread::scope(|scope| {
        let asked: Vec<_> = sources
            .iter()
            .map(|&(label, entry)| (label, scope.spawn(move || browse(label, entry, browsing))))
            .collect();
        asked
            .into_iter()
            .map(|(label, thread)| {
                let lost = || Err(FetchError::NoSkill { place: label.to_owned() });
                (label, thread.join().unwrap_or_else(|_| lost()))
            })
            .collect()
    })
}

fn browse(label: &str, entry: &SourceEntry, browsing: Browsing<'_>) -> Result<Listing, FetchError> {
    let key = cache::Key { source: entry.source.to_string(), label, registry: entry.registry };
    let kept = browsing.cache.and_then(|folder| cache::read(folder, &key, browsing.now));
    if let Some(kept) = kept.as_ref().filter(|kept| !browsing.refresh && cache::is_fresh(kept)) {
        return Ok(kept.clone());
    }
    match ask(label, entry, browsing.outside) {
        Ok(listing) => {
            if let Some(folder) = browsing.cache {
                cache::write(folder, &key, &listing, browsing.now);
            }
            Ok(listing)
        }
        // A cached list is better than none, when its age is shown.
        Err(error) => match kept {
            Some(kept) => Ok(Listing { stale: Some(error.to_string()), ..kept }),
            None => Err(error),
        },
    }
}

fn ask(label: &str, entry: &SourceEntry, outside: &Outside) -> Result<Listing, FetchError> {
    let mut notes = Vec::new();
    let mut skills = match &entry.source.place {
        SourceLocation::WellKnown(address) if entry.registry => {
            let listing = fetch::registry_listing(address, &outside.web)?;
            notes.extend(listing.diagnostics.into_iter().map(|found| found.message));
            let offered = |(name, description, version, tree): (String, String, Option<String>, _)| Offered {
                source: format!("registry:{label}/{name}"),
                artefact: None,
                name,
                description,
                version,
                tree,
                commit: None,
                folder: None,
            };
            listing.skills.into_iter().map(offered).collect()
        }
        SourceLocation::WellKnown(address) => {
            let index = fetch::index(address, &outside.web)?;
            notes.extend(index.notes.into_iter().map(|found| found.message));
            notes.extend(
                index
                    .faults
                    .into_iter()
                    .map(|fault| format!("`{}` was skipped: {}", fault.name.unwrap_or_default(), fault.why)),
            );
            let offered = |entry: fetch::IndexEntry| Offered {
                source: format!("{address}#@{}", entry.name),
                artefact: entry.artefact.digest(),
                name: entry.name,
                description: entry.description,
                version: None,
                tree: None,
                commit: None,
                folder: None,
            };
            index.entries.into_iter().map(offered).collect()
        }
        _ => whole(&entry.source, outside, &mut notes)?,
    };
    skills.sort_by(|a: &Offered, b| a.name.cmp(&b.name));
    Ok(Listing { skills, notes, age: None, stale: None })
}

/// A source without a list is fetched.
fn whole(source: &Source, outside: &Outside, notes: &mut Vec<String>) -> Result<Vec<Offered>, FetchError> {
    let fetched = fetch::fetch(source, None, outside)?;
    notes.extend(fetched.diagnostics.into_iter().map(|found| found.message));
    let commit = fetched.resolved.commit;
    let offered = |found: fetch::FetchedSkill| {
        let mut own = source.clone();
        match (&mut own.place, &found.folder) {
            (SourceLocation::Path(path), Some(folder)) => {
                *path = format!("{}/{folder}", path.trim_end_matches('/'));
            }
            (SourceLocation::Git(_) | SourceLocation::Forge { .. }, _) => {
                own.skill = SkillName::new(found.name.as_str()).ok();
            }
            _ => {}
        }
        Offered {
            name: found.name.to_string(),
            description: description(&found.tree),
            version: None,
            artefact: found.artefact,
            tree: Some(found.tree.digest()),
            source: own.to_string(),
            commit: commit.clone(),
            folder: found.folder.map(|folder| folder.to_string()),
        }
    };
    Ok(fetched.skills.into_iter().map(offered).collect())
}

fn description(tree: &Tree) -> String {
    let document = tree.skill_file().map(|(_, file)| Document::read(&file.bytes, &Sidecars::default()));
    document.and_then(|document| document.manifest.description).unwrap_or_default()
}

/// Whether an offered skill is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferState {
    /// It is not there.
    New,
    /// It is there, and the same.
    Installed,
    /// It is the same, and pending review.
    Pending,
    /// It is there, and the source has another one.
    Update,
    /// A skill of that name is there from somewhere else.
    Elsewhere,
}

impl OfferState {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "",
            Self::Installed => "installed",
            Self::Pending => "pending review",
            Self::Update => "update available",
            Self::Elsewhere => "installed from elsewhere",
        }
    }
}

/// Compares an offered skill with locks; the most important state wins.
pub fn state<'a>(offered: &Offered, locks: impl IntoIterator<Item = &'a Lock>) -> OfferState {
    let wanted = offered.source.parse::<Source>().ok();
    let mut best = OfferState::New;
    for lock in locks {
        let found = lock.skills.iter().find(|(name, _)| name.as_str() == offered.name);
        let Some((_, locked)) = found else { continue };
        let is_same = wanted.as_ref().is_some_and(|wanted| {
            is_same(&wanted.place, &locked.source.place, locked.folder.as_ref().map(TreePath::as_str))
        });
        let differs = |offered: Option<Digest>, locked: Option<Digest>| matches!((offered, locked), (Some(offered), Some(locked)) if offered != locked);
        let now = if !is_same {
            OfferState::Elsewhere
        } else if differs(offered.artefact, locked.artefact) || differs(offered.tree, Some(locked.tree)) {
            OfferState::Update
        } else if locked.pending {
            OfferState::Pending
        } else {
            OfferState::Installed
        };
        best = match (best, now) {
            (OfferState::Update, _) | (_, OfferState::Update) => OfferState::Update,
            (OfferState::Installed, _) | (_, OfferState::Installed) => OfferState::Installed,
            (OfferState::Pending, _) | (_, OfferState::Pending) => OfferState::Pending,
            _ => now,
        };
    }
    best
}

fn is_same(offered: &SourceLocation, locked: &SourceLocation, folder: Option<&str>) -> bool {
    match (offered, locked) {
        (SourceLocation::Registry { name: offered, .. }, SourceLocation::Registry { name: locked, .. }) => {
            // Without a label only one registry had it.
            offered == locked || offered.split_once('/').is_some_and(|(_, name)| name == locked)
        }
        // A folder of a path that was added whole.
        (SourceLocation::Path(offered), SourceLocation::Path(locked)) => {
            offered == locked
                || folder
                    .is_some_and(|folder| *offered == format!("{}/{folder}", locked.trim_end_matches('/')))
        }
        (offered, locked) => offered == locked,
    }
}

/// How well a skill answers to words; zero is not at all. Every word must be found.
pub fn score(offered: &Offered, words: &[String]) -> u32 {
    let name = offered.name.to_lowercase();
    let description = offered.description.to_lowercase();
    let mut total = 0;
    for word in words.iter().flat_map(|words| words.split_whitespace()) {
        let word = word.to_lowercase();
        let own = if name.contains(&word) { IN_NAME } else { 0 }
            + if description.contains(&word) { IN_DESCRIPTION } else { 0 };
        if own == 0 {
            return 0;
        }
        total += own;
    }
    total
}
