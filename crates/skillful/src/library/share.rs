//! Handing skills on: as one file, or as a folder for a web server.

use super::{Library, LibraryError};
use crate::views::PathText;
use crate::{calendar, workspace::Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_audit::{Finding, Severity, audit};
use skillful_catalog::{Entry, bounded, disk, inspect::skill_files, profile::RootKind, variables};
use skillful_format::{Diagnostic, Digest, Limits, Tree, TreeFile, TreePath, path_text, source::FILE_LIMIT};
use skillful_registry::publish::{self, Offer, PublishError, PublishStep};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// The time that archives pretend to be made at, for builds that must not depend on the clock.
const EPOCH: &str = "SOURCE_DATE_EPOCH";

/// A skill as one file.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The name that the file gets when none is given.
    pub default_name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Files of the skill.
    pub files: usize,
    /// The digest of the skill.
    pub digest: Digest,
    /// Whether values of the user were omitted.
    pub without_values: bool,
    /// Files that were omitted.
    pub diagnostics: Vec<Diagnostic>,
    /// Blocking findings of the audit: the user who adds the file reads them, too.
    pub blocking: Vec<Finding>,
}

/// What a file name asks for.
enum ExportForm {
    SkillFile,
    Zip,
    TarGz,
}

impl ExportForm {
    fn of(target: &Path) -> Option<Self> {
        if target == Path::new("-") {
            return Some(Self::Zip);
        }
        let name = target.file_name()?.to_str()?.to_lowercase();
        match name.rsplit('.').next()? {
            "md" => Some(Self::SkillFile),
            "zip" | "skill" => Some(Self::Zip),
            "tgz" => Some(Self::TarGz),
            "gz" if name.contains(".tar.") => Some(Self::TarGz),
            _ => None,
        }
    }
}

impl Library<'_> {
    /// Packs a skill; the ending of `target` says how, and without one a single file stays one.
    pub fn export(&self, entry: &Entry, target: Option<&Path>) -> Result<Exported, LibraryError> {
        let limits = Limits::default();
        let is_command = entry.origin.kind == RootKind::Commands;
        let (tree, diagnostics) = if is_command {
            let bytes = bounded::read(&entry.origin.file, FILE_LIMIT, entry.origin.within.as_deref())
                .map_err(|error| LibraryError::io("read the command file")(error.into()))?;
            let mut tree = Tree::default();
            let path = TreePath::new("SKILL.md", &limits).map_err(LibraryError::new)?;
            tree.insert(path, TreeFile { bytes, executable: false }, &limits)
                .map_err(|found| LibraryError::new(found.message))?;
            (tree, Vec::new())
        } else {
            disk::read_folder(&entry.origin.real, &limits)
                .map_err(LibraryError::io(format!("read `{}`", path_text(&entry.origin.real))))?
        };
        let (tree, without_values) = variables::without_values(tree, &limits);
        let Some((_, own)) = tree.skill_file() else {
            return Err(LibraryError::new(format!(
                "there is no SKILL.md in `{}`",
                path_text(&entry.origin.real)
            )));
        };
        let folder = entry.folder().file_name().filter(|_| !is_command);
        let folder = folder.map_or_else(|| entry.name.clone(), |name| name.to_string_lossy().into_owned());
        let alone = tree.len() == 1;
        let default_name = format!("{folder}.{}", if alone { "md" } else { "zip" });
        let target = target.map_or_else(|| PathBuf::from(&default_name), Path::to_path_buf);
        let failed = |found: Diagnostic| LibraryError::new(found.message);
        let mut blocking = audit(&tree).findings;
        blocking.retain(|finding| finding.severity == Severity::Block);
        let bytes = match ExportForm::of(&target) {
            Some(ExportForm::TarGz) => skillful_archive::write_tar_gz(&tree, &folder).map_err(failed)?,
            Some(ExportForm::Zip) => skillful_archive::write_zip(&tree, &folder).map_err(failed)?,
            Some(ExportForm::SkillFile) if alone => own.bytes.clone(),
            Some(ExportForm::SkillFile) => {
                let count = tree.len();
                return Err(LibraryError::usage(format!(
                    "`{}` has {count} files, which one .md cannot hold",
                    entry.name
                ))
                .fix("export to .zip or .tar.gz"));
            }
            None => {
                return Err(LibraryError::usage(format!(
                    "the ending of `{}` does not name a format",
                    path_text(&target)
                ))
                .fix("use .md, .zip, .skill or .tar.gz"));
            }
        };
        Ok(Exported {
            default_name,
            bytes,
            files: tree.len(),
            digest: tree.digest(),
            without_values,
            diagnostics,
            blocking,
        })
    }
}

/// What is published, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishRequest {
    /// Folders or names; the working folder when empty.
    pub skills: Vec<String>,
    /// The folder that a web server offers.
    pub to: PathBuf,
    /// The version of all of them.
    pub version: Option<String>,
    /// A version that is withdrawn instead: name, version, reason.
    pub withdraw: Option<(String, String, String)>,
}

/// What is published.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Published {
    /// The version of this view.
    pub schema: u32,
    /// The folder.
    pub folder: PathText,
    /// The skills.
    pub skills: Vec<PublishedSkill>,
    /// The files that are written.
    pub files: Vec<String>,
    /// Whether they were written.
    pub applied: bool,
    /// How many of them were new.
    pub written: Option<usize>,
    #[serde(skip)]
    plan: publish::PublishPlan,
}

