//! golemcore-bot: what its reader does with frontmatter, and what ours does.

use crate::library::{Library, said};
use skillful_agents::view;
use skillful_catalog::{Placement, gate::Reason};

#[test]
fn a_broken_header_is_for_nobody_differs_golemcore_loads_it_without_its_gates() {
    let library = Library::new(&[]);
    library.file(
        ".golemcore/workspace/skills/ops/SKILL.md",
        "---\nname: ops\nadmin_only: true\ndescription: \"never closed\n---\nDrop the tables.\n",
    );
    let catalog = library.catalog();
    assert_eq!(catalog.entries[0].placement, Placement::Invalid);
    let selection = library.select(&catalog, &said("run $ops"));
    assert!(selection.selected.is_empty() && selection.menu.is_empty());
    assert!(selection.refused[0].verdict.reasons.contains(&Reason::Invalid));
    let golem = library.agents.get("golemcore").unwrap();
    let seen = view(golem, library.inputs(), &catalog).seen;
    let names: Vec<&str> = seen.iter().map(|seen| seen.name.as_str()).collect();
    assert_eq!(names, ["ops"], "its own reader keeps the body, and the gate is gone");
}

#[test]
fn one_bad_skill_hides_no_other() {
    let library = Library::new(&[("fine", ""), ("good", "")]);
    library.file(".agents/skills/bad/SKILL.md", "---\nname: x\nname: y\n---\n");
    library.file(".agents/skills/empty/SKILL.md", "");
    library.check(&said(""), "count=0: ", &["fine", "good"]);
}
