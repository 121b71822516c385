//! One proposal, as a reviewer decides about it: capabilities first, findings at their lines, the difference by file, the decision
//! about exactly the digest that is shown.

mod files;
mod versions;

use super::{
    Nav, Paged, Posted, Shell, Visitor,
    errors::{PageError, PageResult},
    flash::Flash,
    markdown,
    marks::{self, Mark, Markup},
    reviews::{queued, state_mark},
    shell::{go, show_as},
    show,
    skill::{absent, finding_words},
    skills::group_names,
    words,
};
use crate::{
    api::blocking,
    extract::{Ids, Params},
    state::App,
};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, routing::get};
use files::{Talk, file_part, spoken};
use serde::Deserialize;
use skillful::side_by_side::FileComparison;
use skillful_format::Tree;
use skillful_team::{
    TeamError,
    judged::FindingView,
    preferences::Preference,
    proposals::{CommentInput, DecisionInput, ProposalDetail},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use versions::{capability_rows, compared};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/reviews/{id}", get(review).post(decide))
        .route("/ui/reviews/{id}/waive", get(ask_waiver))
}

/// How the page is shown.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct ReviewAddress {
    view: Option<String>,
    tab: Option<String>,
    /// The line that is commented: `SKILL.md:4`.
    at: Option<String>,
    /// The same as a form sends it: the file and the number.
    path: Option<String>,
    line: Option<String>,
    /// The file whose unchanged lines are shown too.
    all: Option<String>,
}

impl ReviewAddress {
    /// The line that is commented, when the files have it.
    fn commented(&self, files: &Tree) -> Option<(String, i64)> {
        let sent = || Some((self.path.clone()?, self.line.as_deref()?.trim().parse().ok()?));
        let (path, line): (String, i64) = self.at.as_deref().and_then(place).or_else(sent)?;
        let lines = String::from_utf8_lossy(&files.get(&path)?.bytes).lines().count();
        (1..=i64::try_from(lines).ok()?).contains(&line).then_some((path, line))
    }
}

/// One kind of capabilities, before and after.
struct CapabilityRow {
    icon: &'static str,
    word: &'static str,
    before: Markup,
    after: Markup,
    change: Change,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Same,
    New,
    Gone,
}

struct FilePart {
    at: usize,
    path: String,
    icon: &'static str,
    counts: String,
    invisible: String,
    /// How many lines it has now; none when it is gone or not text.
    lines: usize,
    body: Markup,
    can_render: bool,
}

struct Said {
    letters: String,
    name: String,
    time: Markup,
    body: Markup,
    place: String,
}

struct Decision {
    letters: String,
    name: String,
    mark: Mark,
    time: Markup,
    note: Markup,
    waiver: String,
}

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewPage {
    shell: Shell,
    detail: ProposalDetail,
    title: String,
    author: String,
    state: Mark,
    scope: Mark,
    waiting: String,
    position: String,
    previous: Option<String>,
    next: Option<String>,
    view: &'static str,
    tab: &'static str,
    served: Option<i64>,
    gained: usize,
    capabilities: Vec<CapabilityRow>,
    absent: String,
    findings: Vec<(FindingView, Option<usize>)>,
    finding_words: String,
    blocking: usize,
    files: Vec<FilePart>,
    file_words: String,
    talk: Vec<Said>,
    decisions: Vec<Decision>,
    pins: Vec<String>,
    digest: String,
    base_digest: String,
    scanned: String,
    is_own: bool,
    /// Why the last attempt was refused.
    refused: String,
}

impl Paged for ReviewPage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

impl ReviewPage {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates pass references")]
    fn view_link(&self, view: &str, at: &usize) -> String {
        let id = &self.detail.proposal.id;
        if view == "side" {
            format!("/ui/reviews/{id}#f{at}")
        } else {
            format!("/ui/reviews/{id}?view={view}#f{at}")
        }
    }
}

async fn review(
    State(app): State<App>,
    visitor: Visitor,
    Ids(id): Ids<String>,
    Params(asked): Params<ReviewAddress>,
) -> PageResult {
    let page = page(&app, &visitor, &id, &asked, String::new()).await?;
    show(&page)
}

