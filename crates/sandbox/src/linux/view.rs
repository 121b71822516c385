//! What a job can see of the file system: its own paths, resolved and checked, and the system's folders.

use crate::{Job, Replacement, SandboxError, Tier};
use std::{
    ffi::OsStr,
    os::unix::{
        ffi::OsStrExt,
        fs::{FileTypeExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

/// Folders of programs and libraries. Those that exist are readable in every sandbox.
pub(crate) const SYSTEM: [&str; 8] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/// System settings that ordinary programs need; not all of `/etc`, which contains secrets.
pub(crate) const SETTINGS: [&str; 20] = [
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/fonts",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/tls/certs",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
];

/// Where a bare program name is looked up when the job has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Folders of the kernel, which cannot be given to a job.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

const ANY_EXECUTE: u32 = 0o111;

/// One path of the job, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mount {
    pub(crate) path: PathBuf,
    pub(crate) writable: bool,
}

/// A job's view of the file system.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) program: PathBuf,
    pub(crate) folder: PathBuf,
    /// Outer folders before inner ones, so that inner mounts take precedence.
    pub(crate) mounts: Vec<Mount>,
    /// Paths inside a mount that must not be seen; outer ones before inner ones.
    pub(crate) hidden: Vec<PathBuf>,
    /// Folders that show the files of another one; outer ones before inner ones.
    pub(crate) replaced: Vec<Replacement>,
    pub(crate) sockets: Vec<PathBuf>,
}

impl View {
    pub(crate) fn of(job: &Job, tier: Tier) -> Result<Self, SandboxError> {
        words(job)?;
        let (mut mounts, mut replaced) = (Vec::new(), Vec::new());
        for folder in &job.replaced {
            if tier == Tier::Bubblewrap {
                let by = resolve(&folder.by)?;
                replaced.push(Replacement { path: folder.path.clone(), by });
            } else {
                mounts.push(Mount { path: given(&folder.path, false)?, writable: false });
            }
        }
        replaced.sort_by_key(|folder| (folder.path.components().count(), folder.path.clone()));
        for (paths, writable) in [(&job.writable, true), (&job.read_only, false)] {
            for path in paths {
                mounts.push(Mount { path: given(path, writable)?, writable });
            }
        }
        mounts.sort_by_key(|mount| (mount.path.components().count(), mount.path.clone(), !mount.writable));
        mounts.dedup();
        let mut sockets = job.sockets.iter().map(|path| socket(path)).collect::<Result<Vec<_>, _>>()?;
        sockets.sort();
        sockets.dedup();
        let shown = |path: &Path| replaced.iter().rev().find_map(|folder| folder.shown(path));
        let folder = if shown(&job.folder).is_some() { job.folder.clone() } else { resolve(&job.folder)? };
        let program = find(job, &folder, &shown)?;
        let mut hidden = hidden(&job.hidden, &mounts);
        hidden.retain(|path| shown(path).is_none());
        let target = if shown(&program).is_some() { program.clone() } else { resolve(&program)? };
        let view = Self { program, folder, mounts, hidden, replaced, sockets };
        for path in [&view.program, &target] {
            if !view.shows(path) {
                return Err(SandboxError::ProgramHidden(path.clone()));
            }
        }
        if view.folder != Path::new("/") && !view.shows(&view.folder) {
            return Err(SandboxError::FolderHidden(view.folder));
        }
        Ok(view)
    }

    /// The first read-only path inside a writable one.
    pub(crate) fn read_only_inside_writable(&self) -> Option<&Path> {
        let inside =
            |inner: &Mount| self.mounts.iter().any(|m| m.writable && inner.path.starts_with(&m.path));
        self.mounts.iter().find(|mount| !mount.writable && inside(mount)).map(|mount| mount.path.as_path())
    }

    fn shows(&self, path: &Path) -> bool {
        SYSTEM.iter().any(|system| path.starts_with(system))
            || self.mounts.iter().any(|mount| path.starts_with(&mount.path))
            || self.replaced.iter().any(|folder| path.starts_with(&folder.path))
    }
}

/// The hidden paths that a mount would show, resolved.
fn hidden(paths: &[PathBuf], mounts: &[Mount]) -> Vec<PathBuf> {
    let mut hidden: Vec<PathBuf> = paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    hidden.retain(|path| {
        let mut around = mounts.iter().filter(|mount| path.starts_with(&mount.path)).peekable();
        around.peek().is_some() && !around.any(|mount| mount.path == *path)
    });
    hidden.sort_by_key(|path| (path.components().count(), path.clone()));
    hidden.dedup();
    let outer = hidden.clone();
    // What is inside a hidden folder is hidden with it.
    hidden.retain(|path| !outer.iter().any(|other| path != other && path.starts_with(other)));
    hidden
}

/// Refuses strings that cannot be passed to a process, before anything is created.
fn words(job: &Job) -> Result<(), SandboxError> {
    let bad = |word: &OsStr| word.as_bytes().contains(&0);
    let what = match () {
        () if job.program.is_empty() || bad(&job.program) => "the program",
        () if job.arguments.iter().any(|word| bad(word)) => "an argument",
        () if job.environment.keys().any(|k| k.is_empty() || bad(k) || k.as_bytes().contains(&b'=')) => {
            "the name of a variable"
        }
        () if job.environment.values().any(|value| bad(value)) => "the value of a variable",
        () => return limits(job),
    };
    Err(SandboxError::BadWord { what })
}

fn limits(job: &Job) -> Result<(), SandboxError> {
    let limits = &job.limits;
    let zero = match () {
        () if limits.time.is_some_and(|time| time.is_zero()) => "time",
        () if limits.processes == 0 => "processes",
        () if limits.memory == 0 => "memory",
        () if limits.file_size == 0 => "file_size",
        () if limits.open_files == 0 => "open_files",
        () => return Ok(()),
    };
    Err(SandboxError::ZeroLimit(zero))
}

fn resolve(path: &Path) -> Result<PathBuf, SandboxError> {
    path.canonicalize().map_err(|source| SandboxError::Path { path: path.to_owned(), source })
}

fn given(path: &Path, writable: bool) -> Result<PathBuf, SandboxError> {
    let resolved = resolve(path)?;
    let wide = resolved == Path::new("/")
        || KERNEL.iter().any(|kernel| resolved.starts_with(kernel))
        || (writable && (SYSTEM.iter().any(|s| resolved == Path::new(s)) || resolved == Path::new("/etc")));
    if wide { Err(SandboxError::TooWide(resolved)) } else { Ok(resolved) }
}

fn socket(path: &Path) -> Result<PathBuf, SandboxError> {
    let resolved = given(path, false)?;
    let is_socket = resolved.symlink_metadata().is_ok_and(|meta| meta.file_type().is_socket());
    if is_socket { Ok(resolved) } else { Err(SandboxError::NotASocket(resolved)) }
}

/// The path of the program, with its folder resolved but its own name kept, because some programs behave by
/// their name. A program in a folder that shows other files is looked up among those.
fn find(job: &Job, folder: &Path, shown: &dyn Fn(&Path) -> Option<PathBuf>) -> Result<PathBuf, SandboxError> {
    let name = Path::new(&job.program);
    let missing = || SandboxError::ProgramNotFound(name.to_owned());
    let found = if job.program.as_bytes().contains(&b'/') {
        let path = folder.join(name);
        if let Some(file) = shown(&path) {
            return if executable(&file) { Ok(path) } else { Err(missing()) };
        }
        Some(path).filter(|path| executable(path))
    } else {
        let path = job.environment.get(OsStr::new("PATH")).map_or(OsStr::new(DEFAULT_PATH), |path| path);
        std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name))
            .find(|path| executable(path))
    };
    let found = found.ok_or_else(missing)?;
    let (Some(parent), Some(file)) = (found.parent(), found.file_name()) else { return Err(missing()) };
    Ok(resolve(parent)?.join(file))
}

fn executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & ANY_EXECUTE != 0)
}

#[cfg(test)]
mod tests;
