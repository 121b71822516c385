//! Sources: the file, what they offer, and what happens when one is dead.

use crate::{
    fixture::{quick, small},
    web::{outside, serve},
};
use skillful_registry::{
    Lock,
    fetch::{Outside, fetch},
    install::{Adding, Mode, Site, plan_add},
    publish::{Offer, plan, write},
    sources::{Browsing, Listing, OfferState, SourceEntry, Sources, SourcesError, browse_all, score, state},
};
use skillful_testkit::{FileServer, Served};
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

fn publish(folder: &Path, name: &str, word: &str, version: &str) {
    let offer = Offer {
        place: name.to_owned(),
        folder: None,
        tree: small(name, word),
        left_out: Vec::new(),
        version: Some(version.to_owned()),
    };
    write(&plan(folder, &[offer], None).unwrap(), folder, &BTreeSet::new(), &quick()).unwrap();
}

fn entry(source: &str, registry: bool) -> SourceEntry {
    SourceEntry { source: source.parse().unwrap(), enabled: true, registry, team: false }
}

fn browsing<'a>(outside: &'a Outside, cache: Option<&'a Path>) -> Browsing<'a> {
    Browsing { outside, cache, now: SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000), refresh: false }
}

fn one(entry: &SourceEntry, browsing: Browsing<'_>) -> Result<Listing, String> {
    browse_all(&[("team", entry)], browsing).remove(0).1.map_err(|error| error.to_string())
}

#[test]
fn the_file_is_read_and_edited_and_keeps_what_a_user_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config/sources.toml");
    let load = || Sources::load(&path).unwrap();
    assert_eq!(load(), Sources::default());
    load().add(&path, "team", &entry("https://example.org/x", true), &quick()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("# mine\nhosts = [\"cdn.example.org\"]\n{text}")).unwrap();
    load().add(&path, "other", &entry("o/r#main", false), &quick()).unwrap();
    let all = load();
    assert_eq!(all.sources.keys().collect::<Vec<_>>(), ["other", "team"]);
    assert_eq!(all.web().registries.len(), 1);
    assert!(all.hosts.contains("cdn.example.org"));
    all.remove(&path, "team", &quick()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("# mine\n") && text.contains("[source.other]") && !text.contains("team"),
        "{text}"
    );
    assert!(matches!(load().remove(&path, "team", &quick()), Err(SourcesError::Missing { .. })));
    let other = entry("o/r", false);
    assert!(matches!(load().add(&path, "other", &other, &quick()), Err(SourcesError::There(_))));
    assert!(matches!(load().add(&path, "A b", &other, &quick()), Err(SourcesError::Label(_))));
    assert!(matches!(
        load().add(&path, "git", &entry("o/r", true), &quick()),
        Err(SourcesError::NotARegistry(_))
    ));
    for wrong in [
        "x",
        "[source.a]\n",
        "[source.a]\nsource = \"--x\"\n",
        "[source.a]\nsource = \"o/r\"\nenabeld = true\n",
    ] {
        fs::write(&path, wrong).unwrap();
        assert!(matches!(Sources::load(&path), Err(SourcesError::Text { .. })), "{wrong}");
    }
}

