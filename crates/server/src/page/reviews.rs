//! The queue of reviews: what waits for a decision, oldest first.

use super::{
    Nav, Shell, Visitor,
    address::{Address, Pager, page_number},
    errors::PageResult,
    marks::{self, Mark, Markup},
    shell::paged,
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

/// Rows of a page.
const ROWS: usize = 25;

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

/// In which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueueOrder {
    /// What waits longest; what was decided last.
    Time,
    /// The other way round.
    Reverse,
    /// By the name of the skill.
    Name,
    /// What gains most capabilities.
    Gained,
}

impl QueueOrder {
    const ALL: [(Self, &'static str); 4] =
        [(Self::Time, ""), (Self::Reverse, "reverse"), (Self::Name, "name"), (Self::Gained, "gained")];

    fn of(word: &str) -> Self {
        Self::ALL.iter().find(|(_, known)| *known == word).map_or(Self::Time, |(order, _)| *order)
    }

    fn word(self, is_done: bool) -> &'static str {
        match (self, is_done) {
            (Self::Time, false) | (Self::Reverse, true) => "Oldest first",
            (Self::Time, true) | (Self::Reverse, false) => "Newest first",
            (Self::Name, _) => "Name",
            (Self::Gained, _) => "New capabilities",
        }
    }
}

/// What the address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct QueueAddress {
    queue: Option<String>,
    q: Option<String>,
    findings: Option<String>,
    sort: Option<String>,
    page: Option<String>,
}

/// A proposal with what the queue shows of it.
pub(crate) struct Queued {
    pub(crate) proposal: Proposal,
    pub(crate) skill: SkillRecord,
    pub(crate) version: VersionRecord,
    pub(crate) gained: Vec<String>,
    pub(crate) may_decide: bool,
}

/// Everything open that the visitor sees, the oldest first.
pub(crate) async fn queued(app: &App, visitor: &Visitor) -> Result<Vec<Queued>, TeamError> {
    let open = app.team.proposals(&visitor.actor, "open").await?;
    with_versions(app, visitor, open).await
}

