//! The catalogue: every skill of every root, in a fixed order, each with what became of it.

use crate::{
    cache, capability, command,
    entry::{DisabledBy, Entry, Origin, State},
    environment::Environment,
    host::{Hosts, Links, Nested, RootKind, ScanRule, Scope, Twins, Visit},
    load::Loaded,
    overrides, plugin,
    roots::{self, Root, Roots},
    scan::{self, Memory},
    settings::{RuleOwner, Select, Settings, TrustMode},
    trust::{Answer, TrustStore},
};
use sha2::{Digest, Sha256};
use skillful_format::{Code, Diagnostic, Soundness};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

/// Everything a catalogue is made from.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The known hosts.
    pub hosts: &'a Hosts,
    /// The outside.
    pub environment: &'a Environment,
    /// The decisions.
    pub settings: &'a Settings,
    /// The trusted folders.
    pub trust: &'a TrustStore,
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
    /// By address, all entries in order of precedence.
    index: HashMap<String, Vec<usize>>,
}

impl Catalog {
    /// Finds and places every skill.
    pub fn build(inputs: Inputs<'_>) -> Self {
        let Roots { list, project, diagnostics } =
            roots::resolve(inputs.hosts, inputs.environment, inputs.settings);
        let mut builder =
            Builder { inputs, roots: list, entries: Vec::new(), identities: HashMap::new(), diagnostics };
        builder.read_roots();
        let Builder { roots, mut entries, mut diagnostics, .. } = builder;
        overrides::apply(&mut entries, &roots, &mut diagnostics);
        for entry in &mut entries {
            entry.state = standing(entry, &roots[entry.origin.root], inputs);
        }
        let index = place(&mut entries, inputs.settings);
        Self { entries, roots, project, diagnostics, index }
    }

    /// All entries with that address, in order of precedence.
    pub fn called(&self, address: &str) -> impl Iterator<Item = (usize, &Entry)> {
        self.index.get(address).into_iter().flatten().map(|at| (*at, &self.entries[*at]))
    }

    /// The hosts that would find an entry in the places they look.
    pub fn hosts_of(&self, entry: &Entry) -> Vec<&str> {
        let roots = std::iter::once(entry.origin.root).chain(entry.origin.also.iter().map(|(root, _)| *root));
        let mut hosts: Vec<&str> =
            roots.flat_map(|root| self.roots[root].hosts.iter().map(String::as_str)).collect();
        hosts.sort_unstable();
        hosts.dedup();
        hosts
    }

    /// Changes when any skill, or what became of it, changes.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for entry in &self.entries {
            let loaded = serde_json::to_vec(&entry.loaded).unwrap_or_default();
            for part in
                [entry.address().as_bytes(), entry.origin.file.as_os_str().as_encoded_bytes(), &loaded]
            {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
            hash.update(entry.state.word());
        }
        hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The rule by which Skillful's own catalogue walks a root.
pub(crate) fn own_rule(settings: &Settings) -> ScanRule {
    ScanRule {
        files: vec!["SKILL.md".to_owned(), "skill.md".to_owned()],
        depth: Some(settings.depth),
        root_skill: true,
        flat_files: false,
        folders: Some(settings.folders),
        hidden: Visit::Skip,
        skip: vec!["node_modules".to_owned(), "__pycache__".to_owned()],
        skip_prefixes: Vec::new(),
        folder_links: Links::Follow,
        file_links: Links::Follow,
        nested: Nested::Stop,
        twins: Twins::One,
    }
}

struct Builder<'a> {
    inputs: Inputs<'a>,
    roots: Vec<Root>,
    entries: Vec<Entry>,
    identities: HashMap<(u64, u64), usize>,
    diagnostics: Vec<Diagnostic>,
}

