//! Checking files where they lie: every SKILL.md below some paths, without placing them in a
//! catalog. CI jobs of skill authors run it.

use crate::{
    bounded::{self, Boundary, Repositories},
    folder::{FileRead, Folder},
    parallel,
};
use skillful_format::{
    Code, Diagnostic, Document, Profile, Severity, Sidecars, check,
    sidecar::{SIDECAR_FILES, SIDECAR_LIMIT},
    source::FILE_LIMIT,
};
use std::path::{Path, PathBuf};

/// Levels below a given folder that are searched for skills.
const DEPTH: usize = 16;
/// Folders that hold code of other authors, or no code.
const SKIP: [&str; 5] = [".git", "node_modules", "target", "__pycache__", ".venv"];
const SKILL_FILES: [&str; 2] = ["SKILL.md", "skill.md"];

/// One checked skill.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The skill's file.
    pub file: PathBuf,
    /// Everything the profile reports, by place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Checked {
    /// Whether nothing forbids the skill.
    pub fn is_accepted(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.severity < Severity::Error)
    }
}

/// The skill files that a path means: itself, the one in that folder, or all below it.
pub fn skill_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    if let Some(file) = skill_file_in(path) {
        return vec![file];
    }
    let mut found = Vec::new();
    let mut level = vec![path.to_path_buf()];
    for _ in 0..DEPTH {
        let visits = parallel::map(&level, |folder| subfolders(folder));
        level = visits.into_iter().flatten().collect();
        let files = parallel::map(&level, |folder| skill_file_in(folder));
        let mut next = Vec::new();
        for (folder, file) in level.into_iter().zip(files) {
            match file {
                Some(file) => found.push(file),
                None => next.push(folder),
            }
        }
        level = next;
        if level.is_empty() {
            break;
        }
    }
    found.sort();
    found
}

/// Folders of a skill whose files belong to it, whatever they are called.
const OWN_FOLDERS: [&str; 6] = ["assets", "examples", "references", "resources", "scripts", "templates"];

/// Every skill file at or below a path, also below a skill; and those that are files of a skill, such as a template in
/// `assets/`, which are not skills.
pub fn all_skill_files(path: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut files = skill_files(path);
    let mut skipped = Vec::new();
    let mut at = 0;
    while at < files.len() {
        let folder = files[at].parent().map(Path::to_path_buf);
        at += 1;
        // A file that the user names means itself.
        let Some(folder) = folder.filter(|folder| path.is_dir() && folder.starts_with(path)) else {
            continue;
        };
        for inner in subfolders(&folder) {
            let found = skill_files(&inner);
            let is_own = inner.file_name().is_some_and(|name| OWN_FOLDERS.iter().any(|own| name == *own));
            if is_own { skipped.extend(found) } else { files.extend(found) }
        }
    }
    files.sort();
    files.dedup();
    skipped.sort();
    (files, skipped)
}

fn skill_file_in(folder: &Path) -> Option<PathBuf> {
    SKILL_FILES.iter().map(|name| folder.join(name)).find(|file| file.symlink_metadata().is_ok())
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| !SKIP.iter().any(|skip| entry.file_name() == *skip))
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders
}

/// Checks skill files against a profile, in parallel, in the order given. `more` adds findings of
/// its own, such as those of an agent. `shape` makes what the caller shows of one skill, with the text of its file at
/// hand.
pub fn check_files<T: Send>(
    files: &[PathBuf],
    profile: &Profile,
    more: &(dyn Fn(&Path) -> Vec<Diagnostic> + Sync),
    shape: impl Fn(&Checked, Option<&str>) -> T + Sync,
) -> Vec<(Checked, T)> {
    let repositories = Repositories::default();
    parallel::map(files, |file| {
        let within = repositories.around(file);
        let (mut diagnostics, text) = check_file(file, within.as_deref(), profile, more);
        // A command has the name of its file.
        if !SKILL_FILES.iter().any(|name| file.file_name().is_some_and(|own| own == *name)) {
            diagnostics.retain(|diagnostic| diagnostic.code != Code::NameMissing);
        }
        for diagnostic in &mut diagnostics {
            diagnostic.path = Some(match diagnostic.path.take() {
                Some(relative) => file.parent().unwrap_or(file).join(relative),
                None => file.clone(),
            });
        }
        let checked = Checked { file: file.clone(), diagnostics };
        let shaped = shape(&checked, text.as_deref());
        (checked, shaped)
    })
}

