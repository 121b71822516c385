//! From the configuration to a workshop: what commands of skills may do here, and what holds them.

use crate::{
    args::WorkArgs,
    context::Context,
    error::{Failure, failed},
    output,
};
use skillful_catalog::{AgentProfile, profile::ToolListMode};
use skillful_runtime::{
    ActivationError, Work,
    installed::Installed,
    perform::{Stopped, Why},
    policy::{Ground, Place, Standing},
    room::{Grants, Run, Sandbox},
};
use skillful_sandbox::{Require, SandboxError, Tier};
use std::collections::BTreeMap;

/// Everything that commands need.
#[derive(Debug)]
pub(crate) struct Workshop {
    /// What the person allows.
    pub grants: Grants,
    ground: Ground,
    standing: Standing,
    opt_in: bool,
    /// What holds commands.
    pub sandbox: Sandbox,
    commands: bool,
    /// What installed skills must be.
    pub installed: Installed,
}

impl Context {
    /// The workshop of this machine. Looks for no sandbox yet.
    pub(crate) fn workshop(&self, agent: Option<&AgentProfile>, args: WorkArgs) -> Result<Workshop, Failure> {
        let rules = &self.config.run;
        let place = Place {
            folder: self.environment.cwd.display().to_string(),
            home: Some(self.environment.home.display().to_string()),
        };
        let ground = match agent {
            Some(agent) => Ground::of(agent, &[], place),
            None => Ground::new(&BTreeMap::new(), &[], ToolListMode::Restrict, place),
        };
        let require = if args.allow_unsandboxed {
            output::tell(
                "warning: --allow-unsandboxed: whatever this skill runs can read and change all that you can\n",
            );
            Require::Exactly(Tier::None)
        } else {
            Require::Sandbox
        };
        Ok(Workshop {
            grants: rules.grants.clone(),
            ground,
            standing: rules.standing.clone(),
            opt_in: args.grant,
            sandbox: Sandbox::new(require),
            commands: rules.commands,
            installed: self.installed()?,
        })
    }

    /// What installed skills must be.
    pub(crate) fn installed(&self) -> Result<Installed, Failure> {
        let file = self.paths.data.join(skillful_runtime::installed::FILE);
        Installed::read(&self.paths.data).map_err(|error| {
            let failure = failed(format!("read what was installed from `{}`", file.display()))(error);
            failure.hint("mend the file, or remove it to accept every skill as it is now")
        })
    }
}

impl Workshop {
    /// For an engine.
    pub(crate) fn work(&self) -> Work<'_> {
        Work {
            grants: &self.grants,
            ground: &self.ground,
            standing: &self.standing,
            opt_in: self.opt_in,
            run: self.commands.then_some(&self.sandbox as &dyn Run),
        }
    }
}

/// An activation that did not come about, for a person.
pub(crate) fn not_activated(name: &str, error: &ActivationError) -> Failure {
    let message = format!("the skill `{name}` cannot be used: {error}");
    match error {
        ActivationError::Stopped(Stopped { why: Why::Sandbox(error), .. }) => not_held(message, error),
        ActivationError::Stopped(_) => Failure::new(message)
            .hint("`skillful use --no-run` prints the skill with its commands as written"),
        _ => Failure::new(message),
    }
}

/// A command that nothing could hold, for a person.
pub(crate) fn not_held(message: String, error: &SandboxError) -> Failure {
    if matches!(error, SandboxError::Unavailable { .. } | SandboxError::SocketsNeedBubblewrap(_)) {
        return Failure::unsandboxed(message)
            .hint("`skillful sandbox` says what this machine lacks and how to get it");
    }
    Failure::new(message)
}
