//! `review`: approves or rejects skills that are pending, changed, or proposed by the assistant.

use super::{
    library::{self, warn},
    printed, tell_diagnostics, ui,
};
use crate::{
    age,
    args::{ReviewArgs, ReviewCommand},
    consent,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{self, Cell, DIM, HEAD, Output, Table, harmless, harmless_lines, wrapped},
    prompt,
    report::{card, difference},
    turn::now,
};
use skillful::{
    Library,
    bindings::asked,
    library::{Decided, ReviewItem, ReviewKind, Reviewed},
    shell_word::shell_word,
    views::{DiagnosticView, ReviewDecisions, ReviewEntry, ReviewList, SCHEMA, install::CardView},
};
use skillful_catalog::Loaded;
use skillful_format::{Digest, Tree};
use skillful_registry::{install::differences, lock::SkillKey, review::Card};
use skillful_tui::{Badge, Item, Picker, Role, pick};
use std::collections::BTreeSet;

pub(crate) fn run(context: &mut Context, args: &ReviewArgs) -> Outcome {
    if args.unused {
        return super::unused::run(context, &args.curate);
    }
    match &args.command {
        Some(ReviewCommand::Approve { skills, digest, despite_findings }) => {
            let reviewed = match digest {
                Some(digest) => Reviewed::Card(parsed(digest)?),
                None => Reviewed::Name,
            };
            decide(context, skills, true, reviewed, *despite_findings)
        }
        Some(ReviewCommand::Reject { skills }) => decide(context, skills, false, Reviewed::Name, false),
        None => show(context, args.skill.as_deref()),
    }
}

/// Asks about these skills, after `add` was answered with a review.
pub(crate) fn ask_about(context: &Context, names: &BTreeSet<SkillKey>) -> Outcome {
    let library = library::user(context)?;
    let items = library.reviews()?;
    let chosen: Vec<&ReviewItem> =
        items.iter().filter(|item| names.iter().any(|name| name.as_str() == item.name)).collect();
    for (at, item) in chosen.iter().enumerate() {
        let tree = library.review_tree(item)?;
        let heading = format!("Review {} of {}", at + 1, chosen.len());
        printed(context.output.page(&describe(context, &library, item, &tree, &heading)))?;
        if !ask(context, &library, item, &tree)? {
            break;
        }
    }
    let is_open = |item: &ReviewItem| chosen.iter().any(|one| one.name == item.name);
    Ok(if library.reviews()?.iter().any(is_open) { Exit::Findings } else { Exit::Clean })
}

fn parsed(text: &str) -> Result<Digest, Failure> {
    text.parse().map_err(|_| Failure::usage(format!("`{}` is not a digest", harmless(text))))
}

/// Prints the pending skills, and asks on a terminal.
fn show(context: &Context, word: Option<&str>) -> Outcome {
    let library = library::user(context)?;
    let items = library.reviews()?;
    let chosen: Vec<&ReviewItem> = match word {
        Some(word) => vec![library.find_review(&items, word)?],
        None => items.iter().collect(),
    };
    if context.output.json {
        let entry = |item: &&ReviewItem| -> Result<ReviewEntry, Failure> {
            if word.is_none() {
                return Ok(ReviewEntry::new(item, None));
            }
            let tree = library.review_tree(item)?;
            let (_, card) = library.card_of_review(item, &tree);
            Ok(ReviewEntry::new(item, Some((&tree, &card))))
        };
        let pending = chosen.iter().map(entry).collect::<Result<_, Failure>>()?;
        let diagnostics = DiagnosticView::all(&context.diagnostics());
        printed(context.output.print_json(&ReviewList { schema: SCHEMA, pending, diagnostics }))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    if chosen.is_empty() {
        printed(context.output.print("Nothing to review.\n"))?;
        return Ok(Exit::Clean);
    }
    let asks = prompt::is_possible();
    let chosen = if word.is_none() && asks { choose(context, chosen)? } else { chosen };
    if word.is_none() {
        printed(context.output.print(&table(context, &items)))?;
        if !asks {
            return Ok(Exit::Clean);
        }
    }
    for (at, item) in chosen.iter().enumerate() {
        // A skill that cannot be read does not stop the review of the others.
        let tree = match library.review_tree(item) {
            Err(error) if word.is_none() => {
                output::tell(&format!("{}\n", harmless(&error.message)));
                continue;
            }
            read => read?,
        };
        let heading = format!("Review {} of {}", at + 1, chosen.len());
        printed(context.output.page(&describe(context, &library, item, &tree, &heading)))?;
        if asks && !ask(context, &library, item, &tree)? {
            break;
        }
    }
    Ok(Exit::Clean)
}

/// Lets the user choose which of several skills to look at, where a full screen can be drawn.
fn choose<'i>(context: &Context, items: Vec<&'i ReviewItem>) -> Result<Vec<&'i ReviewItem>, Failure> {
    if items.len() < 2 || ui::is_possible(context).is_err() {
        return Ok(items);
    }
    let item = |item: &&ReviewItem| {
        let badge = Badge { word: why(item).to_owned(), role: Role::Attention };
        Item::new(&item.name, badge, &item.description)
    };
    let chosen = pick(Picker {
        title: format!("Review which of {} skills?", items.len()),
        items: items.iter().map(item).collect(),
        chosen: Some((0..items.len()).collect()),
        query: String::new(),
        theme: ui::theme(context),
    })?;
    Ok(chosen.unwrap_or_default().into_iter().map(|at| items[at]).collect())
}