impl Builder<'_> {
    fn read_roots(&mut self) {
        let rule = own_rule(self.inputs.settings);
        for at in 0..self.roots.len() {
            let root = self.roots[at].clone();
            if !root.present {
                continue;
            }
            match root.kind {
                RootKind::Skills | RootKind::Overrides => {
                    self.skills(at, &root.path, root.qualifier.as_deref(), &rule)
                }
                RootKind::Commands => self.commands(at, &root.path, root.qualifier.as_deref()),
                RootKind::Plugins => {
                    let (plugins, diagnostics) = plugin::plugins_in(&root.path);
                    self.diagnostics.extend(diagnostics);
                    for plugin in plugins {
                        for folder in &plugin.skills {
                            self.skills(at, folder, Some(&plugin.name), &rule);
                        }
                        for folder in &plugin.commands {
                            self.commands(at, folder, Some(&plugin.name));
                        }
                    }
                }
                RootKind::Integrations => {
                    for domain in subfolders(&root.path) {
                        self.skills(at, &domain.join("skills"), None, &rule);
                    }
                }
            }
        }
    }

    fn skills(&mut self, root_at: usize, folder: &Path, qualifier: Option<&str>, rule: &ScanRule) {
        let Some(scan) = self.walk(root_at, folder, rule) else { return };
        let real_root = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        let root = &self.roots[root_at];
        let (scope, kind) = (root.scope, root.kind);
        for record in scan.records {
            let identity = record.identity();
            let Some(skill) = record.skill else { continue };
            let found = folder.join(&record.path);
            if let Some(first) = self.identities.get(&identity) {
                // The same folder over another way: one skill.
                self.entries[*first].origin.also.push((root_at, found.join(&skill.file)));
                continue;
            }
            self.identities.insert(identity, self.entries.len());
            let real = record.real.unwrap_or_else(|| real_root.join(&record.path));
            let name = effective_name(&skill.loaded, &found);
            self.entries.push(Entry {
                name,
                qualifier: qualifier.map(str::to_owned),
                origin: Origin {
                    root: root_at,
                    scope,
                    kind,
                    file: found.join(&skill.file),
                    real,
                    also: Vec::new(),
                },
                loaded: skill.loaded,
                state: State::Ready,
                overridden: None,
            });
        }
        self.diagnostics.extend(scan.diagnostics);
    }

    fn walk(&mut self, root_at: usize, folder: &Path, rule: &ScanRule) -> Option<scan::Scan> {
        if !folder.is_dir() {
            return None;
        }
        let links = self.roots[root_at].links;
        let file = self.inputs.settings.cache.as_ref().map(|cache| {
            let key = format!("{} {:?} {links:?}", rule.depth.unwrap_or(0), rule.folders);
            cache::file_for(cache, folder, &key)
        });
        let memory = match &file {
            Some(file) => {
                let (memory, reason) = cache::read(file);
                if let Some(reason) = reason {
                    let message = format!("the cache was built anew: {reason}");
                    self.diagnostics.push(Diagnostic::new(Code::CacheDiscarded, message).in_path(file));
                }
                memory
            }
            None => Memory::default(),
        };
        // Taken before the walk, so that a change during it is newer than the record.
        let taken =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos().cast_signed().into());
        let before = memory.taken;
        let scan = scan::scan(folder, rule, links, memory);
        if let Some(file) = &file
            && (scan.changed || before == 0)
        {
            // A cache that cannot be written costs time and nothing else.
            if let Err(error) = cache::write(file, taken, &scan.records) {
                let message = format!("the cache could not be written: {error}");
                self.diagnostics.push(Diagnostic::new(Code::CacheDiscarded, message).in_path(file));
            }
        }
        Some(scan)
    }

    fn commands(&mut self, root_at: usize, folder: &Path, qualifier: Option<&str>) {
        let (commands, diagnostics) = command::commands_in(folder);
        self.diagnostics.extend(diagnostics);
        let scope = self.roots[root_at].scope;
        for command in commands {
            let real = std::fs::canonicalize(&command.path).unwrap_or_else(|_| command.path.clone());
            self.entries.push(Entry {
                name: command.name,
                qualifier: qualifier.map(str::to_owned),
                origin: Origin {
                    root: root_at,
                    scope,
                    kind: RootKind::Commands,
                    file: command.path,
                    real,
                    also: Vec::new(),
                },
                loaded: command.loaded,
                state: State::Ready,
                overridden: None,
            });
        }
    }
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut folders: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The header's name, else the folder's.
fn effective_name(loaded: &Loaded, folder: &Path) -> String {
    let written = loaded.manifest.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    match written {
        Some(name) => name.split_whitespace().collect::<Vec<_>>().join(" "),
        None => {
            folder.file_name().map_or_else(|| "skill".to_owned(), |name| name.to_string_lossy().into_owned())
        }
    }
}

