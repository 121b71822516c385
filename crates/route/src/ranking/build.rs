//! Builds the index buffer from skills, on several threads.

use super::{
    base::{DENSE, HEADER, MAGIC, SECTIONS, VERSION, write_gap},
    impact::impacts,
    math::{hash, low_half, mix, u8_of, u32_of},
    record::{Record, Writer},
    skill::Skill,
};

/// Number of parts of the dictionary that are sorted separately, by the first byte of the key.
const BUCKETS: usize = 256;
/// Fewer items than this are not worth a thread.
const SMALLEST_PART: usize = 64;

/// Analyses every skill and returns the buffer of the index.
pub(crate) fn build(skills: &[Skill<'_>], threads: usize) -> Vec<u8> {
    let mut order: Vec<(u64, usize)> =
        skills.iter().enumerate().map(|(at, skill)| (hash(skill.id.as_bytes()), at)).collect();
    order.sort_unstable();
    // Of two skills with the same id the later one is kept.
    order.reverse();
    order.dedup_by_key(|(id, _)| *id);
    order.reverse();
    let parts = in_parts(&mut order, threads, |part| {
        let mut writer = Writer::for_many();
        let mut bytes = Vec::new();
        let mut ends = Vec::with_capacity(part.len());
        for &mut (_, at) in part {
            if let Some(skill) = skills.get(at) {
                writer.write(skill, &mut bytes);
            }
            ends.push(bytes.len());
        }
        (bytes, ends)
    });
    let mut records: Vec<&[u8]> = Vec::with_capacity(order.len());
    for (bytes, ends) in &parts {
        let mut start = 0;
        for &end in ends {
            records.push(bytes.get(start..end).unwrap_or_default());
            start = end;
        }
    }
    let ids: Vec<u64> = order.iter().map(|(id, _)| *id).collect();
    assemble(&ids, &records, threads)
}

/// Builds the buffer from records that are sorted by id hash.
pub(crate) fn assemble(ids: &[u64], records: &[&[u8]], threads: usize) -> Vec<u8> {
    let mut numbered: Vec<(u32, &[u8])> = (0..).zip(records.iter().copied()).collect();
    let mut parts = in_parts(&mut numbered, threads, |part| {
        let mut buckets: Vec<Vec<u64>> = vec![Vec::new(); BUCKETS];
        for &mut (skill, bytes) in part {
            let Some(record) = Record::read(bytes) else { continue };
            for (key, impact) in impacts(&record) {
                let packed = u64::from(key) << 40 | u64::from(skill) << 8 | u64::from(impact);
                buckets[(key >> 24) as usize].push(packed);
            }
        }
        buckets
    });
    let mut buckets: Vec<(u32, Vec<u64>)> = Vec::with_capacity(BUCKETS);
    for (first, at) in (0_u32..).zip(0..BUCKETS) {
        let mut all = Vec::new();
        for part in &mut parts {
            if all.is_empty() { all = std::mem::take(&mut part[at]) } else { all.append(&mut part[at]) }
        }
        buckets.push((first, all));
    }
    drop(parts);
    let lists = in_parts(&mut buckets, threads, |part| {
        let mut lists = Lists::default();
        for (first, postings) in part {
            postings.sort_unstable();
            lists.add(*first, postings, records.len());
            *postings = Vec::new();
        }
        lists
    });
    drop(buckets);
    write(ids, records, &lists)
}

/// A part of the dictionary.
#[derive(Default)]
struct Lists {
    keys: Vec<u32>,
    starts: Vec<(u64, u32)>,
    postings: Vec<u8>,
}

impl Lists {
    fn add(&mut self, first: u32, postings: &[u64], skills: usize) {
        for list in postings.chunk_by(|a, b| a >> 40 == b >> 40) {
            self.keys.push(first << 24 | low_half(list[0] >> 40));
            self.starts.push((self.postings.len() as u64, u32_of(list.len())));
            let start = self.postings.len();
            let skill_and_impact = list.iter().map(|packed| (low_half(packed >> 8), (packed & 255) as usize));
            if list.len() * DENSE > skills {
                self.postings.resize(start + skills, 0);
                for (skill, impact) in skill_and_impact {
                    if let Some(byte) = self.postings.get_mut(start + skill as usize) {
                        *byte = u8_of(impact);
                    }
                }
            } else {
                let mut previous = 0;
                for (skill, impact) in skill_and_impact {
                    write_gap(skill - previous, &mut self.postings);
                    self.postings.push(u8_of(impact));
                    previous = skill;
                }
            }
        }
    }
}

fn write(ids: &[u64], records: &[&[u8]], lists: &[Lists]) -> Vec<u8> {
    let terms: usize = lists.iter().map(|part| part.keys.len()).sum();
    let text: usize = records.iter().map(|record| record.len()).sum();
    let postings: usize = lists.iter().map(|part| part.postings.len()).sum();
    let sizes = [(records.len() + 1) * 8, ids.len() * 8, text, terms * 4, terms * 12, postings];
    let mut out = Vec::with_capacity(HEADER + sizes.iter().sum::<usize>());
    out.extend_from_slice(&MAGIC);
    for number in [VERSION, u32_of(records.len()), u32_of(terms), 0] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(&fingerprint(ids, records).to_le_bytes());
    let mut end = HEADER;
    for size in sizes {
        end += size;
        out.extend_from_slice(&(end as u64).to_le_bytes());
    }
    debug_assert_eq!(sizes.len(), SECTIONS);
    let checksum = hash(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    let mut offset = 0_u64;
    out.extend_from_slice(&offset.to_le_bytes());
    for record in records {
        offset += record.len() as u64;
        out.extend_from_slice(&offset.to_le_bytes());
    }
    for id in ids {
        out.extend_from_slice(&id.to_le_bytes());
    }
    for record in records {
        out.extend_from_slice(record);
    }
    for key in lists.iter().flat_map(|part| &part.keys) {
        out.extend_from_slice(&key.to_le_bytes());
    }
    let mut before = 0_u64;
    for part in lists {
        for (start, count) in &part.starts {
            out.extend_from_slice(&(before + start).to_le_bytes());
            out.extend_from_slice(&count.to_le_bytes());
        }
        before += part.postings.len() as u64;
    }
    for part in lists {
        out.extend_from_slice(&part.postings);
    }
    out
}

/// Changes whenever a skill is added, removed or changed. A sum, so that the order of changes does not
/// matter.
fn fingerprint(ids: &[u64], records: &[&[u8]]) -> u64 {
    let skills = ids.iter().zip(records);
    skills.fold(0, |all: u64, (id, record)| all.wrapping_add(mix(id ^ hash(record))))
}

/// Runs `work` over consecutive parts of `items`, one thread each; results in order.
fn in_parts<T: Send, R: Send>(
    items: &mut [T],
    threads: usize,
    work: impl Fn(&mut [T]) -> R + Sync,
) -> Vec<R> {
    let size = items.len().div_ceil(threads.clamp(1, 64)).max(SMALLEST_PART);
    if items.len() <= size {
        return vec![work(items)];
    }
    let work = &work;
    std::thread::scope(|scope| {
        let handles: Vec<_> = items.chunks_mut(size).map(|part| scope.spawn(move || work(part))).collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
