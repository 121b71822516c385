//! A model server on this machine: answers by a script, remembers what it was asked.

use serde_json::Value;
use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// Nothing that a test sends is larger.
const BODY_LIMIT: usize = 16 << 20;

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// 200 with this body.
    Json(Value),
    /// Any status, headers and body.
    Status(u16, Vec<(String, String)>, String),
    /// Waits before it answers.
    Slow(Duration, Box<Answer>),
    /// Closes the connection without a word.
    HangUp,
    /// Says that the body is this long, and never ends it.
    Endless(u64),
}

impl Answer {
    /// An error with the message where both formats have it.
    pub fn error(status: u16, message: &str) -> Self {
        let body = serde_json::json!({ "error": { "message": message } });
        Self::Status(status, Vec::new(), body.to_string())
    }

    /// An answer that says `text` in the format of chat completions.
    pub fn chat(text: &str) -> Self {
        Self::Json(serde_json::json!({
            "model": "fake",
            "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 7, "completion_tokens": 3 },
        }))
    }

    /// An answer that says `text` in the format of Anthropic.
    pub fn message(text: &str) -> Self {
        Self::Json(serde_json::json!({
            "model": "fake",
            "content": [{ "type": "text", "text": text }],
            "stop_reason": "end_turn",
            "usage": { "input_tokens": 7, "output_tokens": 3 },
        }))
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The path.
    pub path: String,
    /// Headers, their names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body; null when it is not JSON.
    pub body: Value,
}

impl Asked {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

type Script = Box<dyn Fn(&Asked) -> Answer + Send + Sync>;

struct Shared {
    script: Script,
    asked: Mutex<Vec<Asked>>,
    stopped: AtomicBool,
    /// Wakes slow answers when the test is over.
    stop: (Mutex<bool>, Condvar),
}

/// A server that lives as long as this value.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// A server that answers each request by a function.
    pub fn with(script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            script: Box::new(script),
            asked: Mutex::default(),
            stopped: AtomicBool::new(false),
            stop: (Mutex::new(false), Condvar::new()),
        });
        let thread = thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Self { address, shared, thread: Some(thread) }
    }

    /// A server that gives these answers in turn, and the last one for ever.
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers: Mutex<VecDeque<Answer>> = Mutex::new(answers.into_iter().collect());
        Self::with(move |_| {
            let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
            match answers.len() {
                0 => Answer::HangUp,
                1 => answers[0].clone(),
                _ => answers.pop_front().unwrap_or(Answer::HangUp),
            }
        })
    }

    /// `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything it was asked, in order.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        let (flag, wake) = &self.shared.stop;
        *flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
        wake.notify_all();
        // Wakes the listener.
        let _connected = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads = Vec::new();
    for stream in listener.incoming() {
        if shared.stopped.load(Ordering::SeqCst) {
            break;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        threads.push(thread::spawn(move || {
            // A client that gave up is part of many tests.
            let _gone = serve(&stream, &shared);
            let _closed = stream.shutdown(Shutdown::Both);
        }));
    }
    for thread in threads {
        let _ended = thread.join();
    }
}

fn serve(stream: &TcpStream, shared: &Shared) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
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
    let asked = Asked { path, headers, body };
    shared.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
    answer(stream, shared, (shared.script)(&asked))
}

fn answer(mut stream: &TcpStream, shared: &Shared, answer: Answer) -> std::io::Result<()> {
    let mut send = |status: u16, headers: &[(String, String)], length: u64, body: &str| {
        let own = headers.iter().any(|(name, _)| name == "content-type");
        let kind = if own { "" } else { "content-type: application/json\r\n" };
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        write!(
            stream,
            "HTTP/1.1 {status} Fake\r\n{kind}content-length: {length}\r\n\
             connection: close\r\n{headers}\r\n{body}"
        )
    };
    match answer {
        Answer::Json(value) => {
            let body = value.to_string();
            send(200, &[], body.len() as u64, &body)
        }
        Answer::Status(status, headers, body) => send(status, &headers, body.len() as u64, &body),
        Answer::Slow(time, then) => {
            wait(shared, time);
            self::answer(stream, shared, *then)
        }
        Answer::HangUp => Ok(()),
        Answer::Endless(length) => {
            send(200, &[], length, "")?;
            let chunk = [b'x'; 1 << 14];
            let mut left = length;
            while left > 0 && !shared.stopped.load(Ordering::SeqCst) {
                let size = left.min(chunk.len() as u64);
                stream.write_all(&chunk[..usize::try_from(size).unwrap_or(0)])?;
                left -= size;
            }
            Ok(())
        }
    }
}

/// Waits that long, or until the test is over.
fn wait(shared: &Shared, time: Duration) {
    let (flag, wake) = &shared.stop;
    let stopped = flag.lock().unwrap_or_else(PoisonError::into_inner);
    let _over = wake.wait_timeout_while(stopped, time, |stopped| !*stopped);
}
