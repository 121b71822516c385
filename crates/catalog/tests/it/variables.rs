//! A2: five sources, required and empty, secrets that do not print, files that are broken.

use crate::fixture::{World, only, skill_with, told_of};
use skillful_catalog::{
    Principal,
    gate::{Caller, Reason, Status, gate},
    reload::Changes,
    variables::{FILE_LIMIT, Resolved, SharedVariables, Source, resolve},
};
use skillful_format::Code;
use skillful_testkit::Attempts;

const ROOT: &str = "home/.alpha/skills";
const OWN: &str = "home/.alpha/skills/one/vars.json";
const SHARED: &str = "home/.config/skillful/variables.json";

/// A machine with one skill `one` that declares `vars`.
fn world(vars: &str) -> World {
    let mut world = World::new();
    world.file(&format!("{ROOT}/one/SKILL.md"), skill_with("one", &format!("vars:\n{vars}")));
    world.settings.variables = Some(world.path(SHARED));
    world
}

fn resolved(world: &World) -> Resolved {
    let catalog = world.build();
    resolve(only(&catalog, "one"), &world.environment, &SharedVariables::new(&world.settings))
}

/// That one variable has a value from a source.
fn check(world: &World, name: &str, text: &str, source: Source) {
    let resolved = resolved(world);
    let found = resolved.values.get(name).map(|value| (value.reveal(), value.source()));
    assert_eq!(found, Some((text, source)), "{name}");
}

fn missing(world: &World) -> Vec<String> {
    only(&world.build(), "one").missing_variables.clone()
}

