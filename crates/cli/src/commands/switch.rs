//! `enable` and `disable`: one rule in the configuration, comments and order kept.

use super::printed;
use crate::{
    args::SwitchArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    shape,
};
use serde_json::json;
use skillful::config::project_file;
use skillful_catalog::{Catalog, Entry};
use std::path::{Path, PathBuf};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

pub(crate) fn run(context: &mut Context, args: &SwitchArgs, enabled: bool) -> Outcome {
    if args.project && enabled {
        return Err(Failure::usage("a repository can disable skills and never enable them")
            .hint("leave --project out to decide for yourself"));
    }
    let catalog = context.workspace.catalog();
    let file =
        if args.project { project_file(&catalog.project) } else { context.workspace.paths().config.clone() };
    let mut document = read(&file)?;
    let mut done = Vec::new();
    for word in &args.skills {
        let at = context.find(word)?;
        let entry = &catalog.entries[at];
        // What is off by default is switched on by a rule, and that names the one skill that was looked at.
        let proposed = entry.origin.file.starts_with(context.workspace.paths().proposed());
        let by_path = word.contains('/') || names_several(&catalog, entry) || proposed;
        let key = if by_path { Key::Path(entry.origin.file.clone()) } else { Key::Name(entry.address()) };
        set_rule(&mut document, &key, &entry.address(), enabled);
        done.push((entry.address(), key));
    }
    write(&file, &document.to_string())?;
    let verb = if enabled { "enabled" } else { "disabled" };
    if context.output.json {
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "file": file,
            "enabled": enabled,
            "skills": done.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        })))?;
    } else {
        let lines: String = done
            .iter()
            .map(|(name, key)| match key {
                Key::Name(_) => format!("{verb} {name} in {}\n", context.short(&file)),
                Key::Path(path) => {
                    format!("{verb} {name} at {} in {}\n", context.short(path), context.short(&file))
                }
            })
            .collect();
        printed(context.output.print(&lines))?;
    }
    Ok(Exit::Clean)
}

enum Key {
    Name(String),
    Path(PathBuf),
}

/// Whether a rule by name would hit other skills, too.
fn names_several(catalog: &Catalog, entry: &Entry) -> bool {
    catalog.called(&entry.address()).count() > 1
}

pub(crate) fn read(file: &Path) -> Result<DocumentMut, Failure> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::new(format!("failed to read `{}`: {error}", file.display()))),
    };
    text.parse().map_err(|error: toml_edit::TomlError| {
        Failure::new(format!("`{}` is not TOML: {}", file.display(), error.message()))
            .hint("mend the file first")
    })
}

/// Replaces the rule about a skill, or adds one at the end, where it is the last word.
fn set_rule(document: &mut DocumentMut, key: &Key, address: &str, enabled: bool) {
    let item = document.entry("skill").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if item.as_array_of_tables().is_none() {
        *item = Item::ArrayOfTables(ArrayOfTables::new());
    }
    let Some(rules) = item.as_array_of_tables_mut() else { return };
    let text = match key {
        Key::Name(name) => name.clone(),
        Key::Path(path) => path.display().to_string(),
    };
    rules.retain(|rule| {
        let is = |key: &str, text: &str| rule.get(key).and_then(Item::as_str) == Some(text);
        match key {
            Key::Name(_) => !is("name", address),
            Key::Path(_) => !is("path", &text),
        }
    });
    // Enabled by name is what every skill is anyway; by path it may have to beat a rule by name.
    if enabled && matches!(key, Key::Name(_)) {
        if rules.is_empty() {
            document.remove("skill");
        }
        return;
    }
    let mut rule = Table::new();
    match key {
        Key::Name(_) => rule["name"] = value(text),
        Key::Path(_) => rule["path"] = value(text),
    }
    rule["enabled"] = value(enabled);
    rules.push(rule);
}

pub(crate) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder).map_err(failed(format!("create `{}`", folder.display())))?;
    let staged = folder.join(format!(".config-{}.toml", std::process::id()));
    std::fs::write(&staged, text)
        .and_then(|()| std::fs::rename(&staged, file))
        .map_err(failed(format!("write `{}`", file.display())))
}
