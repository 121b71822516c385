//! `trust` and `untrust`: a person's answer about a repository, after seeing what it could do.

use super::printed;
use crate::{
    args::{TrustArgs, UntrustArgs},
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{self, DIM, HEAD, harmless},
    shape,
};
use serde_json::json;
use skillful_catalog::{
    Entry, TrustStore, capability::capabilities, catalog::trust_key, roots::repository_of,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, IsTerminal},
    path::{Path, PathBuf},
};

pub(crate) fn run(context: &mut Context, args: &TrustArgs) -> Outcome {
    if args.list {
        return list(context);
    }
    let folder = folder(context, args.folder.as_deref())?;
    context.workspace = context.workspace.in_folder(folder.clone());
    let catalog = context.workspace.catalog();
    let real = folder.canonicalize().map_err(failed(format!("use `{}`", folder.display())))?;
    let mine: Vec<&Entry> = catalog
        .entries
        .iter()
        .filter(|entry| catalog.roots[entry.origin.root].needs_trust.is_some())
        .collect();
    let skills: BTreeMap<String, BTreeSet<String>> =
        mine.iter().map(|entry| (trust_key(&real, entry), capabilities(entry))).collect();
    if !context.output.json {
        printed(context.output.print(&question(context, &real, &mine)))?;
    }
    if !args.yes && !agreed(context)? {
        return Err(Failure::new("nothing was trusted"));
    }
    let mut store = context.workspace.trust().clone();
    store.trust(real.clone(), skills);
    save(context, &store)?;
    if context.output.json {
        let names: Vec<String> = mine.iter().map(|entry| entry.address()).collect();
        printed(
            context.output.print_json(&json!({ "schema": shape::SCHEMA, "trusted": real, "skills": names })),
        )?;
    } else {
        printed(context.output.print(&format!("trusted {}\n", context.named(&real))))?;
    }
    Ok(Exit::Clean)
}

pub(crate) fn undo(context: &mut Context, args: &UntrustArgs) -> Outcome {
    let folder = folder(context, args.folder.as_deref())?;
    let real = folder.canonicalize().unwrap_or(folder);
    let mut store = context.workspace.trust().clone();
    if !store.untrust(&real) {
        return Err(Failure::new(format!("`{}` was not trusted", context.named(&real)))
            .hint("`skillful trust --list` shows what is"));
    }
    save(context, &store)?;
    if context.output.json {
        printed(context.output.print_json(&json!({ "schema": shape::SCHEMA, "untrusted": real })))?;
    } else {
        printed(context.output.print(&format!("no longer trusted: {}\n", context.named(&real))))?;
    }
    Ok(Exit::Clean)
}

fn list(context: &mut Context) -> Outcome {
    let folders: Vec<&PathBuf> = context.workspace.trust().folders.keys().collect();
    if context.output.json {
        printed(context.output.print_json(&json!({ "schema": shape::SCHEMA, "trusted": folders })))?;
    } else if folders.is_empty() {
        printed(context.output.print("no folder is trusted\n"))?;
    } else {
        let lines: String = folders.iter().map(|folder| context.named(folder) + "\n").collect();
        printed(context.output.print(&lines))?;
    }
    Ok(Exit::Clean)
}

fn folder(context: &Context, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let cwd = &context.workspace.environment().cwd;
    let folder = match named {
        Some(folder) => cwd.join(folder),
        None => repository_of(cwd).unwrap_or(cwd).to_path_buf(),
    };
    if !folder.is_dir() {
        return Err(Failure::usage(format!("`{}` is not a folder", folder.display())));
    }
    Ok(folder)
}

/// Everything that trust would enable, by skill, with every power.
fn question(context: &Context, folder: &Path, mine: &[&Entry]) -> String {
    let output = &context.output;
    if mine.is_empty() {
        return format!("{} has no skills yet\n", context.named(folder));
    }
    let skills = if mine.len() == 1 { "1 skill".to_owned() } else { format!("{} skills", mine.len()) };
    let mut out = format!("Trusting {} enables {skills}:\n\n", output.paint(HEAD, &context.named(folder)));
    for entry in mine {
        let place = context.short(entry.folder());
        out.push_str(&format!(
            "  {}  {}\n",
            output.paint(HEAD, &harmless(&entry.address())),
            output.paint(DIM, &place)
        ));
        let powers = capabilities(entry);
        if powers.is_empty() {
            out.push_str("      text only\n");
        }
        for power in powers {
            out.push_str(&format!("      {}\n", harmless(&power)));
        }
    }
    out.push('\n');
    out
}

fn agreed(context: &Context) -> Result<bool, Failure> {
    if context.output.json || !std::io::stdin().is_terminal() {
        return Err(Failure::new("there is nobody to ask, so nothing was trusted").hint(
            "read the list above, then run `skillful trust --yes`, or use --trust-project for one call",
        ));
    }
    output::tell("Trust them? [y/N] ");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(failed("read the answer"))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn save(context: &Context, store: &TrustStore) -> Result<(), Failure> {
    let file = &context.workspace.paths().trust;
    let folder = file.parent().unwrap_or(Path::new("/"));
    let text = toml::to_string_pretty(store)
        .map_err(|error| Failure::new(format!("failed to write the trust store: {error}")))?;
    let header = "# Folders trusted with `skillful trust`, and what their skills could do then.\n";
    let staged = folder.join(format!(".trust-{}.toml", std::process::id()));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&staged, header.to_owned() + &text))
        .and_then(|()| std::fs::rename(&staged, file))
        .map_err(failed(format!("write `{}`", file.display())))
}
