//! Checking the files of skills: which files a request means, every finding, and what a file means for the agents found here.

use super::Workspace;
use crate::library::LibraryError;
use skillful_agents::{Unseen, refusal};
use skillful_catalog::{
    AgentProfile, Scope,
    bounded::Repositories,
    inspect::{Checked, Read, all_skill_files, check_below, check_files, check_files_in, command_files},
};
use skillful_format::{Code, Diagnostic, Profile};
use std::{
    cmp::Ordering,
    collections::HashSet,
    path::{Path, PathBuf},
};

/// What to check, and against what.
#[derive(Clone, Copy, Debug)]
pub struct CheckRequest<'a> {
    /// Files, folders and names of skills; none for every file here and every skill that is found.
    pub paths: &'a [PathBuf],
    /// The rules.
    pub profile: &'a Profile,
    /// An agent whose refusal of a file is a finding, too.
    pub agent: Option<&'a AgentProfile>,
}

/// What was checked.
#[derive(Debug)]
pub struct CheckedSkills<T> {
    /// The findings of each file, in the order of the paths, with what the caller made of them.
    pub checked: Vec<(Checked, T)>,
    /// SKILL.md files that are files of another skill, such as a template; they were not checked.
    pub skipped: Vec<PathBuf>,
}

impl Workspace {
    /// Checks every file that a request means, in parallel. `shape` makes of one file what the caller shows, with its
    /// text at hand. A folder without a skill is a finding.
    ///
    /// ```
    /// use skillful::workspace::CheckRequest;
    /// # let folder = tempfile::tempdir()?;
    /// let skill = folder.path().join("greet/SKILL.md");
    /// std::fs::create_dir(skill.parent().unwrap())?;
    /// std::fs::write(&skill, "---\nname: greet\n---\nSay hello.\n")?;
    /// let workspace = skillful::Workspace::for_folder(folder.path(), folder.path());
    /// let profile = &skillful_format::check::SPEC;
    /// let request = CheckRequest { paths: &[skill], profile, agent: None };
    /// let found = workspace.check(&request, |one, _| one.diagnostics.len()).unwrap();
    /// assert_eq!(found.checked[0].1, 1, "the description is missing");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn check<T: Send>(
        &self,
        request: &CheckRequest<'_>,
        shape: impl Fn(&Checked, Option<Read<'_>>) -> T + Sync,
    ) -> Result<CheckedSkills<T>, LibraryError> {
        let profile = request.profile;
        let more = |file: &Path| request.agent.map_or_else(Vec::new, |agent| refusals(agent, file));
        let repositories = Repositories::with_installed(&self.paths().contents(), self.approvals());
        if request.paths.is_empty() {
            let (files, skipped) = self.files_to_check()?;
            let checked = check_files_in(&repositories, &files, profile, &more, shape);
            return Ok(CheckedSkills { checked: sorted(checked), skipped });
        }
        let (mut checked, mut skipped, mut empty) = (Vec::new(), Vec::new(), Vec::new());
        for path in request.paths {
            let path = self.path_of(path)?;
            // A skill that is installed as a link is one file to check.
            let linked = path.join("SKILL.md");
            let (mut found, inner) = if path.is_symlink() && linked.is_file() {
                (check_files_in(&repositories, &[linked], profile, &more, &shape), Vec::new())
            } else {
                check_below(&path, profile, &more, &shape)
            };
            skipped.extend(inner);
            if found.is_empty() && path.is_dir() {
                let commands = command_files(&path, self.agents().iter());
                found = check_files(&commands, profile, &more, &shape);
            }
            if found.is_empty() {
                let missing = without_skill(&path);
                let shaped = shape(&missing, None);
                empty.push((missing, shaped));
            }
            checked.extend(found);
        }
        checked.dedup_by(|(next, _), (one, _)| next.file == one.file);
        checked.extend(empty);
        Ok(CheckedSkills { checked: sorted(checked), skipped })
    }

