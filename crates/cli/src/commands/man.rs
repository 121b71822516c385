//! `man`: manual pages, one for the program and one for each command.

use crate::{
    args::ManArgs,
    error::{Exit, Outcome, failed},
    write_manual,
};

pub(crate) fn run(args: &ManArgs) -> Outcome {
    std::fs::create_dir_all(&args.output).map_err(failed(format!("create `{}`", args.output.display())))?;
    write_manual(&args.output).map_err(failed(format!("write pages to `{}`", args.output.display())))?;
    Ok(Exit::Clean)
}
