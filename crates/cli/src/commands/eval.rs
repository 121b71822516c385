//! `eval`: how well requests find their skills.

mod model;

use super::{printed, tell_diagnostics};
use crate::{
    args::EvalArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{Cell, DIM, Table, tell},
};
use skillful::views::{
    DiagnosticView,
    eval::{ConfusedView, EvalReport, FiguresView, MistakeView, SelectorView, TakenView},
};
use skillful_catalog::bounded;
use skillful_format::{Code, Diagnostic, Document, Sidecars};
use skillful_route::{
    Evidence, MIN_SERVED,
    ranking::{
        Index, Skill,
        evalset::{self, Case},
        metrics::{self, CaseResult},
        selections::selections,
    },
};
use skillful_select::access::{Way, is_open};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    time::Instant,
};

/// Answers that are looked at for a request.
const ANSWERS: usize = 10;
/// A file of requests larger than this is refused.
const FILE_LIMIT: u64 = 256 << 20;
/// Levels of folders that are searched for files of requests.
const DEPTH: usize = 8;

pub(crate) fn run(context: &mut Context, args: &EvalArgs) -> Outcome {
    let (cases, faults) = read(context, args)?;
    if cases.is_empty() {
        tell_diagnostics(context, &faults);
        return Err(Failure::new("these files contain no judged request").hint(
            "write JSON lines such as {\"query\": \"…\", \"relevant\": [\"name\"]}, or a list of {\"query\", \"should_trigger\"}",
        ));
    }
    let pool = match &args.skills {
        Some(folder) => Pool::of_folder(&context.workspace.environment().cwd.join(folder))?,
        None => Pool::of_catalog(context),
    };
    let asked = cases.len();
    let cases: Vec<Case> = cases.into_iter().filter_map(|case| pool.judgeable(case)).collect();
    let answers: Vec<CaseResult> = cases.iter().map(|case| pool.answer(case)).collect();
    let figures = metrics::report(&cases, &answers);
    let counts = [pool.names.len(), asked, cases.len()];
    let mut report = EvalReport::new(counts, pool.took, &figures, DiagnosticView::all(&faults));
    report.mistakes = MistakeView::all(&cases, &answers);
    if let Some(model) = &args.model {
        let first = |answer: &CaseResult| {
            answer.ranked.iter().filter(|_| answer.let_through).take(1).cloned().collect()
        };
        let routed: Vec<Vec<String>> = answers.iter().map(first).collect();
        report.selectors.push(SelectorView::new("router", &selections(&cases, &routed)));
        report.selectors.push(model::asked(context, model.as_deref(), &cases)?);
    }
    if context.output.json {
        printed(context.output.print_json(&report))?;
    } else {
        tell_diagnostics(context, &faults);
        printed(context.output.print(&text(context, &report, args.confused)))?;
    }
    let failed = args.strict && !report.mistakes.is_empty();
    Ok(if faults.is_empty() && !failed { Exit::Clean } else { Exit::Findings })
}

/// Reads every file of requests that the paths mean.
fn read(context: &Context, args: &EvalArgs) -> Result<(Vec<Case>, Vec<Diagnostic>), Failure> {
    let (mut cases, mut faults) = (Vec::new(), Vec::new());
    for path in &args.paths {
        let path = context.workspace.environment().cwd.join(path);
        let mut files = Vec::new();
        if path.is_dir() {
            eval_files(&path, 0, &mut files, &mut faults);
        } else {
            files.push(path);
        }
        for file in files {
            let text = bounded::read_text(&file, FILE_LIMIT, bounded::around(&file).as_ref())
                .map_err(|error| Failure::new(format!("`{}` was not read: {error}", file.display())))?;
            let skill = args.skill.clone().or_else(|| skill_around(&file)).unwrap_or_default();
            let (found, wrong) = evalset::read(&text, &skill);
            cases.extend(found);
            faults.extend(wrong.into_iter().map(|fault| {
                let message = format!("request {}: {}", fault.at, fault.message);
                Diagnostic::new(Code::EvalInvalid, message).in_path(&file)
            }));
        }
    }
    Ok((cases, faults))
}

