//! A file server on this machine that can misbehave on purpose and records its requests.

use std::{
    fs,
    io::{self, BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Component, Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// The pause between two bytes of a drip.
const DRIP: Duration = Duration::from_millis(10);

/// How the server answers a path.
#[derive(Clone, Debug)]
pub enum Served {
    /// A file with a media type.
    File(&'static str, Vec<u8>),
    /// A file that claims to have a content encoding.
    Encoded(&'static str, Vec<u8>),
    /// A redirect.
    Redirect(String),
    /// A status without a body.
    Status(u16),
    /// One byte at a time, until the test ends.
    Drip,
    /// An endless body without a content length.
    Endless,
    /// Fewer bytes than the content length says.
    Short(Vec<u8>),
}

type Serve = Box<dyn Fn(&str) -> Served + Send + Sync>;

struct Shared {
    serve: Serve,
    asked: Mutex<Vec<String>>,
    heads: Mutex<Vec<String>>,
    connections: AtomicUsize,
    stopped: AtomicBool,
}

/// A server that runs as long as this value lives.
pub struct FileServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl FileServer {
    /// Starts a server that calls a function for each path.
    pub fn with(serve: impl Fn(&str) -> Served + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            serve: Box::new(serve),
            asked: Mutex::default(),
            heads: Mutex::default(),
            connections: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        });
        let thread = thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Self { address, shared, thread: Some(thread) }
    }

    /// Starts a server of the files below a folder, like any static file server.
    pub fn folder(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self::with(move |path| serve_file(&folder, path))
    }

    /// `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The requested paths, in order.
    pub fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The heads of all requests, in order.
    pub fn heads(&self) -> Vec<String> {
        self.shared.heads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Number of connections, whether or not they sent a request.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the listener.
        let _connected = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

fn serve_file(folder: &Path, path: &str) -> Served {
    let below = Path::new(path.trim_start_matches('/'));
    if below.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Served::Status(404);
    }
    let kind = match below.extension().and_then(|ending| ending.to_str()) {
        Some("json") => "application/json",
        Some("gz") => "application/gzip",
        Some("zip") => "application/zip",
        Some("md") => "text/markdown",
        _ => "application/octet-stream",
    };
    fs::read(folder.join(below)).map_or(Served::Status(404), |bytes| Served::File(kind, bytes))
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads = Vec::new();
    for stream in listener.incoming() {
        if shared.stopped.load(Ordering::SeqCst) {
            break;
        }
        let Ok(stream) = stream else { continue };
        shared.connections.fetch_add(1, Ordering::SeqCst);
        let shared = Arc::clone(shared);
        // A client that closes the connection is not an error of the server.
        threads.push(thread::spawn(move || drop(answer(&stream, &shared))));
    }
    for thread in threads {
        let _ended = thread.join();
    }
}

fn answer(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    shared.asked.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
    shared.heads.lock().unwrap_or_else(PoisonError::into_inner).push(head);
    send(stream, shared, (shared.serve)(&path))
}

fn send(mut stream: &TcpStream, shared: &Shared, served: Served) -> io::Result<()> {
    let mut head = |status: u16, lines: &str| {
        write!(stream, "HTTP/1.1 {status} Test\r\nconnection: close\r\n{lines}\r\n")
    };
    match served {
        Served::File(kind, bytes) => {
            head(200, &format!("content-type: {kind}\r\ncontent-length: {}\r\n", bytes.len()))?;
            stream.write_all(&bytes)
        }
        Served::Encoded(how, bytes) => {
            head(200, &format!("content-encoding: {how}\r\ncontent-length: {}\r\n", bytes.len()))?;
            stream.write_all(&bytes)
        }
        Served::Redirect(to) => head(302, &format!("location: {to}\r\ncontent-length: 0\r\n")),
        Served::Status(status) => head(status, "content-length: 0\r\n"),
        Served::Short(bytes) => {
            head(200, &format!("content-length: {}\r\n", bytes.len() + 100))?;
            stream.write_all(&bytes)
        }
        Served::Drip => {
            head(200, "")?;
            while !shared.stopped.load(Ordering::SeqCst) {
                stream.write_all(b"x")?;
                thread::sleep(DRIP);
            }
            Ok(())
        }
        Served::Endless => {
            head(200, "")?;
            let piece = [b'x'; 1 << 14];
            while !shared.stopped.load(Ordering::SeqCst) {
                stream.write_all(&piece)?;
            }
            Ok(())
        }
    }
}
