//! `accept`: an installed skill as it is now, after somebody changed it.

use super::printed;
use crate::{
    args::AcceptArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    shape,
};
use serde_json::json;
use skillful_runtime::installed::Installed;

pub(crate) fn run(context: &mut Context, args: &AcceptArgs) -> Outcome {
    let (catalog, at) = context.catalog_with(&args.skill)?;
    let entry = &catalog.entries[at];
    let known = context.workspace.installed()?;
    let folder = entry.folder();
    let installed = folder.canonicalize().is_ok_and(|folder| known.folders.contains_key(&folder));
    if !installed {
        return Err(Failure::new(format!("`{}` was not installed by skillful", entry.address()))
            .hint("there is nothing to accept: it is used as it is"));
    }
    let digest = Installed::note(&context.workspace.paths().data, folder)
        .map_err(failed(format!("note what `{}` holds", folder.display())))?;
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "skill": entry.address(), "digest": digest });
        printed(context.output.print_json(&value))?;
    } else {
        printed(context.output.print(&format!("accepted {} as it is now ({digest})\n", entry.address())))?;
    }
    Ok(Exit::Clean)
}
