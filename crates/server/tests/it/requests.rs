//! Requests as clients and attackers send them.

use crate::running::Running;
use serde_json::{Value, json};
use skillful_team::Role;
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
};

fn form(parts: &[(&str, Option<&str>, &str)]) -> Vec<u8> {
    let mut out = String::new();
    for (name, file, content) in parts {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        out += &format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n");
    }
    (out + "--b--\r\n").into_bytes()
}

const TEXT: &str = "---\nname: pdf\ndescription: Does it. Use when asked.\n---\n\nDo it.\n";

#[test]
fn a_skill_comes_as_a_file_a_zip_or_the_parts_of_a_form_and_goes_out_equal() {
    let server = Running::start();
    let token = server.user("ada", &[]);
    let bearer = format!("Bearer {token}");
    let auth = ("authorization", bearer.as_str());
    let parts = form(&[
        ("files[]", None, "ignored"),
        ("files[]", Some("pdf/SKILL.md"), TEXT),
        ("files[]", Some("pdf/scripts/run.sh"), "#!/bin/sh\necho hi\n"),
        ("title", None, "PDF forms"),
    ]);
    let kind = ("content-type", "multipart/form-data; boundary=b");
    let made = server.ask("POST", "/api/v1/skills", &[auth, kind], &parts);
    assert_eq!(made.status, 201, "{made:?}");
    let stored = made.json();
    assert_eq!(
        (stored["skill"]["title"].as_str(), stored["version"]["number"].as_i64()),
        (Some("PDF forms"), Some(1))
    );
    let id = stored["skill"]["id"].as_str().unwrap();
    let zip = server.ask("GET", &format!("/api/v1/skills/{id}/versions/1/content"), &[auth], &[]);
    assert_eq!((zip.status, zip.field("content-type")), (200, "application/zip"));
    assert_eq!(zip.field("etag"), format!("\"{}\"", stored["version"]["tree"].as_str().unwrap()));
    let again = server.ask(
        "POST",
        &format!("/api/v1/skills/{id}/versions"),
        &[auth, ("content-type", "application/zip")],
        &zip.body,
    );
    assert_eq!(
        again.json()["version"]["tree"],
        stored["version"]["tree"],
        "export and import give the same digest"
    );
    let file =
        server.ask("GET", &format!("/api/v1/skills/{id}/versions/1/files/scripts%2Frun.sh"), &[auth], &[]);
    assert_eq!(file.body, b"#!/bin/sh\necho hi\n");
    assert!(file.field("content-disposition").starts_with("attachment"));
    assert_eq!(file.field("x-content-type-options"), "nosniff");
}

