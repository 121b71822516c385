//! Zip archives that are bombs, overlap, hide bytes, end twice or not at all, or hold no skill.

use crate::{
    SKILL,
    hostile::{Case, case},
    hostile_zip::{beside, skill},
    noise,
    raw_zip::{End, Member, deflate, zip, zip_with},
    thirtyfold,
};
use skillful_format::Code::{
    ArchiveRatio, ArchiveTooLarge, ArchiveTooMany, ArchiveTrailing, ArchiveUnreadable, EntryClash,
    NoSkillFile,
};

fn plain() -> Vec<u8> {
    zip(&[skill(), Member::deflated("s/a.txt", &b"some text ".repeat(20))])
}

pub(crate) fn cases() -> Vec<Case> {
    [bombs(), ends(), stubs(), cuts(), layouts()].into_iter().flatten().collect()
}

fn bombs() -> Vec<Case> {
    let zeros = vec![0; 4 << 20];
    let many: Vec<Member> = (0..2001).map(|n| Member::stored(format!("s/{n}"), b"")).collect();
    let folders: Vec<Member> = (0..2001).map(|n| Member::stored(format!("s/{n}/"), b"")).collect();
    let big = noise(4 << 20);
    // The bytes are not there; the promise alone must be enough to refuse.
    let promised: Vec<Member> = (0..5)
        .map(|n| {
            Member::stored(format!("s/{n}"), &big[..1 << 20]).both(|h| (h.method, h.size) = (8, 15 << 20))
        })
        .collect();
    let inner = zip(&[Member::deflated("s/zeros", &zeros)]);
    vec![
        case("zip bomb of zeros", beside(Member::deflated("s/zeros", &zeros)), ArchiveRatio),
        case("zip bomb of zeros, streamed", beside(Member::streamed("s/zeros", &zeros)), ArchiveRatio),
        case("zip bomb in macOS noise", beside(Member::deflated("__MACOSX/zeros", &zeros)), ArchiveRatio),
        case("zip bomb in the skill file", zip(&[Member::deflated("s/SKILL.md", &zeros)]), ArchiveRatio),
        case(
            "zip bomb with a small size",
            beside(Member::deflated("s/zeros", &zeros).both(|h| h.size = 1000)),
            ArchiveUnreadable,
        ),
        case(
            "zip bomb below the ratio by padding",
            beside(Member::deflated("s/zeros", &zeros).with(|m| {
                m.data.resize(64 << 10, 0);
                m.local.packed = 64 << 10;
                m.central.packed = 64 << 10;
            })),
            ArchiveRatio,
        ),
        case(
            "zip bomb of many members",
            zip(&(0..64)
                .map(|n| Member::deflated(format!("s/{n}"), &thirtyfold(64 << 10)))
                .chain([skill()])
                .collect::<Vec<_>>()),
            ArchiveRatio,
        ),
        case(
            "zip bomb in a bomb",
            beside(Member::deflated("s/inner.zip", &zip(&vec![Member::stored("x", &inner); 400]))),
            ArchiveRatio,
        ),
        case(
            "zip packed size zero",
            beside(Member::stored("s/x", b"").both(|h| (h.method, h.size) = (8, 5))),
            ArchiveUnreadable,
        ),
        case("zip more than 64 MiB promised", zip(&promised), ArchiveTooLarge),
        case("zip many files", zip(&many), ArchiveTooMany),
        case("zip many folders", zip(&folders), ArchiveTooMany),
        case(
            "zip many entries by the end record",
            zip_with(&[skill()], |end| (end.here, end.entries) = (65_534, 65_534)),
            ArchiveTooMany,
        ),
        case("zip overlap, quoted local headers", quoted_overlap(), ArchiveUnreadable),
        case("zip overlap, one kernel for all", full_overlap(300), ArchiveUnreadable),
        case(
            "zip overlap, same member twice",
            zip(&[
                skill().with(|m| m.offset = Some(0)),
                Member::stored("s/x", b"y").with(|m| m.offset = Some(0)),
            ]),
            ArchiveUnreadable,
        ),
        case("zip overlap, exact duplicate in the directory", duplicate_entry(), ArchiveUnreadable),
    ]
}

