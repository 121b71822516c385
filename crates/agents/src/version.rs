//! The version of an agent that is installed, read from files. No program is started for it.

use serde_json::Value as Json;
use skillful_catalog::{Environment, bounded};
use skillful_profiles::AgentProfile;
use std::path::{Path, PathBuf};

/// Bytes of a `package.json` that are read.
const PACKAGE_LIMIT: u64 = 256 * 1024;
/// Folders above a program in which its package is looked for.
const LEVELS: usize = 8;
/// Characters of a version that are shown.
const LONGEST: usize = 32;

/// The installed version of an agent: of the npm package that its command is part of, or else of the folder or file
/// that an installer named by the version. Nothing where the agent's profile names no program, and where no program of
/// that name is on the path.
pub fn installed_version(agent: &AgentProfile, environment: &Environment) -> Option<String> {
    let name = agent.program.name.as_deref()?;
    let program = real_program(environment, name)?;
    of_package(&program, &agent.program.npm).or_else(|| of_path(&program, name))
}

/// The first program of that name on the path, links resolved.
fn real_program(environment: &Environment, name: &str) -> Option<PathBuf> {
    let path = environment.variable("PATH")?;
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())?.canonicalize().ok()
}

fn of_package(program: &Path, names: &[String]) -> Option<String> {
    program.ancestors().skip(1).take(LEVELS).find_map(|folder| {
        let text = bounded::read_text(&folder.join("package.json"), PACKAGE_LIMIT, None).ok()?;
        let package: Json = serde_json::from_str(&text).ok()?;
        let name = package.get("name")?.as_str()?;
        // A package for one platform is named after the whole: `@openai/codex-linux-x64`.
        let is_own = names.iter().any(|own| name == own || name.starts_with(&format!("{own}-")));
        let version = package.get("version")?.as_str()?;
        (is_own && is_version(version)).then(|| version.to_owned())
    })
}

/// `…/claude/versions/2.1.325`, `…/Cellar/codex/0.166.0/bin/codex`: a part behind one that is named like the program.
/// Without that name it could be the version of a language or of a package manager.
fn of_path(program: &Path, name: &str) -> Option<String> {
    let parts: Vec<&str> = program.iter().filter_map(|part| part.to_str()).collect();
    let is_own = |at: usize| {
        let before = |back: usize| at.checked_sub(back).map(|at| parts[at]);
        before(1) == Some(name) || before(1) == Some("versions") && before(2) == Some(name)
    };
    let at = (0..parts.len()).rev().find(|at| is_version(parts[*at]) && is_own(*at))?;
    Some(parts[at].to_owned())
}

/// Whether a text is at least two numbers with points between them, and a suffix of letters at most.
fn is_version(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (numbers, suffix) = text.split_at(end);
    let is_numbers = numbers.split('.').count() >= 2 && numbers.split('.').all(|number| !number.is_empty());
    let is_suffix = suffix.is_empty()
        || suffix.starts_with(['-', '+'])
            && suffix.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_'));
    text.len() <= LONGEST && is_numbers && is_suffix
}

#[cfg(test)]
mod tests {
    use super::is_version;

    #[test]
    fn a_version_is_numbers_with_points_and_a_suffix_at_most() {
        for yes in ["2.1.325", "0.166.0", "1.18", "0.61.0-preview.2", "1.0.0+build"] {
            assert!(is_version(yes), "{yes}");
        }
        for no in
            ["", "2", "v2.1", "python3.11", "2.", ".5", "1..2", "1.2\u{1b}[2J", "1.2 x", &"1.".repeat(40)]
        {
            assert!(!is_version(no), "{no}");
        }
    }
}
