//! `secret`: the vault with secrets for the programs of skills. A value is typed without echo or read from a
//! pipe; never from the command line, which every process can read.

use super::{library, printed};
use crate::{
    args::{SecretArgs, SecretCommand},
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{Cell, Table, count, harmless},
    prompt,
};
use secrecy::{SecretString, zeroize::Zeroizing};
use skillful::{
    bindings::{phrase, subject},
    views::{HolderState, SCHEMA, SecretChanged, SecretHolder, SecretList, SecretView, VariableAnswer},
};
use skillful_credentials::vault::{SecretName, VALUE_LIMIT, Vault, VaultError};
use skillful_registry::bindings::{AnsweredBy, Bindings, Subject};
use std::{
    io::{IsTerminal, Read},
    path::PathBuf,
};

pub(crate) fn run(context: &mut Context, args: &SecretArgs) -> Outcome {
    let vault = vault(context, args.keyring)?;
    match &args.command {
        SecretCommand::Set { service, key, skill } => {
            let name = name(service, key)?;
            let asked = subject(&name);
            let skill = skill.as_deref().map(|skill| asking(context, &asked, skill, true)).transpose()?;
            set(context, &*vault, &name, skill)
        }
        SecretCommand::Allow { variable: Some(variable), skill, .. } => {
            answer_variable(context, variable, skill, true)
        }
        SecretCommand::Deny { variable: Some(variable), skill, .. } => {
            answer_variable(context, variable, skill, false)
        }
        SecretCommand::Allow { service, key, skill, .. } => {
            let name = name(word(service.as_ref()), word(key.as_ref()))?;
            let skill = asking(context, &subject(&name), skill, true)?;
            if !vault.list().map_err(|error| failure(&error))?.contains(&name) {
                return Err(unknown(&name).hint(format!("skillful secret set {name}")));
            }
            answer(context, &*vault, &name, skill, true)
        }
        SecretCommand::Deny { service, key, skill, .. } => {
            let name = name(word(service.as_ref()), word(key.as_ref()))?;
            let skill = asking(context, &subject(&name), skill, false)?;
            answer(context, &*vault, &name, skill, false)
        }
        SecretCommand::List => list(context, &*vault),
        SecretCommand::Rm { service, key } => remove(context, &*vault, &name(service, key)?),
    }
}

/// A word of the command line that `clap` requires.
fn word(given: Option<&String>) -> &str {
    given.map_or("", String::as_str)
}

/// The skill with a name, about which the user can answer.
fn asking(context: &mut Context, wanted: &Subject, skill: &str, allowed: bool) -> Result<usize, Failure> {
    let (catalog, at) = context.catalog_with(skill)?;
    library::user(context)?.answerable(wanted, &catalog.entries[at], allowed)?;
    Ok(at)
}

/// Records whether a skill may have a secret.
fn answer(context: &Context, vault: &dyn Vault, name: &SecretName, at: usize, allowed: bool) -> Outcome {
    let entry = &context.workspace.catalog().entries[at];
    library::user(context)?.answer(subject(name), entry, allowed, AnsweredBy::Command)?;
    if context.output.json {
        let present = vault.list().map_err(|error| failure(&error))?.contains(name);
        let (skill, allowed) = (Some(entry.address()), Some(allowed));
        printed(context.output.print_json(&SecretChanged {
            skill,
            allowed,
            ..changed(vault, name, present)
        }))?;
    } else {
        let verb = if allowed { "allowed" } else { "denied" };
        let text = format!("{verb} {} the secret {name}\n", harmless(&entry.address()));
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}

/// Records whether a skill may have a secret variable.
fn answer_variable(context: &mut Context, name: &str, skill: &str, allowed: bool) -> Outcome {
    let subject = Subject::Variable { name: name.to_owned() };
    let at = asking(context, &subject, skill, allowed)?;
    let entry = &context.workspace.catalog().entries[at];
    library::user(context)?.answer(subject.clone(), entry, allowed, AnsweredBy::Command)?;
    let skill = entry.address();
    if context.output.json {
        let answer = VariableAnswer { schema: SCHEMA, skill, variable: name.to_owned(), allowed };
        printed(context.output.print_json(&answer))?;
    } else {
        let verb = if allowed { "allowed" } else { "denied" };
        let text = format!("{verb} {} {}\n", harmless(&skill), harmless(&phrase(&subject)));
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}

/// The vault of this user.
#[cfg_attr(
    feature = "keyring",
    expect(clippy::unnecessary_wraps, reason = "a build without a keyring refuses --keyring")
)]
pub(super) fn vault(context: &Context, keyring: bool) -> Result<Box<dyn Vault>, Failure> {
    if keyring {
        #[cfg(feature = "keyring")]
        return Ok(Box::new(skillful_credentials::vault::Keyring::new()));
        #[cfg(not(feature = "keyring"))]
        return Err(Failure::usage("this build of Skillful does not support keyrings")
            .hint("build it with the feature `keyring`, or leave out --keyring"));
    }
    Ok(Box::new(context.workspace.vault_file()))
}

