//! Questions about what a skill asks for at its first use: a secret, or a connection. The answer counts for the files
//! that the skill has now.

use crate::{
    commands::library,
    context::Context,
    error::{Failure, failed},
    output::harmless,
    prompt,
};
use skillful::bindings::{OnceAllowed, allow_server, phrase, server_subject};
use skillful_catalog::{Entry, approvals::files_of, asked_server::AskedServer};
use skillful_credentials::env::{AskedSecret, UnansweredSecret};
use skillful_format::Digest;
use skillful_registry::bindings::{AnsweredBy, Subject};

/// Whether questions can be asked: there is a terminal, and no program reads the output.
pub(crate) fn is_possible(context: &Context) -> bool {
    prompt::is_possible() && !context.output.json
}

/// What a yes to a whole plan allows, a line for each skill that asks for something.
pub(crate) fn allowed_by_yes(asked: &[(String, Vec<Subject>)]) -> String {
    let line = |(skill, subjects): &(String, Vec<Subject>)| {
        format!("A yes lets {} have {}.\n", harmless(skill), phrases(subjects))
    };
    asked.iter().map(line).collect()
}

/// Subjects in a sentence.
pub(crate) fn phrases(subjects: &[Subject]) -> String {
    harmless(&subjects.iter().map(phrase).collect::<Vec<_>>().join(", "))
}

/// Asks about the secrets that a skill waits for. Without a terminal, and after a no, the run is refused.
pub(crate) fn secrets(
    context: &Context,
    entry: &Entry,
    unanswered: &[UnansweredSecret],
    once: &mut OnceAllowed,
) -> Result<(), Failure> {
    let skill = harmless(&entry.address());
    if !is_possible(context) {
        let why: Vec<String> = unanswered.iter().map(|secret| harmless(&secret.why)).collect();
        let failure = Failure::new(format!("`{skill}` is not run: {}", why.join("; ")));
        return Err(unanswered.iter().fold(failure, |failure, secret| failure.hint(harmless(&secret.fix))));
    }
    let files = files(entry)?;
    for secret in unanswered {
        let subject = match &secret.secret {
            AskedSecret::Vault { service, key } => {
                Subject::Secret { service: service.clone(), key: key.clone() }
            }
            AskedSecret::Variable(name) => Subject::Variable { name: name.clone() },
        };
        if !ask(context, entry, files, subject, once)? {
            let named = harmless(&secret.secret.to_string());
            return Err(Failure::new(format!("`{skill}` is not run: you did not allow it {named}")));
        }
    }
    Ok(())
}

/// Asks whether a skill may connect to a server; returns whether it may.
pub(crate) fn server(
    context: &Context,
    entry: &Entry,
    server: &AskedServer,
    once: &mut OnceAllowed,
) -> Result<bool, Failure> {
    let skill = entry.address();
    if context.workspace.server_answer(entry, server) == Some(false) || !is_possible(context) {
        let wants = phrase(&server_subject(server));
        return Err(Failure::new(format!(
            "{} is not allowed to have {}",
            harmless(&skill),
            harmless(&wants)
        ))
        .hint(harmless(&allow_server(&skill))));
    }
    ask(context, entry, files(entry)?, server_subject(server), once)
}

fn ask(
    context: &Context,
    entry: &Entry,
    files: Digest,
    subject: Subject,
    once: &mut OnceAllowed,
) -> Result<bool, Failure> {
    let skill = entry.address();
    let question = format!(
        "{} asks for {}. Allow? [y]es once  [a]lways  [N]o",
        harmless(&skill),
        harmless(&phrase(&subject))
    );
    let answer = prompt::line(&question).map_err(failed("read the answer"))?.unwrap_or_default();
    match answer.trim() {
        "y" | "Y" | "yes" => {
            once.insert((subject, files));
        }
        "a" | "A" | "always" => {
            let library = library::user(context)?;
            library.answer_about(subject, entry, files, true, AnsweredBy::Question)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn files(entry: &Entry) -> Result<Digest, Failure> {
    files_of(entry).map_err(failed(format!("read the files of `{}`", harmless(&entry.address()))))
}
