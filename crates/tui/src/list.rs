//! A list with a cursor that a search narrows: the list of the interface, and of every picker.

use crate::{item::Item, text::columns};
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};
use std::{collections::HashMap, sync::Arc};

/// Characters of a query that are used.
pub(crate) const QUERY: usize = 200;
/// Rows whose names are compared with a word that matches nothing, since a frame must not wait for it.
const NEAR_AMONG: usize = 2_000;

/// Which rows are shown besides those that a query keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Filter {
    #[default]
    All,
    Problems,
    Pending,
    Here,
}

impl Filter {
    pub(crate) const ALL: [Self; 4] = [Self::All, Self::Problems, Self::Pending, Self::Here];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::All => "All",
            Self::Problems => "Problems",
            Self::Pending => "Pending",
            Self::Here => "Here",
        }
    }

    pub(crate) fn keeps(self, item: &Item) -> bool {
        match self {
            Self::All => true,
            Self::Problems => item.needs_attention,
            Self::Pending => item.is_pending,
            Self::Here => item.is_here,
        }
    }

    pub(crate) fn next(self) -> Self {
        let at = Self::ALL.iter().position(|one| *one == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }
}

/// The order of rows without a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    #[default]
    Name,
    State,
    Scope,
}

impl Sort {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::State => "state",
            Self::Scope => "scope",
        }
    }

    pub(crate) fn next(self) -> Self {
        match self {
            Self::Name => Self::State,
            Self::State => Self::Scope,
            Self::Scope => Self::Name,
        }
    }
}

/// A query: free words, and `state:`, `scope:`, `agent:`, `missing:`, `source:` with the beginning of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) words: Vec<String>,
    fields: Vec<(Field, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    State,
    Scope,
    Agent,
    Missing,
    Source,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Self {
        let mut query = Self::default();
        for word in text.split_whitespace() {
            let field = word.split_once(':').and_then(|(name, value)| {
                let field = match name {
                    "state" => Field::State,
                    "scope" => Field::Scope,
                    "agent" => Field::Agent,
                    "missing" => Field::Missing,
                    "source" => Field::Source,
                    _ => return None,
                };
                Some((field, value.to_lowercase()))
            });
            match field {
                Some(field) => query.fields.push(field),
                None => query.words.push(word.to_lowercase()),
            }
        }
        query
    }

    fn keeps(&self, item: &Item) -> bool {
        self.fields.iter().all(|(field, value)| match field {
            Field::State => item.state.starts_with(value.as_str()),
            Field::Scope => item.scope.starts_with(value.as_str()),
            Field::Agent => item.agents.iter().any(|agent| agent.starts_with(value.as_str())),
            Field::Missing => item.missing.iter().any(|agent| agent.starts_with(value.as_str())),
            Field::Source => item.source.to_lowercase().contains(value.as_str()),
        })
    }

    /// The pattern of the free words for names.
    pub(crate) fn pattern(&self) -> Option<Pattern> {
        let text = self.words.join(" ");
        (!text.is_empty()).then(|| Pattern::parse(&text, CaseMatching::Ignore, Normalization::Smart))
    }
}

/// The matcher of names.
pub(crate) fn matcher() -> Matcher {
    Matcher::new(Config::DEFAULT)
}

