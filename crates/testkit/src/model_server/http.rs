//! Reads one request from a connection and sends its answer.

use super::{
    RecordedRequest, Shared,
    answer::{Broken, ModelAnswer},
    answer_parts::{ScriptedAnswer, WireFormat},
};
use serde_json::Value;
use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    sync::{PoisonError, atomic::Ordering},
    time::Duration,
};

/// Largest request of a test in bytes.
const BODY_LIMIT: usize = 16 << 20;
/// Sizes of the pieces of a stream, repeated; some end inside a character.
const PIECES: [usize; 8] = [1, 2, 3, 5, 8, 13, 64, 200];
/// Largest number of pieces of one answer, to save time; longer answers are sent in larger pieces.
const MANY: usize = 2_000;

pub(super) fn read(stream: &TcpStream) -> io::Result<RecordedRequest> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse::<usize>().ok()).unwrap_or(0);
    let mut body = vec![0; length.min(BODY_LIMIT)];
    reader.read_exact(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(RecordedRequest { path, headers, body })
}

/// A response before it is sent.
struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    is_stream: bool,
    body: Vec<u8>,
}

impl Response {
    fn json(status: u16, body: &Value) -> Self {
        Self { status, headers: Vec::new(), is_stream: false, body: body.to_string().into_bytes() }
    }

    fn events(body: String) -> Self {
        Self { status: 200, headers: Vec::new(), is_stream: true, body: body.into_bytes() }
    }
}

pub(super) fn answer(
    stream: &TcpStream,
    shared: &Shared,
    asked: &RecordedRequest,
    answer: ModelAnswer,
) -> io::Result<()> {
    match answer {
        ModelAnswer::Slow(time, then) => {
            wait(shared, time);
            self::answer(stream, shared, asked, *then)
        }
        ModelAnswer::HangUp => Ok(()),
        ModelAnswer::Endless(length) => endless(stream, shared, length),
        ModelAnswer::Breaks(bytes, how, then) => {
            if let Some(response) = response(shared, asked, *then) {
                send(stream, &response, Some(bytes))?;
            }
            if how == Broken::Stall {
                wait(shared, Duration::MAX);
            }
            Ok(())
        }
        answer => match response(shared, asked, answer) {
            Some(response) => send(stream, &response, None),
            None => Ok(()),
        },
    }
}

/// The response for an answer that has one.
fn response(shared: &Shared, asked: &RecordedRequest, answer: ModelAnswer) -> Option<Response> {
    let format = WireFormat::of(&asked.path).unwrap_or(WireFormat::OpenAi);
    Some(match answer {
        ModelAnswer::Json(value) => Response::json(200, &value),
        ModelAnswer::Status(status, headers, body) => {
            Response { status, headers, is_stream: false, body: body.into_bytes() }
        }
        ModelAnswer::Fail(status, message) => Response::json(status, &format.error(status, &message)),
        ModelAnswer::Events(text) => Response::events(text),
        ModelAnswer::Parts(parts) => {
            let model = asked.body["model"].as_str().unwrap_or("fake");
            let script = ScriptedAnswer { parts: &parts, model, ids: &shared.ids };
            if asked.body["stream"] == true {
                Response::events(format.events(&script, &asked.body))
            } else {
                match format.whole(&script) {
                    Some(body) => Response::json(200, &body),
                    None => Response::json(529, &format.error(529, "Overloaded")),
                }
            }
        }
        ModelAnswer::Slow(..) | ModelAnswer::HangUp | ModelAnswer::Endless(_) | ModelAnswer::Breaks(..) => {
            return None;
        }
    })
}

/// Sends a response, or only the first bytes of its body.
fn send(mut stream: &TcpStream, response: &Response, limit: Option<usize>) -> io::Result<()> {
    let body = response.body.get(..limit.unwrap_or(usize::MAX)).unwrap_or(&response.body);
    let own = response.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let mut head = format!("HTTP/1.1 {} Fake\r\nconnection: close\r\n", response.status);
    head.extend(own);
    if !response.is_stream {
        head += &format!("content-type: application/json\r\ncontent-length: {}\r\n\r\n", response.body.len());
        stream.write_all(head.as_bytes())?;
        return stream.write_all(body);
    }
    head += "content-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    let least = body.len() / MANY;
    let mut rest = body;
    for size in PIECES.into_iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at(size.max(least).min(rest.len()));
        let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        stream.write_all(&chunk)?;
        rest = after;
    }
    if limit.is_none() { stream.write_all(b"0\r\n\r\n") } else { Ok(()) }
}

fn endless(mut stream: &TcpStream, shared: &Shared, length: u64) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 Fake\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n"
    )?;
    let chunk = [b'x'; 1 << 14];
    let mut left = length;
    while left > 0 && !shared.stopped.load(Ordering::SeqCst) {
        let size = left.min(chunk.len() as u64);
        stream.write_all(&chunk[..usize::try_from(size).unwrap_or(0)])?;
        left -= size;
    }
    Ok(())
}

/// Waits that long, or until the test ends.
fn wait(shared: &Shared, time: Duration) {
    let (flag, wake) = &shared.stop;
    let mut stopped = flag.lock().unwrap_or_else(PoisonError::into_inner);
    if time == Duration::MAX {
        while !*stopped {
            stopped = wake.wait(stopped).unwrap_or_else(PoisonError::into_inner);
        }
        return;
    }
    let _over = wake.wait_timeout_while(stopped, time, |stopped| !*stopped);
}
