//! Honest archives as common tools lay them out, and what may look like an attack but is none.

use crate::{
    SKILL, noise,
    raw_tar::{Entry, GNU, gzip, gzip_with, pax_records, tar, tar_gz},
    raw_zip::{Member, crc, extra, zip, zip_with},
    read, thirtyfold, tree,
};
use skillful_archive::{Package, PackageKind};
use skillful_format::{Code, Limits};

fn skill() -> Member {
    Member::deflated("s/SKILL.md", SKILL)
}

fn paths(package: &Package) -> Vec<&str> {
    package.tree.iter().map(|(path, _)| path.as_str()).collect()
}

#[track_caller]
fn check(bytes: &[u8], folder: Option<&str>, expected: &[&str]) -> Package {
    let package = read(bytes).unwrap();
    assert_eq!(package.folder.as_deref(), folder);
    assert_eq!(paths(&package), expected);
    assert_eq!(package.tree.skill_file().unwrap().1.bytes, SKILL);
    package
}

#[test]
fn a_skill_with_or_without_a_wrapper() {
    let text: &[u8] = b"some text";
    check(&zip(&[skill(), Member::stored("s/a/b", text)]), Some("s"), &["SKILL.md", "a/b"]);
    check(
        &zip(&[Member::stored("SKILL.md", SKILL), Member::stored("a/b", text)]),
        None,
        &["SKILL.md", "a/b"],
    );
    check(&zip(&[Member::stored("s/skill.md", SKILL)]), Some("s"), &["skill.md"]);
    // The skill file at the top decides; another one below is a file of the skill.
    check(
        &zip(&[Member::stored("SKILL.md", SKILL), Member::stored("s/SKILL.md", text)]),
        None,
        &["SKILL.md", "s/SKILL.md"],
    );
    let package = check(
        &tar_gz(&[Entry::file("s/SKILL.md", SKILL), Entry::file("s/run", text).put(100, b"0000755")]),
        Some("s"),
        &["SKILL.md", "run"],
    );
    assert_eq!(package.kind, PackageKind::TarGz);
    assert!(package.tree.get("run").unwrap().executable);
    assert!(!package.tree.get("SKILL.md").unwrap().executable);
}

#[test]
fn the_skill_may_use_its_limits_inside_a_wrapper() {
    let deep = format!("{}x", "a/".repeat(15));
    let long = format!("{}/{}", "b".repeat(119), "c".repeat(120));
    let files = [skill(), Member::stored(format!("s/{deep}"), b""), Member::stored(format!("s/{long}"), b"")];
    check(&zip(&files), Some("s"), &["SKILL.md", &deep, &long]);
}

#[test]
fn zip_as_tools_write_it() {
    let streamed = Member::streamed("s/a.txt", b"some text");
    let unsigned = streamed.clone().with(|m| m.descriptor = m.descriptor_bytes(false));
    let filled = streamed.clone().with(|m| {
        (m.local.crc, m.local.packed, m.local.size) = (m.central.crc, m.central.packed, m.central.size);
    });
    for member in [streamed, unsigned, filled] {
        check(&zip(&[skill(), member]), Some("s"), &["SKILL.md", "a.txt"]);
    }
    // Java deflates folders and empty files, through a descriptor.
    let folder = Member::streamed("s/lib/", b"");
    let empty = Member::streamed("s/lib/empty", b"");
    check(&zip(&[skill(), folder, empty]), Some("s"), &["SKILL.md", "lib/empty"]);
    // Times of Info-ZIP, longer in the local header than in the directory.
    let times = Member::stored("s/a", b"x").with(|m| {
        m.local.extra = extra(0x5455, &[3; 9]);
        m.central.extra = extra(0x5455, &[3; 5]);
    });
    check(&zip(&[skill(), times]), Some("s"), &["SKILL.md", "a"]);
    // Names of Info-ZIP: no flag, but a field that says the same in UTF-8.
    let named = Member::stored("s/ä", b"x").both(|head| {
        head.flags = 0;
        head.extra = extra(0x7075, &[&[1], crc(&head.name).to_le_bytes().as_slice(), &head.name].concat());
    });
    check(&zip(&[skill(), named]), Some("s"), &["SKILL.md", "ä"]);
    // `git archive` leaves the commit in the comment; Windows knows no modes.
    let commit = b"f72a6a9f72a6a9f72a6a9f72a6a9f72a6a9f72a6".to_vec();
    let dos = Member::stored("s/a", b"x").with(|m| (m.made_by, m.attributes) = (20, 0x20));
    check(&zip_with(&[skill(), dos], |end| end.comment = commit), Some("s"), &["SKILL.md", "a"]);
}

