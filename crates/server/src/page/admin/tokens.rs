//! Tokens of all users.

use super::{AdminTab, ROWS, SEARCHED_FROM, Tab, has_words, may_change, tabs};
use crate::{
    extract::Params,
    page::{
        Nav, Shell, Visitor,
        account::{TokenRow, token_row},
        address::{Address, Pager, page_number},
        errors::PageResult,
        shell::paged,
        show,
    },
    state::App,
};
use askama::Template;
use axum::{Router, extract::State, routing::get};
use serde::Deserialize;
use std::cmp::Reverse;

/// The routes.
pub(super) fn router() -> Router<App> {
    Router::new().route("/ui/admin/tokens", get(tokens))
}

paged!(TokensPage);

/// Orders of the list.
const ORDERS: [(&str, &str); 3] = [("", "Ends first"), ("used", "Last used"), ("user", "User")];

/// What the address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct TokenAddress {
    q: Option<String>,
    sort: Option<String>,
    page: Option<String>,
}

#[derive(Template)]
#[template(path = "admin_tokens.html")]
struct TokensPage {
    shell: Shell,
    tabs: Vec<AdminTab>,
    here: Address,
    rows: Vec<(TokenRow, String)>,
    pager: Pager,
    orders: Vec<(&'static str, &'static str, bool)>,
    is_searched: bool,
    may_change: bool,
}

async fn tokens(State(app): State<App>, visitor: Visitor, Params(asked): Params<TokenAddress>) -> PageResult {
    let all = app.team.all_tokens(&visitor.actor).await?;
    let names = app.team.names(&visitor.actor, all.iter().map(|one| one.user.as_str()).collect()).await?;
    let query = asked.q.unwrap_or_default();
    let order = asked.sort.unwrap_or_default();
    let order = ORDERS.iter().find(|(known, _)| *known == order).map_or("", |(known, _)| known);
    let number = page_number(asked.page.as_deref());
    let here = Address::of("/ui/admin/tokens").with("q", &query).with("sort", order);
    let mut found: Vec<_> = all
        .iter()
        .map(|one| (&one.token, names.get(&one.user).cloned().unwrap_or_default()))
        .filter(|(token, user)| has_words(&format!("{} {user} {}", token.name, token.bound), &query))
        .collect();
    match order {
        "used" => found.sort_by_key(|(token, _)| Reverse(token.used)),
        "user" => found.sort_by_key(|(_, user)| user.to_lowercase()),
        _ => found.sort_by_key(|(token, _)| token.expires),
    }
    let shell = Shell::of(&app, &visitor, "Tokens", Nav::Admin).await?;
    let total = found.len();
    let rows: Vec<_> = found
        .into_iter()
        .skip((number - 1) * ROWS)
        .take(ROWS)
        .map(|(token, user)| (token_row(token, shell.now), user))
        .collect();
    let page = TokensPage {
        pager: Pager::of(&here, number, ROWS, rows.len(), total),
        orders: ORDERS.iter().map(|(value, word)| (*value, *word, *value == order)).collect(),
        is_searched: all.len() > SEARCHED_FROM,
        may_change: may_change(&visitor),
        tabs: tabs(&app, &visitor, Tab::Tokens).await?,
        rows,
        here,
        shell,
    };
    show(&page)
}
