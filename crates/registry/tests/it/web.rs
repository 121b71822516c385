//! Skills over the web, against honest and dishonest servers of this machine.

use crate::fixture::small;
use skillful_format::{Tree, digest_bytes};
use skillful_net::{Net, NetError, Reach};
use skillful_registry::{
    Source,
    fetch::{Bounds, FetchError, Fetched, Outside, Phase, Progress, Web, WebError, fetch},
};
use skillful_testkit::{FileServer, Served};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    path::PathBuf,
    sync::{Arc, Mutex},
};

/// A fetch that may ask this machine.
pub(crate) fn outside() -> Outside {
    Outside {
        base: PathBuf::from("/nowhere"),
        home: PathBuf::from("/nowhere"),
        variables: BTreeMap::new(),
        scratch: std::env::temp_dir(),
        bounds: Bounds::default(),
        web: Web { net: Net::new(Reach::Loopback, BTreeSet::new()), ..Web::default() },
    }
}

fn get(text: &str) -> Result<Fetched, FetchError> {
    fetch(&text.parse::<Source>().unwrap(), None, &outside())
}

fn names(fetched: &Fetched) -> Vec<&str> {
    fetched.skills.iter().map(|found| found.name.as_str()).collect()
}

fn packed(tree: &Tree) -> Vec<u8> {
    skillful_archive::write_tar_gz_bare(tree).unwrap()
}

/// A server of these paths.
pub(crate) fn serve(files: Vec<(&str, Served)>) -> FileServer {
    let files: BTreeMap<String, Served> = files.into_iter().map(|(path, it)| (path.to_owned(), it)).collect();
    FileServer::with(move |path| files.get(path).cloned().unwrap_or(Served::Status(404)))
}

fn file(kind: &'static str, bytes: Vec<u8>) -> Served {
    Served::File(kind, bytes)
}

fn entry(name: &str, kind: &str, url: &str, bytes: &[u8]) -> serde_json::Value {
    serde_json::json!({ "name": name, "type": kind, "description": "d", "url": url, "digest": digest_bytes(bytes) })
}

fn index(entries: &[serde_json::Value]) -> Served {
    let schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
    let text = serde_json::json!({ "$schema": schema, "skills": entries }).to_string();
    file("application/json", text.into_bytes())
}

const NEW: &str = "/.well-known/agent-skills/index.json";

#[test]
fn an_archive_behind_an_address_comes_with_the_digest_of_its_bytes() {
    let pdf = small("pdf", "word");
    let tar = packed(&pdf);
    let zip = skillful_archive::write_zip(&pdf, "pdf").unwrap();
    let server = serve(vec![
        ("/a/pdf.tar.gz", file("application/gzip", tar.clone())),
        ("/pdf.zip", file("application/octet-stream", zip.clone())),
        ("/moved.zip", Served::Redirect("/pdf.zip".to_owned())),
        ("/SKILL.md", file("text/markdown", pdf.get("SKILL.md").unwrap().bytes.clone())),
    ]);
    for (path, bytes) in [("/a/pdf.tar.gz", &tar), ("/pdf.zip", &zip), ("/moved.zip", &zip)] {
        let fetched = get(&format!("{}{path}", server.url())).unwrap();
        assert_eq!(names(&fetched), ["pdf"]);
        assert_eq!(fetched.skills[0].tree, pdf);
        assert_eq!(fetched.skills[0].artefact, Some(digest_bytes(bytes)));
        assert!(fetched.resolved.url.unwrap().starts_with(&server.url()));
    }
    assert_eq!(names(&get(&format!("{}/SKILL.md", server.url())).unwrap()), ["pdf"]);
}

