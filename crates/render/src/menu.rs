//! The menu: one entry for every skill that a model may select, within a budget.
//!
//! When the budget is too small, the entries that matter least for the turn are shortened first:
//! descriptions are cut, then removed, then the places of files; names stay longest. The entries are sorted by name, so that
//! a change of rank moves as few bytes as possible.

use crate::budget::{Budget, Unit};
use roots::Roots;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::profile::MenuStyle;
use std::borrow::Cow;
use style::{Detail, Style, WHEN};

mod roots;
mod style;

/// A shorter description is useless, so it is removed instead.
const SHORTEST: usize = 40;

/// One skill of the menu.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MenuItem {
    /// Its qualified name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// When to use it.
    pub when_to_use: Option<String>,
    /// The path of its file, for agents that read it themselves.
    pub location: String,
}

/// The menu for a model, and what the budget removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Menu {
    /// The text; empty without skills.
    pub text: String,
    /// The skills that were shortened or omitted, by name.
    pub losses: Vec<MenuLoss>,
    /// The number of skills.
    pub skills: usize,
    /// The size of the entries, in the unit of the budget.
    pub used: usize,
    /// The budget.
    pub budget: Budget,
}

/// A skill that was shortened or omitted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct MenuLoss {
    /// The name of the skill.
    pub name: String,
    /// How it was shortened.
    pub truncation: Truncation,
}

/// How a skill was shortened, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Truncation {
    /// Its description was cut at the maximum length, which applies to any budget.
    Capped {
        /// Characters that are not shown.
        lost: usize,
    },
    /// Its description was shortened to fit the budget.
    Shortened {
        /// Characters that are not shown.
        lost: usize,
    },
    /// Only its name is shown.
    NameOnly,
    /// It is not shown.
    Omitted,
}

/// The order of importance of the items for a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MenuOrder {
    /// Indexes of the items, most important first.
    pub indexes: Vec<usize>,
    /// How many of the first ones are relevant for the turn. When the budget cannot hold all names,
    /// the descriptions of these come before the names of the others.
    pub relevant: usize,
}

/// Renders the menu. `items` are sorted by importance, most important first.
pub fn menu(items: &[MenuItem], style: MenuStyle, budget: Budget) -> Menu {
    ranked(items, style, budget, &|| MenuOrder { indexes: (0..items.len()).collect(), relevant: 0 })
}

/// Renders the menu. `order` is called only when the budget is too small.
pub fn ranked(items: &[MenuItem], style: MenuStyle, budget: Budget, order: &dyn Fn() -> MenuOrder) -> Menu {
    let none = Roots::default();
    let roots;
    let mut style = Style { form: style, roots: &none };
    let mut entries: Vec<MenuEntry<'_>> =
        items.iter().map(|item| MenuEntry::of(item, budget.description)).collect();
    // Of most entries of a large catalog the text is never shown: only its size is kept.
    let sizes = |entries: &[MenuEntry<'_>], style| -> Vec<usize> {
        entries.iter().map(|entry| budget.unit.size(&entry.whole_text(style))).collect()
    };
    let limit = budget.unit.size_of(budget.limit);
    let mut full = sizes(&entries, style);
    let mut used = full.iter().sum();
    let mut room = limit;
    if used > limit && style.form == MenuStyle::Codex {
        roots = Roots::of(items);
        let short = Style { roots: &roots, ..style };
        let (shorter, table) = (sizes(&entries, short), budget.unit.size(&roots.table()));
        // Use the table only if it saves more than it costs.
        if !roots.is_empty() && shorter.iter().sum::<usize>() + table < used && table < limit {
            (style, full, room) = (short, shorter, limit - table);
            used = table + full.iter().sum::<usize>();
        }
    }
    if used > limit {
        let space = MenuSpace { limit: room, unit: budget.unit };
        used = limit - room + squeeze(&mut entries, &full, style, space, &order());
    } else {
        for entry in &mut entries {
            entry.text = entry.whole_text(style);
        }
    }
    let mut losses: Vec<MenuLoss> = entries.iter().filter_map(MenuEntry::loss).collect();
    losses.sort();
    entries.retain(|entry| entry.shown != Shown::Nothing);
    entries.sort_by(|a, b| (&a.item.name, &a.item.location).cmp(&(&b.item.name, &b.item.location)));
    let omitted = items.len() - entries.len();
    let texts: Vec<&str> = entries.iter().map(|entry| entry.text.as_str()).collect();
    let text = if items.is_empty() { String::new() } else { style.frame(&texts, omitted) };
    Menu { text, losses, skills: items.len(), used: budget.unit.units(used), budget }
}

/// The skills that may fit a message, in full: for behind the message, where the menu shortens them.
pub fn suggestions(items: &[MenuItem], description: usize) -> String {
    let mut out = String::new();
    for item in items {
        let text = cut(&item.description, description);
        let text = Some(text.as_str()).filter(|text| !text.is_empty());
        style::line(&mut out, "- ", item, text, WHEN, item.when_to_use.as_deref());
    }
    if out.is_empty() { out } else { format!("Skills that may fit this message:\n{out}") }
}

/// How much of an item is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// The first characters of its description.
    Described(usize),
    /// Only its name, because of the budget.
    Name,
    /// Nothing.
    Nothing,
}

