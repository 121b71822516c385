//! Tar archives with links and devices, two meanings, or no end.

use crate::{
    SKILL,
    hostile::{Case, case},
    noise,
    raw_tar::{Entry, GNU, blocks, gzip, pax_records, tar, tar_gz},
    thirtyfold,
};
use skillful_format::Code::{
    ArchiveRatio, ArchiveTooMany, ArchiveTrailing, ArchiveUnreadable, EntryKind, EntryPath, FileTooLarge,
    NoSkillFile,
};

fn skill() -> Entry {
    Entry::file("s/SKILL.md", SKILL)
}

/// A skill and more entries, as one archive.
fn beside(entries: &[Entry]) -> Vec<u8> {
    tar_gz(&[&[skill()], entries].concat())
}

pub(crate) fn cases() -> Vec<Case> {
    [kinds(), headers(), pax(), long_names(), bombs(), ends(), layouts()].into_iter().flatten().collect()
}

fn kinds() -> Vec<Case> {
    let mut rows = vec![
        case("tar hard link", beside(&[Entry::link("s/x", b'1', "/etc/passwd")]), EntryKind),
        case("tar hard link inside", beside(&[Entry::link("s/x", b'1', "s/SKILL.md")]), EntryKind),
        case(
            "tar hard link with content",
            beside(&[Entry::new("s/x", b'1', b"evil").put(157, b"s/SKILL.md")]),
            EntryKind,
        ),
        case("tar symlink", beside(&[Entry::link("s/x", b'2', "/etc/passwd")]), EntryKind),
        case("tar symlink inside", beside(&[Entry::link("s/x", b'2', "SKILL.md")]), EntryKind),
        case(
            "tar symlink then write",
            beside(&[Entry::link("s/x", b'2', "/tmp"), Entry::file("s/x/evil", b"evil")]),
            EntryKind,
        ),
        case(
            "tar symlink then folder",
            beside(&[Entry::link("s/x", b'2', "/tmp"), Entry::folder("s/x/")]),
            EntryKind,
        ),
        case("tar symlink first", tar_gz(&[Entry::link("s", b'2', "/tmp"), skill()]), EntryKind),
        case(
            "tar symlink by pax",
            beside(&[Entry::pax(&[("linkpath", "/etc/passwd")]), Entry::link("s/x", b'2', "")]),
            EntryKind,
        ),
        case(
            "tar link target by pax on a file",
            beside(&[Entry::pax(&[("linkpath", "/etc/passwd")]), Entry::file("s/x", b"y")]),
            EntryKind,
        ),
        case(
            "tar long link of gnu",
            beside(&[
                Entry::new("././@LongLink", b'K', b"/etc/passwd\0").put(257, GNU),
                Entry::link("s/x", b'2', "/etc"),
            ]),
            EntryKind,
        ),
        case("tar symlink in macOS noise", beside(&[Entry::link("__MACOSX/x", b'2', "/")]), EntryKind),
        case("tar symlink of no length", beside(&[Entry::link("s/x", b'2', "")]), EntryKind),
    ];
    for (kind, name) in [
        (b'3', "character device"),
        (b'4', "block device"),
        (b'6', "pipe"),
        (b'7', "contiguous file"),
        (b'S', "sparse file"),
        (b'D', "dump folder"),
        (b'M', "continued file"),
        (b'N', "old long name"),
        (b'V', "volume label"),
        (b'X', "solaris extended header"),
        (b's', "socket"),
        (b'A', "solaris acl"),
        (b'Z', "vendor type"),
        (b'8', "reserved type"),
        (0xff, "type beyond ascii"),
    ] {
        rows.push(case(
            name,
            beside(&[Entry::new("s/x", kind, b"").put(329, b"0000001\x000000003\0")]),
            EntryKind,
        ));
    }
    rows
}

