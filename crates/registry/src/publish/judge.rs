//! What may be published: what the specification allows, without links, and without secrets.

use super::{PublishError, reads_back};
use crate::{
    fetch::is_name,
    sign::{self, Allowed, SIGNATURE_FILE, Signed},
};
use skillful_audit::{Finding, Rule, audit};
use skillful_format::{Data, Diagnostic, Digest, Document, SPEC, Severity, Sidecars, Tree, check};
use std::{collections::BTreeMap, fmt};

/// Reasons that are reported for one skill.
const REASONS: usize = 20;

/// A skill that the user wants to publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Where it lies, for messages.
    pub place: String,
    /// The name of its folder, which must be its own.
    pub folder: Option<String>,
    /// Its files, with its signature when it has one.
    pub tree: Tree,
    /// What of it could not be read or is a link.
    pub left_out: Vec<Diagnostic>,
    /// The version; none is the one its frontmatter names.
    pub version: Option<String>,
}

/// A skill that is not published, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Where it lies.
    pub place: String,
    /// Everything that is in the way.
    pub reasons: Vec<String>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be published:", self.place)?;
        for reason in self.reasons.iter().take(REASONS) {
            write!(f, "\n  {reason}")?;
        }
        match self.reasons.len().saturating_sub(REASONS) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

/// An offer that may be published.
pub(super) struct Publishable {
    pub(super) name: String,
    pub(super) version: semver::Version,
    pub(super) description: String,
    pub(super) tree: Digest,
    pub(super) archive: Vec<u8>,
    pub(super) notes: Vec<String>,
    pub(super) findings: Vec<Finding>,
}

/// All of them, in order of the names, or every reason why not.
pub(super) fn judge(offers: &[Offer]) -> Result<Vec<Publishable>, PublishError> {
    let mut judged: BTreeMap<String, Publishable> = BTreeMap::new();
    let mut refused = Vec::new();
    for offer in offers {
        match one(offer) {
            Ok(one) if judged.contains_key(&one.name) => {
                let reasons = vec![format!("another skill of this call is called `{}`, too", one.name)];
                refused.push(Refused { place: offer.place.clone(), reasons });
            }
            Ok(one) => drop(judged.insert(one.name.clone(), one)),
            Err(reasons) => refused.push(Refused { place: offer.place.clone(), reasons }),
        }
    }
    if refused.is_empty() { Ok(judged.into_values().collect()) } else { Err(PublishError::Refused(refused)) }
}

fn one(offer: &Offer) -> Result<Publishable, Vec<String>> {
    let mut reasons: Vec<String> = offer.left_out.iter().map(|found| found.message.clone()).collect();
    let mut tree = offer.tree.clone();
    let signature = sign::split(&mut tree);
    let digest = tree.digest();
    if let Signed::Bad(fault) = sign::check(&digest, signature.as_ref(), &Allowed::default(), 0) {
        reasons.push(format!("{SIGNATURE_FILE}: {fault}; sign it again with `skillful sign`"));
    }
    let Some((_, file)) = tree.skill_file() else {
        reasons.push("there is no SKILL.md".to_owned());
        return Err(reasons);
    };
    let get = |path: &str| tree.get(path).map(|file| file.bytes.as_slice());
    let sidecars = Sidecars {
        skillful: get("agents/skillful.yaml"),
        openai: get("agents/openai.yaml"),
        toml: get("skill.toml"),
    };
    let document = Document::read(&file.bytes, &sidecars);
    let text = String::from_utf8_lossy(&file.bytes);
    let has_file = |path: &str| has(&tree, path);
    for found in check(&text, &document, offer.folder.as_deref(), &has_file, &SPEC) {
        if found.severity == Severity::Error {
            let line = found.span.map_or_else(String::new, |span| format!(" (line {})", span.line));
            reasons.push(format!("{}{line}", found.message));
        }
    }
    let report = audit(&tree);
    for finding in report.findings.iter().filter(|finding| finding.rule == Rule::HardSecret) {
        // Without the evidence: an error may end in a log that others read.
        reasons.push(format!("{} line {}: holds a secret; {}", finding.path, finding.line, finding.fix));
    }
    let is_heavy = |finding: &&Finding| finding.severity > skillful_audit::Severity::Note;
    let findings = report.findings.iter().filter(is_heavy).cloned().collect();
    let notes =
        report.not_scanned.iter().map(|one| format!("{}: not looked into: {}", one.path, one.why)).collect();
    let name = document.manifest.name.clone().unwrap_or_default();
    if !is_name(&name) && reasons.is_empty() {
        reasons.push("its name is not of small letters, digits and single hyphens".to_owned());
    }
    let version = version(offer, &document).map_err(|why| reasons.push(why)).ok();
    let archive = skillful_archive::write_tar_gz_bare(&offer.tree).map_err(|found| found.message);
    let archive = archive.and_then(|archive| reads_back(&archive, digest).map(|()| archive));
    let archive = archive.map_err(|why| reasons.push(why)).ok();
    match (version, archive) {
        (Some(version), Some(archive)) if reasons.is_empty() => {
            let description = document.manifest.description.unwrap_or_default();
            Ok(Publishable { name, version, description, tree: digest, archive, notes, findings })
        }
        _ => Err(reasons),
    }
}

/// Whether a path of a text is a file or folder of the skill.
fn has(tree: &Tree, path: &str) -> bool {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    tree.get(path).is_some() || tree.iter().any(|(file, _)| file.parents().any(|folder| folder == path))
}

fn version(offer: &Offer, document: &Document) -> Result<semver::Version, String> {
    let header = || {
        let own = document.manifest.version.clone();
        own.or_else(|| {
            let (_, value) = document.manifest.metadata.iter().find(|(key, _)| key == "version")?;
            match value {
                Data::Text(text) | Data::Number(text) => Some(text.clone()),
                _ => None,
            }
        })
    };
    let text = offer.version.clone().or_else(header).ok_or(
        "it has no version; pass --version 1.0.0, or write `metadata:` with `version: \"1.0.0\"` into its frontmatter",
    )?;
    let version: semver::Version = text
        .parse()
        .map_err(|error| format!("`{}` is not a version such as 1.2.0: {error}", text.escape_debug()))?;
    // Two versions that differ only after the plus are equal in every comparison.
    if version.build.is_empty() {
        Ok(version)
    } else {
        Err("a version here has no part behind `+`".to_owned())
    }
}
