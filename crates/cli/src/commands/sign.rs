//! `sign`: signs a skill, and checks who signed one.

use super::{library, printed, sign_keys, tell_diagnostics};
use crate::{
    args::{SignArgs, SignCommand},
    context::Context,
    error::{Exit, Failure, Outcome},
    output::harmless,
};
use skillful::library::{SignRequest, SignatureCheck, SignatureState};
use std::path::Path;

pub(crate) fn run(context: &mut Context, args: &SignArgs) -> Outcome {
    if let Some(SignCommand::Keys(keys)) = &args.command {
        return sign_keys::run(context, keys);
    }
    let Some(folder) = &args.folder else { return Err(Failure::usage("name the folder of the skill")) };
    if args.check {
        return check(context, folder, args.signer.as_deref());
    }
    let request = SignRequest { folder: folder.clone(), key: args.key.clone() };
    let signed = library::user(context)?.sign(&request)?;
    tell_diagnostics(context, &signed.diagnostics);
    if context.output.json {
        printed(context.output.print_json(&signed))?;
        return Ok(Exit::Clean);
    }
    let files = if signed.files == 1 { "1 file".to_owned() } else { format!("{} files", signed.files) };
    let text = format!(
        "signed {}: {files} as {}\n  with {} ({})\n  wrote {}\n",
        harmless(&signed.skill),
        signed.tree,
        signed.fingerprint,
        context.short(&signed.key),
        context.short(&signed.signature)
    );
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}

fn check(context: &Context, folder: &Path, signer: Option<&str>) -> Outcome {
    let library = library::user(context)?;
    sign_keys::warn_of_losses(context, &library.known_keys()?);
    let found = library.check_signature(folder, signer)?;
    tell_diagnostics(context, &found.diagnostics);
    if context.output.json {
        printed(context.output.print_json(&found))?;
    } else {
        printed(context.output.print(&text(&found, signer)))?;
    }
    Ok(if found.known { Exit::Clean } else { Exit::Findings })
}

fn text(found: &SignatureCheck, wanted: Option<&str>) -> String {
    let name = harmless(&found.skill);
    let fingerprint = found.fingerprint.as_deref().unwrap_or_default();
    let mut text = match (found.state, &found.principal) {
        (SignatureState::Bad, _) => format!("{name}: {}\n", harmless(&found.why.join("; "))),
        (SignatureState::Unsigned, _) => format!("{name}: not signed\n"),
        (_, Some(principal)) => format!("{name}: signed by {} ({fingerprint})\n", harmless(principal)),
        (_, None) => format!("{name}: signed by {fingerprint}, a key that you gave no name\n"),
    };
    if found.state == SignatureState::Unknown {
        found.why.iter().for_each(|why| text.push_str(&format!("  {}\n", harmless(why))));
    }
    if let (Some(wanted), false, Some(_)) = (wanted, found.known, &found.fingerprint) {
        text.push_str(&format!("  and not by {}\n", harmless(wanted)));
    }
    text + &format!("  {}\n", found.tree)
}
