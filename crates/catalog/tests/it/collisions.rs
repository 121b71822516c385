//! D5: who wins, and how to reach the others.

use crate::fixture::World;
use skillful_catalog::{Placement, names::Lookup};

fn crowd(order: &[usize]) -> World {
    let mut world = World::new();
    world.settings.custom = vec![world.path("custom")];
    world.settings.integrations = vec![world.path("components")];
    let roots = [
        "repo/.alpha/skills",
        "repo/.agents/skills",
        "home/.beta/skills",
        "home/.alpha/skills",
        "custom",
        "custom/group",
        "components/a/skills",
        "components/b/skills",
    ];
    for at in order {
        world.skill(roots[*at], "deploy");
        world.skill(roots[*at], &format!("own-{at}"));
    }
    world
}

#[test]
fn the_winner_is_the_same_on_every_run_and_in_every_order_of_creation() {
    let first = crowd(&[0, 1, 2, 3, 4, 5, 6, 7]);
    let expected = first.list();
    assert_eq!(expected[0], "deploy available repo/.agents/skills/deploy/SKILL.md");
    for _ in 0..20 {
        assert_eq!(first.list(), expected);
    }
    for order in [[7, 6, 5, 4, 3, 2, 1, 0], [3, 1, 4, 0, 5, 2, 7, 6], [5, 7, 1, 3, 0, 6, 4, 2]] {
        assert_eq!(crowd(&order).list(), expected, "{order:?}");
    }
}

#[test]
fn every_shadowed_skill_stays_listed_with_its_winner() {
    let world = crowd(&[0, 1, 2, 3, 4, 5, 6, 7]);
    let catalog = world.build();
    let all: Vec<_> = catalog.called("deploy").collect();
    assert_eq!(all.len(), 8);
    assert_eq!(all[0].1.placement, Placement::Active);
    for (_, entry) in &all[1..] {
        assert_eq!(entry.placement, Placement::Shadowed { by: all[0].0 });
    }
}

#[test]
fn a_path_a_scope_an_agent_or_a_folder_reaches_a_shadowed_skill() {
    let world = crowd(&[0, 1, 2, 3, 4, 6]);
    let catalog = world.build();
    let cwd = &world.environment.cwd;
    let absolute = world.path("home/.beta/skills/deploy");
    let cases = [
        ("deploy", "repo/.agents/skills/deploy/SKILL.md"),
        ("project:deploy", "repo/.agents/skills/deploy/SKILL.md"),
        ("user:deploy", "home/.alpha/skills/deploy/SKILL.md"),
        ("custom:deploy", "custom/deploy/SKILL.md"),
        ("integration:deploy", "components/a/skills/deploy/SKILL.md"),
        ("beta:deploy", "repo/.agents/skills/deploy/SKILL.md"),
        (".alpha/skills:deploy", "repo/.alpha/skills/deploy/SKILL.md"),
        (".beta/skills:deploy", "home/.beta/skills/deploy/SKILL.md"),
        ("beta:own-2", "home/.beta/skills/own-2/SKILL.md"),
        (".alpha/skills/deploy", "repo/.alpha/skills/deploy/SKILL.md"),
        ("./.alpha/skills/deploy/SKILL.md", "repo/.alpha/skills/deploy/SKILL.md"),
        ("../repo/.alpha/../.alpha/skills/deploy/", "repo/.alpha/skills/deploy/SKILL.md"),
        (absolute.to_str().unwrap(), "home/.beta/skills/deploy/SKILL.md"),
    ];
    for (text, expected) in cases {
        match catalog.find(text, cwd) {
            Lookup::Found(at) => {
                assert_eq!(world.short(&catalog.entries[at].origin.file), expected, "{text}");
            }
            Lookup::Unknown { near } => panic!("{text} is unknown; near: {near:?}"),
        }
    }
}

#[test]
fn every_entry_is_reached_by_its_path() {
    let world = crowd(&[0, 1, 2, 3, 4, 5, 6, 7]);
    world.link("home/.beta/skills/linked", "home/.alpha/skills/own-3");
    world.file("repo/.alpha/commands/deploy.md", "x");
    let catalog = world.build();
    for (at, entry) in catalog.entries.iter().enumerate() {
        let ways = std::iter::once(&entry.origin.file).chain(entry.origin.also.iter().map(|(_, file)| file));
        for file in ways.chain([&entry.origin.real]) {
            let found = catalog.find(file.to_str().unwrap(), &world.environment.cwd);
            assert_eq!(found, Lookup::Found(at), "{}", file.display());
        }
    }
}

#[test]
fn qualified_names_are_reached_with_and_without_their_scope() {
    let mut world = World::new();
    world.settings.plugins = vec![world.path("plugins")];
    world.file("plugins/p/.claude-plugin/plugin.json", r#"{"name": "tools"}"#);
    world.skill("plugins/p/skills", "deploy");
    world.skill("repo/apps/web/.alpha/skills", "deploy");
    world.settings.touched = vec!["apps/web/x".into()];
    let catalog = world.build();
    for (text, expected) in [
        ("tools:deploy", "plugins/p"),
        ("plugin:deploy", "plugins/p"),
        ("plugin:tools:deploy", "plugins/p"),
        ("apps/web:deploy", "repo/apps/web"),
        ("project:apps/web:deploy", "repo/apps/web"),
    ] {
        let Lookup::Found(at) = catalog.find(text, &world.environment.cwd) else { panic!("{text}") };
        assert!(world.short(&catalog.entries[at].origin.file).starts_with(expected), "{text}");
    }
}

#[test]
fn a_name_with_a_prefix_means_one_in_use_before_one_that_is_not() {
    let mut world = World::new();
    let off = world.skill("home/.agents/skills", "deploy");
    world.skill("home/.beta/skills", "deploy");
    world.skill("repo/.alpha/skills", "other");
    world.settings.rules = vec![crate::switches::off(crate::switches::path(&off))];
    let catalog = world.build();
    let Lookup::Found(at) = catalog.find("user:deploy", &world.environment.cwd) else { panic!() };
    assert_eq!(catalog.entries[at].placement, Placement::Active);
}

#[test]
fn an_unknown_name_comes_with_those_that_are_near() {
    let world = World::new();
    for name in ["deploy", "deploy-web", "review", "reviews", "write"] {
        world.skill("home/.alpha/skills", name);
    }
    let catalog = world.build();
    let cases: [(&str, &[&str]); 7] = [
        ("deplyo", &["deploy"]),
        ("Deploy", &["deploy", "deploy-web"]),
        ("reviw", &["review"]),
        ("web", &["deploy-web"]),
        ("wri", &["write"]),
        ("zzzzzz", &[]),
        ("", &[]),
    ];
    for (text, expected) in cases {
        let found = catalog.find(text, &world.environment.cwd);
        let near = expected.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(found, Lookup::Unknown { near }, "{text}");
    }
}

#[test]
fn names_are_taken_from_the_frontmatter_else_the_folder_and_blanks_become_one() {
    let world = World::with(&[
        ("home/.alpha/skills/a/SKILL.md", "---\nname: \"  two   words \"\ndescription: x\n---\n"),
        ("home/.alpha/skills/b/SKILL.md", "---\ndescription: x\n---\n"),
        ("home/.alpha/skills/c/SKILL.md", "---\nname: \"\"\ndescription: x\n---\n"),
        ("home/.alpha/skills/d/SKILL.md", "no header\n"),
    ]);
    let names: Vec<String> = world.build().entries.iter().map(|entry| entry.name.clone()).collect();
    assert_eq!(names, ["two words", "b", "c", "d"]);
}
