//! Arithmetic that gives the same bits on every platform: conversions, logarithm, exponential.
//!
//! `f32::ln` and `f32::exp` call the platform's library, and its last bit differs between systems. Ranks must
//! not differ, so both are implemented with the four operations that IEEE 754 defines exactly.

/// A count as a float; counts here stay far below 2^24, up to which a float is exact.
#[expect(clippy::cast_precision_loss, reason = "counts are bounded well below 2^24")]
pub(crate) fn float(count: usize) -> f32 {
    count as f32
}

/// A float as a small integer: rounded, clamped to `0..=limit`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before the cast")]
pub(crate) fn quantise(value: f32, limit: u32) -> u32 {
    let rounded = (value.clamp(0.0, 16_000_000.0) + 0.5) as u32;
    rounded.min(limit)
}

/// A count as a `u32`, saturating.
pub(crate) fn u32_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A count as a `u16`, saturating.
pub(crate) fn u16_of(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// A count as a `u8`, saturating.
pub(crate) fn u8_of(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

/// The low byte of a hash.
#[expect(clippy::cast_possible_truncation, reason = "only the low byte is needed")]
pub(crate) fn low_byte(hash: u64) -> u8 {
    hash as u8
}

/// The low half of a hash.
#[expect(clippy::cast_possible_truncation, reason = "only the low half is needed")]
pub(crate) fn low_half(hash: u64) -> u32 {
    hash as u32
}

/// Natural logarithm of a positive finite number; 0 for anything else.
pub(crate) fn ln(value: f32) -> f32 {
    if !value.is_finite() || value <= 0.0 {
        return 0.0;
    }
    let mut mantissa = f64::from(value);
    let mut exponent = 0.0_f64;
    while mantissa >= 1.5 {
        mantissa *= 0.5;
        exponent += 1.0;
    }
    while mantissa < 0.75 {
        mantissa *= 2.0;
        exponent -= 1.0;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)); |y| <= 0.2, so eight terms give a precision of 1e-12.
    let y = (mantissa - 1.0) / (mantissa + 1.0);
    let square = y * y;
    let mut sum = 0.0;
    for odd in [15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * square + 1.0 / odd;
    }
    narrow(2.0 * y * sum + exponent * std::f64::consts::LN_2)
}

/// The logistic function.
pub(crate) fn logistic(value: f32) -> f32 {
    let x = f64::from(value.clamp(-30.0, 30.0));
    // exp(-x) = (exp(-x / 1024)) ^ 1024, the inner one by its series.
    let small = -x / 1024.0;
    let mut power = 1.0 + small * (1.0 + small / 2.0 * (1.0 + small / 3.0 * (1.0 + small / 4.0)));
    for _ in 0..10 {
        power *= power;
    }
    narrow(1.0 / (1.0 + power))
}

#[expect(clippy::cast_possible_truncation, reason = "results are stored in single precision")]
fn narrow(value: f64) -> f32 {
    value as f32
}

/// A stable 64-bit hash of bytes: eight bytes at a time, then the rest as one number.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let state = words.iter().fold(bytes.len() as u64, |state, word| step(state, u64::from_le_bytes(*word)));
    mix(step(state, short(rest)))
}

/// [`hash`] of the first `length` bytes, at most seven, of a little-endian number.
pub(crate) fn hash_short(bytes: u64, length: usize) -> u64 {
    mix(step(length as u64, start(bytes, length)))
}

/// [`hash`] of eight bytes and the first `length` bytes, at most seven, of eight more.
pub(crate) fn hash_longer(first: u64, second: u64, length: usize) -> u64 {
    mix(step(step(8 + length as u64, first), start(second, length)))
}

fn step(state: u64, word: u64) -> u64 {
    (state.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The first `length` bytes of a little-endian number as a number, the first byte highest.
fn start(bytes: u64, length: usize) -> u64 {
    bytes.swap_bytes().checked_shr(64 - 8 * u32_of(length.min(8))).unwrap_or(0)
}

/// Up to seven bytes as a number, the first byte highest. Uses two overlapping reads instead of a loop: words
/// are short, and the branch of a loop would be hard to predict.
fn short(bytes: &[u8]) -> u64 {
    let number = |first: u64, width: usize, last: u64| first << ((bytes.len() - width) * 8) | last;
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        number(u32::from_be_bytes(*first).into(), 4, u32::from_be_bytes(*last).into())
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>()) {
        number(u16::from_be_bytes(*first).into(), 2, u16::from_be_bytes(*last).into())
    } else {
        bytes.first().copied().map_or(0, u64::from)
    }
}

/// Distributes a hash over all of its bits.
pub(crate) fn mix(mut state: u64) -> u64 {
    state ^= state >> 32;
    state = state.wrapping_mul(0xd6e8_feb8_6659_fd93);
    state ^ (state >> 32)
}

/// Maps an evenly distributed hash to a position below `places`.
pub(crate) fn scaled(hash: u32, places: usize) -> usize {
    ((u64::from(hash) * places as u64) >> 32) as usize
}
