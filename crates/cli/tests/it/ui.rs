//! `ui` through a real terminal: what it shows, and how it is searched.

use crate::bare;
use insta::assert_snapshot;
use skillful_testkit::{Terminal, TestContext};

/// The program at a terminal of a size, with colours.
pub(crate) fn at(machine: &TestContext, arguments: &[&str], columns: u16, rows: u16) -> Terminal {
    let mut command = machine.command(arguments);
    command.env_remove("COLUMNS").env("TERM", "xterm-256color");
    Terminal::start_sized(command, columns, rows)
}

/// The interface, when the facts about its first skill stay: shortly after the start it reads the disk again.
pub(crate) fn opened(machine: &TestContext, columns: u16, rows: u16) -> Terminal {
    let terminal = at(machine, &["ui"], columns, rows);
    terminal.wait_until_it_stays("the first skill", |screen| screen.contains("findings: "));
    terminal
}

pub(crate) fn filled() -> TestContext {
    let machine = bare();
    machine.skill("home/.claude/skills/api-design", "Rules for our HTTP APIs. Use when a route is added.");
    machine.skill("home/.claude/skills/code-review", "Review a change for bugs and risks.");
    machine.skill("home/.codex/skills/code-review", "Review rules of the platform team.");
    machine.skill("home/.codex/skills/release-notes", "Write release notes from merged changes.");
    machine.file(
        "home/.agents/skills/tables/SKILL.md",
        "---\nname: tables\ndescription: Make tables.\n---\n\n# Tables\n\nRun the benchmark targets.\n",
    );
    machine.file(
        "home/.claude/skills/golang/SKILL.md",
        "---\nname: golang\ndescription: Lint Go.\nrequires:\n  bins: [go-is-not-here]\n---\n\nLint.\n",
    );
    machine.file("home/.claude/skills/broken/SKILL.md", "---\nname: broken\ndescription: \"Open\n---\nx\n");
    machine.skill("work/.claude/skills/deploy", "Deploy the service.");
    machine
}

pub(crate) fn leave(mut terminal: Terminal) {
    terminal.press("q");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.ends_with("\u{1b}[?25h") || shown.contains("\u{1b}[?1049l"), "the screen is given back");
}

