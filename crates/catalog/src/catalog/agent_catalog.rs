//! The catalog as one agent has it: that agent's names, its precedence, and the skills it does not load with the
//! reason. Commands that are asked as an agent work on it like on any other catalog.

use super::{Catalog, CatalogId, Inputs, placement::Judge};
use crate::{
    bounded::Boundary,
    entry::{Entry, Origin, Placement, SeenBy},
    load::Loaded,
    profile::{Links, RootKind, Scope},
    roots::Root,
};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// A skill that an agent loads.
#[derive(Clone, Debug)]
pub struct LoadedByAgent {
    /// Its file.
    pub file: PathBuf,
    /// The name that the agent gives it.
    pub name: String,
    /// The description that the agent reads.
    pub description: Option<String>,
    /// Where the agent found it.
    pub scope: Scope,
    /// Whether the agent offers it to its model.
    pub seen_by: SeenBy,
}

/// A skill that an agent does not load.
#[derive(Clone, Debug)]
pub struct MissedByAgent {
    /// Its file.
    pub file: PathBuf,
    /// Why not.
    pub why: String,
    /// What would change that.
    pub fix: Option<String>,
}

impl Catalog {
    /// The catalog as an agent has it. What the agent loads comes first, in its order; the rest follows with the
    /// reason. Trust, switches and requirements count as before.
    #[must_use]
    pub fn as_agent(
        &self,
        agent: &str,
        inputs: Inputs<'_>,
        loads: Vec<LoadedByAgent>,
        misses: Vec<MissedByAgent>,
    ) -> Self {
        let mut places: HashMap<PathBuf, usize> = HashMap::with_capacity(self.entries.len());
        for (at, entry) in self.entries.iter().enumerate() {
            places.entry(entry.origin.real.clone()).or_insert(at);
            places.entry(entry.origin.file.clone()).or_insert(at);
            for (_, file) in &entry.origin.also {
                places.entry(file.clone()).or_insert(at);
            }
        }
        let mut judge = Judge::new(inputs);
        let mut roots = self.roots.clone();
        let mut seen = vec![false; self.entries.len()];
        let mut entries = Vec::with_capacity(self.entries.len());
        for skill in loads {
            let known = find(&places, &skill.file);
            let mut entry = match known {
                Some(at) => self.entries[at].clone(),
                None => match unknown(&skill, agent, &self.project, &mut roots, &mut judge) {
                    Some(entry) => entry,
                    None => continue,
                },
            };
            if let Some(at) = known {
                seen[at] = true;
            }
            entry.name = skill.name;
            entry.qualifier = None;
            entry.origin.file = skill.file;
            // The file that the agent names is one of several that a skill with an override is read from.
            if entry.overridden.is_none() {
                entry.loaded.manifest.description = skill.description;
            }
            if matches!(entry.placement, Placement::Shadowed { .. }) {
                entry.placement = Placement::Active;
            }
            if entry.origin.skipped.take().is_some() {
                let root = &roots[entry.origin.root];
                entry.placement = judge.placement(&entry, root);
                entry.approved = judge.approved_files(&entry, root);
            }
            let is_due = skill.seen_by == SeenBy::Waits && is_used(&entry, inputs);
            entry.seen_by = Some(if is_due { SeenBy::Offered } else { skill.seen_by });
            entries.push(entry);
        }
        let why: HashMap<usize, MissedByAgent> =
            misses.into_iter().filter_map(|missed| Some((find(&places, &missed.file)?, missed))).collect();
        for (at, entry) in self.entries.iter().enumerate().filter(|(at, _)| !seen[*at]) {
            let (why, fix) = match why.get(&at) {
                Some(missed) => (missed.why.clone(), missed.fix.clone()),
                None => ("it is not among the skills of this agent".to_owned(), None),
            };
            let mut entry = entry.clone();
            if matches!(entry.placement, Placement::Shadowed { .. }) {
                entry.placement = Placement::Active;
            }
            entry.seen_by = Some(SeenBy::Missed { agent: agent.to_owned(), why, fix });
            entries.push(entry);
        }
        let mut index: HashMap<String, Vec<usize>> = HashMap::with_capacity(entries.len());
        for (at, entry) in entries.iter().enumerate() {
            index.entry(entry.address()).or_default().push(at);
        }
        Self {
            entries,
            roots,
            project: self.project.clone(),
            diagnostics: self.diagnostics.clone(),
            id: CatalogId::default(),
            index,
            personal: self.personal.clone(),
            approvals: Arc::clone(&self.approvals),
            agents_by_root: OnceLock::new(),
        }
    }
}

/// Whether a file was touched that the `paths` of a skill name.
fn is_used(entry: &Entry, inputs: Inputs<'_>) -> bool {
    // An invalid pattern matches nothing; the check of the skill reports it.
    let globs = entry.loaded.manifest.paths.iter().filter_map(|glob| globset::Glob::new(glob).ok());
    let globs: Vec<_> = globs.map(|glob| glob.compile_matcher()).collect();
    inputs.settings.touched.iter().any(|file| globs.iter().any(|glob| glob.is_match(file)))
}

/// The skill at a file, or in the folder of a file, links resolved.
fn find(places: &HashMap<PathBuf, usize>, file: &Path) -> Option<usize> {
    let at = |path: &Path| places.get(path).copied();
    at(file).or_else(|| {
        let real = std::fs::canonicalize(file).ok()?;
        at(&real).or_else(|| at(real.parent()?))
    })
}

/// A skill that only the agent finds: read here, with the trust of the repository it lies in.
fn unknown(
    skill: &LoadedByAgent,
    agent: &str,
    project: &Path,
    roots: &mut Vec<Root>,
    judge: &mut Judge<'_>,
) -> Option<Entry> {
    let real = std::fs::canonicalize(&skill.file).ok()?.parent()?.to_path_buf();
    // An agent may read its administrator's or its shipped skills from a folder of the project, whose author wrote them.
    let real_of = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let is_own = |root: &Root| root.needs_trust.is_none() && real.starts_with(real_of(&root.path));
    let is_inside = real.starts_with(real_of(project)) && !roots.iter().any(is_own);
    let needs_trust = (skill.scope == Scope::Project || is_inside).then(|| project.to_path_buf());
    let root = roots.iter().position(|root| skill.file.starts_with(&root.path)).unwrap_or_else(|| {
        roots.push(Root {
            path: real.clone(),
            scope: skill.scope,
            kind: RootKind::Skills,
            agents: vec![agent.to_owned()],
            distance: 0,
            within: (needs_trust.is_some() || skill.scope == Scope::Plugin)
                .then(|| Arc::new(Boundary::of(project))),
            needs_trust,
            qualifier: None,
            links: Links::Skip,
            present: true,
            searched: Vec::new(),
        });
        roots.len() - 1
    });
    let within = roots[root].within.clone();
    let loaded = Box::new(Loaded::read(&skill.file, within.as_deref())?);
    let origin = Origin {
        root,
        scope: roots[root].scope,
        kind: RootKind::Skills,
        file: skill.file.clone(),
        real,
        also: Vec::new(),
        within,
        skipped: None,
    };
    let mut entry = Entry::found(skill.name.clone(), None, origin, loaded);
    let root = &roots[root];
    let placement = judge.placement(&entry, root);
    let (approved, forbidden) = (judge.approved_files(&entry, root), judge.forbidden(&entry));
    entry.judged(placement, approved, forbidden);
    Some(entry)
}
