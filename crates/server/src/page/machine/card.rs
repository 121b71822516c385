//! A pending skill of this machine: what it can do, its files, and the decision about one digest.

use super::{answered, machine_of, parts::review_link};
use crate::{
    extract::Ids,
    page::{
        Nav, Posted, Shell, Visitor, encoded,
        errors::PageResult,
        flash::Flash,
        markdown,
        marks::{self, Markup},
        shell::paged,
        show, words,
    },
    state::App,
};
use askama::Template;
use axum::extract::State;
use skillful::views::ReviewCard;
use skillful_format::Digest;
use skillful_team::TeamError;
use std::str::FromStr as _;

paged!(CardPage);

#[derive(Template)]
#[template(path = "machine_review.html")]
struct CardPage {
    shell: Shell,
    word: String,
    card: ReviewCard,
    digest: String,
    short: String,
    files: Vec<(String, Markup)>,
    others: Vec<(String, String)>,
}

pub(super) async fn card(State(app): State<App>, visitor: Visitor, Ids(word): Ids<String>) -> PageResult {
    let machine = machine_of(&app, &visitor)?;
    let card = machine.card(word.clone()).await?;
    let reading = machine.read(false).await?;
    let digest = card.digest.to_string();
    let file = |file: &skillful::views::ReviewFile| {
        let text = file.text.as_deref().map_or_else(
            || Markup("<span class=\"mute\">This file is not text.</span>".to_owned()),
            markdown::text,
        );
        (file.path.clone(), text)
    };
    let page = CardPage {
        files: card.files.iter().map(file).collect(),
        others: reading
            .reviews
            .iter()
            .map(|item| (review_link(item), item.name.clone()))
            .filter(|(link, _)| !link.ends_with(&encoded(&word)))
            .collect(),
        shell: Shell::of(&app, &visitor, &card.item.name, Nav::Machine).await?,
        short: words::short_digest(&digest),
        digest,
        word,
        card,
    };
    show(&page)
}

pub(super) async fn decide(State(app): State<App>, Ids(word): Ids<String>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let machine = machine_of(&app, &visitor)?;
    let digest = Digest::from_str(fields.text("digest"))
        .map_err(|_| TeamError::invalid("no-digest", "the form names no digest"))?;
    let approves = fields.text("do") == "approve";
    // Blocking findings are accepted only by typing the name of the skill.
    let name = word.split_once(':').map_or(word.as_str(), |(_, name)| name).to_owned();
    let despite = fields.trimmed("name") == name;
    let done = machine.decide(word.clone(), digest, approves, despite).await;
    let back = if done.is_ok() {
        "/ui/machine".to_owned()
    } else {
        format!("/ui/machine/review/{}", encoded(&word))
    };
    answered(&back, done.map(Flash::done))
}

impl CardPage {
    #[expect(clippy::unused_self, reason = "templates call it on the page")]
    fn finding_mark(&self, severity: &impl std::fmt::Display) -> Markup {
        marks::severity(&severity.to_string()).severity()
    }
}
