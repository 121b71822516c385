use crate::fixture::{quick, skill, tree};
use skillful_catalog::{AgentProfiles, capability};
use skillful_format::{Limits, Tree, TreePath};
use skillful_registry::{
    ContentStore, Lock, Source,
    approvals::{Approvals, ApprovedBy, Approver},
    fetch::{Fetched, FetchedSkill},
    install::{
        Action, Adding, Change, InstallError, Mode, PlacementPlan, Refusal, Site, apply, plan_add,
        plan_approve, plan_remove, plan_sync, read_folders, verify,
    },
    lock::{Resolved, SkillKey},
    review::Concern,
    sign::Signing,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

pub(crate) const AGENTS: &str = ".agents/skills";
pub(crate) const CLAUDE: &str = ".claude/skills";

pub(crate) struct World {
    pub root: PathBuf,
    pub site: Site,
    pub contents: ContentStore,
}

impl World {
    pub(crate) fn at(root: &Path) -> Self {
        let project = root.join("project");
        fs::create_dir_all(&project).unwrap();
        let contents = ContentStore::open(&root.join("contents"), quick()).unwrap();
        Self { root: root.to_path_buf(), site: Site::project(project), contents }
    }

    /// The user's data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    pub(crate) fn approvals(&self) -> Approvals {
        Approvals::load(&self.data()).unwrap()
    }

    pub(crate) fn lock(&self) -> Lock {
        Lock::load(&self.site.lock).unwrap()
    }

    pub(crate) fn path(&self, place: &str) -> PathBuf {
        self.site.base.join(place)
    }

    pub(crate) fn plan(
        &self,
        source: &str,
        skills: &[(&str, &Tree)],
        folders: &[&str],
        mode: Mode,
    ) -> PlacementPlan {
        self.plan_agreed(source, skills, folders, mode, false)
    }

    fn plan_agreed(
        &self,
        source: &str,
        skills: &[(&str, &Tree)],
        folders: &[&str],
        mode: Mode,
        agreed: bool,
    ) -> PlacementPlan {
        let source: Source = source.parse().unwrap();
        let fetched = fetched(skills);
        let folders: Vec<TreePath> = folders.iter().map(|folder| path(folder)).collect();
        let suspect = BTreeSet::new();
        let approved = skills.iter().filter(|_| agreed).map(|(name, _)| key(name)).collect();
        let adding = Adding {
            source: &source,
            fetched: &fetched,
            folders: &folders,
            mode,
            approved: &approved,
            suspect: &suspect,
            signing: Signing::default(),
        };
        plan_add(&adding, &self.lock(), &self.site, &self.contents).unwrap()
    }

    pub(crate) fn add(&self, skills: &[(&str, &Tree)], folders: &[&str], mode: Mode) {
        self.apply(&self.plan("./lib", skills, folders, mode)).unwrap();
    }

    pub(crate) fn apply(
        &self,
        plan: &PlacementPlan,
    ) -> Result<skillful_registry::install::Done, InstallError> {
        apply(plan, &self.site, &self.contents, approver(&self.data()), &quick())
    }

    pub(crate) fn drifts(&self) -> Vec<String> {
        let drifts = verify(&self.lock(), &self.site, &self.contents).unwrap();
        drifts
            .into_iter()
            .flat_map(|drift| drift.changes.into_iter().map(move |c| format!("{}: {c}", drift.place)))
            .collect()
    }
}

pub(crate) fn approver(data: &Path) -> Approver<'_> {
    Approver { data, date: "2026-11-16", how: ApprovedBy::Installed }
}

pub(crate) fn path(text: &str) -> TreePath {
    TreePath::new(text, &Limits::default()).unwrap()
}

pub(crate) fn key(text: &str) -> SkillKey {
    text.parse().unwrap()
}

fn fetched(skills: &[(&str, &Tree)]) -> Fetched {
    let found = |(name, tree): &(&str, &Tree)| FetchedSkill {
        name: key(name),
        folder: Some(path(name)),
        tree: (*tree).clone(),
        signature: None,
        artefact: None,
        capabilities: capability::of_tree(tree).unwrap_or_default(),
        diagnostics: Vec::new(),
    };
    Fetched::of(skills.iter().map(found).collect(), Resolved::default())
}