/// The bomb of Fifield: each member's data begins with a stored block that quotes the next header.
fn quoted_overlap() -> Vec<u8> {
    let kernel = Member::deflated("s/last", &vec![b'a'; 50_000]);
    let tail = zip(std::slice::from_ref(&kernel));
    let header = &tail[..30 + kernel.local.name.len()];
    let length = u16::try_from(header.len()).unwrap();
    let quote = [&[0], length.to_le_bytes().as_slice(), &(!length).to_le_bytes(), header].concat();
    let contents = [header, &vec![b'a'; 50_000]].concat();
    let mut outer = Member::deflated("s/first", &contents);
    outer.data = [quote.as_slice(), &kernel.data].concat();
    let packed = u32::try_from(outer.data.len()).unwrap();
    (outer.local.packed, outer.central.packed) = (packed, packed);
    outer.data.truncate(quote.len() - header.len());
    zip(&[skill(), outer, kernel])
}

/// Many directory entries over the same local header.
fn full_overlap(count: usize) -> Vec<u8> {
    let kernel = Member::deflated("s/0", &vec![b'a'; 2_000]);
    let bytes = zip(std::slice::from_ref(&kernel));
    let start = 30 + kernel.local.name.len() + kernel.data.len();
    let entry = &bytes[start..bytes.len() - 22];
    let directory = entry.repeat(count);
    let mut end = bytes[bytes.len() - 22..].to_vec();
    let entries = u16::try_from(count).unwrap().to_le_bytes();
    end[8..10].copy_from_slice(&entries);
    end[10..12].copy_from_slice(&entries);
    end[12..16].copy_from_slice(&u32::try_from(directory.len()).unwrap().to_le_bytes());
    [&bytes[..start], &directory, &end].concat()
}

fn duplicate_entry() -> Vec<u8> {
    full_overlap(2)
}

