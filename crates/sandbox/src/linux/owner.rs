//! Names that tell who made a thing, so that whoever comes later can tell whether it is still needed: a caller
//! that is killed cannot clean up.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    sync::atomic::{AtomicU64, Ordering},
};

/// How our names begin.
pub(crate) const NAME: &str = "skillful-job-";

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Who made a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    /// The space its number counts in: elsewhere the same number is somebody else.
    space: u64,
    pid: u32,
    /// When it started, since numbers come back.
    started: u64,
}

impl Owner {
    fn own() -> Option<Self> {
        let pid = std::process::id();
        Some(Self { space: space()?, pid, started: started(pid)? })
    }

    /// Who made the thing of this name, if it is one of ours.
    pub(crate) fn read(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(NAME)?.split('-');
        let (space, pid, started) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { space: space.parse().ok()?, pid: pid.parse().ok()?, started: started.parse().ok()? })
    }

    /// Whoever made it is gone for certain.
    pub(crate) fn gone(self) -> bool {
        space() == Some(self.space) && started(self.pid) != Some(self.started)
    }
}

/// A name that is nobody else's, and tells of its owner.
pub(crate) fn name() -> Option<String> {
    let Owner { space, pid, started } = Owner::own()?;
    Some(format!("{NAME}{space}-{pid}-{started}-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// The space in which this process has its number.
fn space() -> Option<u64> {
    fs::metadata("/proc/self/ns/pid").ok().map(|meta| meta.ino())
}

/// When a process started, in ticks since the machine did.
fn started(pid: u32) -> Option<u64> {
    const PLACE_AFTER_NAME: usize = 19;
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    line.rsplit_once(')')?.1.split_whitespace().nth(PLACE_AFTER_NAME)?.parse().ok()
}

#[cfg(test)]
mod tests;
