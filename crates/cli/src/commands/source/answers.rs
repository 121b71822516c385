//! What sources offer, and how it stands to what is installed.

use super::load;
use crate::{
    commands::library::refused,
    context::Context,
    error::{Exit, Failure},
    output::{Cell, DIM, GOOD, Table, WARN, harmless, tell},
    progress::Bar,
};
use serde::Serialize;
use skillful_registry::{
    Lock,
    fetch::{Bounds, FetchError, Outside, Web},
    install::Site,
    sources::{Browsing, Listing, OfferState as State, Offered, SourceEntry, browse_all, score, state},
};
use std::time::SystemTime;

/// What sources offer: those that answered, and those that did not.
pub(crate) struct Answers {
    /// By label.
    pub listings: Vec<(String, Listing)>,
    /// Label and reason.
    pub dead: Vec<(String, String)>,
    locks: Vec<Lock>,
}

/// A skill of a source, and how it stands to what is installed.
pub(crate) struct Hit<'a> {
    pub label: &'a str,
    pub offered: &'a Offered,
    pub state: State,
}

impl Answers {
    /// Asks one source, or all that are enabled.
    pub(crate) fn ask(context: &Context, label: Option<&str>, refresh: bool) -> Result<Self, Failure> {
        let (sources, _) = load(context)?;
        let chosen: Vec<(&str, &SourceEntry)> = match label {
            Some(label) => vec![(label, sources.get(label).map_err(refused)?)],
            None => {
                let all = sources.sources.iter().map(|(label, it)| (label.as_str(), it));
                all.filter(|(_, it)| it.enabled).collect()
            }
        };
        if chosen.is_empty() {
            return Err(
                Failure::new("there is no source to ask").hint("skillful source add LABEL SOURCE adds one")
            );
        }
        let bar = Bar::new(context);
        let environment = context.workspace.environment();
        let outside = Outside {
            base: environment.cwd.clone(),
            home: environment.home.clone(),
            variables: environment.variables.clone(),
            scratch: context.workspace.paths().cache.join("fetch"),
            bounds: Bounds::default(),
            web: Web { progress: bar.progress(), ..sources.web() },
        };
        let folder = context.workspace.paths().cache.join("sources");
        let cache = context.workspace.config().settings.cache.is_some().then_some(folder.as_path());
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
            tell(&format!("warning: source {}: {}\n", harmless(label), harmless(why)));
        }
        for (label, listing) in &self.listings {
            for note in &listing.notes {
                tell(&format!("note: source {}: {}\n", harmless(label), harmless(note)));
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
        // Stable: what scores the same stays in order of sources and names.
        hits.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        hits.into_iter().map(|(_, hit)| hit).collect()
    }

    /// Whether somebody did not answer.
    pub(crate) fn exit(&self) -> Exit {
        if self.dead.is_empty() { Exit::Clean } else { Exit::Incomplete }
    }

    /// The sources that did not answer.
    pub(crate) fn dead_view(&self) -> Vec<DeadView> {
        self.dead.iter().map(|(label, why)| DeadView { label: label.clone(), why: why.clone() }).collect()
    }
}

/// The locks of the project and of the user.
fn locks(context: &Context) -> Result<Vec<Lock>, Failure> {
    let load = |site: Site| Lock::load(&site.lock).map_err(refused);
    Ok(vec![load(context.workspace.project_site())?, load(context.workspace.user_site())?])
}

/// Found skills as a table.
pub(crate) fn table(context: &Context, hits: &[Hit<'_>]) -> String {
    let rows = hits.iter().map(|hit| {
        let style = match hit.state {
            State::Installed => GOOD,
            State::Update | State::Pending => WARN,
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
    let heads = vec!["SKILL", "SOURCE", "VERSION", "HERE", "DESCRIPTION"];
    Table { heads, rows: rows.collect() }.render(&context.output)
}

/// How one of them is installed.
pub(crate) fn next(hits: &[Hit<'_>]) -> String {
    let hit = hits.iter().find(|hit| hit.state == State::New).or_else(|| hits.first());
    hit.map_or_else(String::new, |hit| format!("next: `skillful add {}`\n", harmless(&hit.offered.source)))
}

/// A source that did not answer.
#[derive(Serialize)]
pub(crate) struct DeadView {
    pub label: String,
    pub why: String,
}

/// A skill that a source offers.
#[derive(Serialize)]
pub(crate) struct HitView {
    name: String,
    source_label: String,
    description: String,
    version: Option<String>,
    source: String,
    state: &'static str,
}

impl Hit<'_> {
    pub(crate) fn view(&self) -> HitView {
        HitView {
            name: self.offered.name.clone(),
            source_label: self.label.to_owned(),
            description: self.offered.description.clone(),
            version: self.offered.version.clone(),
            source: self.offered.source.clone(),
            state: match self.state {
                State::New => "new",
                State::Installed => "installed",
                State::Pending => "pending",
                State::Update => "update",
                State::Elsewhere => "elsewhere",
            },
        }
    }
}
