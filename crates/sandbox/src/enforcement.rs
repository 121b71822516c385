//! How this machine enforces a limit.

use std::fmt;

/// How a limit is enforced, the strongest way first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enforcement {
    /// By the kernel, with a cgroup of this version. Not even root can exceed it.
    Cgroup(u8),
    /// By the kernel, with a slightly higher limit on all processes of the user (`RLIMIT_NPROC`), and by the
    /// supervisor's count.
    UserLimit,
    /// By the supervisor's count alone, many times a second. A job can exceed the limit for some
    /// milliseconds.
    Count,
    /// Not enforced.
    None,
}

impl fmt::Display for Enforcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cgroup(version) => write!(f, "cgroup v{version}"),
            Self::UserLimit => f.write_str("user rlimit and count"),
            Self::Count => f.write_str("count"),
            Self::None => f.write_str("none"),
        }
    }
}

/// How the limits on the whole process tree are enforced. The kernel always enforces the others (file size,
/// open files, data of one process), and the supervisor and the caller enforce time and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeEnforcement {
    /// Of [`Limits::processes`](crate::Limits::processes).
    pub processes: Enforcement,
    /// Of [`Limits::memory`](crate::Limits::memory), for the whole tree.
    pub memory: Enforcement,
}

impl TreeEnforcement {
    #[cfg(any(test, not(target_os = "linux")))]
    pub(crate) const NONE: Self = Self { processes: Enforcement::None, memory: Enforcement::None };
}
