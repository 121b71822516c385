//! The routes in the forms of other skill systems, by the numbers of their contracts.

use crate::running::{Answer, Running};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use skillful_archive::{read, write_zip};
use skillful_format::{Limits, Tree, TreeFile, TreePath};
use skillful_team::Role;
use skillful_testkit::{GitServer, has_tool};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    time::Duration,
};

fn tree(files: &[(&str, &[u8])]) -> Tree {
    let mut tree = Tree::default();
    for (path, bytes) in files {
        let file = TreeFile { bytes: bytes.to_vec(), executable: bytes.starts_with(b"#!") };
        tree.insert(TreePath::new(path, &Limits::default()).unwrap(), file, &Limits::default()).unwrap();
    }
    tree
}

fn skill(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}. Use when asked.\n{more}---\n\nText of {name}.\n")
}

fn send(server: &Running, token: &str, path: &str, kind: &str, bytes: &[u8]) -> Answer {
    let bearer = format!("Bearer {token}");
    server.ask("POST", path, &[("authorization", &bearer), ("content-type", kind)], bytes)
}

fn get(server: &Running, token: &str, path: &str) -> Answer {
    server.call(token, "GET", path, &Value::Null)
}

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
fn c1_c2_c3_c4_the_calls_of_codex_list_switch_and_download_what_the_user_gets() {
    let server = Running::start();
    let (ada, bob) = (server.user("ada", &[]), server.user("bob", &[]));
    send(&server, &ada, "/skills/import", "text/markdown", skill("pdf", "").as_bytes());
    let zip =
        write_zip(&tree(&[("SKILL.md", skill("notes", "").as_bytes()), ("a/b.txt", b"B")]), "notes").unwrap();
    send(&server, &ada, "/skills/import", "application/zip", &zip);
    send(&server, &bob, "/skills/import", "text/markdown", skill("other", "").as_bytes());
    let call = |method: &str, params: Value| {
        server
            .call(
                &ada,
                "POST",
                "/rpc",
                &json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }),
            )
            .json()
    };
    let listed = call("skills/list", json!({ "cwds": ["/b", "relative", "/a"], "forceReload": true }));
    let data = listed["result"]["data"].as_array().unwrap();
    let folders: Vec<&str> = data.iter().map(|one| one["cwd"].as_str().unwrap()).collect();
    assert_eq!(folders, ["/b", "relative", "/a"], "the order is kept");
    let first = &data[0]["skills"][0];
    assert_eq!(
        (&first["name"], &first["path"], &first["scope"], &first["enabled"]),
        (&json!("notes"), &json!("skill://notes/SKILL.md"), &json!("user"), &json!(true))
    );
    assert_eq!((data[0]["skills"].as_array().unwrap().len(), &data[0]["errors"]), (2, &json!([])));
    // What cannot be served is an error with its reason, in each folder, and hides nothing else.
    let text = skill("later", "");
    send(&server, &ada, "/api/v1/skills?made_by=model", "text/markdown", text.as_bytes());
    let listed = call("skills/list", json!({ "cwds": ["/a", "/b"] }));
    for folder in listed["result"]["data"].as_array().unwrap() {
        assert_eq!(folder["skills"].as_array().unwrap().len(), 2);
        let errors = folder["errors"].as_array().unwrap();
        assert_eq!((errors.len(), &errors[0]["path"]), (1, &json!("skill://later/SKILL.md")), "{errors:?}");
        assert!(errors[0]["message"].as_str().unwrap().contains("version 1 is pending"), "{errors:?}");
    }
    let relative =
        call("skills/list", json!({ "perCwdExtraUserRoots": [{ "cwd": "/a", "extraUserRoots": ["x"] }] }));
    assert_eq!(relative["error"]["message"], "an extra root is an absolute path");
    // Exactly one selector; one that is off stays in the list; switching on removes the switch.
    for params in [
        json!({ "enabled": false }),
        json!({ "name": "pdf", "path": "skill://pdf/SKILL.md", "enabled": false }),
    ] {
        assert_eq!(call("skills/config/write", params)["error"]["code"], -32_602);
    }
    assert_eq!(
        call("skills/config/write", json!({ "name": "none", "enabled": true }))["error"]["message"],
        "not found"
    );
    let off = call("skills/config/write", json!({ "path": "skill://pdf/SKILL.md", "enabled": false }));
    assert_eq!(off["result"]["effectiveEnabled"], false);
    let listed = call("skills/list", Value::Null);
    assert_eq!(listed["result"]["data"][0]["skills"][1]["enabled"], false);
    call("skills/config/write", json!({ "name": "pdf", "enabled": true }));
    let id = get(&server, &ada, "/skills").json()[1]["id"].as_str().unwrap().to_owned();
    assert_eq!(get(&server, &ada, &format!("/api/v1/skills/{id}/preferences")).json()["data"], json!([]));
    for (roots, code) in [(json!(["/skills"]), -32_601), (json!(["skills"]), -32_602), (json!("x"), -32_602)]
    {
        assert_eq!(call("skills/extraRoots/set", json!({ "extraRoots": roots }))["error"]["code"], code);
    }
    assert_eq!(call("skills/extraRoots/set", json!({ "extraRoots": [] }))["result"], json!({}));
    assert_eq!(call("weather", json!({}))["error"]["code"], -32_601);
    let remote = call("skills/remote/read", json!({}));
    assert_eq!(remote["result"]["data"].as_array().unwrap().len(), 2);
    let loaded = call("skills/remote/write", json!({ "id": remote["result"]["data"][0]["id"] }));
    assert_eq!(loaded["result"]["files"], json!(["SKILL.md", "a/b.txt"]));
    let bytes = STANDARD.decode(loaded["result"]["zip"].as_str().unwrap()).unwrap();
    assert_eq!(
        read(&bytes, None, &Limits::default()).unwrap().tree.digest().to_string(),
        loaded["result"]["digest"].as_str().unwrap()
    );
    let foreign = server
        .call(
            &bob,
            "POST",
            "/rpc",
            &json!({ "id": 1, "method": "skills/remote/write", "params": { "id": id } }),
        )
        .json();
    assert_eq!(foreign["error"]["message"], "not found");
}

