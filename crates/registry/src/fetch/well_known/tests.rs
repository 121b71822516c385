use super::*;
use skillful_net::Net;

fn read(text: &str) -> Result<Index, String> {
    let address = Url::parse("https://example.org/docs/.well-known/agent-skills/index.json").unwrap();
    Index::read(text.as_bytes(), &address, &Net::default())
}

const DIGEST: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn entries(entries: &str) -> Index {
    read(&format!(r#"{{"$schema":"{}","skills":[{entries}]}}"#, read::SCHEMA)).unwrap()
}

fn good(name: &str) -> String {
    format!(
        r#"{{"name":"{name}","type":"archive","description":"d","url":"{name}.tar.gz","digest":"{DIGEST}","x":1}}"#
    )
}

#[test]
fn a_bad_entry_is_reported_with_its_reason_and_hides_no_other() {
    let cases = [
        (r#"{"type":"archive","description":"d","url":"x","digest":"D"}"#, "it has no `name`"),
        (r#"{"name":"a","description":"d","url":"x","digest":"D"}"#, "it has no `type`"),
        (r#"{"name":"a","type":"archive","description":"d","digest":"D"}"#, "it has no `url`"),
        (r#"{"name":"a","type":"archive","description":"d","url":"x"}"#, "it has no `digest`"),
        (r#"{"name":"a","type":"archive","description":"d","url":"x","sha256":"ba78"}"#, "`sha256` where"),
        (r#"{"name":"a","type":"archive","description":"d","url":"x","digest":"md5:1"}"#, "its `digest`"),
        (
            r#"{"name":"a","type":"wasm","description":"d","url":"x","digest":"D"}"#,
            "its type `wasm` is not known",
        ),
        (r#"{"name":"A B","type":"archive","description":"d","url":"x","digest":"D"}"#, "its name `A B`"),
        (r#"{"name":"../a","type":"archive","description":"d","url":"x","digest":"D"}"#, "its name"),
        (r#"{"name":"a","type":"archive","description":7,"url":"x","digest":"D"}"#, "its `description`"),
        (
            r#"{"name":"a","type":"archive","description":"d","url":"https://evil.example/x","digest":"D"}"#,
            "another host",
        ),
        (
            r#"{"name":"a","type":"archive","description":"d","url":"http://example.org/x","digest":"D"}"#,
            "not https",
        ),
        (
            r#"{"name":"a","type":"archive","description":"d","url":"file:///etc/passwd","digest":"D"}"#,
            "its `url`",
        ),
        (
            r#"{"name":"a","type":"archive","description":"d","url":"//user:pw@example.org/x","digest":"D"}"#,
            "its `url`",
        ),
        ("7", "not a JSON object"),
    ];
    for (bad, why) in cases {
        let index = entries(&format!(
            "{},{},{}",
            good("one"),
            bad.replace("\"D\"", &format!("\"{DIGEST}\"")),
            good("two")
        ));
        let names: Vec<&str> = index.entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["one", "two"], "{bad}");
        assert!(index.faults[0].why.contains(why), "{bad}: {}", index.faults[0].why);
    }
}

#[test]
fn addresses_are_relative_to_the_index_and_twins_are_refused() {
    let index = entries(&[good("one"), good("two"), good("two")].join(","));
    assert_eq!(index.entries.len(), 1);
    assert_eq!(
        index.faults,
        [Fault { name: Some("two".to_owned()), why: "the index lists it more than once".to_owned() }]
    );
    let Artefact::Archive { url, .. } = &index.entries[0].artefact else { panic!() };
    assert_eq!(url.as_str(), "https://example.org/docs/.well-known/agent-skills/one.tar.gz");
}

#[test]
fn a_form_that_is_not_known_is_not_guessed_at() {
    let error = read(r#"{"$schema":"https://example.org/9","skills":[]}"#).unwrap_err();
    assert!(error.contains("`https://example.org/9`"), "{error}");
    for wrong in ["", "[]", "7", "{}", r#"{"skills":{}}"#, &"[".repeat(10_000)] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_older_form_lists_files_of_a_folder_and_says_that_nothing_proves_them() {
    let index = read(
        r#"{"skills":[{"name":"a","description":"d","files":["SKILL.md","x/y z.md"]},
            {"name":"b","description":"d","files":["SKILL.md","../../etc/passwd"]},
            {"name":"c","description":"d","files":["x.md"]},{"name":"d","description":"d","url":"x","digest":"y"}]}"#,
    )
    .unwrap();
    let Artefact::Files { folder, files } = &index.entries[0].artefact else { panic!() };
    assert_eq!(folder.as_str(), "https://example.org/docs/.well-known/agent-skills/a/");
    assert_eq!(
        below(folder, &files[1]).as_str(),
        "https://example.org/docs/.well-known/agent-skills/a/x/y%20z.md"
    );
    let faults: Vec<&str> = index.faults.iter().map(|fault| fault.why.as_str()).collect();
    assert!(faults[0].contains("its path"), "{faults:?}");
    assert_eq!(faults[1], "its `files` have no SKILL.md");
    assert!(faults[2].contains("has a `$schema`"));
    assert!(index.notes[0].message.contains("no digests"));
}

#[test]
fn an_index_is_looked_for_below_the_address_and_nowhere_else() {
    let places = |text: &str| -> Vec<String> {
        super::places(&Url::parse(text).unwrap()).into_iter().map(Into::into).collect()
    };
    assert_eq!(
        places("https://a.b"),
        [
            "https://a.b/.well-known/agent-skills/index.json",
            "https://a.b/.well-known/skills/index.json",
            "https://a.b/index.json"
        ]
    );
    assert_eq!(places("https://a.b/docs")[0], "https://a.b/docs/.well-known/agent-skills/index.json");
    assert_eq!(places("https://a.b/docs/")[1], "https://a.b/docs/.well-known/skills/index.json");
    assert_eq!(places("https://a.b/x/index.json"), ["https://a.b/x/index.json"]);
}
