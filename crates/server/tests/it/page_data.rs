//! Pages with data, and what their forms do.

use crate::{page::Browser, running::Running};
use serde_json::json;
use skillful_team::Role;

fn skill(server: &Running, token: &str, path: &str, name: &str, body: &str) -> String {
    let made = server.upload(token, path, name, body);
    assert_eq!(made.status, 201, "{made:?}");
    made.json()["skill"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_skill_shows_what_it_can_do_before_its_text_and_foreign_text_stays_text() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[]);
    let token = server.user("ada", &[]);
    let id = skill(
        &server,
        &token,
        "/api/v1/skills",
        "pdf",
        "# Steps\n\n<img src=x onerror=alert(1)> a\u{202e}b [x](javascript:1)",
    );
    let page = browser.text(&format!("/ui/skills/{id}"));
    let (can, text) = (page.find("What it can do").unwrap(), page.find("id=\"text\"").unwrap());
    assert!(can < text && page.contains("Not declared"), "{page}");
    assert!(
        !page.contains("<img")
            && page.contains("&lt;img")
            && page.contains("U+202E")
            && !page.contains("href=\"javascript"),
        "{page}"
    );
    let raw = browser.text(&format!("/ui/skills/{id}/files/1?path=SKILL.md&view=raw"));
    assert!(raw.contains("id=\"L1\"") && raw.contains("&lt;img"), "{raw}");
    assert_eq!(browser.get(&format!("/ui/skills/{id}/files/1?path=..%2Fx")).status, 404);
    let other = Browser::of(&server, "bo", &[]);
    assert_eq!(other.get(&format!("/ui/skills/{id}")).status, 404, "a skill of another user does not exist");
    let agents = browser.text(&format!("/ui/skills/{id}/agents?agent=codex"));
    assert!(
        agents.contains("Claude Code") && agents.contains("Its menu") && agents.contains("Loads it"),
        "{agents}"
    );
    let zip = browser.get(&format!("/ui/skills/{id}/export"));
    assert_eq!((zip.status, zip.field("content-type")), (200, "application/zip"));
}

#[test]
fn a_version_is_rolled_back_yanked_and_revoked_and_the_page_says_what_happened() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[Role::OrgAdmin]);
    let token = server.user("ada", &[Role::OrgAdmin]);
    let id = skill(&server, &token, "/api/v1/skills", "pdf", "One.");
    server.upload(&token, &format!("/api/v1/skills/{id}/versions"), "pdf", "Two.");
    let at = |deed: &str| format!("/ui/skills/{id}/{deed}");
    let page = browser.follow(&browser.post(&at("default"), &[("version", "1")]));
    assert!(page.contains("Version 1 of pdf is served.") && page.contains(">Undo</button>"), "{page}");
    let page = browser.follow(&browser.post(&at("yank"), &[("version", "2"), ("reason", " ")]));
    assert!(page.contains("write why"), "a reason is needed: {page}");
    let page = browser.follow(&browser.post(&at("yank"), &[("version", "2"), ("reason", "wrong <b>")]));
    assert!(page.contains("Version 2 is yanked") && page.contains("wrong &lt;b&gt;"), "{page}");
    let page = browser.follow(&browser.post(&at("revoke"), &[("version", "2"), ("reason", "harmful")]));
    assert!(page.contains("Version 2 is revoked"), "{page}");
    let page = browser.text(&format!("/ui/skills/{id}?version=2"));
    assert!(page.contains("was revoked:") && page.contains("It is not given out."), "{page}");
    let ask = browser.text(&format!("/ui/skills/{id}/ask/delete"));
    assert!(ask.contains("All 2 versions are removed") && ask.contains("class=\"card confirm\""), "{ask}");
    let page = browser.follow(&browser.post(&at("delete"), &[("name", "pd")]));
    assert!(page.contains("The name does not match"), "{page}");
    let page = browser.follow(&browser.post(&at("delete"), &[("name", "pdf")]));
    assert!(page.contains("pdf and all its versions are deleted."), "{page}");
    assert_eq!(browser.get(&format!("/ui/skills/{id}")).status, 404);
}

