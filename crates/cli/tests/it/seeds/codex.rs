//! Codex: scopes, mentions by name and path, the envelope, sidecars, switches per path; over the Responses API.

use super::last;
use crate::{assistant::connected, bare};
use serde_json::json;
use skillful_testkit::{ModelAnswer, ModelServer};

#[test]
fn scopes_mentions_and_switches_over_the_responses_api() {
    let server =
        ModelServer::new([ModelAnswer::calls([("list_dir", json!({}))]), ModelAnswer::says("Both done.")]);
    let machine = bare();
    let known = json!({ "folders": [machine.path("work").canonicalize().unwrap()] });
    machine.file("home/.local/share/skillful/worked-folders.json", known.to_string());
    let url = server.url();
    machine.file(
        "home/.config/skillful/config.toml",
        format!(
            "system = false\n[assistant]\nmodel = \"codex/gpt-test\"\n[providers.codex]\nwire = \"openai-responses\"\nbase_url = \"{url}/v1\"\n"
        ),
    );
    machine.file("work/.git/HEAD", "ref: refs/heads/main\n");
    machine.skill("work/.agents/skills/deploy", "Of the repository.");
    machine.skill("home/.agents/skills/deploy", "Of the user.");
    machine.skill("home/.agents/skills/lint", "Lints.");
    machine.skill("home/.agents/skills/off", "Switched off.");
    let off = machine.path("home/.agents/skills/off/SKILL.md");
    machine.file(
        "home/.codex/config.toml",
        format!("[[skills.config]]\npath = \"{}\"\nenabled = false\n", off.display()),
    );
    machine.skill("home/.agents/skills/quiet", "Only by mention.");
    machine.file(
        "home/.agents/skills/quiet/agents/openai.yaml",
        "interface:\n  display_name: Quiet\npolicy:\n  allow_implicit_invocation: false\n",
    );
    let path = machine.path("home/.agents/skills/deploy/SKILL.md");
    let message = format!("use $lint, [$deploy]({}) and $quiet, not $PATH, and $nothing", path.display());
    let line = ["--trust-project", "ask", "--agent", "codex", message.as_str()];
    let output = machine.command(line).output().unwrap();
    let seen = machine.tell(&output);
    assert!(output.status.success(), "{seen}");
    assert!(
        seen.contains("Both done.") && seen.contains("nothing was not loaded: no skill has this name"),
        "{seen}"
    );
    let asked = server.asked();
    assert!(asked[0].path.ends_with("/responses"), "{}", asked[0].path);
    let menu = asked[0].body["instructions"].as_str().unwrap();
    assert!(
        menu.contains("lint") && !menu.contains("Only by mention") && !menu.contains("Switched off"),
        "{menu}"
    );
    let text = last(&server);
    let place = |name: &str| text.find(&format!("<name>{name}</name>"));
    let (lint, deploy, quiet) = (place("lint"), place("deploy"), place("quiet"));
    assert!(lint.is_some() && lint < deploy && deploy < quiet, "{lint:?} {deploy:?} {quiet:?} {text}");
    assert!(text.contains("home/.agents/skills/deploy/SKILL.md"), "the path names which of the two: {text}");
}

#[test]
fn of_two_skills_of_a_name_the_nearer_one_is_used_and_the_other_one_is_named() {
    let server = ModelServer::new([ModelAnswer::says("Done.")]);
    let machine = connected(&server);
    machine.file("work/.git/HEAD", "ref: refs/heads/main\n");
    machine.skill("work/.agents/skills/deploy", "Of the repository.");
    machine.skill("home/.agents/skills/deploy", "Of the user.");
    let output =
        machine.command(["--trust-project", "ask", "--agent", "codex", "$deploy it"]).output().unwrap();
    let seen = machine.tell(&output);
    assert!(last(&server).contains("work/.agents/skills/deploy"), "{}", last(&server));
    assert!(seen.contains("takes the place of your own skill"), "{seen}");
}
