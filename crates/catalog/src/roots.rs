//! Where skills are looked for: every agent's folders, for this user in this folder, as one
//! ordered list without repetition.

use crate::{
    bounded::Boundary,
    environment::Environment,
    names::{plugin_qualifier, scope_named},
    profile::{AgentProfile, AgentProfiles, Links, RootKind, Scope, Walk},
    settings::Settings,
};
use skillful_format::{Code, Diagnostic};
use std::{
    collections::HashMap,
    ffi::OsString,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

/// One place where skills may lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The folder, absolute, as it is named.
    pub path: PathBuf,
    /// Whose skills these are.
    pub scope: Scope,
    /// What lies there.
    pub kind: RootKind,
    /// The agents that read it.
    pub agents: Vec<String>,
    /// Folders between a project root's folder and the working folder; 0 is the nearest.
    pub distance: u32,
    /// The repository or folder whose trust it needs.
    pub needs_trust: Option<PathBuf>,
    /// What qualifies its names: a plugin, or a folder below the working folder.
    pub qualifier: Option<String>,
    /// Whether links are followed below.
    pub links: Links,
    /// Where links may lead; none for folders of the user and of the administrator.
    pub within: Option<Arc<Boundary>>,
    /// Whether the folder is there.
    pub present: bool,
    /// The folders that were searched, once a catalog was built.
    pub searched: Vec<PathBuf>,
}

/// A folder that one agent reads because of its configuration, its plugins or its own idea of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentFolder {
    /// The folder, absolute.
    pub path: PathBuf,
    /// Whose skills these are.
    pub scope: Scope,
    /// What lies there.
    pub kind: RootKind,
    /// The plugin that qualifies its names.
    pub qualifier: Option<String>,
    /// The agent that reads it.
    pub agent: String,
}

/// The roots of one call, the strongest first.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    /// In order of precedence.
    pub list: Vec<Root>,
    /// The repository's root, else the working folder.
    pub project: PathBuf,
    /// Settings that could not be used.
    pub diagnostics: Vec<Diagnostic>,
}

/// The folder with `.git` at or above `folder`.
pub fn repository_of(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// A working folder and the repository around it, looked up once.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The working folder.
    pub cwd: PathBuf,
    /// The repository's root.
    pub repository: Option<PathBuf>,
}

impl Ground {
    /// Looks for the repository around `cwd`.
    pub fn new(cwd: &Path) -> Self {
        let cwd = working_folder(cwd);
        let repository = repository_of(&cwd).map(Path::to_path_buf);
        Self { cwd, repository }
    }

    /// The folders a project root is looked for in.
    pub fn folders(&self, walk: Walk) -> Vec<PathBuf> {
        let up_to = |top: &Path| {
            let below = self.cwd.ancestors().take_while(|folder| *folder != top).map(Path::to_path_buf);
            below.chain([top.to_path_buf()]).collect::<Vec<_>>()
        };
        match (walk, &self.repository) {
            (Walk::Here, _) | (Walk::Up | Walk::Down | Walk::Repository, None) => vec![self.cwd.clone()],
            (Walk::Up | Walk::UpToDisk, Some(top)) => up_to(top),
            (Walk::Down, Some(top)) => {
                let mut folders = up_to(top);
                folders.reverse();
                folders
            }
            (Walk::UpToDisk, None) => self.cwd.ancestors().map(Path::to_path_buf).collect(),
            (Walk::Repository, Some(top)) => vec![top.clone()],
        }
    }
}

