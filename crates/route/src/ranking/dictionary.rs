//! The dictionary of an index in little room: sorted keys, and where the list of postings of each term is.
//!
//! Keys are evenly distributed hashes. A table has the number of keys before each value of their first bits, and of each key only
//! the bytes behind them are stored. Of the lists, the lengths are stored, and the place of one in [`GROUP`].

use super::{
    base::{read_gap, write_gap},
    math::u32_of,
};
use std::ops::Range;

/// From this many keys on, a table of two bytes is smaller than a byte of each key.
const MANY: usize = 1 << 19;
/// Terms of which the first one's place is stored.
const GROUP: usize = 32;
/// Bytes of a group: the place of its first list, and that of its first length.
const GROUP_BYTES: usize = 8 + 4;
/// Bytes of a number in the table.
const NUMBER: usize = 4;

/// Bytes of a key that are stored as they are.
fn low_bytes(keys: usize) -> usize {
    if keys < MANY { 3 } else { 2 }
}

/// Numbers in the table.
fn numbers(keys: usize) -> usize {
    1 << ((4 - low_bytes(keys)) * 8)
}

/// A dictionary that is being made, term after term, sorted by key.
#[derive(Default)]
pub(crate) struct NewDictionary {
    keys: Vec<u32>,
    groups: Vec<u8>,
    lengths: Vec<u8>,
    /// Bytes of all lists so far.
    end: u64,
}

impl NewDictionary {
    /// Adds a term and the number of bytes of its list.
    pub(crate) fn add(&mut self, key: u32, length: usize) {
        if self.keys.len().is_multiple_of(GROUP) {
            self.groups.extend_from_slice(&self.end.to_le_bytes());
            self.groups.extend_from_slice(&u32_of(self.lengths.len()).to_le_bytes());
        }
        self.keys.push(key);
        write_gap(u32_of(length), &mut self.lengths);
        self.end += length as u64;
    }

    pub(crate) fn terms(&self) -> usize {
        self.keys.len()
    }

    /// The keys, and the places of the lists.
    pub(crate) fn finish(self) -> (Vec<u8>, Vec<u8>) {
        let Self { keys, mut groups, lengths, .. } = self;
        let low = low_bytes(keys.len());
        let mut bytes = Vec::with_capacity(numbers(keys.len()) * NUMBER + keys.len() * low);
        for first in (0..).take(numbers(keys.len())) {
            let before = keys.partition_point(|key| key >> (low * 8) < first);
            bytes.extend_from_slice(&u32_of(before).to_le_bytes());
        }
        for key in keys {
            bytes.extend_from_slice(&key.to_le_bytes()[..low]);
        }
        groups.extend_from_slice(&lengths);
        (bytes, groups)
    }
}

/// A dictionary, read in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dictionary<'a> {
    pub(crate) keys: &'a [u8],
    pub(crate) lists: &'a [u8],
    pub(crate) terms: usize,
}

