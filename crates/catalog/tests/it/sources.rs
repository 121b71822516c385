//! D3: commands, integrations and roots below the working folder.

use crate::fixture::{World, only, skill, told_of};
use skillful_catalog::{
    Placement,
    gate::Caller,
    profile::{RootKind, Scope},
    settings::TrustMode,
};
use skillful_format::Code;
use std::path::PathBuf;

#[test]
fn command_files_are_skills_named_by_their_file() {
    let world = World::with(&[
        ("repo/.alpha/commands/review.md", "Review $ARGUMENTS.\n"),
        ("repo/.alpha/commands/front/build.md", "---\nname: other\ndescription: builds\n---\nBuild.\n"),
        ("home/.alpha/commands/greet.md", "Say hello.\n"),
        ("repo/.alpha/commands/README.md", "About these.\n"),
        ("repo/.alpha/commands/notes.txt", "no command\n"),
        ("repo/.alpha/commands/.hidden.md", "no command\n"),
    ]);
    assert_eq!(
        world.list(),
        [
            ".hidden disabled repo/.alpha/commands/.hidden.md",
            "README disabled repo/.alpha/commands/README.md",
            "build available repo/.alpha/commands/front/build.md",
            "review available repo/.alpha/commands/review.md",
            "greet available home/.alpha/commands/greet.md",
        ]
    );
    let catalog = world.build();
    let review = only(&catalog, "review");
    assert_eq!(review.origin.kind, RootKind::Commands);
    assert_eq!(review.loaded.diagnostics, [], "a command without a header is the usual thing");
    assert_eq!(world.offered(Caller::User), ["build", "review", "greet"]);
    assert_eq!(world.offered(Caller::Model), ["build"], "the others have no description to choose them by");
}

#[test]
fn a_skill_beats_a_command_of_the_same_name_beside_it() {
    let world = World::with(&[("repo/.alpha/commands/deploy.md", "Deploy.\n")]);
    world.skill("repo/.alpha/skills", "deploy");
    assert_eq!(world.winner("deploy"), "repo/.alpha/skills/deploy/SKILL.md");
    assert_eq!(world.list()[1], "deploy shadowed repo/.alpha/commands/deploy.md");
}

#[test]
fn a_skill_that_is_disabled_leaves_the_command_of_its_name() {
    let mut world = World::with(&[("repo/.alpha/commands/deploy.md", "Deploy.\n")]);
    let file = world.skill("repo/.alpha/skills", "deploy");
    world.settings.rules = vec![crate::switches::off(crate::switches::path(&file))];
    assert_eq!(world.winner("deploy"), "repo/.alpha/commands/deploy.md");
}

#[test]
fn one_command_file_reached_twice_is_one_command() {
    let world = World::with(&[("home/.alpha/commands/greet.md", "Hello.\n")]);
    world.link("repo/.alpha/commands", "home/.alpha/commands");
    let catalog = world.build();
    assert_eq!(only(&catalog, "greet").origin.also.len(), 1);
}

#[test]
fn strange_command_files_never_block_and_are_reported() {
    let world = World::new();
    world.folder("repo/.alpha/commands");
    crate::links::pipe(&world.path("repo/.alpha/commands/pipe.md"));
    world.link("repo/.alpha/commands/gone.md", "nowhere");
    world.file("repo/.alpha/commands/huge.md", vec![b'x'; (1 << 20) + 1]);
    world.file("repo/.alpha/commands/a/b/c/d/e.md", "too deep\n");
    let catalog = world.build();
    for (name, code) in
        [("pipe", Code::FileUnreadable), ("gone", Code::FileUnreadable), ("huge", Code::FileTooLarge)]
    {
        let entry = only(&catalog, name);
        assert_eq!(entry.placement, Placement::Invalid, "{name}");
        assert_eq!(entry.loaded.diagnostics[0].code, code, "{name}");
    }
    assert_eq!(told_of(&catalog, Code::DepthLimit).len(), 1);
}

#[test]
fn integrations_bring_the_skills_of_their_domains() {
    let mut world = World::new();
    world.settings.integrations = vec![world.path("components")];
    world.skill("components/mail/skills", "triage");
    world.skill("components/lights/skills", "dim");
    world.file("components/mail/SKILL.md", skill("stray", "not in skills/"));
    world.file("components/notes.txt", "x");
    let catalog = world.build();
    let names: Vec<_> = catalog.entries.iter().map(|entry| (entry.address(), entry.origin.scope)).collect();
    assert_eq!(names, [("dim".to_owned(), Scope::Integration), ("triage".to_owned(), Scope::Integration)]);
}

#[test]
fn of_two_integrations_with_one_name_the_first_domain_wins_and_users_beat_both() {
    let mut world = World::new();
    world.settings.integrations = vec![world.path("components")];
    world.skill("components/b/skills", "triage");
    world.skill("components/a/skills", "triage");
    assert_eq!(world.winner("triage"), "components/a/skills/triage/SKILL.md");
    world.skill("home/.alpha/skills", "triage");
    assert_eq!(world.winner("triage"), "home/.alpha/skills/triage/SKILL.md");
}

#[test]
fn roots_below_the_working_folder_join_only_when_a_file_there_is_touched() {
    let mut world = World::new();
    world.skill("repo/apps/web/.alpha/skills", "deploy");
    world.skill("repo/apps/.alpha/skills", "plan");
    world.skill("repo/libs/.alpha/skills", "other");
    world.skill("repo/.alpha/skills", "deploy");
    assert_eq!(world.list(), ["deploy available repo/.alpha/skills/deploy/SKILL.md"]);
    world.settings.touched = vec![PathBuf::from("apps/web/src/main.ts")];
    let mut list = world.list();
    list.sort();
    assert_eq!(
        list,
        [
            "apps/web:deploy available repo/apps/web/.alpha/skills/deploy/SKILL.md",
            "apps:plan available repo/apps/.alpha/skills/plan/SKILL.md",
            "deploy available repo/.alpha/skills/deploy/SKILL.md",
        ]
    );
}

#[test]
fn touched_files_outside_the_working_folder_bring_nothing() {
    let mut world = World::new();
    world.skill("other/.alpha/skills", "evil");
    world.skill("repo/sub/.alpha/skills", "inner");
    world.settings.touched = ["../other/x", "sub/../../other/x", "/etc/passwd"].map(PathBuf::from).to_vec();
    world.settings.touched.push(world.path("other/x"));
    assert_eq!(world.list(), Vec::<String>::new());
    world.settings.touched = vec![world.path("repo/./sub/../sub/file")];
    assert_eq!(world.list(), ["sub:inner available repo/sub/.alpha/skills/inner/SKILL.md"]);
}

#[test]
fn skills_below_the_working_folder_need_the_trust_of_the_repository() {
    let mut world = World::new();
    world.settings.trust = TrustMode::Ask;
    world.skill("repo/apps/.alpha/skills", "plan");
    world.settings.touched = vec![PathBuf::from("apps/x")];
    assert_eq!(world.list(), ["apps:plan untrusted repo/apps/.alpha/skills/plan/SKILL.md"]);
}
