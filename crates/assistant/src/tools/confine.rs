//! What a command of the assistant can access: the project to write, skills to read, no other files of the user.
//!
//! Files that instruct agents or git stay read-only inside the project. Only bubblewrap can keep such a
//! read-only part; for Landlock the job is narrowed to entries of the project that contain none.

use super::{
    path_access::{PathRules, watched},
    real_path,
};
use crate::tool_environment::ToolEnvironment;
use skillful_credentials::proxy::SANDBOX_VARIABLE;
use skillful_runtime::room::{SEARCH_PATH, shell};
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
/// First line of every command: joins stderr with stdout, so that messages keep their order, and sets HOME to a
/// private folder of the sandbox.
const FIRST: &str = "exec 2>&1; export HOME=\"${TMPDIR:-/tmp}\"\n";

/// The sandbox job of one command.
#[derive(Debug)]
pub(super) struct Confined {
    pub(super) job: Job,
    project: Option<PathBuf>,
    /// Paths of the project that stay read-only.
    kept: Vec<PathBuf>,
    /// Those of them that did not exist before.
    missing: Vec<PathBuf>,
    /// Links on the way to them, and where they led.
    links: Vec<(PathBuf, PathBuf)>,
    /// Grants that could not be given.
    pub(super) notes: Vec<String>,
}

impl Confined {
    /// The job of a command that starts in a folder.
    pub(super) fn new(
        env: &ToolEnvironment<'_>,
        command: &str,
        folder: &Path,
        network: bool,
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
        let narrow = |path: &&PathBuf| !env.home.starts_with(path) && path.is_dir();
        let skills: Vec<PathBuf> =
            rules.guarded.iter().filter(narrow).filter_map(|path| path.canonicalize().ok()).collect();
        read_only.extend(skills.iter().cloned());
        let (mut kept, mut missing, mut links) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(project) = &rules.project {
            writable.push(project.clone());
            let named: Vec<PathBuf> = rules
                .guarded
                .iter()
                .filter(|path| path.starts_with(project))
                .cloned()
                .chain(watched(project))
                .chain(watched(&env.folder))
                .collect();
            // Only real paths in the project can be kept read-only; links on the way are checked afterwards.
            let steps = named.iter().flat_map(|path| path.ancestors().take_while(|above| *above != project));
            links = steps.filter_map(|step| Some((step.to_owned(), step.read_link().ok()?))).collect();
            let real = |path: &PathBuf| real_path::resolve(path).ok();
            let mut all: Vec<PathBuf> = named
                .iter()
                .filter_map(real)
                .filter(|path| path.starts_with(project) && path != project)
                .collect();
            all.sort();
            all.dedup();
            (kept, missing) = all.into_iter().partition(|path| path.symlink_metadata().is_ok());
            read_only.extend(kept.iter().cloned());
        } else {
            notes.push("commands cannot access the working folder, because it contains your home".to_owned());
        }
        // A parent folder must not be moved away together with its content; as its own mount it cannot be.
        let above = |path: &PathBuf| -> Vec<PathBuf> {
            let around =
                |folder: &&Path| writable.iter().any(|wide| *folder != wide && folder.starts_with(wide));
            path.ancestors().skip(1).filter(around).map(Path::to_path_buf).collect()
        };
        let between: Vec<PathBuf> = read_only.iter().flat_map(above).collect();
        writable.extend(between);
        let stays = |path: &PathBuf| skills.iter().chain(&kept).any(|kept| path.starts_with(kept));
        if rules.project.as_ref().is_some_and(stays) {
            notes.push("the project is inside a folder of skills, which commands cannot change".to_owned());
            // It must stay readable.
            read_only.extend(rules.project.clone());
        }
        writable.retain(|path| !stays(path));
        writable.sort();
        writable.dedup();
        let visible = writable.iter().chain(&read_only).any(|given| folder.starts_with(given));
        let start = if visible { folder } else { Path::new("/") };
        let mut environment: Vec<(String, String)> =
            env.environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        for (name, value) in
            [("PATH", SEARCH_PATH), ("LANG", "C.UTF-8"), ("TERM", "dumb"), (SANDBOX_VARIABLE, "1")]
        {
            environment.push((name.to_owned(), value.to_owned()));
        }
        let job = Job {
            arguments: ["-c", &format!("{FIRST}{command}"), "skillful"].map(OsString::from).into(),
            environment: environment.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            read_only,
            writable,
            network: if network { Network::Allowed } else { Network::Denied },
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
        Self { job, project: rules.project, kept, missing, links, notes }
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
        let holds = |path: &Path| {
            self.kept.iter().chain(&self.missing).any(|kept| kept.starts_with(path) || path.starts_with(kept))
        };
        let mut entries: Vec<PathBuf> = std::fs::read_dir(project)
            .map(|entries| entries.flatten().take(ENTRIES).map(|entry| entry.path()).collect())
            .unwrap_or_default();
        entries.sort();
        let plain =
            |path: &PathBuf| path.symlink_metadata().is_ok_and(|meta| meta.is_dir() || meta.is_file());
        writable.extend(entries.into_iter().filter(plain).filter(|path| !holds(path)));
        job.writable = writable;
        job
    }

    /// Paths that instruct agents or git and that the command created or redirected.
    pub(super) fn made(&self) -> Vec<&Path> {
        let made = self.missing.iter().filter(|path| path.symlink_metadata().is_ok());
        let moved = self.links.iter().filter(|(link, to)| link.read_link().ok().as_ref() != Some(to));
        let mut all: Vec<&Path> = made.chain(moved.map(|(link, _)| link)).map(PathBuf::as_path).collect();
        all.sort();
        all.dedup();
        all
    }
}
