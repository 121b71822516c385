//! Cgroups: the only limit on processes that root cannot exceed, and the only limit on the memory of a whole
//! process tree. Not every machine allows creating them. The probe finds out; without cgroups the supervisor
//! counts.

mod parent;
mod stale;

use super::owner;
use crate::Limits;
use parent::{CgroupParent, Version, candidates};
use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, openat, unlinkat},
    process::{Pid, Signal, kill_process},
};
use std::{
    ffi::{CStr, CString},
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// Number of members that are read at once when they are killed.
const MEMBERS: usize = 4096;

/// Where cgroups can be created, as the probe found out.
#[derive(Debug, Clone, Default)]
pub(crate) struct CgroupParents {
    processes: Option<CgroupParent>,
    memory: Option<CgroupParent>,
}

impl CgroupParents {
    /// Finds the folders by creating a cgroup in each and setting its limit.
    pub(crate) fn find() -> Self {
        const SOME: u64 = 1 << 20;
        let works = |place: &CgroupParent, set: fn(&Path, Version, u64) -> io::Result<()>| {
            stale::sweep(&place.folder);
            let Some(name) = owner::name() else { return false };
            let folder = place.folder.join(name);
            let made = fs::create_dir(&folder).and_then(|()| set(&folder, place.version, SOME));
            let writable = made.is_ok() && OpenOptions::new().write(true).open(folder.join(PROCS)).is_ok();
            stale::remove(&folder);
            writable
        };
        Self {
            processes: candidates("pids").into_iter().find(|place| works(place, limit_processes)),
            memory: candidates("memory").into_iter().find(|place| works(place, limit_memory)),
        }
    }

    /// The version of the cgroup that limits processes.
    pub(crate) fn processes(&self) -> Option<u8> {
        self.processes.as_ref().map(|place| number(place.version))
    }

    /// The version of the cgroup that limits memory.
    pub(crate) fn memory(&self) -> Option<u8> {
        self.memory.as_ref().map(|place| number(place.version))
    }

    /// Creates a cgroup for one job. The limit is raised by `own`, the number of the sandbox's own processes.
    pub(crate) fn group(&self, limits: &Limits, own: usize) -> io::Result<Cgroup> {
        let mut group = Cgroup::default();
        let tasks = limits.processes.saturating_add(own) as u64;
        if let Some(place) = &self.processes {
            let folder = group.make(place)?;
            limit_processes(&folder, place.version, tasks)?;
            let events = Event { file: file(&folder, "pids.events")?, word: b"max" };
            group.processes = Some(Processes { events, most: file(&folder, "pids.max")? });
        }
        if let Some(place) = &self.memory {
            let shared = self.processes.as_ref() == Some(place);
            let folder = if shared { group.last()? } else { group.make(place)? };
            limit_memory(&folder, place.version, limits.memory)?;
            let name = if place.version == Version::V1 { "memory.oom_control" } else { "memory.events" };
            group.memory = Some(Event { file: file(&folder, name)?, word: b"oom_kill" });
        }
        Ok(group)
    }
}

const PROCS: &str = "cgroup.procs";

fn number(version: Version) -> u8 {
    match version {
        Version::V1 => 1,
        Version::V2 => 2,
    }
}

fn limit_processes(folder: &Path, _version: Version, most: u64) -> io::Result<()> {
    // The kernel refuses larger values, because no machine has that many processes.
    const MOST: u64 = 1 << 22;
    write(&folder.join("pids.max"), &most.min(MOST).to_string())
}

fn limit_memory(folder: &Path, version: Version, bytes: u64) -> io::Result<()> {
    let bytes = bytes.min(i64::MAX.cast_unsigned()).to_string();
    // On a kernel without swap the second file does not exist and is not needed.
    let _swap = match version {
        Version::V1 => {
            write(&folder.join("memory.limit_in_bytes"), &bytes)?;
            write(&folder.join("memory.memsw.limit_in_bytes"), &bytes)
        }
        Version::V2 => {
            write(&folder.join("memory.max"), &bytes)?;
            write(&folder.join("memory.swap.max"), "0")
        }
    };
    Ok(())
}

fn write(file: &Path, text: &str) -> io::Result<()> {
    // In one call and without creating the file: the kernel interprets each write separately.
    OpenOptions::new().write(true).open(file)?.write_all(text.as_bytes())
}

fn file(folder: &Path, name: &str) -> io::Result<CString> {
    Ok(CString::new(folder.join(name).as_os_str().as_bytes())?)
}

/// A counter that the kernel maintains.
#[derive(Debug)]
struct Event {
    file: CString,
    word: &'static [u8],
}

impl Event {
    fn happened(&self) -> bool {
        let mut text = [0; 512];
        let length = read(&self.file, &mut text).unwrap_or(0);
        let mut words = text[..length].split(u8::is_ascii_whitespace);
        words.find(|word| *word == self.word).and_then(|_| words.next()).is_some_and(|count| count != b"0")
    }
}

#[derive(Debug)]
struct Processes {
    events: Event,
    most: CString,
}

/// The cgroup of one job. After it was created, its methods allocate nothing, so that a forked process can
/// call them. The supervisor removes it, and dropping this value tries again.
#[derive(Debug, Default)]
pub(crate) struct Cgroup {
    folders: Vec<PathBuf>,
    /// For the supervisor, which must not allocate: the same folders, and their member lists.
    names: Vec<CString>,
    members: Vec<CString>,
    kills: Vec<CString>,
    processes: Option<Processes>,
    memory: Option<Event>,
}

impl Cgroup {
    fn make(&mut self, place: &CgroupParent) -> io::Result<PathBuf> {
        stale::sweep(&place.folder);
        let name =
            owner::name().ok_or_else(|| io::Error::other("/proc is not mounted or hides this process"))?;
        let folder = place.folder.join(name);
        fs::create_dir(&folder)?;
        self.folders.push(folder.clone());
        self.names.push(file(&folder, "")?);
        self.members.push(file(&folder, PROCS)?);
        if place.version == Version::V2 {
            self.kills.push(file(&folder, "cgroup.kill")?);
        }
        Ok(folder)
    }

    fn last(&self) -> io::Result<PathBuf> {
        self.folders.last().cloned().ok_or_else(|| io::Error::other("no cgroup was created"))
    }

    #[cfg(test)]
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Whether the kernel limits processes with this cgroup.
    pub(crate) fn limits_processes(&self) -> bool {
        self.processes.is_some()
    }

    /// Whether the kernel limits memory with this cgroup.
    pub(crate) fn limits_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Adds the calling process.
    pub(crate) fn join(&self) -> io::Result<()> {
        self.members.iter().try_for_each(|file| put(file, b"0"))
    }

    /// Whether the kernel refused a process because of the limit.
    pub(crate) fn hit_process_limit(&self) -> bool {
        self.processes.as_ref().is_some_and(|processes| processes.events.happened())
    }

    /// Whether the kernel killed a process because of the memory limit.
    pub(crate) fn hit_memory_limit(&self) -> bool {
        self.memory.as_ref().is_some_and(Event::happened)
    }

    /// Kills all processes in the cgroup. The first step forbids new processes, so that none escapes, however
    /// fast it forks.
    pub(crate) fn end(&self) {
        if let Some(processes) = &self.processes {
            let _none = put(&processes.most, b"0");
        }
        for kill in &self.kills {
            // Fails before Linux 5.14; then the members are killed one by one below.
            let _killed = put(kill, b"1");
        }
        let mut text = [0; MEMBERS];
        for file in &self.members {
            let length = read(file, &mut text).unwrap_or(0);
            // A process id that is cut off at the end of the buffer would be a different one.
            let whole = text[..length].iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
            for pid in text[..whole].split(|byte| *byte == b'\n').filter_map(pid) {
                let _killed = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// Removes the cgroup; fails while it contains processes.
    pub(crate) fn remove(&self) {
        for name in &self.names {
            let _removed = unlinkat(CWD, name, AtFlags::REMOVEDIR);
        }
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        self.folders.iter().for_each(|folder| stale::remove(folder));
    }
}

fn pid(line: &[u8]) -> Option<Pid> {
    Pid::from_raw(std::str::from_utf8(line).ok()?.parse().ok()?)
}

fn put(file: &CStr, text: &[u8]) -> io::Result<()> {
    let file = openat(CWD, file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(file, text)?;
    Ok(())
}

fn read(file: &CStr, text: &mut [u8]) -> rustix::io::Result<usize> {
    let file = openat(CWD, file, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::read(file, text)
}

#[cfg(test)]
mod tests;