    /// The files that a repair may change: those that the paths mean, or all. A skill that comes with the program is not
    /// the user's to change.
    pub fn files_to_repair(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, LibraryError> {
        if paths.is_empty() {
            return Ok(self.files_to_check()?.0);
        }
        let mut files = Vec::new();
        for path in self.paths_to_change(paths)? {
            let (mut found, _) = all_skill_files(&path);
            if found.is_empty() && path.is_dir() {
                found = command_files(&path, self.agents().iter());
            }
            files.extend(found);
        }
        files.dedup();
        Ok(files)
    }

    /// The paths that the user's words mean and may change.
    pub fn paths_to_change(&self, words: &[PathBuf]) -> Result<Vec<PathBuf>, LibraryError> {
        let ours = |word: &Path| {
            let at = word.to_str().and_then(|word| self.find(word).ok())?;
            (self.catalog().entries[at].origin.scope == Scope::System).then_some(())
        };
        let path = |word: &PathBuf| {
            let path = self.path_of(word)?;
            let is_name = self.environment().cwd.join(word).symlink_metadata().is_err();
            if is_name && ours(word).is_some() {
                let message = format!("`{}` comes with Skillful and is not changed", word.display());
                return Err(LibraryError::new(message));
            }
            Ok(path)
        };
        words.iter().map(path).collect()
    }

    /// The path that a word of the user means, which must exist; a word that is not a path is the name of a skill.
    fn path_of(&self, word: &Path) -> Result<PathBuf, LibraryError> {
        let path = self.environment().cwd.join(word);
        if path.symlink_metadata().is_ok() {
            return Ok(path);
        }
        let missing = || LibraryError::usage(format!("`{}` does not exist", word.display()));
        let name = word.to_str().filter(|word| !word.contains('/')).ok_or_else(missing)?;
        let fix = "name a folder, a SKILL.md or a skill; skillful list shows the skills";
        let at = self.find(name).map_err(|_| missing().fix(fix))?;
        Ok(self.catalog().entries[at].origin.file.clone())
    }

    /// Every SKILL.md below this folder, and every skill that is found for this folder and this user, each once; and the
    /// files of other skills. Skills that come with the program are not the user's to repair.
    fn files_to_check(&self) -> Result<(Vec<PathBuf>, Vec<PathBuf>), LibraryError> {
        let (mut files, skipped) = all_skill_files(&self.environment().cwd);
        let mut known: HashSet<PathBuf> = files.iter().filter_map(|file| file.canonicalize().ok()).collect();
        let catalog = self.catalog();
        let entries = catalog.entries.iter().filter(|entry| entry.origin.scope != Scope::System);
        for entry in entries.filter(|entry| entry.origin.skipped.is_none()) {
            let file = &entry.origin.file;
            if file.canonicalize().is_ok_and(|real| known.insert(real)) {
                files.push(file.clone());
            }
        }
        // A folder that cannot be read may hold a skill: the check of its file reports it.
        let unreadable = catalog.diagnostics.iter().filter(|found| found.code == Code::FolderUnreadable);
        for folder in unreadable.filter_map(|found| found.path.as_deref()) {
            let file = folder.join("SKILL.md");
            if !files.contains(&file) {
                files.push(file);
            }
        }
        if files.is_empty() {
            let error =
                LibraryError::usage("no SKILL.md at or below this folder, and no skill for any agent");
            return Err(error.fix("name the skills to check, or create one with `skillful new NAME`"));
        }
        files.dedup();
        Ok((files, skipped))
    }
}

/// Which agents found here refuse a file, and which read it all the same.
#[derive(Debug)]
pub struct Refusals<'a> {
    refuse: Vec<&'a AgentProfile>,
    read: Vec<&'a AgentProfile>,
}

impl<'a> Refusals<'a> {
    /// What some agents do with a file.
    pub fn of(agents: &[&'a AgentProfile], file: &Path) -> Self {
        let is_read = |agent: &&AgentProfile| agent.scan.files.iter().any(|name| file.ends_with(name));
        let agents = agents.iter().copied().filter(is_read);
        let (refuse, read) = agents.partition(|agent| refusal(agent, file).is_some());
        Self { refuse, read }
    }

    /// As a sentence; none when no agent found here reads files of that name.
    pub fn sentence(&self) -> Option<String> {
        let titles = |agents: &[&AgentProfile]| {
            agents.iter().map(|agent| agent.title.as_str()).collect::<Vec<_>>().join(", ")
        };
        let verb = |agents: &[&AgentProfile], one: &'static str, many: &'static str| {
            if agents.len() == 1 { one } else { many }
        };
        let refuse = || format!("{} {} it", titles(&self.refuse), verb(&self.refuse, "refuses", "refuse"));
        let read = || format!("{} {} it", titles(&self.read), verb(&self.read, "reads", "read"));
        match (self.refuse.is_empty(), self.read.is_empty()) {
            (true, true) => None,
            (false, true) => Some(refuse()),
            (true, false) => Some(format!("{} all the same", read())),
            (false, false) => Some(format!("{}; {}", refuse(), read())),
        }
    }
}

/// Why an agent would not load the file.
fn refusals(agent: &AgentProfile, file: &Path) -> Vec<Diagnostic> {
    let diagnostic = |unseen: Unseen| {
        let message = format!("{} does not load this: {}", agent.title, unseen.reason);
        let diagnostic = Diagnostic::new(Code::AgentRefuses, message);
        match unseen.fix {
            Some(fix) => diagnostic.help(fix),
            None => diagnostic,
        }
    };
    refusal(agent, file).map(diagnostic).into_iter().collect()
}

fn without_skill(folder: &Path) -> Checked {
    let diagnostic =
        Diagnostic::new(Code::NoSkillFile, "no SKILL.md at or below this folder").in_path(folder);
    Checked { file: folder.join("SKILL.md"), diagnostics: vec![diagnostic] }
}

/// The order of paths by their parts, as lists sort names: capitals stand beside their small letters.
fn in_order_of_paths(one: &Path, other: &Path) -> Ordering {
    let key = |byte: &u8| if *byte == b'/' { 0 } else { byte.to_ascii_lowercase() };
    let (first, second) = (one.as_os_str().as_encoded_bytes(), other.as_os_str().as_encoded_bytes());
    first.iter().map(key).cmp(second.iter().map(key)).then_with(|| one.cmp(other))
}

fn sorted<T>(mut checked: Vec<(Checked, T)>) -> Vec<(Checked, T)> {
    checked.sort_by(|(one, _), (other, _)| in_order_of_paths(&one.file, &other.file));
    checked
}
