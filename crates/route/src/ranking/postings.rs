//! Postings on their way into an index: packed for a part of the skills, then merged for all of them.

use super::{
    base::{DENSE, read_gap, write_gap},
    counts::sort_few,
    math::{low_byte, low_half, u32_of},
};
use std::{borrow::Cow, fs::File, io, os::unix::fs::FileExt as _};

/// Number of parts of the dictionary, by the first byte of the key.
pub(crate) const BUCKETS: usize = 256;

/// The postings of consecutive skills, sorted by key. For each key: its last three bytes, the number of skills, the
/// last skill, the number of bytes that follow, and gap and impact of each skill. Skills are counted from the first of
/// the run.
pub(crate) struct Run {
    /// The first skill.
    first: u32,
    bytes: Packed,
    /// Where each part of the dictionary ends.
    ends: Vec<usize>,
}

/// Where packed postings are.
enum Packed {
    Memory(Vec<u8>),
    /// In a file, from this byte on.
    File(u64),
}

/// A file for packed postings, so that they take no memory until they are merged.
pub(crate) struct Spill {
    file: File,
    length: u64,
}

impl Spill {
    /// An empty file that only this process sees.
    pub(crate) fn new(file: File) -> Self {
        Self { file, length: 0 }
    }

    /// Moves the postings of a run into the file.
    pub(crate) fn take(&mut self, run: &mut Run) -> io::Result<()> {
        if let Packed::Memory(bytes) = &run.bytes {
            self.file.write_all_at(bytes, self.length)?;
            let start = self.length;
            self.length += bytes.len() as u64;
            run.bytes = Packed::File(start);
        }
        Ok(())
    }
}

/// The skills of one run that contain a term.
struct Group<'a> {
    /// The last three bytes of the key.
    key: u32,
    /// The first skill of the run.
    first: u32,
    count: u32,
    last: u32,
    /// Gap and impact of each skill.
    bytes: &'a [u8],
}

impl Run {
    /// Packs postings by part of the dictionary: key, skill in three bytes and impact.
    pub(crate) fn pack(first: u32, buckets: &mut [Vec<u64>]) -> Self {
        let mut bytes = Vec::new();
        let mut list = Vec::new();
        let mut ends = Vec::with_capacity(buckets.len());
        let mut spare = Vec::new();
        for postings in buckets {
            sort_by_key(postings, &mut spare);
            for group in postings.chunk_by(|a, b| a >> 32 == b >> 32) {
                let skill = |packed: u64| low_half(packed) >> 8;
                list.clear();
                let mut previous = 0;
                for packed in group {
                    write_gap(skill(*packed) - previous, &mut list);
                    list.push(low_byte(*packed));
                    previous = skill(*packed);
                }
                bytes.extend_from_slice(&low_half(group[0] >> 32).to_le_bytes()[..3]);
                write_gap(u32_of(group.len()), &mut bytes);
                write_gap(previous, &mut bytes);
                write_gap(u32_of(list.len()), &mut bytes);
                bytes.extend_from_slice(&list);
            }
            ends.push(bytes.len());
        }
        bytes.shrink_to_fit();
        Self { first, bytes: Packed::Memory(bytes), ends }
    }

    /// The postings of one part of the dictionary.
    fn part(&self, bucket: usize, spill: Option<&Spill>) -> io::Result<Cow<'_, [u8]>> {
        let end = self.ends.get(bucket).copied().unwrap_or(0);
        let start = bucket.checked_sub(1).and_then(|before| self.ends.get(before).copied()).unwrap_or(0);
        match (&self.bytes, spill) {
            (Packed::Memory(bytes), _) => Ok(Cow::Borrowed(bytes.get(start..end).unwrap_or_default())),
            (Packed::File(first), Some(spill)) => {
                let mut bytes = vec![0; end.saturating_sub(start)];
                spill.file.read_exact_at(&mut bytes, first + start as u64)?;
                Ok(Cow::Owned(bytes))
            }
            (Packed::File(_), None) => Err(io::Error::other("the postings are in a file that is not open")),
        }
    }
}

/// The next term of packed postings.
fn group<'a>(bytes: &'a [u8], at: &mut usize, first: u32) -> Option<Group<'a>> {
    let [a, b, c] = *bytes.get(*at..)?.first_chunk::<3>()?;
    *at += 3;
    let mut number = || {
        let (number, next) = read_gap(bytes, *at)?;
        *at = next;
        Some(number)
    };
    let (count, last, length) = (number()?, number()?, number()?);
    let list = bytes.get(*at..*at + length)?;
    *at += length;
    let key = u32::from_le_bytes([a, b, c, 0]);
    Some(Group { key, first, count: u32_of(count), last: u32_of(last), bytes: list })
}