#[test]
fn a_required_skill_has_no_switch_and_its_page_says_why() {
    let server = Running::start();
    let admin = server.user("root", &[Role::OrgAdmin]);
    server.call(&admin, "PUT", "/api/v1/admin/policies", &json!({"rule": "review", "setting": "off"}));
    let id = skill(&server, &admin, "/api/v1/skills?scope=org", "house-style", "Write plainly.");
    let member = Browser::of(&server, "bo", &[]);
    assert!(member.text("/ui/market").contains("Turn on<span"), "it is offered first");
    let root = Browser { server: &server, cookie: server.browser("root") };
    let page = root.follow(&root.post(
        &format!("/ui/skills/{id}/preference"),
        &[("target", "org"), ("choice", "required"), ("pin", "")],
    ));
    assert!(page.contains("The preference is required."), "{page}");
    let list = member.text("/ui/skills");
    assert!(
        list.contains("Required</span>")
            && list.contains("required by the organisation")
            && !list.contains("class=\"switch\""),
        "{list}"
    );
    let page = member.follow(&member.post("/ui/skills/switch", &[("id", &id), ("on", "false")]));
    assert!(page.contains("the skill stays on"), "{page}");
}

#[test]
fn members_adopt_what_others_offer_and_lose_it_when_the_offer_ends() {
    let server = Running::start();
    let token = server.user("ada", &[]);
    let id = skill(&server, &token, "/api/v1/skills", "threat-model", "Draw it.");
    let (ada, bo) =
        (Browser { server: &server, cookie: server.browser("ada") }, Browser::of(&server, "bo", &[]));
    assert!(bo.text("/ui/market").contains("No skill is offered yet"));
    ada.post(&format!("/ui/skills/{id}/offer"), &[("on", "true")]);
    let market = bo.text("/ui/market");
    assert!(
        market.contains("threat-model")
            && market.contains("Instructions only")
            && market.contains("No findings"),
        "{market}"
    );
    let page = bo.follow(&bo.post(&format!("/ui/skills/{id}/adopt"), &[("back", "/ui/market")]));
    assert!(page.contains("You adopted threat-model.") && page.contains("In your list"), "{page}");
    assert!(bo.text("/ui/skills?scope=adopted").contains("threat-model"));
    ada.post(&format!("/ui/skills/{id}/offer"), &[("on", "false")]);
    assert!(!bo.text("/ui/skills").contains("threat-model"));
}

#[test]
fn managing_is_for_those_who_may_and_others_are_told_who_may() {
    let server = Running::start();
    let member = Browser::of(&server, "bo", &[]);
    let auditor = Browser::of(&server, "eve", &[Role::Auditor]);
    let admin = Browser::of(&server, "root", &[Role::OrgAdmin]);
    for path in
        ["/ui/admin/users", "/ui/admin/policies", "/ui/admin/preferences", "/ui/admin/tokens", "/ui/audit"]
    {
        let refused = member.get(path);
        let text = String::from_utf8(refused.body).unwrap();
        assert!(refused.status == 403 && text.contains("Only administrators"), "{path}: {text}");
        assert_eq!(admin.get(path).status, 200, "{path}");
        assert_eq!(auditor.get(path).status, 200, "{path}");
    }
    let text = member.text("/ui/skills");
    assert!(!text.contains("href=\"/ui/admin\"") && !text.contains("href=\"/ui/audit\""), "{text}");
    assert!(auditor.text("/ui/admin/policies").contains("You read these settings."));
    let page = auditor.follow(&auditor.post("/ui/admin/policies", &[("rule", "review"), ("setting", "off")]));
    assert!(page.contains("only administrators may do this"), "{page}");
}

