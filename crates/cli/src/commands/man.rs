//! `man`: manual pages, one for the program and one for each command.

use crate::{
    args::ManArgs,
    command_line,
    error::{Exit, Outcome, failed},
};

pub(crate) fn run(args: &ManArgs) -> Outcome {
    std::fs::create_dir_all(&args.output).map_err(failed(format!("create `{}`", args.output.display())))?;
    clap_mangen::generate_to(command_line(), &args.output)
        .map_err(failed(format!("write pages to `{}`", args.output.display())))?;
    Ok(Exit::Clean)
}
