//! `completions`: for the shell, or manual pages.

use crate::{
    args::CompletionsArgs,
    completion,
    error::{Exit, Outcome, failed},
    write_manual,
};
use std::io::Write;

pub(crate) fn run(args: &CompletionsArgs) -> Outcome {
    if let Some(folder) = &args.man {
        std::fs::create_dir_all(folder)
            .and_then(|()| write_manual(folder))
            .map_err(failed(format!("write manual pages to `{}`", folder.display())))?;
    }
    if let Some(shell) = args.shell {
        let mut script = Vec::new();
        completion::write(shell, &mut script);
        std::io::stdout().lock().write_all(&script).map_err(failed("write the output"))?;
    }
    Ok(Exit::Clean)
}