#[test]
fn the_directory_may_be_in_another_order_than_the_files() {
    let text = Member::stored("s/a", b"x");
    let plain = zip(&[skill(), text.clone()]);
    let at = u32::try_from(30 + 10 + skill().data.len()).unwrap();
    // The bytes of both entries are of the same length, so swapping the offsets is enough.
    let first = Member::stored("s/b", b"y");
    let swapped = zip(&[
        skill(),
        text.clone().with(|m| {
            m.local.clone_from(&first.local);
            m.data.clone_from(&first.data);
            m.offset = Some(at + 34);
        }),
        first.with(|m| {
            m.local.clone_from(&text.local);
            m.data.clone_from(&text.data);
            m.offset = Some(at);
        }),
    ]);
    check(&plain, Some("s"), &["SKILL.md", "a"]);
    let package = check(&swapped, Some("s"), &["SKILL.md", "a", "b"]);
    assert_eq!(package.tree.get("a").unwrap().bytes, b"x");
}

#[test]
fn noise_is_skipped_and_named() {
    let files = [
        skill(),
        Member::stored("__MACOSX/s/._SKILL.md", b"x"),
        Member::stored("__MACOSX/._s", b"x"),
        Member::stored("s/.DS_Store", b"x"),
        Member::stored("s/._a", b"x"),
        Member::stored("s/.git/", b""),
        Member::stored("s/.git/hooks/pre-commit", b"evil"),
        Member::stored("s/lib/.GIT/config", b"evil"),
    ];
    let package = check(&zip(&files), Some("s"), &["SKILL.md"]);
    let found: Vec<_> = package.diagnostics.iter().map(|d| (d.code, d.message.as_str())).collect();
    assert_eq!(
        found,
        [
            (Code::EntrySkipped, "1 entry of `.DS_Store` (macOS) skipped, the first is `s/.DS_Store`"),
            (Code::EntrySkipped, "1 entry of `._*` (macOS) skipped, the first is `s/._a`"),
            (Code::EntrySkipped, "3 entries of `.git` skipped, the first is `s/.git`"),
            (
                Code::EntrySkipped,
                "2 entries of `__MACOSX` (macOS) skipped, the first is `__MACOSX/s/._SKILL.md`"
            ),
        ]
    );
    let package = skillful_archive::read(&zip(&files), Some("a.zip"), &Limits::default()).unwrap();
    assert_eq!(package.diagnostics[0].path.as_deref(), Some("a.zip".as_ref()));
}

