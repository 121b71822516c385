//! Pages and forms as a browser sends them, without script.

use crate::running::{Answer, Running};
use skillful_team::Role;

/// A browser of a signed-in user.
pub(crate) struct Browser<'a> {
    pub(crate) server: &'a Running,
    pub(crate) cookie: String,
}

impl<'a> Browser<'a> {
    pub(crate) fn of(server: &'a Running, name: &str, roles: &[Role]) -> Self {
        server.user(name, roles);
        Self { server, cookie: server.browser(name) }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.server.ask("GET", path, &[("cookie", &self.cookie), ("accept", "text/html,*/*")], &[])
    }

    pub(crate) fn text(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", String::from_utf8_lossy(&answer.body));
        String::from_utf8(answer.body).unwrap()
    }

    /// The CSRF token of the session, as a form has it.
    pub(crate) fn csrf(&self) -> String {
        let text = self.text("/ui/skills");
        let (_, rest) = text.split_once("name=\"csrf\" value=\"").unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    }

    pub(crate) fn post_with(&self, path: &str, fields: &[(&str, &str)], head: &[(&str, &str)]) -> Answer {
        let body: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let mut all = vec![
            ("cookie", self.cookie.as_str()),
            ("content-type", "application/x-www-form-urlencoded"),
            ("accept", "text/html,*/*"),
        ];
        all.extend_from_slice(head);
        self.server.ask("POST", path, &all, body.as_bytes())
    }

    pub(crate) fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let csrf = self.csrf();
        let origin = format!("http://127.0.0.1:{}", self.server.port);
        let mut all = vec![("csrf", csrf.as_str())];
        all.extend_from_slice(fields);
        self.post_with(path, &all, &[("origin", &origin)])
    }

    /// The page after a form, with its message.
    pub(crate) fn follow(&self, answer: &Answer) -> String {
        assert_eq!(answer.status, 303, "{}", String::from_utf8_lossy(&answer.body));
        let flash = answer
            .head
            .iter()
            .filter(|(name, _)| name == "set-cookie")
            .map(|(_, value)| value.split(';').next().unwrap().to_owned());
        let cookie = std::iter::once(self.cookie.clone()).chain(flash).collect::<Vec<_>>().join("; ");
        let shown = self.server.ask(
            "GET",
            answer.field("location"),
            &[("cookie", &cookie), ("accept", "text/html")],
            &[],
        );
        assert_eq!(shown.status, 200, "{}", String::from_utf8_lossy(&shown.body));
        String::from_utf8(shown.body).unwrap()
    }
}

#[test]
fn a_visitor_who_is_not_signed_in_comes_to_the_sign_in_page_and_back() {
    let server = Running::start();
    let home = server.ask("GET", "/", &[], &[]);
    assert_eq!((home.status, home.field("location")), (303, "/ui"));
    let page = server.ask("GET", "/ui/skills?q=a", &[("accept", "text/html")], &[]);
    assert_eq!((page.status, page.field("location")), (303, "/ui/sign-in?next=%2Fui%2Fskills%3Fq%3Da"));
    let page = server.ask("GET", page.field("location"), &[("accept", "text/html")], &[]);
    assert_eq!(
        (page.status, page.field("set-cookie").split(';').next()),
        (200, Some("skillful_next=%2Fui%2Fskills%3Fq%3Da"))
    );
    let elsewhere =
        server.ask("GET", "/ui/sign-in?next=https%3A%2F%2Fevil.example", &[("accept", "text/html")], &[]);
    assert_eq!(elsewhere.field("set-cookie"), "", "another site is not a next page");
    let ended =
        server.ask("GET", "/ui/skills", &[("cookie", "skillful_session=gone"), ("accept", "text/html")], &[]);
    assert!(ended.field("location").starts_with("/ui/sign-in?why=ended"), "{ended:?}");
}

#[test]
fn a_page_has_a_strict_policy_and_its_files_are_kept_by_their_digest() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[]);
    let page = browser.get("/ui/skills");
    assert_eq!(
        page.field("content-security-policy"),
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    );
    assert_eq!((page.field("cache-control"), page.field("referrer-policy")), ("no-store", "same-origin"));
    let text = String::from_utf8(page.body).unwrap();
    assert!(!text.contains("style=\"") && !text.contains("<style") && !text.contains("onclick"), "{text}");
    let (_, rest) = text.split_once("rel=\"stylesheet\" href=\"").unwrap();
    let style = rest.split_once('"').unwrap().0;
    let plain = server.ask("GET", style, &[("accept-encoding", "identity")], &[]);
    assert_eq!(
        (plain.status, plain.field("content-type"), plain.field("cache-control")),
        (200, "text/css; charset=utf-8", "public, max-age=31536000, immutable")
    );
    let known = server.ask("GET", style, &[("if-none-match", plain.field("etag"))], &[]);
    assert_eq!((known.status, known.body.len()), (304, 0));
    let other = server.ask("GET", "/ui/assets/000000000000/style.css", &[], &[]);
    assert_eq!(
        other.field("cache-control"),
        "public, max-age=300",
        "an older page gets the newest style, for a short time"
    );
    assert_eq!(server.ask("GET", "/ui/assets/000000000000/..%2FCargo.toml", &[], &[]).status, 404);
}

