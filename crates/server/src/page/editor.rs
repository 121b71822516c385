//! The editor of drafts. Saving, checking, fixing and proposing are forms; script adds colours, markers and saving by itself.

mod ask;
mod list;
mod panels;
mod tree;

use super::{
    Nav, Paged, Posted, Shell, Visitor, create, encoded,
    errors::{PageError, PageResult},
    flash::Flash,
    form::Fields,
    icon,
    marks::Markup,
    shell::{go, show_as},
    show, text, words,
};
use crate::{
    api::blocking,
    extract::{Ids, Params},
    state::App,
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::StatusCode,
    response::{Html, IntoResponse as _, Redirect, Response},
    routing::{get, post},
};
use panels::Panels;
use serde::Deserialize;
use skillful_team::{
    Scope, TeamError,
    authoring::fix_draft,
    drafts::{Draft, DraftConflict, DraftInput, DraftSave, has_marks, tree_of},
    skills::SkillRecord,
};
use std::collections::BTreeMap;
use tree::{TreeRow, rows};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/drafts", get(list::list).post(list::begin))
        .route("/ui/drafts/{id}", get(edit).post(change))
        .route("/ui/drafts/{id}/propose", get(ask::ask_propose))
        .route("/ui/drafts/{id}/discard", get(ask::ask_discard))
        .route("/ui/drafts/{id}/file", get(ask::ask_file).post(ask::change_file))
        .route("/ui/drafts/{id}/panel", post(panel))
}

/// What the address of the editor names.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct EditorAddress {
    file: Option<String>,
    panel: Option<String>,
    agent: Option<String>,
    message: Option<String>,
    against: Option<String>,
}

/// A conflict of two saves, as the page shows it.
struct Clash {
    places: usize,
    files: String,
}

#[derive(Template)]
#[template(path = "editor.html")]
struct EditorPage {
    shell: Shell,
    draft: Draft,
    skill: Option<SkillRecord>,
    /// The file that is edited.
    path: String,
    text: String,
    size: String,
    tree: Vec<TreeRow>,
    panels: Panels,
    saved: Markup,
    clash: Option<Clash>,
    refused: String,
}

impl Paged for EditorPage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

#[derive(Template)]
#[template(path = "editor_panels.html")]
struct PanelsPart {
    panels: Panels,
}

/// The address of a file of a draft.
fn address(id: &str, path: &str) -> String {
    if path == "SKILL.md" {
        format!("/ui/drafts/{id}")
    } else {
        format!("/ui/drafts/{id}?file={}", encoded(path))
    }
}

async fn edit(
    State(app): State<App>,
    visitor: Visitor,
    Ids(id): Ids<String>,
    Params(asked): Params<EditorAddress>,
) -> PageResult {
    let draft = app.team.draft(&visitor.actor, &id).await?;
    let page = page(&app, &visitor, draft, &asked, None, String::new()).await?;
    show(&page)
}

async fn page(
    app: &App,
    visitor: &Visitor,
    draft: Draft,
    asked: &EditorAddress,
    clash: Option<Clash>,
    refused: String,
) -> Result<EditorPage, PageError> {
    let path = chosen(&draft, asked.file.as_deref().unwrap_or_default());
    let text = draft.files.get(&path).cloned().unwrap_or_default();
    let panels = Panels::of(app, visitor, &draft, &path, asked).await?;
    let skill = match draft.skill_id.as_str() {
        "" => None,
        id => app.team.skill(&visitor.actor, id).await.ok(),
    };
    let title = if draft.name.is_empty() { "New skill" } else { &draft.name };
    let shell = Shell::of(app, visitor, &format!("{title}, draft"), Nav::Skills).await?;
    let lines = text.lines().count();
    Ok(EditorPage {
        size: format!("{}, {}", words::size(text.len() as u64), words::count(lines, "line", "lines")),
        tree: rows(&draft, &path, &panels.problems),
        saved: words::time(draft.updated, shell.now),
        skill,
        path,
        text,
        panels,
        clash,
        refused,
        draft,
        shell,
    })
}

/// The file that an address means: the named one, else the skill file, else the first.
fn chosen(draft: &Draft, wanted: &str) -> String {
    let known = |path: &&str| draft.files.contains_key(*path);
    let first = draft.files.keys().next().map(String::as_str);
    [wanted, "SKILL.md"].into_iter().find(known).or(first).unwrap_or("SKILL.md").to_owned()
}

/// The texts of a form: those of the draft, with the edited one. A browser sends line ends as two characters.
fn files_of(draft: &Draft, path: &str, text: &str) -> BTreeMap<String, String> {
    let mut files = draft.files.clone();
    let had_returns = files.get(path).is_some_and(|before| before.contains("\r\n"));
    let text = if had_returns { text.to_owned() } else { text.replace("\r\n", "\n") };
    files.insert(path.to_owned(), text);
    files
}

fn input(draft: &Draft, files: BTreeMap<String, String>, revision: i64) -> DraftInput {
    DraftInput {
        skill_id: draft.skill_id.clone(),
        base: draft.base,
        name: draft.name.clone(),
        files,
        revision: Some(revision),
    }
}

