//! S1 and S6: one gate, every reason, both callers.

use crate::fixture::{World, only, skill_with};
use skillful_catalog::{
    Principal,
    catalog::{LoadedByAgent, MissedByAgent},
    entry::{DisabledBy, SeenBy},
    gate::{Caller, Reason, Status, gate},
    packages::Packages,
    profile::Scope,
    settings::RuleOwner,
};

const ROOT: &str = "home/.alpha/skills";

fn reasons(world: &World, name: &str, who: &Principal, caller: Caller) -> (Status, Vec<Reason>) {
    let catalog = world.build();
    let verdict = gate(&catalog, only(&catalog, name), who, &world.environment, caller);
    (verdict.status, verdict.reasons)
}

fn with_header(header: &str) -> World {
    let world = World::new();
    world.file(&format!("{ROOT}/one/SKILL.md"), skill_with("one", header));
    world
}

fn text(text: &str) -> String {
    text.to_owned()
}

/// Puts an executable into a folder on the search path.
fn program(world: &mut World, name: &str) {
    use std::os::unix::fs::PermissionsExt;
    let file = world.file(&format!("bin/{name}"), "#!/bin/sh\n");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    world.environment.variables.insert(text("PATH"), world.path("bin").display().to_string());
}

#[test]
fn each_reason_alone() {
    type Mend = fn(&mut World);
    let cases: [(&str, &str, Reason, Status, Option<Mend>); 16] = [
        ("for administrators", "admin_only: true", Reason::AdminOnly, Status::Gated, None),
        (
            "experimental",
            "experimental: true",
            Reason::Experimental { feature: text("skill_one") },
            Status::Gated,
            Some(|world| world.environment.features.extend([text("skill_one")])),
        ),
        (
            "a capability",
            "requires_capability: [browser, devbox]",
            Reason::MissingCapability { name: text("devbox") },
            Status::Unavailable,
            Some(|world| world.environment.capabilities.extend([text("devbox")])),
        ),
        (
            "a variable",
            "requires:\n  env: [TOKEN]",
            Reason::MissingVariable { name: text("TOKEN") },
            Status::Unavailable,
            Some(|world| drop(world.environment.variables.insert(text("TOKEN"), text("x")))),
        ),
        (
            "a program",
            "requires:\n  binary: [frobnicate]",
            Reason::MissingProgram { any_of: vec![text("frobnicate")] },
            Status::Unavailable,
            Some(|world| program(world, "frobnicate")),
        ),
        (
            "one of several programs",
            "metadata:\n  openclaw:\n    requires:\n      anyBins: [frob, nicate]",
            Reason::MissingProgram { any_of: vec![text("frob"), text("nicate")] },
            Status::Unavailable,
            Some(|world| program(world, "nicate")),
        ),
        (
            "a variable of openclaw",
            "metadata:\n  openclaw:\n    requires:\n      env: [TOKEN]",
            Reason::MissingVariable { name: text("TOKEN") },
            Status::Unavailable,
            Some(|world| drop(world.environment.variables.insert(text("TOKEN"), text("x")))),
        ),
        (
            "a package",
            "dependencies: [\"caldav-client>=1.0\"]",
            Reason::MissingPackage { name: text("caldav-client>=1.0") },
            Status::Unavailable,
            Some(|world| world.environment.packages = Packages::known(["caldav_client==1.0"])),
        ),
        (
            "a skill",
            "requires:\n  skills: [other]",
            Reason::MissingSkill { name: text("other") },
            Status::Unavailable,
            Some(|world| drop(world.skill(ROOT, "other"))),
        ),
        (
            "itself",
            "requires:\n  skills: [one]",
            Reason::RequirementCycle { name: text("one") },
            Status::Unavailable,
            None,
        ),
        (
            "a system",
            "metadata:\n  openclaw:\n    os: [darwin, win32]",
            Reason::WrongSystem { systems: vec![text("darwin"), text("win32")] },
            Status::Unavailable,
            Some(|world| world.environment.system = text("darwin")),
        ),
        (
            "a gate that cannot be read",
            "admin_only: [perhaps]",
            Reason::UnreadableGate { field: text("admin_only") },
            Status::Gated,
            None,
        ),
        (
            "experimental that cannot be read",
            "experimental: 17",
            Reason::UnreadableGate { field: text("experimental") },
            Status::Gated,
            None,
        ),
        (
            "capabilities that cannot be read",
            "requires_capability:\n  a: b",
            Reason::UnreadableGate { field: text("requires_capability") },
            Status::Gated,
            None,
        ),
        ("not for models", "disable-model-invocation: true", Reason::NotForModels, Status::Gated, None),
        (
            "no model may select it",
            "disable-model-invocation: yes",
            Reason::NotForModels,
            Status::Gated,
            None,
        ),
    ];
    for (what, header, reason, status, mend) in cases {
        let mut world = with_header(header);
        world.environment.packages = Packages::default();
        world.environment.capabilities = [text("browser")].into();
        let anyone = Principal::default();
        let verdict = reasons(&world, "one", &anyone, Caller::Model);
        assert_eq!(verdict, (status, vec![reason.clone()]), "{what}");
        assert!(!reason.to_string().is_empty());
        if let Some(mend) = mend {
            mend(&mut world);
            assert_eq!(reasons(&world, "one", &anyone, Caller::Model), (Status::Available, vec![]), "{what}");
        }
    }
}

