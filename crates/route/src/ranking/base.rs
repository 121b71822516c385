//! The index as one buffer, read in place: header, hashes of ids, records, postings, places of records, dictionary and
//! places of postings. What is only known at the end stands behind what is written while skills are read.
//!
//! Opening checks only the header and the bounds of every section. Every later read checks its own bounds, so
//! a damaged buffer causes wrong or missing hits, never a panic.

use super::{dictionary::Dictionary, math::hash, record::Record};
use std::{borrow::Cow, fmt, ops::Range};

/// First bytes of a buffer.
pub(crate) const MAGIC: [u8; 8] = *b"SKLROUTE";
/// Format version of the buffer; other versions are refused.
pub(crate) const VERSION: u32 = 5;
/// Magic, version, skills, terms, reserved, fingerprint, six section ends, checksum.
pub(crate) const HEADER: usize = 8 + 4 * 4 + 8 + 8 * SECTIONS + 8;
pub(crate) const SECTIONS: usize = 6;
/// A term that more than one in this many skills contain is stored as one byte per skill.
pub(crate) const DENSE: usize = 4;

/// Why a buffer cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The buffer is not an index.
    Magic,
    /// Another version of this program wrote it.
    Version(u32),
    /// The checksum of the header does not match.
    Header,
    /// The sections do not fit the buffer.
    Sections,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("the search index does not start with its magic bytes; rebuild it"),
            Self::Version(found) => {
                write!(f, "the search index has format {found}, not {VERSION}; rebuild it")
            }
            Self::Header => f.write_str("the header of the search index is damaged; rebuild it"),
            Self::Sections => f.write_str("the search index is truncated or damaged; rebuild it"),
        }
    }
}

impl std::error::Error for Damage {}

/// Any owner of the bytes of an index: a vector, a mapped file.
pub trait Buffer: Send + Sync {
    /// All bytes.
    fn bytes(&self) -> &[u8];

    /// Some of them, for a look at few places far apart. A mapped file reads them: each page of a map that is looked at can
    /// bring a megabyte around it into the memory of the process.
    fn part(&self, range: Range<usize>) -> Option<Cow<'_, [u8]>> {
        self.bytes().get(range).map(Cow::Borrowed)
    }
}

impl Buffer for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// An opened buffer.
pub(crate) struct Base {
    buffer: Box<dyn Buffer>,
    pub(crate) skills: usize,
    terms: usize,
    pub(crate) fingerprint: u64,
    offsets: Range<usize>,
    ids: Range<usize>,
    records: Range<usize>,
    keys: Range<usize>,
    lists: Range<usize>,
    postings: Range<usize>,
}

/// The skills that contain a term.
#[derive(Clone, Copy)]
pub(crate) struct Postings<'a> {
    bytes: &'a [u8],
    /// Number of skills that contain the term.
    pub(crate) count: usize,
    dense: bool,
}

impl Base {
    pub(crate) fn open(buffer: Box<dyn Buffer>) -> Result<Self, Damage> {
        let bytes = buffer.bytes();
        if bytes.get(..8) != Some(&MAGIC) {
            return Err(Damage::Magic);
        }
        let version = number(bytes, 8).ok_or(Damage::Header)?;
        if version != VERSION {
            return Err(Damage::Version(version));
        }
        let checksum = HEADER - 8;
        if long(bytes, checksum) != bytes.get(..checksum).map(hash) {
            return Err(Damage::Header);
        }
        let size = |at: usize| number(bytes, at).map(|n| n as usize).ok_or(Damage::Header);
        let (skills, terms) = (size(12)?, size(16)?);
        let fingerprint = long(bytes, 24).ok_or(Damage::Header)?;
        let mut start = HEADER;
        let mut section = |at: usize| {
            let end = long(bytes, 32 + at * 8).and_then(|end| usize::try_from(end).ok());
            let end = end.filter(|&end| end >= start && end <= bytes.len()).ok_or(Damage::Sections)?;
            let range = start..end;
            start = end;
            Ok(range)
        };
        let (ids, records, postings) = (section(0)?, section(1)?, section(2)?);
        let (offsets, keys, lists) = (section(3)?, section(4)?, section(5)?);
        let fits = Some(offsets.len()) == skills.checked_add(1).and_then(|n| n.checked_mul(8))
            && Some(ids.len()) == skills.checked_mul(8)
            && Dictionary { keys: &bytes[keys.clone()], lists: &bytes[lists.clone()], terms }.fits()
            && lists.end == bytes.len();
        if !fits {
            return Err(Damage::Sections);
        }
        Ok(Self { buffer, skills, terms, fingerprint, offsets, ids, records, keys, lists, postings })
    }

    /// Opens a buffer that was just built. If that fails, which is a bug, the result is an empty base.
    pub(crate) fn trusted(bytes: Vec<u8>) -> Self {
        Self::open(Box::new(bytes)).unwrap_or_else(|_| Self {
            buffer: Box::new(Vec::new()),
            skills: 0,
            terms: 0,
            fingerprint: 0,
            offsets: 0..0,
            ids: 0..0,
            records: 0..0,
            keys: 0..0,
            lists: 0..0,
            postings: 0..0,
        })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.bytes()
    }

