//! Istota: deterministic selection, stickiness, companions, exclusions, gates, what's new, transcription.

use super::{last, names};
use crate::{
    assistant::connected,
    has_sandbox,
    proxy::{ask, end, serving},
    secret::piped,
};
use serde_json::{Value, json};
use skillful_testkit::{ModelAnswer, ModelServer, TestContext, write_program};

fn skill(machine: &TestContext, name: &str, header: &str, body: &str) {
    let text = format!("---\nname: {name}\ndescription: About {name}.\n{header}---\n{body}\n");
    machine.file(&format!("work/src/istota/skills/{name}/skill.md"), text);
}

fn office(server: &ModelServer) -> TestContext {
    let machine = connected(server);
    machine.file("work/.git/HEAD", "ref: refs/heads/main\n");
    machine.file(
        "home/.config/skillful/config.toml",
        "system = false\nnames = { BOT_NAME = \"Vesna\" }\ntranscribe = [\"sh\", \"-c\", \"echo call the bank\", \"transcribe\"]\n",
    );
    skill(&machine, "files", "always_include: true\n", "You are {BOT_NAME}. Keep {UNKNOWN} braces.");
    skill(
        &machine,
        "calendar",
        "triggers: [calendar, event]\ncli: true\nsource_types: [briefing]\ncompanion_skills: [sensitive_actions]\n",
        "Calendar operations use CalDAV.",
    );
    skill(&machine, "sensitive_actions", "", "Confirm before you send.");
    skill(
        &machine,
        "briefing",
        "source_types: [briefing]\nexclude_skills: [email]\nexclude_memory: true\n",
        "Brief.",
    );
    skill(&machine, "email", "source_types: [briefing]\n", "Mail.");
    skill(&machine, "whisper", "file_types: [wav]\n", "Listen.");
    skill(&machine, "markets", "source_types: [briefing]\ndependencies: [no-such-package>=2]\n", "Markets.");
    skill(&machine, "backup", "admin_only: true\nsource_types: [briefing]\n", "Back up.");
    skill(&machine, "beta", "experimental: true\nsource_types: [briefing]\n", "Try.");
    machine
}

fn explained(machine: &TestContext, words: &[&str]) -> Value {
    let mut all = vec!["--trust-project", "explain", "--agent", "istota", "--json"];
    all.extend(words);
    let output = machine.command(all).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", machine.tell(&output)))
}

#[test]
fn selection_is_deterministic_and_says_which_rule_fired() {
    let server = ModelServer::new([ModelAnswer::says("ok")]);
    let machine = office(&server);
    let found = explained(&machine, &["--source-type", "briefing", "what is on today?"]);
    assert_eq!(names(&found["selected"]), ["briefing", "calendar", "files", "sensitive_actions"], "{found}");
    assert_eq!(names(&found["excluded"]), ["email"], "{found}");
    let not_offered = found["not_offered"].to_string();
    for gated in ["markets", "backup", "beta"] {
        assert!(not_offered.contains(gated), "{gated}: {not_offered}");
    }
    assert!(not_offered.contains("no-such-package"), "{not_offered}");
    assert_eq!(found["menu"], json!(["whisper"]));
    // A briefing reads no memory; it keeps the persona.
    assert_eq!(found["omit"], json!(["memory"]), "{found}");
    let line =
        ["--trust-project", "explain", "--all", "--agent", "istota", "--source-type", "briefing", "hello"];
    let seen = machine.tell(&machine.command(line).output().unwrap());
    assert!(
        seen.contains("count=4: briefing(source_type=briefing), calendar(source_type=briefing), files(always_include), sensitive_actions(companion of calendar)"),
        "{seen}"
    );
    assert!(seen.contains("eager=4 menu=") && seen.contains("The prompt is without memory."), "{seen}");
    // Words of a message never select.
    let found = explained(&machine, &["calendar event meeting"]);
    assert_eq!(names(&found["selected"]), ["files"], "{found}");
}

