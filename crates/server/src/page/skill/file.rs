//! One file of a version: rendered, or line by line with what cannot be seen.

use super::body_of;
use crate::{
    api::blocking,
    extract::{Ids, Params},
    page::{Nav, Shell, Visitor, errors::PageResult, markdown, marks::Markup, shell::paged, show, words},
    state::App,
};
use askama::Template;
use axum::extract::State;
use serde::Deserialize;
use skillful_team::{TeamError, judged::FindingView, skills::SkillRecord};

paged!(FilePage);

/// Which file is shown, and how.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct FileQuery {
    path: Option<String>,
    view: Option<String>,
}

#[derive(Template)]
#[template(path = "file.html")]
struct FilePage {
    shell: Shell,
    skill: SkillRecord,
    number: i64,
    path: String,
    size: String,
    files: Vec<(String, bool)>,
    can_render: bool,
    is_rendered: bool,
    /// The lines of a text with invisible characters shown.
    lines: Vec<Markup>,
    rendered: Markup,
    is_binary: bool,
    is_cut: bool,
    findings: Vec<FindingView>,
    encoded: String,
}

/// Lines of a file that a page shows.
const LINES: usize = 5_000;

pub(super) async fn file(
    State(app): State<App>,
    visitor: Visitor,
    Ids((id, number)): Ids<(String, i64)>,
    Params(query): Params<FileQuery>,
) -> PageResult {
    let (team, actor) = (&app.team, &visitor.actor);
    let skill = team.skill(actor, &id).await?;
    let version = team.version(actor, &id, number).await?;
    let tree = team.contents(actor, &id, number).await?;
    let path = match query.path {
        Some(path) => path,
        None => tree.skill_file().map(|(path, _)| path.to_owned()).ok_or(TeamError::NotFound)?,
    };
    let file = tree.get(&path).ok_or(TeamError::NotFound)?;
    let text = std::str::from_utf8(&file.bytes).ok().map(str::to_owned);
    let can_render = path.to_ascii_lowercase().ends_with(".md") && text.is_some();
    let is_rendered = can_render && query.view.as_deref() != Some("raw");
    let content = text.unwrap_or_default();
    let (lines, rendered) = blocking(move || {
        if is_rendered {
            (Vec::new(), markdown::render(body_of(&content), 2))
        } else {
            (content.lines().take(LINES + 1).map(markdown::text).collect(), Markup::default())
        }
    })
    .await?;
    let shell = Shell::of(&app, &visitor, &format!("{path} of {}", skill.name), Nav::Skills).await?;
    let page = FilePage {
        size: words::size(file.bytes.len() as u64),
        files: tree.iter().map(|(one, _)| (one.to_string(), one.as_str() == path)).collect(),
        is_binary: std::str::from_utf8(&file.bytes).is_err(),
        is_cut: lines.len() > LINES,
        findings: version.findings.into_iter().filter(|found| found.path == path).collect(),
        encoded: url::form_urlencoded::byte_serialize(path.as_bytes()).collect(),
        lines,
        rendered,
        can_render,
        is_rendered,
        path,
        number,
        skill,
        shell,
    };
    show(&page)
}
