//! What every command works with: the output, the workspace and the database.

use crate::{args::Global, error::Failure, memory::Memory, output::Output};
use skillful::{
    Catalog, Environment, Options, Workspace, library::LibraryError, visible::short_path, workspace::NotFound,
};
use skillful_catalog::{AgentProfile, packages::Packages};
use skillful_format::Diagnostic;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The output, workspace and database of one command.
pub(crate) struct Context {
    /// The output.
    pub output: Output,
    /// Everything known about this folder and this user.
    pub workspace: Workspace,
    /// Problems of the database.
    pub own_diagnostics: Vec<Diagnostic>,
    /// The database of sessions and uses, opened when needed.
    pub memory: Memory,
}

impl Context {
    /// Reads the environment of the process and the global options.
    pub(crate) fn new(global: &Global) -> Result<Self, Failure> {
        // Variables that are not UTF-8 are not used here.
        let text =
            |(name, value): (OsString, OsString)| name.into_string().ok().zip(value.into_string().ok());
        let variables: BTreeMap<String, String> = std::env::vars_os().filter_map(text).collect();
        let home = variables
            .get("HOME")
            .filter(|home| !home.is_empty())
            .map(PathBuf::from)
            .or_else(std::env::home_dir)
            .ok_or_else(|| Failure::usage("HOME is not set").hint("set HOME to your home folder"))?;
        // A relative HOME would give each working folder its own data and trust.
        if !home.is_absolute() {
            return Err(Failure::usage("HOME is not an absolute path").hint("set HOME to an absolute path"));
        }
        let start = std::env::current_dir()
            .map_err(|error| Failure::usage(format!("the working folder cannot be used: {error}")))?;
        let cwd = match &global.directory {
            Some(folder) => {
                let cannot = |why: &dyn std::fmt::Display| {
                    Failure::usage(format!("the folder `{}` cannot be used", folder.display()))
                        .cause(why.to_string())
                        .hint("name a folder that exists after -C")
                };
                let place = start.join(folder).canonicalize().map_err(|error| cannot(&error))?;
                if !place.is_dir() {
                    return Err(cannot(&"it is a file"));
                }
                place
            }
            None => start,
        };
        if let Some(root) = global.root.iter().find(|root| !root.is_absolute()) {
            return Err(Failure::usage(format!("--root `{}` is not absolute", root.display()))
                .hint("write an absolute path, such as --root \"$PWD/skills\""));
        }
        let output = Output::new(global.json, global.color, |name| {
            variables.get(name).filter(|value| !value.is_empty()).cloned()
        });
        let system = std::env::consts::OS.replace("macos", "darwin").replace("windows", "win32");
        let packages = Packages::of(&variables, &home);
        let environment = Environment { cwd, home, variables, system, packages, ..Environment::default() };
        let options = Options {
            user: None,
            roots: global.root.clone(),
            touched: global.touch.clone(),
            trust_project: global.trust_project,
            no_cache: global.no_cache,
        };
        let workspace = Workspace::open(environment, options);
        Ok(Self { output, workspace, own_diagnostics: Vec::new(), memory: Memory::default() })
    }

    /// Switches to another user.
    pub(crate) fn for_user(&mut self, user: Option<&str>) {
        if user.is_some() {
            self.workspace = self.workspace.with_user(user);
        }
    }

    /// Switches to the skills that an agent loads.
    pub(crate) fn for_agent(&mut self, agent: Option<&str>) -> Result<(), Failure> {
        if let Some(name) = agent {
            self.workspace = self.workspace.with_agent(name).map_err(LibraryError::from)?;
        }
        Ok(())
    }

    /// The agent with this name.
    pub(crate) fn known_agent(&self, name: &str) -> Result<&AgentProfile, Failure> {
        Ok(self.workspace.agent(name).map_err(LibraryError::from)?)
    }

    /// Problems of the configuration, the lock and the database.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        [self.workspace.diagnostics(), self.own_diagnostics.clone()].concat()
    }

    /// The skill with a name or a path. A path outside the searched folders is read as well.
    pub(crate) fn find(&mut self, word: &str) -> Result<usize, Failure> {
        let missing = match self.workspace.find(word) {
            Ok(at) => return Ok(at),
            Err(missing) => missing,
        };
        if let Some(folder) = self.workspace.loose_skill(word) {
            self.workspace = self.workspace.with_root(folder);
            if let Ok(at) = self.workspace.find(word) {
                return Ok(at);
            }
        }
        Err(not_found(&missing))
    }

    /// The catalog, and the index of the skill with a name or a path.
    pub(crate) fn catalog_with(&mut self, word: &str) -> Result<(Arc<Catalog>, usize), Failure> {
        let at = self.find(word)?;
        Ok((self.workspace.catalog(), at))
    }

    /// A sentence with the paths below the working folder and the home as a user would write them.
    pub(crate) fn short_paths(&self, text: &str) -> String {
        let environment = self.workspace.environment();
        let text = text.replace(&format!("{}/", environment.cwd.display()), "");
        text.replace(&format!("{}/", environment.home.display()), "~/")
    }

    /// A path as a user would write it anywhere.
    pub(crate) fn named(&self, path: &Path) -> String {
        short_path(path, Path::new("/nowhere"), &self.workspace.environment().home)
    }

    /// A path as a user would write it here: relative to the working folder or the home.
    pub(crate) fn short(&self, path: &Path) -> String {
        let environment = self.workspace.environment();
        short_path(path, &environment.cwd, &environment.home)
    }
}

/// The error for an unknown skill, with similar names.
fn not_found(missing: &NotFound) -> Failure {
    LibraryError::from(missing).into()
}
