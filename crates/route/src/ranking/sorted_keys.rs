//! Sorted keys in little room. Keys are evenly distributed hashes: of each the three low bytes are stored, and the high bytes of
//! all of them are a row of bits, a one for each key and a zero after the last key of each high byte (the coding of Elias and
//! Fano). A skill with 300 terms takes 3.2 bytes for each instead of 4.

use std::ops::Range;

/// Bytes of a key that are stored as they are.
const LOW: usize = 3;
/// Values of the high byte.
const HIGH: usize = 256;

/// Appends keys, which are sorted.
pub(crate) fn write(keys: impl ExactSizeIterator<Item = u32> + Clone, out: &mut Vec<u8>) {
    for key in keys.clone() {
        let [low @ .., _] = key.to_le_bytes();
        out.extend_from_slice(&low);
    }
    let start = out.len();
    out.resize(start + bits_of(keys.len()), 0);
    for (at, key) in keys.enumerate() {
        let bit = at + (key >> 24) as usize;
        out[start + bit / 8] |= 1 << (bit % 8);
    }
}

/// Bytes of the row of bits of some keys.
fn bits_of(keys: usize) -> usize {
    if keys == 0 { 0 } else { (keys + HIGH).div_ceil(8) }
}

/// Sorted keys, read in place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SortedKeys<'a> {
    low: &'a [[u8; LOW]],
    bits: &'a [u8],
}

impl<'a> SortedKeys<'a> {
    /// Takes so many keys from a block.
    pub(crate) fn read(count: usize, take: &mut impl FnMut(usize) -> Option<&'a [u8]>) -> Option<Self> {
        let low = take(count * LOW)?.as_chunks::<LOW>().0;
        Some(Self { low, bits: take(bits_of(count))? })
    }

    /// All keys, in their order.
    pub(crate) fn iter(self) -> impl Iterator<Item = u32> + 'a {
        let mut bit = 0;
        self.low.iter().enumerate().map_while(move |(at, low)| {
            // Zeros of one byte at once.
            loop {
                let rest = self.bits.get(bit / 8)? >> (bit % 8);
                if rest != 0 {
                    bit += rest.trailing_zeros() as usize;
                    break;
                }
                bit = (bit / 8 + 1) * 8;
            }
            let high = (bit - at) as u64;
            bit += 1;
            let [a, b, c] = *low;
            Some(u32::from_le_bytes([a, b, c, u8::try_from(high).ok()?]))
        })
    }

    /// The places of a key.
    pub(crate) fn places(self, key: u32) -> impl Iterator<Item = usize> + 'a {
        let [low @ .., high] = key.to_le_bytes();
        self.with_high(usize::from(high)).filter(move |at| self.low.get(*at) == Some(&low))
    }

    /// The places of the keys with a high byte.
    fn with_high(self, high: usize) -> Range<usize> {
        let (mut bit, mut left) = (0, high);
        // Whole bytes first.
        for byte in self.bits {
            let zeros = byte.count_zeros() as usize;
            if zeros >= left {
                break;
            }
            left -= zeros;
            bit += 8;
        }
        let is_set = |bit: usize| self.bits.get(bit / 8).map(|byte| byte >> (bit % 8) & 1 == 1);
        while left > 0 {
            match is_set(bit) {
                Some(true) => {}
                Some(false) => left -= 1,
                None => return 0..0,
            }
            bit += 1;
        }
        let first = bit - high;
        let count = (bit..self.bits.len() * 8).take_while(|bit| is_set(*bit) == Some(true)).count();
        first..first + count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(count: u32, step: u32) -> Vec<u32> {
        let mut state = 7_u32;
        let mut keys: Vec<u32> = (0..count)
            .map(|_| {
                state = state.wrapping_mul(0x9e37_79b1).rotate_left(13) ^ step;
                state
            })
            .collect();
        keys.extend_from_within(..keys.len() / 3);
        keys.sort_unstable();
        keys
    }

    fn read(bytes: &[u8], count: usize) -> Option<SortedKeys<'_>> {
        let mut rest = bytes;
        SortedKeys::read(count, &mut |length| {
            let (taken, left) = rest.split_at_checked(length)?;
            rest = left;
            Some(taken)
        })
    }

    #[test]
    fn keys_come_back_in_their_order_and_each_is_found_at_all_its_places() {
        let edges = vec![0, 0, 1, 0x00ff_ffff, 0x0100_0000, 0xff00_0000, u32::MAX, u32::MAX];
        for keys in [Vec::new(), vec![0], vec![u32::MAX], edges, keys(9, 1), keys(300, 2), keys(5_000, 3)] {
            let mut bytes = Vec::new();
            write(keys.iter().copied(), &mut bytes);
            let read = read(&bytes, keys.len()).unwrap();
            assert_eq!(read.iter().collect::<Vec<_>>(), keys);
            for wanted in keys.iter().flat_map(|key| [*key, key.wrapping_add(1), key ^ 0x0100_0000]) {
                let places: Vec<usize> = (0..keys.len()).filter(|at| keys[*at] == wanted).collect();
                assert_eq!(read.places(wanted).collect::<Vec<_>>(), places, "{wanted:x}");
            }
        }
    }

    #[test]
    fn damaged_bytes_give_other_keys_or_none_and_end() {
        let keys = keys(40, 5);
        let mut bytes = Vec::new();
        write(keys.iter().copied(), &mut bytes);
        assert!(read(&bytes[..bytes.len() - 1], keys.len()).is_none(), "cut off");
        for at in 0..bytes.len() {
            for value in [0, 0x55, 255] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let read = read(&damaged, keys.len()).unwrap();
                assert!(read.iter().count() <= keys.len());
                for key in &keys {
                    assert!(read.places(*key).count() <= keys.len());
                }
            }
        }
    }
}
