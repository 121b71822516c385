//! A job made ready for its tier: a command, and what must live as long as it runs.

use super::{
    bubblewrap,
    filter::{self, Needs},
    inside::Rules,
    landlock, scratch,
    view::View,
};
use crate::{Job, Network, SandboxError, Tier};
use std::{ffi::OsStr, fs::File, process::Command};
use tempfile::TempDir;

pub(crate) struct Ready {
    pub(crate) tier: Tier,
    pub(crate) command: Command,
    /// What the program puts on itself.
    pub(crate) rules: Option<Rules>,
    /// What it inherits.
    pub(crate) files: Vec<File>,
    /// Its private folder, removed with this.
    pub(crate) scratch: Option<TempDir>,
    /// Processes of the sandbox itself.
    pub(crate) own: usize,
}

pub(crate) fn ready(job: &Job, tier: Tier) -> Result<Ready, SandboxError> {
    let view = View::of(job)?;
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
            let version =
                landlock::version().map_err(|source| SandboxError::setup("asking for Landlock", source))?;
            let signals_kept = version >= landlock::SCOPES;
            let needs = Needs { network: job.network, hidden: false, sockets: false, signals_kept };
            ruled(job, &view, needs)
        }
        Tier::None => Ok(plain(job, &view)),
    }
}

fn wrapped(job: &Job, view: &View) -> Result<Ready, SandboxError> {
    let bwrap = bubblewrap::program().ok_or_else(|| SandboxError::Setup {
        doing: "bubblewrap is no longer there".to_owned(),
        source: None,
    })?;
    let wrapped = bubblewrap::wrap(bwrap, job, view)?;
    Ok(Ready {
        tier: Tier::Bubblewrap,
        command: wrapped.command,
        rules: None,
        files: wrapped.files.into(),
        scratch: None,
        own: bubblewrap::OWN_PROCESSES,
    })
}

pub(crate) fn ruled(job: &Job, view: &View, needs: Needs) -> Result<Ready, SandboxError> {
    if let Some(path) = view.hole() {
        return Err(SandboxError::ReadOnlyInsideWritable(path.to_owned()));
    }
    let scratch = scratch::make().map_err(|source| SandboxError::setup("making a private folder", source))?;
    let rules = Rules {
        landlock: landlock::ruleset(view, job.network, scratch.path())?,
        filter: filter::filter(needs)?,
    };
    let mut ready = plain(job, view);
    if !job.environment.contains_key(OsStr::new("TMPDIR")) {
        ready.command.env("TMPDIR", scratch.path());
    }
    Ok(Ready { tier: Tier::Landlock, rules: Some(rules), scratch: Some(scratch), ..ready })
}

fn plain(job: &Job, view: &View) -> Ready {
    let mut command = Command::new(&view.program);
    command.args(&job.arguments).env_clear().envs(&job.environment).current_dir(&view.folder);
    Ready { tier: Tier::None, command, rules: None, files: Vec::new(), scratch: None, own: 0 }
}
