//! A server of another machine that answers by a script, and remembers what it was asked.

use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

/// A request as the server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct ScriptedServer {
    pub(crate) url: String,
    pub(crate) seen: Arc<Mutex<Vec<Seen>>>,
}

impl ScriptedServer {
    /// Answers with JSON; the script gets the request and how many came before it.
    pub(crate) fn json(answer: impl Fn(&Seen, usize) -> (u16, Value) + Send + 'static) -> Self {
        Self::bytes(move |seen, number| {
            let (status, value) = answer(seen, number);
            (status, value.to_string().into_bytes())
        })
    }

    /// Answers with bytes.
    pub(crate) fn bytes(answer: impl Fn(&Seen, usize) -> (u16, Vec<u8>) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::<Seen>::new()));
        let kept = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut line, mut head) = (String::new(), String::new());
                reader.read_line(&mut line).unwrap();
                loop {
                    let mut field = String::new();
                    if reader.read_line(&mut field).unwrap_or(0) <= 2 {
                        break;
                    }
                    head += &field.to_lowercase();
                }
                let length = head.lines().find_map(|field| field.strip_prefix("content-length: "));
                let mut body = vec![0; length.map_or(0, |text| text.trim().parse().unwrap())];
                reader.read_exact(&mut body).unwrap();
                let one = Seen { line: line.trim().trim_end_matches(" HTTP/1.1").to_owned(), head, body };
                let number = kept.lock().unwrap().len();
                let (status, bytes) = answer(&one, number);
                kept.lock().unwrap().push(one);
                let length = bytes.len();
                let head =
                    format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
                let _gone = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&bytes));
            }
        });
        Self { url, seen }
    }

    /// The methods and paths that were asked for.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen.lock().unwrap().iter().map(|one| one.line.clone()).collect()
    }
}
