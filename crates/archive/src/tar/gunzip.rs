//! A gzip stream of one member, inflated on demand: nothing is unpacked before the reader of the tar
//! inside has judged what comes next.

use crate::refuse;
use flate2::{Crc, Decompress, FlushDecompress, Status};
use skillful_format::{Code, Diagnostic};

const HEADER: usize = 10;
const TRAILER: usize = 8;
const HAS_NAME: u8 = 1 << 3;
const IS_TEXT: u8 = 1;

/// Longest original file name a header may hold.
const NAME: usize = 255;

/// The stream and how far it was read.
pub(super) struct Gunzip<'a> {
    input: &'a [u8],
    stream: Decompress,
    crc: Crc,
    ended: bool,
}

impl<'a> Gunzip<'a> {
    /// Reads the header.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, Diagnostic> {
        let cut_off = || refuse::unreadable("the gzip stream is cut off in its header");
        let (header, mut input) = bytes.split_at_checked(HEADER).ok_or_else(cut_off)?;
        let (method, flags) = (header[2], header[3]);
        if method != 8 {
            return Err(Diagnostic::new(
                Code::ArchiveMethod,
                format!("the gzip stream uses compression method {method}"),
            )
            .help("only deflate is read; pack the folder again with default settings"));
        }
        if flags & !(HAS_NAME | IS_TEXT) != 0 {
            return Err(refuse::unreadable("the gzip header has fields that only hide data"));
        }
        if flags & HAS_NAME != 0 {
            let length = memchr::memchr(0, &input[..input.len().min(NAME + 1)]).ok_or_else(|| {
                refuse::unreadable("the name in the gzip header has no end, or is too long")
            })?;
            input = &input[length + 1..];
        }
        Ok(Self { input, stream: Decompress::new(false), crc: Crc::new(), ended: false })
    }

    /// Reads up to the length of `out`; nothing at the end of the stream, which is checked then.
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, Diagnostic> {
        while !self.ended && !out.is_empty() {
            let (consumed, produced) = (self.stream.total_in(), self.stream.total_out());
            let status = self
                .stream
                .decompress(self.input, out, FlushDecompress::None)
                .map_err(|_| refuse::unreadable("the gzip stream is damaged"))?;
            // Both differences are at most the lengths of the slices handed in.
            let consumed = usize::try_from(self.stream.total_in() - consumed).unwrap_or(usize::MAX);
            let produced = usize::try_from(self.stream.total_out() - produced).unwrap_or(usize::MAX);
            self.input = self.input.get(consumed..).unwrap_or_default();
            let new = out.get(..produced).unwrap_or_default();
            self.crc.update(new);
            if status == Status::StreamEnd {
                self.ended = true;
                self.check_trailer()?;
            } else if consumed == 0 && produced == 0 {
                return Err(refuse::unreadable("the gzip stream is cut off"));
            }
            if produced > 0 {
                return Ok(produced);
            }
        }
        Ok(0)
    }

    /// Fills `out`, or fails.
    pub(super) fn fill(&mut self, mut out: &mut [u8]) -> Result<(), Diagnostic> {
        while !out.is_empty() {
            match self.read(out)? {
                0 => {
                    return Err(refuse::unreadable(
                        "the gzip stream ends in the middle of its tar archive, or holds none",
                    ));
                }
                count => out = &mut out[count..],
            }
        }
        Ok(())
    }

    fn check_trailer(&self) -> Result<(), Diagnostic> {
        let (trailer, rest) = self
            .input
            .split_at_checked(TRAILER)
            .ok_or_else(|| refuse::unreadable("the gzip stream is cut off in its trailer"))?;
        // The length is kept modulo 2³², as `amount` counts it.
        let expected = [self.crc.sum().to_le_bytes(), self.crc.amount().to_le_bytes()].concat();
        if trailer != expected {
            return Err(refuse::unreadable("the checksum or length of the gzip stream does not match"));
        }
        match rest {
            [] => Ok(()),
            [0x1f, 0x8b, ..] => Err(refuse::stray("a second gzip stream stands behind the first")),
            _ => Err(refuse::stray("bytes stand behind the gzip stream")),
        }
    }
}
