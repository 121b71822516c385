//! The calls of the Codex app-server.

use super::{get, send, skill, tree};
use crate::running::Running;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use skillful_archive::{read, write_zip};
use skillful_format::Limits;
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    time::Duration,
};

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