/// Files that hold evals: JSON in a folder `evals`, and files with `evals` in their name.
fn eval_files(folder: &Path, depth: usize, files: &mut Vec<PathBuf>, faults: &mut Vec<Diagnostic>) {
    let mut unread = |why: String| faults.push(Diagnostic::new(Code::EvalInvalid, why).in_path(folder));
    let entries = match std::fs::read_dir(folder) {
        Ok(_) if depth > DEPTH => {
            return unread(format!("a folder more than {DEPTH} levels down is not searched for requests"));
        }
        Ok(entries) => entries,
        Err(error) => return unread(format!("the folder cannot be read: {error}")),
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    let in_evals = folder.file_name().is_some_and(|name| name == "evals");
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
        if path.is_dir() && !path.is_symlink() && !name.starts_with('.') {
            eval_files(&path, depth + 1, files, faults);
        } else if path.extension().is_some_and(|ending| ending == "json" || ending == "jsonl")
            && (in_evals || name.contains("eval") || name.contains("trigger"))
        {
            files.push(path);
        }
    }
}

/// The skill in whose folder a file lies.
fn skill_around(file: &Path) -> Option<String> {
    let folder = file.ancestors().skip(1).take(3).find(|folder| folder.join("SKILL.md").is_file())?;
    folder.file_name()?.to_str().map(str::to_owned)
}

/// The best skills for a request, and how likely it is that one serves.
type Search = dyn Fn(&str) -> (Vec<usize>, f32);

/// What requests are judged over.
struct Pool {
    search: Box<Search>,
    /// A name of each skill.
    names: Vec<String>,
    /// Skills by every name they may be meant by.
    known: HashMap<String, Vec<usize>>,
    /// How long the index took.
    took: std::time::Duration,
}

impl Pool {
    /// The skills that a model may choose here.
    fn of_catalog(context: &mut Context) -> Self {
        let catalog = context.workspace.catalog();
        let start = Instant::now();
        let router = context.workspace.index();
        let took = start.elapsed();
        let asker = context.workspace.asker();
        let open: Vec<usize> = (0..catalog.entries.len())
            .filter(|at| router.has(*at) && is_open(&catalog, *at, asker, Way::Menu))
            .collect();
        let within = router.restrict(&|at| open.binary_search(&at).is_ok());
        let names: Vec<String> = open.iter().map(|at| catalog.entries[*at].address()).collect();
        let places = open.iter().map(|at| catalog.entries[*at].folder().to_path_buf()).collect();
        let known = known(&names, places);
        let search = move |query: &str| {
            let judged =
                router.judge(query, ANSWERS, &Evidence { within: Some(&within), ..Evidence::default() });
            let at = judged.found.iter().filter_map(|found| open.binary_search(&found.entry).ok());
            (at.collect(), judged.served)
        };
        Self { search: Box::new(search), names, known, took }
    }

    /// Every skill below a folder, whatever its name.
    fn of_folder(folder: &Path) -> Result<Self, Failure> {
        let start = Instant::now();
        let files = skillful_catalog::inspect::skill_files(folder);
        if files.is_empty() {
            return Err(Failure::usage(format!("no skill below `{}`", folder.display())));
        }
        let skills = if files.len() == 1 { "1 skill".to_owned() } else { format!("{} skills", files.len()) };
        tell(&format!("reading {skills} …\n"));
        let mut names = Vec::with_capacity(files.len());
        let mut documents = Vec::with_capacity(files.len());
        for file in &files {
            let place = file.parent().unwrap_or(file);
            names.push(place.strip_prefix(folder).unwrap_or(place).display().to_string());
            let bytes = bounded::read(file, skillful_format::source::FILE_LIMIT, None)
                .map_err(|error| Failure::new(format!("`{}` was not read: {error}", file.display())))?;
            let document = Document::read(&bytes, &Sidecars::default());
            let body = String::from_utf8_lossy(bytes.get(document.body.clone()).unwrap_or_default());
            documents.push((document.manifest, body.into_owned()));
        }
        let skills: Vec<Skill<'_>> = names
            .iter()
            .zip(&documents)
            .map(|(id, (manifest, body))| Skill {
                id,
                name: manifest.name.as_deref().unwrap_or_else(|| id.rsplit('/').next().unwrap_or(id)),
                description: manifest.description.as_deref().unwrap_or_default(),
                when_to_use: manifest.when_to_use.as_deref().unwrap_or_default(),
                triggers: &manifest.triggers,
                body,
            })
            .collect();
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let index = Index::build(&skills, threads);
        let took = start.elapsed();
        let places = files.iter().filter_map(|file| Some(file.parent()?.to_path_buf())).collect();
        let known = known(&names, places);
        let by_id: HashMap<String, usize> = names.iter().cloned().zip(0..).collect();
        let search = move |query: &str| {
            let judged = index.search_with(query, ANSWERS, &skillful_route::ranking::Extra::default());
            let judged = judged.unwrap_or_default();
            let at = judged.hits.iter().filter_map(|hit| by_id.get(&hit.id).copied());
            (at.collect(), judged.served)
        };
        Ok(Self { search: Box::new(search), names, known, took })
    }

