//! Istota: rules, companions, exclusions, the menu.

use crate::library::{Library, said};
use skillful_catalog::gate::Reason;
use skillful_select::turn::{PastTurn, Turn};

#[test]
fn always_include_without_its_packages_is_nowhere_and_every_missing_one_is_named_in_order() {
    let mut library = Library::new(&[(
        "calendar",
        "always_include: true\ndependencies: [\"caldav-client>=1.0\", icalendar, requests]",
    )]);
    library.environment.packages = skillful_catalog::packages::Packages::known(["requests==2.31"]);
    library.check(&said(""), "count=0: ", &[]);
    let catalog = library.catalog();
    let missing = |name: &str| Reason::MissingPackage { name: name.to_owned() };
    let refused = &library.select(&catalog, &said("")).refused[0];
    assert_eq!(refused.verdict.reasons, [missing("caldav-client>=1.0"), missing("icalendar")]);
}

#[test]
fn the_menu_is_sorted_and_what_is_selected_is_not_on_it() {
    let library = Library::new(&[("zeta", ""), ("alpha", ""), ("mid", "always_include: true"), ("beta", "")]);
    library.check(&said(""), "count=1: mid(always_include)", &["alpha", "beta", "zeta"]);
    let library = Library::new(&[("alpha", ""), ("beta", "")]);
    library.check(&said("$beta"), "count=1: beta(mention)", &["alpha"]);
    Library::new(&[]).check(&said(""), "count=0: ", &[]);
}

#[test]
fn without_a_description_a_skill_is_not_on_the_menu_differs_no_line_without_words() {
    let library = Library::new(&[("plain", "")]);
    library.file(".agents/skills/silent/SKILL.md", "---\nname: silent\n---\nBody.\n");
    library.file(".agents/skills/bare/SKILL.md", "Only a body.\n");
    library.check(&said(""), "count=0: ", &["plain"]);
    library.check(&said("$silent and $bare"), "count=2: silent(mention), bare(mention)", &["plain"]);
}

#[test]
fn an_admin_only_companion_comes_only_for_an_administrator() {
    let mut library = Library::new(&[
        ("mail", "always_include: true\ncompanion_skills: [audit]"),
        ("audit", "admin_only: true # operators"),
    ]);
    library.check(&said(""), "count=1: mail(always_include)", &[]);
    library.principal.admin = true;
    library.check(&said(""), "count=2: audit(companion of mail), mail(always_include)", &[]);
}

#[test]
fn an_excluder_that_is_not_selected_excludes_no_skill_and_one_that_excludes_itself_stays_differs() {
    let library = Library::new(&[
        ("loud", "source_types: [briefing]\nexclude_skills: [quiet]"),
        ("quiet", "source_types: [talk, briefing]"),
        ("selfless", "source_types: [talk]\nexclude_skills: [selfless]"),
    ]);
    let turn = |source: &str| Turn { source_type: Some(source.to_owned()), ..said("") };
    library.check(&turn("talk"), "count=2: quiet(source_type=talk), selfless(source_type=talk)", &["loud"]);
    library.check(&turn("briefing"), "count=1: loud(source_type=briefing)", &["selfless"]);
}

#[test]
fn an_excluded_skill_is_named_with_its_excluder() {
    let library = Library::new(&[
        ("loud", "always_include: true\nexclude_skills: [quiet]"),
        ("quiet", "source_types: [talk]"),
    ]);
    let catalog = library.catalog();
    let turn = Turn { source_type: Some("talk".to_owned()), ..said("") };
    let selection = library.select(&catalog, &turn);
    let name = |at: usize| catalog.entries[at].name.as_str();
    let excluded: Vec<_> = selection.excluded.iter().map(|(whom, by)| (name(*whom), name(*by))).collect();
    assert_eq!(excluded, [("quiet", "loud")]);
}

#[test]
fn a_skill_stays_selected_for_exactly_half_an_hour_in_every_interactive_turn() {
    let library = Library::new(&[("calendar", "")]);
    let turn = |source: &str, age: u64| Turn {
        source_type: Some(source.to_owned()),
        past: vec![PastTurn {
            roots: vec!["calendar".to_owned()],
            completed: true,
            age,
            ..PastTurn::default()
        }],
        ..said("")
    };
    for source in ["talk", "email", "repl", "web"] {
        library.check(&turn(source, 30 * 60), "count=1: calendar(sticky)", &[]);
        library.check(&turn(source, 30 * 60 + 1), "count=0: ", &["calendar"]);
    }
    library.check(&turn("briefing", 60), "count=0: ", &["calendar"]);
}
