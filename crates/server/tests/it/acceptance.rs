//! Acceptance tests of the team server that are about one request or a few.

use crate::running::Running;
use serde_json::{Value, json};
use skillful_testkit::has_tool;
use std::process::Command;

#[test]
fn a_rollback_is_one_action_that_is_in_the_audit_log_once() {
    let server = Running::start();
    let (ada, admin) = (server.user("ada", &[]), server.user("admin", &[skillful_team::Role::OrgAdmin]));
    let id = server.upload(&ada, "/api/v1/skills", "pdf", "One.").json()["skill"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    server.upload(&ada, &format!("/api/v1/skills/{id}/versions"), "pdf", "Two.");
    let served = || {
        let all = server.call(&ada, "GET", "/api/v1/effective", &Value::Null).json();
        all["data"][0]["version"]["number"].clone()
    };
    assert_eq!(served(), 2);
    assert_eq!(
        server.call(&ada, "POST", &format!("/api/v1/skills/{id}/versions/1/default"), &Value::Null).status,
        200
    );
    assert_eq!(served(), 1);
    let log = server.call(
        &admin,
        "GET",
        &format!("/api/v1/admin/audit?subject={id}&action=skill.default"),
        &Value::Null,
    );
    let log = log.json();
    assert_eq!(log["data"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&log["data"][0]["before"]["version"], &log["data"][0]["after"]["version"]),
        (&json!(2), &json!(1))
    );
}

#[test]
fn a_version_for_openai_is_served_when_the_request_says_so_and_at_no_moment_before() {
    let server = Running::start();
    let (ada, admin) = (server.user("ada", &[]), server.user("admin", &[skillful_team::Role::OrgAdmin]));
    let made = server.upload(&ada, "/openai/v1/skills", "pdf", "One.").json();
    let path = format!("/openai/v1/skills/{}", made["id"].as_str().unwrap());
    let versions = format!("{path}/versions");
    let numbers = || {
        let skill = server.call(&ada, "GET", &path, &Value::Null).json();
        (
            skill["default_version"].as_str().unwrap().to_owned(),
            skill["latest_version"].as_str().unwrap().to_owned(),
        )
    };
    let is = |default: &str, latest: &str| (default.to_owned(), latest.to_owned());
    assert_eq!(server.upload(&ada, &versions, "pdf", "Two.").json()["version"], "2");
    assert_eq!(numbers(), is("1", "2"));
    let log = format!("/api/v1/admin/audit?subject={}", made["id"].as_str().unwrap());
    let log = server.call(&admin, "GET", &log, &Value::Null).json();
    let deeds: Vec<&str> =
        log["data"].as_array().unwrap().iter().map(|one| one["action"].as_str().unwrap()).collect();
    assert_eq!(deeds, ["version.create", "skill.create"], "the default was not moved and moved back");
    let text = "---\nname: pdf\ndescription: Does pdf. Use when asked.\n---\n\nThree.\n";
    let form = format!(
        "--edge\r\ncontent-disposition: form-data; name=\"default\"\r\n\r\ntrue\r\n--edge\r\n\
         content-disposition: form-data; name=\"files\"; filename=\"pdf/SKILL.md\"\r\n\r\n{text}\r\n--edge--\r\n"
    );
    let bearer = format!("Bearer {ada}");
    let head = [("authorization", bearer.as_str()), ("content-type", "multipart/form-data; boundary=edge")];
    assert_eq!(server.ask("POST", &versions, &head, form.as_bytes()).status, 200);
    assert_eq!(numbers(), is("3", "3"));
    // The newest number is one that is there, and one that was deleted does not come back.
    assert_eq!(server.call(&ada, "POST", &path, &json!({ "default_version": "1" })).status, 200);
    assert_eq!(server.call(&ada, "DELETE", &format!("{versions}/3"), &Value::Null).status, 200);
    assert_eq!(numbers(), is("1", "2"));
    assert_eq!(server.upload(&ada, &versions, "pdf", "Four.").json()["version"], "4");
    // At Anthropic a new version is served at once.
    let path = format!("/anthropic/v1/skills/{}/versions", made["id"].as_str().unwrap());
    server.upload(&ada, &path, "pdf", "Five.");
    assert_eq!(numbers(), is("5", "5"));
}

#[test]
fn a_token_without_a_scope_is_refused_by_its_name_and_a_revoked_one_at_once() {
    let server = Running::start();
    let ada = server.user("ada", &[]);
    let made = server.call(
        &ada,
        "POST",
        "/api/v1/me/tokens",
        &json!({ "name": "reader", "scopes": ["skills:read"], "days": 1 }),
    );
    let made = made.json();
    let token = ["secret", "token"].iter().find_map(|key| made[key].as_str()).unwrap_or_default().to_owned();
    assert!(token.starts_with("skf_"), "{made}");
    let refused = server.upload(&token, "/api/v1/skills", "pdf", "One.");
    assert_eq!(refused.status, 403);
    assert!(refused.json()["detail"].as_str().unwrap().contains("`skills:write`"), "{:?}", refused.json());
    assert_eq!(server.call(&token, "GET", "/api/v1/skills", &Value::Null).status, 200);
    let all = server.call(&ada, "GET", "/api/v1/me/tokens", &Value::Null).json();
    let id =
        all["data"].as_array().unwrap().iter().find(|one| one["name"] == "reader").unwrap()["id"].clone();
    let gone =
        server.call(&ada, "DELETE", &format!("/api/v1/me/tokens/{}", id.as_str().unwrap()), &Value::Null);
    assert!(gone.status < 300, "{}", gone.status);
    assert_eq!(server.call(&token, "GET", "/api/v1/skills", &Value::Null).status, 401);
}

/// Archives that no skill has: names that leave the folder, links, one name twice, bombs, and bytes that are no archive.
const HOSTILE: &str = r#"
import io, os, sys, tarfile, warnings, zipfile
warnings.simplefilter("ignore")
top, text = sys.argv[1], "---\nname: pdf\ndescription: d\n---\n\nText.\n"
def zipped(name, files, kind=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(os.path.join(top, name), "w", kind) as out:
        for path, content in files:
            out.writestr(path, content)
good = ("pdf/SKILL.md", text)
zipped("traversal.zip", [good, ("pdf/../../evil.md", "x")])
zipped("absolute.zip", [good, ("/etc/evil.md", "x")])
zipped("backslash.zip", [good, ("pdf\\..\\evil.md", "x")])
zipped("twice.zip", [good, good])
zipped("case.zip", [good, ("pdf/skill.MD", "x"), ("pdf/SKILL.MD", "y")])
zipped("bomb.zip", [good, ("pdf/bomb.txt", b"\0" * (200 << 20))])
zipped("many.zip", [good] + [("pdf/%d.txt" % at, "x") for at in range(3000)])
link = zipfile.ZipInfo("pdf/link"); link.external_attr = 0o120777 << 16
zipped("link.zip", [good, (link, "/etc/passwd")])
def tarred(name, members):
    with tarfile.open(os.path.join(top, name), "w:gz") as out:
        for info, content in members:
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
def entry(path, kind=tarfile.REGTYPE, target=""):
    info = tarfile.TarInfo(path); info.type = kind; info.linkname = target
    return info
good = (entry("pdf/SKILL.md"), text.encode())
tarred("link.tar.gz", [good, (entry("pdf/l", tarfile.SYMTYPE, "/etc/passwd"), b"")])
tarred("hard.tar.gz", [good, (entry("pdf/l", tarfile.LNKTYPE, "/etc/passwd"), b"")])
tarred("device.tar.gz", [good, (entry("pdf/d", tarfile.CHRTYPE), b"")])
tarred("traversal.tar.gz", [good, (entry("pdf/../../evil"), b"x")])
open(os.path.join(top, "cut.zip"), "wb").write(open(os.path.join(top, "twice.zip"), "rb").read()[:60])
open(os.path.join(top, "noise.zip"), "wb").write(b"PK\x03\x04" + os.urandom(4000))
"#;

#[test]
fn hostile_archives_are_refused_with_a_reason_and_nothing_of_them_is_kept() {
    if !has_tool("python3") {
        return;
    }
    let server = Running::start();
    let ada = server.user("ada", &[]);
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new("python3").args(["-c", HOSTILE]).arg(folder.path()).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let bearer = format!("Bearer {ada}");
    let mut asked = 0;
    for file in std::fs::read_dir(folder.path()).unwrap().map_while(Result::ok) {
        let bytes = std::fs::read(file.path()).unwrap();
        let head = [("authorization", bearer.as_str()), ("content-type", "application/zip")];
        let answer = server.ask("POST", "/api/v1/skills", &head, &bytes);
        let problem = answer.json();
        assert!(
            matches!(answer.status, 400 | 413) && !problem["detail"].as_str().unwrap().is_empty(),
            "{:?}: {} {problem}",
            file.file_name(),
            answer.status
        );
        asked += 1;
    }
    assert_eq!(asked, 14);
    let all = server.call(&ada, "GET", "/api/v1/skills", &Value::Null).json();
    assert_eq!(all["data"], json!([]));
    assert_eq!(server.runtime.block_on(server.team.objects().list()).unwrap().len(), 0);
}
