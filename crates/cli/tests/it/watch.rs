use crate::bare;
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    sync::mpsc,
    time::{Duration, Instant},
};

#[test]
fn edits_are_live_within_a_second_also_in_a_root_that_did_not_exist() {
    let machine = bare();
    machine.skill("home/.agents/skills/one", "One.");
    let mut child = machine
        .command(["watch", "--json", "--for", "30"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (sender, lines) = mpsc::channel();
    let out = child.stdout.take().unwrap();
    std::thread::spawn(move || {
        BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });

    // The watch is on as soon as an edit is reported; until then the edit is repeated.
    let begin = Instant::now();
    let mut number = 0;
    loop {
        number += 1;
        machine.skill("home/.agents/skills/one", &format!("Edit {number}."));
        match lines.recv_timeout(Duration::from_millis(500)) {
            Ok(line) => {
                assert!(line.contains("\"changed\":[{\"name\":\"one\""), "{line}");
                break;
            }
            Err(_) => assert!(begin.elapsed() < Duration::from_secs(20), "no edit was ever seen"),
        }
    }
    while lines.recv_timeout(Duration::from_millis(700)).is_ok() {}

    let expect = |what: &str| {
        let start = Instant::now();
        let line =
            lines.recv_timeout(Duration::from_secs(10)).unwrap_or_else(|_| panic!("nothing about {what}"));
        assert!(line.contains(what), "{line}");
        start.elapsed()
    };
    machine.skill("home/.agents/skills/two", "Two.");
    let first = expect("\"added\":[{\"name\":\"two\"");
    machine.skill("home/.claude/skills/three", "Three.");
    let second = expect("\"added\":[{\"name\":\"three\"");
    std::fs::remove_dir_all(machine.path("home/.agents/skills/two")).unwrap();
    expect("\"removed\":[{\"name\":\"two\"");
    child.kill().unwrap();
    child.wait().unwrap();
    // Generous against a loaded machine; on an idle one it is a fifth of a second.
    assert!(first < Duration::from_secs(3) && second < Duration::from_secs(3), "{first:?} {second:?}");
}
