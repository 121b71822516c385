//! From what a user types to a skill: name, qualified name, `scope:name`, `agent:name`, path.

use crate::{catalog::Catalog, entry::Placement, profile::Scope, roots::Root};
use std::{cmp::Ordering, path::Path};

/// The order of names in a list: capitals stand beside their small letters, as a reader of a list looks for them.
pub fn in_order(one: &str, other: &str) -> Ordering {
    let small = |byte: u8| byte.to_ascii_lowercase();
    one.bytes().map(small).cmp(other.bytes().map(small)).then_with(|| one.cmp(other))
}

/// What a word means in a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// One skill, as an index into the catalog.
    Found(usize),
    /// Nothing; these come near.
    Unknown {
        /// Addresses that look alike, the nearest first.
        near: Vec<String>,
    },
}

/// How many near misses are worth naming.
const NEAR: usize = 3;

impl Catalog {
    /// Finds the skill that `text` means. A path always reaches its skill, shadowed or not; a plain
    /// name means the one that wins.
    pub fn find(&self, text: &str, cwd: &Path) -> Lookup {
        if let Some(at) =
            self.by_address(text).or_else(|| self.by_prefix(text)).or_else(|| self.by_path(text, cwd))
        {
            return Lookup::Found(at);
        }
        Lookup::Unknown { near: self.near(text, &|_| true) }
    }

    fn by_address(&self, text: &str) -> Option<usize> {
        let ready = self.called(text).find(|(_, entry)| entry.placement == Placement::Active);
        ready.or_else(|| self.called(text).next()).map(|(at, _)| at)
    }

    /// `user:deploy`, `claude-code:deploy`, `.claude/skills:deploy`, `project:apps/web:deploy`. One
    /// that is in use comes before one that is not.
    fn by_prefix(&self, text: &str) -> Option<usize> {
        let split = text.match_indices(':').map(|(at, _)| (&text[..at], &text[at + 1..]));
        let found = split.flat_map(|(prefix, name)| {
            let scope = scope_named(prefix);
            self.entries.iter().enumerate().filter(move |(_, entry)| {
                let ways =
                    std::iter::once(entry.origin.root).chain(entry.origin.also.iter().map(|(root, _)| *root));
                let is_there = |root: &Root| {
                    scope == Some(root.scope)
                        || root.agents.iter().any(|agent| agent == prefix)
                        || !prefix.is_empty() && root.path.ends_with(prefix)
                };
                (entry.name == name || entry.address() == name)
                    && ways.into_iter().any(|root| is_there(&self.roots[root]))
            })
        });
        found.min_by_key(|(at, entry)| (entry.placement != Placement::Active, *at)).map(|(at, _)| at)
    }

    fn by_path(&self, text: &str, cwd: &Path) -> Option<usize> {
        let given = cwd.join(text);
        let real = std::fs::canonicalize(&given).ok();
        self.entries.iter().position(|entry| {
            let origin = &entry.origin;
            let ways = || std::iter::once(&origin.file).chain(origin.also.iter().map(|(_, file)| file));
            ways().any(|file| *file == given || file.parent() == Some(given.as_path()))
                || real.as_ref().is_some_and(|real| {
                    *real == origin.real
                        || (real.parent() == Some(origin.real.as_path()) && is_skill_file(real))
                })
        })
    }

    /// Similar addresses of entries that may be named, the nearest first.
    pub fn near(&self, text: &str, may_be_named: &dyn Fn(usize) -> bool) -> Vec<String> {
        let wanted = text.to_lowercase();
        let limit = (wanted.chars().count() / 3).max(1);
        let mut scored: Vec<(usize, String)> = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(at, entry)| {
                let address = entry.address();
                let have = address.to_lowercase();
                let score = likeness(&wanted, &have, limit)?;
                may_be_named(at).then_some((score, address))
            })
            .collect();
        scored.sort();
        scored.dedup();
        scored.into_iter().take(NEAR).map(|(_, address)| address).collect()
    }
}

/// The words that look like a text, the nearest first.
pub fn nearest<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = text.to_lowercase();
    let limit = (wanted.chars().count() / 3).max(1);
    let mut scored: Vec<(usize, &str)> =
        words.filter_map(|word| Some((likeness(&wanted, &word.to_lowercase(), limit)?, word))).collect();
    scored.sort_unstable();
    scored.into_iter().take(NEAR).map(|(_, word)| word.to_owned()).collect()
}

/// How much two words differ: by their edits, or just above the limit when one contains the other.
fn likeness(wanted: &str, have: &str, limit: usize) -> Option<usize> {
    distance(wanted, have, limit).or_else(|| {
        let inside = wanted.len() >= 3 && (have.contains(wanted) || have.len() >= 3 && wanted.contains(have));
        inside.then(|| limit + 1 + usize::from(!have.starts_with(wanted)))
    })
}

fn is_skill_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"))
}

/// A scope by its word.
pub fn scope_named(word: &str) -> Option<Scope> {
    Some(match word {
        "extra" => Scope::Extra,
        "project" => Scope::Project,
        "user" => Scope::User,
        "custom" => Scope::Custom,
        "managed" => Scope::Managed,
        "plugin" => Scope::Plugin,
        "integration" => Scope::Integration,
        "system" => Scope::System,
        _ => return None,
    })
}

/// What stands before the names of a plugin's skills: its name. The words of scopes are taken, since `user:deploy` means
/// a skill of the user.
pub(crate) fn plugin_qualifier(plugin: &str) -> String {
    if scope_named(plugin).is_some() { format!("{plugin}-plugin") } else { plugin.to_owned() }
}

/// Edits between two words, when there are at most `limit` of them. Two letters that changed places
/// are one edit.
fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut cost = (row[j] + usize::from(x != y)).min(next[j] + 1).min(row[j + 1] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                cost = cost.min(before[j - 1] + 1);
            }
            next.push(cost);
        }
        before = std::mem::replace(&mut row, next);
    }
    Some(row[b.len()]).filter(|edits| *edits <= limit)
}
