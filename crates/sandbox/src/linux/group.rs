//! Groups of the kernel (cgroups): the one limit on processes that root cannot pass, and the one limit on memory
//! that counts a tree as one. Not every machine lets us make them; the probe says so, and then the supervisor's
//! own count is what is left.

mod place;
mod stale;

use super::owner;
use crate::Limits;
use place::{Place, Version, candidates};
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

/// Members read at once when they are to be ended.
const MEMBERS: usize = 4096;

/// Where groups can be made here, as the probe found out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    processes: Option<Place>,
    memory: Option<Place>,
}

impl Places {
    /// Finds them by making a group in each, and setting its limit.
    pub(crate) fn find() -> Self {
        const SOME: u64 = 1 << 20;
        let works = |place: &Place, set: fn(&Path, Version, u64) -> io::Result<()>| {
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

    /// The version of the group that limits processes.
    pub(crate) fn processes(&self) -> Option<u8> {
        self.processes.as_ref().map(|place| number(place.version))
    }

    /// The version of the group that limits memory.
    pub(crate) fn memory(&self) -> Option<u8> {
        self.memory.as_ref().map(|place| number(place.version))
    }

    /// A group for one job. `own` processes of the sandbox itself come on top.
    pub(crate) fn group(&self, limits: &Limits, own: usize) -> io::Result<Group> {
        let mut group = Group::default();
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
    // More the kernel refuses, since no machine has them.
    const MOST: u64 = 1 << 22;
    write(&folder.join("pids.max"), &most.min(MOST).to_string())
}

fn limit_memory(folder: &Path, version: Version, bytes: u64) -> io::Result<()> {
    let bytes = bytes.min(i64::MAX.cast_unsigned()).to_string();
    // Without swap in the kernel the second file is not there, and not needed.
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
    // In one call and without creating: the kernel reads a write as a whole.
    OpenOptions::new().write(true).open(file)?.write_all(text.as_bytes())
}

fn file(folder: &Path, name: &str) -> io::Result<CString> {
    Ok(CString::new(folder.join(name).as_os_str().as_bytes())?)
}

/// A count the kernel keeps.
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

/// The group of one job. All that is done with it after it was made allocates nothing, so that a forked process
/// may do it. It is removed by the supervisor, and once more when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Group {
    folders: Vec<PathBuf>,
    /// For the supervisor, which must not allocate: the same folders, and their lists of members.
    names: Vec<CString>,
    members: Vec<CString>,
    kills: Vec<CString>,
    processes: Option<Processes>,
    memory: Option<Event>,
}

impl Group {
    fn make(&mut self, place: &Place) -> io::Result<PathBuf> {
        stale::sweep(&place.folder);
        let name = owner::name().ok_or_else(|| io::Error::other("/proc does not show this process"))?;
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
        self.folders.last().cloned().ok_or_else(|| io::Error::other("no group was made"))
    }

    #[cfg(test)]
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The kernel limits processes by this group.
    pub(crate) fn limits_processes(&self) -> bool {
        self.processes.is_some()
    }

    /// The kernel limits memory by this group.
    pub(crate) fn limits_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Puts the calling process in.
    pub(crate) fn join(&self) -> io::Result<()> {
        self.members.iter().try_for_each(|file| put(file, b"0"))
    }

    /// Somebody wanted one process too many.
    pub(crate) fn crowded(&self) -> bool {
        self.processes.as_ref().is_some_and(|processes| processes.events.happened())
    }

    /// The kernel ended somebody for memory.
    pub(crate) fn hungry(&self) -> bool {
        self.memory.as_ref().is_some_and(Event::happened)
    }

    /// Ends all that is in it. From the first line on nothing in it can start anything, so nothing gets away
    /// however fast it forks.
    pub(crate) fn end(&self) {
        if let Some(processes) = &self.processes {
            let _none = put(&processes.most, b"0");
        }
        for kill in &self.kills {
            // Older than Linux 5.14: one by one, below.
            let _killed = put(kill, b"1");
        }
        let mut text = [0; MEMBERS];
        for file in &self.members {
            let length = read(file, &mut text).unwrap_or(0);
            // A number cut off by the end of the buffer would be another process.
            let whole = text[..length].iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
            for pid in text[..whole].split(|byte| *byte == b'\n').filter_map(pid) {
                let _killed = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// Removes it; fails while something is in it.
    pub(crate) fn remove(&self) {
        for name in &self.names {
            let _removed = unlinkat(CWD, name, AtFlags::REMOVEDIR);
        }
    }
}

impl Drop for Group {
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
