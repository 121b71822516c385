//! From a folder to a loaded skill: which file counts, which sidecars there are, what they say.

use crate::{
    host::Links,
    scan::folder::{FileRead, Folder, Kind, Name, Stamp},
};
use serde::{Deserialize, Serialize};
use skillful_format::{
    Code, Diagnostic, Document, Manifest, Severity, Sidecar, Sidecars, Soundness, lint,
    sidecar::{SIDECAR_FILES, SIDECAR_LIMIT},
    source::FILE_LIMIT,
};
use std::path::Path;

/// A skill as it was loaded: everything but its body, which is read again when it is needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// What its header says.
    pub manifest: Manifest,
    /// What the files beside it say.
    pub sidecar: Sidecar,
    /// How far the header can be believed.
    pub soundness: Soundness,
    /// Whether there is a header at all.
    pub has_header: bool,
    /// Bytes of the file before its body.
    pub body_offset: u32,
    /// Bytes of the file.
    pub size: u32,
    /// Folders of the skill that agents know: `scripts`, `references`, `assets`.
    pub parts: Vec<String>,
    /// Everything found while reading it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// The worst finding.
    pub fn worst(&self) -> Option<Severity> {
        self.diagnostics.iter().map(|d| d.severity).max()
    }

    pub(crate) fn of(document: Document, size: usize) -> Self {
        let small = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Self {
            has_header: document.header.is_some(),
            body_offset: small(document.body.start),
            size: small(size),
            parts: Vec::new(),
            manifest: document.manifest,
            sidecar: document.sidecar,
            soundness: document.soundness,
            diagnostics: document.diagnostics,
        }
    }
}

const PARTS: [&str; 3] = ["assets", "references", "scripts"];

type Sources = Vec<(String, Option<Stamp>)>;

/// The skill of a folder, if it is one.
pub(crate) fn skill_of(
    folder: &Folder,
    path: &Path,
    names: &[Name],
    files: &[String],
    links: Links,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(String, Sources, Loaded)> {
    let mut candidates = files.iter().filter_map(|file| {
        let at = names.binary_search_by(|name| name.text.as_str().cmp(file)).ok()?;
        match names[at].kind {
            Kind::File => Some(file),
            Kind::Link if links == Links::Follow => match folder.kind_of(file) {
                Some(Kind::File) => Some(file),
                Some(_) => None,
                None => {
                    diagnostics.push(
                        Diagnostic::new(
                            Code::LinkBroken,
                            format!("`{file}` is a link that points at nothing"),
                        )
                        .in_path(path.join(file))
                        .help("mend or remove the link"),
                    );
                    None
                }
            },
            Kind::Link => {
                diagnostics.push(
                    Diagnostic::new(
                        Code::LinkRefused,
                        format!("`{file}` is a link, which this scope does not follow"),
                    )
                    .in_path(path.join(file)),
                );
                None
            }
            Kind::Folder | Kind::Other => None,
        }
    });
    let file = candidates.next()?;
    let second = candidates.next();
    let folder_name = path.file_name().and_then(|name| name.to_str());
    let mut sources: Sources = Vec::new();
    let mut loaded = read(folder, file, names, &mut sources, folder_name);
    let place = path.join(file);
    for diagnostic in &mut loaded.diagnostics {
        // A sidecar's findings name their file relative to the skill.
        diagnostic.path = Some(match diagnostic.path.take() {
            Some(relative) => path.join(relative),
            None => place.clone(),
        });
    }
    if let Some(second) = second {
        loaded.diagnostics.push(
            Diagnostic::new(Code::BothFileNames, format!("there is also `{second}`; only `{file}` is read"))
                .in_path(&place)
                .help("remove one of the two"),
        );
    } else if file == "skill.md" {
        loaded.diagnostics.push(
            Diagnostic::new(
                Code::LowerCaseFileName,
                "most agents look for `SKILL.md` and do not see this file",
            )
            .in_path(&place)
            .help("rename it to `SKILL.md`"),
        );
    }
    loaded.parts = PARTS
        .iter()
        .filter(|part| names.binary_search_by(|name| name.text.as_str().cmp(part)).is_ok())
        .map(|part| (*part).to_owned())
        .collect();
    Some((file.clone(), sources, loaded))
}

fn read(
    folder: &Folder,
    file: &str,
    names: &[Name],
    sources: &mut Sources,
    folder_name: Option<&str>,
) -> Loaded {
    let broken =
        |code: Code, message: String| Loaded::of(Document::broken(vec![Diagnostic::new(code, message)]), 0);
    let bytes = match folder.read(file, FILE_LIMIT) {
        Ok(FileRead::Bytes(bytes, stamp)) => {
            sources.push((file.to_owned(), Some(stamp)));
            bytes
        }
        Ok(FileRead::TooLarge(stamp)) => {
            sources.push((file.to_owned(), Some(stamp)));
            return broken(
                Code::FileTooLarge,
                format!("`{file}` is larger than {FILE_LIMIT} bytes and was not read"),
            );
        }
        Ok(FileRead::NotAFile) => {
            return broken(Code::FileUnreadable, format!("`{file}` is not a regular file"));
        }
        Err(error) => return broken(Code::FileUnreadable, format!("`{file}` could not be read: {error}")),
    };
    let mut found = Vec::new();
    let mut side = |path: &str, found: &mut Vec<Diagnostic>| match folder.read(path, SIDECAR_LIMIT) {
        Ok(FileRead::Bytes(bytes, stamp)) => {
            sources.push((path.to_owned(), Some(stamp)));
            Some(bytes)
        }
        Ok(FileRead::TooLarge(stamp)) => {
            sources.push((path.to_owned(), Some(stamp)));
            let message = format!("`{path}` is larger than {SIDECAR_LIMIT} bytes and was left out");
            found.push(Diagnostic::new(Code::SidecarUnreadable, message).in_path(path));
            None
        }
        Ok(FileRead::NotAFile) | Err(_) => {
            sources.push((path.to_owned(), None));
            None
        }
    };
    let has = |name: &str| names.binary_search_by(|entry| entry.text.as_str().cmp(name)).is_ok();
    let [skillful_file, openai_file, toml_file] = SIDECAR_FILES;
    let (skillful, openai) = if has("agents") {
        (side(skillful_file, &mut found), side(openai_file, &mut found))
    } else {
        (None, None)
    };
    let toml = if has(toml_file) { side(toml_file, &mut found) } else { None };
    let sidecars =
        Sidecars { skillful: skillful.as_deref(), openai: openai.as_deref(), toml: toml.as_deref() };
    let document = Document::read(&bytes, &sidecars);
    found.extend(lint::header(&document, folder_name));
    let mut loaded = Loaded::of(document, bytes.len());
    loaded.diagnostics.extend(found);
    loaded
}
