//! `clean`: what is in the content store and no lock names any more.

use super::{library::refused, printed};
use crate::{
    args::CleanArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    prompt,
};
use serde::Serialize;
use skillful::views::SCHEMA;
use skillful_format::Digest;
use skillful_registry::{AtomicWriter, ContentStore, content_store::Cleaning};
use std::path::PathBuf;

/// What is removed from the content store.
#[derive(Serialize)]
struct CleanView {
    schema: u32,
    trees: Vec<Digest>,
    staged: usize,
    bytes: u64,
    changed: Vec<PathBuf>,
    forgotten: Vec<PathBuf>,
    locks: Vec<PathBuf>,
    applied: bool,
}

pub(crate) fn run(context: &mut Context, args: &CleanArgs) -> Outcome {
    let store = ContentStore::open(&context.workspace.paths().contents(), AtomicWriter::default())
        .map_err(refused)?;
    // These two are asked even when they were written before the store kept a list.
    let near = [context.workspace.project_site().lock, context.workspace.user_site().lock];
    let survey = store.survey(&near).map_err(refused)?;
    let is_clean =
        survey.garbage.trees.is_empty() && survey.garbage.staged.is_empty() && survey.forgotten.is_empty();
    if context.output.json {
        let acts = args.yes && !is_clean;
        let cleaning = if acts { store.clean(&near).map_err(refused)? } else { survey };
        printed(context.output.print_untyped(&CleanView {
            schema: SCHEMA,
            trees: cleaning.garbage.trees,
            staged: cleaning.garbage.staged.len(),
            bytes: cleaning.bytes,
            changed: cleaning.changed,
            forgotten: cleaning.forgotten,
            locks: cleaning.locks,
            applied: acts,
        }))?;
        return Ok(if acts || is_clean || args.dry_run { Exit::Clean } else { Exit::Findings });
    }
    printed(context.output.print(&text(context, &survey)))?;
    if is_clean || args.dry_run {
        return Ok(Exit::Clean);
    }
    if !args.yes {
        if !prompt::is_possible() {
            return Err(Failure::new("confirmation required, but there is no terminal; nothing was removed")
                .hint("read the plan with --dry-run, then pass --yes"));
        }
        if !prompt::yes("do this?").map_err(failed("ask"))? {
            return Err(Failure::new("nothing was removed"));
        }
    }
    store.clean(&near).map_err(refused)?;
    printed(context.output.print("removed\n"))?;
    Ok(Exit::Clean)
}

fn text(context: &Context, cleaning: &Cleaning) -> String {
    let mut out = String::new();
    out.push_str(&match cleaning.garbage.trees.len() {
        0 => "every version in the content store is named by a lock\n".to_owned(),
        1 => format!("remove 1 version that no lock names, {} bytes\n", cleaning.bytes),
        many => format!("remove {many} versions that no lock names, {} bytes\n", cleaning.bytes),
    });
    if !cleaning.garbage.staged.is_empty() {
        let count = cleaning.garbage.staged.len();
        out.push_str(&format!("remove what {count} stopped runs left\n"));
    }
    for folder in &cleaning.forgotten {
        out.push_str(&format!("forget the lock of {}, which is gone\n", context.short(folder)));
    }
    for path in &cleaning.changed {
        out.push_str(&format!("keep {}: its files were changed; look into it\n", context.short(path)));
    }
    out.push_str(&match cleaning.locks.len() {
        1 => "1 lock was read\n".to_owned(),
        count => format!("{count} locks were read\n"),
    });
    out
}
