use crate::{bare, has_sandbox, secret::piped};
use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use skillful_testkit::{TestContext, skip, write_program};
use std::{
    io::{BufRead, BufReader, Read, Write},
    os::unix::net::UnixStream,
    process::{Child, Stdio},
    time::Duration,
};

const VALUE: &str = "tok-0123456789-abcdef";

/// A person with a skill, its program and its secret.
fn machine() -> TestContext {
    let machine = bare();
    machine.file(
        "home/.agents/skills/mail/SKILL.md",
        "---\nname: mail\ndescription: Mail.\nenv:\n  - {var: MAIL_TOKEN, from: secret, service: mail, key: token}\n  - {var: MAIL_USER, from: user_id}\n---\n\nSend it.\n",
    );
    program(
        &machine,
        "send",
        "echo \"token has ${#MAIL_TOKEN} letters: $MAIL_TOKEN\"; echo \"$1\" >&2; exit 3",
    );
    program(&machine, "names", "env | cut -d= -f1 | sort | tr '\\n' ' '");
    machine.skill("home/.agents/skills/other", "Other.");
    piped(&machine, "secret set mail token --skill mail", VALUE);
    machine
}

/// A program of the skill. The user lets the skill have its secret again, when there is one.
fn program(machine: &TestContext, name: &str, text: &str) {
    let file = machine.path(&format!("home/.agents/skills/mail/scripts/{name}"));
    write_program(&file, &format!("#!/bin/sh\n{text}\n"));
    machine.run("secret allow mail token --skill mail");
}

/// What the socket at a path says to a line.
pub(crate) fn ask(socket: &str, line: &str) -> String {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
    stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

/// A proxy in the foreground, and its socket.
pub(crate) fn serving(machine: &TestContext, line: &str) -> (Child, String) {
    let mut command = machine.command(line.split_whitespace());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut path = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut path).unwrap();
    assert!(!path.is_empty(), "{}", machine.tell(&child.wait_with_output().unwrap()));
    (child, path.trim().to_owned())
}

pub(crate) fn end(machine: &TestContext, child: Child) -> String {
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    machine.tell(&child.wait_with_output().unwrap())
}

