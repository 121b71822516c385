//! What tests that run as threads of one process need: a process of their own, and programs that can be run at once.

use std::{
    env, fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// Set in a process that runs one test only.
const ALONE: &str = "SKILLFUL_TEST_ALONE";

/// Whether this process runs nothing but the calling test. If not, such a process is started and must succeed, and the
/// caller has nothing left to do. For tests that measure something of the whole process.
///
/// # Panics
/// If the test fails in its own process.
#[must_use = "the test goes on only in a process of its own"]
pub fn alone() -> bool {
    if env::var_os(ALONE).is_some() {
        return true;
    }
    // The harness runs each test in a thread that has the name of the test.
    let thread = thread::current();
    let test = thread.name().expect("a test, not a thread of it");
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", test, "--include-ignored"]).env(ALONE, "1").stderr(Stdio::inherit());
    let output = command.output().expect("this program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    false
}

/// Writes a program that can be run at once.
///
/// A file that this process has open for writing is inherited by every child that another thread starts meanwhile, and
/// the system refuses to run it ("text file busy") until that child has started its own program. A child writes it
/// instead, so that no other child inherits the open file.
pub fn write_program(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().expect("a folder for the program")).expect("a folder for the program");
    let mut child = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\""])
        .arg(file)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    child.stdin.take().expect("its input").write_all(text.as_bytes()).expect("a program is written");
    assert!(child.wait().expect("a shell").success(), "{} cannot be written", file.display());
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("a program may be run");
}

/// The time that this thread spends in `work`. Other threads and processes do not count, however busy the machine is.
pub fn cpu_time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let now = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(time).expect("a time that runs forward")
    };
    let start = now();
    let done = work();
    (now().saturating_sub(start), done)
}
