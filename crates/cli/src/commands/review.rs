//! `review`: what models proposed, for a person to accept or reject.

use super::{diagnostics_json, diagnostics_text, printed, tell_diagnostics};
use crate::{
    age,
    args::ReviewArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    memory::lost,
    output::{self, Cell, DIM, HEAD, Table, harmless, harmless_lines},
    prompt, shape,
    turn::now,
};
use serde_json::{Value, json};
use skillful_catalog::{Catalog, Entry, capability::capabilities};
use skillful_format::{Diagnostic, LENIENT, Tree};
use skillful_runtime::{
    propose::{Proposals, is_waiting, session_of},
    shelves::ShelfError,
};
use std::{path::PathBuf, time::UNIX_EPOCH};

pub(crate) fn run(context: &mut Context, args: &ReviewArgs) -> Outcome {
    let catalog = context.catalog();
    if !args.accept.is_empty() || !args.reject.is_empty() {
        return decide(context, &catalog, args);
    }
    let waiting = waiting(context, &catalog);
    let chosen: Vec<&Entry> = match &args.skill {
        Some(name) => vec![find(&waiting, name)?],
        None => waiting.clone(),
    };
    if context.output.json {
        let whole = args.skill.is_some();
        let skills: Vec<Value> =
            chosen.iter().map(|entry| as_json(context, entry, whole)).collect::<Result<_, _>>()?;
        let value = json!({
            "schema": shape::SCHEMA,
            "waiting": skills,
            "diagnostics": diagnostics_json(&context.diagnostics),
        });
        printed(context.output.print_json(&value))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics);
    if chosen.is_empty() {
        printed(context.output.print("no proposed skill waits\n"))?;
        return Ok(Exit::Clean);
    }
    let asks = prompt::is_possible();
    if args.skill.is_none() {
        printed(context.output.print(&table(context, &waiting)))?;
        if !asks {
            return Ok(Exit::Clean);
        }
    }
    for entry in chosen {
        let name = folder_name(entry);
        // One that cannot be read does not keep the others from being looked at.
        let tree = match context.paths.shelves().read(&name) {
            Err(error) if args.skill.is_none() => {
                output::tell(&format!("{}\n", harmless(&error.to_string())));
                continue;
            }
            read => read.map_err(refused)?,
        };
        printed(context.output.print(&describe(context, entry, &tree)))?;
        if asks {
            ask(context, &catalog, &name, &tree)?;
        }
    }
    Ok(Exit::Clean)
}

/// Asks until there is an answer; whoever goes away decides nothing.
fn ask(context: &mut Context, catalog: &Catalog, name: &str, tree: &Tree) -> Result<(), Failure> {
    loop {
        let answer = prompt::line("[a]ccept, [r]eject or [s]kip?").map_err(failed("read the answer"))?;
        let done = match answer.as_deref().map(str::trim) {
            Some("a" | "accept") => {
                accept(context, catalog, name, tree).map(|folder| accepted_text(context, name, &folder))
            }
            Some("r" | "reject") => reject(context, name).map(|folder| rejected_text(context, name, &folder)),
            None | Some("s" | "skip") => return Ok(()),
            Some(_) => continue,
        };
        // One that cannot be moved does not keep the others from being looked at.
        return match done {
            Ok(text) => printed(context.output.print(&text)),
            Err(failure) => {
                let hints: String = failure.hints.iter().map(|hint| format!("; {hint}")).collect();
                output::tell(&format!("{}{}\n", harmless(&failure.message), harmless(&hints)));
                Ok(())
            }
        };
    }
}

/// Without a question: every name, or the first that is refused.
fn decide(context: &mut Context, catalog: &Catalog, args: &ReviewArgs) -> Outcome {
    let waiting = waiting(context, catalog);
    // All are looked up before anything moves.
    for name in args.accept.iter().chain(&args.reject) {
        find(&waiting, name)?;
    }
    let mut text = String::new();
    let (mut accepted, mut rejected) = (Vec::new(), Vec::new());
    for name in &args.accept {
        let tree = context.paths.shelves().read(name).map_err(refused)?;
        let folder = accept(context, catalog, name, &tree)?;
        text.push_str(&accepted_text(context, name, &folder));
        accepted.push(json!({ "name": name, "folder": folder }));
    }
    for name in &args.reject {
        let folder = reject(context, name)?;
        text.push_str(&rejected_text(context, name, &folder));
        rejected.push(json!({ "name": name, "folder": folder }));
    }
    if context.output.json {
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "accepted": accepted,
            "rejected": rejected,
            "diagnostics": diagnostics_json(&context.diagnostics),
        })))?;
    } else {
        tell_diagnostics(context, &context.diagnostics);
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}

