//! What another site, another user or a hostile name tries with the pages.

use crate::{page::Browser, running::Running};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::json;
use skillful_team::Role;
use std::{fs, path::Path};

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The source of every module of the page.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(fs::read_to_string(path).unwrap());
        }
    }
}

/// Every address of the page that takes a form, from the routes as they are written.
fn form_addresses() -> Vec<String> {
    let mut all = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page"), &mut all);
    let mut found = Vec::new();
    for source in &all {
        for route in source.split(".route(").skip(1) {
            let whole = route.split(".merge(").next().unwrap().split("\n}").next().unwrap();
            let Some((_, rest)) = whole.split_once('"') else { continue };
            let Some((path, handlers)) = rest.split_once('"') else { continue };
            if handlers.contains("post(") && path.starts_with("/ui/") {
                let whole: Vec<&str> =
                    path.split('/').map(|part| if part.starts_with('{') { "1" } else { part }).collect();
                found.push(whole.join("/"));
            }
        }
    }
    found
}

#[test]
fn every_form_is_refused_without_its_token_and_from_another_site() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[Role::OrgAdmin]);
    let own = format!("http://127.0.0.1:{}", server.port);
    let csrf = browser.csrf();
    let addresses = form_addresses();
    assert!(addresses.len() > 35, "the routes are not found: {addresses:?}");
    let bound = "multipart/form-data; boundary=x";
    for path in &addresses {
        for (token, origin) in
            [("", own.as_str()), ("0", &own), (&csrf, "https://evil.example"), (&csrf, "null")]
        {
            let plain = browser.post_with(path, &[("csrf", token)], &[("origin", origin)]);
            assert_eq!(plain.status, 403, "{path} with {token:?} from {origin}");
            // A form with files is read in another way.
            let body = format!(
                "--x\r\ncontent-disposition: form-data; name=\"csrf\"\r\n\r\n{token}\r\n--x\r\ncontent-disposition: form-data; \
                 name=\"files[]\"; filename=\"SKILL.md\"\r\n\r\n---\nname: a\ndescription: b\n---\nc\r\n--x--\r\n"
            );
            let head = [
                ("cookie", browser.cookie.as_str()),
                ("content-type", bound),
                ("accept", "text/html"),
                ("origin", origin),
            ];
            let files = server.ask("POST", path, &head, body.as_bytes());
            assert_eq!(files.status, 403, "{path} with files and {token:?} from {origin}");
        }
    }
}

#[test]
fn a_token_beside_an_invented_cookie_opens_no_page_and_confirms_no_program() {
    let server = Running::start();
    let bearer = format!("Bearer {}", server.user("ada", &[Role::OrgAdmin]));
    let own = format!("http://127.0.0.1:{}", server.port);
    let head = [
        ("authorization", bearer.as_str()),
        ("cookie", "skillful_session=invented"),
        ("accept", "text/html"),
        ("origin", own.as_str()),
    ];
    for path in ["/ui/skills", "/ui/account", "/ui/admin/users", "/device"] {
        let answer = server.ask("GET", path, &head, &[]);
        assert!(matches!(answer.status, 303 | 401), "{path}: {answer:?}");
    }
    let form = [head[0], head[1], head[2], head[3], ("content-type", "application/x-www-form-urlencoded")];
    let confirmed = server.ask("POST", "/device", &form, b"user_code=BBBB-BBBB&decision=confirm");
    assert_eq!(confirmed.status, 401, "{confirmed:?}");
}