/// Why an item waits, in a word.
fn why(item: &ReviewItem) -> &'static str {
    match item.kind {
        ReviewKind::Proposed => "proposed",
        ReviewKind::Project | ReviewKind::User => "pending",
        ReviewKind::ProjectChanged | ReviewKind::UserChanged if item.edited => "changed",
        ReviewKind::ProjectChanged | ReviewKind::UserChanged => "not approved",
    }
}

/// Asks until there is an answer; returns whether the next skill may be asked about.
fn ask(context: &Context, library: &Library<'_>, item: &ReviewItem, tree: &Tree) -> Result<bool, Failure> {
    let is_blocked = Card::of(tree).is_blocked();
    let reviewed = Reviewed::Card(tree.digest());
    let name = harmless(&item.name);
    let (before, _) = library.card_of_review(item, tree);
    let difference = if before.is_some() { "  [d]ifference" } else { "" };
    loop {
        let approve =
            if is_blocked { format!("type \"{name}\" to approve it anyway") } else { "[a]pprove".to_owned() };
        let question = format!("{approve}  [x] reject  [f]iles{difference}  [s]kip  [q]uit");
        let answer = prompt::line(&question).map_err(failed("read the answer"))?;
        let done = match answer.as_deref().map(str::trim) {
            Some(word) if is_blocked && word == item.name => library.approve(item, reviewed, true),
            Some("a" | "approve") if !is_blocked => library.approve(item, reviewed, false),
            Some("x" | "reject") => library.reject(item, reviewed),
            Some("f" | "files") => {
                printed(context.output.print(&files(&context.output, tree)))?;
                continue;
            }
            Some("d" | "difference") if before.is_some() => {
                printed(context.output.print(&changes(&context.output, before.as_ref(), tree)))?;
                continue;
            }
            Some("s" | "skip") => return Ok(true),
            None | Some("q" | "quit") => return Ok(false),
            Some(_) => continue,
        };
        // A skill that cannot be moved does not stop the review of the others.
        match done {
            Ok(done) => {
                warn(&done.warnings);
                printed(context.output.print(&decided_text(context, &done)))?;
            }
            Err(error) => {
                let fixes: String = error.fixes.iter().map(|fix| format!("; {fix}")).collect();
                output::tell(&format!("{}{}\n", harmless(&error.message), harmless(&fixes)));
            }
        }
        return Ok(true);
    }
}

