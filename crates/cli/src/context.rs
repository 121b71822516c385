//! Everything a command works with, gathered once from the real process.

use crate::{args::Global, config::Config, error::Failure, memory::Memory, output::Output, paths::Paths};
use skillful_catalog::{
    AgentProfiles, Catalog, Entry, Environment, Inputs, Principal, TrustStore, names::Lookup,
    roots::repository_of, settings::TrustMode, system,
};
use skillful_format::{Code, Diagnostic};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The surroundings of one command.
pub(crate) struct Context {
    /// How to print.
    pub output: Output,
    /// Where our own files are.
    pub paths: Paths,
    /// The outside.
    pub environment: Environment,
    /// The settings and where they come from.
    pub config: Config,
    /// The known agents.
    pub agents: AgentProfiles,
    /// The trusted folders.
    pub trust: TrustStore,
    /// What was wrong with our own files.
    pub diagnostics: Vec<Diagnostic>,
    /// Who asks.
    pub principal: Principal,
    /// What is remembered.
    pub memory: Memory,
}

impl Context {
    /// From the process and the global options.
    pub(crate) fn new(global: &Global) -> Result<Self, Failure> {
        // One that is no text is nothing that is asked for by name here.
        let text =
            |(name, value): (OsString, OsString)| name.into_string().ok().zip(value.into_string().ok());
        let variables: std::collections::BTreeMap<String, String> =
            std::env::vars_os().filter_map(text).collect();
        let home = variables
            .get("HOME")
            .filter(|home| !home.is_empty())
            .map(PathBuf::from)
            .or_else(std::env::home_dir)
            .ok_or_else(|| Failure::usage("there is no home folder").hint("set HOME"))?;
        // Otherwise each working folder would get a store and a trust of its own.
        if !home.is_absolute() {
            return Err(Failure::usage("HOME is no absolute path").hint("set HOME to the whole path"));
        }
        let start = std::env::current_dir()
            .map_err(|error| Failure::usage(format!("the working folder cannot be used: {error}")))?;
        let cwd = match &global.directory {
            Some(folder) => start.join(folder).canonicalize().map_err(|error| {
                Failure::usage(format!("the folder `{}` cannot be used: {error}", folder.display()))
            })?,
            None => start,
        };
        let output = Output::new(global.json, global.color, |name| {
            variables.get(name).filter(|value| !value.is_empty()).cloned()
        });
        let paths = Paths::new(&variables, &home);
        let mut config = Config::load(&paths, repository_of(&cwd));
        for root in &global.root {
            if !root.is_absolute() {
                return Err(Failure::usage(format!("--root `{}` is not absolute", root.display()))
                    .hint("write the whole path, such as --root \"$PWD/skills\""));
            }
        }
        config.settings.extra.clone_from(&global.root);
        config.settings.variables = Some(paths.variables.clone());
        config.settings.touched.clone_from(&global.touch);
        if global.trust_project {
            config.settings.trust = TrustMode::All;
        }
        if config.cache && !global.no_cache {
            config.settings.cache = Some(paths.cache.clone());
        }
        let environment = Environment {
            cwd,
            home,
            variables,
            capabilities: config.capabilities.iter().cloned().collect(),
            features: config.features.iter().cloned().collect(),
            packages: None,
            system: std::env::consts::OS.replace("macos", "darwin").replace("windows", "win32"),
        };
        let principal = Principal { user: None, admin: config.admin };
        let mut context = Self {
            output,
            paths,
            environment,
            diagnostics: Vec::new(),
            config,
            agents: AgentProfiles::default(),
            trust: TrustStore::default(),
            principal,
            memory: Memory::default(),
        };
        context.diagnostics.append(&mut context.config.diagnostics);
        context.show_model();
        context.add_proposed();
        Ok(context)
    }

    /// What models proposed is listed, and off until a person enables it.
    fn add_proposed(&mut self) {
        let folder = self.paths.proposed();
        if folder.is_dir() {
            self.config.settings.custom.push(folder.clone());
        }
        self.config.settings.proposed = Some(folder);
    }

