//! The audit log: whether its chain is whole, its entries with before and after, export.

use super::{
    Nav, Shell, Visitor,
    address::Address,
    errors::{PageError, PageResult},
    markdown,
    marks::{Mark, Markup},
    shell::paged,
    show, words,
};
use crate::{extract::Params, state::App};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
    routing::get,
};
use serde::Deserialize;
use serde_json::Value;
use skillful_team::{
    TeamError,
    log::{AuditEntry, AuditQuery, ChainCheck},
};
use std::{collections::BTreeMap, sync::Mutex};

/// Entries of a page.
const ROWS: usize = 50;
/// Entries that an export holds at the most.
const EXPORTED: usize = 100_000;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/audit", get(audit))
        .route("/ui/audit.csv", get(export_csv))
        .route("/ui/audit.json", get(export_json))
}

/// What the address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct AuditAddress {
    q: Option<String>,
    action: Option<String>,
    by: Option<String>,
    from: Option<String>,
    to: Option<String>,
    before: Option<i64>,
    open: Option<i64>,
    check: Option<String>,
}

/// The last check of the whole chain, which reads every entry: what it found, when, and how long it took.
#[derive(Debug, Default)]
pub(crate) struct LastCheck(Mutex<Option<(ChainCheck, i64, String)>>);

/// How long the result of a check is shown before a visit checks again.
const CHECKED: i64 = 10 * 60 * 1_000;

/// The state of the chain: of the last check, or of a new one when that is asked for or was long ago.
async fn chain_of(app: &App, visitor: &Visitor, now: bool) -> Result<(ChainCheck, i64, String), TeamError> {
    let kept = app.last_check.0.lock().ok().and_then(|kept| kept.clone());
    if let Some((chain, at, took)) = kept
        && !now
        && app.team.now() - at < CHECKED
    {
        return Ok((chain, at, took));
    }
    let began = std::time::Instant::now();
    let chain = app.team.check_audit_log(&visitor.actor).await?;
    let took = format!("{} ms", words::number(i64::try_from(began.elapsed().as_millis()).unwrap_or(0)));
    let found = (chain, app.team.now(), took);
    if let Ok(mut kept) = app.last_check.0.lock() {
        *kept = Some(found.clone());
    }
    Ok(found)
}

/// Actions that the filter names, by what they are about.
const ACTIONS: &[(&str, &[&str])] = &[
    ("skill", &["create", "change", "default", "delete", "offer", "unoffer", "unlist", "relist"]),
    ("version", &["create", "yank", "unyank", "revoke", "delete"]),
    ("proposal", &["create", "approve", "reject", "withdraw"]),
    ("preference", &["set", "remove"]),
    ("adoption", &["create", "remove"]),
    ("group", &["create", "change", "delete", "member"]),
    ("policy", &["set"]),
    ("user", &["create", "change", "groups", "first-admin"]),
    ("token", &["create", "revoke"]),
];
/// Users that the filter names at the most.
const USERS: usize = 200;

/// One kind of actions in the filter: all of them, then each.
struct ActionKind {
    word: &'static str,
    is_chosen: bool,
    actions: Vec<(String, bool)>,
}

fn action_kinds(chosen: &str) -> Vec<ActionKind> {
    let kind = |(word, actions): &(&'static str, &[&str])| ActionKind {
        word,
        is_chosen: *word == chosen,
        actions: actions
            .iter()
            .map(|action| {
                let whole = format!("{word}.{action}");
                let is_chosen = whole == chosen;
                (whole, is_chosen)
            })
            .collect(),
    };
    ACTIONS.iter().map(kind).collect()
}

/// The time at which a day begins, in UTC; `days` later.
fn day(text: &str, days: i64) -> Option<i64> {
    let date: jiff::civil::Date = text.parse().ok()?;
    let begin = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond();
    Some(begin + days * 24 * 3_600 * 1_000)
}

/// What an address asks for, ready to be asked.
struct Asked {
    subject: String,
    action: String,
    by: String,
    from: Option<i64>,
    until: Option<i64>,
    /// The entry from which on; from an entry number as search.
    before: Option<i64>,
}

