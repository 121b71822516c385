//! The catalog: every skill of every root, in a fixed order, each with its placement.

use crate::{
    approvals::Approvals,
    bounded::Boundary,
    cache, confusable,
    entry::{Entry, Placement},
    environment::Environment,
    overrides,
    profile::AgentProfiles,
    roots::{self, Root, Roots},
    settings::Settings,
    trust::TrustStore,
    variables,
    walked::WalkedFolders,
};
use gather::Gathering;
use placement::{Judge, ReadRule};
use sha2::{Digest, Sha256};
use skillful_format::Diagnostic;
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

mod agent_catalog;
mod gather;
mod placement;

pub use agent_catalog::{LoadedByAgent, MissedByAgent};

pub use placement::trust_key;

/// Everything a catalog is made from.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The known agents.
    pub agents: &'a AgentProfiles,
    /// The outside.
    pub environment: &'a Environment,
    /// The decisions.
    pub settings: &'a Settings,
    /// The trusted folders.
    pub trust: &'a TrustStore,
    /// The installed skills, and the files that the user approved.
    pub approvals: &'a Arc<Approvals>,
}

/// A number that no other catalog of this process has.
#[derive(Clone, Debug)]
struct CatalogId(u64);

impl Default for CatalogId {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Many skills. Immutable: a reload makes another one.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// All skills, the strongest roots first.
    pub entries: Vec<Entry>,
    /// Where they were looked for.
    pub roots: Vec<Root>,
    /// The repository's root, else the working folder.
    pub project: PathBuf,
    /// What was found wrong outside single skills.
    pub diagnostics: Vec<Diagnostic>,
    /// Identifies this catalog among all catalogs of this process.
    id: CatalogId,
    /// By address, all entries in order of precedence.
    index: HashMap<String, Vec<usize>>,
    /// Rules of single users; the gate applies those of the user it is asked for.
    personal: Vec<(String, ReadRule)>,
    /// What is installed and approved; compared again each time a skill is used.
    approvals: Arc<Approvals>,
    /// The agents that read each root, sorted; made when they are first asked for.
    agents_by_root: OnceLock<Vec<Arc<[String]>>>,
}

impl Catalog {
    /// Whether a file of a repository or a plugin is a link that leads out of it, to `real`: the catalog does not read it.
    pub fn leads_out(&self, file: &Path, real: &Path) -> bool {
        let folder = file.parent().unwrap_or(file);
        let holds = |within: &Boundary| within.permits(folder, real.parent().unwrap_or(real));
        let known = self.roots.iter().filter(|root| file.starts_with(&root.path));
        match known.max_by_key(|root| root.path.as_os_str().len()) {
            Some(root) => root.within.as_ref().is_some_and(|within| !holds(within)),
            // A folder that only this agent reads.
            None => file.starts_with(&self.project) && !holds(&Boundary::of(&self.project)),
        }
    }

    /// Finds and places every skill.
    pub fn build(inputs: Inputs<'_>) -> Self {
        Self::gathered(inputs, None).0
    }

    /// The same, with everything that was opened for it.
    pub fn build_with_walked(inputs: Inputs<'_>) -> (Self, WalkedFolders) {
        let (catalog, walked) = Self::gathered(inputs, Some(WalkedFolders::default()));
        (catalog, walked.unwrap_or_default())
    }

    /// Whether the cache may have what an earlier walk found, so that few folders are opened.
    pub fn is_remembered(settings: &Settings) -> bool {
        settings.cache.as_deref().is_some_and(cache::is_used)
    }

