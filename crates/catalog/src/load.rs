//! From a folder to a loaded skill: which file counts, which sidecars there are, and their fields.

use crate::{
    bounded::Boundary,
    folder::{FileKind, FileRead, Folder, Name, Stamp},
    profile::Links,
    walked::SkillHead,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use skillful_format::{
    Code, Diagnostic, Document, Manifest, Severity, Sidecar, Sidecars, Soundness, Tree,
    body_commands::{self, BodyCommand},
    lint,
    sidecar::{SIDECAR_FILES, SIDECAR_LIMIT},
    source::FILE_LIMIT,
};
use std::{
    cell::{Cell, LazyCell},
    collections::BTreeSet,
    ops::Deref,
    path::Path,
    sync::{Arc, LazyLock},
};
use xxhash_rust::xxh3::xxh3_64;

/// A skill as it was loaded: everything but its body, which is read again when it is needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// The fields of its frontmatter.
    pub manifest: Manifest,
    /// The fields of its sidecars.
    pub sidecar: LoadedSidecar,
    /// How far the frontmatter can be believed.
    pub soundness: Soundness,
    /// Whether there is frontmatter at all.
    pub has_header: bool,
    /// Bytes of the file before its body.
    pub body_offset: u32,
    /// Bytes of the file.
    pub size: u32,
    /// Whether anything but blanks follows the frontmatter.
    pub has_body: bool,
    /// Changes with any byte of the file or its sidecars.
    pub content: u64,
    /// Commands that the body asks to be run before a model reads it. Activation runs no other.
    pub commands: BTreeSet<String>,
    /// Texts that another agent may read as such commands; they are not run here.
    pub shown_commands: BTreeSet<String>,
    /// Folders of the skill that agents know: `scripts`, `references`, `assets`.
    pub parts: Vec<String>,
    /// Everything found while reading it.
    pub diagnostics: Vec<Diagnostic>,
}

/// The fields of the sidecars of a skill. Most skills have none, and then they take no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedSidecar(Option<Box<Sidecar>>);

static NO_SIDECAR: LazyLock<Sidecar> = LazyLock::new(Sidecar::default);

impl Deref for LoadedSidecar {
    type Target = Sidecar;

    fn deref(&self) -> &Sidecar {
        self.0.as_deref().unwrap_or(&NO_SIDECAR)
    }
}

impl From<Sidecar> for LoadedSidecar {
    fn from(sidecar: Sidecar) -> Self {
        Self((sidecar != *NO_SIDECAR).then(|| Box::new(sidecar)))
    }
}

impl Loaded {
    /// The worst finding.
    pub fn worst(&self) -> Option<Severity> {
        self.diagnostics.iter().map(|d| d.severity).max()
    }

    /// A skill of which nothing is known but what went wrong.
    pub(crate) fn broken(code: Code, message: String) -> Self {
        Self::of(Document::broken(vec![Diagnostic::new(code, message)]), &[])
    }

    /// A skill in memory, such as one that was fetched; none when the tree has no skill file.
    pub fn of_tree(tree: &Tree) -> Option<Self> {
        let (name, file) = tree.skill_file()?;
        if file.bytes.len() as u64 > FILE_LIMIT {
            let message = format!("`{name}` is larger than {FILE_LIMIT} bytes and was not read");
            return Some(Self::broken(Code::FileTooLarge, message));
        }
        let side = |at: usize| {
            let file = tree.get(SIDECAR_FILES[at])?;
            (file.bytes.len() as u64 <= SIDECAR_LIMIT).then_some(file.bytes.as_slice())
        };
        let sidecars = Sidecars { skillful: side(0), openai: side(1), toml: side(2) };
        let mut loaded = Self::of(Document::read(&file.bytes, &sidecars), &file.bytes);
        let has = |part: &str| tree.iter().any(|(path, _)| path.parents().next() == Some(part));
        loaded.parts = PARTS.iter().filter(|part| has(part)).map(|part| (*part).to_owned()).collect();
        Some(loaded)
    }