fn headers() -> Vec<Case> {
    let put = |at: usize, bytes: &[u8]| beside(&[Entry::file("s/x", b"data").put(at, bytes)]);
    let unsummed = |sum: &[u8]| {
        beside(&[Entry::file("s/x", b"data").put(148, sum).with(|entry| entry.is_summed = false)])
    };
    vec![
        case("tar checksum wrong", unsummed(b"012345\0 "), ArchiveUnreadable),
        case("tar checksum blank", unsummed(b"        "), ArchiveUnreadable),
        case("tar checksum zero", unsummed(b"\0\0\0\0\0\0\0\0"), ArchiveUnreadable),
        case("tar checksum not octal", unsummed(b"99999\0  "), ArchiveUnreadable),
        case("tar no magic", put(257, &[0; 8]), ArchiveUnreadable),
        case("tar unknown magic", put(257, b"ustar\0\0\0"), ArchiveUnreadable),
        case("tar mixed magic", put(257, b"ustar 00"), ArchiveUnreadable),
        case("tar size not octal", put(124, b"0000000000x\0"), ArchiveUnreadable),
        case("tar size with an eight", put(124, b"00000000008\0"), ArchiveUnreadable),
        case("tar size negative", put(124, b"-0000000004\0"), ArchiveUnreadable),
        case("tar size with a sign", put(124, b"+0000000004\0"), ArchiveUnreadable),
        case("tar size empty", put(124, &[0; 12]), ArchiveUnreadable),
        case("tar size blank", put(124, b"            "), ArchiveUnreadable),
        case("tar size in hex", put(124, b"0x000000004\0"), ArchiveUnreadable),
        case("tar size going on behind a NUL", put(124, b"00000\x00000004\0"), ArchiveUnreadable),
        case("tar size in binary", put(124, &[0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4]), ArchiveUnreadable),
        case("tar size in negative binary", put(124, &[0xff; 12]), ArchiveUnreadable),
        case("tar size beyond 64 bits", put(124, &[0xbf; 12]), ArchiveUnreadable),
        case("tar size of 8 GiB", put(124, b"77777777777\0"), FileTooLarge),
        case("tar size of 12 digits", put(124, b"777777777777"), FileTooLarge),
        case("tar size too large", put(124, b"00000010000\0"), ArchiveUnreadable),
        case(
            "tar size too small",
            beside(&[Entry::file("s/x", &[b'a'; 600]).put(124, b"00000000004\0")]),
            ArchiveTrailing,
        ),
        case("tar mode not octal", put(100, b"rwxr-xr\0"), ArchiveUnreadable),
        case("tar mode in binary", put(100, &[0x80, 0, 0, 0, 0, 0, 1, 0xed]), ArchiveUnreadable),
        case("tar name going on behind a NUL", put(0, b"s/a.md\0/../../evil"), EntryPath),
        case("tar prefix going on behind a NUL", put(345, b"s\0hidden"), EntryPath),
        case("tar prefix leads out", put(345, b"../.."), EntryPath),
        case("tar prefix absolute", put(345, b"/etc"), EntryPath),
        case("tar padding of the header", put(500, b"hidden"), ArchiveTrailing),
        case("tar star header", put(508, b"tar\0"), ArchiveTrailing),
        case(
            "tar gnu times",
            beside(&[Entry::file("s/x", b"data").put(257, GNU).put(345, b"00000000000\0")]),
            ArchiveUnreadable,
        ),
        case(
            "tar gnu sparse map in a file",
            beside(&[Entry::file("s/x", b"data").put(257, GNU).put(386, b"00000000000\x0000000000004\0")]),
            ArchiveUnreadable,
        ),
        case(
            "tar gnu real size",
            beside(&[Entry::file("s/x", b"data").put(257, GNU).put(483, b"00010000000\0")]),
            ArchiveUnreadable,
        ),
        case(
            "tar prefix in a gnu header",
            beside(&[Entry::file("x", b"data").put(257, GNU).put(345, b"s")]),
            ArchiveUnreadable,
        ),
        case("tar link target on a file", put(157, b"/etc/passwd"), ArchiveUnreadable),
        case("tar folder with content", beside(&[Entry::new("s/x/", b'5', b"hidden")]), ArchiveUnreadable),
        case("tar file named as a folder", beside(&[Entry::file("s/x/", b"")]), ArchiveUnreadable),
        case("tar old file named as a folder", beside(&[Entry::new("s/x/", 0, b"")]), ArchiveUnreadable),
        case(
            "tar data padding",
            beside(&[Entry::file("s/x", b"data").with(|entry| entry.padding = b'h')]),
            ArchiveTrailing,
        ),
    ]
}

