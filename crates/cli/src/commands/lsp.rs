//! `lsp`: a language server for editors, over standard input and output.

use super::check::profile_named;
use crate::{
    args::LspArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
};
use skillful_lsp::{Ended, Settings, serve};

pub(crate) fn run(context: &mut Context, args: &LspArgs) -> Outcome {
    let profile = profile_named(context, &args.profile)?;
    let agent = args.agent.as_deref().map(|name| context.known_agent(name).map(|agent| agent.id.clone()));
    let settings = Settings { profile, agent: agent.transpose()? };
    match serve(context.workspace.clone(), settings, std::io::stdin(), std::io::stdout()) {
        Ended::Properly => Ok(Exit::Clean),
        // The protocol asks for this code.
        Ended::Abruptly => Ok(Exit::Findings),
        Ended::Unframed => Err(Failure::new("the client sent bytes without a frame of the protocol")
            .hint("start `skillful lsp` from an editor; see docs/editors.md")),
    }
}
