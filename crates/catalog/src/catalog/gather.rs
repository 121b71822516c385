//! Gathering: every skill of every root, and the paths by which each was found.

use super::{
    Inputs,
    placement::{Judge, is_source_on},
};
use crate::{
    bounded::Boundary,
    cache, command,
    entry::{Entry, Origin},
    load::Loaded,
    names::plugin_qualifier,
    plugin,
    profile::{Links, Nested, RepeatedFolder, RootKind, ScanOrder, ScanRule, Scope, Visit},
    roots::Root,
    scan::{self, Memory},
    settings::Settings,
    skipped_place::{self, SkippedPlace},
    walked::WalkedFolders,
};
use skillful_format::{Code, Diagnostic, path_text};
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// The rule by which Skillful's own catalog walks a root.
fn own_rule(settings: &Settings) -> ScanRule {
    ScanRule {
        files: vec!["SKILL.md".to_owned(), "skill.md".to_owned()],
        depth: Some(settings.depth),
        root_skill: true,
        flat_files: false,
        folders: Some(settings.folders),
        // Skills of hidden folders and inside of other skills are found, listed and not loaded.
        hidden: Visit::Scan,
        skip: vec![".git".to_owned()],
        skip_prefixes: Vec::new(),
        folder_links: Links::Follow,
        file_links: Links::Follow,
        nested: Nested::Descend,
        repeated_folder: RepeatedFolder::One,
        below: true,
        order: ScanOrder::Breadth,
    }
}

/// One path by which a skill was found.
struct FoundPath {
    root: usize,
    file: PathBuf,
    name: String,
    qualifier: Option<String>,
    /// The place that Skillful does not load skills from.
    skipped: Option<SkippedPlace>,
    /// How many were found before it.
    order: usize,
}

/// The skills found so far.
pub(super) struct Gathering<'a> {
    inputs: Inputs<'a>,
    pub(super) roots: Vec<Root>,
    pub(super) entries: Vec<Entry>,
    /// For each entry how many paths were found before it.
    orders: Vec<usize>,
    /// Further paths that lead to an entry, the strongest first.
    ways: BTreeMap<usize, Vec<FoundPath>>,
    /// Skills by their folder.
    identities: HashMap<(u64, u64), usize>,
    /// Commands by their real file.
    files: HashMap<PathBuf, usize>,
    found: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Everything that was opened, for a caller that wants it.
    pub(super) walked: Option<WalkedFolders>,
}

impl<'a> Gathering<'a> {
    /// Nothing found yet in these roots.
    pub(super) fn new(inputs: Inputs<'a>, mut roots: Vec<Root>, diagnostics: Vec<Diagnostic>) -> Self {
        bound(&mut roots, inputs);
        Self {
            inputs,
            roots,
            entries: Vec::new(),
            orders: Vec::new(),
            ways: BTreeMap::new(),
            identities: HashMap::new(),
            files: HashMap::new(),
            found: 0,
            diagnostics,
            walked: None,
        }
    }

    /// Reads every root that is there.
    pub(super) fn read_roots(&mut self) {
        let rule = own_rule(self.inputs.settings);
        for at in 0..self.roots.len() {
            let root = self.roots[at].clone();
            if !root.present {
                continue;
            }
            match root.kind {
                RootKind::Skills => {
                    // A plugin may be a skill itself; what lies in it is then its own.
                    let is_skill = root.scope == Scope::Plugin
                        && rule.files.iter().any(|file| root.path.join(file).is_file());
                    let rule = if is_skill { &ScanRule { depth: Some(0), ..rule.clone() } } else { &rule };
                    self.skills((at, root.within.as_ref()), &root.path, root.qualifier.as_deref(), rule);
                }
                RootKind::Overrides => {
                    let mut rule = rule.clone();
                    // An override may be metadata alone.
                    rule.files.push("skill.toml".to_owned());
                    self.skills((at, root.within.as_ref()), &root.path, None, &rule);
                }
                RootKind::Commands => {
                    self.commands((at, root.within.as_ref()), &root.path, root.qualifier.as_deref());
                }
                RootKind::Plugins => self.plugins(at, &root.path, &rule),
                RootKind::Integrations => {
                    for domain in subfolders(&root.path, &mut self.diagnostics) {
                        self.skills((at, root.within.as_ref()), &domain.join("skills"), None, &rule);
                    }
                }
            }
        }
    }

