//! `sign keys`: whose signatures the user knows; and what the commands about signatures share.

use super::{library::refused, printed};
use crate::{
    args::{KeysArgs, KeysCommand},
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{harmless, tell},
    shape,
};
use serde_json::{Value, json};
use skillful_registry::{
    AtomicWriter,
    sign::{Allowed, AllowedLine, NAMESPACE, Signed, Signer},
};
use std::path::Path;

pub(crate) fn run(context: &mut Context, args: &KeysArgs) -> Outcome {
    match &args.command {
        None | Some(KeysCommand::List) => list(context),
        Some(KeysCommand::Add { principal, key }) => add(context, principal, key),
        Some(KeysCommand::Remove { principal }) => remove(context, principal),
    }
}

/// The keys that the person knows; what is wrong with the file is told.
pub(crate) fn allowed(context: &Context) -> Result<Allowed, Failure> {
    let path = context.workspace.paths().allowed_signers();
    let allowed = Allowed::load(&path).map_err(refused)?;
    for loss in &allowed.losses {
        tell(&format!("warning: {} {}\n", harmless(&context.short(&path)), harmless(&loss.to_string())));
    }
    Ok(allowed)
}

/// Seconds since 1970.
pub(crate) fn seconds() -> i64 {
    i64::try_from(crate::turn::now()).unwrap_or(i64::MAX)
}

/// A signer as a person reads it.
pub(crate) fn told(signer: &Signer) -> String {
    match &signer.principal {
        Some(principal) => format!("{principal} ({})", signer.fingerprint),
        None => format!("{}, a key that you gave no name", signer.fingerprint),
    }
}

/// What a signature says.
pub(crate) fn signed_json(signed: &Signed) -> Value {
    let state = match signed {
        Signed::Unsigned => "unsigned",
        Signed::Known(_) => "known",
        Signed::Unknown { .. } => "unknown",
        Signed::Bad(_) => "bad",
    };
    let signer = signed.signer();
    json!({
        "state": state,
        "principal": signer.as_ref().and_then(|signer| signer.principal.clone()),
        "fingerprint": signer.as_ref().map(|signer| signer.fingerprint.to_string()),
        "why": match signed {
            Signed::Bad(fault) => Some(format!("the signature {fault}")),
            Signed::Unknown { unfit, .. } if !unfit.is_empty() => Some(unfit.join("; ")),
            _ => None,
        },
    })
}

fn line_json(line: &AllowedLine) -> Value {
    json!({
        "line": line.number,
        "principals": line.principals,
        "fingerprint": line.fingerprint.to_string(),
        "kind": line.kind,
        "namespaces": line.namespaces,
        "valid_after": line.valid_after,
        "valid_before": line.valid_before,
        "comment": line.comment,
        "why_not": line.unfit(NAMESPACE, seconds()),
    })
}

fn list(context: &Context) -> Outcome {
    let path = context.workspace.paths().allowed_signers();
    let allowed = allowed(context)?;
    let exit = if allowed.losses.is_empty() { Exit::Clean } else { Exit::Findings };
    if context.output.json {
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "file": path,
            "keys": allowed.lines.iter().map(line_json).collect::<Vec<_>>(),
            "losses": allowed.losses.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })))?;
        return Ok(exit);
    }
    if allowed.lines.is_empty() {
        let text =
            format!("no keys in {}; `skillful sign keys add WHO KEY.pub` adds one\n", context.short(&path));
        printed(context.output.print(&text))?;
        return Ok(exit);
    }
    let mut text = String::new();
    for line in &allowed.lines {
        text.push_str(&format!("{}  {}  {}\n", harmless(&line.principals), line.kind, line.fingerprint));
        let notes =
            [Some(line.comment.clone()).filter(|note| !note.is_empty()), line.unfit(NAMESPACE, seconds())];
        for note in notes.iter().flatten() {
            text.push_str(&format!("  {}\n", harmless(note)));
        }
    }
    printed(context.output.print(&text))?;
    Ok(exit)
}

fn add(context: &Context, principal: &str, key: &Path) -> Outcome {
    let path = context.workspace.paths().allowed_signers();
    let text = Allowed::text(&path).map_err(refused)?;
    let added = Allowed::with_key(&text, principal, &context.workspace.environment().cwd.join(key))
        .map_err(refused)?;
    if let Some((text, _)) = &added {
        Allowed::save(&path, text, &AtomicWriter::default()).map_err(refused)?;
    }
    if context.output.json {
        let line = added.as_ref().map(|(_, line)| line_json(line));
        printed(context.output.print_json(&json!({ "schema": shape::SCHEMA, "file": path, "added": line })))?;
        return Ok(Exit::Clean);
    }
    let told = match &added {
        Some((_, line)) => format!(
            "from now on {} is {}, for skills only\nupdated {}\n",
            line.fingerprint,
            harmless(principal),
            context.short(&path)
        ),
        None => format!("{} has that key already\n", harmless(principal)),
    };
    printed(context.output.print(&told))?;
    Ok(Exit::Clean)
}

fn remove(context: &Context, principal: &str) -> Outcome {
    let path = context.workspace.paths().allowed_signers();
    let (text, gone) = Allowed::without(&Allowed::text(&path).map_err(refused)?, principal);
    if gone.is_empty() {
        return Err(Failure::new(format!("no key of `{}` is known", harmless(principal)))
            .hint("`skillful sign keys` lists them"));
    }
    Allowed::save(&path, &text, &AtomicWriter::default()).map_err(refused)?;
    if context.output.json {
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "file": path,
            "removed": gone.iter().map(line_json).collect::<Vec<_>>(),
        })))?;
        return Ok(Exit::Clean);
    }
    let told: String = gone
        .iter()
        .map(|line| format!("{} is no longer {}\n", line.fingerprint, harmless(&line.principals)))
        .collect();
    printed(context.output.print(&told))?;
    Ok(Exit::Clean)
}
