//! Checking files where they lie: every SKILL.md below some paths, without placing them in a
//! catalog. CI jobs of skill authors run it.

mod walk;

use crate::{
    AgentProfile, Scope,
    bounded::{self, Boundary, Repositories},
    command::commands_in,
    folder::{FileRead, Folder, RawName},
    parallel,
    profile::RootKind,
};
use rustix::io::Errno;
use skillful_format::{
    Code, Diagnostic, Document, Profile, Severity, Sidecars, check,
    sidecar::{SIDECAR_FILES, SIDECAR_LIMIT},
    source::{FILE_LIMIT, NEW_FRONTMATTER, utf8},
};
use std::{
    collections::BTreeSet,
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::Arc,
};
use walk::{Inner, walk};

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

/// What was read of a skill file.
#[derive(Clone, Copy)]
pub struct Read<'a> {
    /// Its text.
    pub text: &'a str,
    /// What the text means.
    pub document: &'a Document,
}

/// The skill files that a path means: itself, the one in that folder, or all below it.
pub fn skill_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    walk(path, Inner::Stop, |_| ()).skills.into_iter().map(|(file, ())| file).collect()
}

/// Folders of a skill whose files belong to it, whatever they are called.
const OWN_FOLDERS: [&str; 6] = ["assets", "examples", "references", "resources", "scripts", "templates"];

fn is_own_folder(name: &OsStr) -> bool {
    OWN_FOLDERS.iter().any(|own| name == *own)
}

/// Every skill file at or below a path, also below a skill; and those that are files of a skill, such as a template in
/// `assets/`, which are not skills. A folder that cannot be read counts as one with a skill, so that a check reports it.
pub fn all_skill_files(path: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    // A file that the user names means itself.
    if path.is_file() {
        return (vec![path.to_path_buf()], Vec::new());
    }
    let walked = walk(path, Inner::Search, |_| ());
    let unreadable = walked.unreadable.into_iter().map(|folder| folder.join(SKILL_FILES[0]));
    (walked.skills.into_iter().map(|(file, ())| file).chain(unreadable).collect(), walked.skipped)
}

/// The command files of a folder that has no skill: of one that an agent reads as commands, or of the commands folder
/// of an agent directly below it. Files of other folders are not commands, whatever their ending.
pub fn command_files<'a>(folder: &Path, agents: impl Iterator<Item = &'a AgentProfile>) -> Vec<PathBuf> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let roots = agents.flat_map(|agent| &agent.roots);
    let roots = roots.filter(|root| root.kind == RootKind::Commands && root.scope == Scope::Project);
    let roots: BTreeSet<&Path> = roots.map(|root| Path::new(root.path.as_str())).collect();
    let mut folders = BTreeSet::new();
    for root in roots {
        if real.ancestors().any(|above| above.ends_with(root)) {
            folders.insert(folder.to_path_buf());
        }
        folders.insert(folder.join(root));
        let mut parts = root.components();
        if parts.next().is_some_and(|first| real.ends_with(first)) {
            folders.insert(folder.join(parts.as_path()));
        }
    }
    let read = |folder: &PathBuf| commands_in(folder, bounded::around(&folder.join("command.md")).as_ref()).0;
    let files = folders.iter().filter(|folder| folder.is_dir()).flat_map(read);
    let files: BTreeSet<PathBuf> = files.map(|command| command.path).collect();
    files.into_iter().collect()
}