impl Dictionary<'_> {
    /// Whether there are as many bytes as so many terms have, as far as that is known without reading them.
    pub(crate) fn fits(&self) -> bool {
        let table = numbers(self.terms) * NUMBER;
        let low = self.terms.checked_mul(low_bytes(self.terms));
        let groups = self.terms.div_ceil(GROUP).checked_mul(GROUP_BYTES);
        low.and_then(|low| low.checked_add(table)) == Some(self.keys.len())
            && groups
                .and_then(|groups| groups.checked_add(self.terms))
                .is_some_and(|all| all <= self.lists.len())
    }

    /// Where the list of a term is among all lists.
    pub(crate) fn list(&self, key: u32) -> Option<Range<usize>> {
        self.list_at(self.place(key)?)
    }

    fn place(&self, key: u32) -> Option<usize> {
        let width = low_bytes(self.terms);
        let first = usize::try_from(key >> (width * 8)).ok()?;
        let table = numbers(self.terms);
        let start = self.before(first)?;
        let end = if first + 1 < table { self.before(first + 1)? } else { self.terms };
        let low = self.keys.get(table * NUMBER..)?.get(start * width..end * width)?;
        let wanted = &key.to_le_bytes()[..width];
        let (mut from, mut to) = (0, end - start);
        while from < to {
            let middle = from.midpoint(to);
            let found = low.get(middle * width..(middle + 1) * width)?;
            // The last byte is the highest.
            match found.iter().rev().cmp(wanted.iter().rev()) {
                std::cmp::Ordering::Equal => return Some(start + middle),
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// How many keys begin with a smaller number.
    fn before(&self, first: usize) -> Option<usize> {
        let bytes = self.keys.get(first * NUMBER..)?.first_chunk::<NUMBER>()?;
        usize::try_from(u32::from_le_bytes(*bytes)).ok()
    }

    fn list_at(&self, place: usize) -> Option<Range<usize>> {
        let group = self.lists.get(place / GROUP * GROUP_BYTES..)?;
        let mut start = usize::try_from(u64::from_le_bytes(*group.first_chunk::<8>()?)).ok()?;
        let at = u32::from_le_bytes(*group.get(8..)?.first_chunk::<4>()?);
        let lengths = self.lists.get(self.terms.div_ceil(GROUP) * GROUP_BYTES..)?;
        let mut at = usize::try_from(at).ok()?;
        for _ in 0..place % GROUP {
            let (length, next) = read_gap(lengths, at)?;
            start = start.checked_add(length)?;
            at = next;
        }
        let (length, _) = read_gap(lengths, at)?;
        Some(start..start.checked_add(length)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::math::{low_half, mix};

    fn made(terms: usize) -> (Vec<(u32, usize)>, Vec<u8>, Vec<u8>) {
        let mut keys: Vec<u32> = (0..terms as u64).map(|number| low_half(mix(number))).collect();
        keys.extend([0, u32::MAX]);
        keys.sort_unstable();
        keys.dedup();
        let terms: Vec<(u32, usize)> = keys
            .into_iter()
            .enumerate()
            .map(|(at, key)| (key, if at % 97 == 5 { 70_000 } else { at % 300 }))
            .collect();
        let mut new = NewDictionary::default();
        for (key, length) in &terms {
            new.add(*key, *length);
        }
        assert_eq!(new.terms(), terms.len());
        let (keys, lists) = new.finish();
        (terms, keys, lists)
    }

    #[test]
    fn every_term_has_its_list_and_other_keys_have_none() {
        for count in [0, 1, 31, 32, 33, 5_000, MANY + 10] {
            let (terms, keys, lists) = made(count);
            let dictionary = Dictionary { keys: &keys, lists: &lists, terms: terms.len() };
            assert!(dictionary.fits());
            let mut start = 0;
            for (key, length) in &terms {
                assert_eq!(dictionary.list(*key), Some(start..start + length));
                start += length;
            }
            let is_known = |key: u32| terms.binary_search_by_key(&key, |(key, _)| *key).is_ok();
            for (key, _) in terms.iter().take(2_000) {
                let other = key ^ 0x0100;
                assert_eq!(dictionary.list(other).is_some(), is_known(other));
            }
        }
    }

    #[test]
    fn an_empty_dictionary_has_no_term() {
        let (keys, lists) = NewDictionary::default().finish();
        let dictionary = Dictionary { keys: &keys, lists: &lists, terms: 0 };
        assert!(dictionary.fits());
        assert_eq!([0, 7, u32::MAX].map(|key| dictionary.list(key)), [None, None, None]);
    }

    #[test]
    fn a_damaged_dictionary_gives_other_lists_or_none() {
        let (terms, keys, lists) = made(100);
        for at in 0..keys.len() + lists.len() {
            let (mut keys, mut lists) = (keys.clone(), lists.clone());
            match at.checked_sub(keys.len()) {
                None => keys[at] ^= 0xff,
                Some(at) => lists[at] ^= 0xff,
            }
            let dictionary = Dictionary { keys: &keys, lists: &lists, terms: terms.len() };
            let found = terms.iter().filter_map(|(key, _)| dictionary.list(*key)).count();
            assert!(found <= terms.len());
        }
        let fewer = Dictionary { keys: &keys, lists: &lists, terms: terms.len() - 1 };
        let more = Dictionary { keys: &keys, lists: &lists[..terms.len()], terms: terms.len() };
        assert_eq!([fewer.fits(), more.fits()], [false, false]);
    }
}
