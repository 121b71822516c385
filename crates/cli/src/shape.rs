//! The JSON of skills: one shape, used by every command. Fields are only ever added.

use crate::{commands::diagnostics_json, context::Context};
use serde_json::{Value, json};
use skillful_catalog::{
    Catalog, Entry, Placement,
    gate::{Door, gate},
};
use skillful_format::LENIENT;

/// Version of every JSON object this program prints.
pub(crate) const SCHEMA: u32 = 1;

/// One skill of a catalogue.
pub(crate) fn entry(context: &Context, catalog: &Catalog, entry: &Entry) -> Value {
    let mut value = json!({
        "name": entry.name,
        "address": entry.address(),
        "state": entry.placement.word(),
        "scope": entry.origin.scope,
        "kind": entry.origin.kind,
        "path": entry.origin.file,
        "real_path": entry.origin.real,
        "root": catalog.roots[entry.origin.root].path,
        "agents": catalog.agents_of(entry),
        "description": entry.description(),
        "for_model": verdict(context, catalog, entry, Door::Model),
        "for_person": verdict(context, catalog, entry, Door::Person),
        "diagnostics": diagnostics_json(&LENIENT.apply(entry.loaded.diagnostics.clone())),
    });
    match &entry.placement {
        Placement::Shadowed { by } => {
            let winner = &catalog.entries[*by];
            value["shadowed_by"] = json!({ "address": winner.address(), "path": winner.origin.file });
        }
        Placement::Disabled { by } => value["disabled_by"] = json!(by),
        Placement::Untrusted { more } if !more.is_empty() => value["asks_for_more"] = json!(more),
        _ => {}
    }
    if !entry.origin.also.is_empty() {
        value["also_at"] = entry.origin.also.iter().map(|(_, path)| json!(path)).collect();
    }
    if let Some(overridden) = &entry.overridden {
        value["override"] = json!(overridden);
    }
    value
}

fn verdict(context: &Context, catalog: &Catalog, entry: &Entry, door: Door) -> Value {
    let verdict = gate(catalog, entry, context.workspace.principal(), context.workspace.environment(), door);
    json!({
        "status": verdict.status,
        "reasons": verdict.reasons.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}
