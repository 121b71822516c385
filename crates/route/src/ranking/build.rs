//! Builds the index buffer, on several threads and in one pass: records are written as they are made, and only
//! the postings stay in memory, packed, until the last skill was read.

use super::{
    base::{HEADER, MAGIC, SECTIONS, VERSION},
    dictionary::NewDictionary,
    impact::impacts,
    math::{hash, mix, u32_of},
    postings::{BUCKETS, Lists, Run, Spill},
    record::{Record, Writer},
};
use std::{fs::File, io};

/// Fewer items than this are not worth a thread.
const SMALLEST_PART: usize = 64;
/// Skills whose postings are packed together. More make the packed postings smaller and need more memory while they
/// are made.
const PART: usize = 2048;
/// Parts of the dictionary that one thread writes at a time.
const MERGED: usize = 8;

/// Skills by the hash of their ids, sorted: hash and position.
pub(crate) type Order = [(u64, usize)];

/// Appends the record of the skill at a position.
pub(crate) type WriteRecord<'a> = dyn Fn(&mut Writer, usize, &mut Vec<u8>) + Sync + 'a;

/// The first bytes of a buffer, which are known when the rest was written.
pub struct Header([u8; HEADER]);

impl Header {
    /// Number of bytes.
    pub const LENGTH: usize = HEADER;

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The skills of a new index by the hash of their ids, sorted: hash and position. Of two skills with the same id the
/// later one is kept.
pub(crate) fn order<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<(u64, usize)> {
    let mut order: Vec<(u64, usize)> = ids.enumerate().map(|(at, id)| (hash(id.as_bytes()), at)).collect();
    order.sort_unstable();
    order.reverse();
    order.dedup_by_key(|(id, _)| *id);
    order.reverse();
    order
}

/// Builds the index of skills that are sorted by the hash of their ids. Writes everything after the header to `out`,
/// and returns the header. With a `spill`, an empty file, the postings wait in it and not in memory.
pub(crate) fn build(
    skills: &Order,
    threads: usize,
    record: &WriteRecord<'_>,
    spill: Option<File>,
    out: &mut dyn io::Write,
) -> io::Result<Header> {
    // A few skills take little memory.
    let mut spill = spill.filter(|_| skills.len() > PART * 2).map(Spill::new);
    let ids: Vec<u8> = skills.iter().flat_map(|(id, _)| id.to_le_bytes()).collect();
    out.write_all(&ids)?;
    let mut offsets = Vec::with_capacity((skills.len() + 1) * 8);
    offsets.extend_from_slice(&0_u64.to_le_bytes());
    let (mut written, mut fingerprint) = (0_u64, 0_u64);
    let mut runs: Vec<Run> = Vec::with_capacity(skills.len().div_ceil(PART));
    let mut makers: Vec<Maker> = Vec::new();
    for (batch, first) in
        skills.chunks(PART * threads.clamp(1, 64)).zip((0..).step_by(PART * threads.clamp(1, 64)))
    {
        let size = batch.len().div_ceil(threads.clamp(1, 64)).clamp(SMALLEST_PART, PART);
        let count = batch.len().div_ceil(size);
        makers.resize_with(makers.len().max(count), Maker::default);
        let mut work: Vec<(usize, &Order, &mut Maker)> = batch
            .chunks(size)
            .zip(&mut makers)
            .zip((first..).step_by(size))
            .map(|((part, maker), first)| (first, part, maker))
            .collect();
        let made = in_threads(&mut work, |(first, part, maker)| maker.make(*first, part, record));
        for (mut run, maker) in made.into_iter().zip(&makers) {
            out.write_all(&maker.records)?;
            for end in &maker.ends {
                offsets.extend_from_slice(&(written + *end as u64).to_le_bytes());
            }
            written += maker.records.len() as u64;
            fingerprint = fingerprint.wrapping_add(maker.fingerprint);
            if let Some(spill) = &mut spill {
                spill.take(&mut run)?;
            }
            runs.push(run);
        }
    }
    drop(makers);
    let (mut dictionary, mut postings) = (NewDictionary::default(), 0_u64);
    let buckets: Vec<usize> = (0..BUCKETS).collect();
    for wave in buckets.chunks(MERGED * threads.clamp(1, 64)) {
        let mut parts: Vec<&[usize]> = wave.chunks(MERGED).collect();
        let lists = in_threads(&mut parts, |part| Lists::merged(part, &runs, spill.as_ref(), skills.len()));
        for part in lists {
            let part = part?;
            out.write_all(&part.postings)?;
            part.terms.iter().for_each(|(key, length)| dictionary.add(*key, *length));
            postings += part.postings.len() as u64;
        }
    }
    drop(runs);
    let terms = dictionary.terms();
    let (keys, lists) = dictionary.finish();
    for section in [&offsets, &keys, &lists] {
        out.write_all(section)?;
    }
    let sizes = [ids.len() as u64, written, postings]
        .into_iter()
        .chain([&offsets, &keys, &lists].map(|section| section.len() as u64));
    Ok(header(skills.len(), terms, fingerprint, sizes))
}

/// The whole buffer in memory.
pub(crate) fn build_in_memory(skills: &[(u64, usize)], threads: usize, record: &WriteRecord<'_>) -> Vec<u8> {
    let mut bytes = vec![0; HEADER];
    // Writing to memory does not fail.
    if let Ok(Header(header)) = build(skills, threads, record, None, &mut bytes) {
        bytes[..HEADER].copy_from_slice(&header);
    }
    bytes
}

fn header(skills: usize, terms: usize, fingerprint: u64, sizes: impl Iterator<Item = u64>) -> Header {
    let mut bytes = Vec::with_capacity(HEADER);
    bytes.extend_from_slice(&MAGIC);
    for number in [VERSION, u32_of(skills), u32_of(terms), 0] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&fingerprint.to_le_bytes());
    let mut end = HEADER as u64;
    for size in sizes.take(SECTIONS) {
        end += size;
        bytes.extend_from_slice(&end.to_le_bytes());
    }
    bytes.extend_from_slice(&hash(&bytes).to_le_bytes());
    let mut header = [0; HEADER];
    header.copy_from_slice(&bytes);
    Header(header)
}

