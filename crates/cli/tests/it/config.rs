use crate::{bare, machine};
use insta::assert_snapshot;

#[test]
fn every_value_says_where_it_comes_from() {
    let machine = machine();
    machine.file("home/.config/skillful/config.toml", "ignore = [\"*-draft\"]\n\n[scan]\ndepth = 3\n\n[sources]\ncodex = false\n");
    machine.file("work/.skillful/config.toml", "ignore = [\"secret-*\"]\n");
    assert_snapshot!(machine.see("config"), @"");
}

#[test]
fn a_repository_can_disable_and_never_enable() {
    let machine = bare();
    machine.skill("home/.agents/skills/one", "One.");
    machine.skill("home/.agents/skills/two", "Two.");
    machine.run("disable two");
    machine.file(
        "work/.skillful/config.toml",
        "custom = [\"/tmp\"]\n[[skill]]\nname = \"one\"\nenabled = false\n[[skill]]\nname = \"two\"\nenabled = true\n",
    );
    assert_snapshot!(machine.see("list"), @"");
}

#[test]
fn disable_and_enable_keep_the_file_as_it_was_written() {
    let machine = bare();
    machine.file("home/.config/skillful/config.toml", "# mine\nsystem = false # no thanks\n");
    machine.skill("home/.agents/skills/one", "One.");
    assert_snapshot!(machine.see("disable one"), @"");
    assert_snapshot!(machine.text("home/.config/skillful/config.toml"), @"");
    assert_snapshot!(machine.see("list"), @"");
    assert_snapshot!(machine.see("enable one"), @"");
    assert_eq!(machine.text("home/.config/skillful/config.toml"), "# mine\nsystem = false # no thanks\n");
    assert_snapshot!(machine.see("enable --project one"), @"");
}

#[test]
fn one_of_two_with_the_same_name_is_disabled_by_its_path() {
    let machine = bare();
    machine.skill("work/.agents/skills/deploy", "Of the project.");
    machine.skill("home/.agents/skills/deploy", "Of the person.");
    assert_snapshot!(machine.see("disable deploy --trust-project"), @"");
    assert_snapshot!(machine.see("list --trust-project"), @"");
}

#[test]
fn a_broken_configuration_is_told_and_stops_nothing() {
    let machine = machine();
    machine.file("home/.config/skillful/config.toml", "system = maybe\n");
    machine.skill("home/.agents/skills/one", "One.");
    assert_snapshot!(machine.see("list --names"), @"");
}

#[test]
fn skillful_home_moves_everything() {
    let machine = bare();
    let home = machine.path("elsewhere").display().to_string();
    let machine = machine.variable("SKILLFUL_HOME", &home);
    machine.file("elsewhere/skills/own/SKILL.md", "---\nname: own\ndescription: Own.\n---\nBody\n");
    assert_snapshot!(machine.see("list --names"), @"");
    assert!(machine.exists("elsewhere/cache") && machine.exists("elsewhere/data"));
    assert!(!machine.exists("home/.cache"));
}

#[test]
fn a_host_is_added_by_a_file() {
    let machine = bare();
    machine.file(
        "home/.config/skillful/hosts/mine.toml",
        "id = \"mine\"\ntitle = \"Mine\"\nevidence = \"folders\"\n[[root]]\nscope = \"user\"\npath = \"~/.mine/skills\"\n",
    );
    machine.file("home/.config/skillful/hosts/bad.toml", "id = \"bad\"\nwhat = 1\n");
    machine.skill("home/.mine/skills/one", "One.");
    assert_snapshot!(machine.see("list"), @"");
}
