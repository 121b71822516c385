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
    settings::{NameGlob, RuleOwner, Select, Settings, SkillRule, SourceRule, TrustMode},
    trust::{Answer, TrustStore},
    variables,
};
use sha2::{Digest, Sha256};
use skillful_format::{Code, Diagnostic, Soundness};
use std::{
    collections::{BTreeMap, HashMap},
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
    /// Rules of single persons; the gate knows who asks.
    personal: Vec<(String, ReadRule)>,
}

impl Catalog {
    /// Finds and places every skill.
    pub fn build(inputs: Inputs<'_>) -> Self {
        let Roots { list, project, diagnostics } =
            roots::resolve(inputs.hosts, inputs.environment, inputs.settings);
        let mut builder = Builder {
            inputs,
            roots: list,
            entries: Vec::new(),
            orders: Vec::new(),
            ways: BTreeMap::new(),
            identities: HashMap::new(),
            files: HashMap::new(),
            found: 0,
            diagnostics,
        };
        builder.read_roots();
        let mut judge = Judge::new(inputs);
        builder.choose_ways(&mut judge);
        let Builder { roots, mut entries, mut diagnostics, .. } = builder;
        overrides::apply(&mut entries, &roots, &mut diagnostics);
        for entry in &mut entries {
            entry.state = judge.standing(entry, &roots[entry.origin.root]);
        }
        let index = place(&mut entries, inputs.settings);
        variables::check(&mut entries, inputs.environment, inputs.settings, &mut diagnostics);
        Self { entries, roots, project, diagnostics, index, personal: judge.personal }
    }

    /// All entries with that address, in order of precedence.
    pub fn called(&self, address: &str) -> impl Iterator<Item = (usize, &Entry)> {
        self.index.get(address).into_iter().flatten().map(|at| (*at, &self.entries[*at]))
    }

    /// The entry that an address means for a person: the winner, unless they switched it off, in
    /// which case the next one counts as if the winner were not there.
    pub fn called_by(&self, address: &str, person: Option<&str>) -> Option<&Entry> {
        let winner =
            self.called(address).map(|(_, entry)| entry).find(|entry| entry.state == State::Ready)?;
        if !self.is_switched_off_by(winner, person) {
            return Some(winner);
        }
        self.called(address)
            .map(|(_, entry)| entry)
            .find(|entry| {
                matches!(entry.state, State::Shadowed { .. }) && !self.is_switched_off_by(entry, person)
            })
            .or(Some(winner))
    }