fn actions(plan: &PlacementPlan) -> Vec<&Action> {
    plan.steps.iter().map(|step| &step.action).collect()
}

fn refusal(plan: &PlacementPlan) -> &Refusal {
    plan.refused().next().unwrap().1
}

#[test]
fn a_skill_is_installed_as_planned_and_a_second_time_nothing_happens() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let one = skill("one", "a");
    for (mode, at) in [(Mode::Copy, AGENTS), (Mode::Link, CLAUDE)] {
        let plan = world.plan("./lib", &[("one", &one)], &[at], mode);
        let step = plan.steps.iter().find(|step| step.place.as_str().starts_with(at)).unwrap();
        assert_eq!((step.action.clone(), step.mode), (Action::Create, mode));
        assert!(!world.path(at).exists(), "a plan changes nothing");
        let done = world.apply(&plan).unwrap();
        assert_eq!(done.changed, [world.path(&format!("{at}/one"))]);
        assert!(done.lock_written);
    }
    assert!(world.path(".agents/skills/one/scripts/run.sh").is_file());
    let link = fs::read_link(world.path(".claude/skills/one")).unwrap();
    assert_eq!(link, world.contents.path(&one.digest()));
    assert_eq!(world.drifts(), [""; 0]);
    let again = world.plan("./lib", &[("one", &one)], &[CLAUDE], Mode::Link);
    assert!(again.is_done(&world.approvals()), "{again:?}");
    assert_eq!(world.apply(&again).unwrap(), skillful_registry::install::Done::default());
    // Nothing but skills and the lock is in the project.
    let mut names: Vec<_> = fs::read_dir(&world.site.base).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".agents", ".claude", "skillful.lock"]);
    assert_eq!(fs::read_dir(world.path(".agents")).unwrap().count(), 1);
}

#[test]
fn what_was_not_installed_from_here_is_never_overwritten_and_then_nothing_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    fs::create_dir_all(world.path(".agents/skills/two")).unwrap();
    fs::write(world.path(".agents/skills/two/SKILL.md"), "mine").unwrap();
    let (one, two) = (skill("one", "a"), skill("two", "b"));
    let plan = world.plan("./lib", &[("one", &one), ("two", &two)], &[AGENTS], Mode::Copy);
    assert_eq!(actions(&plan), [&Action::Create, &Action::Refuse(Refusal::NotOurs)]);
    assert!(matches!(world.apply(&plan), Err(InstallError::Refused(_))));
    assert!(!world.path(".agents/skills/one").exists() && !world.path("skillful.lock").exists());
    let (rest, left) = plan.without_refused();
    assert_eq!(left[0].1, Refusal::NotOurs);
    world.apply(&rest).unwrap();
    assert_eq!(world.lock().skills.keys().map(SkillKey::as_str).collect::<Vec<_>>(), ["one"]);
    assert_eq!(world.drifts(), [""; 0]);
    assert_eq!(fs::read_to_string(world.path(".agents/skills/two/SKILL.md")).unwrap(), "mine");
}

#[test]
fn an_update_replaces_what_was_installed_but_never_an_edit_and_keeps_values() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let (old, new) = (skill("one", "old"), skill("one", "new"));
    world.add(&[("one", &old)], &[AGENTS, CLAUDE], Mode::Copy);
    fs::write(world.path(".agents/skills/one/vars.json"), "{\"a\": 1}").unwrap();
    let plan = world.plan("./lib", &[("one", &new)], &[AGENTS, CLAUDE], Mode::Copy);
    assert_eq!(actions(&plan), [&Action::Replace, &Action::Replace]);
    world.apply(&plan).unwrap();
    assert_eq!(world.drifts(), [""; 0]);
    assert_eq!(fs::read_to_string(world.path(".agents/skills/one/vars.json")).unwrap(), "{\"a\": 1}");

    fs::write(world.path(".claude/skills/one/SKILL.md"), "edited").unwrap();
    let plan = world.plan("./lib", &[("one", &old)], &[AGENTS, CLAUDE], Mode::Copy);
    assert_eq!(refusal(&plan), &Refusal::Edited);
    assert!(world.apply(&plan).is_err());
    assert_eq!(fs::read_to_string(world.path(".claude/skills/one/SKILL.md")).unwrap(), "edited");
}

