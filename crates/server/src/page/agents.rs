//! One skill as each agent would show it: whether it loads, what its menu costs, what is cut, and the text that its model reads.

use super::{
    Nav, Shell, Visitor,
    errors::PageResult,
    markdown,
    marks::{Mark, Markup},
    shell::paged,
    show, words,
};
use crate::{
    extract::{Ids, Params},
    state::App,
};
use askama::Template;
use axum::{Router, extract::State, routing::get};
use serde::Deserialize;
use skillful_team::{preview::SkillPreview, skills::SkillRecord};

/// The agents that the page compares; any other can be chosen.
const SHOWN: &[&str] =
    &["claude-code", "codex", "opencode", "gemini-cli", "cursor", "github-copilot", "goose", "crush"];

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/ui/skills/{id}/agents", get(agents))
}

/// Which version, and the agent that is shown in full.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct AgentsAddress {
    version: Option<i64>,
    agent: Option<String>,
}

struct AgentRow {
    id: String,
    title: String,
    state: Mark,
    reason: String,
    menu: String,
    is_open: bool,
}

struct Detail {
    title: String,
    evidence: String,
    menu: Markup,
    text: Markup,
    text_words: String,
    notes: Vec<String>,
}

#[derive(Template)]
#[template(path = "agents.html")]
struct AgentsPage {
    shell: Shell,
    skill: SkillRecord,
    number: i64,
    rows: Vec<AgentRow>,
    detail: Option<Detail>,
    others: Vec<(String, String, bool)>,
}

paged!(AgentsPage);

/// Tokens as the engine estimates them: a quarter of the bytes.
fn tokens(text: &str) -> String {
    words::count(text.len().div_ceil(4), "token", "tokens")
}

fn row(preview: &SkillPreview, is_open: bool) -> AgentRow {
    let (state, reason) = if let Some(refusal) = &preview.refusal {
        let fix = refusal.fix.as_ref().map(|fix| format!(" {fix}")).unwrap_or_default();
        (Mark::new("block", "noread", "Does not load it"), format!("{}{fix}", refusal.reason))
    } else if !preview.loads {
        (Mark::new("warn", "noread", "Does not load it"), String::new())
    } else if let Some(why) = &preview.user_only {
        (Mark::new("", "own", "Only a user calls it"), why.clone())
    } else if !preview.cut.is_empty() {
        (Mark::new("warn", "cut", "Cuts its entry"), preview.cut.join("; "))
    } else {
        (Mark::new("ok", "check", "Loads it"), preview.warnings.first().cloned().unwrap_or_default())
    };
    AgentRow {
        id: preview.agent.id.clone(),
        title: preview.agent.title.clone(),
        state,
        reason,
        menu: if preview.menu.is_empty() { "–".to_owned() } else { tokens(&preview.menu) },
        is_open,
    }
}

fn detail(preview: &SkillPreview) -> Detail {
    let mut notes: Vec<String> = preview.cut.clone();
    notes.extend(preview.commands.iter().map(|command| format!("runs before the model reads: {command}")));
    notes.extend(preview.unfilled.iter().map(|name| format!("has no value here: {name}")));
    notes.extend(preview.warnings.iter().cloned());
    let text = preview.text.clone().or_else(|| preview.text_refused.clone()).unwrap_or_default();
    Detail {
        title: preview.agent.title.clone(),
        evidence: preview.agent.evidence.clone(),
        menu: markdown::text(&preview.menu),
        text_words: preview.text.as_deref().map_or_else(|| "not given".to_owned(), tokens),
        text: markdown::text(&text),
        notes,
    }
}

async fn agents(
    State(app): State<App>,
    visitor: Visitor,
    Ids(id): Ids<String>,
    Params(asked): Params<AgentsAddress>,
) -> PageResult {
    let (team, actor) = (&app.team, &visitor.actor);
    let skill = team.skill(actor, &id).await?;
    let number = asked.version.or(skill.default_version).unwrap_or(skill.latest_version);
    let tree = team.contents(actor, &id, number).await?;
    let known = team.preview_agents();
    let chosen = asked.agent.filter(|agent| known.iter().any(|one| one.id == *agent));
    let mut wanted: Vec<&str> =
        SHOWN.iter().copied().filter(|agent| known.iter().any(|one| one.id == *agent)).collect();
    if let Some(agent) = chosen.as_deref().filter(|agent| !wanted.contains(agent)) {
        wanted.push(agent);
    }
    let mut rows = Vec::new();
    let mut shown = None;
    for agent in wanted {
        let preview = team.preview_files(actor, tree.clone(), agent).await?;
        let is_open = chosen.as_deref() == Some(agent);
        if is_open {
            shown = Some(detail(&preview));
        }
        rows.push(row(&preview, is_open));
    }
    let page = AgentsPage {
        shell: Shell::of(&app, &visitor, &format!("{} by agent", skill.name), Nav::Skills).await?,
        others: known
            .into_iter()
            .map(|one| {
                let is_chosen = chosen.as_deref() == Some(one.id.as_str());
                (one.id, one.title, is_chosen)
            })
            .collect(),
        detail: shown,
        skill,
        number,
        rows,
    };
    show(&page)
}
