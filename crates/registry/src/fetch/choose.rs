//! Which skills of a source are fetched, and the names of their folders.

use super::{FetchError, Fetched, FetchedSkill, RefusedSkill};
use crate::{
    lock::{Resolved, SkillKey},
    source::Source,
};
use skillful_catalog::{capability, disk, variables};
use skillful_format::{Code, Diagnostic, Limits, Tree, scaffold};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicU64, Ordering},
};

/// Names that an error lists.
const LISTED: usize = 20;
/// Bytes of all skills of one source.
const TOTAL_LIMIT: u64 = 1 << 30;

/// The skills of a source that were read, and those that cannot be installed. Any other failure is one of the source.
pub(super) fn usable(
    found: Vec<Result<FetchedSkill, FetchError>>,
    resolved: Resolved,
) -> Result<Fetched, FetchError> {
    let mut fetched = Fetched::of(Vec::new(), resolved);
    for one in found {
        match one {
            Ok(skill) => fetched.skills.push(skill),
            Err(FetchError::Unusable { folder, why }) => {
                fetched.refused.push(RefusedSkill { name: None, folder, why });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(fetched)
}

/// Keeps the skill that was asked for, in order, each with a name of its own. What cannot be installed refuses the source
/// only when nothing else was asked for.
pub(super) fn choose(mut fetched: Fetched, source: &Source) -> Result<Fetched, FetchError> {
    if let Some(wanted) = &source.skill {
        let there = listed(&fetched.skills);
        fetched.skills.retain(|found| {
            let folder = found.folder.as_ref().and_then(|folder| folder.as_str().rsplit('/').next());
            found.name.as_str() == wanted.as_str() || folder == Some(wanted.as_str())
        });
        fetched.refused.retain(|refused| refused.is_called(wanted.as_str()));
        if fetched.skills.is_empty() && fetched.refused.is_empty() {
            return Err(FetchError::NoSuchSkill { wanted: wanted.to_string(), there });
        }
    }
    let same = take_same_names(&mut fetched.skills);
    if fetched.skills.is_empty() {
        return Err(match (same.into_iter().next(), fetched.refused.into_iter().next()) {
            (Some((name, first, second)), _) => {
                FetchError::SameName { name: name.to_string(), first, second }
            }
            (None, Some(RefusedSkill { folder, why, .. })) => FetchError::Unusable { folder, why },
            (None, None) => FetchError::NoSkill { place: source.to_string() },
        });
    }
    fetched.refused.extend(same.into_iter().map(|(name, folder, other)| {
        let why = format!("`{other}` holds a skill of that name, too; name one of the two folders");
        RefusedSkill { name: Some(name), folder, why }
    }));
    fetched.diagnostics.extend(fetched.refused.iter().map(|RefusedSkill { name, folder, why }| {
        let what = name.as_ref().map_or_else(String::new, |name| format!("`{name}` in "));
        Diagnostic::new(Code::EntrySkipped, format!("{what}`{folder}` was skipped: {why}"))
    }));
    fetched.skills.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(fetched)
}

/// Takes out the skills that would get one folder: name, folder, and the folder of another one. None of them is selected
/// silently; of copies with the same bytes the one with the shortest path stays.
fn take_same_names(skills: &mut Vec<FetchedSkill>) -> Vec<(SkillKey, String, String)> {
    let place = |found: &FetchedSkill| found.folder.as_ref().map_or(".", |folder| folder.as_str()).to_owned();
    // On some disks `PDF` and `pdf` are one folder.
    let mut by_name: BTreeMap<String, Vec<FetchedSkill>> = BTreeMap::new();
    for found in skills.drain(..) {
        by_name.entry(found.name.as_str().to_lowercase()).or_default().push(found);
    }
    let mut taken = Vec::new();
    for mut group in by_name.into_values() {
        group.sort_by_key(|found| (place(found).len(), place(found)));
        let of = |one: &FetchedSkill| (one.name.clone(), one.tree.digest(), one.signature.clone());
        let first = of(&group[0]);
        if group.iter().all(|found| of(found) == first) {
            skills.extend(group.into_iter().next());
            continue;
        }
        for (at, found) in group.iter().enumerate() {
            let other = &group[usize::from(at == 0)];
            taken.push((found.name.clone(), place(found), place(other)));
        }
    }
    taken
}

fn listed(skills: &[FetchedSkill]) -> String {
    let mut names: Vec<&str> = skills.iter().map(|found| found.name.as_str()).collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    if names.is_empty() { "none".to_owned() } else { format!("{}{more}", names.join(", ")) }
}

/// The name of a skill's folder: that of its frontmatter, else the name it had, when that can be a folder; else
/// the nearest name that can. Never a common stand-in, under which two skills would overwrite each other.
/// Returned with its capabilities, since its frontmatter names both.
pub(super) fn facts_of(tree: &Tree, own: Option<&str>) -> Option<(SkillKey, BTreeSet<String>)> {
    let (capabilities, name) = capability::of_tree_with_name(tree)?;
    let candidates = [name.as_deref().map(str::trim), own];
    let direct = candidates.iter().flatten().find_map(|name| name.parse().ok());
    let slug = || candidates.iter().flatten().find_map(|name| scaffold::slug(name)?.parse().ok());
    Some((direct.or_else(slug)?, capabilities))
}

/// The files that belong to a skill, without folders of tools and a user's values, and what that cost.
pub(super) fn plain(tree: Tree, diagnostics: &mut Vec<Diagnostic>) -> Tree {
    let limits = Limits::default();
    let noise = |path: &str| path.split('/').find(|part| disk::is_noise(part)).map(str::to_owned);
    let mut dropped: BTreeMap<String, usize> = BTreeMap::new();
    let (mut tree, had_values) = variables::without_values(tree, &limits);
    if tree.iter().any(|(path, _)| noise(path.as_str()).is_some()) {
        let mut kept = Tree::default();
        for (path, file) in tree.iter() {
            match noise(path.as_str()) {
                Some(name) => *dropped.entry(name).or_default() += 1,
                // What was in a tree fits into one with fewer files.
                None => drop(kept.insert(path.clone(), file.clone(), &limits)),
            }
        }
        tree = kept;
    }
    if had_values {
        let message = "`vars.json` holds values of a user and was skipped";
        diagnostics.push(Diagnostic::new(Code::EntrySkipped, message));
    }
    report_noise(&dropped, diagnostics);
    tree
}

/// Reports how many files of tools were skipped.
pub(super) fn report_noise(dropped: &BTreeMap<String, usize>, diagnostics: &mut Vec<Diagnostic>) {
    for (name, count) in dropped {
        let (files, were) = if *count == 1 { ("file", "was") } else { ("files", "were") };
        let message = format!("{count} {files} of `{name}`, which belongs to a tool, {were} skipped");
        diagnostics.push(Diagnostic::new(Code::EntrySkipped, message));
    }
}

/// The bytes of all skills of a source together, which are in memory at once. Counted by all who read.
#[derive(Default)]
pub(super) struct Weight(AtomicU64);

impl Weight {
    /// Refuses once there is too much; ask before reading more.
    pub(super) fn check(&self) -> Result<(), FetchError> {
        if self.0.load(Ordering::Relaxed) > TOTAL_LIMIT {
            Err(FetchError::TooLarge(TOTAL_LIMIT))
        } else {
            Ok(())
        }
    }

    pub(super) fn add(&self, tree: &Tree) -> Result<(), FetchError> {
        self.0.fetch_add(tree.total_bytes(), Ordering::Relaxed);
        self.check()
    }
}
