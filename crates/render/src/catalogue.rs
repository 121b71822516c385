//! The catalogue: one entry for every skill a model may choose, within a budget.
//!
//! Under pressure the entries that matter least to the turn lose first: names stay longest,
//! descriptions shorten, then go. What is shown stands in the order of the names, so that a change
//! of rank moves no bytes that it does not have to.

use crate::budget::Budget;
use serde::Serialize;
use skillful_catalog::host::CatalogueStyle;
use style::Style;

mod style;

/// Shorter than this a description says nothing.
const SHORTEST: usize = 40;

/// One skill for the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Its address.
    pub name: String,
    /// What it does.
    pub description: String,
    /// When to use it.
    pub when_to_use: Option<String>,
    /// Its file, for agents that read it themselves.
    pub location: String,
}

/// What a model is shown, and what that cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Disclosure {
    /// The text; empty when there is no skill.
    pub text: String,
    /// What was shortened or left out, by name.
    pub losses: Vec<Loss>,
    /// How many skills there were.
    pub skills: usize,
    /// What the entries cost.
    pub used: usize,
    /// The budget.
    pub budget: Budget,
}

/// What one skill lost.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Loss {
    /// Which skill.
    pub name: String,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a skill under pressure, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// Its description is longer than the cap, whatever the budget.
    Capped {
        /// Characters that are not shown.
        lost: usize,
    },
    /// Its description was shortened to fit.
    Shortened {
        /// Characters that are not shown.
        lost: usize,
    },
    /// Only its name is shown.
    NameOnly,
    /// It is not shown at all.
    Omitted,
}

/// Writes the catalogue. `items` come in the order of their importance, the most important first.
pub fn catalogue(items: &[Item], style: CatalogueStyle, budget: Budget) -> Disclosure {
    let style = Style(style);
    let mut entries: Vec<Entry<'_>> =
        items.iter().map(|item| Entry::full(item, budget.description)).collect();
    let cost = |entry: &Entry<'_>| budget.unit.cost(&style.entry(entry.item, entry.shown.as_deref()));
    let total: usize = entries.iter().map(cost).sum();
    if total > budget.limit {
        squeeze(&mut entries, budget.limit, &cost);
    }
    let used = entries.iter().filter(|entry| !entry.omitted).map(cost).sum();
    let mut losses: Vec<Loss> = entries.iter().filter_map(Entry::loss).collect();
    losses.sort();
    entries.retain(|entry| !entry.omitted);
    entries.sort_by(|a, b| (&a.item.name, &a.item.location).cmp(&(&b.item.name, &b.item.location)));
    let omitted = items.len() - entries.len();
    let lines: Vec<String> =
        entries.iter().map(|entry| style.entry(entry.item, entry.shown.as_deref())).collect();
    let text = if items.is_empty() { String::new() } else { style.frame(&lines, omitted) };
    Disclosure { text, losses, skills: items.len(), used, budget }
}

/// An item and how much of it is shown.
struct Entry<'a> {
    item: &'a Item,
    /// The description as shown; `None` when only the name is.
    shown: Option<String>,
    capped: usize,
    omitted: bool,
}

impl<'a> Entry<'a> {
    fn full(item: &'a Item, cap: usize) -> Self {
        let length = item.description.chars().count();
        let shown = cut(&item.description, cap);
        let capped = length.saturating_sub(shown.chars().count());
        Self { item, shown: Some(shown).filter(|text| !text.is_empty()), capped, omitted: false }
    }

    fn loss(&self) -> Option<Loss> {
        let whole = self.item.description.chars().count();
        let shown = self.shown.as_ref().map_or(0, |text| text.chars().count());
        let lost = whole.saturating_sub(shown);
        let fate = if self.omitted {
            Fate::Omitted
        } else if self.shown.is_none() && whole > 0 {
            Fate::NameOnly
        } else if lost > self.capped {
            Fate::Shortened { lost }
        } else if self.capped > 0 {
            Fate::Capped { lost }
        } else {
            return None;
        };
        Some(Loss { name: self.item.name.clone(), fate })
    }
}

/// Gives the room to the most important first: every name, then descriptions, whole as long as
/// they fit.
fn squeeze(entries: &mut [Entry<'_>], limit: usize, cost: &dyn Fn(&Entry<'_>) -> usize) {
    let full: Vec<Option<String>> = entries.iter_mut().map(|entry| entry.shown.take()).collect();
    let mut room = limit;
    for entry in entries.iter_mut() {
        let name = cost(entry);
        if name <= room {
            room -= name;
        } else {
            entry.omitted = true;
        }
    }
    for (entry, description) in entries.iter_mut().zip(full) {
        let Some(description) = description.filter(|_| !entry.omitted) else { continue };
        let bare = cost(entry);
        entry.shown = Some(description);
        let mut more = cost(entry) - bare;
        while more > room {
            // What is too much tells how much to cut; a few rounds meet the limit.
            let Some(text) = entry.shown.take() else { break };
            let length = text.chars().count();
            let excess = (more - room).max(1);
            let shorter = cut(&text, length.saturating_sub(excess).min(length.saturating_sub(1)));
            if shorter.chars().count() < SHORTEST {
                break;
            }
            entry.shown = Some(shorter);
            more = cost(entry) - bare;
        }
        if entry.shown.is_some() {
            room -= more;
        }
    }
}

/// A text cut to a number of characters at the end of a word, with dots.
fn cut(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    let keep: String = text.chars().take(characters.saturating_sub(1)).collect();
    let words = keep.rsplit_once(char::is_whitespace).map_or(keep.as_str(), |(words, _)| words);
    // A single long word, or a script without blanks, is cut where it must be.
    let kept = if words.chars().count() * 2 < characters { keep.as_str() } else { words };
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':', '.']))
}

#[cfg(test)]
mod tests;
