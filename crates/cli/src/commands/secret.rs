//! `secret`: what a person keeps for the programs of their skills. A value comes from the keyboard,
//! unseen, or from a pipe; never from the command line, which every process can read.

use super::printed;
use crate::{
    args::{SecretArgs, SecretCommand},
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{Cell, Table},
    prompt, shape,
};
use secrecy::{SecretString, zeroize::Zeroizing};
use serde_json::json;
use skillful_credentials::{
    proxy::KEY_VARIABLE,
    vault::{EncryptedFile, SecretName, VALUE_LIMIT, Vault, VaultError},
};
use std::{
    io::{IsTerminal, Read},
    path::{Path, PathBuf},
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
        return Err(Failure::usage("this build of Skillful knows no keyring")
            .hint("build it with the feature `keyring`, or leave out --keyring"));
    }
    Ok(Box::new(encrypted(context)))
}

/// The file of the key to this person's secrets, whether it is there or not.
pub(super) fn key_file(context: &Context) -> PathBuf {
    encrypted(context).key_file().to_owned()
}

fn encrypted(context: &Context) -> EncryptedFile {
    let folder = context.workspace.paths().config.parent().unwrap_or(Path::new("/"));
    let key = context.workspace.environment().variable(KEY_VARIABLE);
    EncryptedFile::new(folder, key.as_deref().map(Path::new))
}

fn set(context: &Context, vault: &dyn Vault, name: &SecretName) -> Outcome {
    let value = value(name)?;
    vault.set(name, &value).map_err(|error| told(&error))?;
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "set": name, "place": vault.location() });
        printed(context.output.print_untyped(&value))?;
    } else {
        printed(context.output.print(&format!("kept {name} in {}\n", vault.location())))?;
    }
    Ok(Exit::Clean)
}

fn list(context: &Context, vault: &dyn Vault) -> Outcome {
    let names = vault.list().map_err(|error| told(&error))?;
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "secrets": names, "place": vault.location() });
        printed(context.output.print_untyped(&value))?;
        return Ok(Exit::Clean);
    }
    let place = vault.location();
    if names.is_empty() {
        printed(context.output.print(&format!("there are no secrets in {place}\n")))?;
        return Ok(Exit::Clean);
    }
    let rows = names.iter().map(|name| vec![Cell::plain(name.service()), Cell::plain(name.key())]).collect();
    let count = if names.len() == 1 { "1 secret".to_owned() } else { format!("{} secrets", names.len()) };
    let table = Table { heads: vec!["SERVICE", "KEY"], rows }.render(&context.output);
    printed(context.output.print(&format!("{table}\n{count} in {place}\n")))?;
    Ok(Exit::Clean)
}

fn remove(context: &Context, vault: &dyn Vault, name: &SecretName) -> Outcome {
    if !vault.remove(name).map_err(|error| told(&error))? {
        return Err(
            Failure::new(format!("there is no secret {name}")).hint("`skillful secret list` shows them")
        );
    }
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "removed": name, "place": vault.location() });
        printed(context.output.print_untyped(&value))?;
    } else {
        printed(context.output.print(&format!("removed {name} from {}\n", vault.location())))?;
    }
    Ok(Exit::Clean)
}

fn name(service: &str, key: &str) -> Result<SecretName, Failure> {
    SecretName::new(service, key).map_err(|error| Failure { exit: Exit::Usage, ..told(&error) })
}

fn told(error: &VaultError) -> Failure {
    Failure::new(error.to_string()).hint(error.help())
}

/// The value: typed unseen, or all that comes in without its last line end.
fn value(name: &SecretName) -> Result<SecretString, Failure> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let typed = prompt::hidden(&format!("value of {name}")).map_err(failed("read the value"))?;
        return typed.map(SecretString::from).ok_or_else(|| Failure::new("nothing was kept"));
    }
    // Room for all of it, so that no copy stays behind.
    let mut text = Zeroizing::new(String::with_capacity(VALUE_LIMIT + 2));
    let read = stdin.lock().take(VALUE_LIMIT as u64 + 2).read_to_string(&mut text);
    // An error of a text that is not UTF-8 holds nothing of it.
    read.map_err(failed("read the value from standard input"))?;
    let line = text.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    Ok(SecretString::from(line.unwrap_or(&text)))
}
