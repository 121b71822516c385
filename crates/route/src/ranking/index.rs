//! The index: a base buffer and the few skills that changed since it was built.

use super::{
    base::{Base, Buffer, Damage},
    build::{self, Header},
    impact::impacts,
    math::{hash, mix},
    present::{Present, present},
    query::Query,
    record::{Record, Writer},
    restrict::{Restriction, Stale},
    skill::Skill,
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    fs::File,
    io,
};

/// Number of skills that the first stage passes to the re-ranker, and so the largest result of one search.
pub const CANDIDATES: usize = 150;
/// Limit of terms times candidates. A long request distinguishes its candidates well, so fewer of them are
/// looked up, but at least half.
const LOOKUPS: usize = 2_700;
/// Changed skills are scanned one by one; beyond this number [`Index::compact`] is worthwhile.
const FRESH: usize = 512;

/// Passes the skill at a position to a function.
pub type ReadSkill<'a> = dyn Fn(usize, &mut dyn FnMut(&Skill<'_>)) + Sync + 'a;

/// A search index of skills.
pub struct Index {
    base: Base,
    /// Skills of the base that were replaced or removed.
    dead: BTreeSet<usize>,
    /// Number of dead skills that contain a term, by key.
    dead_counts: BTreeMap<u32, usize>,
    fresh: Vec<Fresh>,
    fingerprint: u64,
    /// Hash of the base and every change since, in order. A restriction is valid only for the state it was
    /// made for, because positions change.
    state: u64,
}

/// A skill that the first stage found.
pub(crate) struct Candidate<'a> {
    record: Cow<'a, [u8]>,
    /// The terms of the request that the skill may contain.
    pub(crate) present: Present,
}

impl<'a> Candidate<'a> {
    /// A skill of which any term of the request may be present.
    pub(crate) fn any(record: Cow<'a, [u8]>) -> Self {
        Self { record, present: Present::ANY }
    }

    /// Its record; none when it is damaged.
    pub(crate) fn record(&self) -> Option<Record<'_>> {
        Record::read(&self.record)
    }
}

/// A skill that is not in the base yet.
struct Fresh {
    id: u64,
    record: Vec<u8>,
    impacts: Vec<(u32, u8)>,
}

impl Fresh {
    fn impact(&self, key: u32) -> Option<u8> {
        let at = self.impacts.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        self.impacts.get(at).map(|(_, impact)| *impact)
    }
}

impl Index {
    /// Indexes skills on `threads` threads. Of two skills with the same id the later one is kept.
    pub fn build(skills: &[Skill<'_>], threads: usize) -> Self {
        let record = |writer: &mut Writer, at: usize, out: &mut Vec<u8>| {
            if let Some(skill) = skills.get(at) {
                writer.write(skill, out);
            }
        };
        let order = build::order(skills.iter().map(|skill| skill.id));
        Self::of(Base::trusted(build::build_in_memory(&order, threads, &record)))
    }

    /// Indexes the skills with these ids in memory; see [`Index::write_new`].
    pub fn read_new<'a>(ids: impl Iterator<Item = &'a str>, read: &ReadSkill<'_>, threads: usize) -> Self {
        let record = |writer: &mut Writer, at: usize, out: &mut Vec<u8>| {
            read(at, &mut |skill| writer.write(skill, out));
        };
        Self::of(Base::trusted(build::build_in_memory(&build::order(ids), threads, &record)))
    }

