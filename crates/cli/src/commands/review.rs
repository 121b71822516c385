//! `review`: skills that wait for a person, because a model proposed them or because they came from
//! another machine.

mod held;
mod proposed;

use super::{diagnostics_json, printed, tell_diagnostics};
use crate::{
    args::ReviewArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{self, Cell, DIM, HEAD, Table, harmless, harmless_lines},
    prompt,
    report::card::{self, line},
    shape,
};
use serde_json::{Value, json};
use skillful_format::Tree;
use skillful_registry::review::Card;

/// A skill that waits.
struct Waiting {
    /// What it is called, without a word of its own about that.
    name: String,
    /// Why it waits.
    kind: Kind,
    /// Where it comes from, for a table.
    from: String,
    description: String,
    /// What else is known of it, for its card.
    facts: Vec<(&'static str, String)>,
    /// The same for a script.
    json: Value,
}

/// Why a skill waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A model wrote it.
    Proposed,
    /// It was held back from this project.
    Project,
    /// It was held back from the person.
    Personal,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Project => "project",
            Self::Personal => "personal",
        }
    }
}

pub(crate) fn run(context: &mut Context, args: &ReviewArgs) -> Outcome {
    let mut waiting = proposed::waiting(context);
    waiting.extend(held::waiting(context)?);
    if !args.accept.is_empty() || !args.reject.is_empty() {
        return decide(context, &waiting, args);
    }
    let chosen: Vec<&Waiting> = match &args.skill {
        Some(name) => vec![find(&waiting, name)?],
        None => waiting.iter().collect(),
    };
    let whole = args.skill.is_some();
    if context.output.json {
        let skills: Vec<Value> =
            chosen.iter().map(|one| as_json(context, one, whole)).collect::<Result<_, _>>()?;
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "waiting": skills,
            "diagnostics": diagnostics_json(&context.diagnostics()),
        })))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    if chosen.is_empty() {
        printed(context.output.print("no skill waits\n"))?;
        return Ok(Exit::Clean);
    }
    let asks = prompt::is_possible();
    if !whole {
        printed(context.output.print(&table(context, &waiting)))?;
        if !asks {
            return Ok(Exit::Clean);
        }
    }
    for one in chosen {
        // One that cannot be read does not keep the others from being looked at.
        let tree = match tree_of(context, one) {
            Err(failure) if !whole => {
                output::tell(&format!("{}\n", harmless(&failure.message)));
                continue;
            }
            read => read?,
        };
        let card = Card::of(&tree);
        printed(context.output.print(&describe(context, one, &tree, &card)))?;
        if asks {
            ask(context, one, &tree, &card)?;
        }
    }
    Ok(Exit::Clean)
}

/// Asks until there is an answer; whoever goes away decides nothing.
fn ask(context: &mut Context, one: &Waiting, tree: &Tree, card: &Card) -> Result<(), Failure> {
    loop {
        let answer = prompt::line("[a]ccept, [r]eject or [s]kip?").map_err(failed("read the answer"))?;
        let done = match answer.as_deref().map(str::trim) {
            Some("a" | "accept") => {
                if card.is_blocked() && !agrees_by_name(&one.name)? {
                    continue;
                }
                accept(context, one, tree)
            }
            Some("r" | "reject") => reject(context, one),
            None | Some("s" | "skip") => return Ok(()),
            Some(_) => continue,
        };
        // One that cannot be moved does not keep the others from being looked at.
        return match done {
            Ok((text, _)) => printed(context.output.print(&text)),
            Err(failure) => {
                let hints: String = failure.hints.iter().map(|hint| format!("; {hint}")).collect();
                output::tell(&format!("{}{}\n", harmless(&failure.message), harmless(&hints)));
                Ok(())
            }
        };
    }
}

/// A key that is pressed by habit is no agreement to what an audit would block.
fn agrees_by_name(name: &str) -> Result<bool, Failure> {
    let question = format!("an audit would block it; type `{}` to accept it all the same:", harmless(name));
    let answer = prompt::line(&question).map_err(failed("read the answer"))?;
    Ok(answer.is_some_and(|answer| answer.trim() == name))
}