#[test]
fn an_edit_between_plan_and_action_survives() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let (old, new) = (skill("one", "old"), skill("one", "new"));
    world.add(&[("one", &old)], &[AGENTS], Mode::Copy);
    let update = world.plan("./lib", &[("one", &new)], &[AGENTS], Mode::Copy);
    let remove = plan_remove(&[key("one")], &world.lock(), &world.site, &world.contents).unwrap();
    let file = world.path(".agents/skills/one/SKILL.md");
    fs::write(&file, "edited").unwrap();
    for plan in [update, remove] {
        assert!(matches!(world.apply(&plan), Err(InstallError::Edited(_))));
        assert_eq!(fs::read_to_string(&file).unwrap(), "edited");
        assert_eq!(fs::read_dir(world.path(".agents")).unwrap().count(), 1, "something staged was left");
    }
}

#[test]
fn a_plan_made_from_another_lock_is_not_carried_out() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let plan = world.plan("./lib", &[("one", &skill("one", "a"))], &[AGENTS], Mode::Copy);
    world.add(&[("two", &skill("two", "b"))], &[AGENTS], Mode::Copy);
    assert!(matches!(world.apply(&plan), Err(InstallError::LockChanged)));
}

#[test]
fn remove_takes_only_what_was_installed() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    world.add(&[("one", &skill("one", "a")), ("two", &skill("two", "b"))], &[AGENTS], Mode::Copy);
    world.add(&[("one", &skill("one", "a"))], &[CLAUDE], Mode::Link);
    fs::create_dir_all(world.path(".agents/skills/mine")).unwrap();
    let remove = |names: &[&str]| {
        let names: Vec<SkillKey> = names.iter().map(|name| key(name)).collect();
        plan_remove(&names, &world.lock(), &world.site, &world.contents)
    };
    assert!(matches!(remove(&["mine"]), Err(InstallError::NotInstalled(_))));
    world.apply(&remove(&["one"]).unwrap()).unwrap();
    assert!(!world.path(".agents/skills/one").exists());
    assert!(world.path(".claude/skills/one").symlink_metadata().is_err());
    assert!(world.path(".agents/skills/mine").exists() && world.path(".agents/skills/two").exists());
    fs::write(world.path(".agents/skills/two/vars.json"), "{}").unwrap();
    assert_eq!(refusal(&remove(&["two"]).unwrap()), &Refusal::Values);
    fs::remove_file(world.path(".agents/skills/two/vars.json")).unwrap();
    fs::write(world.path(".agents/skills/two/note"), "x").unwrap();
    assert_eq!(refusal(&remove(&["two"]).unwrap()), &Refusal::Edited);
    fs::remove_dir_all(world.path(".agents/skills/two")).unwrap();
    let gone = remove(&["two"]).unwrap();
    assert_eq!(actions(&gone), [&Action::Gone]);
    world.apply(&gone).unwrap();
    assert!(world.lock().skills.is_empty());
}

#[test]
fn what_an_audit_would_block_is_pending_wherever_it_comes_from_and_never_replaces_what_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let source: Source = "./lib".parse().unwrap();
    let suspect = BTreeSet::from([key("one")]);
    let folders = [path(AGENTS)];
    let plan = |tree: &Tree, agreed: bool| {
        let fetched = fetched(&[("one", tree)]);
        let adding = Adding {
            source: &source,
            fetched: &fetched,
            folders: &folders,
            mode: Mode::Copy,
            approved: if agreed { &suspect } else { &BTreeSet::new() },
            suspect: &suspect,
            signing: Signing::default(),
        };
        plan_add(&adding, &world.lock(), &world.site, &world.contents).unwrap()
    };
    world.apply(&plan(&skill("one", "a"), false)).unwrap();
    assert!(world.lock().skills[&key("one")].pending && !world.path(AGENTS).exists());
    world.apply(&plan(&skill("one", "a"), true)).unwrap();
    assert!(world.path(AGENTS).exists());
    let again = plan(&skill("one", "b"), false);
    assert_eq!(refusal(&again), &Refusal::Concern(Concern::Blocked));
}

