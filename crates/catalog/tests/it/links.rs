//! D4: one folder is one skill, links, bounds, and files that are none.

use crate::fixture::{World, only, skill, told, told_of};
use skillful_catalog::{Placement, profile::Scope, skipped_place::SkippedPlace};
use skillful_format::Code;
use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, path::Path};

const ROOT: &str = "home/.alpha/skills";

/// Makes a pipe.
pub(crate) fn pipe(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::from_raw_mode(0o644)).unwrap();
}

#[test]
fn one_real_folder_reached_from_two_roots_is_one_skill_with_both_ways() {
    let world = World::new();
    world.skill("home/.alpha/skills", "deploy");
    world.link("repo/.alpha/skills/deploy", "home/.alpha/skills/deploy");
    let catalog = world.build();
    let entry = only(&catalog, "deploy");
    assert_eq!(world.short(&entry.origin.file), "repo/.alpha/skills/deploy/SKILL.md", "the stronger way");
    assert_eq!(entry.origin.real, world.path("home/.alpha/skills/deploy"));
    let also: Vec<String> = entry.origin.also.iter().map(|(_, path)| world.short(path)).collect();
    assert_eq!(also, ["home/.alpha/skills/deploy/SKILL.md"]);
    assert_eq!(told(&catalog).len(), 0, "sharing a skill is nothing to complain of");
}

#[test]
fn one_real_folder_reached_twice_in_one_root_is_one_skill_with_both_ways() {
    let world = World::new();
    world.skill(ROOT, "deploy");
    world.link(&format!("{ROOT}/zz"), "./deploy");
    let catalog = world.build();
    let entry = only(&catalog, "deploy");
    let also: Vec<String> = entry.origin.also.iter().map(|(_, path)| world.short(path)).collect();
    assert_eq!(also, [format!("{ROOT}/zz/SKILL.md")]);
    assert_eq!(told_of(&catalog, Code::LinkTwin).len(), 1);
}

#[test]
fn a_root_that_is_a_link_and_its_target_are_one_root_of_skills() {
    let world = World::new();
    world.skill("home/.agents/skills", "deploy");
    world.link("home/.alpha/skills", "home/.agents/skills");
    let catalog = world.build();
    assert_eq!(only(&catalog, "deploy").origin.also.len(), 1);
    assert_eq!(*catalog.agents_of(only(&catalog, "deploy")), ["alpha"]);
}

#[test]
fn cycles_of_links_end_with_each_skill_once() {
    let cases: [(&str, &[(&str, &str)]); 6] = [
        ("self", &[("me", "./me")]),
        ("mutual", &[("a", "./b"), ("b", "./a")]),
        ("to an ancestor", &[("group/up", "..")]),
        ("to the root", &[("group/inner/root", "../..")]),
        ("to its own folder", &[("group/here", ".")]),
        ("crossed", &[("x/to-y", "../y"), ("y/to-x", "../x")]),
    ];
    for (what, links) in cases {
        let world = World::new();
        world.skill(&format!("{ROOT}/group"), "deploy");
        for (path, target) in links {
            world.link(&format!("{ROOT}/{path}"), target);
        }
        let catalog = world.build();
        let entry = only(&catalog, "deploy");
        assert_eq!(
            world.short(&entry.origin.file),
            format!("{ROOT}/group/deploy/SKILL.md"),
            "{what}: the shortest way"
        );
        let codes: Vec<Code> = told(&catalog).iter().map(|diagnostic| diagnostic.code).collect();
        let expected = match what {
            "self" | "mutual" => Code::LinkBroken,
            "crossed" => Code::LinkTwin,
            _ => Code::LinkCycle,
        };
        assert!(!codes.is_empty() && codes.iter().all(|code| *code == expected), "{what}: {codes:?}");
    }
}

#[test]
fn linked_folders_and_linked_skill_files_load() {
    let world = World::new();
    world.skill("store", "folder");
    world.link(&format!("{ROOT}/folder"), "store/folder");
    world.file("store/file.md", skill("file", "linked"));
    world.link(&format!("{ROOT}/file/SKILL.md"), "store/file.md");
    world.skill("store/pack", "inner");
    world.link(&format!("{ROOT}/pack"), "store/pack");
    let catalog = world.build();
    for (name, real) in
        [("folder", "store/folder"), ("file", "home/.alpha/skills/file"), ("inner", "store/pack/inner")]
    {
        let entry = only(&catalog, name);
        assert_eq!(entry.placement, Placement::Active, "{name}");
        assert_eq!(world.short(&entry.origin.real), real, "{name}");
    }
    assert_eq!(told(&catalog).len(), 0);
}

#[test]
fn the_system_scope_follows_no_links_and_says_so() {
    let mut world = World::new();
    world.settings.system_folder = Some(world.folder("system"));
    world.skill("system", "own");
    world.skill("store", "folder");
    world.link("system/folder", "store/folder");
    world.file("store/file.md", skill("file", "linked"));
    world.link("system/file/SKILL.md", "store/file.md");
    let catalog = world.build();
    assert_eq!(world.list(), ["own available system/own/SKILL.md"]);
    assert_eq!(only(&catalog, "own").origin.scope, Scope::System);
    assert_eq!(told_of(&catalog, Code::LinkRefused).len(), 2);
}

