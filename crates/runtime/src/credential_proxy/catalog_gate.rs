//! The gate of the proxy over a catalog.

use crate::exec;
use skillful_catalog::{
    AdmittedSkill, Catalog, Environment, Principal, approvals::files_of, gate::Status, profile::RootKind,
};
use skillful_credentials::proxy::{Gate, ReachedSkill, Reason, Unreachable};
use skillful_format::Digest;
use skillful_select::access::{Asker, Refusal, Way, admit, offered, reach};
use std::{ffi::OsString, sync::Arc};

/// Decides by the gate of a catalog which skills' programs may be run.
#[derive(Clone, Debug)]
pub struct CatalogGate {
    /// The skills.
    pub catalog: Arc<Catalog>,
    /// The user who asks.
    pub principal: Principal,
    /// The user's machine.
    pub environment: Environment,
}

impl CatalogGate {
    /// The asker of every request.
    pub fn asker(&self) -> Asker<'_> {
        Asker::new(&self.principal, &self.environment)
    }

    /// The skill at a place of the catalog, when its programs may be run now, with the files that its secrets are
    /// bound to.
    pub(super) fn admitted(&self, at: usize, bound: Option<&Digest>) -> Result<AdmittedSkill<'_>, String> {
        let proof = admit(&self.catalog, at, self.asker(), Way::Execute)
            .map_err(|verdict| verdict.words_for_a_model())?;
        let skill = self.catalog.admitted(&proof).map_err(|error| error.to_string())?;
        match bound {
            Some(files) => skill.bound(files).map_err(|error| error.to_string()),
            None => Ok(skill),
        }
    }

    /// Every skill whose programs may be run, by its place in the catalog.
    pub(super) fn entries(&self) -> impl Iterator<Item = usize> {
        let open = offered(&self.catalog, self.asker(), Way::Execute);
        // The folder of a command file also holds files of other commands.
        open.into_iter().filter(|at| self.catalog.entries[*at].origin.kind != RootKind::Commands)
    }
}

impl Gate for CatalogGate {
    fn reach(&self, word: &str) -> Result<ReachedSkill, Unreachable> {
        let found = reach(&self.catalog, word, self.asker(), Way::Execute);
        let proof = found.map_err(|refusal| unreachable(&refusal))?;
        let at = proof.entry();
        let entry = &self.catalog.entries[at];
        if entry.origin.kind == RootKind::Commands {
            return Err(unreachable(&Refusal { word: word.to_owned(), skill: None, near: Vec::new() }));
        }
        if let Err(error) = self.catalog.admitted(&proof) {
            let detail = error.to_string();
            let model_message = format!("the skill `{word}` is not available: {detail}");
            let reason = Reason::Gated;
            return Err(Unreachable { reason, detail, model_reason: reason, model_message });
        }
        Ok(ReachedSkill { address: entry.address(), id: at, bound: None })
    }

    fn files(&self, skill: &ReachedSkill) -> Option<Digest> {
        files_of(&self.catalog.entries[skill.id]).ok()
    }

    fn command(
        &self,
        skill: &ReachedSkill,
        program: Option<&str>,
        words: &[String],
    ) -> Result<Vec<OsString>, String> {
        let skill = self.admitted(skill.id, skill.bound.as_ref())?;
        let found = match program {
            Some(name) => exec::find(&skill, Some(name)).map(|program| (program, words)),
            None => exec::choose(&skill, words),
        };
        let (program, arguments) = found.map_err(|error| error.to_string())?;
        Ok(program.command(arguments))
    }

    fn reachable(&self) -> Vec<String> {
        self.entries().map(|at| self.catalog.entries[at].address()).collect()
    }
}

fn unreachable(refusal: &Refusal) -> Unreachable {
    let model_message = refusal.message();
    let Some((_, verdict)) = &refusal.skill else {
        return Unreachable {
            reason: Reason::UnknownSkill,
            detail: "there is no such skill with programs".to_owned(),
            model_reason: Reason::UnknownSkill,
            model_message,
        };
    };
    let is_unavailable = verdict.status == Status::Unavailable;
    let model_reason = if is_unavailable { Reason::Gated } else { Reason::UnknownSkill };
    let reasons: Vec<String> = verdict.reasons.iter().map(ToString::to_string).collect();
    Unreachable { reason: Reason::Gated, detail: reasons.join("; "), model_reason, model_message }
}
