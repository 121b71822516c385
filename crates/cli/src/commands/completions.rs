//! `completions`: scripts for shells.

use crate::{
    args::CompletionsArgs,
    command_line,
    error::{Exit, Outcome, failed},
};
use std::io::Write;

pub(crate) fn run(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command_line(), "skillful", &mut script);
    std::io::stdout().lock().write_all(&script).map_err(failed("write the output"))?;
    Ok(Exit::Clean)
}
