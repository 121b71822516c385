//! Skills that a command line uses without loading them: a script of a skill that it runs, instructions that it reads.
//! For counting uses; nothing is allowed or refused by it.

use skillful_catalog::{Catalog, Entry, profile::RootKind};
use skillful_shell::{
    Literal, Word,
    script::{Command, Item, Simple},
    strict,
};
use std::path::{Path, PathBuf};

/// Programs that run a script.
const RUNNERS: [&str; 12] =
    ["python", "python3", "bash", "zsh", "sh", "dash", "node", "deno", "bun", "ruby", "perl", "pwsh"];
/// Programs that print a file.
const READERS: [&str; 12] =
    ["cat", "nl", "head", "tail", "sed", "awk", "less", "more", "bat", "batcat", "tac", "fold"];
/// Subcommands of runners that stand before the script.
const SUBCOMMANDS: [&str; 1] = ["run"];

/// A file that a command line uses, without links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsedFile {
    /// It is run.
    Script(PathBuf),
    /// It is read.
    Text(PathBuf),
}

/// The files that a command line runs and reads, with paths relative to a folder. What cannot be read for certain gives
/// none.
pub fn files_of(command: &str, folder: &Path, home: &Path) -> Vec<UsedFile> {
    let Ok(list) = strict::read(command.as_bytes()) else { return Vec::new() };
    let mut used = Vec::new();
    let mut folder = folder.to_path_buf();
    for command in list.chains.iter().flat_map(|chain| &chain.pipelines).flat_map(|line| &line.commands) {
        let Command::Simple(command) = command else { continue };
        let Some(words) = words(command) else { continue };
        let Some((program, arguments)) = words.split_first() else { continue };
        if program == "cd" {
            folder = arguments.first().map_or_else(|| home.to_path_buf(), |to| place(to, &folder, home));
            continue;
        }
        let real = |word: &str| place(word, &folder, home).canonicalize().ok();
        let name = Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        if RUNNERS.contains(&name) {
            let mut plain = arguments.iter().filter(|word| !word.starts_with('-'));
            let script = plain.find(|word| !SUBCOMMANDS.contains(&word.as_str()));
            used.extend(script.and_then(|word| real(word)).map(UsedFile::Script));
        } else if READERS.contains(&name) {
            used.extend(arguments.iter().filter_map(|word| real(word)).map(UsedFile::Text));
        } else if program.contains('/') {
            used.extend(real(program).map(UsedFile::Script));
        }
    }
    used
}

/// The skill that a used file counts for: the one whose `scripts/` holds it, or whose instructions it is.
pub fn skill_of<'a>(catalog: &'a Catalog, used: &UsedFile) -> Option<(usize, &'a Entry)> {
    let mut all = catalog.entries.iter().enumerate();
    match used {
        UsedFile::Script(file) => all
            .filter(|(_, entry)| file.starts_with(entry.origin.real.join("scripts")))
            .max_by_key(|(_, entry)| entry.origin.real.components().count()),
        UsedFile::Text(file) => all.find(|(_, entry)| is_instructions(entry, file)),
    }
}

/// Whether a file, without links, holds the instructions of a skill.
fn is_instructions(entry: &Entry, file: &Path) -> bool {
    let origin = &entry.origin;
    if origin.kind == RootKind::Commands {
        return file == origin.real;
    }
    file.file_name() == origin.file.file_name() && file.parent() == Some(origin.real.as_path())
}

/// The words of a command, if each has one value.
fn words(command: &Simple) -> Option<Vec<String>> {
    let literal = |word: &Word| Literal::of(word).ok().map(|word| word.text);
    let mut words = vec![literal(command.program.as_ref()?)?];
    for item in &command.after {
        match item {
            Item::Word(word) | Item::Assignment(_, word) => words.push(literal(word)?),
            Item::Redirection(_) => {}
            Item::Process(_) => return None,
        }
    }
    Some(words)
}

fn place(word: &str, folder: &Path, home: &Path) -> PathBuf {
    match word.strip_prefix("~/") {
        Some(below) => home.join(below),
        None if word == "~" => home.to_path_buf(),
        None => folder.join(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn used(command: &str) -> Vec<String> {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("skills/a/scripts")).unwrap();
        for file in ["skills/a/SKILL.md", "skills/a/scripts/x.py", "skills/a/scripts/tool"] {
            fs::write(root.join(file), "x").unwrap();
        }
        let shown = |file: &PathBuf| file.strip_prefix(&root).unwrap().display().to_string();
        let files = files_of(command, &root.join("skills"), &root);
        let word = |file: &UsedFile| match file {
            UsedFile::Script(file) => format!("run {}", shown(file)),
            UsedFile::Text(file) => format!("read {}", shown(file)),
        };
        files.iter().map(word).collect()
    }

    #[test]
    fn scripts_that_a_runner_starts_count_and_code_in_an_argument_does_not() {
        for command in [
            "python3 -u a/scripts/x.py --flag",
            "cd a; python3 scripts/x.py",
            "LANG=C python3 ~/skills/a/scripts/x.py | head -3",
            "deno run a/scripts/x.py",
            "/usr/bin/python3 'a/scripts/x.py' 2>&1",
        ] {
            assert_eq!(used(command), ["run skills/a/scripts/x.py"], "{command}");
        }
        for command in ["a/scripts/tool --all", "bash a/scripts/tool"] {
            assert_eq!(used(command), ["run skills/a/scripts/tool"], "{command}");
        }
        for command in [
            "python3 -c 'open(\"a/scripts/x.py\")'",
            "python3 a/scripts/none.py",
            "echo a/scripts/x.py",
            "python3 $SCRIPT",
        ] {
            assert!(used(command).is_empty(), "{command}");
        }
    }

    #[test]
    fn commands_that_print_the_instructions_read_them() {
        for command in [
            "cat a/SKILL.md",
            "nl -ba a/SKILL.md",
            "sed -n 1,20p a/SKILL.md",
            "cd a && head -n 5 SKILL.md",
            "cat ~/skills/a/SKILL.md | grep x",
        ] {
            assert_eq!(used(command), ["read skills/a/SKILL.md"], "{command}");
        }
        for command in
            ["ls a/SKILL.md", "wc -l a/SKILL.md", "cat a/none.md", "cat \"$FILE\"", "(cat a/SKILL.md"]
        {
            assert!(used(command).is_empty(), "{command}");
        }
    }
}