#[test]
fn the_list_fits_every_window_and_follows_its_size() {
    let machine = filled();
    let terminal = opened(&machine, 80, 24);
    assert_snapshot!(machine.filter(&terminal.screen()), @r"
    Skillful  [TEMP]/work  UNTRUSTED   8 skills, 3 need attention
    / type to search          [All]  Problems 3  Pending 0  Here 1         sort name
    --------------------------------------------------------------------------------
      NAME              STATE        AGENTS         DESCRIPTION
    > api-design        available    claude         Rules for our HTTP APIs. Use wh…
      broken            INVALID      claude         -
      code-review       available    claude         Review a change for bugs and ri…
      code-review       shadowed     codex          Review rules of the platform te…
      deploy            UNTRUSTED    claude         Deploy the service.
      golang            unavailable  claude         Lint Go.
      release-notes     available    codex          Write release notes from merged…
      tables            available    codex          Make tables.




    --------------------------------------------------------------------------------
    api-design   user   ~/.claude/skills/api-design
    Rules for our HTTP APIs. Use when a route is added.
    findings: none   can: every tool   declares no network, secrets, hooks, MCP ser…
    Claude Code /api-design   Codex: misses

                                                                               1-8/8
    enter open  / search  m matrix  r review  a actions  x fix  ? help  q quit
    ");
    terminal.resize(120, 40);
    let screen = terminal.wait_until_it_stays("the wide form", |screen| {
        screen.contains("SCOPE") && screen.contains("Do it.") && screen.contains("findings: ")
    });
    assert_snapshot!(machine.filter(&screen), @r"
    Skillful  [TEMP]/work  UNTRUSTED    Claude Code 5   Codex 3                8 skills, 3 need attention
    / type to search                                [All]  Problems 3  Pending 0  Here 1                           sort name
    ---------------------------------------------------------+--------------------------------------------------------------
      NAME              STATE        SCOPE    AGENTS         | api-design                                          available
    > api-design        available    user     claude-code    | [1 Text]  2 Files 1  3 Can 1  4 Findings 0  5 Agents 1/2
      broken            INVALID      user     claude-code    |
      code-review       available    user     claude-code    | Rules for our HTTP APIs. Use when a route is added.
      code-review       shadowed     user     codex          |
      deploy            UNTRUSTED    project  claude-code    | Do it.
      golang            unavailable  user     claude-code    |
      release-notes     available    user     codex          |
      tables            available    user     codex          |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             |
                                                             | user   ~/.claude/skills/api-design
                                                             | findings: none   can: every tool   declares no network, secr…
                                                             | Claude Code /api-design   Codex: misses
    ---------------------------------------------------------+--------------------------------------------------------------
                                                                                                                       1-8/8
    enter open  / search  m matrix  r review  a actions  x fix  tab next tab  e enable or disable  u update  ? help  q quit
    ");
    terminal.resize(60, 20);
    let screen = terminal.wait_until_it_stays("the narrow form", |screen| {
        screen.lines().count() <= 20 && !screen.contains("SCOPE") && screen.contains("findings: ")
    });
    assert_snapshot!(machine.filter(&screen), @r"
    Skillful  /tmp/skill…  UNTRUSTED  8 skills, 3 need attention
    / type to search    [All]  Problems 3  Pending 0  Here 1
    ------------------------------------------------------------
      NAME              STATE        AGENTS         DESCRIPTION
    > api-design        available    claude         Rules for o…
      broken            INVALID      claude         -
      code-review       available    claude         Review a ch…
      code-review       shadowed     codex          Review rule…
      deploy            UNTRUSTED    claude         Deploy the…
      golang            unavailable  claude         Lint Go.
      release-notes     available    codex          Write relea…
      tables            available    codex          Make tables.
    ------------------------------------------------------------
    api-design   user   ~/.claude/skills/api-design
    Rules for our HTTP APIs. Use when a route is added.
    findings: none   can: every tool   declares no network, sec…
    Claude Code /api-design   Codex: misses

                                                           1-8/8
    enter open  / search  m matrix  r review  ? help  q quit
    ");
    terminal.resize(40, 10);
    terminal.wait_for_screen("the list alone", |screen| screen.starts_with("Skillful  8 skills"));
    terminal.resize(28, 7);
    terminal.wait_for_screen("an excuse", |screen| screen.contains("Window too small (28×7)"));
    terminal.resize(80, 24);
    terminal.wait_for_screen("the list again", |screen| screen.contains("DESCRIPTION"));
    leave(terminal);
}

#[test]
fn a_search_finds_names_descriptions_and_texts() {
    let machine = filled();
    let mut terminal = opened(&machine, 80, 24);
    terminal.press("/rlsn");
    terminal
        .wait_for_screen("a name", |screen| screen.contains("1 of 8") && screen.contains("> release-notes"));
    terminal.press("\u{1b}");
    terminal.wait_for_screen("all", |screen| screen.contains("type to search"));
    terminal.press("/platform");
    terminal.wait_for_screen("a description", |screen| screen.contains("> code-review       shadowed"));
    terminal.press("\u{1b}");
    terminal.wait_for_screen("all", |screen| screen.contains("type to search"));
    terminal.press("/benchmark");
    terminal.wait_for_screen("a text", |screen| screen.contains("body: run the benchmark targets."));
    terminal.press("\r");
    terminal.press("\r");
    terminal.wait_for_screen("its page", |screen| {
        screen.contains("[1 Text]") && screen.contains("Tables\n======")
    });
    leave(terminal);
}

#[test]
fn the_matrix_has_words_and_the_reason_of_a_cell() {
    let machine = filled();
    let mut terminal = opened(&machine, 80, 24);
    terminal.press("m");
    let screen = terminal
        .wait_for_screen("the matrix", |screen| screen.contains("ASSISTANT") && screen.contains("esc list"));
    assert_snapshot!(machine.filter(&screen), @r"
    Matrix  [TEMP]/work                        8 of 8 rows differ
    / type to search          [All]  Problems 3  Pending 0  Here 1         sort name
    --------------------------------------------------------------------------------
      SKILL             CLAUDE CODE  CODEX        ASSISTANT
    > api-design        loads        misses       loads
      broken            loads        misses       invalid
      code-review       loads        misses       loads
      code-review       misses       loads        shadowed
      deploy            loads        misses       untrusted
      golang            loads        misses       unavailable
      release-notes     misses       loads        loads
      tables            misses       loads        loads






    --------------------------------------------------------------------------------
    api-design, Claude Code: loads it


                                                                               1-8/8
    enter open  / search  d different  x fix  X fix column  ? help  q quit  esc list
    ");
    terminal.press("l");
    terminal.wait_for_screen("a reason", |screen| screen.contains("api-design, Codex: misses it."));
    leave(terminal);
}

#[test]
fn a_change_on_disk_is_shown_and_the_cursor_stays() {
    let machine = filled();
    let mut terminal = opened(&machine, 80, 24);
    terminal.press("j");
    terminal.wait_for_screen("the second", |screen| screen.contains("> broken"));
    machine.skill("home/.claude/skills/aaa-new", "A new skill.");
    let screen = terminal.wait_for_screen("the new skill", |screen| screen.contains("aaa-new"));
    assert!(screen.contains("> broken"), "{screen}");
    leave(terminal);
}

#[test]
fn help_lists_every_key_and_filters() {
    let machine = filled();
    let mut terminal = opened(&machine, 80, 24);
    terminal.press("?");
    terminal.wait_for_screen("help", |screen| {
        screen.contains("e enable or disable") && screen.contains("Program")
    });
    terminal.press("copy");
    terminal
        .wait_for_screen("less", |screen| screen.contains("y copy mention") && !screen.contains("Program"));
    terminal.press("\u{1b}");
    terminal.wait_for_screen("the list", |screen| screen.contains("NAME"));
    leave(terminal);
}

#[test]
fn agents_have_a_page_of_their_own() {
    let machine = filled();
    let mut terminal = opened(&machine, 80, 24);
    terminal.press("A");
    let screen = terminal.wait_for_screen("the agents", |screen| screen.contains("2 agents found here"));
    for words in ["Claude Code", "  loads", "  reads         ~/.codex/skills", "skillful view --agent codex"]
    {
        assert!(screen.contains(words), "{words:?} in\n{screen}");
    }
    terminal.press("\u{1b}");
    terminal.wait_for_screen("the list", |screen| screen.contains("NAME"));
    leave(terminal);
}

#[test]
fn sources_are_searched_for_what_no_skill_here_matches() {
    let machine = filled();
    machine.skill("home/offered/zero-build", "Build pages without a build step.");
    machine.run(&format!("source add mine {}", machine.path("home/offered").display()));
    let mut terminal = opened(&machine, 80, 24);
    terminal.press("S");
    terminal.wait_for_screen("a reason", |screen| screen.contains("S: type /, the words to search for"));
    terminal.press("/zero-bild");
    terminal.wait_for_screen("a hint", |screen| {
        screen.contains("No skill matches \"zero-bild\".") && screen.contains("Search sources: enter, then S")
    });
    terminal.press("\u{15}tabels");
    terminal.wait_for_screen("a near word", |screen| screen.contains("Try: tables (1)"));
    terminal.press("\u{15}build step\r");
    terminal.press("S");
    terminal.wait_for_screen("the offer", |screen| {
        screen.contains("1 skill in your sources for \"build step\"")
            && screen.contains("zero-build   mine")
            && screen.contains("skillful add ")
    });
    terminal.press("\u{1b}");
    terminal.wait_for_screen("the list", |screen| screen.contains("NAME"));
    leave(terminal);
}
