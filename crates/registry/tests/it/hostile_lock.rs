//! Locks of an untrusted author: they come with a repository.

use crate::{
    fixture::{quick, skill, tree},
    install::{AGENTS, World, key},
    update::{now, plan as plan_now},
};
use skillful_catalog::AgentProfiles;
use skillful_format::{Limits, Tree, TreePath};
use skillful_registry::{
    ContentStore, Lock,
    install::{
        Action, Answers, Block, Mode, PlacementPlan, Refusal, Site, plan_approve, plan_sync, skills_folders,
    },
    review::Concern,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const SHELL: &str = "---\nname: one\ndescription: d\nallowed-tools: Bash(rm *)\n---\nx\n";
const PLAIN: &str = "---\nname: one\ndescription: d\n---\nx\n";

fn place(text: &str) -> TreePath {
    TreePath::new(text, &Limits::default()).unwrap()
}

fn text(text: &str) -> Tree {
    tree(&[("SKILL.md", text)])
}

fn refusals(plan: &PlacementPlan) -> Vec<Refusal> {
    plan.refused().map(|(_, why)| why.clone()).collect()
}

/// Installs from another machine, as a user does who approves.
fn agreed(world: &World, tree: &Tree) {
    world.apply(&world.plan("owner/repo", &[("one", tree)], &[AGENTS], Mode::Copy)).unwrap();
    let release = plan_approve(&key("one"), &world.lock(), &world.site, &world.contents).unwrap();
    world.apply(&release).unwrap();
}

/// Rewrites the entry of the skill, as an attacker would.
fn forge(world: &World, change: impl FnOnce(&mut skillful_registry::lock::Locked)) {
    let mut lock = world.lock();
    change(lock.skills.get_mut(&key("one")).unwrap());
    lock.save(&world.site.lock, &quick()).unwrap();
}

#[test]
fn nothing_is_written_outside_the_folders_that_agents_read_skills_from() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let agents = AgentProfiles::embedded();
    let known = skills_folders(agents.iter(), &world.site, Path::new("/nobody"), &BTreeMap::new());
    for at in [AGENTS, ".claude/skills", "skills", ".github/skills"] {
        assert!(known.contains(&place(at)), "{at}");
    }
    world.add(&[("one", &skill("one", "a"))], &[AGENTS], Mode::Copy);
    fs::remove_dir_all(world.path(".agents")).unwrap();
    for at in [
        ".git/hooks/one",
        ".github/workflows/one",
        ".vscode/one",
        "one",
        ".agents/one",
        ".agents/skills/x/one",
    ] {
        forge(&world, |locked| locked.copied = BTreeSet::from([place(at), place(".agents/skills/one")]));
        let mut plan = plan_sync(&world.lock(), &world.site, &world.contents, &BTreeMap::new()).unwrap();
        plan.keep_to(&known);
        assert_eq!(refusals(&plan), [Refusal::NoAgent], "{at}");
        let (rest, left) = plan.without_refused();
        assert_eq!((rest.steps.len(), left[0].0.place.as_str()), (1, at));
    }
}

#[test]
fn a_skill_that_may_do_more_than_the_lock_says_is_not_put_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    world.add(&[("one", &text(SHELL))], &[AGENTS], Mode::Copy);
    fs::remove_dir_all(world.path(".agents")).unwrap();
    let sync = || plan_sync(&world.lock(), &world.site, &world.contents, &BTreeMap::new()).unwrap();
    assert_eq!(sync().steps[0].gained, ["uses tool Bash(rm *)"], "what comes is shown with all it may do");
    forge(&world, |locked| locked.capabilities.clear());
    assert_eq!(refusals(&sync()), [Refusal::Understated(vec!["uses tool Bash(rm *)".to_owned()])]);
}

