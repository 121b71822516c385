//! What ordinary programs need; it must work in every tier.

use super::{PYTHON, Surroundings, refuses};
use skillful_sandbox::{
    Job, Network, Outcome, Report, Require, SandboxError, Status, Tier, probe, probe_best, run,
};
use skillful_testkit::require_tool;
use std::{fs, io::Write, net::TcpListener};

const TIERS: [Tier; 3] = [Tier::Bubblewrap, Tier::Landlock, Tier::None];

/// Runs a check in every usable tier; for the others, checks the refusal.
fn in_every_tier(check: impl Fn(Tier, &dyn Fn(&Job) -> Result<Outcome, SandboxError>)) {
    let report: Report = probe();
    for tier in TIERS {
        if report.choose(Require::Exactly(tier)).is_ok() {
            check(tier, &|job| run(job, Require::Exactly(tier), &report));
        } else {
            refuses(tier, &report);
        }
    }
}

/// Like `in_every_tier`, for checks that take a report, without the tier that is not a sandbox.
pub(crate) fn in_every_sandbox(check: impl Fn(Tier, &Report)) {
    let report: Report = probe();
    for tier in [Tier::Bubblewrap, Tier::Landlock] {
        if report.choose(Require::Exactly(tier)).is_ok() {
            check(tier, &report);
        } else {
            refuses(tier, &report);
        }
    }
}

/// Each line must succeed.
const SHELL: &[(&str, &str)] = &[
    ("say", "echo hello"),
    ("write, read, append", "echo a > f && echo b >> f && test \"$(wc -l < f)\" -eq 2"),
    ("folders", "mkdir -p a/b && cp -r a c && mv c d && rm -r a d"),
    ("links within", "echo a > f && ln -s f s && ln f h && cat s h"),
    ("times", "touch new && touch new && touch -d yesterday new"),
    ("read what is given", "grep -q given $GIVEN/file"),
    ("a private temporary folder", "f=$(mktemp) && echo x > $f && grep -q x $f && rm $f"),
    (
        "devices",
        "echo x > /dev/null && head -c 8 /dev/urandom | wc -c | grep -q 8 && head -c 3 /dev/zero | wc -c",
    ),
    ("pipes", "seq 1000 | sort -rn | head -1 | grep -q 1000"),
    ("process substitution", "bash -c 'diff <(echo a) <(echo a)'"),
    ("here documents", "cat > f <<E\nx\nE\ngrep -q x f"),
    ("its own children", "sleep 100 & kill $! && ! wait $!"),
    ("a time limit of its own", "! timeout 0.1 sleep 5"),
    ("a pipe in the folder", "mkfifo p && (echo x > p &) && read v < p && test $v = x"),
    ("who and where", "id -u && pwd && uname && nproc"),
    ("the machine", "cat /proc/cpuinfo /proc/meminfo > /dev/null"),
    ("awk, sed, tr, xargs", "echo 'a b' | awk '{print $2}' | sed s/b/c/ | tr c d | xargs test d ="),
    ("a script of the folder", "printf '#!/bin/sh\\nexit 0\\n' > s && sh ./s"),
    ("a script that is given", "sh $GIVEN/script"),
    ("archives", "echo x > f && tar cf t.tar f && tar tf t.tar && gzip -c t.tar > t.gz && gunzip -t t.gz"),
    ("git", "! command -v git > /dev/null || git --version"),
];

const PYTHON_LINES: &[(&str, &str)] = &[
    (
        "json, hashes, dates",
        "import json,hashlib,datetime,re,sqlite3; json.dumps({'a':hashlib.sha256(b'x').hexdigest()})",
    ),
    (
        "threads",
        "import threading; t=[threading.Thread(target=print) for _ in range(8)]; [x.start() for x in t]; [x.join() for x in t]",
    ),
    (
        "subprocesses",
        "import subprocess; assert subprocess.run(['cat'],input=b'x',capture_output=True).stdout==b'x'",
    ),
    (
        "temporary files",
        "import tempfile; f=tempfile.NamedTemporaryFile(); f.write(b'x'); f.flush(); assert open(f.name).read()=='x'",
    ),
    (
        "a database",
        "import sqlite3; c=sqlite3.connect('d.db'); c.execute('create table t(x)'); c.execute('insert into t values(1)'); c.commit()",
    ),
    ("a pair of sockets", "import socket; a,b=socket.socketpair(); a.send(b'x'); assert b.recv(1)==b'x'"),
    ("an event loop", "import asyncio; asyncio.run(asyncio.sleep(0.01))"),
    ("memory below the limit", "assert len(bytearray(100<<20))"),
    ("a file of a hundred kilobytes", "open('f','wb').write(bytes(100<<10))"),
];