/// The characters of a name that a pattern matches.
pub(crate) fn positions(pattern: &Pattern, name: Utf32Str<'_>, matcher: &mut Matcher) -> Vec<u32> {
    let mut found = Vec::new();
    if pattern.indices(name, matcher, &mut found).is_none() {
        found.clear();
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn longest(items: &[Item]) -> usize {
    items.iter().map(|item| columns(&item.name)).max().unwrap_or(0)
}

/// A list with a cursor.
pub(crate) struct List {
    pub(crate) items: Arc<Vec<Item>>,
    /// Columns of the longest name.
    pub(crate) longest: usize,
    pub(crate) query: String,
    pub(crate) filter: Filter,
    pub(crate) sort: Sort,
    /// Lines of bodies that match the query, by row.
    pub(crate) bodies: HashMap<usize, String>,
    /// The rows that are shown, in order.
    pub(crate) shown: Vec<usize>,
    pub(crate) cursor: usize,
    pub(crate) offset: usize,
    /// Rows that fit on the screen.
    pub(crate) height: usize,
    matcher: Matcher,
}

impl List {
    pub(crate) fn new(items: Arc<Vec<Item>>) -> Self {
        let mut list = Self {
            longest: longest(&items),
            items,
            query: String::new(),
            filter: Filter::All,
            sort: Sort::Name,
            bodies: HashMap::new(),
            shown: Vec::new(),
            cursor: 0,
            offset: 0,
            height: 1,
            matcher: matcher(),
        };
        list.apply();
        list
    }

    /// The row under the cursor.
    pub(crate) fn selected(&self) -> Option<usize> {
        self.shown.get(self.cursor).copied()
    }

    pub(crate) fn selected_item(&self) -> Option<&Item> {
        self.selected().map(|at| &self.items[at])
    }

    /// Takes new rows; the cursor stays on its row.
    pub(crate) fn replace(&mut self, items: Arc<Vec<Item>>) {
        let key = self.selected_item().map(|item| (item.key.clone(), item.name.clone()));
        self.longest = longest(&items);
        self.items = items;
        self.bodies.clear();
        self.search();
        let is_it = |at: &usize| {
            key.as_ref()
                .is_some_and(|(key, name)| self.items[*at].key == *key && self.items[*at].name == *name)
        };
        if let Some(at) = self.shown.iter().position(is_it) {
            self.cursor = at;
        }
        self.follow();
    }

    /// Searches again; the cursor goes to the best row.
    pub(crate) fn apply(&mut self) {
        self.search();
        self.cursor = 0;
        self.follow();
    }

    /// Takes the rows whose bodies match; the cursor stays on its row.
    pub(crate) fn add_bodies(&mut self, hits: Vec<(usize, String)>) {
        let before = self.selected();
        self.bodies = hits.into_iter().collect();
        self.search();
        if let Some(at) = before.and_then(|row| self.shown.iter().position(|one| *one == row)) {
            self.cursor = at;
        }
        self.follow();
    }

    /// Searches again and keeps only some rows; the cursor stays on its row when that one is kept.
    pub(crate) fn narrow(&mut self, keeps: impl Fn(usize) -> bool) {
        let before = self.selected();
        self.search();
        self.shown.retain(|row| keeps(*row));
        self.cursor = before.and_then(|row| self.shown.iter().position(|one| *one == row)).unwrap_or(0);
        self.follow();
    }

    fn search(&mut self) {
        let query = Query::parse(&self.query);
        let items = Arc::clone(&self.items);
        let kept = items.iter().enumerate().filter(|(_, item)| self.filter.keeps(item) && query.keeps(item));
        let Some(pattern) = query.pattern() else {
            self.shown = kept.map(|(at, _)| at).collect();
            match self.sort {
                Sort::Name => {}
                Sort::State => self.shown.sort_by(|a, b| items[*a].state.cmp(&items[*b].state)),
                Sort::Scope => self.shown.sort_by(|a, b| items[*a].scope.cmp(&items[*b].scope)),
            }
            return;
        };
        let (mut named, mut described, mut inside) = (Vec::new(), Vec::new(), Vec::new());
        for (at, item) in kept {
            if let Some(score) = pattern.score(item.name_chars.slice(..), &mut self.matcher) {
                named.push((score, at));
            } else if query.words.iter().all(|word| item.lower.contains(word.as_str())) {
                described.push(at);
            } else if self.bodies.contains_key(&at) {
                inside.push(at);
            }
        }
        named.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        self.shown = named.into_iter().map(|(_, at)| at).chain(described).chain(inside).collect();
    }

    pub(crate) fn go(&mut self, to: usize) {
        self.cursor = to.min(self.shown.len().saturating_sub(1));
        self.follow();
    }

    pub(crate) fn step(&mut self, by: isize) {
        self.go(self.cursor.saturating_add_signed(by));
    }

    /// Moves the window without the cursor leaving it.
    pub(crate) fn follow(&mut self) {
        self.cursor = self.cursor.min(self.shown.len().saturating_sub(1));
        let height = self.height.max(1);
        if self.cursor < self.offset {
            self.offset = self.cursor;
        } else if self.cursor >= self.offset + height {
            self.offset = self.cursor + 1 - height;
        }
        self.offset = self.offset.min(self.shown.len().saturating_sub(height));
    }

    pub(crate) fn type_in(&mut self, c: char) {
        if self.query.chars().count() < QUERY && !c.is_control() {
            self.query.push(c);
            self.bodies.clear();
            self.apply();
        }
    }

    pub(crate) fn delete(&mut self) {
        if self.query.pop().is_some() {
            self.bodies.clear();
            self.apply();
        }
    }

    pub(crate) fn clear(&mut self) {
        let key = self.selected();
        self.query.clear();
        self.bodies.clear();
        self.search();
        self.cursor = key.and_then(|row| self.shown.iter().position(|one| *one == row)).unwrap_or(0);
        self.follow();
    }

    /// A word of a name that is spelled much like a word of the query, and how many names have it.
    pub(crate) fn near(&self) -> Option<(String, usize)> {
        let words = self.items.iter().take(NEAR_AMONG).flat_map(|item| item.name.split(['-', '_', ':']));
        let words: Vec<&str> = words.collect();
        let query = Query::parse(&self.query);
        let word = query.words.iter().find_map(|word| {
            skillful_catalog::names::nearest(word, words.iter().copied()).into_iter().next()
        })?;
        let count =
            self.items.iter().filter(|item| item.name.split(['-', '_', ':']).any(|part| part == word));
        Some((word.clone(), count.count()))
    }

    /// `1-12/40`.
    pub(crate) fn window(&self) -> String {
        if self.shown.is_empty() {
            return format!("0/{}", self.items.len());
        }
        let last = (self.offset + self.height.max(1)).min(self.shown.len());
        format!("{}-{last}/{}", self.offset + 1, self.shown.len())
    }
}
