//! One skill in the index: a self-contained block of bytes that search and re-ranking read in place.
//!
//! Every reader is total: a damaged block reads as an empty one, never as a panic.

use super::{
    analyse::{Analyser, Class, Term},
    field::{self, Field},
    math::{u8_of, u16_of},
    skill::Skill,
    text::{is_unspaced, prefix},
};

const HEADER: usize = 28;
const NAME_TERMS: usize = 24;
const DESCRIPTION_TERMS: usize = 300;
const ID_LIMIT: usize = 1024;
const NAME_LIMIT: usize = 256;

/// How often a term occurs in each part of a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) form: u8,
    pub(crate) name: u8,
    pub(crate) description: u8,
    pub(crate) trigger: u8,
    pub(crate) heading: u8,
    pub(crate) body: u8,
    pub(crate) excluded: u8,
    pub(crate) lead: u8,
}

impl Counts {
    fn is_body_only(self) -> bool {
        self.name | self.description | self.trigger | self.heading | self.excluded | self.lead == 0
    }

    fn pack(self) -> u32 {
        let part = |count: u8, bits: u32| u32::from(count).min((1 << bits) - 1);
        let mut packed = u32::from(self.form);
        packed = packed << 2 | part(self.name, 2);
        packed = packed << 4 | part(self.description, 4);
        packed = packed << 4 | part(self.trigger, 4);
        packed = packed << 3 | part(self.heading, 3);
        packed = packed << 6 | part(self.body, 6);
        packed = packed << 2 | part(self.excluded, 2);
        packed << 3 | part(self.lead, 3)
    }

    fn unpack(packed: u32) -> Self {
        let part = |shift: u32, bits: u32| u8_of((packed >> shift & ((1 << bits) - 1)) as usize);
        Self {
            form: part(24, 8),
            name: part(22, 2),
            description: part(18, 4),
            trigger: part(14, 4),
            heading: part(11, 3),
            body: part(5, 6),
            excluded: part(3, 2),
            lead: part(0, 3),
        }
    }

    fn pack_body(self) -> u8 {
        (self.form & 15) << 4 | self.body.min(15)
    }

    fn unpack_body(packed: u8) -> Self {
        Self { form: packed >> 4, body: packed & 15, ..Self::default() }
    }

    /// Whether the word was written exactly so.
    pub(crate) fn is_form(self, form: u8) -> bool {
        if self.is_body_only() { self.form & 15 == form & 15 } else { self.form == form }
    }
}

/// Appends the record of a skill to `out`.
pub(crate) fn write(skill: &Skill<'_>, analyser: &mut Analyser, out: &mut Vec<u8>) {
    let mut gather = Gather::default();
    analyser.terms(skill.name, |term| gather.add(Field::Name, term));
    field::description(skill.description, |part, clause| analyser.terms(clause, |t| gather.add(part, t)));
    field::description(skill.when_to_use, |part, clause| analyser.terms(clause, |t| gather.add(part, t)));
    for trigger in skill.triggers.iter().take(64) {
        analyser.terms(prefix(trigger, 1024), |term| gather.add(Field::Trigger, term));
    }
    field::body(skill.body, |part, line| analyser.terms(line, |term| gather.add(part, term)));
    let sample = prefix(if skill.description.is_empty() { skill.body } else { skill.description }, 2000);
    gather.finish(skill, unspaced_share(sample), out);
}

/// How much of a text is written without blanks, out of 255.
pub(crate) fn unspaced_share(text: &str) -> u8 {
    let (mut all, mut unspaced) = (0_usize, 0_usize);
    for c in text.chars().filter(|c| c.is_alphanumeric()) {
        all += 1;
        unspaced += usize::from(is_unspaced(c));
    }
    u8_of((unspaced * 255).checked_div(all).unwrap_or(0))
}

/// Hash of two neighbouring terms.
pub(crate) fn pair(first: u32, second: u32) -> u16 {
    let mixed = first.rotate_left(7).wrapping_mul(0x9e37_79b1) ^ second.wrapping_mul(0x85eb_ca6b);
    u16_of((mixed >> 16) as usize)
}

#[derive(Default)]
struct Gather {
    name: Vec<u32>,
    description: Vec<u32>,
    tokens: Vec<u64>,
    pairs: Vec<u16>,
    lengths: [usize; 7],
    previous: u32,
}

impl Gather {
    fn add(&mut self, field: Field, term: Term) {
        if term.class == Class::Function {
            return;
        }
        self.lengths[field as usize] += 1;
        match field {
            Field::Name if self.name.len() < NAME_TERMS => self.name.push(term.key),
            Field::Description if self.description.len() < DESCRIPTION_TERMS => {
                self.description.push(term.key)
            }
            Field::Body => {
                self.pairs.push(pair(self.previous, term.key));
                self.previous = term.key;
            }
            _ => {}
        }
        self.tokens.push(u64::from(term.key) << 32 | u64::from(term.form) << 8 | field as u64);
    }