#[test]
fn a_program_runs_with_its_secret_which_is_redacted() {
    let machine = machine();
    let (child, socket) = serving(&machine, "proxy --allow-unsandboxed --skill mail");
    assert_snapshot!(ask(&socket, r#"{"skill":"mail","program":"send","args":["hello"]}"#), @r#"{"stdout":"token has 21 letters: [redacted]\n","stderr":"hello\n","returncode":3}"#);
    let names = ask(&socket, r#"{"skill":"mail","program":"names","args":[]}"#);
    assert!(names.contains(" SKILLFUL_SANDBOX ") && !names.contains("SKILLFUL_PROXY_SOCKET"), "{names}");
    assert_snapshot!(ask(&socket, r#"{"type":"credential","name":"MAIL_TOKEN"}"#), @r#"{"error":"the programs of its skill get it, and reading it was not granted","reason":"lookup_denied","name":"MAIL_TOKEN","stdout":"","stderr":"the programs of its skill get it, and reading it was not granted\n","returncode":1}"#);
    assert_snapshot!(ask(&socket, r#"{"skill":"other","args":[]}"#), @r#"{"error":"there is no skill `other` in this run","reason":"unknown_skill","name":"other","authorized":["mail"],"stdout":"","stderr":"there is no skill `other` in this run\n","returncode":1}"#);
    let pid = child.id().to_string();
    let seen = end(&machine, child).replace(&pid, "[RUN]");
    assert_snapshot!(seen, @"
    exit: 0
    ----- stderr -----
    warning: --allow-unsandboxed: commands of this skill can read and change everything that you can
    warning: proxy [RUN]: the lookup of `MAIL_TOKEN` was refused (lookup_denied): the programs of its skill get it, and reading it was not granted
    warning: proxy [RUN]: the run of a program of `other` was refused (unknown_skill): it is not among the skills of this run
    ");
    assert!(!std::path::Path::new(&socket).exists(), "the socket goes with its proxy");
}

#[test]
fn a_user_may_let_a_skill_read_its_secret() {
    let machine = machine();
    let (child, socket) = serving(&machine, "proxy --allow-unsandboxed --readable mail=MAIL_TOKEN");
    let reply = ask(&socket, r#"{"type":"credential","name":"MAIL_TOKEN"}"#);
    assert_eq!(reply, format!("{{\"value\":\"{VALUE}\"}}\n"));
    assert!(end(&machine, child).starts_with("exit: 0\n"));
}

#[test]
fn a_command_gets_a_clean_environment_and_its_code_is_ours() {
    let machine = machine()
        .variable("MAIL_TOKEN", VALUE)
        .variable("AWS_SECRET", "of-somebody")
        .variable("LC_ALL", "C")
        .variable("TERM", "dumb")
        .variable("USER", "me")
        .variable("SKILLFUL_SECRETS_KEY_FILE", "");
    let mut command =
        machine.command(["proxy", "--allow-unsandboxed", "--pass", "TERM", "--pass", "MAIL_TOKEN", "--"]);
    let output = command
        .args(["/bin/sh", "-c", "env | cut -d= -f1 | grep -vE '^(PWD|OLDPWD|SHLVL|_)$' | sort; exit 7"])
        .output()
        .unwrap();
    assert_snapshot!(machine.tell(&output), @"
    exit: 7
    ----- stdout -----
    HOME
    LC_ALL
    MAIL_USER
    PATH
    SKILLFUL_PROXY_SOCKET
    TERM
    USER
    ----- stderr -----
    warning: --allow-unsandboxed: commands of this skill can read and change everything that you can
    warning: `MAIL_TOKEN` is not passed to the command: it is or contains a secret
    ");
}

#[test]
fn a_wrong_command_line_is_an_error_before_anything_runs() {
    let machine = machine();
    assert_snapshot!(machine.see("proxy --allow-unsandboxed --skill no-such -- true"), @"
    exit: 2
    ----- stderr -----
    warning: --allow-unsandboxed: commands of this skill can read and change everything that you can
    error: programs of `no-such` cannot be run: there is no such skill with programs
      fix:   `skillful list` shows every skill and its state
    ");
    assert_snapshot!(machine.see("proxy --allow-unsandboxed --readable mail -- true"), @"
    exit: 2
    ----- stderr -----
    warning: --allow-unsandboxed: commands of this skill can read and change everything that you can
    error: --readable `mail` does not name a variable
      fix:   write --readable SKILL=VARIABLE
    ");
    assert_snapshot!(machine.see("proxy --allow-unsandboxed --socket p.sock -- true"), @"
    exit: 2
    ----- stderr -----
    warning: --allow-unsandboxed: commands of this skill can read and change everything that you can
    error: the folder `[TEMP]/work` is open to others or not yours
      fix:   name a folder of your own with mode 0700
    ");
    assert_snapshot!(machine.see("proxy --allow-unsandboxed -- /no/such/command"), @"
    exit: 2
    ----- stderr -----
    warning: --allow-unsandboxed: commands of this skill can read and change everything that you can
    error: `/no/such/command` did not start: No such file or directory (os error 2)
    ");
}

#[test]
fn in_the_sandbox_a_program_sees_neither_the_key_nor_the_store() {
    let machine = machine();
    let key = machine.path("home/.config/skillful/secrets.key");
    program(&machine, "steal", &format!("cat {}; echo \"$MAIL_TOKEN\"", key.display()));
    if !has_sandbox() {
        return;
    }
    let (child, socket) = serving(&machine, "proxy");
    let reply = ask(&socket, r#"{"skill":"mail","program":"steal","args":[]}"#);
    assert!(reply.starts_with(r#"{"stdout":"[redacted]\n","stderr":"cat: "#), "{reply}");
    assert!(end(&machine, child).starts_with("exit: 0\n"));
}

#[test]
fn inside_exec_asks_the_proxy_and_never_runs_a_program_itself() {
    let machine = machine();
    let (child, socket) = serving(&machine, "proxy --allow-unsandboxed --skill mail");
    // An agent's world: neither the person's home nor their secrets.
    let inside = bare().variable("SKILLFUL_PROXY_SOCKET", &socket).variable("SKILLFUL_SANDBOX", "1");
    assert_snapshot!(inside.see("exec mail send hello"), @"
    exit: 3
    ----- stdout -----
    token has 21 letters: [redacted]
    ----- stderr -----
    hello
    ");
    assert_snapshot!(inside.see("exec other x"), @"
    exit: 1
    ----- stderr -----
    error: there is no skill `other` in this run
      cause: skills of this run: mail
    ");
    assert_snapshot!(inside.see("exec --json mail send x"), @r#"
    exit: 3
    ----- stdout -----
    {"schema":1,"skill":"mail","stdout":"token has 21 letters: [redacted]\n","stderr":"x\n","exit_code":3,"truncated":false}
    "#);
    assert!(end(&machine, child).starts_with("exit: 0\n"));
    assert_snapshot!(inside.see("exec mail send hello").replace(&socket, "[SOCKET]"), @"
    exit: 1
    ----- stderr -----
    error: there is no proxy at `[SOCKET]`
    ");
    assert_snapshot!(bare().variable("SKILLFUL_SANDBOX", "1").see("exec mail send"), @"
    exit: 1
    ----- stderr -----
    error: there is no proxy for this sandbox: SKILLFUL_PROXY_SOCKET is not set
    ");
}

/// Whether a command can be run in the sandbox here. If not, the test is reported as skipped.
fn confines(machine: &TestContext) -> bool {
    let found: serde_json::Value = serde_json::from_slice(&machine.run("sandbox --json").stdout).unwrap();
    let held = found["best"] == "bubblewrap";
    if !held {
        skip(&format!("bubblewrap does not hold here: {}", found["tiers"]));
    }
    held
}

/// A shell line in the sandbox beside the proxy, as a person sees it.
fn confined(machine: &TestContext, options: &[&str], line: &str) -> String {
    let mut command = machine.command(["proxy", "--sandboxed"]);
    let output = command.args(options).args(["--", "sh", "-c", line]).output().unwrap();
    machine.tell(&output)
}

#[test]
fn a_command_in_the_sandbox_has_programs_run_and_sees_neither_secret_nor_key() {
    let machine = machine();
    if !confines(&machine) {
        return;
    }
    let line = "skillful exec mail send hello; echo code $?; env; cat ~/.config/skillful/* 2>/dev/null; \
                ls -A ~ 2>/dev/null; echo new > made; exit 5";
    let seen = confined(&machine, &["--skill", "mail"], line);
    assert!(seen.starts_with("exit: 5\n"), "{seen}");
    assert!(seen.contains("token has 21 letters: [redacted]\ncode 3\n"), "{seen}");
    assert!(seen.contains("SKILLFUL_SANDBOX=1\n"), "{seen}");
    for hidden in [VALUE, "system = false", "secrets", ".agents"] {
        assert!(!seen.contains(hidden), "{hidden}: {seen}");
    }
    let key = std::fs::read(machine.path("home/.config/skillful/secrets.key")).unwrap();
    assert!(!seen.contains(String::from_utf8_lossy(&key).trim()), "the key was shown");
    assert_eq!(machine.text("work/made"), "new\n", "the project can be written");
}

#[test]
fn a_command_in_the_sandbox_runs_no_program_of_a_skill_itself_and_reaches_no_network() {
    let machine = machine();
    if !confines(&machine) {
        return;
    }
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let line = format!(
        "unset SKILLFUL_PROXY_SOCKET; skillful exec mail send; \
         bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null || echo no network"
    );
    assert_snapshot!(confined(&machine, &[], &line), @"
    exit: 0
    ----- stdout -----
    no network
    ----- stderr -----
    error: there is no proxy for this sandbox: SKILLFUL_PROXY_SOCKET is not set
    ");
}

#[test]
fn a_command_in_the_sandbox_reads_standard_input_to_its_end() {
    let machine = machine();
    if !confines(&machine) {
        return;
    }
    let mut command = machine.command(["proxy", "--sandboxed", "--", "sh", "-c", "cat; echo heard >&2"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"said\n").unwrap();
    assert_snapshot!(machine.tell(&child.wait_with_output().unwrap()), @"
    exit: 0
    ----- stdout -----
    said
    ----- stderr -----
    heard
    ");
}

#[test]
fn a_signal_ends_a_command_in_the_sandbox() {
    let machine = machine();
    if !confines(&machine) {
        return;
    }
    let mut command = machine.command(["proxy", "--sandboxed", "--", "sh", "-c", "echo up; sleep 600"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    assert_snapshot!(end(&machine, child), @"exit: 143");
}

#[test]
fn a_command_in_the_sandbox_cannot_rewrite_the_programs_of_a_skill_in_its_project() {
    let machine = machine();
    if !confines(&machine) {
        return;
    }
    machine.skill("work/.agents/skills/here", "Here.");
    write_program(&machine.path("work/.agents/skills/here/scripts/run"), "#!/bin/sh\necho honest\n");
    assert!(machine.run("trust --yes").status.success());
    let line = "exec 2>/dev/null; f=.agents/skills/here/scripts/run; \
                (echo echo evil > $f) && echo written; rm $f && echo removed; \
                for p in .agents .agents/skills .agents/skills/here; do mv $p gone && echo moved $p; done; \
                mkdir .agents/skills/new && skillful exec here run";
    // The user lets the command make skills; this one stays as it is all the same.
    assert_snapshot!(confined(&machine, &["--change-guarded", "--skill", "here"], line), @"
    exit: 0
    ----- stdout -----
    honest
    ");
}

#[test]
fn a_command_in_the_sandbox_is_not_given_the_home_or_what_it_could_turn() {
    let machine = machine();
    machine.file("home/.git/HEAD", "");
    let run = |folder: &str, line: &str| {
        let output = machine.command(line.split_whitespace()).current_dir(machine.path(folder)).output();
        machine.tell(&output.unwrap())
    };
    assert_snapshot!(run("home", "proxy --allow-unsandboxed --sandboxed -- true"), @"
    exit: 2
    ----- stderr -----
    warning: --allow-unsandboxed: commands of this skill can read and change everything that you can
    error: a command in the sandbox cannot access `[TEMP]/home`: it contains your home, settings or secrets
      fix:   run it in the folder of a project, and grant narrower folders in `[run]`
    ");
    let around = "home/.agents/skills/mail/scripts";
    machine.file("home/.agents/skills/mail/.git/HEAD", "");
    assert_snapshot!(run(around, "proxy --allow-unsandboxed --sandboxed --skill mail -- true"), @"
    exit: 2
    ----- stderr -----
    warning: --allow-unsandboxed: commands of this skill can read and change everything that you can
    error: a command in the sandbox could change the programs of `mail`: `~/.agents/skills/mail` is inside its folder
      fix:   name the skills of this run with --skill, or run it in another folder
    ");
}

#[test]
fn exec_runs_a_program_with_its_secret_like_the_proxy_and_redacts_it() {
    if !has_sandbox() {
        return;
    }
    let machine = machine();
    assert_snapshot!(machine.see("exec mail send hi"), @"
    exit: 3
    ----- stdout -----
    token has 21 letters: [redacted]
    ----- stderr -----
    hi
    ");
}
