use crate::bare;
use insta::assert_snapshot;
use skillful_testkit::{Terminal, TestContext};
use std::{io::Write, os::unix::fs::PermissionsExt, process::Stdio};

const VALUE: &str = "tok-0123456789-abcdef";

/// Runs a command with something on its standard input, and tells what a person sees.
pub(crate) fn piped(machine: &TestContext, line: &str, input: &str) -> String {
    let mut command = machine.command(line.split_whitespace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let written = child.stdin.take().unwrap().write_all(input.as_bytes());
    let seen = machine.tell(&child.wait_with_output().unwrap());
    // Only a program that refuses may end before it reads.
    assert!(written.is_ok() || !seen.starts_with("exit: 0\n"), "{written:?}: {seen}");
    assert!(!seen.contains(VALUE), "{seen}");
    seen
}

#[test]
fn a_secret_is_set_by_a_pipe_listed_by_name_and_removed() {
    let machine = bare();
    assert_snapshot!(machine.see("secret list"), @"
    exit: 0
    ----- stdout -----
    no secrets in the encrypted file ~/.config/skillful/secrets with the key ~/.config/skillful/secrets.key
    ");
    assert_snapshot!(piped(&machine, "secret set mail token", &format!("{VALUE}\n")), @"
    exit: 0
    ----- stdout -----
    stored mail token in the encrypted file ~/.config/skillful/secrets with the key ~/.config/skillful/secrets.key
    no skill may have it yet: skillful secret allow mail token --skill NAME
    ");
    piped(&machine, "secret set chat key", VALUE);
    assert_snapshot!(machine.see("secret list"), @"
    exit: 0
    ----- stdout -----
    SERVICE  KEY    SKILLS
    chat     key    no skill
    mail     token  no skill

    2 secrets in the encrypted file ~/.config/skillful/secrets with the key ~/.config/skillful/secrets.key
    ");
    assert_snapshot!(machine.filter(&machine.json("secret list --json").to_string()), @r#"{"schema":1,"vault":"the encrypted file [TEMP]/home/.config/skillful/secrets with the key [TEMP]/home/.config/skillful/secrets.key","secrets":[{"service":"chat","key":"key","skills":[]},{"service":"mail","key":"token","skills":[]}]}"#);
    assert!(machine.see("secret rm mail token").starts_with("exit: 0\n"));
    assert_snapshot!(machine.see("secret rm mail token"), @"
    exit: 1
    ----- stderr -----
    error: no secret named mail token
      fix:   skillful secret list shows the names of all secrets
    ");
}

#[test]
fn a_value_is_never_taken_from_the_command_line() {
    let machine = bare();
    let output = machine.run("secret set mail token a-value");
    assert_eq!(output.status.code(), Some(2));
    assert!(!machine.exists("home/.config/skillful/secrets"));
    let empty = piped(&machine, "secret set mail token", "\n");
    assert!(empty.starts_with("exit: 1\n") && empty.contains("the value is empty"), "{empty}");
    let name = piped(&machine, "secret set mail \u{7}", "x");
    assert!(name.starts_with("exit: 2\n") && name.contains("control characters"), "{name}");
}

#[test]
fn a_store_that_others_may_read_is_refused_with_the_fix() {
    let machine = bare();
    piped(&machine, "secret set mail token", VALUE);
    for file in ["secrets", "secrets.key"] {
        let path = machine.path(&format!("home/.config/skillful/{file}"));
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let seen = machine.see("secret list");
        assert!(seen.starts_with("exit: 1\n") && seen.contains("run `chmod go= "), "{seen}");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    std::fs::remove_file(machine.path("home/.config/skillful/secrets.key")).unwrap();
    let seen = piped(&machine, "secret set mail other", VALUE);
    assert!(seen.starts_with("exit: 1\n") && seen.contains("is missing"), "{seen}");
}

#[test]
fn the_key_may_lie_elsewhere() {
    let machine = bare().variable("SKILLFUL_SECRETS_KEY_FILE", "/dev/null/nowhere");
    let seen = piped(&machine, "secret set mail token", VALUE);
    assert!(seen.starts_with("exit: 1\n"), "{seen}");
    let machine = bare();
    let key = machine.path("home/keys/mine").display().to_string();
    let machine = machine.variable("SKILLFUL_SECRETS_KEY_FILE", &key);
    assert!(piped(&machine, "secret set mail token", VALUE).starts_with("exit: 0\n"));
    assert!(machine.exists("home/keys/mine") && !machine.exists("home/.config/skillful/secrets.key"));
}

#[test]
fn a_value_is_typed_without_echo() {
    let machine = bare();
    let mut terminal = Terminal::start(machine.command(["secret", "set", "mail", "token"]));
    terminal.wait_for("value of mail token (not shown):");
    terminal.press(&format!("{VALUE}\n"));
    let (code, shown) = terminal.end();
    assert!(code == Some(0) && shown.contains("stored mail token") && !shown.contains(VALUE), "{shown}");
    let mut terminal = Terminal::start(machine.command(["secret", "set", "mail", "other"]));
    terminal.wait_for("(not shown):");
    terminal.press("half a val\u{3}");
    let (code, shown) = terminal.end();
    assert!(code == Some(1) && shown.contains("nothing was stored"), "{shown}");
    assert!(!machine.see("secret list").contains("other"));
}