fn ends() -> Vec<Case> {
    let end = |change: fn(&mut End)| zip_with(&[skill(), Member::stored("s/x", b"y")], change);
    let inner = plain();
    let locator = [b"PK\x06\x07".as_slice(), &[0; 16]].concat();
    vec![
        case("zip entry count too small", end(|e| (e.here, e.entries) = (1, 1)), ArchiveUnreadable),
        case("zip entry count too large", end(|e| (e.here, e.entries) = (3, 3)), ArchiveUnreadable),
        case("zip entry count zero", end(|e| (e.here, e.entries) = (0, 0)), ArchiveUnreadable),
        case("zip entry counts differ", end(|e| e.here = 1), ArchiveUnreadable),
        case("zip disk number", end(|e| e.disk = 1), ArchiveUnreadable),
        case("zip directory on another disk", end(|e| e.directory_disk = 1), ArchiveUnreadable),
        case("zip directory too short", end(|e| e.size -= 1), ArchiveTrailing),
        case("zip directory too long", end(|e| e.size += 1), ArchiveUnreadable),
        case("zip directory of size zero", end(|e| e.size = 0), ArchiveTrailing),
        case("zip directory starts early", end(|e| e.start -= 1), ArchiveTrailing),
        case(
            "zip directory starts early and is longer",
            end(|e| {
                e.start -= 1;
                e.size += 1;
            }),
            ArchiveUnreadable,
        ),
        case("zip directory starts late", end(|e| e.start += 1), ArchiveUnreadable),
        case(
            "zip directory starts late and is shorter",
            end(|e| {
                e.start += 1;
                e.size -= 1;
            }),
            ArchiveUnreadable,
        ),
        case(
            "zip directory over everything",
            end(|e| {
                e.size += e.start;
                e.start = 0;
            }),
            ArchiveUnreadable,
        ),
        case("zip directory far outside", end(|e| e.start = u32::MAX - 1), ArchiveUnreadable),
        case("zip zip64 count", end(|e| (e.here, e.entries) = (u16::MAX, u16::MAX)), ArchiveUnreadable),
        case("zip zip64 directory size", end(|e| e.size = u32::MAX), ArchiveUnreadable),
        case("zip zip64 directory start", end(|e| e.start = u32::MAX), ArchiveUnreadable),
        case("zip zip64 locator", zip_with(&[skill()], |e| e.gap.clone_from(&locator)), ArchiveUnreadable),
        case(
            "zip zip64 records",
            zip_with(&[skill()], |e| e.gap = [b"PK\x06\x06".as_slice(), &[0; 52], &locator].concat()),
            ArchiveUnreadable,
        ),
        case(
            "zip zip64 locator inside the directory",
            zip(&[skill().with(|m| m.comment.clone_from(&locator))]),
            ArchiveUnreadable,
        ),
        case(
            "zip digital signature",
            zip_with(&[skill()], |e| e.gap = b"PK\x05\x05\0\0".to_vec()),
            ArchiveTrailing,
        ),
        case(
            "zip comment with an end record",
            zip_with(&[skill()], |e| e.comment = [b"PK\x05\x06".as_slice(), &[0; 18]].concat()),
            ArchiveUnreadable,
        ),
        case(
            "zip comment with a whole archive",
            zip_with(&[skill()], |e| e.comment.clone_from(&inner)),
            ArchiveUnreadable,
        ),
        case(
            "zip comment with an end record of another length",
            zip_with(&[skill()], |e| e.comment = [b"PK\x05\x06".as_slice(), &[9; 40]].concat()),
            ArchiveUnreadable,
        ),
        case(
            "zip comment with a bare signature",
            zip_with(&[skill()], |e| e.comment = b"PK\x05\x06".to_vec()),
            ArchiveUnreadable,
        ),
        case(
            "zip comment cut",
            zip_with(&[skill()], |e| e.comment = vec![b'c'; 30])[..]
                .split_last_chunk::<10>()
                .unwrap()
                .0
                .to_vec(),
            ArchiveUnreadable,
        ),
        case("zip second end record in a stored file", two_ends(), ArchiveUnreadable),
        case("zip two archives", [plain(), plain()].concat(), ArchiveTrailing),
        case(
            "zip two end records",
            [plain(), plain()[plain().len() - 22..].to_vec()].concat(),
            ArchiveTrailing,
        ),
        case(
            "zip entry in the directory",
            zip(&[skill(), Member::stored("s/x", b"y").with(|m| m.offset = Some(200))]),
            ArchiveTrailing,
        ),
        case(
            "zip entry outside",
            zip(&[skill(), Member::stored("s/x", b"y").with(|m| m.offset = Some(1 << 30))]),
            ArchiveTrailing,
        ),
        case(
            "zip entry at a wrong place",
            zip(&[skill(), Member::stored("s/x", b"y").with(|m| m.offset = Some(5))]),
            ArchiveUnreadable,
        ),
    ]
}

/// A stored file holds an end record whose comment would be the rest of the archive.
fn two_ends() -> Vec<u8> {
    let build = |comment: u16| {
        let fake = [b"PK\x05\x06".as_slice(), &[0; 16], &comment.to_le_bytes()].concat();
        zip(&[skill(), Member::stored("s/x", &fake)])
    };
    let bytes = build(0);
    let at = bytes.windows(4).position(|four| four == b"PK\x05\x06").unwrap();
    build(u16::try_from(bytes.len() - at - 22).unwrap())
}