#[test]
fn ordinary_shell_commands_work() {
    in_every_tier(|tier, run| {
        for (name, line) in SHELL {
            let surroundings = Surroundings::new();
            let job = surroundings.job("sh", &["-c", line]);
            fs::write(job.read_only[0].join("script"), "exit 0\n").unwrap();
            let outcome = run(&job).unwrap();
            assert!(outcome.status.success(), "{tier}: {name}: {outcome:?} {}", outcome.stderr.text());
        }
    });
}

#[test]
fn ordinary_python_programs_work() {
    require_tool!(PYTHON);
    in_every_tier(|tier, run| {
        for (name, line) in PYTHON_LINES {
            let outcome = run(&Surroundings::new().job(PYTHON, &["-c", line])).unwrap();
            assert!(outcome.status.success(), "{tier}: {name}: {}", outcome.stderr.text());
        }
    });
}

#[test]
fn input_arguments_and_environment_arrive_as_given() {
    in_every_tier(|tier, run| {
        let surroundings = Surroundings::new();
        let mut job = surroundings
            .job("sh", &["-c", "cat; printf '[%s]' \"$0\" \"$@\" \"$ODD\"", "a b", "", "$HOME;'\"\n*", "é"]);
        job.stdin = vec![b'x'; 300_000];
        job.limits.output_bytes = 1 << 20;
        job.environment.insert("ODD".into(), "line\nbreak = \"x\"".into());
        let outcome = run(&job).unwrap();
        let text = outcome.stdout.text();
        assert_eq!(&text[..300_000], "x".repeat(300_000), "{tier}");
        assert_eq!(&text[300_000..], "[a b][][$HOME;'\"\n*][é][line\nbreak = \"x\"]", "{tier}");
    });
}

#[test]
fn exit_codes_and_signals_are_reported() {
    in_every_tier(|tier, run| {
        let surroundings = Surroundings::new();
        assert_eq!(
            run(&surroundings.job("sh", &["-c", "exit 7"])).unwrap().status,
            Status::Exited(7),
            "{tier}"
        );
        assert_eq!(
            run(&surroundings.job("sh", &["-c", "kill -9 $$"])).unwrap().status,
            Status::Signalled(9),
            "{tier}"
        );
    });
}

#[test]
fn output_is_truncated_at_the_limit_and_marked() {
    in_every_tier(|tier, run| {
        let mut job = Surroundings::new().job("sh", &["-c", "head -c 1000000 /dev/zero; echo end >&2"]);
        job.folder = "/".into();
        job.read_only.clear();
        job.writable.clear();
        job.limits.output_bytes = 1000;
        let outcome = run(&job).unwrap();
        assert!(outcome.status.success(), "{tier}: a job is not blocked by its own output");
        assert_eq!((outcome.stdout.bytes.len(), outcome.stdout.truncated), (1000, true), "{tier}");
        assert_eq!((outcome.stderr.bytes.as_slice(), outcome.stderr.truncated), (b"end\n".as_slice(), false));
    });
}

#[test]
fn a_read_only_path_inside_a_writable_one_is_enforced_or_refused() {
    let report = probe();
    let surroundings = Surroundings::new();
    let mut job = surroundings.job("sh", &["-c", "echo x > new && ! echo x > kept/file"]);
    let kept = job.folder.join("kept");
    fs::create_dir(&kept).unwrap();
    job.read_only.push(kept.clone());
    for tier in [Tier::Bubblewrap, Tier::Landlock] {
        match run(&job, Require::Exactly(tier), &report) {
            Ok(outcome) => assert!(tier == Tier::Bubblewrap && outcome.status.success(), "{outcome:?}"),
            Err(SandboxError::ReadOnlyInsideWritable(path)) => {
                assert!(tier == Tier::Landlock && path == kept);
            }
            Err(error) => assert!(matches!(error, SandboxError::Unavailable { .. }), "{error}"),
        }
        assert!(!kept.join("file").exists());
    }
}