#[test]
fn tar_as_tools_write_it() {
    let skill = || Entry::file("s/SKILL.md", SKILL);
    let long = format!("{}/{}", "a".repeat(90), "b".repeat(90));
    let whole = format!("s/{long}");
    // GNU's long name, POSIX' prefix, PAX' path.
    let gnu = [skill(), Entry::long_name(&whole), Entry::file(&whole, b"x").put(257, GNU)];
    check(&tar_gz(&gnu), Some("s"), &["SKILL.md", &long]);
    let prefixed = [skill(), Entry::file("b".repeat(90), b"x").put(345, &whole.as_bytes()[..92])];
    check(&tar_gz(&prefixed), Some("s"), &["SKILL.md", &long]);
    let records =
        [("path", whole.as_str()), ("mtime", "1.5"), ("size", "1"), ("LIBARCHIVE.creationtime", "1")];
    let pax = [skill(), Entry::pax(&records), Entry::file(&whole, b"x")];
    check(&tar_gz(&pax), Some("s"), &["SKILL.md", &long]);
    // `tar -c .`, old files without a type, `git archive`, a record of 10 KiB, a name in the gzip header.
    let global = Entry::new("pax_global_header", b'g', &pax_records(&[("comment", "f72a6a9")]));
    let dotted = [
        global,
        Entry::folder("./"),
        Entry::file("./SKILL.md", SKILL),
        Entry::folder("./a"),
        Entry::new("./a/b", 0, b"x"),
    ];
    check(&tar_gz(&dotted), None, &["SKILL.md", "a/b"]);
    let mut padded = tar(&dotted);
    padded.resize(padded.len().next_multiple_of(10_240), 0);
    check(&gzip(&padded), None, &["SKILL.md", "a/b"]);
    check(&gzip_with(b"\x1f\x8b\x08\x08\0\0\0\0\0\x03demo.tar\0", &padded), None, &["SKILL.md", "a/b"]);
}

#[test]
fn modes_are_reduced_to_the_execute_bit() {
    for (mode, expected) in
        [(0o100_644, false), (0o104_755, true), (0o100_001, true), (0o106_666, false), (0, false)]
    {
        let member = Member::stored("s/x", b"y").with(|m| m.attributes = mode << 16);
        let package = read(&zip(&[skill(), member])).unwrap();
        assert_eq!(package.tree.get("x").unwrap().executable, expected, "zip {mode:o}");
        let mode = format!("{:07o}", mode & 0o7777);
        let entry = Entry::file("s/x", b"y").put(100, mode.as_bytes());
        let package = read(&tar_gz(&[Entry::file("s/SKILL.md", SKILL), entry])).unwrap();
        assert_eq!(package.tree.get("x").unwrap().executable, expected, "tar {mode}");
    }
}

#[test]
fn harmless_things_that_look_hostile() {
    // Nothing decodes names, so these are only odd.
    let odd = ["s/%2e%2e%2fevil", "s/~", "s/-rf", "s/$(id)", "s/..a", "s/．．", "s/COM0", "s/nullable"];
    let files: Vec<Member> = odd.iter().map(|name| Member::stored(name, b"x")).chain([skill()]).collect();
    assert_eq!(read(&zip(&files)).unwrap().tree.len(), odd.len() + 1);
    // Documents are zips; stored as the last file, their end record stands close to ours.
    let inner = zip(&[Member::deflated("word/document.xml", b"<w/>")]);
    check(&zip(&[skill(), Member::stored("s/a.docx", &inner)]), Some("s"), &["SKILL.md", "a.docx"]);
    let bomb = zip(&[Member::deflated("zeros", &vec![0; 1 << 20])]);
    check(&zip(&[skill(), Member::stored("s/a.zip", &bomb)]), Some("s"), &["SKILL.md", "a.zip"]);
    // Up to a MiB an archive may shrink as it likes.
    let small: Vec<Member> =
        (0..8).map(|n| Member::deflated(format!("s/{n}"), &thirtyfold(100 << 10))).chain([skill()]).collect();
    assert_eq!(read(&zip(&small)).unwrap().tree.len(), 9);
    let small = [Entry::file("s/SKILL.md", SKILL), Entry::file("s/zeros", &vec![0; 900 << 10])];
    check(&tar_gz(&small), Some("s"), &["SKILL.md", "zeros"]);
    // A large archive that hardly shrinks.
    let large = noise(9 << 20);
    check(&zip(&[skill(), Member::stored("s/a.bin", &large)]), Some("s"), &["SKILL.md", "a.bin"]);
}

