//! Recording what the user lets a skill have.

use super::{InstallPlan, Library, LibraryError, TrustPlan};
use crate::bindings::asked;
use skillful_catalog::{Entry, Loaded, approvals::files_of};
use skillful_format::{Digest, Tree};
use skillful_registry::bindings::{Answer, AnsweredBy, Bindings, Subject};

impl Library<'_> {
    /// Records whether a skill may have something, for its files as they are now.
    pub fn answer(
        &self,
        subject: Subject,
        entry: &Entry,
        allowed: bool,
        how: AnsweredBy,
    ) -> Result<(), LibraryError> {
        let address = entry.address();
        let read = LibraryError::io(format!("read the files of `{address}`"));
        let files = files_of(entry).map_err(read)?;
        self.answer_about(subject, &address, files, allowed, how)
    }

    /// The same for files that are known, so that the answer is about those that the user was asked about.
    pub fn answer_about(
        &self,
        subject: Subject,
        skill: &str,
        files: Digest,
        allowed: bool,
        how: AnsweredBy,
    ) -> Result<(), LibraryError> {
        let data = &self.workspace.paths().data;
        let answer = Answer { skill: skill.to_owned(), date: self.date(), allowed, how };
        if allowed {
            Bindings::record(data, vec![((subject, files), answer)], &self.writer)?;
        } else {
            Bindings::deny(data, (subject, files), answer, &self.writer)?;
        }
        Ok(())
    }

    /// Removes every answer about a secret that is gone.
    pub fn forget(&self, subject: &Subject) -> Result<(), LibraryError> {
        Ok(Bindings::forget(&self.workspace.paths().data, subject, &self.writer)?)
    }

    /// Counts the user's yes to a plan as the yes to what the cards of its skills named. Only for a user who saw them.
    pub fn bind_shown(&self, plan: &InstallPlan) -> Result<(), LibraryError> {
        let approved = plan.inner.approves(&plan.approvals);
        let shown = plan.inner.trees().filter_map(|(digest, tree)| {
            let name = approved.get(&digest)?;
            Some((name.to_string(), digest, asked(&Loaded::of_tree(tree)?)))
        });
        self.bind(shown.collect())
    }

    /// What the skills that a plan brings into use ask for, by name. A yes of a user who saw it allows it.
    pub fn asked_by(&self, plan: &InstallPlan) -> Vec<(String, Vec<Subject>)> {
        let mut all = Vec::new();
        for step in plan.steps() {
            let Some(digest) = step.tree().filter(|digest| !plan.approvals.has(digest)) else { continue };
            let tree = plan.inner.trees().find(|(known, _)| *known == digest);
            let loaded = tree.and_then(|(_, tree)| Loaded::of_tree(tree));
            let subjects = loaded.map(|loaded| asked(&loaded)).unwrap_or_default();
            let named = (step.name.to_string(), subjects);
            if !named.1.is_empty() && !all.contains(&named) {
                all.push(named);
            }
        }
        all
    }

    /// Counts an approval as the yes to what the card of a tree names.
    pub(super) fn bind_reviewed(&self, skill: &str, tree: &Tree) -> Result<(), LibraryError> {
        let subjects = Loaded::of_tree(tree).map(|loaded| asked(&loaded));
        self.bind(subjects.into_iter().map(|one| (skill.to_owned(), tree.digest(), one)).collect())
    }

    /// The same for a repository that the user trusted.
    pub fn bind_trusted(&self, plan: &TrustPlan) -> Result<(), LibraryError> {
        let trusted = plan.trusted().filter_map(|skill| {
            let (digest, subjects) = skill.shown.clone()?;
            Some((skill.skill.clone(), digest, subjects))
        });
        self.bind(trusted.collect())
    }

    fn bind(&self, shown: Vec<(String, Digest, Vec<Subject>)>) -> Result<(), LibraryError> {
        let mut answers = Vec::new();
        for (skill, digest, subjects) in shown {
            for subject in subjects {
                let (skill, date) = (skill.clone(), self.date());
                let answer = Answer { skill, date, allowed: true, how: AnsweredBy::Card };
                answers.push(((subject, digest), answer));
            }
        }
        if answers.is_empty() {
            return Ok(());
        }
        Ok(Bindings::record(&self.workspace.paths().data, answers, &self.writer)?)
    }
}
