//! Fuzzes the stream decoder in both wire formats: the result is an answer or an error, and does not depend
//! on how the bytes are split.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_llm::{Decoder, Wire};

fuzz_target!(|bytes: &[u8]| {
    let Some((cut, bytes)) = bytes.split_first() else { return };
    for wire in [Wire::Anthropic, Wire::OpenAi] {
        let read = |size: usize| {
            let mut decoder = Decoder::new(wire);
            for piece in bytes.chunks(size.max(1)) {
                decoder.push(piece)?;
                if decoder.is_done() {
                    break;
                }
            }
            decoder.finish()
        };
        let (whole, pieces) = (read(bytes.len()), read(usize::from(*cut)));
        assert_eq!(whole.is_ok(), pieces.is_ok());
        if let (Ok(whole), Ok(pieces)) = (whole, pieces) {
            assert_eq!(whole, pieces);
        }
    }
});
