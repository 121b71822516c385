use crate::{bare, machine};
use insta::assert_snapshot;
use skillful_testkit::TestContext;

/// The first day: a repository with skills of several agents, a plugin, and the person's own.
fn first_day() -> TestContext {
    let machine = bare();
    machine.skill("work/.claude/skills/deploy", "Ship the shop to production.");
    machine.skill("work/.agents/skills/deploy", "Deploy with the neutral folder.");
    machine.skill("work/.agents/skills/seo", "Improve the search ranking of a page.");
    machine.file("work/.claude/skills/broken/SKILL.md", "---\nname: broken\ndescription: [one, \"two\n---\nText\n");
    machine.file("work/.claude/commands/fix-issue.md", "---\ndescription: Fix one issue.\n---\nFix $ARGUMENTS\n");
    machine.file("work/.claude-plugin/plugin.json", r#"{ "name": "shop" }"#);
    machine.skill("work/skills/stock", "Count the stock.");
    machine.skill("home/.agents/skills/deploy", "My own way to deploy.");
    machine.skill("home/.agents/skills/pdf", "Read, fill and split PDF files.");
    machine.link("home/.claude/skills/pdf", "../../.agents/skills/pdf");
    machine
}

#[test]
fn untrusted_project_skill_is_listed_but_never_offered() {
    let machine = first_day();
    assert_snapshot!(machine.see("list"), @"");
    let list = machine.json("list --json");
    for skill in list["skills"].as_array().unwrap().iter().filter(|skill| skill["state"] == "untrusted") {
        for door in ["for_model", "for_person"] {
            assert_eq!(skill[door]["status"], "gated", "{skill}");
            assert!(skill[door]["reasons"].to_string().contains("not trusted"), "{skill}");
        }
    }
}

#[test]
fn a_trusted_repository_shows_who_shadows_whom() {
    let machine = first_day();
    assert_snapshot!(machine.see("list --trust-project"), @"");
}

#[test]
fn nothing_found_says_where_to_look() {
    assert_snapshot!(bare().see("list"), @"");
}

#[test]
fn shipped_skills_are_listed_and_installed_where_agents_can_read_them() {
    let machine = machine();
    assert_snapshot!(machine.see("list"), @"");
    let list = machine.json("list --json");
    let path = list["skills"][0]["path"].as_str().unwrap();
    assert!(std::fs::read_to_string(path).unwrap().starts_with("---\nname: skill-creator\n"));
}

#[test]
fn filters_narrow_the_list() {
    let machine = first_day();
    assert_snapshot!(machine.see("list --trust-project --names --scope user"), @"");
    assert_snapshot!(machine.see("list --trust-project --names --state shadowed"), @"");
    assert_snapshot!(machine.see("list --trust-project --names --host codex"), @"");
    assert_snapshot!(machine.see("list ranking --trust-project --names"), @"");
    assert_snapshot!(machine.see("list nothing-like-it"), @"");
    assert_snapshot!(machine.see("list --scope nowhere"), @"");
    assert_snapshot!(machine.see("list --state odd"), @"");
}

#[test]
fn skills_below_the_working_folder_join_when_a_file_there_is_touched() {
    let machine = bare();
    machine.skill("work/.agents/skills/deploy", "Deploy all.");
    machine.skill("work/apps/web/.agents/skills/deploy", "Deploy the web app.");
    assert_snapshot!(machine.see("list --names --trust-project"), @"");
    assert_snapshot!(machine.see("list --names --trust-project --touch apps/web/index.html"), @"");
}

#[test]
fn a_skill_cannot_write_to_the_terminal() {
    let machine = bare();
    machine.skill("home/.agents/skills/evil", "\"\\e[2J\\e]0;owned\\a text \\u202e reversed\"");
    let seen = machine.see("list");
    assert!(!seen.contains('\u{1b}') && !seen.contains('\u{202e}'), "{seen}");
    assert_snapshot!(seen, @"");
}

#[test]
fn json_into_a_pipe_is_whole_whatever_its_size() {
    let machine = bare();
    for number in 0..400 {
        machine.skill(&format!("home/.agents/skills/skill-{number:03}"), &"long description ".repeat(40));
    }
    let output = machine.run("list --json");
    assert!(output.stdout.len() > 300_000);
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(list["skills"].as_array().unwrap().len(), 400);
}

#[test]
fn the_second_list_sees_every_change() {
    let machine = bare();
    machine.skill("home/.agents/skills/one", "First.");
    assert!(machine.see("list").contains("First."));
    machine.skill("home/.agents/skills/one", "Other.");
    machine.skill("home/.agents/skills/two", "Second.");
    let seen = machine.see("list");
    assert!(seen.contains("Other.") && seen.contains("Second.") && !seen.contains("First."), "{seen}");
    std::fs::remove_dir_all(machine.path("home/.agents/skills/one")).unwrap();
    assert!(!machine.see("list").contains("Other."));
}