/// The file of the key to the user's secrets; it may not exist yet.
pub(super) fn key_file(context: &Context) -> PathBuf {
    context.workspace.vault_file().key_file().to_owned()
}

fn set(context: &Context, vault: &dyn Vault, name: &SecretName, skill: Option<usize>) -> Outcome {
    let value = value(name)?;
    vault.set(name, &value).map_err(|error| failure(&error))?;
    if let Some(at) = skill {
        if !context.output.json {
            printed(
                context
                    .output
                    .print(&format!("stored {name} in {}\n", context.short_paths(&vault.location()))),
            )?;
        }
        return answer(context, vault, name, at, true);
    }
    report(context, vault, name, true)?;
    let is_bound = |bindings: Bindings| bindings.about(&subject(name)).any(|(_, answer)| answer.allowed);
    if !context.output.json && !context.workspace.bindings().is_ok_and(is_bound) {
        let text = format!("no skill may have it yet: skillful secret allow {name} --skill NAME\n");
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}

fn list(context: &Context, vault: &dyn Vault) -> Outcome {
    let names = vault.list().map_err(|error| failure(&error))?;
    let list = SecretList::of(&context.workspace, vault.location(), &names)?;
    if context.output.json {
        printed(context.output.print_json(&list))?;
        return Ok(Exit::Clean);
    }
    if list.secrets.is_empty() {
        printed(context.output.print(&format!("no secrets in {}\n", context.short_paths(&list.vault))))?;
        return Ok(Exit::Clean);
    }
    let row = |secret: &SecretView| {
        vec![Cell::plain(&secret.service), Cell::plain(&secret.key), Cell::plain(holders(secret))]
    };
    let rows = list.secrets.iter().map(row).collect();
    let table = Table { heads: vec!["SERVICE", "KEY", "SKILLS"], rows }.render(&context.output);
    let number = count(list.secrets.len(), "secret");
    printed(context.output.print(&format!("{table}\n{number} in {}\n", context.short_paths(&list.vault))))?;
    Ok(Exit::Clean)
}

/// The skills of a secret: who may have it, who may not any more, and who asks.
fn holders(secret: &SecretView) -> String {
    let one = |holder: &SecretHolder| match holder.state {
        HolderState::Allowed => format!("{} (allowed)", holder.skill),
        HolderState::Denied => format!("{} (denied)", holder.skill),
        HolderState::Changed => format!("{} (changed since)", holder.skill),
        HolderState::NotAllowed => format!("{} (not allowed)", holder.skill),
    };
    match secret.skills.as_slice() {
        [] => "no skill".to_owned(),
        all => all.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}

fn remove(context: &Context, vault: &dyn Vault, name: &SecretName) -> Outcome {
    if !vault.remove(name).map_err(|error| failure(&error))? {
        return Err(unknown(name).hint("skillful secret list shows the names of all secrets"));
    }
    library::user(context)?.forget(&subject(name))?;
    report(context, vault, name, false)
}

fn report(context: &Context, vault: &dyn Vault, name: &SecretName, present: bool) -> Outcome {
    let changed = changed(vault, name, present);
    if context.output.json {
        printed(context.output.print_json(&changed))?;
    } else {
        let verb = if changed.present { "stored" } else { "removed" };
        let preposition = if changed.present { "in" } else { "from" };
        let vault = context.short_paths(&changed.vault);
        let text = format!("{verb} {} {} {preposition} {vault}\n", changed.service, changed.key);
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}

fn changed(vault: &dyn Vault, name: &SecretName, present: bool) -> SecretChanged {
    let (service, key) = (name.service().to_owned(), name.key().to_owned());
    let (skill, allowed) = (None, None);
    SecretChanged { schema: SCHEMA, vault: vault.location(), service, key, present, skill, allowed }
}

fn unknown(name: &SecretName) -> Failure {
    Failure::new(format!("no secret named {name}"))
}

fn name(service: &str, key: &str) -> Result<SecretName, Failure> {
    SecretName::new(service, key).map_err(|error| Failure { exit: Exit::Usage, ..failure(&error) })
}

fn failure(error: &VaultError) -> Failure {
    Failure::new(error.to_string()).hint(error.help())
}

/// The value: typed without echo, or all of standard input without its last line end.
fn value(name: &SecretName) -> Result<SecretString, Failure> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let typed = prompt::hidden(&format!("value of {name}")).map_err(failed("read the value"))?;
        return typed
            .map(SecretString::from)
            .ok_or_else(|| Failure::new("no value was given; nothing was stored"));
    }
    // Enough capacity, so that the buffer never moves and leaves a copy behind.
    let mut text = Zeroizing::new(String::with_capacity(VALUE_LIMIT + 2));
    let read = stdin.lock().take(VALUE_LIMIT as u64 + 2).read_to_string(&mut text);
    // The error for text that is not UTF-8 contains no part of it.
    read.map_err(failed("read the value from standard input"))?;
    let line = text.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    Ok(SecretString::from(line.unwrap_or(&text)))
}