/// A rendered item.
struct MenuEntry<'a> {
    item: &'a MenuItem,
    /// Number of characters of its description.
    whole: usize,
    /// Number of characters over the maximum length, which no budget restores.
    capped: usize,
    /// The description up to the maximum length.
    description: Cow<'a, str>,
    text: String,
    shown: Shown,
}

impl<'a> MenuEntry<'a> {
    /// An item with all of its description, not rendered yet.
    fn of(item: &'a MenuItem, cap: usize) -> Self {
        let whole = item.description.chars().count();
        let description = if whole > cap {
            Cow::Owned(cut(&item.description, cap))
        } else {
            Cow::Borrowed(item.description.as_str())
        };
        let length = if whole > cap { description.chars().count() } else { whole };
        let capped = whole.saturating_sub(length);
        Self { item, whole, capped, description, text: String::new(), shown: Shown::Described(length) }
    }

    /// The text with all of its description.
    fn whole_text(&self, style: Style<'_>) -> String {
        style.entry(self.item, Detail::Description(&self.description))
    }

    fn loss(&self) -> Option<MenuLoss> {
        let truncation = match self.shown {
            Shown::Nothing => Truncation::Omitted,
            Shown::Name if self.whole > 0 => Truncation::NameOnly,
            Shown::Described(shown) if self.whole - shown > self.capped => {
                Truncation::Shortened { lost: self.whole - shown }
            }
            _ if self.capped > 0 => Truncation::Capped { lost: self.capped },
            _ => return None,
        };
        Some(MenuLoss { name: self.item.name.clone(), truncation })
    }
}

/// Available space, measured in the size of a unit.
#[derive(Clone, Copy)]
struct MenuSpace {
    limit: usize,
    unit: Unit,
}

/// Gives the space to the most important items first: every name, then what is relevant, then places, then complete
/// descriptions while they fit. When not all names fit, the relevant items are described first, within half of the
/// space. `full` has the size of each entry with all of its description. Returns the used space.
fn squeeze(
    entries: &mut [MenuEntry<'_>],
    full: &[usize],
    style: Style<'_>,
    given: MenuSpace,
    order: &MenuOrder,
) -> usize {
    let cost = |text: &str| given.unit.size(text);
    for entry in &mut *entries {
        entry.shown = Shown::Name;
        entry.text = style.entry(entry.item, Detail::Name);
    }
    let mut room = given.limit;
    let names: usize = entries.iter().map(|entry| cost(&entry.text)).sum();
    let mut placed = vec![false; entries.len()];
    if names > room {
        let mut share = room / 2;
        for &at in order.indexes.iter().take(order.relevant) {
            let whole = full[at];
            if whole <= share {
                share -= whole;
                room -= whole;
                placed[at] = true;
                entries[at].describe(style);
            }
        }
    }
    for &at in order.indexes.iter().filter(|at| !placed[**at]) {
        let name = cost(&entries[at].text);
        if name <= room {
            room -= name;
        } else {
            entries[at].shown = Shown::Nothing;
        }
    }
    for &at in order.indexes.iter().take(order.relevant) {
        let entry = &mut entries[at];
        let more = full[at].saturating_sub(cost(&entry.text));
        if entry.shown == Shown::Name && more <= room {
            room -= more;
            entry.describe(style);
        }
    }
    for &at in &order.indexes {
        let entry = &mut entries[at];
        if entry.shown != Shown::Name {
            continue;
        }
        let placed = style.entry(entry.item, Detail::Place);
        let more = cost(&placed).saturating_sub(cost(&entry.text));
        if more <= room {
            room -= more;
            entry.text = placed;
        }
    }
    for &at in &order.indexes {
        let entry = &mut entries[at];
        if entry.shown != Shown::Name || entry.description.is_empty() {
            continue;
        }
        let bare = cost(&entry.text);
        let more = full[at].saturating_sub(bare);
        if more <= room {
            room -= more;
            entry.describe(style);
        } else if let Some((text, length)) = shortened(entry, style, bare + room, &cost) {
            room -= cost(&text) - bare;
            entry.text = text;
            entry.shown = Shown::Described(length);
        }
    }
    given.limit - room
}

impl MenuEntry<'_> {
    fn describe(&mut self, style: Style<'_>) {
        self.text = self.whole_text(style);
        self.shown = Shown::Described(self.whole - self.capped);
    }
}

/// An entry with as much of its description as fits, if that is long enough to be useful.
fn shortened(
    entry: &MenuEntry<'_>,
    style: Style<'_>,
    room: usize,
    cost: &dyn Fn(&str) -> usize,
) -> Option<(String, usize)> {
    let mut description = entry.description.clone().into_owned();
    let mut length = entry.whole - entry.capped;
    loop {
        let text = style.entry(entry.item, Detail::Description(&description));
        let used = cost(&text);
        if used <= room {
            return Some((text, length));
        }
        // Cut the excess in each round; a few rounds meet the limit.
        description = cut(&description, length.saturating_sub(used - room).min(length - 1));
        length = description.chars().count();
        if length < SHORTEST {
            return None;
        }
    }
}

/// Cuts a text to a number of characters at the end of a word and adds an ellipsis.
fn cut(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    let keep: String = text.chars().take(characters.saturating_sub(1)).collect();
    let words = keep.rsplit_once(char::is_whitespace).map_or(keep.as_str(), |(words, _)| words);
    // A single long word, or a script without spaces, is cut inside the word.
    let kept = if words.chars().count() * 2 < characters { keep.as_str() } else { words };
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':', '.']))
}

#[cfg(test)]
mod tests;
