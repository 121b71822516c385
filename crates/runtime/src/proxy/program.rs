//! Which file of a skill is run. It is a file of that skill: reached through the handle of its folder,
//! and no link.

use cap_std::{
    ambient_authority,
    fs::{Dir, MetadataExt},
};
use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

/// Where programs of a skill lie.
const SCRIPTS: &str = "scripts";
/// Files of a folder that are looked at.
const LISTED: usize = 256;
/// Who reads a file that is not marked as a program, by its ending.
const READERS: [(&str, &str); 4] = [("py", "python3"), ("sh", "sh"), ("js", "node"), ("rb", "ruby")];

/// A program and what must be said before its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file, or what reads it.
    pub command: OsString,
    /// The file, when something else reads it.
    pub file: Option<PathBuf>,
}

/// Why there is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// Not in the folder, a link, or no file.
    #[error("the skill has no program `{0}`")]
    Missing(String),
    /// Neither marked as a program, nor of a known ending.
    #[error("`{0}` is not a program: mark it with `chmod +x`")]
    NotExecutable(String),
    /// None was named, and there is not just one.
    #[error("name one of the skill's programs: {}", if .0.is_empty() { "it has none".to_owned() } else { .0.join(", ") })]
    Unnamed(Vec<String>),
}

/// Finds a program of a skill by its path in the skill's folder, or the only one.
pub fn find(folder: &Path, program: Option<&str>) -> Result<Program, ProgramError> {
    let dir = Dir::open_ambient_dir(folder, ambient_authority())
        .map_err(|_| ProgramError::Missing(program.unwrap_or_default().to_owned()))?;
    let name = match program {
        Some(name) => name.to_owned(),
        None => only(&dir)?,
    };
    let missing = || ProgramError::Missing(name.clone());
    let direct = Path::new(&name);
    let below = Path::new(SCRIPTS).join(direct);
    let is_word = direct.components().count() == 1;
    let found = [direct, &below].into_iter().take(if is_word { 2 } else { 1 }).find_map(|path| {
        let meta = dir.symlink_metadata(path).ok().filter(cap_std::fs::Metadata::is_file)?;
        // Links on the way are resolved within the folder or not at all.
        let real = dir.canonicalize(path).ok()?;
        Some((real, meta))
    });
    let (real, meta) = found.ok_or_else(missing)?;
    let file = folder.canonicalize().map_err(|_| missing())?.join(&real);
    if meta.mode() & 0o111 != 0 {
        return Ok(Program { command: file.into_os_string(), file: None });
    }
    let ending = real.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let reader = READERS.iter().find(|(known, _)| *known == ending);
    let (_, reader) = reader.ok_or_else(|| ProgramError::NotExecutable(name.clone()))?;
    Ok(Program { command: OsString::from(reader), file: Some(file) })
}

/// The only program of a skill.
fn only(dir: &Dir) -> Result<String, ProgramError> {
    let mut names = programs(dir).unwrap_or_default();
    names.sort();
    match names.as_slice() {
        [one] => Ok(one.clone()),
        _ => Err(ProgramError::Unnamed(names)),
    }
}

fn programs(dir: &Dir) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in dir.read_dir(SCRIPTS)?.take(LISTED) {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let meta = dir.symlink_metadata(Path::new(SCRIPTS).join(&name))?;
        let known = READERS.iter().any(|(ending, _)| name.ends_with(&format!(".{ending}")));
        if meta.is_file() && (known || meta.mode() & 0o111 != 0) {
            names.push(format!("{SCRIPTS}/{name}"));
        }
    }
    Ok(names)
}
