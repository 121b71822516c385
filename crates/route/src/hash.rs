//! Stable hashes, fast enough to run over a whole index file.

const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
const LANES: usize = 4;

/// Hashes bytes. Four independent lanes make it as fast as memory. Every step is reversible, so a single
/// changed word always changes the result.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<{ LANES * 8 }>();
    let mut lanes = [1_u64, 2, 3, 4].map(|lane| lane.wrapping_mul(PRIME));
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = step(*lane, u64::from_le_bytes(*word));
        }
    }
    let mut state = lanes.into_iter().fold(bytes.len() as u64, step);
    for word in rest.chunks(8) {
        state = step(state, word.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }
    mix(state)
}

/// Hashes several parts. Boundaries count: `["ab", "c"]` and `["a", "bc"]` differ.
pub(crate) fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    mix(parts.into_iter().fold(PRIME, |state, part| step(state, checksum(part))))
}

fn step(state: u64, word: u64) -> u64 {
    (state.rotate_left(23) ^ word).wrapping_mul(PRIME)
}

fn mix(mut state: u64) -> u64 {
    state ^= state >> 32;
    state = state.wrapping_mul(0xd6e8_feb8_6659_fd93);
    state ^ state >> 32
}
