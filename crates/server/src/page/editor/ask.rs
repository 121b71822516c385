//! Questions before a deed about a draft, and its files: new ones, other names, deletion.

use super::{EditorAddress, address, input};
use crate::{
    extract::{Ids, Params},
    page::{
        Nav, Paged, Posted, Shell, Visitor, create, errors::PageResult, flash::Flash, shell::go, show, words,
    },
    state::App,
};
use askama::Template;
use axum::extract::State;
use skillful_format::{Limits, TreePath};
use skillful_team::{TeamError, drafts::Draft};

#[derive(Template)]
#[template(path = "draft_ask.html")]
struct AskPage {
    shell: Shell,
    draft: Draft,
    question: Question,
}

impl Paged for AskPage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

/// What is asked about a draft.
struct Question {
    /// The title of the page.
    heading: &'static str,
    /// `propose`, `discard` or `file`.
    deed: &'static str,
    title: String,
    text: String,
    button: &'static str,
    scopes: Vec<(String, String)>,
    path: String,
}

async fn ask(app: &App, visitor: &Visitor, draft: Draft, question: Question) -> PageResult {
    let shell = Shell::of(app, visitor, question.heading, Nav::Skills).await?;
    show(&AskPage { shell, draft, question })
}

pub(super) async fn ask_propose(
    State(app): State<App>,
    visitor: Visitor,
    Ids(id): Ids<String>,
) -> PageResult {
    let draft = app.team.draft(&visitor.actor, &id).await?;
    let scopes = if draft.skill_id.is_empty() { create::scopes(&app, &visitor).await? } else { Vec::new() };
    let question = Question {
        heading: "Propose the draft",
        deed: "propose",
        title: format!("Make a version of {}", if draft.name.is_empty() { "the draft" } else { &draft.name }),
        text: "The files of the draft become a version. A version for others is pending until another user approves it. The draft is deleted afterwards.".to_owned(),
        button: "Propose for review",
        scopes,
        path: String::new(),
    };
    ask(&app, &visitor, draft, question).await
}

pub(super) async fn ask_discard(
    State(app): State<App>,
    visitor: Visitor,
    Ids(id): Ids<String>,
) -> PageResult {
    let draft = app.team.draft(&visitor.actor, &id).await?;
    let files = words::count(draft.files.len(), "file", "files");
    let question = Question {
        heading: "Discard the draft",
        deed: "discard",
        title: "Discard this draft".to_owned(),
        text: format!("{files} of the draft are deleted. This cannot be undone. Versions stay as they are."),
        button: "Discard the draft",
        scopes: Vec::new(),
        path: String::new(),
    };
    ask(&app, &visitor, draft, question).await
}

pub(super) async fn ask_file(
    State(app): State<App>,
    visitor: Visitor,
    Ids(id): Ids<String>,
    Params(asked): Params<EditorAddress>,
) -> PageResult {
    let draft = app.team.draft(&visitor.actor, &id).await?;
    let path = asked.file.filter(|path| draft.files.contains_key(path)).unwrap_or_default();
    let is_new = path.is_empty();
    let question = Question {
        heading: "Files of the draft",
        deed: "file",
        title: if is_new { "New file".to_owned() } else { format!("Rename or delete {path}") },
        text: "A path inside of the skill, such as references/forms.md or scripts/run.py.".to_owned(),
        button: if is_new { "Create the file" } else { "Rename the file" },
        scopes: Vec::new(),
        path,
    };
    ask(&app, &visitor, draft, question).await
}

/// Creates, renames or deletes a file.
pub(super) async fn change_file(State(app): State<App>, Ids(id): Ids<String>, posted: Posted) -> PageResult {
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
