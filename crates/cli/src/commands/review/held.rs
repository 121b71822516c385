//! Skills that were installed and held back.

use super::{Done, Kind, Waiting};
use crate::{
    commands::{
        keys::{allowed, proven},
        registry::{Desk, key, refused},
    },
    context::Context,
    error::Failure,
    output::harmless,
};
use serde_json::json;
use skillful_format::{Document, Sidecars, Tree};
use skillful_registry::{
    install::{Plan, plan_approve, plan_remove},
    lock::{LOCK_FILE, Locked},
    sign::Allowed,
};

/// Those of the project and those of the person.
pub(super) fn waiting(context: &Context) -> Result<Vec<Waiting>, Failure> {
    let mut waiting = Vec::new();
    let allowed = allowed(context)?;
    for kind in [Kind::Project, Kind::Personal] {
        // Looking makes no store.
        if !Desk::site(context, kind == Kind::Personal).lock.join(LOCK_FILE).is_file() {
            continue;
        }
        let desk = open(context, kind)?;
        let held = desk.lock.skills.iter().filter(|(_, locked)| locked.pending);
        waiting.extend(held.map(|(name, locked)| one(&desk, kind, name.as_str(), locked, &allowed)));
    }
    Ok(waiting)
}

fn one(desk: &Desk, kind: Kind, name: &str, locked: &Locked, allowed: &Allowed) -> Waiting {
    let tree = desk.contents.read(&locked.tree).ok();
    let description = tree.as_ref().and_then(description).unwrap_or_default();
    let at = [&locked.resolved.version, &locked.resolved.commit, &locked.resolved.url];
    let at = at.into_iter().flatten().next();
    let mut facts = vec![("from", locked.source.to_string())];
    facts.extend(at.map(|at| ("at", at.clone())));
    facts.push(("signed by", proven(&desk.contents, locked, allowed)));
    facts.push(("tree", locked.tree.to_string()));
    let places = locked
        .copied
        .iter()
        .chain(&locked.linked)
        .chain(&locked.aliases)
        .map(ToString::to_string)
        .collect::<Vec<_>>();
    facts.push(("goes to", places.join(", ")));
    Waiting {
        name: name.to_owned(),
        kind,
        from: locked.source.to_string(),
        description,
        facts,
        json: json!({
            "source": locked.source.to_string(),
            "url": locked.resolved.url,
            "commit": locked.resolved.commit,
            "version": locked.resolved.version,
            "signer": locked.signer.as_ref().map(ToString::to_string),
            "tree": locked.tree,
            "capabilities": locked.capabilities,
            "places": places,
        }),
    }
}

fn description(tree: &Tree) -> Option<String> {
    let (_, file) = tree.skill_file()?;
    Document::read(&file.bytes, &Sidecars::default()).manifest.description
}

fn open(context: &Context, kind: Kind) -> Result<Desk, Failure> {
    Desk::open(context, kind == Kind::Personal)
}

pub(super) fn tree(context: &Context, kind: Kind, name: &str) -> Result<Tree, Failure> {
    let desk = open(context, kind)?;
    let locked = desk.lock.skills.get(&key(name)?);
    let locked = locked.ok_or_else(|| Failure::new(format!("`{}` waits no longer", harmless(name))))?;
    desk.contents.read(&locked.tree).map_err(refused)
}

/// Puts a skill where it was meant to go.
pub(super) fn accept(context: &Context, kind: Kind, name: &str) -> Result<Done, Failure> {
    let desk = open(context, kind)?;
    let plan = plan_approve(&key(name)?, &desk.lock, &desk.site, &desk.contents).map_err(refused)?;
    carry_out(context, &desk, &plan, "accepted", name)
}

/// Forgets a skill; what was held back is nowhere but in the store.
pub(super) fn reject(context: &Context, kind: Kind, name: &str) -> Result<Done, Failure> {
    let desk = open(context, kind)?;
    let plan = plan_remove(&[key(name)?], &desk.lock, &desk.site, &desk.contents).map_err(refused)?;
    carry_out(context, &desk, &plan, "rejected", name)
}

fn carry_out(context: &Context, desk: &Desk, plan: &Plan, what: &str, name: &str) -> Result<Done, Failure> {
    let done = desk.apply(context, plan)?;
    let mut text = format!("{what} {}", harmless(name));
    for (at, folder) in done.changed.iter().enumerate() {
        text.push_str(if at == 0 { " into " } else { ", " });
        text.push_str(&context.short(folder));
    }
    text.push('\n');
    Ok((text, json!({ "name": name, "folders": done.changed })))
}
