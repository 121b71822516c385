//! `import`: a skill from a folder or a file into a folder of skills.

use super::{diagnostics_json, printed, tell_diagnostics};
use crate::{
    args::ImportArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    shape,
};
use serde_json::json;
use skillful_catalog::{disk, roots::repository_of};
use skillful_format::{Diagnostic, Document, Limits, Sidecars, Tree, TreePath, scaffold};
use skillful_runtime::installed::Installed;

pub(crate) fn run(context: &mut Context, args: &ImportArgs) -> Outcome {
    let limits = Limits::default();
    let source = context.workspace.environment().cwd.join(&args.source);
    let (tree, own_name, diagnostics) = read(&source, &limits)?;
    let Some((_, file)) = tree.skill_file() else {
        return Err(Failure::new(format!("there is no SKILL.md in `{}`", source.display())));
    };
    let document = Document::read(&file.bytes, &Sidecars::default());
    let name = folder_name(args, document.manifest.name.as_deref(), own_name.as_deref(), &limits)?;
    let cwd = &context.workspace.environment().cwd;
    let parent = match &args.to {
        Some(folder) => cwd.join(folder),
        None if args.project => repository_of(cwd).unwrap_or(cwd).join(".agents/skills"),
        None => context.workspace.environment().home.join(".agents/skills"),
    };
    let target = parent.join(&name);
    if target.canonicalize().is_ok_and(|target| source.canonicalize().is_ok_and(|source| source == target)) {
        return Err(Failure::usage(format!("`{}` is already there", context.short(&target))));
    }
    let backup = if args.dry_run {
        None
    } else {
        disk::write_folder(&tree, &target).map_err(failed(format!("write `{}`", target.display())))?
    };
    if !args.dry_run {
        Installed::note(&context.workspace.paths().data, &target)
            .map_err(failed(format!("note what was installed at `{}`", target.display())))?;
    }
    if context.output.json {
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "name": name,
            "path": target,
            "files": tree.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
            "digest": tree.digest().to_string(),
            "backup": backup,
            "written": !args.dry_run,
            "diagnostics": diagnostics_json(&diagnostics),
        })))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &diagnostics);
    let files = if tree.len() == 1 { "1 file".to_owned() } else { format!("{} files", tree.len()) };
    let verb = if args.dry_run { "would import" } else { "imported" };
    let mut out =
        format!("{verb} {} ({files}) to {}\n", crate::output::harmless(&name), context.short(&target));
    if let Some(backup) = backup {
        out.push_str(&format!("the one that was there is kept at {}\n", context.short(&backup)));
    }
    if !args.dry_run {
        out.push_str(&format!("next: `skillful show {}` says what it could do\n", context.short(&target)));
    }
    printed(context.output.print(&out))?;
    Ok(Exit::Clean)
}

type Source = (Tree, Option<String>, Vec<Diagnostic>);

fn read(source: &std::path::Path, limits: &Limits) -> Result<Source, Failure> {
    let meta = std::fs::metadata(source)
        .map_err(|error| Failure::usage(format!("`{}` cannot be read: {error}", source.display())))?;
    if meta.is_dir() {
        let (tree, diagnostics) =
            disk::read_folder(source, limits).map_err(failed(format!("read `{}`", source.display())))?;
        let name = source.canonicalize().ok().and_then(|real| Some(real.file_name()?.to_str()?.to_owned()));
        return Ok((tree, name, diagnostics));
    }
    if meta.len() > limits.packed_bytes {
        return Err(Failure::new(format!(
            "`{}` is larger than {} bytes",
            source.display(),
            limits.packed_bytes
        )));
    }
    let bytes = std::fs::read(source).map_err(failed(format!("read `{}`", source.display())))?;
    let hint = source.file_name().and_then(|name| name.to_str());
    match skillful_archive::read(&bytes, hint, limits) {
        Ok(package) => {
            let stem = hint
                .and_then(|hint| hint.split('.').next())
                .filter(|stem| !stem.eq_ignore_ascii_case("skill"));
            let name = package.folder.clone().or_else(|| stem.map(str::to_owned));
            Ok((package.tree, name, package.diagnostics))
        }
        Err(refused) => {
            let reasons: Vec<String> =
                refused.diagnostics.iter().map(|d| format!("[{}] {}", d.code, d.message)).collect();
            let mut failure =
                Failure::new(format!("`{}` was refused: {}", source.display(), reasons.join("; ")));
            failure.hints = refused.diagnostics.iter().filter_map(|d| d.help.clone()).collect();
            Err(failure)
        }
    }
}

/// The name of the new folder. Never the author's words as they are: a name that is no plain
/// folder name is turned into one, or refused.
fn folder_name(
    args: &ImportArgs,
    header: Option<&str>,
    own: Option<&str>,
    limits: &Limits,
) -> Result<String, Failure> {
    let plain =
        |name: &str| !name.contains('/') && !name.starts_with('.') && TreePath::new(name, limits).is_ok();
    if let Some(name) = &args.rename {
        return if plain(name) {
            Ok(name.clone())
        } else {
            Err(Failure::usage(format!("`{name}` cannot be the name of a folder")))
        };
    }
    let candidates = [header, own];
    let direct = candidates.iter().flatten().map(|name| name.trim()).find(|name| plain(name));
    direct
        .map(str::to_owned)
        .or_else(|| candidates.iter().flatten().find_map(|name| scaffold::slug(name)))
        .ok_or_else(|| {
            Failure::usage("the skill has no name that could be a folder").hint("give one with --as NAME")
        })
}
