use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Source {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> SourceError {
    match text.parse::<Source>() {
        Ok(source) => panic!("{text} was read as {source:?}"),
        Err(error) => error,
    }
}

#[test]
fn every_form_of_the_table_is_read_and_has_one_spelling() {
    let cases = [
        ("./x", "./x"),
        ("../a b#c@d", "../a b#c@d"),
        ("/srv/x.zip", "/srv/x.zip"),
        ("~/skills", "~/skills"),
        (".", "."),
        ("https://Example.org/x.zip", "https://example.org/x.zip"),
        ("https://example.org/d/x.TAR.GZ", "https://example.org/d/x.TAR.GZ"),
        ("https://example.org/x.git", "https://example.org/x.git"),
        ("https://example.org/x.git/#v1:a/b@pdf", "https://example.org/x.git#v1:a/b@pdf"),
        ("git+https://example.org/x#main", "git+https://example.org/x#main"),
        ("git+ssh://git@example.org/x", "ssh://git@example.org/x"),
        ("git@example.org:team/x.git#main@pdf", "git@example.org:team/x.git#main@pdf"),
        ("file:///srv/x#:sub", "file:///srv/x#:sub"),
        ("file:///srv/x@pdf", "file:///srv/x#@pdf"),
        ("/srv/x#@pdf", "/srv/x#@pdf"),
        ("./a#b", "./a#b"),
        ("owner/repo", "github:owner/repo"),
        ("owner/repo/a/b@pdf#v1", "github:owner/repo#v1:a/b@pdf"),
        ("owner/repo/a/b#v1@pdf", "github:owner/repo#v1:a/b@pdf"),
        ("owner/repo:pdf", "github:owner/repo#@pdf"),
        ("owner/repo#pkg%401.0", "github:owner/repo#pkg%401.0"),
        ("gitlab:group/sub/repo#:a@pdf", "gitlab:group/sub/repo#:a@pdf"),
        ("codeberg:o/r", "codeberg:o/r"),
        ("https://github.com/o/r", "github:o/r"),
        ("https://github.com/o/r.git#v1", "github:o/r#v1"),
        ("https://github.com/o/r/tree/main/skills/pdf", "github:o/r#main:skills/pdf"),
        ("https://github.com/o/r/blob/main/skills/pdf/SKILL.md", "github:o/r#main:skills/pdf"),
        ("git+https://github.com/o/r.git#v1", "github:o/r#v1"),
        ("https://gitlab.com/g/s/r/-/tree/v1/a", "gitlab:g/s/r#v1:a"),
        ("https://example.org", "https://example.org/"),
        ("https://example.org/docs#@pdf", "https://example.org/docs#@pdf"),
        ("http://127.0.0.1:8080/x.zip", "http://127.0.0.1:8080/x.zip"),
        ("registry:pdf", "registry:pdf"),
        ("registry:team/pdf@1.2.0-rc.1", "registry:team/pdf@1.2.0-rc.1"),
    ];
    for (text, spelled) in cases {
        let source = read(text);
        assert_eq!(source.to_string(), spelled, "{text}");
        assert_eq!(read(spelled), source, "{text}");
    }
}

#[test]
fn strange_input_is_refused_by_an_error_that_names_the_part() {
    let cases = [
        ("", Part::Whole),
        ("--upload-pack=x", Part::Whole),
        ("word", Part::Whole),
        (" ./x", Part::Whole),
        ("o/r\u{7}", Part::Whole),
        ("o/r\u{202e}", Part::Whole),
        ("ext::sh -c id", Part::Scheme),
        ("git://example.org/x.git", Part::Scheme),
        ("http://example.org/x.zip", Part::Scheme),
        ("ftp://example.org/x.zip", Part::Scheme),
        ("javascript:alert", Part::Scheme),
        ("C:/x", Part::Scheme),
        ("https://", Part::Address),
        ("ssh://-oProxyCommand=x/y", Part::Address),
        ("ssh://-u@host/y", Part::Address),
        ("git@-host:x", Part::Address),
        ("git@host:-x", Part::Repository),
        ("git@host:a b", Part::Repository),
        ("git@host:$(id)", Part::Repository),
        ("https://example.org/x.zip?token=s", Part::Address),
        ("file://host/x", Part::Address),
        ("-o/r", Part::Whole),
        ("github:-o/r", Part::Owner),
        ("o/-r", Part::Repository),
        ("o/..", Part::Repository),
        ("../..", Part::Folder), // A path; checked below.
        ("o/r/../x", Part::Folder),
        ("o/r//x", Part::Folder),
        ("o/r/CON", Part::Folder),
        ("o/r#:../x", Part::Folder),
        ("o/r#-x", Part::Ref),
        ("o/r#", Part::Ref),
        ("o/r#a..b", Part::Ref),
        ("o/r#a b", Part::Ref),
        ("o/r#x.lock", Part::Ref),
        ("o/r#a#b", Part::Ref),
        ("o/r#%zz", Part::Ref),
        ("o/r@v1.2", Part::Skill),
        ("o/r@", Part::Skill),
        ("o/r@a/b", Part::Skill),
        ("o/r@x#y@z", Part::Skill),
        ("https://example.org/x.zip#v1", Part::Ref),
        ("https://example.org/x.zip#@a", Part::Skill),
        ("registry:", Part::Name),
        ("registry:a/b/c", Part::Name),
        ("registry:../x", Part::Name),
        ("registry:x@", Part::Version),
        ("registry:x@1 2", Part::Version),
    ];
    for (text, part) in cases {
        if text == "../.." {
            assert_eq!(read(text).place, SourceLocation::Path(text.to_owned()));
            continue;
        }
        let error = refused(text);
        assert_eq!(error.part, part, "{text}: {error}");
    }
    assert_eq!(refused(&"x/".repeat(4000)).part, Part::Whole);
    assert!(refused("o/r@v1.2").to_string().contains("owner/repo#v1.2"));
}

#[test]
fn credentials_are_neither_accepted_nor_shown() {
    for text in [
        "https://user:hunter2@example.org/x.git",
        "https://hunter2@example.org/x.zip",
        "git+https://x:hunter2@example.org/x",
        "ssh://git:hunter2@example.org/x",
        "git:hunter2@example.org:x",
        "https://example.org/x.zip?sig=hunter2",
        "https://example.org/x.git?access_token=hunter2#main",
    ] {
        let error = refused(text);
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
}

#[test]
fn what_comes_from_another_machine_is_known() {
    for (text, remote) in [
        ("./x", false),
        ("file:///x", false),
        ("o/r", true),
        ("https://example.org", true),
        ("registry:x", true),
        ("git@example.org:x", true),
    ] {
        assert_eq!(read(text).is_remote(), remote, "{text}");
    }
    assert_eq!(read("o/r").git_address().as_deref(), Some("https://github.com/o/r.git"));
}

fn word() -> impl Strategy<Value = String> {
    "[a-z0-9][a-z0-9_-]{0,8}"
}

fn any_source() -> impl Strategy<Value = String> {
    let place = prop_oneof![
        (word(), word()).prop_map(|(o, r)| format!("{o}/{r}")),
        (word(), word(), word()).prop_map(|(a, b, c)| format!("gitlab:{a}/{b}/{c}")),
        (word(), word()).prop_map(|(h, p)| format!("https://{h}.example/{p}.git")),
        (word(), word()).prop_map(|(h, p)| format!("git+https://{h}.example/{p}")),
        (word(), word()).prop_map(|(h, p)| format!("git@{h}:{p}")),
        word().prop_map(|p| format!("file:///{p}")),
    ];
    let part = |what: &'static str, of: BoxedStrategy<String>| {
        proptest::option::of(of).prop_map(move |text| text.map(|t| format!("{what}{t}")).unwrap_or_default())
    };
    let reference = "[a-z0-9/._-]{1,12}".boxed();
    let folder = "[A-Za-zé][a-z/ ]{0,9}[a-z]".boxed();
    (place, part("", reference), part(":", folder), part("@", word().boxed()))
        .prop_map(|(place, r, f, s)| format!("{place}#{r}{f}{s}"))
}

proptest! {
    #[test]
    fn what_is_read_is_written_back_as_the_same_source(text in any_source()) {
        if let Ok(source) = text.parse::<Source>() {
            let spelled = source.to_string();
            prop_assert_eq!(spelled.parse::<Source>(), Ok(source.clone()), "{}", spelled);
        }
    }

    #[test]
    fn no_text_panics_and_what_is_accepted_round_trips(text in "\\PC{0,40}|[a-z:/@#.%~+-]{0,40}") {
        if let Ok(source) = text.parse::<Source>() {
            let spelled = source.to_string();
            prop_assert_eq!(spelled.parse::<Source>(), Ok(source.clone()), "{}", spelled);
            if let Some(address) = source.git_address() {
                prop_assert!(!address.starts_with('-') && !address.contains("::"), "{}", address);
            }
        }
    }

    #[test]
    fn a_ref_survives_its_escapes(text in "[a-z@:#%][a-z@:#%/.]{0,10}") {
        if let Ok(reference) = Ref::new(&text) {
            let source = Source { reference: Some(reference), ..read("o/r") };
            prop_assert_eq!(read(&source.to_string()), source);
        }
    }
}
