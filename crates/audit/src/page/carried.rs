//! What a block of a page knows from the blocks above it. An agent that follows the steps of a page runs them in one
//! session: a variable that one block reads from a key file is still there when the next block sends it.

use crate::flow::{Flow, Labels};
use std::collections::BTreeMap;

/// Languages that share variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    Shell,
    Python,
    JavaScript,
}

#[derive(Debug, Default)]
struct Names {
    texts: BTreeMap<String, String>,
    variables: BTreeMap<String, Labels>,
}

/// Variables by language, and files, which all languages share.
#[derive(Debug, Default)]
pub(super) struct Carried {
    names: BTreeMap<Family, Names>,
    files: BTreeMap<String, Labels>,
}

impl Carried {
    /// Moves what is known into a flow that begins.
    pub(super) fn lend(&mut self, family: Family, flow: &mut Flow) {
        let names = self.names.entry(family).or_default();
        flow.texts = std::mem::take(&mut names.texts);
        flow.variables = std::mem::take(&mut names.variables);
        flow.files = std::mem::take(&mut self.files);
    }

    /// Takes back what a flow knows at its end.
    pub(super) fn take(&mut self, family: Family, flow: &mut Flow) {
        let names = self.names.entry(family).or_default();
        names.texts = std::mem::take(&mut flow.texts);
        names.variables = std::mem::take(&mut flow.variables);
        self.files = std::mem::take(&mut flow.files);
        // A page shows how to download a program and, further down, how to start it; only what comes from a place where
        // anyone can publish is followed so far.
        let usual = |labels: &Labels| labels.has(Labels::FETCHED) && !labels.has(Labels::SUSPICIOUS);
        self.files.retain(|_, labels| !usual(labels));
        names.variables.retain(|_, labels| !usual(labels));
    }
}