#[test]
fn all_reasons_are_reported_at_once_and_the_gravest_is_the_verdict() {
    let mut world = with_header(
        "admin_only: true\nexperimental: true\nrequires_capability: [browser]\ndisable-model-invocation: true\n\
         requires:\n  env: [A, B]\n  binary: [nope]\n  skills: [gone]",
    );
    let expected = vec![
        Reason::AdminOnly,
        Reason::Experimental { feature: text("skill_one") },
        Reason::MissingCapability { name: text("browser") },
        Reason::MissingVariable { name: text("A") },
        Reason::MissingVariable { name: text("B") },
        Reason::MissingProgram { any_of: vec![text("nope")] },
        Reason::MissingSkill { name: text("gone") },
        Reason::NotForModels,
    ];
    let anyone = Principal::default();
    assert_eq!(reasons(&world, "one", &anyone, Caller::Model), (Status::Gated, expected.clone()));
    world.settings.rules = vec![crate::switches::off(crate::switches::name("one"))];
    let (status, told) = reasons(&world, "one", &anyone, Caller::Model);
    assert_eq!(status, Status::Disabled);
    assert_eq!(told[0], Reason::Disabled { disabled: DisabledBy::Rule { owner: RuleOwner::User } });
    assert_eq!(told[1..], expected);
}

#[test]
fn placement_is_a_reason_for_both_callers() {
    let mut world = World::untrusting();
    world.file(&format!("{ROOT}/broken/SKILL.md"), "---\nname: x\nname: y\n---\nBody.\n");
    world.skill("repo/.alpha/skills", "foreign");
    world.settings.custom = vec![world.path("custom")];
    world.skill(ROOT, "twice");
    world.skill("custom", "twice");
    let catalog = world.build();
    for caller in [Caller::User, Caller::Model] {
        let ask = |name: &str, at: usize| {
            let (_, entry) = catalog.called(name).nth(at).unwrap();
            gate(&catalog, entry, &Principal::default(), &world.environment, caller).reasons
        };
        assert!(ask("broken", 0).contains(&Reason::Invalid), "{caller:?}");
        assert_eq!(ask("foreign", 0), [Reason::Untrusted], "{caller:?}");
        assert_eq!(ask("twice", 0), [], "{caller:?}");
        assert_eq!(ask("twice", 1), [Reason::Shadowed], "{caller:?}");
    }
}

#[test]
fn users_and_models_are_judged_separately() {
    let cases = [
        ("usual", "x: 1", true, true),
        ("not for models", "disable-model-invocation: true", true, false),
        ("not for persons", "user-invocable: false", false, true),
        ("for no caller", "user-invocable: false\ndisable-model-invocation: true", false, false),
    ];
    for (what, header, person, model) in cases {
        let world = with_header(header);
        let open = |caller| reasons(&world, "one", &Principal::default(), caller).0 == Status::Available;
        assert_eq!((open(Caller::User), open(Caller::Model)), (person, model), "{what}");
    }
    for (allow, open) in [("false", false), ("true", true)] {
        let world = with_header("x: 1");
        world.file(
            &format!("{ROOT}/one/agents/openai.yaml"),
            format!("policy:\n  allow_implicit_invocation: {allow}\n"),
        );
        let through = |caller| reasons(&world, "one", &Principal::default(), caller).0 == Status::Available;
        assert_eq!((through(Caller::User), through(Caller::Model)), (true, open), "{allow}");
    }
}

#[test]
fn without_a_description_a_user_may_call_and_a_model_may_not_choose() {
    for header in ["name: one", "name: one\ndescription: \"  \""] {
        let world = World::new();
        world.file(&format!("{ROOT}/one/SKILL.md"), format!("---\n{header}\n---\nBody.\n"));
        let anyone = Principal::default();
        assert_eq!(reasons(&world, "one", &anyone, Caller::User), (Status::Available, vec![]));
        assert_eq!(reasons(&world, "one", &anyone, Caller::Model).1, [Reason::NoDescription]);
    }
}