#[test]
fn a_review_notes_what_the_files_may_do_whatever_the_lock_said() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    world.apply(&world.plan("owner/repo", &[("one", &text(PLAIN))], &[AGENTS], Mode::Copy)).unwrap();
    forge(&world, |locked| locked.capabilities = BTreeSet::from(["uses tool Bash(rm *)".to_owned()]));
    let release = plan_approve(&key("one"), &world.lock(), &world.site, &world.contents).unwrap();
    world.apply(&release).unwrap();
    assert_eq!(world.lock().skills[&key("one")].capabilities, BTreeSet::from(["uses every tool".to_owned()]));
}

#[test]
fn a_lock_that_claims_more_than_its_files_may_do_lets_no_growth_pass() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    agreed(&world, &text(PLAIN));
    let power = "uses tool Bash(rm *)".to_owned();
    forge(&world, |locked| locked.capabilities = BTreeSet::from([power.clone()]));
    let update = plan_now(&world, &now(&world, &[("one", &text(SHELL))]), &Answers::default());
    assert!(update.skills[0].blocks.contains(&Block::Grown(vec![power])), "{:?}", update.skills[0].blocks);
    let again = world.plan("owner/repo", &[("one", &text(SHELL))], &[AGENTS], Mode::Copy);
    assert_eq!(refusals(&again), [Refusal::Concern(Concern::Grown)]);
}

#[test]
fn adding_again_does_not_bypass_what_an_update_asks() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    agreed(&world, &text(PLAIN));
    // Bytes that no audit reads.
    let packed = tree(&[("SKILL.md", PLAIN), ("data.bin", "\0\u{1}\u{2}\0")]);
    let update = plan_now(&world, &now(&world, &[("one", &packed)]), &Answers::default());
    let blocks = &update.skills[0].blocks;
    assert!(blocks.contains(&Block::Concern(Concern::NotScanned)), "{blocks:?}");
    assert!(blocks.iter().any(|one| matches!(one, Block::Grown(_))), "no name says what runs it: {blocks:?}");
    let again = world.plan("owner/repo", &[("one", &packed)], &[AGENTS], Mode::Copy);
    let refused = refusals(&again);
    let is_asked = |one: &Refusal| matches!(one, Refusal::Concern(Concern::NotScanned | Concern::Grown));
    assert!(!refused.is_empty() && refused.iter().all(is_asked), "{refused:?}");
    let other = PLAIN.replace("\nx\n", "\ny\n");
    let again = world.plan("owner/repo", &[("one", &text(&other))], &[AGENTS], Mode::Copy);
    assert_eq!(again.steps[0].action, Action::Replace, "text may change");
}

#[test]
fn an_entry_whose_files_were_never_here_lets_nothing_of_another_machine_into_use() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    agreed(&world, &text(PLAIN));
    fs::remove_dir_all(world.path(".agents")).unwrap();
    forge(&world, |locked| locked.tree = text("another").digest());
    let again = world.plan("owner/repo", &[("one", &text(PLAIN))], &[AGENTS], Mode::Copy);
    assert_eq!(refusals(&again), [Refusal::NotSynced]);
    let update = plan_now(&world, &now(&world, &[("one", &text(SHELL))]), &Answers::default());
    assert!(matches!(&update.skills[0].blocks[0], Block::Grown(_)), "{:?}", update.skills[0].blocks);
}

#[test]
fn a_store_is_made_by_who_adds_and_not_by_who_looks() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("data/contents");
    let contents = ContentStore::open(&root, quick()).unwrap();
    let tree = text(PLAIN);
    assert!(contents.read(&tree.digest()).is_err() && contents.read_folder(&tree.digest()).is_err());
    assert!(!contents.has(&tree.digest()) && contents.list().unwrap().is_empty());
    assert!(contents.survey(&[]).unwrap().locks.is_empty());
    let site = Site::project(folder.path().to_path_buf());
    plan_sync(&Lock::default(), &site, &contents, &BTreeMap::new()).unwrap();
    assert!(!folder.path().join("data").exists());
    contents.lease().unwrap().put(&[&tree]).unwrap();
    assert_eq!(contents.read(&tree.digest()).unwrap(), tree);
}