#[test]
fn the_first_of_five_sources_counts() {
    let mut world = world("  HOST: default");
    check(&world, "HOST", "default", Source::Default);
    world.environment.variables.insert("HOST".to_owned(), "env".to_owned());
    check(&world, "HOST", "env", Source::Environment);
    world.file(SHARED, r#"{"_global": {"HOST": "global"}, "two": {"HOST": "no"}}"#);
    check(&world, "HOST", "global", Source::Global);
    world.file(SHARED, r#"{"_global": {"HOST": "global"}, "one": {"HOST": "section"}}"#);
    check(&world, "HOST", "section", Source::Section);
    world.file(OWN, r#"{"HOST": "own"}"#);
    check(&world, "HOST", "own", Source::Skill);
}

#[test]
fn no_key_of_a_provider_comes_from_the_environment() {
    for name in ["OPENAI_API_KEY", "anthropic_api_key", "MY_GATEWAY"] {
        for declared in ["", " {secret: true}", " {secret: true, expose_to_model: true}", " {required: true}"]
        {
            let mut world = world(&format!("  {name}:{declared}"));
            world.settings.provider_keys.insert("MY_GATEWAY".to_owned());
            world.environment.variables.insert(name.to_owned(), "sk-key".to_owned());
            let found = resolved(&world);
            assert!(found.values.is_empty(), "{name}{declared}");
            let told = &found.diagnostics[0];
            assert!(told.message.contains("key of a model provider") && !told.message.contains("sk-key"));
            world.file(OWN, format!(r#"{{"{name}": "given"}}"#));
            check(&world, name, "given", Source::Skill);
        }
    }
}

#[test]
fn a_secret_of_the_environment_is_not_for_a_model() {
    for (name, is_secret) in [
        ("GITHUB_TOKEN", true),
        ("DB_PASSWORD", true),
        ("AWS_SECRET_ACCESS_KEY", true),
        ("ACCESSKEY", true),
        ("SENTRY_DSN", true),
        ("AUTHOR", false),
        ("KEYBOARD", false),
        ("HOST", false),
    ] {
        for declared in ["", " {secret: false}", " {secret: true, expose_to_model: true}"] {
            let mut world = world(&format!("  {name}:{declared}"));
            world.environment.variables.insert(name.to_owned(), "value".to_owned());
            let found = resolved(&world);
            assert_eq!(found.values[name].for_model().is_none(), is_secret, "{name}{declared}");
            assert_eq!(found.values[name].reveal(), "value");
            world.file(OWN, format!(r#"{{"{name}": "given"}}"#));
            assert_eq!(
                resolved(&world).values[name].for_model(),
                Some("given"),
                "the user gave it to the skill"
            );
        }
    }
}

#[test]
fn an_undeclared_variable_has_no_value() {
    let mut world = world("  HOST:");
    world.file(OWN, r#"{"OTHER": "own"}"#);
    world.environment.variables.insert("OTHER".to_owned(), "env".to_owned());
    assert_eq!(resolved(&world).values.len(), 0);
}

#[test]
fn null_falls_through_and_single_values_of_any_type_are_text() {
    let world = world("  A: a\n  B: 8080\n  C: true\n  D:\n  E: 1.50");
    world.file(OWN, r#"{"A": null, "B": 9090, "C": false, "D": 1.5}"#);
    check(&world, "A", "a", Source::Default);
    check(&world, "B", "9090", Source::Skill);
    check(&world, "C", "false", Source::Skill);
    check(&world, "D", "1.5", Source::Skill);
    check(&world, "E", "1.50", Source::Default);
}

#[test]
fn one_value_that_is_not_a_single_value_costs_only_itself() {
    let world = world("  A: a\n  B: b\n  C: c");
    world.file(OWN, r#"{"A": ["x"], "B": "own", "C": {"x": 1}}"#);
    check(&world, "A", "a", Source::Default);
    check(&world, "B", "own", Source::Skill);
    let messages: Vec<String> = resolved(&world).diagnostics.into_iter().map(|told| told.message).collect();
    assert_eq!(
        messages,
        [
            "the variable `A` must be a single value, and is a list",
            "the variable `C` must be a single value, and is a mapping"
        ]
    );
}

#[test]
fn an_empty_text_counts_as_a_value_and_does_not_satisfy_required() {
    let world =
        world("  A: {required: true, default: ''}\n  B: {required: true, default: b}\n  C: {default: ''}");
    assert_eq!(missing(&world), ["A"]);
    check(&world, "C", "", Source::Default);
    world.file(OWN, r#"{"A": "x", "B": ""}"#);
    assert_eq!(missing(&world), ["B"]);
}

#[test]
fn a_skill_without_its_required_variable_is_unavailable_and_says_where_to_set_it() {
    let world = world("  TOKEN: {required: true, secret: true}\n  KEY: {required: true}");
    let catalog = world.build();
    let entry = only(&catalog, "one");
    assert_eq!(entry.missing_variables, ["TOKEN", "KEY"]);
    let reason = |name: &str| Reason::MissingSkillVariable { name: name.to_owned() };
    for caller in [Caller::User, Caller::Model] {
        let verdict = gate(&catalog, entry, &Principal::default(), &world.environment, caller);
        assert_eq!(verdict.status, Status::Unavailable);
        assert_eq!(verdict.reasons, [reason("TOKEN"), reason("KEY")]);
    }
    let words = reason("TOKEN").to_string();
    for part in ["`TOKEN`", "`vars.json` beside the skill", "`variables.json`", "environment"] {
        assert!(words.contains(part), "{words}");
    }
    assert_eq!(world.offered(Caller::Model), [""; 0]);
    world.file(OWN, r#"{"TOKEN": "t", "KEY": "k"}"#);
    assert_eq!(world.offered(Caller::Model), ["one"]);
}

#[test]
fn a_skill_that_needs_one_with_a_missing_variable_is_unavailable_too() {
    let world = world("  TOKEN: {required: true}");
    world.file(&format!("{ROOT}/two/SKILL.md"), skill_with("two", "requires:\n  skills: [one]"));
    assert_eq!(world.offered(Caller::User), [""; 0]);
    world.file(SHARED, r#"{"one": {"TOKEN": 1}}"#);
    assert_eq!(world.offered(Caller::User), ["one", "two"]);
}

#[test]
fn a_secret_prints_as_three_stars_everywhere() {
    let mut world = world("  TOKEN: {secret: true}\n  SHOWN: {secret: true, expose_to_model: true}\n  HOST:");
    for name in ["TOKEN", "SHOWN", "HOST"] {
        world.environment.variables.insert(name.to_owned(), format!("value-of-{name}"));
    }
    let resolved = resolved(&world);
    let printed = format!(
        "{resolved:?} {} {} {}",
        resolved.values["TOKEN"],
        resolved.values["SHOWN"],
        serde_json::to_string(&resolved.values).unwrap()
    );
    assert!(!printed.contains("value-of-TOKEN") && !printed.contains("value-of-SHOWN"), "{printed}");
    assert_eq!(resolved.values["TOKEN"].to_string(), "***");
    assert_eq!(resolved.values["HOST"].to_string(), "value-of-HOST");
    assert_eq!(resolved.values["TOKEN"].reveal(), "value-of-TOKEN");
    assert_eq!(resolved.values["TOKEN"].for_model(), None);
    assert_eq!(resolved.values["SHOWN"].for_model(), Some("value-of-SHOWN"));
    assert_eq!(resolved.values["HOST"].for_model(), Some("value-of-HOST"));
}

#[test]
fn a_broken_file_is_reported_without_its_words_and_counts_as_absent() {
    let large = format!("{{\"A\": \"{}\"}}", "sesame".repeat(usize::try_from(FILE_LIMIT).unwrap() / 6));
    for text in
        ["{\"A\": sesame", "{\"A\": \"sesame\"} sesame", "[\"sesame\"]", "\"sesame\"", "", "\u{0}", &large]
    {
        for file in [OWN, SHARED] {
            let world = world("  A: {required: true}");
            world.file(file, text);
            let catalog = world.build();
            assert_eq!(only(&catalog, "one").missing_variables, ["A"]);
            let told = told_of(&catalog, Code::ConfigInvalid);
            assert_eq!(told.len(), 1, "{file}");
            assert_eq!(told[0].path.as_deref(), Some(&*world.path(file)));
            assert!(!told[0].message.contains("sesame") && told[0].help.is_some(), "{:?}", told[0]);
        }
    }
}

#[test]
fn a_folder_or_a_pipe_in_place_of_the_file_is_reported() {
    let world = world("  A: {required: true}");
    world.folder(OWN);
    assert_eq!(told_of(&world.build(), Code::ConfigInvalid).len(), 1);
    world.remove(OWN);
    let made = std::process::Command::new("mkfifo").arg(world.path(OWN)).status();
    if made.is_ok_and(|status| status.success()) {
        assert_eq!(told_of(&world.build(), Code::ConfigInvalid).len(), 1);
    }
}

#[test]
fn a_broken_shared_file_is_reported_once_for_many_skills() {
    let world = world("  A: {required: true}");
    world.file(&format!("{ROOT}/two/SKILL.md"), skill_with("two", "vars: {A: {required: true}}"));
    world.file(SHARED, r#"{"_global": ["x"]}"#);
    let catalog = world.build();
    assert_eq!(told_of(&catalog, Code::ConfigInvalid).len(), 1);
    assert_eq!(only(&catalog, "two").missing_variables, ["A"]);
}

#[test]
fn without_a_required_variable_no_file_is_read() {
    let world = world("  A: {default: a}\n  B:");
    world.file(OWN, "broken");
    world.file(SHARED, "broken");
    assert_eq!(told_of(&world.build(), Code::ConfigInvalid).len(), 0);
    assert_eq!(resolved(&world).diagnostics.len(), 2);
}

#[test]
fn a_link_in_a_repository_cannot_have_another_file_read_out() {
    let mut world = World::new();
    let header = "vars:\n  A: {required: true}";
    for root in ["repo/.alpha/skills", ROOT] {
        world.file(&format!("{root}/one/SKILL.md"), skill_with("one", header));
    }
    world.settings.variables = Some(world.path(SHARED));
    world.file("home/private.json", r#"{"A": "private"}"#);
    world.link("repo/.alpha/skills/one/vars.json", "home/private.json");
    world.link(OWN, "home/private.json");
    let catalog = world.build();
    let missing: Vec<(&str, usize)> = catalog
        .called("one")
        .map(|(_, entry)| (entry.origin.scope.word(), entry.missing_variables.len()))
        .collect();
    // A user's own link is theirs to make.
    assert_eq!(missing, [("project", 1), ("user", 0)]);
    assert_eq!(told_of(&catalog, Code::ConfigInvalid).len(), 1);
}

#[test]
fn values_beside_a_skill_of_a_repository_are_not_read() {
    let mut world = World::new();
    world.file("repo/.alpha/skills/one/SKILL.md", skill_with("one", "vars:\n  A: {default: d}"));
    world.file("repo/.alpha/skills/one/vars.json", r#"{"A": "of the author"}"#);
    world.settings.variables = Some(world.path(SHARED));
    let resolved = resolved(&world);
    assert_eq!(resolved.values["A"].for_model(), Some("d"));
    assert!(resolved.diagnostics[0].message.contains("is not read"), "{:?}", resolved.diagnostics);
}

#[test]
fn an_untrusted_repository_has_nothing_read_but_its_skills() {
    let world = World::untrusting();
    let header = "vars:\n  A: {required: true}";
    world.file("repo/.alpha/skills/one/SKILL.md", skill_with("one", header));
    world.file("repo/.alpha/skills/one/vars.json", "broken");
    let catalog = world.build();
    assert_eq!(told_of(&catalog, Code::ConfigInvalid).len(), 0);
    let verdict =
        gate(&catalog, only(&catalog, "one"), &Principal::default(), &world.environment, Caller::User);
    assert_eq!(verdict.reasons, [Reason::Untrusted]);
}

#[test]
fn a_file_by_the_name_of_the_skill_is_found_unless_that_folder_is_a_skill() {
    let mut world = World::new();
    world.settings.variables = Some(world.path(SHARED));
    world.file(&format!("{ROOT}/folder/SKILL.md"), skill_with("one", "vars: {A: {required: true}}"));
    world.file(OWN, r#"{"A": "legacy"}"#);
    check(&world, "A", "legacy", Source::Skill);
    world.file(&format!("{ROOT}/one/SKILL.md"), skill_with("other", ""));
    assert!(resolved(&world).values.is_empty());
}

#[test]
fn a_qualified_skill_has_its_section_under_its_whole_name() {
    let mut world = World::new();
    world.settings.plugins = vec![world.path("plugins")];
    world.settings.variables = Some(world.path(SHARED));
    world.file("plugins/p/.claude-plugin/plugin.json", r#"{"name": "p"}"#);
    world.file("plugins/p/skills/one/SKILL.md", skill_with("one", "vars: {A: {required: true}}"));
    world.file(SHARED, r#"{"one": {"A": "another one's"}}"#);
    assert_eq!(only(&world.build(), "p:one").missing_variables, ["A"]);
    world.file(SHARED, r#"{"p:one": {"A": "its own"}}"#);
    assert_eq!(only(&world.build(), "p:one").missing_variables, [""; 0]);
}

#[test]
fn a_value_that_comes_is_a_change_and_is_never_remembered_on_disk() {
    let mut world = world("  TOKEN: {required: true}");
    world.keep_memory();
    let before = world.build();
    world.file(SHARED, r#"{"one": {"TOKEN": "open-sesame"}}"#);
    let after = world.build();
    assert_eq!(missing(&world), [""; 0]);
    assert_ne!(before.fingerprint(), after.fingerprint());
    assert_eq!(Changes::between(&before, &after).changed.len(), 1);
    for file in std::fs::read_dir(world.path("cache")).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(11).any(|part| part == b"open-sesame"));
    }
    world.remove(SHARED);
    assert_eq!(missing(&world), ["TOKEN"]);
}

#[test]
fn no_variable_decides_which_code_commands_run() {
    let names = [
        "PATH",
        "LD_PRELOAD",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "ENV",
        "SHELLOPTS",
        "PS4",
        "IFS",
        "HOME",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_KEY_0",
        "GIT_CONFIG_GLOBAL",
        "GIT_EXTERNAL_DIFF",
        "GIT_SSH_COMMAND",
        "GIT_DIR",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTHONPYCACHEPREFIX",
        "PERL5OPT",
        "PERL5LIB",
        "RUBYOPT",
        "LUA_INIT",
        "TAR_OPTIONS",
        "MAKEFLAGS",
        "LESSOPEN",
        "XDG_CONFIG_HOME",
        "RIPGREP_CONFIG_PATH",
        "npm_config_script_shell",
        "BASH_FUNC_git%%",
        "SKILLFUL_SANDBOX",
    ];
    for name in names {
        let quoted = format!("  \"{name}\": {{default: ./evil, required: true}}");
        let mut world = world(&quoted);
        world.environment.variables.insert(name.to_owned(), "./outside".to_owned());
        world.file(OWN, format!(r#"{{"{name}": "./given"}}"#));
        let found = resolved(&world);
        assert!(found.values.is_empty(), "{name} is set");
        assert_eq!(found.missing, [name]);
        assert!(
            found.diagnostics.iter().any(|one| one.message.contains("which code other programs run")),
            "{name}"
        );
    }
    check(&world("  GIT_AUTHOR_NAME: ada"), "GIT_AUTHOR_NAME", "ada", Source::Default);
    Attempts::of("no_variable_decides_which_code_commands_run").refused(names.len()).honest(1).report();
}
