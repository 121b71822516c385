//! `completions`: for the shell, or manual pages.

use crate::{
    args::CompletionsArgs,
    completion,
    error::{Exit, Outcome, failed},
    write_manual,
};
use skillful_catalog::bounded;
use std::{
    io::{self, Write},
    path::Path,
};

pub(crate) fn run(args: &CompletionsArgs) -> Outcome {
    if let Some(folder) = &args.man {
        let written = bounded::stays_inside(folder)
            .map_err(io::Error::from)
            .and_then(|()| std::fs::create_dir_all(folder))
            .and_then(|()| without_links(folder))
            .and_then(|()| write_manual(folder));
        written.map_err(failed(format!("write manual pages to `{}`", folder.display())))?;
    }
    if let Some(shell) = args.shell {
        let mut script = Vec::new();
        completion::write(shell, &mut script);
        std::io::stdout().lock().write_all(&script).map_err(failed("write the output"))?;
    }
    Ok(Exit::Clean)
}

/// A page in the place of a link would be written to where the link leads.
fn without_links(folder: &Path) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        if entry.file_type()?.is_symlink() && entry.path().extension().is_some_and(|ending| ending == "1") {
            return Err(io::Error::other(format!("{} is a link", entry.file_name().display())));
        }
    }
    Ok(())
}
