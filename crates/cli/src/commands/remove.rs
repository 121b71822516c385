//! `remove`: skills that `add` installed.

use super::registry::{Desk, key, refused};
use crate::{args::RemoveArgs, context::Context, error::Outcome};
use skillful_registry::install::plan_remove;

pub(crate) fn run(context: &mut Context, args: &RemoveArgs) -> Outcome {
    let desk = Desk::open(context, args.place.global)?;
    let names = args.names.iter().map(|name| key(name)).collect::<Result<Vec<_>, _>>()?;
    let plan = plan_remove(&names, &desk.lock, &desk.site, &desk.contents).map_err(refused)?;
    desk.perform(context, &args.place, &plan)
}
