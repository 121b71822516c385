//! The list of drafts, and how one begins.

use crate::{
    extract::Params,
    page::{
        Nav, Paged, Posted, Shell, Visitor,
        address::{Address, Pager, page_number},
        admin::{SEARCHED_FROM, has_words},
        errors::PageResult,
        marks::Markup,
        show, words,
    },
    state::App,
};
use askama::Template;
use axum::{
    extract::State,
    response::{IntoResponse as _, Redirect},
};
use serde::Deserialize;
use skillful_format::scaffold::skill_file;
use skillful_team::drafts::{Draft, DraftInput};
use std::collections::BTreeMap;

/// Drafts of a page of the list.
const ROWS: usize = 25;

/// What the address of the list asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct DraftsAddress {
    q: Option<String>,
    page: Option<String>,
}

struct DraftRow {
    id: String,
    name: String,
    of: String,
    files: String,
    time: Markup,
}

#[derive(Template)]
#[template(path = "drafts.html")]
struct DraftsPage {
    shell: Shell,
    here: Address,
    rows: Vec<DraftRow>,
    pager: Pager,
    /// Whether there are enough for a search.
    is_searched: bool,
}

impl Paged for DraftsPage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

pub(super) async fn list(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<DraftsAddress>,
) -> PageResult {
    let drafts = app.team.drafts(&visitor.actor).await?;
    let shell = Shell::of(&app, &visitor, "Drafts", Nav::Skills).await?;
    let (query, number) = (asked.q.unwrap_or_default(), page_number(asked.page.as_deref()));
    let found: Vec<&Draft> = drafts.iter().filter(|draft| has_words(&draft.name, &query)).collect();
    let rows = found.iter().skip((number - 1) * ROWS).take(ROWS).map(|draft| DraftRow {
        id: draft.id.clone(),
        name: if draft.name.is_empty() { "New skill".to_owned() } else { draft.name.clone() },
        of: match draft.base {
            Some(base) => format!("began with version {base}"),
            None => "a new skill".to_owned(),
        },
        files: words::count(draft.files.len(), "file", "files"),
        time: words::time(draft.updated, shell.now),
    });
    let rows: Vec<DraftRow> = rows.collect();
    let here = Address::of("/ui/drafts").with("q", &query);
    let page = DraftsPage {
        pager: Pager::of(&here, number, ROWS, rows.len(), found.len()),
        is_searched: drafts.len() > SEARCHED_FROM,
        here,
        rows,
        shell,
    };
    show(&page)
}

/// A new draft: of a version of a skill, or of a new skill.
pub(super) async fn begin(State(app): State<App>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let (team, actor) = (&app.team, &visitor.actor);
    let skill = fields.text("skill");
    let draft = if skill.is_empty() {
        let name = fields.trimmed("name").to_owned();
        let text =
            skill_file(if name.is_empty() { "new-skill" } else { &name }, Some(fields.text("description")));
        let files = BTreeMap::from([("SKILL.md".to_owned(), text)]);
        let input = DraftInput { skill_id: String::new(), base: None, name, files, revision: None };
        team.create_draft(actor, &input).await?
    } else {
        let record = team.skill(actor, skill).await?;
        let version = match fields.trimmed("version").parse().ok().or(record.default_version) {
            Some(version) => version,
            None => record.latest_version,
        };
        // A draft of the same version goes on where it was left.
        let known = team
            .drafts(actor)
            .await?
            .into_iter()
            .find(|draft| draft.skill_id == skill && draft.base == Some(version));
        match known {
            Some(draft) => draft,
            None => team.draft_of_version(actor, skill, version).await?,
        }
    };
    Ok(Redirect::to(&format!("/ui/drafts/{}", draft.id)).into_response())
}