#[test]
fn a_server_that_misbehaves_gives_nothing() {
    // A tar of a file that is far larger than what holds it.
    let bomb = {
        let mut tar = vec![0; 512];
        tar[..8].copy_from_slice(b"SKILL.md");
        tar[100..107].copy_from_slice(b"0000644");
        tar[124..135].copy_from_slice(format!("{:011o}", 80 << 20).as_bytes());
        tar[148..156].copy_from_slice(b"        ");
        tar[156] = b'0';
        tar[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = tar.iter().map(|&byte| u32::from(byte)).sum();
        tar[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&tar).unwrap();
        packer.write_all(&vec![b'0'; (80 << 20) + 1_024]).unwrap();
        packer.finish().unwrap()
    };
    assert!(bomb.len() < 1 << 20);
    let server = serve(vec![
        ("/page.zip", file("text/html; charset=utf-8", b"<html>".to_vec())),
        ("/text.zip", file("text/plain", b"gone".to_vec())),
        ("/short.zip", Served::Short(b"PK".to_vec())),
        ("/endless.zip", Served::Endless),
        ("/bomb.tar.gz", file("application/gzip", bomb)),
        ("/encoded.zip", Served::Encoded("gzip", vec![1, 2])),
        ("/loop.zip", Served::Redirect("/loop.zip".to_owned())),
        ("/away.zip", Served::Redirect("https://example.org/x.zip".to_owned())),
    ]);
    let failed = |path: &str| get(&format!("{}{path}", server.url())).unwrap_err();
    let net = |path: &str| match failed(path) {
        FetchError::Web(WebError::Net { error, .. }) => error,
        other => panic!("{path}: {other}"),
    };
    assert!(matches!(failed("/page.zip"), FetchError::Web(WebError::Page { .. })));
    assert!(matches!(failed("/text.zip"), FetchError::Package { .. }));
    assert!(matches!(failed("/bomb.tar.gz"), FetchError::Package { .. }));
    assert!(matches!(net("/short.zip"), NetError::Failed(_)));
    assert!(matches!(net("/endless.zip"), NetError::TooLarge(_)));
    assert!(matches!(net("/encoded.zip"), NetError::Encoded(_)));
    assert_eq!(net("/loop.zip"), NetError::Redirects);
    let away = failed("/away.zip");
    assert!(matches!(away, FetchError::Web(WebError::Elsewhere { host, .. }) if host == "example.org"));
    assert_eq!(net("/none.zip"), NetError::Status(404));
}

#[test]
fn without_leave_this_machine_is_not_asked() {
    let server = serve(Vec::new());
    let mut outside = outside();
    outside.web.net = Net::default();
    for text in [
        format!("{}/x.zip", server.url()),
        server.url(),
        format!("https://127.0.0.1:{}/x.zip", server.port()),
    ] {
        let error = fetch(&text.parse::<Source>().unwrap(), None, &outside).unwrap_err();
        let is_told = matches!(error, FetchError::Web(WebError::Net { .. } | WebError::Plain(_)));
        assert!(is_told, "{error}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn an_index_gives_its_skills_and_a_broken_promise_is_reported_and_never_unpacked() {
    let (one, two) = (packed(&small("one", "a")), packed(&small("two", "b")));
    let text = b"---\nname: three\ndescription: d\n---\nx\n".to_vec();
    let liar = packed(&small("one", "stolen"));
    let server = serve(vec![
        (
            NEW,
            index(&[
                entry("one", "archive", "/one.tar.gz", &one),
                entry("two", "archive", "two.tar.gz", &one),
                entry("three", "skill-md", "three/SKILL.md", &text),
                entry("four", "archive", "/gone.zip", b""),
                entry("five", "archive", "/five.tar.gz", &liar),
                entry("six", "archive", "three/SKILL.md", &text),
                serde_json::json!({ "name": "seven", "type": "archive", "description": "d", "url": "x", "sha256": "1" }),
            ]),
        ),
        ("/one.tar.gz", file("application/gzip", one.clone())),
        ("/.well-known/agent-skills/two.tar.gz", file("application/gzip", two)),
        ("/.well-known/agent-skills/three/SKILL.md", file("text/markdown", text)),
        ("/five.tar.gz", file("application/gzip", liar)),
    ]);
    let fetched = get(&server.url()).unwrap();
    assert_eq!(names(&fetched), ["one", "three"]);
    assert_eq!(fetched.skills[0].artefact, Some(digest_bytes(&one)));
    let told: Vec<&str> = fetched.diagnostics.iter().map(|found| found.message.as_str()).collect();
    for (name, why) in [
        ("two", "nothing of it was unpacked"),
        ("four", "answered 404"),
        ("five", "calls itself `one`"),
        ("six", "neither a zip nor a tar.gz"),
        ("seven", "`sha256` where the specification has `digest`"),
    ] {
        assert!(
            told.iter().any(|it| it.contains(&format!("`{name}`")) && it.contains(why)),
            "{name}: {told:?}"
        );
        let error = get(&format!("{}#@{name}", server.url())).unwrap_err().to_string();
        assert!(error.contains(why), "{name}: {error}");
    }
    assert_eq!(names(&get(&format!("{}#@three", server.url())).unwrap()), ["three"]);
    let error = get(&format!("{}#@nine", server.url())).unwrap_err().to_string();
    assert!(error.contains("available: one, two, three"), "{error}");
}

#[test]
fn the_older_form_is_found_and_read() {
    let skill = small("old", "word");
    let server = serve(vec![
        (
            "/docs/.well-known/skills/index.json",
            file(
                "application/json",
                br#"{"skills":[{"name":"old","description":"d","files":["SKILL.md","scripts/run.sh"]}]}"#
                    .to_vec(),
            ),
        ),
        (
            "/docs/.well-known/skills/old/SKILL.md",
            file("text/plain", skill.get("SKILL.md").unwrap().bytes.clone()),
        ),
        ("/docs/.well-known/skills/old/scripts/run.sh", file("text/plain", b"word".to_vec())),
        (NEW, index(&[])),
    ]);
    let fetched = get(&format!("{}/docs", server.url())).unwrap();
    assert_eq!((names(&fetched), fetched.skills[0].tree.len()), (vec!["old"], 2));
    assert!(fetched.diagnostics[0].message.contains("no digests"));
    assert!(
        !server.asked().contains(&NEW.to_owned()),
        "who publishes below a path does not speak for the host"
    );
}

#[test]
fn a_missing_index_and_a_web_page_are_distinguished() {
    let none = serve(Vec::new());
    assert!(matches!(get(&none.url()).unwrap_err(), FetchError::Web(WebError::NoIndex { .. })));
    let page = FileServer::with(|_| Served::File("text/html", b"<html>".to_vec()));
    assert!(matches!(get(&page.url()).unwrap_err(), FetchError::Web(WebError::Page { .. })));
    let other = serve(vec![(NEW, file("application/json", br#"{"$schema":"x","skills":[]}"#.to_vec()))]);
    let error = get(&other.url()).unwrap_err().to_string();
    assert!(error.contains("`x`, which is not known"), "{error}");
    let empty = serve(vec![(NEW, index(&[]))]);
    assert!(get(&empty.url()).unwrap_err().to_string().contains("it is empty"));
}

#[test]
fn a_fetch_reports_its_progress() {
    let tar = packed(&small("pdf", "word"));
    let length = tar.len() as u64;
    let server = serve(vec![("/pdf.tar.gz", file("application/gzip", tar))]);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut outside = outside();
    outside.web.progress = Progress::new({
        let heard = Arc::clone(&heard);
        move |phase, done, total| heard.lock().unwrap().push((phase, done, total))
    });
    fetch(&format!("{}/pdf.tar.gz", server.url()).parse().unwrap(), None, &outside).unwrap();
    let heard = heard.lock().unwrap();
    assert_eq!(heard.first(), Some(&(Phase::Download, 0, None)));
    assert!(heard.contains(&(Phase::Download, length, Some(length))));
    assert_eq!(heard.last().unwrap().0, Phase::Unpack);
}