fn pax() -> Vec<Case> {
    let with = |records: &[(&str, &str)]| beside(&[Entry::pax(records), Entry::file("s/x", b"data")]);
    let raw =
        |records: &[u8]| beside(&[Entry::new("PaxHeaders/x", b'x', records), Entry::file("s/x", b"data")]);
    let global = |records: &[(&str, &str)]| {
        beside(&[Entry::new("g", b'g', &pax_records(records)), Entry::file("s/x", b"y")])
    };
    // A file that holds a whole header; who takes the other size reads it as an entry.
    let smuggled = blocks(&[Entry::file("s/evil.sh", b"evil")]);
    let size = smuggled.len().to_string();
    vec![
        case("tar pax path leads out", with(&[("path", "../evil")]), EntryPath),
        case("tar pax path absolute", with(&[("path", "/etc/passwd")]), EntryPath),
        case("tar pax path with a NUL", with(&[("path", "s/a\0b")]), EntryPath),
        case("tar pax path empty", with(&[("path", "")]), EntryPath),
        case("tar pax path not utf-8", raw(b"13 path=s/\xff\xfe\n"), EntryPath),
        case(
            "tar pax path over a name that leads out",
            beside(&[Entry::pax(&[("path", "s/x")]), Entry::file("../evil", b"y")]),
            EntryPath,
        ),
        case(
            "tar pax path over an absolute name",
            beside(&[Entry::pax(&[("path", "s/x")]), Entry::file("/etc/x", b"y")]),
            EntryPath,
        ),
        case(
            "tar pax path over a windows name",
            beside(&[Entry::pax(&[("path", "s/x")]), Entry::file("C:\\x", b"y")]),
            EntryPath,
        ),
        case("tar pax size larger", with(&[("size", "1024")]), ArchiveUnreadable),
        case("tar pax size zero", with(&[("size", "0")]), ArchiveUnreadable),
        case("tar pax size with a sign", with(&[("size", "+4")]), ArchiveUnreadable),
        case("tar pax size negative", with(&[("size", "-4")]), ArchiveUnreadable),
        case("tar pax size not a number", with(&[("size", "0x4")]), ArchiveUnreadable),
        case("tar pax size beyond 64 bits", with(&[("size", "99999999999999999999")]), ArchiveUnreadable),
        case(
            "tar pax size hides an entry",
            beside(&[
                Entry::pax(&[("size", &size)]),
                Entry::file("s/x", b"").with(|entry| entry.data.clone_from(&smuggled)),
            ]),
            ArchiveUnreadable,
        ),
        case(
            "tar pax size of zero shows an entry",
            beside(&[Entry::pax(&[("size", "0")]), Entry::file("s/x", &smuggled)]),
            ArchiveUnreadable,
        ),
        case(
            "tar pax sparse 0.0",
            with(&[("GNU.sparse.size", "1000000"), ("GNU.sparse.numblocks", "1")]),
            ArchiveUnreadable,
        ),
        case("tar pax sparse 0.1", with(&[("GNU.sparse.map", "0,4")]), ArchiveUnreadable),
        case(
            "tar pax sparse 1.0",
            with(&[("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0")]),
            ArchiveUnreadable,
        ),
        case("tar pax sparse name", with(&[("GNU.sparse.name", "../evil")]), ArchiveUnreadable),
        case("tar pax sparse of star", with(&[("SCHILY.realsize", "1000000")]), ArchiveUnreadable),
        case("tar pax holes of solaris", with(&[("SUN.holesdata", " 0 4")]), ArchiveUnreadable),
        case("tar pax charset", with(&[("hdrcharset", "BINARY")]), ArchiveUnreadable),
        case("tar pax path twice", with(&[("path", "s/a"), ("path", "s/b")]), ArchiveUnreadable),
        case("tar pax record cut", raw(b"30 path=s/a\n"), ArchiveUnreadable),
        case("tar pax record too short", raw(b"5 path=s/a\n"), ArchiveUnreadable),
        case("tar pax record of length zero", raw(b"0 path=s/a\n"), ArchiveUnreadable),
        case("tar pax record without a length", raw(b"path=s/a\n"), ArchiveUnreadable),
        case("tar pax record without a key", raw(b"7 =s/a\n"), ArchiveUnreadable),
        case("tar pax record without a value", raw(b"8 path\n\n"), ArchiveUnreadable),
        case("tar pax record without its line feed", raw(b"12 path=s/aX"), ArchiveUnreadable),
        case("tar pax record with a huge length", raw(b"99999999999999999999 path=s/a\n"), ArchiveUnreadable),
        case("tar pax record with a signed length", raw(b"+12 path=s/a\n"), ArchiveUnreadable),
        case("tar pax padded with NULs", raw(b"12 path=s/a\n\0\0\0"), ArchiveUnreadable),
        case(
            "tar pax twice",
            beside(&[
                Entry::pax(&[("path", "s/a")]),
                Entry::pax(&[("path", "s/b")]),
                Entry::file("s/x", b"y"),
            ]),
            ArchiveUnreadable,
        ),
        case("tar pax at the end", beside(&[Entry::pax(&[("path", "s/a")])]), ArchiveUnreadable),
        case("tar pax too long", raw(&pax_records(&[("comment", &"c".repeat(70_000))])), ArchiveUnreadable),
        case("tar global path", global(&[("path", "s/evil")]), ArchiveUnreadable),
        case("tar global size", global(&[("size", "0")]), ArchiveUnreadable),
        case("tar global link", global(&[("linkpath", "/etc")]), EntryKind),
        case("tar global sparse", global(&[("GNU.sparse.major", "1")]), ArchiveUnreadable),
        case("tar global charset", global(&[("hdrcharset", "BINARY")]), ArchiveUnreadable),
        case("tar global header damaged", beside(&[Entry::new("g", b'g', b"nonsense")]), ArchiveUnreadable),
        case(
            "tar two global headers",
            beside(&vec![Entry::new("g", b'g', &pax_records(&[("comment", "c")])); 2]),
            ArchiveUnreadable,
        ),
        case(
            "tar global header too long",
            beside(&[Entry::new("g", b'g', &[b'c'; 70_000])]),
            ArchiveUnreadable,
        ),
    ]
}