/// One published version.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PublishedSkill {
    /// The skill.
    pub name: String,
    /// The version.
    pub version: String,
    /// Whether it was not there before.
    pub new: bool,
    /// What its author should know.
    pub notes: Vec<String>,
    /// Blocking findings and warnings of the audit.
    pub findings: Vec<Finding>,
    /// Whether it is new and has blocking findings: it is published only after an answer that names it.
    pub blocked: bool,
}

impl Library<'_> {
    /// Plans what is published. Writes nothing.
    pub fn plan_publish(&self, request: &PublishRequest) -> Result<Published, LibraryError> {
        let workspace = self.workspace;
        let folder = workspace.environment().cwd.join(&request.to);
        let plan = match &request.withdraw {
            Some((name, version, why)) => publish::plan_yank(&folder, name, version, why).map_err(refused)?,
            None => {
                let mut offers = Vec::new();
                for place in places(workspace, &request.skills, &folder)? {
                    offers.push(offer(workspace, &place, request.version.as_deref())?);
                }
                let fixed =
                    workspace.environment().variables.get(EPOCH).and_then(|value| value.parse::<u64>().ok());
                let day = calendar::date(fixed.unwrap_or_else(|| calendar::seconds(self.now)));
                publish::plan(&folder, &offers, Some(&day)).map_err(refused)?
            }
        };
        let skill = |step: &PublishStep| PublishedSkill {
            name: step.name.clone(),
            version: step.version.to_string(),
            new: !step.there,
            notes: step.notes.clone(),
            findings: step.findings.clone(),
            blocked: step.is_blocked(),
        };
        Ok(Published {
            schema: crate::views::SCHEMA,
            skills: plan.skills.iter().map(skill).collect(),
            files: plan.files.iter().map(|(path, _)| path.clone()).collect(),
            applied: false,
            written: None,
            folder: folder.into(),
            plan,
        })
    }

    /// Writes what was planned. Skills with blocking findings need `despite_findings` with their names; without one
    /// of them nothing is written.
    pub fn apply_publish(
        &self,
        published: &mut Published,
        despite_findings: &BTreeSet<String>,
    ) -> Result<(), LibraryError> {
        let plan = &published.plan;
        let written =
            publish::write(plan, &published.folder, despite_findings, &self.writer).map_err(refused)?;
        published.applied = true;
        published.written = Some(written);
        Ok(())
    }
}

/// Every skill that cannot be published, with each of its reasons.
fn refused(error: PublishError) -> LibraryError {
    let all = match error {
        PublishError::Refused(all) => all,
        PublishError::Blocked(steps) => return blocked(&steps),
        other => return LibraryError::new(other),
    };
    let failure = LibraryError::new(match all.len() {
        1 => "nothing was published: a skill cannot be published".to_owned(),
        count => format!("nothing was published: {count} skills cannot be published"),
    });
    let reasons = all.into_iter().flat_map(|one| {
        one.reasons.into_iter().map(move |reason| (one.place.clone(), reason)).collect::<Vec<_>>()
    });
    reasons.fold(failure, |failure, (place, reason)| failure.item(place, reason))
}

/// Every blocking finding of the skills that no answer names, and the option that is the answer.
fn blocked(steps: &[PublishStep]) -> LibraryError {
    let failure = LibraryError::new(match steps.len() {
        1 => "nothing was published: a skill has blocking findings".to_owned(),
        count => format!("nothing was published: {count} skills have blocking findings"),
    });
    steps.iter().fold(failure, |mut failure, step| {
        for finding in step.findings.iter().filter(|finding| finding.severity == Severity::Block) {
            failure = failure.item(step.name.clone(), blocking_line(finding));
        }
        failure.fix(format!("publish it all the same with --despite-findings {}", step.name))
    })
}

/// A finding in one line: its place, its rule, why it matters. Without the evidence: an error may end in a log.
pub(super) fn blocking_line(finding: &Finding) -> String {
    let Finding { path, line, rule, why, .. } = finding;
    format!("{path} line {line}: {}: {why}", rule.id())
}

/// The folders of skills that the words mean. What was published before is not published again.
fn places(workspace: &Workspace, words: &[String], target: &Path) -> Result<Vec<PathBuf>, LibraryError> {
    let cwd = &workspace.environment().cwd;
    let below = |path: &Path| -> Vec<PathBuf> {
        let folders = skill_files(path).into_iter().filter_map(|file| file.parent().map(Path::to_path_buf));
        folders.filter(|folder| !folder.starts_with(target)).collect()
    };
    let mut places = if words.is_empty() { below(cwd) } else { Vec::new() };
    for word in words {
        let path = cwd.join(word);
        if path.exists() {
            places.extend(below(&path));
        } else {
            let at = workspace.find(word).map_err(LibraryError::new)?;
            places.push(workspace.catalog().entries[at].origin.real.clone());
        }
    }
    places.sort();
    places.dedup();
    if places.is_empty() {
        return Err(LibraryError::usage("there is no SKILL.md to publish")
            .fix("name skills, or folders that hold some"));
    }
    Ok(places)
}

fn offer(workspace: &Workspace, place: &Path, version: Option<&str>) -> Result<Offer, LibraryError> {
    let (tree, left_out) = disk::read_folder(place, &Limits::default())
        .map_err(LibraryError::io(format!("read `{}`", path_text(place))))?;
    let real = place.canonicalize().unwrap_or_else(|_| place.to_path_buf());
    let shown = place.strip_prefix(&workspace.environment().cwd).unwrap_or(place);
    Ok(Offer {
        place: path_text(shown).into_owned(),
        folder: real.file_name().and_then(|name| name.to_str()).map(str::to_owned),
        tree,
        left_out,
        version: version.map(str::to_owned),
    })
}
