//! `list --watch`: changes as they happen.

use super::{printed, tell_diagnostics};
use crate::{
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{self, BAD, GOOD, WARN, harmless},
    shape,
};
use serde_json::json;
use skillful::workspace::Watcher;
use skillful_catalog::reload::Changes;
use std::time::{Duration, Instant};

/// How long to wait at a time; also how often a folder that cannot be watched is read again.
const STEP: Duration = Duration::from_secs(5);

pub(crate) fn run(context: &mut Context, seconds: Option<u64>) -> Outcome {
    let mut watcher = Watcher::new(&context.workspace);
    tell_diagnostics(context, &context.diagnostics());
    if watcher.is_blind() {
        output::tell("warning: some folders cannot be watched; they are read again every 5 seconds\n");
    }
    // What changed between reading the folders and the start of the watch.
    renew(context, &mut watcher)?;
    if !context.output.json {
        let catalog = context.workspace.catalog();
        let present = catalog.roots.iter().filter(|root| root.present).count();
        output::tell(&format!("watching {present} folders, {} skills; Ctrl-C ends\n", catalog.entries.len()));
    }
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    loop {
        let left = end.map_or(STEP, |end| end.saturating_duration_since(Instant::now()).min(STEP));
        if end.is_some_and(|end| Instant::now() >= end) {
            return Ok(Exit::Clean);
        }
        if watcher.changed(left) || watcher.is_blind() {
            renew(context, &mut watcher)?;
        }
    }
}

/// Goes on with the next snapshot and reports what changed.
fn renew(context: &mut Context, watcher: &mut Watcher) -> Result<(), Failure> {
    let (next, changes) = context.workspace.refresh();
    context.workspace = next;
    watcher.follow(&context.workspace);
    report(context, &changes)
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
            let state = if change.state == "available" || sign == "-" {
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
