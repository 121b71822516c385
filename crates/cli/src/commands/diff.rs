//! `diff`: what you changed in installed skills, or what their sources changed since.

use super::{
    library::{open, warn},
    printed,
};
use crate::{
    args::DiffArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{harmless, tell},
    progress::Bar,
    report::difference,
};

pub(crate) fn run(context: &mut Context, args: &DiffArgs) -> Outcome {
    let bar = Bar::new(context);
    let view = open(context, args.global, &bar)?.diff(&args.names, args.upstream)?;
    drop(bar);
    if context.output.json {
        printed(context.output.print_json(&view))?;
    } else {
        let mut out = String::new();
        for part in &view.differences {
            let place = part.place.as_ref().map_or_else(|| part.skill.clone(), |place| context.short(place));
            out.push_str(&format!("{}:\n", harmless(&place)));
            out.push_str(&difference::text(&context.output, &part.compared, None));
        }
        if view.differences.is_empty() && view.missed.is_empty() {
            out.push_str("no differences\n");
        }
        printed(context.output.page(&out))?;
        warn(&view.warnings);
        for missed in &view.missed {
            tell(&format!("warning: {}: {}\n", harmless(&missed.skill), harmless(&missed.why)));
        }
    }
    Ok(match () {
        () if !view.differences.is_empty() => Exit::Findings,
        () if !view.missed.is_empty() => Exit::Incomplete,
        () => Exit::Clean,
    })
}
