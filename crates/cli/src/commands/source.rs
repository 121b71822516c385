//! `source`: places with skills, and what they offer.

mod answers;

pub(crate) use answers::{Answers, Hit, next, table};
use answers::{DeadView, HitView};

use super::{library::refused, printed};
use crate::{
    age,
    args::{SourceArgs, SourceCommand},
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{Cell, DIM, Table, harmless},
};
use serde::Serialize;
use skillful::views::SCHEMA;
use skillful_registry::{
    AtomicWriter, Source,
    source::Place,
    sources::{SOURCES_FILE, SourceEntry, Sources},
};
use std::{collections::BTreeSet, path::PathBuf};

/// The sources of a user.
#[derive(Serialize)]
struct SourcesView {
    schema: u32,
    sources: Vec<SourceView>,
    hosts: BTreeSet<String>,
    loopback: bool,
}

#[derive(Serialize)]
struct SourceView {
    label: String,
    source: String,
    enabled: bool,
    registry: bool,
}

/// A source that was added or removed.
#[derive(Serialize)]
struct ChangedView {
    schema: u32,
    label: String,
    there: bool,
}

/// What sources offer.
#[derive(Serialize)]
struct BrowseView {
    schema: u32,
    skills: Vec<HitView>,
    dead: Vec<DeadView>,
}

pub(crate) fn run(context: &mut Context, args: &SourceArgs) -> Outcome {
    match args.command.as_ref().unwrap_or(&SourceCommand::List) {
        SourceCommand::List => list(context),
        SourceCommand::Add { label, source, registry } => add(context, label, source, *registry),
        SourceCommand::Remove { label } => {
            let (sources, path) = load(context)?;
            sources.remove(&path, label, &AtomicWriter::default()).map_err(refused)?;
            told(context, label, false, &format!("removed {}\n", harmless(label)))
        }
        SourceCommand::Browse { label, refresh } => browse(context, label.as_deref(), *refresh),
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

fn told(context: &Context, label: &str, there: bool, text: &str) -> Outcome {
    if context.output.json {
        let label = label.to_owned();
        printed(context.output.print_untyped(&ChangedView { schema: SCHEMA, label, there }))?;
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
    let entry = SourceEntry { source, enabled: true, registry };
    sources.add(&path, label, &entry, &AtomicWriter::default()).map_err(refused)?;
    let text = format!(
        "added {} to {}; skillful source browse {} shows what it offers\n",
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
        let entry = |(label, it): (&String, &SourceEntry)| SourceView {
            label: label.clone(),
            source: it.source.to_string(),
            enabled: it.enabled,
            registry: it.registry,
        };
        printed(context.output.print_untyped(&SourcesView {
            schema: SCHEMA,
            sources: sources.sources.iter().map(entry).collect(),
            hosts: sources.hosts,
            loopback: sources.loopback,
        }))?;
        return Ok(Exit::Clean);
    }
    if sources.sources.is_empty() {
        printed(context.output.print("no source yet; skillful source add LABEL SOURCE adds one\n"))?;
        return Ok(Exit::Clean);
    }
    let row = |(label, it): (&String, &SourceEntry)| {
        let kind = if it.registry { "registry" } else { "source" };
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
        printed(context.output.print_untyped(&BrowseView {
            schema: SCHEMA,
            skills: hits.iter().map(Hit::view).collect(),
            dead: answers.dead_view(),
        }))?;
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
