//! `list_skills` and `search_skills`.

use super::Call;
use crate::server::reply::Reply;
use skillful_catalog::Entry;
use skillful_route::Evidence;
use skillful_runtime::menu::{self, MOST_FOUND, MOST_LISTED, USUALLY_LISTED};
use skillful_select::access::{Way, is_open};

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
    let (catalog, asker) = (&snapshot.catalog, snapshot.asker());
    let open = |at| is_open(catalog, at, asker, Way::List);
    let index = snapshot.workspace.index();
    let within = index.restrict(&open);
    let judged = index.judge(query, limit, &Evidence { within: Some(&within), ..Evidence::default() });
    let entries: Vec<&Entry> = judged.found.iter().map(|hit| snapshot.entry(hit.entry)).collect();
    Ok(menu::found(catalog, asker, &entries))
}
