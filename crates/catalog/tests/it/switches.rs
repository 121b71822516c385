//! D6: what can be disabled, by whom, and that it then hides nothing.

use crate::fixture::{World, only};
use skillful_catalog::{
    Placement, Principal,
    entry::DisabledBy,
    gate::{Caller, Reason, Status, gate},
    profile::Scope,
    settings::{NameGlob, RuleOwner, Select, SkillRule, SourceRule},
};
use std::path::Path;

pub(crate) fn name(name: &str) -> Select {
    Select::Name(name.to_owned())
}

pub(crate) fn path(path: &Path) -> Select {
    Select::Path(path.to_path_buf())
}

pub(crate) fn off(select: Select) -> SkillRule {
    SkillRule { select, enabled: false, owner: RuleOwner::User, for_user: None }
}

fn on(select: Select) -> SkillRule {
    SkillRule { enabled: true, ..off(select) }
}

fn by(owner: RuleOwner, rule: SkillRule) -> SkillRule {
    SkillRule { owner, ..rule }
}

fn source(agent: Option<&str>, scope: Option<Scope>, enabled: bool) -> SourceRule {
    SourceRule { agent: agent.map(str::to_owned), scope, enabled }
}

/// The names in use.
fn ready(world: &World) -> Vec<String> {
    let catalog = world.build();
    let mut names: Vec<String> = catalog
        .entries
        .iter()
        .filter(|entry| entry.placement == Placement::Active)
        .map(skillful_catalog::Entry::address)
        .collect();
    names.sort();
    names
}

#[test]
fn sources_are_switched_by_agent_and_scope_and_a_shared_folder_stays_while_one_is_on() {
    // What is there: a-user, a-repo, b-user, b-repo, and shared by both agents: s-repo.
    let all = ["a-repo", "a-user", "b-repo", "b-user", "s-repo"];
    let (alpha, beta) = (Some("alpha"), Some("beta"));
    let (user, project) = (Some(Scope::User), Some(Scope::Project));
    let cases: [(&str, Vec<SourceRule>, &[&str]); 14] = [
        ("nothing", vec![], &all),
        ("one agent", vec![source(alpha, None, false)], &["b-repo", "b-user", "s-repo"]),
        ("the other", vec![source(beta, None, false)], &["a-repo", "a-user", "s-repo"]),
        ("both", vec![source(alpha, None, false), source(beta, None, false)], &[]),
        ("a scope", vec![source(None, user, false)], &["a-repo", "b-repo", "s-repo"]),
        (
            "an agent in a scope",
            vec![source(alpha, project, false)],
            &["a-user", "b-repo", "b-user", "s-repo"],
        ),
        (
            "both in a scope",
            vec![source(alpha, project, false), source(beta, project, false)],
            &["a-user", "b-user"],
        ),
        (
            "different scopes of both",
            vec![source(alpha, project, false), source(beta, user, false)],
            &["a-user", "b-repo", "s-repo"],
        ),
        ("everything", vec![source(None, None, false)], &[]),
        (
            "everything but one",
            vec![source(None, None, false), source(alpha, None, true)],
            &["a-repo", "a-user", "s-repo"],
        ),
        ("the last counts", vec![source(alpha, None, true), source(None, None, false)], &[]),
        ("off and on again", vec![source(alpha, None, false), source(alpha, None, true)], &all),
        ("an unknown agent", vec![source(Some("omega"), None, false)], &all),
        ("another scope", vec![source(None, Some(Scope::System), false)], &all),
    ];
    for (what, rules, expected) in cases {
        let mut world = World::new();
        world.skill("home/.alpha/skills", "a-user");
        world.skill("repo/.alpha/skills", "a-repo");
        world.skill("home/.beta/skills", "b-user");
        world.skill("repo/.beta/skills", "b-repo");
        world.skill("repo/.agents/skills", "s-repo");
        world.settings.sources = rules;
        assert_eq!(ready(&world), expected, "{what}");
        assert_eq!(world.build().entries.len(), 5, "{what}: what is off stays listed");
    }
}

