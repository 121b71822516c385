//! How a user lets a skill have a secret or a connection: by a command, at the first use, or by the card of a review.

use crate::{assistant::connected, bare, has_sandbox, secret::piped};
use insta::assert_snapshot;
use skillful_testkit::{FileServer, ModelAnswer, ModelServer, Served, Terminal, TestContext, write_program};

const VALUE: &str = "tok-0123456789-abcdef";

fn skill(machine: &TestContext, folder: &str) {
    machine.file(
        &format!("{folder}/SKILL.md"),
        "---\nname: mail\ndescription: Mail.\nallowed-tools: Read\nenv:\n  - {var: MAIL_TOKEN, from: secret, service: mail, key: token, sensitive: true}\n---\n\nSend it.\n",
    );
    let program = "#!/bin/sh\necho \"${#MAIL_TOKEN} letters\"\n";
    write_program(&machine.path(&format!("{folder}/scripts/send")), program);
}

/// A user with a skill of their own and a secret that no skill may have yet.
fn machine() -> TestContext {
    let machine = bare();
    skill(&machine, "home/.agents/skills/mail");
    piped(&machine, "secret set mail token", VALUE);
    machine
}

#[test]
fn no_skill_gets_a_sign_in_to_a_server() {
    if !has_sandbox() {
        return;
    }
    let machine = machine();
    let file = "home/.agents/skills/mail/SKILL.md";
    let text = machine
        .text(file)
        .replace("service: mail, key: token", "service: mcp-sign-in, key: 'https://m.example/mcp'");
    machine.file(file, text);
    piped(&machine, "secret set mcp-sign-in https://m.example/mcp", VALUE);
    machine.run("secret allow mcp-sign-in https://m.example/mcp --skill mail");
    let seen = machine.see("exec mail send");
    assert!(
        seen.contains("0 letters") && seen.contains("is a sign-in of yours, and no skill gets one"),
        "{seen}"
    );
}