    /// Reads the agents, the trust store and the shipped skills, which only some commands need.
    pub(crate) fn load(&mut self) {
        self.load_agents();
        self.load_trust();
        if self.config.settings.system {
            match system::install(&self.paths.data) {
                Ok(folder) => self.config.settings.system_folder = Some(folder),
                Err(error) => self.diagnostics.push(
                    Diagnostic::new(
                        Code::RootInvalid,
                        format!("the shipped skills could not be installed: {error}"),
                    )
                    .in_path(&self.paths.data)
                    .help("make the folder writable, or set `system = false` in the configuration"),
                ),
            }
        }
    }

    /// Reads the agents shipped with the program and those the person added.
    pub(crate) fn load_agents(&mut self) {
        let (agents, diagnostics) = self.read_agents();
        self.agents = agents;
        self.diagnostics.extend(diagnostics);
    }

    /// The same as a value, with what is wrong with any.
    pub(crate) fn read_agents(&self) -> (AgentProfiles, Vec<Diagnostic>) {
        let (mut agents, mut diagnostics) = (AgentProfiles::embedded(), Vec::new());
        let Ok(entries) = std::fs::read_dir(&self.paths.agents) else { return (agents, diagnostics) };
        let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "toml")) {
            let result = match std::fs::read_to_string(file) {
                Ok(text) => agents.add(&text),
                Err(error) => Err(Box::new(Diagnostic::new(Code::AgentProfileInvalid, error.to_string()))),
            };
            if let Err(diagnostic) = result {
                diagnostics.push(diagnostic.in_path(file));
            }
        }
        (agents, diagnostics)
    }

    fn load_trust(&mut self) {
        let Ok(text) = std::fs::read_to_string(&self.paths.trust) else { return };
        match toml::from_str(&text) {
            Ok(store) => self.trust = store,
            // Fails closed: nothing is trusted.
            Err(error) => self.diagnostics.push(
                Diagnostic::new(
                    Code::ConfigInvalid,
                    format!("the trust store was left out: {}", error.message()),
                )
                .in_path(&self.paths.trust)
                .help("mend or remove the file; until then no repository is trusted"),
            ),
        }
    }

    /// What a catalogue is made from.
    pub(crate) fn inputs(&self) -> Inputs<'_> {
        Inputs {
            agents: &self.agents,
            environment: &self.environment,
            settings: &self.config.settings,
            trust: &self.trust,
        }
    }

    /// The catalogue of this folder.
    pub(crate) fn catalog(&mut self) -> Catalog {
        self.load();
        Catalog::build(self.inputs())
    }

    /// The catalogue of this folder and the skill that a word means in it. A path to a skill that
    /// lies in no root is read as if its folder were one.
    pub(crate) fn catalog_with(&mut self, word: &str) -> Result<(Catalog, usize), Failure> {
        let catalog = self.catalog();
        if let Lookup::Found(at) = catalog.find(word, &self.environment.cwd) {
            return Ok((catalog, at));
        }
        let path = self.environment.cwd.join(word);
        let folder = if path.is_file() { path.parent().map(Path::to_path_buf) } else { Some(path) };
        if let Some(folder) = folder.and_then(|folder| folder.canonicalize().ok())
            && ["SKILL.md", "skill.md"].iter().any(|name| folder.join(name).is_file())
        {
            self.config.settings.extra.push(folder);
            let catalog = Catalog::build(self.inputs());
            let (at, _) = self.find(&catalog, word)?;
            return Ok((catalog, at));
        }
        let (at, _) = self.find(&catalog, word)?;
        Ok((catalog, at))
    }

    /// The skill that a word means, or a failure that names what comes near.
    pub(crate) fn find<'a>(&self, catalog: &'a Catalog, word: &str) -> Result<(usize, &'a Entry), Failure> {
        match catalog.find(word, &self.environment.cwd) {
            Lookup::Found(at) => Ok((at, &catalog.entries[at])),
            Lookup::Unknown { near } => {
                let failure = Failure::new(format!("there is no skill `{word}` here"));
                Err(match near.as_slice() {
                    [] => failure.hint("`skillful list` shows every skill"),
                    near => failure.hint(format!("did you mean `{}`?", near.join("` or `"))),
                })
            }
        }
    }

    /// A path as a person would write it anywhere.
    pub(crate) fn named(&self, path: &Path) -> String {
        short_path(path, Path::new("/nowhere"), &self.environment.home)
    }

    /// A path as a person would write it here: relative to the working folder or the home.
    pub(crate) fn short(&self, path: &Path) -> String {
        short_path(path, &self.environment.cwd, &self.environment.home)
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
