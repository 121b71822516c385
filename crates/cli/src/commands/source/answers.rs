//! The skills that sources offer, compared with what is installed.

use super::load;
use crate::{
    commands::library::refused,
    context::Context,
    error::Failure,
    output::{Cell, DIM, GOOD, Table, WARN, harmless, tell},
    progress::Bar,
};
use skillful::views::source::{OfferedSkill, OfferedState, UnreachableSource};
use skillful_registry::{
    Lock,
    fetch::{Bounds, FetchError, Outside, Web},
    install::Site,
    sources::{Browsing, Listing, SourceEntry, browse_all, score, state},
};
use std::time::SystemTime;

/// The answers of sources.
pub(crate) struct Answers {
    /// The sources that answered, by label.
    pub listings: Vec<(String, Listing)>,
    /// The sources that did not answer.
    pub unreachable: Vec<UnreachableSource>,
    locks: Vec<Lock>,
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
            return Err(Failure::new("no source is configured").hint("skillful source add LABEL SOURCE"));
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
        let mut answers = Self { listings: Vec::new(), unreachable: Vec::new(), locks: locks(context)? };
        for (label, answer) in browse_all(&chosen, browsing) {
            answers.take(label, answer);
        }
        drop(bar);
        answers.warn();
        Ok(answers)
    }

    fn take(&mut self, label: &str, answer: Result<Listing, FetchError>) {
        let why = match answer {
            Ok(listing) => {
                let why = listing.stale.as_ref().map(|why| format!("{why}; showing the last known list"));
                self.listings.push((label.to_owned(), listing));
                why
            }
            Err(error) => Some(error.to_string()),
        };
        self.unreachable.extend(why.map(|why| UnreachableSource { label: label.to_owned(), why }));
    }

    fn warn(&self) {
        for source in &self.unreachable {
            tell(&format!("warning: source {}: {}\n", harmless(&source.label), harmless(&source.why)));
        }
        for (label, listing) in &self.listings {
            for note in &listing.notes {
                tell(&format!("note: source {}: {}\n", harmless(label), harmless(note)));
            }
        }
    }

    /// The skills that match all these words, best first; without words all of them in order.
    pub(crate) fn skills(&self, words: &[String]) -> Vec<OfferedSkill> {
        let mut found = Vec::new();
        for (label, listing) in &self.listings {
            for offered in &listing.skills {
                let score = score(offered, words);
                if words.is_empty() || score > 0 {
                    found.push((score, OfferedSkill::of(label, offered, state(offered, &self.locks))));
                }
            }
        }
        // A stable sort: skills with the same score stay in the order of sources and names.
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().map(|(_, skill)| skill).collect()
    }
}

/// The locks of the project and of the user.
fn locks(context: &Context) -> Result<Vec<Lock>, Failure> {
    let load = |site: Site| Lock::load(&site.lock).map_err(refused);
    Ok(vec![load(context.workspace.project_site())?, load(context.workspace.user_site())?])
}

/// Offered skills as a table.
pub(crate) fn table(context: &Context, skills: &[OfferedSkill]) -> String {
    let row = |skill: &OfferedSkill| {
        let (state, style) = match skill.state {
            OfferedState::Installed => ("installed", GOOD),
            OfferedState::Update => ("update available", WARN),
            OfferedState::Pending => ("pending review", WARN),
            OfferedState::Elsewhere => ("installed from another source", DIM),
            OfferedState::New => ("-", DIM),
        };
        vec![
            Cell::plain(&skill.name),
            Cell::plain(&skill.source_label),
            Cell::plain(skill.version.as_deref().unwrap_or("-")),
            Cell::styled(state, style),
            Cell::plain(&skill.description),
        ]
    };
    let heads = vec!["SKILL", "SOURCE", "VERSION", "HERE", "DESCRIPTION"];
    Table { heads, rows: skills.iter().map(row).collect() }.render(&context.output)
}

/// The command that installs one of them.
pub(crate) fn next(skills: &[OfferedSkill]) -> String {
    let skill = skills.iter().find(|skill| skill.state == OfferedState::New).or_else(|| skills.first());
    skill.map_or_else(String::new, |skill| format!("next: skillful add {}\n", harmless(&skill.source)))
}
