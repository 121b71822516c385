//! `run`: a skill that a person calls by its name, done by a model.

use crate::{
    agent::{Said, Who, models::CONNECT, once},
    args::RunArgs,
    context::Context,
    error::{Failure, Outcome},
};
use skillful_select::access::Way;

pub(crate) fn run(context: &mut Context, args: &RunArgs) -> Outcome {
    context.principal.user.clone_from(&args.user);
    let catalog = context.catalog();
    let host = context.host(args.host.as_deref())?.map(|host| host.id.clone());
    let at = context.reach(&catalog, &args.skill, host.as_deref(), Way::Slash)?;
    let connected = context.connect(args.agent.model.as_deref())?.ok_or_else(|| {
        let hint = format!("`skillful use {}` prints what a model would read", args.skill);
        Failure::new("no model is connected").hint(CONNECT).hint(hint)
    })?;
    let said = Said {
        message: format!("/skill:{} {}", catalog.entries[at].address(), args.arguments.join(" "))
            .trim_end()
            .to_owned(),
        attachments: args.attach.clone(),
        ..Said::default()
    };
    let who = Who { user: args.user.as_deref(), host: args.host.as_deref() };
    once::run(context, connected, &args.agent, who, args.conversation.as_deref(), &said)
}
