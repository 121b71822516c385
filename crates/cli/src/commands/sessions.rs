//! `sessions`: what was talked about; listed, shown, forgotten.

mod transcript;

use super::{diagnostics_json, printed, tell_diagnostics};
use crate::{
    age,
    args::{LISTED, RmArgs, SessionsArgs, SessionsCommand},
    context::Context,
    error::{Exit, Failure, Outcome},
    memory::not_read,
    output::{Cell, DIM, HEAD, Output, Table, harmless},
    shape,
    turn::now,
};
use serde_json::{Value, json};
use skillful_database::{Database, SessionFilter, SessionInfo, SessionState};
use transcript::Transcript;

const DAY: u64 = 24 * 60 * 60;
/// Entries of a journal in one JSON object.
const SHOWN: usize = 10_000;
/// Turns that are shown of a session without a journal.
const TURNS: usize = 1_000;

pub(crate) fn run(context: &mut Context, args: &SessionsArgs) -> Outcome {
    context.needed()?;
    match &args.command {
        None => list(context, false, LISTED),
        Some(SessionsCommand::List { all, limit }) => list(context, *all, *limit),
        Some(SessionsCommand::Show { session }) => show(context, session),
        Some(SessionsCommand::Rm(args)) => remove(context, args),
    }
}

fn list(context: &Context, all: bool, limit: usize) -> Outcome {
    let folder = (!all).then_some(context.workspace.environment().cwd.as_path());
    let which = SessionFilter { folder, limit: Some(limit), ..SessionFilter::default() };
    let sessions = context.kept().map_or(Ok(Vec::new()), |store| store.sessions(which));
    let sessions = sessions.map_err(|error| not_read(&error))?;
    if context.output.json {
        let rows: Vec<Value> = sessions.iter().map(as_json).collect();
        let diagnostics = diagnostics_json(&context.diagnostics());
        let value = json!({ "schema": shape::SCHEMA, "sessions": rows, "diagnostics": diagnostics });
        printed(context.output.print_untyped(&value))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    if sessions.is_empty() {
        let text = if all {
            "no session is kept\n"
        } else {
            "no session of this folder is kept; --all lists every folder's\n"
        };
        printed(context.output.print(text))?;
        return Ok(Exit::Clean);
    }
    let now = now();
    let row = |one: &SessionInfo| {
        let tokens = one.usage_in + one.usage_out;
        let mut row = vec![
            Cell::plain(&one.id),
            Cell::styled(age::ago(one.updated, now), DIM),
            Cell::plain(one.turns.to_string()),
            Cell::styled(if tokens == 0 { String::new() } else { tokens.to_string() }, DIM),
        ];
        if all {
            row.push(Cell::styled(context.named(&one.folder), DIM));
        }
        row.push(Cell::plain(&one.title));
        row
    };
    let heads = if all {
        vec!["SESSION", "WHEN", "TURNS", "TOKENS", "FOLDER", "TITLE"]
    } else {
        vec!["SESSION", "WHEN", "TURNS", "TOKENS", "TITLE"]
    };
    let table = Table { heads, rows: sessions.iter().map(row).collect() };
    printed(context.output.print(&table.render(&context.output)))?;
    Ok(Exit::Clean)
}

fn show(context: &Context, word: &str) -> Outcome {
    let store = context.kept().ok_or_else(|| unknown(word))?;
    let info = find(store, word)?;
    let output = &context.output;
    if output.json {
        return show_json(context, store, &info);
    }
    tell_diagnostics(context, &context.diagnostics());
    printed(output.print(&head(context, &info)))?;
    let (mut after, mut transcript) = (0, Transcript::new(output));
    loop {
        let page = store.journal(&info.id, after).map_err(|error| not_read(&error))?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        let text: String = page.iter().map(|kept| transcript.text(&kept.entry)).collect();
        printed(output.print(&text))?;
    }
    if after == 0 {
        let turns = store.turns(&info.id, TURNS).map_err(|error| not_read(&error))?;
        let text: String = turns.iter().map(|turn| transcript::turn(output, turn)).collect();
        printed(output.print(&text))?;
    }
    Ok(Exit::Clean)
}

fn show_json(context: &Context, store: &Database, info: &SessionInfo) -> Outcome {
    let told = |error: skillful_database::DatabaseError| not_read(&error);
    let (mut journal, mut after) = (Vec::new(), 0);
    while journal.len() < SHOWN {
        let page = store.journal(&info.id, after).map_err(told)?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        journal.extend(page.into_iter().map(|kept| {
            let entry = serde_json::from_str(&kept.entry.json).unwrap_or(Value::String(kept.entry.json));
            json!({ "seq": kept.seq, "kind": kept.entry.kind, "at": kept.entry.at, "entry": entry })
        }));
    }
    let more = !store.journal(&info.id, after).map_err(told)?.is_empty();
    let turn = |turn: &skillful_database::TurnRecord| json!({ "at": turn.at, "message": turn.message, "skills": turn.roots });
    let turns: Vec<Value> = store.turns(&info.id, TURNS).map_err(told)?.iter().map(turn).collect();
    let usage = |usage: &skillful_database::Usage| {
        json!({
            "model": usage.model,
            "input": usage.input,
            "output": usage.output,
            "cached": usage.cached,
            "stored": usage.stored,
            "cost_micros": usage.cost_micros,
        })
    };
    let usage: Vec<Value> = store.usage(&info.id).map_err(told)?.iter().map(usage).collect();
    printed(context.output.print_untyped(&json!({
        "schema": shape::SCHEMA,
        "session": as_json(info),
        "turns": turns,
        "usage": usage,
        "journal": journal,
        "journal_goes_on": more,
        "diagnostics": diagnostics_json(&context.diagnostics()),
    })))?;
    Ok(Exit::Clean)
}

fn remove(context: &Context, args: &RmArgs) -> Outcome {
    let told = |error: skillful_database::DatabaseError| not_read(&error);
    let mut gone = Vec::new();
    if let Some(store) = context.kept() {
        let chosen: Vec<SessionInfo> = match args.older_than {
            Some(days) => {
                let before = now().saturating_sub(u64::from(days) * DAY);
                let folder = (!args.all).then_some(context.workspace.environment().cwd.as_path());
                store.sessions(SessionFilter { folder, before: Some(before), limit: None }).map_err(told)?
            }
            // All are looked up before anything is forgotten.
            None => args.sessions.iter().map(|word| find(store, word)).collect::<Result<_, _>>()?,
        };
        for info in chosen {
            if store.remove(&info.id).map_err(told)? {
                gone.push(info.id);
            }
        }
    } else if let Some(word) = args.sessions.first() {
        return Err(unknown(word));
    }
    if context.output.json {
        printed(context.output.print_untyped(&json!({ "schema": shape::SCHEMA, "removed": gone })))?;
        return Ok(Exit::Clean);
    }
    let text = match gone.as_slice() {
        [] => "no session is that old\n".to_owned(),
        [one] => format!("forgot {}\n", harmless(one)),
        many => format!("forgot {} sessions\n", many.len()),
    };
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}

fn find(store: &Database, word: &str) -> Result<SessionInfo, Failure> {
    store.session(word).map_err(|error| not_read(&error))?.ok_or_else(|| unknown(word))
}

fn unknown(word: &str) -> Failure {
    Failure::new(format!("there is no session `{word}`")).hint("`skillful sessions list --all` lists them")
}

fn head(context: &Context, info: &SessionInfo) -> String {
    let output: &Output = &context.output;
    let now = now();
    let mut out = format!("{}\n", output.paint(HEAD, &harmless(&info.id)));
    let mut line = |key: &str, value: String| {
        out.push_str(&format!("{} {value}\n", output.paint(DIM, &format!("{key:<9}"))));
    };
    line("title", harmless(&info.title));
    line("folder", harmless(&context.named(&info.folder)));
    line("began", age::ago(info.created, now));
    line("updated", age::ago(info.updated, now));
    if let Some(parent) = &info.parent {
        line("from", harmless(parent));
    }
    line("turns", info.turns.to_string());
    if info.usage_in + info.usage_out > 0 {
        let cached = if info.cached > 0 { format!(" ({} from a cache)", info.cached) } else { String::new() };
        line("tokens", format!("{} in{cached}, {} out", info.usage_in, info.usage_out));
    }
    if info.cost_micros > 0 {
        line("cost", format!("{}.{:06}", info.cost_micros / 1_000_000, info.cost_micros % 1_000_000));
    }
    out.push('\n');
    out
}

fn as_json(info: &SessionInfo) -> Value {
    json!({
        "id": info.id,
        "title": info.title,
        "folder": info.folder,
        "parent": info.parent,
        "state": match info.state {
            SessionState::Open => "open",
            SessionState::Ended => "ended",
        },
        "created": info.created,
        "updated": info.updated,
        "turns": info.turns,
        "input": info.usage_in,
        "output": info.usage_out,
        "cached": info.cached,
        "stored": info.stored,
        "cost_micros": info.cost_micros,
    })
}
