//! Personal Agent: the portable format in and out, disclosure, an enforced list of tools, forks, pending until review.

use super::{last, tools};
use crate::{agents_rules::results, assistant::connected};
use serde_json::json;
use skillful_testkit::{ModelAnswer, ModelServer};

const WEEKLY: &str = "---\nname: wochenbericht\ndescription: Write the weekly status report from this week's commits and notes.\nwhen_to_use: When the user asks for the weekly report or \"Wochenbericht\".\nallowed-tools: read_file web_search\nmetadata:\n  author: Sebastian\n  version: \"1.0\"\nhouse-rule: short\n---\n\n# Weekly report\n\n1. Collect this week's merged commits.\n";

#[test]
fn a_skill_is_disclosed_loaded_bounded_by_its_list_and_comes_out_as_it_went_in() {
    let server = ModelServer::new([
        ModelAnswer::calls([("use_skill", json!({ "name": "wochenbericht" }))]),
        ModelAnswer::calls([
            ("read_skill_file", json!({ "name": "wochenbericht", "path": "references/template.md" })),
            ("read_file", json!({ "path": "notes.md" })),
            ("write_file", json!({ "path": "report.md", "content": "x" })),
        ]),
        ModelAnswer::calls([("use_skill", json!({ "name": "free" }))]),
        ModelAnswer::calls([("write_file", json!({ "path": "report.md", "content": "x" }))]),
        ModelAnswer::calls([(
            "save_skill",
            json!({ "name": "standup", "description": "Standup notes.", "content": "# Standup" }),
        )]),
        ModelAnswer::says("Done."),
    ]);
    let machine = connected(&server);
    machine.file("work/notes.md", "Shipped it.\n");
    machine.file("work/lib/wochenbericht/SKILL.md", WEEKLY);
    machine.file("work/lib/wochenbericht/references/template.md", "# Template\n");
    let added = machine.run("add ./lib/wochenbericht --global --yes");
    assert!(added.status.success(), "{}", machine.tell(&added));
    machine.skill("home/.agents/skills/free", "Free.");
    machine.run("ask --mode autonomous write the weekly report");
    let menu = server.asked()[0].body["system"].to_string();
    assert!(
        menu.contains("wochenbericht") && menu.contains("When the user asks for the weekly report"),
        "{menu}"
    );
    assert!(!menu.contains("Collect this week's merged commits"), "{menu}");
    assert!(tools(&server).iter().any(|name| name == "save_skill"));
    let all = results(&server);
    assert!(
        all[0].contains("Collect this week's merged commits") && all[0].contains("references/template.md"),
        "{all:?}"
    );
    assert!(all[1].contains("# Template") && all[2].contains("Shipped it."), "{all:?}");
    assert!(all[3].starts_with("Not run: `write_file` is not allowed"), "{all:?}");
    // The next skill has no list, so that the first one no longer counts.
    assert!(!all[5].starts_with("Not run"), "{all:?}");
    assert!(all[6].contains("pending until the user reviews it"), "{all:?}");
    assert!(!last(&server).contains("- standup"), "a proposed skill is in no menu");
    // Out of it and in again loses nothing.
    let out = machine.run("export wochenbericht --output weekly.zip");
    assert!(out.status.success(), "{}", machine.tell(&out));
    machine.run("remove wochenbericht --global --yes");
    let again = machine.run("add ./weekly.zip --global --yes");
    assert!(again.status.success(), "{}", machine.tell(&again));
    let shown = machine.json("show wochenbericht --json").to_string();
    for kept in ["Sebastian", "house-rule", "web_search"] {
        assert!(shown.contains(kept), "{kept}: {shown}");
    }
}
