//! `run`: the user calls a skill by its name, and a model does it.

use crate::{
    args::RunArgs,
    assistant::{Said, Who, once},
    context::Context,
    error::{Failure, Outcome},
};
use skillful_assistant::models::{CONNECT, Models};
use skillful_render::Arguments;
use skillful_select::access::Way;

pub(crate) fn run(context: &mut Context, args: &RunArgs) -> Outcome {
    context.for_user(args.user.as_deref());
    context.for_agent(args.agent.as_deref())?;
    let at = context.reach(&args.skill, Way::Slash)?.entry();
    let catalog = context.workspace.catalog();
    let connected =
        Models::of(&context.workspace).connect(args.assistant.model.as_deref())?.ok_or_else(|| {
            let hint = format!("`skillful use {}` prints what a model would read", args.skill);
            Failure::new("no model is connected").hint(CONNECT).hint(hint)
        })?;
    let said = Said {
        message: format!("/skill:{} {}", catalog.entries[at].address(), Arguments::text_of(&args.arguments))
            .trim_end()
            .to_owned(),
        attachments: args.attach.clone(),
        ..Said::default()
    };
    let who = Who { user: args.user.as_deref(), agent: args.agent.as_deref() };
    once::run(context, connected, &args.assistant, who, args.session.as_deref(), &said)
}
