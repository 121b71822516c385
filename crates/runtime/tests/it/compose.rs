//! A turn, composed.

use crate::library::{Library, admitted};
use skillful_catalog::AgentProfiles;
use skillful_render::{Budget, menu::Truncation, news::Seen};
use skillful_runtime::compose::{Composition, Manner, MenuFor, Ranked, WrittenMenu, compose, load, visible};
use skillful_select::turn::Turn;

fn composed(library: &Library, turn: &Turn) -> Composition {
    let catalog = library.catalog();
    let manner = Manner::plain(None, Budget::default());
    compose(&library.engine(&catalog), turn, &manner)
}

fn said(message: &str) -> Turn {
    Turn { message: message.to_owned(), ..Turn::default() }
}

#[test]
fn the_menu_comes_first_then_the_message_then_instructions() {
    let library = Library::new()
        .skill("deploy", "companion_skills: [rollback, gone]", "Ship $0 to $1.")
        .skill("rollback", "", "Undo it.")
        .skill("menu-only", "", "Not read.");
    let found = composed(&library, &said("/deploy api 'the cloud' please"));
    insta::assert_snapshot!(library.told(&found.text()), @"
    <available_skills>
    <skill>
    <name>
    menu-only
    </name>
    <description>
    About menu-only.
    </description>
    <location>
    [HOME]/.agents/skills/menu-only/SKILL.md
    </location>
    </skill>
    </available_skills>

    /deploy api 'the cloud' please

    <skill>
    <name>deploy</name>
    <path>[HOME]/.agents/skills/deploy/SKILL.md</path>
    Ship api to the cloud.
    </skill>
    <!-- companion skill `gone` of `deploy` is unavailable: there is no such skill -->

    <skill>
    <name>rollback</name>
    <path>[HOME]/.agents/skills/rollback/SKILL.md</path>
    Undo it.
    </skill>
    ");
}

#[test]
fn with_no_skill_there_is_no_section() {
    let found = composed(&Library::new(), &said("Hello"));
    assert_eq!(found.text(), "Hello\n");
}

#[test]
fn a_skill_deleted_before_the_turn_is_reported_and_the_others_come() {
    let library = Library::new().skill("a", "", "A.").skill("b", "", "B.");
    let catalog = library.catalog();
    std::fs::remove_file(library.folder("a").join("SKILL.md")).unwrap();
    let manner = Manner::plain(None, Budget::default());
    let found = compose(&library.engine(&catalog), &said("$a $b"), &manner);
    assert_eq!(found.unread.len(), 1);
    assert_eq!(found.unread[0].name, "a");
    assert!(found.text().contains("B."));
}

#[test]
fn a_skill_that_is_loaded_already_gets_a_short_note() {
    let library = Library::new().skill("a", "", "Long text.");
    let catalog = library.catalog();
    let is_loaded = |name: &str, text: &str| name == "a" && text.contains("Long text.");
    let manner = Manner { is_loaded: &is_loaded, ..Manner::plain(None, Budget::default()) };
    let found = compose(&library.engine(&catalog), &said("/a again"), &manner);
    assert!(!found.text().contains("Long text."));
    assert!(found.text().contains("Follow it again, now for: again"));
}

#[test]
fn the_menu_is_ranked_only_under_pressure_and_its_bytes_do_not_depend_on_bodies() {
    let mut library = Library::new();
    for number in 10..99 {
        library = library.skill(&format!("s{number}"), "", "One.");
    }
    let before = composed(&library, &said("x")).disclosure.text.clone();
    let library = library.skill("s30", "", "Another body.");
    assert_eq!(composed(&library, &said("x")).disclosure.text, before);
    let catalog = library.catalog();
    let last_first = |menu: &[usize]| Ranked { order: menu.iter().rev().copied().collect(), relevant: 1 };
    let budget = Budget { limit: 300, ..Budget::default() };
    let manner = Manner { rank: &last_first, ..Manner::plain(None, budget) };
    let found = compose(&library.engine(&catalog), &said("x"), &manner);
    let omitted = |name: &str| {
        found.disclosure.losses.iter().any(|l| l.name == name && l.truncation == Truncation::Omitted)
    };
    assert!(omitted("s10") && !omitted("s98"), "{:?}", found.disclosure.losses);
    assert!(found.disclosure.text.contains("About s98."), "what the turn is about keeps its description");
}

#[test]
fn the_menu_of_a_session_is_written_again_when_its_skills_or_its_budget_change() {
    let written = WrittenMenu::default();
    let menu = |library: &Library, budget: Budget, menu: MenuFor| {
        let manner = Manner { menu, written: Some(&written), ..Manner::plain(None, budget) };
        compose(&library.engine(&library.catalog()), &said("$a"), &manner).disclosure
    };
    let library = Library::new().skill("a", "", "x").skill("b", "", "x");
    let (catalog, wide) = (library.catalog(), Budget::default());
    let manner = Manner { menu: MenuFor::Session, written: Some(&written), ..Manner::plain(None, wide) };
    let first = compose(&library.engine(&catalog), &said("x"), &manner).disclosure;
    let second = compose(&library.engine(&catalog), &said("$a"), &manner).disclosure;
    assert!(std::sync::Arc::ptr_eq(&first, &second), "the same skills are written once");
    // A menu for one message leaves out what is selected, and is not that of the session.
    assert!(
        first.text.contains("About a.") && !menu(&library, wide, MenuFor::Message).text.contains("About a.")
    );
    let narrow = Budget { limit: 1, ..wide };
    assert!(!menu(&library, narrow, MenuFor::Session).text.contains("About b."));
    assert_eq!(menu(&library, wide, MenuFor::Session).text, first.text);
    let library = library.skill("c", "", "x");
    assert!(menu(&library, wide, MenuFor::Session).text.contains("About c."));
}

#[test]
fn an_agent_gets_its_own_form_and_what_lies_in_its_folders() {
    let library = Library::new()
        .skill("shared", "", "x")
        .file(".claude/skills/own/SKILL.md", "---\nname: own\ndescription: Own.\n---\n");
    let agents = AgentProfiles::embedded();
    let catalog = library.catalog();
    let told: Vec<String> = ["claude-code", "codex"]
        .map(|id| {
            let agent = agents.get(id);
            let manner = Manner::plain(agent, Budget::default());
            let seen = library.with_inputs(|inputs| {
                skillful_agents::view(agent.unwrap(), inputs, &catalog).catalog(inputs, &catalog)
            });
            library.told(&compose(&library.engine(&seen), &said("x"), &manner).disclosure.text)
        })
        .to_vec();
    insta::assert_snapshot!(told.join("\n---\n"), @"
    Skills that can be invoked:

    - own: Own.

    ---
    <skills_instructions>
    ## Skills

    - shared: About shared. (file: [HOME]/.agents/skills/shared/SKILL.md)
    </skills_instructions>
    ");
}

#[test]
fn what_is_new_is_noted_with_its_changelog_and_only_when_it_is() {
    let library =
        Library::new().skill("a", "", "A.").file(".agents/skills/a/CHANGELOG.md", "# 2\n\nBetter.\n");
    let first = composed(&library, &said("x"));
    assert_eq!(first.news, None);
    let catalog = library.catalog();
    let seen = visible(&catalog, &first);
    let note = |seen: &Seen| {
        let manner = Manner { seen: Some(seen), ..Manner::plain(None, Budget::default()) };
        compose(&library.engine(&catalog), &said("x"), &manner).text()
    };
    assert!(!note(&seen).contains("skills_news"));
    let mut older = seen.clone();
    older.0.insert("a".to_owned(), "0".to_owned());
    older.0.insert("z".to_owned(), "0".to_owned());
    let text = note(&older);
    assert!(text.contains("Changed: a\nRemoved: z\n\nFrom the changelog of a:\n# 2\n\nBetter.\n"), "{text}");
}

#[test]
fn a_model_and_a_user_get_the_same_instructions() {
    let library = Library::new().skill("greet", "arguments: [who]", "Greet $who.\n\n$ARGUMENTS");
    let catalog = library.catalog();
    let engine = library.engine(&catalog);
    let (loaded, _) = load(&engine, &admitted(&engine, "greet"), "Ann 'and Bob'").unwrap();
    let asked = compose(&engine, &said("/greet Ann 'and Bob'"), &Manner::plain(None, Budget::default()));
    assert_eq!(asked.activations[0].instructions, loaded.instructions);
}
