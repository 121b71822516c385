//! What a command of the agent sees: the project to write in, skills to read, nothing else of the person.
//!
//! What tells agents or git what to do stays read-only inside the project. Only bubblewrap can keep such a
//! hole; for Landlock the job is narrowed to entries of the project that hold none.

use super::{
    ground::{Ground, watched},
    place,
};
use crate::scene::Scene;
use skillful_credentials::proxy::SANDBOX_VARIABLE;
use skillful_runtime::room::{SEARCH_PATH, shell};
use skillful_sandbox::{Job, Limits, Network};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

/// Bytes of output that are kept: the beginning and the end are shown.
const OUTPUT: usize = 8 << 20;
/// Memory of a command, compilers among them.
const MEMORY: u64 = 4 << 30;
/// Bytes of one file.
const FILE: u64 = 2 << 30;
/// Processes of a command.
const PROCESSES: usize = 512;
/// Files that one process holds open.
const OPEN_FILES: u64 = 4096;
/// Entries of a project that are made writable one by one.
const ENTRIES: usize = 1024;
/// The first line of every command: what it complains of comes in the order it is said, and its home is a
/// private folder of the sandbox.
const FIRST: &str = "exec 2>&1; export HOME=\"${TMPDIR:-/tmp}\"\n";

/// The room of one command.
#[derive(Debug)]
pub(super) struct Confined {
    pub(super) job: Job,
    project: Option<PathBuf>,
    /// Places of the project that stay as they are.
    kept: Vec<PathBuf>,
    /// Those of them that did not exist before.
    missing: Vec<PathBuf>,
    /// Links on the way to them, and where they led.
    links: Vec<(PathBuf, PathBuf)>,
    /// What could not be given.
    pub(super) notes: Vec<String>,
}

impl Confined {
    /// The room of a command that starts in a folder.
    pub(super) fn new(
        scene: &Scene<'_>,
        command: &str,
        folder: &Path,
        network: bool,
        time: Duration,
    ) -> Self {
        let ground = Ground::of(scene);
        let mut notes = Vec::new();
        let mut there = |path: &PathBuf| {
            let exists = path.exists();
            if !exists {
                notes.push(format!("`{}` is granted but does not exist", path.display()));
            }
            exists
        };
        let mut writable: Vec<PathBuf> = ground.writable.iter().filter(|path| there(path)).cloned().collect();
        let mut read_only: Vec<PathBuf> =
            ground.readable.iter().filter(|path| there(path)).cloned().collect();
        // What may be written may be read; naming it twice must not take the writing away.
        read_only.retain(|path| !writable.iter().chain(&ground.project).any(|wide| path.starts_with(wide)));
        // Scripts and references of skills are there to be used.
        let narrow = |path: &&PathBuf| !scene.home.starts_with(path) && path.is_dir();
        let skills: Vec<PathBuf> =
            ground.guarded.iter().filter(narrow).filter_map(|path| path.canonicalize().ok()).collect();
        read_only.extend(skills.iter().cloned());
        let (mut kept, mut missing, mut links) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(project) = &ground.project {
            writable.push(project.clone());
            let named: Vec<PathBuf> = ground
                .guarded
                .iter()
                .filter(|path| path.starts_with(project))
                .cloned()
                .chain(watched(project))
                .chain(watched(&scene.folder))
                .collect();
            // Only what really lies in the project can be kept there; a link on the way is watched.
            let steps = named.iter().flat_map(|path| path.ancestors().take_while(|above| *above != project));
            links = steps.filter_map(|step| Some((step.to_owned(), step.read_link().ok()?))).collect();
            let real = |path: &PathBuf| place::resolve(path).ok();
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
            notes.push("commands do not see the folder you work in, since your home is in it".to_owned());
        }
        // A folder above must not be moved away with what it holds: as a mount of its own it cannot be.
        let above = |path: &PathBuf| -> Vec<PathBuf> {
            let around =
                |folder: &&Path| writable.iter().any(|wide| *folder != wide && folder.starts_with(wide));
            path.ancestors().skip(1).filter(around).map(Path::to_path_buf).collect()
        };
        let between: Vec<PathBuf> = read_only.iter().flat_map(above).collect();
        writable.extend(between);
        let stays = |path: &PathBuf| skills.iter().chain(&kept).any(|kept| path.starts_with(kept));
        if ground.project.as_ref().is_some_and(stays) {
            notes.push("the project lies in a folder of skills, which commands cannot change".to_owned());
            // It must still be seen.
            read_only.extend(ground.project.clone());
        }
        writable.retain(|path| !stays(path));
        writable.sort();
        writable.dedup();
        let visible = writable.iter().chain(&read_only).any(|given| folder.starts_with(given));
        let start = if visible { folder } else { Path::new("/") };
        let mut environment: Vec<(String, String)> =
            scene.environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
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
        Self { job, project: ground.project, kept, missing, links, notes }
    }

    /// The same job for a sandbox that knows no read-only place inside a writable one: the project is there to
    /// be read, and those of its entries can be written that hold no such place.
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

    /// Places that tell agents or git what to do and that are there, or lead elsewhere, since the command ran.
    pub(super) fn made(&self) -> Vec<&Path> {
        let made = self.missing.iter().filter(|path| path.symlink_metadata().is_ok());
        let moved = self.links.iter().filter(|(link, to)| link.read_link().ok().as_ref() != Some(to));
        let mut all: Vec<&Path> = made.chain(moved.map(|(link, _)| link)).map(PathBuf::as_path).collect();
        all.sort();
        all.dedup();
        all
    }
}