#[test]
fn every_answer_has_the_whole_policy_and_no_page_has_script_or_style_inside() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[Role::OrgAdmin]);
    let token = server.user("ada", &[Role::OrgAdmin]);
    let made = server.upload(&token, "/api/v1/skills", "pdf", "# Steps\n\n[x](https://example.org)\n");
    let id = made.json()["skill"]["id"].as_str().unwrap().to_owned();
    let input = json!({ "name": "pdf", "base": null, "files": { "SKILL.md": "---\nname: pdf\n---\n" } });
    let draft =
        server.call(&token, "POST", "/api/v1/drafts", &input).json()["id"].as_str().unwrap().to_owned();
    let pages = [
        "/ui/skills".to_owned(),
        "/ui/skills?q=%3Cscript%3E".to_owned(),
        format!("/ui/skills/{id}"),
        format!("/ui/skills/{id}/agents?agent=codex"),
        format!("/ui/skills/{id}/relations"),
        format!("/ui/skills/{id}/files/1?path=SKILL.md&view=raw"),
        format!("/ui/skills/{id}/ask/delete"),
        format!("/ui/drafts/{draft}"),
        format!("/ui/drafts/{draft}?panel=card"),
        format!("/ui/drafts/{draft}/propose"),
        "/ui/drafts".to_owned(),
        "/ui/market".to_owned(),
        "/ui/market/sources".to_owned(),
        "/ui/reviews".to_owned(),
        "/ui/reviews?queue=done".to_owned(),
        "/ui/usage".to_owned(),
        "/ui/audit".to_owned(),
        "/ui/account".to_owned(),
        "/ui/design".to_owned(),
        "/ui/search?q=a".to_owned(),
        "/ui/welcome".to_owned(),
        "/ui/admin/users".to_owned(),
        "/ui/admin/groups".to_owned(),
        "/ui/admin/policies".to_owned(),
        "/ui/admin/preferences".to_owned(),
        "/ui/admin/tokens".to_owned(),
        "/ui/admin/webhooks".to_owned(),
        "/ui/admin/sources".to_owned(),
        "/ui/sign-in".to_owned(),
        "/device".to_owned(),
        "/ui/nowhere".to_owned(),
    ];
    for path in &pages {
        let answer = browser.get(path);
        let text = String::from_utf8(answer.body.clone()).unwrap();
        assert!(matches!(answer.status, 200 | 404), "{path}: {} {text}", answer.status);
        // Of the markup only: text between the tags may hold anything.
        for tag in text.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
            let has_event = tag.split([' ', '\n']).any(|word| word.starts_with("on") && word.contains("=\""));
            assert!(!tag.contains(" style=") && !tag.starts_with("style") && !has_event, "{path}: <{tag}>");
            assert!(!tag.starts_with("script") || tag.contains(" src=\"/ui/assets/"), "{path}: <{tag}>");
            assert!(!tag.contains("javascript:"), "{path}: <{tag}>");
        }
    }
    let files = [
        "/ui/audit.csv".to_owned(),
        "/ui/usage.csv".to_owned(),
        format!("/ui/skills/{id}/export"),
        "/healthz".to_owned(),
        "/api/v1/skills".to_owned(),
        "/ui/admin".to_owned(),
        "/ui/assets/000000000000/style.css".to_owned(),
        "/ui/assets/000000000000/none".to_owned(),
        "/favicon.ico".to_owned(),
    ];
    for path in pages.iter().chain(&files) {
        let answer = browser.get(path);
        let of = |name: &str| answer.field(name).to_owned();
        assert_eq!(of("content-security-policy"), POLICY, "{path}");
        assert_eq!(
            (of("x-content-type-options").as_str(), of("x-frame-options").as_str()),
            ("nosniff", "DENY"),
            "{path}"
        );
        assert_eq!(of("cross-origin-opener-policy"), "same-origin", "{path}");
        assert_eq!(of("cross-origin-resource-policy"), "same-origin", "{path}");
        assert!(matches!(of("referrer-policy").as_str(), "same-origin" | "no-referrer"), "{path}");
        let is_file = path.contains("/assets/") || path.contains("favicon");
        assert!(is_file || of("cache-control") == "no-store", "{path} is kept by a browser: {answer:?}");
    }
}

#[test]
fn a_form_and_a_sign_in_lead_only_to_pages_of_this_server() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[]);
    for back in [
        "//evil.example",
        "https://evil.example/ui",
        "/ui//evil.example",
        "/ui\\evil.example",
        "/ui/../api/v1/me",
        "/ui/%2e%2e/first/x",
        "/ui/\t/evil",
        "/ui/x\r\nset-cookie: a=b",
        "javascript:alert(1)",
    ] {
        let answer = browser.post("/ui/theme", &[("theme", "dark"), ("back", back)]);
        assert_eq!((answer.status, answer.field("location")), (303, "/ui"), "{back}");
        let next: String = url::form_urlencoded::byte_serialize(back.as_bytes()).collect();
        let page = server.ask("GET", &format!("/ui/sign-in?next={next}"), &[("accept", "text/html")], &[]);
        assert_eq!((page.status, page.field("set-cookie")), (200, ""), "{back}");
    }
    // A cookie that another program of the same host put there has no form that leads elsewhere.
    let undo = r#"{"text":"Done.","undo":{"action":"/ui/../first/x","fields":[["a","b"]]}}"#;
    let flash = format!("{}; skillful_flash={}", browser.cookie, URL_SAFE_NO_PAD.encode(undo));
    let page = server.ask("GET", "/ui/skills", &[("cookie", &flash), ("accept", "text/html")], &[]);
    let text = String::from_utf8(page.body).unwrap();
    assert!(!text.contains("first/x") && !text.contains(">Undo</button>"), "{text}");
}

#[test]
fn a_sign_in_makes_a_new_session_and_an_ended_one_stays_ended() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[]);
    let other = server.browser("ada");
    assert_ne!(browser.cookie, other, "each sign-in has a session of its own");
    // A session that was put into the browser beforehand is not made valid by anything.
    let planted = "skillful_session=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    for path in ["/ui/skills", "/ui/account"] {
        let page = server.ask("GET", path, &[("cookie", planted), ("accept", "text/html")], &[]);
        assert!(page.field("location").starts_with("/ui/sign-in?why=ended"), "{page:?}");
        assert_eq!(page.field("set-cookie"), "");
    }
    let out = browser.post("/ui/sign-out", &[]);
    assert_eq!((out.status, out.field("location")), (303, "/ui/sign-in"));
    assert!(
        out.field("set-cookie").starts_with("skillful_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0")
    );
    let again = browser.get("/ui/skills");
    assert!(again.field("location").starts_with("/ui/sign-in?why=ended"), "{again:?}");
}

