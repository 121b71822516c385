//! A temporary home of a user who has nothing but some skills, as the engine opens every other one.

use crate::error::TeamError;
use skillful::{Environment, Options, Workspace};
use skillful_catalog::{disk, profile::RootKind};
use skillful_format::{Document, Sidecars, Tree, scaffold::check_name};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// The folder that a skill would be installed as.
pub(crate) fn folder_name(tree: &Tree) -> String {
    let document = tree.skill_file().map(|(_, file)| Document::read(&file.bytes, &Sidecars::default()));
    let name = document.and_then(|document| document.manifest.name).unwrap_or_default();
    if check_name(&name).is_ok() { name } else { "skill".to_owned() }
}

/// A home of a user who has nothing but these skills.
pub(crate) struct Home {
    pub(super) folder: TempDir,
}

impl Home {
    pub(crate) fn new(names: &BTreeSet<&str>) -> Result<Self, TeamError> {
        let home = Self { folder: TempDir::new().map_err(|error| disk_error(&error))? };
        for folder in [home.user(), home.project(), home.own()] {
            fs::create_dir_all(folder).map_err(|error| disk_error(&error))?;
        }
        // The skills of the machine that the server runs on are not those of the user.
        let include = toml_list(names);
        let config = format!("system = false\ncache = false\ninclude = {include}\n");
        fs::write(home.own().join("config.toml"), config).map_err(|error| disk_error(&error))?;
        Ok(home)
    }

    pub(crate) fn user(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn own(&self) -> PathBuf {
        self.folder.path().join("skillful")
    }

    pub(crate) fn workspace(&self) -> Workspace {
        let own = self.own().display().to_string();
        let environment = Environment {
            cwd: self.project(),
            home: self.user(),
            variables: BTreeMap::from([("SKILLFUL_HOME".to_owned(), own)]),
            system: "linux".to_owned(),
            ..Environment::default()
        };
        Workspace::open(environment, Options { no_cache: true, trust_project: true, ..Options::default() })
    }

    /// Puts a skill into the folder that an agent reads.
    pub(crate) fn put(root: &Path, name: &str, tree: &Tree) -> Result<(), TeamError> {
        let folder = root.join(name);
        fs::create_dir_all(&folder)
            .and_then(|()| disk::write_files(tree, &folder))
            .map_err(|e| disk_error(&e))
    }

    /// The folder of skills that an agent reads for its user, else for a project.
    pub(crate) fn root(
        &self,
        workspace: &Workspace,
        agent: &skillful_catalog::AgentProfile,
    ) -> Option<PathBuf> {
        let roots = workspace.view(agent).roots;
        let below = |top: PathBuf| {
            roots
                .iter()
                .filter(|root| root.kind == RootKind::Skills && root.path.starts_with(&top))
                .map(|root| root.path.clone())
                .next()
        };
        below(self.user()).or_else(|| below(self.project()))
    }

    /// A text without the names of the temporary folders.
    pub(crate) fn tidy(&self, text: &str) -> String {
        text.replace(&self.user().display().to_string(), "~")
            .replace(&self.project().display().to_string(), "/project")
    }
}

fn toml_list(names: &BTreeSet<&str>) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{}'", name.replace('\'', ""))).collect();
    format!("[{}]", quoted.join(", "))
}

pub(crate) fn disk_error(error: &io::Error) -> TeamError {
    TeamError::Unavailable(format!("the server cannot write a temporary file: {error}"))
}
