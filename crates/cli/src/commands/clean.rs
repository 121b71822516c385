//! `clean`: removes content that no lock names.

use super::{library, printed};
use crate::{
    args::CleanArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    prompt,
};
use skillful::views::clean::CleanReport;
use std::path::Path;

pub(crate) fn run(context: &mut Context, args: &CleanArgs) -> Outcome {
    let library = library::user(context)?;
    let view = library.plan_clean()?;
    let is_clean = view.is_clean();
    if context.output.json {
        let acts = args.yes && !is_clean;
        let view = if acts { library.clean()? } else { view };
        printed(context.output.print_json(&view))?;
        return Ok(if acts || is_clean || args.dry_run { Exit::Clean } else { Exit::Findings });
    }
    printed(context.output.print(&text(context, &view)))?;
    if is_clean || args.dry_run {
        return Ok(Exit::Clean);
    }
    if !args.yes {
        if !prompt::is_possible() {
            return Err(Failure::new("confirmation required, but there is no terminal; nothing was removed")
                .hint("read the plan with --dry-run, then pass --yes"));
        }
        if !prompt::yes("Apply?").map_err(failed("ask"))? {
            return Err(Failure::new("nothing was removed"));
        }
    }
    library.clean()?;
    printed(context.output.print("removed\n"))?;
    Ok(Exit::Clean)
}

fn text(context: &Context, view: &CleanReport) -> String {
    let mut out = String::new();
    out.push_str(&match view.trees.len() {
        0 => "every version in the content store is named by a lock\n".to_owned(),
        1 => format!("remove 1 version that no lock names, {} bytes\n", view.bytes),
        many => format!("remove {many} versions that no lock names, {} bytes\n", view.bytes),
    });
    match view.staged {
        0 => {}
        1 => out.push_str("remove what 1 stopped run left\n"),
        count => out.push_str(&format!("remove what {count} stopped runs left\n")),
    }
    for folder in &view.forgotten {
        out.push_str(&format!("forget the lock of {}, which is gone\n", context.short(Path::new(folder))));
    }
    for path in &view.changed {
        let path = context.short(Path::new(path));
        out.push_str(&format!("keep {path}: its files were changed; inspect them\n"));
    }
    out.push_str(&match view.locks.len() {
        1 => "1 lock was read\n".to_owned(),
        count => format!("{count} locks were read\n"),
    });
    out
}
