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
        head.retain(|(name, _)| {
            !["date", "connection", "request-id", "x-request-id"].contains(&name.as_str())
        });
        let mut body = String::from_utf8_lossy(&answer.body).into_owned();
        // The vendors' errors name the request.
        for field in ["request-id", "x-request-id"] {
            if !answer.field(field).is_empty() {
                body = body.replace(answer.field(field), "REQUEST");
            }
        }
        (answer.status, head, body)
    };
    steady(found) == steady(absent)
}

const SITE: &str = "an administrator of the server";

/// The one who runs the server has the users of every organisation, and ends their tokens.
fn is_of_every_organisation(path: &str) -> bool {
    path.contains("/admin/users/") || path.contains("/me/tokens/")
}

/// Routes of other systems' clients that take the id of a skill and are not in the description.
const OTHERS: &[(&str, &str)] = &[
    ("GET", "/anthropic/v1/skills/{id}"),
    ("DELETE", "/anthropic/v1/skills/{id}"),
    ("GET", "/anthropic/v1/skills/{id}/versions"),
    ("GET", "/anthropic/v1/skills/{id}/versions/latest"),
    ("GET", "/anthropic/v1/skills/{id}/versions/1/content"),
    ("GET", "/openai/v1/skills/{id}"),
    ("POST", "/openai/v1/skills/{id}"),
    ("DELETE", "/openai/v1/skills/{id}"),
    ("GET", "/openai/v1/skills/{id}/content"),
    ("GET", "/openai/v1/skills/{id}/versions"),
    ("GET", "/openai/v1/skills/{id}/versions/1"),
    ("GET", "/skills/{id}/export"),
];

/// A request that is complete, so that only the id decides.
fn request(method: &str, path: &str, id: &str) -> (String, Value) {
    let query = match path {
        path if path.ends_with("/diff") => "?from=1",
        path if path.ends_with("/preview") => "?agent=codex",
        path if path.ends_with("/preferences") && method == "DELETE" => "?target=org",
        _ => "",
    };
    let mut sent = body(method, "x");
    if path.ends_with("/complete") {
        sent["files"] = json!(["SKILL.md"]);
        sent["text"] = json!("---");
        sent["at"] = json!(1);
    }
    if path.starts_with("/openai") && method == "POST" {
        sent["default_version"] = json!("1");
    }
    (with(path, id, "skill") + query, sent)
}

/// What an organisation has: the ids of a skill of one user, of the organisation and of a group, and so on.
fn everything_of(server: &Running, owner: &str, admin: &str) -> Vec<(&'static str, Vec<String>)> {
    let made = |token: &str, path: &str, sent: Value| {
        let answer = server.call(token, "POST", path, &sent);
        assert!(answer.status == 201 || answer.status == 200, "{path}: {answer:?}");
        answer.json()
    };
    let id = |value: &Value| value["id"].as_str().unwrap_or_else(|| panic!("{value}")).to_owned();
    let upload = |token: &str, query: &str, name: &str| {
        let stored = server.upload(token, &format!("/api/v1/skills{query}"), name, "One.").json();
        id(&stored["skill"])
    };
    let group = id(&made(admin, "/api/v1/groups", json!({ "name": "theirs" })));
    let own = upload(owner, "", "own");
    let shared = upload(admin, "?scope=org", "shared");
    let grouped = upload(admin, &format!("?scope=group&group={group}"), "grouped");
    let waiting = server.call(admin, "GET", "/api/v1/proposals", &Value::Null).json();
    let proposals: Vec<String> = waiting["data"].as_array().unwrap().iter().map(id).collect();
    assert!(!proposals.is_empty(), "{waiting}");
    let draft = id(&made(owner, "/api/v1/drafts", json!({ "files": { "SKILL.md": "x" } })));
    let tokens = server.call(owner, "GET", "/api/v1/me/tokens", &Value::Null).json();
    let source = id(&made(admin, "/api/v1/admin/sources", json!({ "address": "github:acme/skills" })));
    let webhook = id(&made(admin, "/api/v1/admin/webhooks", json!({ "address": "http://127.0.0.1:9/x" })));
    let publisher = json!({
        "name": "ci", "issuer": "http://127.0.0.1:9", "claims": { "repository": "acme/skills" }, "bound": "org",
    });
    let publisher = id(&made(admin, "/api/v1/admin/publishers", publisher));
    let user = id(&server.call(owner, "GET", "/api/v1/me", &Value::Null).json());
    vec![
        ("/skills/", vec![own, shared, grouped.clone()]),
        ("/adoptions/", vec![grouped]),
        ("/drafts/", vec![draft]),
        ("/proposals/", proposals),
        ("/groups/", vec![group]),
        ("/me/tokens/", vec![id(&tokens["data"][0])]),
        ("/admin/sources/", vec![source]),
        ("/admin/webhooks/", vec![webhook]),
        ("/admin/publishers/", vec![publisher]),
        ("/admin/users/", vec![user]),
    ]
}

