//! The queue of reviews: what waits for a decision, oldest first.

use super::{
    Nav, Paged, Shell, Visitor,
    errors::PageResult,
    marks::{self, Mark, Markup},
    show,
    skill::finding_words,
    skills::group_names,
    words,
};
use crate::{extract::Params, state::App};
use askama::Template;
use axum::{Router, extract::State, routing::get};
use serde::Deserialize;
use skillful_team::{
    TeamError,
    judged::{FindingView, gained},
    permission::Deed,
    proposals::Proposal,
    skills::SkillRecord,
    versions::VersionRecord,
};
use std::collections::BTreeSet;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/ui/reviews", get(queue))
}

/// Which queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    /// What the visitor may decide.
    Waiting,
    /// What the visitor proposed.
    Mine,
    /// Everything open that the visitor sees.
    Open,
    /// What was decided.
    Done,
}

impl Queue {
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Waiting, "waiting", "Waiting for you"),
        (Self::Mine, "mine", "Your proposals"),
        (Self::Open, "open", "All open"),
        (Self::Done, "done", "Decided"),
    ];

    fn of(word: &str) -> Self {
        Self::ALL.iter().find(|(_, known, _)| *known == word).map_or(Self::Waiting, |(queue, ..)| *queue)
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct QueueAddress {
    queue: Option<String>,
}

/// A proposal with what the queue shows of it.
pub(crate) struct Queued {
    pub(crate) proposal: Proposal,
    pub(crate) skill: SkillRecord,
    pub(crate) version: VersionRecord,
    pub(crate) gained: Vec<String>,
    pub(crate) may_decide: bool,
}

/// Everything that the visitor sees in the queues.
pub(crate) async fn queued(app: &App, visitor: &Visitor, state: &str) -> Result<Vec<Queued>, TeamError> {
    let (team, actor) = (&app.team, &visitor.actor);
    let mut found = Vec::new();
    for proposal in team.proposals(actor, state).await? {
        let skill = team.skill(actor, &proposal.skill_id).await?;
        let version = team.version(actor, &proposal.skill_id, proposal.version).await?;
        let before = match skill.default_version.filter(|served| *served != version.number) {
            Some(served) => team.version(actor, &skill.id, served).await?.capabilities,
            None => BTreeSet::new(),
        };
        let is_own = actor.user.as_deref() == Some(proposal.author.as_str());
        let may_decide = !is_own
            && proposal.state == "open"
            && team.may(actor, Deed::Approve, &skill.org, &skill.scope).is_ok();
        found.push(Queued {
            gained: gained(&before, &version.capabilities),
            proposal,
            skill,
            version,
            may_decide,
        });
    }
    Ok(found)
}

struct Tab {
    word: &'static str,
    href: String,
    count: usize,
    is_current: bool,
}

struct Row {
    id: String,
    name: String,
    number: i64,
    note: String,
    to: Mark,
    author: String,
    gained: usize,
    gained_words: String,
    findings: Mark,
    waiting: Markup,
    state: Option<Mark>,
}

#[derive(Template)]
#[template(path = "reviews.html")]
struct ReviewsPage {
    shell: Shell,
    tabs: Vec<Tab>,
    rows: Vec<Row>,
    is_done: bool,
    empty: (&'static str, &'static str),
    median: String,
}

impl Paged for ReviewsPage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

/// The findings of a version as one mark.
pub(crate) fn findings_mark(findings: &[FindingView]) -> Mark {
    let has = |word: &str| findings.iter().any(|found| found.severity == word);
    match () {
        () if findings.is_empty() => Mark::new("ok", "ok", "none"),
        () if has("block") => Mark::new("block", "block", finding_words(findings)),
        () if has("warn") => Mark::new("warn", "warn", finding_words(findings)),
        () => Mark::new("ok", "ok", finding_words(findings)),
    }
}

/// A state of a proposal.
pub(crate) fn state_mark(state: &str) -> Mark {
    match state {
        "open" => Mark::new("wait", "clock", "Pending"),
        "approved" => Mark::new("ok", "ok", "Approved"),
        "rejected" => Mark::new("block", "block", "Rejected"),
        _ => Mark::new("off", "undo", "Withdrawn"),
    }
}

/// The first words of what a version gained.
fn gained_words(all: &[String]) -> String {
    let mut some: Vec<&str> = all.iter().take(2).map(String::as_str).collect();
    if all.len() > 2 {
        some.push("…");
    }
    some.join(", ")
}

async fn queue(State(app): State<App>, visitor: Visitor, Params(asked): Params<QueueAddress>) -> PageResult {
    let chosen = Queue::of(asked.queue.as_deref().unwrap_or_default());
    let all = queued(&app, &visitor, "").await?;
    let me = visitor.id();
    let belongs = |one: &Queued, queue: Queue| match queue {
        Queue::Waiting => one.may_decide,
        Queue::Mine => one.proposal.author == me && one.proposal.state == "open",
        Queue::Open => one.proposal.state == "open",
        Queue::Done => one.proposal.state != "open",
    };
    let tabs = Queue::ALL.iter().map(|(queue, word, title)| Tab {
        word: title,
        href: if *queue == Queue::Waiting {
            "/ui/reviews".to_owned()
        } else {
            format!("/ui/reviews?queue={word}")
        },
        count: all.iter().filter(|one| belongs(one, *queue)).count(),
        is_current: *queue == chosen,
    });
    let tabs = tabs.collect();
    let names =
        app.team.names(&visitor.actor, all.iter().map(|one| one.proposal.author.as_str()).collect()).await?;
    let groups = group_names(&app, &visitor.actor).await?;
    let shell = Shell::of(&app, &visitor, "Review", Nav::Review).await?;
    let mut waits: Vec<i64> = all
        .iter()
        .filter_map(|one| one.proposal.decided.map(|decided| decided - one.proposal.created))
        .collect();
    waits.sort_unstable();
    let median = waits.get(waits.len() / 2).map(|wait| words::age(0, *wait)).unwrap_or_default();
    let mut shown: Vec<&Queued> = all.iter().filter(|one| belongs(one, chosen)).collect();
    if chosen == Queue::Done {
        shown.sort_by_key(|one| std::cmp::Reverse(one.proposal.decided));
    }
    let rows = shown.into_iter().map(|one| Row {
        id: one.proposal.id.clone(),
        name: one.skill.name.clone(),
        number: one.proposal.version,
        note: one.proposal.note.lines().next().unwrap_or_default().to_owned(),
        to: marks::scope(&one.skill.scope, &groups),
        author: names.get(&one.proposal.author).cloned().unwrap_or_default(),
        gained: one.gained.len(),
        gained_words: gained_words(&one.gained),
        findings: findings_mark(&one.version.findings),
        waiting: match one.proposal.decided {
            Some(decided) => words::time(decided, shell.now),
            None => Markup(words::age(one.proposal.created, shell.now)),
        },
        state: (chosen == Queue::Done).then(|| state_mark(&one.proposal.state)),
    });
    let page = ReviewsPage {
        rows: rows.collect(),
        tabs,
        is_done: chosen == Queue::Done,
        empty: match chosen {
            Queue::Waiting => (
                "Nothing waits for you",
                "Versions for a group or the organisation come here before they are served.",
            ),
            Queue::Mine => (
                "You have no open proposal",
                "Open a skill or a draft and propose it: another user decides about it.",
            ),
            Queue::Open => ("No proposal is open", "Every proposed version was decided."),
            Queue::Done => {
                ("Nothing was decided yet", "Decisions about proposals are kept here and in the audit log.")
            }
        },
        median,
        shell,
    };
    show(&page)
}