async fn page(
    app: &App,
    visitor: &Visitor,
    id: &str,
    asked: &ReviewAddress,
    refused: String,
) -> Result<ReviewPage, PageError> {
    let (team, actor) = (&app.team, &visitor.actor);
    let detail = team.proposal(actor, id).await?;
    let number = detail.proposal.version;
    let served = detail.skill.default_version.filter(|served| *served != number).or(detail.proposal.base);
    let served = served.filter(|served| *served != number);
    let old_version = match served {
        Some(served) => team.version(actor, &detail.skill.id, served).await.ok(),
        None => None,
    };
    let before = match &old_version {
        // A version that was revoked meanwhile is not given out; then all is new.
        Some(old) => team.contents(actor, &detail.skill.id, old.number).await.unwrap_or_default(),
        None => Tree::default(),
    };
    let after = Arc::new(team.contents(actor, &detail.skill.id, number).await?);
    let view = match asked.view.as_deref() {
        Some("unified") => "unified",
        Some("rendered") => "rendered",
        _ => "side",
    };
    let tab = match asked.tab.as_deref() {
        Some("talk") => "talk",
        Some("files") => "files",
        _ => "changes",
    };
    let commented = asked.commented(&after);
    let unfolded = asked.all.clone().unwrap_or_default();
    let kept = match (view, tab) {
        ("unified", "files") => "tab=files&view=unified&",
        ("unified", _) => "view=unified&",
        (_, "files") => "tab=files&",
        _ => "",
    };
    let lines: BTreeSet<(String, usize)> = detail
        .version
        .findings
        .iter()
        .filter_map(|found| Some((found.path.clone(), found.line? as usize)))
        .chain(
            detail
                .comments
                .iter()
                .filter_map(|said| Some((said.path.clone(), usize::try_from(said.line?).ok()?))),
        )
        .chain(commented.iter().filter_map(|(path, line)| Some((path.clone(), usize::try_from(*line).ok()?))))
        .collect();
    let sentences = (
        old_version.as_ref().map(|old| old.capabilities.clone()).unwrap_or_default(),
        detail.version.capabilities.clone(),
    );
    let tree = Arc::clone(&after);
    let all_files = tab == "files";
    let found = blocking(move || {
        compared(&before, &tree, [&sentences.0, &sentences.1], &lines, &unfolded, all_files)
    })
    .await?;
    let people = detail
        .comments
        .iter()
        .map(|said| said.user.as_str())
        .chain(detail.decisions.iter().map(|one| one.user.as_str()));
    let names = team.names(actor, people.chain([detail.proposal.author.as_str()]).collect()).await?;
    let name = |id: &str| names.get(id).cloned().unwrap_or_else(|| "A former user".to_owned());
    let groups = group_names(app, actor).await?;
    let shell = Shell::of(app, visitor, &format!("{} {number}", detail.skill.name), Nav::Review).await?;
    let queue = queued(app, visitor).await?;
    let mine: Vec<&str> =
        queue.iter().filter(|one| one.may_decide).map(|one| one.proposal.id.as_str()).collect();
    let at = mine.iter().position(|one| *one == id);
    let neighbour = |step: isize| {
        at.and_then(|at| at.checked_add_signed(step))
            .and_then(|at| mine.get(at))
            .map(|id| format!("/ui/reviews/{id}"))
    };
    let files = found.files.iter().enumerate().map(|(at, file)| {
        let commented = commented.as_ref();
        let talk = Talk { detail: &detail, file, at, shell: &shell, commented, kept, name: &name };
        file_part(at, file, &after, view, &talk)
    });
    let files: Vec<FilePart> = files.collect();
    let sum = |of: fn(&FileComparison) -> usize| found.files.iter().map(of).sum::<usize>();
    let changed =
        found.files.iter().filter(|file| file.added + file.removed > 0 || file.rows.is_none()).count();
    let count = |word: &str| detail.version.findings.iter().filter(|found| found.severity == word).count();
    let index_of = |path: &str| found.files.iter().position(|file| file.path == path);
    let pins = team.preferences(actor, &detail.skill.id).await.unwrap_or_default();
    Ok(ReviewPage {
        title: detail.proposal.note.lines().next().unwrap_or_default().to_owned(),
        author: name(&detail.proposal.author),
        state: state_mark(&detail.proposal.state),
        scope: marks::scope(&detail.skill.scope, &groups),
        waiting: words::age(detail.proposal.created, detail.proposal.decided.unwrap_or(shell.now)),
        position: at.map(|at| format!("{} of {}, oldest first", at + 1, mine.len())).unwrap_or_default(),
        previous: neighbour(-1),
        next: neighbour(1),
        view,
        tab,
        served,
        gained: detail.gained.len(),
        capabilities: capability_rows(&found.before, &found.after),
        absent: absent(&detail.version.capabilities),
        finding_words: finding_words(&detail.version.findings),
        findings: detail
            .version
            .findings
            .iter()
            .map(|found| (found.clone(), index_of(&found.path)))
            .collect(),
        blocking: count("block"),
        file_words: format!(
            "{} changed, {} added, {} removed",
            changed,
            words::count(sum(|file| file.added), "line", "lines"),
            words::count(sum(|file| file.removed), "line", "lines")
        ),
        files,
        talk: detail.comments.iter().map(|said| spoken(said, &name, shell.now)).collect(),
        decisions: detail
            .decisions
            .iter()
            .map(|one| Decision {
                letters: words::initials(&name(&one.user)),
                name: name(&one.user),
                mark: state_mark(if one.verdict == "approve" { "approved" } else { "rejected" }),
                time: words::time(one.created, shell.now),
                note: markdown::text(&one.note),
                waiver: match one.waiver_until {
                    Some(until) => format!("Waived until {}: {}", words::date(until), one.waiver),
                    None => String::new(),
                },
            })
            .collect(),
        pins: pins.iter().filter_map(|one| pin_words(one, &groups)).collect(),
        digest: words::short_digest(&detail.proposal.tree),
        base_digest: old_version.map(|old| words::short_digest(&old.tree)).unwrap_or_default(),
        scanned: format!("read all of {}", words::count(found.all, "file", "files")),
        is_own: actor.user.as_deref() == Some(detail.proposal.author.as_str()),
        detail,
        shell,
        refused,
    })
}