/// Makes the records and postings of some skills, and keeps its memory from one part to the next.
struct Maker {
    writer: Writer,
    records: Vec<u8>,
    /// Where each record ends.
    ends: Vec<usize>,
    /// Changes whenever a skill is added, removed or changed. A sum, so that the order of changes does not matter.
    fingerprint: u64,
    postings: Vec<Vec<u64>>,
}

impl Default for Maker {
    fn default() -> Self {
        Self {
            writer: Writer::for_many(),
            records: Vec::new(),
            ends: Vec::new(),
            fingerprint: 0,
            postings: vec![Vec::new(); BUCKETS],
        }
    }
}

impl Maker {
    fn make(&mut self, first: usize, part: &Order, record: &WriteRecord<'_>) -> Run {
        self.records.clear();
        self.ends.clear();
        self.fingerprint = 0;
        self.postings.iter_mut().for_each(Vec::clear);
        for ((id, at), number) in part.iter().zip(0_u64..) {
            let start = self.records.len();
            record(&mut self.writer, *at, &mut self.records);
            self.ends.push(self.records.len());
            let bytes = &self.records[start..];
            self.fingerprint = self.fingerprint.wrapping_add(mix(id ^ hash(bytes)));
            let Some(record) = Record::read(bytes) else { continue };
            impacts(&record, |key, impact| {
                let packed = u64::from(key) << 32 | number << 8 | u64::from(impact);
                self.postings[(key >> 24) as usize].push(packed);
            });
        }
        Run::pack(u32_of(first), &mut self.postings)
    }
}

/// Runs `work` over items, one thread each; results in order.
fn in_threads<T: Send, R: Send>(items: &mut [T], work: impl Fn(&mut T) -> R + Sync) -> Vec<R> {
    if let [item] = items {
        return vec![work(item)];
    }
    let work = &work;
    std::thread::scope(|scope| {
        let handles: Vec<_> = items.iter_mut().map(|item| scope.spawn(move || work(item))).collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Skill;

    #[test]
    fn postings_that_wait_in_a_file_give_the_same_index() {
        let texts: Vec<(String, String)> = (0..PART * 2 + 700)
            .map(|at| (format!("skill-{at}"), format!("reads table {} and word{}", at % 90, at % 1_000)))
            .collect();
        let record = |writer: &mut Writer, at: usize, out: &mut Vec<u8>| {
            let (id, body) = &texts[at];
            let skill = Skill { id, name: id, description: "reports", when_to_use: "", triggers: &[], body };
            writer.write(&skill, out);
        };
        let order = order(texts.iter().map(|(id, _)| id.as_str()));
        let built = |spill: Option<File>| {
            let mut bytes = Vec::new();
            let header = build(&order, 2, &record, spill, &mut bytes).unwrap();
            (header.bytes().to_vec(), bytes)
        };
        let spill = tempfile::tempfile().unwrap();
        let seen = spill.try_clone().unwrap();
        assert!(built(Some(spill)) == built(None));
        assert!(seen.metadata().unwrap().len() > 0, "the file was used");
    }
}