/// Resolves the roots of Skillful's own catalog: the folders of every agent.
pub fn resolve(agents: &AgentProfiles, environment: &Environment, settings: &Settings) -> Roots {
    let ground = Ground::new(&environment.cwd);
    let cwd = ground.cwd.clone();
    let project = ground.repository.clone().unwrap_or_else(|| cwd.clone());
    let mut collected = Collected::default();

    let user_rules = || {
        agents.iter().flat_map(|agent| agent.roots.iter().map(move |rule| (agent, rule))).filter(
            |(agent, rule)| {
                // A relative path outside the project scope belongs to the agent's own installation;
                // only its own view reads it, or a repository could claim to be an administrator.
                let is_of_installation = rule.scope != Scope::Project
                    && is_relative(rule.path.as_str())
                    && !rule.path.may_depend_on_folder();
                // What is installed comes with `agent_folders`; a clone of a marketplace is not an installation.
                let has_record = rule.kind == RootKind::Plugins && agent.plugin_layout(rule).has_record();
                !is_of_installation && !has_record
            },
        )
    };
    // The user's own folders first, so that a project that lies in the home folder does not turn
    // them into project folders that need trust.
    for (agent, rule) in user_rules().filter(|(_, rule)| rule.scope != Scope::Project) {
        // What a relative value of a variable names comes with `agent_folders`, as a folder of the project.
        let variable = |name: &str| environment.variable(name);
        let Some(path) = rule.path.resolve_anywhere(&environment.home, &variable) else { continue };
        if rule.opt_in && !is_switched_on(agent, rule.scope, settings) {
            continue;
        }
        let links = rule.links.unwrap_or(Links::Follow);
        collected.add(Root { links, ..root(path, rule.scope, rule.kind) }, Some(&agent.id));
    }
    let nearest_first = ground.folders(Walk::Up);
    let top = nearest_first.len() - 1;
    let is_plugin: Vec<bool> =
        nearest_first.iter().map(|folder| crate::plugin::is_plugin_folder(folder)).collect();
    for (agent, rule) in user_rules().filter(|(_, rule)| rule.scope == Scope::Project) {
        for (distance, folder) in nearest_first.iter().enumerate() {
            let Some(path) = rule.path.resolve(folder, &environment.home, &|name| environment.variable(name))
            else {
                continue;
            };
            if is_plugin[distance] && path == folder.join("skills") {
                // The plugin brings these skills, under its own name.
                continue;
            }
            // A skill that one agent would find further out is a skill of the project for all.
            let is_read = match rule.walk {
                Walk::Here => distance == 0,
                Walk::Repository => distance == top,
                Walk::Up | Walk::Down | Walk::UpToDisk => true,
            };
            let found = Root {
                distance: u32::try_from(distance).unwrap_or(u32::MAX),
                needs_trust: Some(project.clone()),
                ..root(path, Scope::Project, rule.kind)
            };
            collected.add(found, is_read.then_some(&agent.id));
        }
    }
    add_below(&mut collected, agents, environment, settings, &cwd, &project);
    for (folder, is_plugin) in nearest_first.iter().zip(is_plugin) {
        if is_plugin {
            let found = Root {
                needs_trust: Some(project.clone()),
                ..root(folder.clone(), Scope::Plugin, RootKind::Plugins)
            };
            collected.add(found, None);
        }
    }
    add_configured(&mut collected, environment, settings);
    for folder in &settings.agent_folders {
        // A configuration or a folder above may be anyone's; a plugin outside of the project is the user's.
        let is_own = folder.scope == Scope::Plugin && !folder.path.starts_with(&project);
        let needs_trust = if is_own { None } else { collected.trust_of(&folder.path) };
        let found = Root {
            needs_trust,
            qualifier: folder.qualifier.as_deref().map(plugin_qualifier),
            ..root(folder.path.clone(), folder.scope, folder.kind)
        };
        collected.add(found, Some(&folder.agent));
    }

    let mut list = collected.roots;
    for root in &mut list {
        root.present = root.path.is_dir() || root.kind == RootKind::Commands && root.path.is_file();
        root.agents.sort();
        root.agents.dedup();
    }
    list.sort_by_cached_key(|root| {
        (
            root.scope,
            root.distance,
            !matches!(root.kind, RootKind::Skills | RootKind::Overrides),
            preference(&root.path),
            root.path.clone().into_os_string(),
        )
    });
    Roots { list, project, diagnostics: collected.diagnostics }
}

/// Roots below the working folder join when a file there is touched, qualified by their folder.
fn add_below(
    collected: &mut Collected,
    agents: &AgentProfiles,
    environment: &Environment,
    settings: &Settings,
    cwd: &Path,
    project: &Path,
) {
    let mut folders: Vec<PathBuf> = settings
        .touched
        .iter()
        .filter_map(|file| plain(&cwd.join(file)))
        .flat_map(|file| file.ancestors().skip(1).map(Path::to_path_buf).collect::<Vec<_>>())
        .filter(|folder| folder != cwd && folder.starts_with(cwd))
        .collect();
    folders.sort();
    folders.dedup();
    for folder in folders {
        let qualifier = folder.strip_prefix(cwd).ok().map(|path| path.to_string_lossy().replace('\\', "/"));
        // `user:deploy` means a skill of the user, and not one of the folder `user`.
        let is_taken = |path: &String| scope_named(path).is_some();
        let qualifier = qualifier.map(|path| if is_taken(&path) { format!("./{path}") } else { path });
        for agent in agents.iter() {
            for rule in agent.roots.iter().filter(|rule| rule.scope == Scope::Project) {
                let Some(path) =
                    rule.path.resolve(&folder, &environment.home, &|name| environment.variable(name))
                else {
                    continue;
                };
                let found = Root {
                    qualifier: qualifier.clone(),
                    needs_trust: Some(project.to_path_buf()),
                    ..root(path, Scope::Project, rule.kind)
                };
                collected.add(found, Some(&agent.id));
            }
        }
    }
}