#[test]
fn a_session_keeps_skills_transcribes_and_hears_what_is_new() {
    let server = ModelServer::new([ModelAnswer::says("ok")]);
    let machine = office(&server);
    machine.file("work/memo.wav", "RIFF");
    let ask = |words: &[&str]| {
        let mut all = vec!["--trust-project", "ask", "--agent", "istota", "--session", "talk"];
        all.extend(words);
        let output = machine.command(all).output().unwrap();
        assert!(output.status.success(), "{}", machine.tell(&output));
        machine.tell(&output)
    };
    let seen = ask(&["--attach", "memo.wav", "do what I said"]);
    assert!(seen.contains("› whisper (file_type=wav)"), "{seen}");
    let first = last(&server);
    assert!(first.contains("call the bank"), "the transcript joins the message: {first}");
    assert!(first.contains("You are Vesna. Keep {UNKNOWN} braces."), "{first}");
    assert!(!first.contains("Confirm before you send."), "bodies of the menu are not read: {first}");
    // The follow-up keeps the skill, and a changed skill is news.
    skill(&machine, "new-one", "", "New.");
    let seen = ask(&["and now?"]);
    assert!(seen.contains("› whisper (sticky)"), "{seen}");
    assert!(last(&server).contains("new-one"), "{}", last(&server));
}

#[test]
fn a_skill_of_the_menu_is_loaded_with_its_companion_and_runs_its_program_with_its_secret() {
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::new([
        ModelAnswer::calls([("use_skill", json!({ "name": "calendar" }))]),
        ModelAnswer::calls([(
            "run_skill_program",
            json!({ "skill": "calendar", "arguments": ["list", "--week"] }),
        )]),
        ModelAnswer::says("Two meetings."),
    ]);
    let machine = office(&server);
    let env = r#"[{"var": "CALDAV_PASSWORD", "from": "secret", "service": "caldav", "key": "password", "sensitive": true}]"#;
    skill(
        &machine,
        "calendar",
        &format!("cli: true\ncompanion_skills: [sensitive_actions]\nenv: {env}\n"),
        "Calendar.",
    );
    let program =
        "#!/bin/sh\necho \"{\\\"args\\\": \\\"$*\\\", \\\"password\\\": \\\"$CALDAV_PASSWORD\\\"}\"\n";
    write_program(&machine.path("work/src/istota/skills/calendar/scripts/calendar"), program);
    piped(&machine, "secret set caldav password", "correct-horse-battery");
    machine
        .command(["--trust-project", "secret", "allow", "caldav", "password", "--skill", "calendar"])
        .output()
        .unwrap();
    let output = machine
        .command(["--trust-project", "ask", "--agent", "istota", "what is on this week?"])
        .output()
        .unwrap();
    let text = last(&server);
    assert!(text.contains("Confirm before you send."), "{text}");
    assert!(text.contains("list --week") && text.contains("[redacted]"), "{text}\n{}", machine.tell(&output));
    assert!(!text.contains("correct-horse-battery"), "{text}");
}

/// What `config/skills` of an operator holds: metadata alone, and whole skills.
fn overridden(machine: &TestContext) {
    machine.file(
        "work/config/skills/email/skill.toml",
        "description = \"Mail of the house.\"\nalways_include = true\n",
    );
    machine.file("work/config/skills/backup/skill.toml", "description = \"Back up now.\"\n");
    machine.file(
        "work/config/skills/whisper/skill.md",
        "---\ndescription: Listen well.\nfile_types: [ogg]\n---\nListen twice.\n",
    );
    machine.file("work/config/skills/house/skill.md", "---\ndescription: House rules.\n---\nBe kind.\n");
}

#[test]
fn an_operator_overrides_metadata_or_whole_skills_and_gates_stay_closed() {
    let server = ModelServer::new([ModelAnswer::says("ok")]);
    let machine = office(&server);
    overridden(&machine);
    let found = explained(&machine, &["--attach", "memo.ogg", "hello"]);
    // A lone `skill.toml` keeps the body; a whole skill replaces the bundled one or is a new one.
    assert_eq!(names(&found["selected"]), ["email", "files", "whisper"], "{found}");
    assert!(found["menu"].to_string().contains("house"), "{found}");
    // The metadata of the operator opens no gate.
    assert!(found["not_offered"].to_string().contains("administrators"), "{found}");
    let used = |name: &str| machine.see(&format!("--trust-project use --agent istota {name}"));
    assert!(used("email").contains("Mail.") && used("whisper").contains("Listen twice."));
    let listed = machine.json("--trust-project list --agent istota --json").to_string();
    assert!(listed.contains("Mail of the house.") && listed.contains("Back up now."), "{listed}");
    let seen = machine.see("--trust-project view --agent istota --json");
    assert!(seen.contains("Mail of the house.") && !seen.contains("About email."), "{seen}");
}

