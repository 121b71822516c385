//! Skills of a repository whose file is a link out of it. An agent reads them, so that its view names them. Only the name
//! and the description that a file gives itself in its frontmatter are passed on: any other text of it, such as a first
//! line that an agent takes as the description, may be of a private file, and a view goes to logs and to models.

use crate::{
    real_path::RealPaths,
    skill::{Loss, Skill},
};
use skillful_catalog::{Catalog, bounded};
use skillful_format::{Document, Manifest, Sidecars};
use std::{collections::BTreeSet, path::Path};

/// In the place of what the file says.
const NOT_SHOWN: &str = "its file is a link that leads out of the repository; this agent reads it, and what it says is not shown here";
/// In the place of why the agent does not take it, which may quote the file.
const NOT_TAKEN: &str =
    "its file is a link that leads out of the repository, and this agent does not take what it says";
const FENCE: &str = "---";
/// Bytes of a file that are read for its frontmatter, as many as one may have.
const START: usize = 64 << 10;

/// Takes out what comes from such files.
pub(super) fn hide(catalog: &Catalog, paths: &mut RealPaths, skills: &mut [Skill], losses: &mut [Loss]) {
    // Most files are not behind a link, and comparing a path with every root takes longer than reading the file.
    let is_linked = |file: &Path, real: &Path| file.as_os_str() != real.as_os_str();
    let is_private = |file: &Path, real: &Path| is_linked(file, real) && catalog.leads_out(file, real);
    for skill in skills.iter_mut().filter(|skill| is_private(&skill.found.file, &skill.found.real)) {
        let own = OwnWords::of(&skill.found.file, &skill.found.real);
        let told = (skill.label.clone(), skill.description.clone(), skill.when_to_use.clone());
        if !own.has(&skill.name) {
            skill.name = name_of(&skill.found.file);
        }
        for text in [&mut skill.label, &mut skill.description, &mut skill.when_to_use] {
            text.take_if(|text| !own.has(text));
        }
        skill.warnings.retain(|warning| !own.is_betrayed_by(warning));
        if told != (skill.label.clone(), skill.description.clone(), skill.when_to_use.clone())
            || own.is_empty()
        {
            skill.warnings = vec![NOT_SHOWN.to_owned()];
        }
    }
    for loss in losses {
        let Some(real) = paths.file(&loss.file) else { continue };
        if is_private(&loss.file, &real) {
            let own = OwnWords::of(&loss.file, &real);
            loss.name.take_if(|name| !own.has(name));
            if own.is_empty() || own.is_betrayed_by(&loss.cause.reason) {
                NOT_TAKEN.clone_into(&mut loss.cause.reason);
                loss.cause.fix = None;
            }
        }
    }
}

/// The words of the path of a file, and of the name and the description that its frontmatter gives it.
struct OwnWords {
    words: BTreeSet<String>,
    /// The start of the file.
    text: String,
    /// Whether the frontmatter gives it neither.
    says_nothing: bool,
}

impl OwnWords {
    fn of(file: &Path, real: &Path) -> Self {
        let (text, _) = bounded::read_start(real, START, None).unwrap_or_default();
        let manifest = if has_frontmatter(&text) {
            Document::read(text.as_bytes(), &Sidecars::default()).manifest
        } else {
            Manifest::default()
        };
        let when_to_use = manifest.when_to_use.clone();
        let said: Vec<String> =
            [manifest.name, manifest.description, when_to_use].into_iter().flatten().collect();
        let path = file.to_string_lossy();
        let words = said.iter().map(String::as_str).chain([path.as_ref()]).flat_map(words);
        Self { words: words.map(str::to_owned).collect(), says_nothing: said.is_empty(), text }
    }

    fn is_empty(&self) -> bool {
        self.says_nothing
    }

    /// Whether a text is made of these words.
    fn has(&self, text: &str) -> bool {
        words(text).all(|word| self.words.contains(word))
    }

    /// Whether a sentence quotes another part of the file.
    fn is_betrayed_by(&self, sentence: &str) -> bool {
        let quoted = sentence.split(['`', '"', '“', '”']).skip(1).step_by(2);
        quoted.into_iter().any(|quoted| !self.has(quoted) && self.text.contains(quoted.trim_end_matches('…')))
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a text begins with a line that is a fence, and has another one. A key in PEM begins with more hyphens.
fn has_frontmatter(text: &str) -> bool {
    let mut lines = text.lines();
    lines.next().is_some_and(|line| line.trim_end() == FENCE) && lines.any(|line| line.trim_end() == FENCE)
}

/// The name of the folder of a skill, or of a file that is a skill by itself.
fn name_of(file: &Path) -> String {
    let is_skill = file.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    let named = if is_skill { file.parent().and_then(Path::file_name) } else { file.file_stem() };
    named.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
