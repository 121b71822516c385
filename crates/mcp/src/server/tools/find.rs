//! `list_skills` and `search_skills`.

use super::Call;
use crate::server::reply::Reply;
use skillful::workspace::Searcher;
use skillful_catalog::Entry;
use skillful_runtime::menu::{self, MOST_FOUND, MOST_LISTED, USUALLY_LISTED};

pub(super) fn list_skills(call: &Call<'_>) -> Reply {
    let filter = call.text("filter")?;
    let offset = call.number("offset", 0, usize::MAX)?;
    let limit = call.number("limit", USUALLY_LISTED, MOST_LISTED)?;
    let snapshot = call.snapshot;
    let listed = menu::list(&snapshot.catalog, snapshot.asker(), filter, offset, limit);
    Ok(listed.text_within(&snapshot.catalog, call.room))
}

pub(super) fn search_skills(call: &Call<'_>) -> Reply {
    let query = call.needed("query")?;
    let limit = call.number("limit", 5, MOST_FOUND)?.max(1);
    let snapshot = call.snapshot;
    let judged = snapshot.workspace.search(query, limit, Searcher::Model);
    let entries: Vec<&Entry> = judged.found.iter().map(|hit| snapshot.entry(hit.entry)).collect();
    Ok(menu::found(&snapshot.catalog, snapshot.asker(), &entries))
}
