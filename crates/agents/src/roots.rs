//! The root folders of an agent for one user and one working folder, and the skill files below
//! them.

use super::{
    UnseenCode, command, plugin,
    real_path::RealPaths,
    setup::Setup,
    skill::{Cause, FoundSkill, Naming},
    switched,
    trusted::Trusted,
    walk::{self, SkipReason, SkippedPath, WalkPlan},
};
use skillful_catalog::{Settings, names::scope_named, settings::SourceRule, walked::WalkedFolders};
use skillful_profiles::{
    AgentProfile, AgentProfiles, FolderList, Links, ListedPath, PluginLayout, RepeatedFolder, RootKind,
    RootRule, ScanRule, Scope, Walk,
};
use std::{
    collections::HashSet,
    fs,
    path::{Component, Path, PathBuf},
};

/// One folder in which the agent looks, or would look.
pub(super) struct AgentRoot<'a> {
    pub(super) path: PathBuf,
    pub(super) scope: Scope,
    pub(super) kind: RootKind,
    /// The rule that names it; roots from the agent's configuration have none.
    pub(super) rule: Option<&'a RootRule>,
    pub(super) present: bool,
    /// The folder below the working folder that it is in, for one that joined because a file there was touched.
    pub(super) below: Option<String>,
    /// Why the agent does not look here now.
    pub(super) closed: Option<Cause>,
}

/// All roots, highest precedence first.
pub(super) struct AgentRoots<'a> {
    pub(super) list: Vec<AgentRoot<'a>>,
}

/// Resolves the roots of an agent.
pub(super) fn of<'a>(
    agent: &'a AgentProfile,
    agents: &AgentProfiles,
    setup: &Setup<'_>,
    settings: &Settings,
) -> AgentRoots<'a> {
    let mut roots = AgentRoots { list: Vec::new() };
    let other_home = agent.config.home.as_ref();
    let home = other_home.and_then(|path| setup.places.resolve(path, Walk::Here, None).pop());
    let home = home.as_ref().unwrap_or(&setup.places.environment.home);
    for key in &agent.config.roots {
        let paths = setup.config.last(key).and_then(serde_json::Value::as_array).into_iter().flatten();
        for path in paths.filter_map(serde_json::Value::as_str) {
            let path = match path.strip_prefix("~/") {
                Some(rest) => home.join(rest),
                None => setup.places.cwd.join(path),
            };
            let path = plain(&path);
            roots.add(AgentRoot {
                present: path.is_dir(),
                below: None,
                closed: closed_by_config(agent, setup),
                path,
                scope: Scope::Custom,
                kind: RootKind::Skills,
                rule: None,
            });
        }
    }
    let by_rule = |rule: &'a RootRule, path: PathBuf, below: Option<String>| AgentRoot {
        present: path.is_dir(),
        below,
        closed: closed(agent, rule, setup, settings)
            .or_else(|| ignored(agent, setup, &path))
            .or_else(|| closed_by_user(agent, agents, (&path, rule.scope), settings)),
        path,
        scope: rule.scope,
        kind: rule.kind,
        rule: Some(rule),
    };
    for rule in &agent.roots {
        for path in folders(rule, setup) {
            roots.add(by_rule(rule, plain(&path), None));
        }
    }
    if agent.scan.below {
        let of_project = |rule: &&RootRule| rule.scope == Scope::Project && rule.path.is_relative();
        for (folder, name) in folders_below(setup, settings) {
            for rule in agent.roots.iter().filter(of_project) {
                let path = plain(&folder.join(rule.path.as_str()));
                roots.add(by_rule(rule, path, Some(name.clone())));
            }
        }
    }
    // An agent that loads skills of integrations has those that the user configured too.
    if agent.roots.iter().any(|rule| rule.kind == RootKind::Integrations) {
        for path in settings.integrations.iter().filter(|path| path.is_absolute()) {
            let path = plain(path);
            roots.add(AgentRoot {
                present: path.is_dir(),
                below: None,
                closed: closed_by_config(agent, setup),
                path,
                scope: Scope::Integration,
                kind: RootKind::Integrations,
                rule: None,
            });
        }
    }
    roots
}