#[test]
fn a_form_without_the_token_of_its_session_or_from_another_site_changes_nothing() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[]);
    let other = Browser::of(&server, "bo", &[]);
    let origin = format!("http://127.0.0.1:{}", server.port);
    let csrf = browser.csrf();
    let theme = |csrf: &str, head: &[(&str, &str)]| {
        browser.post_with("/ui/theme", &[("csrf", csrf), ("theme", "dark")], head).status
    };
    assert_eq!(theme(&csrf, &[("origin", &origin)]), 303);
    assert_eq!(theme(&csrf, &[]), 403, "without an origin");
    assert_eq!(theme(&csrf, &[("origin", "null")]), 403);
    assert_eq!(theme(&csrf, &[("origin", "https://evil.example")]), 403);
    assert_eq!(theme("", &[("origin", &origin)]), 403, "without a token");
    assert_eq!(theme(&other.csrf(), &[("origin", &origin)]), 403, "with the token of another session");
}

#[test]
fn errors_are_pages_for_browsers_and_json_for_programs() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[]);
    let missing = browser.get("/ui/nowhere");
    let text = String::from_utf8(missing.body.clone()).unwrap();
    assert_eq!((missing.status, missing.field("content-type")), (404, "text/html; charset=utf-8"));
    assert!(text.contains("This page does not exist") && text.contains("href=\"/ui\""), "{text}");
    let api = server.ask("GET", "/api/v1/nowhere", &[("accept", "text/html")], &[]);
    assert_eq!(api.field("content-type"), "application/problem+json");
    let wrong = browser.get("/ui/theme");
    assert_eq!((wrong.status, wrong.field("content-type")), (405, "text/html; charset=utf-8"));
}

#[test]
fn the_list_of_a_new_user_teaches_and_a_skill_is_switched_off_and_on_again() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[]);
    assert!(browser.text("/ui/skills").contains("No skill yet"));
    let token = server.user("ada", &[]);
    let id = server.upload(&token, "/api/v1/skills", "pdf-forms", "Fill <b>them</b>.").json()["skill"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let list = browser.text("/ui/skills");
    assert!(
        list.contains(">pdf-forms</a>")
            && list.contains("Available")
            && list.contains("aria-pressed=\"true\""),
        "{list}"
    );
    let off = browser.follow(&browser.post("/ui/skills/switch", &[("id", &id), ("on", "false")]));
    assert!(
        off.contains("pdf-forms is off.") && off.contains("Disabled") && off.contains(">Undo</button>"),
        "{off}"
    );
    let on = browser.follow(&browser.post("/ui/skills/switch", &[("id", &id), ("on", "true")]));
    assert!(on.contains("pdf-forms is on.") && on.contains("aria-pressed=\"true\""), "{on}");
    let none = browser.follow(&browser.post("/ui/skills/several", &[("do", "off")]));
    assert!(none.contains("No skill is selected."), "{none}");
    let several = browser.follow(&browser.post("/ui/skills/several", &[("do", "archive"), ("s", &id)]));
    assert!(several.contains("1 skill archived."), "{several}");
    assert!(browser.text("/ui/skills?scope=archived").contains("pdf-forms"));
}

#[test]
fn a_list_is_searched_filtered_ordered_and_paged_by_its_address() {
    let server = Running::start();
    let browser = Browser::of(&server, "ada", &[]);
    let token = server.user("ada", &[]);
    for number in 0..30 {
        assert_eq!(
            server.upload(&token, "/api/v1/skills", &format!("skill-{number:02}"), "Do it.").status,
            201
        );
    }
    let names = |path: &str| -> Vec<String> {
        let text = browser.text(path);
        text.split("class=\"name\"")
            .skip(1)
            .map(|rest| rest.split_once('>').unwrap().1.split_once('<').unwrap().0.to_owned())
            .collect()
    };
    let first = names("/ui/skills?sort=name");
    assert_eq!((first.len(), first[0].as_str(), first[24].as_str()), (25, "skill-00", "skill-24"));
    assert_eq!(
        names("/ui/skills?sort=name&page=2"),
        ["skill-25", "skill-26", "skill-27", "skill-28", "skill-29"]
    );
    assert_eq!(names("/ui/skills?q=skill-07"), ["skill-07"]);
    assert!(names("/ui/skills?state=disabled").is_empty());
    let text = browser.text("/ui/skills?q=%22%3E%3Cscript%3E&page=-1");
    assert!(text.contains("No skill matches") && !text.contains("<script>"), "{text}");
}
