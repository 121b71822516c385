//! What a command of the assistant can access: the project to write, skills to read, no other files of the user,
//! and no file with keys.
//!
//! Files that instruct agents, git or other tools stay read-only inside the project, and those that a command
//! makes are put aside. Only bubblewrap can keep a read-only part; for Landlock the job is narrowed to entries
//! of the project that contain none.

use super::{path_access::PathRules, put_aside::Watch, real_path};
use crate::{programs::SkillPrograms, tool_environment::ToolEnvironment};
use skillful_credentials::proxy::{SANDBOX_VARIABLE, SOCKET_VARIABLE};
use skillful_runtime::{
    git_environment, key_files, mounted_place,
    project_scan::scan,
    room::{SEARCH_PATH, shell},
};
use skillful_sandbox::{Job, Limits, Network};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

/// Bytes of output that are kept; the beginning and the end are shown.
const OUTPUT: usize = 8 << 20;
/// Memory of a command; enough for compilers.
const MEMORY: u64 = 4 << 30;
/// Bytes of one file.
const FILE: u64 = 2 << 30;
/// Processes of a command.
const PROCESSES: usize = 512;
/// Open files per process.
const OPEN_FILES: u64 = 4096;
/// Most entries of a project that are made writable one by one.
const ENTRIES: usize = 1024;
/// Most places that are kept read-only or hidden one by one; in a project with more nothing is writable.
pub(super) const PLACES: usize = 3000;
/// First line of every command: joins stderr with stdout, so that messages keep their order, and sets HOME to a
/// private folder of the sandbox.
const FIRST: &str = "exec 2>&1; export HOME=\"${TMPDIR:-/tmp}\"\n";

/// What the model asked for, to be approved by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// The network.
    pub(super) network: bool,
    /// Changing guarded places.
    pub(super) guarded: bool,
    /// Reading files with keys.
    pub(super) keys: bool,
}

/// The sandbox job of one command.
pub(super) struct Confined {
    pub(super) job: Job,
    project: Option<PathBuf>,
    /// Paths of the project that stay read-only.
    kept: Vec<PathBuf>,
    /// What sees the guarded places that the command makes; `None` when the user allowed it to.
    pub(super) watch: Option<Watch>,
    /// Files with keys that the command cannot read.
    pub(super) hidden: usize,
    /// Grants that could not be given.
    pub(super) notes: Vec<String>,
}

impl Confined {
    /// The job of a command that starts in a folder.
    pub(super) fn new(
        env: &ToolEnvironment<'_>,
        command: &str,
        folder: &Path,
        asked: Asked,
        time: Duration,
    ) -> Self {
        let rules = PathRules::of(env);
        let mut notes = Vec::new();
        let mut there = |path: &PathBuf| {
            let exists = path.exists();
            if !exists {
                notes.push(format!("`{}` is granted but does not exist", path.display()));
            }
            exists
        };
        let mut writable: Vec<PathBuf> = rules.writable.iter().filter(|path| there(path)).cloned().collect();
        let mut read_only: Vec<PathBuf> = rules.readable.iter().filter(|path| there(path)).cloned().collect();
        // What may be written may be read; naming it twice must not take the writing away.
        read_only.retain(|path| !writable.iter().chain(&rules.project).any(|wide| path.starts_with(wide)));
        // Scripts and references of skills are readable.
        let narrow = |path: &&PathBuf| !mounted_place::contains(path, &rules.home) && path.is_dir();
        let skills: Vec<PathBuf> = rules
            .guarded
            .iter()
            .filter_map(|path| path.canonicalize().ok())
            .filter(|path| narrow(&path))
            .collect();
        read_only.extend(skills.iter().cloned());
        match &rules.project {
            Some(project) => writable.push(project.clone()),
            None => notes
                .push("commands cannot access the working folder, because it contains your home".to_owned()),
        }
        let roots = outermost(writable.iter().chain(&read_only));
        let found = scan(&roots, &rules.names);
        let mut kept = Vec::new();
        if !asked.guarded {
            let within = |path: &PathBuf| writable.iter().any(|wide| path != wide && path.starts_with(wide));
            // A link cannot be kept itself: what it leads to is kept, and the link is checked afterwards.
            let real = |path: &PathBuf| path.canonicalize().is_ok_and(|real| real == *path);
            kept = found
                .guarded
                .iter()
                .chain(&skills)
                .filter(|path| within(path) && real(path))
                .cloned()
                .collect();
            // A project that is itself such a place, as the user's own folder of an agent is.
            kept.extend(
                rules.project.iter().filter(|project| rules.names.reason(project).is_some()).cloned(),
            );
            kept.sort();
            kept.dedup();
            read_only.extend(kept.iter().cloned());
        }
        let watch = (!asked.guarded).then(|| {
            let bases = rules.project.iter().chain([&env.folder]);
            let named = bases.flat_map(|base| rules.names.paths().iter().map(|name| base.join(name)));
            let skills = rules.guarded.iter().filter(|path| within_any(path, &writable)).cloned();
            Watch::new(writable.clone(), rules.names.clone(), found.clone(), named.chain(skills))
        });
        let mut hidden: Vec<PathBuf> =
            found.variables.into_iter().chain(key_files::in_home(&rules.home, &roots)).collect();
        let keys = if asked.keys { 0 } else { found.keys.len() };
        hidden.extend(found.keys.into_iter().filter(|_| !asked.keys));
        // A path that is given is not hidden; one that cannot be opened cannot be changed either.
        kept.retain(|path| !hidden.contains(path));
        read_only.retain(|path| !hidden.contains(path));
        if !found.complete {
            notes.push(
                "the project is too large to be searched completely for guarded files and keys".to_owned(),
            );
        }
        if kept.len() + hidden.len() > PLACES {
            notes.push(format!(
                "nothing in the project is writable, because it has more than {PLACES} guarded places"
            ));
            read_only.append(&mut writable);
        }
        let between = mounts_between(&read_only, &writable);
        writable.extend(between);
        let stays =
            |path: &PathBuf| !asked.guarded && skills.iter().chain(&kept).any(|kept| path.starts_with(kept));
        if rules.project.as_ref().is_some_and(stays) {
            notes.push(
                "the project is inside a guarded place, which commands change with `change_guarded` only"
                    .to_owned(),
            );
            // It must stay readable.
            read_only.extend(rules.project.clone());
        }
        writable.retain(|path| !stays(path));
        if asked.guarded {
            read_only.retain(|path| !within_any(path, &writable));
        }
        writable.sort();
        writable.dedup();
        let visible = writable.iter().chain(&read_only).any(|given| folder.starts_with(given));
        let start = if visible { folder } else { Path::new("/") };
        let (mut sockets, mut path) = (Vec::new(), SEARCH_PATH.to_owned());
        let mut proxy = None;
        // The sandbox cannot give a socket together with the network.
        match env.programs.filter(|_| !asked.network).and_then(SkillPrograms::access) {
            Some(Ok(access)) => {
                if let Some(folder) = access.client.parent() {
                    path.push_str(&format!(":{}", folder.display()));
                }
                read_only.push(access.client);
                proxy = Some((SOCKET_VARIABLE.to_owned(), access.socket.display().to_string()));
                sockets.push(access.socket);
            }
            Some(Err(why)) => notes.push(format!("`skillful exec` does not work in commands: {why}")),
            None => {}
        }
        let mut environment: Vec<(String, String)> =
            env.environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        environment.extend(git_environment::variables());
        for (name, value) in
            [("PATH", path.as_str()), ("LANG", "C.UTF-8"), ("TERM", "dumb"), (SANDBOX_VARIABLE, "1")]
        {
            environment.push((name.to_owned(), value.to_owned()));
        }
        environment.extend(proxy);
        let job = Job {
            arguments: ["-c", &format!("{FIRST}{command}"), "skillful"].map(OsString::from).into(),
            environment: environment.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            read_only,
            writable,
            hidden,
            sockets,
            network: if asked.network { Network::Allowed } else { Network::Denied },
            limits: Limits {
                time: Some(time),
                output_bytes: OUTPUT,
                processes: PROCESSES,
                memory: MEMORY,
                file_size: FILE,
                open_files: OPEN_FILES,
            },
            ..Job::new(shell(), start)
        };
        Self { job, project: rules.project, kept, watch, hidden: keys, notes }
    }

