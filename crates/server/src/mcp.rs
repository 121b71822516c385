//! The Model Context Protocol at `/mcp`, with the user's token: each user has the skills that are on for them. The tools are
//! those of `skillful mcp`; nothing runs here, and nothing is written for a model.
//!
//! The skills of a user are written to a folder of their own, named by what is in it, so that users with the same skills share
//! one. Sessions do not exist: what is taken away is gone with the next request.

use crate::{
    caller::{actor, token},
    problem::ApiError,
    state::App,
};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use sha2::{Digest as _, Sha256};
use skillful::{Environment, Options, Workspace};
use skillful_format::Tree;
use skillful_mcp::server::{Live, Served, http::Answering};
use skillful_team::{Actor, TeamError, preferences::EffectiveSkill};
use std::{
    fs, io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};
use tempfile::TempDir;

/// Bytes of a request.
const BODY: usize = 1 << 20;
/// Sets of skills that are kept; the one that was not used for longest goes.
const SETS: usize = 64;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/mcp", post(answer).get(no_stream).delete(no_stream))
}

/// The sets of skills that were asked for, the last used one at the end.
#[derive(Debug, Default)]
pub(crate) struct SkillSets(Mutex<Vec<Arc<SkillSet>>>);

#[derive(Debug)]
struct SkillSet {
    key: String,
    answering: Answering,
    /// Holds the folder until the last request about it ended.
    _folder: TempDir,
}

impl SkillSets {
    fn get(&self, key: &str) -> Option<Arc<SkillSet>> {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = sets.iter().position(|set| set.key == key)?;
        let set = sets.remove(at);
        sets.push(Arc::clone(&set));
        Some(set)
    }

    fn keep(&self, set: &Arc<SkillSet>) {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sets.retain(|other| other.key != set.key);
        sets.push(Arc::clone(set));
        let more = sets.len().saturating_sub(SETS);
        sets.drain(..more);
    }
}

/// Without sessions there is no stream and nothing to end.
async fn no_stream() -> Response {
    let why = "this server keeps no sessions; send requests with POST";
    let mut response = ApiError(TeamError::invalid("wrong-method", why)).into_response();
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response
}

async fn answer(State(app): State<App>, request: Request) -> Result<Response, ApiError> {
    if token(request.headers()).is_none() {
        let why = "send the header `Authorization: Bearer TOKEN` with a token of this server";
        return Err(TeamError::Unauthenticated(why.to_owned()).into());
    }
    let caller = actor(&Method::POST, request.headers(), &app).await?;
    let set = skills(&app, &caller).await?;
    let (mut head, body) = request.into_parts();
    // The token is for us and not for what answers.
    head.headers.remove(header::AUTHORIZATION);
    head.headers.remove("x-api-key");
    let body = to_bytes(body, BODY)
        .await
        .map_err(|_| TeamError::TooLarge(format!("a request has at most {BODY} bytes")))?;
    let answered = set.answering.answer(Request::from_parts(head, body)).await;
    Ok(answered.map(Body::new))
}

/// The set of skills of a user, made when it is not there.
async fn skills(app: &App, caller: &Actor) -> Result<Arc<SkillSet>, TeamError> {
    let mut on: Vec<EffectiveSkill> = app.team.effective(caller).await?;
    on.retain(|one| one.is_on);
    let mut key = Sha256::new();
    for one in &on {
        key.update(format!("{} {}\n", one.skill.name, one.version.tree));
    }
    let key: String = key.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    if let Some(set) = app.mcp.get(&key) {
        return Ok(set);
    }
    let mut trees = Vec::new();
    for one in &on {
        trees.push((
            one.skill.name.clone(),
            app.team.contents(caller, &one.skill.id, one.version.number).await?,
        ));
    }
    let made = tokio::task::spawn_blocking(move || made(key, &trees)).await;
    let failed =
        |error: String| TeamError::Internal(format!("the skills of a user cannot be served: {error}"));
    let set = made.map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.to_string()))?;
    let set = Arc::new(set);
    app.mcp.keep(&set);
    Ok(set)
}

fn made(key: String, trees: &[(String, Tree)]) -> io::Result<SkillSet> {
    let folder = tempfile::Builder::new().prefix("skillful-mcp").tempdir()?;
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    fs::create_dir_all(&work)?;
    let config = home.join(".config/skillful");
    fs::create_dir_all(&config)?;
    // The skills of the team alone, without those that are shipped with the program.
    fs::write(config.join("config.toml"), "system = false\n")?;
    for (name, tree) in trees {
        write(&home.join(".agents/skills").join(name), tree)?;
    }
    let environment = Environment { cwd: work, home, ..Environment::default() };
    let workspace = Workspace::open(environment, Options::default());
    let served = Served { run_commands: false, proposals: false, ..Served::workspace(workspace) };
    Ok(SkillSet { key, answering: Answering::new(Live::start(served)?), _folder: folder })
}

/// Writes the files of a skill. Paths of a tree lead nowhere else.
fn write(folder: &Path, tree: &Tree) -> io::Result<()> {
    for (path, file) in tree.iter() {
        let path = folder.join(path.as_str());
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, &file.bytes)?;
    }
    Ok(())
}
