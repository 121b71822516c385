//! The router: a catalogue's skills, searchable.

use crate::ranking::{CANDIDATES, Extra, Index, Restriction, Skill};
use crate::{
    difference::Difference,
    found::{Evidence, Found, Freshness, Judged},
    library::{self, Item},
    store::{self, Stored},
};
use skillful_catalog::Catalog;
use skillful_format::{Code, Diagnostic};
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

/// Diagnostics about skills that could not be read, at most.
const MOST_DIAGNOSTICS: usize = 100;

/// The skills in use of one catalogue, searchable.
pub struct Router {
    index: Index,
    /// Skills in use, in the order of their ids.
    items: Vec<Item>,
    /// Place in `items` by place in the catalogue.
    by_entry: HashMap<usize, usize>,
    fingerprint: u64,
    /// The file of the index, when there is a cache folder.
    file: Option<PathBuf>,
    diagnostics: Vec<Diagnostic>,
}

impl Router {
    /// Indexes the skills in use, from the cache folder as far as it holds them. A cache that cannot be
    /// read or written costs time and is told in [`Router::diagnostics`].
    pub fn open(catalog: &Catalog, cache: Option<&Path>) -> (Self, Freshness) {
        let file = cache.map(|folder| store::file_for(folder, catalog));
        let mut diagnostics = Vec::new();
        let stored = file.as_deref().and_then(|file| {
            store::read(file).unwrap_or_else(|reason| {
                let message = format!("the search index was built anew: {reason}");
                diagnostics.push(Diagnostic::new(Code::CacheDiscarded, message).in_path(file));
                None
            })
        });
        Self::fresh(catalog, stored, file, diagnostics)
    }

    /// The same for another state of the catalogue, from what is in memory.
    #[must_use]
    pub fn reopen(self, catalog: &Catalog) -> (Self, Freshness) {
        let stamps = self.items.into_iter().map(|item| (item.id, item.stamp)).collect();
        let stored = Stored { stamps, index: self.index };
        let file = self.file.and_then(|file| Some(store::file_for(file.parent()?, catalog)));
        Self::fresh(catalog, Some(stored), file, Vec::new())
    }

    fn fresh(
        catalog: &Catalog,
        stored: Option<Stored>,
        file: Option<PathBuf>,
        diagnostics: Vec<Diagnostic>,
    ) -> (Self, Freshness) {
        let items = library::items(catalog);
        let fingerprint = library::fingerprint(&items);
        let by_entry = items.iter().enumerate().map(|(at, item)| (item.entry, at)).collect();
        let mut router =
            Self { index: Index::build(&[], 1), items, by_entry, fingerprint, file, diagnostics };
        let freshness = match stored.map(|stored| (Difference::of(&stored.stamps, &router.items), stored)) {
            Some((difference, stored)) if difference.is_small(router.items.len()) => {
                router.index = stored.index;
                router.update(catalog, &difference)
            }
            _ => router.build(catalog),
        };
        (router, freshness)
    }

    fn build(&mut self, catalog: &Catalog) -> Freshness {
        let all: Vec<usize> = (0..self.items.len()).collect();
        let bodies = self.read(catalog, &all);
        let skills: Vec<Skill<'_>> = (self.items.iter().zip(&bodies))
            .filter_map(|(item, body)| Some(library::skill(&item.id, catalog.entries.get(item.entry)?, body)))
            .collect();
        self.index = Index::build(&skills, library::threads());
        self.save();
        Freshness::Built { skills: self.items.len() }
    }

    fn update(&mut self, catalog: &Catalog, difference: &Difference) -> Freshness {
        if difference.is_none() {
            return Freshness::Reopened;
        }
        for id in &difference.removed {
            self.index.remove(id);
        }
        let bodies = self.read(catalog, &difference.changed);
        for (at, body) in difference.changed.iter().zip(&bodies) {
            let Some(item) = self.items.get(*at) else { continue };
            let Some(entry) = catalog.entries.get(item.entry) else { continue };
            self.index.update(&library::skill(&item.id, entry, body));
        }
        if difference.is_worth_keeping(self.items.len()) || self.index.wants_compaction() {
            self.index.compact(library::threads());
            self.save();
        }
        Freshness::Updated { changed: difference.changed.len(), removed: difference.removed.len() }
    }

