use crate::bare;
use insta::assert_snapshot;

#[test]
fn an_agent_that_is_not_known_is_a_usage_error() {
    assert_snapshot!(bare().see("view --agent nobody"), @"
    exit: 2
    ----- stderr -----
    error: no agent named `nobody`
      fix:   skillful agents lists all agents
    ");
    assert_snapshot!(bare().see("view --agent claud"), @"
    exit: 2
    ----- stderr -----
    error: no agent named `claud`
      fix:   skillful view --agent claude-code
    ");
}

#[test]
fn view_says_why_codex_does_not_see_a_skill() {
    let machine = bare();
    machine.skill("work/.claude/skills/deploy", "Ship it.");
    machine.skill("work/.agents/skills/seo", "Improve the ranking.");
    machine.file("work/.agents/skills/nameless/SKILL.md", "---\nname: nameless\n---\nBody\n");
    machine.file("work/.agents/skills/.hidden/SKILL.md", "---\nname: hidden\ndescription: H.\n---\nBody\n");
    machine.file("home/.agents/skills/linked/real.md", "---\nname: linked\ndescription: L.\n---\nBody\n");
    machine.link("home/.agents/skills/linked/SKILL.md", "real.md");
    assert_snapshot!(machine.see("view --agent codex --trust-project"), @"
    exit: 0
    ----- stdout -----
    Codex loads 1 skill in [TEMP]/work   rules compared with codex 0.166.0

      .agents/skills    1  seo

    Codex misses 1 skill that another agent loads
        1  folder not read: Codex reads ~/.agents/skills, .agents/skills, .codex/skills,
           ~/.codex/skills, … 3 more
           .claude/skills  deploy
           fix: skillful view --agent codex --fix            links 1

    Codex does not load 3 skills that no other agent found here loads
        1  Codex refuses a skill without a description
           .agents/skills  nameless
           fix: add `description: …` to the frontmatter
        1  Codex does not enter hidden folders such as `.hidden`
           .agents/skills  .hidden
           fix: give the folder a name without a dot
        1  Codex skips a `SKILL.md` that is a link
           ~/.agents/skills  linked
           fix: replace the link with the file itself, or link the whole folder

    Menu: 1 skill, 95 of 8,000 characters, none shortened, none left out
    ");
    let json = machine.json("view --agent codex --json --trust-project");
    assert_eq!(json["agent"], "codex");
    let codes: Vec<&str> =
        json["unseen"].as_array().unwrap().iter().map(|unseen| unseen["code"].as_str().unwrap()).collect();
    assert_snapshot!(codes.join(" "), @"link hidden-folder description root-not-read");
}

#[test]
fn an_agent_with_everything_says_so() {
    let machine = bare();
    machine.skill("work/.agents/skills/seo", "Improve the ranking.");
    assert_snapshot!(machine.see("view --agent codex --unseen --trust-project"), @"
    exit: 0
    ----- stdout -----
    Codex loads 1 skill in [TEMP]/work   rules compared with codex 0.166.0

    Codex loads every skill found here.

    Menu: 1 skill, 95 of 8,000 characters, none shortened, none left out
    ");
}
