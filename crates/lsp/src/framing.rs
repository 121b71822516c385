//! Frames of the protocol: a header with the length, an empty line, and that many bytes.

use std::io::{self, BufRead, Read, Write};

/// A longer message is skipped without being kept.
pub const MESSAGE_LIMIT: u64 = 64 << 20;
/// Bytes of a header.
const HEADER_LIMIT: u64 = 8 << 10;

/// What stands between two frames.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The bytes of one message.
    Message(Vec<u8>),
    /// A message of that many bytes was skipped.
    TooLong(u64),
    /// The client closed the stream.
    Closed,
    /// The header cannot be read, so the start of the next message is unknown.
    Unframed(String),
}

/// Reads the next frame.
pub(crate) fn read(input: &mut impl BufRead) -> Frame {
    let length = match length(input) {
        Ok(Some(length)) => length,
        Ok(None) => return Frame::Closed,
        Err(why) => return Frame::Unframed(why),
    };
    if length > MESSAGE_LIMIT {
        return match io::copy(&mut input.take(length), &mut io::sink()) {
            Ok(skipped) if skipped == length => Frame::TooLong(length),
            _ => Frame::Closed,
        };
    }
    // Memory grows with what arrives, not with what a header announces.
    let mut bytes = Vec::new();
    match input.take(length).read_to_end(&mut bytes) {
        Ok(read) if read as u64 == length => Frame::Message(bytes),
        _ => Frame::Closed,
    }
}

/// The length that a header announces; `None` at the end of the stream.
fn length(input: &mut impl BufRead) -> Result<Option<u64>, String> {
    let mut length = None;
    let mut left = HEADER_LIMIT;
    loop {
        let mut line = Vec::new();
        let read = input.take(left).read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
        left -= read as u64;
        if read == 0 {
            return if left == 0 { Err("a header is too long".to_owned()) } else { Ok(None) };
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            match length {
                Some(length) => return Ok(Some(length)),
                None if left + 2 >= HEADER_LIMIT => continue,
                None => return Err("a header has no Content-Length".to_owned()),
            }
        }
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            let parsed = value.trim().parse::<u64>();
            length = Some(parsed.map_err(|_| format!("`{}` is not a length", value.trim().escape_debug()))?);
        }
    }
}

/// Writes one frame.
pub(crate) fn write(output: &mut impl Write, message: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", message.len())?;
    output.write_all(message)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(bytes: &[u8]) -> Vec<Frame> {
        let mut input = io::BufReader::new(bytes);
        let mut out = Vec::new();
        loop {
            let frame = read(&mut input);
            let last = matches!(frame, Frame::Closed | Frame::Unframed(_));
            out.push(frame);
            if last {
                return out;
            }
        }
    }

    #[test]
    fn frames_are_read_in_any_form_that_clients_write() {
        let bytes = b"Content-Length: 2\r\n\r\n{}content-length:3\nContent-Type: x\n\n[1]";
        let message = |bytes: &[u8]| Frame::Message(bytes.to_vec());
        assert_eq!(frames(bytes), [message(b"{}"), message(b"[1]"), Frame::Closed]);
    }

    #[test]
    fn a_length_does_not_allocate_and_a_header_is_bounded() {
        assert_eq!(frames(b"Content-Length: 18446744073709551615\r\n\r\nabc"), [Frame::Closed]);
        assert_eq!(frames(b"Content-Length: 9\r\n\r\nabc"), [Frame::Closed]);
        assert_eq!(
            frames(b"Content-Length: many\r\n\r\n"),
            [Frame::Unframed("`many` is not a length".to_owned())]
        );
        assert_eq!(frames(b"X: y\r\n\r\n"), [Frame::Unframed("a header has no Content-Length".to_owned())]);
        assert_eq!(frames(&vec![b'x'; 20_000]), [Frame::Unframed("a header is too long".to_owned())]);
    }
}
