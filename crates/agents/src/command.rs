//! Finds command files as an agent does: Markdown files, named by their path: `sub:name`.

use skillful_catalog::folder::{FileKind, Folder, Name};
use skillful_profiles::CommandRule;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// Levels of folders below a command folder that a view reads.
const MOST_LEVELS: usize = 16;
/// Files per command folder that a view reads.
const MOST_FILES: usize = 20_000;

/// A command file and the name that its path gives it.
pub(super) struct CommandFile {
    pub(super) file: PathBuf,
    pub(super) name: String,
}

/// The command files of a folder, sorted by path; a file is its own command. Of a folder with a SKILL.md, only that file
/// counts, under the name of the folder. Where files do not count in subfolders, only those of the folder itself do.
pub(super) fn files(root: &Path, rule: &CommandRule) -> Vec<CommandFile> {
    if let (true, Some(stem)) = (root.is_file(), root.file_stem()) {
        let name = stem.to_string_lossy().into_owned();
        return vec![CommandFile { file: root.to_path_buf(), name }];
    }
    let mut found = Vec::new();
    visit(root, rule, &mut Vec::new(), &mut HashSet::new(), &mut found);
    found.sort_by(|a, b| a.file.cmp(&b.file));
    found
}

fn visit(
    path: &Path,
    rule: &CommandRule,
    above: &mut Vec<String>,
    known: &mut HashSet<(u64, u64)>,
    found: &mut Vec<CommandFile>,
) {
    let Ok(folder) = Folder::open(path) else { return };
    let (Ok(stamp), Ok((names, _))) = (folder.stamp(), folder.names()) else { return };
    if above.len() > MOST_LEVELS || !known.insert(stamp.identity()) {
        return;
    }
    let kind = |name: &Name| match name.kind {
        FileKind::Link => folder.kind_of(&name.text),
        kind => Some(kind),
    };
    let is_skill = |name: &Name| name.text == "SKILL.md" && kind(name) == Some(FileKind::File);
    let skill = names.iter().any(is_skill) && !above.is_empty();
    if skill {
        found.push(CommandFile { file: path.join("SKILL.md"), name: above.join(":") });
    }
    for name in &names {
        match kind(name) {
            Some(FileKind::Folder) if rule.nested => {
                above.push(name.text.clone());
                visit(&path.join(&name.text), rule, above, known, found);
                above.pop();
            }
            Some(FileKind::File) if !skill && found.len() < MOST_FILES => {
                let upper = || name.text.strip_suffix(".MD").filter(|_| rule.any_case);
                let Some(stem) = name.text.strip_suffix(".md").or_else(upper) else { continue };
                let name_of = above.iter().map(String::as_str).chain([stem]).collect::<Vec<_>>().join(":");
                found.push(CommandFile { file: path.join(&name.text), name: name_of });
            }
            _ => {}
        }
    }
}
