//! The variables a skill declares, and where their values come from.
//!
//! Five sources, the first that knows a variable counts: `vars.json` beside the skill, the skill's
//! section of the user's `variables.json`, its `_global` section, the process environment, the
//! default of the declaration. The file beside a skill counts in folders of the user and the administrator; in a
//! repository or a plugin its author could have written it, and the values would be instructions that no user
//! approved. Only declared variables are looked up. A key of a model provider is never taken from the environment.
//! A file or a value that cannot be used is a diagnostic and counts as absent; no diagnostic ever holds a value.

use crate::{
    entry::{Entry, Placement},
    environment::Environment,
    folder::Folder,
    load::Loaded,
    profile::{RootKind, Scope},
    settings::Settings,
};
use skillful_format::{Code, Diagnostic, Limits, Sidecar, Tree, is_steering, manifest::Variable};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
    sync::OnceLock,
};

mod file;
mod names;
mod value;

use file::{Object, Read};
pub use names::{declared, is_provider_key, says_secret};
pub use value::{MASK, Source, Value};

/// The file beside a skill.
pub const SKILL_FILE: &str = "vars.json";
/// The file of a user, in Skillful's configuration folder.
pub const SHARED_FILE: &str = "variables.json";
/// The folder of skills in which [`SHARED_FILE`] counts too.
pub const SKILLS_FOLDER: &str = "skills";
/// Folders above a skill that may be that folder.
const WORKSPACE_DEPTH: usize = 6;
/// The section of [`SHARED_FILE`] that counts for every skill.
pub const GLOBAL_SECTION: &str = "_global";
/// A file of variables larger than this is not read.
pub const FILE_LIMIT: u64 = 256 << 10;

/// The user's `variables.json`: read when it is first needed, and then once.
#[derive(Debug)]
pub struct SharedVariables {
    path: Option<PathBuf>,
    file: OnceLock<Read>,
    /// Keys of model providers that the configuration names.
    keys: BTreeSet<String>,
}

impl SharedVariables {
    /// The file that the settings name; nothing is read yet.
    pub fn new(settings: &Settings) -> Self {
        Self { path: settings.variables.clone(), file: OnceLock::new(), keys: settings.provider_keys.clone() }
    }

    /// Whether a variable holds the key of a model provider.
    fn is_provider_key(&self, name: &str) -> bool {
        is_provider_key(name) || self.keys.contains(name)
    }

    fn read(&self) -> &Read {
        self.file.get_or_init(|| self.path.as_deref().map_or_else(Read::default, file::read_shared))
    }

    /// A section; one that is not a mapping is reported.
    fn section(&self, name: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<&Object> {
        let section = self.read().object.get(name).filter(|section| !section.is_null())?;
        if section.as_object().is_none() {
            let message = format!("the section `{name}` is not a mapping of variables and was skipped");
            let told = Diagnostic::new(Code::ConfigInvalid, message);
            let told = told.in_path(self.path.clone().unwrap_or_default());
            diagnostics.push(told.help("write it as {\"NAME\": \"value\"}"));
        }
        section.as_object()
    }
}

/// What the declared variables of a skill came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// Every variable that has a value, even an empty one.
    pub values: BTreeMap<String, Value>,
    /// Required variables without a value, or with an empty one, in the order of the declaration.
    pub missing: Vec<String>,
    /// Files and single values that could not be used.
    pub diagnostics: Vec<Diagnostic>,
}

/// Looks up every variable that a skill declares. Reads nothing when it declares none.
pub fn resolve(entry: &Entry, environment: &Environment, store: &SharedVariables) -> Resolved {
    let mut resolved = Resolved::default();
    let declared = &entry.loaded.manifest.vars;
    if declared.is_empty() {
        return resolved;
    }
    let own = own_file(entry);
    let beside = workspace_file(entry);
    resolved.diagnostics.extend(own.diagnostics);
    resolved.diagnostics.extend(beside.diagnostics);
    resolved.diagnostics.extend(store.read().diagnostics.iter().cloned());
    let address = entry.address();
    // A skill cannot take the name of the section that counts for every skill.
    let named = (address != GLOBAL_SECTION).then_some(address.as_str());
    let section = named.and_then(|name| store.section(name, &mut resolved.diagnostics));
    let global = store.section(GLOBAL_SECTION, &mut resolved.diagnostics);
    let shared = store.path.as_deref();
    let near = |name: &str| beside.object.get(name).and_then(serde_json::Value::as_object);
    let layers = [
        (Some(&own.object), own.path.as_deref(), Source::Skill),
        (named.and_then(near), beside.path.as_deref(), Source::Section),
        (section, shared, Source::Section),
        (near(GLOBAL_SECTION), beside.path.as_deref(), Source::Global),
        (global, shared, Source::Global),
    ];
    for (name, variable) in declared {
        if is_steering(name) {
            let message =
                format!("`{name}` of `{address}` is not set: it decides which code other programs run");
            let told = Diagnostic::new(Code::EnvNotSet, message);
            resolved.diagnostics.push(told.help("declare the variable under another name"));
            resolved.missing.extend(variable.required.then(|| name.clone()));
            continue;
        }
        let mut found = None;
        for (object, path, source) in layers {
            let Some(json) = object.and_then(|object| object.get(name)) else { continue };
            match file::scalar(json) {
                Ok(Some(text)) => {
                    found = Some((text, source));
                    break;
                }
                Ok(None) => {}
                Err(kind) => {
                    let message = format!("the variable `{name}` must be a single value, and is {kind}");
                    let told = Diagnostic::new(Code::ConfigInvalid, message);
                    let told = told.in_path(path.unwrap_or(Path::new(SKILL_FILE)));
                    resolved.diagnostics.push(told.help("write a text, a number, true or false"));
                }
            }
        }
        let mut outside = environment.variable(name).map(|text| (text, Source::Environment));
        if found.is_none() && store.is_provider_key(name) && outside.take().is_some() {
            let message = format!(
                "`{name}` of `{address}` is not taken from the environment: it is a key of a model provider"
            );
            let told = Diagnostic::new(Code::EnvNotSet, message);
            resolved.diagnostics.push(told.help("give the skill a key of its own, in `vars.json` beside it"));
        }
        let found =
            found.or(outside).or_else(|| variable.default.clone().map(|text| (text, Source::Default)));
        if variable.required && found.as_ref().is_none_or(|(text, _)| text.is_empty()) {
            resolved.missing.push(name.clone());
        }
        if let Some((text, source)) = found {
            resolved.values.insert(name.clone(), Value::new(text, name, variable, source));
        }
    }
    resolved
}

