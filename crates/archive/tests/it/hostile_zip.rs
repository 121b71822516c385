//! Zip entries that lie about their kind, method, sizes or sums.

use crate::{
    SKILL,
    hostile::{Case, case},
    raw_zip::{FILE, FOLDER, Head, Member, crc, extra, zip},
};
use skillful_format::Code::{
    ArchiveEncrypted, ArchiveMethod, ArchiveTrailing, ArchiveUnreadable, EntryKind, FileTooLarge,
};

pub(crate) fn skill() -> Member {
    Member::stored("s/SKILL.md", SKILL)
}

/// A skill and one more member.
pub(crate) fn beside(member: Member) -> Vec<u8> {
    zip(&[skill(), member])
}

pub(crate) fn cases() -> Vec<Case> {
    [kinds(), methods(), sizes(), disagreements(), extras()].into_iter().flatten().collect()
}

fn kinds() -> Vec<Case> {
    let mode = |mode: u32| Member::stored("s/x", b"/etc/passwd").with(|m| m.attributes = mode << 16);
    let dos = |bits: u32| Member::stored("s/x", b"y").with(|m| (m.made_by, m.attributes) = (20, bits));
    vec![
        case("zip symlink", beside(mode(0o120_777)), EntryKind),
        case("zip symlink made on dos", beside(mode(0o120_777).with(|m| m.made_by = 20)), EntryKind),
        case(
            "zip symlink named as a folder",
            beside(Member::stored("s/x/", b"").with(|m| m.attributes = 0o120_777 << 16)),
            EntryKind,
        ),
        case(
            "zip symlink then write",
            zip(&[skill(), mode(0o120_777), Member::stored("s/x/evil", b"evil")]),
            EntryKind,
        ),
        case(
            "zip symlink in macOS noise",
            beside(Member::stored("__MACOSX/x", b"/").with(|m| m.attributes = 0o120_777 << 16)),
            EntryKind,
        ),
        case("zip character device", beside(mode(0o020_666)), EntryKind),
        case("zip block device", beside(mode(0o060_666)), EntryKind),
        case("zip pipe", beside(mode(0o010_644)), EntryKind),
        case("zip socket", beside(mode(0o140_755)), EntryKind),
        case("zip whiteout", beside(mode(0o160_000)), EntryKind),
        case("zip unknown type", beside(mode(0o170_644)), EntryKind),
        case("zip reparse point", beside(dos(0x420)), EntryKind),
        case("zip volume label", beside(dos(0x08)), EntryKind),
        case("zip dos device", beside(dos(0x40)), EntryKind),
        case(
            "zip asi link",
            beside(Member::stored("s/x", b"y").both(|h| h.extra = extra(0x756e, &[0; 14]))),
            EntryKind,
        ),
        case(
            "zip pkware link",
            beside(Member::stored("s/x", b"y").both(|h| h.extra = extra(0x000d, &[0; 20]))),
            EntryKind,
        ),
        case(
            "zip folder mode on a file",
            beside(Member::stored("s/x", b"y").with(|m| m.attributes = FOLDER)),
            ArchiveUnreadable,
        ),
        case("zip folder attribute on a file", beside(dos(0x10)), ArchiveUnreadable),
        case(
            "zip file mode on a folder",
            beside(Member::stored("s/x/", b"").with(|m| m.attributes = FILE)),
            ArchiveUnreadable,
        ),
        case("zip folder with content", beside(Member::stored("s/x/", b"hidden")), ArchiveUnreadable),
    ]
}

fn methods() -> Vec<Case> {
    let mut rows: Vec<Case> = [1, 2, 6, 7, 9, 10, 12, 14, 18, 20, 93, 95, 97, 98, 0xffff]
        .into_iter()
        .map(|method| {
            case(
                format!("zip method {method}"),
                beside(Member::stored("s/x", b"y").both(|h| h.method = method)),
                ArchiveMethod,
            )
        })
        .collect();
    let flag = |bits: u16| beside(Member::stored("s/x", b"y").both(|h| h.flags |= bits));
    rows.extend([
        case("zip method aes", beside(Member::stored("s/x", b"y").both(|h| h.method = 99)), ArchiveEncrypted),
        case("zip flag encrypted", flag(1), ArchiveEncrypted),
        case("zip flag strong encryption", flag(1 | 1 << 6), ArchiveEncrypted),
        case("zip flag strong encryption alone", flag(1 << 6), ArchiveEncrypted),
        case("zip flag masked headers", flag(1 << 13), ArchiveEncrypted),
        case("zip flag patch data", flag(1 << 5), ArchiveUnreadable),
        case("zip flag enhanced deflate", flag(1 << 4), ArchiveUnreadable),
        case("zip flag reserved", flag(1 << 15), ArchiveUnreadable),
        case(
            "zip extra aes",
            beside(Member::stored("s/x", b"y").both(|h| h.extra = extra(0x9901, &[0; 7]))),
            ArchiveEncrypted,
        ),
        case(
            "zip extra strong encryption",
            beside(Member::stored("s/x", b"y").both(|h| h.extra = extra(0x0017, &[0; 8]))),
            ArchiveEncrypted,
        ),
        case(
            "zip encrypted in the local header only",
            beside(Member::stored("s/x", b"y").with(|m| m.local.flags |= 1)),
            ArchiveUnreadable,
        ),
    ]);
    rows
}