/// The folders between the working folder and the files that were touched, each with its name for qualified names.
fn folders_below(setup: &Setup<'_>, settings: &Settings) -> Vec<(PathBuf, String)> {
    let cwd = &setup.places.cwd;
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    for file in &settings.touched {
        let file = plain(&cwd.join(file));
        for folder in file.ancestors().skip(1) {
            let Ok(below) = folder.strip_prefix(cwd) else { break };
            if below.as_os_str().is_empty() {
                break;
            }
            let name = below.to_string_lossy().replace('\\', "/");
            // `user:deploy` means a skill of the user, and not one of the folder `user`.
            let name = if scope_named(&name).is_some() { format!("./{name}") } else { name };
            found.push((folder.to_path_buf(), name));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The folders that a rule stands for.
fn folders(rule: &RootRule, setup: &Setup<'_>) -> Vec<PathBuf> {
    let here = |path: &str| setup.places.cwd.join(path);
    match rule.path.list() {
        None => {
            let home = rule.not_at_home.then(|| setup.places.environment.home.join(rule.path.as_str()));
            let paths = setup.places.resolve(&rule.path, rule.walk, rule.found_by).into_iter();
            paths.filter(|path| home.as_ref() != Some(path)).collect()
        }
        Some(FolderList::Config(key)) => {
            let paths = setup.config.last(key).and_then(serde_json::Value::as_array).into_iter().flatten();
            paths.filter_map(serde_json::Value::as_str).map(here).collect()
        }
        Some(FolderList::Variable(name)) => {
            let text = setup.places.environment.variable(name).unwrap_or_default();
            text.split(',').map(str::trim).filter(|path| !path.is_empty()).map(here).collect()
        }
    }
}

/// Closes a root that the user disabled in Skillful: the agent as a whole, or the folder of an agent.
fn closed_by_user(
    agent: &AgentProfile,
    agents: &AgentProfiles,
    (path, scope): (&Path, Scope),
    settings: &Settings,
) -> Option<Cause> {
    let own = |rule: &&SourceRule| rule.agent.as_ref().is_none_or(|named| *named == agent.id);
    let whole = settings.sources.iter().filter(|rule| rule.scope.is_none()).rfind(own);
    let readers = std::slice::from_ref(&agent.id);
    let is_on = settings
        .owners_choice(agents, path, scope, readers)
        .or(whole.map(|rule| rule.enabled))
        .unwrap_or(true);
    let reason = || format!("`sources` in the configuration of Skillful switches `{}` off", path.display());
    (!is_on).then(|| Cause::new(UnseenCode::RootSwitchedOff, reason()))
}

/// A path without `.` and `..`, resolved textually as most programs do.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

impl<'a> AgentRoots<'a> {
    /// The roots in which the agent looks.
    pub(super) fn open(self) -> impl Iterator<Item = AgentRoot<'a>> {
        self.list.into_iter().filter(|root| root.closed.is_none())
    }

    /// Adds a root. A folder named twice is one root, the first one; but an open root replaces a
    /// closed one.
    fn add(&mut self, root: AgentRoot<'a>) {
        match self.list.iter_mut().find(|known| known.path == root.path && known.kind == root.kind) {
            Some(known) if known.closed.is_some() && root.closed.is_none() => *known = root,
            Some(_) => {}
            None => self.list.push(root),
        }
    }
}

fn closed(agent: &AgentProfile, rule: &RootRule, setup: &Setup<'_>, settings: &Settings) -> Option<Cause> {
    let title = &agent.title;
    let path = rule.path.shown();
    let off = |reason: String| Some(Cause::new(UnseenCode::RootSwitchedOff, reason));
    let switched_on = settings.sources.iter().any(|source| {
        source.enabled
            && source.agent.as_deref() == Some(agent.id.as_str())
            && source.scope.is_none_or(|scope| scope == rule.scope)
    });
    if rule.opt_in && !switched_on {
        return off(format!("{title} reads `{path}` only when the user enables it"));
    }
    if let Some(name) = switched::first(agent, setup.places.environment, &rule.unless) {
        return off(format!("the variable `{name}` switches it off"));
    }
    if let Some(key) = rule.switch.as_ref().filter(|key| setup.config.is_off(key)) {
        return off(format!("`{key}` is false in the configuration of {title}"));
    }
    if let Some(only) = &agent.config.plugins_only
        && matches!(rule.scope, Scope::User | Scope::Project)
        && setup.config.names_one(&only.key, &only.words)
    {
        return off(format!(
            "`{}` in the administrator's configuration allows only skills of plugins",
            only.key
        ));
    }
    if rule.scope == Scope::Project && setup.trusted == Trusted::No {
        let reason =
            format!("{title} reads `{path}` only in a trusted folder, and this folder is not trusted");
        return Some(
            Cause::new(UnseenCode::Untrusted, reason).fix(format!("start {title} here and trust the folder")),
        );
    }
    closed_by_config(agent, setup)
}

/// Why the agent does not look in a folder that its configuration excludes.
fn ignored(agent: &AgentProfile, setup: &Setup<'_>, path: &Path) -> Option<Cause> {
    let key = agent.config.ignored_roots.as_ref()?;
    let home = &setup.places.environment.home;
    let folder = |text: &str| match text.strip_prefix("~/") {
        Some(rest) => Some(home.join(rest)),
        None => Some(PathBuf::from(text)).filter(|path| path.is_absolute()),
    };
    let names = |value: &serde_json::Value| {
        value.as_str().and_then(folder).is_some_and(|folder| path.starts_with(plain(&folder)))
    };
    let (file, _) =
        setup.config.all(key).find(|(_, list)| list.as_array().into_iter().flatten().any(names))?;
    let reason = format!("`{key}` in `{}` excludes it from {}", file.display(), agent.title);
    Some(Cause::new(UnseenCode::RootSwitchedOff, reason).fix("remove that entry"))
}

fn closed_by_config(agent: &AgentProfile, setup: &Setup<'_>) -> Option<Cause> {
    if let Some(key) = agent.config.switch.as_ref().filter(|key| setup.config.is_off(key)) {
        let reason = format!("{} loads no skills: `{key}` is false in its configuration", agent.title);
        return Some(Cause::new(UnseenCode::RootSwitchedOff, reason));
    }
    let (path, why) = setup.config.broken.as_ref().filter(|_| setup.config.stops)?;
    let reason = format!("{} loads no skills while its configuration is broken: {why}", agent.title);
    Some(Cause::new(UnseenCode::ConfigurationBroken, reason).fix(format!("correct `{}`", path.display())))
}

/// The result of the search below the open roots.
#[derive(Default)]
pub(super) struct Searched {
    pub(super) found: Vec<FoundSkill>,
    pub(super) skipped: Vec<SkippedPath>,
    pub(super) notes: Vec<String>,
}

/// Looks for skill files in every open root. What is among the folders that were `opened` is not opened again.
pub(super) fn search(
    agent: &AgentProfile,
    setup: &Setup<'_>,
    roots: &AgentRoots<'_>,
    opened: &WalkedFolders,
    paths: &mut RealPaths,
) -> Searched {
    let mut search = Search {
        agent,
        setup,
        opened,
        paths,
        out: Searched::default(),
        known: HashSet::new(),
        bounds: Vec::new(),
    };
    for (at, root) in roots.list.iter().enumerate().filter(|(_, root)| root.present && root.closed.is_none())
    {
        search.root(at, root);
    }
    search.out
}

struct Search<'a> {
    agent: &'a AgentProfile,
    setup: &'a Setup<'a>,
    opened: &'a WalkedFolders,
    paths: &'a mut RealPaths,
    out: Searched,
    known: HashSet<PathBuf>,
    /// Folders, links resolved, into one of which a skill must lead; none when it may lead anywhere.
    bounds: Vec<PathBuf>,
}

impl Search<'_> {
    fn root(&mut self, at: usize, root: &AgentRoot<'_>) {
        match root.kind {
            RootKind::Skills | RootKind::Overrides => self.skills(at, root, &root.path, None),
            RootKind::Commands => self.commands(at, root, &root.path, None),
            RootKind::Integrations => {
                for domain in subfolders(&root.path) {
                    self.skills(at, root, &domain.join("skills"), None);
                }
            }
            RootKind::Plugins => self.plugins(at, root),
        }
    }

    fn plugins(&mut self, at: usize, root: &AgentRoot<'_>) {
        let has_commands = self.agent.plugins.commands;
        let layout = root.rule.map_or(self.agent.plugins.layout, |rule| self.agent.plugin_layout(rule));
        for plugin in plugin::loaded(self.agent, self.setup, root) {
            let owner = plugin.name.as_deref();
            let own_file = plugin.itself.map(|folder| folder.join(&self.agent.scan.files[0]));
            if let Some(file) = own_file.filter(|file| file.is_file()) {
                let found = FoundSkill::new(file, root.scope, at, self.paths);
                self.add(FoundSkill {
                    naming: Naming::FolderUnlessNamed,
                    owner: owner.map(str::to_owned),
                    ..found
                });
            }
            for folder in &plugin.skills {
                self.bounds = match &plugin.folder {
                    Some(whole) if self.agent.plugins.contained => {
                        [whole, folder].into_iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
                    }
                    _ => Vec::new(),
                };
                let file = folder.join(&self.agent.scan.files[0]);
                if layout == PluginLayout::Registry && file.is_file() {
                    let found = FoundSkill::new(file, root.scope, at, self.paths);
                    self.add(FoundSkill { owner: owner.map(str::to_owned), ..found });
                } else {
                    self.skills(at, root, folder, owner);
                }
            }
            self.bounds.clear();
            for folder in plugin.commands.iter().filter(|_| has_commands) {
                self.commands(at, root, folder, owner);
            }
            for (name, file) in plugin.named.into_iter().filter(|(_, file)| has_commands && file.is_file()) {
                let found = FoundSkill::new(file, root.scope, at, self.paths);
                let owner = plugin.name.clone();
                self.add(FoundSkill { naming: Naming::Command(name), owner, ..found });
            }
        }
    }

    fn commands(&mut self, at: usize, root: &AgentRoot<'_>, folder: &Path, owner: Option<&str>) {
        for command in command::files(folder, &self.agent.commands) {
            let found = FoundSkill::new(command.file, root.scope, at, self.paths);
            self.add(FoundSkill {
                naming: Naming::Command(command.name),
                owner: owner.map(str::to_owned),
                ..found
            });
        }
    }

    fn skills(&mut self, at: usize, root: &AgentRoot<'_>, folder: &Path, owner: Option<&str>) {
        let real =
            (self.agent.list.path == ListedPath::RealRoot).then(|| fs::canonicalize(folder).ok()).flatten();
        let folder = real.as_deref().unwrap_or(folder);
        let flat_files = root.rule.and_then(|rule| rule.flat_files).unwrap_or(self.agent.scan.flat_files);
        let rule = &ScanRule { flat_files, ..self.agent.scan.clone() };
        let plan = WalkPlan {
            rule,
            depth: root.rule.and_then(|rule| rule.depth).or(rule.depth),
            hidden: root.rule.and_then(|rule| rule.hidden).unwrap_or(rule.hidden),
            links: root.rule.and_then(|rule| rule.links).unwrap_or(Links::Follow),
            entries: self.agent.limits.entries,
        };
        let walked = walk::walk(folder, plan, self.opened);
        self.out.skipped.extend(walked.skipped);
        self.out.notes.extend(walked.notes);
        for (file, surroundings) in walked.files.into_iter().zip(walked.surroundings) {
            let at_root = file.parent() == Some(folder);
            let found = FoundSkill::scanned(file, root.scope, at, surroundings, self.paths);
            self.add_inside(root, FoundSkill { at_root, owner: owner.map(str::to_owned), ..found });
        }
        for file in walked.flat {
            let at_root = file.parent() == Some(folder);
            let found = FoundSkill::new(file, root.scope, at, self.paths);
            let naming = Naming::StemUnlessNamed;
            self.add_inside(root, FoundSkill { naming, at_root, owner: owner.map(str::to_owned), ..found });
        }
    }

    /// Adds a skill unless its root must contain what it links to, and does not.
    fn add_inside(&mut self, root: &AgentRoot<'_>, found: FoundSkill) {
        let is_contained = root.rule.is_some_and(|rule| rule.contained);
        let is_outside =
            !self.bounds.is_empty() && !self.bounds.iter().any(|bound| found.real.starts_with(bound));
        if is_outside || (is_contained && !found.real.starts_with(self.setup.places.project())) {
            self.out.skipped.push(SkippedPath { path: found.file, why: SkipReason::Outside });
        } else {
            self.add(found);
        }
    }

    /// A file reached from two roots is one skill, in agents that recognise it.
    fn add(&mut self, found: FoundSkill) {
        if self.known.insert(found.real.clone()) || self.agent.scan.repeated_folder == RepeatedFolder::Each {
            self.out.found.push(found);
        }
    }
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut folders: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
