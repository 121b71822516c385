//! Deflating, the same on every machine.
//!
//! zlib-rs finds matches without asking the processor how, so one version of it gives one result
//! everywhere; a test pins the bytes, so that an upgrade which changes them is a decision.

use flate2::{Compress, Compression, FlushCompress, Status};

/// Writers pack nothing tighter than this and store it instead, so that every careful reader, ours
/// included, takes what we write: with no member above the ratio, the whole cannot be above it either.
pub(super) const TIGHTEST: usize = 20;

/// The bytes as a raw deflate stream.
pub(super) fn deflate(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut stream = Compress::new(level, false);
    let mut packed = Vec::new();
    loop {
        packed.reserve(bytes.len() / 2 + 1024);
        let consumed = usize::try_from(stream.total_in()).unwrap_or(usize::MAX);
        let rest = bytes.get(consumed..).unwrap_or_default();
        match stream.compress_vec(rest, &mut packed, FlushCompress::Finish) {
            Ok(Status::Ok | Status::BufError) => {}
            Ok(Status::StreamEnd) | Err(_) => return packed,
        }
    }
}
