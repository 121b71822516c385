//! Codex: scopes, mentions by name and path, the envelope, sidecars, switches per path; over the Responses API.

use super::last;
use crate::{
    agents_rules::results, assistant::connected, assistant_terminal::at_terminal, bare, has_sandbox,
};
use serde_json::json;
use skillful_testkit::{ModelAnswer, ModelServer, Terminal, wait_until, write_program};
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    sync::mpsc,
    time::Duration,
};

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

#[test]
fn plugins_qualify_their_skills_and_system_skills_come_last_without_links() {
    let server = ModelServer::new([ModelAnswer::says("Done.")]);
    let machine = connected(&server);
    for (plugin, name) in [("q", "two"), ("off", "three")] {
        let folder = format!("home/.codex/plugins/cache/m/{plugin}/1.0.0");
        machine.file(&format!("{folder}/.codex-plugin/plugin.json"), format!("{{\"name\": \"{plugin}\"}}"));
        machine.skill(&format!("{folder}/skills/{name}"), "Of a plugin.");
    }
    machine.file("home/.codex/config.toml", "[plugins.\"q@m\"]\nenabled = true\n");
    machine.skill("home/.codex/skills/.system/skill-creator", "Of the system.");
    machine.skill("home/.codex/skills/.system/skill-installer", "Installs.");
    machine.skill("home/.agents/skills/skill-creator", "Of the user.");
    machine.skill("elsewhere/linked", "Behind a link.");
    machine.link("home/.codex/skills/.system/linked", "../../../../elsewhere/linked");
    let found = machine.json("list --agent codex --json");
    let rows: Vec<String> = found["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| format!("{} {}", skill["name"].as_str().unwrap(), skill["scope"].as_str().unwrap()))
        .collect();
    assert_eq!(
        rows,
        ["q:two plugin", "skill-creator user", "skill-creator system", "skill-installer system"]
    );
    let message = "use $q:two, $skill-creator and $skill-installer";
    let output = machine.command(["ask", "--agent", "codex", message]).output().unwrap();
    assert!(output.status.success(), "{}", machine.tell(&output));
    let text = last(&server);
    assert!(text.contains("<name>q:two</name>") && text.contains(".agents/skills/skill-creator"), "{text}");
    assert!(text.contains(".system/skill-installer") && !text.contains("<name>three</name>"), "{text}");
    // A shipped skill that is gone is put back.
    machine.file("home/.config/skillful/config.toml", "");
    let shipped = machine.json("list --scope system --json");
    let mine = shipped["skills"]
        .as_array()
        .unwrap()
        .iter()
        .find(|skill| skill["path"].as_str().unwrap().contains("/skillful/system"));
    let path = mine.unwrap()["path"].as_str().unwrap().to_owned();
    let before = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    machine.run("list");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
}

#[test]
fn a_change_on_disk_is_seen_without_a_restart() {
    let server = ModelServer::new([ModelAnswer::says("Done.")]);
    let machine = connected(&server);
    machine.skill("home/.agents/skills/one", "One.");
    let mut child = machine
        .command(["list", "--watch", "--agent", "codex", "--json", "--for", "60"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (sender, lines) = mpsc::channel();
    let out = child.stdout.take().unwrap();
    std::thread::spawn(move || {
        BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    let mut number = 0;
    wait_until("an edit is reported", || {
        number += 1;
        machine.skill("home/.agents/skills/one", &format!("Edit {number}."));
        lines.recv_timeout(Duration::from_secs(1)).is_ok_and(|line| line.contains("\"one\""))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    // A session hears of a new skill and of a changed one.
    let ask = |message: &str| {
        let line = ["ask", "--agent", "codex", "--session", "s", message];
        let output = machine.command(line).output().unwrap();
        assert!(output.status.success(), "{}", machine.tell(&output));
    };
    ask("$one please");
    let body = "---\nname: one\ndescription: One.\n---\n\nThe body is another one now.\n";
    machine.file("home/.agents/skills/one/SKILL.md", body);
    machine.skill("home/.agents/skills/late", "Came later.");
    ask("and now?");
    let text = last(&server);
    assert!(text.contains("The body is another one now.") && text.contains("Came later."), "{text}");
}

/// What `agents/openai.yaml` depends on is asked for before the skill is used, its permissions are shown and never
/// widen anything, and the value reaches the program and no request.
#[test]
fn a_sidecar_asks_for_its_variable_and_its_permissions_are_shown() {
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::new([
        ModelAnswer::calls([("run_skill_program", json!({ "skill": "weather", "program": "show" }))]),
        ModelAnswer::says("Sunny."),
    ]);
    let machine = connected(&server);
    machine.skill("home/.agents/skills/weather", "Looks outside.");
    machine.file(
        "home/.agents/skills/weather/agents/openai.yaml",
        "interface:\n  display_name: Weather\ndependencies:\n  tools:\n    - {type: env_var, value: WEATHER_KEY, description: Key of the service}\npermissions:\n  network: true\n",
    );
    let program = "#!/bin/sh\necho \"${#WEATHER_KEY} letters: $WEATHER_KEY\"\n";
    write_program(&machine.path("home/.agents/skills/weather/scripts/show"), program);
    let shown = machine.see("show weather");
    assert!(shown.contains("network: true") && shown.contains("WEATHER_KEY"), "{shown}");
    let declared = shown.lines().find(|line| line.contains("declares no")).unwrap_or_default();
    assert!(!declared.contains("network"), "{shown}");
    let audited = machine.see(&format!("audit {}", machine.path("home/.agents/skills/weather").display()));
    assert!(audited.contains("wide-permissions"), "{audited}");
    let mut terminal = at_terminal(&machine, &["ask", "--agent", "codex", "$weather now"]);
    terminal.wait_for("weather needs WEATHER_KEY (Key of the service) (not shown): ");
    terminal.press("tok-0123456789-abcdef\r");
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(results(&server)[0].starts_with("21 letters: [redacted]\n"), "{:?}", results(&server));
    assert!(server.asked().iter().all(|asked| !asked.body.to_string().contains("tok-0123456789")));
}

/// The popup of its terminal: skills below the prompt while a mention is typed.
#[test]
fn a_mention_is_picked_from_a_list_below_the_prompt() {
    let server = ModelServer::new([ModelAnswer::says("Deployed.")]);
    let machine = connected(&server);
    machine.skill("home/.agents/skills/deploy", "Deploys it.");
    machine.skill("home/.agents/skills/lint", "Lints.");
    let mut command = machine.command(["chat", "--agent", "codex"]);
    command.env("TERM", "xterm").env_remove("COLUMNS");
    let mut terminal = Terminal::start_sized(command, 80, 24);
    terminal.wait_for("›");
    terminal.press("please $dep");
    let screen = terminal.wait_for_screen("the list", |screen| screen.contains("> deploy"));
    assert!(!screen.contains("lint"), "{screen}");
    terminal.press("\tnow\r");
    terminal.wait_for("Deployed.");
    terminal.wait_for("tokens");
    assert!(last(&server).contains("please $deploy now") && last(&server).contains("<name>deploy</name>"));
    terminal.press("\u{4}");
    assert_eq!(terminal.end().0, Some(0));
}
