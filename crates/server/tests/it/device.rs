//! The sign-in of a program, as the program and the browser of its user see it.

use crate::running::{Answer, Running};
use skillful_team::Role;

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

fn begin(server: &Running) -> serde_json::Value {
    let asked = "client_id=skillful&scope=skills%3Aread&device_name=laptop+%3Cb%3E&days=7";
    let answer = server.ask("POST", "/api/v1/device/code", &[FORM], asked.as_bytes());
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn poll(server: &Running, device: &str) -> Answer {
    let asked = format!(
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&client_id=skillful&device_code={device}"
    );
    server.ask("POST", "/api/v1/device/token", &[FORM], asked.as_bytes())
}

#[test]
fn a_program_gets_a_token_when_its_user_confirms_the_code_on_the_page() {
    let server = Running::start();
    let codes = begin(&server);
    let (device, code) = (codes["device_code"].as_str().unwrap(), codes["user_code"].as_str().unwrap());
    assert_eq!(poll(&server, device).json()["error"], "authorization_pending");
    assert_eq!(poll(&server, device).json()["error"], "slow_down");
    let browser = server.browser("ada");
    let cookie = ("cookie", browser.as_str());
    let path = format!("/device?user_code={code}");
    let page = server.ask("GET", &path, &[cookie], &[]);
    let text = String::from_utf8(page.body).unwrap();
    assert!(page.status == 200 && text.contains(code) && text.contains("laptop &lt;b&gt;"), "{text}");
    assert!(text.contains("<form method=\"post\"") && !text.contains("<script"), "{text}");
    let body = format!("user_code={code}&decision=confirm");
    let origin = format!("http://127.0.0.1:{}", server.port);
    let confirmed = server.ask("POST", "/device", &[cookie, FORM, ("origin", &origin)], body.as_bytes());
    assert_eq!(confirmed.status, 200, "{}", String::from_utf8_lossy(&confirmed.body));
    let granted = poll(&server, device);
    assert_eq!(granted.status, 200, "{granted:?}");
    let granted = granted.json();
    assert_eq!(
        (granted["token_type"].as_str(), granted["scope"].as_str()),
        (Some("Bearer"), Some("skills:read"))
    );
    let token = granted["access_token"].as_str().unwrap();
    let me = server.call(token, "GET", "/api/v1/me", &serde_json::Value::Null);
    assert_eq!(me.status, 200);
    assert_eq!(poll(&server, device).json()["error"], "expired_token", "a code gives one token");
}

#[test]
fn a_code_is_confirmed_only_by_a_signed_in_user_on_our_own_page() {
    let server = Running::start();
    let codes = begin(&server);
    let (device, code) = (codes["device_code"].as_str().unwrap(), codes["user_code"].as_str().unwrap());
    let body = format!("user_code={code}&decision=confirm");
    let origin = format!("http://127.0.0.1:{}", server.port);
    let own = ("origin", origin.as_str());
    let browser = server.browser("ada");
    let cookie = ("cookie", browser.as_str());
    let bearer = format!("Bearer {}", server.user("root", &[Role::OrgAdmin]));
    for (who, head, status) in [
        ("not signed in", vec![FORM, own], 401),
        ("a token instead of a browser", vec![FORM, own, ("authorization", bearer.as_str())], 401),
        ("another site", vec![FORM, cookie, ("origin", "https://evil.example")], 403),
        ("a page without an origin", vec![FORM, cookie], 403),
        ("another form", vec![("content-type", "text/plain"), cookie, own], 400),
    ] {
        let answer = server.ask("POST", "/device", &head, body.as_bytes());
        assert_eq!(answer.status, status, "{who}: {answer:?}");
    }
    assert_eq!(poll(&server, device).json()["error"], "authorization_pending");
    let guest = server.ask("GET", &format!("/device?user_code={code}"), &[], &[]);
    let text = String::from_utf8(guest.body).unwrap();
    assert!(guest.status == 401 && !text.contains("laptop"), "a guest learns nothing of the request: {text}");
    let refused = server.ask(
        "POST",
        "/device",
        &[FORM, cookie, own],
        format!("user_code={code}&decision=refuse").as_bytes(),
    );
    assert_eq!(refused.status, 200);
    assert_eq!(poll(&server, device).json()["error"], "access_denied");
}

#[test]
fn a_user_who_was_suspended_after_the_yes_gives_no_access() {
    let server = Running::start();
    let admin = server.user("adam", &[Role::OrgAdmin]);
    let codes = begin(&server);
    let (device, code) = (codes["device_code"].as_str().unwrap(), codes["user_code"].as_str().unwrap());
    let browser = server.browser("ada");
    let origin = format!("http://127.0.0.1:{}", server.port);
    let head = [FORM, ("cookie", browser.as_str()), ("origin", &origin)];
    let body = format!("user_code={code}&decision=confirm");
    assert_eq!(server.ask("POST", "/device", &head, body.as_bytes()).status, 200);
    let users = server.call(&admin, "GET", "/api/v1/admin/users", &serde_json::Value::Null).json();
    let ada = users["data"].as_array().unwrap().iter().find(|user| user["sub"] == "ada").unwrap();
    let path = format!("/api/v1/admin/users/{}", ada["id"].as_str().unwrap());
    assert_eq!(server.call(&admin, "PATCH", &path, &serde_json::json!({ "state": "suspended" })).status, 200);
    let answer = poll(&server, device);
    assert_eq!((answer.status, answer.json()["error"].as_str()), (400, Some("access_denied")), "{answer:?}");
    assert_eq!(poll(&server, device).json()["error"], "expired_token");
}

#[test]
fn wrong_requests_get_the_words_of_the_standard_and_guesses_are_stopped() {
    let server = Running::start();
    for (path, body, word) in [
        ("code", "scope=everything", "invalid_scope"),
        ("code", "scope=skills%3Aread&days=9999", "invalid_request"),
        ("token", "grant_type=password", "unsupported_grant_type"),
        ("token", "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code", "invalid_request"),
    ] {
        let answer = server.ask("POST", &format!("/api/v1/device/{path}"), &[FORM], body.as_bytes());
        assert_eq!((answer.status, answer.json()["error"].as_str()), (400, Some(word)), "{body}");
    }
    let not_a_form =
        server.ask("POST", "/api/v1/device/code", &[("content-type", "application/json")], b"{}");
    assert_eq!(not_a_form.status, 400);
    let browser = server.browser("ada");
    let cookie = ("cookie", browser.as_str());
    let guess = || server.ask("GET", "/device?user_code=BBBB-BBBB", &[cookie], &[]).status;
    let statuses: Vec<u16> = (0..40).map(|_| guess()).collect();
    assert_eq!((statuses[0], statuses[39]), (404, 429), "{statuses:?}");
}

#[test]
fn a_program_that_begins_too_often_is_refused_in_the_form_of_these_routes() {
    let server = Running::start();
    let refused = (0..70)
        .map(|_| server.ask("POST", "/api/v1/device/code", &[FORM], b"client_id=skillful"))
        .find(|answer| answer.status == 429)
        .unwrap();
    assert_eq!(
        (refused.field("content-type"), refused.json()["error"].as_str()),
        ("application/json", Some("slow_down"))
    );
    assert!(refused.field("retry-after").parse::<u64>().unwrap() >= 1, "{refused:?}");
}
