//! What is wrong with the files of a skill that is being written: each problem with its place, its code, and the edits that
//! correct it.

use schemars::JsonSchema;
use serde::Serialize;
use skillful_format::{
    Diagnostic, Document, Limits, Profile, Sidecars, Tree, check,
    fix::{self, Fix},
};

/// What checking a skill gave.
#[derive(Clone, Debug)]
pub struct CheckedFile {
    /// The name of the skill file in the tree.
    pub path: String,
    /// Its text.
    pub text: String,
    /// What was read.
    pub document: Document,
    /// Every problem, in the order of the check.
    pub problems: Vec<TextProblem>,
}

/// One problem of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TextProblem {
    /// The stable code.
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// The file.
    pub path: String,
    /// The line, from 1; none when it is about the whole file.
    pub line: Option<u32>,
    /// The characters of the text that it is about, counted in UTF-16 units, as browsers and editors count.
    pub start: Option<usize>,
    /// The end of them.
    pub end: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// How to correct it.
    pub help: Option<String>,
    /// The edits that correct it.
    pub fix: Option<ProblemFix>,
}

/// Edits that correct a problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProblemFix {
    /// What they do, as an order.
    pub title: String,
    /// Whether they keep what the skill means.
    pub automatic: bool,
    /// The edits, in the order of the text, without overlaps.
    pub edits: Vec<TextChange>,
}

/// Characters of a text become other ones. Places count UTF-16 units, as browsers and editors count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TextChange {
    /// Where they begin.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// What stands there afterwards.
    pub text: String,
}

/// The files beside the skill file that say more about it.
pub fn sidecars(tree: &Tree) -> Sidecars<'_> {
    let bytes = |path: &str| tree.get(path).map(|file| file.bytes.as_slice());
    Sidecars {
        skillful: bytes("agents/skillful.yaml"),
        openai: bytes("agents/openai.yaml"),
        toml: bytes("skill.toml"),
    }
}

fn found(tree: &Tree, text: &str, folder: Option<&str>, profile: &Profile) -> (Document, Vec<Diagnostic>) {
    let document = Document::read_text(text, &sidecars(tree));
    let has_file = |wanted: &str| tree.get(wanted).is_some();
    let found = check(text, &document, folder, &has_file, profile);
    (document, found)
}

/// Checks a skill as files in memory. `folder` is the name of the folder it gets. A tree without a skill file gives `None`.
pub fn check_tree(tree: &Tree, folder: Option<&str>, profile: &Profile) -> Option<CheckedFile> {
    let (path, file) = tree.skill_file()?;
    let text = String::from_utf8_lossy(&file.bytes).into_owned();
    let (document, found) = found(tree, &text, folder, profile);
    let fixes = fix::fixes(&text, &document, folder, &found);
    let units = Units::of(&text);
    let problems = found.iter().map(|one| units.problem(path, one, &fixes)).collect();
    Some(CheckedFile { path: path.to_owned(), text, document, problems })
}

/// The tree with one correction applied: that of the problem with this code at this line, else at any line.
pub fn fixed(
    tree: &Tree,
    folder: Option<&str>,
    profile: &Profile,
    code: &str,
    line: Option<u32>,
) -> Option<Tree> {
    let (path, file) = tree.skill_file()?;
    let text = std::str::from_utf8(&file.bytes).ok()?;
    let (document, found) = found(tree, text, folder, profile);
    let fixes = fix::fixes(text, &document, folder, &found);
    let same = |one: &&Fix| one.code.to_string() == code;
    let at_line = |one: &&Fix| one.span.map(|span| span.line) == line;
    let fix = fixes.iter().find(|one| same(one) && at_line(one)).or_else(|| fixes.iter().find(same))?;
    with_text(tree, path, &fix::apply(text, &fix.edits)?)
}

/// The tree with every correction that keeps what the skill means.
pub fn all_fixed(tree: &Tree, folder: Option<&str>, profile: &Profile) -> Option<Tree> {
    let (path, file) = tree.skill_file()?;
    let text = std::str::from_utf8(&file.bytes).ok()?;
    let fixed = fix::fix_all(text, folder, |text| found(tree, text, folder, profile));
    with_text(tree, path, &fixed)
}

/// The tree with another text of one file.
fn with_text(tree: &Tree, path: &str, text: &str) -> Option<Tree> {
    let limits = Limits::default();
    let mut next = Tree::default();
    for (own, file) in tree.iter() {
        let mut file = file.clone();
        if own.as_str() == path {
            file.bytes = text.as_bytes().to_vec();
        }
        next.insert(own.clone(), file, &limits).ok()?;
    }
    next.get(path).is_some().then_some(next)
}

/// Bytes of a text as UTF-16 units.
struct Units<'a> {
    text: &'a str,
    /// The units before each line, with the byte at which the line begins.
    lines: Vec<(usize, usize)>,
}

impl<'a> Units<'a> {
    fn of(text: &'a str) -> Self {
        let mut lines = vec![(0, 0)];
        let (mut byte, mut unit) = (0, 0);
        for line in text.split_inclusive('\n') {
            byte += line.len();
            unit += line.encode_utf16().count();
            lines.push((byte, unit));
        }
        Self { text, lines }
    }

    fn at(&self, byte: usize) -> usize {
        let byte = self.text.floor_char_boundary(byte);
        let line = self.lines.partition_point(|(start, _)| *start <= byte).saturating_sub(1);
        let (start, unit) = self.lines[line];
        unit + self.text[start..byte].encode_utf16().count()
    }

    fn problem(&self, path: &str, found: &Diagnostic, fixes: &[Fix]) -> TextProblem {
        // A position in another file, such as `skill.toml`, means nothing here.
        let span = found.span.filter(|_| found.path.is_none());
        let fix = fixes
            .iter()
            .find(|fix| found.path.is_none() && fix.code == found.code && fix.span == found.span)
            .map(|fix| ProblemFix {
                title: fix.title.clone(),
                automatic: fix.automatic,
                edits: fix
                    .edits
                    .iter()
                    .map(|edit| TextChange {
                        start: self.at(edit.range.start),
                        end: self.at(edit.range.end),
                        text: edit.text.clone(),
                    })
                    .collect(),
            });
        TextProblem {
            code: found.code.to_string(),
            severity: found.severity.to_string(),
            path: found.path.as_ref().map_or_else(|| path.to_owned(), |path| crate::visible::path(path)),
            line: span.map(|span| span.line),
            start: span.map(|span| self.at(span.start as usize)),
            end: span.map(|span| self.at(span.end as usize)),
            message: found.message.clone(),
            help: found.help.clone().map(Into::into),
            fix,
        }
    }
}

/// The byte of a text at a number of UTF-16 units.
pub fn byte_at(text: &str, units: usize) -> usize {
    let mut left = units;
    for (byte, c) in text.char_indices() {
        if left < c.len_utf16() {
            return byte;
        }
        left -= c.len_utf16();
    }
    text.len()
}

/// The UTF-16 units before a byte of a text.
pub fn units_at(text: &str, byte: usize) -> usize {
    text[..text.floor_char_boundary(byte)].encode_utf16().count()
}

#[cfg(test)]
mod tests;
