use super::*;
use crate::{state::Message, theme::Theme, worker::read_snapshot};
use skillful::Workspace;
use std::{fs, path::Path, sync::Arc};

/// A home with skills of two agents.
pub(crate) fn machine() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    fs::create_dir_all(work.join(".git")).unwrap();
    let skill = |path: &Path, name: &str, description: &str, body: &str| {
        let folder = path.join(name);
        fs::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n\n{body}\n");
        fs::write(folder.join("SKILL.md"), text).unwrap();
    };
    fs::create_dir_all(home.join(".config/skillful")).unwrap();
    fs::write(home.join(".config/skillful/config.toml"), "system = false\n").unwrap();
    let claude = home.join(".claude/skills");
    skill(&claude, "changelog", "Keep a changelog.", "Read the commits.");
    skill(&claude, "code-review", "Review a change for bugs.", "Look at it.");
    skill(&home.join(".codex/skills"), "slides", "Make slides.", "Run the benchmark targets.");
    skill(&work.join(".claude/skills"), "deploy", "Deploy the service.", "Deploy.");
    let workspace = Workspace::for_folder(&work, &home);
    (folder, workspace)
}

fn opened() -> (tempfile::TempDir, State) {
    let (folder, workspace) = machine();
    let mut state = State::new(Theme::default(), (80, 24));
    let snapshot = Arc::new(read_snapshot(&workspace, 1));
    update(&mut state, Event::Answer(Answer::Snapshot { snapshot, changed: None }));
    (folder, state)
}