/// Decides without a question: about every name, or up to the first that is refused.
fn decide(
    context: &Context,
    words: &[String],
    approve: bool,
    reviewed: Reviewed,
    despite_findings: bool,
) -> Outcome {
    let library = library::user(context)?;
    let items = library.reviews()?;
    // All are looked up before anything changes.
    let chosen = words.iter().map(|word| library.find_review(&items, word)).collect::<Result<Vec<_>, _>>()?;
    let mut decided = Vec::new();
    for item in chosen {
        let done = if approve {
            library.approve(item, reviewed, despite_findings)?
        } else {
            library.reject(item, reviewed)?
        };
        decided.push(done);
    }
    for done in &decided {
        warn(&done.warnings);
    }
    if context.output.json {
        let diagnostics = DiagnosticView::all(&context.diagnostics());
        printed(context.output.print_json(&ReviewDecisions { schema: SCHEMA, decided, diagnostics }))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    let text: String = decided.iter().map(|done| decided_text(context, done)).collect();
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}

fn decided_text(context: &Context, done: &Decided) -> String {
    let name = harmless(&done.name);
    let folders: Vec<String> = done.folders.iter().map(|folder| context.short(folder)).collect();
    let folders = folders.join(", ");
    let digest = done.tree.map_or_else(String::new, |tree| {
        let hex: String = tree.to_hex().chars().take(8).collect();
        format!(" (sha256 {hex})")
    });
    match (done.approved, done.kind) {
        (true, ReviewKind::ProjectChanged | ReviewKind::UserChanged) => {
            let lock = if done.lock_written { " Updated skillful.lock." } else { "" };
            let first = done.folders.first().map(|folder| typed(&context.short(folder)));
            let undo = first
                .map_or_else(String::new, |place| format!("Undo: skillful untrust {}\n", harmless(&place)));
            format!("Approved {name}{digest} as it is now.{lock}\n{undo}")
        }
        (true, _) => format!("Approved {name}{digest}. Installed to {folders}.\n"),
        (false, ReviewKind::Proposed) => format!("Rejected {name}. It is in {folders}.\n"),
        (false, ReviewKind::ProjectChanged | ReviewKind::UserChanged) => {
            let saved: Vec<String> = done.saved.iter().map(|saved| context.short(saved)).collect();
            format!(
                "Rejected the changes of {name}: {folders} is as in skillful.lock again.\nYour version is saved in {}\n",
                saved.join(", ")
            )
        }
        (false, _) => format!("Rejected {name}.\n"),
    }
}

/// A path as the user types it; a shell replaces `~` only outside of quotes.
fn typed(path: &str) -> String {
    path.strip_prefix("~/").map_or_else(|| shell_word(path), |rest| format!("~/{}", shell_word(rest)))
}

fn table(context: &Context, items: &[ReviewItem]) -> String {
    let row = |item: &ReviewItem| {
        let whom = match item.kind {
            ReviewKind::Project | ReviewKind::ProjectChanged => "project",
            ReviewKind::Proposed | ReviewKind::User | ReviewKind::UserChanged => "user",
        };
        vec![
            Cell::plain(&item.name),
            Cell::plain(why(item)),
            Cell::styled(whom, DIM),
            Cell::plain(from(item)),
            Cell::styled(&item.description, DIM),
        ]
    };
    let heads = vec!["SKILL", "WHY", "FOR", "FROM", "DESCRIPTION"];
    let hint = "\nskillful review NAME shows one; skillful review approve NAME, review reject NAME decide\n";
    Table { heads, rows: items.iter().map(row).collect() }.render(&context.output) + hint
}

fn from(item: &ReviewItem) -> String {
    match (&item.source, item.written) {
        (Some(source), _) => source.clone(),
        (None, Some(at)) => format!("the assistant, {}", age::ago(at, now())),
        (None, None) => "the assistant".to_owned(),
    }
}

/// The card of one skill. Of a changed skill the difference follows, or all its files when those before are not known;
/// of another the files follow when there is no terminal to ask for them at.
fn describe(
    context: &Context,
    library: &Library<'_>,
    item: &ReviewItem,
    tree: &Tree,
    heading: &str,
) -> String {
    let output = &context.output;
    let at = item.at.as_ref().map_or_else(String::new, |at| format!(" at {at}"));
    let signed = match (&item.signer, item.kind) {
        (Some(signer), _) => format!(", signed by {signer}"),
        (None, ReviewKind::Proposed) => String::new(),
        (None, _) => ", not signed".to_owned(),
    };
    let head = format!("{}   from {}{at}{signed}", item.name, from(item));
    let mut out = format!("{heading}   {}\n", output.paint(HEAD, &harmless(&head)));
    if !item.description.is_empty() {
        out.push_str(&format!("{}\n", harmless(&item.description)));
    }
    if item.kind.is_changed() {
        out.push_str(&match &item.approved_on {
            Some(date) if item.edited => format!("changed since you approved it on {date}\n"),
            _ => "installed, and not approved by you\n".to_owned(),
        });
    }
    if let Some(session) = &item.session {
        out.push_str(&format!("proposed by the assistant in session {}\n", harmless(session)));
    }
    for found in &item.diagnostics {
        out.push_str(&wrapped(&format!("Check: {}", harmless(found)), output.width, "  "));
    }
    let places: Vec<String> = item.places.iter().map(|place| context.short(place)).collect();
    if item.kind != ReviewKind::Proposed {
        out.push_str(&wrapped(&format!("For: {}", harmless(&places.join(", "))), output.width, "  "));
    }
    out.push_str(&format!("Digest: {}\n\n", tree.digest()));
    let asked = Loaded::of_tree(tree).map(|loaded| asked(&loaded)).unwrap_or_default();
    if !asked.is_empty() {
        let line = format!("Asks for: {}; to approve it is to allow that", consent::phrases(&asked));
        out.push_str(&wrapped(&line, output.width, "  "));
    }
    let (before, card) = library.card_of_review(item, tree);
    out.push_str(&card::text(&CardView::new(&card), output));
    if before.is_some() {
        out.push_str(&changes(output, before.as_ref(), tree));
    } else if item.kind.is_changed() || !prompt::is_possible() {
        out.push_str(&files(output, tree));
    }
    out + "\n"
}

fn changes(output: &Output, before: Option<&Tree>, tree: &Tree) -> String {
    before.map_or_else(String::new, |before| difference::text(output, &differences(before, tree), None))
}

/// Every file, with what a terminal would obey in words.
pub(super) fn files(output: &Output, tree: &Tree) -> String {
    let mut out = String::new();
    for (path, file) in tree.iter() {
        out.push_str(&format!("\n{}\n", output.paint(DIM, &format!("--- {}", harmless(path.as_str())))));
        match std::str::from_utf8(&file.bytes) {
            Ok(text) => out.push_str(&harmless_lines(text)),
            Err(_) => out.push_str(&format!("{} bytes that are not text\n", file.bytes.len())),
        }
    }
    out
}
