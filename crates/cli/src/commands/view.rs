//! `view --as HOST`: what one agent would load, and why not the rest.

use crate::{
    args::ViewArgs,
    context::Context,
    error::{Failure, Outcome},
};

pub(crate) fn run(context: &mut Context, args: &ViewArgs) -> Outcome {
    let _ = context;
    Err(Failure::new(format!("no view yet for {}", args.host)))
}
