//! Reads the process tree below this process from `/proc` without allocating: the supervisor is a forked copy
//! of a program with threads, where the allocator may be locked forever.

use rustix::{
    fs::{CWD, Mode, OFlags, RawDir, openat},
    io::read,
    process::{Pid, Signal, getpgrp, getpid, kill_process, kill_process_group},
};
use std::{ffi::CStr, mem::MaybeUninit, os::fd::AsFd};

/// Largest number of processes of the machine that are read. More than the default `pid_max` of most
/// machines.
const MOST: usize = 1 << 16;

/// Longest name of a process folder, with `/stat` and the NUL byte.
const NAME: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    dead: bool,
    threads: usize,
    pages: u64,
    below: bool,
}

/// Totals of the tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TreeUsage {
    /// Number of living processes.
    pub(crate) processes: u32,
    /// Number of living processes and threads.
    pub(crate) tasks: usize,
    /// Resident pages.
    pub(crate) pages: u64,
}

/// The table of processes; its memory is allocated once, before the fork.
pub(crate) struct Tree {
    table: Vec<Process>,
}

impl Tree {
    pub(crate) fn new() -> Self {
        Self { table: Vec::with_capacity(MOST) }
    }

    /// Reads the table again and returns the totals of the tree below this process.
    pub(crate) fn look(&mut self) -> rustix::io::Result<TreeUsage> {
        self.read()?;
        self.mark(getpid().as_raw_nonzero().get());
        let living = self.table.iter().filter(|process| process.below && !process.dead);
        Ok(living.fold(TreeUsage::default(), |sum, process| TreeUsage {
            processes: sum.processes.saturating_add(1),
            tasks: sum.tasks.saturating_add(process.threads.max(1)),
            pages: sum.pages.saturating_add(process.pages),
        }))
    }

    /// Sends a signal to every process that was in the tree when it was last read. Signals the process groups
    /// first, because the kernel does that atomically and misses no child that is being forked.
    pub(crate) fn signal(&self, signal: Signal) {
        let own = getpgrp().as_raw_nonzero().get();
        let mut last = own;
        for process in self.table.iter().filter(|process| process.below && !process.dead) {
            // The job has its own session, so its process groups contain no other process. A process that has
            // not joined one yet is still in ours.
            if process.group != last && process.group != own {
                last = process.group;
                // An error means that the process is already gone, here and below.
                let _sent = Pid::from_raw(last).map(|group| kill_process_group(group, signal));
            }
            let _sent = Pid::from_raw(process.pid).map(|pid| kill_process(pid, signal));
        }
    }

    fn read(&mut self) -> rustix::io::Result<()> {
        self.table.clear();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = openat(CWD, c"/proc", flags, Mode::empty())?;
        let mut buffer = [MaybeUninit::<u8>::uninit(); 8192];
        let mut folders = RawDir::new(&proc, &mut buffer);
        while let Some(folder) = folders.next() {
            if self.table.len() == self.table.capacity() {
                break;
            }
            // A process that ended meanwhile is skipped.
            if let Some(process) = folder.ok().and_then(|entry| process(&proc, entry.file_name())) {
                self.table.push(process);
            }
        }
        Ok(())
    }

    /// Marks the descendants of `root`. Needs one pass per level at worst; usually two, because process ids
    /// mostly grow downwards.
    fn mark(&mut self, root: i32) {
        self.table.sort_unstable_by_key(|process| process.pid);
        loop {
            let mut changed = false;
            for at in 0..self.table.len() {
                let Process { parent, below, .. } = self.table[at];
                if !below && (parent == root || self.below(parent)) {
                    self.table[at].below = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }

    fn below(&self, pid: i32) -> bool {
        self.table.binary_search_by_key(&pid, |process| process.pid).is_ok_and(|at| self.table[at].below)
    }
}

/// Number of processes and threads of a user on this machine, as far as `/proc` shows them.
pub(crate) fn tasks_of(user: u32) -> u64 {
    use std::os::unix::{ffi::OsStrExt, fs::MetadataExt};
    let Ok(proc) = std::fs::File::open("/proc") else { return 0 };
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.metadata().is_ok_and(|meta| meta.uid() == user))
        .filter_map(|entry| std::ffi::CString::new(entry.file_name().as_bytes()).ok())
        .filter_map(|name| process(&proc, &name))
        .map(|process| process.threads.max(1) as u64)
        .sum()
}

fn process(proc: impl AsFd, name: &CStr) -> Option<Process> {
    const STAT: &[u8] = b"/stat\0";
    let name = name.to_bytes();
    if !name.first()?.is_ascii_digit() || name.len() + STAT.len() > NAME {
        return None;
    }
    let mut path = [0_u8; NAME];
    path[..name.len()].copy_from_slice(name);
    path[name.len()..name.len() + STAT.len()].copy_from_slice(STAT);
    let path = CStr::from_bytes_until_nul(&path).ok()?;
    let file = openat(proc, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut line = [0_u8; 1024];
    let length = read(&file, &mut line).ok()?;
    parse(line.get(..length)?)
}

/// Parses a line of `stat`. The name in brackets can contain anything, so it ends at the last bracket.
fn parse(line: &[u8]) -> Option<Process> {
    // Positions of `num_threads` and `rss` after the name.
    const THREADS: usize = 17;
    const PAGES: usize = 21;
    let close = line.iter().rposition(|byte| *byte == b')')?;
    let open = line.iter().position(|byte| *byte == b'(')?;
    let pid = number(line.get(..open)?.trim_ascii())?;
    let mut fields = line.get(close + 1..)?.trim_ascii().split(|byte| *byte == b' ');
    let dead = matches!(fields.next()?, b"Z" | b"X");
    let parent = number(fields.next()?)?;
    let group = number(fields.next()?)?;
    let mut rest = fields.skip(THREADS - 3);
    let threads = number(rest.next()?)?;
    let pages = number(rest.nth(PAGES - THREADS - 1)?)?;
    Some(Process { pid, parent, group, dead, threads, pages, below: false })
}

fn number<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
