//! The command `!skills` of a chat: what is available, what is off and why, and one skill by its name.

use crate::{caller::Caller, extract::Body, problem::ApiResult, state::App};
use axum::{Json, Router, extract::State, routing::post};
use serde::Deserialize;
use serde_json::{Value, json};
use skillful_team::{TeamError, preferences::EffectiveSkill};

/// Trigger words that a line shows.
const WORDS: usize = 5;

pub(super) fn router() -> Router<App> {
    Router::new().route("/chat/command", post(command))
}

/// What a user wrote.
#[derive(Deserialize)]
struct Command {
    text: String,
}

async fn command(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(command): Body<Command>,
) -> ApiResult<Json<Value>> {
    let words: Vec<&str> = command.text.split_whitespace().collect();
    let text = match words.as_slice() {
        ["!skills"] => {
            let mut all = app.team.effective(&actor).await?;
            all.retain(|one| one.is_for(&actor));
            overview(&all)
        }
        ["!skills", name] => {
            let found = app.team.by_name(&actor, name).await?;
            if !found.is_for(&actor) {
                return Err(TeamError::NotFound.into());
            }
            one(&found)
        }
        _ => {
            return Err(TeamError::invalid("unknown-command", "write `!skills` or `!skills NAME`").into());
        }
    };
    Ok(Json(json!({ "text": text })))
}

/// A skill on one line: its name, tags, the first trigger words, and whose it is.
fn line(one: &EffectiveSkill) -> String {
    let manifest = &one.version.manifest;
    let mut tags = vec![one.skill.scope.columns().0.to_owned()];
    if manifest["always_include"].as_bool() == Some(true) {
        tags.push("always".to_owned());
    }
    if manifest["admin_only"].as_bool() == Some(true) {
        tags.push("admin".to_owned());
    }
    let triggers: Vec<&str> =
        manifest["triggers"].as_array().into_iter().flatten().filter_map(Value::as_str).take(WORDS).collect();
    let words = if triggers.is_empty() { String::new() } else { format!(" ({})", triggers.join(", ")) };
    format!("- {} [{}]: {}{words}", one.skill.name, tags.join(", "), one.version.description)
}

fn overview(all: &[EffectiveSkill]) -> String {
    let on: Vec<String> = all.iter().filter(|one| one.is_on).map(line).collect();
    let off: Vec<String> = all
        .iter()
        .filter(|one| !one.is_on)
        .map(|one| format!("- {}: {}", one.skill.name, one.reason))
        .collect();
    let mut text = format!("Available ({})\n{}\n", on.len(), on.join("\n"));
    if !off.is_empty() {
        text.push_str(&format!("\nDisabled ({})\n{}\n", off.len(), off.join("\n")));
    }
    text
}

fn one(one: &EffectiveSkill) -> String {
    let state = if one.is_on { "available" } else { "disabled" };
    let capabilities: Vec<&str> = one.version.capabilities.iter().map(String::as_str).collect();
    let can =
        if capabilities.is_empty() { "none (instructions only)".to_owned() } else { capabilities.join("; ") };
    format!(
        "{} ({state}: {})\n{}\nversion: {}\ncapabilities: {can}\n",
        one.skill.name, one.reason, one.version.description, one.version.number
    )
}