/// Moves a skill to the person's own, and follows its use from now on.
fn accept(context: &mut Context, catalog: &Catalog, name: &str, tree: &Tree) -> Result<PathBuf, Failure> {
    let proposed = context.paths.proposed();
    let (mine, others): (Vec<&Entry>, Vec<&Entry>) =
        catalog.entries.iter().partition(|entry| entry.origin.file.starts_with(&proposed));
    // What it calls itself counts, too.
    let own = mine.iter().find(|entry| folder_name(entry) == name).map_or(name, |entry| entry.name.as_str());
    let is_called =
        |entry: &&&Entry| [name, own].iter().any(|word| entry.name == *word || entry.address() == *word);
    if let Some(other) = others.iter().find(is_called) {
        let place = context.named(&other.origin.file);
        return Err(Failure::new(format!("the name `{name}` is taken by {place}"))
            .hint("rename or remove that one first, or reject the proposal"));
    }
    let folder = context.paths.shelves().accept(name, tree).map_err(refused)?;
    if let Some(Err(error)) = context.store().map(|store| store.authored(name, now())) {
        context.diagnostics.push(lost(&error));
    }
    Ok(folder)
}

fn reject(context: &Context, name: &str) -> Result<PathBuf, Failure> {
    context.paths.shelves().reject(name).map_err(refused)
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn refused(error: ShelfError) -> Failure {
    Failure::new(error.to_string())
}

fn waiting<'a>(context: &Context, catalog: &'a Catalog) -> Vec<&'a Entry> {
    let all = Proposals::new(catalog, &context.config.settings).all();
    all.into_iter().filter(|entry| is_waiting(entry)).collect()
}

fn find<'a>(waiting: &[&'a Entry], name: &str) -> Result<&'a Entry, Failure> {
    waiting.iter().find(|entry| folder_name(entry) == name).copied().ok_or_else(|| {
        Failure::new(format!("no proposed skill `{name}` waits"))
            .hint("`skillful review` lists those that do")
    })
}

/// What a proposal is called: by its folder, which nothing in it can change.
fn folder_name(entry: &Entry) -> String {
    entry.folder().file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// When it was written, in seconds since 1970.
fn written(entry: &Entry) -> Option<u64> {
    let time = std::fs::metadata(&entry.origin.file).and_then(|meta| meta.modified()).ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

fn table(context: &Context, waiting: &[&Entry]) -> String {
    let now = now();
    let row = |entry: &&Entry| {
        vec![
            Cell::plain(folder_name(entry)),
            Cell::styled(written(entry).map_or_else(String::new, |at| age::ago(at, now)), DIM),
            Cell::styled(session_of(&entry.loaded.manifest).unwrap_or_default(), DIM),
            Cell::plain(entry.description().unwrap_or_default()),
        ]
    };
    let heads = vec!["SKILL", "WHEN", "SESSION", "DESCRIPTION"];
    let hint = "\n`skillful review NAME` shows one whole; --accept NAME and --reject NAME decide\n";
    Table { heads, rows: waiting.iter().map(row).collect() }.render(&context.output) + hint
}

fn findings(entry: &Entry) -> Vec<Diagnostic> {
    LENIENT.apply(entry.loaded.diagnostics.clone())
}

/// One proposal with all its words, and what it could do.
fn describe(context: &Context, entry: &Entry, tree: &Tree) -> String {
    let output = &context.output;
    let mut out = format!("\n{}\n", output.paint(HEAD, &harmless(&folder_name(entry))));
    let mut line = |key: &str, value: &str| {
        out.push_str(&format!("{} {value}\n", output.paint(DIM, &format!("{key:<13}"))));
    };
    if let Some(at) = written(entry) {
        line("proposed", &age::ago(at, now()));
    }
    if let Some(session) = session_of(&entry.loaded.manifest) {
        line("in session", &harmless(session));
    }
    let powers: Vec<String> = capabilities(entry).iter().map(|power| harmless(power)).collect();
    let could =
        if powers.is_empty() { "do nothing by itself: text only".to_owned() } else { powers.join("; ") };
    line("could", &could);
    for (path, file) in tree.iter() {
        out.push_str(&format!("\n{}\n", output.paint(DIM, &format!("--- {}", harmless(path.as_str())))));
        match std::str::from_utf8(&file.bytes) {
            Ok(text) => out.push_str(&harmless_lines(text)),
            Err(_) => out.push_str(&format!("{} bytes that are no text\n", file.bytes.len())),
        }
    }
    let findings = findings(entry);
    if !findings.is_empty() {
        out.push('\n');
        out.push_str(&diagnostics_text(context, &findings));
    }
    out.push('\n');
    out
}

fn as_json(context: &Context, entry: &Entry, whole: bool) -> Result<Value, Failure> {
    let name = folder_name(entry);
    let mut value = json!({
        "name": name,
        "description": entry.description(),
        "written": written(entry),
        "session": session_of(&entry.loaded.manifest),
        "capabilities": capabilities(entry),
        "diagnostics": diagnostics_json(&findings(entry)),
    });
    if whole {
        let tree = context.paths.shelves().read(&name).map_err(refused)?;
        let file = |(path, file): (&skillful_format::TreePath, &skillful_format::TreeFile)| json!({ "path": path.as_str(), "text": std::str::from_utf8(&file.bytes).ok() });
        value["files"] = tree.iter().map(file).collect();
    }
    Ok(value)
}

fn accepted_text(context: &Context, name: &str, folder: &std::path::Path) -> String {
    format!("accepted {} into {}\n", harmless(name), context.named(folder))
}

fn rejected_text(context: &Context, name: &str, folder: &std::path::Path) -> String {
    format!("rejected {}; it lies in {}\n", harmless(name), context.named(folder))
}
