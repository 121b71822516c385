//! The program is killed while it works.

use crate::agent::connected;
use serde_json::{Value, json};
use skillful_testkit::{Answer, ModelServer};
use std::{process::Stdio, thread, time::Duration};

/// Times that it is killed.
const KILLS: u64 = 100;

fn last_is_result(body: &Value) -> bool {
    let last = body["messages"].as_array().and_then(|all| all.last()).map(|last| last["content"].to_string());
    last.is_some_and(|content| content.contains("tool_result"))
}

#[test]
fn a_hundred_kills_in_the_middle_of_a_turn_lose_no_session_and_no_word() {
    let server = ModelServer::with(|asked| {
        let answer = if last_is_result(&asked.body) {
            Answer::says("That is what it says.")
        } else {
            Answer::says_and_calls("Let me look.", [("read_file", json!({ "path": "a.txt" }))])
        };
        Answer::Slow(Duration::from_millis(10), Box::new(answer))
    });
    let machine = connected(&server);
    machine.file("work/a.txt", "words\n");
    // How long one undisturbed turn takes here decides when to kill.
    let start = std::time::Instant::now();
    assert!(machine.run("ask --conversation long message-whole").status.success());
    let whole = u64::try_from(start.elapsed().as_millis()).unwrap().max(20);
    let mut chance = 88_172_645_463_325_252_u64;
    let mut killed = 0;
    for number in 0..KILLS {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        let mut child = machine
            .command(["ask", "--conversation", "long", &format!("message-{number}.")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(chance % whole));
        killed += u64::from(child.try_wait().unwrap().is_none());
        // SIGKILL: nothing can be tidied up.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(killed > KILLS / 2, "only {killed} were still at work");
    assert!(machine.run("ask --conversation long message-last").status.success());
    // The server refuses a conversation in which a call has no result, or a speaker comes twice.
    assert_eq!(server.complaints(), Vec::<String>::new());
    let asked = server.asked();
    let end = asked.last().unwrap().body.to_string();
    let sent = |number: u64| {
        let word = format!("message-{number}.");
        asked.iter().any(|one| one.body.to_string().contains(&word))
    };
    for number in (0..KILLS).filter(|number| sent(*number)) {
        assert!(end.contains(&format!("message-{number}.")), "message {number} was sent and is lost");
    }
    let sessions = machine.json("sessions list --json");
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1), "{sessions}");
    let shown = machine.run("sessions show long");
    assert!(shown.status.success());
    assert!(String::from_utf8_lossy(&shown.stdout).contains("message-whole"));
}