#[test]
fn what_an_agent_does_not_load_or_keeps_from_its_model_is_closed() {
    let world = World::new();
    let file = |name: &str| world.skill(ROOT, name);
    let (offered, kept, waits, missed) = (file("offered"), file("kept"), file("waits"), file("missed"));
    let loads = [
        ("offered", offered, SeenBy::Offered),
        ("kept", kept, SeenBy::Loaded),
        ("waits", waits, SeenBy::Waits),
    ];
    let loads = loads.map(|(name, file, seen_by)| LoadedByAgent {
        file,
        name: text(name),
        description: Some(text("About it.")),
        scope: Scope::User,
        seen_by,
    });
    let misses = vec![MissedByAgent { file: missed, why: text("its name is too long"), fix: None }];
    let catalog = world.build().as_agent("alpha", world.inputs(), loads.into(), misses);
    let not_loaded = Reason::NotLoaded { agent: text("alpha"), why: text("its name is too long") };
    for (name, person, model) in [
        ("offered", vec![], vec![]),
        ("kept", vec![], vec![Reason::NotForModels]),
        ("waits", vec![], vec![Reason::WaitsForFile]),
        ("missed", vec![not_loaded.clone()], vec![not_loaded]),
    ] {
        let ask =
            |caller| gate(&catalog, only(&catalog, name), &Principal::default(), &world.environment, caller);
        assert_eq!((ask(Caller::User).reasons, ask(Caller::Model).reasons), (person, model), "{name}");
    }
}

#[test]
fn administrators_pass_where_it_says_so() {
    let world = with_header("admin_only: true");
    let administrator = Principal { user: None, admin: true };
    assert_eq!(reasons(&world, "one", &administrator, Caller::Model).0, Status::Available);
    let world = with_header("admin_only: [perhaps]");
    assert_eq!(
        reasons(&world, "one", &administrator, Caller::Model).0,
        Status::Gated,
        "unreadable is closed to all"
    );
}

#[test]
fn packages_that_are_not_found_close_the_gate() {
    let world = with_header("dependencies: [caldav]");
    assert_eq!(reasons(&world, "one", &Principal::default(), Caller::Model).0, Status::Unavailable);
}

/// Skills that need one another, as `a>b` or `a>b,c`.
fn chain(edges: &[&str]) -> World {
    let world = World::new();
    for edge in edges {
        let (name, needs) = edge.split_once('>').unwrap_or((edge, ""));
        world.file(
            &format!("{ROOT}/{name}/SKILL.md"),
            skill_with(name, &format!("requires:\n  skills: [{needs}]")),
        );
    }
    world
}

#[test]
fn requirements_are_followed_to_the_end_and_cycles_end() {
    let missing = |name: &str| vec![Reason::MissingSkill { name: text(name) }];
    let cycle = |name: &str| vec![Reason::RequirementCycle { name: text(name) }];
    let cases: [(&str, &[&str], &str, Vec<Reason>); 11] = [
        ("a chain", &["a>b", "b>c", "c"], "a", vec![]),
        ("a chain with a missing end", &["a>b", "b>c", "c>gone"], "a", missing("b")),
        ("the same, in the middle", &["a>b", "b>c", "c>gone"], "c", missing("gone")),
        ("two that need each other", &["a>b", "b>a"], "a", cycle("b")),
        ("three in a ring", &["a>b", "b>c", "c>a"], "b", cycle("c")),
        ("one that leads into a ring", &["a>b", "b>c", "c>b"], "a", missing("b")),
        ("in that ring", &["a>b", "b>c", "c>b"], "b", cycle("c")),
        ("itself", &["a>a"], "a", cycle("a")),
        ("a diamond", &["a>b,c", "b>d", "c>d", "d"], "a", vec![]),
        ("a diamond without a foot", &["a>b,c", "b>d", "c>d"], "a", [missing("b"), missing("c")].concat()),
        ("one of two is missing", &["a>b,gone", "b"], "a", missing("gone")),
    ];
    for (what, edges, name, expected) in cases {
        let world = chain(edges);
        assert_eq!(reasons(&world, name, &Principal::default(), Caller::Model).1, expected, "{what}");
    }
}

