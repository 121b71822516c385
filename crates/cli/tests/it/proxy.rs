use crate::{bare, secret::piped};
use insta::assert_snapshot;
use skillful_testkit::TestContext;
use std::{
    io::{BufRead, BufReader, Read, Write},
    os::unix::{fs::PermissionsExt, net::UnixStream},
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
    piped(&machine, "secret set mail token", VALUE);
    machine
}

fn program(machine: &TestContext, name: &str, text: &str) {
    let file =
        machine.file(&format!("home/.agents/skills/mail/scripts/{name}"), format!("#!/bin/sh\n{text}\n"));
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What the socket at a path says to a line.
fn ask(socket: &str, line: &str) -> String {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
    stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

/// A proxy in the foreground, and its socket.
fn serving(machine: &TestContext, line: &str) -> (Child, String) {
    let mut command = machine.command(line.split_whitespace());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut path = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut path).unwrap();
    assert!(!path.is_empty(), "{}", machine.tell(&child.wait_with_output().unwrap()));
    (child, path.trim().to_owned())
}

fn end(machine: &TestContext, child: Child) -> String {
    let pid = child.id().to_string();
    std::process::Command::new("kill").arg(pid).status().unwrap();
    machine.tell(&child.wait_with_output().unwrap())
}

#[test]
fn a_program_runs_with_its_secret_and_nobody_sees_it() {
    let machine = machine();
    let (child, socket) = serving(&machine, "proxy --allow-unsandboxed --skill mail");
    assert_snapshot!(ask(&socket, r#"{"skill":"mail","program":"send","args":["hello"]}"#), @r#"{"stdout":"token has 21 letters: [redacted]\n","stderr":"hello\n","returncode":3}"#);
    assert_snapshot!(ask(&socket, r#"{"type":"credential","name":"MAIL_TOKEN"}"#), @r#"{"error":"its skill's programs get it, and nobody may read it","reason":"lookup_denied","name":"MAIL_TOKEN","stdout":"","stderr":"its skill's programs get it, and nobody may read it\n","returncode":1}"#);
    assert_snapshot!(ask(&socket, r#"{"skill":"other","args":[]}"#), @r#"{"error":"there is no skill `other` in this run","reason":"unknown_skill","name":"other","authorized":["mail"],"stdout":"","stderr":"there is no skill `other` in this run\n","returncode":1}"#);
    let pid = child.id().to_string();
    let seen = end(&machine, child).replace(&pid, "[RUN]");
    assert_snapshot!(seen, @"
    exit: 0
    ----- stderr -----
    warning: --allow-unsandboxed: whatever this skill runs can read and change all that you can
    warning: proxy [RUN]: the lookup of `MAIL_TOKEN` was refused (lookup_denied): its skill's programs get it, and nobody may read it
    warning: proxy [RUN]: the run of a program of `other` was refused (unknown_skill): it is not among the skills of this run
    ");
    assert!(!std::path::Path::new(&socket).exists(), "the socket goes with its proxy");
}

#[test]
fn a_person_may_let_a_skill_read_its_secret() {
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
    warning: --allow-unsandboxed: whatever this skill runs can read and change all that you can
    warning: the command does not get `MAIL_TOKEN`, since it is or holds a secret
    ");
}

#[test]
fn a_command_line_that_makes_no_sense_is_told_before_anything_runs() {
    let machine = machine();
    assert_snapshot!(machine.see("proxy --allow-unsandboxed --skill no-such -- true"), @"
    exit: 2
    ----- stderr -----
    warning: --allow-unsandboxed: whatever this skill runs can read and change all that you can
    error: programs of `no-such` cannot be run: there is no such skill with programs
    hint: `skillful list` shows every skill and its state
    ");
    assert_snapshot!(machine.see("proxy --allow-unsandboxed --readable mail -- true"), @"
    exit: 2
    ----- stderr -----
    warning: --allow-unsandboxed: whatever this skill runs can read and change all that you can
    error: --readable `mail` names no variable
    hint: write --readable SKILL=VARIABLE
    ");
    assert_snapshot!(machine.see("proxy --allow-unsandboxed --socket p.sock -- true"), @"
    exit: 2
    ----- stderr -----
    warning: --allow-unsandboxed: whatever this skill runs can read and change all that you can
    error: the folder `[TEMP]/work` is open to others or not yours
    hint: name a folder of your own with mode 0700
    ");
    assert_snapshot!(machine.see("proxy --allow-unsandboxed -- /no/such/command"), @"
    exit: 2
    ----- stderr -----
    warning: --allow-unsandboxed: whatever this skill runs can read and change all that you can
    error: `/no/such/command` did not start: No such file or directory (os error 2)
    ");
}

#[test]
fn in_the_sandbox_a_program_sees_neither_the_key_nor_the_store() {
    let machine = machine();
    let key = machine.path("home/.config/skillful/secrets.key");
    program(&machine, "steal", &format!("cat {}; echo \"$MAIL_TOKEN\"", key.display()));
    let output = machine.run("sandbox");
    if !output.status.success() {
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
    hint: there are mail
    ");
    assert_snapshot!(inside.see("exec --json mail send x"), @r#"
    exit: 3
    ----- stdout -----
    {"stdout":"token has 21 letters: [redacted]\n","stderr":"x\n","returncode":3,"schema":1,"skill":"mail"}
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
