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
use skillful_runtime::{
    proxy::KEY_VARIABLE,
    secrets::{EncryptedFile, Name, Store, StoreError, VALUE_LIMIT},
};
use std::{
    io::{IsTerminal, Read},
    path::{Path, PathBuf},
};

pub(crate) fn run(context: &Context, args: &SecretArgs) -> Outcome {
    let store = store(context, args.keyring)?;
    match &args.command {
        SecretCommand::Set { service, key } => set(context, &*store, &name(service, key)?),
        SecretCommand::List => list(context, &*store),
        SecretCommand::Rm { service, key } => remove(context, &*store, &name(service, key)?),
    }
}

/// Where this person's secrets are kept.
pub(super) fn store(context: &Context, keyring: bool) -> Result<Box<dyn Store>, Failure> {
    if keyring {
        #[cfg(feature = "keyring")]
        return Ok(Box::new(skillful_runtime::secrets::Keyring::new()));
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

fn set(context: &Context, store: &dyn Store, name: &Name) -> Outcome {
    let value = value(name)?;
    store.set(name, &value).map_err(|error| told(&error))?;
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "set": name, "place": store.place() });
        printed(context.output.print_json(&value))?;
    } else {
        printed(context.output.print(&format!("kept {name} in {}\n", store.place())))?;
    }
    Ok(Exit::Clean)
}

fn list(context: &Context, store: &dyn Store) -> Outcome {
    let names = store.list().map_err(|error| told(&error))?;
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "secrets": names, "place": store.place() });
        printed(context.output.print_json(&value))?;
        return Ok(Exit::Clean);
    }
    let place = store.place();
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

fn remove(context: &Context, store: &dyn Store, name: &Name) -> Outcome {
    if !store.remove(name).map_err(|error| told(&error))? {
        return Err(
            Failure::new(format!("there is no secret {name}")).hint("`skillful secret list` shows them")
        );
    }
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "removed": name, "place": store.place() });
        printed(context.output.print_json(&value))?;
    } else {
        printed(context.output.print(&format!("removed {name} from {}\n", store.place())))?;
    }
    Ok(Exit::Clean)
}

fn name(service: &str, key: &str) -> Result<Name, Failure> {
    Name::new(service, key).map_err(|error| Failure { exit: Exit::Usage, ..told(&error) })
}

fn told(error: &StoreError) -> Failure {
    Failure::new(error.to_string()).hint(error.help())
}

/// The value: typed unseen, or all that comes in without its last line end.
fn value(name: &Name) -> Result<SecretString, Failure> {
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
