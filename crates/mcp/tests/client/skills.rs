//! Skills that a server offers: nothing ahead of need, nothing unverified.

use crate::{
    http::{Answer, Asked, Web, result},
    support::LONG,
};
use serde_json::{Value, json};
use skillful_format::digest_bytes;
use skillful_mcp::{
    client::{
        PlainProcess,
        skills::{SkillsError, Source},
    },
    names::SKILLS_EXTENSION,
};
use skillful_testkit::require_tool;

const SKILL: &str = "---\nname: pdf\ndescription: About PDF.\n---\n\nSee references/forms.md\n";
const FORMS: &str = "Forms.\n";
const SKILL_URI: &str = "skill://docs/pdf/SKILL.md";
const FORMS_URI: &str = "skill://docs/pdf/references/forms.md";

fn file(uri: &str, content: &str) -> Value {
    json!({"uri": uri, "digest": format!("sha256:{}", digest_bytes(content.as_bytes()).to_hex()), "size": content.len()})
}

fn entry() -> Value {
    json!({
        "uri": SKILL_URI,
        "frontmatter": {"name": "pdf", "description": "About PDF."},
        "resources": [file(SKILL_URI, SKILL), file(FORMS_URI, FORMS)],
    })
}

/// A server that offers one skill, whose SKILL.md reads as given.
async fn server(entry: Value, skill: &'static str) -> Web {
    Web::new(move |asked| answer(asked, &entry, skill)).await
}

fn answer(asked: &Asked, entry: &Value, skill: &str) -> Answer {
    let hints = |mut value: Value| {
        value["resultType"] = json!("complete");
        value["ttlMs"] = json!(0);
        value["cacheScope"] = json!("private");
        // As real servers do.
        value["_meta"] = json!({"io.modelcontextprotocol/serverInfo": {"name": "t", "version": "1"}});
        value
    };
    let uri = asked.body["params"]["uri"].as_str().unwrap_or_default();
    match asked.body["method"].as_str().unwrap_or_default() {
        "server/discover" => {
            let capabilities = json!({"resources": {}, "extensions": {SKILLS_EXTENSION: {}}});
            result(asked, &hints(json!({"supportedVersions": ["2026-07-28"], "capabilities": capabilities})))
        }
        "skills/list" if asked.body["params"]["cursor"].is_null() => {
            let invalid = json!({"uri": "skill://docs/bad/SKILL.md", "frontmatter": {"name": "bad"}});
            result(asked, &hints(json!({"skills": [invalid], "nextCursor": "2"})))
        }
        "skills/list" => result(asked, &hints(json!({"skills": [entry, entry]}))),
        "skills/get" => result(asked, &hints(json!({"skill": entry}))),
        "resources/read" => {
            let text = if uri == SKILL_URI { skill } else { FORMS };
            result(asked, &hints(json!({"contents": [{"uri": uri, "text": text}]})))
        }
        _ => (202, vec![], vec![]),
    }
}

async fn source(web: &Web) -> Source {
    Source::connect("docs", &web.declaration(), &PlainProcess, LONG).await.unwrap()
}

fn reads(web: &Web) -> usize {
    web.asked.lock().unwrap().iter().filter(|asked| asked.body["method"] == "resources/read").count()
}

#[tokio::test]
async fn listing_reads_no_file_and_reports_what_is_invalid() {
    let web = server(entry(), SKILL).await;
    let source = source(&web).await;
    let (entries, diagnostics) = source.list().await.unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].server(), entries[0].name()), ("docs", "pdf"));
    let told: Vec<_> = diagnostics.iter().map(|told| told.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "the server `docs`: its skill `skill://docs/bad/SKILL.md` is not loaded: its `resources` is neither a list nor \"dynamic\"",
            "the server `docs`: it lists `skill://docs/pdf/SKILL.md` twice; the first counts",
        ]
    );
    assert_eq!(source.get(SKILL_URI).await.unwrap(), entries[0]);
    assert_eq!(reads(&web), 0);
    source.close().await;
}

#[tokio::test]
async fn a_verified_skill_opens_its_files_and_no_others() {
    let web = server(entry(), SKILL).await;
    let source = source(&web).await;
    let loaded = source.load(source.get(SKILL_URI).await.unwrap()).await.unwrap();
    assert_eq!((loaded.text(), reads(&web)), (SKILL, 1));
    assert_eq!(loaded.read("references/forms.md").await.unwrap(), FORMS.as_bytes());
    let before = reads(&web);
    for stranger in ["other.md", "../x", "skill://docs/other/SKILL.md", "https://example.org/"] {
        assert!(matches!(loaded.read(stranger).await, Err(SkillsError::NotHeld(_))), "{stranger}");
    }
    assert_eq!(reads(&web), before, "nothing was even asked for");
    source.close().await;
}

#[tokio::test]
async fn a_skill_that_is_not_what_its_entry_says_is_not_loaded() {
    let evil = "---\nname: pdf\ndescription: About PDF.\n---\n\nSee references/evil_.md\n";
    let longer = "---\nname: pdf\ndescription: About PDF.\n---\n\nSee references/forms.md\n\nAnd more.\n";
    let other = "---\nname: pdf\ndescription: Something else.\n---\n";
    let mut honest_digest = entry();
    honest_digest["resources"][0] = file(SKILL_URI, other);
    for (entry, text, why) in [
        (entry(), evil, "another digest"),
        (entry(), longer, "bytes instead of"),
        (honest_digest, other, "differs from the entry of its skill in `description`"),
    ] {
        let web = server(entry, text).await;
        let source = source(&web).await;
        let error = source.load(source.get(SKILL_URI).await.unwrap()).await.err().unwrap();
        assert!(error.to_string().contains(why), "{error}");
        source.close().await;
    }
}

#[tokio::test]
async fn a_server_without_the_extension_offers_no_skills() {
    let web = Web::new(|asked| match asked.body["method"].as_str().unwrap_or_default() {
        "server/discover" => result(
            asked,
            &json!({"supportedVersions": ["2026-07-28"], "capabilities": {"resources": {}}, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
        ),
        _ => (202, vec![], vec![]),
    })
    .await;
    let source = source(&web).await;
    assert_eq!(source.list().await.unwrap_err(), SkillsError::NotOffered);
    source.close().await;
}

#[tokio::test]
async fn a_process_can_offer_skills_too_and_one_that_may_change_is_never_approved_for_good() {
    require_tool!("python3");
    let source =
        Source::connect("here", &crate::support::declaration("skills"), &PlainProcess, LONG).await.unwrap();
    let (entries, diagnostics) = source.list().await.unwrap();
    assert_eq!((entries.len(), diagnostics.len()), (1, 0));
    assert_eq!(entries[0].approval(), None);
    let loaded = source.load(entries[0].clone()).await.unwrap();
    assert_eq!(loaded.text(), "---\nname: x\n---\nBody\n");
    assert!(
        matches!(loaded.read("other.md").await, Err(SkillsError::Nonsense(why)) if why.contains("base64"))
    );
    assert!(matches!(loaded.read("skill://y/SKILL.md").await, Err(SkillsError::NotHeld(_))));
    source.close().await;
    assert_eq!(source.list().await.unwrap_err(), SkillsError::Closed);
}
