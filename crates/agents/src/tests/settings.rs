//! Settings and variables of agents, each as the real program was measured by `tests/peers`.

use super::{Listed, World, skill, world};

const SKILLS: [&str; 3] = ["pa", "pb", "ua"];

/// A project with two skills and a user with one, in folders that OpenCode and Gemini CLI read.
fn with(files: &[(&str, &str)]) -> World {
    let texts = SKILLS.map(skill);
    let mut all = vec![
        ("work/.git/objects/.keep", ""),
        ("work/.git/refs/.keep", ""),
        ("work/.agents/skills/pa/SKILL.md", texts[0].as_str()),
        ("work/.agents/skills/pb/SKILL.md", texts[1].as_str()),
        ("home/.agents/skills/ua/SKILL.md", texts[2].as_str()),
    ];
    all.extend_from_slice(files);
    world(&all)
}

/// The names that the model is shown.
fn shown(world: &World, agent: &str) -> String {
    let view = world.view(agent);
    let seen = view.seen.iter().filter(|seen| seen.listed == Listed::Model);
    seen.map(|seen| seen.name.as_str()).collect::<Vec<_>>().join(" ")
}

const GLOBAL: &str = "home/.config/opencode/opencode.json";
const PROJECT: &str = "work/opencode.json";
const DOT: &str = "work/.opencode/opencode.json";