    /// The skill of one file, with the sidecars beside it; none when it is not a readable regular file.
    pub fn read(file: &Path, within: Option<&Boundary>) -> Option<Self> {
        let folder = Folder::open(file.parent()?).ok()?;
        let name = file.file_name()?.to_str()?;
        let bytes = match folder.read_inside(name, FILE_LIMIT, within).ok()? {
            FileRead::Bytes(bytes, _) => bytes,
            FileRead::TooLarge(_) => {
                let message = format!("`{name}` is larger than {FILE_LIMIT} bytes and was not read");
                return Some(Self::broken(Code::FileTooLarge, message));
            }
            FileRead::NotAFile | FileRead::Outside(_) => return None,
        };
        let side = SIDECAR_FILES.map(|name| match folder.read_inside(name, SIDECAR_LIMIT, within) {
            Ok(FileRead::Bytes(bytes, _)) => Some(bytes),
            _ => None,
        });
        let [skillful, openai, toml] = &side;
        let sidecars =
            Sidecars { skillful: skillful.as_deref(), openai: openai.as_deref(), toml: toml.as_deref() };
        Some(Self::of(Document::read(&bytes, &sidecars), &bytes))
    }

    /// A `skill.toml` without a SKILL.md.
    pub(crate) fn of_toml(bytes: &[u8]) -> Self {
        let document = Document::read(&[], &Sidecars { toml: Some(bytes), ..Sidecars::default() });
        // What a sidecar may do without, an override may not: its gates would be lost.
        let broken = document.diagnostics.iter().any(|found| found.code == Code::SidecarUnreadable);
        let mut loaded = Self::of(document, &[]);
        loaded.content = xxh3_64(bytes);
        loaded.has_header = true;
        loaded.diagnostics.retain(|found| found.code != Code::NoFrontmatter);
        if broken {
            loaded.soundness = Soundness::Broken;
        }
        loaded
    }

    pub(crate) fn of(document: Document, bytes: &[u8]) -> Self {
        let body = document.body_text(bytes);
        Self::with_body(document, bytes, &body)
    }

    fn with_body(document: Document, bytes: &[u8], body: &str) -> Self {
        let small = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let texts = |found: Vec<BodyCommand>| found.into_iter().map(|command| command.text).collect();
        Self {
            has_header: document.frontmatter.is_some(),
            body_offset: small(document.body.start),
            size: small(bytes.len()),
            has_body: !body.as_bytes().trim_ascii().is_empty(),
            content: xxh3_64(bytes),
            commands: texts(body_commands::commands(body)),
            shown_commands: texts(body_commands::shown(body)),
            parts: Vec::new(),
            manifest: document.manifest,
            sidecar: document.sidecar.into(),
            soundness: document.soundness,
            diagnostics: document.diagnostics,
        }
    }
}

/// The sidecar that can stand alone, in an operator's override.
const TOML: &str = SIDECAR_FILES[2];
const OUTSIDE: &str = "is a link that leads out of the repository or plugin, and was not read";
const COPY: &str = "copy the file into the skill";
const PARTS: [&str; 3] = ["assets", "references", "scripts"];

