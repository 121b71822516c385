//! Plugins and extensions under the rules of administrators, settings and trusted projects, each as the real program was
//! measured by `tests/peers`.

use super::{World, skill, world};
use std::{fs, os::unix::fs::symlink};

/// Writes files in which `{WORLD}` stands for the folder of the world.
fn write(world: &World, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = world.root().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("{WORLD}", &world.root().display().to_string())).unwrap();
    }
}

fn names(world: &World, agent: &str) -> String {
    let view = world.view_over_etc(agent);
    view.seen.iter().map(|seen| seen.name.clone()).collect::<Vec<_>>().join(" ")
}

const CLAUDE_USER: &str = "home/.claude/settings.json";
const CLAUDE_MANAGED: &str = "etc/claude-code/managed-settings.json";
const MARKET: &str = "home/.claude/plugins/marketplaces/m";
const ENABLED: &str = r#"{"enabledPlugins": {"p1@m": true}}"#;

/// A skill of the administrator, one of the user, one of the project and an enabled plugin with one.
fn claude(files: &[(&str, &str)]) -> World {
    let texts = ["ma", "ua", "pa", "s1"].map(skill);
    let world = world(&[
        ("etc/claude-code/.claude/skills/ma/SKILL.md", texts[0].as_str()),
        ("home/.claude/skills/ua/SKILL.md", texts[1].as_str()),
        ("work/.claude/skills/pa/SKILL.md", texts[2].as_str()),
        ("home/.claude/plugins/cache/m/p1/1.0.0/skills/s1/SKILL.md", texts[3].as_str()),
        ("home/.claude/plugins/cache/m/p1/1.0.0/.claude-plugin/plugin.json", r#"{"name": "p1"}"#),
        (
            &format!("{MARKET}/.claude-plugin/marketplace.json"),
            r#"{"plugins": [{"name": "p1", "source": "./p1"}]}"#,
        ),
        (CLAUDE_USER, ENABLED),
    ]);
    write(
        &world,
        &[
            (
                "home/.claude/plugins/known_marketplaces.json",
                r#"{"m": {"source": {"source": "github", "repo": "o/r"}, "installLocation": "{WORLD}/home/.claude/plugins/marketplaces/m"}}"#,
            ),
            (
                "home/.claude/plugins/installed_plugins.json",
                r#"{"plugins": {"p1@m": [{"scope": "user", "installPath": "{WORLD}/home/.claude/plugins/cache/m/p1/1.0.0"}]}}"#,
            ),
        ],
    );
    write(&world, files);
    world
}

#[test]
fn an_administrator_limits_claude_code_to_skills_of_plugins() {
    let all = "ma ua pa p1:s1";
    for (file, value, wanted) in [
        (CLAUDE_MANAGED, r#"["skills"]"#, "ma p1:s1"),
        (CLAUDE_MANAGED, "true", "ma p1:s1"),
        (CLAUDE_MANAGED, r#"["hooks"]"#, all),
        (CLAUDE_MANAGED, "false", all),
        ("work/.claude/settings.json", r#"["skills"]"#, all),
    ] {
        let settings = format!(r#"{{"strictPluginOnlyCustomization": {value}}}"#);
        assert_eq!(
            sorted(&names(&claude(&[(file, &settings)]), "claude-code")),
            sorted(wanted),
            "{file} {value}"
        );
    }
}

fn sorted(words: &str) -> Vec<&str> {
    let mut words: Vec<&str> = words.split(' ').collect();
    words.sort_unstable();
    words
}

#[test]
fn an_administrator_decides_which_marketplaces_claude_code_has() {
    let this = r#"[{"source": "github", "repo": "o/r"}]"#;
    let other = r#"[{"source": "github", "repo": "o/x"}]"#;
    for (file, key, value, is_loaded) in [
        (CLAUDE_MANAGED, "blockedMarketplaces", this, false),
        (CLAUDE_MANAGED, "blockedMarketplaces", other, true),
        (CLAUDE_MANAGED, "strictKnownMarketplaces", "[]", false),
        (CLAUDE_MANAGED, "strictKnownMarketplaces", other, false),
        (CLAUDE_MANAGED, "strictKnownMarketplaces", this, true),
        ("work/.claude/settings.local.json", "blockedMarketplaces", this, true),
    ] {
        let world = claude(&[(file, &format!(r#"{{"{key}": {value}}}"#))]);
        assert_eq!(names(&world, "claude-code").contains("p1:s1"), is_loaded, "{file} {key} {value}");
    }
}

#[test]
fn a_skill_of_a_plugin_of_claude_code_stays_in_its_plugin() {
    let (inside, outside) = (skill("inside"), skill("outside"));
    let plugin = "home/.claude/plugins/cache/m/p1/1.0.0";
    let world =
        claude(&[(&format!("{plugin}/other/inside/SKILL.md"), &inside), ("away/outside/SKILL.md", &outside)]);
    symlink("../other/inside", world.root().join(plugin).join("skills/inside")).unwrap();
    symlink(world.root().join("away/outside"), world.root().join(plugin).join("skills/outside")).unwrap();
    let names = names(&world, "claude-code");
    assert!(names.contains("p1:inside") && !names.contains("outside"), "{names}");
}

#[test]
fn claude_code_refuses_a_plugin_whose_manifest_is_not_sound() {
    for (manifest, is_loaded) in [
        (r#"{"name": "P-One"}"#, true),
        (r#"{"name": "p one"}"#, false),
        (r#"{"name": "p1", "skills": "./skills"}"#, true),
        (r#"{"name": "p1", "skills": "skills"}"#, false),
        (r#"{"name": "p1", "skills": 5}"#, false),
        (r#"{"name": "p1", "agents": 5}"#, false),
        (r#"{"name": "p1", "commands": {"go": {"source": "./go.md"}}}"#, true),
        (r#"{"name": "p1", "zzz": 5}"#, true),
    ] {
        let file = "home/.claude/plugins/cache/m/p1/1.0.0/.claude-plugin/plugin.json";
        assert_eq!(
            names(&claude(&[(file, manifest)]), "claude-code").contains(":s1"),
            is_loaded,
            "{manifest}"
        );
    }
}

#[test]
fn a_wrong_value_of_one_plugin_breaks_the_settings_of_claude_code() {
    for (value, is_read) in
        [("false", true), (r#"["x"]"#, true), (r#""true""#, false), ("null", false), ("5", false)]
    {
        let settings =
            format!(r#"{{"enabledPlugins": {{"p2@m": {value}}}, "skillOverrides": {{"pa": "off"}}}}"#);
        let names = names(&claude(&[(CLAUDE_USER, &settings)]), "claude-code");
        assert_eq!(!names.contains("pa"), is_read, "{value}");
    }
}

#[test]
fn files_of_the_administrators_folder_count_unless_they_are_hidden() {
    let off = r#"{"skillOverrides": {"pa": "off"}}"#;
    let folder = "etc/claude-code/managed-settings.d";
    for (file, text, wanted) in [
        ("10.json", off, vec!["ma", "p1:s1", "ua"]),
        (".10.json", off, vec!["ma", "p1:s1", "pa", "ua"]),
        ("10.txt", off, vec!["ma", "p1:s1", "pa", "ua"]),
        ("10.json", "{", vec![""]),
    ] {
        let world = claude(&[(&format!("{folder}/{file}"), text)]);
        assert_eq!(sorted(&names(&world, "claude-code")), wanted, "{file} {text}");
    }
}

const CODEX_USER: &str = "home/.codex/config.toml";
const ON: &str = "[plugins.\"p1@m\"]\nenabled = true\n";
const OFF: &str = "[plugins.\"p1@m\"]\nenabled = false\n";

/// A plugin of Codex with one skill.
fn codex(files: &[(&str, &str)]) -> World {
    let one = skill("s1");
    let plugin = "home/.codex/plugins/cache/m/p1/1.0.0";
    let world = world(&[
        (&format!("{plugin}/skills/s1/SKILL.md"), one.as_str()),
        (&format!("{plugin}/.codex-plugin/plugin.json"), r#"{"name": "p1"}"#),
    ]);
    write(&world, files);
    world
}

fn trusted(folder: &str, word: &str) -> String {
    format!("[projects.\"{{WORLD}}/{folder}\"]\ntrust_level = \"{word}\"\n")
}

#[test]
fn codex_reads_the_settings_of_a_project_that_the_user_trusts() {
    let (work, above) = (trusted("work", "trusted"), trusted("", "trusted").replace("/\"", "\""));
    let project = "work/.codex/config.toml";
    for (user, own, wanted) in [
        (String::new(), ON, ""),
        (work.clone(), ON, "p1:s1"),
        (format!("{ON}{work}"), OFF, ""),
        (format!("{ON}{}", trusted("work", "untrusted")), OFF, "p1:s1"),
        // A folder above the project says nothing of it, and neither does a path with a slash at its end.
        (above, ON, ""),
        (trusted("work/", "trusted"), ON, ""),
        // Broken settings of a project that is not trusted are not read.
        (ON.to_owned(), "[[", "p1:s1"),
        (format!("{ON}{work}"), "plugins = 5\n", ""),
    ] {
        assert_eq!(names(&codex(&[(CODEX_USER, &user), (project, own)]), "codex"), wanted, "{user}\n{own}");
    }
}

#[test]
fn the_nearest_word_about_trust_decides_in_codex() {
    let inner = "work/sub/.codex/config.toml";
    for (user, wanted) in [
        (trusted("work", "trusted"), "p1:s1"),
        (trusted("work/sub", "trusted"), "p1:s1"),
        (trusted("work", "trusted") + &trusted("work/sub", "untrusted"), ""),
    ] {
        let mut world = codex(&[(CODEX_USER, &user), (inner, ON)]);
        world.cwd = "work/sub";
        assert_eq!(names(&world, "codex"), wanted, "{user}");
    }
}

#[test]
fn an_administrator_of_codex_decides_about_plugins() {
    let features = |on: bool| format!("[features]\nplugins = {on}\n");
    for (file, text, user, wanted) in [
        ("etc/codex/config.toml", ON.to_owned(), String::new(), "p1:s1"),
        ("etc/codex/config.toml", ON.to_owned(), OFF.to_owned(), ""),
        ("etc/codex/managed_config.toml", OFF.to_owned(), ON.to_owned(), ""),
        ("etc/codex/managed_config.toml", features(false), ON.to_owned(), ""),
        ("etc/codex/requirements.toml", features(false), ON.to_owned(), ""),
        ("etc/codex/requirements.toml", features(true), features(false) + ON, "p1:s1"),
        ("etc/codex/requirements.toml", OFF.to_owned(), ON.to_owned(), "p1:s1"),
    ] {
        assert_eq!(
            names(&codex(&[(file, &text), (CODEX_USER, &user)]), "codex"),
            wanted,
            "{file}\n{text}{user}"
        );
    }
}

#[test]
fn codex_takes_folders_of_a_manifest_that_start_with_a_dot_and_stay_inside() {
    let (first, second) = (skill("e1"), skill("e2"));
    let plugin = "home/.codex/plugins/cache/m/p1/1.0.0";
    for (value, wanted) in [
        (r#""./extra""#, "p1:e1"),
        (r#"["./extra", "./more"]"#, "p1:e1 p1:e2"),
        (r#"["extra", "./more"]"#, "p1:e2"),
        (r#"["../../x", "./more"]"#, "p1:e2"),
        (r#"[5, "./more"]"#, "p1:s1"),
        (r#""extra""#, "p1:s1"),
        ("5", "p1:s1"),
        ("[]", "p1:s1"),
    ] {
        let manifest = format!(r#"{{"name": "p1", "skills": {value}}}"#);
        let files = [
            (format!("{plugin}/extra/e1/SKILL.md"), first.as_str()),
            (format!("{plugin}/more/e2/SKILL.md"), second.as_str()),
            (format!("{plugin}/.codex-plugin/plugin.json"), manifest.as_str()),
            (CODEX_USER.to_owned(), ON),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        assert_eq!(names(&codex(&files), "codex"), wanted, "{value}");
    }
}

/// An extension of Gemini CLI with one skill, and what its settings and records say.
fn gemini(files: &[(&str, &str)]) -> String {
    let one = skill("e1");
    let world = world(&[
        ("home/.gemini/extensions/ext/skills/e1/SKILL.md", one.as_str()),
        ("home/.gemini/extensions/ext/gemini-extension.json", r#"{"name": "ext", "version": "1.0.0"}"#),
    ]);
    write(&world, files);
    names(&world.variable("GEMINI_CLI_TRUST_WORKSPACE", "true"), "gemini-cli")
}

#[test]
fn settings_of_gemini_decide_from_where_extensions_may_come() {
    let record = "home/.gemini/extensions/ext/.gemini-extension-install.json";
    let git = r#"{"source": "o/r", "type": "git"}"#;
    for (security, installed, wanted) in [
        (r#""blockGitExtensions": true"#, git, ""),
        (r#""blockGitExtensions": false"#, git, "e1"),
        (r#""blockGitExtensions": true"#, r#"{"source": "/x", "type": "local"}"#, "e1"),
        (r#""allowedExtensions": ["o/.*"]"#, git, "e1"),
        (r#""allowedExtensions": ["z/.*"]"#, git, ""),
        (r#""allowedExtensions": []"#, git, "e1"),
        // A pattern allows what is blocked otherwise.
        (r#""blockGitExtensions": true, "allowedExtensions": ["o/.*"]"#, git, "e1"),
    ] {
        let settings = format!(r#"{{"security": {{{security}}}}}"#);
        let files = [("home/.gemini/settings.json", settings.as_str()), (record, installed)];
        assert_eq!(gemini(&files), wanted, "{security} {installed}");
    }
}

#[test]
fn gemini_does_not_start_with_an_extension_that_it_cannot_judge() {
    let (project, patterns) = (skill("pa"), r#"{"security": {"allowedExtensions": ["z/.*"]}}"#);
    let own = ("work/.agents/skills/pa/SKILL.md", project.as_str());
    assert_eq!(gemini(&[own]), "e1 pa");
    assert_eq!(
        gemini(&[own, ("home/.gemini/settings.json", patterns)]),
        "",
        "no record of where it came from"
    );
    let twin =
        ("home/.gemini/extensions/other/gemini-extension.json", r#"{"name": "ext", "version": "2.0.0"}"#);
    assert_eq!(gemini(&[own, twin]), "", "two extensions have one name");
}

#[test]
fn the_last_rule_for_a_folder_decides_about_an_extension() {
    for (rules, wanted) in [
        (r#"["!{WORLD}/*"]"#, ""),
        (r#"["!{WORLD}/work/*"]"#, ""),
        (r#"["!{WORLD}/"]"#, "e1"),
        (r#"["!{WORLD}/w*k/"]"#, ""),
        (r#"["!{WORLD}/*", "{WORLD}/work/*"]"#, "e1"),
        (r#"["{WORLD}/work/*", "!{WORLD}/*"]"#, ""),
        (r#""!/*""#, "e1"),
        ("[]", "e1"),
    ] {
        let text = format!(r#"{{"ext": {{"overrides": {rules}}}}}"#);
        assert_eq!(
            gemini(&[("home/.gemini/extensions/extension-enablement.json", &text)]),
            wanted,
            "{rules}"
        );
    }
    let other = r#"{"EXT": {"overrides": ["!/*"]}}"#;
    assert_eq!(gemini(&[("home/.gemini/extensions/extension-enablement.json", other)]), "e1");
}
