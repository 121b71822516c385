//! Drafts and reviews, through the API and through the page without script.

use crate::{page::Browser, running::Running};
use serde_json::json;
use skillful_team::Role;

const TEXT: &str =
    "---\nname: pdf\ndescription: Reads PDF files. Use when asked.\n---\n\n# PDF\n\nfirst\n\nlast\n";

fn draft(server: &Running, token: &str, text: &str) -> String {
    let input = json!({ "name": "pdf", "base": null, "files": { "SKILL.md": text } });
    let made = server.call(token, "POST", "/api/v1/drafts", &input);
    assert_eq!(made.status, 201, "{made:?}");
    made.json()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_save_of_an_old_revision_answers_with_both_texts_and_one_of_both() {
    let server = Running::start();
    let ada = server.user("ada", &[]);
    let id = draft(&server, &ada, TEXT);
    let path = format!("/api/v1/drafts/{id}");
    let save = |text: &str, revision: i64| {
        let input =
            json!({ "name": "pdf", "base": null, "files": { "SKILL.md": text }, "revision": revision });
        server.call(&ada, "PUT", &path, &input)
    };
    assert_eq!(save(&TEXT.replace("first", "first here"), 1).status, 200);
    let late = save(&TEXT.replace("last", "last there"), 1);
    assert_eq!((late.status, late.field("content-type")), (409, "application/problem+json"));
    let late = late.json();
    assert_eq!((late["code"].as_str(), late["saved"]["revision"].as_i64()), (Some("draft-changed"), Some(2)));
    let merged = late["merged"]["SKILL.md"].as_str().unwrap();
    assert!(merged.contains("first here") && merged.contains("last there"), "{merged}");
    assert_eq!(late["conflicts"], json!({}));
    let clash = save(&TEXT.replace("first", "first there"), 1).json();
    assert!(
        clash["merged"]["SKILL.md"]
            .as_str()
            .unwrap()
            .contains("<<<<<<< your text\nfirst there\n=======\nfirst here\n")
    );
    assert_eq!(clash["conflicts"], json!({ "SKILL.md": 1 }));
}

#[test]
fn the_check_of_a_draft_has_lines_fixes_capabilities_and_the_completion_has_fields_and_files() {
    let server = Running::start();
    let ada = server.user("ada", &[]);
    let id = draft(&server, &ada, TEXT);
    let broken = "---\nname: pdf\ndescription: Use when: asked\nal\n---\n\nSee [it](ref).\n";
    let input =
        json!({ "name": "pdf", "base": null, "files": { "SKILL.md": broken, "references/a b.md": "x" } });
    let found = server.call(&ada, "POST", &format!("/api/v1/drafts/{id}/check"), &input).json();
    let problems = found["problems"].as_array().unwrap();
    assert!(problems.iter().any(|one| one["line"] == 3 && !one["fix"].is_null()), "{problems:?}");
    assert!(!found["capabilities"].as_array().unwrap().is_empty(), "{found}");
    let complete = |at: usize| {
        let input = json!({ "text": broken, "at": at, "files": ["SKILL.md", "references/a b.md"] });
        server.call(&ada, "POST", &format!("/api/v1/drafts/{id}/complete"), &input).json()
    };
    let fields = complete(broken.find("al\n").unwrap() + 2);
    let labels: Vec<&str> =
        fields["items"].as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"allowed-tools") && !labels.contains(&"name"), "{labels:?}");
    let files = complete(broken.find("ref)").unwrap());
    assert_eq!(
        (files["items"][0]["label"].as_str(), files["items"][0]["insert"].as_str()),
        (Some("references/a b.md"), Some("references/a%20b.md"))
    );
    let bob = server.user("bob", &[]);
    assert_eq!(server.call(&bob, "POST", &format!("/api/v1/drafts/{id}/check"), &input).status, 404);
}

