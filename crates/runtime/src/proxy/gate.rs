//! Who may run what, asked at every request.

use super::protocol::Reason;
use crate::{
    approvals::Approvals,
    exec::{self, ExecError, Program},
};
use skillful_catalog::{Catalog, Environment, Principal, gate::Status, profile::RootKind};
use skillful_select::access::{Asker, Refusal, Way, offered, reach};
use std::sync::Arc;

/// A skill whose programs may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Its address.
    pub skill: String,
    /// Its place in the catalogue.
    pub entry: usize,
}

/// A skill whose programs may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shut {
    /// What a model is told: a skill that is not for it does not exist.
    pub told: Reason,
    /// In a sentence for a model.
    pub message: String,
    /// The true reason.
    pub reason: Reason,
    /// In words for the person.
    pub detail: String,
}

/// The gate of a run.
pub trait Gate: Send + Sync {
    /// The skill that a word means, if its programs may be run.
    fn reach(&self, word: &str) -> Result<Open, Shut>;

    /// The program of a skill that a name means, and its arguments; without a name, what the words
    /// themselves mean, as in `skillful exec`.
    fn program<'a>(
        &self,
        open: &Open,
        name: Option<&str>,
        words: &'a [String],
    ) -> Result<(Program, &'a [String]), ExecError>;

    /// The addresses of all that may, sorted.
    fn open(&self) -> Vec<String>;
}

/// The one gate, over a catalogue.
#[derive(Clone, Debug)]
pub struct CatalogGate {
    /// The skills.
    pub catalog: Arc<Catalog>,
    /// Who asks.
    pub principal: Principal,
    /// What is around.
    pub environment: Environment,
    /// What the user approved, asked again at every request.
    pub approvals: Approvals,
}

impl CatalogGate {
    /// Who asks.
    pub fn asker(&self) -> Asker<'_> {
        Asker::new(&self.principal, &self.environment)
    }

    /// Every skill whose programs may be run.
    pub(super) fn entries(&self) -> impl Iterator<Item = usize> {
        let open = offered(&self.catalog, self.asker(), Way::Execute);
        // The folder of a command belongs to others, too.
        open.into_iter().filter(|at| self.catalog.entries[*at].origin.kind != RootKind::Commands)
    }
}

impl Gate for CatalogGate {
    fn reach(&self, word: &str) -> Result<Open, Shut> {
        let proof =
            reach(&self.catalog, word, self.asker(), Way::Execute).map_err(|refusal| shut(&refusal))?;
        let at = proof.entry();
        let entry = &self.catalog.entries[at];
        if entry.origin.kind == RootKind::Commands {
            return Err(shut(&Refusal { word: word.to_owned(), skill: None, near: Vec::new() }));
        }
        if let Err(changed) = self.approvals.check(entry.folder()) {
            let detail = changed.to_string();
            let message = format!("the skill `{word}` is not available: {detail}");
            return Err(Shut { told: Reason::Gated, message, reason: Reason::Gated, detail });
        }
        Ok(Open { skill: entry.address(), entry: at })
    }

    fn program<'a>(
        &self,
        open: &Open,
        name: Option<&str>,
        words: &'a [String],
    ) -> Result<(Program, &'a [String]), ExecError> {
        let entry = &self.catalog.entries[open.entry];
        match name {
            Some(name) => exec::find(entry, Some(name)).map(|program| (program, words)),
            None => exec::choose(entry, words),
        }
    }

    fn open(&self) -> Vec<String> {
        self.entries().map(|at| self.catalog.entries[at].address()).collect()
    }
}

fn shut(refusal: &Refusal) -> Shut {
    let message = refusal.message();
    let Some((_, verdict)) = &refusal.skill else {
        return Shut {
            told: Reason::UnknownSkill,
            detail: "there is no such skill with programs".to_owned(),
            reason: Reason::UnknownSkill,
            message,
        };
    };
    let told = if verdict.status == Status::Unavailable { Reason::Gated } else { Reason::UnknownSkill };
    let reasons: Vec<String> = verdict.reasons.iter().map(ToString::to_string).collect();
    Shut { told, message, reason: Reason::Gated, detail: reasons.join("; ") }
}
