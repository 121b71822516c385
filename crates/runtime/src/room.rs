//! The room of a command that a skill causes: what it may see and use, and what confines it.
//!
//! Frontmatter grants nothing here. The skill's own folder and the project can be read but for files with
//! keys, `/tmp` is private, the environment is empty but for what is named; git runs no program that a
//! repository names; the network and folders to write in are granted by the user.

use crate::{
    Engine, git_environment, key_files, mounted_place,
    own_files::{self, Own, UnclearPath},
    project_scan::{GuardedNames, scan},
    skill_copy::SkillCopy,
};
use skillful_catalog::{AdmittedSkill, profile::RootKind, roots};
use skillful_credentials::proxy::SANDBOX_VARIABLE;
use skillful_sandbox::{Job, Limits, Network, Outcome, Report, Require, SandboxError};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

/// Python takes no compiled file from `__pycache__`, which is not part of an approved skill.
pub const NO_PYTHON_CACHE: (&str, &str) = ("PYTHONPYCACHEPREFIX", "/dev/null");
/// Where programs are looked for inside: never in a folder of the user's.
pub const SEARCH_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// The folder that the user works in, for a program that starts elsewhere.
pub const PROJECT_VARIABLE: &str = "SKILLFUL_PROJECT_DIR";
/// How long a command of a body or a hook may take by default.
pub const COMMAND_TIME: Duration = Duration::from_mins(2);

/// What the user allows to the commands of skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Skills whose commands may use the network, by address.
    pub network: BTreeSet<String>,
    /// Folders that commands may write in.
    pub writable: Vec<PathBuf>,
    /// Folders that commands may read, besides the project and their own.
    pub readable: Vec<PathBuf>,
}

/// What runs a job: the sandbox, or a substitute in a test.
pub trait Run: std::fmt::Debug + Sync {
    /// Runs it to its end.
    fn run(&self, job: &Job) -> Result<Outcome, SandboxError>;

    /// Runs it until it ends, or until `_stop` cancels it. An implementation that cannot stop a job
    /// runs it to its end.
    fn run_until(&self, job: &Job, _stop: &dyn Fn() -> bool) -> Result<Outcome, SandboxError> {
        self.run(job)
    }
}

/// The sandbox of this machine, looked for when it is first needed.
#[derive(Clone, Debug)]
pub struct Sandbox {
    require: Require,
    report: OnceLock<Report>,
}

impl Sandbox {
    /// What holds jobs here.
    pub const fn new(require: Require) -> Self {
        Self { require, report: OnceLock::new() }
    }

    /// What the sandbox of this machine can do.
    pub fn report(&self) -> &Report {
        self.report.get_or_init(skillful_sandbox::probe_best)
    }

    /// What is insisted on.
    pub fn require(&self) -> Require {
        self.require
    }
}

impl Run for Sandbox {
    fn run(&self, job: &Job) -> Result<Outcome, SandboxError> {
        skillful_sandbox::run(job, self.require, self.report())
    }

    fn run_until(&self, job: &Job, stop: &dyn Fn() -> bool) -> Result<Outcome, SandboxError> {
        skillful_sandbox::run_until(job, self.require, self.report(), stop)
    }
}

/// The room of the commands of one skill.
#[derive(Clone, Debug)]
pub struct Room {
    folder: PathBuf,
    /// The approved files, which are seen in the place of the folder.
    copy: Option<SkillCopy>,
    start: PathBuf,
    read_only: Vec<PathBuf>,
    writable: Vec<PathBuf>,
    network: Network,
    environment: BTreeMap<String, String>,
    home: PathBuf,
    /// What commands must not see, found when the first one runs.
    hidden: Arc<OnceLock<Vec<PathBuf>>>,
    /// What could not be given, as messages for the user.
    pub notes: Vec<String>,
}

