//! `show`: one skill in full.

use super::{diagnostics_json, diagnostics_text, printed};
use crate::{
    args::ShowArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{BAD, DIM, GOOD, HEAD, WARN, harmless},
    shape,
};
use serde_json::json;
use skillful_catalog::{
    Catalog, Entry, Placement, body,
    capability::capabilities,
    gate::{Door, Status, gate},
};
use skillful_format::{Document, LENIENT};

pub(crate) fn run(context: &mut Context, args: &ShowArgs) -> Outcome {
    let (catalog, at) = context.catalog_with(&args.skill)?;
    let entry = &catalog.entries[at];
    let diagnostics = LENIENT.apply(entry.loaded.diagnostics.clone());
    let body = body::read(entry).map_err(failed(format!("read `{}`", body::file(entry).display())))?;
    if args.body && !context.output.json {
        if entry.placement == Placement::Invalid {
            return Err(Failure::new(format!("`{}` cannot be read", args.skill))
                .hint("run `skillful show` without --body"));
        }
        printed(context.output.print(&body))?;
        return Ok(Exit::Clean);
    }
    if context.output.json {
        let mut value = shape::entry(context, &catalog, entry);
        value["schema"] = json!(shape::SCHEMA);
        value["manifest"] = json!(entry.loaded.manifest);
        value["sidecar"] = json!(entry.loaded.sidecar);
        value["soundness"] = json!(entry.loaded.soundness);
        value["capabilities"] = json!(capabilities(entry));
        value["files"] = json!(files(entry));
        value["body"] = json!(body);
        value["diagnostics"] = diagnostics_json(&diagnostics);
        printed(context.output.print_json(&value))?;
        return Ok(Exit::Clean);
    }
    let mut out = describe(context, &catalog, entry, &body);
    if !diagnostics.is_empty() {
        out.push('\n');
        out.push_str(&diagnostics_text(context, &diagnostics));
    }
    printed(context.output.print(&out))?;
    Ok(Exit::Clean)
}

fn describe(context: &Context, catalog: &Catalog, entry: &Entry, body: &str) -> String {
    let output = &context.output;
    let mut out = output.paint(HEAD, &harmless(&entry.address())) + "\n";
    if let Some(description) = entry.description() {
        out.push_str(&format!("{}\n", harmless(description)));
    }
    out.push('\n');
    let mut line = |key: &str, value: String| {
        let key = output.paint(DIM, &format!("{key:<13}"));
        out.push_str(&format!("{key} {value}\n"));
    };
    line("state", state_words(context, catalog, entry));
    for (key, door) in [("for a model", Door::Model), ("for you", Door::Person)] {
        let verdict =
            gate(catalog, entry, context.workspace.principal(), context.workspace.environment(), door);
        let (style, word) = match verdict.status {
            Status::Available => (GOOD, "available"),
            Status::Unavailable => (WARN, "unavailable"),
            Status::Gated => (WARN, "closed"),
            Status::Disabled => (DIM, "disabled"),
        };
        let reasons: Vec<String> =
            verdict.reasons.iter().map(|reason| harmless(&reason.to_string())).collect();
        let why = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
        line(key, output.paint(style, word) + &why);
    }
    line("file", context.short(&entry.origin.file));
    if !entry.origin.file.starts_with(&entry.origin.real) {
        line("really at", context.short(&entry.origin.real));
    }
    for (_, path) in &entry.origin.also {
        line("also at", context.short(path));
    }
    if let Some(overridden) = &entry.overridden {
        line("body from", context.short(&overridden.body));
        let files: Vec<String> = overridden.metadata.iter().map(|file| context.short(file)).collect();
        line("fields from", files.join(", "));
    }
    let agents = catalog.agents_of(entry);
    if !agents.is_empty() {
        let shown = agents.iter().take(8).copied().collect::<Vec<_>>().join(", ");
        let rest = agents.len().saturating_sub(8);
        line("read by", if rest > 0 { format!("{shown} and {rest} more") } else { shown });
    }
    let powers: Vec<String> = capabilities(entry).iter().map(|power| harmless(power)).collect();
    line(
        "could",
        if powers.is_empty() { "do nothing by itself: text only".to_owned() } else { powers.join("; ") },
    );
    for (key, value) in fields(entry) {
        line(&key, harmless(&value));
    }
    let files = files(entry);
    if !files.is_empty() {
        let shown = files.iter().take(6).map(|file| harmless(file)).collect::<Vec<_>>().join(", ");
        let rest = files.len().saturating_sub(6);
        line("files", if rest > 0 { format!("{shown} and {rest} more") } else { shown });
    }
    let lines = match body.lines().count() {
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    };
    line("body", format!("{lines}, about {} tokens", body.len().div_ceil(4)));
    out
}

fn state_words(context: &Context, catalog: &Catalog, entry: &Entry) -> String {
    let output = &context.output;
    match &entry.placement {
        Placement::Active => output.paint(GOOD, "ready"),
        Placement::Shadowed { by } => {
            let winner = &catalog.entries[*by];
            format!("{} by {}", output.paint(WARN, "shadowed"), context.short(&winner.origin.file))
        }
        Placement::Disabled { .. } => format!(
            "{}; `skillful enable {}` switches it on",
            output.paint(WARN, "disabled"),
            entry.address()
        ),
        Placement::Untrusted { more } if !more.is_empty() => {
            format!(
                "{}: asks for more than was trusted ({})",
                output.paint(WARN, "untrusted"),
                harmless(&more.join(", "))
            )
        }
        Placement::Untrusted { .. } => format!("{}; `skillful trust` asks", output.paint(WARN, "untrusted")),
        Placement::Invalid => output.paint(BAD, "invalid"),
    }
}

/// The fields of the header as written, but for those that have a line of their own.
fn fields(entry: &Entry) -> Vec<(String, String)> {
    let Ok(bytes) = std::fs::read(&entry.origin.file) else { return Vec::new() };
    let document = Document::read(&bytes, &skillful_format::Sidecars::default());
    document
        .keys
        .iter()
        .filter(|(key, _)| !matches!(key.text.as_str(), "name" | "description"))
        .map(|(key, node)| {
            let value = match node.scalar() {
                Some(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
                None => node.to_data().to_json().to_string(),
            };
            (key.text.clone(), value)
        })
        .collect()
}

/// Files of the skill beside its own, relative, at most a thousand.
fn files(entry: &Entry) -> Vec<String> {
    if entry.origin.kind == skillful_catalog::profile::RootKind::Commands {
        return Vec::new();
    }
    let Ok((tree, _)) =
        skillful_catalog::disk::read_folder(&entry.origin.real, &skillful_format::Limits::default())
    else {
        return Vec::new();
    };
    let own =
        entry.origin.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    tree.iter().map(|(path, _)| path.as_str().to_owned()).filter(|path| *path != own).take(1000).collect()
}
