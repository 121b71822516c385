//! Counts in little room. Most are small: a term of the head has one byte for all its parts and a term of the body two bits, and
//! what does not fit stands behind them in a list of exceptions, in the same order.

use super::counts::Counts;

/// The code of an exception of the head.
const HEAD_EXCEPTION: u8 = u8::MAX;
/// Bytes of an exception of the head.
const EXCEPTION: usize = 3;
/// The code of an exception of the body: four times or more.
const BODY_EXCEPTION: u8 = 3;
/// One bit of each of four codes.
const LOW_BITS: u8 = 0b0101_0101;

/// Appends the counts of the terms of a head: the form of each, the code of each, the exceptions.
pub(crate) fn write_head(counts: impl Iterator<Item = Counts> + Clone, out: &mut Vec<u8>) {
    out.extend(counts.clone().map(|counts| counts.form));
    out.extend(counts.clone().map(head_code));
    for counts in counts.filter(|counts| head_code(*counts) == HEAD_EXCEPTION) {
        out.extend_from_slice(&counts.pack().to_le_bytes()[..EXCEPTION]);
    }
}

/// One bit for the description, one for the triggers, two for headings and four for the body.
fn head_code(counts: Counts) -> u8 {
    let Counts { name, description, trigger, heading, body, .. } = counts;
    if name > 0 || description > 1 || trigger > 1 || heading > 3 || body > 15 {
        return HEAD_EXCEPTION;
    }
    description << 7 | trigger << 6 | heading << 4 | body
}

/// Appends the counts of the terms of a body: four bits of the form of each, the code of each, the exceptions.
pub(crate) fn write_body(counts: impl Iterator<Item = Counts> + Clone, out: &mut Vec<u8>) {
    write_bits(counts.clone().map(|counts| counts.form & 15), 4, out);
    write_bits(counts.clone().map(body_code), 2, out);
    let exceptions = counts.filter(|counts| body_code(*counts) == BODY_EXCEPTION);
    write_bits(exceptions.map(|counts| counts.body.min(15)), 4, out);
}

fn body_code(counts: Counts) -> u8 {
    if let 1..=3 = counts.body { counts.body - 1 } else { BODY_EXCEPTION }
}

/// Appends numbers of two or four bits.
fn write_bits(numbers: impl Iterator<Item = u8>, bits: usize, out: &mut Vec<u8>) {
    let each = 8 / bits;
    for (at, number) in numbers.enumerate() {
        if at % each == 0 {
            out.push(0);
        }
        if let Some(last) = out.last_mut() {
            *last |= number << (at % each * bits);
        }
    }
}

/// A number of two or four bits.
fn read_bits(bytes: &[u8], bits: usize, at: usize) -> Option<u8> {
    let each = 8 / bits;
    Some(bytes.get(at / each)? >> (at % each * bits) & ((1 << bits) - 1))
}

/// The counts of the terms of a head, read in place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeadCounts<'a> {
    forms: &'a [u8],
    codes: &'a [u8],
    exceptions: &'a [[u8; EXCEPTION]],
}

impl<'a> HeadCounts<'a> {
    /// Takes the counts of so many terms from a block.
    pub(crate) fn read(count: usize, take: &mut impl FnMut(usize) -> Option<&'a [u8]>) -> Option<Self> {
        let (forms, codes) = (take(count)?, take(count)?);
        let exceptions = take(exceptions_of(codes) * EXCEPTION)?.as_chunks().0;
        Some(Self { forms, codes, exceptions })
    }

    /// The counts of the term at a place.
    pub(crate) fn get(self, at: usize) -> Option<Counts> {
        self.counts(at, || exceptions_of(self.codes.get(..at).unwrap_or_default()))
    }

    /// All counts, in their order.
    pub(crate) fn iter(self) -> impl Iterator<Item = Counts> + 'a {
        let mut exception = 0;
        (0..self.codes.len()).map_while(move |at| {
            self.counts(at, || {
                exception += 1;
                exception - 1
            })
        })
    }

    /// `exceptions` returns how many exceptions stand before the place.
    fn counts(self, at: usize, exceptions: impl FnOnce() -> usize) -> Option<Counts> {
        let (form, code) = (*self.forms.get(at)?, *self.codes.get(at)?);
        if code == HEAD_EXCEPTION {
            let [a, b, c] = *self.exceptions.get(exceptions())?;
            return Some(Counts { form, ..Counts::unpack(u32::from_le_bytes([a, b, c, 0])) });
        }
        let (description, trigger, heading, body) = (code >> 7, code >> 6 & 1, code >> 4 & 3, code & 15);
        Some(Counts { form, name: 0, description, trigger, heading, body })
    }
}

fn exceptions_of(codes: &[u8]) -> usize {
    memchr::memchr_iter(HEAD_EXCEPTION, codes).count()
}

