//! Prepares a job for its tier: a command, and the resources that must live as long as it runs.

use super::{
    bubblewrap,
    child_setup::Rules,
    filter::{self, Needs},
    landlock, scratch,
    view::View,
};
use crate::{Job, Network, SandboxError, Tier};
use std::{ffi::OsStr, fs::File, process::Command};
use tempfile::TempDir;

pub(crate) struct PreparedJob {
    pub(crate) tier: Tier,
    pub(crate) command: Command,
    /// The restrictions that the program puts on itself.
    pub(crate) rules: Option<Rules>,
    /// The files it inherits.
    pub(crate) files: Vec<File>,
    /// Its private folder, removed when this is dropped.
    pub(crate) scratch: Option<TempDir>,
    /// Number of the sandbox's own processes.
    pub(crate) own: usize,
}

pub(crate) fn prepare(job: &Job, tier: Tier) -> Result<PreparedJob, SandboxError> {
    let view = View::of(job, tier)?;
    match (tier, view.sockets.first()) {
        (Tier::Landlock, Some(path)) => return Err(SandboxError::SocketsNeedBubblewrap(path.clone())),
        (Tier::Bubblewrap, Some(path)) if job.network == Network::Allowed => {
            return Err(SandboxError::SocketsWithNetwork(path.clone()));
        }
        _ => {}
    }
    match tier {
        Tier::Bubblewrap => wrapped(job, &view),
        Tier::Landlock => {
            let version = landlock::version()
                .map_err(|source| SandboxError::setup("reading the Landlock version", source))?;
            let signals_kept = version >= landlock::SCOPES;
            let needs = Needs { network: job.network, hidden: false, sockets: false, signals_kept };
            ruled(job, &view, needs)
        }
        Tier::None => Ok(plain(job, &view)),
    }
}

fn wrapped(job: &Job, view: &View) -> Result<PreparedJob, SandboxError> {
    let bwrap = bubblewrap::program().ok_or_else(|| SandboxError::Setup {
        doing: "bubblewrap was removed since the probe".to_owned(),
        source: None,
    })?;
    let wrapped = bubblewrap::wrap(bwrap, job, view)?;
    Ok(PreparedJob {
        tier: Tier::Bubblewrap,
        command: wrapped.command,
        rules: None,
        files: wrapped.files.into(),
        scratch: None,
        own: bubblewrap::OWN_PROCESSES,
    })
}

pub(crate) fn ruled(job: &Job, view: &View, needs: Needs) -> Result<PreparedJob, SandboxError> {
    if let Some(path) = view.read_only_inside_writable() {
        return Err(SandboxError::ReadOnlyInsideWritable(path.to_owned()));
    }
    let scratch =
        scratch::make().map_err(|source| SandboxError::setup("creating a private folder", source))?;
    let rules = Rules {
        landlock: landlock::ruleset(view, job.network, scratch.path())?,
        filter: filter::filter(needs)?,
    };
    let mut ready = plain(job, view);
    if !job.environment.contains_key(OsStr::new("TMPDIR")) {
        ready.command.env("TMPDIR", scratch.path());
    }
    Ok(PreparedJob { tier: Tier::Landlock, rules: Some(rules), scratch: Some(scratch), ..ready })
}

fn plain(job: &Job, view: &View) -> PreparedJob {
    let mut command = Command::new(&view.program);
    command.args(&job.arguments).env_clear().envs(&job.environment).current_dir(&view.folder);
    PreparedJob { tier: Tier::None, command, rules: None, files: Vec::new(), scratch: None, own: 0 }
}
