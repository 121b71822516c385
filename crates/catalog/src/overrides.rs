//! Operator overrides: a folder that replaces the body or the metadata of bundled skills.
//!
//! `<folder>/<name>/SKILL.md` (or `skill.md`) replaces body and metadata, one with a header and no
//! body replaces the metadata only, one with a body and no header the body only. Gates and safety
//! keys of both add up, unless the override says `override: replace`.

use crate::{
    entry::{Entry, Override},
    host::{RootKind, Scope},
    roots::Root,
};
use skillful_format::{Code, Diagnostic, Manifest, Soundness};
use std::collections::BTreeSet;

/// Takes the overrides out of the list and puts what they say into the skills they override.
pub(crate) fn apply(entries: &mut Vec<Entry>, roots: &[Root], diagnostics: &mut Vec<Diagnostic>) {
    let (overrides, mut rest): (Vec<Entry>, Vec<Entry>) = std::mem::take(entries)
        .into_iter()
        .partition(|entry| roots[entry.origin.root].kind == RootKind::Overrides);
    for over in overrides {
        let bundled = |scope: Scope| {
            matches!(scope, Scope::System | Scope::Integration | Scope::Plugin | Scope::Managed)
        };
        let invalid =
            |message: String| Diagnostic::new(Code::OverrideInvalid, message).in_path(&over.origin.file);
        if over.loaded.soundness == Soundness::Broken {
            diagnostics
                .push(invalid(format!("the override of `{}` cannot be read and was left out", over.name)));
            continue;
        }
        match rest.iter_mut().find(|entry| bundled(entry.origin.scope) && entry.name == over.name) {
            Some(base) => put(base, &over),
            None => diagnostics.push(
                invalid(format!("there is no bundled skill `{}` to override", over.name))
                    .help("name the folder like the skill, or put the skill into a managed root"),
            ),
        }
    }
    *entries = rest;
}

fn put(base: &mut Entry, over: &Entry) {
    let has_body = over.loaded.body_offset < over.loaded.size;
    let has_metadata = over.loaded.has_header;
    let replaces = over.loaded.manifest.override_mode.as_deref() == Some("replace");
    let original = base.origin.file.clone();
    let mut metadata = Vec::new();
    if has_metadata {
        let mut manifest = over.loaded.manifest.clone();
        if !replaces {
            add_gates(&mut manifest, &base.loaded.manifest);
            keep_absent(&mut manifest, &base.loaded.manifest);
        }
        base.loaded.manifest = manifest;
        metadata.push(over.origin.file.clone());
    }
    if !replaces || !has_metadata {
        metadata.push(original.clone());
    }
    let body = if has_body { over.origin.file.clone() } else { original };
    if has_body {
        base.loaded.body_offset = over.loaded.body_offset;
        base.loaded.size = over.loaded.size;
    }
    base.loaded.diagnostics.extend(over.loaded.diagnostics.iter().cloned());
    base.overridden = Some(Override { body, metadata });
}

/// Gates and safety keys of the bundled skill stay closed.
fn add_gates(over: &mut Manifest, base: &Manifest) {
    over.admin_only |= base.admin_only;
    over.experimental |= base.experimental;
    over.disable_model_invocation |= base.disable_model_invocation;
    over.user_invocable &= base.user_invocable;
    union(&mut over.dependencies, &base.dependencies);
    union(&mut over.requires.env, &base.requires.env);
    union(&mut over.requires.binary, &base.requires.binary);
    union(&mut over.requires.skills, &base.requires.skills);
    union(&mut over.requires.mcp, &base.requires.mcp);
    union(&mut over.requires_capability, &base.requires_capability);
    union(&mut over.companion_skills, &base.companion_skills);
    union(&mut over.disallowed_tools, &base.disallowed_tools);
    union(&mut over.closed_gates, &base.closed_gates);
}

/// What an override does not mention stays.
fn keep_absent(over: &mut Manifest, base: &Manifest) {
    let keep = |over: &mut Option<String>, base: &Option<String>| {
        if over.is_none() {
            over.clone_from(base);
        }
    };
    keep(&mut over.name, &base.name);
    keep(&mut over.description, &base.description);
    keep(&mut over.when_to_use, &base.when_to_use);
    keep(&mut over.license, &base.license);
    keep(&mut over.compatibility, &base.compatibility);
    keep(&mut over.version, &base.version);
    keep(&mut over.argument_hint, &base.argument_hint);
    keep(&mut over.model, &base.model);
    keep(&mut over.model_tier, &base.model_tier);
    keep(&mut over.effort, &base.effort);
    keep(&mut over.agent, &base.agent);
    keep(&mut over.next_skill, &base.next_skill);
    if over.allowed_tools.is_none() {
        over.allowed_tools.clone_from(&base.allowed_tools);
    }
    over.cli |= base.cli;
    over.context_fork |= base.context_fork;
    if over.env.is_empty() {
        over.env.clone_from(&base.env);
    }
    if over.vars.is_empty() {
        over.vars.clone_from(&base.vars);
    }
}

fn union<T: Clone + Ord>(over: &mut Vec<T>, base: &[T]) {
    let have: BTreeSet<T> = over.iter().cloned().collect();
    over.extend(base.iter().filter(|item| !have.contains(item)).cloned());
}