#[test]
fn tricks_with_paths_find_nothing() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[]);
    let token = server.user("ada", &[]);
    let made = server.upload(&token, "/api/v1/skills", "pdf", "Text.");
    let id = made.json()["skill"]["id"].as_str().unwrap().to_owned();
    for path in [
        "/ui/skills/..%2f..%2fapi%2fv1%2fskills".to_owned(),
        "/ui/skills/%00".to_owned(),
        "/ui/skills/%ff".to_owned(),
        "/ui/skills/%2e%2e".to_owned(),
        "/ui//skills".to_owned(),
        "/ui/skills/".to_owned(),
        "/ui/assets/x/..%2f..%2fsrc%2flib.rs".to_owned(),
        "/ui/assets/x/style.css%00.html".to_owned(),
        format!("/ui/skills/{id}/files/1?path=%2Fetc%2Fpasswd"),
        format!("/ui/skills/{id}/files/1?path=..%2F..%2Fteam.db"),
        format!("/ui/skills/{id}/files/1?path=SKILL.md%00.html"),
        format!("/ui/skills/{id}/files/-1?path=SKILL.md"),
        format!("/ui/skills/{id}/files/99999999999999999999?path=SKILL.md"),
        format!("/ui/skills/{id}/ask/..%2Fdelete"),
        "/ui/reviews/%27%20OR%201%3D1".to_owned(),
        "/ui/drafts/..%2Faccount".to_owned(),
        "/ui/open/0000".to_owned(),
    ] {
        let answer = browser.get(&path);
        assert!(matches!(answer.status, 303 | 400 | 404), "{path}: {}", answer.status);
        let text = String::from_utf8_lossy(&answer.body);
        assert!(
            !text.contains("root:") && !text.contains("SQLite") && !text.contains("panicked"),
            "{path}: {text}"
        );
    }
}

#[test]
fn names_that_are_markup_are_text_everywhere() {
    let server = Running::start();
    let name = "<img src=x onerror=alert(1)>\"'\u{202e}";
    let admin = Browser::of(&server, name, &[Role::OrgAdmin]);
    let token = server.user(name, &[Role::OrgAdmin]);
    let group = json!({ "name": name.replace('\u{202e}', ""), "description": "</textarea><script>1</script>", "external_ref": "\"><plaintext>" });
    let made = server.call(&token, "POST", "/api/v1/groups", &group);
    assert_eq!(made.status, 201, "{made:?}");
    let group = made.json()["id"].as_str().unwrap().to_owned();
    server.upload(&token, &format!("/api/v1/skills?scope=group&group={group}"), "pdf", "Text.");
    let pages = [
        "/ui/skills",
        "/ui/account",
        "/ui/admin/users",
        "/ui/admin/groups",
        &format!("/ui/admin/groups/{group}"),
        "/ui/admin/tokens",
        "/ui/admin/preferences",
        "/ui/audit",
        "/ui/reviews?queue=open",
        "/ui/usage",
        "/ui/market",
        "/ui/search?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    ];
    for path in pages {
        let text = admin.text(path);
        assert!(
            !text.contains("<img") && !text.contains("<script>") && !text.contains("<plaintext"),
            "{path}: {text}"
        );
    }
    assert!(admin.text("/ui/admin/users").contains("&lt;img src=x"));
}

#[test]
fn the_name_of_a_file_adds_no_header_to_its_download() {
    let server = Running::start();
    let token = server.user("ada", &[]);
    let bearer = format!("Bearer {token}");
    let file = "assets/a'; filename=x.html;b .svg";
    let body = format!(
        "--x\r\ncontent-disposition: form-data; name=\"files[]\"; filename=\"pdf/SKILL.md\"\r\n\r\n---\nname: pdf\ndescription: Reads. Use when asked.\n---\n\nText.\n\r\n\
         --x\r\ncontent-disposition: form-data; name=\"files[]\"; filename=\"pdf/{file}\"\r\n\r\n<svg onload=alert(1)>\r\n--x--\r\n"
    );
    let head = [("authorization", bearer.as_str()), ("content-type", "multipart/form-data; boundary=x")];
    let made = server.ask("POST", "/api/v1/skills", &head, body.as_bytes());
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.json()["skill"]["id"].as_str().unwrap().to_owned();
    let files = server.call(
        &token,
        "GET",
        &format!("/api/v1/skills/{id}/versions/1/files"),
        &serde_json::Value::Null,
    );
    let path = files.json()["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap().to_owned())
        .find(|path| path != "SKILL.md")
        .unwrap();
    let encoded: String = path.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let got = server.ask("GET", &format!("/api/v1/skills/{id}/versions/1/files/{encoded}"), &head[..1], &[]);
    assert_eq!((got.status, got.field("content-type")), (200, "application/octet-stream"), "{got:?}");
    let disposition = got.field("content-disposition");
    let name =
        disposition.strip_prefix("attachment; filename=\"").and_then(|rest| rest.strip_suffix('"')).unwrap();
    assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)), "{disposition}");
}
