//! The editor of drafts. Saving, checking, fixing and proposing are forms; script adds colours, markers and saving by itself.

mod panels;
mod tree;

use super::{
    Nav, Paged, Posted, Shell, Visitor,
    address::{Address, Pager, page_number},
    admin::{SEARCHED_FROM, has_words},
    create, encoded,
    errors::{PageError, PageResult},
    flash::Flash,
    marks::Markup,
    shell::{go, show_as},
    show, words,
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
    response::Response,
    routing::{get, post},
};
use panels::Panels;
use serde::Deserialize;
use skillful_format::{Limits, TreePath, scaffold::skill_file};
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
        .route("/ui/drafts", get(list).post(begin))
        .route("/ui/drafts/{id}", get(edit).post(change))
        .route("/ui/drafts/{id}/propose", get(ask_propose))
        .route("/ui/drafts/{id}/discard", get(ask_discard))
        .route("/ui/drafts/{id}/file", get(ask_file).post(change_file))
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
        "propose" => {
            let scope = match fields.text("scope") {
                "" => Scope::Own(actor.user()?.to_owned()),
                named => create::scope_of(named, actor.user()?)?,
            };
            match team.publish_draft(actor, &id, draft.revision, &scope, fields.text("notes")).await {
                Ok(stored) => {
                    let (name, number) = (&stored.skill.name, stored.version.number);
                    Ok(match stored.proposal {
                        Some(proposal) => go(
                            &format!("/ui/reviews/{proposal}"),
                            &Flash::done(format!(
                                "{name} {number} is proposed. Another user decides about it."
                            )),
                        ),
                        None => go(
                            &format!("/ui/skills/{}", stored.skill.id),
                            &Flash::done(format!("{name} {number} is published.")),
                        ),
                    })
                }
                Err(
                    error
                    @ (TeamError::Invalid { .. } | TeamError::Conflict { .. } | TeamError::Forbidden(_)),
                ) => {
                    let asked = EditorAddress { file: Some(path), ..EditorAddress::default() };
                    let page = page(&app, &visitor, draft, &asked, None, error.to_string()).await?;
                    show_as(StatusCode::CONFLICT, &page)
                }
                Err(error) => Err(error.into()),
            }
        }
        fix => {
            let Some((code, line)) =
                fix.strip_prefix("fix:").map(|rest| rest.split_once(':').unwrap_or((rest, "")))
            else {
                return Err(TeamError::invalid("unknown-deed", "the form names no deed").into());
            };
            let (code, line) = (code.to_owned(), line.parse().ok());
            let tree = tree_of(&draft.files)?;
            let folder = draft.name.clone();
            let fixed = blocking(move || {
                fix_draft(&tree, Some(folder.as_str()).filter(|name| !name.is_empty()), &code, line)
            })
            .await?;
            let Some(files) = fixed else {
                return Ok(go(&here, &Flash::failed("This problem is gone already, or it has no fix.")));
            };
            let revision = draft.revision;
            team.save_draft(actor, &id, &input(&draft, files, revision)).await?;
            Ok(go(&here, &Flash::done("The fix is applied and saved.")))
        }
    }
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
    axum::response::IntoResponse::into_response(axum::response::Redirect::to(&format!(
        "{here}{mark}{}",
        query.finish()
    )))
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
    Ok(axum::response::IntoResponse::into_response(axum::response::Html(text)))
}

/// Drafts of a page of the list.
const ROWS: usize = 25;

