//! Packages: a skill as one file, read and written in memory.
//!
//! A package is a zip (`.zip`, `.skill`), a gzip'ed tar (`.tar.gz`, `.tgz`) or a bare `SKILL.md`. What it
//! is follows from its first bytes, never from its name. Both archive formats are read by strict walkers
//! of our own rather than by a general library: the formats say most things twice, libraries pick one
//! of the two, and a package that means one thing to a scanner and another to an installer is how files
//! are smuggled. Here every byte must belong to exactly one thing and everything said twice must agree.
//! Both walkers hand each entry to one gate, which alone decides on paths, kinds and sizes.
//!
//! A refused package gives no tree at all; there is no half-read archive.

mod deflate;
mod end_record;
mod fields;
mod gate;
mod gunzip;
mod layout;
mod pax;
mod refuse;
mod resources;
mod tar;
mod tar_header;
mod write_tar;
mod write_zip;
mod zip;
mod zip_attributes;
mod zip_records;

pub use resources::{Content, READ_LIMIT, Resource, text_resources};
pub use write_tar::{write_tar_gz, write_tar_gz_bare};
pub use write_zip::write_zip;

use crate::{
    diagnostic::{Code, Diagnostic},
    tree::{Limits, Tree, TreeFile, TreePath},
};
use gate::Gate;
use std::fmt;

/// What kind of file a package arrived as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The text of a `SKILL.md` alone.
    SkillFile,
    /// A zip archive, whatever its name ends in.
    Zip,
    /// A tar archive in a gzip stream.
    TarGz,
}

/// A package that was read: a skill's files and what is worth knowing about the way they came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// What it arrived as.
    pub kind: Kind,
    /// The files, with the skill file at the top.
    pub tree: Tree,
    /// The folder around all files, when the archive had one; often the skill's name.
    pub folder: Option<String>,
    /// What was left out.
    pub diagnostics: Vec<Diagnostic>,
}

/// A package that was refused as a whole, and why. Nothing of it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The reasons; never empty.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the package is refused")?;
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { ": " } else { "; " }, diagnostic.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}

/// Reads a package. `hint` is the file's name, used in messages and to notice that a file called
/// `x.zip` is no archive; it never decides how the bytes are read.
pub fn read(bytes: &[u8], hint: Option<&str>, limits: &Limits) -> Result<Package, Refused> {
    let named = |mut diagnostic: Diagnostic| {
        diagnostic.path = diagnostic.path.or_else(|| hint.map(Into::into));
        diagnostic
    };
    match read_any(bytes, hint.unwrap_or_default(), limits) {
        Ok(mut package) => {
            package.diagnostics = package.diagnostics.into_iter().map(named).collect();
            Ok(package)
        }
        Err(diagnostic) => Err(Refused { diagnostics: vec![named(diagnostic)] }),
    }
}

/// Reads the files of an archive that need not be a skill, such as one that lies inside a skill and
/// is to be looked into. The same gate and the same limits hold; nothing is left out for its place.
pub fn contents(bytes: &[u8], limits: &Limits) -> Result<Tree, Refused> {
    let refused = |diagnostic| Refused { diagnostics: vec![diagnostic] };
    let mut gate = Gate::new(bytes.len(), limits);
    match bytes {
        [0x1f, 0x8b, ..] => {
            let mut plain = gunzip::Gunzip::new(bytes).map_err(refused)?;
            tar::unpack(&mut plain, &mut gate).map_err(refused)?;
        }
        _ => zip::unpack(bytes, &mut gate).map_err(refused)?,
    }
    let mut tree = Tree::default();
    for (path, file) in gate.finish().0 {
        tree.insert(path, file, limits).map_err(refused)?;
    }
    Ok(tree)
}

fn read_any(bytes: &[u8], hint: &str, limits: &Limits) -> Result<Package, Diagnostic> {
    if bytes.len() as u64 > limits.packed_bytes {
        return Err(Diagnostic::new(
            Code::ArchiveTooLarge,
            format!("the package has {} bytes; the limit is {}", bytes.len(), limits.packed_bytes),
        ));
    }
    let mut gate = Gate::new(bytes.len(), limits);
    let kind = match bytes {
        [b'P', b'K', 3 | 5, ..] => {
            zip::unpack(bytes, &mut gate)?;
            Kind::Zip
        }
        [0x1f, 0x8b, ..] => {
            tar::unpack(&mut gunzip::Gunzip::new(bytes)?, &mut gate)?;
            Kind::TarGz
        }
        _ => return bare_skill_file(bytes, hint, limits),
    };
    let (files, diagnostics) = gate.finish();
    let (tree, folder) = layout::place(files, limits)?;
    Ok(Package { kind, tree, folder, diagnostics })
}

fn bare_skill_file(bytes: &[u8], hint: &str, limits: &Limits) -> Result<Package, Diagnostic> {
    let hint = hint.to_ascii_lowercase();
    let ends_in = |endings: &[&str]| endings.iter().any(|ending| hint.ends_with(ending));
    if let Some(diagnostic) = not_text(bytes, ends_in(&[".md", ".markdown", ".txt"])) {
        return Err(diagnostic);
    }
    if ends_in(&[".zip", ".skill", ".gz", ".tgz", ".tar"]) {
        return Err(Diagnostic::new(
            Code::ArchiveUnreadable,
            "the file is named like an archive but holds text",
        )
        .help("a failed download often leaves an error page under the archive's name; fetch it again"));
    }
    let path = TreePath::new("SKILL.md", limits)
        .map_err(|fault| Diagnostic::new(Code::EntryPath, format!("the path `SKILL.md` {fault}")))?;
    let mut tree = Tree::default();
    tree.insert(path, TreeFile { bytes: bytes.to_vec(), executable: false }, limits)?;
    Ok(Package { kind: Kind::SkillFile, tree, folder: None, diagnostics: Vec::new() })
}

/// Says what the bytes are instead, as precisely as is useful to the person who sent them.
fn not_text(bytes: &[u8], named_text: bool) -> Option<Diagnostic> {
    let unreadable = |message| Diagnostic::new(Code::ArchiveUnreadable, message).help(refuse::KINDS);
    if bytes.is_empty() {
        return Some(unreadable("the file is empty".to_owned()));
    }
    let has_nul = memchr::memchr(0, bytes).is_some();
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    if is_utf8 && !has_nul {
        return None;
    }
    if end_record::is_present(bytes) {
        return Some(
            Diagnostic::new(
                Code::ArchiveTrailing,
                "bytes stand before the zip archive, as in a self-extracting one",
            )
            .help("send the plain archive"),
        );
    }
    let known = match bytes {
        [b'7', b'z', 0xbc, 0xaf, ..] => Some("a 7z archive"),
        [b'R', b'a', b'r', b'!', ..] => Some("a RAR archive"),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some("an xz stream"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("a zstd stream"),
        [b'B', b'Z', b'h', ..] => Some("a bzip2 stream"),
        _ if bytes.get(257..262) == Some(b"ustar".as_slice()) => Some("a tar archive without gzip around it"),
        _ => None,
    };
    Some(match known {
        Some(kind) => unreadable(format!("the file is {kind}")),
        None if named_text && !is_utf8 => {
            Diagnostic::new(Code::NotUtf8, "the skill file is not UTF-8 text").help("save it as UTF-8")
        }
        None if named_text => {
            Diagnostic::new(Code::NulByte, "the skill file holds a NUL byte, so it is not text")
        }
        None => unreadable("the file is neither an archive nor text".to_owned()),
    })
}
