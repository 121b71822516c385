//! What a user agrees to when trusting a folder.

use crate::fixture::{World, only, skill_with};
use skillful_catalog::capability::capabilities;

const ROOT: &str = "home/.alpha/skills";

fn capabilities_of(header: &str, body: &str) -> Vec<String> {
    let world = World::new();
    world.file(&format!("{ROOT}/one/SKILL.md"), skill_with("one", header) + body);
    let all = capabilities(only(&world.build(), "one")).into_iter();
    all.filter(|one| one != "uses every tool").collect()
}

#[test]
fn every_capability_of_frontmatter_is_a_sentence() {
    let cases: [(&str, &[&str]); 20] = [
        ("license: MIT", &[]),
        ("allowed-tools: Read Bash(git:*)", &["uses tool Bash(git:*)", "uses tool Read"]),
        ("mcp:\n  command: npx\n  args: [-y, server]", &["starts MCP server npx -y server"]),
        ("mcp:\n  url: https://x.example/mcp", &["connects to MCP server https://x.example/mcp"]),
        (
            "mcp:\n  command: npx\n  env: {A: '${TOKEN}'}",
            &[
                "gives its MCP server A=${TOKEN}",
                "gives its MCP server the variable TOKEN",
                "starts MCP server npx",
            ],
        ),
        (
            "mcp:\n  url: https://x.example/mcp\n  headers: {X-Key: '${KEY}'}",
            &[
                "connects to MCP server https://x.example/mcp",
                "gives its MCP server the variable KEY",
                "sends its MCP server X-Key: \"${KEY}\"",
            ],
        ),
        ("requires:\n  env: [TOKEN]", &["reads variable TOKEN"]),
        ("vars:\n  KEY:\n    secret: true", &["needs secret KEY"]),
        (
            "vars:\n  KEY:\n    secret: true\n    expose_to_model: true",
            &["needs secret KEY, shown to the model"],
        ),
        // Its value may come from the environment and stand in the prompt.
        ("vars:\n  PLAIN:\n    default: x", &["reads variable PLAIN, by default x"]),
        ("cli: true", &["brings a program"]),
        (
            "hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: ./a.sh\n        - type: command\n          command: ./b.sh",
            &["runs hook Stop: ./a.sh", "runs hook Stop: ./b.sh"],
        ),
        ("hooks:\n  Stop:\n    - command: [sh, -c, \"echo x\"]", &["runs hook Stop: sh -c \"echo x\""]),
        (
            "hooks:\n  Stop:\n    - type: http\n      url: https://evil.example",
            &["runs hook Stop: type http url https://evil.example"],
        ),
        ("hooks:\n  Stop: ./x.sh", &["runs hooks Stop: ./x.sh"]),
        (
            "env:\n  - var: TOKEN\n    from: secret\n    service: git\n    key: t\n    sensitive: true",
            &["gets variable TOKEN from secret git/t"],
        ),
        ("disallowed-tools: Bash", &["bans tool Bash"]),
        ("disable-model-invocation: true", &["bans calls by models"]),
        ("always_include: true", &["is loaded in every turn"]),
        ("next_skill: two", &["continues with skill two"]),
    ];
    for (header, expected) in cases {
        assert_eq!(capabilities_of(header, ""), expected, "{header}");
    }
}

#[test]
fn commands_in_the_body_are_capabilities_and_so_is_what_looks_like_one() {
    let cases: [(&str, &[&str]); 12] = [
        ("Plain `code` and an exclamation! `more`.\n", &[]),
        ("Look: !`git status`\n", &["runs command git status"]),
        ("!`a` and !`b`\n!`a`\n", &["runs command a", "runs command b"]),
        ("word!`no command`\n", &[]),
        ("```!\nmake\nmake test\n```\n", &["runs command make\nmake test"]),
        ("~~~!\nmake\n~~~\n", &["runs command make"]),
        ("```sh\nls\n```\n", &[]),
        // Not run here; another agent may.
        ("```\n!`rm -rf x`\n```\n", &["shows command rm -rf x"]),
        ("!`unclosed\n", &["shows command unclosed"]),
        ("```\u{a0}!\nid\n```\n", &["shows command id"]),
        ("a\u{c}!`id`\n", &["shows command id"]),
        ("\r!`id`\n", &["shows command id"]),
    ];
    for (body, expected) in cases {
        assert_eq!(capabilities_of("license: MIT", body), expected, "{body}");
    }
}

#[test]
fn folders_and_files_beside_the_frontmatter_bring_capabilities() {
    let world = World::new();
    world.skill(ROOT, "one");
    world.file(&format!("{ROOT}/one/scripts/run.sh"), "x");
    world.file(
        &format!("{ROOT}/one/agents/openai.yaml"),
        "dependencies:\n  tools:\n    - type: mcp\n      value: github\n      transport: stdio\n      command: gh-mcp\n",
    );
    let found: Vec<String> = capabilities(only(&world.build(), "one")).into_iter().collect();
    assert_eq!(found, ["brings scripts", "depends on mcp github gh-mcp", "uses every tool"]);
}