    fn plugins(&mut self, at: usize, folder: &Path, rule: &ScanRule) {
        let (plugins, diagnostics) = plugin::plugins_in(folder, self.roots[at].within.as_deref());
        self.diagnostics.extend(diagnostics);
        for plugin in plugins {
            // A user's own link to a plugin is followed; a link of the plugin stays inside.
            let own = || Arc::new(Boundary::of(folder).and([plugin.folder.clone()]));
            let within = Some(self.roots[at].within.clone().unwrap_or_else(own));
            self.roots[at].searched.extend(plugin::manifest_folders(&plugin.folder));
            let qualifier = plugin_qualifier(&plugin.name);
            for folder in &plugin.skills {
                // A manifest may name a skill itself; what lies in it is then its own.
                let is_skill = rule.files.iter().any(|file| folder.join(file).is_file());
                let rule = if is_skill { &ScanRule { depth: Some(0), ..rule.clone() } } else { rule };
                self.skills((at, within.as_ref()), folder, Some(&qualifier), rule);
            }
            for folder in &plugin.commands {
                self.commands((at, within.as_ref()), folder, Some(&qualifier));
            }
        }
    }

    fn skills(
        &mut self,
        (root_at, within): (usize, Option<&Arc<Boundary>>),
        folder: &Path,
        qualifier: Option<&str>,
        rule: &ScanRule,
    ) {
        self.roots[root_at].searched.push(folder.to_path_buf());
        let Some(scan) = self.walk((root_at, within.map(Arc::as_ref)), folder, rule) else { return };
        // Exactly: an entry is large, and one root often holds nearly all of them.
        self.entries.reserve_exact(scan.records.iter().filter(|record| record.skill.is_some()).count());
        let places = skipped_place::places(&scan.records, rule.depth == Some(0));
        for (record, skipped) in scan.records.into_iter().zip(places) {
            // Out of its box, which gives its memory to what is kept of the skill.
            let mut record = *record;
            let identity = record.identity();
            if let (Some(all), Some(walked)) = (&mut self.walked, record.walked.take()) {
                let path =
                    if record.path.is_empty() { folder.to_path_buf() } else { folder.join(&record.path) };
                all.insert(path, *walked);
            }
            let Some(skill) = record.skill else { continue };
            let file = joined(folder, [&record.path, &skill.file]);
            let name = effective_name(&skill.loaded, file.parent().unwrap_or(folder));
            let way = FoundPath {
                root: root_at,
                file,
                name,
                qualifier: qualifier.map(str::to_owned),
                skipped,
                order: self.found,
            };
            self.found += 1;
            // The same folder by another path: one skill.
            match self.identities.get(&identity) {
                Some(first) => self.again(*first, way, within, skill.loaded),
                None => {
                    self.identities.insert(identity, self.entries.len());
                    let real = record.real.unwrap_or_else(|| joined(&scan.real, [&record.path]));
                    self.add((way, within), self.roots[root_at].kind, real, skill.loaded);
                }
            }
        }
        self.diagnostics.extend(scan.diagnostics);
    }

    /// Another path to a skill that was found already. Links inside a user's own folder are followed, whatever
    /// a repository that links to the folder may do.
    fn again(&mut self, at: usize, way: FoundPath, within: Option<&Arc<Boundary>>, loaded: Box<Loaded>) {
        let entry = &mut self.entries[at];
        if within.is_none() && entry.origin.within.take().is_some() {
            entry.loaded = loaded;
        }
        self.ways.entry(at).or_default().push(way);
    }

    fn add(
        &mut self,
        (way, within): (FoundPath, Option<&Arc<Boundary>>),
        kind: RootKind,
        real: PathBuf,
        loaded: Box<Loaded>,
    ) {
        let within = within.map(|within| {
            // A folder that is outside all the same is installed as a link into the content store.
            let installed = kind != RootKind::Commands && !within.holds(&real);
            if installed { Arc::new(Boundary::of(&real)) } else { Arc::clone(within) }
        });
        let scope = self.roots[way.root].scope;
        self.orders.push(way.order);
        let origin = Origin {
            root: way.root,
            scope,
            kind,
            file: way.file,
            real,
            also: Vec::new(),
            within,
            skipped: way.skipped,
        };
        self.entries.push(Entry::found(way.name, way.qualifier, origin, loaded));
    }

