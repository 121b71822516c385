//! `list --watch`: prints changes of the catalog as they happen.

use super::{printed, tell_diagnostics};
use crate::{
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{self, BAD, GOOD, WARN, count, harmless},
};
use skillful::{views::ChangesView, workspace::Watcher};
use std::time::{Duration, Instant};

/// Longest wait for a change; also how often folders that cannot be watched are read again.
const STEP: Duration = Duration::from_secs(5);

pub(crate) fn run(context: &mut Context, seconds: Option<u64>) -> Outcome {
    let mut watcher = Watcher::new(&context.workspace);
    tell_diagnostics(context, &context.diagnostics());
    if watcher.is_blind() {
        output::tell("warning: some folders cannot be watched; they are read again every 5 seconds\n");
    }
    // Reports changes between reading the folders and the start of the watch.
    renew(context, &mut watcher)?;
    if !context.output.json {
        let catalog = context.workspace.catalog();
        let present = catalog.roots.iter().filter(|root| root.present).count();
        let (folders, skills) = (count(present, "folder"), count(catalog.entries.len(), "skill"));
        output::tell(&format!("watching {folders}, {skills}; Ctrl-C ends\n"));
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

/// Replaces the workspace by its next snapshot and reports what changed.
fn renew(context: &mut Context, watcher: &mut Watcher) -> Result<(), Failure> {
    let (next, changes) = context.workspace.refresh();
    context.workspace = next;
    watcher.follow(&context.workspace);
    if changes.is_empty() { Ok(()) } else { report(context, &ChangesView::of(&changes)) }
}

fn report(context: &Context, changes: &ChangesView) -> Result<(), Failure> {
    if context.output.json {
        return printed(context.output.print_json_line(changes));
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