#[test]
fn a_skill_that_is_needed_must_be_usable_itself() {
    let cases = [
        ("admin_only: true", true, Status::Unavailable),
        ("experimental: true", false, Status::Unavailable),
        ("requires:\n  env: [TOKEN]", false, Status::Unavailable),
        ("admin_only: [perhaps]", false, Status::Unavailable),
        // What a user may not call, another skill may still need.
        ("user-invocable: false", false, Status::Available),
        ("disable-model-invocation: true", false, Status::Available),
    ];
    for (header, for_administrators, expected) in cases {
        let world = chain(&["a>b"]);
        world.file(&format!("{ROOT}/b/SKILL.md"), skill_with("b", header));
        assert_eq!(reasons(&world, "a", &Principal::default(), Caller::Model).0, expected, "{header}");
        let administrator = Principal { user: None, admin: true };
        if for_administrators {
            assert_eq!(reasons(&world, "a", &administrator, Caller::Model).0, Status::Available, "{header}");
        }
    }
    let mut world = chain(&["a>b", "b"]);
    world.settings.rules = vec![crate::switches::off(crate::switches::name("b"))];
    let missing = Reason::MissingSkill { name: text("b") };
    assert_eq!(reasons(&world, "a", &Principal::default(), Caller::Model).1, [missing]);
}

#[test]
fn a_net_of_requirements_does_not_keep_the_gate_busy() {
    // Every skill of a level needs every skill of the next: 10^20 ways, 200 skills.
    let world = World::new();
    for level in 0..20 {
        for number in 0..10 {
            let needs: Vec<String> = (0..10).map(|next| format!("s{}-{next}", level + 1)).collect();
            let needs = if level == 19 { String::new() } else { needs.join(", ") };
            let name = format!("s{level}-{number}");
            world.file(
                &format!("{ROOT}/{name}/SKILL.md"),
                skill_with(&name, &format!("requires:\n  skills: [{needs}]")),
            );
        }
    }
    assert_eq!(reasons(&world, "s0-0", &Principal::default(), Caller::Model), (Status::Available, vec![]));
    world.remove(&format!("{ROOT}/s19-9"));
    assert_eq!(reasons(&world, "s0-0", &Principal::default(), Caller::Model).1.len(), 10);
}

#[test]
fn skills_of_a_plugin_mean_their_neighbours_first() {
    let mut world = World::new();
    world.settings.plugins = vec![world.path("plugins")];
    world.file("plugins/p/.claude-plugin/plugin.json", r#"{"name": "p"}"#);
    world.file("plugins/p/skills/a/SKILL.md", skill_with("a", "requires:\n  skills: [b, plain, q:c]"));
    world.skill("plugins/p/skills", "b");
    world.skill(ROOT, "plain");
    world.file("plugins/q/.claude-plugin/plugin.json", r#"{"name": "q"}"#);
    world.skill("plugins/q/skills", "c");
    assert_eq!(reasons(&world, "p:a", &Principal::default(), Caller::Model), (Status::Available, vec![]));
    // A plain skill of the same name does not stand in for one that is broken.
    world.skill(ROOT, "b");
    world.file("plugins/p/skills/b/SKILL.md", skill_with("b", "admin_only: true"));
    let missing = Reason::MissingSkill { name: text("b") };
    assert_eq!(reasons(&world, "p:a", &Principal::default(), Caller::Model).1, [missing]);
}

#[test]
fn programs_are_looked_for_on_the_search_path_and_nowhere_else() {
    let mut world = World::new();
    program(&mut world, "tool");
    world.file("bin/plain", "not executable");
    world.folder("bin/folder");
    world.file("repo/tool2", "x");
    let environment = &world.environment;
    for (name, is_there) in [
        ("tool", true),
        ("plain", false),
        ("folder", false),
        ("", false),
        ("./tool", false),
        ("../bin/tool", false),
        ("gone", false),
    ] {
        assert_eq!(environment.has_program(name), is_there, "`{name}`");
    }
    world.environment.variables.insert(text("PATH"), text(".:repo:"));
    assert!(!world.environment.has_program("tool2"), "a relative folder on the path counts for nothing");
}

#[test]
fn programs_are_looked_for_once_until_they_are_forgotten() {
    let mut world = World::new();
    program(&mut world, "tool");
    let environment = world.environment.clone();
    let file = std::path::PathBuf::from(&environment.variables["PATH"]).join("later");
    assert!(!environment.has_program("later"));
    let known = environment.remember_programs();
    assert!(environment.has_program("tool") && !environment.has_program("later"));
    std::fs::copy(file.with_file_name("tool"), &file).unwrap();
    assert!(!environment.has_program("later"), "it is not looked for again");
    assert!(environment.clone().has_program("later"), "a copy remembers nothing");
    environment.forget_programs();
    assert!(environment.has_program("later"));
    std::fs::remove_file(&file).unwrap();
    assert!(environment.has_program("later"));
    drop(known);
    assert!(!environment.has_program("later"), "nothing is remembered any more");
}
