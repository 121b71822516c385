//! `clean`: what is in the skill store and no lock names any more.

use super::{
    printed,
    registry::{Desk, refused},
};
use crate::{
    args::CleanArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    prompt, shape,
};
use serde_json::json;
use skillful_registry::content_store::Cleaning;
use std::path::PathBuf;

pub(crate) fn run(context: &mut Context, args: &CleanArgs) -> Outcome {
    let desk = Desk::open(context, false)?;
    // These two are asked even when they were written before the store kept a list.
    let near: Vec<PathBuf> = [false, true].map(|global| Desk::site(context, global).lock).into();
    let survey = desk.contents.survey(&near).map_err(refused)?;
    let is_clean =
        survey.garbage.trees.is_empty() && survey.garbage.staged.is_empty() && survey.forgotten.is_empty();
    if context.output.json {
        let acts = args.yes && !is_clean;
        let cleaning = if acts { desk.contents.clean(&near).map_err(refused)? } else { survey };
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "trees": cleaning.garbage.trees,
            "staged": cleaning.garbage.staged.len(),
            "bytes": cleaning.bytes,
            "changed": cleaning.changed,
            "forgotten": cleaning.forgotten,
            "locks": cleaning.locks,
            "done": acts,
        })))?;
        return Ok(Exit::Clean);
    }
    printed(context.output.print(&text(context, &survey)))?;
    if is_clean || args.dry_run {
        return Ok(Exit::Clean);
    }
    if !args.yes {
        if !prompt::is_possible() {
            return Err(Failure::usage("nothing was removed, since nobody is here to agree")
                .hint("agree with --yes, or look with --dry-run"));
        }
        if !prompt::yes("do this?").map_err(failed("ask"))? {
            return Err(Failure::new("nothing was removed"));
        }
    }
    desk.contents.clean(&near).map_err(refused)?;
    printed(context.output.print("done\n"))?;
    Ok(Exit::Clean)
}

fn text(context: &Context, cleaning: &Cleaning) -> String {
    let mut out = String::new();
    out.push_str(&match cleaning.garbage.trees.len() {
        0 => "every version in the store is named by a lock\n".to_owned(),
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
        out.push_str(&format!("keep {}: somebody changed its files; look into it\n", context.short(path)));
    }
    out.push_str(&match cleaning.locks.len() {
        1 => "1 lock was asked\n".to_owned(),
        count => format!("{count} locks were asked\n"),
    });
    out
}
