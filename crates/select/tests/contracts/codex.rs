//! Codex: which skill a mention means, and which one a command uses.

use crate::library::{Library, said};
use skillful_catalog::{Catalog, Placement};
use skillful_select::{mention::MentionMeaning, selection::Selection, turn::Turn};

/// The files of the selected skills, below the home.
fn chosen(library: &Library, catalog: &Catalog, selection: &Selection) -> Vec<String> {
    let home = library.path();
    let file = |at: usize| catalog.entries[at].origin.file.strip_prefix(&home).unwrap().display().to_string();
    selection.selected.iter().map(|chosen| file(chosen.entry())).collect()
}

/// Two skills of one name: the user's own and one of a folder they named.
fn twice() -> (Library, String, String) {
    let mut library = Library::new(&[("deploy", "")]);
    let other = library.skill("named", "deploy", "");
    library.settings.custom = vec![library.path().join("named")];
    let own = library.path().join(".agents/skills/deploy/SKILL.md");
    (library, own.display().to_string(), other.display().to_string())
}

#[test]
fn two_named_skills_are_taken_in_the_order_of_the_text_differs_not_of_the_catalog() {
    let library = Library::new(&[("alpha", ""), ("beta", ""), ("gamma", "")]);
    let catalog = library.catalog();
    let selection = library.select(&catalog, &said("first $gamma, then $alpha"));
    let names: Vec<&str> = selection.mentions.iter().map(|resolved| resolved.mention.name.as_str()).collect();
    assert_eq!(names, ["gamma", "alpha"]);
    assert_eq!(selection.log_line(&catalog), "count=2: gamma(mention), alpha(mention)");
}

#[test]
fn a_name_that_two_skills_have_means_the_one_that_wins_differs_none_is_selected() {
    let (library, ..) = twice();
    let catalog = library.catalog();
    let selection = library.select(&catalog, &said("$deploy"));
    assert_eq!(chosen(&library, &catalog, &selection), [".agents/skills/deploy/SKILL.md"]);
}

#[test]
fn a_name_that_only_two_plugins_have_is_ambiguous_and_says_which_they_are_differs_silence() {
    let mut library = Library::new(&[]);
    for plugin in ["one", "two"] {
        library.file(
            &format!("plugins/{plugin}/.claude-plugin/plugin.json"),
            &format!("{{\"name\": \"{plugin}\"}}"),
        );
        library.skill(&format!("plugins/{plugin}/skills"), "search", "");
    }
    library.settings.plugins = vec![library.path().join("plugins")];
    let catalog = library.catalog();
    let selection = library.select(&catalog, &said("$search and $two:search"));
    assert_eq!(
        selection.mentions[0].meaning,
        MentionMeaning::Ambiguous(vec!["one:search".to_owned(), "two:search".to_owned()])
    );
    assert_eq!(selection.log_line(&catalog), "count=1: two:search(mention)");
}

#[test]
fn a_link_picks_exactly_one_of_two_skills_of_one_name() {
    let (library, own, other) = twice();
    let catalog = library.catalog();
    for (path, file) in [(own, ".agents/skills/deploy/SKILL.md"), (other, "named/deploy/SKILL.md")] {
        for link in [format!("[$deploy]({path})"), format!("[$deploy] ( skill://{path} )")] {
            let selection = library.select(&catalog, &said(&link));
            assert_eq!(chosen(&library, &catalog, &selection), [file], "{link}");
        }
    }
}

#[test]
fn a_link_that_leads_nowhere_chooses_nothing_by_its_name_and_is_reported() {
    let library = Library::new(&[("deploy", "")]);
    let catalog = library.catalog();
    let selection = library.select(&catalog, &said("[$deploy](gone/deploy/SKILL.md)"));
    assert!(selection.selected.is_empty());
    assert_eq!(selection.mentions[0].meaning, MentionMeaning::Unknown(Vec::new()));
}

#[test]
fn a_link_to_a_skill_that_is_disabled_is_refused_and_reported() {
    let mut library = Library::new(&[("deploy", "")]);
    library.disable("deploy");
    let catalog = library.catalog();
    let path = library.path().join(".agents/skills/deploy/SKILL.md");
    let selection = library.select(&catalog, &said(&format!("[$deploy]({}) and $deploy", path.display())));
    assert!(selection.selected.is_empty());
    assert_eq!(selection.refused.len(), 1);
}

#[test]
fn a_plugin_skill_disabled_by_its_qualified_name_is_listed_as_disabled() {
    let mut library = Library::new(&[]);
    library.file("plugins/p/.claude-plugin/plugin.json", "{\"name\": \"p\"}");
    for name in ["off", "on"] {
        library.skill("plugins/p/skills", name, "");
    }
    library.settings.plugins = vec![library.path().join("plugins")];
    library.disable("p:off");
    let catalog = library.catalog();
    let states: Vec<(String, bool)> = catalog
        .entries
        .iter()
        .map(|entry| (entry.address(), matches!(entry.placement, Placement::Disabled { .. })))
        .collect();
    assert_eq!(states, [("p:off".to_owned(), true), ("p:on".to_owned(), false)]);
}

#[test]
fn a_connector_takes_the_plain_name_and_leaves_the_other_forms() {
    let library = Library::new(&[("slack", "")]);
    let turn = |message: &str| Turn { connectors: vec!["slack".to_owned()], ..said(message) };
    library.check(&turn("$slack @slack"), "count=0: ", &["slack"]);
    library.check(&turn("/slack now"), "count=1: slack(mention)", &[]);
    library.check(&turn("see skill://slack"), "count=1: slack(mention)", &[]);
}

#[test]
fn a_name_is_compared_with_its_case() {
    let library = Library::new(&[("alpha", "")]);
    library.check(&said("$Alpha"), "count=0: ", &["alpha"]);
}
