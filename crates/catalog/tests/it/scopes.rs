//! D2: scopes and their precedence.

use crate::fixture::{World, only, skill_with, told_of};
use skillful_catalog::{Placement, profile::Scope, roots};
use skillful_format::Code;
use std::path::PathBuf;

/// One folder of each scope, the strongest first. Plugins qualify their names, so theirs is left out.
const FOLDERS: [(Scope, &str); 8] = [
    (Scope::Extra, "extra"),
    (Scope::Project, "repo/app/.alpha/skills"),
    (Scope::Project, "repo/.alpha/skills"),
    (Scope::User, "home/.alpha/skills"),
    (Scope::Custom, "custom"),
    (Scope::Managed, "managed"),
    (Scope::Integration, "integrations/mail/skills"),
    (Scope::System, "system"),
];

fn everywhere() -> World {
    let mut world = World::new();
    world.environment.cwd = world.folder("repo/app");
    world.settings.extra = vec![world.folder("extra")];
    world.settings.custom = vec![world.folder("custom")];
    world.settings.managed = vec![world.folder("managed")];
    world.settings.integrations = vec![world.folder("integrations")];
    world.settings.plugins = vec![world.folder("plugins")];
    world.settings.system_folder = Some(world.folder("system"));
    world
}

#[test]
fn of_two_neighbouring_scopes_the_stronger_wins_and_the_other_stays_listed() {
    for pair in FOLDERS.windows(2) {
        let world = everywhere();
        // The weaker first, so that the order of creation decides nothing.
        world.skill(pair[1].1, "deploy");
        world.skill(pair[0].1, "deploy");
        let found = world.build();
        let entries: Vec<_> = found.called("deploy").collect();
        assert_eq!(entries.len(), 2, "{pair:?}");
        assert_eq!(entries[0].1.origin.scope, pair[0].0);
        assert_eq!(entries[0].1.placement, Placement::Active, "{pair:?}");
        assert_eq!(entries[1].1.origin.scope, pair[1].0);
        assert_eq!(entries[1].1.placement, Placement::Shadowed { by: entries[0].0 }, "{pair:?}");
    }
}

#[test]
fn with_all_scopes_at_once_only_the_strongest_is_in_use() {
    let world = everywhere();
    for (_, folder) in FOLDERS.iter().rev() {
        world.skill(folder, "deploy");
    }
    let states: Vec<String> = world.list();
    assert_eq!(states.len(), FOLDERS.len());
    for (at, (_, folder)) in FOLDERS.iter().enumerate() {
        let state = if at == 0 { "available" } else { "shadowed" };
        assert_eq!(states[at], format!("deploy {state} {folder}/deploy/SKILL.md"));
    }
}

#[test]
fn roots_are_in_the_order_of_their_scopes_plugins_between_managed_and_integrations() {
    let scopes: Vec<Scope> = everywhere().build().roots.iter().map(|root| root.scope).collect();
    assert!(scopes.is_sorted(), "{scopes:?}");
    assert!(scopes.contains(&Scope::Plugin));
}

#[test]
fn in_one_folder_the_neutral_places_come_first_then_by_path() {
    let world = World::new();
    for root in ["repo/.beta/skills", "repo/.alpha/skills", "repo/.agents/skills"] {
        world.skill(root, "deploy");
    }
    assert_eq!(
        world.list(),
        [
            "deploy available repo/.agents/skills/deploy/SKILL.md",
            "deploy shadowed repo/.alpha/skills/deploy/SKILL.md",
            "deploy shadowed repo/.beta/skills/deploy/SKILL.md",
        ]
    );
}

#[test]
fn configured_folders_win_in_the_order_they_are_named() {
    let mut world = World::new();
    world.skill("z", "deploy");
    world.skill("a", "deploy");
    world.settings.custom = vec![world.path("z"), world.path("a")];
    assert_eq!(world.winner("deploy"), "z/deploy/SKILL.md");
}

#[test]
fn a_required_managed_skill_cannot_be_shadowed() {
    let cases = [
        ("named in the settings", true, "x: 1"),
        ("marked in its metadata", false, "metadata:\n  required: true"),
    ];
    for (what, named, header) in cases {
        let mut world = everywhere();
        world.skill("extra", "policy");
        world.skill("repo/.alpha/skills", "policy");
        world.file("managed/policy/SKILL.md", skill_with("policy", header));
        if named {
            world.settings.required = ["policy".to_owned()].into();
        }
        assert_eq!(world.winner("policy"), "managed/policy/SKILL.md", "{what}");
        assert_eq!(world.list().iter().filter(|line| line.contains(" shadowed ")).count(), 2, "{what}");
    }
}

#[test]
fn only_an_administrator_can_require_a_skill() {
    let mut world = everywhere();
    world.settings.required = ["policy".to_owned()].into();
    world.skill("extra", "policy");
    world.file("home/.alpha/skills/policy/SKILL.md", skill_with("policy", "metadata:\n  required: true"));
    assert_eq!(world.winner("policy"), "extra/policy/SKILL.md");
}

#[test]
fn a_required_skill_that_is_broken_shadows_no_other() {
    let mut world = everywhere();
    world.settings.required = ["policy".to_owned()].into();
    world.file("managed/policy/SKILL.md", "---\nname: x\nname: y\n---\n");
    world.skill("home/.alpha/skills", "policy");
    assert_eq!(world.winner("policy"), "home/.alpha/skills/policy/SKILL.md");
}

