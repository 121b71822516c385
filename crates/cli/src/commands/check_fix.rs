//! `check --fix`: writes the repairs of findings, after a look at every difference.

use super::printed;
use crate::{
    args::CheckArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{count, harmless},
    prompt,
};
use skillful::{Library, library::RepairPlan};
use skillful_format::Profile;
use std::path::PathBuf;

pub(crate) fn run(context: &Context, args: &CheckArgs, files: &[PathBuf], profile: &Profile) -> Outcome {
    let mut plan = Library::plan_repairs(files, profile, args.all);
    if context.output.json {
        if args.yes && !plan.files.is_empty() {
            Library::apply_repairs(&mut plan)?;
        }
        printed(context.output.print_json(&plan))?;
        let is_done = plan.files.is_empty() || plan.applied || args.dry_run;
        return Ok(if is_done { Exit::Clean } else { Exit::Findings });
    }
    if plan.files.is_empty() {
        printed(context.output.print("Nothing that --fix can repair.\n"))?;
        return Ok(Exit::Clean);
    }
    printed(context.output.print(&text(context, &plan)))?;
    if args.dry_run {
        return Ok(Exit::Clean);
    }
    let files = count(plan.files.len(), "file");
    if !args.yes {
        if !prompt::is_possible() {
            return Err(Failure::new("confirmation required, but there is no terminal")
                .cause(format!("the repairs change {files}"))
                .hint("read the difference above, then repeat the command with --yes"));
        }
        if !prompt::yes(&format!("Write {files}?")).map_err(failed("read the answer"))? {
            return Err(Failure::new("nothing was written"));
        }
    }
    Library::apply_repairs(&mut plan)?;
    printed(context.output.print(&format!("Repaired {files}.\n")))?;
    Ok(Exit::Clean)
}

fn text(context: &Context, plan: &RepairPlan) -> String {
    let mut out = String::new();
    for file in &plan.files {
        out.push_str(&format!("{}   {}\n", context.short(&file.path), file.codes.join(", ")));
        for line in &file.difference {
            let indent = line.len() - line.trim_start().len();
            out.push_str(&format!("{}{}\n", &line[..indent], harmless(&line[indent..])));
        }
        out.push('\n');
    }
    out
}
