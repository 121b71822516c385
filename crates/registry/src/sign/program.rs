//! `ssh-keygen -Y sign`, for keys that need a user: a passphrase, an agent, a touch.

use super::{NAMESPACE, SIGNATURE_LIMIT};
use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// How long a user may take.
const SECONDS: u64 = 300;
/// Between two looks at the running program.
const LOOK: Duration = Duration::from_millis(20);
/// Where it is when it is not on the search path.
const USUAL: &str = "/usr/bin/ssh-keygen";

/// What it needs to find keys and to ask.
const PASSED: [&str; 11] = [
    "HOME",
    "LOGNAME",
    "USER",
    "PATH",
    "TERM",
    "SSH_AUTH_SOCK",
    "SSH_ASKPASS",
    "SSH_ASKPASS_REQUIRE",
    "SSH_SK_PROVIDER",
    "DISPLAY",
    "WAYLAND_DISPLAY",
];

/// Why `ssh-keygen` did not sign.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It cannot be started.
    #[error(
        "this key needs `ssh-keygen`, which cannot be started: {0}; install OpenSSH, or use a plain Ed25519 key"
    )]
    NoProgram(io::Error),
    /// It refused; its message is on the terminal.
    #[error("`ssh-keygen` did not sign with `{}`", .0.display())]
    Refused(PathBuf),
    /// The user did not answer.
    #[error("`ssh-keygen` waited {SECONDS} seconds for an answer and was stopped")]
    TooSlow,
    /// The pipe broke.
    #[error("`ssh-keygen` cannot be spoken with: {0}")]
    Pipe(#[from] io::Error),
}

/// Signs a message. The program keeps our terminal and our error output: that is where it asks.
pub(super) fn sign(
    key: &Path,
    message: &[u8],
    variables: &BTreeMap<String, String>,
) -> Result<Vec<u8>, ProgramError> {
    // Never from a relative folder of the search path.
    let path = variables.get("PATH").map(String::as_str).unwrap_or_default();
    let program = std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("ssh-keygen"))
        .find(|program| program.is_file())
        .unwrap_or_else(|| USUAL.into());
    let mut command = Command::new(program);
    command.env_clear().args(["-q", "-Y", "sign", "-n", NAMESPACE, "-f"]).arg(key);
    command.envs(PASSED.iter().filter_map(|name| Some((name, variables.get(*name)?))));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(ProgramError::NoProgram)?;
    let signed = speak(&mut child, message);
    if signed.is_err() {
        let _gone = child.kill();
    }
    // Waited for in any case, so that nothing of it is left.
    let status = child.wait()?;
    let signed = signed?;
    if status.success() { Ok(signed) } else { Err(ProgramError::Refused(key.to_path_buf())) }
}

/// Gives it the message and waits for its end; the answer fits into the pipe.
fn speak(child: &mut Child, message: &[u8]) -> Result<Vec<u8>, ProgramError> {
    // A program that stopped reading reports it by its status.
    let _closed = child.stdin.take().map(|mut stdin| stdin.write_all(message));
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() >= Duration::from_secs(SECONDS) {
            return Err(ProgramError::TooSlow);
        }
        std::thread::sleep(LOOK);
    }
    let mut signed = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(SIGNATURE_LIMIT as u64 + 1).read_to_end(&mut signed)?;
    }
    Ok(signed)
}
