//! `skill://` addresses.

use crate::library::{Library, link};
use skillful_runtime::resource::{SkillUri, TEXT_LIMIT, UriFault, read};
use skillful_select::access::Way;

#[track_caller]
fn parse(text: &str, name: &str, path: Option<&str>) {
    let expected = SkillUri { name: name.to_owned(), path: path.map(str::to_owned) };
    let parsed: Result<SkillUri, UriFault> = text.parse();
    assert_eq!(parsed, Ok(expected), "{text}");
}

#[test]
fn an_address_names_a_skill_or_one_of_its_files() {
    parse("skill://pdf", "pdf", None);
    parse("skill://pdf/", "pdf", None);
    parse("skill://pdf/references/forms.md", "pdf", Some("references/forms.md"));
    parse("skill://pdf/./a//b.md", "pdf", Some("a/b.md"));
    parse("skill://apps%2Fweb:deploy/a%20b.md", "apps/web:deploy", Some("a b.md"));
}

#[test]
fn absolute_and_climbing_paths_are_refused_however_they_are_spelled() {
    for text in [
        "skill://pdf/../x",
        "skill://pdf/a/../../x",
        "skill://pdf/%2e%2e/x",
        "skill://pdf//etc/passwd",
        "skill://pdf/%2Fetc/passwd",
        "skill://pdf/a%5C..%5Cx",
        "skill://pdf/C:/x",
        "skill://pdf/a%00b",
    ] {
        assert_eq!(text.parse::<SkillUri>(), Err(UriFault::Outside), "{text}");
    }
    assert_eq!("skill://pdf/%zz".parse::<SkillUri>(), Err(UriFault::Escape));
    assert_eq!("skill:///x".parse::<SkillUri>(), Err(UriFault::NoName));
    assert_eq!("http://pdf".parse::<SkillUri>(), Err(UriFault::Scheme));
}

#[test]
fn an_address_survives_being_written_and_read() {
    for (name, path) in [("pdf", Some("a b/ü%.md")), ("apps/web:deploy", None), ("x#y", Some("?"))] {
        let uri = SkillUri { name: name.to_owned(), path: path.map(str::to_owned) };
        assert_eq!(uri.to_string().parse(), Ok(uri));
    }
}

#[test]
fn texts_come_with_their_kind_and_everything_else_is_an_explicit_error() {
    let library = Library::new()
        .skill("pdf", "", "Read on.")
        .skill("hidden", "disable-model-invocation: true", "Secret ways.")
        .file(".agents/skills/pdf/references/forms.md", "# Forms\n")
        .file(".agents/skills/pdf/scripts/run.py", "print(1)\n")
        .file(".agents/skills/pdf/big.txt", &"x".repeat(usize::try_from(TEXT_LIMIT).unwrap() + 1))
        .file("secret.txt", "no\n");
    std::fs::write(library.folder("pdf").join("raw.bin"), [0xff, 0xfe]).unwrap();
    link(&library.path().join("secret.txt"), &library.folder("pdf").join("out.txt"));
    link(&library.path(), &library.folder("pdf").join("up"));
    let catalog = library.catalog();
    let tell = |uri: &str| match read(&catalog, uri, library.asker(), Way::Load) {
        Ok(found) => format!("{} {} {:?}", found.uri, found.content_type, found.text),
        Err(error) => format!("error: {error}"),
    };
    let all: Vec<String> = [
        "skill://pdf",
        "skill://pdf/references/forms.md",
        "skill://pdf/scripts/run.py",
        "skill://pdf/references",
        "skill://pdf/forms.md",
        "skill://pdf/big.txt",
        "skill://pdf/raw.bin",
        "skill://pdf/out.txt",
        "skill://pdf/up/secret.txt",
        "skill://pdf/../hidden/SKILL.md",
        "skill://pfd",
        "skill://hidden",
        "skill://hiden",
    ]
    .map(tell)
    .to_vec();
    insta::assert_snapshot!(all.join("\n"), @r##"
    skill://pdf text/markdown "Read on.\n"
    skill://pdf/references/forms.md text/markdown "# Forms\n"
    skill://pdf/scripts/run.py text/x-python "print(1)\n"
    error: the skill `pdf` has no file `references`
    error: the skill `pdf` has no file `forms.md`
    error: `big.txt` of `pdf` is over 262144 bytes; read it from disk
    error: `raw.bin` of `pdf` is not text; read it from disk
    error: `out.txt` leads outside the skill `pdf`
    error: `up/secret.txt` leads outside the skill `pdf`
    error: `skill://pdf/../hidden/SKILL.md` is not the address of a skill's file: its path must be relative and stay inside the skill
    error: there is no skill `pfd`; did you mean `pdf`?
    error: there is no skill `hidden`
    error: there is no skill `hiden`
    "##);
}