#[test]
fn i1_i2_the_command_of_a_chat_lists_what_is_available_and_what_is_off_with_the_reason() {
    let server = Running::start();
    let (ada, admin) = (server.user("ada", &[]), server.user("admin", &[Role::OrgAdmin]));
    let rita = server.user("rita", &[Role::Reviewer]);
    let words = "triggers: [one, two, three, four, five, six]\nalways_include: true\n";
    send(&server, &ada, "/skills/import", "text/markdown", skill("pdf", words).as_bytes());
    send(&server, &ada, "/skills/import", "text/markdown", skill("notes", "").as_bytes());
    for token in [&ada, &admin] {
        send(
            &server,
            token,
            "/skills/import",
            "text/markdown",
            skill("ops", "admin_only: true\n").as_bytes(),
        );
    }
    let org = server.upload(&admin, "/api/v1/skills?scope=org", "handbook", "Text.").json();
    let decision = json!({ "digest": org["version"]["tree"] });
    let proposal = org["proposal"].as_str().unwrap();
    assert_eq!(
        server.call(&rita, "POST", &format!("/api/v1/proposals/{proposal}/approve"), &decision).status,
        200
    );
    server.call(
        &ada,
        "POST",
        "/rpc",
        &json!({ "id": 1, "method": "skills/config/write", "params": { "name": "notes", "enabled": false } }),
    );
    let command =
        |token: &str, text: &str| server.call(token, "POST", "/chat/command", &json!({ "text": text }));
    let text = command(&ada, "!skills").json()["text"].as_str().unwrap().to_owned();
    assert_eq!(
        text,
        "Available (1)\n- pdf [own, always]: Does pdf. Use when asked. (one, two, three, four, five)\n\n\
         Disabled (2)\n- handbook: offered to all who may read it\n- notes: you switched it off\n"
    );
    assert!(command(&admin, "!skills").json()["text"].as_str().unwrap().contains("- ops [own, admin]"));
    assert_eq!(command(&ada, "!skills ops").status, 404, "an administrator's skill is not seen by others");
    let one = command(&ada, "!skills notes").json()["text"].as_str().unwrap().to_owned();
    assert!(one.starts_with("notes (disabled: you switched it off)\n"), "{one}");
    assert_eq!(command(&ada, "!weather").status, 400);
    // Every face gives the same answer.
    let off = |path: &str, name: &str, key: &str| {
        let all = get(&server, &ada, path).json();
        all.as_array().unwrap().iter().find(|one| one["name"] == name).map(|one| one[key].clone())
    };
    assert_eq!(off("/skills", "notes", "enabled"), Some(json!(false)));
    assert_eq!(off("/api/skills", "notes", "available"), Some(json!(false)));
    assert_eq!(off("/skill", "notes", "content"), None);
}

