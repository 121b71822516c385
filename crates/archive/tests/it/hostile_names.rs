//! Names that lead out, hide, or cannot exist everywhere; each in a zip and in a tar.

use crate::{
    SKILL,
    hostile::{Case, case},
    raw_tar::{Entry, tar_gz},
    raw_zip::{Member, zip},
};
use skillful_format::Code;

const PATHS: &[&str] = &[
    // Out of the folder.
    "../evil",
    "../../../../../../etc/cron.d/evil",
    "s/../evil",
    "s/../../evil",
    "s/..",
    "..",
    "./../evil",
    "././evil",
    "s/./evil",
    ".",
    "s//evil",
    // Absolute, on one system or another.
    "/etc/passwd",
    "//server/share/evil",
    "\\\\server\\share\\evil",
    "\\\\?\\C:\\evil",
    "\\evil",
    "C:\\evil",
    "C:/evil",
    "C:evil",
    "s/C:/evil",
    // Windows separators.
    "..\\evil",
    "s\\..\\..\\evil",
    "s/..\\evil",
    "s\\evil",
    // Streams and characters Windows forbids.
    "SKILL.md::$DATA",
    "s/SKILL.md:hidden",
    "s/a*b",
    "s/a?b",
    "s/a<b",
    "s/a>b",
    "s/a|b",
    "s/a\"b",
    // Devices.
    "s/CON",
    "s/nul",
    "s/Nul.txt",
    "s/aux.md",
    "s/prn.tar.gz",
    "s/COM1",
    "s/lpt9.log",
    "s/CONIN$",
    "COM7/evil",
    // Names that become other names.
    "s/trailing.",
    "s/trailing ",
    "s/trailing. .",
    "s./evil",
    "s /evil",
    "s/...",
    "s/ leading",
    // Invisible characters and control sequences.
    "s/line\nfeed",
    "s/carriage\rreturn",
    "s/escape\u{1b}[2J",
    "s/delete\u{7f}",
    "s/c1\u{9b}31m",
    "s/bidi\u{202e}dm.exe",
    "s/isolate\u{2066}x\u{2069}",
    "s/zero\u{200b}width",
    "s/joiner\u{200d}x",
    "s/.g\u{200c}it/config",
    "s/mark\u{feff}",
    "s/soft\u{ad}hyphen",
    "s/tag\u{e0041}",
    "s/private\u{e000}",
    "s/unassigned\u{e0fff}",
    // Noise does not bypass the rules.
    "__MACOSX/../evil",
    ".git/../../evil",
];