#[test]
fn what_comes_from_another_machine_is_pending_until_it_is_reviewed() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let one = skill("one", "a");
    let plan = world.plan("owner/repo", &[("one", &one)], &[AGENTS], Mode::Copy);
    assert_eq!(actions(&plan), [&Action::Pending]);
    let begins = |start: &str| plan.steps[0].gained.iter().any(|one| one.starts_with(start));
    assert!(begins("brings code for sh") && begins("brings file scripts/run.sh, sha256:"));
    world.apply(&plan).unwrap();
    assert!(!world.path(AGENTS).exists());
    assert!(world.lock().skills[&key("one")].pending);
    assert_eq!(world.drifts(), [""; 0]);
    let sync = plan_sync(&world.lock(), &world.site, &world.contents, &BTreeMap::new()).unwrap();
    assert!(sync.is_done(&world.approvals()), "a sync lets nothing through either");

    let release = plan_approve(&key("one"), &world.lock(), &world.site, &world.contents).unwrap();
    assert_eq!(actions(&release), [&Action::Create]);
    world.apply(&release).unwrap();
    assert!(world.path(".agents/skills/one/SKILL.md").is_file());
    assert_eq!(world.drifts(), [""; 0]);

    // Text may change; capabilities may not, unless the user approves.
    let mut text = tree(&[("SKILL.md", "---\nname: one\ndescription: Says more.\n---\nOther words.\n")]);
    for (path, file) in one.iter().filter(|(path, _)| path.as_str() != "SKILL.md") {
        text.insert(path.clone(), file.clone(), &Limits::default()).unwrap();
    }
    let plan = world.plan("owner/repo#v2", &[("one", &text)], &[AGENTS], Mode::Copy);
    assert_eq!(actions(&plan), [&Action::Replace]);
    let grown = tree(&[
        ("SKILL.md", "---\nname: one\ndescription: d\nallowed-tools: Bash(rm *)\n---\nx"),
        ("scripts/a", ""),
    ]);
    let plan = world.plan("owner/repo#v2", &[("one", &grown)], &[AGENTS], Mode::Copy);
    assert_eq!(refusal(&plan), &Refusal::Concern(Concern::Grown));
    // Another script, and a tool that a list may approve without a question.
    assert_eq!(plan.steps[0].gained.len(), 2);
    let plan = world.plan_agreed("owner/repo#v2", &[("one", &grown)], &[AGENTS], Mode::Copy, true);
    assert_eq!(actions(&plan), [&Action::Replace]);
}

#[test]
fn a_name_belongs_to_the_source_it_was_installed_from() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    world.add(&[("one", &skill("one", "a"))], &[AGENTS], Mode::Copy);
    let plan = world.plan("./elsewhere", &[("one", &skill("one", "b"))], &[AGENTS], Mode::Copy);
    assert_eq!(refusal(&plan), &Refusal::OtherSource("./lib".to_owned()));
}

