//! Asks a model which skill it would load for each request. It is asked as in `ask`, and nothing that it calls is run.

use crate::{
    args::AssistantArgs,
    assistant::{Assistant, Who, session},
    context::Context,
    error::Failure,
    output::{harmless, tell},
    prompt,
};
use skillful::views::eval::SelectorView;
use skillful_assistant::models::{CONNECT, Models};
use skillful_llm::Usage;
use skillful_route::ranking::{evalset::Case, selections::selections};

/// Requests that fail one after the other until the rest is not asked.
const FAILURES: usize = 3;

/// What the model selected for the cases.
pub(super) fn asked(
    context: &mut Context,
    model: Option<&str>,
    cases: &[Case],
) -> Result<SelectorView, Failure> {
    let connected = Models::of(&context.workspace).connect(model)?;
    let connected = connected.ok_or_else(|| {
        Failure::new("no model is connected")
            .hint(CONNECT)
            .hint("leave out --model to measure the router alone")
    })?;
    let name = connected.models.usual.provider.model.clone();
    let args =
        AssistantArgs { model: model.map(str::to_owned), no_session: true, ..AssistantArgs::default() };
    let kept = session::open(context, true, None)?;
    let mut assistant = Assistant::new(context, connected, &args, Who::default(), kept)?;
    let (mut selected, mut usage, mut cost) = (Vec::with_capacity(cases.len()), Usage::default(), None);
    let (mut unanswered, mut in_a_row) = (0, 0);
    for (at, case) in cases.iter().enumerate() {
        if prompt::is_possible() {
            tell(&format!("\rasking {}: {} of {} …", harmless(&name), at + 1, cases.len()));
        }
        match assistant.first_load(context, &case.query) {
            Ok(load) => {
                in_a_row = 0;
                usage += load.usage;
                cost = load.cost.map(|one| cost.unwrap_or(0.0) + one).or(cost);
                selected.push(load.skills);
            }
            Err(failure) if assistant.was_cancelled() || in_a_row + 1 == FAILURES || at == 0 => {
                return Err(failure);
            }
            Err(failure) => {
                in_a_row += 1;
                unanswered += 1;
                tell(&format!(
                    "note: request {} was not answered: {}\n",
                    at + 1,
                    harmless(&failure.to_string())
                ));
                selected.push(Vec::new());
            }
        }
    }
    if prompt::is_possible() {
        tell("\n");
    }
    let view = SelectorView::new(&name, &selections(cases, &selected));
    Ok(SelectorView { usage: Some(usage.into()), cost, unanswered, ..view })
}
