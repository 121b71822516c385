//! One skill in the index: a self-contained block of bytes that search and re-ranking read in place.
//!
//! Every read is total: a damaged block reads as an empty one and never causes a panic.

use super::{
    analyse::{Analyser, Class, Term},
    counts::{Counts, counts_of, sort_tokens},
    field::{self, FIELDS, Field},
    math::{low_half, mix, scaled, u16_of},
    packed_counts::{self, BodyCounts, HeadCounts},
    skill::Skill,
    sorted_keys::{self, SortedKeys},
    text::prefix,
};

const HEADER: usize = 20;
const NAME_TERMS: usize = 24;
/// Number of terms of the description that are kept in order.
const DESCRIPTION_TERMS: usize = 12;
/// Bits per pair in the Bloom filter of neighbouring terms. A third of the pairs of a body are repeated, so that a pair that
/// is there once has nine.
const BITS_PER_PAIR: usize = 6;
/// Bits that are set for each pair.
const BITS_SET: u32 = 4;
const TRIGGERS: usize = 64;
const TRIGGER_LIMIT: usize = 1024;
const ID_LIMIT: usize = 1024;
const NAME_LIMIT: usize = 256;
/// In place of the length of the name: the name is the id.
const SAME_AS_ID: u16 = u16::MAX;
/// In a head of more terms than this a place takes two bytes.
const NARROW: usize = 256;

/// Writes records, and reuses its memory from one to the next.
pub(crate) struct Writer {
    analyser: Analyser,
    gather: Gather,
}

impl Writer {
    /// A writer for one record.
    pub(crate) fn new() -> Self {
        Self { analyser: Analyser::new(), gather: Gather::default() }
    }

    /// A writer for many records.
    pub(crate) fn for_many() -> Self {
        Self { analyser: Analyser::for_many(), gather: Gather::default() }
    }

    /// Appends the record of a skill to `out`.
    pub(crate) fn write(&mut self, skill: &Skill<'_>, out: &mut Vec<u8>) {
        let Self { analyser, gather } = self;
        gather.clear();
        analyser.terms(prefix(skill.name, NAME_LIMIT), |term, _| gather.add(Field::Name, term));
        for text in [skill.description, skill.when_to_use] {
            field::description(text, |clause| {
                analyser.terms(clause, |term, _| gather.add(Field::Description, term));
            });
        }
        for trigger in skill.triggers.iter().take(TRIGGERS) {
            analyser.terms(prefix(trigger, TRIGGER_LIMIT), |term, _| {
                gather.add(Field::Description, term);
                gather.add(Field::Trigger, term);
            });
        }
        field::body(skill.body, |part, line| {
            analyser.terms(line, |term, _| {
                gather.add(Field::Body, term);
                if let Some(part) = part {
                    gather.add(part, term);
                }
            });
        });
        gather.finish(skill, out);
    }
}

/// Hash of two neighbouring terms.
pub(crate) fn pair(first: u32, second: u32) -> u64 {
    mix((u64::from(first) << 32) | u64::from(second))
}

/// The bits of a pair in a filter of `bits` bits.
fn pair_bits(pair: u64, bits: usize) -> impl Iterator<Item = usize> {
    let (first, step) = (low_half(pair), low_half(pair >> 32));
    (0..BITS_SET).map(move |at| scaled(first.wrapping_add(step.wrapping_mul(at)), bits))
}

#[derive(Default)]
struct Gather {
    name: Vec<u32>,
    description: Vec<u32>,
    tokens: Vec<u64>,
    spare: Vec<u64>,
    pairs: Vec<u64>,
    head: Vec<(u32, Counts)>,
    body: Vec<(u32, Counts)>,
    filter: Vec<u8>,
    lengths: [usize; FIELDS],
    previous: u32,
}

impl Gather {
    /// Clears everything and keeps the allocated memory.
    fn clear(&mut self) {
        self.name.clear();
        self.description.clear();
        self.tokens.clear();
        self.pairs.clear();
        self.head.clear();
        self.body.clear();
        self.filter.clear();
        self.lengths = [0; FIELDS];
        self.previous = 0;
    }

    fn add(&mut self, field: Field, term: Term) {
        if term.class == Class::Function {
            return;
        }
        self.lengths[field as usize] += 1;
        match field {
            Field::Name if self.name.len() < NAME_TERMS => self.name.push(term.key),
            Field::Description if self.description.len() < DESCRIPTION_TERMS => {
                self.description.push(term.key);
            }
            Field::Body => {
                self.pairs.push(pair(self.previous, term.key));
                self.previous = term.key;
            }
            _ => {}
        }
        self.tokens.push(u64::from(term.key) << 32 | u64::from(term.form) << 8 | field as u64);
    }

