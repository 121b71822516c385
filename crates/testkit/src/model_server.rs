//! A model server on this machine: answers by a script in whichever format it is asked in, remembers what it
//! was asked, and refuses what the real servers would refuse.

mod answer;
mod http;
mod judge;
mod say;
mod script;

pub use answer::{Answer, Broken};
pub use say::{Say, Speech};
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

type Answers = Box<dyn Fn(&Asked) -> Answer + Send + Sync>;

struct Shared {
    answers: Answers,
    asked: Mutex<Vec<Asked>>,
    complaints: Mutex<Vec<String>>,
    /// Ids that were given out.
    ids: AtomicUsize,
    stopped: AtomicBool,
    /// Wakes slow answers when the test is over.
    stop: (Mutex<bool>, Condvar),
}

/// A server that lives as long as this value. A request that the real servers would refuse is refused, and
/// the test fails at its end unless it takes the complaints.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// A server that answers each request by a function.
    pub fn with(answers: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
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

    /// What was wrong with the requests so far, one for each that was refused.
    pub fn complaints(&self) -> Vec<String> {
        self.shared.complaints.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same, for a test that meant to ask wrongly.
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
    let asked = http::read(stream)?;
    shared.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
    let found = Speech::of(&asked.path).map(|speech| judge::complaints(speech, &asked)).unwrap_or_default();
    if !found.is_empty() {
        let message = found.join("; ");
        shared.complaints.lock().unwrap_or_else(PoisonError::into_inner).push(message.clone());
        return http::answer(stream, shared, &asked, Answer::Fail(400, message));
    }
    http::answer(stream, shared, &asked, (shared.answers)(&asked))
}

#[cfg(test)]
mod tests;
