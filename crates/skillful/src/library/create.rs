//! A new skill that passes every check.

use super::{Library, LibraryError};
use crate::{
    agent_links::real_part,
    views::{CreatedSkill, SCHEMA},
};
use skillful_agents::{Unseen, UnseenCode};
use skillful_catalog::{AgentProfile, Environment, disk, roots::repository_of};
use skillful_format::{Limits, Tree, TreeFile, TreePath, path_text, scaffold};
use skillful_registry::install::{Reach, read_folders};
use std::path::{Path, PathBuf};

/// The folder that most agents read skills from, below a project or the home.
const SHARED_FOLDER: &str = ".agents/skills";

/// A skill to create.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSkill {
    /// Its name, which is also the name of its folder.
    pub name: String,
    /// What it is for; a text to replace when there is none.
    pub description: Option<String>,
    /// The folder that its folder is made in. Without one it is the shared folder of the scope.
    pub folder: Option<PathBuf>,
    /// The agent that reads it, and whose limits it must fit.
    pub agent: Option<String>,
}

/// An agent found here that does not load the skills of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotReading {
    /// Its id.
    pub agent: String,
    /// Its name for users.
    pub title: String,
    /// Whether the agent has to trust the folder first. A link does not help then.
    pub distrusts: bool,
}

impl Library<'_> {
    /// The agents found here that do not load a skill of this file, which was just made.
    ///
    /// ```
    /// use skillful::{Environment, Library, Options, Workspace, library::{NewSkill, Scope}};
    /// use std::{fs, time::SystemTime};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = |below: &str| folder.path().join(below);
    /// fs::create_dir_all(path("work"))?;
    /// fs::create_dir_all(path("home/.claude"))?;
    /// let environment = Environment { cwd: path("work"), home: path("home"), ..Environment::default() };
    /// let workspace = Workspace::open(environment, Options::default());
    ///
    /// let library = Library::open(&workspace, Scope::User, SystemTime::UNIX_EPOCH)?;
    /// let new = library.create(&NewSkill { name: "pdf".to_owned(), ..NewSkill::default() })?;
    /// let agents: Vec<_> = library.not_read_by(&new.path).into_iter().map(|one| one.title).collect();
    /// assert_eq!(agents, ["Claude Code"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn not_read_by(&self, file: &Path) -> Vec<NotReading> {
        let Some(root) = file.parent().and_then(Path::parent) else { return Vec::new() };
        let not_reading = |agent: &AgentProfile| {
            let view = self.workspace.view(agent);
            if view.roots.iter().any(|known| known.path == root) {
                return None;
            }
            let is_distrusted =
                |unseen: &Unseen| unseen.file.starts_with(root) && unseen.code == UnseenCode::Untrusted;
            let distrusts = view.unseen.iter().any(is_distrusted);
            Some(NotReading { agent: agent.id.clone(), title: agent.title.clone(), distrusts })
        };
        self.workspace.agents_found().into_iter().filter_map(not_reading).collect()
    }

    /// Creates a skill. Nothing that exists is changed.
    pub fn create(&self, new: &NewSkill) -> Result<CreatedSkill, LibraryError> {
        scaffold::check_name(&new.name).map_err(|refused| {
            let error = LibraryError::usage(&refused);
            match &refused.suggestion {
                Some(name) => error.fix(format!("skillful new {name}")),
                None => error,
            }
        })?;
        if let Some(agent) = &new.agent {
            let agent = self.workspace.agent(agent)?;
            fits(agent, &new.name, &scaffold::description(&new.name, new.description.as_deref()))?;
        }
        let target = self.folder_of_new(new)?.join(&new.name);
        if target.symlink_metadata().is_ok() {
            return Err(LibraryError::new(format!("`{}` already exists", path_text(&target)))
                .fix("choose another name, or another folder with --to"));
        }
        self.check_inside(new, &target)?;
        let text = scaffold::skill_file(&new.name, new.description.as_deref());
        let limits = Limits::default();
        let mut tree = Tree::default();
        let path = TreePath::new("SKILL.md", &limits).map_err(LibraryError::new)?;
        tree.insert(path, TreeFile { bytes: text.into_bytes(), executable: false }, &limits)
            .map_err(|diagnostic| LibraryError::new(diagnostic.message))?;
        disk::write_folder(&tree, &target)
            .map_err(LibraryError::io(format!("create `{}`", path_text(&target))))?;
        // What lies in a project needs an approval, and the user wrote this.
        if new.folder.is_some() || self.site.reach == Reach::Project {
            self.own(&target, &tree)?;
        }
        Ok(CreatedSkill { schema: SCHEMA, name: new.name.clone(), path: target.join("SKILL.md").into() })
    }

    /// Refuses a folder of the project that a link leads out of it. A folder that the user named is the user's choice.
    fn check_inside(&self, new: &NewSkill, target: &Path) -> Result<(), LibraryError> {
        if new.folder.is_some() || self.site.reach == Reach::User {
            return Ok(());
        }
        let cwd = &self.workspace.environment().cwd;
        let project = repository_of(cwd).unwrap_or(cwd).canonicalize().ok();
        let is_inside =
            real_part(target).zip(project).is_some_and(|(real, project)| real.starts_with(project));
        if is_inside {
            return Ok(());
        }
        let message = format!(
            "`{}` is a link that leads out of this repository",
            path_text(target.parent().unwrap_or(target))
        );
        Err(LibraryError::new(message).fix(format!("skillful new {} --to FOLDER", new.name)))
    }

    /// The folder that the user named, or else the shared one, or one that the named agent reads.
    fn folder_of_new(&self, new: &NewSkill) -> Result<PathBuf, LibraryError> {
        let Environment { cwd, home, variables, .. } = self.workspace.environment();
        if let Some(folder) = &new.folder {
            return Ok(cwd.join(folder));
        }
        let base = match self.site.reach {
            Reach::User => home,
            Reach::Project => repository_of(cwd).unwrap_or(cwd),
        };
        let shared = base.join(SHARED_FOLDER);
        let Some(agent) = &new.agent else { return Ok(shared) };
        let agent = self.workspace.agent(agent)?;
        // An agent without a folder in this scope gets the shared one, which others read.
        let read = read_folders(agent, &self.site, home, variables).unwrap_or_default();
        let read: Vec<PathBuf> = read.iter().map(|folder| self.site.path(folder)).collect();
        let first = read.first().cloned();
        Ok(if read.contains(&shared) { shared } else { first.unwrap_or(shared) })
    }
}

/// Refuses a name or a description that is too long for an agent.
fn fits(agent: &AgentProfile, name: &str, description: &str) -> Result<(), LibraryError> {
    for (what, text, limit) in
        [("name", name, agent.create.name), ("description", description, agent.create.description)]
    {
        let length = text.chars().count();
        if let Some(limit) = limit.filter(|limit| length > *limit) {
            let message = format!(
                "{} accepts a {what} of at most {limit} characters; this one has {length}",
                agent.title
            );
            return Err(LibraryError::usage(message).fix(format!("choose a shorter {what}")));
        }
    }
    Ok(())
}