#[test]
fn an_administrator_changes_users_groups_and_policies_with_the_way_back() {
    let server = Running::start();
    let admin = Browser::of(&server, "root", &[Role::OrgAdmin]);
    server.user("bo", &[]);
    let users = admin.text("/ui/admin/users");
    let bo = users.split("id=\"u-").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let page = admin
        .follow(&admin.post(&format!("/ui/admin/users/{bo}"), &[("role", "reviewer"), ("role", "auditor")]));
    assert!(page.contains("The roles of bo are changed.") && page.contains("Reviewer, Auditor"), "{page}");
    let page = admin.follow(&admin.post(&format!("/ui/admin/users/{bo}"), &[("state", "suspended")]));
    assert!(page.contains("bo is suspended") && page.contains(">Undo</button>"), "{page}");
    let page = admin.follow(
        &admin.post("/ui/admin/groups", &[("name", "Data"), ("description", ""), ("external_ref", "/data")]),
    );
    assert!(page.contains("The group Data exists."), "{page}");
    let again = admin.follow(&admin.post("/ui/admin/groups", &[("name", "Data")]));
    assert!(again.contains("toast row block"), "a taken name is told on the page: {again}");
    let page = admin.follow(&admin.post("/ui/admin/policies", &[("rule", "review"), ("setting", "off")]));
    assert!(page.contains("Review: no approval.") && page.contains(">Undo</button>"), "{page}");
}

#[test]
fn sources_and_webhooks_are_added_with_what_is_wrong_said_on_the_page() {
    let server = Running::start();
    let admin = Browser::of(&server, "root", &[Role::OrgAdmin]);
    assert!(admin.text("/ui/admin/sources").contains("No source yet"));
    assert!(admin.text("/ui/market/sources").contains("No source yet"));
    let wrong =
        admin.follow(&admin.post(
            "/ui/admin/sources",
            &[("address", "http://127.0.0.1:1/"), ("reference", ""), ("label", "")],
        ));
    assert!(
        wrong.contains("toast row block") && wrong.contains("No source yet"),
        "a private address is refused: {wrong}"
    );
    assert!(admin.text("/ui/admin/webhooks").contains("No webhook yet"));
    let wrong = admin.follow(&admin.post("/ui/admin/webhooks", &[("address", "http://127.0.0.1:1/x")]));
    assert!(wrong.contains("toast row block") && wrong.contains("No webhook yet"), "{wrong}");
    let member = Browser::of(&server, "bo", &[]);
    assert_eq!(member.get("/ui/admin/sources").status, 403);
    assert_eq!(member.get("/ui/admin/webhooks").status, 403);
    assert_eq!(member.get("/ui/market/sources").status, 200);
}

#[test]
fn the_audit_log_opens_an_entry_by_its_address_and_is_exported_whole() {
    let server = Running::start();
    let admin = Browser::of(&server, "root", &[Role::OrgAdmin]);
    admin.post("/ui/admin/policies", &[("rule", "review"), ("setting", "off")]);
    let log = admin.text("/ui/audit?action=policy.set");
    assert!(
        log.contains("Chain intact.") && log.contains("policy.set") && log.contains("setting off"),
        "{log}"
    );
    let seq = log.split("<tr id=\"e").nth(1).unwrap().split('"').next().unwrap();
    let open = admin.text(&format!("/ui/audit?open={seq}"));
    assert!(open.contains("class=\"why\"") && open.contains("setting  off"), "{open}");
    let csv = String::from_utf8(admin.get("/ui/audit.csv").body).unwrap();
    assert!(
        csv.starts_with("entry,time,actor,action,subject,before,after,hash\r\n")
            && csv.contains("\"policy.set\""),
        "{csv}"
    );
    assert_eq!(
        admin.get("/ui/audit.json").field("content-disposition"),
        "attachment; filename=\"audit.json\""
    );
}

#[test]
fn uses_are_shown_as_figures_a_chart_and_a_table_by_agent() {
    let server = Running::start();
    let token = server.user("ada", &[]);
    let id = skill(&server, &token, "/api/v1/skills", "pdf", "Do it.");
    let browser = Browser { server: &server, cookie: server.browser("ada") };
    assert!(browser.text("/ui/usage").contains("No use was reported in this time"));
    let reports = json!([{"skill_id": id, "version": 1, "agent": "codex", "uses": 1200, "failures": 12}]);
    assert_eq!(server.call(&token, "POST", "/api/v1/usage", &reports).status, 200);
    let page = browser.text("/ui/usage?w=7");
    for text in [
        "<b>1,200</b>",
        "<b>99 %</b>",
        "12 failures",
        "<th scope=\"col\">codex</th>",
        "class=\"h6\">1,200</td>",
        "1,200 uses, 12 failed",
    ] {
        assert!(page.contains(text), "{text} is not on {page}");
    }
    assert!(browser.text("/ui/skills").contains("<polyline"));
    let csv = browser.get("/ui/usage.csv?w=7");
    assert!(String::from_utf8(csv.body).unwrap().contains(",1200,12\r\n"));
}