    fn finish(mut self, skill: &Skill<'_>, unspaced: u8, out: &mut Vec<u8>) {
        self.tokens.sort_unstable();
        let (mut head, mut body) = (Vec::new(), Vec::new());
        for group in self.tokens.chunk_by(|a, b| a >> 8 == b >> 8) {
            let counts = counts_of(group);
            let key = crate::route::math::low_half(group[0] >> 32);
            if counts.is_body_only() { body.push((key, counts)) } else { head.push((key, counts)) }
        }
        head.truncate(usize::from(u16::MAX));
        body.truncate(usize::from(u16::MAX));
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let id = prefix(skill.id, ID_LIMIT);
        let name = prefix(skill.name, NAME_LIMIT);
        let length = |field: Field| u16_of(self.lengths[field as usize]);
        for part in [
            u16_of(id.len()),
            u16_of(name.len()),
            u16_of(self.name.len()),
            u16_of(self.description.len()),
            u16_of(head.len()),
            u16_of(body.len()),
            u16_of(self.pairs.len()),
            length(Field::Name),
            length(Field::Description),
            length(Field::Trigger),
            length(Field::Heading),
            length(Field::Body),
            u16::from(unspaced),
            0,
        ] {
            out.extend_from_slice(&part.to_le_bytes());
        }
        out.extend_from_slice(id.as_bytes());
        out.extend_from_slice(name.as_bytes());
        for key in self.name.iter().chain(&self.description) {
            out.extend_from_slice(&key.to_le_bytes());
        }
        head.iter().for_each(|(key, _)| out.extend_from_slice(&key.to_le_bytes()));
        head.iter().for_each(|(_, counts)| out.extend_from_slice(&counts.pack().to_le_bytes()));
        body.iter().for_each(|(key, _)| out.extend_from_slice(&key.to_le_bytes()));
        body.iter().for_each(|(_, counts)| out.push(counts.pack_body()));
        self.pairs.iter().for_each(|pair| out.extend_from_slice(&pair.to_le_bytes()));
    }
}

fn counts_of(group: &[u64]) -> Counts {
    let mut by_field = [0_usize; 7];
    for token in group {
        if let Some(count) = by_field.get_mut((token & 255) as usize) {
            *count += 1;
        }
    }
    let [name, description, trigger, heading, body, excluded, lead] = by_field.map(u8_of);
    Counts {
        form: u8_of((group[0] >> 8 & 255) as usize),
        name,
        description,
        trigger,
        heading,
        body,
        excluded,
        lead,
    }
}

/// A record, read in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) name_terms: Keys<'a>,
    pub(crate) description_terms: Keys<'a>,
    pub(crate) lengths: Lengths,
    pub(crate) unspaced: u8,
    head: Keys<'a>,
    head_counts: &'a [u8],
    body: Keys<'a>,
    body_counts: &'a [u8],
    pairs: &'a [u8],
}

/// Number of terms in each part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lengths {
    pub(crate) name: u16,
    pub(crate) description: u16,
    pub(crate) trigger: u16,
    pub(crate) heading: u16,
    pub(crate) body: u16,
}

/// Term keys, little-endian.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Keys<'a>(&'a [u8]);

impl<'a> Keys<'a> {
    pub(crate) fn len(self) -> usize {
        self.0.len() / 4
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = u32> + 'a {
        self.0.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes))
    }

    fn get(self, at: usize) -> Option<u32> {
        self.0.as_chunks::<4>().0.get(at).map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// Where a key is or would be.
    fn lower_bound(self, key: u32) -> usize {
        self.0.as_chunks::<4>().0.partition_point(|bytes| u32::from_le_bytes(*bytes) < key)
    }
}

impl<'a> Record<'a> {
    /// Reads the block; `None` when its lengths do not fit or its strings are not text.
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
        let name = std::str::from_utf8(take(part(1)?)?).ok()?;
        Some(Self {
            id,
            name,
            name_terms: Keys(take(part(2)? * 4)?),
            description_terms: Keys(take(part(3)? * 4)?),
            head: Keys(take(part(4)? * 4)?),
            head_counts: take(part(4)? * 4)?,
            body: Keys(take(part(5)? * 4)?),
            body_counts: take(part(5)?)?,
            pairs: take(part(6)? * 2)?,
            lengths: Lengths {
                name: short(7)?,
                description: short(8)?,
                trigger: short(9)?,
                heading: short(10)?,
                body: short(11)?,
            },
            unspaced: u8_of(part(12)?),
        })
    }

    /// Every form of every term.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u32, Counts)> + 'a {
        let head_counts =
            self.head_counts.as_chunks::<4>().0.iter().map(|b| Counts::unpack(u32::from_le_bytes(*b)));
        let body_counts = self.body_counts.iter().map(|b| Counts::unpack_body(*b));
        self.head.iter().zip(head_counts).chain(self.body.iter().zip(body_counts))
    }

    /// The forms of one term.
    pub(crate) fn find(&self, key: u32, mut each: impl FnMut(Counts)) {
        let mut at = self.head.lower_bound(key);
        while self.head.get(at) == Some(key) {
            if let Some(bytes) = self.head_counts.as_chunks::<4>().0.get(at) {
                each(Counts::unpack(u32::from_le_bytes(*bytes)));
            }
            at += 1;
        }
        let mut at = self.body.lower_bound(key);
        while self.body.get(at) == Some(key) {
            if let Some(&byte) = self.body_counts.get(at) {
                each(Counts::unpack_body(byte));
            }
            at += 1;
        }
    }

    /// Whether two terms stand side by side in the body.
    pub(crate) fn has_pair(&self, pair: u16) -> bool {
        self.pairs.as_chunks::<2>().0.binary_search_by(|bytes| u16::from_le_bytes(*bytes).cmp(&pair)).is_ok()
    }
}
