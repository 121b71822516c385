//! D10: edits are seen, in roots that came later too. Each wait ends with the event it waits for; how long an edit takes
//! is measured through the program (`watch.rs` of the crate `cli`).

use crate::fixture::{World, skill};
use skillful_catalog::{
    Catalog,
    reload::{Changes, Shared},
    watch::{Watch, Woken},
};
use skillful_testkit::{PATIENCE, wait_until};
use std::{convert::Infallible, fs, time::Duration};

const ROOT: &str = "home/.alpha/skills";

struct Live {
    watch: Watch,
    shared: Shared,
}

impl Live {
    fn start(world: &World) -> Self {
        let mut watch = Watch::new().unwrap();
        let shared = Shared::new(world.build());
        assert_eq!(watch.follow(&shared.current().roots).len(), 0);
        Self { watch, shared }
    }

    /// What a watcher of skills sees until it has seen what is waited for, as one change or several.
    fn see(&mut self, world: &World, what: &str, is_seen: impl Fn(&Catalog) -> bool) -> Changes {
        let mut all = Changes::default();
        while self.watch.wait(PATIENCE) == Woken::Changed {
            let changes = self.shared.reload(|| Ok::<_, Infallible>(world.build())).unwrap();
            self.watch.follow(&self.shared.current().roots);
            all.added.extend(changes.added);
            all.changed.extend(changes.changed);
            all.removed.extend(changes.removed);
            if is_seen(&self.shared.current()) {
                return all;
            }
        }
        panic!("{what} was not seen");
    }
}

fn has(name: &str) -> impl Fn(&Catalog) -> bool {
    move |catalog| catalog.called(name).next().is_some()
}

fn says(name: &str, words: &str) -> impl Fn(&Catalog) -> bool {
    move |catalog| catalog.called(name).any(|(_, entry)| entry.description() == Some(words))
}

#[test]
fn edits_additions_and_removals_are_live() {
    let world = World::new();
    world.skill(ROOT, "deploy");
    let mut live = Live::start(&world);
    world.file(&format!("{ROOT}/deploy/SKILL.md"), skill("deploy", "new words"));
    let changes = live.see(&world, "an edit", says("deploy", "new words"));
    assert_eq!((changes.added.len(), changes.changed.len(), changes.removed.len()), (0, 1, 0));
    world.skill(ROOT, "added");
    live.see(&world, "an addition", has("added"));
    world.file(&format!("{ROOT}/added/agents/openai.yaml"), "interface:\n  display_name: X\n");
    live.see(&world, "a sidecar", |catalog| {
        catalog.called("added").any(|(_, entry)| entry.loaded.sidecar.display_name.is_some())
    });
    world.remove(&format!("{ROOT}/deploy"));
    live.see(&world, "a removal", |catalog| !has("deploy")(catalog));
}

#[test]
fn a_root_that_is_created_later_is_seen_and_so_are_edits_in_it() {
    // None of the folders above it is there yet.
    let world = World::new();
    let mut live = Live::start(&world);
    for root in [ROOT, "repo/.beta/skills"] {
        let name = if root == ROOT { "first" } else { "second" };
        world.skill(root, name);
        live.see(&world, "a skill in a new root", has(name));
        world.file(&format!("{root}/{name}/SKILL.md"), skill(name, "new words"));
        live.see(&world, "an edit in a new root", says(name, "new words"));
    }
}

#[test]
fn a_deep_root_that_grows_level_by_level_is_seen() {
    let mut world = World::new();
    world.settings.custom = vec![world.path("a/b/c/d/skills")];
    let mut live = Live::start(&world);
    for level in ["a", "a/b", "a/b/c", "a/b/c/d"] {
        world.folder(level);
        assert_eq!(live.watch.wait(PATIENCE), Woken::Changed, "{level}");
    }
    world.skill("a/b/c/d/skills", "deep");
    live.see(&world, "a deep skill", has("deep"));
}

#[test]
fn a_root_that_is_removed_and_made_again_is_still_watched() {
    let world = World::new();
    world.skill(ROOT, "one");
    let mut live = Live::start(&world);
    world.remove(ROOT);
    world.skill(ROOT, "two");
    live.see(&world, "the new root", has("two"));
    world.skill(ROOT, "three");
    live.see(&world, "a skill in it", has("three"));
    // The same with the folder above, by a rename.
    fs::rename(world.path("home/.alpha"), world.path("home/.old")).unwrap();
    world.skill(ROOT, "four");
    live.see(&world, "the root of another folder", has("four"));
    world.skill(ROOT, "five");
    live.see(&world, "a skill in it", has("five"));
}

#[test]
fn skills_behind_links_are_watched_where_they_lie() {
    let world = World::new();
    world.skill("store", "early");
    world.skill("store", "late");
    world.link(&format!("{ROOT}/early"), "store/early");
    let mut live = Live::start(&world);
    world.file("store/early/SKILL.md", skill("early", "new words"));
    live.see(&world, "an edit behind a link", says("early", "new words"));
    world.link(&format!("{ROOT}/late"), "store/late");
    live.see(&world, "a new link", has("late"));
    world.file("store/late/SKILL.md", skill("late", "new words"));
    live.see(&world, "an edit behind a new link", says("late", "new words"));
}

#[test]
fn what_lies_beside_a_root_wakes_no_watcher() {
    let world = World::new();
    world.folder("home/.alpha");
    let mut live = Live::start(&world);
    world.file("home/notes.txt", "x");
    world.file("home/.alpha/history", "x");
    world.file("repo/main.rs", "x");
    assert_eq!(live.watch.wait(Duration::from_millis(150)), Woken::TimedOut);
    world.skill(ROOT, "deploy");
    live.see(&world, "a skill", has("deploy"));
}

#[test]
fn a_burst_of_changes_is_one() {
    let world = World::new();
    world.folder(ROOT);
    let mut live = Live::start(&world);
    for number in 0..100 {
        world.skill(ROOT, &format!("s{number}"));
    }
    let changes = live.see(&world, "the burst", |catalog| catalog.entries.len() == 100);
    assert_eq!(changes.added.len(), 100);
    // What is still on its way comes to an end, unless reading itself wakes the watcher.
    wait_until("reading wakes no watcher", || {
        world.build();
        live.watch.wait(Duration::from_millis(50)) == Woken::TimedOut
    });
}

#[test]
fn a_repository_that_is_a_plugin_is_watched_where_its_skills_are() {
    let world = World::with(&[("repo/.claude-plugin/plugin.json", r#"{"name": "own"}"#)]);
    world.skill("repo/skills", "one");
    world.folder("repo/src/deep");
    let mut live = Live::start(&world);
    world.file("repo/src/deep/main.rs", "x");
    assert_eq!(live.watch.wait(Duration::from_millis(150)), Woken::TimedOut);
    world.skill("repo/skills", "two");
    live.see(&world, "a skill of the plugin", has("own:two"));
    world.file("repo/.claude-plugin/plugin.json", r#"{"name": "other"}"#);
    live.see(&world, "its new name", has("other:two"));
}
