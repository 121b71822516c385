//! Speech becomes text before skills are selected: a configured program writes each recording down.
//!
//! All recordings of a message share one budget of time, and whatever fails leaves the message as
//! it was: what exists is kept.

use serde::Serialize;
use std::{
    io::Read,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

/// Endings of recordings.
pub const RECORDINGS: [&str; 10] = ["mp3", "wav", "ogg", "flac", "m4a", "opus", "webm", "mp4", "aac", "wma"];
/// Time for all recordings of one message.
pub const BUDGET: Duration = Duration::from_mins(15);
/// Bytes of text that one recording may become.
const TEXT_LIMIT: u64 = 1 << 20;
/// How often a program that closed its output is asked whether it ended.
const POLL: Duration = Duration::from_millis(20);
/// Stands for the file in the configured command; a command without it gets the file as its last
/// argument.
pub const FILE: &str = "{file}";

/// What became of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Transcript {
    /// The recording.
    pub file: String,
    /// Its text, or why there is none.
    pub text: Result<String, String>,
}

/// Whether a file is a recording, by its ending.
pub fn is_recording(file: &str) -> bool {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    RECORDINGS.contains(&ending.as_str())
}

/// Writes down the recordings among the attachments, one after another.
pub fn transcribe(
    command: &[String],
    attachments: &[String],
    folder: &Path,
    budget: Duration,
) -> Vec<Transcript> {
    let end = Instant::now() + budget;
    let one = |file: &String| {
        let left = end.saturating_duration_since(Instant::now());
        let text = if left.is_zero() {
            Err("there was no time left".to_owned())
        } else {
            run(command, file, folder, left)
        };
        Transcript { file: file.clone(), text }
    };
    attachments.iter().filter(|file| is_recording(file)).map(one).collect()
}

/// The message with the transcripts: after the typed text, or in its place when that is blank.
pub fn joined(message: &str, transcripts: &[Transcript]) -> String {
    let said: Vec<&str> = transcripts
        .iter()
        .filter_map(|one| one.text.as_deref().ok())
        .filter(|text| !text.is_empty())
        .collect();
    match (message.trim().is_empty(), said.is_empty()) {
        (_, true) => message.to_owned(),
        (true, false) => said.join("\n\n"),
        (false, false) => format!("{}\n\n{}", message.trim_end(), said.join("\n\n")),
    }
}

fn run(command: &[String], file: &str, folder: &Path, left: Duration) -> Result<String, String> {
    let (program, rest) = command.split_first().ok_or("no program is configured")?;
    let mut arguments: Vec<String> = rest.iter().map(|word| word.replace(FILE, file)).collect();
    if !rest.iter().any(|word| word.contains(FILE)) {
        arguments.push(file.to_owned());
    }
    let mut child = Command::new(program)
        .args(&arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("`{program}` did not start: {error}"))?;
    let Some(stdout) = child.stdout.take() else { return Err("it has no output".to_owned()) };
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let result = stdout.take(TEXT_LIMIT + 1).read_to_end(&mut bytes).map(|_| bytes);
        // The receiver is gone when the time is over.
        drop(send.send(result));
    });
    let end = Instant::now() + left;
    let outcome = receive.recv_timeout(left);
    let status = ended(&mut child, if outcome.is_ok() { end } else { Instant::now() });
    let bytes = match outcome {
        Ok(read) => read.map_err(|error| error.to_string())?,
        Err(_) => return Err("it took too long".to_owned()),
    };
    if bytes.len() as u64 > TEXT_LIMIT {
        return Err(format!("it wrote more than {TEXT_LIMIT} bytes"));
    }
    let status = status.ok_or("it took too long")?;
    if !status.success() {
        return Err(format!("`{program}` failed: {status}"));
    }
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// Waits for the end of a program until the time is over, and then ends it.
fn ended(child: &mut Child, end: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => std::thread::sleep(POLL),
            _ => {
                drop(child.kill());
                drop(child.wait());
                return None;
            }
        }
    }
}