fn sizes() -> Vec<Case> {
    let text = b"some text that is long enough to be cut";
    let set = |member: Member, change: fn(&mut Head)| beside(member.both(change));
    vec![
        case("zip size too small", set(Member::deflated("s/x", text), |h| h.size = 10), ArchiveUnreadable),
        case("zip size too large", set(Member::deflated("s/x", text), |h| h.size = 100), ArchiveUnreadable),
        case("zip size zero", set(Member::deflated("s/x", text), |h| h.size = 0), ArchiveUnreadable),
        case("zip size one less", set(Member::deflated("s/x", text), |h| h.size -= 1), ArchiveUnreadable),
        case(
            "zip stored size too small",
            set(Member::stored("s/x", text), |h| h.size = 10),
            ArchiveUnreadable,
        ),
        case(
            "zip stored size too large",
            set(Member::stored("s/x", text), |h| h.size = 100),
            ArchiveUnreadable,
        ),
        case(
            "zip size of almost 4 GiB",
            set(Member::deflated("s/x", text), |h| h.size = u32::MAX - 1),
            FileTooLarge,
        ),
        case(
            "zip size above the limit for a file",
            set(Member::deflated("s/x", text), |h| h.size = (16 << 20) + 1),
            FileTooLarge,
        ),
        case(
            "zip packed size too small",
            set(Member::deflated("s/x", text), |h| h.packed -= 1),
            ArchiveTrailing,
        ),
        case(
            "zip packed size too large",
            set(Member::deflated("s/x", text), |h| h.packed += 1),
            ArchiveUnreadable,
        ),
        case(
            "zip packed size huge",
            set(Member::deflated("s/x", text), |h| h.packed = u32::MAX - 1),
            ArchiveUnreadable,
        ),
        case(
            "zip bytes behind the deflate stream",
            beside(Member::deflated("s/x", text).with(|m| {
                m.data.extend(b"hidden");
                m.local.packed += 6;
                m.central.packed += 6;
            })),
            ArchiveUnreadable,
        ),
        case(
            "zip deflate stream without an end",
            beside(Member::deflated("s/x", text).with(|m| {
                m.data.truncate(m.data.len() - 4);
                m.local.packed -= 4;
                m.central.packed -= 4;
            })),
            ArchiveUnreadable,
        ),
        case(
            "zip deflate stream of nonsense",
            beside(Member::deflated("s/x", text).with(|m| m.data.fill(0xff))),
            ArchiveUnreadable,
        ),
        case(
            "zip empty deflate stream",
            beside(Member::deflated("s/x", b"").with(|m| {
                m.data.clear();
                m.local.packed = 0;
                m.central.packed = 0;
            })),
            ArchiveUnreadable,
        ),
        case("zip checksum wrong", set(Member::deflated("s/x", text), |h| h.crc ^= 1), ArchiveUnreadable),
        case("zip checksum zero", set(Member::stored("s/x", text), |h| h.crc = 0), ArchiveUnreadable),
        case(
            "zip stored data changed",
            beside(Member::stored("s/x", text).with(|m| m.data[3] ^= 0x20)),
            ArchiveUnreadable,
        ),
        case(
            "zip checksum wrong in noise",
            beside(Member::stored(".DS_Store", text).both(|h| h.crc ^= 1)),
            ArchiveUnreadable,
        ),
    ]
}