impl Room {
    /// The room of a skill. `environment` are the variables that its programs get besides the few
    /// that every program needs. Of a skill that needs an approval, the approved files are copied for its programs.
    pub fn of(
        engine: &Engine<'_>,
        skill: &AdmittedSkill<'_>,
        grants: &Grants,
        environment: &BTreeMap<String, String>,
    ) -> io::Result<Self> {
        let (entry, folder) = (skill.entry(), skill.folder().to_path_buf());
        let copy = SkillCopy::of(skill, engine.settings)?;
        let outside = engine.asker.environment;
        let project = roots::repository_of(&outside.cwd).unwrap_or(&outside.cwd).to_path_buf();
        let mut notes = Vec::new();
        // A command file has no folder of its own: other commands are beside it.
        let has_folder = entry.origin.kind != RootKind::Commands && copy.is_none();
        let mut read_only: Vec<PathBuf> = has_folder.then(|| folder.clone()).into_iter().collect();
        // A folder that holds the home would give away everything that is in it, however the two are spelled.
        let home = outside.home.canonicalize().unwrap_or_else(|_| outside.home.clone());
        let too_wide = mounted_place::contains(&project, &home);
        let start = if too_wide {
            notes.push(format!(
                "commands do not see `{}`, since your home is in it; they start in the skill's folder",
                project.display()
            ));
            folder.clone()
        } else {
            read_only.push(project);
            outside.cwd.clone()
        };
        read_only.extend(grants.readable.iter().cloned());
        let granted = grants.network.contains(&entry.address());
        let network = if granted { Network::Allowed } else { Network::Denied };
        let mut all: BTreeMap<String, String> = [("PATH", SEARCH_PATH), ("LANG", "C.UTF-8"), NO_PYTHON_CACHE]
            .map(|(name, value)| (name.into(), value.into()))
            .into();
        all.extend(
            environment.iter().filter(|(name, _)| *name != "PATH").map(|(a, b)| (a.clone(), b.clone())),
        );
        all.insert(PROJECT_VARIABLE.to_owned(), outside.cwd.display().to_string());
        all.extend(git_environment::variables());
        // `skillful exec` inside must not take itself for the one that confines.
        all.insert(SANDBOX_VARIABLE.to_owned(), "1".to_owned());
        Ok(Self {
            folder,
            copy,
            start,
            read_only,
            writable: grants.writable.clone(),
            network,
            environment: all,
            home,
            hidden: Arc::default(),
            notes,
        })
    }

    /// Files with keys or values of variables, and the folders of keys in the home.
    fn hidden(&self) -> Vec<PathBuf> {
        let find = || {
            let roots: Vec<PathBuf> = self.read_only.iter().chain(&self.writable).cloned().collect();
            let found = scan(&roots, &GuardedNames::default());
            found
                .keys
                .into_iter()
                .chain(found.variables)
                .chain(key_files::in_home(&self.home, &roots))
                .chain(self.packages_above(&roots))
                .collect()
        };
        self.hidden.get_or_init(find).clone()
    }

    /// Folders of packages between the project and an approved skill, which node would load code from.
    fn packages_above(&self, roots: &[PathBuf]) -> Vec<PathBuf> {
        let above = self.folder.ancestors().skip(1).take_while(|_| self.copy.is_some());
        let inside =
            |folder: &Path| roots.iter().any(|root| folder != root && mounted_place::contains(root, folder));
        above.filter(|folder| inside(folder)).map(|folder| folder.join("node_modules")).collect()
    }

    /// What the skill has at a path.
    fn own(&self, path: &str) -> Option<Own> {
        let (is_file, is_folder) = match &self.copy {
            Some(copy) => {
                let files = copy.files();
                (
                    files.get(path).is_some(),
                    files.iter().any(|(file, _)| file.parents().any(|one| one == path)),
                )
            }
            None => (self.folder.join(path).is_file(), self.folder.join(path).is_dir()),
        };
        if is_file { Some(Own::File) } else { is_folder.then_some(Own::Folder) }
    }

    /// The folder of the skill.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A command in which relative paths of the skill's files, such as `scripts/guard.sh`, stand as whole paths.
    pub(crate) fn with_whole_paths<'t>(&self, command: &'t str) -> Result<Cow<'t, str>, UnclearPath> {
        own_files::with_whole_paths(command, &self.folder, |path| self.own(path))
    }

    /// A job in this room.
    pub fn job(&self, program: impl Into<OsString>, arguments: impl IntoIterator<Item = OsString>) -> Job {
        Job {
            arguments: arguments.into_iter().collect(),
            environment: self.environment.iter().map(|(name, value)| (name.into(), value.into())).collect(),
            read_only: self.read_only.clone(),
            writable: self.writable.clone(),
            hidden: self.hidden(),
            replaced: self.copy.iter().map(SkillCopy::replacement).collect(),
            network: self.network,
            limits: Limits { time: Some(COMMAND_TIME), ..Limits::default() },
            ..Job::new(program, &self.start)
        }
    }

    /// A job of a program that gets secrets. It starts in the skill's folder, since programs read files of the
    /// folder they start in, and an agent may have written those of the project.
    pub fn program(
        &self,
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Job {
        let mut job = Job { folder: self.folder.clone(), ..self.job(program, arguments) };
        // Node looks for packages in every folder above its program.
        job.hidden.extend(self.folder.ancestors().skip(1).map(|folder| folder.join("node_modules")));
        job
    }

    /// A job of a shell. The text is the author's; values come as variables.
    pub fn shell(&self, text: &str, environment: &BTreeMap<String, String>) -> Job {
        let mut job = self.job(shell(), ["-c", text, "skillful"].into_iter().map(OsString::from));
        job.environment.extend(environment.iter().map(|(name, value)| (name.into(), value.into())));
        job
    }
}

/// The shell that authors write for, where it is there.
pub fn shell() -> &'static str {
    let bash = "/bin/bash";
    if Path::new(bash).is_file() { bash } else { "/bin/sh" }
}
