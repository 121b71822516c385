//! `secret`: the vault with secrets for the programs of skills. A value is typed without echo or read from a
//! pipe; never from the command line, which every process can read.

use super::printed;
use crate::{
    args::{SecretArgs, SecretCommand},
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{Cell, Table, count},
    prompt,
};
use secrecy::{SecretString, zeroize::Zeroizing};
use skillful::views::{SCHEMA, SecretChanged, SecretList, SecretView};
use skillful_credentials::vault::{SecretName, VALUE_LIMIT, Vault, VaultError};
use std::{
    io::{IsTerminal, Read},
    path::PathBuf,
};

pub(crate) fn run(context: &Context, args: &SecretArgs) -> Outcome {
    let vault = vault(context, args.keyring)?;
    match &args.command {
        SecretCommand::Set { service, key } => set(context, &*vault, &name(service, key)?),
        SecretCommand::List => list(context, &*vault),
        SecretCommand::Rm { service, key } => remove(context, &*vault, &name(service, key)?),
    }
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

fn set(context: &Context, vault: &dyn Vault, name: &SecretName) -> Outcome {
    let value = value(name)?;
    vault.set(name, &value).map_err(|error| failure(&error))?;
    report(context, vault, name, true)
}

fn list(context: &Context, vault: &dyn Vault) -> Outcome {
    let names = vault.list().map_err(|error| failure(&error))?;
    let view =
        |name: &SecretName| SecretView { service: name.service().to_owned(), key: name.key().to_owned() };
    let list =
        SecretList { schema: SCHEMA, vault: vault.location(), secrets: names.iter().map(view).collect() };
    if context.output.json {
        printed(context.output.print_json(&list))?;
        return Ok(Exit::Clean);
    }
    if list.secrets.is_empty() {
        printed(context.output.print(&format!("no secrets in {}\n", list.vault)))?;
        return Ok(Exit::Clean);
    }
    let row = |secret: &SecretView| vec![Cell::plain(&secret.service), Cell::plain(&secret.key)];
    let rows = list.secrets.iter().map(row).collect();
    let table = Table { heads: vec!["SERVICE", "KEY"], rows }.render(&context.output);
    let number = count(list.secrets.len(), "secret");
    printed(context.output.print(&format!("{table}\n{number} in {}\n", list.vault)))?;
    Ok(Exit::Clean)
}

fn remove(context: &Context, vault: &dyn Vault, name: &SecretName) -> Outcome {
    if !vault.remove(name).map_err(|error| failure(&error))? {
        return Err(Failure::new(format!("no secret named {name}"))
            .hint("skillful secret list shows the names of all secrets"));
    }
    report(context, vault, name, false)
}

fn report(context: &Context, vault: &dyn Vault, name: &SecretName, present: bool) -> Outcome {
    let (service, key) = (name.service().to_owned(), name.key().to_owned());
    let changed = SecretChanged { schema: SCHEMA, vault: vault.location(), service, key, present };
    if context.output.json {
        printed(context.output.print_json(&changed))?;
    } else {
        let verb = if changed.present { "stored" } else { "removed" };
        let preposition = if changed.present { "in" } else { "from" };
        let text = format!("{verb} {} {} {preposition} {}\n", changed.service, changed.key, changed.vault);
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
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
