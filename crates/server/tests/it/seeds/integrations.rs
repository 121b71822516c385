//! Integrations, and what models write.

use super::{get, send, skill};
use crate::running::Running;
use serde_json::{Value, json};
use skillful_team::Role;

#[test]
fn p9_p10_integrations_and_what_models_write_over_the_api() {
    let server = Running::start();
    let (ada, admin) = (server.user("ada", &[]), server.user("admin", &[Role::OrgAdmin]));
    let entry = json!({ "version": "1.0", "skills": [{ "name": "mail", "files": { "SKILL.md": skill("mail", "") } }] });
    let set_up = |token: &str, body: &Value| server.call(token, "PUT", "/api/v1/integrations/post", body);
    let report = set_up(&ada, &entry).json();
    assert_eq!((&report["skills"][0]["outcome"], &report["skipped"]), (&json!("created"), &json!([])));
    let listed = get(&server, &ada, "/skills").json();
    assert_eq!(
        (
            &listed[0]["source"],
            &listed[0]["source_id"],
            &listed[0]["source_version"],
            listed[0]["owner_sub"].is_string()
        ),
        (&json!("integration"), &json!("post:mail"), &json!("1.0"), true)
    );
    let mut wider = entry.clone();
    wider["scope"] = json!("org");
    assert_eq!(set_up(&ada, &wider).status, 403);
    assert_eq!(set_up(&admin, &wider).json()["skills"][0]["state"], "pending", "another user reviews it");
    let known = get(&server, &ada, "/api/v1/integrations").json()["data"].as_array().unwrap().len();
    assert_eq!(known, 1, "a member knows nothing of what waits for its first review");
    let gone = |token: &str, query: &str| {
        server.call(token, "DELETE", &format!("/api/v1/integrations/post{query}"), &Value::Null).status
    };
    assert_eq!((gone(&ada, "?scope=org"), gone(&ada, ""), gone(&ada, "")), (403, 204, 404));
    // What a model wrote is proposed and off; its user agrees to exactly these files.
    let learned =
        send(&server, &ada, "/api/v1/skills?made_by=model", "text/markdown", skill("learned", "").as_bytes());
    let learned = learned.json();
    assert_eq!(
        (&learned["version"]["state"], &learned["skill"]["source"]),
        (&json!("pending"), &json!("model"))
    );
    let (id, digest) = (learned["skill"]["id"].as_str().unwrap(), &learned["version"]["tree"]);
    let agreed = server.call(
        &ada,
        "POST",
        &format!("/api/v1/skills/{id}/versions/1/agree"),
        &json!({ "digest": digest }),
    );
    assert_eq!(agreed.json()["default_version"], 1);
    let kept = server.call(&ada, "PUT", &format!("/api/v1/skills/{id}/kept"), &json!({ "on": true }));
    assert_eq!(kept.status, 200);
    let wrong =
        send(&server, &ada, "/api/v1/skills?made_by=ghost", "text/markdown", skill("x", "").as_bytes());
    assert_eq!((wrong.status, wrong.json()["code"].as_str()), (400, Some("unknown-maker")));
}