    /// Whether a person switched a skill off for themselves.
    pub(crate) fn is_switched_off_by(&self, entry: &Entry, person: Option<&str>) -> bool {
        let Some(person) = person else { return false };
        let rule =
            self.personal.iter().filter(|(owner, _)| owner == person).rfind(|(_, rule)| rule.hits(entry));
        rule.is_some_and(|(_, rule)| !rule.enabled)
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
            // What a skill says follows from its bytes, unless an operator mixed it from several files.
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
            hash.update(entry.state.word());
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

/// One way on which a skill was found.
struct Way {
    root: usize,
    file: PathBuf,
    name: String,
    qualifier: Option<String>,
    /// How many were found before it.
    order: usize,
}

struct Builder<'a> {
    inputs: Inputs<'a>,
    roots: Vec<Root>,
    entries: Vec<Entry>,
    /// For each entry how many ways were found before it.
    orders: Vec<usize>,
    /// Further ways that lead to an entry, the strongest first.
    ways: BTreeMap<usize, Vec<Way>>,
    /// Skills by their folder.
    identities: HashMap<(u64, u64), usize>,
    /// Commands by their real file.
    files: HashMap<PathBuf, usize>,
    found: usize,
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
                RootKind::Skills => self.skills(at, &root.path, root.qualifier.as_deref(), &rule),
                RootKind::Overrides => {
                    let mut rule = rule.clone();
                    // An override may be metadata alone.
                    rule.files.push("skill.toml".to_owned());
                    self.skills(at, &root.path, None, &rule);
                }
                RootKind::Commands => self.commands(at, &root.path, root.qualifier.as_deref()),
                RootKind::Plugins => self.plugins(at, &root.path, &rule),
                RootKind::Integrations => {
                    for domain in subfolders(&root.path, &mut self.diagnostics) {
                        self.skills(at, &domain.join("skills"), None, &rule);
                    }
                }
            }
        }
    }

    fn plugins(&mut self, at: usize, folder: &Path, rule: &ScanRule) {
        let (plugins, diagnostics) = plugin::plugins_in(folder);
        self.diagnostics.extend(diagnostics);
        for plugin in plugins {
            self.roots[at].searched.extend(plugin::manifest_folders(&plugin.folder));
            for folder in &plugin.skills {
                // A manifest may name a skill itself; what lies in it is then its own.
                let is_skill = rule.files.iter().any(|file| folder.join(file).is_file());
                let rule = if is_skill { &ScanRule { depth: Some(0), ..rule.clone() } } else { rule };
                self.skills(at, folder, Some(&plugin.name), rule);
            }
            for folder in &plugin.commands {
                self.commands(at, folder, Some(&plugin.name));
            }
        }
    }

    fn skills(&mut self, root_at: usize, folder: &Path, qualifier: Option<&str>, rule: &ScanRule) {
        self.roots[root_at].searched.push(folder.to_path_buf());
        let Some(scan) = self.walk(root_at, folder, rule) else { return };
        self.entries.reserve(scan.records.len());
        for record in scan.records {
            let identity = record.identity();
            let Some(skill) = record.skill else { continue };
            let found = folder.join(&record.path);
            let way = Way {
                root: root_at,
                file: found.join(&skill.file),
                name: effective_name(&skill.loaded, &found),
                qualifier: qualifier.map(str::to_owned),
                order: self.found,
            };
            self.found += 1;
            // The same folder over another way: one skill.
            match self.identities.get(&identity) {
                Some(first) => self.ways.entry(*first).or_default().push(way),
                None => {
                    self.identities.insert(identity, self.entries.len());
                    let real = record.real.unwrap_or_else(|| scan.real.join(&record.path));
                    self.add(way, self.roots[root_at].kind, real, skill.loaded);
                }
            }
        }
        self.diagnostics.extend(scan.diagnostics);
    }

    fn add(&mut self, way: Way, kind: RootKind, real: PathBuf, loaded: Box<Loaded>) {
        let scope = self.roots[way.root].scope;
        self.orders.push(way.order);
        self.entries.push(Entry {
            name: way.name,
            qualifier: way.qualifier,
            origin: Origin { root: way.root, scope, kind, file: way.file, real, also: Vec::new() },
            loaded,
            state: State::Ready,
            overridden: None,
            missing_variables: Vec::new(),
        });
    }

    /// A skill that several ways lead to stands where the strongest of them that is open puts it. A
    /// repository nobody trusts could otherwise take a person's own skill away with a link to it.
    fn choose_ways(&mut self, judge: &mut Judge<'_>) {
        let mut has_moved = false;
        for (at, mut ways) in std::mem::take(&mut self.ways) {
            let entry = &mut self.entries[at];
            let mut is_open = |root: usize| {
                let root = &self.roots[root];
                is_source_on(root, judge.inputs.settings) && judge.trusts(entry, root) == Answer::Yes
            };
            if !is_open(entry.origin.root)
                && let Some(way) = ways.iter_mut().find(|way| is_open(way.root))
            {
                has_moved = true;
                std::mem::swap(&mut entry.origin.root, &mut way.root);
                std::mem::swap(&mut entry.origin.file, &mut way.file);
                std::mem::swap(&mut entry.name, &mut way.name);
                std::mem::swap(&mut entry.qualifier, &mut way.qualifier);
                std::mem::swap(&mut self.orders[at], &mut way.order);
                let root = &self.roots[entry.origin.root];
                entry.origin.scope = root.scope;
                if entry.origin.kind != RootKind::Commands {
                    entry.origin.kind = root.kind;
                }
            }
            ways.sort_by_key(|way| way.order);
            entry.origin.also = ways.into_iter().map(|way| (way.root, way.file)).collect();
        }
        if has_moved {
            let mut placed: Vec<(usize, Entry)> =
                self.orders.iter().copied().zip(std::mem::take(&mut self.entries)).collect();
            placed.sort_by_key(|(order, _)| *order);
            self.entries = placed.into_iter().map(|(_, entry)| entry).collect();
        }
    }

    fn walk(&mut self, root_at: usize, folder: &Path, rule: &ScanRule) -> Option<scan::Scan> {
        if !folder.is_dir() {
            return None;
        }
        let links = self.roots[root_at].links;
        let file = self.inputs.settings.cache.as_ref().map(|cache| {
            let key = format!("{:?} {:?} {links:?} {:?}", rule.depth, rule.folders, rule.files);
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
        let now = self.inputs.settings.now.unwrap_or_else(SystemTime::now);
        let taken =
            now.duration_since(UNIX_EPOCH).map_or(0, |now| i64::try_from(now.as_nanos()).unwrap_or(i64::MAX));
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
        if !folder.is_dir() {
            return;
        }
        self.roots[root_at].searched.push(folder.to_path_buf());
        let (commands, diagnostics) = command::commands_in(folder);
        self.diagnostics.extend(diagnostics);
        for command in commands {
            let real = std::fs::canonicalize(&command.path).unwrap_or_else(|_| command.path.clone());
            let way = Way {
                root: root_at,
                file: command.path,
                name: command.name,
                qualifier: qualifier.map(str::to_owned),
                order: self.found,
            };
            self.found += 1;
            match self.files.get(&real) {
                Some(first) => self.ways.entry(*first).or_default().push(way),
                None => {
                    self.files.insert(real.clone(), self.entries.len());
                    self.add(way, RootKind::Commands, real, command.loaded);
                }
            }
        }
    }
}

fn subfolders(folder: &Path, diagnostics: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            let message = format!("the folder could not be read: {error}");
            diagnostics.push(Diagnostic::new(Code::FolderUnreadable, message).in_path(folder));
            return Vec::new();
        }
    };
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

