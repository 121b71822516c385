//! `catalog`: places with skills, and what they offer.

use super::{
    printed,
    registry::{Desk, refused},
};
use crate::{
    age,
    args::{CatalogArgs, CatalogCommand},
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{Cell, DIM, GOOD, Table, WARN, harmless, tell},
    progress::Bar,
    shape,
};
use serde_json::{Value, json};
use skillful_registry::{
    Hand, Lock, Source,
    catalogs::{
        Browsing, CATALOGS_FILE, CatalogSource, Catalogs, Listing, Offered, State, browse_all, score, state,
    },
    fetch::{Bounds, FetchError, Outside, Web},
    source::Place,
};
use std::{path::PathBuf, time::SystemTime};

pub(crate) fn run(context: &mut Context, args: &CatalogArgs) -> Outcome {
    match args.command.as_ref().unwrap_or(&CatalogCommand::List) {
        CatalogCommand::List => list(context),
        CatalogCommand::Add { label, source, registry } => add(context, label, source, *registry),
        CatalogCommand::Rm { label } => {
            let (catalogs, path) = load(context)?;
            catalogs.remove(&path, label, &Hand::default()).map_err(refused)?;
            told(context, label, false, &format!("removed {}\n", harmless(label)))
        }
        CatalogCommand::Browse { label, refresh } => browse(context, label.as_deref(), *refresh),
    }
}

/// Beside the configuration.
fn path(context: &Context) -> PathBuf {
    context.paths.config.with_file_name(CATALOGS_FILE)
}

fn load(context: &Context) -> Result<(Catalogs, PathBuf), Failure> {
    let path = path(context);
    Ok((Catalogs::load(&path).map_err(refused)?, path))
}

/// The way to everything that is downloaded. A file that cannot be read allows nothing.
pub(crate) fn web(context: &Context) -> Web {
    match Catalogs::load(&path(context)) {
        Ok(catalogs) => catalogs.web(),
        Err(error) => {
            tell(&format!("warning: {}\n", harmless(&error.to_string())));
            Web::default()
        }
    }
}

fn told(context: &Context, label: &str, there: bool, text: &str) -> Outcome {
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "label": label, "there": there });
        printed(context.output.print_json(&value))?;
    } else {
        printed(context.output.print(text))?;
    }
    Ok(Exit::Clean)
}

fn add(context: &Context, label: &str, source: &str, registry: bool) -> Outcome {
    let source: Source = source
        .parse()
        .map_err(|error| Failure::usage(format!("{error}")).hint("see `skillful add --help`"))?;
    let source = absolute(context, source);
    let (catalogs, path) = load(context)?;
    let catalog = CatalogSource { source, enabled: true, registry };
    catalogs.add(&path, label, &catalog, &Hand::default()).map_err(refused)?;
    let text = format!(
        "added {} to {}; `skillful catalog browse {}` shows what it offers\n",
        harmless(label),
        context.short(&path),
        harmless(label)
    );
    told(context, label, true, &text)
}

/// A path is kept whole: it is not asked for from where somebody stood.
fn absolute(context: &Context, mut source: Source) -> Source {
    if let Place::Path(path) = &mut source.place
        && !path.starts_with('~')
    {
        let from = context.environment.cwd.join(path.as_str());
        let real = from.canonicalize().unwrap_or(from);
        if let Some(text) = real.to_str() {
            text.clone_into(path);
        }
    }
    source
}

fn list(context: &Context) -> Outcome {
    let (catalogs, _) = load(context)?;
    if context.output.json {
        let all = catalogs.catalogs.iter().map(|(label, it)| {
            json!({
                "label": label,
                "source": it.source.to_string(),
                "enabled": it.enabled,
                "registry": it.registry,
            })
        });
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "catalogs": all.collect::<Vec<_>>(),
            "hosts": catalogs.hosts,
            "loopback": catalogs.loopback,
        })))?;
        return Ok(Exit::Clean);
    }
    if catalogs.catalogs.is_empty() {
        printed(context.output.print("no catalog yet; `skillful catalog add LABEL SOURCE` adds one\n"))?;
        return Ok(Exit::Clean);
    }
    let row = |(label, it): (&String, &CatalogSource)| {
        let kind = if it.registry { "registry" } else { "catalog" };
        let state = if it.enabled { Cell::plain("on") } else { Cell::styled("off", DIM) };
        vec![Cell::plain(label), Cell::plain(kind), state, Cell::plain(it.source.to_string())]
    };
    let rows = catalogs.catalogs.iter().map(row).collect();
    let table = Table { heads: vec!["LABEL", "KIND", "STATE", "SOURCE"], rows };
    printed(context.output.print(&table.render(&context.output)))?;
    Ok(Exit::Clean)
}

/// What catalogs said: those that answered, and those that did not.
pub(crate) struct Answers {
    /// By label.
    pub listings: Vec<(String, Listing)>,
    /// Label and reason.
    pub dead: Vec<(String, String)>,
    locks: Vec<Lock>,
}

/// A skill of a catalog, and how it stands to what is installed.
pub(crate) struct Hit<'a> {
    pub label: &'a str,
    pub offered: &'a Offered,
    pub state: State,
}