fn stubs() -> Vec<Case> {
    let gap = |bytes: &[u8]| zip(&[skill(), Member::stored("s/x", b"y").with(|m| m.gap = bytes.to_vec())]);
    let hidden = zip(&[Member::stored("s/hidden.sh", b"evil")]);
    let hidden = &hidden[..30 + 11 + 4];
    let first_gap = |bytes: &[u8]| zip(&[skill().with(|m| m.gap = bytes.to_vec())]);
    vec![
        case(
            "zip shell stub",
            [b"#!/bin/sh\nexec unzip \"$0\"\n".as_slice(), &plain()].concat(),
            ArchiveTrailing,
        ),
        case("zip windows stub", [b"MZ\x90\0".as_slice(), &noise(300), &plain()].concat(), ArchiveTrailing),
        case(
            "zip shell stub with right offsets",
            first_gap(b"#!/bin/sh\nexec unzip \"$0\"\n"),
            ArchiveTrailing,
        ),
        case("zip span marker", first_gap(b"PK\x07\x08"), ArchiveTrailing),
        case("zip zip in front with right offsets", first_gap(hidden), ArchiveTrailing),
        case(
            "zip gif in front",
            [b"GIF89a\x01\0\x01\0\0\0\0;".as_slice(), &plain()].concat(),
            ArchiveTrailing,
        ),
        case("zip bytes between entries", gap(b"hidden"), ArchiveTrailing),
        case("zip entry that is not in the directory", gap(hidden), ArchiveTrailing),
        case("zip zeros between entries", gap(&[0; 8]), ArchiveTrailing),
        case(
            "zip bytes before the directory",
            zip_with(&[skill().with(|m| m.descriptor = b"xx".to_vec())], |_| {}),
            ArchiveTrailing,
        ),
        case(
            "zip bytes before the end record",
            zip_with(&[skill()], |e| e.gap = b"hidden".to_vec()),
            ArchiveTrailing,
        ),
        case("zip bytes behind", [plain(), b"hidden".to_vec()].concat(), ArchiveTrailing),
        case("zip zero behind", [plain(), vec![0]].concat(), ArchiveTrailing),
        case("zip line feed behind", [plain(), b"\n".to_vec()].concat(), ArchiveTrailing),
        case("zip gzip behind", [plain(), crate::raw_tar::gzip(b"x")].concat(), ArchiveTrailing),
        case("zip far bytes behind", [plain(), vec![b' '; 70_000]].concat(), ArchiveUnreadable),
    ]
}

fn cuts() -> Vec<Case> {
    let bytes = plain();
    let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let end = bytes.len() - 22;
    [
        3,
        4,
        20,
        30,
        35,
        60,
        directory - 1,
        directory,
        directory + 20,
        directory + 50,
        end - 1,
        end,
        end + 3,
        end + 4,
        end + 21,
    ]
    .into_iter()
    .map(|at| case(format!("zip cut at {at}"), bytes[..at].to_vec(), ArchiveUnreadable))
    .collect()
}

fn layouts() -> Vec<Case> {
    let file = |name: &str| Member::stored(name, SKILL);
    vec![
        case("zip empty", zip(&[]), NoSkillFile),
        case("zip only folders", zip(&[file("s/").with(|m| *m = Member::stored("s/", b""))]), NoSkillFile),
        case("zip no skill file", zip(&[file("s/README.md")]), NoSkillFile),
        case("zip two skills", zip(&[file("a/SKILL.md"), file("b/SKILL.md")]), NoSkillFile),
        case("zip skill too deep", zip(&[file("repo/skills/a/SKILL.md")]), NoSkillFile),
        case("zip file beside the wrapper", zip(&[file("s/SKILL.md"), file("README.md")]), NoSkillFile),
        case("zip skill file in another case", zip(&[file("s/Skill.MD")]), NoSkillFile),
        case(
            "zip skill file is a folder",
            zip(&[Member::stored("s/SKILL.md/", b""), file("s/x")]),
            NoSkillFile,
        ),
        case("zip skill file below itself", zip(&[file("SKILL.md/SKILL.md"), file("SKILL.md")]), EntryClash),
        case("zip only macOS noise", zip(&[file("__MACOSX/SKILL.md"), file(".git/SKILL.md")]), NoSkillFile),
        case("zip nested archive only", zip(&[Member::deflated("s.zip", &plain())]), NoSkillFile),
        case(
            "zip stream that is not an entry",
            [b"PK\x03\x04".as_slice(), &deflate(&noise(200))].concat(),
            ArchiveUnreadable,
        ),
    ]
}
