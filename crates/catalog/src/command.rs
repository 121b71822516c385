//! Command files: `.claude/commands/*.md`, each a skill that a person calls by its file name.

use crate::{
    load::Loaded,
    scan::folder::{FileRead, Folder, Kind},
};
use skillful_format::{Code, Diagnostic, Document, Sidecars, source::FILE_LIMIT};
use std::path::{Path, PathBuf};

/// Levels of folders below a command folder.
const DEPTH: usize = 4;
/// Command files per folder.
const MOST: usize = 5_000;

/// One command file.
pub(crate) struct Command {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) loaded: Loaded,
}

/// The command files of a folder, sorted by path.
pub(crate) fn commands_in(root: &Path) -> (Vec<Command>, Vec<Diagnostic>) {
    let mut commands = Vec::new();
    let mut diagnostics = Vec::new();
    let mut level = vec![root.to_path_buf()];
    for _ in 0..DEPTH {
        let mut next = Vec::new();
        for path in level {
            let Ok(folder) = Folder::open(&path) else { continue };
            let Ok((names, _)) = folder.names() else { continue };
            for name in names.iter().filter(|name| !name.text.starts_with('.')) {
                match name.kind {
                    Kind::Folder => next.push(path.join(&name.text)),
                    Kind::File | Kind::Link => {
                        let Some(stem) = name.text.strip_suffix(".md").filter(|stem| *stem != "README")
                        else {
                            continue;
                        };
                        if commands.len() == MOST {
                            let message = format!("only the first {MOST} command files were read");
                            diagnostics.push(Diagnostic::new(Code::FolderLimit, message).in_path(root));
                            return (commands, diagnostics);
                        }
                        let file = path.join(&name.text);
                        let loaded = read(&folder, &name.text, &file);
                        commands.push(Command { name: stem.to_owned(), path: file, loaded });
                    }
                    Kind::Other => {}
                }
            }
        }
        level = next;
    }
    commands.sort_by(|a, b| a.path.cmp(&b.path));
    (commands, diagnostics)
}

fn read(folder: &Folder, name: &str, file: &Path) -> Loaded {
    let mut loaded = match folder.read(name, FILE_LIMIT) {
        Ok(FileRead::Bytes(bytes, _)) => {
            Loaded::of(Document::read(&bytes, &Sidecars::default()), bytes.len())
        }
        Ok(FileRead::TooLarge(_)) => {
            broken(Code::FileTooLarge, format!("the file is larger than {FILE_LIMIT} bytes"))
        }
        Ok(FileRead::NotAFile) => broken(Code::FileUnreadable, "this is not a regular file".to_owned()),
        Err(error) => broken(Code::FileUnreadable, format!("the file could not be read: {error}")),
    };
    // A command without a header is the usual thing, and its file name is its name.
    loaded.diagnostics.retain(|diagnostic| diagnostic.code != Code::NoHeader);
    loaded.manifest.name = None;
    loaded.manifest.paths.clear();
    for diagnostic in &mut loaded.diagnostics {
        diagnostic.path = Some(file.to_path_buf());
    }
    loaded
}

fn broken(code: Code, message: String) -> Loaded {
    Loaded::of(Document::broken(vec![Diagnostic::new(code, message)]), 0)
}