fn long_names() -> Vec<Case> {
    let long = format!("s/{}/{}", "a".repeat(100), "b".repeat(20));
    let file = |name: &str| Entry::file(name, b"y").put(257, GNU);
    vec![
        case("tar long name leads out", beside(&[Entry::long_name("../evil"), file("../evil")]), EntryPath),
        case(
            "tar long name with a NUL",
            beside(&[Entry::long_name("s/x\0/../../evil"), file("s/x")]),
            EntryPath,
        ),
        case(
            "tar long name of another entry",
            beside(&[Entry::long_name(&long), file("s/other")]),
            ArchiveUnreadable,
        ),
        case(
            "tar long name twice",
            beside(&[Entry::long_name(&long), Entry::long_name(&long), file(&long)]),
            ArchiveUnreadable,
        ),
        case(
            "tar long name and pax path",
            beside(&[Entry::long_name(&long), Entry::pax(&[("path", "s/x")]), file(&long)]),
            ArchiveUnreadable,
        ),
        case("tar long name at the end", beside(&[Entry::long_name(&long)]), ArchiveUnreadable),
        case("tar long name empty", beside(&[Entry::long_name(""), file("")]), EntryPath),
        case(
            "tar long name too long for a path",
            beside(&[
                Entry::long_name(format!("s{}", "/aaaaaaaaa".repeat(40))),
                file(&format!("s{}", "/aaaaaaaaa".repeat(40))),
            ]),
            EntryPath,
        ),
        case(
            "tar long name of 70 KB",
            beside(&[Entry::long_name("a".repeat(70_000)), file("a")]),
            ArchiveUnreadable,
        ),
        case(
            "tar long name of 8 GiB",
            beside(&[Entry::long_name(&long).put(124, b"77777777777\0"), file(&long)]),
            ArchiveUnreadable,
        ),
        case(
            "tar long name for a symlink",
            beside(&[Entry::long_name(&long), Entry::link("s/x", b'2', "/etc")]),
            EntryKind,
        ),
    ]
}