/// What the address of the list asks for.
#[derive(Clone, Debug, Default, Deserialize)]
struct DraftsAddress {
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

async fn list(State(app): State<App>, visitor: Visitor, Params(asked): Params<DraftsAddress>) -> PageResult {
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
async fn begin(State(app): State<App>, posted: Posted) -> PageResult {
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
    Ok(axum::response::IntoResponse::into_response(axum::response::Redirect::to(&format!(
        "/ui/drafts/{}",
        draft.id
    ))))
}

#[derive(Template)]
#[template(path = "draft_ask.html")]
struct AskPage {
    shell: Shell,
    draft: Draft,
    deed: &'static str,
    title: String,
    text: String,
    scopes: Vec<(String, String)>,
    path: String,
    button: &'static str,
}

impl Paged for AskPage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

async fn ask_propose(State(app): State<App>, visitor: Visitor, Ids(id): Ids<String>) -> PageResult {
    let draft = app.team.draft(&visitor.actor, &id).await?;
    let scopes = if draft.skill_id.is_empty() { create::scopes(&app, &visitor).await? } else { Vec::new() };
    let page = AskPage {
        shell: Shell::of(&app, &visitor, "Propose the draft", Nav::Skills).await?,
        title: format!("Make a version of {}", if draft.name.is_empty() { "the draft" } else { &draft.name }),
        text: "The files of the draft become a version. A version for others is pending until another user approves it. The draft is deleted afterwards.".to_owned(),
        scopes,
        deed: "propose",
        path: "SKILL.md".to_owned(),
        button: "Propose for review",
        draft,
    };
    show(&page)
}

async fn ask_discard(State(app): State<App>, visitor: Visitor, Ids(id): Ids<String>) -> PageResult {
    let draft = app.team.draft(&visitor.actor, &id).await?;
    let page = AskPage {
        shell: Shell::of(&app, &visitor, "Discard the draft", Nav::Skills).await?,
        title: "Discard this draft".to_owned(),
        text: format!(
            "{} of the draft are deleted. This cannot be undone. Versions stay as they are.",
            words::count(draft.files.len(), "file", "files")
        ),
        scopes: Vec::new(),
        deed: "discard",
        path: "SKILL.md".to_owned(),
        button: "Discard the draft",
        draft,
    };
    show(&page)
}

async fn ask_file(
    State(app): State<App>,
    visitor: Visitor,
    Ids(id): Ids<String>,
    Params(asked): Params<EditorAddress>,
) -> PageResult {
    let draft = app.team.draft(&visitor.actor, &id).await?;
    let path = asked.file.filter(|path| draft.files.contains_key(path)).unwrap_or_default();
    let page = AskPage {
        shell: Shell::of(&app, &visitor, "Files of the draft", Nav::Skills).await?,
        title: if path.is_empty() { "New file".to_owned() } else { format!("Rename or delete {path}") },
        text: "A path inside of the skill, such as references/forms.md or scripts/run.py.".to_owned(),
        scopes: Vec::new(),
        deed: "file",
        button: if path.is_empty() { "Create the file" } else { "Rename the file" },
        path,
        draft,
    };
    show(&page)
}

/// Creates, renames or deletes a file.
async fn change_file(State(app): State<App>, Ids(id): Ids<String>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let (team, actor) = (&app.team, &visitor.actor);
    let draft = team.draft(actor, &id).await?;
    let (old, new) = (fields.text("old"), fields.trimmed("path"));
    let mut files = draft.files.clone();
    let text = match fields.text("do") {
        "delete" => {
            if old == "SKILL.md" {
                return Err(TeamError::invalid(
                    "skill-file",
                    "a skill needs its SKILL.md; it cannot be deleted",
                )
                .into());
            }
            files.remove(old).ok_or(TeamError::NotFound)?;
            format!("{old} is deleted.")
        }
        _ => {
            TreePath::new(new, &Limits::default())
                .map_err(|fault| TeamError::invalid("wrong-path", format!("`{new}` {fault}")))?;
            if files.contains_key(new) {
                return Err(TeamError::conflict("path-taken", format!("`{new}` is there already")).into());
            }
            let content = if old.is_empty() { Some(String::new()) } else { files.remove(old) };
            files.insert(new.to_owned(), content.ok_or(TeamError::NotFound)?);
            if old.is_empty() { format!("{new} is created.") } else { format!("{old} is now {new}.") }
        }
    };
    let revision = draft.revision;
    let saved = team.save_draft(actor, &id, &input(&draft, files, revision)).await?;
    let shown = if saved.files.contains_key(new) { new } else { "SKILL.md" };
    Ok(go(&address(&id, shown), &Flash::done(text)))
}

impl EditorPage {
    fn is_marked(&self) -> bool {
        has_marks(&self.text)
    }
}
