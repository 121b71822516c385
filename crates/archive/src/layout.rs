//! Where the skill is in an archive: at the top, or in the one folder around everything.

use crate::{gate::Files, refuse};
use skillful_format::{Code, Diagnostic, Limits, Tree, TreePath};

/// How many places are named when the skill is not where it must be.
const NAMED: usize = 3;

/// Builds the skill's tree, without the wrapper folder, whose name is returned beside it.
pub(super) fn place(files: Files, limits: &Limits) -> Result<(Tree, Option<String>), Diagnostic> {
    let folder = if files.iter().any(|(path, _)| is_skill_file(path.as_str())) {
        None
    } else {
        Some(wrapper(&files).ok_or_else(|| no_skill_file(&files))?)
    };
    let mut tree = Tree::default();
    for (path, file) in files {
        let inner = match (&folder, path.without_first()) {
            (Some(_), Some((_, inner))) => inner,
            _ => path,
        };
        // The gate left room for a wrapper; the skill itself has the limits of any other.
        let inner = TreePath::new(inner.as_str(), limits)
            .map_err(|fault| refuse::path(inner.as_str().as_bytes(), fault))?;
        tree.insert(inner, file, limits)?;
    }
    Ok((tree, folder))
}

fn is_skill_file(path: &str) -> bool {
    matches!(path, "SKILL.md" | "skill.md")
}

/// The folder around all files, if it has the skill file directly in it.
fn wrapper(files: &Files) -> Option<String> {
    let (top, _) = files.first()?.0.without_first()?;
    let mut has_skill_file = false;
    for (path, _) in files {
        let (first, inner) = path.without_first()?;
        if first != top {
            return None;
        }
        has_skill_file |= is_skill_file(inner.as_str());
    }
    has_skill_file.then(|| top.to_owned())
}

fn no_skill_file(files: &Files) -> Diagnostic {
    let mut seen: Vec<&str> = files
        .iter()
        .map(|(path, _)| path.as_str())
        .filter(|path| path.rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case("SKILL.md")))
        .collect();
    seen.sort_unstable();
    let help = match seen.as_slice() {
        [] => "put SKILL.md at the top of the archive or into its one top folder".to_owned(),
        [one] => format!("it was seen at `{one}`; pack only the folder it is in, as `SKILL.md`"),
        many => {
            let named: Vec<_> = many.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
            let more = many.len() - named.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("it was seen at {}{more}; pack one skill per archive", named.join(", "))
        }
    };
    Diagnostic::new(Code::NoSkillFile, "the archive has no SKILL.md at its top or in its one top folder")
        .help(help)
}

/// Refuses a wrapper folder that is not one plain name.
pub(super) fn check_folder(folder: &str) -> Result<(), Diagnostic> {
    if folder.contains('/') {
        return Err(refuse::path(folder.as_bytes(), "is more than one name"));
    }
    TreePath::new(folder, &Limits::default())
        .map(drop)
        .map_err(|fault| refuse::path(folder.as_bytes(), fault))
}