#[test]
fn uploads_that_are_wrong_are_refused_with_what_is_wrong() {
    let server = Running::start();
    let bearer = format!("Bearer {}", server.user("ada", &[]));
    let auth = ("authorization", bearer.as_str());
    let kind = ("content-type", "multipart/form-data; boundary=b");
    for (parts, code, word) in [
        (
            form(&[("files[]", Some("../x/SKILL.md"), TEXT), ("files[]", Some("x/a"), "")]),
            "wrong-path",
            "../x/SKILL.md",
        ),
        (form(&[("title", None, "no file")]), "no-files", "files[]"),
        (
            form(&[
                ("files[]", Some("SKILL.md"), TEXT),
                ("files[]", Some("a.py"), "1"),
                ("files[]", Some("a.py"), "2"),
            ]),
            "same-name",
            "a.py",
        ),
        (
            form(&[("files[]", Some("a/SKILL.md"), TEXT), ("files[]", Some("b/x.py"), "1")]),
            "no-skill-file",
            "SKILL.md",
        ),
    ] {
        let answer = server.ask("POST", "/api/v1/skills", &[auth, kind], &parts);
        let problem = answer.json();
        assert_eq!((answer.status, problem["code"].as_str()), (400, Some(code)), "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains(word), "{problem}");
        assert_eq!(answer.field("content-type"), "application/problem+json");
    }
    let bomb = server.ask(
        "POST",
        "/api/v1/skills",
        &[auth, ("content-type", "application/zip")],
        b"PK\x03\x04 broken",
    );
    assert_eq!(bomb.status, 400);
}

#[test]
fn a_page_of_another_site_changes_nothing_and_a_rebound_name_reaches_nothing() {
    let server = Running::start();
    let cookie = server.browser("ada");
    let own = format!("http://127.0.0.1:{}", server.port);
    let input = json!({"files": {"SKILL.md": "x"}}).to_string();
    let post = |head: &[(&str, &str)]| {
        let mut all = vec![("cookie", cookie.as_str()), ("content-type", "application/json")];
        all.extend_from_slice(head);
        server.ask("POST", "/api/v1/drafts", &all, input.as_bytes()).status
    };
    assert_eq!(post(&[("origin", &own)]), 201);
    assert_eq!(post(&[]), 403, "without an origin");
    assert_eq!(post(&[("origin", "https://evil.example")]), 403);
    assert_eq!(post(&[("origin", "null")]), 403);
    assert_eq!(post(&[("origin", &own), ("host", "evil.example")]), 421);
    let read = server.ask("GET", "/api/v1/drafts", &[("cookie", &cookie), ("host", "evil.example:80")], &[]);
    assert_eq!(read.status, 421);
    // What watches the server names the machine, and learns nothing but whether it lives.
    for (path, status) in [("/healthz", 200), ("/readyz", 200), ("/metrics", 421)] {
        assert_eq!(server.ask("GET", path, &[("host", "10.0.0.7:8787")], &[]).status, status, "{path}");
    }
    let drafts = server.ask("GET", "/api/v1/drafts", &[("cookie", &cookie)], &[]).json();
    assert_eq!(drafts["data"].as_array().unwrap().len(), 1);
    assert_eq!(server.ask("GET", "/api/v1/me", &[("authorization", "Basic eDp5")], &[]).status, 401);
}

#[test]
fn a_stream_of_events_ends_when_the_server_is_asked_to_stop() {
    let mut server = Running::start();
    let ada = server.user("ada", &[]);
    let streams: Vec<TcpStream> = ["/api/v1/events", "/rpc/events"]
        .into_iter()
        .map(|path| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
            let head = format!("host: 127.0.0.1:{}\r\nauthorization: Bearer {ada}", server.port);
            write!(stream, "GET {path} HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
            stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).unwrap();
            assert!(line.contains("200"), "{line}");
            stream
        })
        .collect();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let began = std::time::Instant::now();
    server.stop();
    for mut stream in streams {
        std::io::copy(&mut stream, &mut std::io::sink()).unwrap();
    }
    // Further requests have ten seconds; a stream would take all of them.
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn a_change_is_seen_as_an_event_and_a_client_that_was_cut_off_misses_none() {
    let server = Running::start();
    let (ada, admin) = (server.user("ada", &[]), server.user("admin", &[Role::OrgAdmin]));
    // A member gets no event about a version in review.
    let policy = json!({ "rule": "review", "setting": "off" });
    assert_eq!(server.call(&admin, "PUT", "/api/v1/admin/policies", &policy).status, 200);
    let open = |last: Option<&str>| {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        let resume = last.map(|last| format!("last-event-id: {last}\r\n")).unwrap_or_default();
        write!(
            stream,
            "GET /api/v1/events HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nauthorization: Bearer {ada}\r\n{resume}\r\n",
            server.port
        )
        .unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
        BufReader::new(stream)
    };
    let next = |stream: &mut BufReader<TcpStream>| {
        let (mut id, mut line) = (String::new(), String::new());
        loop {
            line.clear();
            stream.read_line(&mut line).unwrap();
            if let Some(number) = line.strip_prefix("id: ") {
                id = number.trim().to_owned();
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return (id.clone(), serde_json::from_str::<Value>(data).unwrap());
            }
        }
    };
    let mut stream = open(None);
    // The answer begins before anything is changed.
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    assert!(line.contains("200"), "{line}");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let first = server.upload(&admin, "/api/v1/skills?scope=org", "one", "One.").json();
    let (seen, change) = next(&mut stream);
    assert_eq!(change["subject"], first["skill"]["id"]);
    drop(stream);
    server.upload(&server.user("bob", &[]), "/api/v1/skills", "private", "One.");
    let second = server.upload(&admin, "/api/v1/skills?scope=org", "two", "Two.").json();
    let (_, change) = next(&mut open(Some(&seen)));
    assert_eq!(
        change["subject"], second["skill"]["id"],
        "what is private of another user is not among the events"
    );
    // A number that this server never gave, as after a backup was restored.
    let mut ahead = open(Some("9000000"));
    ahead.read_line(&mut String::new()).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let third = server.upload(&admin, "/api/v1/skills?scope=org", "three", "Three.").json();
    let (_, change) = next(&mut ahead);
    assert_eq!(change["subject"], third["skill"]["id"]);
}

#[test]
fn health_description_and_metrics_hold_nothing_of_users() {
    let server = Running::start();
    let token = server.user("ada", &[]);
    server.upload(&token, "/api/v1/skills", "secret-name", "One.");
    assert_eq!(server.ask("GET", "/healthz", &[], &[]).body, b"ok\n");
    assert_eq!(server.ask("GET", "/readyz", &[], &[]).status, 200);
    let metrics = String::from_utf8(server.ask("GET", "/metrics", &[], &[]).body).unwrap();
    assert!(metrics.contains("route=\"/api/v1/skills\",status=\"201\"} 1"), "{metrics}");
    assert!(!metrics.contains("secret-name") && !metrics.contains("user_"), "{metrics}");
    // A caller invents no lines: each one is kept for as long as the process runs.
    for number in 0..3 {
        server.ask(&format!("INVENTED{number}"), "/healthz", &[], &[]);
    }
    let metrics = String::from_utf8(server.ask("GET", "/metrics", &[], &[]).body).unwrap();
    assert!(metrics.contains("method=\"other\",route=\"/healthz\",status=\"405\"} 3"), "{metrics}");
    assert!(!metrics.contains("INVENTED"), "{metrics}");
    let described = server.ask("GET", "/openapi.json", &[], &[]).json();
    assert_eq!(described["openapi"], "3.1.0");
    let missing = server.ask("GET", "/nothing/here", &[], &[]);
    assert_eq!((missing.status, missing.json()["code"].as_str()), (404, Some("not-found")));
    let wrong = server.ask("PUT", "/healthz", &[], &[]);
    assert_eq!((wrong.status, wrong.json()["code"].as_str()), (405, Some("wrong-method")));
}

#[test]
fn a_client_that_has_the_bytes_gets_no_second_copy_and_a_key_counts_for_one_request() {
    let server = Running::start();
    let bearer = format!("Bearer {}", server.user("ada", &[]));
    let auth = ("authorization", bearer.as_str());
    let post = |path: &str, key: &str, text: &str| {
        let head = [auth, ("content-type", "text/markdown"), ("idempotency-key", key)];
        server.ask("POST", path, &head, text.as_bytes())
    };
    let first = post("/api/v1/skills", "k", TEXT);
    let (again, other) =
        (post("/api/v1/skills", "k", TEXT), post("/api/v1/skills", "k", &TEXT.replace("Do it", "Other")));
    assert_eq!(
        (first.status, again.json()["version"]["id"].clone()),
        (201, first.json()["version"]["id"].clone())
    );
    assert_eq!((other.status, other.json()["code"].as_str()), (409, Some("key-reused")));
    let id = first.json()["skill"]["id"].as_str().unwrap().to_owned();
    let second = post(&format!("/api/v1/skills/{id}/versions"), "k", &TEXT.replace("Do it", "Two"));
    assert_eq!(second.json()["version"]["number"], 2, "a key counts for one address");
    for place in ["content", "files/SKILL.md"] {
        let place = format!("/api/v1/skills/{id}/versions/1/{place}");
        let given = server.ask("GET", &place, &[auth], &[]);
        let tag = given.field("etag").to_owned();
        assert!(given.status == 200 && tag.starts_with("\"sha256:"), "{given:?}");
        assert_eq!(given.field("cache-control"), "private, no-cache");
        let fresh = server.ask("GET", &place, &[auth, ("if-none-match", &format!("\"x\", W/{tag}"))], &[]);
        assert_eq!((fresh.status, fresh.body.len(), fresh.field("etag")), (304, 0, tag.as_str()));
        assert_eq!(server.ask("GET", &place, &[auth, ("if-none-match", "\"x\"")], &[]).status, 200);
        let head = server.ask("HEAD", &place, &[auth], &[]);
        assert_eq!((head.status, head.body.len(), head.field("etag")), (200, 0, tag.as_str()));
        // Who may not read it learns nothing from a tag.
        let bob = format!("Bearer {}", server.user("bob", &[]));
        assert_eq!(
            server.ask("GET", &place, &[("authorization", &bob), ("if-none-match", &tag)], &[]).status,
            404
        );
    }
}

#[test]
fn what_attackers_send_is_refused_in_the_form_of_the_api() {
    let server = Running::start();
    let token = server.user("ada", &[]);
    let bearer = format!("Bearer {token}");
    let auth = ("authorization", bearer.as_str());
    let kind = ("content-type", "application/json");
    let id = server.upload(&token, "/api/v1/skills", "pdf", "One.").json()["skill"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let files = format!("/api/v1/skills/{id}/versions/1/files");
    for path in [
        "..%2F..%2Fetc%2Fpasswd",
        "%2Fetc%2Fpasswd",
        "SKILL.md%00",
        "%2e%2e",
        "a%2F..%2FSKILL.md",
        ".%2FSKILL.md",
        "%ff%fe",
    ] {
        assert_eq!(server.ask("GET", &format!("{files}/{path}"), &[auth], &[]).status, 404, "{path}");
    }
    // A token counts in a header only.
    for query in ["token", "access_token", "api_key"] {
        let answer = server.ask("GET", &format!("/api/v1/me?{query}={token}"), &[], &[]);
        assert_eq!(answer.status, 401, "{query}");
    }
    for (method, path, head, body, wanted) in [
        ("POST", "/api/v1/drafts", vec![auth, kind], &b"{\"files\": "[..], 400),
        ("POST", "/api/v1/drafts", vec![auth, kind], b"[]", 400),
        ("POST", "/api/v1/drafts", vec![auth], b"{}", 400),
        ("GET", "/api/v1/skills/%00", vec![auth], b"", 404),
        ("POST", "/api/v1/drafts", vec![auth, kind], b"\xff\xfe", 400),
        ("GET", "/api/v1/skills?limit=0", vec![auth], b"", 400),
        ("GET", "/api/v1/skills?limit=99999999999999999999", vec![auth], b"", 400),
        ("GET", "/api/v1/skills?after=x", vec![auth], b"", 400),
        ("GET", "/api/v1/skills/%F0%9F%92%A9", vec![auth], b"", 404),
        ("GET", "/api/v1/skills/x'%20OR%201=1--", vec![auth], b"", 404),
        ("GET", "/api/v1/nothing", vec![auth], b"", 404),
        ("TRACE", "/api/v1/skills", vec![auth], b"", 405),
        ("PUT", "/api/v1/skills", vec![auth], b"", 405),
        ("DELETE", "/api/v1/me", vec![auth], b"", 405),
    ] {
        let answer = server.ask(method, path, &head, body);
        assert_eq!(answer.status, wanted, "{method} {path}: {answer:?}");
        assert_eq!(answer.field("content-type"), "application/problem+json", "{method} {path}");
        assert_eq!(answer.json()["status"], wanted, "{method} {path}");
        if wanted == 405 {
            assert!(!answer.field("allow").is_empty(), "{method} {path} names no method: {answer:?}");
        }
    }
    // One byte too many: all of it is sent when the server refuses it, so that the client never writes to a closed connection.
    let large = vec![b' '; (16 << 20) + 1];
    let refused = server.ask("PUT", "/api/v1/admin/policies", &[auth, kind], &large);
    assert_eq!((refused.status, refused.json()["code"].as_str()), (413, Some("too-large")));
    let refused = server.ask("POST", "/api/v1/publish/exchange", &[kind], &large[..100_000]);
    assert_eq!(refused.status, 413, "without a credential little is read");
    let package = server.ask(
        "POST",
        "/api/v1/skills",
        &[auth, ("content-type", "application/zip")],
        &vec![0; 51 << 20],
    );
    assert_eq!((package.status, package.json()["code"].as_str()), (413, Some("too-large")));
    for title in ["a\0b", "", " ", "a\nb"] {
        let change =
            server.call(&token, "PATCH", &format!("/api/v1/skills/{id}"), &json!({ "title": title }));
        assert_eq!(change.status, 400, "{title:?}");
    }
    let named = json!({ "name": "a\0", "scopes": ["skills:read"], "days": 1 });
    assert_eq!(server.call(&token, "POST", "/api/v1/me/tokens", &named).json()["code"], "wrong-text");
}

#[test]
fn one_who_floods_is_refused_in_the_form_of_the_api_that_was_asked() {
    let server = Running::start_limited(2);
    let token = server.user("ada", &[]);
    let bearer = format!("Bearer {token}");
    let flood = |path: &str, head: &[(&str, &str)]| {
        let mut last = None;
        for _ in 0..40 {
            let answer = server.ask("GET", path, head, &[]);
            if answer.status == 429 {
                return answer;
            }
            last = Some(answer);
        }
        panic!("{path}: {last:?}")
    };
    let own = flood("/api/v1/me", &[("authorization", &bearer)]);
    assert_eq!(own.json()["code"], "too-many-requests");
    assert!(own.field("retry-after").parse::<u64>().unwrap() >= 1);
    let anthropic = flood("/anthropic/v1/skills", &[("x-api-key", &token)]);
    assert_eq!(anthropic.json()["error"]["type"], "rate_limit_error");
    let openai = flood("/openai/v1/skills", &[("authorization", &bearer)]);
    assert_eq!(openai.json()["error"]["type"], "rate_limit_error");
    // Another credential is not slowed down, and an address that a client writes itself makes no new caller.
    let bob = format!("Bearer {}", server.user("bob", &[]));
    assert_eq!(server.ask("GET", "/api/v1/me", &[("authorization", &bob)], &[]).status, 200);
    let refused = (0..40).any(|number| {
        let from = format!("10.0.0.{number}");
        server.ask("GET", "/openapi.json", &[("x-forwarded-for", &from)], &[]).status == 429
    });
    assert!(refused, "a forged address is another caller");
    // What watches the server asks from the same address, and a busy server is not a dead one.
    for path in ["/healthz", "/readyz"] {
        assert!((0..40).all(|_| server.ask("GET", path, &[], &[]).status == 200), "{path}");
    }
}

#[test]
fn a_body_may_be_as_large_whatever_header_shows_the_token() {
    let server = Running::start();
    let token = server.user("ada", &[]);
    let text = format!("---\nname: pdf\ndescription: Does it.\n---\n{}\n", "x".repeat(200 << 10));
    let body = json!({ "skill_id": "", "name": "pdf", "files": { "SKILL.md": text } }).to_string();
    let bearer = format!("Bearer {token}");
    for (name, value) in [("authorization", bearer.as_str()), ("x-api-key", &token)] {
        let head = [(name, value), ("content-type", "application/json")];
        let answer = server.ask("POST", "/api/v1/drafts", &head, body.as_bytes());
        assert_eq!(answer.status, 201, "{name}: {:?}", answer.json());
    }
}

#[test]
fn invented_tokens_bring_no_further_requests_and_those_that_were_accepted_go_on() {
    let server = Running::start_limited(4);
    let known = format!("Bearer {}", server.user("ada", &[]));
    let me = |bearer: &str| server.ask("GET", "/api/v1/me", &[("authorization", bearer)], &[]).status;
    assert_eq!(me(&known), 200);
    let mut answers = (0..200).map(|number| me(&format!("Bearer skf_invented{number}")));
    assert_eq!(answers.next(), Some(401));
    assert!(answers.any(|status| status == 429), "invented ones are never refused");
    assert_eq!(me(&known), 200, "a user of the same address goes on");
}

#[test]
fn a_page_that_is_kept_follows_every_change_of_skills_and_of_who_may_read_them() {
    let server = Running::start();
    let (admin, bob) = (server.user("admin", &[Role::OrgAdmin]), server.user("bob", &[]));
    let names = |token: &str, query: &str| -> Vec<String> {
        let answer = server.call(token, "GET", &format!("/api/v1/skills{query}"), &Value::Null);
        assert_eq!((answer.status, answer.field("content-type")), (200, "application/json"));
        let page = answer.json();
        page["data"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let policy = json!({ "rule": "review", "setting": "off" });
    assert_eq!(server.call(&admin, "PUT", "/api/v1/admin/policies", &policy).status, 200);
    assert!(names(&bob, "").is_empty() && names(&bob, "").is_empty());
    let group = server.call(&admin, "POST", "/api/v1/groups", &json!({ "name": "devs" })).json();
    let group = group["id"].as_str().unwrap();
    let path = format!("/api/v1/skills?scope=group&group={group}");
    assert_eq!(server.upload(&admin, &path, "pdf", "Text.").status, 201);
    assert!(names(&bob, "").is_empty(), "bob is not a member");
    assert_eq!(names(&admin, ""), ["pdf"]);
    let user = server.call(&bob, "GET", "/api/v1/me", &Value::Null).json()["id"].as_str().unwrap().to_owned();
    let member = format!("/api/v1/groups/{group}/members/{user}");
    let set = |method: &str, body: &Value| {
        let answer = server.call(&admin, method, &member, body);
        assert!(answer.status < 300, "{answer:?}");
    };
    set("PUT", &json!({ "role": "viewer" }));
    assert_eq!((names(&bob, ""), names(&bob, "?limit=1")), (vec!["pdf".to_owned()], vec!["pdf".to_owned()]));
    assert!(names(&bob, "?scope=own").is_empty(), "another page is kept by itself");
    set("DELETE", &Value::Null);
    assert!(names(&bob, "").is_empty(), "a member who left reads what was kept for members");
    server.upload(&bob, "/api/v1/skills", "own", "Text.");
    assert_eq!(names(&bob, ""), ["own"]);
}
