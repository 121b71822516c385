//! Overrides: a folder that replaces the body or the metadata of other skills.
//!
//! `<folder>/<name>/SKILL.md` (or `skill.md`) of an operator replaces body and metadata, one with frontmatter and no
//! body replaces the metadata only (as does a lone `skill.toml`), one with a body and no frontmatter the
//! body only. Gates and safety keys of both add up, unless the override has `override: replace`.
//! Of several overrides of one skill the first folder's is the strongest. What overrides no skill and has a body is a
//! skill of its own.
//!
//! A project can hold such a folder too (`config/skills` of Istota). There a lone `skill.toml` overrides the metadata of
//! a skill of the same agent and project, and counts among its files; a skill file is a skill like any other, and
//! the agent decides which of two of a name it loads.

use crate::{
    approvals,
    entry::{Entry, Override},
    load::Loaded,
    profile::{RootKind, Scope},
    roots::Root,
};
use skillful_format::{Code, Diagnostic, Manifest, Sidecar, Soundness, Tree, sidecar::SIDECAR_FILES};
use std::collections::BTreeSet;

/// Takes the overrides out of the list and writes their fields into the skills they override.
pub(crate) fn apply(entries: &mut Vec<Entry>, roots: &[Root], diagnostics: &mut Vec<Diagnostic>) {
    if roots.iter().all(|root| root.kind != RootKind::Overrides) {
        return;
    }
    let mut all = std::mem::take(entries);
    for entry in &mut all {
        let root = &roots[entry.origin.root];
        if root.kind == RootKind::Overrides && root.needs_trust.is_some() && !is_metadata(entry) {
            entry.origin.kind = RootKind::Skills;
        }
    }
    let (overrides, rest): (Vec<Entry>, Vec<Entry>) =
        all.into_iter().partition(|entry| entry.origin.kind == RootKind::Overrides);
    *entries = rest;
    let (of_projects, of_operators): (Vec<Entry>, Vec<Entry>) =
        overrides.into_iter().partition(|entry| roots[entry.origin.root].needs_trust.is_some());
    // The weakest first, so that the strongest overwrites the others.
    for over in of_operators.into_iter().rev() {
        let bundled = |scope: Scope| {
            matches!(scope, Scope::System | Scope::Integration | Scope::Plugin | Scope::Managed)
        };
        if !is_usable(&over, diagnostics) {
            continue;
        }
        match entries.iter_mut().find(|entry| bundled(entry.origin.scope) && entry.name == over.name) {
            Some(base) => put(base, &over, false),
            None if over.loaded.has_body => {
                let place = entries.iter().take_while(|entry| entry.origin.root < over.origin.root).count();
                let mut own = over;
                own.origin.kind = RootKind::Skills;
                entries.insert(place, own);
            }
            None => diagnostics.push(unused(&over, "there is no bundled skill")),
        }
    }
    for over in of_projects {
        if !is_usable(&over, diagnostics) {
            continue;
        }
        let root = &roots[over.origin.root];
        let is_of_agent = |entry: &Entry| {
            let other = &roots[entry.origin.root];
            let mut agents = other.agents.iter();
            agents.any(|agent| root.agents.contains(agent)) && other.needs_trust == root.needs_trust
        };
        let folder = over.origin.real.file_name();
        let mut same = entries
            .iter_mut()
            .filter(|entry| entry.origin.real.file_name() == folder && entry.origin.kind == RootKind::Skills)
            .filter(|entry| is_of_agent(entry));
        match same.find(|entry| entry.overridden.is_none()) {
            Some(base) => put(base, &over, true),
            None => diagnostics.push(unused(&over, "the same agent has no other skill")),
        }
    }
}

/// Whether an override is metadata alone.
fn is_metadata(entry: &Entry) -> bool {
    entry.origin.file.file_name().is_some_and(|name| name == SIDECAR_FILES[2])
}

fn is_usable(over: &Entry, diagnostics: &mut Vec<Diagnostic>) -> bool {
    let is_usable = over.loaded.soundness != Soundness::Broken;
    if !is_usable {
        let message = format!("the override of `{}` cannot be read and was skipped", over.name);
        diagnostics.push(Diagnostic::new(Code::OverrideInvalid, message).in_path(&over.origin.file));
    }
    is_usable
}

fn unused(over: &Entry, why: &str) -> Diagnostic {
    Diagnostic::new(Code::OverrideInvalid, format!("{why} `{}` to override", over.name))
        .in_path(&over.origin.file)
        .help("name the folder like the skill, or write a whole skill")
}

fn put(base: &mut Entry, over: &Entry, is_of_project: bool) {
    let file = base.origin.file.clone();
    let mut from = base.overridden.take().unwrap_or_else(|| Override {
        body: file.clone(),
        metadata: vec![file],
        project_file: None,
    });
    if over.loaded.has_header {
        if replaces(&over.loaded) {
            from.metadata.clear();
        }
        from.metadata.insert(0, over.origin.file.clone());
    }
    if over.loaded.has_body {
        from.body.clone_from(&over.origin.file);
    }
    from.project_file = is_of_project.then(|| over.origin.real.join(SIDECAR_FILES[2]));
    merge(&mut base.loaded, &over.loaded);
    base.loaded.diagnostics.extend(over.loaded.diagnostics.iter().cloned());
    base.overridden = Some(from);
}