    /// A request with the names of this pool. One whose skills are not here cannot be judged.
    fn judgeable(&self, case: Case) -> Option<Case> {
        let here = |ids: &[String]| -> Vec<String> {
            let places = ids.iter().filter_map(|id| self.known.get(id)).flatten();
            places.map(|at| self.names[*at].clone()).collect()
        };
        let (relevant, refused) = (here(&case.relevant), here(&case.refused));
        let lost = (!case.relevant.is_empty() && relevant.is_empty())
            || (!case.refused.is_empty() && refused.is_empty());
        (!lost).then(|| Case { relevant, refused, accept: here(&case.accept), ..case })
    }

    fn answer(&self, case: &Case) -> CaseResult {
        let start = Instant::now();
        let (ranked, served) = (self.search)(&case.query);
        let took = start.elapsed();
        let ranked = ranked.into_iter().map(|at| self.names[at].clone()).collect();
        CaseResult { ranked, let_through: served >= MIN_SERVED, took }
    }
}

/// A skill is meant by its name, by its folder's name, or by the end of its path.
fn known(names: &[String], places: Vec<PathBuf>) -> HashMap<String, Vec<usize>> {
    let mut known: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, (name, place)) in names.iter().zip(places).enumerate() {
        let mut all = vec![name.clone()];
        let place = place.display().to_string();
        all.extend(place.match_indices('/').map(|(slash, _)| place[slash + 1..].to_owned()));
        all.sort();
        all.dedup();
        for word in all {
            known.entry(word).or_default().push(at);
        }
    }
    // A whole name means that skill alone, whatever paths end in it.
    for (at, name) in names.iter().enumerate() {
        known.insert(name.clone(), vec![at]);
    }
    known
}

fn text(context: &Context, report: &EvalReport, confused: usize) -> String {
    let left = match report.left_out {
        0 => String::new(),
        1 => " (1 more is about a skill that is not here)".to_owned(),
        number => format!(" ({number} more are about skills that are not here)"),
    };
    let counted = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let mut out =
        format!("{} over {}{left}\n\n", counted(report.requests, "request"), counted(report.skills, "skill"));
    let row = |name: &str, of: FiguresView| {
        let share = |value: f64| Cell::plain(format!("{:.1}", value * 100.0));
        let mut row = vec![Cell::plain(name), Cell::plain(of.requests.to_string())];
        row.extend([of.hit_1, of.hit_5, of.mrr_10, of.ndcg_10, of.kept].map(share));
        row
    };
    if !report.sources.is_empty() {
        let mut rows: Vec<Vec<Cell>> =
            report.sources.iter().map(|(name, figures)| row(name, *figures)).collect();
        if let Some(mean) = report.mean.filter(|_| rows.len() > 1) {
            rows.push(row("mean of these", mean));
        }
        let heads = vec!["SOURCE", "REQUESTS", "HIT@1", "HIT@5", "MRR@10", "NDCG@10", "KEPT"];
        out.push_str(&Table { heads, rows }.render(&context.output));
        out.push('\n');
    }
    for (source, none) in &report.no_skill {
        out.push_str(&format!(
            "{source}: {:.1} % of {} that no skill serves {} let through\n",
            none.let_through * 100.0,
            counted(none.requests, "request"),
            if none.requests == 1 { "is" } else { "are" },
        ));
    }
    if let Some(near) = report.near_misses {
        out.push_str(&format!(
            "near misses: of {}, the skill that must not be selected is first in {:.1} %, among five in {:.1} %\n",
            near.requests,
            near.first * 100.0,
            near.among_five * 100.0
        ));
    }
    out.push_str(&pairs(context, "FOUND INSTEAD", &report.confused, confused));
    out.push_str(&mistakes(context, report, confused));
    out.push_str(&selectors(context, report, confused));
    let times = report.milliseconds;
    out.push_str(&format!(
        "\nmedian {:.3} ms a request, 99th percentile {:.3} ms; index ready after {:.0} ms\n",
        times.median, times.p99, times.index
    ));
    out
}

