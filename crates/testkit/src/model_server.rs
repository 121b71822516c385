//! A model server on this machine. It answers by a script in the wire format of the request, records its
//! requests, and refuses requests that the real servers would refuse.

mod answer;
mod answer_parts;
mod http;
mod script;
mod validate;

pub use answer::{Broken, ModelAnswer};
pub use answer_parts::{AnswerPart, WireFormat};
pub use script::Script;
use serde_json::Value;
use std::{
    collections::VecDeque,
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

/// A recorded request.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// The path.
    pub path: String,
    /// Headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null when it is not JSON.
    pub body: Value,
}

impl RecordedRequest {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

type Answers = Box<dyn Fn(&RecordedRequest) -> ModelAnswer + Send + Sync>;

struct Shared {
    answers: Answers,
    asked: Mutex<Vec<RecordedRequest>>,
    complaints: Mutex<Vec<String>>,
    /// Counter for ids.
    ids: AtomicUsize,
    stopped: AtomicBool,
    /// Wakes slow answers when the test ends.
    stop: (Mutex<bool>, Condvar),
}

/// A server that runs as long as this value lives. It refuses requests that the real servers would refuse. A
/// test fails at its end after such a request, unless it calls [`ModelServer::take_complaints`].
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Starts a server that calls a function for each request.
    pub fn with(answers: impl Fn(&RecordedRequest) -> ModelAnswer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            answers: Box::new(answers),
            asked: Mutex::default(),
            complaints: Mutex::default(),
            ids: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            stop: (Mutex::new(false), Condvar::new()),
        });
        let thread = thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Self { address, shared, thread: Some(thread) }
    }

    /// Starts a server that gives these answers in turn, and then repeats the last one.
    pub fn new(answers: impl IntoIterator<Item = ModelAnswer>) -> Self {
        let answers: Mutex<VecDeque<ModelAnswer>> = Mutex::new(answers.into_iter().collect());
        Self::with(move |_| {
            let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
            match answers.len() {
                0 => ModelAnswer::HangUp,
                1 => answers[0].clone(),
                _ => answers.pop_front().unwrap_or(ModelAnswer::HangUp),
            }
        })
    }

    /// `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests, in order.
    pub fn asked(&self) -> Vec<RecordedRequest> {
        self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was wrong with the requests so far, one text for each refused request.
    pub fn complaints(&self) -> Vec<String> {
        self.shared.complaints.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns and clears the complaints, for a test that sends wrong requests on purpose.
    pub fn take_complaints(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.complaints.lock().unwrap_or_else(PoisonError::into_inner))
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
        let complaints = self.take_complaints();
        assert!(
            complaints.is_empty() || thread::panicking(),
            "requests that the real servers refuse:\n{}",
            complaints.join("\n")
        );
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming() {
        if shared.stopped.load(Ordering::SeqCst) {
            break;
        }
        let Ok(stream) = stream else { continue };
        threads.retain(|thread| !thread.is_finished());
        let shared = Arc::clone(shared);
        threads.push(thread::spawn(move || {
            // In many tests the client closes the connection early.
            let _gone = serve(&stream, &shared);
            let _closed = stream.shutdown(Shutdown::Both);
        }));
    }
    for thread in threads {
        let _ended = thread.join();
    }
}

fn serve(stream: &TcpStream, shared: &Shared) -> std::io::Result<()> {
    let asked = http::read(stream)?;
    shared.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
    let found =
        WireFormat::of(&asked.path).map(|format| validate::complaints(format, &asked)).unwrap_or_default();
    if !found.is_empty() {
        let message = found.join("; ");
        shared.complaints.lock().unwrap_or_else(PoisonError::into_inner).push(message.clone());
        return http::answer(stream, shared, &asked, ModelAnswer::Fail(400, message));
    }
    http::answer(stream, shared, &asked, (shared.answers)(&asked))
}

#[cfg(test)]
mod tests;
