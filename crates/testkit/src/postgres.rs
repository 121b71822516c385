//! A PostgreSQL server for the tests of one process. It ends with the process, whatever ends it.

use crate::skip;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Makes a cluster, starts the server, prints a line when it answers, and stops it when standard input ends.
const RUN: &str = r#"
set -e
bin=$1 dir=$2 port=$3
"$bin/initdb" -D "$dir/data" -A trust -U skillful --no-sync >"$dir/log" 2>&1
"$bin/postgres" -D "$dir/data" -k "$dir" -p "$port" -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200 >>"$dir/log" 2>&1 &
server=$!
trap 'kill -INT $server; wait $server; rm -rf "$dir"' EXIT
for _ in $(seq 200); do
    "$bin/pg_isready" -q -h 127.0.0.1 -p "$port" && break
    sleep 0.1
done
"$bin/pg_isready" -q -h 127.0.0.1 -p "$port"
echo ready
cat >/dev/null
"#;

struct Running {
    port: u16,
    bin: PathBuf,
    _process: Mutex<Child>,
}

/// The address of a new, empty database; `None` where PostgreSQL is not installed, and the test is reported as skipped.
pub fn postgres_database() -> Option<String> {
    static SERVER: OnceLock<Option<Running>> = OnceLock::new();
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let Some(server) = SERVER.get_or_init(start) else {
        skip("PostgreSQL not found");
        return None;
    };
    let name = format!("test{}", NUMBER.fetch_add(1, Ordering::SeqCst));
    let made = Command::new(server.bin.join("createdb"))
        .args(["-h", "127.0.0.1", "-p", &server.port.to_string(), "-U", "skillful", &name])
        .output()
        .expect("createdb");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Some(format!("postgres://skillful@127.0.0.1:{}/{name}", server.port))
}

fn programs() -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|bin| bin.join("postgres").is_file() && bin.join("initdb").is_file())
        .collect();
    found.sort();
    found.pop()
}

fn start() -> Option<Running> {
    let bin = programs()?;
    let folder =
        tempfile::Builder::new().prefix("skillful-pg-").tempdir_in("/tmp").expect("a temp folder").keep();
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|free| free.local_addr())
        .expect("a free port")
        .port();
    // The server refuses to run as root.
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let mut command = if is_root {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("permissions");
        let owned = Command::new("chown").arg("postgres").arg(&folder).status().expect("chown");
        assert!(owned.success(), "the user postgres is missing");
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--", "bash"]);
        command
    } else {
        Command::new("bash")
    };
    command.args(["-c", RUN, "bash"]).arg(&bin).arg(&folder).arg(port.to_string()).current_dir("/");
    let mut process =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("PostgreSQL can be started");
    let mut line = String::new();
    BufReader::new(process.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    assert_eq!(line.trim(), "ready", "{}", log(&folder));
    Some(Running { port, bin, _process: Mutex::new(process) })
}

fn log(folder: &Path) -> String {
    fs::read_to_string(folder.join("log")).unwrap_or_default()
}