/// What becomes of a skill before others of its name are looked at.
fn standing(entry: &Entry, root: &Root, inputs: Inputs<'_>) -> State {
    let settings = inputs.settings;
    if let Some(by) = disabled_by(entry, root, settings) {
        return State::Disabled { by };
    }
    if entry.loaded.soundness == Soundness::Broken {
        return State::Invalid;
    }
    if let (Some(folder), TrustMode::Ask) = (&root.needs_trust, settings.trust) {
        let real_folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        let path = trust_key(&real_folder, entry);
        match inputs.trust.ask(&real_folder, &path, &capability::capabilities(entry)) {
            Answer::Yes => {}
            Answer::No => return State::Untrusted { more: Vec::new() },
            Answer::Grown(more) => return State::Untrusted { more },
        }
    }
    State::Ready
}

/// How a trust store names a skill: its real path relative to the repository.
pub fn trust_key(repository: &Path, entry: &Entry) -> String {
    entry.origin.real.strip_prefix(repository).unwrap_or(&entry.origin.real).to_string_lossy().into_owned()
}

fn disabled_by(entry: &Entry, root: &Root, settings: &Settings) -> Option<DisabledBy> {
    let address = entry.address();
    let source = settings.sources.iter().rev().find(|rule| {
        rule.scope.is_none_or(|scope| scope == entry.origin.scope)
            && rule.host.as_ref().is_none_or(|host| root.hosts.contains(host))
    });
    // A folder that several hosts share stays as long as one of them is on.
    let shared_on = source.is_some_and(|rule| {
        rule.host.is_some()
            && root.hosts.iter().any(|host| {
                !settings.sources.iter().any(|rule| !rule.enabled && rule.host.as_ref() == Some(host))
            })
    });
    if source.is_some_and(|rule| !rule.enabled) && !shared_on {
        return Some(DisabledBy::Source);
    }
    let names = |glob: &&crate::settings::NameGlob| glob.matches(&entry.name) || glob.matches(&address);
    if let Some(glob) = settings.ignore.iter().find(names) {
        return Some(DisabledBy::Ignore { glob: glob.as_str().to_owned() });
    }
    if !settings.include.is_empty() && !settings.include.iter().any(|glob| names(&glob)) {
        return Some(DisabledBy::NotIncluded);
    }
    let hits = |select: &Select| match select {
        Select::Name(name) => *name == entry.name || *name == address,
        Select::Path(path) => {
            *path == entry.origin.file || *path == entry.folder() || *path == entry.origin.real
        }
    };
    let rule = settings
        .rules
        .iter()
        .filter(|rule| rule.for_user.is_none())
        // A repository cannot switch on what the person switched off.
        .filter(|rule| !(rule.owner == RuleOwner::Project && rule.enabled))
        .rfind(|rule| hits(&rule.select))?;
    (!rule.enabled).then(|| DisabledBy::Rule { owner: rule.owner.clone() })
}

/// Decides who wins each name. A skill that is switched off, broken or untrusted shadows nobody.
fn place(entries: &mut [Entry], settings: &Settings) -> HashMap<String, Vec<usize>> {
    let mut index: HashMap<String, Vec<usize>> = HashMap::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        index.entry(entry.address()).or_default().push(at);
    }
    for group in index.values().filter(|group| group.len() > 1) {
        let ready = |at: &&usize| entries[**at].state == State::Ready;
        let required = group.iter().filter(ready).find(|at| is_required(&entries[**at], settings));
        let Some(winner) = required.or_else(|| group.iter().find(ready)).copied() else { continue };
        for at in group.iter().copied().filter(|at| *at != winner) {
            if entries[at].state == State::Ready {
                entries[at].state = State::Shadowed { by: winner };
            }
        }
    }
    index
}

/// A managed skill that its administrator marked, in the settings or in the skill itself.
fn is_required(entry: &Entry, settings: &Settings) -> bool {
    let marked = || {
        entry
            .loaded
            .manifest
            .metadata
            .iter()
            .any(|(key, value)| key == "required" && matches!(value, skillful_format::Data::Bool(true)))
    };
    entry.origin.scope == Scope::Managed && (settings.required.contains(&entry.name) || marked())
}