/// Checks every skill at or below a path, as [`all_skill_files`] finds them, and returns the files of other skills that
/// were not checked. Each folder is opened once.
pub fn check_below<T: Send>(
    path: &Path,
    profile: &Profile,
    more: &(dyn Fn(&Path) -> Vec<Diagnostic> + Sync),
    shape: impl Fn(&Checked, Option<Read<'_>>) -> T + Sync,
) -> (Vec<(Checked, T)>, Vec<PathBuf>) {
    if path.is_file() {
        return (check_files(&[path.to_path_buf()], profile, more, shape), Vec::new());
    }
    let walked = walk(path, Inner::Search, |found| {
        let name = found.file.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let read =
            if found.is_inside { found.folder.read_unlinked(name, FILE_LIMIT) } else { Err(Errno::LOOP) };
        let read = match read {
            Err(Errno::LOOP) => found.folder.read_inside(name, FILE_LIMIT, found.within),
            read => read,
        };
        let place = SkillPlace {
            folder: found.folder,
            names: Some(found.names),
            file: found.file,
            name,
            within: found.within,
        };
        checked(&place, read, profile, more, &shape)
    });
    let unreadable: Vec<PathBuf> =
        walked.unreadable.into_iter().map(|folder| folder.join(SKILL_FILES[0])).collect();
    let unreadable = check_files(&unreadable, profile, more, &shape);
    (walked.skills.into_iter().map(|(_, checked)| checked).chain(unreadable).collect(), walked.skipped)
}

/// Checks skill files against a profile, in parallel, in the order given. `more` adds findings of
/// its own, such as those of an agent. `shape` makes what the caller shows of one skill, with the text of its file at
/// hand.
pub fn check_files<T: Send>(
    files: &[PathBuf],
    profile: &Profile,
    more: &(dyn Fn(&Path) -> Vec<Diagnostic> + Sync),
    shape: impl Fn(&Checked, Option<Read<'_>>) -> T + Sync,
) -> Vec<(Checked, T)> {
    check_files_in(&Repositories::default(), files, profile, more, shape)
}

/// The same with boundaries that may know which links are installed skills.
pub fn check_files_in<T: Send>(
    repositories: &Repositories,
    files: &[PathBuf],
    profile: &Profile,
    more: &(dyn Fn(&Path) -> Vec<Diagnostic> + Sync),
    shape: impl Fn(&Checked, Option<Read<'_>>) -> T + Sync,
) -> Vec<(Checked, T)> {
    parallel::map(files, |file| {
        let failed =
            |code: Code, message: String| finished(file, vec![Diagnostic::new(code, message)], None, &shape);
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
        let within = repositories.of_folder(parent, &folder);
        let within = within.as_deref();
        let read = folder.read_inside(name, FILE_LIMIT, within);
        checked(&SkillPlace { folder: &folder, names: None, file, name, within }, read, profile, more, &shape)
    })
}

/// Where a skill file is.
struct SkillPlace<'a> {
    folder: &'a Folder,
    /// What is in the folder, when it was listed.
    names: Option<&'a [RawName]>,
    file: &'a Path,
    name: &'a str,
    within: Option<&'a Boundary>,
}

impl SkillPlace<'_> {
    /// Whether something below the folder may exist, by its list of names.
    fn may_have(&self, path: &str) -> bool {
        let first = path.split('/').next().unwrap_or(path);
        let Some(names) = self.names else { return true };
        // A name of other letters may be spelled in several ways.
        if matches!(first, "" | "." | "..") || !first.is_ascii() {
            return true;
        }
        names.iter().any(|name| name.text.eq_ignore_ascii_case(first) || !name.text.is_ascii())
    }

    fn has(&self, path: &str) -> bool {
        self.may_have(path) && self.folder.kind_of(path).is_some()
    }
}

/// The findings of a file that was read, and what the caller shows of them.
fn checked<T>(
    place: &SkillPlace<'_>,
    read: Result<FileRead, Errno>,
    profile: &Profile,
    more: &(dyn Fn(&Path) -> Vec<Diagnostic> + Sync),
    shape: &(impl Fn(&Checked, Option<Read<'_>>) -> T + Sync),
) -> (Checked, T) {
    let failed =
        |code: Code, message: String| finished(place.file, vec![Diagnostic::new(code, message)], None, shape);
    let bytes = match read {
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
            return finished(place.file, vec![found.help("copy the file into the repository")], None, shape);
        }
        Ok(FileRead::NotAFile) => {
            return failed(Code::FileUnreadable, "this is not a regular file".to_owned());
        }
        Err(error) => return failed(Code::FileUnreadable, format!("the file could not be read: {error}")),
    };
    // Whether it is UTF-8 is asked once: that takes a good part of a check.
    let text = utf8(&bytes).ok();
    let content = text.ok_or(bytes.as_slice());
    let (document, mut found) = check_content(place, content, profile);
    found.extend(more(place.file));
    let read = text.map(|text| Read { text, document: &document });
    finished(place.file, found, read, shape)
}

fn finished<T>(
    file: &Path,
    mut diagnostics: Vec<Diagnostic>,
    read: Option<Read<'_>>,
    shape: &(impl Fn(&Checked, Option<Read<'_>>) -> T + Sync),
) -> (Checked, T) {
    if !is_skill_file(file) {
        for_command(&mut diagnostics);
    }
    let mut shared: Option<Arc<Path>> = None;
    for diagnostic in &mut diagnostics {
        diagnostic.path = Some(match diagnostic.path.take() {
            Some(relative) => file.parent().unwrap_or(file).join(relative).into(),
            None => Arc::clone(shared.get_or_insert_with(|| Arc::from(file))),
        });
    }
    let checked = Checked { file: file.to_path_buf(), diagnostics };
    let shaped = shape(&checked, read);
    (checked, shaped)
}

/// A command has the name of its file, and most have no frontmatter: a user calls them by name.
fn for_command(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.retain(|found| found.code != Code::NameMissing);
    for found in diagnostics.iter_mut().filter(|found| found.code == Code::NoFrontmatter) {
        if found.severity == Severity::Warning && found.help.as_deref() == Some(NEW_FRONTMATTER) {
            found.severity = Severity::Note;
            "the command has no frontmatter, so models do not know what it is for"
                .clone_into(&mut found.message);
            found.help = Some("for models, start the file with `---`, `description:` and `---`".into());
        }
    }
}

/// Reads and checks the content of a skill file that an editor holds, with the sidecars and files of its folder on the
/// disk. A folder that cannot be opened has none.
pub fn check_text(file: &Path, text: &str, profile: &Profile) -> (Document, Vec<Diagnostic>) {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match Folder::open(file.parent().unwrap_or(Path::new("/"))) {
        Ok(folder) => {
            let within = bounded::around(file);
            let within = within.as_ref();
            check_content(&SkillPlace { folder: &folder, names: None, file, name, within }, Ok(text), profile)
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
    place: &SkillPlace<'_>,
    content: Result<&str, &[u8]>,
    profile: &Profile,
) -> (Document, Vec<Diagnostic>) {
    let side = |path: &str| match place.folder.read_inside(path, SIDECAR_LIMIT, place.within) {
        Ok(FileRead::Bytes(bytes, _)) => Some(bytes),
        _ => None,
    };
    let [skillful_file, openai_file, toml_file] = SIDECAR_FILES;
    let (skillful, openai) =
        if place.has("agents") { (side(skillful_file), side(openai_file)) } else { (None, None) };
    let toml = if place.may_have(toml_file) { side(toml_file) } else { None };
    let sidecars =
        Sidecars { skillful: skillful.as_deref(), openai: openai.as_deref(), toml: toml.as_deref() };
    let document = match content {
        Ok(text) => Document::read_text(text, &sidecars),
        Err(bytes) => Document::read(bytes, &sidecars),
    };
    let text = content.ok().filter(|text| memchr::memchr(0, text.as_bytes()).is_none()).unwrap_or_default();
    let folder_name = folder_name(place.file);
    let is_skill = SKILL_FILES.contains(&place.name);
    let has_file = |path: &str| place.has(path);
    let mut found = check(text, &document, folder_name.as_deref().filter(|_| is_skill), &has_file, profile);
    if place.name == "skill.md" {
        let diagnostic = Diagnostic::new(
            Code::LowerCaseFileName,
            "most agents look for `SKILL.md` and do not see this file",
        );
        found.extend(profile.apply(vec![diagnostic.help("rename it to `SKILL.md`")]));
    } else if place.name == "SKILL.md" && has_lower_case(place) {
        let diagnostic =
            Diagnostic::new(Code::BothFileNames, "there is also `skill.md`; only `SKILL.md` is read");
        found.extend(profile.apply(vec![diagnostic.help("remove one of the two")]));
    }
    (document, found)
}

/// Whether there is a `skill.md` beside `SKILL.md`, and not the same file on a disk that ignores case.
fn has_lower_case(place: &SkillPlace<'_>) -> bool {
    match place.names {
        Some(names) => names.iter().any(|name| name.text == "skill.md"),
        None => {
            place.folder.kind_of("skill.md").is_some()
                && place
                    .folder
                    .names()
                    .is_ok_and(|(names, _)| names.iter().any(|name| name.text == "skill.md"))
        }
    }
}