#[test]
fn permissions_of_opencode_decide_what_its_model_is_shown() {
    for (settings, wanted) in [
        (r#"{"permission": {"skill": {"pa": "deny"}}}"#, "pb ua"),
        (r#"{"permission": {"skill": {"pa": "ask"}}}"#, "pa pb ua"),
        (r#"{"permission": {"skill": "deny"}}"#, ""),
        (r#"{"permission": {"skill": {"*": "deny", "p*": "allow"}}}"#, "pa pb"),
        (r#"{"permission": {"skill": {"pa": "allow", "*": "deny"}}}"#, ""),
        (r#"{"permission": "deny"}"#, ""),
        (r#"{"permission": {"*": "deny", "skill": {"pa": "allow"}}}"#, "pa"),
        (r#"{"permission": {"skill": "allow", "*": "deny"}}"#, ""),
        (r#"{"permission": {"s?ill": {"pa": "deny"}}}"#, "pb ua"),
        (r#"{"permission": {"skill": "never"}}"#, ""),
        (r#"{"tools": {"skill": false}}"#, ""),
        (r#"{"tools": {"skill": false}, "permission": {"skill": {"pa": "deny"}}}"#, "pb ua"),
        (r#"{"tools": {"skill": "no"}}"#, ""),
        (r#"{"agent": {"build": {"permission": {"skill": {"pa": "deny"}}}}}"#, "pb ua"),
        (r#"{"agent": {"build": {"tools": {"skill": false}}}}"#, ""),
        (r#"{"agent": {"plan": {"permission": "deny"}}}"#, "pa pb ua"),
        (r#"{"default_agent": "plan", "agent": {"plan": {"permission": "deny"}}}"#, ""),
        (r#"{"default_agent": "missing"}"#, ""),
        (r#"{"default_agent": "general"}"#, ""),
        (
            r#"{"agent": {"build": {"disable": true}, "plan": {"permission": {"skill": {"pa": "deny"}}}}}"#,
            "pb ua",
        ),
        (r#"{"mode": {"build": {"tools": {"skill": false}}}}"#, ""),
    ] {
        assert_eq!(shown(&with(&[(GLOBAL, settings)]), "opencode"), wanted, "{settings}");
    }
}

#[test]
fn a_role_in_a_file_has_permissions_too() {
    let denies = "---\npermission:\n  skill:\n    pa: deny\n---\nYou build.\n";
    for file in ["work/.opencode/agent/build.md", "home/.config/opencode/agents/build.md"] {
        assert_eq!(shown(&with(&[(file, denies)]), "opencode"), "pb ua", "{file}");
    }
    let off = "---\ntools:\n  skill: false\n---\nYou build.\n";
    assert_eq!(shown(&with(&[("work/.opencode/modes/build.md", off)]), "opencode"), "");
    let starts = "---\nmode: primary\npermission: deny\n---\nYou review.\n";
    let files =
        [("home/.config/opencode/agent/team/rev.md", starts), (GLOBAL, r#"{"default_agent": "team/rev"}"#)];
    assert_eq!(shown(&with(&files), "opencode"), "");
}

#[test]
fn the_files_of_opencode_are_merged_in_its_order() {
    let no = r#"{"permission": {"skill": {"pa": "deny"}}}"#;
    let yes = r#"{"permission": {"skill": {"pa": "allow"}}}"#;
    let all = "pa pb ua";
    for (files, wanted) in [
        ([(GLOBAL, no), (PROJECT, yes)], all),
        ([(PROJECT, no), (DOT, yes)], all),
        ([(DOT, yes), ("home/.opencode/opencode.json", no)], "pb ua"),
        ([(GLOBAL, no), ("home/.config/opencode/opencode.jsonc", yes)], all),
        ([("home/.config/opencode/config.json", no), (GLOBAL, yes)], all),
        // The place of the first file counts, so that the star stays last.
        ([(GLOBAL, r#"{"permission": {"skill": {"pa": "deny", "*": "allow"}}}"#), (PROJECT, no)], all),
        // A word replaces a mapping, and a mapping a word.
        ([(GLOBAL, no), (PROJECT, r#"{"permission": {"skill": "allow"}}"#)], all),
        ([(GLOBAL, r#"{"permission": {"skill": "deny"}}"#), (PROJECT, yes)], all),
    ] {
        assert_eq!(shown(&with(&files), "opencode"), wanted, "{files:?}");
    }
    let mut deep = with(&[(DOT, no), ("work/sub/.opencode/opencode.json", yes)]);
    deep.cwd = "work/sub";
    assert_eq!(shown(&deep, "opencode"), "pb ua", "the farthest folder wins");
    let mut deep = with(&[(PROJECT, no), ("work/sub/opencode.json", yes)]);
    deep.cwd = "work/sub";
    assert_eq!(shown(&deep, "opencode"), all, "the nearest file wins");
}

#[test]
fn variables_of_opencode_are_settings_too() {
    let no = r#"{"permission": {"skill": {"pa": "deny"}}}"#;
    let set = |files: &[(&str, &str)], name: &str, value: &str| {
        shown(&with(files).variable(name, value), "opencode")
    };
    assert_eq!(set(&[], "OPENCODE_CONFIG_CONTENT", no), "pb ua");
    assert_eq!(set(&[], "OPENCODE_CONFIG_CONTENT", "{"), "");
    assert_eq!(set(&[], "OPENCODE_PERMISSION", r#"{"skill": {"pa": "deny"}}"#), "pb ua");
    assert_eq!(set(&[], "OPENCODE_PERMISSION", "{skill"), "pa pb ua");
    assert_eq!(set(&[("x.json", no)], "OPENCODE_CONFIG", "../x.json"), "pb ua");
    assert_eq!(set(&[("x/opencode.json", no)], "OPENCODE_CONFIG_DIR", "../x"), "pb ua");
    assert_eq!(set(&[(PROJECT, no)], "OPENCODE_DISABLE_PROJECT_CONFIG", "TRUE"), "pa pb ua");
    assert_eq!(set(&[(PROJECT, no)], "OPENCODE_DISABLE_PROJECT_CONFIG", "yes"), "pb ua");
    assert_eq!(set(&[], "OPENCODE_DISABLE_EXTERNAL_SKILLS", "yes"), "");
    assert_eq!(set(&[], "OPENCODE_DISABLE_EXTERNAL_SKILLS", "0"), "pa pb ua");
}

#[test]
fn values_of_opencode_may_be_variables_and_files() {
    let extra = skill("xa");
    let extra = ("home/extra/xa/SKILL.md", extra.as_str());
    let paths = |text: &str| format!(r#"{{"skills": {{"paths": ["{text}"]}}}}"#);
    let by_variable = with(&[extra, (GLOBAL, &paths("{env:WHERE}"))]).variable("WHERE", "~/extra");
    assert_eq!(shown(&by_variable, "opencode"), "pa pb ua xa");
    let by_file = [extra, (GLOBAL, &paths("{file:./x.txt}")), ("home/.config/opencode/x.txt", "~/extra\n")];
    assert_eq!(shown(&with(&by_file), "opencode"), "pa pb ua xa");
    assert_eq!(shown(&with(&[extra, (GLOBAL, &paths("{file:./x.txt}"))]), "opencode"), "");
    assert_eq!(shown(&with(&[(GLOBAL, r#"{"skills": {"paths": "~/extra"}}"#)]), "opencode"), "");
    assert_eq!(shown(&with(&[extra, (GLOBAL, r#"{"skills": ["~/extra"]}"#)]), "opencode"), "pa pb ua xa");
}

#[test]
fn skills_of_a_server_are_a_note() {
    let world = with(&[(GLOBAL, r#"{"skills": {"urls": ["https://example.org/skills"]}}"#)]);
    let notes = world.view("opencode").notes;
    assert_eq!(notes, ["OpenCode downloads skills from 1 server, which this view does not show"]);
}

const USER: &str = "home/.gemini/settings.json";
const OWN: &str = "work/.gemini/settings.json";
const FOLDERS: &str = "home/.gemini/trustedFolders.json";

/// What Gemini CLI shows in a trusted folder.
fn gemini(files: &[(&str, &str)]) -> String {
    shown(&with(files).variable("GEMINI_CLI_TRUST_WORKSPACE", "true"), "gemini-cli")
}

#[test]
fn settings_of_gemini_disable_skills() {
    let off = r#"{"skills": {"disabled": ["PA"]}}"#;
    for (files, wanted) in [
        (vec![(USER, off)], "pb ua"),
        (vec![(USER, off), (OWN, r#"{"skills": {"disabled": ["ua"]}}"#)], "pb"),
        (vec![(USER, off), (OWN, r#"{"skills": {"disabled": []}}"#)], "pb ua"),
        (vec![(USER, r#"{"skills": {"disabled": "pa"}}"#)], "pb ua"),
        (vec![(USER, r#"{"skills": {"disabled": [5]}}"#)], ""),
        (vec![(USER, r#"{"skills": {"disabled": null}}"#)], ""),
        (vec![(USER, r#"{"skills": {"enabled": false}}"#)], ""),
        (vec![(USER, r#"{"skills": {"enabled": "False"}}"#)], ""),
        (vec![(USER, r#"{"skills": {"enabled": 0}}"#)], ""),
        (vec![(USER, r#"{"skills": {"enabled": null}}"#)], "pa pb ua"),
        (
            vec![(USER, r#"{"skills": {"enabled": false}}"#), (OWN, r#"{"skills": {"enabled": true}}"#)],
            "pa pb ua",
        ),
        (vec![(USER, r#"{"admin": {"skills": {"enabled": false}}}"#)], "pa pb ua"),
        (vec![(USER, "[]")], ""),
        (vec![(USER, "")], ""),
        (vec![(USER, "\u{feff}{}")], ""),
        (vec![(USER, "{},")], ""),
        (vec![(USER, "{/* a */}")], "pa pb ua"),
    ] {
        assert_eq!(gemini(&files), wanted, "{files:?}");
    }
}

#[test]
fn values_of_gemini_may_be_variables() {
    for (text, wanted) in
        [("$NAME", "pb ua"), ("${NAME}", "pb ua"), ("${NOT_SET:-pa}", "pb ua"), ("$NOT_SET", "pa pb ua")]
    {
        let settings = format!(r#"{{"skills": {{"disabled": ["{text}"]}}}}"#);
        let world =
            with(&[(USER, &settings)]).variable("NAME", "pa").variable("GEMINI_CLI_TRUST_WORKSPACE", "true");
        assert_eq!(shown(&world, "gemini-cli"), wanted, "{text}");
    }
}

#[test]
fn system_settings_of_gemini_are_where_a_variable_says() {
    let off = r#"{"skills": {"disabled": ["pa"]}}"#;
    for (file, name) in
        [("x/s.json", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"), ("x/s.json", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH")]
    {
        let world = with(&[(file, off)]).variable("GEMINI_CLI_TRUST_WORKSPACE", "true");
        let path = world.root().join(file).display().to_string();
        assert_eq!(shown(&world.variable(name, &path), "gemini-cli"), "pb ua", "{name}");
    }
    // The defaults lie beside the settings.
    let world = with(&[("x/system-defaults.json", off)]).variable("GEMINI_CLI_TRUST_WORKSPACE", "true");
    let path = world.root().join("x/s.json").display().to_string();
    assert_eq!(shown(&world.variable("GEMINI_CLI_SYSTEM_SETTINGS_PATH", &path), "gemini-cli"), "pb ua");
}

#[test]
fn gemini_asks_for_trust_before_it_reads_a_project() {
    let all = "pa pb ua";
    let waived = r#"{"security": {"folderTrust": {"enabled": false}}}"#;
    let demanded = r#"{"security": {"folderTrust": {"enabled": true}}}"#;
    for (files, wanted) in [
        (vec![], "ua"),
        (vec![(OWN, waived)], "ua"),
        (vec![(USER, waived)], all),
        (vec![(USER, waived), (OWN, demanded)], "ua"),
        (vec![(OWN, r#"{"skills": {"disabled": ["ua"]}}"#)], "ua"),
        (vec![(OWN, "{")], ""),
    ] {
        assert_eq!(shown(&with(&files), "gemini-cli"), wanted, "{files:?}");
    }
    for (rules, wanted) in [
        (vec![("work", "TRUST_FOLDER")], all),
        (vec![("", "TRUST_FOLDER")], all),
        (vec![("work/sub", "TRUST_PARENT")], all),
        (vec![("", "TRUST_FOLDER"), ("work", "DO_NOT_TRUST")], "ua"),
        // The longest path decides, and not the nearest folder.
        (vec![("work", "DO_NOT_TRUST"), ("work/sub", "TRUST_PARENT")], all),
        (vec![("work", "TRUST_FOLDER"), ("x", "YES")], ""),
    ] {
        let world = with(&[]);
        let path =
            |folder: &str| world.root().join(folder).display().to_string().trim_end_matches('/').to_owned();
        let rules: Vec<String> =
            rules.iter().map(|(folder, word)| format!(r#""{}": "{word}""#, path(folder))).collect();
        std::fs::create_dir_all(world.root().join("home/.gemini")).unwrap();
        std::fs::write(world.root().join(FOLDERS), format!("{{{}}}", rules.join(", "))).unwrap();
        assert_eq!(shown(&world, "gemini-cli"), wanted, "{rules:?}");
    }
}
