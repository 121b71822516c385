//! How often a term occurs in each part of a skill.

use super::{
    field::{FIELDS, Field},
    math::{low_byte, u8_of},
};

/// How often a term occurs in each part of a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) form: u8,
    pub(crate) name: u8,
    pub(crate) description: u8,
    pub(crate) trigger: u8,
    pub(crate) heading: u8,
    pub(crate) body: u8,
}

impl Counts {
    pub(crate) fn is_body_only(self) -> bool {
        self.name | self.description | self.trigger | self.heading == 0
    }

    /// The counts without the form, in three bytes.
    pub(crate) fn pack(self) -> u32 {
        let part = |count: u8, bits: u32| u32::from(count).min((1 << bits) - 1);
        let mut packed = part(self.name, 3);
        packed = packed << 5 | part(self.description, 5);
        packed = packed << 5 | part(self.trigger, 5);
        packed = packed << 5 | part(self.heading, 5);
        packed << 6 | part(self.body, 6)
    }

    /// Counts that were packed; the form is zero.
    pub(crate) fn unpack(packed: u32) -> Self {
        let part = |shift: u32, bits: u32| u8_of((packed >> shift & ((1 << bits) - 1)) as usize);
        Self {
            form: 0,
            name: part(21, 3),
            description: part(16, 5),
            trigger: part(11, 5),
            heading: part(6, 5),
            body: part(0, 6),
        }
    }

    /// Whether the word was written in exactly this form.
    pub(crate) fn is_form(self, form: u8) -> bool {
        if self.is_body_only() { self.form & 15 == form & 15 } else { self.form == form }
    }
}

/// Counts the tokens of one form of one term: key, form and part, packed.
pub(crate) fn counts_of(group: &[u64]) -> Counts {
    let form = low_byte(group[0] >> 8);
    // Most words stand in a skill once, in its body.
    if let [only] = group
        && only & 255 == Field::Body as u64
    {
        return Counts { form, body: 1, ..Counts::default() };
    }
    let mut by_field = [0_usize; FIELDS];
    for token in group {
        if let Some(count) = by_field.get_mut((token & 255) as usize) {
            *count += 1;
        }
    }
    let [name, description, trigger, heading, body] = by_field.map(u8_of);
    Counts { form, name, description, trigger, heading, body }
}

/// Below this many tokens an ordinary sort is as fast.
const FEW: usize = 128;

/// Sorts tokens. Their first byte comes from a hash and is evenly distributed, so distributing them into
/// buckets first leaves little sorting to do. `spare` is memory to reuse.
pub(crate) fn sort_tokens(tokens: &mut Vec<u64>, spare: &mut Vec<u64>) {
    if tokens.len() < FEW {
        return sort_few(tokens);
    }
    let bucket = |token: u64| usize::from(token.to_be_bytes()[0]);
    let mut ends = [0_usize; 256];
    for &token in &*tokens {
        ends[bucket(token)] += 1;
    }
    let mut all = 0;
    for end in &mut ends {
        // The start of the bucket for now; distributing the tokens moves it to the end.
        all += std::mem::replace(end, all);
    }
    spare.clear();
    spare.resize(tokens.len(), 0);
    for &token in &*tokens {
        let end = &mut ends[bucket(token)];
        spare[*end] = token;
        *end += 1;
    }
    let mut start = 0;
    for end in ends {
        sort_few(&mut spare[start..end]);
        start = end;
    }
    std::mem::swap(tokens, spare);
}

/// Sorts a few numbers by inserting each. The sort of the standard library is a heapsort in the program that ships, which is small
/// and slower for so few.
pub(crate) fn sort_few(numbers: &mut [u64]) {
    if numbers.len() > 32 {
        return numbers.sort_unstable();
    }
    for end in 1..numbers.len() {
        let (mut at, number) = (end, numbers[end]);
        while at > 0 && numbers[at - 1] > number {
            numbers[at] = numbers[at - 1];
            at -= 1;
        }
        numbers[at] = number;
    }
}

#[cfg(test)]
mod tests;
