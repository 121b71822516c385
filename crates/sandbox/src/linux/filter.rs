//! The calls of the kernel a job may not make. A list of what is denied, since a list of what is allowed breaks
//! with every new library; what it cannot tell apart, because it is behind a pointer, "does not exist".

use crate::{Network, SandboxError};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};
use std::{collections::BTreeMap, io};

/// What a filter must make up for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs {
    pub(crate) network: Network,
    /// Mounts hide what is outside: a socket or a file's mode cannot be reached by its path.
    pub(crate) hidden: bool,
    /// The kernel keeps signals inside.
    pub(crate) signals_kept: bool,
}

// Newer than the names we have; the numbers are the same on every processor.
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_OPEN_TREE_ATTR: c_long = 467;
const SYS_FILE_SETATTR: c_long = 469;

/// Looking into others, the kernel's own interfaces, mounts and namespaces. No job has a use for them.
const NEVER: &[c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_migrate_pages,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_move_pages,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// What Landlock does not look at: modes, owners, attributes, and memory shared by a number.
const NOT_BY_LANDLOCK: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// Signals to a number; refused as a whole where the kernel does not keep them inside.
const SIGNALS: &[c_long] = &[
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
];

/// Calls with the number of a process, where 0 is the caller itself.
const OF_OTHERS: &[(c_long, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
];

const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// Calls whose last argument is the mode of a file, and its place. A file that runs as its owner outlives the
/// sandbox.
const MODES: &[(c_long, u8)] = &[
    (libc::SYS_openat, 3),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

const CHMODS: &[(c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
];

/// The type of a socket without its flags.
const SOCKET_TYPE: u64 = 0xf;

/// Calls of the x32 way, which pass for the same processor under other numbers.
const X32: u32 = 0x4000_0000;

#[derive(Default)]
struct Denials(BTreeMap<c_long, Vec<SeccompRule>>);

type Built = Result<(), seccompiler::BackendError>;

impl Denials {
    fn always(&mut self, calls: &[c_long]) {
        for call in calls {
            self.0.insert(*call, Vec::new());
        }
    }

    /// Denies when all conditions hold, unless the call is denied anyway.
    fn when(&mut self, call: c_long, conditions: &[(u8, SeccompCmpOp, u64)]) -> Built {
        if self.0.get(&call).is_some_and(Vec::is_empty) {
            return Ok(());
        }
        // Half a word: the kernel ignores the rest of these arguments, and so must the comparison.
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

    fn everywhere(&mut self) -> Built {
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
        // Typing into a terminal, and its console cousin.
        for request in [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCSETD] {
            self.when(libc::SYS_ioctl, &[(1, Eq, request & 0xffff_ffff)])?;
        }
        Ok(())
    }

    fn sockets(&mut self, needs: Needs) -> Built {
        use SeccompCmpOp::{Eq, MaskedEq, Ne};
        let [unix, inet, inet6, netlink] =
            [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(word);
        let raw = word(libc::SOCK_RAW);
        let local = needs.hidden && needs.network == Network::Denied;
        if !local {
            // A pair of datagram sockets could still be sent elsewhere by a path or an abstract name.
            for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
                self.when(libc::SYS_socketpair, &[(1, MaskedEq(SOCKET_TYPE), word(kind))])?;
            }
        }
        self.when(libc::SYS_socketpair, &[(0, Ne, unix)])?;
        if needs.network == Network::Denied && !needs.hidden {
            self.always(&[libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen]);
            return Ok(());
        }
        let mut others = vec![(0, Ne, inet), (0, Ne, inet6), (0, Ne, netlink)];
        if local {
            others.push((0, Ne, unix));
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
        // Times by path; those of an open file stay, for `touch` and `cp` need them.
        let by_path = SeccompCondition::new(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
        self.0.entry(libc::SYS_utimensat).or_default().push(SeccompRule::new(vec![by_path])?);
        Ok(())
    }
}

/// The filter for these needs.
pub(crate) fn filter(needs: Needs) -> Result<BpfProgram, SandboxError> {
    build(needs).map_err(|error| SandboxError::setup("making the seccomp filter", io::Error::other(error)))
}

fn build(needs: Needs) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut denials = Denials::default();
    if !needs.hidden {
        denials.without_mounts(needs)?;
    }
    denials.everywhere()?;
    denials.sockets(needs)?;
    let refuse = SeccompAction::Errno(errno(libc::EPERM));
    let arch = std::env::consts::ARCH.try_into()?;
    let rest: BpfProgram = SeccompFilter::new(denials.0, SeccompAction::Allow, refuse, arch)?.try_into()?;
    Ok(prelude().into_iter().chain(rest).collect())
}

/// Before all: calls that have their flags behind a pointer, and those of another way of calling, do not exist.
/// Libraries then take the older call, which can be looked at.
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

/// The filter as bubblewrap reads it.
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
