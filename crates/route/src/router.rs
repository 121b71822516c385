//! The router: searches the active skills of a catalog.

use crate::ranking::{CANDIDATES, Extra, Index, Restriction, Skill};
use crate::{
    difference::Difference,
    index_file::{self, StoredIndex},
    indexed_skills::{self, IndexedSkill},
    search_result::{Evidence, FoundSkill, Freshness, Judged},
};
use skillful_catalog::Catalog;
use skillful_format::{Code, Diagnostic};
use std::{
    collections::{HashMap, HashSet},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// Largest number of diagnostics about unreadable skills.
const MOST_DIAGNOSTICS: usize = 100;

/// The search index over the active skills of one catalog.
pub struct Router {
    index: Index,
    /// The indexed skills, sorted by id.
    items: Vec<IndexedSkill>,
    /// Position in `items` by position in the catalog.
    by_entry: HashMap<usize, usize>,
    fingerprint: u64,
    /// The index file, when there is a cache folder.
    file: Option<PathBuf>,
    diagnostics: Vec<Diagnostic>,
}

impl Router {
    /// Opens the index of a catalog, and reuses what the cache folder holds. When the cache cannot be read or
    /// written, the index is built from the skills and [`Router::diagnostics`] reports the problem.
    pub fn open(catalog: &Catalog, cache: Option<&Path>) -> (Self, Freshness) {
        let file = cache.map(|folder| index_file::file_for(folder, catalog));
        let mut diagnostics = Vec::new();
        let stored = file.as_deref().and_then(|file| {
            index_file::read(file).unwrap_or_else(|reason| {
                let message = format!("the search index was rebuilt: {reason}");
                diagnostics.push(Diagnostic::new(Code::CacheDiscarded, message).in_path(file));
                None
            })
        });
        Self::fresh(catalog, stored, file, diagnostics)
    }

    /// Opens the index of a changed catalog, and reuses the index in memory.
    #[must_use]
    pub fn reopen(self, catalog: &Catalog) -> (Self, Freshness) {
        let stamps = self.items.into_iter().map(|item| (item.id, item.stamp)).collect();
        let stored = StoredIndex { stamps, index: self.index };
        let file = self.file.and_then(|file| Some(index_file::file_for(file.parent()?, catalog)));
        Self::fresh(catalog, Some(stored), file, Vec::new())
    }

    fn fresh(
        catalog: &Catalog,
        stored: Option<StoredIndex>,
        file: Option<PathBuf>,
        diagnostics: Vec<Diagnostic>,
    ) -> (Self, Freshness) {
        let items = indexed_skills::items(catalog);
        let fingerprint = indexed_skills::fingerprint(&items);
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
        let changed = Mutex::new(Vec::new());
        let read = |at: usize, each: &mut dyn FnMut(&Skill<'_>)| {
            let Some(item) = self.items.get(at) else { return };
            let Some(entry) = catalog.entries.get(item.entry) else { return };
            let body = indexed_skills::body(entry);
            each(&indexed_skills::skill(&item.id, entry, &body.text()));
            if !body.settled {
                changed.lock().unwrap_or_else(PoisonError::into_inner).push((at, body.failed));
            }
        };
        let threads = indexed_skills::threads();
        let ids = || self.items.iter().map(|item| item.id.as_str());
        let built = match &self.file {
            Some(file) => index_file::write(file, |out| {
                let spill = file.parent().and_then(|folder| tempfile::tempfile_in(folder).ok());
                let header = Index::write_new(ids(), &read, threads, spill, out)?;
                let mut stamps = stamps(&self.items);
                for (at, _) in &*changed.lock().unwrap_or_else(PoisonError::into_inner) {
                    stamps[*at].1 = indexed_skills::UNSETTLED;
                }
                Ok((header, stamps))
            }),
            None => Ok(Index::read_new(ids(), &read, threads)),
        };
        let (index, failed) = match built {
            Ok(index) => (index, None),
            Err(error) => {
                changed.lock().unwrap_or_else(PoisonError::into_inner).clear();
                (Index::read_new(ids(), &read, threads), Some(error))
            }
        };
        self.index = index;
        let mut changed = changed.into_inner().unwrap_or_else(PoisonError::into_inner);
        changed.sort_unstable_by_key(|(at, _)| *at);
        for (at, failed) in changed {
            self.unsettle(catalog, at, failed);
        }
        if let Some(error) = failed {
            self.report_unwritten(&error);
        }
        Freshness::Built { skills: self.items.len() }
    }

    fn update(&mut self, catalog: &Catalog, difference: &Difference) -> Freshness {
        if difference.is_none() {
            return Freshness::Reopened;
        }
        for id in &difference.removed {
            self.index.remove(id);
        }
        for &at in &difference.changed {
            let Some(item) = self.items.get(at) else { continue };
            let Some(entry) = catalog.entries.get(item.entry) else { continue };
            let body = indexed_skills::body(entry);
            self.index.update(&indexed_skills::skill(&item.id, entry, &body.text()));
            if !body.settled {
                self.unsettle(catalog, at, body.failed);
            }
        }
        if difference.is_worth_keeping(self.items.len()) || self.index.wants_compaction() {
            self.save();
        }
        Freshness::Updated { changed: difference.changed.len(), removed: difference.removed.len() }
    }

    /// A skill whose file has changed since the catalog was made is read again next time.
    fn unsettle(&mut self, catalog: &Catalog, at: usize, failed: Option<io::Error>) {
        let Some(item) = self.items.get_mut(at) else { return };
        item.stamp = indexed_skills::UNSETTLED;
        if let (Some(error), Some(entry)) = (failed, catalog.entries.get(item.entry))
            && self.diagnostics.len() < MOST_DIAGNOSTICS
        {
            let message = format!("the body could not be read, so the skill is searched without it: {error}");
            let found = Diagnostic::new(Code::FileUnreadable, message);
            self.diagnostics.push(found.in_path(&entry.origin.file));
        }
    }

    /// Merges the changes, and writes the index when there is a cache folder.
    fn save(&mut self) {
        let threads = indexed_skills::threads();
        let Some(file) = &self.file else { return self.index.compact(threads) };
        let written =
            index_file::write(file, |out| Ok((self.index.write(threads, out)?, stamps(&self.items))));
        match written {
            Ok(index) => self.index = index,
            Err(error) => {
                self.index.compact(threads);
                self.report_unwritten(&error);
            }
        }
    }

    fn report_unwritten(&mut self, error: &io::Error) {
        let message = format!("the search index could not be written: {error}");
        let mut found = Diagnostic::new(Code::CacheDiscarded, message);
        if let Some(file) = &self.file {
            found = found.in_path(file);
        }
        self.diagnostics.push(found.help("make the cache folder writable, or configure another one"));
    }

    /// Makes the restriction to the skills that `allowed` accepts, by their position in the catalog. Skills
    /// outside it have no influence on results. The restriction is valid until the router is opened again.
    pub fn restrict(&self, allowed: &dyn Fn(usize) -> bool) -> Restriction {
        let items = self.items.iter().filter(|item| allowed(item.entry));
        self.index.restrict_to(items.map(|item| item.id.as_str()))
    }

    /// Returns the best skills for a request, best first, among those that `allowed` accepts. For several
    /// requests of one user, call [`Router::restrict`] once and [`Router::judge`] for each.
    pub fn search(&self, query: &str, top: usize, allowed: &dyn Fn(usize) -> bool) -> Vec<FoundSkill> {
        let within = self.restrict(allowed);
        // A restriction that allows every skill costs time and changes nothing.
        let within = Some(&within).filter(|within| within.len() < self.items.len());
        self.judge(query, top, &Evidence { within, ..Evidence::default() }).found
    }

    /// Returns the best skills and the probability that any of them serves. A restriction of another router
    /// finds nothing.
    pub fn judge(&self, query: &str, top: usize, evidence: &Evidence<'_>) -> Judged {
        let similar = evidence.similar.iter();
        let similar: Vec<(&str, f32)> =
            similar.filter_map(|(entry, similarity)| Some((self.id(*entry)?, *similarity))).collect();
        let extra = Extra { within: evidence.within, similar: &similar, weight: evidence.weight };
        let judged = self.index.search_with(query, top, &extra).unwrap_or_default();
        let found = judged.hits.into_iter().filter_map(|hit| {
            let entry = self.entry(&hit.id)?;
            Some(FoundSkill { entry, score: hit.score, probability: hit.probability, why: hit.why })
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

    /// Orders entries for a menu that has to be shortened: the at most [`CANDIDATES`] entries that match the
    /// request first, the others after them in the given order. Also returns the number of matching entries.
    pub fn rank(&self, query: &str, entries: &[usize]) -> (Vec<usize>, usize) {
        let given: HashSet<usize> = entries.iter().copied().collect();
        let found = self.search(query, CANDIDATES, &|entry| given.contains(&entry));
        let ranks: HashMap<usize, usize> =
            found.iter().enumerate().map(|(at, found)| (found.entry, at)).collect();
        let mut order = entries.to_vec();
        order.sort_by_key(|entry| ranks.get(entry).copied().unwrap_or(usize::MAX));
        (order, ranks.len())
    }

    /// Whether a catalog entry is in the index.
    pub fn has(&self, entry: usize) -> bool {
        self.by_entry.contains_key(&entry)
    }

    /// The indexed entries with their stamps.
    pub(crate) fn stamps(&self) -> impl Iterator<Item = (usize, u64)> {
        self.items
            .iter()
            .map(|item| (item.entry, item.stamp))
            .filter(|(_, stamp)| *stamp != indexed_skills::UNSETTLED)
    }

    /// Number of indexed skills.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Changes with the set of indexed skills and with the text indexed of each.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Problems that did not stop the router: a damaged or unwritable cache, an unreadable body.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

/// Id and stamp of every skill.
fn stamps(items: &[IndexedSkill]) -> Vec<(&str, u64)> {
    items.iter().map(|item| (item.id.as_str(), item.stamp)).collect()
}