fn pin_words(one: &Preference, groups: &BTreeMap<String, String>) -> Option<String> {
    let pin = one.pin?;
    let who = match one.target.split_once(':') {
        Some(("group", id)) => groups.get(id).cloned().unwrap_or_else(|| "A group".to_owned()),
        Some(("user", _)) => "You".to_owned(),
        _ => "The organisation".to_owned(),
    };
    Some(format!("{who} {} on {pin}, pinned", if who == "You" { "stay" } else { "stays" }))
}

/// `SKILL.md:4` as a path and a line.
fn place(text: &str) -> Option<(String, i64)> {
    let (path, line) = text.rsplit_once(':')?;
    Some((path.to_owned(), line.parse().ok().filter(|line| *line > 0)?))
}

#[derive(Template)]
#[template(path = "waive.html")]
struct WaivePage {
    shell: Shell,
    detail: ProposalDetail,
    rules: String,
    digest: String,
}

impl Paged for WaivePage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

/// The page of a waiver: a reason and an end.
async fn ask_waiver(State(app): State<App>, visitor: Visitor, Ids(id): Ids<String>) -> PageResult {
    let detail = app.team.proposal(&visitor.actor, &id).await?;
    let blocking = detail.version.findings.iter().filter(|found| found.severity == "block");
    let rules: BTreeSet<&str> = blocking.map(|found| found.rule.as_str()).collect();
    let page = WaivePage {
        shell: Shell::of(&app, &visitor, "Waive findings", Nav::Review).await?,
        rules: rules.into_iter().collect::<Vec<_>>().join(", "),
        digest: words::short_digest(&detail.proposal.tree),
        detail,
    };
    show(&page)
}

/// A comment, a decision or a withdrawal.
async fn decide(State(app): State<App>, Ids(id): Ids<String>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let (team, actor) = (&app.team, &visitor.actor);
    let here = format!("/ui/reviews/{id}");
    let done = match fields.text("do") {
        "comment" => {
            let input = CommentInput {
                path: fields.text("path").to_owned(),
                line: fields.trimmed("line").parse().ok().filter(|line: &i64| *line > 0),
                body: fields.text("body").to_owned(),
            };
            let text = if input.body.trim().is_empty() {
                fields.text("note").to_owned()
            } else {
                input.body.clone()
            };
            team.comment(actor, &id, &CommentInput { body: text, ..input })
                .await
                .map(|_| "The comment is saved.".to_owned())
        }
        "withdraw" => team.withdraw(actor, &id).await.map(|_| "The proposal is withdrawn.".to_owned()),
        verb @ ("approve" | "reject") => {
            let input = DecisionInput {
                digest: fields.text("digest").to_owned(),
                note: fields.text("note").to_owned(),
                waiver: fields.text("waiver").to_owned(),
                waiver_days: fields.trimmed("days").parse().ok(),
            };
            let decided = team.decide(actor, &id, verb == "approve", &input).await;
            decided.map(|detail| {
                let (name, number) = (&detail.skill.name, detail.proposal.version);
                if verb == "approve" {
                    format!("{name} {number} is approved and served.")
                } else {
                    format!("{name} {number} is rejected.")
                }
            })
        }
        _ => Err(TeamError::invalid("unknown-deed", "the form names no deed")),
    };
    match done {
        Ok(text) => Ok(go(&here, &Flash::done(text))),
        Err(error @ (TeamError::Conflict { .. } | TeamError::Invalid { .. } | TeamError::Forbidden(_))) => {
            // The page is shown again with the newest files and the reason.
            let page = page(&app, &visitor, &id, &ReviewAddress::default(), error.to_string()).await?;
            show_as(StatusCode::CONFLICT, &page)
        }
        Err(error) => Err(error.into()),
    }
}
