//! Audits what a skill could do to its user: every file is read, parsed and judged by rules that
//! are data.
//!
//! Invariants: no disk, clock, network or environment; the same tree gives the same report; every
//! limit is a constant in [`limits`]. A file that cannot be read is *not scanned*, which never
//! counts as clean, and no report says "safe".

mod across_files;
pub mod case;
mod data;
mod embedded_text;
mod file;
mod flow;
mod frontmatter;
mod hidden;
mod hosts;
mod kind;
pub mod limits;
mod lines;
mod markdown;
pub mod model_review;
mod nested_archive;
mod page;
mod pattern;
mod prose;
mod purpose;
pub mod report;
pub mod rule;
mod script;
mod sensitive;
mod server;
mod shell;
mod split_text;
mod text;
mod user_download;

pub use model_review::{ModelFinding, ModelHarm, ModelReview};
pub use report::{Capabilities, Files, Finding, NotScanned, Report, Severity, Verdict};
pub use rule::{RULESET, Rule};

use across_files::Script;
use file::{File, Findings};
use purpose::Purpose;
use skillful_format::{Document, Sidecars, Tree, TreeFile};
use std::sync::Arc;

/// Judges all files of a skill.
pub fn audit(tree: &Tree) -> Report {
    let mut findings = Findings::default();
    let mut capabilities = Capabilities::default();
    let mut not_scanned = Vec::new();
    let document = tree.skill_file().or_else(|| command_file(tree)).map(|(name, file)| {
        let get = |path: &str| tree.get(path).map(|file| file.bytes.as_slice());
        let sidecars = Sidecars {
            skillful: get("agents/skillful.yaml"),
            openai: get("agents/openai.yaml"),
            toml: get("skill.toml"),
        };
        (name, Document::read(&file.bytes, &sidecars))
    });
    let about_attacks =
        document.as_ref().is_some_and(|(_, document)| page::is_security_skill(&document.manifest));
    let purpose = document.as_ref().map(|(name, document)| {
        let body = tree.get(name).map(|file| document.body_text(&file.bytes)).unwrap_or_default();
        let purpose = Purpose::new(document).with_hosts(&body);
        // Only scripts are compared with the letters of the body.
        if tree.len() > 1 { purpose.with_body(&body) } else { purpose }
    });
    let purpose = Arc::new(purpose.unwrap_or_default());
    let mut budget = limits::TOTAL_BYTES;
    let mut read = 0;
    for (path, file) in tree.iter() {
        let path = path.as_str();
        let own = document.as_ref().filter(|(name, _)| *name == path).map(|(_, document)| document);
        let mut one = File {
            path,
            about_attacks,
            purpose: &purpose,
            depth: 0,
            findings: &mut findings,
            capabilities: &mut capabilities,
        };
        match one.judge(&file.bytes, own, &mut budget) {
            Ok(()) => read += 1,
            Err(why) => not_scanned.push(NotScanned { path: path.to_owned(), why }),
        }
    }
    let scripts: Vec<_> = tree
        .iter()
        .filter(|(path, file)| kind::kind(path.as_str(), &file.bytes).is_code())
        .filter_map(|(path, file)| {
            let text = std::str::from_utf8(&file.bytes).ok()?;
            let text = &text[..lines::floor(text, limits::FILE_BYTES)];
            Some(across_files::Script { path: path.as_str(), text })
        })
        .collect();
    if let Some((at, rule, severity, place)) = across_files::look(&scripts, &purpose) {
        let Script { path, text } = scripts[at];
        File {
            path,
            about_attacks,
            purpose: &purpose,
            depth: 0,
            findings: &mut findings,
            capabilities: &mut capabilities,
        }
        .emit_written(text, rule, severity, &place);
    }
    if document.is_none() {
        not_scanned.push(NotScanned {
            path: "SKILL.md".to_owned(),
            why: "the file is missing, so the instructions of the skill are unknown".to_owned(),
        });
    }
    not_scanned.sort();
    findings.weigh_together();
    let findings = without_doubles(&findings.sorted());
    let verdict = report::verdict(&findings, &not_scanned);
    Report {
        ruleset: RULESET,
        files: Files { read, of: tree.len() },
        verdict,
        findings,
        not_scanned,
        capabilities,
        model: None,
    }
}

/// The passages of a SKILL.md and the signs that they show; the weights of the signs are fitted with them.
pub fn signs(skill: &[u8]) -> Vec<(String, Vec<&'static str>)> {
    let document = Document::read(skill, &Sidecars::default());
    let body = document.body_text(skill);
    let purpose = Purpose::new(&document).with_hosts(&body);
    let page = markdown::read(&body, 0);
    let prose = page.pieces.iter().filter(|piece| matches!(piece.part, markdown::Part::Prose));
    let texts = prose.filter_map(|piece| body.get(piece.range.clone()));
    texts
        .flat_map(|text| {
            let found = prose::signs(text, &purpose);
            found.into_iter().map(|(range, names)| (text[range].to_owned(), names))
        })
        .collect()
}

/// The findings without those of signs where another rule says more about a part of the same passage.
fn without_doubles(findings: &[Finding]) -> Vec<Finding> {
    let is_said = |one: &Finding| {
        one.rule == Rule::AgainstUser
            && findings.iter().any(|other| {
                other.rule != Rule::AgainstUser
                    && other.path == one.path
                    && (other.line == one.line || is_inside(other, one))
                    && other.severity >= one.severity
            })
    };
    findings.iter().filter(|one| !is_said(one)).cloned().collect()
}

/// Whether a finding lies in the passage of another one.
fn is_inside(inner: &Finding, outer: &Finding) -> bool {
    let (Some(inner), Some(outer)) = (inner.span, outer.span) else { return false };
    outer.start <= inner.start && inner.end <= outer.end
}

/// The file of a command, which is the only file of its skill.
fn command_file(tree: &Tree) -> Option<(&str, &TreeFile)> {
    let (path, file) = tree.iter().next().filter(|_| tree.len() == 1)?;
    path.as_str().strip_suffix(".md").map(|_| (path.as_str(), file))
}

/// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
