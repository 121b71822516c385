//! Pictures of real output for the README: a small machine, the program, its colours as SVG.

use skillful_testkit::TestContext;
use std::{fs, io, path::Path, process::Command};

/// Runs the program in a prepared repository and writes what it shows.
pub(crate) fn write(root: &Path) -> io::Result<()> {
    let status = Command::new("cargo")
        .args(["build", "--quiet", "--package", "skillful-cli"])
        .current_dir(root)
        .status()?;
    if !status.success() {
        return Err(io::Error::other("the program does not build"));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let machine = shop(TestContext::new(target.join("debug/skillful")));
    for (name, line) in [
        ("list", "list --trust-project --color always"),
        ("check", "check --color always"),
        ("view", "view --as codex --color always"),
    ] {
        let output = machine.run(line);
        let command = line.replace(" --color always", "");
        let screen = format!("$ skillful {command}\n{}", String::from_utf8_lossy(&output.stdout));
        let svg = anstyle_svg::Term::new().render_svg(&machine.filter(&screen));
        fs::write(root.join(format!("docs/{name}.svg")), svg)?;
    }
    Ok(())
}

/// A repository as people have it: skills for two agents, one broken, one shadowed.
fn shop(machine: TestContext) -> TestContext {
    machine.file("home/.config/skillful/config.toml", "system = false\n");
    machine.skill(
        "work/.claude/skills/release",
        "Cut a release of the shop. Use when the user asks to ship or tag.",
    );
    machine.skill(
        "work/.agents/skills/seo",
        "Improve the search ranking of a page with titles, sitemaps and structured data.",
    );
    machine.file(
        "work/.claude/skills/invoices/SKILL.md",
        "---\nname: invoices\ndescription: Use when: an invoice must be written or checked.\n---\n\nSee [the form](references/form.md).\n",
    );
    machine.file(
        "work/.claude/skills/stock/SKILL.md",
        "---\nname: stock\ndescription: Count the stock.\ndescription: Order what is missing.\n---\n\nCount first.\n",
    );
    machine.skill("home/.agents/skills/release", "My usual way to cut a release.");
    machine.skill("home/.agents/skills/pdf", "Read, fill and split PDF files.");
    machine
}