#[test]
fn a_token_is_shown_once_and_a_session_is_ended_from_another_browser() {
    let server = Running::start();
    let (here, there) =
        (Browser::of(&server, "ada", &[]), Browser { server: &server, cookie: server.browser("ada") });
    let made = here.post(
        "/ui/account/tokens",
        &[("name", "laptop"), ("scope", "skills:read"), ("days", "7"), ("bound", "own")],
    );
    let text = String::from_utf8(made.body).unwrap();
    assert_eq!(made.status, 201, "{text}");
    let secret = &text[text.find("<code>skf_").unwrap() + 6..][..42];
    let account = here.text("/ui/account");
    assert!(account.contains("laptop") && !account.contains(secret), "{account}");
    let none = here.follow(&here.post("/ui/account/tokens", &[("name", "x"), ("days", "7")]));
    assert!(none.contains("choose at least one scope"), "{none}");
    for session in account.split("/ui/account/sessions/").skip(1) {
        let id = session.split('/').next().unwrap();
        here.post(&format!("/ui/account/sessions/{id}/end"), &[]);
    }
    assert!(there.get("/ui/skills").field("location").starts_with("/ui/sign-in?why=ended"));
    assert_eq!(here.get("/ui/skills").status, 200);
    let out = here.post("/ui/sign-out", &[]);
    assert_eq!((out.status, out.field("location")), (303, "/ui/sign-in"));
    assert_eq!(here.get("/ui/skills").status, 303);
}

#[test]
fn a_search_finds_skills_and_only_pages_that_the_visitor_may_open() {
    let server = Running::start();
    let token = server.user("ada", &[]);
    skill(&server, &token, "/api/v1/skills", "release-notes", "Do it.");
    let ada = Browser { server: &server, cookie: server.browser("ada") };
    let found = ada.text("/ui/search?q=release");
    assert!(found.contains("release-notes") && found.contains("No page has these words."), "{found}");
    let all = ada.text("/ui/search?part=1&q=");
    assert!(all.contains("role=\"option\"") && !all.contains("Audit log") && !all.contains("<html"), "{all}");
    let admin = Browser::of(&server, "root", &[Role::OrgAdmin]);
    assert!(admin.text("/ui/search?part=1&q=audit").contains("Audit log"));
}

#[test]
fn files_are_imported_by_a_form_and_a_wrong_one_is_explained() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[]);
    let origin = format!("http://127.0.0.1:{}", server.port);
    let send = |csrf: &str, text: &str| {
        let body = format!(
            "--b\r\ncontent-disposition: form-data; name=\"csrf\"\r\n\r\n{csrf}\r\n--b\r\ncontent-disposition: form-data; name=\"scope\"\r\n\r\nown\r\n\
             --b\r\ncontent-disposition: form-data; name=\"files[]\"; filename=\"SKILL.md\"\r\n\r\n{text}\r\n--b--\r\n"
        );
        let head = [
            ("cookie", browser.cookie.as_str()),
            ("origin", &origin),
            ("content-type", "multipart/form-data; boundary=b"),
        ];
        server.ask("POST", "/ui/skills/import", &head, body.as_bytes())
    };
    let text = "---\nname: notes\ndescription: Takes notes. Use when asked.\n---\n\nWrite.\n";
    assert_eq!(send("wrong", text).status, 403);
    let made = send(&browser.csrf(), text);
    assert!(browser.follow(&made).contains("notes is imported."));
    let taken = send(&browser.csrf(), text);
    assert!(browser.follow(&taken).contains("The skill was not imported:"));
    let empty = send(&browser.csrf(), "no frontmatter");
    assert!(browser.follow(&empty).contains("The skill was not imported:"));
}
