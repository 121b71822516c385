//! Completions: names of skills, their files, and the choices that a hint names.

use crate::server::{files, prompts, resources::TEMPLATE, snapshot::Snapshot};
use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference},
};
use skillful_catalog::Entry;
use skillful_select::access::{Way, offered, reach};

/// Answers `completion/complete`.
pub(crate) fn complete(
    snapshot: &Snapshot,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let typed = request.argument.value.as_str();
    let found = match &request.r#ref {
        Reference::Prompt(prompt) => {
            let entry = snapshot.entry(prompts::find(snapshot, &prompt.name)?.entry());
            choices(entry, &request.argument.name)
        }
        Reference::Resource(resource) if resource.uri == TEMPLATE => match request.argument.name.as_str() {
            "name" => names(snapshot),
            "path" => {
                let name = request.context.as_ref().and_then(|context| context.get_argument("name"));
                name.map(|name| paths(snapshot, name)).unwrap_or_default()
            }
            _ => Vec::new(),
        },
        _ => {
            return Err(ErrorData::invalid_params("there is nothing to complete under this reference", None));
        }
    };
    let mut fitting: Vec<String> = found.into_iter().filter(|value| value.starts_with(typed)).collect();
    let total = fitting.len();
    fitting.truncate(CompletionInfo::MAX_VALUES);
    let more = total > fitting.len();
    let info = CompletionInfo::with_pagination(fitting, u32::try_from(total).ok(), more)
        .map_err(|words| ErrorData::internal_error(words, None))?;
    Ok(CompleteResult::new(info))
}

/// Skills whose files have addresses of this form.
fn names(snapshot: &Snapshot) -> Vec<String> {
    let open = offered(&snapshot.catalog, snapshot.asker(), Way::List);
    let entries = open.into_iter().map(|at| snapshot.entry(at));
    entries.filter(|entry| entry.qualifier.is_none()).map(|entry| entry.name.clone()).collect()
}

fn paths(snapshot: &Snapshot, name: &str) -> Vec<String> {
    let found = reach(&snapshot.catalog, name, snapshot.asker(), Way::Load).ok();
    let skill = found.and_then(|proof| snapshot.catalog.admitted(&proof).ok());
    let listing = skill.and_then(|skill| files::list(&skill).ok()).unwrap_or_default();
    listing.files.into_iter().map(|(path, _)| path).collect()
}

/// The choices that a hint names for an argument: of `[staging|production] <version>` the first argument
/// has two and the second none.
fn choices(entry: &Entry, argument: &str) -> Vec<String> {
    let manifest = &entry.loaded.manifest;
    let Some(hint) = &manifest.argument_hint else { return Vec::new() };
    let at = match manifest.arguments.iter().position(|name| name == argument) {
        Some(at) => at,
        None if argument == prompts::ARGUMENTS => 0,
        None => return Vec::new(),
    };
    let place = hint.split_whitespace().nth(at).unwrap_or_default();
    let inner = place.trim_matches(|c: char| "[]<>(){}".contains(c));
    let inner = inner.rsplit_once(':').map_or(inner, |(_, choices)| choices);
    if !inner.contains('|') {
        return Vec::new();
    }
    inner.split('|').filter(|choice| !choice.is_empty()).map(str::to_owned).collect()
}