impl Asked {
    async fn of(app: &App, visitor: &Visitor, asked: &AuditAddress) -> Result<Self, TeamError> {
        let (subject, before) = subject_of(app, visitor, asked.q.as_deref().unwrap_or_default()).await?;
        Ok(Self {
            subject,
            action: asked.action.clone().unwrap_or_default(),
            by: asked.by.clone().unwrap_or_default(),
            from: asked.from.as_deref().and_then(|text| day(text, 0)),
            // The last day counts as a whole.
            until: asked.to.as_deref().and_then(|text| day(text, 1)),
            before,
        })
    }

    fn query(&self) -> AuditQuery<'_> {
        AuditQuery {
            subject: &self.subject,
            action: &self.action,
            by: &self.by,
            from: self.from,
            until: self.until,
        }
    }
}

struct EntryRow {
    seq: i64,
    number: String,
    time: Markup,
    actor: String,
    action: Mark,
    subject: Markup,
    note: String,
    hash: String,
    whole_hash: String,
    is_open: bool,
    open: String,
    before: Markup,
    after: Markup,
}

#[derive(Template)]
#[template(path = "audit.html")]
struct AuditPage {
    shell: Shell,
    here: Address,
    chain: ChainCheck,
    checked: String,
    took: String,
    head: String,
    rows: Vec<EntryRow>,
    kinds: Vec<ActionKind>,
    users: Vec<(String, String, bool)>,
    /// The filters as the query of an export.
    exported: String,
    is_filtered: bool,
    words: String,
    older: Option<String>,
    newest: Option<String>,
}

paged!(AuditPage);

/// Icon and tone of an action, by its last word.
fn action_mark(action: &str) -> Mark {
    let (tone, icon) = match action.rsplit('.').next().unwrap_or(action) {
        "approve" | "publish" => ("ok", "ok"),
        "reject" | "revoke" | "delete" => ("block", "revoked"),
        "yank" | "unlist" | "suspend" => ("warn", "undo"),
        "create" if action.starts_with("proposal") => ("wait", "arrow"),
        "create" => ("", "plus"),
        "set" | "remove" | "change" => ("", "admin"),
        "comment" => ("", "comment"),
        "default" | "unyank" | "relist" => ("", "tag"),
        _ => ("", "note"),
    };
    Mark::new(tone, icon, action)
}

async fn audit(State(app): State<App>, visitor: Visitor, Params(asked): Params<AuditAddress>) -> PageResult {
    let (team, actor) = (&app.team, &visitor.actor);
    let of = |value: &Option<String>| value.clone().unwrap_or_default();
    let here = Address::of("/ui/audit")
        .with("q", of(&asked.q))
        .with("action", of(&asked.action))
        .with("by", of(&asked.by))
        .with("from", of(&asked.from))
        .with("to", of(&asked.to));
    let wanted = Asked::of(&app, &visitor, &asked).await?;
    let before = asked.before.or(wanted.before);
    let mut entries = team.audit_entries(actor, before, &wanted.query()).await?;
    let has_more = entries.len() > ROWS;
    entries.truncate(ROWS);
    let (chain, checked, took) = chain_of(&app, &visitor, asked.check.is_some()).await?;
    let names = names(&app, &visitor, &entries).await?;
    let shell = Shell::of(&app, &visitor, "Audit log", Nav::Audit).await?;
    let head = match team.audit_log(actor, None, "", "").await?.first() {
        Some(newest) => words::short_digest(&newest.hash),
        None => String::new(),
    };
    let words = match (entries.first(), entries.last()) {
        (Some(first), Some(last)) => format!("{} to {}", words::number(first.seq), words::number(last.seq)),
        _ => "no entry".to_owned(),
    };
    let older = entries.last().filter(|_| has_more).map(|last| here.with("before", last.seq).to_string());
    let page = AuditPage {
        rows: entries.iter().map(|entry| row(entry, &names, &here, asked.open, asked.before)).collect(),
        kinds: action_kinds(&wanted.action),
        users: users(&app, &visitor, &wanted.by).await?,
        exported: here.to_string().split_once('?').map_or_else(String::new, |(_, query)| format!("?{query}")),
        is_filtered: here.to_string().contains('?'),
        newest: asked.before.map(|_| here.to_string()),
        checked: words::ago(checked, app.team.now()),
        chain,
        took,
        head,
        older,
        words,
        here,
        shell,
    };
    show(&page)
}

