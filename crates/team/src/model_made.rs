//! Skills that a model wrote: proposed and off, until their user agrees to exactly these files. A policy of the organisation can let
//! some or all of them be served at once.

use crate::{
    db::{Tx, args},
    error::TeamError,
    judged::{Judged, VersionVerdict},
};
use skillful_catalog::capability::is_limit;

/// The source of a skill that a model wrote.
pub const SOURCE: &str = "model";

/// The rule: every one waits; those that can do nothing by themselves are served; all are served. Blocking findings wait in any case,
/// and what is for others has its review.
pub const RULE: (&str, &[&str]) = ("model-made", &["propose_only", "auto_enable_trusted", "auto_enable"]);

/// Whether a version that a model wrote waits for the yes of its user.
pub(crate) async fn is_held(tx: &mut Tx, org: &str, judged: &Judged) -> Result<bool, TeamError> {
    if judged.verdict == VersionVerdict::Block {
        return Ok(true);
    }
    let row = tx.maybe("SELECT setting FROM policy WHERE org = $1 AND rule = $2", args![org, RULE.0]).await?;
    let setting = row.map(|row| row.text(0)).transpose()?;
    Ok(match setting.as_deref() {
        Some("auto_enable") => false,
        Some("auto_enable_trusted") => !is_trusted(judged),
        // A setting that cannot be read enables nothing.
        _ => true,
    })
}

/// Whether a skill names nothing that it could do: no tool, command, server, secret or code, and the audit has at most notes. A skill
/// without a list of tools names none; that nothing is forbidden is one sentence of its own.
fn is_trusted(judged: &Judged) -> bool {
    let said = judged.capabilities.iter().filter(|one| !is_limit(one)).count();
    let names_none = said == usize::from(judged.manifest["allowed_tools"].is_null());
    names_none && judged.findings.iter().all(|found| found.severity == "note")
}