async fn with_versions(
    app: &App,
    visitor: &Visitor,
    proposals: Vec<Proposal>,
) -> Result<Vec<Queued>, TeamError> {
    let (team, actor) = (&app.team, &visitor.actor);
    let mut found = Vec::new();
    for proposal in proposals {
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
    count: Option<usize>,
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
    here: Address,
    tabs: Vec<Tab>,
    rows: Vec<Row>,
    pager: Pager,
    is_done: bool,
    /// Whether the queue has nothing, with any filter.
    is_empty: bool,
    order: QueueOrder,
    orders: Vec<(&'static str, &'static str, bool)>,
    weights: Vec<(&'static str, &'static str, bool)>,
    empty: (&'static str, &'static str),
    median: String,
}

paged!(ReviewsPage);

/// Filters by the worst finding.
const WEIGHTS: [(&str, &str); 3] =
    [("block", "Blocking findings"), ("warn", "Warnings, none blocking"), ("none", "No warning")];

/// The worst finding of a version, as the filter names it.
fn weight(findings: &[FindingView]) -> &'static str {
    let has = |word: &str| findings.iter().any(|found| found.severity == word);
    match () {
        () if has("block") => "block",
        () if has("warn") => "warn",
        () => "none",
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
    // A digest says nothing in a list.
    let short = |text: &String| text.split(", sha256:").next().unwrap_or_default().to_owned();
    all.iter().take(4).map(short).collect::<Vec<_>>().join("; ")
}

/// What an empty queue says.
fn empty_words(queue: Queue) -> (&'static str, &'static str) {
    match queue {
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
    }
}

async fn queue(State(app): State<App>, visitor: Visitor, Params(asked): Params<QueueAddress>) -> PageResult {
    let (team, actor) = (&app.team, &visitor.actor);
    let chosen = Queue::of(asked.queue.as_deref().unwrap_or_default());
    let is_done = chosen == Queue::Done;
    let order = QueueOrder::of(asked.sort.as_deref().unwrap_or_default());
    let query = asked.q.unwrap_or_default();
    let wanted = asked.findings.filter(|word| WEIGHTS.iter().any(|(known, _)| known == word));
    let wanted = wanted.unwrap_or_default();
    let number = page_number(asked.page.as_deref());
    let of_queue = |queue: Queue, word: &str| {
        Address::of("/ui/reviews").with("queue", if queue == Queue::Waiting { "" } else { word })
    };
    let word = Queue::ALL.iter().find(|(queue, ..)| *queue == chosen).map_or("", |(_, word, _)| *word);
    let order_word = QueueOrder::ALL.iter().find(|(known, _)| *known == order).map_or("", |(_, word)| *word);
    let here = of_queue(chosen, word).with("q", &query).with("findings", &wanted).with("sort", order_word);
    let open = queued(&app, &visitor).await?;
    let me = visitor.id();
    let belongs = |one: &Queued, queue: Queue| match queue {
        Queue::Waiting => one.may_decide,
        Queue::Mine => one.proposal.author == me,
        Queue::Open | Queue::Done => true,
    };
    let tabs = Queue::ALL.iter().map(|(queue, word, title)| Tab {
        word: title,
        href: of_queue(*queue, word).to_string(),
        count: (*queue != Queue::Done).then(|| open.iter().filter(|one| belongs(one, *queue)).count()),
        is_current: *queue == chosen,
    });
    let tabs = tabs.collect();
    let all = if is_done {
        with_versions(&app, &visitor, team.decided_proposals(actor).await?).await?
    } else {
        open.into_iter().filter(|one| belongs(one, chosen)).collect()
    };
    let names = team.names(actor, all.iter().map(|one| one.proposal.author.as_str()).collect()).await?;
    let author = |one: &Queued| names.get(&one.proposal.author).cloned().unwrap_or_default();
    let groups = group_names(&app, actor).await?;
    let shell = Shell::of(&app, &visitor, "Review", Nav::Review).await?;
    let words_of = query.trim().to_lowercase();
    let mut shown: Vec<&Queued> = all
        .iter()
        .filter(|one| wanted.is_empty() || weight(&one.version.findings) == wanted)
        .filter(|one| {
            let text = format!("{} {} {}", one.skill.name, one.proposal.note, author(one)).to_lowercase();
            words_of.split_whitespace().all(|word| text.contains(word))
        })
        .collect();
    match order {
        QueueOrder::Time => {}
        QueueOrder::Reverse => shown.reverse(),
        QueueOrder::Name => shown.sort_by(|a, b| a.skill.name.cmp(&b.skill.name)),
        QueueOrder::Gained => shown.sort_by_key(|one| std::cmp::Reverse(one.gained.len())),
    }
    let total = shown.len();
    let rows = shown.into_iter().skip((number - 1) * ROWS).take(ROWS).map(|one| Row {
        id: one.proposal.id.clone(),
        name: one.skill.name.clone(),
        number: one.proposal.version,
        note: one.proposal.note.lines().next().unwrap_or_default().to_owned(),
        to: marks::scope(&one.skill.scope, &groups),
        author: author(one),
        gained: one.gained.len(),
        gained_words: gained_words(&one.gained),
        findings: findings_mark(&one.version.findings),
        waiting: match one.proposal.decided {
            Some(decided) => words::time(decided, shell.now),
            None => Markup(words::age(one.proposal.created, shell.now)),
        },
        state: is_done.then(|| state_mark(&one.proposal.state)),
    });
    let rows: Vec<Row> = rows.collect();
    let page = ReviewsPage {
        pager: Pager::of(&here, number, ROWS, rows.len(), total),
        is_empty: all.is_empty(),
        orders: QueueOrder::ALL.iter().map(|(one, word)| (*word, one.word(is_done), *one == order)).collect(),
        weights: WEIGHTS.iter().map(|(value, word)| (*value, *word, *value == wanted)).collect(),
        empty: empty_words(chosen),
        median: team.median_wait(actor).await?.map(|wait| words::age(0, wait)).unwrap_or_default(),
        order,
        rows,
        tabs,
        is_done,
        here,
        shell,
    };
    show(&page)
}
