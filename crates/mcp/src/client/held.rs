//! Servers in the sandbox: how servers of skills are started unless the user allows a plain process.

use super::launch::{Command, Launch, LaunchError, Launched, Process};
use skillful_runtime::{
    room::{Grants, NO_PYTHON_CACHE, SEARCH_PATH, Sandbox},
    skill_copy::SkillCopy,
};
use skillful_sandbox::{Job, Limits, Network, Running, SandboxError, spawn};
use std::{io, os::fd::OwnedFd, path::PathBuf, sync::Arc, time::Duration};

/// Starts servers in the sandbox of this machine. A server reads its skill's folder, writes into a private
/// `/tmp`, and speaks only to us unless the user granted its skill the network.
#[derive(Debug)]
pub struct Held {
    sandbox: Arc<Sandbox>,
    grants: Grants,
    /// Where copies of approved files are put.
    copies: Option<PathBuf>,
}

impl Held {
    /// By this sandbox, with what the user grants, with copies of approved files in a folder.
    pub fn new(sandbox: Arc<Sandbox>, grants: Grants, copies: Option<PathBuf>) -> Self {
        Self { sandbox, grants, copies }
    }

    fn job(&self, command: &Command, copy: Option<&SkillCopy>) -> Job {
        let granted = self.grants.network.contains(&command.skill);
        let mut environment = command.environment.clone();
        for (name, value) in [("PATH", SEARCH_PATH), NO_PYTHON_CACHE] {
            environment.insert(name.to_owned(), value.to_owned());
        }
        let own = copy.is_none().then(|| command.folder.clone()).into_iter();
        Job {
            arguments: command.arguments.iter().map(Into::into).collect(),
            environment: environment.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            read_only: own.chain(self.grants.readable.iter().cloned()).collect(),
            replaced: copy.iter().map(|copy| copy.replacement()).collect(),
            writable: self.grants.writable.clone(),
            network: if granted { Network::Allowed } else { Network::Denied },
            limits: Limits { time: None, ..Limits::default() },
            ..Job::new(&command.program, &command.folder)
        }
    }
}

impl Launch for Held {
    fn launch(&self, command: &Command) -> Result<Launched, LaunchError> {
        let copy = command.files.as_ref();
        let copy = copy.map(|files| SkillCopy::make(&command.folder, files, self.copies.as_deref()));
        let copy = copy.transpose().map_err(|error| system(command, &error))?;
        let mut running =
            spawn(&self.job(command, copy.as_ref()), self.sandbox.require(), self.sandbox.report())
                .map_err(|error| refused(command, &error))?;
        let streams = (running.stdin.take(), running.stdout.take(), running.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(system(command, &io::Error::other("it has no streams")));
        };
        let process = Box::new(Server { running, ended: None, _copy: copy });
        Launched::from_pipes(OwnedFd::from(stdin), OwnedFd::from(stdout), OwnedFd::from(stderr), process)
            .map_err(|error| system(command, &error))
    }
}

fn system(command: &Command, error: &io::Error) -> LaunchError {
    LaunchError::System { program: command.program.clone(), why: error.to_string() }
}

fn refused(command: &Command, error: &SandboxError) -> LaunchError {
    match error {
        SandboxError::ProgramNotFound(_) => LaunchError::NoProgram(command.program.clone()),
        _ => LaunchError::Refused {
            why: error.to_string(),
            help: "`skillful sandbox` reports what works here".to_owned(),
        },
    }
}

struct Server {
    running: Running,
    ended: Option<String>,
    /// It reads its files there as long as it runs.
    _copy: Option<SkillCopy>,
}

impl Process for Server {
    fn exited(&mut self) -> Option<String> {
        if self.ended.is_none() {
            self.ended = match self.running.try_wait() {
                Ok(None) => None,
                Ok(Some(ended)) => Some(format!("it ended: {:?}", ended.status)),
                Err(error) => Some(error.to_string()),
            };
        }
        self.ended.clone()
    }

    fn stop(&mut self, grace: Duration) {
        // Its input is closed; a server that takes the hint ends by itself.
        if !matches!(self.running.wait_for(grace), Ok(Some(_))) {
            let _gone_either_way = self.running.stop();
        }
    }
}