    /// Bodies of some items. Those that are not what the catalogue saw are read again next time.
    fn read(&mut self, catalog: &Catalog, wanted: &[usize]) -> Vec<String> {
        let items: Vec<&Item> = wanted.iter().filter_map(|at| self.items.get(*at)).collect();
        let bodies = library::bodies(catalog, &items);
        let mut texts = Vec::with_capacity(bodies.len());
        for (at, body) in wanted.iter().zip(bodies) {
            if let Some(item) = self.items.get_mut(*at)
                && !body.settled
            {
                item.stamp = library::UNSETTLED;
                if let (Some(error), Some(entry)) = (&body.failed, catalog.entries.get(item.entry))
                    && self.diagnostics.len() < MOST_DIAGNOSTICS
                {
                    let message = format!("searched without its body, which could not be read: {error}");
                    let found = Diagnostic::new(Code::FileUnreadable, message);
                    self.diagnostics.push(found.in_path(&entry.origin.file));
                }
            }
            texts.push(body.text);
        }
        texts
    }

    fn save(&mut self) {
        let Some(file) = &self.file else { return };
        let stamps: Vec<(&str, u64)> = self.items.iter().map(|item| (item.id.as_str(), item.stamp)).collect();
        if let Err(error) = store::write(file, &stamps, &self.index.to_bytes(library::threads())) {
            let message = format!("the search index could not be kept: {error}");
            let found = Diagnostic::new(Code::CacheDiscarded, message).in_path(file);
            self.diagnostics.push(found.help("make the cache folder writable, or name another"));
        }
    }

    /// Chooses the skills that an asker may use, by their place in the catalogue. The others are as if they
    /// were not there. Good until the router is opened again.
    pub fn restrict(&self, allowed: &dyn Fn(usize) -> bool) -> Restriction {
        self.index.restrict(|id| self.entry(id).is_some_and(allowed))
    }

    /// The best skills for a request, best first, among those that the caller allows. For several requests
    /// of one asker, [`Router::restrict`] once and [`Router::judge`] each.
    pub fn search(&self, query: &str, top: usize, allowed: &dyn Fn(usize) -> bool) -> Vec<Found> {
        let within = self.restrict(allowed);
        // One that leaves nothing out costs counting and changes nothing.
        let within = Some(&within).filter(|within| within.len() < self.items.len());
        self.judge(query, top, &Evidence { within, ..Evidence::default() }).found
    }

    /// The best skills and the probability that any serves. A restriction of another router finds nothing.
    pub fn judge(&self, query: &str, top: usize, evidence: &Evidence<'_>) -> Judged {
        let similar = evidence.similar.iter();
        let similar: Vec<(&str, f32)> =
            similar.filter_map(|(entry, similarity)| Some((self.id(*entry)?, *similarity))).collect();
        let extra = Extra { within: evidence.within, similar: &similar, weight: evidence.weight };
        let judged = self.index.search_with(query, top, &extra).unwrap_or_default();
        let found = judged.hits.into_iter().filter_map(|hit| {
            let entry = self.entry(&hit.id)?;
            Some(Found { entry, score: hit.score, probability: hit.probability, why: hit.why })
        });
        Judged { served: judged.served, found: found.collect() }
    }

    fn entry(&self, id: &str) -> Option<usize> {
        let at = self.items.binary_search_by(|item| item.id.as_str().cmp(id)).ok()?;
        self.items.get(at).map(|item| item.entry)
    }

    fn id(&self, entry: usize) -> Option<&str> {
        self.by_entry.get(&entry).and_then(|at| self.items.get(*at)).map(|item| item.id.as_str())
    }

    /// The given entries in the order in which a menu under pressure should keep them: what the request
    /// is about first, at most [`CANDIDATES`] of them, the rest as it came. Also says how many those are.
    pub fn rank(&self, query: &str, entries: &[usize]) -> (Vec<usize>, usize) {
        let given: HashSet<usize> = entries.iter().copied().collect();
        let found = self.search(query, CANDIDATES, &|entry| given.contains(&entry));
        let ranks: HashMap<usize, usize> =
            found.iter().enumerate().map(|(at, found)| (found.entry, at)).collect();
        let mut order = entries.to_vec();
        order.sort_by_key(|entry| ranks.get(entry).copied().unwrap_or(usize::MAX));
        (order, ranks.len())
    }

    /// Whether an entry of the catalogue can be found.
    pub fn has(&self, entry: usize) -> bool {
        self.by_entry.contains_key(&entry)
    }

    /// The entries that can be found, with their stamps.
    pub(crate) fn stamps(&self) -> impl Iterator<Item = (usize, u64)> {
        self.items
            .iter()
            .map(|item| (item.entry, item.stamp))
            .filter(|(_, stamp)| *stamp != library::UNSETTLED)
    }

    /// Number of skills that can be found.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether no skill can be found.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Changes with every skill in use and with everything that is searched of it.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// What went wrong without stopping anything: a damaged or unwritable cache, an unreadable body.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}
