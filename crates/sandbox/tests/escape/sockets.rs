//! A job that is given one socket can reach that socket and no other.

use super::{PYTHON, Surroundings, benign::in_every_sandbox, lacks};
use skillful_sandbox::{Job, Network, Report, Require, SandboxError, Tier, probe, run};
use skillful_testkit::require_tool;
use std::{
    io::Write,
    os::unix::net::{UnixDatagram, UnixListener},
    path::PathBuf,
    thread,
};
use tempfile::TempDir;

/// The answer of the allowed server.
const HELLO: &str = "hello";

/// Ways to reach another socket than the given one. `$GRANTED` is the given one; `other` and `datagram` lie
/// beside it; the sockets of the test environment are outside and abstract.
const ATTEMPTS: &[(&str, &str)] = &[
    ("a neighbour", "stream().connect(D+'/other')"),
    ("a neighbour by dots", "stream().connect(G+'/../other')"),
    ("a neighbour by a link", "os.symlink(D+'/other','o'); stream().connect('o')"),
    ("a neighbour by a hard link", "os.link(D+'/other','o'); stream().connect('o')"),
    ("a neighbour by the root of itself", "stream().connect('/proc/self/root'+D+'/other')"),
    ("a neighbour by the caller's root", "stream().connect('/proc/'+E['PARENT']+'/root'+D+'/other')"),
    ("the folder of the socket", "assert set(os.listdir(D))=={'granted'}; stop()"),
    ("another folder", "stream().connect(E['SOCKET'])"),
    ("abstract", "stream().connect('\\0'+E['ABSTRACT'])"),
    (
        "abstract by a pair",
        "socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM)[0].sendto(b'x','\\0'+E['ABSTRACT']+'d')",
    ),
    ("datagrams", "socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(b'x',D+'/datagram')"),
    ("datagrams as raw", "socket.socket(socket.AF_UNIX,socket.SOCK_RAW).sendto(b'x',D+'/datagram')"),
    ("a datagram socket at all", "socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)"),
    ("a raw socket at all", "socket.socket(socket.AF_UNIX,socket.SOCK_RAW)"),
    ("packets in order at all", "socket.socket(socket.AF_UNIX,socket.SOCK_SEQPACKET)"),
    ("with high bits", "libc.syscall(N,ctypes.c_ulong(1<<32|1),ctypes.c_ulong(1<<32|2),0)>=0 or stop()"),
    ("take the place of the server", "os.unlink(G)"),
    ("move the server away", "os.rename(G,'g')"),
    ("close it for others", "os.chmod(G,0)"),
    ("the network", "socket.create_connection(('127.0.0.1',int(E['TCP'])),2)"),
    ("the virtual machine's host", "socket.socket(40,1,0)"),
];

const FRAME: &str = r"
import os, sys, socket, ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
N = ctypes.c_long(41 if platform.machine() == 'x86_64' else 198)
E, G = os.environ, os.environ['GRANTED']
D = os.path.dirname(G)
def stream(): return socket.socket(socket.AF_UNIX)
def stop(): raise OSError('not here')
s = stream(); s.connect(G); print(s.recv(9).decode(), flush=True)
a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'
try: exec(sys.argv[1]); print('ESCAPED')
except OSError as e: print('TRIED')
";

/// A folder with a socket to give and others beside it.
struct Folder {
    root: TempDir,
    other: UnixListener,
    datagram: UnixDatagram,
}

impl Folder {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        let granted = UnixListener::bind(path("granted")).unwrap();
        let other = UnixListener::bind(path("other")).unwrap();
        let datagram = UnixDatagram::bind(path("datagram")).unwrap();
        other.set_nonblocking(true).unwrap();
        datagram.set_nonblocking(true).unwrap();
        // Runs as long as the test.
        thread::spawn(move || {
            for stream in granted.incoming() {
                if stream.and_then(|mut stream| stream.write_all(HELLO.as_bytes())).is_err() {
                    break;
                }
            }
        });
        Self { root, other, datagram }
    }

    fn granted(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("granted")
    }

    fn job(&self, surroundings: &Surroundings, program: &str, arguments: &[&str]) -> Job {
        let mut job = surroundings.job(program, arguments);
        job.sockets = vec![self.granted()];
        job.environment.insert("GRANTED".into(), self.granted().into());
        job
    }

    fn reached(&self) -> bool {
        self.other.accept().is_ok() || self.datagram.recv(&mut [0; 8]).is_ok() || !self.granted().exists()
    }
}

fn refusal(job: &Job, tier: Tier, report: &Report) -> SandboxError {
    run(job, Require::Exactly(tier), report).unwrap_err()
}

#[test]
fn a_job_with_one_socket_reaches_no_other() {
    require_tool!(PYTHON);
    let report = probe();
    if report.choose(Require::Exactly(Tier::Bubblewrap)).is_err() {
        lacks(Tier::Bubblewrap, &report);
        return;
    }
    let folder = Folder::new();
    let mut failures = Vec::new();
    for (name, code) in ATTEMPTS {
        let mut surroundings = Surroundings::new();
        let job = folder.job(&surroundings, PYTHON, &["-S", "-B", "-c", FRAME, code]);
        let outcome = run(&job, Require::Exactly(Tier::Bubblewrap), &report).unwrap();
        let (said, damage) = (outcome.stdout.text(), surroundings.damage());
        if said != format!("{HELLO}\nTRIED\n") || !damage.is_empty() || folder.reached() {
            failures.push(format!("{name}: {said} {} {damage:?}", outcome.stderr.text()));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), ATTEMPTS.len(), failures.join("\n"));
}

#[test]
fn a_tier_that_cannot_restrict_a_job_to_its_sockets_refuses_it() {
    in_every_sandbox(|tier, report| {
        let (surroundings, folder) = (Surroundings::new(), Folder::new());
        let mut job = folder.job(&surroundings, "sh", &["-c", "echo x > ran"]);
        job.network = Network::Allowed;
        match tier {
            Tier::Bubblewrap => {
                let error = refusal(&job, tier, report);
                assert!(
                    matches!(&error, SandboxError::SocketsWithNetwork(path) if *path == folder.granted())
                );
                assert!(error.to_string().contains("abstract socket"), "{error}");
            }
            _ => {
                for network in [Network::Allowed, Network::Denied] {
                    job.network = network;
                    let error = refusal(&job, tier, report);
                    assert!(matches!(&error, SandboxError::SocketsNeedBubblewrap(_)));
                    assert!(error.to_string().contains("install bubblewrap"), "{error}");
                }
            }
        }
        assert!(!job.folder.join("ran").exists(), "{tier}: nothing was run");
    });
}

#[test]
fn a_path_that_is_not_a_socket_is_refused() {
    let (report, surroundings) = (probe(), Surroundings::new());
    let mut job = surroundings.job("/bin/true", &[]);
    job.sockets = vec![job.read_only[0].join("file")];
    assert!(matches!(refusal(&job, Tier::None, &report), SandboxError::NotASocket(_)));
    job.sockets = vec!["/nowhere/at/all".into()];
    assert!(matches!(refusal(&job, Tier::None, &report), SandboxError::Path { .. }));
}

#[test]
fn without_a_sandbox_jobs_with_sockets_are_accepted() {
    let (report, surroundings, folder) = (probe(), Surroundings::new(), Folder::new());
    let mut job = folder.job(&surroundings, "/bin/true", &[]);
    job.network = Network::Allowed;
    assert!(run(&job, Require::Exactly(Tier::None), &report).unwrap().status.success());
}
