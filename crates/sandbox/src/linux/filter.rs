//! The seccomp filter: system calls that a job may not make. It is a deny list, because an allow list would
//! break with new library versions. Calls whose relevant arguments are behind a pointer fail with `ENOSYS`.

mod calls;

use crate::{Network, SandboxError};
use calls::{CHMODS, MODES, NAMESPACES, NEVER, NOT_BY_LANDLOCK, OF_OTHERS, SIGNALS};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};
use std::{collections::BTreeMap, io};

/// What the filter has to provide because the tier does not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs {
    pub(crate) network: Network,
    /// Mounts hide everything outside, so `chmod` by path cannot reach it.
    pub(crate) hidden: bool,
    /// The job may connect to Unix sockets. Only for tiers where mounts and a network namespace leave only
    /// the allowed ones.
    pub(crate) sockets: bool,
    /// The kernel confines signals to the sandbox.
    pub(crate) signals_kept: bool,
}

/// The type of a socket without its flags.
const SOCKET_TYPE: u64 = 0xf;

/// System calls of the x32 ABI, which have other numbers on the same processor.
const X32: u32 = 0x4000_0000;

#[derive(Default)]
struct Denials(BTreeMap<c_long, Vec<SeccompRule>>);

type Built = Result<(), seccompiler::BackendError>;

/// `TIOCSTI`, `TIOCLINUX` and `TIOCSETD`. The constants of `libc` have another type with each C library.
const TERMINAL_REQUESTS: [u64; 3] = [0x5412, 0x541c, 0x5423];

impl Denials {
    fn always(&mut self, calls: &[c_long]) {
        for call in calls {
            self.0.insert(*call, Vec::new());
        }
    }

    /// Denies a call when all conditions hold, unless it is always denied.
    fn when(&mut self, call: c_long, conditions: &[(u8, SeccompCmpOp, u64)]) -> Built {
        if self.0.get(&call).is_some_and(Vec::is_empty) {
            return Ok(());
        }
        // Compares 32 bits: the kernel ignores the upper half of these arguments, so the comparison must do
        // so too.
        let condition = |(place, operator, value): &(u8, SeccompCmpOp, u64)| {
            SeccompCondition::new(*place, SeccompCmpArgLen::Dword, operator.clone(), *value)
        };
        let conditions = conditions.iter().map(condition).collect::<Result<_, _>>()?;
        self.0.entry(call).or_default().push(SeccompRule::new(conditions)?);
        Ok(())
    }

    fn bit(&mut self, call: c_long, place: u8, bit: u64) -> Built {
        self.when(call, &[(place, SeccompCmpOp::MaskedEq(bit), bit)])
    }

    fn in_every_tier(&mut self) -> Built {
        use SeccompCmpOp::{Eq, MaskedEq};
        self.always(NEVER);
        for namespace in NAMESPACES {
            self.bit(libc::SYS_clone, 0, word(namespace))?;
        }
        for (call, place) in MODES.iter().chain(CHMODS) {
            self.bit(*call, *place, u64::from(libc::S_ISUID))?;
            self.bit(*call, *place, u64::from(libc::S_ISGID))?;
        }
        for (call, place) in MODES.iter().filter(|(call, _)| is_mknod(*call)) {
            for kind in [libc::S_IFCHR, libc::S_IFBLK] {
                let kind = u64::from(kind);
                self.when(*call, &[(*place, MaskedEq(u64::from(libc::S_IFMT)), kind)])?;
            }
        }
        // Typing into a terminal (`TIOCSTI`), and the console equivalents.
        for request in TERMINAL_REQUESTS {
            self.when(libc::SYS_ioctl, &[(1, Eq, request)])?;
        }
        Ok(())
    }

