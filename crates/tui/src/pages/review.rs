//! The pages of a review: card, difference, files, findings.

use super::{Page, findings_words};
use crate::{
    job::CardPages,
    text::{count, size},
    theme::{Role, Theme},
};
use ratatui::text::Line;
use skillful::{
    library::{ReviewItem, ReviewKind},
    views::{ReviewCard, install::DifferenceView},
    visible::{sentence, short_path},
};
use skillful_catalog::capability::{kind_of, shown};
use std::path::Path;

/// The pages about one skill that waits. Its places are shown as seen from the working folder and the home.
pub(crate) fn pages(
    card: ReviewCard,
    folders: (&Path, &Path),
    at: usize,
    width: u16,
    theme: Theme,
) -> CardPages {
    let (added, removed, difference) = difference(&card, Page::new(theme, width));
    let files = files(&card, Page::new(theme, width));
    let mut findings = Page::new(theme, width);
    findings.findings(&card.card.audit, &card.card.audit.findings);
    let changed = if card.differences.is_empty() {
        "Difference".to_owned()
    } else {
        format!("Difference +{added} -{removed}")
    };
    let tabs = vec![
        ("Card".to_owned(), summary(&card, folders, Page::new(theme, width))),
        (changed, difference),
        (format!("Files {}", card.files.len()), files),
        (format!("Findings {}", card.card.audit.findings.len()), findings.lines),
    ];
    CardPages { title: title(&card.item), card, at, width, tabs }
}

fn title(item: &ReviewItem) -> String {
    let from = item.source.clone().unwrap_or_else(|| "the assistant".to_owned());
    let at = item.at.as_ref().map_or_else(String::new, |at| format!(" at {at}"));
    let signed = match (&item.signer, item.kind) {
        (Some(signer), _) => format!(", signed by {signer}"),
        (None, ReviewKind::Proposed) => String::new(),
        (None, _) => ", not signed".to_owned(),
    };
    sentence(&format!("{}   from {from}{at}{signed}", item.name))
}

fn summary(card: &ReviewCard, (cwd, home): (&Path, &Path), mut page: Page) -> Vec<Line<'static>> {
    let item = &card.item;
    page.sentence(&item.description, Role::Plain);
    if item.kind.is_changed() {
        let text = match &item.approved_on {
            Some(date) if item.edited => format!("changed since you approved it on {date}"),
            _ => "installed, and not approved by you".to_owned(),
        };
        page.sentence(&text, Role::Attention);
    }
    if let Some(session) = &item.session {
        page.sentence(&format!("proposed by the assistant in session {session}"), Role::Attention);
    }
    for found in &item.diagnostics {
        page.sentence(&format!("Check: {found}"), Role::Attention);
    }
    if item.kind != ReviewKind::Proposed {
        let places: Vec<String> = item.places.iter().map(|place| short_path(place, cwd, home)).collect();
        page.labelled("For", &places.join(", "), 12, Role::Quiet);
    }
    page.labelled("Digest", &card.digest.to_string(), 12, Role::Quiet);
    if !card.asks.is_empty() {
        let text = format!("{}; to approve it is to allow that", card.asks.join(", "));
        page.labelled("Asks for", &text, 12, Role::Attention);
    }
    page.blank();
    page.sentence("Can do", Role::Heading);
    if card.card.is_change {
        for (sign, role, sentences) in
            [("+", Role::Attention, &card.card.gained), ("-", Role::Plain, &card.card.dropped)]
        {
            for text in sentences {
                let (kind, what) = kind_of(text);
                page.labelled(&format!("{sign} {kind}"), &shown(what), 14, role);
            }
        }
        if card.card.gained.is_empty() && card.card.dropped.is_empty() {
            page.sentence("as before", Role::Plain);
        }
    } else {
        page.capabilities(&card.card.can, &card.card.not_declared);
    }
    page.blank();
    let (words, role) = findings_words(&card.card.audit);
    page.labelled("Findings", &words, 12, role);
    page.findings(&card.card.audit, &card.card.new_findings);
    let bytes: usize = card.card.files.iter().map(|file| file.bytes).sum();
    let lines = count(card.card.lines, "line");
    let text = format!("{}, {}, {lines} a model reads", card.card.files.len(), size(bytes));
    page.labelled("Files", &text, 12, Role::Plain);
    page.lines
}

/// How many lines were added and removed, and the page.
fn difference(card: &ReviewCard, mut page: Page) -> (usize, usize, Vec<Line<'static>>) {
    let (mut added, mut removed) = (0, 0);
    if card.differences.is_empty() {
        page.sentence("There is no earlier version that you approved; tab shows the files.", Role::Plain);
    }
    for one in &card.differences {
        page.sentence(&head(one), Role::Heading);
        let changed = one.diff.as_deref().unwrap_or_default();
        // Not `lines()`: a line end of another system is a change too.
        for line in changed.strip_suffix('\n').unwrap_or(changed).split('\n').filter(|line| !line.is_empty())
        {
            let role = match line.as_bytes().first() {
                Some(b'+') => Role::Added,
                Some(b'-') => Role::Removed,
                Some(b'@' | b'\\') => Role::Quiet,
                _ => Role::Plain,
            };
            added += usize::from(role == Role::Added);
            removed += usize::from(role == Role::Removed);
            page.raw(line, 0, page.theme.style(role));
        }
        page.blank();
    }
    (added, removed, page.lines)
}

fn head(one: &DifferenceView) -> String {
    let what = match one.what {
        "added" => " (new)",
        "removed" => " (gone)",
        _ => "",
    };
    let mode = match one.executable {
        Some(true) => ", can be executed now",
        Some(false) => ", can no longer be executed",
        None => "",
    };
    let bytes = one
        .bytes
        .map_or_else(String::new, |(before, after)| format!(", {before} bytes before, {after} after"));
    format!("{}{what}{mode}{bytes}", one.path)
}

fn files(card: &ReviewCard, mut page: Page) -> Vec<Line<'static>> {
    for file in &card.files {
        page.sentence(&file.path, Role::Heading);
        match &file.text {
            Some(text) => {
                for line in text.lines() {
                    page.raw(line, 2, page.theme.style(Role::Plain));
                }
            }
            None => page.sentence("not text", Role::Attention),
        }
        page.blank();
    }
    page.lines
}