    /// A skill that several paths lead to gets the place of the strongest path that is open. Otherwise an untrusted
    /// repository could take over a user's own skill with a link to it.
    pub(super) fn choose_ways(&mut self, judge: &mut Judge<'_>) {
        let mut has_moved = false;
        for (at, mut ways) in std::mem::take(&mut self.ways) {
            let entry = &mut self.entries[at];
            let mut is_open = |root: usize| {
                let root = &self.roots[root];
                is_source_on(root, judge.inputs) && judge.is_trusted(entry, root)
            };
            if (entry.origin.skipped.is_some() || !is_open(entry.origin.root))
                && let Some(way) = ways.iter_mut().find(|way| way.skipped.is_none() && is_open(way.root))
            {
                has_moved = true;
                std::mem::swap(&mut entry.origin.root, &mut way.root);
                std::mem::swap(&mut entry.origin.file, &mut way.file);
                std::mem::swap(&mut entry.name, &mut way.name);
                std::mem::swap(&mut entry.qualifier, &mut way.qualifier);
                std::mem::swap(&mut entry.origin.skipped, &mut way.skipped);
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

    fn walk(
        &mut self,
        (root_at, within): (usize, Option<&Boundary>),
        folder: &Path,
        rule: &ScanRule,
    ) -> Option<scan::Scan> {
        if !folder.is_dir() {
            return None;
        }
        let links = self.roots[root_at].links;
        let file = self.inputs.settings.cache.as_ref().map(|cache| {
            let inside = within.map(Boundary::folders);
            let key = format!(
                "everywhere {:?} {:?} {links:?} {inside:?} {:?}",
                rule.depth, rule.folders, rule.files
            );
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
        let before = memory.taken;
        // The shipped skills were just compared byte for byte: their memory holds however young the files are.
        let is_shipped = self.inputs.settings.system_folder.as_deref() == Some(folder);
        let memory = if is_shipped && before > 0 { Memory { taken: i64::MAX, ..memory } } else { memory };
        // Taken before the walk, so that a change during it is newer than the record.
        let now = self.inputs.settings.now.unwrap_or_else(SystemTime::now);
        let taken =
            now.duration_since(UNIX_EPOCH).map_or(0, |now| i64::try_from(now.as_nanos()).unwrap_or(i64::MAX));
        let scan = scan::scan(folder, rule, links, within, memory, self.walked.is_some());
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

    fn commands(
        &mut self,
        (root_at, within): (usize, Option<&Arc<Boundary>>),
        folder: &Path,
        qualifier: Option<&str>,
    ) {
        let is_file = folder.is_file();
        if !is_file && !folder.is_dir() {
            return;
        }
        // A manifest of a plugin may name a single command.
        let searched = if is_file { folder.parent().unwrap_or(folder) } else { folder };
        self.roots[root_at].searched.push(searched.to_path_buf());
        let within_root = within.map(Arc::as_ref);
        let (commands, diagnostics) = if is_file {
            (command::command_at(folder, within_root).into_iter().collect(), Vec::new())
        } else {
            command::commands_in(folder, within_root)
        };
        self.diagnostics.extend(diagnostics);
        for command in commands {
            let real = std::fs::canonicalize(&command.path).unwrap_or_else(|_| command.path.clone());
            let way = FoundPath {
                root: root_at,
                file: command.path,
                name: command.name,
                qualifier: qualifier.map(str::to_owned),
                skipped: command.skipped,
                order: self.found,
            };
            self.found += 1;
            match self.files.get(&real) {
                Some(first) => self.again(*first, way, within, command.loaded),
                None => {
                    self.files.insert(real.clone(), self.entries.len());
                    self.add((way, within), RootKind::Commands, real, command.loaded);
                }
            }
        }
    }
}

/// Gives the roots of a repository their boundary: the repository, and folders of the user that are read anyway.
fn bound(roots: &mut [Root], inputs: Inputs<'_>) {
    let own: Vec<PathBuf> = roots
        .iter()
        .filter(|root| root.needs_trust.is_none() && root.present)
        .filter(|root| matches!(root.kind, RootKind::Skills | RootKind::Commands))
        .map(|root| root.path.clone())
        .collect();
    let mut known: HashMap<PathBuf, Arc<Boundary>> = HashMap::new();
    for root in roots.iter_mut() {
        let Some(repository) = &root.needs_trust else {
            // A link of a plugin stays inside.
            let is_plugin = root.scope == Scope::Plugin && root.kind != RootKind::Plugins;
            // The boundary of a single command is its folder.
            let folder = root.path.parent().filter(|_| root.path.is_file()).unwrap_or(&root.path);
            root.within = is_plugin.then(|| Arc::new(Boundary::of(folder)));
            continue;
        };
        let boundary = || {
            let within = Boundary::of(repository).and(own.iter().cloned());
            Arc::new(match &inputs.settings.contents {
                Some(store) => within.with_installed(store, inputs.approvals),
                None => within,
            })
        };
        root.within = Some(Arc::clone(known.entry(repository.clone()).or_insert_with(boundary)));
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

/// A path in exactly the memory it needs: a catalog has two of them for each skill.
fn joined<'a>(folder: &Path, parts: impl IntoIterator<Item = &'a String, IntoIter: Clone>) -> PathBuf {
    let parts = parts.into_iter();
    let length: usize = parts.clone().map(|part| part.len() + 1).sum();
    let mut path = PathBuf::with_capacity(folder.as_os_str().len() + length);
    path.push(folder);
    path.extend(parts);
    path
}

/// The frontmatter's name, else the folder's.
fn effective_name(loaded: &Loaded, folder: &Path) -> String {
    let written = loaded.manifest.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    match written {
        Some(name) => name.split_whitespace().collect::<Vec<_>>().join(" "),
        None => folder
            .file_name()
            .map_or_else(|| "skill".to_owned(), |name| path_text(Path::new(name)).into_owned()),
    }
}
