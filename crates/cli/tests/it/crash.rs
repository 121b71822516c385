//! The program is killed while it works.

use crate::assistant::connected;
use serde_json::{Value, json};
use skillful_testkit::{ModelAnswer, ModelServer};
use std::{process::Stdio, thread, time::Duration};

/// Times that it is killed.
const KILLS: u64 = 100;
/// Turns that are begun for it, at most.
const ATTEMPTS: u64 = 1_000;

fn last_is_result(body: &Value) -> bool {
    let last = body["messages"].as_array().and_then(|all| all.last()).map(|last| last["content"].to_string());
    last.is_some_and(|content| content.contains("tool_result"))
}

#[test]
fn a_hundred_kills_in_the_middle_of_a_turn_lose_no_session_and_no_word() {
    let server = ModelServer::with(|asked| {
        let answer = if last_is_result(&asked.body) {
            ModelAnswer::says("That is what it says.")
        } else {
            ModelAnswer::says_and_calls("Let me look.", [("read_file", json!({ "path": "a.txt" }))])
        };
        ModelAnswer::Slow(Duration::from_millis(10), Box::new(answer))
    });
    let machine = connected(&server);
    machine.file("work/a.txt", "words\n");
    let start = std::time::Instant::now();
    assert!(machine.run("ask --session long message-whole").status.success());
    // When to kill, at most, in milliseconds. It follows how fast this machine is at this moment: a turn that came
    // to its end first was no kill.
    let mut most = u64::try_from(start.elapsed().as_millis()).unwrap().max(20);
    let mut chance = 88_172_645_463_325_252_u64;
    let (mut killed, mut number) = (0, 0);
    while killed < KILLS {
        assert!(number < ATTEMPTS, "only {killed} of {number} were still at work");
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        let mut child = machine
            .command(["ask", "--session", "long", &format!("message-{number}.")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(chance % most));
        let works = child.try_wait().unwrap().is_none();
        // SIGKILL: nothing can be tidied up.
        child.kill().unwrap();
        child.wait().unwrap();
        killed += u64::from(works);
        most = if works { most + most / 16 + 1 } else { (most * 3 / 4).max(10) };
        number += 1;
    }
    assert!(machine.run("ask --session long message-last").status.success());
    // The server refuses a conversation in which a call has no result, or a speaker comes twice.
    assert_eq!(server.complaints(), Vec::<String>::new());
    let asked = server.asked();
    let end = asked.last().unwrap().body.to_string();
    let sent = |number: u64| {
        let word = format!("message-{number}.");
        asked.iter().any(|one| one.body.to_string().contains(&word))
    };
    for number in (0..number).filter(|number| sent(*number)) {
        assert!(end.contains(&format!("message-{number}.")), "message {number} was sent and is lost");
    }
    let sessions = machine.json("sessions list --json");
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1), "{sessions}");
    let shown = machine.run("sessions show long");
    assert!(shown.status.success());
    assert!(String::from_utf8_lossy(&shown.stdout).contains("message-whole"));
}
