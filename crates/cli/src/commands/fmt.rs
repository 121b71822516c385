//! `fmt`: headers in canonical form, bodies untouched.

use super::printed;
use crate::{
    args::FmtArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output, shape,
};
use serde_json::json;
use skillful_catalog::inspect::skill_files;
use skillful_format::{Document, Sidecars, Soundness, document::text_of, source::FILE_LIMIT, write};
use std::path::{Path, PathBuf};

pub(crate) fn run(context: &mut Context, args: &FmtArgs) -> Outcome {
    let cwd = context.workspace.environment().cwd.clone();
    let paths = if args.paths.is_empty() { vec![PathBuf::from(".")] } else { args.paths.clone() };
    let mut files: Vec<PathBuf> = Vec::new();
    for path in &paths {
        let path = if path == Path::new(".") { cwd.clone() } else { cwd.join(path) };
        if path.symlink_metadata().is_err() {
            return Err(Failure::usage(format!("`{}` does not exist", path.display())));
        }
        files.extend(skill_files(&path));
    }
    files.dedup();
    let mut changed = Vec::new();
    let mut skipped = Vec::new();
    for file in &files {
        match formatted(file) {
            Ok(None) => {}
            Ok(Some(text)) => {
                if !args.check {
                    replace(file, &text).map_err(failed(format!("write `{}`", file.display())))?;
                }
                changed.push(file);
            }
            Err(reason) => skipped.push((file, reason)),
        }
    }
    if context.output.json {
        printed(context.output.print_untyped(&json!({
            "schema": shape::SCHEMA,
            "checked": files.len(),
            "changed": changed,
            "skipped": skipped.iter().map(|(file, why)| json!({ "path": file, "reason": why })).collect::<Vec<_>>(),
        })))?;
    } else {
        let verb = if args.check { "would change" } else { "changed" };
        let mut out: String =
            changed.iter().map(|file| format!("{verb} {}\n", context.short(file))).collect();
        out.push_str(&format!(
            "{} of {} headers {}\n",
            changed.len(),
            files.len(),
            if args.check { "would change" } else { "changed" }
        ));
        printed(context.output.print(&out))?;
        for (file, why) in &skipped {
            output::tell(&format!("skipped {}: {}\n", context.short(file), output::harmless(why)));
        }
    }
    let findings = !skipped.is_empty() || (args.check && !changed.is_empty());
    Ok(if findings { Exit::Findings } else { Exit::Clean })
}

/// The file in canonical form, when that is another text.
fn formatted(file: &Path) -> Result<Option<String>, String> {
    let meta = std::fs::metadata(file).map_err(|error| error.to_string())?;
    if meta.len() > FILE_LIMIT {
        return Err(format!("it is larger than {FILE_LIMIT} bytes"));
    }
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let text = text_of(&bytes).map_err(|diagnostic| diagnostic.message)?;
    let document = Document::read(&bytes, &Sidecars::default());
    if document.soundness == Soundness::Broken {
        return Err("its header cannot be read; `skillful check` says why".to_owned());
    }
    if document.frontmatter.is_none() {
        return Ok(None);
    }
    let new = write::document(text, &document);
    Ok((new != text).then_some(new))
}

/// Whole or not at all, through a link to the file it means.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let real = file.canonicalize()?;
    let folder = real.parent().unwrap_or(Path::new("/"));
    let staged = folder.join(format!(
        ".{}.skillful-{}",
        real.file_name().unwrap_or_default().to_string_lossy(),
        std::process::id()
    ));
    let write = || {
        std::fs::write(&staged, text)?;
        std::fs::set_permissions(&staged, std::fs::metadata(&real)?.permissions())?;
        std::fs::rename(&staged, &real)
    };
    write().inspect_err(|_| {
        let _gone = std::fs::remove_file(&staged);
    })
}