#[test]
fn x1_o2_files_of_a_skill_are_resources_and_a_wrong_path_is_an_error_of_its_own() {
    let server = Running::start();
    let (ada, bob) = (server.user("ada", &[]), server.user("bob", &[]));
    let zip = write_zip(
        &tree(&[
            ("SKILL.md", skill("pdf", "").as_bytes()),
            ("a/b.md", b"# B"),
            ("c.py", b"print()"),
            ("d.bin", b"x"),
        ]),
        "pdf",
    )
    .unwrap();
    send(&server, &ada, "/skills/import", "application/zip", &zip);
    let read = |token: &str, uri: &str| get(&server, token, &format!("/skill/resource?uri={uri}"));
    let found = read(&ada, "skill://pdf/a/b.md");
    assert_eq!(
        (found.status, found.field("content-type"), found.body.as_slice()),
        (200, "text/markdown; charset=utf-8", &b"# B"[..])
    );
    assert_eq!(read(&ada, "skill://pdf/c.py").field("content-type"), "text/plain; charset=utf-8");
    for uri in [
        "skill://pdf//etc/passwd",
        "skill://pdf/../x",
        "skill://pdf/a/../../x",
        "skill://pdf/none.md",
        "file:///etc/passwd",
    ] {
        let refused = read(&ada, uri);
        assert!(
            refused.status == 400 && refused.json()["code"] == "wrong-resource",
            "{uri}: {:?}",
            refused.json()
        );
    }
    assert_eq!(read(&bob, "skill://pdf/a/b.md").status, 404);
    let all = get(&server, &ada, "/skill").json();
    assert_eq!(
        (&all[0]["name"], &all[0]["location"], all[0]["content"].as_str().unwrap().trim()),
        (&json!("pdf"), &json!("skill://pdf/SKILL.md"), "Text of pdf.")
    );
    assert_eq!(get(&server, &bob, "/skill").json(), json!([]));
}

#[test]
fn c3_a_change_is_reported_once_without_payload_and_the_next_list_is_fresh() {
    let server = Running::start();
    let (ada, bob) = (server.user("ada", &[]), server.user("bob", &[]));
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    write!(
        stream,
        "GET /rpc/events HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nauthorization: Bearer {ada}\r\n\r\n",
        server.port
    )
    .unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.next().unwrap().contains("200"));
    std::thread::sleep(Duration::from_millis(300));
    // What other users do for themselves, and a setting, do not change this list.
    send(&server, &bob, "/skills/import", "text/markdown", skill("other", "").as_bytes());
    server.call(&ada, "PUT", "/api/settings/runtime/skills", &json!({ "enabled": true }));
    std::thread::sleep(Duration::from_millis(300));
    send(&server, &ada, "/skills/import", "text/markdown", skill("pdf", "").as_bytes());
    let reported: Value = lines
        .find_map(|line| line.strip_prefix("data: ").map(|data| serde_json::from_str(data).unwrap()))
        .unwrap();
    assert_eq!(reported, json!({ "jsonrpc": "2.0", "method": "skills/changed" }));
    let list =
        server.call(&ada, "POST", "/rpc", &json!({ "id": 1, "method": "skills/list", "params": {} })).json();
    let names: Vec<&Value> =
        list["result"]["data"][0]["skills"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["pdf"]);
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
    assert_eq!(get(&server, &ada, "/api/v1/integrations").json()["data"].as_array().unwrap().len(), 2);
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
