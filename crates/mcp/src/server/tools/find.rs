//! `list_skills` and `search_skills`.

use super::Call;
use crate::{
    names::tool,
    server::reply::{Answer, Reply},
};
use serde_json::{Value, json};
use skillful_catalog::Entry;
use skillful_render::escape;
use skillful_select::access::{Way, admit, offered};

/// Skills of one list, at most.
pub(super) const MOST_LISTED: usize = 500;
/// Skills of one search, at most.
pub(super) const MOST_FOUND: usize = 20;
/// Characters of a description in a list; whoever chooses the skill reads the rest.
const DESCRIPTION_SHOWN: usize = 250;

pub(super) fn list_skills(call: &Call<'_>) -> Reply {
    let filter = call.text("filter")?.map(str::to_lowercase).filter(|filter| !filter.is_empty());
    let offset = call.number("offset", 0, usize::MAX)?;
    let limit = call.number("limit", 100, MOST_LISTED)?.max(1);
    let snapshot = call.snapshot;
    let fits = |entry: &Entry| {
        let holds = |text: &str, wanted: &str| text.to_lowercase().contains(wanted);
        filter.as_deref().is_none_or(|wanted| {
            holds(&entry.address(), wanted) || entry.description().is_some_and(|words| holds(words, wanted))
        })
    };
    let open: Vec<&Entry> = offered(&snapshot.catalog, snapshot.asker(), Way::List)
        .into_iter()
        .map(|at| snapshot.entry(at))
        .filter(|entry| fits(entry))
        .collect();
    let total = open.len();
    let shown: Vec<&Entry> = open.into_iter().skip(offset).take(limit).collect();
    let next = Some(offset.saturating_add(shown.len())).filter(|next| *next < total);
    let mut text: String = shown.iter().map(|entry| line(entry)).collect();
    if shown.is_empty() {
        text = format!("No skill is in this list ({total} in all).\n");
    }
    if let Some(next) = next {
        text.push_str(&format!(
            "\n{} of {total} skills are shown; go on with offset {next}, or ask `{}`.\n",
            shown.len(),
            tool::SEARCH_SKILLS
        ));
    }
    let skills: Vec<Value> = shown.iter().map(|entry| row(entry)).collect();
    Ok(Answer { text, data: json!({ "skills": skills, "total": total, "next_offset": next }) })
}

pub(super) fn search_skills(call: &Call<'_>) -> Reply {
    let query = call.needed("query")?;
    let limit = call.number("limit", 5, MOST_FOUND)?.max(1);
    let snapshot = call.snapshot;
    let (catalog, asker) = (&snapshot.catalog, snapshot.asker());
    let open = |at| admit(catalog, at, asker, Way::List).reasons.is_empty();
    let hits = call.live.library().search(snapshot, query, limit, &open);
    // Whatever a library answers, nobody gets past the gate.
    let hits: Vec<_> = hits.into_iter().filter(|hit| open(hit.entry)).take(limit).collect();
    let mut text = String::new();
    let mut skills = Vec::new();
    for hit in &hits {
        let entry = snapshot.entry(hit.entry);
        text.push_str(&line(entry));
        let mut row = row(entry);
        row["probability"] = json!(hit.probability);
        skills.push(row);
    }
    if hits.is_empty() {
        text.push_str("No skill serves this; go on without one.\n");
    } else {
        text.push_str(&format!("\nLoad the one that fits with `{}`.\n", tool::USE_SKILL));
    }
    Ok(Answer { text, data: json!({ "skills": skills }) })
}

/// A skill as one line.
fn line(entry: &Entry) -> String {
    format!("- {}: {}\n", escape::line(&entry.address()), escape::line(&description(entry)))
}

fn row(entry: &Entry) -> Value {
    json!({ "name": entry.address(), "description": description(entry) })
}

fn description(entry: &Entry) -> String {
    let whole = entry.description().unwrap_or_default();
    match whole.char_indices().nth(DESCRIPTION_SHOWN) {
        Some((end, _)) => format!("{}…", whole[..end].trim_end()),
        None => whole.to_owned(),
    }
}