fn bombs() -> Vec<Case> {
    let many: Vec<Entry> = (0..2001).map(|n| Entry::file(format!("s/{n}"), b"")).collect();
    let folders: Vec<Entry> = (0..2001).map(|n| Entry::folder(format!("s/{n}/"))).collect();
    let comment = "c".repeat(60_000);
    let wordy: Vec<Entry> = (0..100)
        .flat_map(|n| [Entry::pax(&[("comment", &comment)]), Entry::file(format!("s/{n}"), b"")])
        .collect();
    let headers: Vec<Entry> = vec![Entry::pax(&[]); 3000];
    vec![
        case("tar bomb of zeros", beside(&[Entry::file("s/zeros", &vec![0; 8 << 20])]), ArchiveRatio),
        case(
            "tar bomb of many files",
            beside(
                &(0..40).map(|n| Entry::file(format!("s/{n}"), &thirtyfold(64 << 10))).collect::<Vec<_>>(),
            ),
            ArchiveRatio,
        ),
        case(
            "tar bomb in macOS noise",
            beside(&[Entry::file("s/.DS_Store", &vec![0; 8 << 20])]),
            ArchiveRatio,
        ),
        case(
            "tar bomb promised and not there",
            beside(&[Entry::file("s/x", b"y").put(124, b"00077777777\0")]),
            ArchiveRatio,
        ),
        case(
            "tar bomb above the limit for a file",
            beside(&[Entry::file("s/x", b"y").put(124, b"00100000001\0")]),
            FileTooLarge,
        ),
        case("tar bomb of extended headers", beside(&wordy), ArchiveUnreadable),
        case("tar many empty extended headers", beside(&headers), ArchiveUnreadable),
        case("tar many files", tar_gz(&many), ArchiveTooMany),
        case("tar many folders", tar_gz(&folders), ArchiveTooMany),
        case("tar many times the same folder", tar_gz(&vec![Entry::folder("s/"); 2001]), ArchiveTooMany),
        case(
            "tar zeros behind the end",
            gzip(&[tar(&[skill()]), vec![0; 8 << 20]].concat()),
            ArchiveTrailing,
        ),
    ]
}

fn ends() -> Vec<Case> {
    let entries = blocks(&[skill()]);
    let join = |parts: &[&[u8]]| gzip(&parts.concat());
    vec![
        case("tar no end", join(&[&entries]), ArchiveUnreadable),
        case("tar half an end", join(&[&entries, &[0; 512]]), ArchiveUnreadable),
        case("tar end cut", join(&[&entries, &[0; 1000]]), ArchiveUnreadable),
        case("tar header cut", join(&[&entries, &entries[..300]]), ArchiveUnreadable),
        case("tar data cut", join(&[&entries[..520]]), ArchiveUnreadable),
        case("tar padding cut", join(&[&entries[..entries.len() - 10]]), ArchiveUnreadable),
        case(
            "tar entry behind half an end",
            join(&[&entries, &[0; 512], &blocks(&[Entry::file("s/x", b"y")]), &[0; 1024]]),
            ArchiveTrailing,
        ),
        case(
            "tar entry behind the end",
            join(&[&entries, &[0; 1024], &blocks(&[Entry::file("s/x", b"y")]), &[0; 1024]]),
            ArchiveTrailing,
        ),
        case("tar bytes behind the end", join(&[&entries, &[0; 1024], b"hidden"]), ArchiveTrailing),
        case("tar bytes behind the padding", join(&[&entries, &[0; 10_240], b"hidden"]), ArchiveTrailing),
        case("tar noise for headers", gzip(&noise(4096)), ArchiveUnreadable),
        case("tar plain text", gzip(SKILL), ArchiveUnreadable),
        case("tar long plain text", gzip(&SKILL.repeat(20)), ArchiveUnreadable),
        case("tar nothing", gzip(b""), ArchiveUnreadable),
        case("tar zip inside", gzip(&crate::raw_zip::zip(&[])), ArchiveUnreadable),
        case("tar gzip inside", gzip(&gzip(&tar(&[skill()]))), ArchiveUnreadable),
    ]
}

fn layouts() -> Vec<Case> {
    let file = |name: &str| Entry::file(name, SKILL);
    vec![
        case("tar empty", tar_gz(&[]), NoSkillFile),
        case("tar only folders", tar_gz(&[Entry::folder("./"), Entry::folder("./s/")]), NoSkillFile),
        case("tar no skill file", tar_gz(&[file("s/README.md")]), NoSkillFile),
        case("tar two skills", tar_gz(&[file("a/SKILL.md"), file("b/SKILL.md")]), NoSkillFile),
        case("tar skill too deep", tar_gz(&[file("a/b/SKILL.md")]), NoSkillFile),
        case("tar top folder is a file", tar_gz(&[file(".")]), EntryPath),
    ]
}
