//! OpenCode: permissions over the tool and the menu, the dialect of its slash commands, its list as JSON.

use super::{last, names};
use crate::{assistant::connected, has_sandbox};
use skillful_testkit::{ModelAnswer, ModelServer};

#[test]
fn permissions_hide_a_skill_from_the_model_and_not_from_the_user() {
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::new([ModelAnswer::says("Done.")]);
    let machine = connected(&server);
    let text = "---\nname: internal-release\ndescription: Releases.\n---\n\nRelease $1 to $2.\n";
    machine.file("home/.config/opencode/skills/internal-release/SKILL.md", text);
    machine.skill("home/.config/opencode/skills/notes", "Takes notes.");
    machine
        .file("home/.config/opencode/opencode.json", r#"{"permission": {"skill": {"internal-*": "deny"}}}"#);
    let line = ["ask", "--agent", "opencode", "/internal-release site to the world"];
    let output = machine.command(line).output().unwrap();
    assert!(output.status.success(), "{}", machine.tell(&output));
    // The highest placeholder takes the rest of the arguments, and counting begins at 1.
    assert!(last(&server).contains("Release site to to the world."), "{}", last(&server));
    let menu = server.asked()[0].body["system"].to_string();
    assert!(menu.contains("notes") && !menu.contains("internal-release"), "{menu}");
    let list = machine.json("list --agent opencode --json");
    assert_eq!(names(&list["skills"]), ["internal-release", "notes"], "{list}");
}