fn disagreements() -> Vec<Case> {
    let member = || Member::deflated("s/a.txt", b"some text some text");
    let local = |change: fn(&mut Head)| beside(member().with(|m| change(&mut m.local)));
    let streamed = |change: fn(&mut Member)| beside(Member::streamed("s/a.txt", b"some text").with(change));
    vec![
        case("zip local name differs", local(|h| h.name = b"s/b.txt".to_vec()), ArchiveUnreadable),
        case("zip local name leads out", local(|h| h.name = b"../evil".to_vec()), ArchiveUnreadable),
        case("zip local name by case", local(|h| h.name = b"s/A.txt".to_vec()), ArchiveUnreadable),
        case("zip local name longer", local(|h| h.name = b"s/a.txt.sh".to_vec()), ArchiveUnreadable),
        case("zip local name empty", local(|h| h.name = Vec::new()), ArchiveUnreadable),
        case("zip local method differs", local(|h| h.method = 0), ArchiveUnreadable),
        case("zip local flags differ", local(|h| h.flags = 1 << 11), ArchiveUnreadable),
        case("zip local says descriptor", local(|h| h.flags = 8), ArchiveUnreadable),
        case("zip local checksum differs", local(|h| h.crc ^= 1), ArchiveUnreadable),
        case("zip local size differs", local(|h| h.size += 1), ArchiveUnreadable),
        case("zip local packed size differs", local(|h| h.packed -= 1), ArchiveUnreadable),
        case("zip local sums are zero", local(|h| (h.crc, h.packed, h.size) = (0, 0, 0)), ArchiveUnreadable),
        case("zip local signature wrong", local(|h| h.signature = 0x0403_4b51), ArchiveUnreadable),
        case(
            "zip central signature wrong",
            beside(member().with(|m| m.central.signature = 0x0605_4b51)),
            ArchiveUnreadable,
        ),
        case("zip streamed local sums half set", streamed(|m| m.local.size = 5), ArchiveUnreadable),
        case("zip descriptor missing", streamed(|m| m.descriptor.clear()), ArchiveTrailing),
        case("zip descriptor cut", streamed(|m| m.descriptor.truncate(15)), ArchiveTrailing),
        case("zip descriptor of zip64", streamed(|m| m.descriptor.extend([0; 8])), ArchiveTrailing),
        case("zip descriptor checksum differs", streamed(|m| m.descriptor[5] ^= 1), ArchiveUnreadable),
        case("zip descriptor size differs", streamed(|m| m.descriptor[12] ^= 1), ArchiveUnreadable),
        case("zip descriptor signature wrong", streamed(|m| m.descriptor[0] = b'Q'), ArchiveTrailing),
        case(
            "zip unsigned descriptor differs",
            streamed(|m| {
                m.descriptor = m.descriptor_bytes(false);
                m.descriptor[0] ^= 1;
            }),
            ArchiveUnreadable,
        ),
        case(
            "zip descriptor without its flag",
            beside(member().with(|m| m.descriptor = m.descriptor_bytes(true))),
            ArchiveTrailing,
        ),
        case(
            "zip stored and streamed",
            beside(Member::stored("s/x", b"PK\x07\x08 inside").both(|h| h.flags |= 8).with(|m| {
                m.descriptor = m.descriptor_bytes(true);
                (m.local.crc, m.local.packed, m.local.size) = (0, 0, 0);
            })),
            ArchiveUnreadable,
        ),
        case(
            "zip stored with two sizes",
            beside(Member::stored("s/x", b"y").both(|h| h.size = 2)),
            ArchiveUnreadable,
        ),
        case("zip disk number of an entry", beside(member().with(|m| m.disk = 1)), ArchiveUnreadable),
    ]
}

fn extras() -> Vec<Case> {
    let with_extra =
        |bytes: Vec<u8>| beside(Member::stored("s/x", b"y").both(|h| h.extra.clone_from(&bytes)));
    let in_local = |bytes: Vec<u8>| beside(Member::stored("s/x", b"y").with(|m| m.local.extra = bytes));
    let unicode = |version: u8, sum: u32, name: &str| {
        extra(0x7075, &[&[version], sum.to_le_bytes().as_slice(), name.as_bytes()].concat())
    };
    vec![
        case("zip zip64 extra", with_extra(extra(1, &[0; 16])), ArchiveUnreadable),
        case("zip zip64 extra, empty", with_extra(extra(1, &[])), ArchiveUnreadable),
        case("zip zip64 extra in the local header", in_local(extra(1, &[0; 16])), ArchiveUnreadable),
        case(
            "zip zip64 sizes",
            beside(Member::stored("s/x", b"y").both(|h| {
                h.extra = extra(1, &[1_u64.to_le_bytes(), 1_u64.to_le_bytes()].concat());
                (h.packed, h.size) = (u32::MAX, u32::MAX);
            })),
            ArchiveUnreadable,
        ),
        case(
            "zip zip64 size without its field",
            beside(Member::stored("s/x", b"y").both(|h| h.size = u32::MAX)),
            ArchiveUnreadable,
        ),
        case(
            "zip zip64 packed size without its field",
            beside(Member::stored("s/x", b"y").both(|h| h.packed = u32::MAX)),
            ArchiveUnreadable,
        ),
        case(
            "zip zip64 offset without its field",
            beside(Member::stored("s/x", b"y").with(|m| m.offset = Some(u32::MAX))),
            ArchiveUnreadable,
        ),
        case("zip unicode path differs", with_extra(unicode(1, crc(b"s/x"), "../evil")), ArchiveUnreadable),
        case(
            "zip unicode path in the local header",
            in_local(unicode(1, crc(b"s/x"), "s/z")),
            ArchiveUnreadable,
        ),
        case("zip unicode path of another sum", with_extra(unicode(1, 0, "s/x")), ArchiveUnreadable),
        case("zip unicode path of version 2", with_extra(unicode(2, crc(b"s/x"), "s/x")), ArchiveUnreadable),
        case("zip unicode path cut", with_extra(extra(0x7075, &[1])), ArchiveUnreadable),
        case("zip extra field cut", with_extra(vec![0x55, 0x54, 9, 0, 1]), ArchiveUnreadable),
        case("zip extra field of three bytes", with_extra(vec![0; 3]), ArchiveUnreadable),
        case(
            "zip extra field too long in the local header",
            in_local(vec![0x55, 0x54, 0xff, 0xff]),
            ArchiveUnreadable,
        ),
    ]
}
