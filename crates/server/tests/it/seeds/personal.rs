//! Personal Agent: import, catalog, skills by name and the marketplace.

use super::{get, send, skill, tree};
use crate::running::Running;
use serde_json::{Value, json};
use skillful_archive::{read, write_zip};
use skillful_format::Limits;
use skillful_team::Role;
use skillful_testkit::{GitServer, has_tool};

#[test]
fn p1_p2_p14_an_import_overwrites_the_own_skill_says_what_it_skipped_and_equals_its_export() {
    let server = Running::start();
    let ada = server.user("ada", &[]);
    let text = skill("pdf", "unknown_key: kept\nallowed-tools: Read\nmetadata: {author: ada}\n");
    let large = vec![b'x'; 300 << 10];
    let files = tree(&[
        ("SKILL.md", text.as_bytes()),
        ("references/a.md", b"A."),
        ("scripts/run.sh", b"#!/bin/sh\necho 1\n"),
        ("assets/picture.png", &[0x89, b'P', 0, 1]),
        ("assets/large.txt", &large),
    ]);
    let zip = write_zip(&files, "pdf").unwrap();
    let first = send(&server, &ada, "/skills/import", "application/zip", &zip);
    assert_eq!(first.status, 201, "{:?}", first.json());
    let first = first.json();
    assert_eq!(
        (&first["source"], &first["replaced"], &first["enabled"]),
        (&json!("imported"), &json!(false), &json!(true))
    );
    let skipped = first["skipped"].to_string();
    assert!(skipped.contains("picture.png") && skipped.contains("is not text"), "{skipped}");
    assert!(skipped.contains("large.txt") && skipped.contains("256 KB"), "{skipped}");
    let id = first["id"].as_str().unwrap().to_owned();
    let shown = get(&server, &ada, &format!("/skills/{id}")).json();
    for key in [
        "name",
        "description",
        "when_to_use",
        "instructions",
        "allowed_tools",
        "context_fork",
        "meta",
        "resources",
        "enabled",
        "state",
        "owner_sub",
        "source",
        "source_id",
        "source_version",
    ] {
        assert!(shown.get(key).is_some(), "{key}: {shown}");
    }
    assert_eq!(shown["instructions"].as_str().unwrap().trim(), "Text of pdf.");
    assert_eq!(shown["meta"], json!({ "author": "ada" }));
    let paths: Vec<&str> =
        shown["resources"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["references/a.md", "scripts/run.sh"]);
    // Exported and imported again it is the same.
    let exported = get(&server, &ada, &format!("/skills/{id}/export"));
    assert_eq!(exported.field("content-type"), "application/zip");
    let back = read(&exported.body, None, &Limits::default()).unwrap();
    assert!(String::from_utf8_lossy(&back.tree.get("SKILL.md").unwrap().bytes).contains("unknown_key: kept"));
    let again = send(&server, &ada, "/skills/import", "application/zip", &exported.body).json();
    assert_eq!((&again["replaced"], &again["version"], &again["id"]), (&json!(true), &json!(2), &json!(id)));
    let twice = get(&server, &ada, &format!("/skills/{id}/export"));
    assert_eq!(read(&twice.body, None, &Limits::default()).unwrap().tree.digest(), back.tree.digest());
    // One that can do more waits, and the old one stays in use.
    let more = skill("pdf", "allowed-tools: Read, Bash(curl:*)\n");
    let grown = send(&server, &ada, "/skills/import", "text/markdown", more.as_bytes()).json();
    assert_eq!((&grown["pending"], &grown["version"]), (&json!(true), &json!(3)));
    let served = get(&server, &ada, &format!("/skills/{id}")).json();
    assert_eq!((&served["version"], &served["enabled"]), (&json!(2), &json!(true)));
    // A single file is exported as text.
    let single = send(&server, &ada, "/skills/import", "text/markdown", skill("one", "").as_bytes()).json();
    let text = get(&server, &ada, &format!("/skills/{}/export", single["id"].as_str().unwrap()));
    assert_eq!(String::from_utf8(text.body).unwrap(), skill("one", ""));
}

