//! `watch`: changes as they happen.

use super::{printed, tell_diagnostics};
use crate::{
    args::WatchArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{self, BAD, GOOD, WARN, harmless},
    shape,
};
use serde_json::json;
use skillful_catalog::{
    Catalog,
    reload::{Changes, Shared},
    watch::{Watch, Woken},
};
use std::time::{Duration, Instant};

/// How long to wait at a time; also how soon a folder that could not be watched is looked at.
const STEP: Duration = Duration::from_secs(5);

pub(crate) fn run(context: &mut Context, args: &WatchArgs) -> Outcome {
    let mut watch =
        Watch::new().map_err(|error| Failure::new(format!("failed to watch folders: {error}")))?;
    let shared = Shared::new(context.catalog());
    let unwatched = watch.follow(&shared.current().roots);
    tell_diagnostics(context, &context.diagnostics);
    for (path, error) in &unwatched {
        output::tell(&format!(
            "warning: {} is not watched, but looked at every 5 seconds: {error}\n",
            context.short(path)
        ));
    }
    // What changed between the first look and the start of the watch.
    report(context, &shared.reload(|| Ok::<_, Failure>(Catalog::build(context.inputs())))?)?;
    if !context.output.json {
        let present = shared.current().roots.iter().filter(|root| root.present).count();
        output::tell(&format!(
            "watching {present} folders, {} skills; Ctrl-C ends\n",
            shared.current().entries.len()
        ));
    }
    let end = args.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    loop {
        let left = end.map_or(STEP, |end| end.saturating_duration_since(Instant::now()).min(STEP));
        if end.is_some_and(|end| Instant::now() >= end) {
            return Ok(Exit::Clean);
        }
        if watch.wait(left) == Woken::TimedOut && unwatched.is_empty() {
            continue;
        }
        let changes = shared.reload(|| Ok::<_, Failure>(Catalog::build(context.inputs())))?;
        watch.follow(&shared.current().roots);
        report(context, &changes)?;
    }
}

fn report(context: &Context, changes: &Changes) -> Result<(), Failure> {
    if changes.is_empty() {
        return Ok(());
    }
    if context.output.json {
        return printed(
            context.output.print(&format!("{}\n", json!({ "schema": shape::SCHEMA, "changes": changes }))),
        );
    }
    let mut out = String::new();
    for (sign, style, list) in
        [("+", GOOD, &changes.added), ("~", WARN, &changes.changed), ("-", BAD, &changes.removed)]
    {
        for change in list {
            let state = if change.state == "ready" || sign == "-" {
                String::new()
            } else {
                format!(" ({})", change.state)
            };
            let line = format!("{sign} {}{state}  {}", harmless(&change.name), context.short(&change.path));
            out.push_str(&context.output.paint(style, &line));
            out.push('\n');
        }
    }
    printed(context.output.print(&out))
}
