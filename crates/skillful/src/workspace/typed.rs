//! Values that the user typed at a prompt. They open the gate for the session, and reach the programs of the skill that
//! asked for them while its files are the same.

use super::Workspace;
use secrecy::SecretString;
use skillful_catalog::{Entry, approvals::files_of};
use skillful_credentials::proxy::{OwnVariable, ProgramVariables};
use skillful_format::Digest;
use skillful_registry::bindings::Subject;
use skillful_runtime::credential_proxy::CatalogGate;

/// A value for the programs of one skill.
#[derive(Clone, Debug)]
pub(super) struct TypedValue {
    skill: String,
    files: Digest,
    name: String,
    value: SecretString,
}

impl Workspace {
    /// The same workspace with a value that the user typed for a skill. The catalog stays; the gate asks for the
    /// variable again.
    #[must_use]
    pub fn with_typed(&self, entry: &Entry, name: &str, value: &str) -> Self {
        let mut next = self.clone();
        for environment in [&mut next.given, &mut next.environment] {
            environment.variables.insert(name.to_owned(), value.to_owned());
        }
        // A skill whose files cannot be read whole has no programs that a value could be bound to.
        if let Ok(files) = files_of(entry) {
            next.typed.retain(|known| !(known.skill == entry.address() && known.name == name));
            let value = SecretString::from(value);
            next.typed.push(TypedValue { skill: entry.address(), files, name: name.to_owned(), value });
        }
        next
    }

    /// The skills that the user typed values for. Such a skill may be available for this session only.
    pub fn typed_skills(&self) -> impl Iterator<Item = &str> {
        self.typed.iter().map(|typed| typed.skill.as_str())
    }

    /// What the user allowed by typing it.
    pub(crate) fn typed_answers(&self) -> impl Iterator<Item = (Subject, Digest)> {
        self.typed.iter().map(|typed| (Subject::Variable { name: typed.name.clone() }, typed.files))
    }

    /// Adds typed values to the variables of programs. All of them are secret: they were typed without echo.
    pub(crate) fn add_typed(&self, gate: &CatalogGate, variables: &mut ProgramVariables) {
        for typed in &self.typed {
            let known = gate.catalog.called_by(&typed.skill, gate.principal.user.as_deref());
            if known.is_none_or(|(_, entry)| files_of(entry).ok() != Some(typed.files)) {
                continue;
            }
            let own = OwnVariable { name: typed.name.clone(), value: typed.value.clone(), is_secret: true };
            variables.add_own(&typed.skill, [own]);
            variables.bind(&typed.skill, typed.files);
        }
    }
}
