//! Recording what the user lets a skill have.

use super::{InstallPlan, Library, LibraryError, TrustPlan};
use crate::bindings::{asked, is_sign_in, phrase};
use skillful_catalog::{Entry, Loaded, approvals::files_of};
use skillful_format::{Digest, Tree};
use skillful_registry::bindings::{AnsweredBy, BindingAnswer, Bindings, Subject};

impl Library<'_> {
    /// Refuses an answer that no user can give: about something that the skill does not ask for, and a yes to what no skill
    /// gets, the key of a model provider and the user's own sign-ins.
    pub fn answerable(&self, subject: &Subject, entry: &Entry, allowed: bool) -> Result<(), LibraryError> {
        if let Some(never) = self.never_given(subject).filter(|_| allowed) {
            return Err(never);
        }
        let asked = asked(&entry.loaded);
        let is_asked = match subject {
            // What the user allows has values in the place of variables, and a server can be one of the configuration.
            Subject::Server { .. } => {
                let is_server = |one: &Subject| matches!(one, Subject::Server { .. });
                asked.iter().any(is_server) || !self.workspace.server_dependencies(entry).0.is_empty()
            }
            Subject::Secret { .. } | Subject::Variable { .. } => asked.contains(subject),
        };
        if is_asked {
            return Ok(());
        }
        let skill = entry.address();
        let error = LibraryError::usage(format!("`{skill}` does not ask for {}", phrase(subject)));
        let secrets: Vec<String> =
            asked.iter().filter(|one| !matches!(one, Subject::Server { .. })).map(phrase).collect();
        Err(if secrets.is_empty() {
            error.fix(format!("skillful show {skill} names what it asks for"))
        } else {
            error.fix(format!("it asks for {}", secrets.join(", ")))
        })
    }

    /// Why no skill can be allowed to have something.
    /// What a yes can allow of all that a skill asks for: a card names nothing else.
    pub(super) fn bindable(&self, asked: Vec<Subject>) -> Vec<Subject> {
        asked.into_iter().filter(|subject| self.never_given(subject).is_none()).collect()
    }

    fn never_given(&self, subject: &Subject) -> Option<LibraryError> {
        match subject {
            Subject::Variable { name } if self.workspace.is_provider_key(name) => Some(
                LibraryError::usage(format!(
                    "`{name}` is the key of a model provider, and no skill gets one"
                ))
                .fix("give the skill a variable of its own"),
            ),
            Subject::Secret { service, key } if is_sign_in(service) => Some(
                LibraryError::usage(format!(
                    "`{service} {key}` is a sign-in of yours, and no skill gets one"
                ))
                .fix("give the skill a secret of its own"),
            ),
            _ => None,
        }
    }

    /// Records whether a skill may have something that it asks for, for its files as they are now.
    pub fn answer(
        &self,
        subject: Subject,
        entry: &Entry,
        allowed: bool,
        how: AnsweredBy,
    ) -> Result<(), LibraryError> {
        let read = LibraryError::io(format!("read the files of `{}`", entry.address()));
        let files = files_of(entry).map_err(read)?;
        self.answer_about(subject, entry, files, allowed, how)
    }

    /// The same for files that are known, so that the answer is about those that the user was asked about.
    pub fn answer_about(
        &self,
        subject: Subject,
        entry: &Entry,
        files: Digest,
        allowed: bool,
        how: AnsweredBy,
    ) -> Result<(), LibraryError> {
        self.answerable(&subject, entry, allowed)?;
        let data = &self.workspace.paths().data;
        let answer = BindingAnswer { skill: entry.address(), date: self.date(), allowed, how };
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

    /// Counts the user's yes to a plan as the yes to what the cards of its skills named.
    pub(super) fn bind_shown(&self, plan: &InstallPlan) -> Result<(), LibraryError> {
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
            let subjects = loaded.map(|loaded| self.bindable(asked(&loaded))).unwrap_or_default();
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
    pub(super) fn bind_trusted(&self, plan: &TrustPlan) -> Result<(), LibraryError> {
        let trusted = plan.trusted().filter_map(|skill| {
            let (digest, subjects) = skill.shown.clone()?;
            Some((skill.skill.clone(), digest, subjects))
        });
        self.bind(trusted.collect())
    }

    fn bind(&self, shown: Vec<(String, Digest, Vec<Subject>)>) -> Result<(), LibraryError> {
        let mut answers = Vec::new();
        for (skill, digest, subjects) in shown {
            for subject in self.bindable(subjects) {
                let (skill, date) = (skill.clone(), self.date());
                let answer = BindingAnswer { skill, date, allowed: true, how: AnsweredBy::Card };
                answers.push(((subject, digest), answer));
            }
        }
        if answers.is_empty() {
            return Ok(());
        }
        Ok(Bindings::record(&self.workspace.paths().data, answers, &self.writer)?)
    }
}