#[test]
fn without_a_terminal_the_run_is_refused_with_the_fix() {
    if !has_sandbox() {
        return;
    }
    let machine = machine();
    assert_snapshot!(machine.see("exec mail send"), @"
    exit: 1
    ----- stderr -----
    error: `mail` is not run: you have not allowed `mail` the secret mail token
      fix:   skillful secret allow mail token --skill mail
    ");
    assert_snapshot!(machine.see("secret list"), @"
    exit: 0
    ----- stdout -----
    SERVICE  KEY    SKILLS
    mail     token  mail (not allowed)

    1 secret in the encrypted file ~/.config/skillful/secrets with the key ~/.config/skillful/secrets.key
    ");
    assert_snapshot!(machine.see("secret allow mail token --skill mail"), @"
    exit: 0
    ----- stdout -----
    allowed mail the secret mail token
    ");
    assert!(machine.see("exec mail send").contains("21 letters"));
    assert!(
        machine.see("secret list").contains("mail     token  mail (allowed)\n"),
        "{}",
        machine.see("secret list")
    );
    write_program(&machine.path("home/.agents/skills/mail/scripts/other"), "#!/bin/sh\nenv\n");
    assert_snapshot!(machine.see("exec mail send"), @"
    exit: 1
    ----- stderr -----
    error: `mail` is not run: `mail` changed since you allowed it the secret mail token
      fix:   skillful secret allow mail token --skill mail
    ");
    assert!(machine.see("secret list").contains("mail (changed since)"));
    assert_snapshot!(machine.see("secret deny mail token --skill mail"), @"
    exit: 0
    ----- stdout -----
    denied mail the secret mail token
    ");
    let seen = machine.see("exec mail send");
    assert!(seen.starts_with("exit: 0") && seen.contains("0 letters\n"), "{seen}");
    assert!(seen.contains("`MAIL_TOKEN` of `mail` is not set: you denied mail token to `mail`"), "{seen}");
    assert!(machine.see("secret list").contains("mail (denied)"));
}

#[test]
fn a_secret_that_is_set_again_after_it_was_removed_is_bound_to_no_skill() {
    let machine = machine();
    machine.run("secret allow mail token --skill mail");
    assert!(machine.text("home/.local/share/skillful/bindings.toml").contains("service = \"mail\""));
    machine.run("secret rm mail token");
    assert!(!machine.text("home/.local/share/skillful/bindings.toml").contains("service = \"mail\""));
    piped(&machine, "secret set mail token", VALUE);
    assert!(machine.see("secret list").contains("not allowed"));
}

#[test]
fn a_skill_is_allowed_only_what_it_asks_for() {
    let machine = machine();
    machine.skill("home/.agents/skills/other", "Other.");
    assert_snapshot!(machine.see("secret allow mail token --skill other"), @"
    exit: 2
    ----- stderr -----
    error: `other` does not ask for the secret mail token
      fix:   skillful show other names what it asks for
    ");
    assert_snapshot!(machine.see("secret allow mail password --skill mail"), @"
    exit: 2
    ----- stderr -----
    error: `mail` does not ask for the secret mail password
      fix:   it asks for the secret mail token
    ");
    assert_snapshot!(machine.see("secret allow mail token --skill nothing"), @"
    exit: 1
    ----- stderr -----
    error: no skill named `nothing`
      cause: 2 skills in 1 folder were searched
      fix:   skillful list
    ");
    assert!(!machine.exists("home/.local/share/skillful/bindings.toml"));
}

#[test]
fn show_names_what_a_skill_asks_for_and_the_answer() {
    let machine = machine();
    let line = |machine: &TestContext| {
        let seen = machine.see("show mail");
        seen.lines().find(|line| line.starts_with("Asks for")).unwrap_or_default().to_owned()
    };
    assert_snapshot!(line(&machine), @"Asks for       the secret mail token: NOT ALLOWED    skillful secret allow mail token --skill mail");
    machine.run("secret allow mail token --skill mail");
    assert_snapshot!(line(&machine), @"Asks for       the secret mail token: allowed");
    let shown = machine.json("show mail --json");
    assert_eq!(shown["asks"][0]["state"], "allowed");
}

#[test]
fn at_a_terminal_the_first_use_asks() {
    if !has_sandbox() {
        return;
    }
    let machine = machine();
    let answer = |key: &str| {
        let mut terminal = Terminal::start(machine.command(["exec", "mail", "send"]));
        terminal.wait_for("mail asks for the secret mail token. Allow? [y]es once  [a]lways  [N]o");
        terminal.press(&format!("{key}\n"));
        terminal.end()
    };
    for no in ["", "n", "x"] {
        let (code, shown) = answer(no);
        assert!(code == Some(1) && shown.contains("you did not allow it mail token"), "{shown}");
    }
    let (code, shown) = answer("y");
    assert!(code == Some(0) && shown.contains("21 letters"), "{shown}");
    let (code, shown) = answer("a");
    assert!(code == Some(0) && shown.contains("21 letters"), "once is not for good: {shown}");
    assert!(machine.see("exec mail send").contains("21 letters"));
}

#[test]
fn the_yes_to_a_card_that_names_the_secret_is_the_yes_to_the_secret() {
    if !has_sandbox() {
        return;
    }
    let machine = bare();
    piped(&machine, "secret set mail token", VALUE);
    skill(&machine, "work/.agents/skills/mail");
    let mut terminal = Terminal::start(machine.command(["trust"]));
    terminal.wait_for("A yes lets mail have the secret mail token.");
    terminal.wait_for("[t]rust 1");
    terminal.press("t\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(machine.see("exec mail send").contains("21 letters"));
    // Nobody saw the card of this one.
    let machine = bare();
    piped(&machine, "secret set mail token", VALUE);
    skill(&machine, "work/.agents/skills/mail");
    assert!(machine.see("trust --yes").starts_with("exit: 0"));
    let seen = machine.see("exec mail send");
    assert!(seen.starts_with("exit: 1") && seen.contains("you have not allowed"), "{seen}");
}

#[test]
fn the_yes_to_an_installation_and_to_an_update_carries_the_secret() {
    if !has_sandbox() {
        return;
    }
    let machine = bare();
    piped(&machine, "secret set mail token", VALUE);
    skill(&machine, "work/lib/mail");
    let mut terminal = Terminal::start(machine.command(["add", "./lib/mail"]));
    terminal.wait_for("A yes lets mail have the secret mail token.");
    terminal.wait_for("Apply?");
    terminal.press("y\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(machine.see("exec mail send").contains("21 letters"));
    let text = machine.text("work/lib/mail/SKILL.md");
    machine.file("work/lib/mail/SKILL.md", text.replace("Send it.", "Send it now."));
    let mut terminal = Terminal::start(machine.command(["update"]));
    terminal.wait_for("A yes lets mail have the secret mail token.");
    terminal.wait_for("Update mail now?");
    terminal.press("y\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(machine.see("exec mail send").contains("21 letters"), "{}", machine.see("exec mail send"));
    machine.file("work/lib/mail/SKILL.md", text.replace("Send it.", "Send it again."));
    assert!(machine.see("update --yes").starts_with("exit: 0"));
    assert!(machine.see("exec mail send").starts_with("exit: 1"), "a general yes saw no card");
}

#[test]
fn the_proxy_asks_before_the_agent_starts_and_refuses_what_was_not_allowed() {
    if !has_sandbox() {
        return;
    }
    let machine = machine();
    let program = env!("CARGO_BIN_EXE_skillful");
    let seen = machine.see(&format!("proxy --skill mail -- {program} exec mail send"));
    assert!(seen.contains("note: programs of mail are refused: you have not allowed `mail`"), "{seen}");
    assert!(seen.contains("fix:   skillful secret allow mail token --skill mail"), "{seen}");
    assert!(seen.starts_with("exit: 1") && !seen.contains("letters"), "{seen}");
    let words = ["proxy", "--skill", "mail", "--", program, "exec", "mail", "send"];
    let mut terminal = Terminal::start(machine.command(words));
    terminal.wait_for("mail asks for the secret mail token. Allow?");
    terminal.press("y\n");
    let (code, shown) = terminal.end();
    assert!(code == Some(0) && shown.contains("21 letters"), "{shown}");
}

/// In every mode, and without a terminal, a turn connects to nothing that was not allowed.
#[test]
fn the_assistant_connects_only_to_what_was_allowed() {
    if !has_sandbox() {
        return;
    }
    for mode in ["ask", "auto-safe", "autonomous"] {
        let (model, server) =
            (ModelServer::with(|_| ModelAnswer::says("Done.")), FileServer::with(|_| Served::Status(404)));
        let machine = connected(&model);
        machine.file(
            "home/.agents/skills/mail/SKILL.md",
            format!(
                "---\nname: mail\ndescription: Mail.\nmcp: {{url: '{}/mcp'}}\n---\n\nSend it.\n",
                server.url()
            ),
        );
        let seen = machine.see(&format!("ask $mail --mode {mode}"));
        assert!(seen.contains("you have not allowed it to connect to"), "{seen}");
        assert_eq!(server.connections(), 0, "{mode}");
        machine.run("mcp allow mail");
        machine.see(&format!("ask $mail --mode {mode}"));
        assert!(server.connections() > 0, "{mode}");
    }
}

#[test]
fn the_assistant_asks_at_the_terminal_before_it_connects() {
    if !has_sandbox() {
        return;
    }
    let (model, server) =
        (ModelServer::with(|_| ModelAnswer::says("Done.")), FileServer::with(|_| Served::Status(404)));
    let machine = connected(&model).variable("MAIL_USER", "me");
    machine.file(
        "home/.agents/skills/mail/SKILL.md",
        format!("---\nname: mail\ndescription: Mail.\nrequires: {{env: [MAIL_USER]}}\nmcp: {{url: '{}/mcp?u=${{MAIL_USER}}'}}\n---\n\nSend it.\n", server.url()),
    );
    for (key, connects) in [("n", false), ("y", true)] {
        let mut terminal = Terminal::start(machine.command(["ask", "$mail", "--mode", "autonomous"]));
        terminal.wait_for("connect: mail connects to");
        terminal.wait_for("variables it receives: MAIL_USER");
        terminal.wait_for("[y] once");
        terminal.press(key);
        let (_, shown) = terminal.end();
        assert_eq!(server.connections() > 0, connects, "{key}: {shown}");
    }
}

#[test]
fn a_connection_is_allowed_by_a_command_or_at_the_first_use() {
    let server = FileServer::with(|_| Served::Status(404));
    let machine = bare().variable("MAIL_USER", "me");
    let url = server.url();
    machine.file(
        "home/.agents/skills/mail/SKILL.md",
        format!("---\nname: mail\ndescription: Mail.\nrequires: {{env: [MAIL_USER]}}\nvars: {{MAIL_TOKEN: {{secret: true}}}}\nmcp: {{url: '{url}/?u=${{MAIL_USER}}&t=${{MAIL_TOKEN:-none}}'}}\n---\n\nSend it.\n"),
    );
    let hide = |text: String| text.replace(&url, "[URL]");
    assert_snapshot!(hide(machine.see("mcp tools mail")), @"
    exit: 1
    ----- stderr -----
    error: mail is not allowed to have a connection to [URL]/?u=me&t=none that sends MAIL_TOKEN, MAIL_USER
      fix:   skillful mcp allow mail
    ");
    assert_eq!(server.connections(), 0);
    let mut terminal = Terminal::start(machine.command(["mcp", "tools", "mail"]));
    terminal.wait_for("that sends MAIL_TOKEN, MAIL_USER. Allow? [y]es once  [a]lways  [N]o");
    terminal.press("n\n");
    let (code, shown) = terminal.end();
    assert!(code == Some(1) && shown.contains("nothing was connected to"), "{shown}");
    assert_eq!(server.connections(), 0);
    assert_snapshot!(hide(machine.see("mcp allow mail")), @"
    exit: 0
    ----- stdout -----
    allowed mail a connection to [URL]/?u=me&t=none that sends MAIL_TOKEN, MAIL_USER
    ");
    machine.run("mcp tools mail");
    let asked = server.connections();
    assert!(asked > 0, "it was allowed");
    // Another value makes another address of it.
    let other = machine.command(["mcp", "tools", "mail"]).env("MAIL_USER", "you").output().unwrap();
    assert!(machine.tell(&other).contains("skillful mcp allow mail"), "{}", machine.tell(&other));
    assert_eq!(server.connections(), asked);
    assert_snapshot!(hide(machine.see("mcp deny mail")), @"
    exit: 0
    ----- stdout -----
    denied mail a connection to [URL]/?u=me&t=none that sends MAIL_TOKEN, MAIL_USER
    ");
    machine.run("mcp tools mail");
    assert_eq!(server.connections(), asked);
    assert_snapshot!(machine.see("mcp allow nothing"), @"
    exit: 1
    ----- stderr -----
    error: no skill named `nothing`
      cause: 1 skill in 1 folder was searched
      fix:   skillful list
    ");
    machine.skill("home/.agents/skills/plain", "Plain.");
    assert_snapshot!(machine.see("mcp allow plain"), @"
    exit: 1
    ----- stderr -----
    error: `plain` has no MCP server that needs an answer
    ");
}