#[test]
fn a_bare_skill_file() {
    for hint in [None, Some("SKILL.md"), Some("demo.md"), Some("README")] {
        let package = skillful_archive::read(SKILL, hint, &Limits::default()).unwrap();
        assert_eq!(
            (package.kind, &package.tree),
            (PackageKind::SkillFile, &tree(&[("SKILL.md", SKILL, false)]))
        );
    }
    let refused = |bytes: &[u8], hint| {
        let refused = skillful_archive::read(bytes, Some(hint), &Limits::default()).unwrap_err();
        assert_eq!(refused.diagnostics[0].path.as_deref(), Some(hint.as_ref()));
        refused.diagnostics[0].code
    };
    assert_eq!(refused(b"<html>not found</html>", "demo.skill"), Code::ArchiveUnreadable);
    assert_eq!(refused(b"<html>not found</html>", "Demo.TAR.GZ"), Code::ArchiveUnreadable);
    assert_eq!(refused(b"caf\xe9", "SKILL.md"), Code::NotUtf8);
    assert_eq!(refused(b"a\0b", "SKILL.md"), Code::NulByte);
    // The name does not decide: a zip is a zip.
    assert_eq!(
        skillful_archive::read(&zip(&[skill()]), Some("SKILL.md"), &Limits::default()).unwrap().kind,
        PackageKind::Zip
    );
}

#[test]
fn a_name_beyond_ascii_needs_no_mark() {
    let unmarked = Member::stored("s/ä.md", b"x").both(|head| head.flags = 0);
    check(&zip(&[skill(), unmarked]), Some("s"), &["SKILL.md", "ä.md"]);
}

#[test]
fn a_small_member_may_shrink_a_lot_and_a_large_one_may_not() {
    let with = |size: usize| {
        zip(&[skill(), Member::deflated("s/a", &vec![b'x'; size]), Member::stored("s/b", &noise(900_000))])
    };
    assert!(read(&with(60 << 10)).is_ok());
    assert_eq!(read(&with(200 << 10)).unwrap_err().diagnostics[0].code, Code::ArchiveRatio);
}

#[test]
fn limits_are_the_callers() {
    let bytes = zip(&[skill(), Member::deflated("s/a", &noise(1000))]);
    let tight = [
        (Limits { files: 1, ..Limits::default() }, Code::ArchiveTooMany),
        (Limits { file_bytes: 999, ..Limits::default() }, Code::FileTooLarge),
        (Limits { total_bytes: 1000, ..Limits::default() }, Code::ArchiveTooLarge),
        (Limits { packed_bytes: 1000, ..Limits::default() }, Code::ArchiveTooLarge),
        (Limits { path_bytes: 7, ..Limits::default() }, Code::EntryPath),
        (Limits { depth: 0, ..Limits::default() }, Code::EntryPath),
    ];
    for (limits, expected) in tight {
        let refused = skillful_archive::read(&bytes, None, &limits).unwrap_err();
        assert_eq!(refused.diagnostics[0].code, expected, "{refused}");
    }
}

#[test]
fn a_missing_skill_file_is_said_with_where_it_was_seen() {
    let help = |names: &[&str]| {
        let files: Vec<Member> = names.iter().map(|name| Member::stored(name, SKILL)).collect();
        read(&zip(&files)).unwrap_err().diagnostics[0].help.clone().unwrap()
    };
    assert_eq!(help(&["s/README.md"]), "put SKILL.md at the top of the archive or into its one top folder");
    assert_eq!(
        help(&["repo/skills/a/SKILL.md"]),
        "it was seen at `repo/skills/a/SKILL.md`; pack only the folder it is in, as `SKILL.md`"
    );
    assert_eq!(
        help(&["e/SKILL.md", "b/SKILL.md", "c/SKILL.md", "d/SKILL.md", "a/x"]),
        "it was seen at `b/SKILL.md`, `c/SKILL.md`, `d/SKILL.md` and 1 more; pack one skill per archive"
    );
}
