//! `use`: a skill as a model that loads it reads it. For agents whose only tool is a shell.

use super::{all_diagnostics, printed, tell_catalog, tell_diagnostics};
use crate::{
    args::UseArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    shape,
};
use serde_json::json;
use skillful_runtime::{compose, resource};
use skillful_select::access::{Way, reach};

pub(crate) fn run(context: &mut Context, args: &UseArgs) -> Outcome {
    context.principal.user.clone_from(&args.user);
    let catalog = context.catalog();
    let host = context.host(args.host.as_deref())?;
    let asker = context.asker(host);
    if args.skill.starts_with(resource::SCHEME) {
        let found = resource::read(&catalog, &args.skill, asker, Way::Load)
            .map_err(|error| Failure::new(error.to_string()))?;
        if context.output.json {
            let mut value = json!(found);
            value["schema"] = json!(shape::SCHEMA);
            printed(context.output.print_json(&value))?;
        } else {
            printed(context.output.print(&found.text))?;
        }
        return Ok(Exit::Clean);
    }
    let at = reach(&catalog, &args.skill, asker, Way::Load).map_err(|refusal| {
        Failure::new(refusal.message()).hint("`skillful list` shows every skill and its state")
    })?;
    let engine = context.engine(&catalog, host, None);
    let (activation, text) = compose::load(&engine, at, &args.arguments.join(" "))
        .map_err(|error| Failure::new(format!("the skill `{}` cannot be read: {error}", args.skill)))?;
    if context.output.json {
        let mut value = json!(activation);
        value["schema"] = json!(shape::SCHEMA);
        value["text"] = json!(text);
        value["diagnostics"] = all_diagnostics(context, &catalog, &activation.diagnostics);
        printed(context.output.print_json(&value))?;
    } else {
        tell_catalog(context, &catalog);
        tell_diagnostics(context, &activation.diagnostics);
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}
