//! `sessions`: lists, shows and deletes recorded sessions.

mod transcript;

use super::{printed, tell_diagnostics};
use crate::{
    age,
    args::{LISTED, RmArgs, SessionsArgs, SessionsCommand},
    context::Context,
    error::{Exit, Failure, Outcome},
    memory::not_read,
    output::{Cell, DIM, HEAD, Output, Table, count, harmless},
    turn::now,
};
use serde_json::Value;
use skillful::views::{
    DiagnosticView, SCHEMA,
    session::{
        JournalView, ModelUsage, SessionDetail, SessionList, SessionStateView, SessionSummary,
        SessionsRemoved, TurnView,
    },
};
use skillful_database::{Database, SessionFilter, SessionInfo, SessionState};
use transcript::Transcript;

const DAY: u64 = 24 * 60 * 60;
/// Most entries of a journal that are shown.
const SHOWN: usize = 10_000;
/// Most turns that are shown of a session without a journal.
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
    let list = SessionList {
        schema: SCHEMA,
        sessions: sessions.iter().map(summary).collect(),
        diagnostics: DiagnosticView::all(&context.diagnostics()),
    };
    if context.output.json {
        printed(context.output.print_json(&list))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    printed(context.output.print(&list_text(context, &list, all)))?;
    Ok(Exit::Clean)
}

