//! The command of the tour that runs, so that a signal can end it before the folder is deleted: a command that outlives
//! the tour would make the folder again.

use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    io,
    os::unix::process::CommandExt,
    process::{Command, Output, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// How often a signal looks whether the command is gone, and the pause between two looks.
const LOOKS: usize = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// Shared with the thread that waits for signals.
#[derive(Clone, Debug, Default)]
pub(super) struct Running(Arc<Mutex<RunningState>>);

#[derive(Debug, Default)]
pub(super) struct RunningState {
    /// A signal came: nothing begins any more.
    ended: bool,
    process: Option<Pid>,
}

impl Running {
    /// Ends the command with all that it started, and waits until it is gone. Nothing begins afterwards.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.ended = true;
        if let Some(process) = state.process {
            // It may have ended by itself.
            let _gone = kill_process_group(process, Signal::KILL);
        }
        drop(state);
        for _ in 0..LOOKS {
            if self.state().process.is_none() {
                break;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Keeps a signal waiting while something is written. After a signal it does not return: the process ends.
    pub(super) fn hold(&self) -> MutexGuard<'_, RunningState> {
        loop {
            let state = self.state();
            if !state.ended {
                return state;
            }
            drop(state);
            thread::park();
        }
    }

    /// Runs a command to its end.
    pub(super) fn output(&self, command: &mut Command) -> io::Result<Output> {
        let mut state = self.hold();
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let child = command.spawn()?;
        state.process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        drop(state);
        let output = child.wait_with_output();
        self.state().process = None;
        output
    }

    fn state(&self) -> MutexGuard<'_, RunningState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
