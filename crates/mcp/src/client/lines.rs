//! The output of a server as lines of bounded length, before they are parsed as messages.
//!
//! Line by line: what is not a JSON object is noise and does not pass; a line that does not end in time ends
//! the connection. So a server that floods costs one buffer, whatever it writes.

use super::{limits::NOISE_LINES, watch::Conduct};
use serde_json::Value;
use std::{
    borrow::Cow,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, ReadBuf};

/// Read from the server at a time.
const CHUNK: usize = 16 << 10;

/// Passes on the lines of a stream that may be messages.
pub(crate) struct Lines<R> {
    inner: R,
    limit: usize,
    conduct: Arc<Conduct>,
    /// The line that is being read.
    line: Vec<u8>,
    /// Whole lines that were not taken yet, and how much of them was.
    ready: Vec<u8>,
    taken: usize,
    ended: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(inner: R, limit: usize, conduct: Arc<Conduct>) -> Self {
        Self { inner, limit, conduct, line: Vec::new(), ready: Vec::new(), taken: 0, ended: false }
    }

    /// Takes in what was read. Whether the connection can go on.
    fn take_in(&mut self, mut bytes: &[u8]) -> bool {
        while let Some(at) = bytes.iter().position(|byte| *byte == b'\n') {
            let (end, rest) = bytes.split_at(at + 1);
            if !self.extend(end) {
                return false;
            }
            let line = std::mem::take(&mut self.line);
            match message(&line) {
                Some(message) => self.ready.extend_from_slice(&message),
                None if line.trim_ascii().is_empty() => {}
                None => {
                    if self.conduct.noise(&line) > NOISE_LINES {
                        self.conduct
                            .ends(format!("it wrote more than {NOISE_LINES} lines that are not messages"));
                        return false;
                    }
                }
            }
            bytes = rest;
        }
        self.extend(bytes)
    }

    fn extend(&mut self, bytes: &[u8]) -> bool {
        if self.line.len() + bytes.len() > self.limit {
            self.line = Vec::new();
            self.conduct.ends(format!("it sent a message of more than {} bytes", self.limit));
            return false;
        }
        self.line.extend_from_slice(bytes);
        true
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if this.taken < this.ready.len() {
                let rest = &this.ready[this.taken..];
                let some = rest.len().min(buffer.remaining());
                buffer.put_slice(&rest[..some]);
                this.taken += some;
                return Poll::Ready(Ok(()));
            }
            this.taken = 0;
            this.ready = Vec::new();
            if this.ended {
                return Poll::Ready(Ok(()));
            }
            let mut chunk = [0; CHUNK];
            let mut read = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut this.inner).poll_read(context, &mut read))?;
            let bytes = read.filled();
            this.ended = bytes.is_empty() || !this.take_in(bytes);
        }
    }
}

/// The line, if it is a JSON object; lists of messages went out of the protocol long ago.
fn message(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if !text.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let value: serde_json::Map<String, Value> = serde_json::from_slice(text).ok()?;
    let changed = without_meta(value).map(|changed| Cow::Owned((changed + "\n").into_bytes()));
    Some(changed.unwrap_or(Cow::Borrowed(line)))
}

/// The message without `result._meta`, where that would hide the rest. `rmcp` guesses what a result is by
/// its fields, and one that it does not know but has `_meta` it takes for the empty result of a tool.
fn without_meta(mut message: serde_json::Map<String, Value>) -> Option<String> {
    let result = message.get_mut("result")?.as_object_mut()?;
    let is_hidden = ["skills", "skill", "tools"].iter().any(|key| result.contains_key(*key));
    if !is_hidden || result.remove("_meta").is_none() {
        return None;
    }
    Some(Value::Object(message).to_string())
}

/// The same for a message that came as a text.
pub(crate) fn tidy(text: &[u8]) -> Cow<'_, [u8]> {
    message(text).unwrap_or(Cow::Borrowed(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    async fn passed(written: &[u8], limit: usize) -> (String, Arc<Conduct>) {
        let conduct = Arc::new(Conduct::default());
        let mut text = String::new();
        Lines::new(written, limit, Arc::clone(&conduct)).read_to_string(&mut text).await.unwrap();
        (text, conduct)
    }

    #[tokio::test]
    async fn noise_does_not_pass_and_is_told() {
        let (text, conduct) =
            passed(b"Starting\n{\"a\":1}\n\n{bad\n[1]\n \xef\xbb\xbf\n{\"b\":2}\r\n{\"cut", 64).await;
        assert_eq!(text, "{\"a\":1}\n{\"b\":2}\r\n");
        let told = conduct.told();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("4 lines") && told[0].contains("Starting"), "{told:?}");
    }

    #[tokio::test]
    async fn a_line_without_end_ends_the_connection_and_not_the_memory() {
        let mut written = b"{\"a\":1}\n".to_vec();
        written.extend(vec![b'x'; 1 << 20]);
        let (text, conduct) = passed(&written, 100).await;
        assert_eq!(text, "{\"a\":1}\n");
        assert_eq!(conduct.told(), ["it sent a message of more than 100 bytes"]);
    }

    #[test]
    fn a_result_that_meta_would_hide_loses_it_and_no_other() {
        let hidden = br#"{"id":1,"result":{"skills":[],"_meta":{"x":1}}}"#;
        assert_eq!(&*tidy(hidden), b"{\"id\":1,\"result\":{\"skills\":[]}}\n");
        let kept = br#"{"id":1,"result":{"content":[],"_meta":{"x":1}}}"#;
        assert_eq!(&*tidy(kept), kept);
        assert_eq!(&*tidy(b"nonsense"), b"nonsense");
    }
}
