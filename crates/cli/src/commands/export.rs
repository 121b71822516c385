//! `export`: a skill as one file.

use super::{printed, tell_diagnostics};
use crate::{
    args::ExportArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output, shape,
};
use serde_json::json;
use skillful_catalog::{disk, profile::RootKind, variables};
use skillful_format::{Limits, Tree, TreeFile, TreePath};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

pub(crate) fn run(context: &mut Context, args: &ExportArgs) -> Outcome {
    let (catalog, at) = context.catalog_with(&args.skill)?;
    let entry = &catalog.entries[at];
    let limits = Limits::default();
    let (tree, diagnostics) = if entry.origin.kind == RootKind::Commands {
        let bytes = std::fs::read(&entry.origin.file).map_err(failed("read the command file"))?;
        let mut tree = Tree::default();
        let path = TreePath::new("SKILL.md", &limits).map_err(|fault| Failure::new(fault.to_string()))?;
        tree.insert(path, TreeFile { bytes, executable: false }, &limits)
            .map_err(|d| Failure::new(d.message))?;
        (tree, Vec::new())
    } else {
        disk::read_folder(&entry.origin.real, &limits)
            .map_err(failed(format!("read `{}`", entry.origin.real.display())))?
    };
    tell_diagnostics(context, &diagnostics);
    let (tree, values) = variables::without_values(tree, &limits);
    if values {
        output::tell("note: vars.json holds your own values and is left out\n");
    }
    let Some((_, own)) = tree.skill_file() else {
        return Err(Failure::new(format!("there is no SKILL.md in `{}`", entry.origin.real.display())));
    };
    let folder = entry
        .folder()
        .file_name()
        .map_or_else(|| entry.name.clone(), |name| name.to_string_lossy().into_owned());
    let folder = if entry.origin.kind == RootKind::Commands { entry.name.clone() } else { folder };
    let alone = tree.len() == 1;
    let default = PathBuf::from(format!("{folder}.{}", if alone { "md" } else { "zip" }));
    let target = args.output.clone().unwrap_or(default);
    let bytes = match Kind::of(&target) {
        Some(Kind::TarGz) => {
            skillful_archive::write_tar_gz(&tree, &folder).map_err(|d| Failure::new(d.message))?
        }
        Some(Kind::Zip) => {
            skillful_archive::write_zip(&tree, &folder).map_err(|d| Failure::new(d.message))?
        }
        Some(Kind::SkillFile) if alone => own.bytes.clone(),
        Some(Kind::SkillFile) => {
            return Err(Failure::usage(format!(
                "`{}` has {} files, which one .md cannot hold",
                entry.name,
                tree.len()
            ))
            .hint("export to .zip or .tar.gz"));
        }
        None => {
            return Err(Failure::usage(format!(
                "`{}` has no ending that says what to write",
                target.display()
            ))
            .hint("use .md, .zip, .skill or .tar.gz"));
        }
    };
    if target == Path::new("-") {
        std::io::stdout().lock().write_all(&bytes).map_err(failed("write the output"))?;
        return Ok(Exit::Clean);
    }
    let target = context.workspace.environment().cwd.join(target);
    if target.symlink_metadata().is_ok() && !args.force {
        return Err(Failure::new(format!("`{}` is already there", context.short(&target)))
            .hint("overwrite it with --force"));
    }
    std::fs::write(&target, &bytes).map_err(failed(format!("write `{}`", target.display())))?;
    let digest = tree.digest();
    if context.output.json {
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "path": target,
            "bytes": bytes.len(),
            "files": tree.len(),
            "digest": digest.to_string(),
        })))?;
    } else {
        let files = if alone { "1 file".to_owned() } else { format!("{} files", tree.len()) };
        printed(context.output.print(&format!("wrote {} ({files}, {digest})\n", context.short(&target))))?;
    }
    Ok(Exit::Clean)
}

/// What a file name asks for.
enum Kind {
    SkillFile,
    Zip,
    TarGz,
}

impl Kind {
    fn of(target: &Path) -> Option<Self> {
        if target == Path::new("-") {
            return Some(Self::Zip);
        }
        let name = target.file_name()?.to_str()?.to_lowercase();
        match name.rsplit('.').next()? {
            "md" => Some(Self::SkillFile),
            "zip" | "skill" => Some(Self::Zip),
            "tgz" => Some(Self::TarGz),
            "gz" if name.contains(".tar.") => Some(Self::TarGz),
            _ => None,
        }
    }
}
