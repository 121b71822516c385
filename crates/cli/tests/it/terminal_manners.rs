//! Colour, progress and time: what a user at a terminal notices before the words.

use crate::bare;
use skillful_testkit::{FileServer, Served, Terminal, TestContext};
use std::{process::Command, time::Duration};

/// What `list` writes to a terminal of this kind.
fn listed(machine: &TestContext, variables: &[(&str, &str)], options: &[&str]) -> String {
    let mut command = machine.command(["list"]);
    command.args(options).env_remove("COLUMNS").env("TERM", "xterm-256color");
    for (name, value) in variables {
        command.env(name, value);
    }
    Terminal::start_sized(command, 100, 40).end().1
}

#[test]
fn a_terminal_gets_colour_unless_its_user_wants_none() {
    let machine = bare();
    machine.skill("home/.agents/skills/one", "One.");
    machine.file("home/.agents/skills/bad/SKILL.md", "---\nname: \"bad\n---\n");
    let has_colour = |variables: &[(&str, &str)], options: &[&str]| {
        let shown = listed(&machine, variables, options);
        assert!(shown.contains("invalid"), "{shown}");
        shown.contains('\u{1b}')
    };
    assert!(has_colour(&[], &[]));
    assert!(has_colour(&[("NO_COLOR", "")], &[]), "an empty value is none");
    assert!(!has_colour(&[("NO_COLOR", "1")], &[]));
    assert!(!has_colour(&[("TERM", "dumb")], &[]));
    assert!(!has_colour(&[], &["--color", "never"]));
    assert!(has_colour(&[("NO_COLOR", "1")], &["--color", "always"]), "what is asked for counts");
}

#[test]
fn a_slow_download_shows_its_progress_on_a_terminal_only() {
    let machine = bare();
    machine.file("home/.config/skillful/sources.toml", "loopback = true\n");
    machine.skill("work/lib/pdf", "Read PDF files.");
    machine.run("publish lib --to site --version 1.0.0");
    let site = machine.path("work/site");
    let server = FileServer::with(move |path| {
        std::thread::sleep(Duration::from_millis(700));
        match std::fs::read(site.join(path.trim_start_matches('/'))) {
            Ok(bytes) => Served::File("application/octet-stream", bytes),
            Err(_) => Served::Status(404),
        }
    });
    let source = format!("{}#@pdf", server.url());
    let mut command = machine.command(["add", &source, "--dry-run"]);
    command.env_remove("COLUMNS").env("TERM", "xterm-256color");
    let terminal = Terminal::start_sized(command, 100, 40);
    let (_, shown) = terminal.end();
    let erase = "\r\u{1b}[2K";
    assert!(shown.contains(&format!("{erase}downloading")), "{shown:?}");
    let (_, rest) = shown.rsplit_once("downloading").unwrap();
    assert!(rest.contains(erase), "the line is erased before the plan is printed: {shown:?}");
    for line in [vec!["add", &source, "--dry-run"], vec!["add", &source, "--dry-run", "--json"]] {
        let output = machine.command(line).output().unwrap();
        assert!(
            !String::from_utf8_lossy(&output.stderr).contains("downloading"),
            "{}",
            machine.tell(&output)
        );
    }
}

/// Milliseconds of CPU that the fifth field of a `times` line of a shell means: `0m0.020s`.
fn milliseconds(time: &str) -> f64 {
    let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
    (minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()) * 1000.0
}

#[test]
fn the_overview_of_forty_skills_takes_less_than_fifty_milliseconds() {
    let machine = bare();
    for at in 0..40 {
        machine.skill(&format!("home/.claude/skills/skill-{at}"), "One of forty. Use it.");
    }
    machine.file("home/.codex/config.toml", "");
    machine.run("list");
    // The CPU time of the program, however busy the machine is. The least of several runs is that of an undisturbed one.
    let took = || {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "\"$0\" > /dev/null; times", env!("CARGO_BIN_EXE_skillful")]);
        shell
            .env_clear()
            .env("HOME", machine.home())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(machine.work());
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{}", machine.tell(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        let of_children = text.lines().nth(1).unwrap();
        of_children.split(' ').map(milliseconds).sum::<f64>()
    };
    let least = (0..20).map(|_| took()).fold(f64::INFINITY, f64::min);
    assert!(least > 0.0 && least < 50.0, "{least} ms");
}