    /// Indexes the skills with these ids and writes the index to `out`, without the header, which is returned and
    /// stands before the rest. `read` passes the skill at a position to the function that it is given; several threads
    /// call it. No text is kept, so that memory does not grow with the texts; with a `spill`, an empty file, the lists of
    /// postings are not kept in memory either.
    pub fn write_new<'a>(
        ids: impl Iterator<Item = &'a str>,
        read: &ReadSkill<'_>,
        threads: usize,
        spill: Option<File>,
        out: &mut dyn io::Write,
    ) -> io::Result<Header> {
        let record = |writer: &mut Writer, at: usize, out: &mut Vec<u8>| {
            read(at, &mut |skill| writer.write(skill, out));
        };
        build::build(&build::order(ids), threads, &record, spill, out)
    }

    /// Opens a buffer that [`Index::to_bytes`] wrote, such as a mapped file. Reads only the header.
    pub fn from_bytes(buffer: impl Buffer + 'static) -> Result<Self, Damage> {
        Base::open(Box::new(buffer)).map(Self::of)
    }

    fn of(base: Base) -> Self {
        let fingerprint = base.fingerprint;
        let (dead, dead_counts, fresh) = Default::default();
        Self { base, dead, dead_counts, fresh, fingerprint, state: fingerprint }
    }

    /// The whole index as one buffer, changes included.
    pub fn to_bytes(&self, threads: usize) -> Vec<u8> {
        if self.dead.is_empty() && self.fresh.is_empty() {
            return self.base.bytes().to_vec();
        }
        build::build_in_memory(&self.order(), threads, &|_, place, out| self.copy_record(place, out))
    }

    /// Writes the whole index to `out`, changes included, without the header, which is returned and stands before
    /// the rest.
    pub fn write(&self, threads: usize, out: &mut dyn io::Write) -> io::Result<Header> {
        build::build(&self.order(), threads, &|_, place, out| self.copy_record(place, out), None, out)
    }

    /// Every skill by the hash of its id: hash and place.
    fn order(&self) -> Vec<(u64, usize)> {
        let base = (0..self.base.skills).filter(|at| !self.dead.contains(at));
        let base = base.filter(|at| self.base.record_bytes(*at).is_some());
        let base = base.filter_map(|at| Some((self.base.id_hash(at)?, at)));
        let fresh = self.fresh.iter().map(|fresh| fresh.id).zip(self.base.skills..);
        let mut order: Vec<(u64, usize)> = base.chain(fresh).collect();
        order.sort_unstable();
        order
    }

    fn copy_record(&self, place: usize, out: &mut Vec<u8>) {
        let bytes = match place.checked_sub(self.base.skills) {
            None => self.base.record_bytes(place),
            Some(at) => self.fresh.get(at).map(|fresh| fresh.record.as_slice()),
        };
        out.extend_from_slice(bytes.unwrap_or_default());
    }

    /// Merges the changes into the base. Call it when [`Index::wants_compaction`] returns true.
    pub fn compact(&mut self, threads: usize) {
        *self = Self::of(Base::trusted(self.to_bytes(threads)));
    }

    /// Whether so many skills changed that searches become slow.
    pub fn wants_compaction(&self) -> bool {
        self.fresh.len() > FRESH
    }

    /// Number of skills.
    pub fn len(&self) -> usize {
        self.base.skills.saturating_sub(self.dead.len()) + self.fresh.len()
    }

    /// Whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Changes with every skill that is added, removed or changed. Equal for equal sets of skills, in
    /// whatever order they were added.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Adds a skill, or replaces the one with the same id.
    pub fn update(&mut self, skill: &Skill<'_>) {
        self.remove(skill.id);
        let mut bytes = Vec::new();
        Writer::new().write(skill, &mut bytes);
        let mut terms = Vec::new();
        if let Some(record) = Record::read(&bytes) {
            impacts(&record, |key, impact| terms.push((key, impact)));
        }
        let id = hash(skill.id.as_bytes());
        self.fingerprint = self.fingerprint.wrapping_add(mix(id ^ hash(&bytes)));
        self.state = mix(self.state.rotate_left(1) ^ id);
        self.fresh.push(Fresh { id, record: bytes, impacts: terms });
    }

    /// Removes a skill; `false` when there is none with this id.
    pub fn remove(&mut self, id: &str) -> bool {
        let wanted = hash(id.as_bytes());
        if let Some(at) = self.fresh.iter().position(|fresh| fresh.id == wanted) {
            let gone = self.fresh.swap_remove(at);
            self.state = mix(self.state.rotate_left(2) ^ wanted);
            self.fingerprint = self.fingerprint.wrapping_sub(mix(wanted ^ hash(&gone.record)));
            return true;
        }
        let Some(at) = self.base.find_id(id).filter(|at| !self.dead.contains(at)) else { return false };
        if let (Some(bytes), Some(record)) = (self.base.record_bytes(at), self.base.record(at)) {
            impacts(&record, |key, _| *self.dead_counts.entry(key).or_default() += 1);
            self.fingerprint = self.fingerprint.wrapping_sub(mix(wanted ^ hash(bytes)));
        }
        self.dead.insert(at);
        self.state = mix(self.state.rotate_left(2) ^ wanted);
        true
    }

    /// Makes the restriction to the skills that `allowed` accepts. Calls `allowed` once for every skill;
    /// reuse the result while neither the index nor the user's rights change.
    pub fn restrict(&self, allowed: impl Fn(&str) -> bool) -> Restriction {
        let places = 0..self.base.skills + self.fresh.len();
        let allowed =
            |place| !self.dead.contains(&place) && self.record(place).is_some_and(|r| allowed(r.id));
        Restriction::of(places.map(allowed), self.state)
    }

    /// Makes the restriction to the skills with these ids. Looks at no record: of a mapped index that would read nearly
    /// every page into memory.
    pub fn restrict_to<'a>(&self, ids: impl Iterator<Item = &'a str>) -> Restriction {
        let mut allowed: Vec<u64> = ids.map(|id| hash(id.as_bytes())).collect();
        allowed.sort_unstable();
        let places = 0..self.base.skills + self.fresh.len();
        let mut next = 0;
        let is_allowed = |place: usize| {
            let id = self.id_hash(place);
            if place >= self.base.skills {
                return allowed.binary_search(&id).is_ok();
            }
            // Both are sorted.
            while allowed.get(next).is_some_and(|allowed| *allowed < id) {
                next += 1;
            }
            allowed.get(next) == Some(&id) && !self.dead.contains(&place)
        };
        Restriction::of(places.map(is_allowed), self.state)
    }

    /// Number of skills in the index or the restriction.
    pub(crate) fn size(&self, within: Option<&Restriction>) -> Result<usize, Stale> {
        let Some(within) = within else { return Ok(self.len()) };
        within.check(self.state).map(|()| within.len())
    }

    /// Analyses a request with the statistics of this index.
    pub(crate) fn query(&self, text: &str, within: Option<&Restriction>) -> Result<Query, Stale> {
        Ok(Query::read(text, self.size(within)?, |key| self.count(key, within)))
    }

    /// Number of skills that contain a term.
    fn count(&self, key: u32, within: Option<&Restriction>) -> usize {
        let postings = self.base.postings(key);
        let fresh = (self.base.skills..).zip(&self.fresh).filter(|(_, fresh)| fresh.impact(key).is_some());
        if let Some(within) = within {
            let base = postings.map_or(0, |postings| postings.count_if(|place| within.allows(place)));
            return base + fresh.filter(|(place, _)| within.allows(*place)).count();
        }
        let dead = self.dead_counts.get(&key).copied().unwrap_or(0);
        postings.map_or(0, |postings| postings.count).saturating_sub(dead) + fresh.count()
    }

    /// The record of a skill that the restriction allows.
    pub(crate) fn find(&self, id: &str, within: Option<&Restriction>) -> Option<Cow<'_, [u8]>> {
        let wanted = hash(id.as_bytes());
        let fresh = self.fresh.iter().position(|fresh| fresh.id == wanted);
        let base = || self.base.find_id(id).filter(|at| !self.dead.contains(at));
        let place = fresh.map(|at| self.base.skills + at).or_else(base)?;
        let record = self.record_part(place)?;
        within.is_none_or(|within| within.allows(place)).then_some(record)
    }

    /// The first stage: the best records by BM25F, in no particular order.
    pub(crate) fn candidates(&self, query: &Query, within: Option<&Restriction>) -> Vec<Candidate<'_>> {
        let mut scores = vec![0_u32; self.base.skills];
        let mut fresh = vec![0_u32; self.fresh.len()];
        for term in query.terms.iter().filter(|term| term.count > 0) {
            let worth = term.whole_worth();
            if let Some(postings) = self.base.postings(term.key) {
                postings.add_to(&mut scores, worth);
            }
            for (score, skill) in fresh.iter_mut().zip(&self.fresh) {
                *score += skill.impact(term.key).map_or(0, |impact| u32::from(impact) * worth);
            }
        }
        for &at in &self.dead {
            if let Some(score) = scores.get_mut(at) {
                *score = 0;
            }
        }
        let most = (LOOKUPS / query.terms.len().max(1)).clamp(CANDIDATES / 2, CANDIDATES);
        // A heap with the smallest score on top; of equal scores the one with the larger id hash is dropped
        // first.
        let mut best: BinaryHeap<std::cmp::Reverse<(u32, u64, usize)>> = BinaryHeap::new();
        let places = scores.iter().chain(&fresh).zip(0..).filter(|(score, _)| **score > 0);
        let mut least = 0;
        for (&score, place) in places {
            if score < least || within.is_some_and(|within| !within.allows(place)) {
                continue;
            }
            best.push(std::cmp::Reverse((score, !self.id_hash(place), place)));
            if best.len() > most {
                best.pop();
                least = best.peek().map_or(0, |least| least.0.0);
            }
        }
        let places: Vec<usize> = best.into_iter().map(|found| found.0.2).collect();
        let present = present(&self.base, query, &places);
        let found = places.into_iter().zip(present);
        found
            .filter_map(|(place, present)| Some(Candidate { record: self.record_part(place)?, present }))
            .collect()
    }

    fn id_hash(&self, place: usize) -> u64 {
        match place.checked_sub(self.base.skills) {
            None => self.base.id_hash(place).unwrap_or(0),
            Some(at) => self.fresh.get(at).map_or(0, |fresh| fresh.id),
        }
    }

    /// The bytes of the record of one skill of few.
    fn record_part(&self, place: usize) -> Option<Cow<'_, [u8]>> {
        match place.checked_sub(self.base.skills) {
            None => self.base.record_part(place),
            Some(at) => Some(Cow::Borrowed(&self.fresh.get(at)?.record)),
        }
    }

    fn record(&self, place: usize) -> Option<Record<'_>> {
        match place.checked_sub(self.base.skills) {
            None => self.base.record(place),
            Some(at) => Record::read(&self.fresh.get(at)?.record),
        }
    }
}
