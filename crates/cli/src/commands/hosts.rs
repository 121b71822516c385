//! `hosts`: the agents Skillful knows.

use super::{printed, tell_diagnostics};
use crate::{
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table},
    shape,
};
use serde_json::json;
use skillful_catalog::host::Evidence;

pub(crate) fn run(context: &mut Context) -> Outcome {
    context.load_hosts();
    if context.output.json {
        let hosts: Vec<_> = context.hosts.iter().collect();
        printed(context.output.print_json(&json!({ "schema": shape::SCHEMA, "hosts": hosts })))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics);
    let rows = context
        .hosts
        .iter()
        .map(|host| {
            let known = match host.evidence {
                Evidence::Measured => "measured",
                Evidence::Source => "source",
                Evidence::Documented => "documented",
                Evidence::Folders => "folders",
            };
            let mut folders: Vec<&str> = host.roots.iter().map(|root| root.path.as_str()).collect();
            folders.dedup();
            vec![
                Cell::plain(&host.id),
                Cell::plain(&host.title),
                Cell::styled(known, DIM),
                Cell::styled(folders.join("  "), DIM),
            ]
        })
        .collect();
    let table = Table { heads: vec!["AGENT", "NAME", "KNOWN FROM", "FOLDERS"], rows };
    printed(context.output.print(&table.render(&context.output)))?;
    Ok(Exit::Clean)
}