#[test]
fn verify_names_every_difference() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let one = skill("one", "a");
    world.add(
        &[("one", &one), ("two", &skill("two", "b")), ("three", &skill("three", "c"))],
        &[AGENTS],
        Mode::Copy,
    );
    world.add(&[("one", &one)], &[CLAUDE], Mode::Link);
    let at = world.path(".agents/skills/one");
    fs::write(at.join("SKILL.md"), "other").unwrap();
    fs::write(at.join("new.txt"), "x").unwrap();
    fs::remove_file(at.join("references/a/b.md")).unwrap();
    fs::set_permissions(at.join("scripts/run.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .unwrap();
    fs::remove_dir_all(world.path(".agents/skills/two")).unwrap();
    fs::remove_dir_all(world.path(".agents/skills/three")).unwrap();
    std::os::unix::fs::symlink("/", world.path(".agents/skills/three")).unwrap();
    let stored = world.contents.path(&one.digest());
    fs::set_permissions(stored.join("SKILL.md"), std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .unwrap();
    fs::write(stored.join("SKILL.md"), "other").unwrap();
    assert_eq!(
        world.drifts(),
        [
            ".agents/skills/one: `SKILL.md` was changed",
            ".agents/skills/one: `new.txt` was added",
            ".agents/skills/one: `references/a/b.md` was removed",
            ".agents/skills/one: `scripts/run.sh` was changed",
            &format!(".claude/skills/one: {}", Change::Store),
            &format!(".agents/skills/three: {}", Change::Other),
            &format!(".agents/skills/two: {}", Change::Missing),
        ]
    );
}

#[test]
fn sync_puts_in_place_what_the_lock_names_or_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let one = skill("one", "a");
    world.add(&[("one", &one)], &[AGENTS], Mode::Copy);
    world.add(&[("one", &one)], &[CLAUDE], Mode::Link);
    let lock = world.lock();

    // Another machine has the lock, and neither the files nor the store.
    let other = tempfile::tempdir().unwrap();
    let there = World::at(other.path());
    lock.save(&there.site.lock, &quick()).unwrap();
    let plan = plan_sync(&lock, &there.site, &there.contents, &BTreeMap::new()).unwrap();
    assert_eq!(refusal(&plan), &Refusal::NotFound);
    let fetched = BTreeMap::from([(one.digest(), one)]);
    let plan = plan_sync(&lock, &there.site, &there.contents, &fetched).unwrap();
    assert_eq!(actions(&plan), [&Action::Create, &Action::Create]);
    let done = there.apply(&plan).unwrap();
    assert!(!done.lock_written, "a sync does not change the lock");
    assert_eq!(there.drifts(), [""; 0]);
    assert!(
        plan_sync(&lock, &there.site, &there.contents, &BTreeMap::new()).unwrap().is_done(&there.approvals())
    );
}

#[test]
fn no_link_of_a_project_leads_an_install_outside() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let outside = world.root.join("outside");
    fs::create_dir_all(outside.join("skills")).unwrap();
    for target in [outside.clone(), PathBuf::from("../outside")] {
        let _gone = fs::remove_file(world.path(".agents"));
        std::os::unix::fs::symlink(target, world.path(".agents")).unwrap();
        let one = skill("one", "a");
        let source: Source = "./lib".parse().unwrap();
        let fetched = fetched(&[("one", &one)]);
        let folders = [path(AGENTS)];
        let adding = Adding {
            source: &source,
            fetched: &fetched,
            folders: &folders,
            mode: Mode::Copy,
            approved: &[key("one")].into(),
            suspect: &BTreeSet::new(),
            signing: Signing::default(),
        };
        let planned = plan_add(&adding, &world.lock(), &world.site, &world.contents);
        assert!(planned.and_then(|plan| world.apply(&plan)).is_err());
        assert_eq!(fs::read_dir(outside.join("skills")).unwrap().count(), 0);
    }
}

#[test]
fn a_user_may_have_linked_their_own_folders() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let (home, data) = (world.root.join("home"), world.root.join("data"));
    fs::create_dir_all(world.root.join("dotfiles/skills")).unwrap();
    fs::create_dir_all(home.join(".claude")).unwrap();
    std::os::unix::fs::symlink(world.root.join("dotfiles/skills"), home.join(".claude/skills")).unwrap();
    let world = World { site: Site::user(home.clone(), data.clone()), ..world };
    world.add(&[("one", &skill("one", "a"))], &[CLAUDE], Mode::Copy);
    assert!(world.root.join("dotfiles/skills/one/SKILL.md").is_file());
    assert!(data.join("skillful.lock").is_file() && !home.join("skillful.lock").exists());
    assert_eq!(world.drifts(), [""; 0]);
}

#[test]
fn every_agent_with_a_folder_can_be_installed_into() {
    let (project, home) = (PathBuf::from("/p"), PathBuf::from("/h"));
    let variables = BTreeMap::from([("CODEX_HOME".to_owned(), "/opt/codex".to_owned())]);
    let none = BTreeMap::new();
    let agents = AgentProfiles::embedded();
    let of =
        |name: &str, site: &Site, variables| read_folders(agents.get(name).unwrap(), site, &home, variables);
    let (here, own) = (Site::project(project), Site::user(home.clone(), PathBuf::from("/h/data")));
    assert_eq!(of("claude-code", &here, &none).unwrap()[0].as_str(), ".claude/skills");
    assert_eq!(of("claude-code", &own, &none).unwrap()[0].as_str(), ".claude/skills");
    assert_eq!(of("codex", &own, &none).unwrap()[0].as_str(), ".codex/skills");
    // Its own folder lies elsewhere; the shared one can be installed into.
    assert_eq!(of("codex", &own, &variables).unwrap()[0].as_str(), ".agents/skills");
    let reachable = agents
        .iter()
        .filter(|agent| [&here, &own].iter().any(|site| read_folders(agent, site, &home, &none).is_ok()))
        .count();
    assert!(reachable >= 70, "only {reachable} agents can be installed into");
}
