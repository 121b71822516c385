//! `ask`: one message, answered by a model with the skills that apply. Without a model: what one would read.

mod answer;
mod compose;

use crate::{
    args::AskArgs,
    assistant::{Said, Who, once},
    context::Context,
    error::Outcome,
    output,
    turn::message,
};
use skillful_assistant::models::Models;

/// What is printed behind the skills that match, when no model can answer.
const NO_MODEL: &str = "
No model is configured, so there is no answer. Set one of
  ANTHROPIC_API_KEY   OPENAI_API_KEY   OPENAI_BASE_URL (Ollama, llama.cpp, vLLM)
";

pub(crate) fn run(context: &mut Context, args: &AskArgs) -> Outcome {
    if args.compose || args.raw {
        return compose::run(context, args);
    }
    let Some(connected) = Models::of(&context.workspace).connect(args.assistant.model.as_deref())? else {
        let outcome = compose::run(context, args);
        output::tell(NO_MODEL);
        return outcome;
    };
    let said = Said {
        message: message(&args.turn.message)?,
        attachments: args.turn.attach.clone(),
        given: args.turn.skill.clone(),
        source_type: args.turn.source_type.clone(),
        in_session: true,
    };
    let who = Who { user: args.turn.user.as_deref(), agent: args.turn.agent.as_deref() };
    once::run(context, connected, &args.assistant, who, args.turn.session.as_deref(), &said)
}
