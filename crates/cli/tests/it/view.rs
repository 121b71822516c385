use crate::bare;
use insta::assert_snapshot;

#[test]
fn an_agent_that_is_not_known_is_a_usage_error() {
    assert_snapshot!(bare().see("view --as nobody"), @"
    exit: 2
    ----- stderr -----
    error: there is no agent `nobody`
    hint: `skillful agents` lists the agents
    ");
    assert_snapshot!(bare().see("view --as claud"), @"
    exit: 2
    ----- stderr -----
    error: there is no agent `claud`
    hint: did you mean `claude-code`?
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
    assert_snapshot!(machine.see("view --as codex --trust-project"), @"
    exit: 0
    ----- stdout -----
    OpenAI Codex here  (compared with the real program)

    NAME  FOLDER              DESCRIPTION
    seo   .agents/skills/seo  Improve the ranking.

    OpenAI Codex does not see 3 skills:
      ~/.agents/skills/linked/SKILL.md
          OpenAI Codex skips a `SKILL.md` that is a link
          fix: replace the link with the file itself, or link the whole folder
      .agents/skills/nameless/SKILL.md
          OpenAI Codex refuses a skill without a description
          fix: add `description: …` to the frontmatter
      .claude/skills/deploy/SKILL.md
          OpenAI Codex does not read `.claude/skills`
          fix: link or copy the skill to `.agents/skills`
    ");
    let json = machine.json("view --as codex --json --trust-project");
    assert_eq!(json["agent"], "codex");
    let codes: Vec<&str> =
        json["unseen"].as_array().unwrap().iter().map(|unseen| unseen["code"].as_str().unwrap()).collect();
    assert_snapshot!(codes.join(" "), @"link description root-not-read");
}

#[test]
fn an_agent_with_everything_says_so() {
    let machine = bare();
    machine.skill("work/.agents/skills/seo", "Improve the ranking.");
    assert_snapshot!(machine.see("view --as codex --unseen --trust-project"), @"
    exit: 0
    ----- stdout -----
    OpenAI Codex here  (compared with the real program)
    it sees every skill
    ");
}
