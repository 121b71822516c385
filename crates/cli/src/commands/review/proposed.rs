//! Skills that models proposed.

use super::{Done, Kind, Waiting};
use crate::{
    age, commands::diagnostics_json, context::Context, error::Failure, memory::lost, output::harmless,
    turn::now,
};
use serde_json::json;
use skillful_catalog::{Entry, capability::capabilities};
use skillful_format::{Diagnostic, LENIENT, Severity, Tree};
use skillful_runtime::{
    authored_skills::AuthoredSkillError,
    propose::{Proposals, is_waiting, session_of},
};
use std::time::UNIX_EPOCH;

pub(super) fn waiting(context: &mut Context) -> Vec<Waiting> {
    let catalog = context.workspace.catalog();
    let all = Proposals::new(&catalog, &context.workspace.config().settings).all();
    all.into_iter().filter(|entry| is_waiting(entry)).map(one).collect()
}

fn one(entry: &Entry) -> Waiting {
    let written = written(entry);
    let when = written.map(|at| age::ago(at, now()));
    let session = session_of(&entry.loaded.manifest);
    let findings = LENIENT.apply(entry.loaded.diagnostics.clone());
    let mut facts = Vec::new();
    facts.extend(when.clone().map(|when| ("proposed", when)));
    facts.extend(session.map(|session| ("in session", session.to_owned())));
    facts.extend(findings.iter().map(|found| ("check", said(found))));
    Waiting {
        name: folder_name(entry),
        kind: Kind::Proposed,
        from: when.map_or_else(|| "a model".to_owned(), |when| format!("a model, {when}")),
        description: entry.description().unwrap_or_default().to_owned(),
        facts,
        json: json!({
            "written": written,
            "session": session,
            "capabilities": capabilities(entry),
            "diagnostics": diagnostics_json(&findings),
        }),
    }
}

fn said(found: &Diagnostic) -> String {
    let weight = if found.severity == Severity::Error { "error" } else { "warning" };
    format!("{weight}[{}]: {}", found.code, found.message)
}

/// What a proposal is called: by its folder, which nothing in it can change.
fn folder_name(entry: &Entry) -> String {
    entry.folder().file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// When it was written, in seconds since 1970.
fn written(entry: &Entry) -> Option<u64> {
    let time = std::fs::metadata(&entry.origin.file).and_then(|meta| meta.modified()).ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

pub(super) fn tree(context: &Context, name: &str) -> Result<Tree, Failure> {
    context.workspace.paths().authored_skills().read(name).map_err(refused)
}

/// Moves a skill to the person's own, and follows its use from now on.
pub(super) fn accept(context: &mut Context, name: &str, tree: &Tree) -> Result<Done, Failure> {
    let catalog = context.workspace.catalog();
    let proposed = context.workspace.paths().proposed();
    let (mine, others): (Vec<&Entry>, Vec<&Entry>) =
        catalog.entries.iter().partition(|entry| entry.origin.file.starts_with(&proposed));
    // What it calls itself counts, too.
    let own = mine.iter().find(|entry| folder_name(entry) == name).map_or(name, |entry| entry.name.as_str());
    let is_called =
        |entry: &&&Entry| [name, own].iter().any(|word| entry.name == *word || entry.address() == *word);
    if let Some(other) = others.iter().find(is_called) {
        let place = context.named(&other.origin.file);
        return Err(Failure::new(format!("the name `{name}` is taken by {place}"))
            .hint("rename or remove that one first, or reject the proposal"));
    }
    let folder = context.workspace.paths().authored_skills().approve(name, tree).map_err(refused)?;
    if let Some(Err(error)) = context.store().map(|store| store.authored(name, now())) {
        context.own_diagnostics.push(lost(&error));
    }
    let text = format!("accepted {} into {}\n", harmless(name), context.named(&folder));
    Ok((text, json!({ "name": name, "folder": folder })))
}

pub(super) fn reject(context: &Context, name: &str) -> Result<Done, Failure> {
    let folder = context.workspace.paths().authored_skills().reject(name).map_err(refused)?;
    let text = format!("rejected {}; it lies in {}\n", harmless(name), context.named(&folder));
    Ok((text, json!({ "name": name, "folder": folder })))
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn refused(error: AuthoredSkillError) -> Failure {
    Failure::new(error.to_string())
}