/// Users for the filter. An auditor who may not list users filters by the address only.
async fn users(app: &App, visitor: &Visitor, chosen: &str) -> Result<Vec<(String, String, bool)>, TeamError> {
    match app.team.users(&visitor.actor).await {
        Ok(mut all) => {
            all.sort_by_key(|user| (user.id != chosen, user.shown_name().to_lowercase()));
            all.truncate(USERS);
            let one = |user: skillful_team::people::User| {
                let is_chosen = user.id == chosen;
                (user.id.clone(), user.shown_name().to_owned(), is_chosen)
            };
            Ok(all.into_iter().map(one).collect())
        }
        Err(TeamError::Forbidden(_)) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// What a search means: an entry number, the name of a skill, or an id.
async fn subject_of(app: &App, visitor: &Visitor, query: &str) -> Result<(String, Option<i64>), TeamError> {
    let text = query.trim();
    if let Ok(number) = text.replace(',', "").parse::<i64>() {
        return Ok((String::new(), Some(number.saturating_add(1))));
    }
    let filter =
        skillful_team::skills::SkillFilter { words: text.to_owned(), limit: 20, ..Default::default() };
    if !text.is_empty() && !text.contains('_') {
        let found = app.team.skills(&visitor.actor, &filter).await?;
        if let Some(skill) = found.items.iter().find(|skill| skill.name == text).or(found.items.first()) {
            return Ok((skill.id.clone(), None));
        }
    }
    Ok((text.to_owned(), None))
}

/// Names of the users and skills that entries are about.
async fn names(
    app: &App,
    visitor: &Visitor,
    entries: &[AuditEntry],
) -> Result<BTreeMap<String, String>, TeamError> {
    let ids = entries.iter().flat_map(|entry| {
        let value = entry.after["user"].as_str().unwrap_or_default();
        let target = entry.after["target"]
            .as_str()
            .and_then(|target| target.strip_prefix("user:"))
            .unwrap_or_default();
        [entry.actor.as_str(), entry.subject.as_str(), value, target]
    });
    let users = ids.filter(|id| id.starts_with("user_")).collect();
    let mut names = app.team.names(&visitor.actor, users).await?;
    for entry in entries.iter().filter(|entry| entry.subject.starts_with("skill_")) {
        if !names.contains_key(&entry.subject)
            && let Ok(skill) = app.team.skill(&visitor.actor, &entry.subject).await
        {
            names.insert(entry.subject.clone(), skill.name);
        }
    }
    for group in app.team.groups(&visitor.actor).await? {
        names.insert(group.id, group.name);
    }
    Ok(names)
}

fn row(
    entry: &AuditEntry,
    names: &BTreeMap<String, String>,
    here: &Address,
    open: Option<i64>,
    before: Option<i64>,
) -> EntryRow {
    let name = |id: &str| names.get(id).cloned().unwrap_or_else(|| id.to_owned());
    let is_open = open == Some(entry.seq);
    let page = here.with("before", before.map(|number| number.to_string()).unwrap_or_default());
    let open = if is_open { page.to_string() } else { page.with("open", entry.seq).to_string() };
    EntryRow {
        seq: entry.seq,
        number: words::number(entry.seq),
        time: words::full_time(entry.created),
        actor: name(&entry.actor),
        action: action_mark(&entry.action),
        subject: markdown::text(&subject_words(entry, names)),
        note: note(entry, names),
        hash: short(&entry.hash),
        whole_hash: entry.hash.clone(),
        is_open,
        open,
        before: lines(&entry.before),
        after: lines(&entry.after),
    }
}

fn short(hash: &str) -> String {
    format!(
        "{}…{}",
        hash.get(..4).unwrap_or_default(),
        hash.get(hash.len().saturating_sub(4)..).unwrap_or_default()
    )
}

/// What an entry is about, by its name. A proposal is named by its skill; a token has no name that outlives it.
fn subject_words(entry: &AuditEntry, names: &BTreeMap<String, String>) -> String {
    let of = |key: &str| entry.after.get(key).or_else(|| entry.before.get(key));
    match entry.subject.split_once('_') {
        Some(("prop", _)) => {
            match (of("skill").and_then(Value::as_str), of("version").and_then(Value::as_i64)) {
                (Some(skill), Some(version)) => {
                    format!("{} {version}", names.get(skill).map_or(skill, String::as_str))
                }
                _ => "a proposal".to_owned(),
            }
        }
        Some(("token", _)) => "a token".to_owned(),
        _ => names.get(&entry.subject).cloned().unwrap_or_else(|| entry.subject.clone()),
    }
}

/// What changed, in a few words: the values afterwards, and those before where they differ.
fn note(entry: &AuditEntry, names: &BTreeMap<String, String>) -> String {
    let Value::Object(after) = &entry.after else { return String::new() };
    let word = |value: &Value| match value {
        Value::String(text) if text == "org" => "the organisation".to_owned(),
        Value::String(text) => {
            let known = text.split_once(':').and_then(|(_, id)| names.get(id)).or_else(|| names.get(text));
            match known {
                Some(name) => name.clone(),
                None if text.starts_with("sha256:") => words::short_digest(text),
                None => text.clone(),
            }
        }
        other => other.to_string(),
    };
    let before = |key: &str| match &entry.before {
        Value::Object(before) => before.get(key).filter(|value| !value.is_null()),
        _ => None,
    };
    let is_told = |value: &Value| match value {
        Value::Null | Value::Bool(true) => false,
        // The digest is in the opened entry.
        Value::String(text) => !text.is_empty() && !text.starts_with("sha256:"),
        _ => true,
    };
    let part = |(key, value): (&String, &Value)| match (key.as_str(), before(key)) {
        ("target", _) => format!("for {}", word(value)),
        ("pin", _) => format!("pinned to {}", word(value)),
        // Times are written in milliseconds.
        ("expires" | "until" | "waiver_until", _) if value.as_i64().is_some_and(|time| time > 1 << 40) => {
            format!("{} {}", key.replace('_', " "), words::date(value.as_i64().unwrap_or_default()))
        }
        (key, Some(old)) if old != value => format!("{key} {} → {}", word(old), word(value)),
        (key, _) => format!("{key} {}", word(value)),
    };
    after
        .iter()
        .filter(|(_, value)| is_told(value))
        .take(3)
        .map(part)
        .collect::<Vec<_>>()
        .join(", ")
        .chars()
        .take(160)
        .collect()
}

/// A value as lines.
fn lines(value: &Value) -> Markup {
    let text = match value {
        Value::Null => "nothing".to_owned(),
        Value::Object(fields) => {
            let wide = fields.keys().map(String::len).max().unwrap_or(0);
            let line = |(key, value): (&String, &Value)| match value {
                Value::String(text) => format!("{key:wide$}  {text}"),
                other => format!("{key:wide$}  {other}"),
            };
            fields.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    };
    markdown::text(&text)
}

/// Every entry that the address asks for, newest first.
async fn exported(app: &App, visitor: &Visitor, asked: &AuditAddress) -> Result<Vec<AuditEntry>, TeamError> {
    let wanted = Asked::of(app, visitor, asked).await?;
    let mut before = wanted.before;
    let mut all = Vec::new();
    loop {
        let page = app.team.audit_entries(&visitor.actor, before, &wanted.query()).await?;
        let Some(last) = page.last() else { return Ok(all) };
        before = Some(last.seq);
        all.extend(page);
        if all.len() >= EXPORTED {
            return Ok(all);
        }
    }
}

async fn export_csv(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<AuditAddress>,
) -> Result<Response, PageError> {
    let entries = exported(&app, &visitor, &asked).await?;
    let mut text = String::from("entry,time,actor,action,subject,before,after,hash\r\n");
    for entry in &entries {
        let fields = [
            entry.seq.to_string(),
            words::iso(entry.created),
            entry.actor.clone(),
            entry.action.clone(),
            entry.subject.clone(),
            entry.before.to_string(),
            entry.after.to_string(),
            entry.hash.clone(),
        ];
        text += &(fields.map(|field| super::csv_field(&field)).join(",") + "\r\n");
    }
    Ok(super::csv("audit.csv", text))
}

async fn export_json(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<AuditAddress>,
) -> Result<Response, PageError> {
    let entries = exported(&app, &visitor, &asked).await?;
    let text =
        serde_json::to_string_pretty(&entries).map_err(|error| TeamError::Internal(error.to_string()))?;
    let head = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"audit.json\""),
    ];
    Ok((head, text).into_response())
}
