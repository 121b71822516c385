//! The surroundings of a sandboxed job in a test: secrets, victims and servers outside, and a check for
//! damage.

use rustix::{fd::AsRawFd, io::FdFlags};
use skillful_sandbox::{Job, Limits};
use skillful_testkit::write_program;
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::ErrorKind,
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::{MetadataExt, symlink},
            net::{SocketAddr, UnixDatagram, UnixListener},
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};
use tempfile::TempDir;

pub(crate) const SECRET: &str = "the-secret-outside";
pub(crate) const FILE_SIZE: u64 = 8 << 20;
pub(crate) const OUTPUT: usize = 64 << 10;
static NEXT: AtomicU32 = AtomicU32::new(0);

pub(crate) struct Surroundings {
    root: TempDir,
    mark: String,
    victim: Child,
    open: File,
    tcp: TcpListener,
    udp: UdpSocket,
    socket: UnixListener,
    named: UnixListener,
    datagram: UnixDatagram,
    _given: (UnixListener, UnixDatagram),
    before: Vec<String>,
}

impl Surroundings {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().canonicalize().unwrap().join(name);
        for folder in ["outside", "inside", "given"] {
            fs::create_dir(path(folder)).unwrap();
        }
        fs::write(path("outside/secret"), SECRET).unwrap();
        write_program(&path("outside/tool"), &format!("#!/bin/sh\necho {SECRET}\n"));
        fs::write(path("given/file"), "given").unwrap();
        symlink(path("outside/secret"), path("inside/link")).unwrap();
        symlink(path("outside"), path("inside/folder")).unwrap();
        let open = File::open(path("outside/secret")).unwrap();
        // Inheritable, like a descriptor of a careless caller.
        rustix::io::fcntl_setfd(&open, FdFlags::empty()).unwrap();
        let mark = format!("{}{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let name = |suffix: &str| SocketAddr::from_abstract_name(format!("sandbox{mark}{suffix}")).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let socket = UnixListener::bind(path("outside/socket")).unwrap();
        let named = UnixListener::bind_addr(&name("")).unwrap();
        let datagram = UnixDatagram::bind_addr(&name("d")).unwrap();
        let given = (
            UnixListener::bind(path("given/socket")).unwrap(),
            UnixDatagram::bind(path("given/datagram")).unwrap(),
        );
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        socket.set_nonblocking(true).unwrap();
        named.set_nonblocking(true).unwrap();
        datagram.set_nonblocking(true).unwrap();
        let victim = Command::new("/bin/sleep").arg("600").spawn().unwrap();
        let before = [listing(&path("outside")), listing(&path("given"))].concat();
        Self { root, mark, victim, open, tcp, udp, socket, named, datagram, _given: given, before }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn job(&self, program: &str, arguments: &[&str]) -> Job {
        let text = |path: &str| self.path(path).to_string_lossy().into_owned();
        let variables = BTreeMap::from([
            ("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin".to_owned()),
            ("HOME", text("inside")),
            ("OUTSIDE", text("outside")),
            ("INSIDE", text("inside")),
            ("GIVEN", text("given")),
            ("VICTIM", self.victim.id().to_string()),
            ("PARENT", std::process::id().to_string()),
            ("FD", self.open.as_raw_fd().to_string()),
            ("TCP", self.tcp.local_addr().unwrap().port().to_string()),
            ("UDP", self.udp.local_addr().unwrap().port().to_string()),
            ("SOCKET", text("outside/socket")),
            ("ABSTRACT", format!("sandbox{}", self.mark)),
            ("MARK", self.mark.clone()),
        ]);
        let mut job = Job::new(program, self.path("inside"));
        job.arguments = arguments.iter().map(Into::into).collect();
        job.environment = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        job.read_only = vec![self.path("given")];
        job.writable = vec![self.path("inside")];
        job.limits = Limits {
            time: Some(Duration::from_secs(20)),
            output_bytes: OUTPUT,
            processes: 64,
            memory: 512 << 20,
            file_size: FILE_SIZE,
            open_files: 128,
        };
        job
    }

    /// The damage that the job caused outside.
    pub(crate) fn damage(&mut self) -> Vec<String> {
        let mut damage = Vec::new();
        let after = [listing(&self.path("outside")), listing(&self.path("given"))].concat();
        if after != self.before {
            damage.push(format!("files changed: {:?} became {after:?}", self.before));
        }
        let state = fs::read_to_string(format!("/proc/{}/stat", self.victim.id())).unwrap_or_default();
        if self.victim.try_wait().unwrap().is_some() || !(state.contains(") S ") || state.contains(") R ")) {
            damage.push(format!("the victim was harmed: {state}"));
        }
        let mut bytes = [0; 16];
        let waiting = [
            ("tcp", self.tcp.accept().map(drop)),
            ("udp", self.udp.recv(&mut bytes).map(drop)),
            ("socket", self.socket.accept().map(drop)),
            ("abstract", self.named.accept().map(drop)),
            ("datagram", self.datagram.recv(&mut bytes).map(drop)),
        ];
        for (name, answer) in waiting {
            if answer.is_ok_and(|()| true) {
                damage.push(format!("the job reached the {name} socket"));
            }
        }
        for folder in ["/tmp", "/var/tmp", "/dev/shm", "/dev"] {
            if fs::remove_file(Path::new(folder).join(&self.mark)).map_err(|e| e.kind())
                != Err(ErrorKind::NotFound)
            {
                damage.push(format!("a file was left in {folder}"));
            }
        }
        damage.extend(self.left_behind());
        damage.extend(self.oddities());
        damage
    }

    /// A process of the job that still runs, recognised by its unusual sleep time.
    fn left_behind(&self) -> Option<String> {
        let mark = format!("6.0{}", self.mark);
        let running = |entry: fs::DirEntry| {
            fs::read(entry.path().join("cmdline"))
                .is_ok_and(|line| line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes()))
        };
        let left = fs::read_dir("/proc").unwrap().flatten().any(running);
        left.then(|| "a process was left behind".to_owned())
    }

    /// Files in the job's own folder that it must not be able to create.
    fn oddities(&self) -> Vec<String> {
        let odd = |entry: fs::DirEntry| {
            let meta = entry.path().symlink_metadata().unwrap();
            let kind = meta.mode() & 0o170_000;
            let bad = meta.mode() & 0o6000 != 0 && meta.is_file()
                || meta.len() > FILE_SIZE
                || kind == 0o020_000
                || kind == 0o060_000
                || entry.file_name().to_string_lossy().starts_with("core");
            bad.then(|| format!("an odd file was made: {} {:o}", entry.file_name().display(), meta.mode()))
        };
        fs::read_dir(self.path("inside")).unwrap().flatten().filter_map(odd).collect()
    }
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        let _gone = self.victim.kill();
        let _reaped = self.victim.wait();
    }
}

/// Names, types, modes, times and contents.
fn listing(folder: &Path) -> Vec<String> {
    let line = |entry: fs::DirEntry| {
        let meta = entry.path().symlink_metadata().unwrap();
        let content = fs::read(entry.path()).unwrap_or_default();
        format!(
            "{} {:o} {} {} {content:?}",
            entry.file_name().display(),
            meta.mode(),
            meta.mtime(),
            meta.nlink()
        )
    };
    let mut lines: Vec<_> = fs::read_dir(folder).unwrap().flatten().map(line).collect();
    lines.sort();
    lines
}