/// The record of a skill whose metadata a file of its project overrides, from the files that count as its own.
pub(crate) fn with_project_file(entry: &Entry, mut loaded: Loaded, files: &Tree) -> Loaded {
    let is_overridden = entry.overridden.as_ref().is_some_and(|from| from.project_file.is_some());
    if let Some(file) = files.get(approvals::OVERRIDE_FILE).filter(|_| is_overridden) {
        merge(&mut loaded, &Loaded::of_toml(&file.bytes));
    }
    loaded
}

fn replaces(over: &Loaded) -> bool {
    over.manifest.override_mode.as_deref() == Some("replace")
}

fn merge(base: &mut Loaded, over: &Loaded) {
    if over.has_header {
        let mut manifest = over.manifest.clone();
        let mut sidecar = Sidecar::clone(&over.sidecar);
        if !replaces(over) {
            add_gates(&mut manifest, &base.manifest);
            keep_absent(&mut manifest, &base.manifest);
            add_sidecar(&mut sidecar, &base.sidecar);
        }
        base.manifest = manifest;
        base.sidecar = sidecar.into();
    }
    if over.has_body {
        base.body_offset = over.body_offset;
        base.size = over.size;
        base.has_body = true;
        base.commands.clone_from(&over.commands);
        base.shown_commands.clone_from(&over.shown_commands);
    }
    // An edit of any of the files is a change of the skill.
    base.content = base.content.rotate_left(11) ^ over.content;
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
    fn keep<T: Clone>(over: &mut Option<T>, base: Option<&T>) {
        if over.is_none() {
            *over = base.cloned();
        }
    }
    fn keep_list<T: Clone>(over: &mut Vec<T>, base: &[T]) {
        if over.is_empty() {
            over.extend_from_slice(base);
        }
    }
    keep(&mut over.name, base.name.as_ref());
    keep(&mut over.description, base.description.as_ref());
    keep(&mut over.when_to_use, base.when_to_use.as_ref());
    keep(&mut over.license, base.license.as_ref());
    keep(&mut over.compatibility, base.compatibility.as_ref());
    keep(&mut over.version, base.version.as_ref());
    keep(&mut over.argument_hint, base.argument_hint.as_ref());
    keep(&mut over.model, base.model.as_ref());
    keep(&mut over.model_tier, base.model_tier.as_ref());
    keep(&mut over.effort, base.effort.as_ref());
    keep(&mut over.agent, base.agent.as_ref());
    keep(&mut over.background, base.background.as_ref());
    keep(&mut over.shell, base.shell.as_ref());
    keep(&mut over.next_skill, base.next_skill.as_ref());
    keep(&mut over.allowed_tools, base.allowed_tools.as_ref());
    keep(&mut over.mcp, base.mcp.as_ref());
    keep(&mut over.hooks, base.hooks.as_ref());
    keep_list(&mut over.arguments, &base.arguments);
    keep_list(&mut over.paths, &base.paths);
    keep_list(&mut over.triggers, &base.triggers);
    keep_list(&mut over.source_types, &base.source_types);
    keep_list(&mut over.file_types, &base.file_types);
    keep_list(&mut over.resource_types, &base.resource_types);
    keep_list(&mut over.exclude_skills, &base.exclude_skills);
    keep_list(&mut over.conditional_next_skills, &base.conditional_next_skills);
    keep_list(&mut over.env, &base.env);
    keep_list(&mut over.vars, &base.vars);
    keep_list(&mut over.metadata, &base.metadata);
    keep_list(&mut over.extra, &base.extra);
    over.always_include |= base.always_include;
    over.exclude_memory |= base.exclude_memory;
    over.exclude_persona |= base.exclude_persona;
    over.exclude_resources |= base.exclude_resources;
    over.cli |= base.cli;
    over.context_fork |= base.context_fork;
}

/// The same for what stands beside the frontmatter.
fn add_sidecar(over: &mut Sidecar, base: &Sidecar) {
    let mut merged = base.clone();
    let parts = [
        (&mut merged.display_name, &over.display_name),
        (&mut merged.short_description, &over.short_description),
        (&mut merged.default_prompt, &over.default_prompt),
        (&mut merged.brand_color, &over.brand_color),
        (&mut merged.icon_small, &over.icon_small),
        (&mut merged.icon_large, &over.icon_large),
    ];
    for (merged, over) in parts {
        if over.is_some() {
            merged.clone_from(over);
        }
    }
    if base.allow_implicit_invocation != Some(false) && over.allow_implicit_invocation.is_some() {
        merged.allow_implicit_invocation = over.allow_implicit_invocation;
    }
    if over.permissions.is_some() {
        merged.permissions.clone_from(&over.permissions);
    }
    if !over.tools.is_empty() {
        merged.tools.clone_from(&over.tools);
    }
    if !over.products.is_empty() {
        merged.products.clone_from(&over.products);
    }
    if merged.systems.is_empty() {
        merged.systems.clone_from(&over.systems);
    }
    union(&mut merged.requires.env, &over.requires.env);
    union(&mut merged.requires.binary, &over.requires.binary);
    union(&mut merged.requires.skills, &over.requires.skills);
    union(&mut merged.requires.mcp, &over.requires.mcp);
    *over = merged;
}

fn union<T: Clone + Ord>(over: &mut Vec<T>, base: &[T]) {
    let have: BTreeSet<T> = over.iter().cloned().collect();
    over.extend(base.iter().filter(|item| !have.contains(item)).cloned());
}