/// Without a question: every name, or the first that is refused.
fn decide(context: &mut Context, waiting: &[Waiting], args: &ReviewArgs) -> Outcome {
    // All are looked up and looked at before anything moves.
    let mut accepting = Vec::new();
    for name in &args.accept {
        let one = find(waiting, name)?;
        let tree = tree_of(context, one)?;
        let is_blocked = Card::of(&tree).is_blocked();
        if is_blocked && !args.despite_findings {
            return Err(Failure::new(format!("an audit would block `{}`", harmless(name)))
                .hint(format!("`skillful review {}` shows what it found", harmless(name)))
                .hint("accept it all the same with --despite-findings"));
        }
        accepting.push((one, tree));
    }
    let rejecting: Vec<&Waiting> =
        args.reject.iter().map(|name| find(waiting, name)).collect::<Result<_, _>>()?;
    let mut text = String::new();
    let (mut accepted, mut rejected) = (Vec::new(), Vec::new());
    for (one, tree) in accepting {
        let (said, value) = accept(context, one, &tree)?;
        text.push_str(&said);
        accepted.push(value);
    }
    for one in rejecting {
        let (said, value) = reject(context, one)?;
        text.push_str(&said);
        rejected.push(value);
    }
    if context.output.json {
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "accepted": accepted,
            "rejected": rejected,
            "diagnostics": diagnostics_json(&context.diagnostics()),
        })))?;
    } else {
        tell_diagnostics(context, &context.diagnostics());
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}

/// What was done, for a person and for a script.
type Done = (String, Value);

fn accept(context: &mut Context, one: &Waiting, tree: &Tree) -> Result<Done, Failure> {
    match one.kind {
        Kind::Proposed => proposed::accept(context, &one.name, tree),
        kind => held::accept(context, kind, &one.name),
    }
}

fn reject(context: &Context, one: &Waiting) -> Result<Done, Failure> {
    match one.kind {
        Kind::Proposed => proposed::reject(context, &one.name),
        kind => held::reject(context, kind, &one.name),
    }
}

fn tree_of(context: &Context, one: &Waiting) -> Result<Tree, Failure> {
    match one.kind {
        Kind::Proposed => proposed::tree(context, &one.name),
        kind => held::tree(context, kind, &one.name),
    }
}

/// The one of that name; `project:NAME`, `personal:NAME` and `proposed:NAME` tell apart those that share one.
fn find<'a>(waiting: &'a [Waiting], word: &str) -> Result<&'a Waiting, Failure> {
    let is_meant = |one: &&Waiting| {
        one.name == word
            || word.split_once(':').is_some_and(|(kind, name)| kind == one.kind.as_str() && name == one.name)
    };
    let found: Vec<&Waiting> = waiting.iter().filter(is_meant).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Failure::new(format!("no skill `{}` waits", harmless(word)))
            .hint("`skillful review` lists those that do")),
        several => {
            let names: Vec<String> =
                several.iter().map(|one| format!("{}:{}", one.kind.as_str(), one.name)).collect();
            Err(Failure::new(format!("`{}` waits more than once", harmless(word)))
                .hint(format!("say which one: {}", names.join(", "))))
        }
    }
}

fn table(context: &Context, waiting: &[Waiting]) -> String {
    let row = |one: &Waiting| {
        vec![
            Cell::plain(&one.name),
            Cell::styled(one.kind.as_str(), DIM),
            Cell::plain(&one.from),
            Cell::styled(&one.description, DIM),
        ]
    };
    let heads = vec!["SKILL", "FOR", "FROM", "DESCRIPTION"];
    let hint = "\n`skillful review NAME` shows one whole; --accept NAME and --reject NAME decide\n";
    Table { heads, rows: waiting.iter().map(row).collect() }.render(&context.output) + hint
}

/// One skill with all its words, and what it could do.
fn describe(context: &Context, one: &Waiting, tree: &Tree, card: &Card) -> String {
    let output = &context.output;
    let mut out = format!("\n{}\n", output.paint(HEAD, &harmless(&one.name)));
    for (key, value) in &one.facts {
        out.push_str(&line(output, key, &harmless(value)));
    }
    out.push_str(&card::text(card, output));
    for (path, file) in tree.iter() {
        out.push_str(&format!("\n{}\n", output.paint(DIM, &format!("--- {}", harmless(path.as_str())))));
        match std::str::from_utf8(&file.bytes) {
            Ok(text) => out.push_str(&harmless_lines(text)),
            Err(_) => out.push_str(&format!("{} bytes that are no text\n", file.bytes.len())),
        }
    }
    out.push('\n');
    out
}

fn as_json(context: &Context, one: &Waiting, whole: bool) -> Result<Value, Failure> {
    let mut value = json!({ "name": one.name, "for": one.kind.as_str(), "description": one.description });
    if let (Value::Object(value), Value::Object(more)) = (&mut value, &one.json) {
        value.extend(more.clone());
    }
    if whole {
        let tree = tree_of(context, one)?;
        value["card"] = card::json(&Card::of(&tree));
        let file = |(path, file): (&skillful_format::TreePath, &skillful_format::TreeFile)| json!({ "path": path.as_str(), "text": std::str::from_utf8(&file.bytes).ok() });
        value["files"] = tree.iter().map(file).collect();
    }
    Ok(value)
}