#[test]
fn a_draft_is_fixed_merged_and_published_by_forms() {
    let server = Running::start();
    let ada = Browser::of(&server, "ada", &[]);
    let begun = ada.post(
        "/ui/drafts",
        &[("name", "notes"), ("description", "Writes notes: short ones. Use when asked.")],
    );
    let page = begun.field("location").to_owned();
    assert!(page.starts_with("/ui/drafts/draft_"), "{begun:?}");
    let text = ada.text(&page);
    assert!(text.contains("Writes notes") && text.contains("name=\"revision\" value=\"1\""), "{text}");
    let save = |text: &str, revision: &str| {
        ada.post(&page, &[("file", "SKILL.md"), ("text", text), ("revision", revision), ("do", "save")])
    };
    let first =
        "---\nname: notes\ndescription: Writes notes. Use when asked.\n---\r\n\r\nfirst\r\n\r\nlast\r\n";
    assert!(ada.follow(&save(first, "1")).contains("The draft is saved."));
    assert!(ada.follow(&save(&first.replace("first", "one"), "2")).contains("The draft is saved."));
    let late = save(&first.replace("last", "two"), "2");
    let shown = String::from_utf8(late.body.clone()).unwrap();
    assert_eq!(late.status, 409);
    assert!(
        shown.contains("The draft was saved elsewhere.") && shown.contains("Both changes fit together"),
        "{shown}"
    );
    assert!(
        shown.contains("one") && shown.contains("two") && shown.contains("name=\"revision\" value=\"3\""),
        "{shown}"
    );
    let broken = "---\nname: notes\ndescription: Use when: asked\n---\nx\n";
    assert!(ada.follow(&save(broken, "3")).contains("data-code=\"unquoted-colon\""));
    let fixed = ada.post(
        &page,
        &[("file", "SKILL.md"), ("text", broken), ("revision", "4"), ("do", "fix:unquoted-colon:3")],
    );
    let shown = ada.follow(&fixed);
    assert!(
        shown.contains("The fix is applied") && !shown.contains("data-code=\"unquoted-colon\""),
        "{shown}"
    );
    assert!(shown.contains("description: &#34;Use when: asked&#34;"), "{shown}");
    let published = ada.post(&page, &[("revision", "5"), ("do", "propose"), ("notes", "First")]);
    assert!(ada.follow(&published).contains("notes 1 is published."));
    let bob = Browser::of(&server, "bob", &[]);
    assert_eq!(bob.get(&page).status, 404);
}

#[test]
fn a_review_is_decided_by_a_form_that_names_the_shown_digest() {
    let server = Running::start();
    let ada = server.user("ada", &[Role::OrgAdmin]);
    let made = server
        .upload(&ada, "/api/v1/skills?scope=org", "pdf", "One <script>alert(1)</script>\u{200b}.")
        .json();
    let id = made["proposal"].as_str().unwrap();
    let page = format!("/ui/reviews/{id}");
    let rae = Browser::of(&server, "rae", &[Role::Reviewer]);
    assert!(rae.text("/ui/reviews").contains(&page));
    let text = rae.text(&page);
    assert!(text.contains("The first version: everything it can do is new"), "{text}");
    assert!(
        text.contains("&lt;script&gt;") && !text.contains("<script>alert") && text.contains("U+200B"),
        "{text}"
    );
    for view in ["unified", "rendered"] {
        assert!(!rae.text(&format!("{page}?view={view}")).contains("<script>alert"));
    }
    let said = rae
        .post(&page, &[("do", "comment"), ("path", "SKILL.md"), ("line", "1"), ("body", "Why <b>this</b>?")]);
    assert!(rae.follow(&said).contains("Why &lt;b&gt;this&lt;/b&gt;?"));
    let other = rae.post(&page, &[("do", "approve"), ("digest", &format!("sha256:{}", "0".repeat(64)))]);
    assert_eq!(other.status, 409);
    assert!(String::from_utf8(other.body).unwrap().contains("Nothing was decided."));
    let digest = made["version"]["tree"].as_str().unwrap();
    let done = rae.post(&page, &[("do", "approve"), ("digest", digest), ("note", "Good")]);
    assert!(rae.follow(&done).contains("pdf 1 is approved and served."));
    let author = Browser { server: &server, cookie: server.browser("ada") };
    assert!(author.text("/ui/reviews?queue=done").contains("Approved"));
}

#[test]
fn a_server_of_a_team_has_no_machine_for_anybody() {
    let server = Running::start();
    let admin = Browser::of(&server, "ada", &[Role::SiteAdmin, Role::OrgAdmin]);
    for path in [
        "/ui/machine",
        "/ui/machine/link/codex",
        "/ui/machine/review/user:x",
        "/ui/machine/explain?message=x",
    ] {
        assert_eq!(admin.get(path).status, 404, "{path}");
    }
    assert!(!admin.text("/ui/skills").contains("/ui/machine"));
}
