//! Every route of the description, asked by users who may not see what it is about.

use crate::running::{Answer, Running};
use serde_json::{Value, json};
use skillful_team::Role;

/// Every method and path of the description.
fn routes() -> Vec<(String, String)> {
    let described: Value = serde_json::from_str(&skillful_server::openapi_text()).unwrap();
    let mut found = Vec::new();
    for (path, methods) in described["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            found.push((method.to_uppercase(), path.clone()));
        }
    }
    found
}

/// The path with ids in the places of its parameters.
fn with(path: &str, id: &str, kind: &str) -> String {
    let own = |template: &str| path.replace(template, id);
    let filled = match kind {
        "user" if path.contains("/members/{user}") => {
            path.replace("{user}", id).replace("{id}", "group_none")
        }
        _ => own("{id}"),
    };
    filled
        .replace("{number}", "1")
        .replace("{path}", "SKILL.md")
        .replace("{user}", "user_none")
        .replace("{delivery}", "delivery_none")
}

/// A body that would be accepted.
fn body(method: &str, path: &str) -> Value {
    if method == "GET" || method == "DELETE" {
        return Value::Null;
    }
    json!({
        "digest": "sha256:0", "digests": [], "reason": "why", "on": true, "scope": "org", "target": "org", "choice": "on",
        "files": {"SKILL.md": "x"}, "revision": 1, "name": "x", "role": "viewer", "rule": "review", "setting": "off",
        "body": "text", "message": "x", "address": "https://skills.example", "source_id": "x", "scopes": ["skills:read"], "skill_id": path,
    })
}

fn same(found: &Answer, absent: &Answer) -> bool {
    let steady = |answer: &Answer| {
        let mut head = answer.head.clone();
        // Whether a connection is kept depends on how much of the body had arrived, which no handler decides.
        head.retain(|(name, _)| name != "date" && name != "connection");
        (answer.status, head, answer.body.clone())
    };
    steady(found) == steady(absent)
}

#[test]
fn what_is_not_for_a_user_answers_exactly_as_what_does_not_exist() {
    let server = Running::start();
    let ada = server.user("ada", &[]);
    let strangers =
        [("another member", server.user("bob", &[])), ("a reviewer", server.user("rita", &[Role::Reviewer]))];
    let skill = server.upload(&ada, "/api/v1/skills", "mine", "One.").json()["skill"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let draft = server.call(&ada, "POST", "/api/v1/drafts", &json!({"files": {"SKILL.md": "x"}})).json();
    let draft = draft["id"].as_str().unwrap().to_owned();
    let token = server.call(&ada, "GET", "/api/v1/me/tokens", &Value::Null).json();
    let token = token["data"][0]["id"].as_str().unwrap().to_owned();
    let mut asked = 0;
    for (method, path) in routes().into_iter().filter(|(_, path)| path.contains("{id}")) {
        let (id, none) = if path.contains("/drafts/") {
            (draft.as_str(), "draft_none")
        } else if path.contains("/tokens/") {
            (token.as_str(), "token_none")
        } else if path.contains("/skills/") || path.contains("/adoptions/") {
            (skill.as_str(), "skill_none")
        } else {
            continue;
        };
        let query = match path.as_str() {
            path if path.ends_with("/diff") => "?from=1",
            path if path.ends_with("/preview") => "?agent=codex",
            path if path.ends_with("/preferences") && method == "DELETE" => "?target=org",
            _ => "",
        };
        for (who, stranger) in &strangers {
            let ask = |id: &str| {
                let place = with(&path, id, "skill") + query;
                // The body is the same for both, whatever the id.
                let mut sent = body(&method, "x");
                if path.ends_with("/complete") {
                    sent["files"] = json!(["SKILL.md"]);
                    sent["text"] = json!("---");
                    sent["at"] = json!(1);
                }
                server.call(stranger, &method, &place, &sent)
            };
            let (found, absent) = (ask(id), ask(none));
            assert_eq!(found.status, 404, "{who}: {method} {path}: {}", String::from_utf8_lossy(&found.body));
            assert!(same(&found, &absent), "{who}: {method} {path}: {found:?} is not {absent:?}");
            asked += 1;
        }
    }
    assert!(asked >= 50, "{asked}");
    let kept = server.call(&ada, "GET", &format!("/api/v1/skills/{skill}"), &Value::Null);
    assert_eq!(kept.status, 200);
}

#[test]
fn without_a_credential_every_route_asks_to_sign_in() {
    let server = Running::start();
    // A program that begins to sign in, and a CI job that shows its identity, have no credential yet.
    let is_open = |path: &str| path.starts_with("/api/v1/device/") || path.ends_with("/publish/exchange");
    for (method, path) in routes().into_iter().filter(|(_, path)| !is_open(path)) {
        let answer = server.ask(
            &method,
            &with(&path, "skill_none", "skill"),
            &[("content-type", "application/json")],
            &{
                let body = body(&method, "x");
                if body.is_null() { Vec::new() } else { body.to_string().into_bytes() }
            },
        );
        assert_eq!(answer.status, 401, "{method} {path}: {answer:?}");
    }
}

#[test]
fn what_is_not_for_a_user_takes_as_long_as_what_does_not_exist() {
    let server = Running::start();
    let (ada, bob) = (server.user("ada", &[]), server.user("bob", &[]));
    // Large contents: a server that reads them before it asks who may would take much longer.
    let line = "A line of a text that takes its time to be read, hashed and compared.\n";
    let skill = server.upload(&ada, "/api/v1/skills", "mine", &line.repeat(12_000)).json();
    let skill = skill["skill"]["id"].as_str().unwrap_or_else(|| panic!("{skill}")).to_owned();
    let quickest = |token: &str, path: &str| {
        let began = std::time::Instant::now();
        let status = server.call(token, "GET", path, &Value::Null).status;
        (status, began.elapsed())
    };
    for rest in [
        "",
        "/versions",
        "/versions/1",
        "/versions/1/content",
        "/versions/1/files/SKILL.md",
        "/versions/1/preview?agent=codex",
    ] {
        let place = |id: &str| format!("/api/v1/skills/{id}{rest}");
        let (mut foreign, mut absent) = (Vec::new(), Vec::new());
        for _ in 0..30 {
            let (status, took) = quickest(&bob, &place(&skill));
            assert_eq!(status, 404, "{rest}");
            foreign.push(took);
            absent.push(quickest(&bob, &place("skill_none")).1);
        }
        // The quickest of many, one after the other: what else the machine does makes an answer only slower.
        let (foreign, absent) = (foreign.into_iter().min().unwrap(), absent.into_iter().min().unwrap());
        let (less, more) = (foreign.min(absent), foreign.max(absent));
        assert!(more <= less * 2 + std::time::Duration::from_millis(1), "{rest}: {foreign:?} and {absent:?}");
    }
    let (_, own) = quickest(&ada, &format!("/api/v1/skills/{skill}/versions/1/preview?agent=codex"));
    let (_, none) = quickest(&bob, "/api/v1/skills/skill_none/versions/1/preview?agent=codex");
    assert!(own > none, "the measure sees what reading takes: {own:?}, {none:?}");
}
