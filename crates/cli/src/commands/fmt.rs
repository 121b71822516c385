//! `fmt`: frontmatter in canonical form; bodies stay as they are.

use super::printed;
use crate::{
    args::FmtArgs,
    context::Context,
    error::{Exit, Outcome, failed},
    output,
};
use skillful::views::{
    SCHEMA,
    share::{FormatReport, SkippedFile},
};
use skillful_catalog::{bounded, inspect::skill_files};
use skillful_format::{Document, Sidecars, document::text_of, source::FILE_LIMIT, write};
use std::path::{Path, PathBuf};

pub(crate) fn run(context: &mut Context, args: &FmtArgs) -> Outcome {
    let cwd = context.workspace.environment().cwd.clone();
    let is_here = args.paths.is_empty() || args.paths == [PathBuf::from(".")];
    let paths = if is_here { vec![cwd] } else { context.workspace.paths_to_change(&args.paths)? };
    let mut files: Vec<PathBuf> = paths.iter().flat_map(|path| skill_files(path)).collect();
    files.dedup();
    let mut report =
        FormatReport { schema: SCHEMA, checked: files.len(), changed: Vec::new(), skipped: Vec::new() };
    for file in &files {
        let path = || file.into();
        match formatted(file) {
            Ok(None) => {}
            Ok(Some(text)) => {
                if !args.check {
                    bounded::replace(file, text.as_bytes(), 0o644, bounded::around(file).as_ref())
                        .map_err(failed(format!("write `{}`", file.display())))?;
                }
                report.changed.push(path());
            }
            Err(reason) => report.skipped.push(SkippedFile { path: path(), reason }),
        }
    }
    if context.output.json {
        printed(context.output.print_json(&report))?;
    } else {
        let verb = if args.check { "would change" } else { "changed" };
        let mut out: String = report
            .changed
            .iter()
            .map(|file| format!("{verb} {}\n", context.short(Path::new(file))))
            .collect();
        let of = if report.checked == 1 { "file" } else { "files" };
        out.push_str(&format!("{} of {} {of} {verb}\n", report.changed.len(), report.checked));
        printed(context.output.print(&out))?;
        for skipped in &report.skipped {
            let file = context.short(Path::new(&skipped.path));
            output::tell(&format!("skipped {file}: {}\n", output::harmless(&skipped.reason)));
        }
    }
    let findings = !report.skipped.is_empty() || (args.check && !report.changed.is_empty());
    Ok(if findings { Exit::Findings } else { Exit::Clean })
}

/// The file in canonical form, when that is another text.
fn formatted(file: &Path) -> Result<Option<String>, String> {
    let bytes =
        bounded::read(file, FILE_LIMIT, bounded::around(file).as_ref()).map_err(|error| error.to_string())?;
    let text = text_of(&bytes).map_err(|diagnostic| diagnostic.message)?;
    let document = Document::read(&bytes, &Sidecars::default());
    write::formatted(text, &document).map_err(str::to_owned)
}
