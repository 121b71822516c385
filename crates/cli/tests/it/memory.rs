//! What is remembered, as a person sees it: sessions, proposals, and skills that nobody uses.

use crate::bare;
use insta::assert_snapshot;
use serde_json::json;
use skillful_assistant::{
    history::{Item, ItemKind},
    journal,
};
use skillful_database::{AuthoredState, Database, JournalEntry, NewSession, Usage};
use skillful_llm::{Arguments, Message, Part, Role};
use skillful_testkit::{ModelServer, Terminal, TestContext};
use std::{
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

const DATA: &str = "home/.local/share/skillful";
const DAY: u64 = 24 * 60 * 60;

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn store(machine: &TestContext) -> Database {
    Database::open(&machine.path(DATA)).unwrap()
}

/// A skill that a model proposed.
pub(crate) fn propose(machine: &TestContext, name: &str, body: &str) {
    let text = format!(
        "---\nname: {name}\ndescription: Does {name} well.\nmetadata:\n  proposed-in: talk-1\n---\n\n{body}\n"
    );
    machine.file(&format!("{DATA}/proposed/{name}/SKILL.md"), text);
}

/// A skill that a model wrote and a person accepted so many days ago.
pub(crate) fn accepted(machine: &TestContext, name: &str, days: u64) {
    machine.skill(&format!("home/.skillful/skills/{name}"), "Does it.");
    store(machine).authored(name, now() - days * DAY).unwrap();
}

fn state(machine: &TestContext, name: &str) -> Option<AuthoredState> {
    let all = store(machine).authored_skills().unwrap();
    all.into_iter().find(|one| one.name == name).map(|one| one.state)
}

#[test]
fn sessions_are_listed_by_folder_shown_and_deleted() {
    let machine = bare();
    machine.skill("home/.agents/skills/style", "How to write.");
    assert_snapshot!(machine.see("sessions list"), @"
    exit: 0
    ----- stdout -----
    no sessions of this folder; --all lists those of every folder
    ");
    assert!(!machine.exists(&format!("{DATA}/sessions.db")), "looking makes no memory");
    for (id, message) in [("room-1", "$style the first line\nand more"), ("room-2", "hello")] {
        machine.command(["ask", message, "--session", id]).output().unwrap();
    }
    let elsewhere = NewSession {
        id: "far",
        folder: Path::new("/elsewhere"),
        title: "old \u{1b}[31mtalk",
        at: now() - 40 * DAY,
        parent: None,
    };
    store(&machine).create(elsewhere).unwrap();
    assert_snapshot!(machine.see("sessions show room-1"), @"
    exit: 0
    ----- stdout -----
    room-1
    title     $style the first line
    folder    [TEMP]/work
    created   just now
    updated   just now
    turns     1

    you
      $style the first line
      and more

    skills: style
    ");
    assert_eq!(machine.json("sessions --json")["sessions"].as_array().unwrap().len(), 2);
    let all = machine.see("sessions ls --all");
    assert!(all.contains("far") && all.contains("1 month ago") && !all.contains('\u{1b}'), "{all}");
    assert_snapshot!(machine.see("sessions show room"), @"
    exit: 1
    ----- stderr -----
    error: `room` matches more than one session: room-1, room-2; give more characters of the id
    ");
    assert_snapshot!(machine.see("sessions rm nothing"), @"
    exit: 1
    ----- stderr -----
    error: no session named `nothing`
      fix:   skillful sessions list --all lists all sessions
    ");
    assert_snapshot!(machine.see("sessions rm"), @"
    exit: 2
    ----- stderr -----
    error: skillful sessions rm needs SESSION or --older-than DAYS
      fix:   skillful sessions rm --help
    ");
    assert_snapshot!(machine.see("sessions rm --older-than 30"), @"
    exit: 0
    ----- stdout -----
    no session is that old; nothing was deleted
    ");
    assert_snapshot!(machine.see("sessions rm --older-than 30 --all"), @"
    exit: 0
    ----- stdout -----
    deleted session far
    ");
    assert_eq!(machine.json("sessions rm room-1 room-2 --json")["removed"], json!(["room-1", "room-2"]));
    assert_eq!(machine.json("sessions list --all --json")["sessions"], json!([]));
}

#[test]
fn a_transcript_has_messages_tool_calls_and_skills() {
    let machine = bare();
    let call = |id: &str, name: &str| Part::Call {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: Arguments::Read(json!({ "path": "a.txt" }).as_object().unwrap().clone()),
    };
    let result =
        |id: &str, text: &str, failed| Part::Result { id: id.to_owned(), text: text.to_owned(), failed };
    let item =
        |kind, role, parts| journal::JournalEntry::Item(Item { kind, message: Message { role, parts } });
    let happened = [
        item(ItemKind::Message, Role::User, vec![Part::text("read it\nplease \u{202e}")]),
        journal::JournalEntry::Item(Item::user(ItemKind::Skill { name: "style".to_owned() }, "one\ntwo")),
        item(
            ItemKind::Answer,
            Role::Assistant,
            vec![
                Part::Thinking { text: "hm".to_owned(), signature: None },
                Part::text("I look."),
                call("1", "read_file"),
                call("2", "shell"),
            ],
        ),
        item(
            ItemKind::Results { skills: Vec::new() },
            Role::User,
            vec![result("1", "first\nsecond", false), result("2", "no such file", true)],
        ),
        journal::JournalEntry::Note { text: "the person said no".to_owned() },
        journal::JournalEntry::Compacted { items: Vec::new() },
        item(ItemKind::Answer, Role::Assistant, vec![Part::text("Done.")]),
    ];
    let at = now();
    let entries: Vec<JournalEntry> = happened
        .iter()
        .map(|one| JournalEntry { kind: one.kind().to_owned(), json: json!(one).to_string(), at })
        .chain([JournalEntry { kind: "future".to_owned(), json: "{}".to_owned(), at }])
        .collect();
    let store = store(&machine);
    let folder = machine.work();
    store.create(NewSession { id: "talk-1", folder: &folder, title: "read it", at, parent: None }).unwrap();
    store.append_all("talk-1", &entries).unwrap();
    let usage = Usage {
        model: "m".to_owned(),
        input: 1_200,
        output: 30,
        cached: 1_000,
        stored: 0,
        cost_micros: 1_500,
    };
    store.add_usage("talk-1", None, &usage).unwrap();
    assert_snapshot!(machine.see("sessions show talk"), @r#"
    exit: 0
    ----- stdout -----
    talk-1
    title     read it
    folder    [TEMP]/work
    created   just now
    updated   just now
    turns     0
    tokens    1200 in (1000 cached), 30 out
    cost      0.001500

    you
      read it
      please <U+202E>

    skill style loaded: 2 lines

    model
      reasoning: 1 line
      I look.
      calls read_file {"path":"a.txt"}
      calls shell {"path":"a.txt"}

    tools
      read_file returned 2 lines: first second
      shell failed: no such file

    the person said no

    the session was compacted to 0 parts

    model
      Done.

    an entry of kind `future` that this version cannot read
    "#);
    assert_snapshot!(machine.see("sessions list"), @"
    exit: 0
    ----- stdout -----
    SESSION  WHEN      TURNS  TOKENS  TITLE
    talk-1   just now  0      1230    read it
    ");
    let json = machine.json("sessions show talk-1 --json");
    assert_eq!(json["journal"][2]["entry"]["message"]["parts"][1]["text"], "I look.");
    assert_eq!((&json["session"]["cost_micros"], &json["usage"][0]["model"]), (&json!(1_500), &json!("m")));
}

#[test]
fn sessions_of_a_damaged_database_name_the_fix() {
    let machine = bare();
    machine.file(&format!("{DATA}/sessions.db"), "no database ".repeat(100));
    assert_snapshot!(machine.see("sessions list"), @"
    exit: 1
    ----- stderr -----
    error: `~/.local/share/skillful/sessions.db` is damaged (file is not a database) and was not changed; rename it to start with a new one, or recover its content with `sqlite3 FILE .recover`
    ");
    assert!(machine.see("curate").starts_with("exit: 1\n"));
}

#[test]
fn a_proposed_skill_is_pending_until_the_user_approves_or_rejects_it() {
    let machine = bare();
    assert_snapshot!(machine.see("review"), @"
    exit: 0
    ----- stdout -----
    Nothing to review.
    ");
    propose(&machine, "made", "Do it.\n\n!`date`");
    propose(&machine, "worse", "Do it badly.");
    assert_snapshot!(machine.see("review"), @"
    exit: 0
    ----- stdout -----
    SKILL  WHY       FOR   FROM                     DESCRIPTION
    made   proposed  user  the assistant, just now  Does made well.
    worse  proposed  user  the assistant, just now  Does worse well.

    skillful review NAME shows one; skillful review approve NAME, review reject NAME decide
    ");
    assert_snapshot!(machine.see("review made"), @"
    exit: 0
    ----- stdout -----
    Review 1 of 1   made   from the assistant, just now
    Does made well.
    proposed by the assistant in session talk-1
    Digest: sha256:934742c6c841904eebced06e49049fa865a2bb863e144e22b0254c82de6bda49

    Can do
      tools       every tool                no allowed-tools in the frontmatter
      command     date                      on load  SKILL.md:10
    Not declared: network, secrets, hooks, MCP servers
    Findings: 0 blocking, 0 warnings, 1 note
      note   preprocessing       SKILL.md:10
             !`date`
             the command runs when the skill is loaded, without a confirmation
    Files: 1, 97 bytes, 10 lines a model reads

    --- SKILL.md
    ---
    name: made
    description: Does made well.
    metadata:
      proposed-in: talk-1
    ---

    Do it.

    !`date`
    ");
    let json = machine.json("review made --json");
    assert_eq!(json["pending"][0]["card"]["capabilities"], json!(["runs command date", "uses every tool"]));
    assert!(json["pending"][0]["files"][0]["text"].as_str().unwrap().contains("Do it."));
    assert_snapshot!(machine.see("review approve made nothing"), @"
    exit: 1
    ----- stderr -----
    error: no skill `nothing` waits for a review
      fix:   skillful review shows the skills that wait
    ");
    assert!(machine.exists(&format!("{DATA}/proposed/made")), "nothing moves when one name is wrong");

    assert_snapshot!(machine.see("review approve made"), @"
    exit: 0
    ----- stdout -----
    Approved made (sha256 934742c6). Installed to ~/.skillful/skills/made.
    ");
    assert_snapshot!(machine.see("review reject worse"), @"
    exit: 0
    ----- stdout -----
    Rejected worse. It is in ~/.local/share/skillful/archive/rejected/worse.
    ");
    let shown = machine.json("show made --json");
    assert_eq!((&shown["state"], &shown["scope"]), (&json!("available"), &json!("user")));
    assert!(machine.text("home/.skillful/skills/made/SKILL.md").contains("Do it."));
    assert!(machine.text(&format!("{DATA}/archive/rejected/worse/SKILL.md")).contains("badly"));
    assert_eq!(state(&machine, "made"), Some(AuthoredState::Active));
    assert_eq!(state(&machine, "worse"), None);
    assert_eq!(machine.json("review --json")["pending"], json!([]));
}

#[test]
fn a_proposed_skill_cannot_take_the_name_of_another() {
    let machine = bare();
    machine.skill("home/.agents/skills/made", "Mine.");
    propose(&machine, "made", "Do it.");
    assert_snapshot!(machine.see("review approve made"), @"
    exit: 1
    ----- stderr -----
    error: the name `made` is taken by ~/.agents/skills/made/SKILL.md
      fix:   rename or remove that one first, or reject the proposal
    ");
    assert!(machine.exists(&format!("{DATA}/proposed/made/SKILL.md")));
    assert!(!machine.exists("home/.skillful/skills/made"));
}

#[test]
fn a_user_at_a_terminal_is_asked_about_each_proposal() {
    let machine = bare();
    for name in ["a", "b", "c"] {
        propose(&machine, name, &format!("The body of {name}."));
    }
    let mut terminal = Terminal::start(machine.command(["review"]));
    let keys = [("of a.", "what?\na\n"), ("of b.", "reject\n"), ("of c.", "s\n")];
    for (at, (body, keys)) in keys.into_iter().enumerate() {
        terminal.wait_for(&format!("Review {} of 3", at + 1));
        terminal.wait_for("[q]uit");
        terminal.press("f\n");
        terminal.wait_for(body);
        terminal.press(keys);
    }
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(machine.exists("home/.skillful/skills/a/SKILL.md"), "{shown}");
    assert!(machine.exists(&format!("{DATA}/archive/rejected/b")), "{shown}");
    assert!(machine.exists(&format!("{DATA}/proposed/c")), "{shown}");
}

#[test]
fn unused_skills_are_archived_and_restored() {
    let machine = bare();
    assert_snapshot!(machine.see("curate"), @"
    exit: 0
    ----- stdout -----
    no skill of the assistant was approved; `skillful review` lists proposed skills
    ");
    for (name, days) in [("fresh", 3), ("idle", 31), ("kept", 200), ("old", 90), ("gone", 100)] {
        accepted(&machine, name, days);
    }
    machine.skill("home/.skillful/skills/own", "Written by the person, long ago.");
    std::fs::remove_dir_all(machine.path("home/.skillful/skills/gone")).unwrap();
    assert_snapshot!(machine.see("curate --pin kept"), @"
    exit: 0
    ----- stdout -----
    pinned: kept
    ");
    assert_snapshot!(machine.see("curate --pin own"), @"
    exit: 1
    ----- stderr -----
    error: `own` is not an approved skill of the assistant
      fix:   skillful review --unused lists the approved skills
    ");
    assert_snapshot!(machine.see("curate --dry-run"), @"
    exit: 0
    ----- stdout -----
    gone is gone and would no longer be followed
    idle would be stale: not used for 31 days
    old would be archived: not used for 90 days

    SKILL  STATE   PINNED  IDLE
    fresh  active          approved 3 days ago
    gone   active          approved 100 days ago
    idle   active          approved 31 days ago
    kept   active  pinned  approved 200 days ago
    old    active          approved 90 days ago
    ");
    assert!(machine.exists("home/.skillful/skills/old"), "a dry run moves nothing");
    assert_eq!(state(&machine, "idle"), Some(AuthoredState::Active));

    assert_snapshot!(machine.see("curate"), @"
    exit: 0
    ----- stdout -----
    gone is gone and no longer followed
    idle is stale: not used for 31 days
    old is archived: not used for 90 days; skillful review --unused --restore old brings it back

    SKILL  STATE     PINNED  IDLE
    fresh  active            approved 3 days ago
    idle   stale             approved 31 days ago
    kept   active    pinned  approved 200 days ago
    old    archived          approved 90 days ago
    ");
    assert!(!machine.exists("home/.skillful/skills/old"));
    assert!(machine.exists(&format!("{DATA}/archive/old/SKILL.md")));
    assert!(machine.exists("home/.skillful/skills/own"));
    assert!(machine.see("curate").lines().all(|line| !line.contains("is archived")), "once is enough");

    assert_snapshot!(machine.see("curate --restore old"), @"
    exit: 0
    ----- stdout -----
    old is back in ~/.skillful/skills/old
    ");
    assert_eq!(state(&machine, "old"), Some(AuthoredState::Active));
    assert_eq!(machine.json("curate --json")["done"], json!([]), "what came back stays for its time");
    assert_snapshot!(machine.see("curate --restore old"), @"
    exit: 1
    ----- stderr -----
    error: there is no skill `old` in `~/.local/share/skillful/archive`
      fix:   skillful review --unused lists the skills and their states
    ");
    machine.see("curate --unpin kept");
    assert_eq!(machine.json("curate --json")["done"][0]["to"], "archived");
}

#[test]
fn any_use_wakes_a_stale_skill() {
    for line in
        [["use", "idle", "--no-run"].as_slice(), ["ask", "$idle do it", "--session", "room"].as_slice()]
    {
        let machine = bare();
        accepted(&machine, "idle", 31);
        machine.see("curate");
        assert_eq!(state(&machine, "idle"), Some(AuthoredState::Stale));
        machine.command(line).output().unwrap();
        assert_eq!(state(&machine, "idle"), Some(AuthoredState::Active), "{line:?}");
        assert_eq!(machine.json("curate --json")["done"], json!([]));
    }
}

#[test]
fn a_daily_look_is_taken_once() {
    let machine = bare();
    accepted(&machine, "one", 31);
    assert_eq!(machine.json("curate --daily --json")["done"][0]["to"], "stale");
    accepted(&machine, "two", 31);
    assert_eq!(machine.json("curate --daily --json")["done"], json!([]));
    assert_eq!(machine.json("curate --json")["done"][0]["name"], "two");
}

#[test]
fn a_chat_begins_with_the_daily_look() {
    // Nothing is said, so that nothing is asked of it.
    let server = ModelServer::new([]);
    let machine =
        bare().variable("ANTHROPIC_BASE_URL", &server.url()).variable("ANTHROPIC_MODEL", "claude-test");
    accepted(&machine, "idle", 31);
    let forgetful = machine.see("chat --no-session");
    assert_eq!(state(&machine, "idle"), Some(AuthoredState::Active), "{forgetful}");
    let told = machine.see("chat");
    assert!(told.contains("idle is stale: not used for 31 days"), "{told}");
    assert_eq!(state(&machine, "idle"), Some(AuthoredState::Stale));
    assert!(!machine.see("chat").contains("stale"), "once a day is enough");
}
