//! `explain`: which skills apply to a message, and every rule that decided.

use super::{all_diagnostics, printed, tell_catalog};
use crate::{
    args::ExplainArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{BAD, Cell, DIM, GOOD, Table, WARN},
    shape,
};
use serde_json::json;
use skillful_catalog::Catalog;
use skillful_select::{
    access::{Asker, Way, admit},
    mention::Meaning,
    selection::{Selection, Why, select},
};

pub(crate) fn run(context: &mut Context, args: &ExplainArgs) -> Outcome {
    context.for_user(args.turn.user.as_deref());
    context.for_agent(args.turn.agent.as_deref())?;
    let catalog = context.workspace.catalog();
    let (turn, _) = context.turn(&args.turn)?;
    let asker = context.workspace.asker();
    let selection = select(&catalog, &turn, asker);
    if context.output.json {
        let mut value = as_json(&catalog, asker, &selection);
        value["diagnostics"] = all_diagnostics(context, &catalog, &[]);
        printed(context.output.print_json(&value))?;
        return Ok(Exit::Clean);
    }
    tell_catalog(context, &catalog);
    let rows = rows(&catalog, asker, &selection, args.short);
    let mut out = if rows.is_empty() {
        "no skill applies by a rule or a mention\n".to_owned()
    } else {
        Table { heads: vec!["SKILL", "OUTCOME", "WHY"], rows }.render(&context.output)
    };
    for missing in &selection.missing {
        let why = join(&missing.reasons);
        let why = if why.is_empty() { "there is no such skill".to_owned() } else { why };
        out.push_str(&format!(
            "{} wants its companion {}, which is unavailable: {why}\n",
            missing.of, missing.name
        ));
    }
    out.push_str(&format!(
        "\n{}\neager={} menu={}\n",
        selection.log_line(&catalog),
        selection.selected.len(),
        selection.menu.len()
    ));
    printed(context.output.print(&out))?;
    Ok(Exit::Clean)
}

pub(crate) fn join<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn rows(catalog: &Catalog, asker: Asker<'_>, selection: &Selection, short: bool) -> Vec<Vec<Cell>> {
    let name = |entry: usize| Cell::plain(catalog.entries[entry].address());
    let mut rows = Vec::new();
    for chosen in &selection.selected {
        rows.push(vec![name(chosen.entry()), Cell::styled("chosen", GOOD), Cell::plain(join(&chosen.why))]);
    }
    for resolved in &selection.mentions {
        if let Some((outcome, why)) = unmet(&resolved.meaning) {
            rows.push(vec![
                Cell::plain(&resolved.mention.name),
                Cell::styled(outcome, WARN),
                Cell::plain(why),
            ]);
        }
    }
    for refused in &selection.refused {
        let why = format!("{} ({})", join(&refused.verdict.reasons), join(&refused.why));
        rows.push(vec![name(refused.entry), Cell::styled("refused", BAD), Cell::plain(why)]);
    }
    for (whom, by) in &selection.excluded {
        let why = format!("{} excludes it", catalog.entries[*by].address());
        rows.push(vec![name(*whom), Cell::styled("excluded", WARN), Cell::plain(why)]);
    }
    if !short {
        for at in &selection.menu {
            rows.push(vec![
                name(*at),
                Cell::styled("on the menu", DIM),
                Cell::styled("a model may choose it", DIM),
            ]);
        }
        for at in (0..catalog.entries.len()).filter(|at| !is_placed(selection, *at)) {
            rows.push(vec![
                name(at),
                Cell::styled("left out", DIM),
                Cell::styled(left_out(catalog, asker, at), DIM),
            ]);
        }
    }
    rows
}

/// Why a mention brings no skill, in a word and in words.
pub(crate) fn unmet(meaning: &Meaning) -> Option<(&'static str, String)> {
    Some(match meaning {
        Meaning::Skill(_) => return None,
        Meaning::Ambiguous(names) => ("ambiguous", format!("it could be {}", names.join(" or "))),
        Meaning::Connector => ("a connector", "a connector of this name is meant".to_owned()),
        Meaning::Unknown(near) if near.is_empty() => ("unknown", "nothing here has this name".to_owned()),
        Meaning::Unknown(near) => ("unknown", format!("did you mean {}?", near.join(" or "))),
    })
}

fn is_placed(selection: &Selection, at: usize) -> bool {
    selection.selected.iter().any(|chosen| chosen.entry() == at)
        || selection.menu.contains(&at)
        || selection.refused.iter().any(|refused| refused.entry == at)
        || selection.excluded.iter().any(|(whom, _)| *whom == at)
}

fn left_out(catalog: &Catalog, asker: Asker<'_>, at: usize) -> String {
    match admit(catalog, at, asker, Way::Menu) {
        Err(verdict) => join(&verdict.reasons),
        Ok(_) => "a selected skill excludes it, or its resources are not here".to_owned(),
    }
}

/// A selection as JSON.
pub(crate) fn as_json(catalog: &Catalog, asker: Asker<'_>, selection: &Selection) -> serde_json::Value {
    let address = |entry: usize| catalog.entries[entry].address();
    let why = |why: &[Why]| json!(why);
    json!({
        "schema": shape::SCHEMA,
        "eager": selection.selected.iter().map(|chosen| json!({
            "address": address(chosen.entry()),
            "path": catalog.entries[chosen.entry()].origin.file,
            "why": why(&chosen.why),
        })).collect::<Vec<_>>(),
        "menu": selection.menu.iter().map(|at| address(*at)).collect::<Vec<_>>(),
        "refused": selection.refused.iter().map(|refused| json!({
            "address": address(refused.entry),
            "why": why(&refused.why),
            "status": refused.verdict.status,
            "reasons": refused.verdict.reasons.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "excluded": selection.excluded.iter().map(|(whom, by)| json!({
            "address": address(*whom),
            "by": address(*by),
        })).collect::<Vec<_>>(),
        "missing_companions": selection.missing.iter().map(|missing| json!({
            "of": missing.of,
            "name": missing.name,
            "reasons": missing.reasons.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "mentions": selection.mentions.iter().map(|resolved| json!({
            "form": resolved.mention.form,
            "name": resolved.mention.name,
            "start": resolved.mention.range.start,
            "end": resolved.mention.range.end,
            "means": match &resolved.meaning {
                Meaning::Skill(at) => json!(address(*at)),
                _ => serde_json::Value::Null,
            },
        })).collect::<Vec<_>>(),
        "leave_out": selection.leave_out,
        "left_out": catalog.entries.iter().enumerate()
            .filter(|(at, _)| !is_placed(selection, *at))
            .map(|(at, entry)| json!({ "address": entry.address(), "reason": left_out(catalog, asker, at) }))
            .collect::<Vec<_>>(),
        "log": selection.log_line(catalog),
    })
}
