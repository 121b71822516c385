//! Command files: `.claude/commands/*.md`, each a skill that a user calls by its file name.

use crate::{
    bounded::Boundary,
    folder::{FileKind, FileRead, Folder},
    load::Loaded,
    skipped_place::{self, SkippedPlace},
};
use skillful_format::{Code, Diagnostic, Document, Sidecars, source::FILE_LIMIT};
use std::path::{Path, PathBuf};

/// Levels of folders below a command folder.
const DEPTH: usize = 4;
/// Command files per folder.
const MOST: usize = 5_000;

/// One command file.
pub struct Command {
    /// The name that its path gives it.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What was read from it.
    pub loaded: Box<Loaded>,
    /// The place that Skillful does not load commands from.
    pub skipped: Option<SkippedPlace>,
}

/// The command files of a folder, sorted by path.
pub fn commands_in(root: &Path, within: Option<&Boundary>) -> (Vec<Command>, Vec<Diagnostic>) {
    let mut commands = Vec::new();
    let mut diagnostics = Vec::new();
    let mut level = vec![root.to_path_buf()];
    for depth in 0..=DEPTH {
        let mut next = Vec::new();
        for path in level {
            if depth == DEPTH {
                let message =
                    format!("command files more than {DEPTH} levels below the folder were not read");
                diagnostics.push(Diagnostic::new(Code::DepthLimit, message).in_path(path));
                break;
            }
            let opened = Folder::open(&path).and_then(|folder| folder.names().map(|names| (folder, names)));
            if opened.as_ref().is_ok_and(|(folder, _)| folder.leaves(&path, within).is_some()) {
                let message = "the folder of commands is a link that leads out of the repository or plugin";
                let help = "copy the commands into the repository";
                diagnostics.push(Diagnostic::new(Code::LinkOutside, message).in_path(path).help(help));
                continue;
            }
            let (folder, (names, strange)) = match opened {
                Ok(opened) => opened,
                Err(error) => {
                    let message = format!("the folder could not be read: {error}");
                    diagnostics.push(Diagnostic::new(Code::FolderUnreadable, message).in_path(path));
                    continue;
                }
            };
            diagnostics.extend(strange.into_iter().map(|name| {
                let message = format!("the name `{name}` is not UTF-8; the file was skipped");
                Diagnostic::new(Code::FolderUnreadable, message).in_path(&path)
            }));
            for name in names.iter().filter(|name| name.text != ".git") {
                let inner = path.join(&name.text);
                match name.kind {
                    FileKind::Folder => {
                        next.push(inner);
                        continue;
                    }
                    FileKind::Link if folder.kind_of(&name.text) == Some(FileKind::Folder) => {
                        next.extend((!leads_back(&path, &inner)).then_some(inner));
                        continue;
                    }
                    _ => {}
                }
                let Some((stem, ending)) = name.text.rsplit_once('.') else { continue };
                if !ending.eq_ignore_ascii_case("md") {
                    continue;
                }
                if commands.len() == MOST {
                    let message = format!("only the first {MOST} command files were read");
                    diagnostics.push(Diagnostic::new(Code::FolderLimit, message).in_path(root));
                    return (commands, diagnostics);
                }
                let loaded = Box::new(read(&folder, &name.text, &inner, within));
                let skipped = skipped_place::of_command(root, &inner);
                commands.push(Command { name: stem.to_owned(), path: inner, loaded, skipped });
            }
        }
        level = next;
    }
    commands.sort_by(|a, b| a.path.cmp(&b.path));
    (commands, diagnostics)
}

/// The command of one file.
pub fn command_at(file: &Path, within: Option<&Boundary>) -> Option<Command> {
    let (parent, name) = (file.parent()?, file.file_name()?.to_str()?);
    let (stem, ending) = name.rsplit_once('.')?;
    let folder = Folder::open(parent).ok().filter(|folder| folder.leaves(parent, within).is_none())?;
    ending.eq_ignore_ascii_case("md").then(|| Command {
        name: stem.to_owned(),
        path: file.to_path_buf(),
        loaded: Box::new(read(&folder, name, file, within)),
        skipped: skipped_place::of_command(parent, file),
    })
}

/// Whether a link leads to a folder that it lies in.
fn leads_back(path: &Path, link: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    real(path).starts_with(real(link))
}

fn read(folder: &Folder, name: &str, file: &Path, within: Option<&Boundary>) -> Loaded {
    let mut loaded = match folder.read_inside(name, FILE_LIMIT, within) {
        Ok(FileRead::Bytes(bytes, _)) => Loaded::of(Document::read(&bytes, &Sidecars::default()), &bytes),
        Ok(FileRead::TooLarge(_)) => Loaded::broken(
            Code::FileTooLarge,
            format!("the file is larger than {FILE_LIMIT} bytes, the limit of Skillful"),
        ),
        Ok(FileRead::Outside(_)) => Loaded::broken(
            Code::LinkOutside,
            "the file is a link that leads out of the repository or plugin, and was not read".to_owned(),
        ),
        Ok(FileRead::NotAFile) => {
            Loaded::broken(Code::FileUnreadable, "this is not a regular file".to_owned())
        }
        Err(error) => Loaded::broken(Code::FileUnreadable, format!("the file could not be read: {error}")),
    };
    // A command without frontmatter is the usual thing, and its file name is its name.
    loaded.diagnostics.retain(|diagnostic| diagnostic.code != Code::NoFrontmatter);
    loaded.manifest.name = None;
    loaded.manifest.paths.clear();
    for diagnostic in &mut loaded.diagnostics {
        diagnostic.path = Some(file.into());
    }
    loaded
}
