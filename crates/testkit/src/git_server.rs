//! A git server on loopback: `git http-backend` behind a small HTTP server, for tests that fetch over the network.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Serves every bare repository below a folder until the process ends.
#[derive(Debug)]
pub struct GitServer {
    port: u16,
    folder: PathBuf,
}

impl GitServer {
    /// Serves a folder.
    pub fn folder(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a git server for a test");
        let port = listener.local_addr().expect("a git server for a test").port();
        let top = folder.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let top = top.clone();
                std::thread::spawn(move || answer(stream, &top));
            }
        });
        Self { port, folder }
    }

    /// The address of a repository.
    pub fn url(&self, repository: &str) -> String {
        format!("http://127.0.0.1:{}/{repository}", self.port)
    }

    /// Makes a commit with exactly these files in a repository, which is created; returns the commit.
    pub fn commit(&self, repository: &str, files: &[(&str, &str)]) -> String {
        let bare = self.folder.join(repository);
        let work = self.folder.join(format!("{repository}.work"));
        let git = |at: &Path, args: &[&str]| -> String {
            let out = Command::new("git")
                .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"])
                .args(args)
                .current_dir(at)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .output()
                .expect("a git server for a test");
            assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
            String::from_utf8(out.stdout).expect("a git server for a test").trim().to_owned()
        };
        if !bare.exists() {
            std::fs::create_dir_all(&work).expect("a git server for a test");
            let (bare, work) = (
                bare.to_str().expect("a git server for a test"),
                work.to_str().expect("a git server for a test"),
            );
            git(&self.folder, &["init", "-q", "--bare", "-b", "main", bare]);
            git(Path::new(bare), &["config", "uploadpack.allowAnySHA1InWant", "true"]);
            git(&self.folder, &["init", "-q", "-b", "main", work]);
        }
        git(&work, &["rm", "-rqf", "--ignore-unmatch", "."]);
        for (path, content) in files {
            let file = work.join(path);
            std::fs::create_dir_all(file.parent().expect("a git server for a test"))
                .expect("a git server for a test");
            std::fs::write(&file, content).expect("a git server for a test");
        }
        git(&work, &["add", "-A"]);
        git(&work, &["commit", "-qm", "files"]);
        git(&work, &["push", "-q", bare.to_str().expect("a git server for a test"), "main"]);
        git(&work, &["rev-parse", "HEAD"])
    }
}

fn answer(mut stream: TcpStream, top: &Path) {
    let mut reader = BufReader::new(stream.try_clone().expect("a git server for a test"));
    let mut line = String::new();
    if reader.read_line(&mut line).is_err() {
        return;
    }
    let mut words = line.split_whitespace();
    let (method, target) =
        (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut command = Command::new("git");
    command
        .args(["-c", "safe.directory=*", "http-backend"])
        .env("GIT_PROJECT_ROOT", top)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "safe.directory")
        .env("GIT_CONFIG_VALUE_0", "*")
        .env("REQUEST_METHOD", &method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query);
    let mut length = 0;
    loop {
        let mut field = String::new();
        if reader.read_line(&mut field).is_err() || field.trim().is_empty() {
            break;
        }
        let (name, value) = field.split_once(':').unwrap_or((&field, ""));
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => {
                length = value.parse().unwrap_or(0);
                command.env("CONTENT_LENGTH", value);
            }
            "content-type" => drop(command.env("CONTENT_TYPE", value)),
            "content-encoding" => drop(command.env("HTTP_CONTENT_ENCODING", value)),
            "git-protocol" => drop(command.env("GIT_PROTOCOL", value)),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a git server for a test");
    let mut input = child.stdin.take().expect("a git server for a test");
    std::thread::spawn(move || {
        let _closed = input.write_all(&body);
    });
    let mut out = Vec::new();
    let _read = child.stdout.take().expect("a git server for a test").read_to_end(&mut out);
    let _ended = child.wait();
    let split = out.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(0);
    let head = String::from_utf8_lossy(&out[..split]).into_owned();
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
    let fields: Vec<&str> = head.lines().filter(|line| !line.starts_with("Status: ")).collect();
    let rest = out.get(split + 4..).unwrap_or_default();
    let _sent = write!(
        stream,
        "HTTP/1.1 {status}\r\n{}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        fields.join("\r\n"),
        rest.len()
    )
    .and_then(|()| stream.write_all(rest));
}
