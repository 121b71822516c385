//! golemcore: skills by name and the settings of a user.

use super::get;
use crate::running::Running;
use serde_json::{Value, json};

#[test]
fn g1_g2_g3_g4_skills_by_name_with_the_limits_of_golemcore() {
    let server = Running::start();
    let ada = server.user("ada", &[]);
    let post = |body: Value| server.call(&ada, "POST", "/api/skills", &body);
    let made = post(
        json!({ "name": "daily-report", "content": "Write the report.", "description": "Reports: daily", "modelTier": "smart" }),
    );
    assert_eq!(made.status, 201, "{:?}", made.json());
    assert_eq!(post(json!({ "name": "daily-report", "content": "Again." })).status, 409);
    for (body, what) in [
        (json!({ "name": "Bad Name", "content": "x" }), "a name"),
        (json!({ "name": "-x", "content": "x" }), "a name"),
        (json!({ "name": "x".repeat(51), "content": "x" }), "a name"),
        (json!({ "content": "x" }), "no name"),
        (json!({ "name": "x", "content": "x".repeat(50_001) }), "too long"),
        (json!({ "name": "x", "content": "x", "description": "d".repeat(201) }), "a description"),
        (json!({ "name": "x", "content": "x", "modelTier": "huge" }), "a tier"),
    ] {
        assert_eq!(post(body).status, 400, "{what}");
    }
    let detail = get(&server, &ada, "/api/skills/daily-report").json();
    assert_eq!(
        (&detail["available"], &detail["hasMcp"], &detail["modelTier"]),
        (&json!(true), &json!(false), &json!("smart"))
    );
    assert_eq!(detail["content"].as_str().unwrap().trim(), "Write the report.");
    assert_eq!(get(&server, &ada, "/api/skills/detail?name=daily-report").json(), detail);
    assert_eq!(get(&server, &ada, "/api/skills/none").status, 404);
    let put = |body: Value| server.call(&ada, "PUT", "/api/skills/daily-report", &body);
    assert_eq!(put(json!({ "content": "Two.", "modelTier": "none" })).status, 400);
    assert_eq!(put(json!({ "content": "Two." })).json()["content"].as_str().unwrap().trim(), "Two.");
    let with_server =
        "---\nname: daily-report\ndescription: Reports.\nmcp:\n  command: node server.js\n---\n\nThree.\n";
    assert_eq!(put(json!({ "content": with_server })).status, 200);
    assert_eq!(
        get(&server, &ada, "/api/skills/daily-report/mcp-status").json(),
        json!({ "hasMcp": true, "running": false, "tools": [] })
    );
    assert_eq!(
        server.call(&ada, "POST", "/api/skills/daily-report/reload", &Value::Null).json()["hasMcp"],
        true
    );
    // One that is off is listed too.
    let rpc = json!({ "id": 1, "method": "skills/config/write", "params": { "name": "daily-report", "enabled": false } });
    assert_eq!(server.call(&ada, "POST", "/rpc", &rpc).json()["result"]["effectiveEnabled"], false);
    let all = get(&server, &ada, "/api/skills").json();
    assert_eq!((all.as_array().unwrap().len(), &all[0]["available"]), (1, &json!(false)));
    assert_eq!(server.call(&ada, "DELETE", "/api/skills/daily-report", &Value::Null).status, 204);
    assert_eq!(get(&server, &ada, "/api/skills").json(), json!([]));
}

#[test]
fn g6_settings_are_read_and_changed_in_the_form_of_golemcore() {
    let server = Running::start();
    let (ada, bob) = (server.user("ada", &[]), server.user("bob", &[]));
    let place = |rest: &str| format!("/api/settings/runtime/{rest}");
    let put = |rest: &str, body: Value| server.call(&ada, "PUT", &place(rest), &body);
    let skills = json!({ "enabled": true, "progressiveLoading": false, "marketplaceSourceType": "repository",
        "marketplaceRepositoryUrl": "https://github.com/acme/skills", "marketplaceBranch": "main",
        "marketplaceRepositoryDirectory": null, "marketplaceSandboxPath": null });
    let changed = put("skills", skills.clone());
    assert_eq!(
        (changed.status, &changed.json()["skills"]),
        (200, &skills),
        "a change is answered with every section"
    );
    assert_eq!(get(&server, &ada, &place("skills")).json(), skills);
    assert_eq!(put("mcp", json!({ "defaultIdleTimeout": 9 })).json()["mcp"]["defaultIdleTimeout"], 9);
    let env = |method: &str, rest: &str, body: Value| {
        server.call(&ada, method, &place(&format!("tools/shell/env{rest}")), &body)
    };
    let made = env("POST", "", json!({ "name": "REGION", "value": "eu" }));
    assert_eq!(
        made.json()["tools"]["shellEnvironmentVariables"][0],
        json!({ "name": "REGION", "value": "eu" })
    );
    assert_eq!(env("POST", "", json!({ "name": "REGION", "value": "us" })).status, 409);
    assert_eq!(env("PUT", "/REGION", json!({ "name": "PLACE", "value": "us" })).status, 200);
    assert_eq!(
        get(&server, &ada, &place("tools/shell/env")).json(),
        json!([{ "name": "PLACE", "value": "us" }])
    );
    assert_eq!(get(&server, &bob, &place("tools/shell/env")).json(), json!([]));
    assert_eq!(
        (env("DELETE", "/REGION", Value::Null).status, env("DELETE", "/PLACE", Value::Null).status),
        (404, 200)
    );
    assert_eq!((get(&server, &ada, &place("hive")).status, put("hive", json!({})).status), (404, 404));
    let wrong = put("tools", json!({ "shellEnabled": "yes" }));
    assert_eq!((wrong.status, wrong.json()["code"].as_str()), (400, Some("wrong-setting")));
    assert_eq!(server.ask("GET", &place("tools"), &[], &[]).status, 401);
}
