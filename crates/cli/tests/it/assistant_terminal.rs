//! `ask`, `chat` and `run` at a terminal: questions, keys, colours.

use crate::assistant::{connected, read, skill};
use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use skillful_testkit::{ModelAnswer, ModelServer, Terminal, TestContext, wait_until};
use std::{process::Stdio, time::Duration};

/// A program at a terminal with colours.
pub(crate) fn at_terminal(machine: &TestContext, arguments: &[&str]) -> Terminal {
    let mut command = machine.command(arguments);
    command.env("TERM", "xterm").env("COLUMNS", "80");
    Terminal::start(command)
}

/// What a terminal shows, without its sequences.
pub(crate) fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| {
        out + part.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, rest)| rest)
    })
}

#[test]
fn the_user_sees_a_change_before_approving_it_once() {
    let content: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    let server = ModelServer::new([
        ModelAnswer::calls([("write_file", json!({ "path": "new.txt", "content": content }))]),
        ModelAnswer::calls([("write_file", json!({ "path": "other.txt", "content": "x\n" }))]),
        ModelAnswer::says("Written."),
    ]);
    let machine = connected(&server);
    let mut terminal = at_terminal(&machine, &["ask", "--mode", "ask", "make two files"]);
    terminal.wait_for("more lines (d: show all)");
    terminal.wait_for("[s] stop");
    terminal.press("d");
    terminal.wait_for_after("+line 40", "[s] stop");
    terminal.press("y");
    // Keys that are pressed before the question is complete are dropped.
    terminal.wait_for_after("create other.txt", "[s] stop");
    terminal.press("t");
    terminal.wait_for("what to do instead: ");
    terminal.press("put it into a folder\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(machine.text("work/new.txt"), content);
    assert!(!machine.exists("work/other.txt"));
    assert!(read(&server.asked()[2].body).contains("put it into a folder"));
    assert!(shown.contains("Written.") && shown.contains("tokens"), "{shown}");
    let shown = without_colours(&shown);
    let question = shown.split_once("? write_file").unwrap().1.split_once("[d]").unwrap().0;
    assert_snapshot!(format!("? write_file{question}"), @"
    ? write_file: create new.txt (+40 −0)
      stays in the project · it changes files or runs a command in the project
      │ --- /dev/null
      │ +++ b/new.txt
      │ @@ -0,0 +1,40 @@
      │ +line 1
      │ +line 2
      │ +line 3
      │ +line 4
      │ +line 5
      │ +line 6
      │ +line 7
      │ +line 8
      │ +line 9
      │ +line 10
      │ +line 11
      │ +line 12
      │ +line 13
      │ +line 14
      │ +line 15
      │ +line 16
      │ +line 17
      … 23 more lines (d: show all)
      [y] once  [a] this session  [n] no  [t] no, with instructions  [s] stop
    ");
}

#[test]
fn a_chat_at_a_terminal_completes_skills_and_leaves_at_the_end_of_input() {
    let server = ModelServer::new([ModelAnswer::says("Shipped it.")]);
    let machine = connected(&server);
    skill(&machine, "ship-it", "", "Ship everything.");
    let mut terminal = at_terminal(&machine, &["chat"]);
    terminal.wait_for("›");
    terminal.press("/shi");
    terminal.wait_for("p-it");
    terminal.press("\t");
    terminal.press("now\r");
    terminal.wait_for("Shipped it.");
    terminal.wait_for("tokens");
    terminal.press("/status\r");
    // The editor reads keys again once it asked for pastes to be marked.
    terminal.wait_for("mode auto-safe\r\n\u{1b}[?2004h");
    terminal.press("?\r");
    terminal.wait_for_after("mode auto-safe", "summarise the session so far\r\n");
    terminal.press("\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("skillful chat") && shown.contains("   claude-test   "), "{shown}");
    assert_eq!(server.asked().len(), 1, "a question mark alone is no message");
    let body = read(&server.asked()[0].body);
    assert!(body.contains("Ship everything."), "{body}");
    assert!(machine.text("home/.local/share/skillful/history").contains("/ship-it now"));
}

#[test]
fn a_list_below_the_prompt_follows_what_is_typed_behind_a_sign() {
    let server = ModelServer::new([ModelAnswer::says("Shipped it."), ModelAnswer::says("Noted.")]);
    let machine = connected(&server);
    skill(&machine, "ship-it", "", "Ship everything.");
    skill(&machine, "ship-notes", "argument-hint: \"[version]\"\n", "Write notes.");
    let mut command = machine.command(["chat"]);
    command.env("TERM", "xterm").env_remove("COLUMNS");
    let mut terminal = Terminal::start_sized(command, 80, 24);
    terminal.wait_for("›");
    terminal.press("/ship");
    let screen = terminal.wait_for_screen("the list", |screen| screen.contains("  ship-notes  [version]"));
    assert!(screen.contains("> ship-it"), "{screen}");
    // The arrow goes to a row, Esc closes the list, and the next letter opens it again.
    terminal.press("\u{1b}[B");
    terminal.wait_for_screen("the second row", |screen| screen.contains("> ship-notes"));
    terminal.press("\u{1b}");
    terminal.wait_until_it_stays("no list", |screen| !screen.contains("ship-notes"));
    terminal.press("-i");
    terminal.wait_until_it_stays("one row", |screen| {
        screen.contains("> ship-it") && !screen.contains("ship-notes")
    });
    // It takes no argument, so that Enter sends it.
    terminal.press("\r");
    terminal.wait_for("Shipped it.");
    terminal.wait_for("tokens");
    assert!(read(&server.asked()[0].body).contains("Ship everything."));
    // In a sentence Tab inserts a mention, and Enter sends what was typed.
    terminal.press("please $ship-n");
    terminal.wait_for_screen("the mention", |screen| screen.contains("> ship-notes"));
    terminal.press("\tand $shi\r");
    terminal.wait_for("Noted.");
    assert!(read(&server.asked()[1].body).contains("please $ship-notes and $shi"));
    // Ctrl-C discards what is typed, and the list with it.
    terminal.press("/ship");
    terminal.wait_for_screen("the list", |screen| screen.contains("> ship-it"));
    terminal.press("\u{3}");
    terminal.wait_until_it_stays("an empty line", |screen| !screen.contains("> ship-it"));
    terminal.press("\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
}

#[test]
fn an_interrupt_ends_the_step_and_the_session_is_kept() {
    let server = ModelServer::with(|asked| {
        // The messages alone: the descriptions of the tools say "again" too.
        let patient = read(&asked.body["messages"]).contains("again");
        if patient {
            ModelAnswer::says("Hello.")
        } else {
            ModelAnswer::Slow(Duration::from_secs(50), Box::new(ModelAnswer::HangUp))
        }
    });
    let machine = connected(&server);
    let child = machine
        .command(["ask", "--session", "one", "slow words"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the model is asked", || !server.asked().is_empty());
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_snapshot!(machine.tell(&output), @"
    exit: 1
    ----- stderr -----
    stopping … (Ctrl-C again quits)
    error: the user cancelled the step
    ");
    machine.run("ask --session one again");
    assert!(read(&server.asked()[1].body).contains("slow words"));
}

/// Esc does what Ctrl-C does, what was typed meanwhile begins the next prompt, and a sent line is the next message.
#[test]
fn esc_stops_the_step_and_what_was_typed_meanwhile_waits() {
    let server = ModelServer::new([
        ModelAnswer::Slow(Duration::from_secs(50), Box::new(ModelAnswer::HangUp)),
        ModelAnswer::Slow(Duration::from_secs(50), Box::new(ModelAnswer::HangUp)),
        ModelAnswer::Slow(Duration::from_secs(2), Box::new(ModelAnswer::says("Noted."))),
        ModelAnswer::says("Seen."),
    ]);
    let machine = connected(&server);
    let mut command = machine.command(["chat"]);
    command.env("TERM", "xterm").env_remove("COLUMNS");
    let mut terminal = Terminal::start_sized(command, 80, 24);
    terminal.wait_for("›");
    terminal.press("tell me everything\r");
    terminal.wait_for("esc stops");
    // An arrow key begins with the same byte and stops nothing.
    terminal.press("\u{1b}[Aonly the secondd\u{7f} half");
    terminal.wait_until_it_stays("no echo", |screen| !screen.contains("only the second"));
    terminal.press("\u{1b}");
    terminal.wait_for_after("stopped; what was done is kept", "only the second half");
    terminal.press(" please\r");
    wait_until("the second message is sent", || server.asked().len() == 2);
    let body = read(&server.asked()[1].body["messages"]);
    assert!(body.contains("only the second half please"), "{body}");
    terminal.wait_for_after(" please", "esc stops");
    terminal.signal(Signal::INT);
    terminal.wait_for_after(" please", "stopped; what was done is kept");
    terminal.press("and now?\r");
    terminal.wait_for_after("and now?", "esc stops");
    terminal.press("a sent line\rthe rest");
    terminal.wait_for_after("a sent line", "Seen.");
    terminal.wait_for_after("Seen.", "the rest");
    let body = read(&server.asked().last().unwrap().body["messages"]);
    assert!(body.contains("a sent line") && !body.contains("the rest"), "{body}");
    terminal.press("\u{15}");
    terminal.press("\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
}

#[test]
fn what_a_called_skill_lacks_is_asked_for_at_a_terminal_and_never_kept() {
    let server = ModelServer::new([ModelAnswer::says("Sent.")]);
    let machine = connected(&server);
    skill(&machine, "mail", "requires:\n  env: [MAIL_TOKEN]\n", "Send it.");
    let mut terminal = at_terminal(&machine, &["ask", "$mail the report"]);
    terminal.wait_for("mail needs MAIL_TOKEN (not shown): ");
    terminal.press("hunter2\r");
    terminal.wait_for("Sent.");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    let body = read(&server.asked()[0].body);
    assert!(body.contains("Send it.") && !body.contains("hunter2") && !shown.contains("hunter2"));
}

#[test]
fn the_answer_is_markdown_at_a_terminal_and_cannot_drive_it() {
    let server = ModelServer::new([ModelAnswer::says("# Title\n\n- **one**\n- two \u{1b}]0;owned\u{7}\n")]);
    let machine = connected(&server);
    let (code, shown) = at_terminal(&machine, &["ask", "hello"]).end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("\u{1b}[1mTitle\u{1b}[0m") && !shown.contains("\u{1b}]0;"), "{shown:?}");
    let shown = without_colours(&shown);
    assert!(shown.contains("• one") && shown.contains("<U+001B>]0;owned<U+0007>"), "{shown}");
}

/// A model that has written a part of its answer and goes on later.
#[test]
fn words_are_seen_before_their_line_ends() {
    let text = "Here is **what I found so far** in the project, word by word, and more:\n\n\
                - the first item of a list that is long enough to take two rows\n- the second `item` of it\n";
    let half = |bytes: usize, last: &str| {
        let server = ModelServer::new([ModelAnswer::says(text).stalled_after(bytes)]);
        let machine = connected(&server);
        let mut command = machine.command(["ask", "what is there?"]);
        command.env("TERM", "xterm").env("COLUMNS", "44");
        let terminal = Terminal::start_sized(command, 44, 20);
        let words = |screen: &str| {
            screen.lines().filter(|line| !line.contains("writing")).collect::<Vec<_>>().join("\n")
        };
        // Until nothing more comes, but for the status below the words.
        let screen = terminal.wait_until_it_stays("the last words before the stall", |screen| {
            screen.contains("writing") && words(screen).trim_end().ends_with(last)
        });
        let screen = words(&screen);
        terminal.signal(Signal::INT);
        let (_, shown) = terminal.end();
        (screen, shown)
    };
    let (screen, shown) = half(1_700, "\nwo");
    assert_snapshot!(screen, @"
    Here is what I found so far in the project,
    wo
    ");
    assert!(shown.contains("\u{1b}[1m"), "the open mark is shown as bold: {shown:?}");
    assert_snapshot!(half(3_400, "\n  enough").0, @"
    Here is what I found so far in the project,
    word by word, and more:

    • the first item of a list that is long
      enough
    ");
    assert_snapshot!(half(4_200, "the second item").0, @"
    Here is what I found so far in the project,
    word by word, and more:

    • the first item of a list that is long
      enough to take two rows
    • the second item
    ");
}
