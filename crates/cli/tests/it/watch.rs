use crate::bare;
use skillful_testkit::{PATIENCE, wait_until};
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    sync::mpsc,
    time::{Duration, Instant},
};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn edits_are_live_within_a_second_also_in_a_root_that_did_not_exist() {
    let machine = bare();
    machine.skill("home/.agents/skills/one", "One.");
    let mut child =
        machine.command(["watch", "--json"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (sender, lines) = mpsc::channel();
    let out = child.stdout.take().unwrap();
    std::thread::spawn(move || {
        BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    // Waits for a line about something; an earlier change may be reported once more before it.
    let expect = |what: &str| {
        let start = Instant::now();
        let left = || lines.recv_timeout(PATIENCE.saturating_sub(start.elapsed()));
        while !left().unwrap_or_else(|_| panic!("nothing about {what}")).contains(what) {}
        start.elapsed()
    };

    // The watch is on as soon as an edit is reported; until then the edit is repeated.
    let mut number = 0;
    wait_until("an edit is reported", || {
        number += 1;
        machine.skill("home/.agents/skills/one", &format!("Edit {number}."));
        lines.recv_timeout(SECOND).is_ok_and(|line| {
            crate::schemas::check_line("changes", &line);
            line.contains("\"changed\":[{\"name\":\"one\"")
        })
    });
    machine.skill("home/.agents/skills/two", "Two.");
    expect("\"added\":[{\"name\":\"two\"");
    machine.skill("home/.claude/skills/three", "Three.");
    expect("\"added\":[{\"name\":\"three\"");
    std::fs::remove_dir_all(machine.path("home/.agents/skills/two")).unwrap();
    expect("\"removed\":[{\"name\":\"two\"");
    // On an idle machine every edit takes a fifth of a second. On a busy one the quickest counts.
    wait_until("an edit and a removal are live within a second", || {
        number += 1;
        let folder = format!("home/.claude/skills/new-{number}");
        machine.skill(&folder, "New.");
        let added = expect(&format!("\"added\":[{{\"name\":\"new-{number}\""));
        std::fs::remove_dir_all(machine.path(&folder)).unwrap();
        let removed = expect(&format!("\"removed\":[{{\"name\":\"new-{number}\""));
        added < SECOND && removed < SECOND
    });
    child.kill().unwrap();
    child.wait().unwrap();
}