    /// Takes the socket of the proxy away, for a sandbox that cannot restrict a job to it.
    pub(super) fn without_sockets(&mut self) {
        self.job.sockets.clear();
        self.job.environment.remove(&OsString::from(SOCKET_VARIABLE));
        self.notes.push("`skillful exec` does not work in commands here; use run_skill_program".to_owned());
    }

    /// The same job for a sandbox that cannot keep a read-only path inside a writable one: the project is
    /// readable, and only entries without such a path are writable.
    pub(super) fn narrowed(&self) -> Job {
        let mut job = self.job.clone();
        let Some(project) = &self.project else { return job };
        let hole = |wide: &PathBuf| job.read_only.iter().any(|path| path.starts_with(wide));
        let (narrow, mut writable): (Vec<_>, Vec<_>) = job.writable.drain(..).partition(hole);
        writable.retain(|path| !path.starts_with(project));
        job.read_only.extend(narrow);
        job.read_only.push(project.clone());
        let missing = self.watch.iter().flat_map(Watch::missing);
        let guarded: Vec<&PathBuf> = self.kept.iter().chain(missing).collect();
        let holds = |path: &Path| guarded.iter().any(|kept| kept.starts_with(path) || path.starts_with(kept));
        let mut entries: Vec<PathBuf> = std::fs::read_dir(project)
            .map(|entries| entries.flatten().take(ENTRIES).map(|entry| entry.path()).collect())
            .unwrap_or_default();
        entries.sort();
        let plain =
            |path: &PathBuf| path.symlink_metadata().is_ok_and(|meta| meta.is_dir() || meta.is_file());
        // A path that is given is not hidden, so a hidden one must not be given.
        let hidden = |path: &PathBuf| self.job.hidden.contains(path);
        writable.extend(entries.into_iter().filter(plain).filter(|path| !holds(path) && !hidden(path)));
        job.writable = writable;
        job
    }
}

/// The folders between writable folders and the places inside them. One must not be moved away together with its content;
/// as its own mount it cannot be.
pub(super) fn mounts_between(kept: &[PathBuf], writable: &[PathBuf]) -> Vec<PathBuf> {
    let around = |folder: &&Path| writable.iter().any(|wide| *folder != wide && folder.starts_with(wide));
    let above = |path: &PathBuf| -> Vec<PathBuf> {
        path.ancestors().skip(1).filter(around).map(Path::to_path_buf).collect()
    };
    let mut all: Vec<PathBuf> = kept.iter().flat_map(above).collect();
    all.sort();
    all.dedup();
    all
}

fn within_any(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// The folders that are inside no other one, by their real paths.
fn outermost<'a>(folders: impl Iterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    let mut real: Vec<PathBuf> =
        folders.map(|folder| real_path::resolve(folder).unwrap_or_else(|_| folder.clone())).collect();
    real.sort();
    real.dedup();
    let all = real.clone();
    real.retain(|folder| !all.iter().any(|other| other != folder && folder.starts_with(other)));
    real
}