#[test]
fn p3_p4_p5_g5_the_catalog_is_administered_read_and_installed_from_in_both_forms() {
    if !has_tool("git") {
        return;
    }
    let server = Running::start_open();
    let (admin, ada) = (server.user("admin", &[Role::OrgAdmin]), server.user("ada", &[]));
    let folder = tempfile::tempdir().unwrap();
    let git = GitServer::folder(folder.path());
    git.commit(
        "skills.git",
        &[("pdf/SKILL.md", &skill("pdf", "")), ("x/notes/SKILL.md", &skill("notes", ""))],
    );
    let add = |token: &str, body: Value| server.call(token, "POST", "/admin/skill-catalog", &body);
    let kept = add(&admin, json!({ "label": "team", "repo_url": git.url("skills.git") }));
    assert_eq!(kept.status, 201, "{:?}", kept.json());
    assert_eq!(
        add(&admin, json!({ "repo_url": "http://127.0.0.1:9/dead.git", "enabled": true })).status,
        201
    );
    let wrong = add(&admin, json!({ "repo_url": "file:///etc" }));
    assert!(
        wrong.status == 400 && wrong.json()["detail"].as_str().unwrap().contains("https"),
        "{:?}",
        wrong.json()
    );
    assert_eq!(add(&ada, json!({ "repo_url": "acme/skills" })).status, 403);
    let id = kept.json()["id"].as_str().unwrap().to_owned();
    let catalog = get(&server, &ada, "/skills/catalog");
    assert_eq!(catalog.status, 200);
    let catalog = catalog.json();
    let names: Vec<&str> =
        catalog["items"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["notes", "pdf"]);
    assert_eq!(catalog["errors"].as_array().unwrap().len(), 1);
    let installed =
        server.call(&ada, "POST", "/skills/catalog/install", &json!({ "catalog_id": id, "name": "pdf" }));
    let installed = installed.json();
    assert_eq!((&installed["source"], &installed["enabled"]), (&json!("catalog"), &json!(false)));
    assert!(installed["source_id"].as_str().unwrap().ends_with("skills.git:pdf"));
    assert!(installed["source_version"].as_str().unwrap().contains("sha256:"));
    assert_eq!(get(&server, &ada, "/skills").json(), json!([]), "it is off");
    // The other form.
    let market = get(&server, &ada, "/api/skills/marketplace").json();
    assert_eq!(market["available"], true);
    assert!(market["message"].as_str().unwrap().contains("dead"), "{market}");
    let items = market["items"].as_array().unwrap();
    assert_eq!((&items[1]["installed"], &items[1]["updateAvailable"]), (&json!(true), &json!(false)));
    let install = |item: &Value| {
        server.call(&ada, "POST", "/api/skills/marketplace/install", &json!({ "skillId": item["id"] })).json()
            ["status"]
            .clone()
    };
    assert_eq!((install(&items[1]), install(&items[0])), (json!("already-installed"), json!("installed")));
    let change =
        json!({ "label": "team", "repo_url": git.url("skills.git"), "ref": "main", "enabled": false });
    let changed = server.call(&admin, "PUT", &format!("/admin/skill-catalog/{id}"), &change).json();
    assert_eq!((&changed["enabled"], &changed["ref"]), (&json!(false), &json!("main")));
    assert_eq!(
        server.call(&admin, "DELETE", &format!("/admin/skill-catalog/{id}"), &Value::Null).status,
        204
    );
    let kept = get(&server, &ada, &format!("/skills/{}", installed["id"].as_str().unwrap()));
    assert_eq!(kept.status, 200, "what was installed stays");
}

#[test]
fn p6_p7_p8_skills_are_used_by_name_offered_adopted_and_gone_when_the_offer_ends() {
    let server = Running::start();
    let (ada, bob, admin) =
        (server.user("ada", &[]), server.user("bob", &[]), server.user("admin", &[Role::OrgAdmin]));
    let text = skill("pdf", "when_to_use: For PDF files.\nallowed-tools: Read\n");
    let id = send(&server, &ada, "/skills/import", "text/markdown", text.as_bytes()).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let use_it = |token: &str| server.call(token, "POST", "/skills/use", &json!({ "name": "pdf" }));
    let used = use_it(&ada).json();
    assert_eq!(used["instructions"].as_str().unwrap().trim(), "Text of pdf.");
    assert!(used["allowed_tools"].is_array() && used["resources"].is_array());
    let counted = get(&server, &ada, "/api/v1/usage?days=1").json();
    assert_eq!(counted["uses"], 1, "a use is counted");
    assert_eq!(use_it(&bob).status, 404, "the skill of another user");
    assert_eq!(get(&server, &bob, "/marketplace?item_type=skill").json(), json!([]));
    let publish = |token: &str, on: bool| {
        server
            .call(token, "POST", &format!("/marketplace/skills/{id}/publish?published={on}"), &Value::Null)
            .status
    };
    assert_eq!((publish(&bob, true), publish(&ada, true)), (404, 200));
    let listed = get(&server, &bob, "/marketplace?item_type=skill").json();
    assert_eq!((&listed[0]["name"], &listed[0]["when_to_use"]), (&json!("pdf"), &json!("For PDF files.")));
    assert!(!listed.to_string().contains("Text of pdf"), "never the text");
    let adopt = |token: &str, method: &str| {
        server.call(token, method, "/marketplace/adoptions", &json!({ "item_id": id })).status
    };
    assert_eq!((adopt(&ada, "POST"), adopt(&bob, "POST")), (409, 201), "an own skill is not adopted");
    assert_eq!(use_it(&bob).status, 200);
    // An administrator takes it out of the lists, and puts it back.
    let list = |on: bool| {
        server.call(&admin, "PUT", &format!("/api/v1/skills/{id}/listed"), &json!({ "on": on })).status
    };
    assert_eq!(list(false), 200);
    assert_eq!((use_it(&bob).status, get(&server, &bob, "/marketplace").json()), (404, json!([])));
    assert_eq!(list(true), 200);
    assert_eq!(use_it(&bob).status, 200);
    assert_eq!(publish(&ada, false), 200);
    assert_eq!(use_it(&bob).status, 404, "adoptions end with the offer");
    assert_eq!(adopt(&bob, "DELETE"), 404);
}