/// Requests for which the router did not select what the author of the request wants.
fn mistakes(context: &Context, report: &EvalReport, most: usize) -> String {
    let all = &report.mistakes;
    let right = report.requests - all.len();
    let mut out = format!("\nThe router is right about {right} of {} requests.\n", report.requests);
    if all.is_empty() || most == 0 {
        return out;
    }
    let rows = all.iter().take(most).map(|one| {
        let selected = match &one.best {
            Some(best) if one.selected => best.clone(),
            Some(best) => format!("none (best: {best})"),
            None => "none".to_owned(),
        };
        let wanted = one.wanted.as_deref().unwrap_or("not this one");
        vec![Cell::plain(wanted), Cell::plain(selected), Cell::styled(&one.query, DIM)]
    });
    out.push_str(
        &Table { heads: vec!["WANTED", "SELECTED", "REQUEST"], rows: rows.collect() }.render(&context.output),
    );
    if all.len() > most {
        out.push_str(&format!("… {} more: --confused {}\n", all.len() - most, all.len()));
    }
    out
}

/// Skills that were taken for others.
fn pairs(context: &Context, head: &'static str, all: &[ConfusedView], most: usize) -> String {
    if all.is_empty() || most == 0 {
        return String::new();
    }
    let rows = all.iter().take(most).map(|one| {
        vec![Cell::plain(one.times.to_string()), Cell::plain(&one.wanted), Cell::styled(&one.found, DIM)]
    });
    let heads = vec!["TIMES", "WANTED", head];
    format!("\n{}", Table { heads, rows: rows.collect() }.render(&context.output))
}

/// The router and the model side by side.
fn selectors(context: &Context, report: &EvalReport, most: usize) -> String {
    let Some(model) = report.selectors.last() else { return String::new() };
    let share =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{:.1}", value * 100.0));
    let taken = |of: TakenView| match of.requests {
        0 => "-".to_owned(),
        all => format!("{} of {all}", of.taken),
    };
    let row = |one: &SelectorView| {
        let tokens =
            one.usage.map_or_else(|| "-".to_owned(), |usage| (usage.input + usage.output).to_string());
        let cost = one.cost.map_or_else(|| "-".to_owned(), |cost| format!("{cost:.4}"));
        let cells = [
            share(one.precision),
            share(one.recall),
            taken(one.near_misses),
            taken(one.no_skill),
            tokens,
            cost,
        ];
        std::iter::once(Cell::plain(&one.by)).chain(cells.into_iter().map(Cell::plain)).collect()
    };
    let heads = vec!["SELECTED BY", "PRECISION", "RECALL", "NEAR MISSES", "NO SKILL", "TOKENS", "COST"];
    let rows = report.selectors.iter().map(row).collect();
    let mut out = format!("\n{}", Table { heads, rows }.render(&context.output));
    if model.unanswered > 0 {
        out.push_str(&format!(
            "the model did not answer {} of {} requests\n",
            model.unanswered, report.requests
        ));
    }
    out + &pairs(context, "THE MODEL LOADS", &model.confused, most)
}
