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
        (r#"{"default_agent": "nobody"}"#, ""),
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
}

#[test]
fn skills_of_a_server_are_a_note() {
    let world = with(&[(GLOBAL, r#"{"skills": {"urls": ["https://example.org/skills"]}}"#)]);
    let notes = world.view("opencode").notes;
    assert_eq!(notes, ["OpenCode downloads skills from 1 server, which this view does not show"]);
}
