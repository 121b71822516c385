//! `export`: a skill as one file.

use super::{library, printed, tell_diagnostics};
use crate::{
    args::ExportArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{self, count},
    report::audit as report,
};
use skillful::views::{SCHEMA, share::ExportView};
use skillful_catalog::bounded;
use std::{
    io::Write,
    path::{Path, PathBuf},
};

pub(crate) fn run(context: &mut Context, args: &ExportArgs) -> Outcome {
    let (catalog, at) = context.catalog_with(&args.skill)?;
    let exported = library::user(context)?.export(&catalog.entries[at], args.output.as_deref())?;
    tell_diagnostics(context, &exported.diagnostics);
    if exported.without_values {
        output::tell("note: vars.json holds your own values and is not exported\n");
    }
    if !exported.blocking.is_empty() {
        let found = count(exported.blocking.len(), "blocking finding");
        output::tell(&format!("warning: the audit reports {found}\n"));
        output::tell(&report::findings(&exported.blocking, &context.output));
    }
    let target = args.output.clone().unwrap_or_else(|| PathBuf::from(&exported.default_name));
    if target == Path::new("-") {
        std::io::stdout().lock().write_all(&exported.bytes).map_err(failed("write the output"))?;
        return Ok(Exit::Clean);
    }
    let path = context.workspace.environment().cwd.join(target);
    if path.symlink_metadata().is_ok() && !args.force {
        return Err(Failure::new(format!("`{}` is already there", context.short(&path)))
            .hint("overwrite it with --force"));
    }
    bounded::replace(&path, &exported.bytes, 0o644, bounded::around(&path).as_ref())
        .map_err(failed(format!("write `{}`", path.display())))?;
    let view = ExportView {
        schema: SCHEMA,
        path: (&path).into(),
        bytes: exported.bytes.len(),
        files: exported.files,
        digest: exported.digest,
        blocking: exported.blocking,
    };
    if context.output.json {
        printed(context.output.print_json(&view))?;
    } else {
        let files = if view.files == 1 { "1 file".to_owned() } else { format!("{} files", view.files) };
        let text = format!("wrote {} ({files}, digest of the skill {})\n", context.short(&path), view.digest);
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}
