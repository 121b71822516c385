//! The places that skills are installed from, and what they offer.

use super::{Library, LibraryError};
use crate::views::source::{OfferedSkill, UnreachableSource};
use skillful_registry::{
    Lock,
    fetch::FetchError,
    source::SourceLocation,
    sources::{Browsing, DEFAULT_SOURCES, Listing, Offered, SourceEntry, Sources, browse_all, score, state},
};
use skillful_route::ranking::{Index, Skill};
use std::path::PathBuf;

/// The answers of sources.
#[derive(Debug)]
pub struct SourceAnswers {
    /// The sources that answered, by label.
    pub listings: Vec<(String, Listing)>,
    /// The sources that did not answer.
    pub unreachable: Vec<UnreachableSource>,
    locks: [Lock; 2],
}

impl Library<'_> {
    /// The file of the sources, beside the configuration.
    pub fn sources_file(&self) -> PathBuf {
        self.workspace.paths().sources()
    }

    /// The sources that the user configured.
    pub fn sources(&self) -> Result<Sources, LibraryError> {
        Ok(Sources::load(&self.sources_file())?)
    }

    /// Adds a source, and returns what is to be warned about. A path is stored as absolute, so that it does not depend on
    /// the folder of a later command.
    pub fn add_source(&self, label: &str, source: &str, registry: bool) -> Result<Vec<String>, LibraryError> {
        let mut source = self.source_of(source)?;
        let mut missing = None;
        if let SourceLocation::Path(path) = &mut source.place
            && !path.starts_with('~')
        {
            let from = self.workspace.environment().cwd.join(path.as_str());
            let real = from.canonicalize().unwrap_or_else(|_| {
                missing = Some(format!("`{path}` is not there now"));
                from
            });
            if let Some(text) = real.to_str() {
                text.clone_into(path);
            }
        }
        let entry = SourceEntry { source, enabled: true, registry, team: false };
        self.sources()?.add(&self.sources_file(), label, &entry, &self.writer)?;
        Ok(missing.into_iter().collect())
    }

    /// Adds the well-known public sources that are not there yet; returns their labels.
    pub fn add_default_sources(&self) -> Result<Vec<String>, LibraryError> {
        let known = self.sources()?;
        let mut added = Vec::new();
        for (label, source) in DEFAULT_SOURCES {
            if !known.sources.contains_key(*label) {
                self.add_source(label, source, false)?;
                added.push((*label).to_owned());
            }
        }
        Ok(added)
    }

    /// Removes a source.
    pub fn remove_source(&self, label: &str) -> Result<(), LibraryError> {
        Ok(self.sources()?.remove(&self.sources_file(), label, &self.writer)?)
    }

    /// Asks one source, or all that are enabled, what they offer. `refresh` does not use earlier answers.
    pub fn browse(&self, label: Option<&str>, refresh: bool) -> Result<SourceAnswers, LibraryError> {
        let sources = self.sources()?;
        let chosen: Vec<(&str, &SourceEntry)> = match label {
            Some(label) => vec![(label, sources.get(label)?)],
            None => {
                let all = sources.sources.iter().map(|(label, it)| (label.as_str(), it));
                all.filter(|(_, it)| it.enabled).collect()
            }
        };
        if chosen.is_empty() {
            return Err(LibraryError::new("no source is configured")
                .fix("skillful source add LABEL SOURCE")
                .fix("skillful source add --defaults   the public collections of Anthropic and OpenAI"));
        }
        let mut outside = self.outside(&mut Vec::new());
        outside.base.clone_from(&self.workspace.environment().cwd);
        let folder = self.workspace.paths().cache.join("sources");
        let cache = self.workspace.config().settings.cache.is_some().then_some(folder.as_path());
        let browsing = Browsing { outside: &outside, cache, now: self.now, refresh };
        let locks = [self.workspace.project_site(), self.workspace.user_site()];
        let [project, user] = locks.map(|site| Lock::load(&site.lock));
        let mut answers =
            SourceAnswers { listings: Vec::new(), unreachable: Vec::new(), locks: [project?, user?] };
        for (label, answer) in browse_all(&chosen, browsing) {
            answers.take(label, answer);
        }
        Ok(answers)
    }
}

impl SourceAnswers {
    fn take(&mut self, label: &str, answer: Result<Listing, FetchError>) {
        let why = match answer {
            Ok(listing) => {
                let why = listing.stale.as_ref().map(|why| format!("{why}; showing the last known list"));
                self.listings.push((label.to_owned(), listing));
                why
            }
            Err(error) => Some(error.to_string()),
        };
        self.unreachable.extend(why.map(|why| UnreachableSource { label: label.to_owned(), why }));
    }

    /// The skills that a request is about, best first, by the same ranking as the skills that are installed.
    pub fn search(&self, query: &str, top: usize) -> Vec<OfferedSkill> {
        let all: Vec<(&String, &Offered)> = self
            .listings
            .iter()
            .flat_map(|(label, listing)| listing.skills.iter().map(move |one| (label, one)))
            .collect();
        let ids: Vec<String> = (0..all.len()).map(|at| at.to_string()).collect();
        let skills: Vec<Skill<'_>> = all
            .iter()
            .zip(&ids)
            .map(|((_, offered), id)| Skill {
                id,
                name: &offered.name,
                description: &offered.description,
                ..Skill::default()
            })
            .collect();
        let found = Index::build(&skills, 1).search(query, top);
        let found = found.iter().filter_map(|hit| all.get(hit.id.parse::<usize>().ok()?));
        found.map(|(label, offered)| OfferedSkill::of(label, offered, state(offered, &self.locks))).collect()
    }

    /// The skills that match all these words, best first; without words all of them in order.
    pub fn skills(&self, words: &[String]) -> Vec<OfferedSkill> {
        let mut found = Vec::new();
        for (label, listing) in &self.listings {
            for offered in &listing.skills {
                let score = score(offered, words);
                if words.is_empty() || score > 0 {
                    found.push((score, OfferedSkill::of(label, offered, state(offered, &self.locks))));
                }
            }
        }
        // A stable sort: skills with the same score stay in the order of sources and names.
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().map(|(_, skill)| skill).collect()
    }
}
