//! The language server in a real neovim without a screen.

use crate::bare;
use skillful_testkit::require_tool;
use std::process::Command;

#[test]
fn neovim_shows_problems_applies_a_fix_completes_and_formats() {
    require_tool!("nvim");
    let machine = bare();
    let before =
        "---\ndescription: Use: to ship\nname: deploy\nallowed_tools: [Read, Bash]\n---\n\n# Deploy\n";
    let file = machine.file("work/.claude/skills/deploy/SKILL.md", before);
    let script = machine.file("home/init.lua", include_str!("init.lua"));
    let out = machine.home().join("out.txt");
    let output = Command::new("nvim")
        .args(["--headless", "--clean", "-u"])
        .arg(&script)
        .arg(&file)
        .current_dir(machine.work())
        .env_clear()
        .env("HOME", machine.home())
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("SKILLFUL", env!("CARGO_BIN_EXE_skillful"))
        .env("OUT", &out)
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    let seen = std::fs::read_to_string(&out).unwrap_or_else(|_| panic!("{log}"));
    insta::assert_snapshot!(seen, @r#"
    2:14 unquoted-colon
    fix: Put the value in quotes
    line: description: "Use: to ship"
    offered: low medium high xhigh max
    hover: **effort** — one of a few words
    lens: ~6 tokens in the menu, ~3 when loaded
    stopped
    "#);
    // neovim wrote the file; a check of it finds nothing.
    insta::assert_snapshot!(std::fs::read_to_string(&file).unwrap(), @r#"
    ---
    name: deploy
    description: "Use: to ship"
    allowed-tools: Read Bash
    effort: high
    ---

    # Deploy
    "#);
    assert_eq!(machine.run("check").status.code(), Some(0));
}