/// The findings of one file, and its text.
fn check_file(
    file: &Path,
    within: Option<&Boundary>,
    profile: &Profile,
    more: &(dyn Fn(&Path) -> Vec<Diagnostic> + Sync),
) -> (Vec<Diagnostic>, Option<String>) {
    let failed = |code: Code, message: String| (vec![Diagnostic::new(code, message)], None);
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else {
        return failed(Code::FileUnreadable, "the file's name is not UTF-8".to_owned());
    };
    let folder = match Folder::open(parent) {
        Ok(folder) => folder,
        Err(error) => {
            return failed(Code::FolderUnreadable, format!("the folder could not be read: {error}"));
        }
    };
    let bytes = match folder.read_inside(name, FILE_LIMIT, within) {
        Ok(FileRead::Bytes(bytes, _)) => bytes,
        Ok(FileRead::TooLarge(_)) => {
            return failed(
                Code::FileTooLarge,
                format!("the file is larger than {FILE_LIMIT} bytes and was not read"),
            );
        }
        Ok(FileRead::Outside(_)) => {
            let message = "the file is a link that leads out of the repository, and was not read";
            let found = Diagnostic::new(Code::LinkOutside, message).with_severity(Severity::Error);
            return (vec![found.help("copy the file into the repository")], None);
        }
        Ok(FileRead::NotAFile) => {
            return failed(Code::FileUnreadable, "this is not a regular file".to_owned());
        }
        Err(error) => return failed(Code::FileUnreadable, format!("the file could not be read: {error}")),
    };
    // Whether it is UTF-8 is asked once: that takes a good part of a check.
    let text = String::from_utf8(bytes);
    let content = text.as_deref().map_err(std::string::FromUtf8Error::as_bytes);
    let (_, mut found) = check_content(&folder, file, name, content, within, profile);
    found.extend(more(file));
    (found, text.ok())
}

/// Reads and checks the content of a skill file that an editor holds, with the sidecars and files of its folder on the
/// disk. A folder that cannot be opened has none.
pub fn check_text(file: &Path, text: &str, profile: &Profile) -> (Document, Vec<Diagnostic>) {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match Folder::open(file.parent().unwrap_or(Path::new("/"))) {
        Ok(folder) => {
            let within = bounded::around(file);
            check_content(&folder, file, name, Ok(text), within.as_ref(), profile)
        }
        Err(_) => {
            let document = Document::read_text(text, &Sidecars::default());
            let folder = folder_name(file).filter(|_| SKILL_FILES.contains(&name));
            let found = check(text, &document, folder.as_deref(), &|_| true, profile);
            (document, found)
        }
    }
}

/// Whether a path has the name of a skill file.
pub fn is_skill_file(path: &Path) -> bool {
    SKILL_FILES.iter().any(|name| path.file_name().is_some_and(|own| own == *name))
}

/// The name of the folder that a file is in, also for a path such as `SKILL.md`.
pub fn folder_name(file: &Path) -> Option<String> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let real = std::path::absolute(parent).ok();
    let real =
        if parent.ends_with("..") || parent == Path::new(".") { parent.canonicalize().ok() } else { real };
    real.as_deref().and_then(Path::file_name).and_then(|name| name.to_str()).map(str::to_owned)
}

/// The document and the findings of the content of a file: its text, or its bytes when they are not UTF-8.
fn check_content(
    folder: &Folder,
    file: &Path,
    name: &str,
    content: Result<&str, &[u8]>,
    within: Option<&Boundary>,
    profile: &Profile,
) -> (Document, Vec<Diagnostic>) {
    let side = |path: &str| match folder.read_inside(path, SIDECAR_LIMIT, within) {
        Ok(FileRead::Bytes(bytes, _)) => Some(bytes),
        _ => None,
    };
    let [skillful_file, openai_file, toml_file] = SIDECAR_FILES;
    let (skillful, openai) = match folder.kind_of("agents") {
        Some(_) => (side(skillful_file), side(openai_file)),
        None => (None, None),
    };
    let toml = side(toml_file);
    let sidecars =
        Sidecars { skillful: skillful.as_deref(), openai: openai.as_deref(), toml: toml.as_deref() };
    let document = match content {
        Ok(text) => Document::read_text(text, &sidecars),
        Err(bytes) => Document::read(bytes, &sidecars),
    };
    let text = content.ok().filter(|text| !text.contains('\0')).unwrap_or_default();
    let folder_name = folder_name(file);
    let is_skill = SKILL_FILES.contains(&name);
    let has_file = |path: &str| folder.kind_of(path).is_some();
    let mut found = check(text, &document, folder_name.as_deref().filter(|_| is_skill), &has_file, profile);
    if name == "skill.md" {
        let diagnostic = Diagnostic::new(
            Code::LowerCaseFileName,
            "most agents look for `SKILL.md` and do not see this file",
        );
        found.extend(profile.apply(vec![diagnostic.help("rename it to `SKILL.md`")]));
    } else if name == "SKILL.md"
        && folder.kind_of("skill.md").is_some()
        && folder.names().is_ok_and(|(names, _)| names.iter().any(|name| name.text == "skill.md"))
    {
        let diagnostic =
            Diagnostic::new(Code::BothFileNames, "there is also `skill.md`; only `SKILL.md` is read");
        found.extend(profile.apply(vec![diagnostic.help("remove one of the two")]));
    }
    (document, found)
}
