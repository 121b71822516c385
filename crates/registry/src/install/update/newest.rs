//! What the sources have now. One fetch for each source and ref, some at once; one that fails is reported for
//! its own skills and stops no other.

use crate::{
    content_store::ContentStore,
    fetch::{FetchError, Fetched, FetchedSkill, GitError},
    lock::{Lock, Locked, Resolved, SkillKey},
    source::{Ref, Source, SourceLocation},
};
use skillful_format::{Digest, Tree};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Fetches at once.
const AT_ONCE: usize = 4;

/// What the sources have now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upstream {
    /// For each skill that was asked about.
    pub newest: BTreeMap<SkillKey, Newest>,
    /// Trees of the lock that the content store had lost and a source still has.
    pub bases: BTreeMap<Digest, Tree>,
}

/// What the source of a skill has now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Newest {
    /// The skill.
    Found(Box<Fresh>),
    /// The lock asks for one commit, which never changes; nothing was fetched.
    Pinned,
    /// The source answers, and the skill is not there; why.
    Gone(String),
    /// The source does not answer; why.
    Unreachable(String),
}

/// A skill as its source has it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// The skill.
    pub found: FetchedSkill,
    /// What the source is.
    pub resolved: Resolved,
    /// Of the archive as it arrived.
    pub artefact: Option<Digest>,
}

type Member<'a> = (&'a SkillKey, &'a Locked);

/// Asks the sources of `names`, by `fetch`. Only reads, but for what a fetch throws away.
pub fn look_upstream<F>(
    lock: &Lock,
    names: &BTreeSet<SkillKey>,
    contents: &ContentStore,
    fetch: F,
) -> Upstream
where
    F: Fn(&Source, Option<&Ref>) -> Result<Fetched, FetchError> + Sync,
{
    let mut upstream = Upstream { newest: newest(lock, names, &fetch), bases: BTreeMap::new() };
    for (name, newest) in &upstream.newest {
        let (Newest::Found(fresh), Some(locked)) = (newest, lock.skills.get(name)) else { continue };
        let known = fresh.found.tree.digest() == locked.tree || upstream.bases.contains_key(&locked.tree);
        if known || contents.read(&locked.tree).is_ok() {
            continue;
        }
        let commit = locked.resolved.commit.as_deref().and_then(|commit| Ref::new(commit).ok());
        if let Some(Ok(fetched)) = commit.map(|commit| fetch(&locked.source, Some(&commit))) {
            let trees = fetched.skills.into_iter().map(|found| (found.tree.digest(), found.tree));
            upstream.bases.extend(trees.filter(|(digest, _)| *digest == locked.tree));
        }
    }
    upstream
}

/// Asks the sources of `names` what they have now, by `fetch`, and nothing else.
pub fn newest<F>(lock: &Lock, names: &BTreeSet<SkillKey>, fetch: &F) -> BTreeMap<SkillKey, Newest>
where
    F: Fn(&Source, Option<&Ref>) -> Result<Fetched, FetchError> + Sync,
{
    let mut groups: BTreeMap<(&SourceLocation, Option<&Ref>), Vec<Member<'_>>> = BTreeMap::new();
    for (name, locked) in lock.skills.iter().filter(|(name, _)| names.contains(*name)) {
        let Source { place, reference, .. } = &locked.source;
        groups.entry((place, reference.as_ref())).or_default().push((name, locked));
    }
    let groups: Vec<Vec<Member<'_>>> = groups.into_values().collect();
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(groups.len()) {
            scope.spawn(|| {
                while let Some(group) = groups.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let asked = ask(group, fetch);
                    found.lock().unwrap_or_else(PoisonError::into_inner).extend(asked);
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The skills of one source and ref.
fn ask<F>(group: &[Member<'_>], fetch: &F) -> Vec<(SkillKey, Newest)>
where
    F: Fn(&Source, Option<&Ref>) -> Result<Fetched, FetchError> + Sync,
{
    let all = |newest: &Newest| group.iter().map(|(name, _)| ((*name).clone(), newest.clone())).collect();
    let Some((_, first)) = group.first() else { return Vec::new() };
    if first.source.reference.as_ref().is_some_and(Ref::is_commit) {
        return all(&Newest::Pinned);
    }
    let sources: BTreeSet<&Source> = group.iter().map(|(_, locked)| &locked.source).collect();
    if sources.len() == 1 {
        return match fetch(&first.source, None) {
            Ok(fetched) => group.iter().map(|member| chosen(*member, &fetched)).collect(),
            Err(error) => all(&failed(&error)),
        };
    }
    let folders: BTreeSet<_> = sources.iter().map(|source| &source.folder).collect();
    let folder = if folders.len() == 1 { first.source.folder.clone() } else { None };
    match fetch(&Source { folder, skill: None, ..first.source.clone() }, None) {
        Ok(fetched) => group.iter().map(|member| chosen(*member, &fetched)).collect(),
        Err(error) if is_unreachable(&error) => all(&failed(&error)),
        // Something else in the source cannot be taken over, which was never asked for.
        Err(_) => group
            .iter()
            .map(|(name, locked)| match fetch(&locked.source, None) {
                Ok(fetched) => chosen((name, locked), &fetched),
                Err(error) => ((*name).clone(), failed(&error)),
            })
            .collect(),
    }
}

/// The skill of that name. One of another name in its old folder is not the same skill.
fn chosen((name, locked): Member<'_>, fetched: &Fetched) -> (SkillKey, Newest) {
    let found = fetched.skills.iter().find(|found| found.name == *name);
    let refused = fetched.refused.iter().find(|refused| refused.is_called(name.as_str()));
    let newest = match (found, refused) {
        (Some(found), _) => Newest::Found(Box::new(Fresh {
            found: found.clone(),
            resolved: fetched.resolved.clone(),
            artefact: found.artefact,
        })),
        (None, Some(refused)) => {
            Newest::Unreachable(format!("`{}` cannot be installed: {}", refused.folder, refused.why))
        }
        (None, None) => Newest::Gone(
            match fetched.skills.iter().find(|found| locked.folder.is_some() && found.folder == locked.folder)
            {
                Some(other) => {
                    format!("its folder now holds `{}`; add that one and remove this one", other.name)
                }
                None => "the source no longer has it; remove it, or keep it as it is".to_owned(),
            },
        ),
    };
    (name.clone(), newest)
}

/// Whether asking again would be answered no better.
fn is_unreachable(error: &FetchError) -> bool {
    match error {
        FetchError::Git(why) => !matches!(why, GitError::NoFolder(_)),
        FetchError::Disk { .. } | FetchError::Web(_) => true,
        _ => false,
    }
}

fn failed(error: &FetchError) -> Newest {
    match error {
        FetchError::NoSkill { .. }
        | FetchError::NoSuchSkill { .. }
        | FetchError::Git(GitError::NoFolder(_)) => Newest::Gone(error.to_string()),
        _ => Newest::Unreachable(error.to_string()),
    }
}
