//! Reading a package, whatever it is.

use crate::{gate::Gate, layout, refuse, tar, zip};
use skillful_format::{Code, Diagnostic, Limits, Tree, TreeFile, TreePath};
use std::{fmt, path::Path};

/// The kind of file that a package is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageKind {
    /// The text of a `SKILL.md` alone.
    SkillFile,
    /// A zip archive, whatever its name ends in.
    Zip,
    /// A tar archive in a gzip stream.
    TarGz,
}

/// A package that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The kind of file.
    pub kind: PackageKind,
    /// The files, with the skill file at the top.
    pub tree: Tree,
    /// The folder around all files, when the archive had one; often the skill's name.
    pub folder: Option<String>,
    /// Entries that were skipped.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a package was refused. Nothing of it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedPackage {
    /// The reasons; never empty.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for RefusedPackage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: Vec<&str> = self.diagnostics.iter().map(|found| found.message.as_str()).collect();
        f.write_str(&messages.join("; "))
    }
}

impl std::error::Error for RefusedPackage {}

/// Reads a package. `hint` is the file's name, used in messages and to notice that a file called
/// `x.zip` is not an archive; it never decides how the bytes are read.
pub fn read(bytes: &[u8], hint: Option<&str>, limits: &Limits) -> Result<Package, RefusedPackage> {
    let named = |mut diagnostic: Diagnostic| {
        diagnostic.path = diagnostic.path.or_else(|| hint.map(|hint| Path::new(hint).into()));
        diagnostic
    };
    match read_any(bytes, hint.unwrap_or_default(), limits) {
        Ok(mut package) => {
            package.diagnostics = package.diagnostics.into_iter().map(named).collect();
            Ok(package)
        }
        Err(diagnostic) => Err(RefusedPackage { diagnostics: vec![named(diagnostic)] }),
    }
}

/// Reads the files of an archive that need not be a skill, such as one that lies inside a skill and is to be
/// audited. The same gate and the same limits hold; no file is skipped because of its place.
pub fn contents(bytes: &[u8], limits: &Limits) -> Result<Tree, RefusedPackage> {
    let refused = |diagnostic| RefusedPackage { diagnostics: vec![diagnostic] };
    let mut gate = Gate::new(bytes.len(), limits);
    match bytes {
        [0x1f, 0x8b, ..] => tar::unpack(bytes, &mut gate).map_err(refused)?,
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
            PackageKind::Zip
        }
        [0x1f, 0x8b, ..] => {
            tar::unpack(bytes, &mut gate)?;
            PackageKind::TarGz
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
    Ok(Package { kind: PackageKind::SkillFile, tree, folder: None, diagnostics: Vec::new() })
}

/// What the bytes are when they are not text, as precisely as helps the user who sent them.
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
    if zip::ends_like_zip(bytes) {
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
