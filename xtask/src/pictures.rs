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
    let ask = ["ask", "turn my notes into the weekly report, $pdf please", "--trust-project"];
    for (name, line) in [
        ("ask", &ask[..]),
        ("list", &["list", "--trust-project"]),
        ("check", &["check"]),
        ("view", &["view", "--agent", "codex"]),
    ] {
        let output = machine.command(line).args(["--color", "always"]).output()?;
        let quoted = |word: &&str| if word.contains(' ') { format!("'{word}'") } else { (*word).to_owned() };
        let command = line.iter().map(quoted).collect::<Vec<_>>().join(" ");
        let screen = format!("$ skillful {command}\n{}", String::from_utf8_lossy(&output.stdout));
        let svg = anstyle_svg::Term::new().render_svg(&machine.filter(&screen));
        fs::write(root.join(format!("docs/{name}.svg")), svg)?;
    }
    // The first steps of the tour: the overview, and what one agent misses.
    let tour = machine.command(["tour", "--color", "always"]).env("COLUMNS", "88").output()?;
    let text = String::from_utf8_lossy(&tour.stdout);
    let shown = text.split("3/7").next().unwrap_or(&text).trim_end();
    let svg = anstyle_svg::Term::new().render_svg(&format!("$ skillful tour\n{shown}\n"));
    fs::write(root.join("docs/tour.svg"), svg)
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
    machine.file(
        "home/.agents/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Read, fill and split PDF files.\ncompanion_skills: [house-style]\n---\n\nUse `scripts/fill.py`. Today is !`date +%F`\n",
    );
    machine.skill("home/.agents/skills/house-style", "How everything we send to people should sound.");
    machine.skill(
        "home/.agents/skills/weekly-report",
        "Turns the notes of a week into a report for the team. Use for status reports and summaries.",
    );
    machine
}
