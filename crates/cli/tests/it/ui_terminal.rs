//! The full-screen interface and its terminal: hostile text, colours, keys, the editor, signals and the end.

use crate::{
    bare,
    ui::{at, filled, leave, opened},
};
use insta::assert_snapshot;
use rustix::process::Signal;
use skillful_testkit::Terminal;

#[test]
fn hostile_text_is_inert_and_no_color_keeps_every_word() {
    let machine = bare();
    machine.file(
        "home/.claude/skills/evil/SKILL.md",
        "---\nname: evil\ndescription: \"Looks \\u202ereversed and \\e[31mred \\u200b.\"\n---\n\nBody \u{202e}with \u{200b}tricks \u{7}.\n",
    );
    machine.file("home/.claude/skills/broken/SKILL.md", "---\nname: broken\ndescription: \"Open\n---\nx\n");
    let mut command = machine.command(["ui"]);
    command.env_remove("COLUMNS").env("TERM", "xterm-256color").env("NO_COLOR", "1");
    let mut terminal = Terminal::start_sized(command, 120, 40);
    terminal.wait_for_screen("the list", |screen| screen.contains("INVALID"));
    terminal.press("/evil\r\r");
    let screen = terminal
        .wait_for_screen("its page", |screen| screen.contains("Body <U+202E>with <U+200B>tricks <U+0007>."));
    assert!(screen.contains("Looks <U+202E>reversed and <U+001B>[31mred <U+200B>."), "{screen}");
    let written = terminal.written();
    assert!(!written.contains(['\u{202e}', '\u{200b}']), "nothing hidden reaches the terminal");
    // Foreground and background colours; bold, underline and reverse stay.
    let colours = ["\u{1b}[31m", "\u{1b}[38;5;", "\u{1b}[48;5;"];
    assert!(!colours.iter().any(|colour| written.contains(colour)), "{written:?}");
    leave(terminal);
}

#[test]
fn keys_and_colours_are_the_users() {
    let machine = filled();
    machine.file(
        "home/.config/skillful/config.toml",
        "system = false\n\n[ui]\nmouse = false\n\n[ui.keys]\nquit = \"Q\"\nmatrix = [\"M\", \"ctrl-t\"]\n\n[ui.colors]\ndanger = \"#ff8800\"\n",
    );
    let mut terminal = at(&machine, &["ui"], 80, 24);
    let screen = terminal.wait_for_screen("the list", |screen| screen.contains("findings: "));
    assert!(screen.contains("M ctrl-t matrix") && screen.contains("Q quit"), "{screen}");
    let written = terminal.written();
    assert!(written.contains("38;2;255;136;0") && !written.contains("\u{1b}[?1000h"), "{written:?}");
    terminal.press("qM");
    terminal.wait_for_screen("the matrix", |screen| screen.contains("ASSISTANT"));
    terminal.press("Q");
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(machine.json("config get ui.keys.quit --json")["values"][0]["value"], "[\"Q\"]");
    machine.file("home/.config/skillful/config.toml", "[ui.keys]\nqiut = \"Q\"\n");
    let terminal = at(&machine, &["ui"], 80, 24);
    terminal.wait_for_screen("the problem", |screen| {
        screen.contains("`ui.keys.qiut` is not an action; did you mean `quit`?")
    });
    leave(terminal);
}

#[test]
fn the_editor_of_the_user_opens_the_file_and_a_mention_is_copied() {
    let machine = filled();
    let editor = machine.path("home/editor");
    skillful_testkit::write_program(&editor, "#!/bin/sh\necho \"$1\" > \"$HOME/opened\"\n");
    let mut command = machine.command(["ui"]);
    command.env_remove("COLUMNS").env("TERM", "xterm-256color").env("EDITOR", &editor);
    let mut terminal = Terminal::start_sized(command, 80, 24);
    terminal.wait_for_screen("the first skill", |screen| screen.contains("findings: "));
    terminal.press("y");
    // OSC 52 with `$api-design`.
    terminal.wait_for("\u{1b}]52;c;JGFwaS1kZXNpZ24=\u{7}");
    terminal.press("o");
    terminal.wait_for_screen("the end of the editor", |screen| screen.contains("closed "));
    let opened = machine.text("home/opened");
    assert!(opened.trim_end().ends_with("home/.claude/skills/api-design/SKILL.md"), "{opened}");
    leave(terminal);
}

#[test]
fn a_signal_restores_the_terminal() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let machine = filled();
        let terminal = opened(&machine, 80, 24);
        assert!(terminal.is_full_screen());
        terminal.signal(signal);
        let (ended, shown) = terminal.end();
        assert_eq!(ended, Some(code), "{shown}");
        let after = shown.rsplit_once("\u{1b}[?1049l").expect("the screen is given back").1;
        assert!(after.contains("\u{1b}[?25h"), "the cursor is shown again: {after:?}");
    }
}

#[test]
fn without_a_terminal_that_can_place_text_there_is_an_error_with_a_fix() {
    let machine = filled();
    assert_snapshot!(machine.see("ui"), @"
    exit: 1
    ----- stderr -----
    error: the full-screen view needs a terminal
      cause: standard input or output is not a terminal
      fix:   skillful list prints the same skills; skillful ui --json prints everything for programs
    ");
    let mut command = machine.command(["ui"]);
    command.env("TERM", "dumb");
    let (code, shown) = Terminal::start(command).end();
    assert_eq!(code, Some(1));
    assert_snapshot!(shown, @"
    error: the full-screen view needs a terminal that can place text
      cause: TERM is `dumb` or not set
      fix:   set TERM to the name of your terminal, such as xterm-256color, or use skillful list
    ");
    let matrix = machine.json("ui --json");
    let row = matrix["skills"].as_array().unwrap().iter().find(|row| row["name"] == "api-design").unwrap();
    assert_eq!((&row["agents"][0]["word"], &row["agents"][1]["word"]), (&"loads".into(), &"misses".into()));
}

/// Starts the interface in a session of its own, which gets no signal when its terminal is closed, and closes it: at once,
/// and while keys are read.
const CLOSED_TERMINAL: &str = "
import os, pty, subprocess, sys, time
for wait in (0, 0.01, 0.04, 0.1, 0.3):
    master, slave = pty.openpty()
    ui = subprocess.Popen(sys.argv[1:], stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    seen = b''
    while b'1049h' not in seen:
        seen += os.read(master, 65536)
    time.sleep(wait)
    os.close(master)
    try:
        ui.wait(timeout=30)
    except subprocess.TimeoutExpired:
        ui.kill()
        sys.exit(f'the interface runs on without a terminal, closed after {wait} s')
";

#[test]
fn the_interface_ends_when_its_terminal_is_closed() {
    if !skillful_testkit::has_tool("python3") {
        return;
    }
    let machine = filled();
    let ui: std::process::Command = machine.command(["ui"]).into();
    let mut command = std::process::Command::new("python3");
    command.args(["-c", CLOSED_TERMINAL]).arg(ui.get_program()).args(ui.get_args()).env_clear();
    command.envs(ui.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("TERM", "xterm-256color").current_dir(machine.path("work"));
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