/// Decides about single skills. What it asks the disk about rules and repositories it asks once.
struct Judge<'a> {
    inputs: Inputs<'a>,
    rules: Vec<ReadRule>,
    personal: Vec<(String, ReadRule)>,
    repositories: HashMap<PathBuf, PathBuf>,
}

/// A rule about a skill, with the file it means.
#[derive(Clone, Debug)]
struct ReadRule {
    select: Select,
    real: Option<PathBuf>,
    enabled: bool,
    owner: RuleOwner,
}

impl ReadRule {
    fn new(rule: &SkillRule) -> Self {
        let real = match &rule.select {
            Select::Path(path) => std::fs::canonicalize(path).ok(),
            Select::Name(_) => None,
        };
        Self { select: rule.select.clone(), real, enabled: rule.enabled, owner: rule.owner.clone() }
    }

    fn hits(&self, entry: &Entry) -> bool {
        let path = match &self.select {
            Select::Name(name) => return *name == entry.name || *name == entry.address(),
            Select::Path(path) => path,
        };
        let origin = &entry.origin;
        // The folder of a command holds others too, so it means none of them.
        let own_folder = origin.kind != RootKind::Commands;
        let mut ways = std::iter::once(&origin.file).chain(origin.also.iter().map(|(_, file)| file));
        ways.any(|file| path == file || own_folder && Some(path.as_path()) == file.parent())
            || self.real.as_ref().is_some_and(|real| {
                *real == origin.real
                    || own_folder
                        && real.parent() == Some(&origin.real)
                        && real.file_name() == origin.file.file_name()
            })
    }
}

impl<'a> Judge<'a> {
    fn new(inputs: Inputs<'a>) -> Self {
        let rules = &inputs.settings.rules;
        Self {
            inputs,
            rules: rules.iter().filter(|rule| rule.for_user.is_none()).map(ReadRule::new).collect(),
            personal: rules
                .iter()
                .filter_map(|rule| Some((rule.for_user.clone()?, ReadRule::new(rule))))
                .collect(),
            repositories: HashMap::new(),
        }
    }

    /// What becomes of a skill before others of its name are looked at.
    fn standing(&mut self, entry: &Entry, root: &Root) -> State {
        if let Some(by) = self.disabled_by(entry, root) {
            return State::Disabled { by };
        }
        if entry.loaded.soundness == Soundness::Broken {
            return State::Invalid;
        }
        match self.trusts(entry, root) {
            Answer::Yes => State::Ready,
            Answer::No => State::Untrusted { more: Vec::new() },
            Answer::Grown(more) => State::Untrusted { more },
        }
    }

    fn trusts(&mut self, entry: &Entry, root: &Root) -> Answer {
        let (Some(folder), TrustMode::Ask) = (&root.needs_trust, self.inputs.settings.trust) else {
            return Answer::Yes;
        };
        if !self.repositories.contains_key(folder) {
            let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
            self.repositories.insert(folder.clone(), real);
        }
        let real = &self.repositories[folder];
        self.inputs.trust.ask(real, &trust_key(real, entry), &capability::capabilities(entry))
    }

    fn disabled_by(&self, entry: &Entry, root: &Root) -> Option<DisabledBy> {
        let settings = self.inputs.settings;
        if !is_source_on(root, settings) {
            return Some(DisabledBy::Source);
        }
        let address = entry.address();
        let names = |glob: &&NameGlob| glob.matches(&entry.name) || glob.matches(&address);
        if let Some(glob) = settings.ignore.iter().find(names) {
            return Some(DisabledBy::Ignore { glob: glob.as_str().to_owned() });
        }
        if !settings.include.is_empty() && !settings.include.iter().any(|glob| names(&glob)) {
            return Some(DisabledBy::NotIncluded);
        }
        let rule = self
            .rules
            .iter()
            // A repository cannot switch on what the person switched off.
            .filter(|rule| !(rule.owner == RuleOwner::Project && rule.enabled))
            .rfind(|rule| rule.hits(entry))?;
        (!rule.enabled).then(|| DisabledBy::Rule { owner: rule.owner.clone() })
    }
}

/// How a trust store names a skill: its real path relative to the repository.
pub fn trust_key(repository: &Path, entry: &Entry) -> String {
    entry.origin.real.strip_prefix(repository).unwrap_or(&entry.origin.real).to_string_lossy().into_owned()
}

/// Whether anybody who reads a root is switched on: a folder that several hosts share stays as long
/// as one of them is. For each host the last rule that is about it counts.
fn is_source_on(root: &Root, settings: &Settings) -> bool {
    let is_on = |host: Option<&String>| {
        let about = |rule: &&SourceRule| {
            rule.scope.is_none_or(|scope| scope == root.scope)
                && rule.host.as_ref().is_none_or(|named| Some(named) == host)
        };
        settings.sources.iter().rfind(about).is_none_or(|rule| rule.enabled)
    };
    if root.hosts.is_empty() { is_on(None) } else { root.hosts.iter().any(|host| is_on(Some(host))) }
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
