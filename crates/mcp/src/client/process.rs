//! A process of its own group, without a sandbox.

use super::{
    launch::{Command, Launch, LaunchError, Launched, Process},
    limits::STOP_GRACE,
};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::{
    io,
    os::{fd::OwnedFd, unix::process::CommandExt},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How often a process that was asked to end is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Starts servers as plain processes, with the rights of the user. For tests, and for a user who
/// allows a skill to run without a sandbox.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainProcess;

impl Launch for PlainProcess {
    fn launch(&self, command: &Command) -> Result<Launched, LaunchError> {
        let system = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound if command.folder.is_dir() => {
                LaunchError::NoProgram(command.program.clone())
            }
            _ => LaunchError::System { program: command.program.clone(), why: error.to_string() },
        };
        let mut child = std::process::Command::new(&command.program)
            .args(&command.arguments)
            .env_clear()
            .envs(&command.environment)
            .current_dir(&command.folder)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(system)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // From here on, whatever goes wrong ends the group.
        let group = Group { child, ended: false };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(system(io::Error::other("it has no pipes")));
        };
        let [stdin, stdout, stderr]: [OwnedFd; 3] = [stdin.into(), stdout.into(), stderr.into()];
        Launched::from_pipes(stdin, stdout, stderr, Box::new(group)).map_err(system)
    }
}

/// A process and the group it leads. The leader is not reaped before the group was killed: until then its
/// number cannot belong to another process.
struct Group {
    child: Child,
    ended: bool,
}

impl Group {
    fn signal(&self, signal: Signal) {
        if let Some(group) = Pid::from_raw(i32::try_from(self.child.id()).unwrap_or_default()) {
            // It fails only when nobody is left to signal.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Whether the leader has ended, without reaping it.
    fn leader_ended(&self) -> bool {
        let Some(leader) = Pid::from_raw(i32::try_from(self.child.id()).unwrap_or_default()) else {
            return true;
        };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(leader), look), Ok(None))
    }

    fn wait_for_leader(&self, grace: Duration) -> bool {
        let start = Instant::now();
        while !self.leader_ended() {
            if start.elapsed() >= grace {
                return false;
            }
            thread::sleep(LOOK);
        }
        true
    }

    fn kill(&mut self) {
        if !self.ended {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
            self.ended = true;
        }
    }
}

impl Process for Group {
    fn exited(&mut self) -> Option<String> {
        if self.ended {
            return Some("stopped".to_owned());
        }
        let leader = Pid::from_raw(i32::try_from(self.child.id()).ok()?)?;
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(leader), look).ok()??;
        Some(match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => format!("exit status {code}"),
            (_, Some(signal)) => format!("ended by signal {signal}"),
            _ => "ended".to_owned(),
        })
    }

    fn stop(&mut self, grace: Duration) {
        if self.ended {
            return;
        }
        if !self.wait_for_leader(grace) {
            self.signal(Signal::TERM);
            self.wait_for_leader(grace.min(STOP_GRACE));
        }
        // Also when the leader took the hint: it may have left others behind.
        self.kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
