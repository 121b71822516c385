//! Copilot, Kilo Code, Kimi Code and Continue, each as the real program was measured by `tests/peers`.

use super::{World, skill, world};

const GIT: [(&str, &str); 2] = [("work/.git/objects/.keep", ""), ("work/.git/refs/.keep", "")];

/// A project and a user with one skill each, and further files.
fn with(files: &[(&str, &str)]) -> World {
    let texts = ["pa", "ua", "uc"].map(skill);
    let mut all = GIT.to_vec();
    all.extend([
        ("work/.agents/skills/pa/SKILL.md", texts[0].as_str()),
        ("home/.agents/skills/ua/SKILL.md", texts[1].as_str()),
        ("home/.copilot/skills/uc/SKILL.md", texts[2].as_str()),
    ]);
    all.extend_from_slice(files);
    world(&all)
}

fn names(world: &World, agent: &str) -> String {
    world.view(agent).seen.iter().map(|seen| seen.name.clone()).collect::<Vec<_>>().join(" ")
}

#[test]
fn settings_of_copilot_decide_what_it_lists() {
    let extra = skill("extra");
    for (settings, wanted) in [
        (r#"{"disabledSkills": ["pa"]}"#, "uc ua"),
        (r#"{"disabledSkills": ["PA"]}"#, "pa uc ua"),
        (r#"{"disabled_skills": ["pa",],} // old"#, "uc ua"),
        (r#"{"disabledSkills": "pa"}"#, "pa uc ua"),
        (r#"{"ignoredSkillsLocations": ["~/.copilot"]}"#, "pa ua"),
        (r#"{"ignoredSkillsLocations": [".agents/skills"]}"#, "pa uc ua"),
        (r#"{"skillDirectories": ["more"]}"#, "pa uc ua extra"),
        (r#"{"skillDirectories": ["~/more"]}"#, "pa uc ua"),
    ] {
        let files = [("home/.copilot/settings.json", settings), ("work/more/e/SKILL.md", extra.as_str())];
        assert_eq!(names(&with(&files), "github-copilot"), wanted, "{settings}");
    }
    let files = [("work/more/e/SKILL.md", extra.as_str())];
    let listed = with(&files).variable("COPILOT_SKILLS_DIRS", " more , ,");
    assert_eq!(names(&listed, "github-copilot"), "pa uc ua extra");
    let world = with(&files);
    let elsewhere = world.root().join("nowhere");
    let moved = world.variable("COPILOT_HOME", &elsewhere.display().to_string());
    assert_eq!(names(&moved, "github-copilot"), "pa");
}

#[test]
fn copilot_searches_in_depth_and_reads_command_files_last() {
    let (first, second) = (skill("twice"), skill("twice"));
    let command = skill("named");
    let world = with(&[
        ("work/.agents/skills/a/b/SKILL.md", first.as_str()),
        ("work/.agents/skills/twice/SKILL.md", second.as_str()),
        ("work/.claude/commands/file.md", command.as_str()),
        ("work/.claude/commands/plain.MD", "# Heading\n\nOne\ntwo\n"),
        ("work/.claude/commands/sub/inner.md", command.as_str()),
        ("home/.claude/skills/no/SKILL.md", command.as_str()),
    ]);
    let view = world.view("github-copilot");
    let paths: Vec<String> = view.seen.iter().map(|seen| world.short(&seen.file)).collect();
    assert!(paths.contains(&"work/.agents/skills/a/b/SKILL.md".to_owned()), "{paths:?}");
    assert_eq!(names(&world, "github-copilot"), "twice pa uc ua named plain");
    assert_eq!(view.seen.last().and_then(|seen| seen.description.as_deref()), Some("One two"));
}

#[test]
fn plugins_of_copilot_are_those_of_its_list() {
    let one = skill("shared");
    let list = |enabled: &str, root: &std::path::Path| {
        let plugin = |name: &str| {
            let folder = root.join("home/.copilot/installed-plugins/mk").join(name);
            format!(
                r#"{{"name": "{name}", "marketplace": "mk", "enabled": {enabled}, "cache_path": "{}"}}"#,
                folder.display()
            )
        };
        format!(r#"{{"installedPlugins": [{}, {}]}}"#, plugin("pl"), plugin("pm"))
    };
    for (enabled, wanted) in [("true", "pa uc ua pl:shared pm:shared"), ("false", "pa uc ua")] {
        let world = with(&[
            ("home/.copilot/installed-plugins/mk/pl/skills/s/SKILL.md", one.as_str()),
            ("home/.copilot/installed-plugins/mk/pm/skills/s/SKILL.md", one.as_str()),
        ]);
        let config = world.root().join("home/.copilot/config.json");
        std::fs::write(config, list(enabled, &world.root())).unwrap();
        assert_eq!(names(&world, "github-copilot"), wanted);
    }
}

#[cfg(unix)]
#[test]
fn kilo_reads_no_file_that_links_lead_out_of_the_project() {
    let (kept, away) = (skill("kept"), skill("away"));
    let world = with(&[("work/.kilo/skills/k/SKILL.md", kept.as_str()), ("away/s/SKILL.md", away.as_str())]);
    std::os::unix::fs::symlink(world.root().join("away/s"), world.root().join("work/.kilo/skills/s"))
        .unwrap();
    assert_eq!(names(&world, "kilo"), "kept pa ua");
    assert_eq!(names(&world, "opencode"), "pa ua");
}

#[test]
fn kimi_and_continue_read_roots_of_their_own() {
    let (own, other) = (skill("Own"), skill("own"));
    let before = "Text before.\n---\nname: late\ndescription: Text is before it.\n---\nBody.\n";
    let world = with(&[
        ("work/.kimi-code/skills/a/SKILL.md", own.as_str()),
        ("work/.kimi-code/skills/b/SKILL.md", other.as_str()),
        ("work/.kimi-code/skills/SKILL.md", other.as_str()),
        ("work/.kimi-code/skills/.h/SKILL.md", "---\nname: hidden\ndescription: D.\n---\n"),
        ("work/.kimi-code/skills/.h/in/SKILL.md", "---\nname: inner\ndescription: D.\n---\n"),
        ("work/.continue/skills/late/SKILL.md", before),
    ]);
    assert_eq!(names(&world, "kimi-code-cli"), "hidden Own pa ua");
    assert_eq!(names(&world, "continue"), "late");
}
