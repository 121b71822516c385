//! Options of commands that run skills, and failures of activation and of the sandbox.

use crate::{args::WorkArgs, context::Context, error::Failure, output};
use skillful::execution::{Execution, ExecutionOptions};
use skillful_catalog::{AgentProfile, access::NotAdmitted};
use skillful_runtime::{
    ActivationError,
    perform::{StopReason, Stopped},
};
use skillful_sandbox::SandboxError;

impl Context {
    /// How commands of skills run, with the options of the command line.
    pub(crate) fn execution(&self, args: WorkArgs) -> Execution {
        let options = ExecutionOptions { allow_unsandboxed: args.allow_unsandboxed, grant: args.grant };
        self.execution_as(self.workspace.as_agent(), options)
    }

    /// The same with the tools of an agent.
    pub(crate) fn execution_as(&self, agent: Option<&AgentProfile>, options: ExecutionOptions) -> Execution {
        if options.allow_unsandboxed {
            output::tell(
                "warning: --allow-unsandboxed: commands of this skill can read and change everything that you can\n",
            );
        }
        self.workspace.execution_as(agent, options)
    }
}

/// The failure of an activation.
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

/// The failure to run a command in a sandbox.
pub(crate) fn not_held(message: String, error: &SandboxError) -> Failure {
    if matches!(error, SandboxError::Unavailable { .. } | SandboxError::SocketsNeedBubblewrap(_)) {
        return Failure::unsandboxed(message)
            .hint("skillful sandbox shows what is missing on this machine and how to install it");
    }
    Failure::new(message)
}