#[test]
fn an_override_of_a_project_is_part_of_what_the_user_trusts() {
    let server = ModelServer::new([ModelAnswer::says("ok")]);
    let machine = office(&server);
    overridden(&machine);
    let state = |name: &str| {
        let found = machine.json("list --agent istota --json");
        let all = found["skills"].as_array().unwrap().clone();
        all.iter().find(|skill| skill["name"] == name).unwrap()["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state("email"), "untrusted");
    let trusted = machine.run("trust --yes");
    assert!(trusted.status.success(), "{}", machine.tell(&trusted));
    assert_eq!(state("email"), "available");
    assert!(machine.see("use --agent istota email").contains("Mail."));
    // Neither a changed override nor a new one joins by itself.
    machine.file("work/config/skills/email/skill.toml", "always_include = true\nmcp = {command = \"id\"}\n");
    assert_eq!(state("email"), "untrusted");
    machine.file("work/config/skills/files/skill.toml", "description = \"Changed.\"\n");
    assert_eq!(state("files"), "untrusted");
    std::fs::remove_dir_all(machine.path("work/config/skills/files")).unwrap();
    assert_eq!(state("files"), "available");
}

#[test]
fn the_proxy_speaks_the_protocol_of_the_document() {
    let server = ModelServer::new([ModelAnswer::says("ok")]);
    let machine = office(&server);
    let env = r#"[{"var": "CALDAV_PASSWORD", "from": "secret", "service": "caldav", "key": "password", "sensitive": true}]"#;
    let secret = format!("cli: true\nenv: {env}\n");
    skill(&machine, "calendar", &secret, "Calendar.");
    skill(&machine, "backup", &format!("admin_only: true\n{secret}"), "Back up.");
    for name in ["calendar", "backup", "files"] {
        let program = "#!/bin/sh\necho \"$1 ${#CALDAV_PASSWORD}\"\necho note >&2\nexit 4\n";
        write_program(&machine.path(&format!("work/src/istota/skills/{name}/scripts/{name}")), program);
    }
    skill(&machine, "files", "cli: true\n", "Files.");
    piped(&machine, "secret set caldav password", "correct-horse-battery");
    for name in ["calendar", "backup"] {
        machine.run(&format!("--trust-project secret allow caldav password --skill {name}"));
    }
    let line = "--trust-project proxy --allow-unsandboxed --agent istota";
    let (child, socket) = serving(&machine, line);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&socket).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let reply = |line: &str| -> Value { serde_json::from_str(&ask(&socket, line)).unwrap() };
    // Each program gets the secrets of its own skill and no other.
    let calendar = reply(r#"{"skill": "calendar", "args": ["list"]}"#);
    assert_eq!(calendar, json!({ "stdout": "list 21\n", "stderr": "note\n", "returncode": 4 }));
    assert_eq!(reply(r#"{"skill": "files", "args": ["list"]}"#)["stdout"], "list 0\n");
    // A skill that a gate closes is not run; Istota only does not advertise it.
    let closed = reply(r#"{"skill": "backup", "args": []}"#);
    assert_eq!((&closed["returncode"], &closed["reason"]), (&json!(1), &json!("unknown_skill")), "{closed}");
    assert!(!closed["authorized"].to_string().contains("backup"), "{closed}");
    // Values are not looked up, and nothing of the base environment is.
    for (name, reason) in [("CALDAV_PASSWORD", "lookup_denied"), ("HOME", "not_authorized_credential")] {
        let denied = reply(&format!(r#"{{"type": "credential", "name": "{name}"}}"#));
        assert_eq!((&denied["reason"], &denied["name"]), (&json!(reason), &json!(name)), "{denied}");
        assert!(denied.get("value").is_none(), "{denied}");
    }
    assert_eq!(reply("not json")["returncode"], 1);
    let seen = end(&machine, child);
    assert_eq!(seen.matches("was refused").count(), 4, "one warning for each refusal: {seen}");
    assert!(!seen.contains("correct-horse-battery"), "{seen}");
}