#[test]
fn a_link_that_points_at_nothing_is_reported() {
    let world = World::new();
    world.link(&format!("{ROOT}/gone"), "nowhere");
    world.link(&format!("{ROOT}/half/SKILL.md"), "nowhere");
    let catalog = world.build();
    let paths: Vec<String> = told_of(&catalog, Code::LinkBroken)
        .iter()
        .map(|found| world.short(found.path.as_ref().unwrap()))
        .collect();
    assert_eq!(paths, [format!("{ROOT}/gone"), format!("{ROOT}/half/SKILL.md")]);
}

#[test]
fn a_hidden_folder_is_found_only_through_a_visible_link() {
    let world = World::new();
    world.skill(&format!("{ROOT}/.store"), "deploy");
    assert_eq!(world.list(), [format!("deploy disabled {ROOT}/.store/deploy/SKILL.md")]);
    world.link(&format!("{ROOT}/visible"), "./.store/deploy");
    assert_eq!(world.list(), [format!("deploy available {ROOT}/visible/SKILL.md")]);
}

#[test]
fn a_skill_file_inside_a_skill_is_one_of_its_files() {
    let world = World::new();
    world.skill(ROOT, "outer");
    world.skill(&format!("{ROOT}/outer/examples"), "inner");
    world.link(&format!("{ROOT}/outer/broken"), "nowhere");
    assert_eq!(
        world.list(),
        [
            format!("outer available {ROOT}/outer/SKILL.md"),
            format!("inner disabled {ROOT}/outer/examples/inner/SKILL.md"),
        ]
    );
    let inside = SkippedPlace::Inside { folder: "outer".to_owned() };
    assert_eq!(only(&world.build(), "inner").origin.skipped, Some(inside));
    assert_eq!(told(&world.build()).len(), 0, "its links are its own affair");
}

#[test]
fn a_skill_in_a_place_that_is_skipped_is_enabled_by_its_path_only() {
    let on = |select| skillful_catalog::settings::SkillRule { enabled: true, ..crate::switches::off(select) };
    let mut world = World::new();
    let file = world.skill(&format!("{ROOT}/.store"), "deploy");
    world.settings.rules = vec![on(crate::switches::name("deploy"))];
    assert_eq!(world.list(), [format!("deploy disabled {ROOT}/.store/deploy/SKILL.md")]);
    world.settings.rules = vec![on(crate::switches::path(&file))];
    assert_eq!(world.list(), [format!("deploy available {ROOT}/.store/deploy/SKILL.md")]);
}

#[test]
fn a_stray_skill_file_in_a_root_hides_nothing_below_it() {
    let world = World::new();
    world.file(&format!("{ROOT}/SKILL.md"), skill("stray", "in the root"));
    world.skill(ROOT, "deploy");
    assert_eq!(world.list().len(), 2);
}

#[test]
fn groups_of_skills_are_found_to_the_depth_limit_and_the_limit_is_reported() {
    let world = World::new();
    world.skill(&format!("{ROOT}/1/2/3/4/5"), "six");
    assert_eq!(told(&world.build()).len(), 0);
    world.skill(&format!("{ROOT}/1/2/3/4/5/6"), "seven");
    let catalog = world.build();
    assert_eq!(only(&catalog, "six").placement, Placement::Active);
    assert_eq!(catalog.called("seven").count(), 0);
    let told = told_of(&catalog, Code::DepthLimit);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].path.as_deref(), Some(&*world.path(&format!("{ROOT}/1/2/3/4/5/6"))));
}

#[test]
fn the_limit_of_folders_is_reported_once_and_keeps_the_first_by_name() {
    let mut world = World::new();
    for number in 0..20 {
        world.skill(&format!("{ROOT}/group"), &format!("s{number:02}"));
    }
    world.settings.folders = 12;
    let catalog = world.build();
    let names: Vec<&str> = catalog.entries.iter().map(|entry| entry.name.as_str()).collect();
    // The root, the group, and ten skills.
    assert_eq!(names, ["s00", "s01", "s02", "s03", "s04", "s05", "s06", "s07", "s08", "s09"]);
    let told = told_of(&catalog, Code::FolderLimit);
    assert_eq!(told.len(), 1);
    assert!(told[0].message.contains("12 folders") && told[0].message.contains("s10"), "{}", told[0].message);
}