    fn sockets(&mut self, needs: Needs) -> Built {
        use SeccompCmpOp::{Eq, MaskedEq, Ne};
        let [unix, inet, inet6, netlink] =
            [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(word);
        let raw = word(libc::SOCK_RAW);
        // A pair of datagram sockets could be redirected to a path or an abstract name.
        for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
            self.when(libc::SYS_socketpair, &[(1, MaskedEq(SOCKET_TYPE), word(kind))])?;
        }
        self.when(libc::SYS_socketpair, &[(0, Ne, unix)])?;
        if needs.network == Network::Denied && !needs.hidden {
            self.always(&[libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen]);
            return Ok(());
        }
        let mut others = vec![(0, Ne, inet), (0, Ne, inet6), (0, Ne, netlink)];
        if needs.sockets && needs.hidden && needs.network == Network::Denied {
            others.push((0, Ne, unix));
            for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_SEQPACKET] {
                self.when(libc::SYS_socket, &[(0, Eq, unix), (1, MaskedEq(SOCKET_TYPE), word(kind))])?;
            }
        }
        self.when(libc::SYS_socket, &others)?;
        self.when(libc::SYS_socket, &[(0, Eq, netlink), (2, Ne, word(libc::NETLINK_ROUTE))])?;
        self.when(libc::SYS_socket, &[(0, Ne, netlink), (1, MaskedEq(SOCKET_TYPE), raw)])
    }

    fn without_mounts(&mut self, needs: Needs) -> Built {
        self.always(NOT_BY_LANDLOCK);
        for (call, place) in OF_OTHERS {
            self.when(*call, &[(*place, SeccompCmpOp::Ne, 0)])?;
        }
        if !needs.signals_kept {
            self.always(SIGNALS);
            self.when(libc::SYS_kill, &[(0, SeccompCmpOp::Ne, 0)])?;
        }
        // Denies setting times by path. Setting those of an open file stays allowed, because `touch` and `cp`
        // need it.
        let by_path = SeccompCondition::new(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
        self.0.entry(libc::SYS_utimensat).or_default().push(SeccompRule::new(vec![by_path])?);
        Ok(())
    }
}

/// Builds the filter for these needs.
pub(crate) fn filter(needs: Needs) -> Result<BpfProgram, SandboxError> {
    build(needs).map_err(|error| SandboxError::setup("building the seccomp filter", io::Error::other(error)))
}

fn build(needs: Needs) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut denials = Denials::default();
    if !needs.hidden {
        denials.without_mounts(needs)?;
    }
    denials.in_every_tier()?;
    denials.sockets(needs)?;
    let refuse = SeccompAction::Errno(errno(libc::EPERM));
    let arch = std::env::consts::ARCH.try_into()?;
    let rest: BpfProgram = SeccompFilter::new(denials.0, SeccompAction::Allow, refuse, arch)?.try_into()?;
    Ok(prelude().into_iter().chain(rest).collect())
}

/// The start of the program: calls that have their flags behind a pointer, and calls of another ABI, fail
/// with `ENOSYS`. Libraries then use the older calls, which can be checked.
fn prelude() -> Vec<sock_filter> {
    const LOAD_NUMBER: u16 = 0x20;
    const IF_EQUAL: u16 = 0x15;
    const IF_AT_LEAST: u16 = 0x35;
    const ANSWER: u16 = 0x06;
    let line = |code, yes, no, k| sock_filter { code, jt: yes, jf: no, k };
    let number = |call: c_long| u32::try_from(call).unwrap_or(u32::MAX);
    vec![
        line(LOAD_NUMBER, 0, 0, 0),
        line(IF_AT_LEAST, 2, 0, X32),
        line(IF_EQUAL, 1, 0, number(libc::SYS_clone3)),
        line(IF_EQUAL, 0, 1, number(libc::SYS_openat2)),
        line(ANSWER, 0, 0, libc::SECCOMP_RET_ERRNO | errno(libc::ENOSYS)),
    ]
}

/// The filter in the format that bubblewrap reads.
pub(crate) fn bytes(program: &BpfProgram) -> Vec<u8> {
    let line = |line: &sock_filter| {
        let [c0, c1] = line.code.to_ne_bytes();
        let [k0, k1, k2, k3] = line.k.to_ne_bytes();
        [c0, c1, line.jt, line.jf, k0, k1, k2, k3]
    };
    program.iter().flat_map(line).collect()
}

fn is_mknod(call: c_long) -> bool {
    #[cfg(target_arch = "x86_64")]
    if call == libc::SYS_mknod {
        return true;
    }
    call == libc::SYS_mknodat
}

fn word(value: i32) -> u64 {
    u64::from(value.cast_unsigned())
}

fn errno(value: i32) -> u32 {
    value.cast_unsigned()
}

#[cfg(test)]
mod tests;
