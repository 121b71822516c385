//! What users read is written in the terms of the glossary: no retired word is left in messages, help, documentation, shipped
//! skills or JSON Schemas.

mod rust_text;
mod terms;

use rust_text::rust_text;
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};
use terms::{ALLOWED, RETIRED, WORD_LISTS, find};

/// A piece of text that users read.
struct Passage {
    /// Relative to the repository, or the command whose help it is.
    place: String,
    /// The line that the text begins at.
    line: usize,
    text: String,
}

impl Passage {
    fn new(place: &str, line: usize, text: impl Into<String>) -> Self {
        Self { place: place.to_owned(), line, text: text.into() }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file below a folder with one of the endings, in a fixed order.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, endings, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|wanted| ending == *wanted)) {
            found.push(path);
        }
    }
}

/// The files whose whole text users read.
fn documents(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "crates/cli/src/args/help.txt"]
            .map(|name| root.join(name))
            .into();
    for folder in
        ["docs", "fuzz", "benches", "packaging", "tests", "crates/assistant/prompts", "crates/catalog/skills"]
    {
        files(&root.join(folder), &["md"], &mut found);
    }
    files(&root.join("crates/cli/src/help"), &["txt"], &mut found);
    files(&root.join("schemas"), &["json", "md"], &mut found);
    files(&root.join("crates/server/templates"), &["html"], &mut found);
    for krate in fs::read_dir(root.join("crates")).unwrap() {
        let page = krate.unwrap().path().join("README.md");
        found.extend(page.is_file().then_some(page));
    }
    found.sort();
    found
}

/// What changed since the last release. What is said of releases stays as it was.
fn news(root: &Path) -> Passage {
    let text = fs::read_to_string(root.join("CHANGELOG.md")).unwrap();
    let (_, news) = text.split_once("## Unreleased").unwrap();
    let news = news.split_once("\n## ").map_or(news, |(news, _)| news);
    Passage::new("CHANGELOG.md", 1, news)
}

/// Everything that users read: documents, texts of the sources, and the help of every command.
fn passages(root: &Path) -> Vec<Passage> {
    let mut passages = vec![news(root)];
    let relative = |path: &Path| path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
    for path in documents(root) {
        passages.push(Passage::new(&relative(&path), 1, fs::read_to_string(&path).unwrap()));
    }
    let mut sources = Vec::new();
    for krate in fs::read_dir(root.join("crates")).unwrap() {
        files(&krate.unwrap().path().join("src"), &["rs"], &mut sources);
    }
    sources.sort();
    for path in sources {
        let place = relative(&path);
        if WORD_LISTS.iter().any(|(list, _)| *list == place)
            || place.ends_with("/tests.rs")
            || place.contains("/tests/")
        {
            continue;
        }
        for (line, text) in rust_text(&fs::read_to_string(&path).unwrap()) {
            passages.push(Passage::new(&place, line, text));
        }
    }
    for (path, help) in skillful_cli::helps() {
        passages.push(Passage::new(&format!("skillful {path} --help"), 1, help));
    }
    passages
}

#[test]
fn users_read_no_retired_word() {
    let (mut report, mut count) = (String::new(), 0);
    let mut used = BTreeSet::new();
    for passage in passages(&root()) {
        for hit in find(&passage.text) {
            let allowed = ALLOWED.iter().position(|allowed| {
                passage.place.starts_with(allowed.place)
                    && allowed.phrase == hit.group
                    && hit.around.contains(allowed.context)
            });
            if let Some(at) = allowed {
                used.insert(at);
                continue;
            }
            count += 1;
            let line = passage.line + hit.line;
            let _ = writeln!(
                report,
                "{}:{line}: `{}`: {}\n    {}",
                passage.place, hit.phrase, hit.better, hit.around
            );
        }
    }
    assert!(report.is_empty(), "{count} retired words:\n{report}");
    for (at, allowed) in ALLOWED.iter().enumerate() {
        assert!(
            used.contains(&at),
            "`{}` in {} is not needed any more: {}",
            allowed.phrase,
            allowed.place,
            allowed.reason
        );
    }
}

#[test]
fn word_lists_and_exceptions_name_files_that_exist() {
    for place in WORD_LISTS.iter().map(|(place, _)| *place).chain(ALLOWED.iter().map(|allowed| allowed.place))
    {
        assert!(place.starts_with("skillful ") || root().join(place).exists(), "{place}");
    }
    for allowed in ALLOWED {
        assert!(
            RETIRED.iter().any(|retired| retired.phrases[0] == allowed.phrase),
            "`{}` is not retired",
            allowed.phrase
        );
    }
}
