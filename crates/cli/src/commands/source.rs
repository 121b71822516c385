//! `source`: the places that skills are installed from, and what they offer.

mod answers;

pub(crate) use answers::{ask, next, table};

use super::{library, printed};
use crate::{
    age,
    args::{SourceArgs, SourceCommand},
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table, count, harmless},
};
use skillful::views::{
    SCHEMA,
    source::{SourceChanged, SourceList, SourceListing, SourceSkills, SourceView},
};

pub(crate) fn run(context: &mut Context, args: &SourceArgs) -> Outcome {
    match args.command.as_ref().unwrap_or(&SourceCommand::List) {
        SourceCommand::List => list(context),
        SourceCommand::Add { label: Some(label), source: Some(source), registry, .. } => {
            add(context, label, source, *registry)
        }
        SourceCommand::Add { .. } => {
            let added = library::user(context)?.add_default_sources()?;
            if !context.output.json {
                let text = if added.is_empty() {
                    "the public collections are among your sources already\n".to_owned()
                } else {
                    format!("added {}\nnext: skillful source browse\n", added.join(", "))
                };
                printed(context.output.print(&text))?;
                return Ok(Exit::Clean);
            }
            list(context)
        }
        SourceCommand::Remove { label } => {
            library::user(context)?.remove_source(label)?;
            report(context, label, false, &format!("removed {}\n", harmless(label)))
        }
        SourceCommand::Browse { label, refresh } => browse(context, label.as_deref(), *refresh),
    }
}

fn report(context: &Context, label: &str, present: bool, text: &str) -> Outcome {
    if context.output.json {
        let label = label.to_owned();
        printed(context.output.print_json(&SourceChanged { schema: SCHEMA, label, present }))?;
    } else {
        printed(context.output.print(text))?;
    }
    Ok(Exit::Clean)
}

fn add(context: &Context, label: &str, source: &str, registry: bool) -> Outcome {
    let library = library::user(context)?;
    library::warn(&library.add_source(label, source, registry)?);
    let path = library.sources_file();
    let text = format!(
        "added {} to {}\nnext: skillful source browse {}\n",
        harmless(label),
        context.short(&path),
        harmless(label)
    );
    report(context, label, true, &text)
}

fn list(context: &Context) -> Outcome {
    let list = SourceList::of(&library::user(context)?.sources()?);
    if context.output.json {
        printed(context.output.print_json(&list))?;
        return Ok(Exit::Clean);
    }
    if list.sources.is_empty() {
        let next = "skillful source add --defaults   or skillful source add LABEL SOURCE";
        printed(context.output.print(&format!("no sources configured\nnext: {next}\n")))?;
        return Ok(Exit::Clean);
    }
    let row = |it: &SourceView| {
        let state = if it.enabled { Cell::plain("enabled") } else { Cell::styled("disabled", DIM) };
        vec![Cell::plain(&it.label), Cell::plain(it.kind), state, Cell::plain(&it.source)]
    };
    let heads = vec!["LABEL", "KIND", "STATE", "SOURCE"];
    let table = Table { heads, rows: list.sources.iter().map(row).collect() };
    printed(context.output.print(&table.render(&context.output)))?;
    Ok(Exit::Clean)
}

fn browse(context: &Context, label: Option<&str>, refresh: bool) -> Outcome {
    let answers = answers::ask(context, label, refresh)?;
    let view = SourceSkills {
        schema: SCHEMA,
        sources: answers.listings.iter().map(|(label, listing)| SourceListing::of(label, listing)).collect(),
        skills: answers.skills(&[]),
        unreachable: answers.unreachable,
    };
    if context.output.json {
        printed(context.output.print_json(&view))?;
    } else {
        printed(context.output.print(&browse_text(context, &view)))?;
    }
    Ok(if view.unreachable.is_empty() { Exit::Clean } else { Exit::Incomplete })
}

fn browse_text(context: &Context, view: &SourceSkills) -> String {
    let mut out = String::new();
    for source in &view.sources {
        let age = source.age.map_or_else(String::new, |age| format!(", list from {}", age::ago(0, age)));
        out.push_str(&format!("{}: {}{age}\n", harmless(&source.label), count(source.skills, "skill")));
    }
    if !view.skills.is_empty() {
        out.push('\n');
        out.push_str(&table(context, &view.skills));
        out.push_str(&next(&view.skills));
    }
    out
}