fn list_text(context: &Context, list: &SessionList, all: bool) -> String {
    if list.sessions.is_empty() {
        let text = if all {
            "no sessions\n"
        } else {
            "no sessions of this folder; --all lists those of every folder\n"
        };
        return text.to_owned();
    }
    let now = now();
    let row = |one: &SessionSummary| {
        let tokens = one.input + one.output;
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
    Table { heads, rows: list.sessions.iter().map(row).collect() }.render(&context.output)
}

fn show(context: &Context, word: &str) -> Outcome {
    let store = context.kept().ok_or_else(|| unknown(word))?;
    let info = find(store, word)?;
    let detail = detail(context, store, &info)?;
    let output = &context.output;
    if output.json {
        printed(output.print_json(&detail))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    printed(output.print(&head(context, &detail.session)))?;
    for child in &detail.sub_agents {
        let line = format!("{}  skillful sessions show {}\n", harmless(&child.title), harmless(&child.id));
        printed(output.print(&output.paint(DIM, &line)))?;
    }
    let mut transcript = Transcript::new(output);
    for entry in &detail.journal {
        printed(output.print(&transcript.text(entry)))?;
    }
    if detail.journal.is_empty() {
        let text: String = detail.turns.iter().map(|turn| transcript::turn(output, turn)).collect();
        printed(output.print(&text))?;
    }
    if detail.journal_truncated {
        printed(output.print(&format!("… more than {SHOWN} entries; the rest is not shown\n")))?;
    }
    Ok(Exit::Clean)
}

/// A session with its turns, usage and journal.
fn detail(context: &Context, store: &Database, info: &SessionInfo) -> Result<SessionDetail, Failure> {
    let failure = |error: skillful_database::DatabaseError| not_read(&error);
    let (mut journal, mut after) = (Vec::new(), 0);
    while journal.len() < SHOWN {
        let page = store.journal(&info.id, after).map_err(failure)?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        journal.extend(page.into_iter().map(|kept| {
            let entry = serde_json::from_str(&kept.entry.json).unwrap_or(Value::String(kept.entry.json));
            JournalView { seq: kept.seq, kind: kept.entry.kind, at: kept.entry.at, entry }
        }));
    }
    let turns = store.turns(&info.id, TURNS).map_err(failure)?.into_iter();
    let usage = store.usage(&info.id).map_err(failure)?.into_iter();
    let of_this = SessionFilter { parent: Some(&info.id), ..SessionFilter::default() };
    let sub_agents = store.sessions(of_this).map_err(failure)?;
    Ok(SessionDetail {
        schema: SCHEMA,
        session: summary(info),
        turns: turns
            .map(|turn| TurnView { at: turn.at, message: turn.message, skills: turn.roots })
            .collect(),
        sub_agents: sub_agents.iter().map(summary).collect(),
        usage: usage
            .map(|usage| ModelUsage {
                model: usage.model,
                input: usage.input,
                output: usage.output,
                cached: usage.cached,
                stored: usage.stored,
                cost_micros: usage.cost_micros,
            })
            .collect(),
        journal,
        journal_truncated: !store.journal(&info.id, after).map_err(failure)?.is_empty(),
        diagnostics: DiagnosticView::all(&context.diagnostics()),
    })
}

fn remove(context: &Context, args: &RmArgs) -> Outcome {
    let failure = |error: skillful_database::DatabaseError| not_read(&error);
    let mut removed = Vec::new();
    if let Some(store) = context.kept() {
        let chosen: Vec<SessionInfo> = match args.older_than {
            Some(days) => {
                let before = now().saturating_sub(u64::from(days) * DAY);
                let folder = (!args.all).then_some(context.workspace.environment().cwd.as_path());
                store
                    .sessions(SessionFilter { folder, before: Some(before), ..SessionFilter::default() })
                    .map_err(failure)?
            }
            // All are looked up before anything is deleted.
            None => args.sessions.iter().map(|word| find(store, word)).collect::<Result<_, _>>()?,
        };
        for info in chosen {
            if store.remove(&info.id).map_err(failure)? {
                removed.push(info.id);
            }
        }
    } else if let Some(word) = args.sessions.first() {
        return Err(unknown(word));
    }
    let view = SessionsRemoved { schema: SCHEMA, removed };
    if context.output.json {
        printed(context.output.print_json(&view))?;
        return Ok(Exit::Clean);
    }
    let text = match view.removed.as_slice() {
        [] => "no session is that old; nothing was deleted\n".to_owned(),
        [one] => format!("deleted session {}\n", harmless(one)),
        many => format!("deleted {}\n", count(many.len(), "session")),
    };
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}

fn find(store: &Database, word: &str) -> Result<SessionInfo, Failure> {
    store.session(word).map_err(|error| not_read(&error))?.ok_or_else(|| unknown(word))
}

fn unknown(word: &str) -> Failure {
    Failure::new(format!("no session named `{word}`")).hint("skillful sessions list --all lists all sessions")
}

fn head(context: &Context, info: &SessionSummary) -> String {
    let output: &Output = &context.output;
    let now = now();
    let mut out = format!("{}\n", output.paint(HEAD, &harmless(&info.id)));
    let mut line = |key: &str, value: String| {
        out.push_str(&format!("{} {value}\n", output.paint(DIM, &format!("{key:<9}"))));
    };
    line("title", harmless(&info.title));
    line("folder", harmless(&context.named(&info.folder)));
    line("created", age::ago(info.created, now));
    line("updated", age::ago(info.updated, now));
    if let Some(parent) = &info.parent {
        line("part of", harmless(parent));
    }
    line("turns", info.turns.to_string());
    if info.input + info.output > 0 {
        let cached = if info.cached > 0 { format!(" ({} cached)", info.cached) } else { String::new() };
        line("tokens", format!("{} in{cached}, {} out", info.input, info.output));
    }
    if info.cost_micros > 0 {
        line("cost", format!("{}.{:06}", info.cost_micros / 1_000_000, info.cost_micros % 1_000_000));
    }
    out.push('\n');
    out
}

fn summary(info: &SessionInfo) -> SessionSummary {
    SessionSummary {
        id: info.id.clone(),
        title: info.title.clone(),
        folder: (&info.folder).into(),
        parent: info.parent.clone(),
        state: match info.state {
            SessionState::Open => SessionStateView::Open,
            SessionState::Ended => SessionStateView::Ended,
        },
        created: info.created,
        updated: info.updated,
        turns: info.turns,
        input: info.usage_in,
        output: info.usage_out,
        cached: info.cached,
        stored: info.stored,
        cost_micros: info.cost_micros,
    }
}