#[test]
fn configured_roots_must_be_absolute_and_a_relative_one_is_reported() {
    let mut world = World::new();
    world.skill("repo/here", "deploy");
    world.settings.extra = vec![PathBuf::from("here"), PathBuf::from("../here")];
    world.settings.custom = vec![PathBuf::from("here")];
    let catalog = world.build();
    assert_eq!(catalog.entries.len(), 0);
    assert_eq!(told_of(&catalog, Code::RootInvalid).len(), 3);
}

#[test]
fn an_extra_root_that_is_not_a_folder_is_reported() {
    let mut world = World::new();
    world.settings.extra = vec![world.path("nowhere"), world.file("file", "x")];
    assert_eq!(told_of(&world.build(), Code::RootInvalid).len(), 2);
}

#[test]
fn a_root_below_the_home_folder_may_be_written_with_a_tilde() {
    let mut world = World::new();
    world.skill("home/mine", "deploy");
    world.settings.custom = vec![PathBuf::from("~/mine")];
    assert_eq!(world.winner("deploy"), "home/mine/deploy/SKILL.md");
}

#[test]
fn the_same_root_named_twice_is_one_root_with_the_first_scope() {
    let mut world = World::new();
    world.skill("home/.alpha/skills", "deploy");
    world.settings.custom = vec![world.path("home/.alpha/skills")];
    let catalog = world.build();
    assert_eq!(only(&catalog, "deploy").origin.scope, Scope::User);
    assert_eq!(catalog.roots.iter().filter(|root| root.present).count(), 1);
}

#[test]
fn from_the_repository_root_to_the_working_folder_and_none_above() {
    for (what, marker) in [("a folder", None), ("a file", Some("gitdir: elsewhere"))] {
        let mut world = World::new();
        match marker {
            None => drop(world.folder("outer/project/.git")),
            Some(text) => drop(world.file("outer/project/.git", text)),
        }
        for (folder, name) in [
            ("outer", "above"),
            ("outer/project", "top"),
            ("outer/project/a", "mid"),
            ("outer/project/a/b", "here"),
        ] {
            world.skill(&format!("{folder}/.alpha/skills"), name);
        }
        world.skill("outer/project/a/c/.alpha/skills", "aside");
        world.environment.cwd = world.path("outer/project/a/b");
        let names: Vec<String> = world.build().entries.iter().map(|entry| entry.name.clone()).collect();
        assert_eq!(names, ["here", "mid", "top"], ".git is {what}");
    }
}

#[test]
fn without_a_marker_only_the_working_folder_counts() {
    let mut world = World::new();
    world.skill("plain/.alpha/skills", "above");
    world.skill("plain/here/.alpha/skills", "here");
    world.environment.cwd = world.path("plain/here");
    assert_eq!(world.list(), ["here available plain/here/.alpha/skills/here/SKILL.md"]);
}

#[test]
fn a_working_folder_that_is_a_file_means_its_folder() {
    let mut world = World::new();
    world.skill("repo/.alpha/skills", "deploy");
    world.environment.cwd = world.file("repo/notes.txt", "x");
    assert_eq!(world.winner("deploy"), "repo/.alpha/skills/deploy/SKILL.md");
}

#[test]
fn the_nearest_of_257_levels_wins_and_all_are_read() {
    let mut world = World::new();
    let mut folder = String::from("repo");
    world.skill(&format!("{folder}/.alpha/skills"), "level");
    for _ in 0..256 {
        folder.push_str("/d");
        world.skill(&format!("{folder}/.alpha/skills"), "level");
    }
    world.environment.cwd = world.path(&folder);
    let catalog = world.build();
    assert_eq!(catalog.entries.len(), 257);
    let distances: Vec<u32> =
        catalog.entries.iter().map(|entry| catalog.roots[entry.origin.root].distance).collect();
    assert!(distances.is_sorted());
    assert_eq!(catalog.entries[0].origin.file, world.path(&folder).join(".alpha/skills/level/SKILL.md"));
    assert_eq!(catalog.entries[0].placement, Placement::Active);
}

#[test]
fn the_roots_of_every_agent_at_257_levels_take_no_time_worth_mentioning() {
    let mut world = World::new();
    world.agents = skillful_catalog::AgentProfiles::embedded();
    world.environment.cwd = world.folder(&format!("repo/{}", vec!["d"; 256].join("/")));
    let (took, found) =
        skillful_testkit::cpu_time(|| roots::resolve(&world.agents, &world.environment, &world.settings));
    assert!(found.list.len() > 10_000, "{}", found.list.len());
    assert!(took.as_secs() < 5, "{took:?}");
}

#[test]
fn a_project_in_the_home_folder_does_not_make_the_users_skills_foreign() {
    let mut world = World::untrusting();
    world.folder("home/.git");
    world.skill("home/.alpha/skills", "mine");
    world.environment.cwd = world.folder("home/notes");
    let catalog = world.build();
    assert_eq!(only(&catalog, "mine").origin.scope, Scope::User);
    assert_eq!(only(&catalog, "mine").placement, Placement::Active);
}

#[test]
fn a_repository_cannot_claim_to_be_an_administrator_through_a_relative_agent_path() {
    let mut world = World::untrusting();
    let text = "id = \"gamma\"\ntitle = \"G\"\nevidence = \"folders\"\n[[root]]\nscope = \"managed\"\npath = \"bundled\"\n";
    world.agents.add(text).unwrap();
    world.skill("repo/bundled", "evil");
    assert_eq!(world.list(), Vec::<String>::new());
}