/// A part of the dictionary.
#[derive(Default)]
pub(crate) struct Lists {
    /// Each key, and the bytes of its list.
    pub(crate) terms: Vec<(u32, usize)>,
    /// Of each list how many skills it has, then the skills.
    pub(crate) postings: Vec<u8>,
}

impl Lists {
    /// Merges the postings of all runs for some parts of the dictionary.
    pub(crate) fn merged(
        buckets: &[usize],
        runs: &[Run],
        spill: Option<&Spill>,
        skills: usize,
    ) -> io::Result<Self> {
        let mut lists = Self::default();
        for bucket in buckets {
            let parts: Vec<Cow<'_, [u8]>> =
                runs.iter().map(|run| run.part(*bucket, spill)).collect::<io::Result<_>>()?;
            let mut groups: Vec<Group<'_>> = Vec::new();
            for (run, bytes) in runs.iter().zip(&parts) {
                let mut at = 0;
                while let Some(group) = group(bytes, &mut at, run.first) {
                    groups.push(group);
                }
            }
            groups.sort_by_key(|group| (group.key, group.first));
            for term in groups.chunk_by(|a, b| a.key == b.key) {
                lists.add(u32_of(*bucket) << 24, term, skills);
            }
        }
        Ok(lists)
    }

    /// Adds one term.
    fn add(&mut self, bucket: u32, groups: &[Group<'_>], skills: usize) {
        let count: u32 = groups.iter().map(|group| group.count).sum();
        let start = self.postings.len();
        write_gap(count, &mut self.postings);
        self.add_skills(count, groups, skills);
        self.terms.push((bucket | groups[0].key, self.postings.len() - start));
    }

    fn add_skills(&mut self, count: u32, groups: &[Group<'_>], skills: usize) {
        if count as usize * DENSE > skills {
            let start = self.postings.len();
            self.postings.resize(start + skills, 0);
            let dense = &mut self.postings[start..];
            for group in groups {
                each_posting(group.bytes, |skill, impact| {
                    if let Some(byte) = dense.get_mut(group.first as usize + skill) {
                        *byte = impact;
                    }
                });
            }
            return;
        }
        let mut previous = 0;
        for group in groups {
            // Only the first gap of a run depends on what stands before it.
            let Some((skill, rest)) = read_gap(group.bytes, 0) else { continue };
            write_gap(group.first + u32_of(skill) - previous, &mut self.postings);
            self.postings.extend_from_slice(&group.bytes[rest..]);
            previous = group.first + group.last;
        }
    }
}

/// Below this many postings an ordinary sort is as fast.
const FEW: usize = 256;

/// Sorts postings of one part of the dictionary that are in the order of their skills. They are distributed by one byte of the
/// key after the other, from the last to the first, and equal ones keep their order. `spare` is memory to reuse.
fn sort_by_key(postings: &mut Vec<u64>, spare: &mut Vec<u64>) {
    if postings.len() < FEW {
        return sort_few(postings);
    }
    spare.resize(postings.len(), 0);
    for shift in [32, 40, 48] {
        let bucket = |posting: u64| usize::from(low_byte(posting >> shift));
        let mut starts = [0_usize; 256];
        for &posting in &*postings {
            starts[bucket(posting)] += 1;
        }
        let mut all = 0;
        for start in &mut starts {
            all += std::mem::replace(start, all);
        }
        for &posting in &*postings {
            let start = &mut starts[bucket(posting)];
            spare[*start] = posting;
            *start += 1;
        }
        std::mem::swap(postings, spare);
    }
}

/// Passes each skill and impact of packed postings to `each`.
fn each_posting(bytes: &[u8], mut each: impl FnMut(usize, u8)) {
    let (mut at, mut skill) = (0, 0);
    while let Some((gap, next)) = read_gap(bytes, at) {
        let Some(&impact) = bytes.get(next) else { return };
        skill += gap;
        each(skill, impact);
        at = next + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_are_sorted_by_key_and_then_by_skill() {
        let mut state = 1_u64;
        for length in [10, FEW, 5_000] {
            let mut postings: Vec<u64> = (0..length as u64)
                .map(|number| {
                    state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ number;
                    // One part of the dictionary, few keys, skills in their order.
                    7 << 56 | ((state % 300) * 0x1357 % (1 << 24)) << 32 | (number / 3) << 8 | state >> 60
                })
                .collect();
            let mut expected = postings.clone();
            expected.sort_by_key(|posting| posting >> 32);
            sort_by_key(&mut postings, &mut Vec::new());
            let order = |postings: &[u64]| postings.iter().map(|posting| posting >> 8).collect::<Vec<_>>();
            assert_eq!(order(&postings), order(&expected), "{length}");
        }
    }
}