thread_local! {
    /// The bytes of the skill file that a thread reads. One buffer for all of them: a buffer for each would leave holes
    /// between what is kept of the skills.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

type Sources = Vec<(String, Option<Stamp>)>;

/// The skill of a folder, if it is one. `head` gets the head of its file.
pub(crate) fn skill_of(
    folder: &Folder,
    path: &Path,
    names: &[Name],
    files: &[String],
    (links, within): (Links, Option<&Boundary>),
    diagnostics: &mut Vec<Diagnostic>,
    head: Option<&mut Option<SkillHead>>,
) -> Option<(String, Sources, Loaded)> {
    let mut candidates = files.iter().filter_map(|file| {
        let at = names.binary_search_by(|name| name.text.as_str().cmp(file)).ok()?;
        let mut refuse = |code: Code, what: &str, help: &'static str| {
            let found = Diagnostic::new(code, format!("`{file}` {what}"));
            diagnostics.push(found.in_path(path.join(file)).help(help));
            None
        };
        let kind = match names[at].kind {
            FileKind::Link if links == Links::Skip => {
                return refuse(
                    Code::LinkRefused,
                    "is a link, which this scope does not follow",
                    "copy the file",
                );
            }
            FileKind::Link => folder.kind_of(file),
            known => Some(known),
        };
        match kind {
            Some(FileKind::File) => Some(file),
            Some(FileKind::Other) => refuse(Code::FileUnreadable, WAITS, "put a text file in its place"),
            Some(_) => refuse(Code::FileUnreadable, "is not a regular file", "put a text file in its place"),
            None => refuse(Code::LinkBroken, "is a link that points at nothing", "repair or remove the link"),
        }
    });
    let file = candidates.next()?;
    let second = candidates.next();
    let folder_name = path.file_name().and_then(|name| name.to_str());
    // Few skills have sidecars.
    let mut sources: Sources = Vec::with_capacity(1);
    let reading = Reading { folder, names, folder_name, within };
    let mut loaded = read(&reading, file, &mut sources, head);
    // Made when there is a finding.
    let place: LazyCell<Arc<Path>, _> = LazyCell::new(|| path.join(file).into());
    for diagnostic in &mut loaded.diagnostics {
        // A formatted text has room for more, and a large catalog keeps two of them for each skill.
        diagnostic.message.shrink_to_fit();
        // A sidecar's findings name their file relative to the skill.
        diagnostic.path = Some(match diagnostic.path.take() {
            Some(relative) => path.join(relative).into(),
            None => Arc::clone(&*place),
        });
    }
    if let Some(second) = second.filter(|second| *second != TOML) {
        loaded.diagnostics.push(
            Diagnostic::new(Code::BothFileNames, format!("there is also `{second}`; only `{file}` is read"))
                .in_path(&**place)
                .help("remove one of the two"),
        );
    } else if file == "skill.md" {
        loaded.diagnostics.push(
            Diagnostic::new(
                Code::LowerCaseFileName,
                "most agents look for `SKILL.md` and do not see this file",
            )
            .in_path(&**place)
            .help("rename it to `SKILL.md`"),
        );
    }
    loaded.parts = PARTS
        .iter()
        .filter(|part| names.binary_search_by(|name| name.text.as_str().cmp(part)).is_ok())
        .map(|part| (*part).to_owned())
        .collect();
    loaded.diagnostics.shrink_to_fit();
    Some((file.clone(), sources, loaded))
}

/// A file that no agent can read to its end.
const WAITS: &str = "is a pipe, a socket or a device; OpenCode and gemini-cli wait for it without end";

/// The folder that a skill is read from.
struct Reading<'a> {
    folder: &'a Folder,
    names: &'a [Name],
    folder_name: Option<&'a str>,
    within: Option<&'a Boundary>,
}

