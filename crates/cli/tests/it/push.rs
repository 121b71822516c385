//! `push`: skills to the Skills API of a vendor, once for each state of their files.

use crate::{bare, machine, scripted_server::ScriptedServer, serve::Server};
use serde_json::{Value, json};
use skillful_testkit::TestContext;

fn author() -> TestContext {
    let author =
        bare().variable("OPENAI_API_KEY", "sk-secret-1").variable("ANTHROPIC_API_KEY", "sk-secret-2");
    author.skill("work/.agents/skills/pdf", "Fill PDF forms. Use when asked.");
    author
}

#[test]
fn a_skill_is_sent_once_for_each_state_of_its_files() {
    let vendor = ScriptedServer::json(|seen, _| {
        let line = seen.line.as_str();
        if line.starts_with("GET") {
            return (200, json!({"object": "list", "data": [], "has_more": false}));
        }
        if line.contains("/versions") {
            return (200, json!({"id": "skillver_2", "skill_id": "skill_1", "version": "2"}));
        }
        (200, json!({"id": "skill_1", "name": "pdf", "latest_version": "1", "default_version": "1"}))
    });
    let author = author();
    let to = format!("{}/openai/v1", vendor.url);
    let planned = author.see(&format!("push pdf --to {to} --dry-run"));
    assert!(planned.starts_with("exit: 0") && planned.contains("would send pdf"), "{planned}");
    assert!(vendor.lines().is_empty(), "a dry run sends nothing");
    let created = author.see(&format!("push pdf --to {to}"));
    assert!(created.starts_with("exit: 0") && created.contains("created pdf 1"), "{created}");
    let lock = author.text("work/skillful.lock");
    assert!(lock.contains("id = \"skill_1\"") && lock.contains("version = \"1\""), "{lock}");
    assert!(!lock.contains("sk-secret"), "{lock}");
    let again = author.see(&format!("push --to {to}"));
    assert!(again.starts_with("exit: 0") && again.contains("keep pdf 1"), "{again}");
    assert_eq!(
        vendor.lines(),
        ["GET /openai/v1/skills?limit=100", "POST /openai/v1/skills"],
        "the second push sends nothing"
    );
    author.file("work/.agents/skills/pdf/reference.md", "More.\n");
    let json = author.json(&format!("push pdf --to {to} --json"));
    assert_eq!(
        (json["skills"][0]["action"].as_str(), json["skills"][0]["version"].as_str()),
        (Some("version"), Some("2"))
    );
    assert_eq!(vendor.lines()[2..], ["POST /openai/v1/skills/skill_1/versions"]);
    let seen = vendor.seen.lock().unwrap().clone();
    assert!(seen.iter().all(|one| one.head.contains("authorization: bearer sk-secret-1")), "{seen:?}");
    let archive = String::from_utf8_lossy(&seen[1].body);
    assert!(archive.contains("name=\"files\"; filename=\"pdf.zip\"") && archive.contains("PK"), "{archive}");
}

#[test]
fn a_skill_of_the_same_name_gets_a_version_and_a_busy_vendor_is_asked_again() {
    let vendor = ScriptedServer::json(|seen, number| {
        if seen.line.starts_with("GET") {
            let data = json!([{"id": "skill_9", "display_name": "pdf"}]);
            return (200, json!({"data": data, "next_page": null}));
        }
        if number == 1 {
            return (529, json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}));
        }
        (200, json!({"id": "skillver_3", "type": "skill_version", "skill_id": "skill_9"}))
    });
    let author = author();
    let sent = author.see(&format!("push pdf --to {} --api anthropic", vendor.url));
    assert!(sent.starts_with("exit: 0") && sent.contains("added a version of pdf skillver_3"), "{sent}");
    let post = "POST /v1/skills/skill_9/versions";
    assert_eq!(vendor.lines(), ["GET /v1/skills?limit=100&source=custom", post, post]);
    let seen = vendor.seen.lock().unwrap().clone();
    assert!(
        seen[1].head.contains("anthropic-version: ") && seen[2].head.contains("x-stainless-retry-count: 1")
    );
}

#[test]
fn what_a_vendor_would_refuse_is_not_sent_and_its_own_refusals_are_shown() {
    let vendor =
        ScriptedServer::json(|_, _| (401, json!({"error": {"message": "no such key", "type": "x"}})));
    let author = author();
    author.skill("work/.agents/skills/claude-forms", "Fill forms. Use when asked.");
    let refused = author.see(&format!("push claude-forms --to {}/anthropic", vendor.url));
    assert!(refused.starts_with("exit: 1") && refused.contains("contains `claude`"), "{refused}");
    assert!(vendor.lines().is_empty());
    let key = author.see(&format!("push pdf --to {}/anthropic", vendor.url));
    assert!(key.starts_with("exit: 1") && key.contains("does not accept the key: no such key"), "{key}");
    for (line, word) in [
        ("push pdf --to http://api.example.org/openai/v1", "https://"),
        ("push pdf --to https://api.example.org/v1", "--api"),
        ("push pdf --to https://api.example.org/openai/v1", "OPENAI_API_KEY is sent to its vendor only"),
        ("push pdf --to nowhere", "`nowhere` is not"),
        ("push missing --to openai", "missing"),
    ] {
        let shown = author.see(line);
        assert!(!shown.starts_with("exit: 0") && shown.contains(word), "{line}\n{shown}");
    }
}

#[test]
fn our_own_server_takes_what_is_pushed_in_both_forms() {
    let owner = machine();
    let server = Server::start(&owner, &[]);
    let admin = server.administrator();
    let head = format!("{admin}content-type: application/json\r\n");
    let body = json!({"name": "push", "scopes": ["skills:read", "skills:write"], "days": 1}).to_string();
    let (_, made) = server.ask("POST", "/api/v1/me/tokens", &head, &body);
    let made: Value = serde_json::from_str(&made).unwrap();
    let token = made["secret"].as_str().unwrap();
    let author = bare().variable("OPENAI_API_KEY", token).variable("ANTHROPIC_API_KEY", token);
    author.skill("work/.agents/skills/pdf", "Fill PDF forms. Use when asked.");
    author.skill("work/.agents/skills/notes", "Take notes. Use when asked.");
    for (path, name) in [("openai/v1", "pdf"), ("anthropic", "notes")] {
        let line = format!("push {name} --to {}/{path}", server.address());
        let first = author.see(&line);
        assert!(first.starts_with("exit: 0") && first.contains(&format!("created {name}")), "{first}");
        let again = author.see(&line);
        assert!(again.contains(&format!("keep {name}")), "{again}");
        author.file(&format!("work/.agents/skills/{name}/more.md"), "More.\n");
        let more = author.see(&line);
        assert!(more.contains(&format!("added a version of {name}")), "{more}");
    }
    let (_, list) = server.ask("GET", "/api/v1/skills", &admin, "");
    let list: Value = serde_json::from_str(&list).unwrap();
    let versions: Vec<i64> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["latest_version"].as_i64().unwrap())
        .collect();
    assert_eq!(versions, [2, 2], "{list}");
}