#[test]
fn a_pipe_a_socket_a_device_or_a_folder_named_like_a_skill_file_never_blocks() {
    let world = World::new();
    for name in ["pipe", "linked-pipe", "socket", "device", "folder"] {
        world.folder(&format!("{ROOT}/{name}"));
    }
    pipe(&world.path(&format!("{ROOT}/pipe/SKILL.md")));
    pipe(&world.path("a-pipe"));
    world.link(&format!("{ROOT}/linked-pipe/SKILL.md"), "a-pipe");
    let _socket =
        std::os::unix::net::UnixListener::bind(world.path(&format!("{ROOT}/socket/SKILL.md"))).unwrap();
    world.link(&format!("{ROOT}/device/SKILL.md"), "/dev/zero");
    world.folder(&format!("{ROOT}/folder/SKILL.md"));
    world.skill(ROOT, "fine");
    let catalog = world.build();
    assert_eq!(world.list(), [format!("fine available {ROOT}/fine/SKILL.md")]);
    let paths: Vec<String> = told_of(&catalog, Code::FileUnreadable)
        .iter()
        .map(|found| world.short(found.path.as_ref().unwrap()))
        .collect();
    let expected =
        ["device", "folder", "linked-pipe", "pipe", "socket"].map(|name| format!("{ROOT}/{name}/SKILL.md"));
    assert_eq!(paths, expected);
}

#[test]
fn a_sidecar_that_is_not_a_file_never_blocks_and_is_reported() {
    let world = World::new();
    world.skill(ROOT, "deploy");
    world.folder(&format!("{ROOT}/deploy/agents"));
    pipe(&world.path(&format!("{ROOT}/deploy/agents/openai.yaml")));
    pipe(&world.path(&format!("{ROOT}/deploy/skill.toml")));
    let catalog = world.build();
    assert_eq!(only(&catalog, "deploy").placement, Placement::Active);
    assert_eq!(told_of(&catalog, Code::SidecarUnreadable).len(), 2);
}

#[test]
fn a_file_over_the_limit_is_refused_without_reading_it() {
    let world = World::new();
    world.file(&format!("{ROOT}/huge/SKILL.md"), skill("huge", "x") + &"x".repeat(1 << 20));
    // Sparse: reading it would take minutes.
    let endless = world.file(&format!("{ROOT}/endless/SKILL.md"), "");
    fs::File::options().write(true).open(endless).unwrap().set_len(1 << 40).unwrap();
    world.skill(ROOT, "fine");
    let catalog = world.build();
    for name in ["huge", "endless"] {
        let entry = only(&catalog, name);
        assert_eq!(entry.placement, Placement::Invalid);
        assert_eq!(entry.loaded.diagnostics[0].code, Code::FileTooLarge);
    }
    assert_eq!(only(&catalog, "fine").placement, Placement::Active);
}

#[test]
fn names_that_are_not_utf8_are_reported_and_hide_nothing() {
    let world = World::new();
    world.skill(ROOT, "fine");
    let strange = world.path(ROOT).join(OsStr::from_bytes(b"\xff\xfe"));
    fs::create_dir(&strange).unwrap();
    fs::write(strange.join("SKILL.md"), skill("strange", "x")).unwrap();
    let catalog = world.build();
    assert_eq!(world.list(), [format!("fine available {ROOT}/fine/SKILL.md")]);
    assert_eq!(told_of(&catalog, Code::FolderUnreadable).len(), 1);
}

#[test]
fn a_folder_that_cannot_be_read_is_reported_and_hides_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.skill(ROOT, "fine");
    world.skill(&format!("{ROOT}/locked"), "lost");
    let locked = world.path(&format!("{ROOT}/locked"));
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    // An administrator reads it all the same.
    let barred = usize::from(fs::read_dir(&locked).is_err());
    let catalog = world.build();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(only(&catalog, "fine").placement, Placement::Active);
    assert_eq!(told_of(&catalog, Code::FolderUnreadable).len(), barred);
    assert_eq!(catalog.called("lost").count(), 1 - barred);
}

#[test]
fn a_skill_file_that_fails_while_it_is_read_is_invalid_and_reported() {
    // A regular file whose first byte cannot be read, for an administrator neither.
    let world = World::new();
    world.link(&format!("{ROOT}/odd/SKILL.md"), "/proc/self/mem");
    world.skill(ROOT, "fine");
    let catalog = world.build();
    assert_eq!(only(&catalog, "odd").placement, Placement::Invalid);
    assert_eq!(only(&catalog, "odd").loaded.diagnostics[0].code, Code::FileUnreadable);
    assert_eq!(only(&catalog, "fine").placement, Placement::Active);
}

#[test]
fn both_spellings_of_the_file_are_one_skill_with_a_warning() {
    let world = World::new();
    world.skill(ROOT, "both");
    world.file(&format!("{ROOT}/both/skill.md"), skill("lower", "x"));
    world.file(&format!("{ROOT}/lower/skill.md"), skill("lower", "x"));
    let catalog = world.build();
    assert_eq!(told_of(&catalog, Code::BothFileNames).len(), 1);
    assert_eq!(told_of(&catalog, Code::LowerCaseFileName).len(), 1);
    assert_eq!(catalog.entries.len(), 2);
    assert_eq!(only(&catalog, "both").placement, Placement::Active);
}
