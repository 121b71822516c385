//! What links would change for an agent, and making exactly those that were shown.

use super::{answered, machine_of, parts::path_words};
use crate::{
    extract::Ids,
    page::{
        Nav, Posted, Shell, Visitor,
        errors::PageResult,
        flash::{Flash, Undo},
        shell::paged,
        show,
    },
    state::App,
};
use askama::Template;
use axum::extract::State;
use skillful::agent_links::{LinkHow, LinkPlan};

paged!(LinkPage);

#[derive(Template)]
#[template(path = "machine_link.html")]
struct LinkPage {
    shell: Shell,
    plan: LinkPlan,
    links: Vec<(String, String, String, &'static str)>,
}

pub(super) async fn link_plan(
    State(app): State<App>,
    visitor: Visitor,
    Ids(agent): Ids<String>,
) -> PageResult {
    let machine = machine_of(&app, &visitor)?;
    let plan = machine.link_plan(agent).await?;
    let reading = machine.read(false).await?;
    let links = plan.links().iter().map(|link| {
        let how = match link.how {
            LinkHow::Link => "link",
            LinkHow::Copy => "copy",
        };
        (link.skill.clone(), path_words(&reading, link.from.as_path()), link.to.to_string(), how)
    });
    let page = LinkPage {
        links: links.collect(),
        shell: Shell::of(&app, &visitor, &format!("Link for {}", plan.title()), Nav::Machine).await?,
        plan,
    };
    show(&page)
}

pub(super) async fn link(State(app): State<App>, Ids(agent): Ids<String>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let machine = machine_of(&app, &visitor)?;
    let seen: Vec<String> = fields.all("to").map(str::to_owned).collect();
    let done = machine.link(agent, seen).await.map(|(text, record)| match record {
        Some(record) => {
            Flash::done(text).with_undo(Undo::of("/ui/machine", &[("do", "unlink"), ("record", &record)]))
        }
        None => Flash::done(text),
    });
    answered("/ui/machine", done)
}