/// The declared variables of a skill that may be secrets of its user: by the declaration, by their names, or because its
/// sidecar depends on them.
pub fn asked(loaded: &Loaded) -> impl Iterator<Item = &str> {
    let vars = loaded.manifest.vars.iter();
    let declared = vars.filter(|(name, variable)| variable.secret || says_secret(name));
    declared.map(|(name, _)| name.as_str()).chain(dependencies(&loaded.sidecar))
}

/// The variables of the environment that a sidecar depends on (`type: env_var`). No skill gets the key of a model
/// provider.
pub fn dependencies(sidecar: &Sidecar) -> impl Iterator<Item = &str> {
    let tools = sidecar.tools.iter().filter(|tool| tool.kind == "env_var");
    tools.map(|tool| tool.value.as_str()).filter(|name| !is_provider_key(name))
}

/// Fills in what is missing for the skills that require a variable. Of an untrusted repository
/// only the skills are read.
pub(crate) fn check(
    entries: &mut [Entry],
    environment: &Environment,
    settings: &Settings,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let requires = |(_, variable): &(String, Variable)| variable.required;
    let store = SharedVariables::new(settings);
    for entry in entries.iter_mut().filter(|entry| entry.loaded.manifest.vars.iter().any(requires)) {
        if matches!(entry.placement, Placement::Untrusted { .. }) {
            continue;
        }
        let resolved = resolve(entry, environment, &store);
        entry.missing_variables = resolved.missing;
        for found in resolved.diagnostics {
            if found.path.as_deref() != settings.variables.as_deref() {
                entry.loaded.diagnostics.push(found);
            } else if !diagnostics.contains(&found) {
                diagnostics.push(found);
            }
        }
    }
}

/// The files of a skill without the values of its variables, which are the user's and may be secrets, and
/// whether there were any.
pub fn without_values(tree: Tree, limits: &Limits) -> (Tree, bool) {
    let holds_values = |path: &str| path.eq_ignore_ascii_case(SKILL_FILE);
    if !tree.iter().any(|(path, _)| holds_values(path.as_str())) {
        return (tree, false);
    }
    let mut kept = Tree::default();
    for (path, file) in tree.iter().filter(|(path, _)| !holds_values(path.as_str())) {
        // What was in a tree fits into one with fewer files.
        let _fits = kept.insert(path.clone(), file.clone(), limits);
    }
    (kept, true)
}

/// `vars.json` of a skill. The folder of a command holds other commands too, so its file belongs to none of them.
fn own_file(entry: &Entry) -> Read {
    if entry.origin.kind == RootKind::Commands {
        return Read::default();
    }
    if !is_of_user(entry) {
        return file::not_read(entry.folder(), &entry.address());
    }
    let own = file::read_own(entry.folder());
    if own.is_there() {
        return own;
    }
    legacy_folder(entry).map_or(own, |folder| file::read_own(&folder))
}

/// `variables.json` in the folder of skills that a skill of the user lies in, where golemcore has it. The skill may lie
/// deeper in it.
fn workspace_file(entry: &Entry) -> Read {
    if entry.origin.kind == RootKind::Commands || !is_of_user(entry) {
        return Read::default();
    }
    let above = entry.folder().ancestors().skip(1).take(WORKSPACE_DEPTH);
    let folder =
        above.into_iter().find(|folder| folder.file_name().is_some_and(|name| name == SKILLS_FOLDER));
    folder.map_or_else(Read::default, |folder| file::read_shared(&folder.join(SHARED_FILE)))
}

/// Whether the user or the administrator alone writes beside a skill.
fn is_of_user(entry: &Entry) -> bool {
    let own = matches!(entry.origin.scope, Scope::Extra | Scope::User | Scope::Custom | Scope::Managed);
    // A root that is named for one call may lie in a repository, whose files are then bounded.
    own && entry.origin.within.is_none() && entry.approved.is_none()
}

/// Golem looks for the file by the skill's name, whatever its folder is called. A folder of that
/// name that is a skill itself keeps its values to itself.
fn legacy_folder(entry: &Entry) -> Option<PathBuf> {
    let mut parts = Path::new(&entry.name).components();
    let (Some(Component::Normal(name)), None) = (parts.next(), parts.next()) else { return None };
    let folder = entry.folder();
    if folder.file_name() == Some(name) || entry.qualifier.is_some() {
        return None;
    }
    let legacy = folder.parent()?.join(name);
    let opened = Folder::open(&legacy).ok()?;
    let is_skill = ["SKILL.md", "skill.md"].iter().any(|file| opened.kind_of(file).is_some());
    (!is_skill).then_some(legacy)
}
