//! `search`: skills by what somebody wants to do.

use super::{
    all_diagnostics, printed,
    source::{self, Answers, Hit},
    tell_catalog, tell_diagnostics,
};
use crate::{
    args::SearchArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, GOOD, Table},
    shape,
};
use serde_json::json;
use skillful_catalog::Catalog;
use skillful_route::{Evidence, FoundSkill, Judged, MIN_SERVED, WordPlace};
use skillful_select::access::{Way, is_open};

/// Words of a request that a line names.
const WORDS_SHOWN: usize = 6;

pub(crate) fn run(context: &mut Context, args: &SearchArgs) -> Outcome {
    let catalog = context.workspace.catalog();
    let query = args.query.join(" ");
    let asker = context.workspace.asker();
    // What a person may call or a model may choose.
    let open = |at| [Way::Slash, Way::Menu].iter().any(|way| is_open(&catalog, at, asker, *way));
    let router = context.workspace.index();
    let within = router.restrict(&open);
    let judged = router.judge(&query, args.top, &Evidence { within: Some(&within), ..Evidence::default() });
    let answers = if args.sources { Some(Answers::ask(context, None, args.refresh)?) } else { None };
    let mut hits = answers.as_ref().map_or_else(Vec::new, |answers| answers.hits(&args.query));
    hits.truncate(args.top);
    let exit = match &answers {
        Some(answers) if answers.exit() != Exit::Clean => answers.exit(),
        _ if judged.found.is_empty() && hits.is_empty() => Exit::Findings,
        _ => Exit::Clean,
    };
    if context.output.json {
        let mut value = json!({
            "schema": shape::SCHEMA,
            "query": query,
            "served": judged.served,
            "skills": judged.found.iter().map(|found| found_json(&catalog, found)).collect::<Vec<_>>(),
            "diagnostics": all_diagnostics(context, &catalog, router.diagnostics()),
        });
        if let Some(answers) = &answers {
            value["offered"] = json!(hits.iter().map(Hit::view).collect::<Vec<_>>());
            value["dead"] = json!(answers.dead_view());
        }
        printed(context.output.print_untyped(&value))?;
        return Ok(exit);
    }
    tell_catalog(context, &catalog);
    tell_diagnostics(context, router.diagnostics());
    let mut out = text(context, &catalog, &judged);
    if answers.is_some() {
        out.push('\n');
        out.push_str(&match hits.as_slice() {
            [] => "no skill of a source has all of these words\n".to_owned(),
            hits => format!("{}{}", source::table(context, hits), source::next(hits)),
        });
    }
    printed(context.output.print(&out))?;
    Ok(exit)
}

fn text(context: &Context, catalog: &Catalog, judged: &Judged) -> String {
    if judged.found.is_empty() {
        return "no skill has a word of that\n".to_owned();
    }
    let rows = judged
        .found
        .iter()
        .map(|found| {
            let entry = &catalog.entries[found.entry];
            vec![
                Cell::plain(entry.address()),
                Cell::styled(
                    percent(found.probability),
                    if found.probability >= MIN_SERVED { GOOD } else { DIM },
                ),
                Cell::styled(words(found), DIM),
                Cell::plain(entry.description().unwrap_or_default()),
            ]
        })
        .collect();
    Table { heads: vec!["SKILL", "LIKELY", "FOUND", "DESCRIPTION"], rows }.render(&context.output)
}

/// A probability as a person reads it.
pub(crate) fn percent(probability: f32) -> String {
    format!("{:.0} %", f64::from(probability) * 100.0)
}

/// The words of the request that a skill has, the rarest first.
pub(crate) fn words(found: &FoundSkill) -> String {
    let words: Vec<&str> = found.why.iter().take(WORDS_SHOWN).map(|reason| reason.word.as_str()).collect();
    words.join(", ")
}

/// One found skill as JSON.
pub(crate) fn found_json(catalog: &Catalog, found: &FoundSkill) -> serde_json::Value {
    let entry = &catalog.entries[found.entry];
    json!({
        "address": entry.address(),
        "path": entry.origin.file,
        "description": entry.description(),
        "probability": found.probability,
        "score": found.score,
        "why": found.why.iter().map(|reason| json!({
            "word": reason.word,
            "place": match reason.place {
                WordPlace::Name => "name",
                WordPlace::Description => "description",
                WordPlace::Trigger => "trigger",
                WordPlace::Heading => "heading",
                WordPlace::Body => "body",
            },
        })).collect::<Vec<_>>(),
    })
}
