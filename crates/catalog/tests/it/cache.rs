//! D10: what a walk remembers is never stale.
//!
//! A record counts only when every stamp in it is older than the last look, so a test that runs in
//! milliseconds would never use one. [`World::keep_memory`] moves the clock, not the files.

use crate::fixture::{World, skill, skill_with, tick, told_of};
use skillful_catalog::Catalog;
use skillful_format::Code;
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

const ROOT: &str = "home/.alpha/skills";

fn remembered() -> World {
    let mut world = World::new();
    world.keep_memory();
    world.skill(ROOT, "deploy");
    world.skill(ROOT, "review");
    world.skill("store", "linked");
    world.link(&format!("{ROOT}/linked"), "store/linked");
    world
}

/// Everything that can be seen of a catalog, but for what is said about the cache.
pub(crate) fn picture(catalog: &Catalog) -> String {
    let entries: Vec<_> = catalog
        .entries
        .iter()
        .map(|entry| (&entry.name, &entry.origin, &entry.loaded, &entry.placement, &entry.overridden))
        .collect();
    let told: Vec<_> =
        catalog.diagnostics.iter().filter(|found| found.code != Code::CacheDiscarded).collect();
    format!("{entries:#?}\n{told:#?}")
}

/// With memory and without it the same is found.
pub(crate) fn assert_fresh(world: &World, what: &str) {
    let warm = picture(&world.build());
    let mut settings = world.settings.clone();
    settings.cache = None;
    let cold = picture(&Catalog::build(skillful_catalog::Inputs { settings: &settings, ..world.inputs() }));
    assert_eq!(warm, cold, "{what}");
}

