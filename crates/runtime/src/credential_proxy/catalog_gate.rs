//! The gate of the proxy over a catalog.

use crate::exec;
use skillful_catalog::{
    AdmittedSkill, Catalog, Environment, Principal,
    approvals::files_of,
    gate::{Status, Verdict},
    profile::RootKind,
};
use skillful_credentials::proxy::{Gate, ReachedSkill, Reason, Unreachable};
use skillful_format::Digest;
use skillful_select::access::{Admitted, Asker, Refusal, Way, admit, offered, reach};
use std::{
    collections::BTreeSet,
    ffi::OsString,
    sync::{Arc, PoisonError, RwLock},
};

/// Skills that the user called in a session, by address: their programs may be run, also those of a skill that a
/// model may not load by itself.
#[derive(Clone, Debug, Default)]
pub struct CalledSkills(Arc<RwLock<BTreeSet<String>>>);

impl CalledSkills {
    /// Replaces the skills.
    pub fn set(&self, skills: BTreeSet<String>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = skills;
    }

    fn has(&self, skill: &str) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(skill)
    }

    fn addresses(&self) -> Vec<String> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

/// Decides by the gate of a catalog which skills' programs may be run.
#[derive(Clone, Debug)]
pub struct CatalogGate {
    /// The skills.
    pub catalog: Arc<Catalog>,
    /// The user who asks.
    pub principal: Principal,
    /// The user's machine.
    pub environment: Environment,
    /// What the user called.
    pub called: CalledSkills,
}

impl CatalogGate {
    /// The asker of every request.
    pub fn asker(&self) -> Asker<'_> {
        Asker::new(&self.principal, &self.environment)
    }

    /// The skill at a place of the catalog, when its programs may be run now, with the files that its secrets are
    /// bound to.
    pub(super) fn admitted(&self, at: usize, bound: Option<&Digest>) -> Result<AdmittedSkill<'_>, String> {
        let proof = self.proof(at).map_err(|verdict| verdict.words_for_a_model())?;
        let skill = self.catalog.admitted(&proof).map_err(|error| error.to_string())?;
        match bound {
            Some(files) => skill.bound(files).map_err(|error| error.to_string()),
            None => Ok(skill),
        }
    }

    /// Asks the gate about the programs of a skill. What the user called is judged as a call of the user.
    fn proof(&self, at: usize) -> Result<Admitted, Verdict> {
        let found = admit(&self.catalog, at, self.asker(), Way::Execute);
        if found.is_err() && self.called.has(&self.catalog.entries[at].address()) {
            return admit(&self.catalog, at, self.asker(), Way::Mention);
        }
        found
    }

    /// Every skill whose programs may be run, by its place in the catalog.
    pub(super) fn entries(&self) -> impl Iterator<Item = usize> {
        let mut open = offered(&self.catalog, self.asker(), Way::Execute);
        let user = self.principal.user.as_deref();
        let called = self.called.addresses();
        let called = called.iter().filter_map(|skill| self.catalog.called_by(skill, user));
        let called: Vec<usize> = called.map(|(at, _)| at).filter(|at| self.proof(*at).is_ok()).collect();
        open.extend(called.into_iter().filter(|at| !open.contains(at)).collect::<Vec<_>>());
        // The folder of a command file also holds files of other commands.
        open.into_iter().filter(|at| self.catalog.entries[*at].origin.kind != RootKind::Commands)
    }
}

impl Gate for CatalogGate {
    fn reach(&self, word: &str) -> Result<ReachedSkill, Unreachable> {
        let found = reach(&self.catalog, word, self.asker(), Way::Execute);
        let proof = found.or_else(|refusal| match &refusal.skill {
            Some((at, _)) => self.proof(*at).map_err(|_| unreachable(&refusal)),
            None => Err(unreachable(&refusal)),
        })?;
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
