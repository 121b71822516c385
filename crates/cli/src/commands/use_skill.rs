//! `use`: prints a skill as a model reads it. For agents whose only tool is a shell.

use super::{diagnostic_views, printed, tell_catalog, tell_diagnostics};
use crate::{
    args::UseArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output,
    work::not_activated,
};
use skillful::views::{LoadedSkill, SkillResource};
use skillful_render::Arguments;
use skillful_runtime::{compose, resource};
use skillful_select::access::Way;

pub(crate) fn run(context: &mut Context, args: &UseArgs) -> Outcome {
    context.for_user(args.user.as_deref());
    context.for_agent(args.agent.as_deref())?;
    if args.skill.starts_with(resource::SCHEME) {
        let found =
            resource::read(&context.workspace.catalog(), &args.skill, context.workspace.asker(), Way::Load)
                .map_err(|error| Failure::new(error.to_string()))?;
        if context.output.json {
            printed(context.output.print_json(&SkillResource::new(found)))?;
        } else {
            printed(context.output.print(&found.text))?;
        }
        return Ok(Exit::Clean);
    }
    let proof = context.reach(&args.skill, Way::Load)?;
    let catalog = context.workspace.catalog();
    let at = proof.entry();
    context.offer_servers(&catalog.entries[at])?;
    let execution = context.execution(args.work);
    let mut engine = context.workspace.engine(&catalog, None);
    engine.work = (!args.no_run).then(|| execution.work());
    let (activation, text) = compose::load(&engine, &proof, &Arguments::text_of(&args.arguments))
        .map_err(|error| not_activated(&args.skill, &error))?;
    let diagnostics = diagnostic_views(context, &catalog, &activation.diagnostics);
    let loaded = LoadedSkill::new(activation, text, diagnostics);
    let activation = &loaded.activation;
    if context.output.json {
        printed(context.output.print_json(&loaded))?;
    } else {
        tell_catalog(context, &catalog);
        tell_diagnostics(context, &activation.diagnostics);
        if let Some(difference) = activation.difference.as_ref().filter(|one| !one.is_empty()) {
            output::tell(&format!(
                "tools: {}\n",
                output::harmless(&difference.to_string().replace('\n', "; "))
            ));
        }
        for note in &activation.notes {
            output::tell(&format!("note: {}\n", output::harmless(note)));
        }
        printed(context.output.print(&loaded.text))?;
    }
    context.used(&catalog.entries[at]);
    Ok(Exit::Clean)
}