fn cache_files(world: &World) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(world.path("cache")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// A cache file is replaced whenever anything had to be read anew.
fn generation(world: &World) -> Vec<u64> {
    cache_files(world).iter().map(|file| file.metadata().unwrap().ino()).collect()
}

fn set_times(path: &Path, time: SystemTime) {
    let times = fs::FileTimes::new().set_modified(time).set_accessed(time);
    fs::File::open(path).unwrap().set_times(times).unwrap();
}

#[test]
fn a_second_look_reads_nothing_anew() {
    let world = remembered();
    world.build();
    let before = generation(&world);
    assert_eq!(before.len(), 1);
    assert_fresh(&world, "warm");
    assert_eq!(generation(&world), before);
}

#[test]
fn a_folder_that_two_ways_lead_to_is_remembered_too() {
    let world = remembered();
    world.link(&format!("{ROOT}/twin"), "./deploy");
    world.link(&format!("{ROOT}/group/up"), "..");
    world.build();
    let before = generation(&world);
    assert_fresh(&world, "warm");
    assert_eq!(generation(&world), before);
}

#[test]
fn every_kind_of_change_is_seen_at_once() {
    type Change = fn(&World);
    let cases: [(&str, Change); 26] = [
        ("the body is edited", |world| {
            world.file(&format!("{ROOT}/deploy/SKILL.md"), skill("deploy", ROOT) + "More.\n");
        }),
        ("the body is edited and has the same size", |world| {
            world.file(&format!("{ROOT}/deploy/SKILL.md"), skill("deploy", ROOT).replace("Do it", "Do xx"));
        }),
        ("the description is edited", |world| {
            world.file(&format!("{ROOT}/deploy/SKILL.md"), skill("deploy", "new words"));
        }),
        ("the file breaks", |world| {
            drop(world.file(&format!("{ROOT}/deploy/SKILL.md"), "---\nname: x\nname: y\n---\n"));
        }),
        ("a skill is added", |world| drop(world.skill(ROOT, "added"))),
        ("a skill is added in a new group", |world| drop(world.skill(&format!("{ROOT}/group"), "added"))),
        ("a skill is removed", |world| world.remove(&format!("{ROOT}/deploy"))),
        ("a skill file is removed", |world| world.remove(&format!("{ROOT}/deploy/SKILL.md"))),
        ("a skill is renamed", |world| {
            fs::rename(world.path(&format!("{ROOT}/deploy")), world.path(&format!("{ROOT}/other"))).unwrap();
        }),
        ("a skill is hidden", |world| {
            fs::rename(world.path(&format!("{ROOT}/deploy")), world.path(&format!("{ROOT}/.deploy")))
                .unwrap();
        }),
        ("two skills change places", |world| {
            for (from, to) in [("deploy", "tmp"), ("review", "deploy"), ("tmp", "review")] {
                fs::rename(world.path(&format!("{ROOT}/{from}")), world.path(&format!("{ROOT}/{to}")))
                    .unwrap();
            }
        }),
        ("the file is replaced by a rename", |world| {
            let new = world.file("new.md", skill("deploy", ROOT).replace("Do it", "Do xx"));
            fs::rename(new, world.path(&format!("{ROOT}/deploy/SKILL.md"))).unwrap();
        }),
        ("an old file comes back with its old date", |world| {
            let new = world.file("new.md", skill("deploy", ROOT).replace("Do it", "Do xx"));
            let old = world.path(&format!("{ROOT}/deploy/SKILL.md"));
            let date = old.metadata().unwrap().modified().unwrap();
            set_times(&new, date);
            fs::rename(new, old).unwrap();
        }),
        ("an edit keeps the date", |world| {
            let file = world.path(&format!("{ROOT}/deploy/SKILL.md"));
            let date = file.metadata().unwrap().modified().unwrap();
            fs::write(&file, skill("deploy", ROOT).replace("Do it", "Do xx")).unwrap();
            set_times(&file, date);
        }),
        ("a link is led elsewhere", |world| {
            world.skill("elsewhere", "linked");
            world.remove(&format!("{ROOT}/linked"));
            world.link(&format!("{ROOT}/linked"), "elsewhere/linked");
        }),
        ("the target of a link is edited", |world| {
            world.file("store/linked/SKILL.md", skill("linked", "new words"));
        }),
        ("the target of a link is removed", |world| world.remove("store/linked")),
        ("the target of a link becomes a file", |world| {
            world.remove("store/linked");
            world.file("store/linked", "x");
        }),
        ("the folders above a link's target move and the link follows", |world| {
            fs::rename(world.path("store"), world.path("moved")).unwrap();
            world.remove(&format!("{ROOT}/linked"));
            world.link(&format!("{ROOT}/linked"), "moved/linked");
        }),
        ("agents/openai.yaml appears with its folder", |world| {
            world.file(&format!("{ROOT}/deploy/agents/openai.yaml"), "interface:\n  display_name: D\n");
        }),
        ("skill.toml appears", |world| {
            world.file(&format!("{ROOT}/deploy/skill.toml"), "license = \"MIT\"\n");
        }),
        ("scripts/ appears", |world| drop(world.file(&format!("{ROOT}/deploy/scripts/x.sh"), "x"))),
        ("skill.md appears beside SKILL.md", |world| {
            world.file(&format!("{ROOT}/deploy/skill.md"), "x");
        }),
        ("a broken link appears", |world| world.link(&format!("{ROOT}/gone"), "nowhere")),
        ("the root is replaced", |world| {
            world.remove(ROOT);
            world.skill(ROOT, "only");
        }),
        ("the root is removed", |world| world.remove(ROOT)),
    ];
    for (what, change) in cases {
        let world = remembered();
        world.build();
        let before = world.build().fingerprint();
        tick();
        change(&world);
        assert_fresh(&world, what);
        if !matches!(
            what,
            "a broken link appears" | "the folders above a link's target move and the link follows"
        ) {
            assert_ne!(world.build().fingerprint(), before, "{what}: the fingerprint changes");
        }
        assert_fresh(&world, what);
    }
}

#[test]
fn sidecars_that_are_edited_added_and_removed_are_seen() {
    let world = remembered();
    let sidecar = format!("{ROOT}/deploy/agents/openai.yaml");
    let toml = format!("{ROOT}/deploy/skill.toml");
    world.folder(&format!("{ROOT}/deploy/agents"));
    let steps: [(&str, &dyn Fn()); 7] = [
        ("the folder is empty", &|| {}),
        ("added", &|| drop(world.file(&sidecar, "interface:\n  display_name: A\n"))),
        ("edited", &|| drop(world.file(&sidecar, "interface:\n  display_name: B\n"))),
        ("broken", &|| drop(world.file(&sidecar, "interface: [\n"))),
        ("removed", &|| world.remove(&sidecar)),
        ("another added", &|| drop(world.file(&toml, "license = \"A\"\n"))),
        ("another edited", &|| drop(world.file(&toml, "license = \"B\"\n"))),
    ];
    for (what, step) in steps {
        tick();
        step();
        assert_fresh(&world, what);
        assert_fresh(&world, what);
    }
}

#[test]
fn targets_that_appear_behind_links_are_seen_though_the_folder_did_not_change() {
    let world = remembered();
    world.link(&format!("{ROOT}/later"), "later/skill");
    world.link(&format!("{ROOT}/half/SKILL.md"), "later/half.md");
    world.link(&format!("{ROOT}/both/SKILL.md"), "later/both.md");
    world.file(&format!("{ROOT}/both/skill.md"), skill("lower", "x"));
    world.link("hop", "later/one");
    world.link(&format!("{ROOT}/hopping"), "hop");
    assert_fresh(&world, "broken");
    tick();
    world.skill("later", "skill");
    assert_fresh(&world, "a folder appears");
    world.file("later/half.md", skill("half", "x"));
    assert_fresh(&world, "a file appears");
    world.file("later/both.md", skill("upper", "x"));
    assert_fresh(&world, "the stronger spelling appears");
    world.skill("later", "one");
    world.skill("later", "two");
    assert_fresh(&world, "behind two links");
    world.remove("hop");
    world.link("hop", "later/two");
    assert_fresh(&world, "the second link is led elsewhere");
    world.remove("later");
    assert_fresh(&world, "all gone");
}

#[test]
fn an_edit_of_the_same_size_within_one_tick_of_the_clock_is_seen() {
    // The real clock: nothing is settled, so nothing is believed.
    let mut world = World::new();
    world.settings.cache = Some(world.path("cache"));
    for round in 0..40 {
        world.file(&format!("{ROOT}/deploy/SKILL.md"), skill("deploy", &format!("round {round:03}")));
        let description = world.build().entries[0].description().map(str::to_owned);
        assert_eq!(description, Some(format!("round {round:03}")));
    }
}

#[test]
fn a_touch_changes_no_fingerprint() {
    let world = remembered();
    let before = world.build().fingerprint();
    tick();
    set_times(&world.path(&format!("{ROOT}/deploy/SKILL.md")), SystemTime::now());
    assert_fresh(&world, "touched");
    assert_eq!(world.build().fingerprint(), before);
}

#[test]
fn a_clock_that_goes_backwards_or_dates_in_the_future_make_nothing_stale() {
    let hour = Duration::from_hours(1);
    let mut world = remembered();
    let file = world.path(&format!("{ROOT}/deploy/SKILL.md"));
    set_times(&file, SystemTime::now() + 24 * hour);
    assert_fresh(&world, "a date in the future");
    for now in [
        SystemTime::now() + 48 * hour,
        SystemTime::now() - 48 * hour,
        SystemTime::UNIX_EPOCH,
        SystemTime::now(),
    ] {
        world.settings.now = Some(now);
        tick();
        fs::write(&file, skill("deploy", &format!("{now:?}"))).unwrap();
        assert_fresh(&world, "edited");
        assert_fresh(&world, "again");
    }
    world.settings.now = Some(SystemTime::UNIX_EPOCH - hour);
    assert_fresh(&world, "before all time");
}

#[test]
fn a_cache_that_cannot_be_believed_is_built_anew_with_a_note() {
    type Damage = fn(&Path);
    fn rewrite(file: &Path, change: impl Fn(&mut Vec<u8>)) {
        let mut bytes = fs::read(file).unwrap();
        change(&mut bytes);
        fs::write(file, bytes).unwrap();
    }
    let cases: [(&str, Damage); 8] = [
        ("cut in the middle", |file| rewrite(file, |bytes| bytes.truncate(bytes.len() / 2))),
        ("cut in the checksum", |file| {
            rewrite(file, |bytes| {
                let line = bytes.iter().position(|byte| *byte == b'\n').unwrap();
                bytes.truncate(line + 4);
            });
        }),
        ("empty", |file| fs::write(file, "").unwrap()),
        ("of another version", |file| {
            rewrite(file, |bytes| {
                let line = bytes.iter().position(|byte| *byte == b'\n').unwrap();
                bytes[line - 1] ^= 1;
            });
        }),
        ("of another program", |file| fs::write(file, [0u8; 4096]).unwrap()),
        ("with one bit wrong", |file| {
            rewrite(file, |bytes| {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 4;
            });
        }),
        ("with bytes added", |file| rewrite(file, |bytes| bytes.extend(b"more"))),
        ("a folder", |file| {
            fs::remove_file(file).unwrap();
            fs::create_dir(file).unwrap();
        }),
    ];
    for (what, damage) in cases {
        let world = remembered();
        world.build();
        damage(&cache_files(&world)[0]);
        let catalog = world.build();
        assert!(!told_of(&catalog, Code::CacheDiscarded).is_empty(), "{what}");
        assert_eq!(catalog.entries.len(), 3, "{what}");
        if what != "a folder" {
            assert_eq!(told_of(&world.build(), Code::CacheDiscarded).len(), 0, "{what}: and good again");
        }
        assert_fresh(&world, what);
    }
}

#[test]
fn a_cache_folder_that_cannot_be_written_costs_a_note_and_nothing_else() {
    let mut world = remembered();
    world.settings.cache = Some(world.file("not-a-folder", "x"));
    let catalog = world.build();
    assert_eq!(catalog.entries.len(), 3);
    assert_eq!(told_of(&catalog, Code::CacheDiscarded).len(), 1);
    assert_fresh(&world, "without a cache");
}

#[test]
fn two_settings_do_not_share_a_memory() {
    let mut world = remembered();
    world.skill(&format!("{ROOT}/a/b"), "deep");
    world.build();
    world.settings.depth = 2;
    assert_fresh(&world, "less deep");
    world.settings.depth = 6;
    assert_fresh(&world, "as deep as before");
    world.settings.folders = 2;
    assert_fresh(&world, "fewer folders");
}

#[test]
fn many_writers_at_once_leave_a_cache_that_is_whole() {
    let world = remembered();
    for number in 0..50 {
        world.skill(&format!("{ROOT}/many"), &format!("s{number}"));
    }
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let world = &world;
            scope.spawn(move || {
                for round in 0..4 {
                    world.skill(&format!("{ROOT}/busy"), &format!("w{worker}-{round}"));
                    let catalog = world.build();
                    assert_eq!(told_of(&catalog, Code::CacheDiscarded).len(), 0);
                    assert!(catalog.entries.len() >= 53);
                }
            });
        }
    });
    tick();
    assert_fresh(&world, "after all of them");
    assert_eq!(world.build().entries.len(), 53 + 16);
    assert_eq!(cache_files(&world).len(), 1, "and no half-written file");
}

#[test]
fn a_file_that_could_not_be_read_is_tried_again() {
    let world = remembered();
    world.link(&format!("{ROOT}/odd/SKILL.md"), "target.md");
    world.link("target.md", "/proc/self/mem");
    assert_fresh(&world, "unreadable");
    world.remove("target.md");
    world.file("target.md", skill_with("odd", "license: MIT"));
    assert_fresh(&world, "readable");
    assert_eq!(world.build().called("odd").count(), 1);
}