    fn finish(&mut self, skill: &Skill<'_>, out: &mut Vec<u8>) {
        let Self { name: name_terms, description, tokens, spare, pairs, head, body, filter, lengths, .. } =
            self;
        sort_tokens(tokens, spare);
        for group in tokens.chunk_by(|a, b| a >> 8 == b >> 8) {
            let counts = counts_of(group);
            let key = low_half(group[0] >> 32);
            if counts.is_body_only() { body.push((key, counts)) } else { head.push((key, counts)) }
        }
        head.truncate(usize::from(u16::MAX));
        body.truncate(usize::from(u16::MAX));
        filter.resize((pairs.len() * BITS_PER_PAIR).div_ceil(8).min(usize::from(u16::MAX)), 0);
        let bits = filter.len() * 8;
        for pair in &*pairs {
            for bit in pair_bits(*pair, bits) {
                if let Some(byte) = filter.get_mut(bit / 8) {
                    *byte |= 1 << (bit % 8);
                }
            }
        }
        let id = prefix(skill.id, ID_LIMIT);
        let name = Some(prefix(skill.name, NAME_LIMIT)).filter(|name| *name != id);
        let length = |field: Field| u16_of(lengths[field as usize]);
        for part in [
            u16_of(id.len()),
            name.map_or(SAME_AS_ID, |name| u16_of(name.len())),
            u16_of(name_terms.len()),
            u16_of(description.len()),
            u16_of(head.len()),
            u16_of(body.len()),
            u16_of(filter.len()),
            length(Field::Name),
            length(Field::Description),
            length(Field::Body),
        ] {
            out.extend_from_slice(&part.to_le_bytes());
        }
        out.extend_from_slice(id.as_bytes());
        out.extend_from_slice(name.unwrap_or_default().as_bytes());
        for key in name_terms.iter().chain(&*description) {
            // Every term of the name and of the description is in the head.
            let place = u16_of(head.partition_point(|(other, _)| other < key)).to_le_bytes();
            out.extend_from_slice(&place[..place_length(head.len())]);
        }
        sorted_keys::write(head.iter().map(|(key, _)| *key), out);
        packed_counts::write_head(head.iter().map(|(_, counts)| *counts), out);
        sorted_keys::write(body.iter().map(|(key, _)| *key), out);
        packed_counts::write_body(body.iter().map(|(_, counts)| *counts), out);
        out.extend_from_slice(filter);
    }
}

/// A record, read in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) lengths: Lengths,
    /// The terms of the name, in its order.
    name_terms: Places<'a>,
    /// The first terms of the description.
    description_terms: Places<'a>,
    head: SortedKeys<'a>,
    head_counts: HeadCounts<'a>,
    body: SortedKeys<'a>,
    body_counts: BodyCounts<'a>,
    pairs: &'a [u8],
}

/// Number of terms in each part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lengths {
    pub(crate) name: u16,
    pub(crate) description: u16,
    pub(crate) body: u16,
}

/// Terms by their places in the head, little-endian; of several forms of a term the first place.
#[derive(Clone, Copy, Debug, Default)]
struct Places<'a> {
    bytes: &'a [u8],
    length: usize,
}

/// Bytes of a place in a head of so many terms.
fn place_length(head: usize) -> usize {
    if head > NARROW { 2 } else { 1 }
}

impl<'a> Places<'a> {
    fn iter(self) -> impl Iterator<Item = usize> + Clone + 'a {
        let place = |bytes: &[u8]| bytes.iter().rev().fold(0, |place, byte| place << 8 | usize::from(*byte));
        self.bytes.chunks_exact(self.length.max(1)).map(place)
    }
}

impl<'a> Record<'a> {
    /// Reads the block; `None` when its lengths do not fit or its strings are not UTF-8.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        let part = |at: usize| {
            let pair = bytes.get(at * 2..at * 2 + 2)?;
            Some(usize::from(u16::from_le_bytes([pair[0], pair[1]])))
        };
        let short = |at: usize| part(at).map(u16_of);
        let mut rest = bytes.get(HEADER..)?;
        let mut take = |length: usize| {
            let (taken, left) = rest.split_at_checked(length)?;
            rest = left;
            Some(taken)
        };
        let id = std::str::from_utf8(take(part(0)?)?).ok()?;
        let name = match part(1)? {
            length if length == usize::from(SAME_AS_ID) => id,
            length => std::str::from_utf8(take(length)?).ok()?,
        };
        let length = place_length(part(4)?);
        Some(Self {
            id,
            name,
            name_terms: Places { bytes: take(part(2)? * length)?, length },
            description_terms: Places { bytes: take(part(3)? * length)?, length },
            head: SortedKeys::read(part(4)?, &mut take)?,
            head_counts: HeadCounts::read(part(4)?, &mut take)?,
            body: SortedKeys::read(part(5)?, &mut take)?,
            body_counts: BodyCounts::read(part(5)?, &mut take)?,
            pairs: take(part(6)?)?,
            lengths: Lengths { name: short(7)?, description: short(8)?, body: short(9)? },
        })
    }

    /// Every form of every term that is not in the body alone, by key.
    pub(crate) fn head_entries(&self) -> impl Iterator<Item = (u32, Counts)> + 'a {
        self.head.iter().zip(self.head_counts.iter())
    }

    /// Every form of every term that is in the body alone, by key.
    pub(crate) fn body_entries(&self) -> impl Iterator<Item = (u32, Counts)> + 'a {
        self.body.iter().zip(self.body_counts.iter())
    }

    /// Passes the forms of one term to `each`.
    pub(crate) fn find(&self, key: u32, each: impl FnMut(Counts)) {
        let head = self.head.places(key).filter_map(|at| self.head_counts.get(at));
        head.chain(self.body.places(key).filter_map(|at| self.body_counts.get(at))).for_each(each);
    }

    /// Whether a term is one of the first of the description.
    pub(crate) fn is_early(&self, key: u32) -> bool {
        self.head.places(key).next().is_some_and(|place| self.description_terms.iter().any(|at| at == place))
    }

    /// Whether two terms are neighbours in the name.
    pub(crate) fn has_name_pair(&self, first: u32, second: u32) -> bool {
        let place = |key: u32| self.head.places(key).next();
        let (Some(first), Some(second)) = (place(first), place(second)) else { return false };
        let places = self.name_terms.iter();
        places.clone().zip(places.skip(1)).any(|pair| pair == (first, second))
    }

    /// Whether two terms are neighbours in the body; false positives in one case of fifty.
    pub(crate) fn has_pair(&self, pair: u64) -> bool {
        let has = |bit: usize| self.pairs.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
        pair_bits(pair, self.pairs.len() * 8).all(has)
    }
}
