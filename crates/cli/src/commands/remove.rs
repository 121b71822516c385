//! `remove`: skills that Skillful installed.

use super::library::{open, settle};
use crate::{args::RemoveArgs, context::Context, error::Outcome, progress::Bar};

pub(crate) fn run(context: &mut Context, args: &RemoveArgs) -> Outcome {
    let library = open(context, args.place.global, &Bar::new(context))?;
    settle(context, &library, &args.place, &|_| library.plan_remove(&args.names))
}
