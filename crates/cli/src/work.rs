//! Failures of activation and of the sandbox, for the user, and the options of commands that run skills.

use crate::{args::WorkArgs, context::Context, error::Failure, output};
use skillful::execution::{Execution, ExecutionOptions};
use skillful_catalog::{AgentProfile, access::NotAdmitted};
use skillful_runtime::{
    ActivationError,
    perform::{StopReason, Stopped},
};
use skillful_sandbox::SandboxError;

impl Context {
    /// The limits for commands of skills, as the command line wants them.
    pub(crate) fn execution(&self, args: WorkArgs) -> Execution {
        let options = ExecutionOptions { allow_unsandboxed: args.allow_unsandboxed, grant: args.grant };
        self.execution_as(self.workspace.as_agent(), options)
    }

    /// The same with the tools of an agent.
    pub(crate) fn execution_as(&self, agent: Option<&AgentProfile>, options: ExecutionOptions) -> Execution {
        if options.allow_unsandboxed {
            output::tell(
                "warning: --allow-unsandboxed: whatever this skill runs can read and change all that you can\n",
            );
        }
        self.workspace.execution_as(agent, options)
    }
}

/// An activation that did not come about, for a person.
pub(crate) fn not_activated(name: &str, error: &ActivationError) -> Failure {
    let message = format!("the skill `{name}` cannot be used: {error}");
    match error {
        ActivationError::Stopped(Stopped { why: StopReason::Sandbox(error), .. }) => not_held(message, error),
        ActivationError::Stopped(_) => Failure::new(message)
            .hint("`skillful use --no-run` prints the skill with its commands as written"),
        ActivationError::NotAdmitted(NotAdmitted::NotApproved(error)) => {
            Failure::new(format!("{name} is pending and was not used"))
                .cause(error.to_string())
                .hint(format!("skillful review {name}"))
        }
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
