//! Programs as plain processes, so that these tests need no sandbox.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use secrecy::{ExposeSecret, SecretString};
use skillful_credentials::proxy::{CapturedOutput, ProgramCall, ProgramOutput, RunError, Runner};
use std::{
    collections::BTreeMap,
    io::{Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver},
    },
    time::{Duration, Instant},
};

/// Between two looks at a program: short at first, since most are done soon.
const LOOK: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(10)];
/// How long outputs stay open after a program and its group are gone.
const LINGER: Duration = Duration::from_secs(5);
/// Bytes read at once.
const CHUNK: usize = 16 << 10;

/// Runs programs with a clean environment, in a process group that ends with them.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// Where they start.
    pub(crate) folder: PathBuf,
}

impl Runner for Process {
    fn run(
        &self,
        call: &ProgramCall,
        environment: &BTreeMap<String, SecretString>,
    ) -> Result<ProgramOutput, RunError> {
        let failed = |what: String| RunError::Failed(what);
        let mut command = Command::new(&call.command[0]);
        command
            .args(&call.command[1..])
            .current_dir(&self.folder)
            .env_clear()
            .envs(environment.iter().map(|(name, value)| (name, value.expose_secret())))
            .stdin(if call.stdin.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child =
            command.spawn().map_err(|error| failed(format!("the program did not start: {error}")))?;
        if let Some(mut stdin) = child.stdin.take() {
            let input = call.stdin.clone();
            // A program that does not read its input is none of our business.
            std::thread::spawn(move || drop(stdin.write_all(&input)));
        }
        let stdout = child.stdout.take().map(|stream| capture(stream, call.output));
        let stderr = child.stderr.take().map(|stream| capture(stream, call.output));
        let done = wait(&child, call);
        // Whatever it started goes with it. It is not reaped yet, so its number is still its own.
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _gone_already = kill_process_group(group, Signal::KILL);
        }
        let status = child.wait().map_err(|error| failed(format!("the program was lost: {error}")))?;
        match done {
            Done::Itself => Ok(ProgramOutput {
                stdout: stdout.as_ref().map(collect).unwrap_or_default(),
                stderr: stderr.as_ref().map(collect).unwrap_or_default(),
                code: status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1),
            }),
            Done::Late => Err(RunError::TimedOut),
            Done::Unwanted => Err(failed("the proxy ended".to_owned())),
        }
    }
}

enum Done {
    Itself,
    Late,
    Unwanted,
}

/// Waits for the end of a program, without reaping it.
fn wait(child: &Child, call: &ProgramCall) -> Done {
    let end = Instant::now() + call.timeout;
    let mut pause = LOOK[0];
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    loop {
        let Some(pid) = pid else { return Done::Late };
        match waitid(WaitId::Pid(pid), options) {
            Ok(Some(_)) => return Done::Itself,
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Done::Late,
        }
        if call.stop.is_set() {
            return Done::Unwanted;
        }
        if Instant::now() >= end {
            return Done::Late;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK[1]);
    }
}

/// An output on its way in.
struct Reading {
    captured: Arc<Mutex<CapturedOutput>>,
    ended: Receiver<()>,
}

/// Reads an output to its end and keeps its beginning, so that the program never waits.
fn capture(mut stream: impl Read + Send + 'static, limit: usize) -> Reading {
    let captured = Arc::new(Mutex::new(CapturedOutput::default()));
    let (kept, (end, ended)) = (Arc::clone(&captured), mpsc::channel());
    std::thread::spawn(move || {
        let mut chunk = vec![0; CHUNK];
        while let Ok(count @ 1..) = stream.read(&mut chunk) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let room = limit.saturating_sub(kept.bytes.len()).min(count);
            kept.bytes.extend_from_slice(&chunk[..room]);
            kept.cut |= room < count;
        }
        let _nobody_waits = end.send(());
    });
    Reading { captured, ended }
}

/// What was captured. A stream that a process outside the group still holds is given up.
fn collect(reading: &Reading) -> CapturedOutput {
    let ended = reading.ended.recv_timeout(LINGER).is_ok();
    let mut captured = reading.captured.lock().unwrap_or_else(PoisonError::into_inner);
    captured.cut |= !ended;
    std::mem::take(&mut *captured)
}
