//! `catalog`: places with skills, and what they offer.

mod answers;

pub(crate) use answers::{Answers, Hit, next, table};

use super::{printed, registry::refused};
use crate::{
    age,
    args::{CatalogArgs, CatalogCommand},
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{Cell, DIM, Table, harmless, tell},
    shape,
};
use serde_json::json;
use skillful_registry::{
    AtomicWriter, Source,
    fetch::Web,
    source::Place,
    sources::{SOURCES_FILE, SourceEntry, Sources},
};
use std::path::PathBuf;

pub(crate) fn run(context: &mut Context, args: &CatalogArgs) -> Outcome {
    match args.command.as_ref().unwrap_or(&CatalogCommand::List) {
        CatalogCommand::List => list(context),
        CatalogCommand::Add { label, source, registry } => add(context, label, source, *registry),
        CatalogCommand::Rm { label } => {
            let (sources, path) = load(context)?;
            sources.remove(&path, label, &AtomicWriter::default()).map_err(refused)?;
            told(context, label, false, &format!("removed {}\n", harmless(label)))
        }
        CatalogCommand::Browse { label, refresh } => browse(context, label.as_deref(), *refresh),
    }
}

/// Beside the configuration.
fn path(context: &Context) -> PathBuf {
    context.workspace.paths().config.with_file_name(SOURCES_FILE)
}

fn load(context: &Context) -> Result<(Sources, PathBuf), Failure> {
    let path = path(context);
    Ok((Sources::load(&path).map_err(refused)?, path))
}

/// The way to everything that is downloaded. A file that cannot be read allows nothing.
pub(crate) fn web(context: &Context) -> Web {
    match Sources::load(&path(context)) {
        Ok(sources) => sources.web(),
        Err(error) => {
            tell(&format!("warning: {}\n", harmless(&error.to_string())));
            Web::default()
        }
    }
}

fn told(context: &Context, label: &str, there: bool, text: &str) -> Outcome {
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "label": label, "there": there });
        printed(context.output.print_json(&value))?;
    } else {
        printed(context.output.print(text))?;
    }
    Ok(Exit::Clean)
}

fn add(context: &Context, label: &str, source: &str, registry: bool) -> Outcome {
    let source: Source = source
        .parse()
        .map_err(|error| Failure::usage(format!("{error}")).hint("see `skillful add --help`"))?;
    let source = absolute(context, source);
    let (sources, path) = load(context)?;
    let catalog = SourceEntry { source, enabled: true, registry };
    sources.add(&path, label, &catalog, &AtomicWriter::default()).map_err(refused)?;
    let text = format!(
        "added {} to {}; `skillful catalog browse {}` shows what it offers\n",
        harmless(label),
        context.short(&path),
        harmless(label)
    );
    told(context, label, true, &text)
}

/// A path is kept whole: it is not asked for from where somebody stood.
fn absolute(context: &Context, mut source: Source) -> Source {
    if let Place::Path(path) = &mut source.place
        && !path.starts_with('~')
    {
        let from = context.workspace.environment().cwd.join(path.as_str());
        let real = from.canonicalize().unwrap_or(from);
        if let Some(text) = real.to_str() {
            text.clone_into(path);
        }
    }
    source
}

fn list(context: &Context) -> Outcome {
    let (sources, _) = load(context)?;
    if context.output.json {
        let all = sources.sources.iter().map(|(label, it)| {
            json!({
                "label": label,
                "source": it.source.to_string(),
                "enabled": it.enabled,
                "registry": it.registry,
            })
        });
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "catalogs": all.collect::<Vec<_>>(),
            "hosts": sources.hosts,
            "loopback": sources.loopback,
        })))?;
        return Ok(Exit::Clean);
    }
    if sources.sources.is_empty() {
        printed(context.output.print("no catalog yet; `skillful catalog add LABEL SOURCE` adds one\n"))?;
        return Ok(Exit::Clean);
    }
    let row = |(label, it): (&String, &SourceEntry)| {
        let kind = if it.registry { "registry" } else { "catalog" };
        let state = if it.enabled { Cell::plain("on") } else { Cell::styled("off", DIM) };
        vec![Cell::plain(label), Cell::plain(kind), state, Cell::plain(it.source.to_string())]
    };
    let rows = sources.sources.iter().map(row).collect();
    let table = Table { heads: vec!["LABEL", "KIND", "STATE", "SOURCE"], rows };
    printed(context.output.print(&table.render(&context.output)))?;
    Ok(Exit::Clean)
}

fn browse(context: &Context, label: Option<&str>, refresh: bool) -> Outcome {
    let answers = Answers::ask(context, label, refresh)?;
    let hits = answers.hits(&[]);
    if context.output.json {
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "skills": hits.iter().map(Hit::json).collect::<Vec<_>>(),
            "dead": answers.dead_json(),
        })))?;
        return Ok(answers.exit());
    }
    let mut out = String::new();
    for (label, listing) in &answers.listings {
        let count = listing.skills.len();
        let age =
            listing.age.map_or_else(String::new, |age| format!(", asked {}", age::ago(0, age.as_secs())));
        let skills = if count == 1 { "1 skill".to_owned() } else { format!("{count} skills") };
        out.push_str(&format!("{}: {skills}{age}\n", harmless(label)));
    }
    if !hits.is_empty() {
        out.push('\n');
        out.push_str(&table(context, &hits));
        out.push_str(&next(&hits));
    }
    printed(context.output.print(&out))?;
    Ok(answers.exit())
}