    fn gathered(inputs: Inputs<'_>, walked: Option<WalkedFolders>) -> (Self, Option<WalkedFolders>) {
        let Roots { list, project, diagnostics } =
            roots::resolve(inputs.agents, inputs.environment, inputs.settings);
        let mut gathering = Gathering::new(inputs, list, diagnostics);
        gathering.walked = walked;
        gathering.read_roots();
        confusable::mark(&mut gathering.entries);
        let mut judge = Judge::new(inputs);
        gathering.choose_ways(&mut judge);
        let Gathering { roots, mut entries, mut diagnostics, walked, .. } = gathering;
        overrides::apply(&mut entries, &roots, &mut diagnostics);
        judge.forget_overridden(&entries);
        judge.read_files(&entries, &roots);
        for entry in &mut entries {
            let root = &roots[entry.origin.root];
            let placement = judge.placement(entry, root);
            let (approved, forbidden) = (judge.approved_files(entry, root), judge.forbidden(entry));
            entry.judged(placement, approved, forbidden);
        }
        let index = placement::place(&mut entries, inputs.settings);
        placement::report_displaced(&mut entries, &roots, &mut diagnostics);
        variables::check(&mut entries, inputs.environment, inputs.settings, &mut diagnostics);
        let catalog = Self {
            entries,
            roots,
            project,
            diagnostics,
            id: CatalogId::default(),
            index,
            personal: judge.personal,
            approvals: Arc::clone(inputs.approvals),
            agents_by_root: OnceLock::new(),
        };
        (catalog, walked)
    }

    /// Identifies this catalog among all catalogs of this process: a proof of the gate names it.
    pub fn id(&self) -> u64 {
        self.id.0
    }

    /// What is installed for the user, and which files the user approved.
    pub fn approvals(&self) -> &Approvals {
        &self.approvals
    }

    /// All entries with that address, in order of precedence.
    pub fn called(&self, address: &str) -> impl Iterator<Item = (usize, &Entry)> {
        self.index.get(address).into_iter().flatten().map(|at| (*at, &self.entries[*at]))
    }

    /// The entry that an address means for a user: the winner, unless the user disabled it, in
    /// which case the next one counts as if the winner were not there.
    pub fn called_by(&self, address: &str, user: Option<&str>) -> Option<(usize, &Entry)> {
        let winner = self.called(address).find(|(_, entry)| entry.placement == Placement::Active)?;
        if !self.is_disabled_by(winner.1, user) {
            return Some(winner);
        }
        let next = self.called(address).find(|(_, entry)| {
            matches!(entry.placement, Placement::Shadowed { .. }) && !self.is_disabled_by(entry, user)
        });
        next.or(Some(winner))
    }

    /// Whether a user disabled a skill for themselves.
    pub(crate) fn is_disabled_by(&self, entry: &Entry, user: Option<&str>) -> bool {
        let Some(user) = user else { return false };
        let rule =
            self.personal.iter().filter(|(owner, _)| owner == user).rfind(|(_, rule)| rule.hits(entry));
        rule.is_some_and(|(_, rule)| !rule.enabled)
    }

    /// The agents that would find an entry in the places they look. The skills of one root share the list.
    pub fn agents_of(&self, entry: &Entry) -> Arc<[String]> {
        let sorted = |roots: &mut dyn Iterator<Item = &Root>| -> Arc<[String]> {
            let agents: BTreeSet<&String> = roots.flat_map(|root| &root.agents).collect();
            agents.into_iter().cloned().collect()
        };
        if entry.origin.also.is_empty() {
            let by_root = || self.roots.iter().map(|root| sorted(&mut std::iter::once(root))).collect();
            let known: &Vec<Arc<[String]>> = self.agents_by_root.get_or_init(by_root);
            return Arc::clone(&known[entry.origin.root]);
        }
        let also = entry.origin.also.iter().map(|(root, _)| *root);
        sorted(&mut std::iter::once(entry.origin.root).chain(also).map(|root| &self.roots[root]))
    }

    /// Changes when any skill, or what became of it, changes.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for entry in &self.entries {
            // The fields of a skill follow from its bytes, unless an operator mixed it from several files.
            let loaded = match entry.overridden {
                None => entry.loaded.content.to_le_bytes().to_vec(),
                Some(_) => serde_json::to_vec(&entry.loaded).unwrap_or_default(),
            };
            for part in
                [entry.address().as_bytes(), entry.origin.file.as_os_str().as_encoded_bytes(), &loaded]
            {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
            hash.update(entry.placement.word());
            // Neither folders beside the file nor findings about it are in its bytes.
            let findings = entry.loaded.diagnostics.iter().map(|found| found.code.as_str());
            let words = entry.loaded.parts.iter().chain(&entry.missing_variables).map(String::as_str);
            for word in words.chain(findings) {
                hash.update(word);
                hash.update([0]);
            }
        }
        cache::hex(&hash.finalize()[..8])
    }
}