/// Saves the sent text and then does what the button says.
async fn change(State(app): State<App>, Ids(id): Ids<String>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let (team, actor) = (&app.team, &visitor.actor);
    let draft = team.draft(actor, &id).await?;
    let deed = fields.text("do");
    if deed == "discard" {
        team.delete_draft(actor, &id).await?;
        return Ok(go("/ui/drafts", &Flash::done("The draft is deleted.")));
    }
    let path = chosen(&draft, fields.text("file"));
    let revision = fields.number("revision")?;
    let mut draft = draft;
    if fields.has("text") {
        let at_revision = team.draft_at(actor, &id, revision).await?;
        let mut files = files_of(&draft, &path, fields.text("text"));
        // The other files are those that the sender saw.
        if let Some(seen) = at_revision {
            let text = files.remove(&path).unwrap_or_default();
            files = seen;
            files.insert(path.clone(), text);
        }
        let same = draft.revision == revision && draft.files == files;
        if !same {
            match team.save_or_merge(actor, &id, &input(&draft, files, revision)).await? {
                DraftSave::Saved(saved) => draft = saved,
                DraftSave::Conflict(conflict) => return clashed(&app, &visitor, &path, *conflict).await,
            }
        }
    }
    let here = address(&id, &path);
    match deed {
        "" | "save" => Ok(go(&here, &Flash::done("The draft is saved."))),
        "check" => Ok(see(&here, "check")),
        "try" => Ok(see_with(&here, "try", &[("message", fields.text("message"))])),
        "preview" => Ok(see_with(&here, "preview", &[("agent", fields.text("agent"))])),
        "diff" => Ok(see_with(&here, "diff", &[("against", fields.text("against"))])),
        "propose" => propose(&app, &visitor, draft, path, &fields).await,
        fix => match fix.strip_prefix("fix:") {
            Some(fix) => apply_fix(&app, &visitor, &draft, fix, &here).await,
            None => Err(TeamError::invalid("unknown-deed", "the form names no deed").into()),
        },
    }
}

/// Makes a version of the draft. What is refused is shown beside the text.
async fn propose(app: &App, visitor: &Visitor, draft: Draft, path: String, fields: &Fields) -> PageResult {
    let (team, actor) = (&app.team, &visitor.actor);
    let scope = match fields.text("scope") {
        "" => Scope::Own(actor.user()?.to_owned()),
        named => create::scope_of(named, actor.user()?)?,
    };
    match team.publish_draft(actor, &draft.id, draft.revision, &scope, fields.text("notes")).await {
        Ok(stored) => {
            let (name, number) = (&stored.skill.name, stored.version.number);
            Ok(match stored.proposal {
                Some(proposal) => go(
                    &format!("/ui/reviews/{proposal}"),
                    &Flash::done(format!("{name} {number} is proposed. Another user decides about it.")),
                ),
                None => go(
                    &format!("/ui/skills/{}", stored.skill.id),
                    &Flash::done(format!("{name} {number} is published.")),
                ),
            })
        }
        Err(error @ (TeamError::Invalid { .. } | TeamError::Conflict { .. } | TeamError::Forbidden(_))) => {
            let asked = EditorAddress { file: Some(path), ..EditorAddress::default() };
            let page = page(app, visitor, draft, &asked, None, error.to_string()).await?;
            show_as(StatusCode::CONFLICT, &page)
        }
        Err(error) => Err(error.into()),
    }
}

/// Applies the fix of a problem, named as `CODE:LINE`, and saves the draft.
async fn apply_fix(app: &App, visitor: &Visitor, draft: &Draft, fix: &str, here: &str) -> PageResult {
    let (code, line) = fix.split_once(':').unwrap_or((fix, ""));
    let (code, line) = (code.to_owned(), line.parse().ok());
    let tree = tree_of(&draft.files)?;
    let folder = draft.name.clone();
    let fixed = blocking(move || {
        fix_draft(&tree, Some(folder.as_str()).filter(|name| !name.is_empty()), &code, line)
    })
    .await?;
    let Some(files) = fixed else {
        return Ok(go(here, &Flash::failed("This problem is gone already, or it has no fix.")));
    };
    app.team.save_draft(&visitor.actor, &draft.id, &input(draft, files, draft.revision)).await?;
    Ok(go(here, &Flash::done("The fix is applied and saved.")))
}

fn see(here: &str, panel: &str) -> Response {
    see_with(here, panel, &[])
}

/// The editor with a panel open.
fn see_with(here: &str, panel: &str, fields: &[(&str, &str)]) -> Response {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("panel", panel);
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    let mark = if here.contains('?') { '&' } else { '?' };
    Redirect::to(&format!("{here}{mark}{}", query.finish())).into_response()
}

/// Shows both saves as one text. Nothing was written; saving again writes the merged text.
async fn clashed(app: &App, visitor: &Visitor, path: &str, conflict: DraftConflict) -> PageResult {
    let clash = Clash {
        places: conflict.conflicts.values().sum(),
        files: conflict.conflicts.keys().cloned().collect::<Vec<_>>().join(", "),
    };
    let draft = Draft { files: conflict.merged, ..conflict.saved };
    let asked = EditorAddress { file: Some(path.to_owned()), ..EditorAddress::default() };
    let page = page(app, visitor, draft, &asked, Some(clash), String::new()).await?;
    show_as(StatusCode::CONFLICT, &page)
}

/// The panels of texts that are not saved, for script: the same template as the whole page.
async fn panel(State(app): State<App>, Ids(id): Ids<String>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let draft = app.team.draft(&visitor.actor, &id).await?;
    let path = chosen(&draft, fields.text("file"));
    let files = files_of(&draft, &path, fields.text("text"));
    let draft = Draft { files, ..draft };
    let given = |name: &str| Some(fields.text(name).to_owned()).filter(|text| !text.is_empty());
    let asked = EditorAddress {
        file: Some(path.clone()),
        panel: given("panel"),
        agent: given("agent"),
        message: given("message"),
        against: given("against"),
    };
    let panels = Panels::of(&app, &visitor, &draft, &path, &asked).await?;
    let text = PanelsPart { panels }
        .render()
        .map_err(|error| PageError::Refused(TeamError::Internal(error.to_string())))?;
    Ok(Html(text).into_response())
}

impl EditorPage {
    fn is_marked(&self) -> bool {
        has_marks(&self.text)
    }
}