fn read(
    reading: &Reading<'_>,
    file: &str,
    sources: &mut Sources,
    head: Option<&mut Option<SkillHead>>,
) -> Loaded {
    let Reading { folder, names, folder_name, within } = *reading;
    if file == TOML {
        return supplied(folder, within, sources);
    }
    let bytes = match folder.read_into(file, FILE_LIMIT, within, BUFFER.take()) {
        Ok(FileRead::Bytes(bytes, stamp)) => {
            sources.push((file.to_owned(), Some(stamp)));
            bytes
        }
        Ok(FileRead::TooLarge(stamp)) => {
            sources.push((file.to_owned(), Some(stamp)));
            let message = format!(
                "`{file}` is larger than {FILE_LIMIT} bytes, the limit of Skillful, and was not read"
            );
            return Loaded::broken(Code::FileTooLarge, message);
        }
        Ok(FileRead::Outside(_)) => {
            sources.push((file.to_owned(), None));
            let mut loaded = Loaded::broken(Code::LinkOutside, format!("`{file}` {OUTSIDE}"));
            for diagnostic in &mut loaded.diagnostics {
                diagnostic.severity = Severity::Error;
                diagnostic.help = Some(COPY.into());
            }
            return loaded;
        }
        failed => {
            // As if it were not there: a repair makes the record outdated.
            sources.push((file.to_owned(), None));
            let why = match failed {
                Err(error) => format!("could not be read: {error}"),
                Ok(_) => "is not a regular file".to_owned(),
            };
            return Loaded::broken(Code::FileUnreadable, format!("`{file}` {why}"));
        }
    };
    let mut found = Vec::new();
    let mut side =
        |path: &str, found: &mut Vec<Diagnostic>| match folder.read_inside(path, SIDECAR_LIMIT, within) {
            Ok(FileRead::Bytes(bytes, stamp)) => {
                sources.push((path.to_owned(), Some(stamp)));
                Some(bytes)
            }
            Ok(FileRead::TooLarge(stamp)) => {
                sources.push((path.to_owned(), Some(stamp)));
                let message = format!(
                    "`{path}` is larger than {SIDECAR_LIMIT} bytes, the limit of Skillful, and was skipped"
                );
                found.push(Diagnostic::new(Code::SidecarUnreadable, message).in_path(path));
                None
            }
            Ok(FileRead::Outside(_)) => {
                sources.push((path.to_owned(), None));
                let message = format!("`{path}` {OUTSIDE}");
                found.push(Diagnostic::new(Code::LinkOutside, message).in_path(path).help(COPY));
                None
            }
            failed => {
                sources.push((path.to_owned(), None));
                let why = match failed {
                    Err(Errno::NOENT | Errno::NOTDIR) => return None,
                    Err(error) => format!("could not be read: {error}"),
                    Ok(_) => "is not a regular file".to_owned(),
                };
                let message = format!("`{path}` {why}; the skill loads without it");
                found.push(Diagnostic::new(Code::SidecarUnreadable, message).in_path(path));
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
    // Whether it is UTF-8 is asked once: that takes as long as all the rest of a long body.
    let text = skillful_format::source::utf8(&bytes).ok();
    let document = match text {
        Some(text) => Document::read_text(text, &sidecars),
        None => Document::read(&bytes, &sidecars),
    };
    found.extend(lint::frontmatter(&bytes, &document, folder_name));
    if let (Some(head), Some(text), Some(frontmatter)) = (head, text, &document.frontmatter) {
        *head = SkillHead::of(text, frontmatter.end);
    }
    let mut loaded = match text {
        Some(text) => {
            let body = document.body_of(text);
            Loaded::with_body(document, &bytes, body)
        }
        None => Loaded::of(document, &bytes),
    };
    for bytes in [skillful, openai, toml].into_iter().flatten() {
        loaded.content = loaded.content.rotate_left(7) ^ xxh3_64(&bytes);
    }
    loaded.diagnostics.extend(found);
    BUFFER.set(bytes);
    loaded
}

/// An operator's `skill.toml` without a SKILL.md: metadata and nothing else.
fn supplied(folder: &Folder, within: Option<&Boundary>, sources: &mut Sources) -> Loaded {
    match folder.read_inside(TOML, SIDECAR_LIMIT, within) {
        Ok(FileRead::Bytes(bytes, stamp)) => {
            sources.push((TOML.to_owned(), Some(stamp)));
            Loaded::of_toml(&bytes)
        }
        _ => {
            sources.push((TOML.to_owned(), None));
            Loaded::broken(Code::FileUnreadable, format!("`{TOML}` could not be read"))
        }
    }
}