/// A path without `.` and `..`, so that `apps/../../other` does not look like a folder below.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if !plain.pop() => return None,
            Component::ParentDir | Component::CurDir => {}
            part => plain.push(part),
        }
    }
    Some(plain)
}

fn add_configured(collected: &mut Collected, environment: &Environment, settings: &Settings) {
    let configured = [
        (&settings.custom, Scope::Custom, RootKind::Skills),
        (&settings.managed, Scope::Managed, RootKind::Skills),
        // After the folders of the user and the administrator, which need no trust.
        (&settings.extra, Scope::Extra, RootKind::Skills),
        (&settings.plugins, Scope::Plugin, RootKind::Plugins),
        (&settings.integrations, Scope::Integration, RootKind::Integrations),
        (&settings.overrides, Scope::Managed, RootKind::Overrides),
    ];
    for (paths, scope, kind) in configured {
        for (at, path) in paths.iter().enumerate() {
            let path = match path.strip_prefix("~") {
                Ok(rest) => environment.home.join(rest),
                Err(_) => path.clone(),
            };
            if !path.is_absolute() {
                collected.diagnostics.push(
                    Diagnostic::new(
                        Code::RootInvalid,
                        format!("the folder `{}` is not absolute", path.display()),
                    )
                    .help("write the whole path; a relative one would mean another folder in every place"),
                );
                continue;
            }
            // A folder of the configuration may come later; one of this call is meant now.
            if scope == Scope::Extra && !path.is_dir() {
                collected.diagnostics.push(
                    Diagnostic::new(Code::RootInvalid, format!("`{}` is not a folder", path.display()))
                        .in_path(&path),
                );
            }
            let distance = u32::try_from(at).unwrap_or(u32::MAX);
            let needs_trust = if scope == Scope::Extra { collected.trust_of(&path) } else { None };
            collected.add(Root { distance, needs_trust, ..root(path, scope, kind) }, None);
        }
    }
    if let Some(folder) = settings.system_folder.as_ref().filter(|_| settings.system) {
        collected.add(
            Root { links: Links::Skip, ..root(folder.clone(), Scope::System, RootKind::Skills) },
            Some("skillful"),
        );
    }
}

fn root(path: PathBuf, scope: Scope, kind: RootKind) -> Root {
    Root {
        path,
        scope,
        kind,
        agents: Vec::new(),
        distance: 0,
        needs_trust: None,
        qualifier: None,
        links: Links::Follow,
        within: None,
        present: false,
        searched: Vec::new(),
    }
}

#[derive(Default)]
struct Collected {
    roots: Vec<Root>,
    /// By their bytes: comparing long paths part by part is slow.
    known: HashMap<(OsString, RootKind), usize>,
    diagnostics: Vec<Diagnostic>,
}

impl Collected {
    /// A folder named twice is one root, with the agents of both.
    fn add(&mut self, root: Root, agent: Option<&str>) {
        let at = *self.known.entry((root.path.clone().into_os_string(), root.kind)).or_insert_with(|| {
            self.roots.push(root);
            self.roots.len() - 1
        });
        self.roots[at].agents.extend(agent.map(str::to_owned));
    }

    /// The folder whose trust a folder needs that only this call names: the repository around it, else the folder
    /// itself. A folder in which the user or the administrator keeps skills needs none.
    fn trust_of(&self, path: &Path) -> Option<PathBuf> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let path = real(path);
        let is_own = |root: &Root| {
            root.needs_trust.is_none()
                && matches!(root.kind, RootKind::Skills | RootKind::Commands)
                && path.starts_with(real(&root.path))
        };
        let own = self.roots.iter().any(is_own);
        (!own).then(|| repository_of(&path).unwrap_or(&path).to_path_buf())
    }
}

fn is_relative(template: &str) -> bool {
    !(template.starts_with('/') || template.starts_with("~/") || template.starts_with("${"))
}

fn is_switched_on(agent: &AgentProfile, scope: Scope, settings: &Settings) -> bool {
    settings.sources.iter().any(|rule| {
        rule.enabled
            && rule.agent.as_deref() == Some(agent.id.as_str())
            && rule.scope.is_none_or(|own| own == scope)
    })
}

/// In one folder the neutral places come before those of single agents.
fn preference(path: &Path) -> u8 {
    let text = path.to_string_lossy();
    if text.contains("/.skillful/") {
        0
    } else if text.contains("/.agents/") {
        1
    } else {
        2
    }
}

/// The folder of a working "folder" that is a file.
pub fn working_folder(cwd: &Path) -> PathBuf {
    if cwd.is_file() { cwd.parent().unwrap_or(cwd).to_path_buf() } else { cwd.to_path_buf() }
}
