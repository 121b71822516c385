//! What every command works with: how to print, the workspace, and the database.

use crate::{args::Global, error::Failure, memory::Memory, output::Output};
use skillful::{
    Catalog, Environment, Options, Workspace,
    workspace::{NotFound, UnknownAgent},
};
use skillful_catalog::AgentProfile;
use skillful_format::Diagnostic;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The surroundings of one command.
pub(crate) struct Context {
    /// How to print.
    pub output: Output,
    /// Everything known about this folder and this user.
    pub workspace: Workspace,
    /// What is wrong with the database.
    pub own_diagnostics: Vec<Diagnostic>,
    /// Sessions and uses, opened when needed.
    pub memory: Memory,
}

impl Context {
    /// From the process and the global options.
    pub(crate) fn new(global: &Global) -> Result<Self, Failure> {
        // A variable that is not text is never asked for by name here.
        let text =
            |(name, value): (OsString, OsString)| name.into_string().ok().zip(value.into_string().ok());
        let variables: BTreeMap<String, String> = std::env::vars_os().filter_map(text).collect();
        let home = variables
            .get("HOME")
            .filter(|home| !home.is_empty())
            .map(PathBuf::from)
            .or_else(std::env::home_dir)
            .ok_or_else(|| Failure::usage("there is no home folder").hint("set HOME"))?;
        // Otherwise each working folder would get a data folder and a trust of its own.
        if !home.is_absolute() {
            return Err(Failure::usage("HOME is not an absolute path").hint("set HOME to the whole path"));
        }
        let start = std::env::current_dir()
            .map_err(|error| Failure::usage(format!("the working folder cannot be used: {error}")))?;
        let cwd = match &global.directory {
            Some(folder) => start.join(folder).canonicalize().map_err(|error| {
                Failure::usage(format!("the folder `{}` cannot be used: {error}", folder.display()))
            })?,
            None => start,
        };
        if let Some(root) = global.root.iter().find(|root| !root.is_absolute()) {
            return Err(Failure::usage(format!("--root `{}` is not absolute", root.display()))
                .hint("write the whole path, such as --root \"$PWD/skills\""));
        }
        let output = Output::new(global.json, global.color, |name| {
            variables.get(name).filter(|value| !value.is_empty()).cloned()
        });
        let system = std::env::consts::OS.replace("macos", "darwin").replace("windows", "win32");
        let environment = Environment { cwd, home, variables, system, ..Environment::default() };
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

    /// Works for another user from now on.
    pub(crate) fn for_user(&mut self, user: Option<&str>) {
        if user.is_some() {
            self.workspace = self.workspace.with_user(user);
        }
    }

    /// Works as an agent from now on.
    pub(crate) fn for_agent(&mut self, agent: Option<&str>) -> Result<(), Failure> {
        if let Some(name) = agent {
            self.workspace = self.workspace.with_agent(name).map_err(|unknown| unknown_agent(&unknown))?;
        }
        Ok(())
    }

    /// The agent of that name.
    pub(crate) fn known_agent(&self, name: &str) -> Result<&AgentProfile, Failure> {
        self.workspace.agent(name).map_err(|unknown| unknown_agent(&unknown))
    }

    /// What is wrong with our own files.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        [self.workspace.diagnostics(), self.own_diagnostics.clone()].concat()
    }

    /// The skill that a name or a path means. A path to a skill below no known root is read as if its folder
    /// were one.
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

    /// The catalog and the place in it of the skill that a name or a path means.
    pub(crate) fn catalog_with(&mut self, word: &str) -> Result<(Arc<Catalog>, usize), Failure> {
        let at = self.find(word)?;
        Ok((self.workspace.catalog(), at))
    }

    /// A sentence with the paths below the home as a user would write them.
    pub(crate) fn short_paths(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.workspace.environment().home.display()), "~/")
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

/// A skill that does not exist, with the names that come near.
fn not_found(missing: &NotFound) -> Failure {
    if missing.is_pending {
        return Failure::new(missing.to_string()).hint(format!("skillful review {}", missing.word));
    }
    let failure = Failure::new(missing.to_string())
        .cause(format!("skills searched: {}, in folders: {}", missing.skills, missing.folders));
    match missing.near.as_slice() {
        [] => failure.hint("skillful list"),
        near => failure.hint(format!("did you mean `{}`?", near.join("` or `"))),
    }
}

/// An agent that is not known, with the names that come near.
fn unknown_agent(unknown: &UnknownAgent) -> Failure {
    let failure = Failure::usage(unknown.to_string());
    match unknown.near.as_slice() {
        [] => failure.hint("`skillful agents` lists the agents"),
        near => failure.hint(format!("did you mean `{}`?", near.join("` or `"))),
    }
}

/// Relative when below `cwd`, with `~` when below `home`.
pub(crate) fn short_path(path: &Path, cwd: &Path, home: &Path) -> String {
    if let Ok(rest) = path.strip_prefix(cwd) {
        return if rest.as_os_str().is_empty() { ".".to_owned() } else { rest.display().to_string() };
    }
    match path.strip_prefix(home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}
