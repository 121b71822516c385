//! `sign`: a skill's own author says so; and who did.

use super::{
    keys::{self, allowed, seconds, signed_json, told},
    library::refused,
    printed, tell_diagnostics,
};
use crate::{
    args::{SignArgs, SignCommand},
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::harmless,
    shape,
};
use serde_json::json;
use skillful_format::Digest;
use skillful_registry::{
    AtomicWriter,
    fetch::{Found, read_folder},
    sign::{self, NAMESPACE, SIGNATURE_FILE, Signed, check},
};

/// How files begin that may be written over.
const ARMOUR: &[u8] = b"-----BEGIN SSH SIGNATURE-----";

pub(crate) fn run(context: &mut Context, args: &SignArgs) -> Outcome {
    if let Some(SignCommand::Keys(keys)) = &args.command {
        return keys::run(context, keys);
    }
    let Some(folder) = &args.folder else { return Err(Failure::usage("name the folder of the skill")) };
    let folder = context.workspace.environment().cwd.join(folder);
    let found = read_folder(&folder).map_err(refused)?;
    // What is left out is not signed, so whoever signs must know.
    tell_diagnostics(context, &found.diagnostics);
    let tree = found.tree.digest();
    if args.check {
        return tell_who(context, args, &found, &tree);
    }
    if let Some(old) = &found.signature
        && !old.as_bytes().starts_with(ARMOUR)
    {
        return Err(Failure::new(format!("`{SIGNATURE_FILE}` holds something else than a signature"))
            .hint("move it away; nothing else can have that name at the top of a skill"));
    }
    let default = context.workspace.environment().home.join(".ssh/id_ed25519");
    let key = args.key.as_ref().map_or(default, |key| context.workspace.environment().cwd.join(key));
    let (signature, fingerprint) =
        sign::sign(&tree, &key, &context.workspace.environment().variables).map_err(refused)?;
    let file = folder.join(SIGNATURE_FILE);
    sign::write(&folder, &signature, &AtomicWriter::default())
        .map_err(failed(format!("write `{}`", file.display())))?;
    if context.output.json {
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "skill": found.name.as_str(),
            "tree": tree,
            "files": found.tree.len(),
            "fingerprint": fingerprint.to_string(),
            "signature": file,
        })))?;
        return Ok(Exit::Clean);
    }
    let files =
        if found.tree.len() == 1 { "1 file".to_owned() } else { format!("{} files", found.tree.len()) };
    let text = format!(
        "signed {}: {files} as {tree}\n  with {fingerprint} ({})\n  wrote {}\n",
        harmless(found.name.as_str()),
        context.short(&key),
        context.short(&file)
    );
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}

fn tell_who(context: &Context, args: &SignArgs, found: &Found, tree: &Digest) -> Outcome {
    let allowed = allowed(context)?;
    let signed = check(tree, found.signature.as_ref(), &allowed, seconds());
    let signer = signed.signer();
    let is_wanted = match (&args.signer, &signer) {
        (None, _) => matches!(signed, Signed::Known(_)),
        (Some(wanted), Some(signer)) => {
            signer.is_named(wanted) || allowed.allows(wanted, signer.fingerprint, NAMESPACE, seconds())
        }
        (Some(_), None) => false,
    };
    let exit = if is_wanted { Exit::Clean } else { Exit::Findings };
    if context.output.json {
        let mut value = signed_json(&signed);
        value["schema"] = json!(shape::SCHEMA);
        value["skill"] = json!(found.name.as_str());
        value["tree"] = json!(tree);
        value["known"] = json!(is_wanted);
        printed(context.output.print_json(&value))?;
        return Ok(exit);
    }
    let name = harmless(found.name.as_str());
    let mut text = match (&signed, &signer) {
        (Signed::Bad(fault), _) => format!("{name}: the signature {}\n", harmless(&fault.to_string())),
        (_, Some(signer)) => format!("{name}: signed by {}\n", harmless(&told(signer))),
        (_, None) => format!("{name}: not signed\n"),
    };
    if let Signed::Unknown { unfit, .. } = &signed {
        for why in unfit {
            text.push_str(&format!("  {}\n", harmless(why)));
        }
    }
    if let (Some(wanted), false, Some(_)) = (&args.signer, is_wanted, &signer) {
        text.push_str(&format!("  and not by {}\n", harmless(wanted)));
    }
    text.push_str(&format!("  {tree}\n"));
    printed(context.output.print(&text))?;
    Ok(exit)
}