#[test]
fn a_skill_that_two_agents_reach_over_a_link_stays_while_one_is_on() {
    let mut world = World::new();
    world.skill("home/.alpha/skills", "deploy");
    world.link("home/.beta/skills/deploy", "home/.alpha/skills/deploy");
    world.settings.sources = vec![source(Some("alpha"), None, false)];
    assert_eq!(world.list(), ["deploy available home/.beta/skills/deploy/SKILL.md"]);
    world.settings.sources.push(source(Some("beta"), None, false));
    assert_eq!(world.list(), ["deploy disabled home/.alpha/skills/deploy/SKILL.md"]);
}

#[test]
fn an_opt_in_folder_is_read_only_when_its_agent_is_enabled() {
    let mut world = World::new();
    world.skill("home/.beta/labs", "trial");
    assert_eq!(ready(&world), Vec::<String>::new());
    world.settings.sources = vec![source(Some("beta"), Some(Scope::User), true)];
    assert_eq!(ready(&world), ["trial"]);
}

#[test]
fn a_source_that_is_on_then_not_ignored_then_included() {
    type Names = &'static [&'static str];
    let globs = |globs: &[&str]| globs.iter().map(|glob| NameGlob::new(glob).unwrap()).collect::<Vec<_>>();
    let cases: [(&str, Names, Names, Names); 7] = [
        ("neither", &[], &[], &["git-log", "git-push", "write"]),
        ("ignored", &["git-*"], &[], &["write"]),
        ("included", &[], &["git-*"], &["git-log", "git-push"]),
        ("ignored beats included", &["git-push"], &["git-*"], &["git-log"]),
        ("ignored by exact name", &["write"], &[], &["git-log", "git-push"]),
        ("included by none", &[], &["zzz"], &[]),
        ("a choice", &["{write,git-log}"], &[], &["git-push"]),
    ];
    for (what, ignore, include, expected) in cases {
        let mut world = World::new();
        for name in ["git-log", "git-push", "write"] {
            world.skill("home/.alpha/skills", name);
        }
        world.settings.ignore = globs(ignore);
        world.settings.include = globs(include);
        assert_eq!(ready(&world), expected, "{what}");
    }
    let mut world = World::new();
    world.skill("home/.alpha/skills", "git-log");
    world.settings.ignore = globs(&["git-*"]);
    world.settings.sources = vec![source(None, None, false)];
    let state = |world: &World| only(&world.build(), "git-log").placement.clone();
    assert_eq!(state(&world), Placement::Disabled { by: DisabledBy::Source }, "the source is asked first");
    world.settings.sources.clear();
    assert_eq!(state(&world), Placement::Disabled { by: DisabledBy::Ignore { glob: "git-*".to_owned() } });
    world.settings.ignore.clear();
    world.settings.include = globs(&["x"]);
    assert_eq!(state(&world), Placement::Disabled { by: DisabledBy::NotIncluded });
}

