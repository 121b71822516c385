//! Routes in the forms of other skill systems, so that their clients work with this server: Personal Agent (`/skills`,
//! `/marketplace`, `/admin/skill-catalog`), golemcore (`/api/skills`), Codex app-server (`/rpc`), OpenCode (`/skill`) and the
//! command `!skills`. Each handler translates; every rule is the team's.

mod chat;
mod codex;
mod golemcore;
mod opencode;
mod personal;
mod settings;

use crate::state::App;
use axum::{Router, extract::DefaultBodyLimit};
use skillful_format::{Document, Sidecars, Tree};
use skillful_team::TeamError;

/// The routes of all of them.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .merge(personal::router())
        .merge(golemcore::router())
        .merge(settings::router())
        .merge(codex::router())
        .merge(opencode::router())
        .merge(chat::router())
        .layer(DefaultBodyLimit::max(crate::upload::BODY_LIMIT))
}

/// SKILL.md without its frontmatter.
fn instructions(tree: &Tree) -> Result<String, TeamError> {
    let (_, file) =
        tree.skill_file().ok_or_else(|| TeamError::Internal("a stored skill has no SKILL.md".to_owned()))?;
    Ok(Document::read(&file.bytes, &Sidecars::default()).body_text(&file.bytes).into_owned())
}
