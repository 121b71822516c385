//! The command of a chat, and files of a skill as resources.

use super::{get, send, skill, tree};
use crate::running::Running;
use serde_json::json;
use skillful_archive::write_zip;
use skillful_team::Role;

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