#[test]
fn globs_see_plain_and_qualified_names() {
    let mut world = World::new();
    world.settings.plugins = vec![world.path("plugins")];
    world.file("plugins/p/.claude-plugin/plugin.json", r#"{"name": "tools"}"#);
    world.skill("plugins/p/skills", "deploy");
    for glob in ["deploy", "tools:*", "tools:deploy"] {
        world.settings.ignore = vec![NameGlob::new(glob).unwrap()];
        assert_eq!(ready(&world), Vec::<String>::new(), "{glob}");
    }
}

#[test]
fn a_skill_is_disabled_by_any_name_or_path_it_has() {
    let mut world = World::new();
    world.settings.plugins = vec![world.path("plugins")];
    world.file("plugins/p/.claude-plugin/plugin.json", r#"{"name": "tools"}"#);
    world.skill("plugins/p/skills", "deploy");
    world.link("home/.alpha/skills/other", "plugins/p/skills/deploy");
    world.link("link-to-home", "home");
    let selects = [
        name("deploy"),
        path(&world.path("home/.alpha/skills/other")),
        path(&world.path("home/.alpha/skills/other/SKILL.md")),
        path(&world.path("plugins/p/skills/deploy")),
        path(&world.path("plugins/p/skills/deploy/SKILL.md")),
        path(&world.path("link-to-home/.alpha/skills/other/SKILL.md")),
    ];
    for select in selects {
        world.settings.rules = vec![off(select.clone())];
        let catalog = world.build();
        assert_eq!(catalog.entries.len(), 1);
        let expected = DisabledBy::Rule { owner: RuleOwner::User };
        assert_eq!(catalog.entries[0].placement, Placement::Disabled { by: expected }, "{select:?}");
    }
    for select in [
        name("other"),
        path(&world.path("home/.alpha/skills")),
        path(&world.path("home/.alpha/skills/other/x")),
    ] {
        world.settings.rules = vec![off(select.clone())];
        assert_eq!(world.build().entries[0].placement, Placement::Active, "{select:?}");
    }
}

#[test]
fn the_folder_of_commands_means_none_of_them() {
    let mut world =
        World::with(&[("repo/.alpha/commands/a.md", "A.\n"), ("repo/.alpha/commands/b.md", "B.\n")]);
    world.settings.rules = vec![off(path(&world.path("repo/.alpha/commands")))];
    assert_eq!(ready(&world), ["a", "b"]);
    world.settings.rules = vec![off(path(&world.path("repo/.alpha/commands/a.md")))];
    assert_eq!(ready(&world), ["b"]);
}

#[test]
fn the_last_rule_wins_whatever_kind_it_is() {
    type Rules = fn(&Path, &Path) -> Vec<SkillRule>;
    let build = || {
        let world = World::new();
        let repo = world.skill("repo/.alpha/skills", "deploy");
        let home = world.skill("home/.alpha/skills", "deploy");
        (world, repo, home)
    };
    let cases: [(&str, Rules, [&str; 2]); 8] = [
        ("none", |_, _| vec![], ["available", "shadowed"]),
        ("the name is off", |_, _| vec![off(name("deploy"))], ["disabled", "disabled"]),
        (
            "the name off, then one path on",
            |_, home| vec![off(name("deploy")), on(path(home))],
            ["disabled", "available"],
        ),
        (
            "one path on, then the name off",
            |_, home| vec![on(path(home)), off(name("deploy"))],
            ["disabled", "disabled"],
        ),
        ("one path off", |repo, _| vec![off(path(repo))], ["disabled", "available"]),
        (
            "the person off, the call on",
            |repo, _| vec![off(path(repo)), by(RuleOwner::Call, on(path(repo)))],
            ["available", "shadowed"],
        ),
        (
            "the person on, the call off",
            |repo, _| vec![on(path(repo)), by(RuleOwner::Call, off(path(repo)))],
            ["disabled", "available"],
        ),
        (
            "off by file, on by folder",
            |repo, _| vec![off(path(repo)), on(path(repo.parent().unwrap_or(repo)))],
            ["available", "shadowed"],
        ),
    ];
    for (what, rules, expected) in cases {
        let (mut world, repo, home) = build();
        world.settings.rules = rules(&repo, &home);
        let states: Vec<&str> = world.build().entries.iter().map(|entry| entry.placement.word()).collect();
        assert_eq!(states, expected, "{what}");
    }
}

#[test]
fn a_repository_can_switch_off_its_own_skills_and_never_on() {
    let mut world = World::new();
    world.skill("home/.alpha/skills", "mine");
    world.skill("repo/.alpha/skills", "deploy");
    world.settings.rules = vec![by(RuleOwner::Project, off(name("mine")))];
    assert_eq!(only(&world.build(), "mine").placement, Placement::Active, "it is the user's");
    world.settings.rules = vec![by(RuleOwner::Project, off(name("deploy")))];
    let disabled = |owner| Placement::Disabled { by: DisabledBy::Rule { owner } };
    assert_eq!(only(&world.build(), "deploy").placement, disabled(RuleOwner::Project));
    for owner in [RuleOwner::User, RuleOwner::Managed, RuleOwner::Call] {
        world.settings.rules =
            vec![by(owner.clone(), off(name("deploy"))), by(RuleOwner::Project, on(name("deploy")))];
        assert_eq!(only(&world.build(), "deploy").placement, disabled(owner));
    }
    world.settings.rules =
        vec![by(RuleOwner::Project, off(name("deploy"))), by(RuleOwner::Call, on(name("deploy")))];
    assert_eq!(only(&world.build(), "deploy").placement, Placement::Active, "the person has the last word");
}

#[test]
fn what_is_disabled_untrusted_or_invalid_never_shadows_what_is_not() {
    for (what, strong) in [("disabled", 0), ("invalid", 1), ("untrusted", 2)] {
        let mut world = World::new();
        let file = world.skill("repo/.alpha/skills", "deploy");
        world.skill("home/.alpha/skills", "deploy");
        match strong {
            0 => world.settings.rules = vec![off(path(&file))],
            1 => drop(world.file("repo/.alpha/skills/deploy/SKILL.md", "---\nname: x\nname: y\n---\n")),
            _ => world.settings.trust = skillful_catalog::settings::TrustMode::Ask,
        }
        let expected = [
            format!("deploy {what} repo/.alpha/skills/deploy/SKILL.md"),
            "deploy available home/.alpha/skills/deploy/SKILL.md".to_owned(),
        ];
        assert_eq!(world.list(), expected);
    }
}

#[test]
fn a_user_disables_a_skill_for_themselves_and_the_next_of_its_name_counts() {
    let mut world = World::new();
    let file = world.skill("repo/.alpha/skills", "deploy");
    world.skill("home/.alpha/skills", "deploy");
    let mine = |rule: SkillRule| SkillRule { for_user: Some("ann".to_owned()), ..rule };
    world.settings.rules = vec![mine(off(path(&file)))];
    let verdicts = |world: &World, user: Option<&str>| -> Vec<Status> {
        let catalog = world.build();
        let who = Principal { user: user.map(str::to_owned), admin: false };
        catalog
            .entries
            .iter()
            .map(|entry| gate(&catalog, entry, &who, &world.environment, Caller::User).status)
            .collect()
    };
    assert_eq!(verdicts(&world, Some("ann")), [Status::Disabled, Status::Available]);
    assert_eq!(verdicts(&world, Some("bob")), [Status::Available, Status::Gated]);
    assert_eq!(verdicts(&world, None), [Status::Available, Status::Gated]);
    world.settings.rules.push(mine(off(name("deploy"))));
    assert_eq!(verdicts(&world, Some("ann")), [Status::Disabled, Status::Disabled]);
    world.settings.rules.push(mine(on(name("deploy"))));
    assert_eq!(verdicts(&world, Some("ann")), [Status::Available, Status::Gated]);
    // What is off for all is off for each, whatever they say.
    world.settings.rules.insert(0, off(name("deploy")));
    assert_eq!(verdicts(&world, Some("ann")), [Status::Disabled, Status::Disabled]);
    let catalog = world.build();
    let who = Principal { user: Some("ann".to_owned()), admin: false };
    let verdict = gate(&catalog, &catalog.entries[0], &who, &world.environment, Caller::User);
    let by_rule = DisabledBy::Rule { owner: RuleOwner::User };
    assert_eq!(verdict.reasons, [Reason::Disabled { disabled: by_rule }]);
}

#[test]
fn a_proposed_skill_is_off_until_a_rule_about_its_path_switches_it_on() {
    let mut world = World::new();
    world.skill("proposed", "made");
    let folder = world.path("proposed");
    world.settings.custom = vec![folder.clone()];
    world.settings.proposed = Some(folder.clone());
    let proposed = Placement::Disabled { by: DisabledBy::Rule { owner: RuleOwner::Proposed } };
    assert_eq!(only(&world.build(), "made").placement, proposed);
    // A name may have been meant for another skill.
    world.settings.rules = vec![on(name("made"))];
    assert_eq!(only(&world.build(), "made").placement, proposed);
    world.settings.rules = vec![on(Select::Path(folder.join("made/SKILL.md")))];
    assert_eq!(only(&world.build(), "made").placement, Placement::Active);
    world.settings.rules.push(off(name("made")));
    assert_eq!(
        only(&world.build(), "made").placement,
        Placement::Disabled { by: DisabledBy::Rule { owner: RuleOwner::User } }
    );
}