#[test]
fn no_role_learns_which_ids_another_organisation_has_on_any_route() {
    let server = Running::start_open();
    server.organisation("other");
    let their_admin = server.user_of("other", "olga", &[Role::OrgAdmin]);
    let theirs = everything_of(&server, &server.user_of("other", "otto", &[]), &their_admin);
    let owner = server.user("gina", &[]);
    let admin = server.user("adam", &[Role::OrgAdmin]);
    let group = server.call(&admin, "POST", "/api/v1/groups", &json!({ "name": "ours" })).json();
    let gina = server.call(&owner, "GET", "/api/v1/me", &Value::Null).json();
    let (group, gina) = (group["id"].as_str().unwrap(), gina["id"].as_str().unwrap());
    let place = format!("/api/v1/groups/{group}/members/{gina}");
    assert_eq!(server.call(&admin, "PUT", &place, &json!({ "role": "owner" })).status, 200);
    let roles = [
        ("a guest", String::new()),
        ("a member", server.user("mia", &[])),
        ("a reviewer", server.user("rita", &[Role::Reviewer])),
        ("the owner of a group", owner),
        ("an administrator", admin),
        ("an auditor", server.user("axel", &[Role::Auditor])),
        (SITE, server.user("sara", &[Role::SiteAdmin])),
    ];
    let others = OTHERS.iter().map(|(method, path)| ((*method).to_owned(), (*path).to_owned()));
    let (mut asked, mut reached) = (0, std::collections::BTreeSet::new());
    let all: Vec<(String, String)> =
        routes().into_iter().filter(|(_, path)| path.contains("{id}")).chain(others).collect();
    for (method, path) in &all {
        let kind = theirs.iter().find(|(part, _)| path.contains(part));
        let (_, ids) = kind.unwrap_or_else(|| panic!("{path}: a route of which the test knows no id"));
        for (who, token) in &roles {
            if *who == SITE && is_of_every_organisation(path) {
                continue;
            }
            let ask = |id: &str| {
                let (place, sent) = request(method, path, id);
                if token.is_empty() {
                    let bytes = if sent.is_null() { Vec::new() } else { sent.to_string().into_bytes() };
                    return server.ask(method, &place, &[("content-type", "application/json")], &bytes);
                }
                server.call(token, method, &place, &sent)
            };
            for id in ids {
                let absent = format!("{}_none", id.split('_').next().unwrap_or_default());
                let (found, absent) = (ask(id), ask(&absent));
                assert!(same(&found, &absent), "{who}: {method} {path}: {found:?} is not {absent:?}");
                assert!(matches!(found.status, 401 | 403 | 404), "{who}: {method} {path}: {found:?}");
                if found.status == 404 {
                    reached.insert((method, path));
                }
                asked += 1;
            }
        }
    }
    for (method, path) in &all {
        assert!(reached.contains(&(method, path)), "{method} {path}: no role came as far as the id");
    }
    assert!(asked >= 700, "{asked}");
    let kept = server.call(&their_admin, "GET", "/api/v1/skills", &Value::Null).json();
    assert_eq!(kept["data"].as_array().map(Vec::len), Some(3), "nothing of theirs was changed: {kept}");
}

#[test]
fn what_is_not_for_a_user_answers_exactly_as_what_does_not_exist() {
    let server = Running::start();
    let ada = server.user("ada", &[]);
    let strangers = [
        ("another member", server.user("bob", &[])),
        ("a reviewer", server.user("rita", &[Role::Reviewer])),
        (SITE, server.user("sara", &[Role::SiteAdmin])),
    ];
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
        for (who, stranger) in &strangers {
            if *who == SITE && is_of_every_organisation(&path) {
                continue;
            }
            let ask = |id: &str| {
                let (place, sent) = request(&method, &path, id);
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
    let reading: Vec<String> = routes()
        .into_iter()
        .filter(|(method, path)| method == "GET" && path.starts_with("/api/v1/skills/{id}"))
        .map(|(_, path)| path)
        .collect();
    assert!(reading.len() >= 10, "{reading:?}");
    for path in reading {
        let place = |id: &str| request("GET", &path, id).0;
        let (mut foreign, mut absent) = (Vec::new(), Vec::new());
        for _ in 0..30 {
            let (status, took) = quickest(&bob, &place(&skill));
            assert_eq!(status, 404, "{path}");
            foreign.push(took);
            absent.push(quickest(&bob, &place("skill_none")).1);
        }
        // The quickest of many, one after the other: what else the machine does makes an answer only slower.
        let (foreign, absent) = (foreign.into_iter().min().unwrap(), absent.into_iter().min().unwrap());
        let (less, more) = (foreign.min(absent), foreign.max(absent));
        assert!(more <= less * 2 + std::time::Duration::from_millis(1), "{path}: {foreign:?} and {absent:?}");
    }
    let (_, own) = quickest(&ada, &format!("/api/v1/skills/{skill}/versions/1/preview?agent=codex"));
    let (_, none) = quickest(&bob, "/api/v1/skills/skill_none/versions/1/preview?agent=codex");
    assert!(own > none, "the measure sees what reading takes: {own:?}, {none:?}");
}
