//! Names that identify their creator, so that a later run can decide whether a resource is still in use: a
//! caller that is killed cannot clean up.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    sync::atomic::{AtomicU64, Ordering},
};

/// The prefix of our names.
pub(crate) const NAME: &str = "skillful-job-";

static NEXT: AtomicU64 = AtomicU64::new(0);

/// The process that created a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    /// The PID namespace of the process id: in another one the same id is another process.
    space: u64,
    pid: u32,
    /// When the process started, because ids are reused.
    started: u64,
}

impl Owner {
    fn own() -> Option<Self> {
        let pid = std::process::id();
        Some(Self { space: space()?, pid, started: started(pid)? })
    }

    /// The owner of the resource with this name, if the name is one of ours.
    pub(crate) fn read(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(NAME)?.split('-');
        let (space, pid, started) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { space: space.parse().ok()?, pid: pid.parse().ok()?, started: started.parse().ok()? })
    }

    /// Whether the owner has certainly ended.
    pub(crate) fn gone(self) -> bool {
        space() == Some(self.space) && started(self.pid) != Some(self.started)
    }
}

/// A unique name that identifies its owner.
pub(crate) fn name() -> Option<String> {
    let Owner { space, pid, started } = Owner::own()?;
    Some(format!("{NAME}{space}-{pid}-{started}-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// The PID namespace of this process.
fn space() -> Option<u64> {
    fs::metadata("/proc/self/ns/pid").ok().map(|meta| meta.ino())
}

/// When a process started, in clock ticks since boot.
fn started(pid: u32) -> Option<u64> {
    const PLACE_AFTER_NAME: usize = 19;
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    line.rsplit_once(')')?.1.split_whitespace().nth(PLACE_AFTER_NAME)?.parse().ok()
}

#[cfg(test)]
mod tests;