pub(crate) fn cases() -> Vec<Case> {
    let mut paths: Vec<String> = PATHS.iter().map(|&path| path.to_owned()).collect();
    paths.push(format!("s/{}", "a".repeat(129)));
    paths.push(format!("s/{}", "ä".repeat(65)));
    paths.push(format!("s/{}x", "a/".repeat(17)));
    paths.push(format!("s{}", "/long-component".repeat(28)));
    let mut cases = Vec::new();
    for path in &paths {
        let shown = path.escape_debug();
        let files = [Member::stored("s/SKILL.md", SKILL), Member::stored(path, b"evil")];
        cases.push(case(format!("zip name {shown}"), zip(&files), Code::EntryPath));
        cases.push(case(format!("tar name {shown}"), tar_gz(&pax_file(path)), Code::EntryPath));
    }
    // Folders go the same way as files.
    for path in ["//", "../", "../evil/", "/", "/tmp/", "s/../../", "C:/", "s/nul/", "s//", "s/x /"] {
        let zipped = [Member::stored("s/SKILL.md", SKILL), Member::stored(path, b"")];
        let tarred = [Entry::file("s/SKILL.md", SKILL), Entry::folder(path)];
        cases.push(case(format!("zip folder {path}"), zip(&zipped), Code::EntryPath));
        cases.push(case(format!("tar folder {path}"), tar_gz(&tarred), Code::EntryPath));
    }
    for (name, path) in [
        ("empty", b"".as_slice()),
        ("nul", b"s/a\0b"),
        ("nul ending", b"s/evil.sh\0.md"),
        ("overlong slash", b"s/..\xc0\xafevil"),
        ("latin-1", b"s/caf\xe9"),
        ("surrogate", b"s/\xed\xa0\x80"),
        ("cut", b"s/\xf0\x9f\x98"),
    ] {
        for flags in [0, 1 << 11] {
            let member = Member::stored(path, b"evil").both(|head| head.flags = flags);
            let files = [Member::stored("s/SKILL.md", SKILL), member];
            cases.push(case(format!("zip bytes {name} flags {flags}"), zip(&files), Code::EntryPath));
        }
        if name != "empty" {
            let entries = [Entry::file("s/SKILL.md", SKILL), Entry::file(path, b"evil")];
            cases.push(case(format!("tar bytes {name}"), tar_gz(&entries), Code::EntryPath));
        }
    }
    cases.push(case("tar empty name", tar_gz(&[Entry::file("", b"evil")]), Code::EntryPath));
    cases.push(case(
        "zip too deep without a wrapper",
        zip(&[Member::stored("SKILL.md", SKILL), Member::stored(format!("{}x", "a/".repeat(16)), b"deep")]),
        Code::EntryPath,
    ));
    cases.push(case(
        "zip too long without a wrapper",
        zip(&[
            Member::stored("SKILL.md", SKILL),
            Member::stored(format!("{}/{}", "a".repeat(120), "b".repeat(121)), b"long"),
        ]),
        Code::EntryPath,
    ));
    cases.extend(clashes());
    cases
}

/// A file of any name, through a PAX header where the plain field is too short.
fn pax_file(path: &str) -> Vec<Entry> {
    let skill = Entry::file("s/SKILL.md", SKILL);
    if path.len() <= 100 {
        return vec![skill, Entry::file(path, b"evil")];
    }
    vec![skill, Entry::pax(&[("path", path)]), Entry::file("s/short", b"evil")]
}

fn clashes() -> Vec<Case> {
    let pairs: &[(&str, &str, &str)] = &[
        ("duplicate", "s/a", "s/a"),
        ("duplicate skill file", "s/SKILL.md", "s/x"),
        ("dotted duplicate", "s/a", "./s/a"),
        ("case", "s/Readme.md", "s/README.md"),
        ("case of the skill file", "s/skill.md", "s/x"),
        ("case of a folder", "s/Lib/a", "s/lib/b"),
        ("case beyond ascii", "s/Ä", "s/ä"),
        ("unicode form", "s/\u{e4}", "s/a\u{308}"),
        ("unicode form of a folder", "s/\u{e4}/a", "s/a\u{308}/b"),
        ("hangul form", "s/\u{ac00}", "s/\u{1100}\u{1161}"),
        ("kelvin sign", "s/\u{212a}", "s/k"),
        ("file then folder", "s/a", "s/a/b"),
        ("folder then file", "s/a/b", "s/a"),
        ("file then folder by case", "s/A", "s/a/b"),
        ("file then folder entry", "s/a", "s/a/"),
        ("folder entry then file", "s/a/", "s/a"),
        ("folder entries by case", "s/a/", "s/A/"),
    ];
    let mut cases = Vec::new();
    for &(name, first, second) in pairs {
        let paths = ["s/SKILL.md", first, second];
        let zipped = paths.map(|path| Member::stored(path, if path.ends_with('/') { b"" } else { b"x" }));
        let tarred =
            paths.map(|path| if path.ends_with('/') { Entry::folder(path) } else { Entry::file(path, b"x") });
        cases.push(case(format!("zip clash {name}"), zip(&zipped), Code::EntryClash));
        cases.push(case(format!("tar clash {name}"), tar_gz(&tarred), Code::EntryClash));
    }
    cases
}