fn press(state: &mut State, code: KeyCode) -> Vec<Effect> {
    update(state, Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn keys(state: &mut State, text: &str) -> Vec<Effect> {
    text.chars().flat_map(|c| press(state, KeyCode::Char(c))).collect()
}

fn names(state: &State) -> Vec<&str> {
    state.list.shown.iter().map(|row| state.list.items[*row].name.as_str()).collect()
}

fn select(state: &mut State, name: &str) {
    let at = names(state).iter().position(|one| *one == name).unwrap();
    state.list.go(at);
}

#[test]
fn a_preview_is_asked_for_when_the_cursor_rests_and_not_before() {
    let (_folder, mut state) = opened();
    let effects = keys(&mut state, "jj");
    assert!(effects.iter().all(|effect| matches!(effect, Effect::Rest(_))), "{effects:?}");
    assert!(update(&mut state, Event::Rested(1)).is_empty(), "the cursor moved again");
    let effects = update(&mut state, Event::Rested(2));
    assert!(matches!(effects.as_slice(), [Effect::Read(Job::Preview { row: 2, .. })]), "{effects:?}");
}

#[test]
fn a_search_finds_names_then_descriptions_then_bodies() {
    let (_folder, mut state) = opened();
    let effects = keys(&mut state, "/chng");
    assert_eq!(names(&state), ["changelog"]);
    let is_search = |effect: &&Effect| matches!(effect, Effect::Read(Job::SearchBodies { .. }));
    assert_eq!(effects.iter().filter(is_search).count(), 0, "texts are searched when the typing rests");
    let moves = state.moves;
    let rested = update(&mut state, Event::Rested(moves));
    assert_eq!(rested.iter().filter(is_search).count(), 1);
    let again = update(&mut state, Event::Rested(moves));
    assert_eq!(again.iter().filter(is_search).count(), 0, "the query is the same");
    press(&mut state, KeyCode::Esc);
    keys(&mut state, "/change");
    assert_eq!(names(&state), ["changelog", "code-review"]);
    press(&mut state, KeyCode::Esc);
    keys(&mut state, "/benchmark");
    assert!(names(&state).is_empty());
    let row = state.list.items.iter().position(|item| item.name == "slides").unwrap();
    let words = vec!["benchmark".to_owned()];
    let hits = vec![(row, "run the benchmark targets.".to_owned())];
    update(
        &mut state,
        Event::Answer(Answer::Bodies { words: words.clone(), snapshot: 1, hits: hits.clone() }),
    );
    assert_eq!(names(&state), ["slides"]);
    // An answer about another query or another snapshot is dropped.
    keys(&mut state, "x");
    update(&mut state, Event::Answer(Answer::Bodies { words, snapshot: 1, hits }));
    assert!(names(&state).is_empty());
}

#[test]
fn fields_narrow_a_search() {
    let (_folder, mut state) = opened();
    keys(&mut state, "/state:untr");
    assert_eq!(names(&state), ["deploy"]);
    press(&mut state, KeyCode::Esc);
    keys(&mut state, "/agent:codex");
    assert_eq!(names(&state), ["slides"]);
    press(&mut state, KeyCode::Esc);
    keys(&mut state, "/missing:codex scope:user");
    assert_eq!(names(&state), ["changelog", "code-review"]);
}

#[test]
fn esc_leaves_every_state() {
    let (_folder, mut state) = opened();
    for keys_before in ["?", "a", "m", "/x", "md", "f"] {
        keys(&mut state, keys_before);
        for _ in 0..3 {
            press(&mut state, KeyCode::Esc);
        }
        assert_eq!(
            (state.screen, &state.overlay, state.searching),
            (Screen::List, &None, false),
            "{keys_before}"
        );
        assert_eq!((state.list.query.as_str(), state.list.filter), ("", Filter::All), "{keys_before}");
    }
    press(&mut state, KeyCode::Enter);
    assert_eq!(state.screen, Screen::Detail);
    // A terminal may report Esc and the next key as one.
    update(&mut state, Event::Key(KeyEvent::new(KeyCode::Char('m'), KeyModifiers::ALT)));
    assert_eq!(state.screen, Screen::Matrix);
}

#[test]
fn a_key_that_is_not_possible_says_why() {
    let (_folder, mut state) = opened();
    select(&mut state, "deploy");
    assert!(keys(&mut state, "e").is_empty());
    let why = "e: deploy is untrusted; trust it first (t)".to_owned();
    assert_eq!(state.message, Message { text: why, is_problem: true });
    select(&mut state, "changelog");
    for (key, why) in
        [("u", "was not installed by Skillful"), ("z", "nothing was changed"), ("r", "nothing to review")]
    {
        assert!(keys(&mut state, key).is_empty());
        assert!(state.message.text.contains(why), "{}", state.message.text);
    }
}

#[test]
fn a_switch_is_a_deed_with_its_command_and_can_be_undone() {
    let (_folder, mut state) = opened();
    select(&mut state, "changelog");
    let effects = keys(&mut state, "e");
    let [Effect::Do(Deed::Switch { row_name, enabled: false, .. })] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!((row_name.as_str(), state.message.text.as_str()), ("changelog", "skillful disable changelog"));
    let undo = Deed::Switch { row_name: "changelog".to_owned(), path: PathBuf::new(), enabled: true };
    update(
        &mut state,
        Event::Answer(Answer::Done { message: "Disabled".to_owned(), undo: Some(undo), decided: None }),
    );
    let effects = keys(&mut state, "z");
    assert!(matches!(effects.as_slice(), [Effect::Do(Deed::Switch { enabled: true, .. })]), "{effects:?}");
    assert!(state.undo.is_empty());
}

#[test]
fn a_reload_says_when_it_is_done() {
    let (folder, mut state) = opened();
    update(&mut state, Event::Key(KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL)));
    assert_eq!(state.message.text, RELOADING);
    let workspace = Workspace::for_folder(&folder.path().join("work"), &folder.path().join("home"));
    let snapshot = Arc::new(read_snapshot(&workspace, 2));
    update(&mut state, Event::Answer(Answer::Snapshot { snapshot, changed: None }));
    assert_eq!(state.message.text, "everything was read again: 4 skills");
}

#[test]
fn the_cursor_stays_on_its_skill_when_the_catalog_changes() {
    let (folder, mut state) = opened();
    select(&mut state, "slides");
    let new = folder.path().join("home/.claude/skills/aaa");
    fs::create_dir_all(&new).unwrap();
    fs::write(new.join("SKILL.md"), "---\nname: aaa\ndescription: First.\n---\nx\n").unwrap();
    let workspace = Workspace::for_folder(&folder.path().join("work"), &folder.path().join("home"));
    let snapshot = Arc::new(read_snapshot(&workspace, 2));
    let changed = Some("Updated: aaa was added on disk".to_owned());
    update(&mut state, Event::Answer(Answer::Snapshot { snapshot, changed }));
    assert_eq!(names(&state)[0], "aaa");
    assert_eq!(state.list.selected_item().unwrap().name, "slides");
    assert_eq!(state.message.text, "Updated: aaa was added on disk");
}

#[test]
fn no_size_and_no_key_makes_the_interface_panic() {
    let (_folder, mut state) = opened();
    let theme = Theme { color: true, unicode: true, ..Theme::default() };
    state.theme = theme;
    for (width, height) in
        [(80, 24), (1, 1), (30, 8), (29, 7), (59, 14), (60, 15), (100, 15), (240, 70), (31, 200)]
    {
        update(&mut state, Event::Resize(width, height));
        let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(width, height)).unwrap();
        for key in "jkGgm lhd?".chars().chain("xfs!12345/q".chars()).map(KeyCode::Char).chain([
            KeyCode::Char('n'),
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Tab,
            KeyCode::BackTab,
            KeyCode::PageDown,
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Esc,
            KeyCode::Char('a'),
            KeyCode::Esc,
        ]) {
            press(&mut state, key);
            terminal.draw(|frame| crate::draw::draw(frame, &state)).unwrap();
            for (x, y) in [(0, 0), (width - 1, height - 1), (width / 2, 1), (5, 5)] {
                let kind = crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left);
                let mouse = MouseEvent { kind, column: x, row: y, modifiers: KeyModifiers::NONE };
                if y + 1 < height {
                    update(&mut state, Event::Mouse(mouse));
                }
            }
            terminal.draw(|frame| crate::draw::draw(frame, &state)).unwrap();
        }
        for _ in 0..4 {
            press(&mut state, KeyCode::Esc);
        }
    }
}

#[test]
fn what_would_act_where_it_is_pasted_is_not_copied() {
    let (folder, workspace) = machine();
    // The end of a bracketed paste, a command and a line end: a shell would run it.
    let hostile = folder.path().join("home/.claude/skills").join("x\u{1b}[201~\ntouch y\n");
    fs::create_dir_all(&hostile).unwrap();
    let text = "---\nname: \"x\\e[201~\"\ndescription: Hostile.\n---\nBody.\n";
    fs::write(hostile.join("SKILL.md"), text).unwrap();
    let mut state = State::new(Theme::default(), (80, 24));
    let snapshot = Arc::new(read_snapshot(&workspace.reopened(), 1));
    update(&mut state, Event::Answer(Answer::Snapshot { snapshot, changed: None }));
    let at = names(&state).iter().position(|name| name.starts_with('x')).unwrap();
    state.list.go(at);
    for action in [Action::CopyMention, Action::CopyPath] {
        let effects = deeds::act(&mut state, action);
        assert!(effects.is_empty(), "{effects:?}");
    }
    select(&mut state, "changelog");
    let effects = deeds::act(&mut state, Action::CopyMention);
    assert!(matches!(effects.as_slice(), [Effect::Copy(text)] if text == "$changelog"), "{effects:?}");
}