impl Answers {
    /// Asks one catalog, or all that are on.
    pub(crate) fn ask(context: &Context, label: Option<&str>, refresh: bool) -> Result<Self, Failure> {
        let (catalogs, _) = load(context)?;
        let chosen: Vec<(&str, &CatalogSource)> = match label {
            Some(label) => vec![(label, catalogs.get(label).map_err(refused)?)],
            None => {
                let all = catalogs.catalogs.iter().map(|(label, it)| (label.as_str(), it));
                all.filter(|(_, it)| it.enabled).collect()
            }
        };
        if chosen.is_empty() {
            return Err(Failure::new("there is no catalog to ask")
                .hint("`skillful catalog add LABEL SOURCE` adds one"));
        }
        let bar = Bar::new(context);
        let environment = &context.environment;
        let outside = Outside {
            base: environment.cwd.clone(),
            home: environment.home.clone(),
            variables: environment.variables.clone(),
            scratch: context.paths.cache.join("fetch"),
            bounds: Bounds::default(),
            web: Web { progress: bar.progress(), ..catalogs.web() },
        };
        let folder = context.paths.cache.join("catalogs");
        let cache = context.config.settings.cache.is_some().then_some(folder.as_path());
        let browsing = Browsing { outside: &outside, cache, now: SystemTime::now(), refresh };
        let mut answers = Self { listings: Vec::new(), dead: Vec::new(), locks: locks(context)? };
        for (label, answer) in browse_all(&chosen, browsing) {
            answers.take(label, answer);
        }
        drop(bar);
        answers.tell();
        Ok(answers)
    }

    fn take(&mut self, label: &str, answer: Result<Listing, FetchError>) {
        match answer {
            Ok(listing) => {
                if let Some(why) = &listing.stale {
                    self.dead.push((label.to_owned(), format!("{why}; what was known before is shown")));
                }
                self.listings.push((label.to_owned(), listing));
            }
            Err(error) => self.dead.push((label.to_owned(), error.to_string())),
        }
    }

    fn tell(&self) {
        for (label, why) in &self.dead {
            tell(&format!("warning: catalog {}: {}\n", harmless(label), harmless(why)));
        }
        for (label, listing) in &self.listings {
            for note in &listing.notes {
                tell(&format!("note: catalog {}: {}\n", harmless(label), harmless(note)));
            }
        }
    }

    /// The skills that have all these words, the best first; without words all of them in order.
    pub(crate) fn hits(&self, words: &[String]) -> Vec<Hit<'_>> {
        let mut hits = Vec::new();
        for (label, listing) in &self.listings {
            for offered in &listing.skills {
                let score = score(offered, words);
                if words.is_empty() || score > 0 {
                    hits.push((score, Hit { label, offered, state: state(offered, &self.locks) }));
                }
            }
        }
        // Stable: what scores the same stays in order of catalogs and names.
        hits.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        hits.into_iter().map(|(_, hit)| hit).collect()
    }

    /// Whether somebody did not answer.
    pub(crate) fn exit(&self) -> Exit {
        if self.dead.is_empty() { Exit::Clean } else { Exit::Incomplete }
    }

    pub(crate) fn dead_json(&self) -> Value {
        self.dead.iter().map(|(label, why)| json!({ "label": label, "why": why })).collect()
    }
}

/// The locks of the project and of the person.
fn locks(context: &Context) -> Result<Vec<Lock>, Failure> {
    let load = |global| Lock::load(&Desk::site(context, global).lock).map_err(refused);
    Ok(vec![load(false)?, load(true)?])
}

fn browse(context: &Context, label: Option<&str>, refresh: bool) -> Outcome {
    let answers = Answers::ask(context, label, refresh)?;
    let hits = answers.hits(&[]);
    if context.output.json {
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "skills": hits.iter().map(Hit::json).collect::<Vec<_>>(),
            "dead": answers.dead_json(),
        })))?;
        return Ok(answers.exit());
    }
    let mut out = String::new();
    for (label, listing) in &answers.listings {
        let count = listing.skills.len();
        let age =
            listing.age.map_or_else(String::new, |age| format!(", asked {}", age::ago(0, age.as_secs())));
        let skills = if count == 1 { "1 skill".to_owned() } else { format!("{count} skills") };
        out.push_str(&format!("{}: {skills}{age}\n", harmless(label)));
    }
    if !hits.is_empty() {
        out.push('\n');
        out.push_str(&table(context, &hits));
        out.push_str(&next(&hits));
    }
    printed(context.output.print(&out))?;
    Ok(answers.exit())
}

/// Found skills as a table.
pub(crate) fn table(context: &Context, hits: &[Hit<'_>]) -> String {
    let rows = hits.iter().map(|hit| {
        let style = match hit.state {
            State::Installed => GOOD,
            State::Update | State::Held => WARN,
            State::New | State::Elsewhere => DIM,
        };
        vec![
            Cell::plain(&hit.offered.name),
            Cell::plain(hit.label),
            Cell::plain(hit.offered.version.as_deref().unwrap_or("-")),
            Cell::styled(if hit.state == State::New { "-" } else { hit.state.word() }, style),
            Cell::plain(&hit.offered.description),
        ]
    });
    let heads = vec!["SKILL", "CATALOG", "VERSION", "HERE", "DESCRIPTION"];
    Table { heads, rows: rows.collect() }.render(&context.output)
}

/// How one of them is installed.
pub(crate) fn next(hits: &[Hit<'_>]) -> String {
    let hit = hits.iter().find(|hit| hit.state == State::New).or_else(|| hits.first());
    hit.map_or_else(String::new, |hit| format!("next: `skillful add {}`\n", harmless(&hit.offered.source)))
}

impl Hit<'_> {
    pub(crate) fn json(&self) -> Value {
        json!({
            "name": self.offered.name,
            "catalog": self.label,
            "description": self.offered.description,
            "version": self.offered.version,
            "source": self.offered.source,
            "state": match self.state {
                State::New => "new",
                State::Installed => "installed",
                State::Held => "held",
                State::Update => "update",
                State::Elsewhere => "elsewhere",
            },
        })
    }
}
