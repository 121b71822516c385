//! Activation: from a skill and its arguments to the text a model reads. The same text whoever asks.

use crate::files;
use serde::Serialize;
use skillful_catalog::{Entry, Settings, body, host::ArgumentRule, host::RootKind, roots, variables};
use skillful_format::{Diagnostic, ToolGrant};
use skillful_render::{
    Arguments,
    envelope::Files,
    preprocess,
    substitution::{OWN_DIALECT, Values, append_arguments, reference, substitute},
};
use skillful_select::access::Asker;
use std::{collections::BTreeMap, io};

/// What every activation of a turn shares.
#[derive(Clone, Copy, Debug)]
pub struct Engine<'a> {
    /// The catalogue.
    pub catalog: &'a skillful_catalog::Catalog,
    /// Who asks.
    pub asker: Asker<'a>,
    /// Where variables are kept.
    pub settings: &'a Settings,
    /// How arguments are put in; that of a host, or our own.
    pub dialect: &'a ArgumentRule,
    /// What the host supplies for `{name}`.
    pub names: &'a BTreeMap<String, String>,
    /// The conversation, when there is one.
    pub session: Option<&'a str>,
}

impl<'a> Engine<'a> {
    /// An engine with our own dialect, no names and no conversation.
    pub fn new(
        catalog: &'a skillful_catalog::Catalog,
        asker: Asker<'a>,
        settings: &'a Settings,
        names: &'a BTreeMap<String, String>,
    ) -> Self {
        Self { catalog, asker, settings, dialect: &OWN_DIALECT, names, session: None }
    }
}

/// A skill ready for a model.
#[derive(Clone, Debug, Serialize)]
pub struct Activation {
    /// Its address.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The file of its instructions.
    pub path: String,
    /// Its folder; a command has none.
    pub folder: Option<String>,
    /// The instructions with everything put in. Commands still stand as written.
    pub instructions: String,
    /// Files it brings.
    pub files: Files,
    /// Commands that the runtime would run first, in order, as the shell would get them.
    pub commands: Vec<String>,
    /// Tools it may use; `None` when it does not say.
    pub allowed_tools: Option<Vec<String>>,
    /// Whether it runs as a sub-agent.
    pub fork: bool,
    /// Class of model it asks for.
    pub model_tier: Option<String>,
    /// Placeholders without a value, as written.
    pub unfilled: Vec<String>,
    /// What was wrong with its variables and its files.
    pub diagnostics: Vec<Diagnostic>,
}

/// Renders a skill that the gate let through. Reads its body, its variables and the names of its
/// files; runs nothing.
pub fn activate(engine: &Engine<'_>, entry: &Entry, arguments: &str) -> io::Result<Activation> {
    let body = body::read(entry)?;
    let store = variables::Store::new(engine.settings);
    let resolved = variables::resolve(entry, engine.asker.environment, &store);
    let manifest = &entry.loaded.manifest;
    let values = Values {
        arguments: Arguments::new(arguments),
        names: manifest.arguments.clone(),
        places: places(engine, entry),
        variables: resolved
            .values
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), value.for_model()?.to_owned())))
            .collect(),
        host: engine.names.clone(),
    };
    let (mut instructions, mut took, mut unfilled) = (String::with_capacity(body.len()), false, Vec::new());
    let mut commands = Vec::new();
    let mut at = 0;
    for command in preprocess::commands(&body) {
        let filled = substitute(&body[at..command.range.start], &values, engine.dialect);
        instructions.push_str(&filled.text);
        took |= filled.took_arguments;
        unfilled.extend(filled.unfilled);
        instructions.push_str(&body[command.range.clone()]);
        let shell = reference(&command.text, &values, engine.dialect);
        took |= shell.took_arguments;
        commands.push(shell.text);
        at = command.range.end;
    }
    let filled = substitute(&body[at..], &values, engine.dialect);
    instructions.push_str(&filled.text);
    took |= filled.took_arguments;
    unfilled.extend(filled.unfilled);
    if !took {
        append_arguments(&mut instructions, &values.arguments);
    }
    unfilled.sort();
    unfilled.dedup();
    let is_command = entry.origin.kind == RootKind::Commands;
    let (files, unlisted) = files::of(entry);
    Ok(Activation {
        name: entry.address(),
        description: manifest.description.clone(),
        path: body::file(entry).display().to_string(),
        folder: (!is_command).then(|| entry.folder().display().to_string()),
        instructions,
        files,
        commands,
        allowed_tools: manifest
            .allowed_tools
            .as_ref()
            .map(|grants| grants.iter().map(ToolGrant::to_string).collect()),
        fork: manifest.context_fork,
        model_tier: manifest.model_tier.clone(),
        unfilled,
        diagnostics: [resolved.diagnostics, unlisted].concat(),
    })
}

/// Where things are, in the spelling of Claude Code and in our own.
fn places(engine: &Engine<'_>, entry: &Entry) -> BTreeMap<String, String> {
    let cwd = &engine.asker.environment.cwd;
    let project = roots::repository_of(cwd).unwrap_or(cwd).display().to_string();
    let mut places = BTreeMap::new();
    let mut put = |name: &str, value: String| {
        for vendor in ["CLAUDE", "SKILLFUL"] {
            places.insert(format!("{vendor}_{name}"), value.clone());
        }
    };
    put("SKILL_DIR", entry.folder().display().to_string());
    put("PROJECT_DIR", project);
    if let Some(session) = engine.session {
        put("SESSION_ID", session.to_owned());
    }
    if let Some(effort) = &entry.loaded.manifest.effort {
        put("EFFORT", effort.clone());
    }
    places
}