#[test]
fn a_source_says_what_is_installed_and_what_has_an_update() {
    let (folder, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    publish(folder.path(), "a", "x", "1.0.0");
    publish(folder.path(), "b", "x", "1.0.0");
    let server = FileServer::folder(folder.path());
    for is_registry in [false, true] {
        let team = entry(&server.url(), is_registry);
        let mut outside = outside();
        let mut sources = Sources { loopback: true, ..Sources::default() };
        sources.sources.insert("team".to_owned(), team.clone());
        outside.web = sources.web();
        let listing = one(&team, browsing(&outside, None)).unwrap();
        assert_eq!(listing.skills.len(), 2);
        let source = listing.skills[0].source.parse().unwrap();
        let fetched = fetch(&source, None, &outside).unwrap();
        let site = Site::project(project.path().to_path_buf());
        let contents = skillful_registry::ContentStore::open(&project.path().join("store"), quick()).unwrap();
        let folders = [skillful_format::TreePath::new("s", &skillful_format::Limits::default()).unwrap()];
        let adding = Adding {
            source: &source,
            fetched: &fetched,
            folders: &folders,
            mode: Mode::Copy,
            approved: &["a".parse().unwrap()].into(),
            suspect: &BTreeSet::new(),
            signing: skillful_registry::sign::Signing::default(),
        };
        let lock = plan_add(&adding, &Lock::default(), &site, &contents).unwrap().after;
        let states = |listing: &Listing| {
            listing.skills.iter().map(|it| state(it, [&lock, &Lock::default()])).collect::<Vec<_>>()
        };
        assert_eq!(states(&listing), [OfferState::Installed, OfferState::New]);
        publish(
            folder.path(),
            "a",
            if is_registry { "z" } else { "y" },
            if is_registry { "3.0.0" } else { "2.0.0" },
        );
        assert_eq!(
            states(&one(&team, browsing(&outside, None)).unwrap()),
            [OfferState::Update, OfferState::New]
        );
        let mut elsewhere = listing.skills[0].clone();
        elsewhere.source = "o/r#@a".to_owned();
        assert_eq!(state(&elsewhere, [&lock]), OfferState::Elsewhere);
    }
}

#[test]
fn a_dead_source_is_reported_and_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path(), "a", "x", "1.0.0");
    let server = FileServer::folder(folder.path());
    let dead = FileServer::with(|_| Served::Status(500));
    let (good, bad, path) =
        (entry(&server.url(), false), entry(&dead.url(), false), entry("/nowhere/at/all", false));
    let outside = outside();
    let told = browse_all(&[("bad", &bad), ("good", &good), ("path", &path)], browsing(&outside, None));
    let sizes: Vec<_> =
        told.iter().map(|(label, it)| (*label, it.as_ref().ok().map(|it| it.skills.len()))).collect();
    assert_eq!(sizes, [("bad", None), ("good", Some(1)), ("path", None)]);
}

#[test]
fn answers_are_remembered_until_they_are_old_or_asked_for_again() {
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    publish(folder.path(), "a", "x", "1.0.0");
    let server = FileServer::folder(folder.path());
    let team = entry(&server.url(), false);
    let outside = outside();
    let first = browsing(&outside, Some(cache.path()));
    assert_eq!(one(&team, first).unwrap().age, None);
    let asked = server.asked().len();
    let soon = Browsing { now: first.now + Duration::from_mins(1), ..first };
    assert_eq!(one(&team, soon).unwrap().age, Some(Duration::from_mins(1)));
    assert_eq!(server.asked().len(), asked, "no source was asked");
    assert_eq!(one(&team, Browsing { refresh: true, ..soon }).unwrap().age, None);
    let late = Browsing { now: first.now + Duration::from_secs(1 << 20), ..first };
    assert_eq!(one(&team, late).unwrap().age, None);
    drop(server);
    let dead = one(&team, Browsing { refresh: true, ..late }).unwrap();
    assert!(dead.stale.is_some() && dead.skills.len() == 1, "what was known is shown, and that it is old");
    for entry in fs::read_dir(cache.path()).unwrap() {
        fs::write(entry.unwrap().path(), "{").unwrap();
    }
    assert!(one(&team, late).is_err(), "a broken file is as if there were none");
}

#[test]
fn only_hosts_of_catalogs_are_asked() {
    let canary = FileServer::with(|_| Served::Status(200));
    let url = canary.url();
    let text = format!(
        r#"{{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[
        {{"name":"a","type":"archive","description":"d","url":"{url}/a.zip","digest":"sha256:{:064}"}}]}}"#,
        0
    );
    let server = serve(vec![
        ("/.well-known/agent-skills/index.json", Served::File("application/json", text.into_bytes())),
        ("/away/.well-known/agent-skills/index.json", Served::Redirect(format!("{url}/index.json"))),
    ]);
    let outside = outside();
    let listing = one(&entry(&server.url(), false), browsing(&outside, None)).unwrap();
    assert!(listing.skills.is_empty() && listing.notes[0].contains("another host"), "{listing:?}");
    assert!(one(&entry(&format!("{}/away", server.url()), false), browsing(&outside, None)).is_err());
    assert_eq!(canary.connections(), 0);
}

#[test]
fn words_are_found_in_names_before_descriptions_and_all_of_them_count() {
    let offered = |name: &str, description: &str| skillful_registry::sources::Offered {
        name: name.to_owned(),
        description: description.to_owned(),
        version: None,
        artefact: None,
        tree: None,
        source: String::new(),
        commit: None,
        folder: None,
    };
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (pdf, notes) = (offered("pdf", "Read files."), offered("notes", "Notes about PDF files."));
    assert!(score(&pdf, &words("pdf")) > score(&notes, &words("PDF")));
    assert_eq!(score(&pdf, &words("pdf banana")), 0);
    assert!(score(&notes, &words("files pdf")) > 0);
}