    fn section(&self, range: &Range<usize>) -> &[u8] {
        self.bytes().get(range.clone()).unwrap_or_default()
    }

    /// Where one record is in the buffer.
    fn record_place(&self, at: usize) -> Option<Range<usize>> {
        let offsets = self.section(&self.offsets);
        let start = usize::try_from(long(offsets, at.checked_mul(8)?)?).ok()?;
        let end = usize::try_from(long(offsets, at.checked_mul(8)? + 8)?).ok()?;
        let place = self.records.start.checked_add(start)?..self.records.start.checked_add(end)?;
        (place.start <= place.end && place.end <= self.records.end).then_some(place)
    }

    /// The bytes of one record.
    pub(crate) fn record_bytes(&self, at: usize) -> Option<&[u8]> {
        self.bytes().get(self.record_place(at)?)
    }

    /// The bytes of one record of few.
    pub(crate) fn record_part(&self, at: usize) -> Option<Cow<'_, [u8]>> {
        self.buffer.part(self.record_place(at)?)
    }

    pub(crate) fn record(&self, at: usize) -> Option<Record<'_>> {
        Record::read(self.record_bytes(at)?)
    }

    /// The hash of a skill's id; skills are sorted by it.
    pub(crate) fn id_hash(&self, at: usize) -> Option<u64> {
        long(self.section(&self.ids), at.checked_mul(8)?)
    }

    /// The position of a skill.
    pub(crate) fn find_id(&self, id: &str) -> Option<usize> {
        let ids = self.section(&self.ids).as_chunks::<8>().0;
        let wanted = hash(id.as_bytes());
        let at = ids.binary_search_by(|bytes| u64::from_le_bytes(*bytes).cmp(&wanted)).ok()?;
        (self.record(at)?.id == id).then_some(at)
    }

    /// The postings of a term.
    pub(crate) fn postings(&self, key: u32) -> Option<Postings<'_>> {
        let dictionary = Dictionary {
            keys: self.section(&self.keys),
            lists: self.section(&self.lists),
            terms: self.terms,
        };
        let list = self.section(&self.postings).get(dictionary.list(key)?)?;
        let (count, start) = read_gap(list, 0)?;
        let dense = count.saturating_mul(DENSE) > self.skills;
        Some(Postings { bytes: list.get(start..)?, count, dense })
    }
}

impl<'a> Postings<'a> {
    /// The impact on every skill, if the term is frequent enough to be stored that way.
    pub(crate) fn dense(&self) -> Option<&'a [u8]> {
        self.dense.then_some(self.bytes)
    }

    /// Adds `weight` times the impact of the term to the score of each skill that contains it.
    pub(crate) fn add_to(&self, scores: &mut [u32], weight: u32) {
        if self.dense {
            for (score, &impact) in scores.iter_mut().zip(self.bytes) {
                *score = score.wrapping_add(u32::from(impact).wrapping_mul(weight));
            }
            return;
        }
        self.each(|skill, impact| {
            if let Some(score) = scores.get_mut(skill) {
                *score = score.wrapping_add(u32::from(impact).wrapping_mul(weight));
            }
        });
    }

    /// Number of skills that contain the term and are wanted.
    pub(crate) fn count_if(&self, wanted: impl Fn(usize) -> bool) -> usize {
        let mut count = 0;
        if self.dense {
            count += self.bytes.iter().enumerate().filter(|(at, impact)| **impact > 0 && wanted(*at)).count();
        } else {
            self.each(|skill, _| count += usize::from(wanted(skill)));
        }
        count
    }

    /// Passes position and impact of each skill to `each`, for a list that is not dense.
    pub(crate) fn each(&self, mut each: impl FnMut(usize, u8)) {
        let mut at = 0;
        let mut skill = 0_usize;
        while let Some((gap, next)) = read_gap(self.bytes, at) {
            let Some(&impact) = self.bytes.get(next) else { return };
            skill = skill.wrapping_add(gap);
            each(skill, impact);
            at = next + 1;
        }
    }
}

/// Decodes the gap between two skills: seven bits per byte, at most five bytes.
pub(crate) fn read_gap(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let first = *bytes.get(at)?;
    if first < 128 {
        return Some((usize::from(first), at + 1));
    }
    let mut gap = usize::from(first & 127);
    for more in 1..5 {
        let byte = *bytes.get(at + more)?;
        gap |= usize::from(byte & 127) << (7 * more);
        if byte < 128 {
            return Some((gap, at + more + 1));
        }
    }
    None
}

pub(crate) fn write_gap(mut gap: u32, out: &mut Vec<u8>) {
    while gap >= 128 {
        out.push(gap.to_le_bytes()[0] | 128);
        gap >>= 7;
    }
    out.push(gap.to_le_bytes()[0]);
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes))
}
