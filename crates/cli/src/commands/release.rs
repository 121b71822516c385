//! `release`: a skill that was held back, after a person looked at it.

use super::registry::{Desk, key, refused};
use crate::{args::ReleaseArgs, context::Context, error::Outcome};
use skillful_registry::install::plan_release;

pub(crate) fn run(context: &mut Context, args: &ReleaseArgs) -> Outcome {
    let desk = Desk::open(context, args.place.global)?;
    let name = key(&args.name)?;
    let plan = plan_release(&name, &desk.lock, &desk.site, &desk.contents).map_err(refused)?;
    desk.perform(context, &args.place, &plan)
}