#[test]
fn network_access_reaches_the_machine_but_no_unix_socket() {
    require_tool!(PYTHON);
    in_every_tier(|tier, run| {
        if tier == Tier::None {
            return;
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let serving = std::thread::spawn(move || listener.accept().unwrap().0.write_all(b"hello").unwrap());
        let surroundings = Surroundings::new();
        let code = "import socket,sys,os\nprint(socket.create_connection(('127.0.0.1',int(sys.argv[1])),5).recv(5))\n\
                    for a in (os.environ['SOCKET'],'\\0'+os.environ['ABSTRACT']):\n  try: socket.socket(socket.AF_UNIX).connect(a); print('ESCAPED')\n  except OSError: pass";
        let mut job = surroundings.job(PYTHON, &["-c", code, &port]);
        job.network = Network::Allowed;
        let outcome = run(&job).unwrap();
        assert_eq!(outcome.stdout.text(), "b'hello'\n", "{tier}: {}", outcome.stderr.text());
        serving.join().unwrap();
    });
}

/// The environment variables of a job reach only the program: the sandbox itself is started without any.
#[test]
fn ld_preload_reaches_the_program_but_not_the_sandbox() {
    in_every_tier(|tier, run| {
        let mut job = Surroundings::new().job("/bin/true", &[]);
        job = Job { folder: "/".into(), read_only: Vec::new(), writable: Vec::new(), ..job };
        job.environment.insert("LD_PRELOAD".into(), "/nowhere/library.so".into());
        let outcome = run(&job).unwrap();
        let times = outcome.stderr.text().matches("/nowhere/library.so").count();
        assert!(outcome.status.success() && times <= 1, "{tier}: {}", outcome.stderr.text());
    });
}

#[test]
fn a_megabyte_of_output_arrives_completely() {
    in_every_tier(|tier, run| {
        let surroundings = Surroundings::new();
        let mut job = surroundings.job("sh", &["-c", "head -c 1048576 /dev/zero | tr '\\0' x"]);
        job.limits.output_bytes = 2 << 20;
        let outcome = run(&job).unwrap();
        assert_eq!(outcome.stdout.bytes, vec![b'x'; 1 << 20], "{tier}: {}", outcome.stderr.text());
        assert!(!outcome.stdout.truncated);
    });
}

#[test]
fn probe_best_stops_at_the_strongest_tier() {
    let (all, best) = (probe(), probe_best());
    assert_eq!(all.best(), best.best());
    assert_eq!(all.enforcement(), best.enforcement());
    if all.best() == Some(Tier::Bubblewrap) {
        let refusal = best.choose(Require::Exactly(Tier::Landlock)).unwrap_err().to_string();
        assert!(refusal.contains("not tried"), "{refusal}");
    }
}

/// An invalid change to a job.
type Change<'a> = &'a dyn Fn(&mut Job);

#[test]
fn invalid_jobs_are_refused_with_a_fix() {
    let report = probe();
    let surroundings = Surroundings::new();
    let refusal = |change: Change<'_>| {
        let mut job = surroundings.job("/bin/true", &[]);
        change(&mut job);
        run(&job, Require::Exactly(Tier::None), &report).unwrap_err().to_string()
    };
    let cases: [(&str, Change<'_>); 9] = [
        ("name a folder below it", &|job| job.writable.push("/".into())),
        ("name a folder below it", &|job| job.read_only.push("/proc/self".into())),
        ("name a folder below it", &|job| job.writable.push("/usr".into())),
        ("create it or leave it out", &|job| job.read_only.push("/nowhere/at/all".into())),
        ("install it", &|job| job.program = "no-such-program".into()),
        ("add its folder", &|job| job.program = std::env::current_exe().unwrap().into()),
        ("add it to", &|job| job.folder = "/var".into()),
        ("remove it", &|job| job.arguments.push("a\0b".into())),
        ("above zero", &|job| job.limits.processes = 0),
    ];
    for (fix, change) in cases {
        let refusal = refusal(change);
        assert!(refusal.contains(fix), "{fix}: {refusal}");
    }
}