/// The counts of the terms of a body, read in place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodyCounts<'a> {
    count: usize,
    forms: &'a [u8],
    codes: &'a [u8],
    exceptions: &'a [u8],
}

impl<'a> BodyCounts<'a> {
    /// Takes the counts of so many terms from a block.
    pub(crate) fn read(count: usize, take: &mut impl FnMut(usize) -> Option<&'a [u8]>) -> Option<Self> {
        let (forms, codes) = (take(count.div_ceil(2))?, take(count.div_ceil(4))?);
        let exceptions = take(body_exceptions(codes, count).div_ceil(2))?;
        Some(Self { count, forms, codes, exceptions })
    }

    /// The counts of the term at a place.
    pub(crate) fn get(self, at: usize) -> Option<Counts> {
        self.counts(at, || body_exceptions(self.codes, at))
    }

    /// All counts, in their order.
    pub(crate) fn iter(self) -> impl Iterator<Item = Counts> + 'a {
        let mut exception = 0;
        (0..self.count).map_while(move |at| {
            self.counts(at, || {
                exception += 1;
                exception - 1
            })
        })
    }

    fn counts(self, at: usize, exceptions: impl FnOnce() -> usize) -> Option<Counts> {
        let form = read_bits(self.forms, 4, at)?;
        let body = match read_bits(self.codes, 2, at)? {
            BODY_EXCEPTION => read_bits(self.exceptions, 4, exceptions())?,
            code => code + 1,
        };
        Some(Counts { form, body, ..Counts::default() })
    }
}

/// How many of the first `count` codes are those of exceptions.
fn body_exceptions(codes: &[u8], count: usize) -> usize {
    let both = |byte: u8| (byte & byte >> 1 & LOW_BITS).count_ones() as usize;
    let whole = codes.iter().take(count / 4).map(|byte| both(*byte)).sum::<usize>();
    let part = codes.get(count / 4).map_or(0, |byte| both(byte & ((1 << (count % 4 * 2)) - 1)));
    whole + part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader<'a>(bytes: &'a [u8]) -> impl FnMut(usize) -> Option<&'a [u8]> {
        let mut rest = bytes;
        move |length| {
            let (taken, left) = rest.split_at_checked(length)?;
            rest = left;
            Some(taken)
        }
    }

    fn head(count: u8) -> Vec<Counts> {
        let counts = |at: u8| Counts {
            form: at.wrapping_mul(37),
            name: u8::from(at % 11 == 3),
            description: at % 3,
            trigger: at % 5 / 3,
            heading: at % 7,
            body: at.wrapping_mul(13) % 33,
        };
        let largest = Counts { form: 1, name: 0, description: 1, trigger: 1, heading: 3, body: 15 };
        let most = Counts { form: 255, name: 7, description: 31, trigger: 31, heading: 31, body: 63 };
        (0..count).map(counts).chain([largest, most, Counts::default()]).collect()
    }

    fn body(count: u8) -> Vec<Counts> {
        let counts = |at: u8| Counts { form: at % 16, body: at.wrapping_mul(7) % 16, ..Counts::default() };
        (0..count).map(counts).collect()
    }

    #[test]
    fn counts_come_back_in_their_order_and_one_by_one() {
        for count in [0, 1, 2, 3, 4, 5, 90, 250] {
            let (head, body) = (head(count), body(count));
            let mut bytes = Vec::new();
            write_head(head.iter().copied(), &mut bytes);
            write_body(body.iter().copied(), &mut bytes);
            let mut take = reader(&bytes);
            let read = HeadCounts::read(head.len(), &mut take).unwrap();
            assert_eq!(read.iter().collect::<Vec<_>>(), head);
            assert_eq!((0..head.len()).map_while(|at| read.get(at)).collect::<Vec<_>>(), head);
            assert_eq!(read.get(head.len()), None);
            let read = BodyCounts::read(body.len(), &mut take).unwrap();
            assert_eq!(read.iter().collect::<Vec<_>>(), body);
            assert_eq!((0..body.len()).map_while(|at| read.get(at)).collect::<Vec<_>>(), body);
            assert_eq!(take(1), None, "nothing is left");
        }
    }

    #[test]
    fn damaged_bytes_give_other_counts_or_none() {
        let (head, body) = (head(40), body(40));
        let mut bytes = Vec::new();
        write_head(head.iter().copied(), &mut bytes);
        write_body(body.iter().copied(), &mut bytes);
        for at in 0..bytes.len() {
            for value in [0, 0x55, 255] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let mut take = reader(&damaged);
                if let Some(read) = HeadCounts::read(head.len(), &mut take) {
                    assert!(read.iter().count() <= head.len());
                }
                if let Some(read) = BodyCounts::read(body.len(), &mut take) {
                    assert!(read.iter().count() <= body.len());
                }
            }
        }
    }
}
