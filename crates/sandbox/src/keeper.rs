//! What keeps a limit on this machine.

use std::fmt;

/// What keeps a limit on this machine, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keeper {
    /// The kernel, by a group (cgroup) of this version: it cannot be passed, not even by root.
    Group(u8),
    /// The kernel, by a limit on all processes of the user (`RLIMIT_NPROC`) a little above it, and the
    /// supervisor's count.
    UserLimit,
    /// The supervisor's count alone, many times a second: a job may be above it for some milliseconds.
    Count,
    /// Nobody.
    Nobody,
}

impl fmt::Display for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group(version) => write!(f, "cgroup v{version}"),
            Self::UserLimit => f.write_str("rlimit of the user and count"),
            Self::Count => f.write_str("count"),
            Self::Nobody => f.write_str("nobody"),
        }
    }
}

/// What keeps the limits that count a whole tree. The others (size of files, open files, data of one process) are
/// always kept by the kernel, and time and output by the supervisor and the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keepers {
    /// Of [`Limits::processes`](crate::Limits::processes).
    pub processes: Keeper,
    /// Of [`Limits::memory`](crate::Limits::memory), for the tree together.
    pub memory: Keeper,
}

impl Keepers {
    #[cfg(any(test, not(target_os = "linux")))]
    pub(crate) const NONE: Self = Self { processes: Keeper::Nobody, memory: Keeper::Nobody };
}
