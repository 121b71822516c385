//! Decides which skill, if any, a message calls for.
//!
//! Deciding is off by default. The words of the message are ranked first. Where they are configured,
//! embedding vectors add one more feature, and a model chooses among the ten best skills when the words are
//! not conclusive. When a stage fails, the decision is either no skill or the skill that the words alone make
//! likely enough; a failure never selects an arbitrary skill.

mod cache;
mod decision;
mod passage;
mod prompt;
mod settings;
mod verdict;

pub use decision::{Decision, Note, Route, Stage, Tier};
pub use settings::{ClassifierSettings, EmbeddingSettings, Settings};

use crate::ranking::{
    CANDIDATES, Restriction, SIMILAR_LIMIT,
    fragments::{self, Message},
};
use crate::{
    embed::Embeddings,
    router::Router,
    search_result::{Evidence, Judged},
};
use cache::Cache;
use skillful_catalog::Catalog;
use skillful_llm::{Error, Reply, Request};
use std::{
    collections::{HashMap, HashSet},
    path::Path,
    time::{Duration, Instant, SystemTime},
};
use verdict::Verdict;

/// A chat model that the decider uses as a classifier.
pub trait Chat: Send + Sync {
    /// Identifies the model; part of the key of cached verdicts.
    fn id(&self) -> String;

    /// Returns the model's reply, or an error after `timeout`.
    fn complete(&self, request: &Request, timeout: Duration) -> Result<Reply, Error>;
}

/// A message to decide about.
#[derive(Clone, Copy, Debug)]
pub struct DecisionRequest<'a> {
    /// The message to decide about.
    pub message: Message<'a>,
    /// Earlier messages, oldest first.
    pub history: &'a [Message<'a>],
    /// The skills that the user may use now, from [`Router::restrict`].
    pub allowed: &'a Restriction,
    /// The current time; cached verdicts expire by it.
    pub now: SystemTime,
}

/// Decides which skill a message calls for. Can be shared between threads.
pub struct Decider {
    settings: Settings,
    classifier: Option<Box<dyn Chat>>,
    embeddings: Option<Embeddings>,
    cache: Cache,
}

impl Decider {
    /// Makes a decider that uses words alone. Verdicts of a classifier are cached in the folder `cache`.
    pub fn new(settings: Settings, cache: Option<&Path>) -> Self {
        let cache = Cache::open(cache, settings.cache_minutes);
        Self { settings, classifier: None, embeddings: None, cache }
    }

    /// Adds a model that chooses a skill when the words are not conclusive.
    #[must_use]
    pub fn with_classifier(mut self, model: Box<dyn Chat>) -> Self {
        self.classifier = Some(model);
        self
    }

    /// Adds embedding vectors.
    #[must_use]
    pub fn with_embeddings(mut self, embeddings: Embeddings) -> Self {
        self.embeddings = Some(embeddings);
        self
    }

    /// The embeddings; callers use them to compute missing vectors in the background.
    pub fn embeddings(&self) -> Option<&Embeddings> {
        self.embeddings.as_ref()
    }

    /// Decides about one message.
    pub fn decide(&self, router: &Router, catalog: &Catalog, asked: &DecisionRequest<'_>) -> Decision {
        let mut run =
            DecisionRun { decider: self, router, catalog, asked, start: Instant::now(), notes: Vec::new() };
        let mut decision = run.decide();
        decision.notes = run.notes;
        decision.took = run.start.elapsed();
        decision
    }
}

/// One decision in progress.
struct DecisionRun<'a> {
    decider: &'a Decider,
    router: &'a Router,
    catalog: &'a Catalog,
    asked: &'a DecisionRequest<'a>,
    start: Instant,
    notes: Vec<Note>,
}

impl DecisionRun<'_> {
    fn decide(&mut self) -> Decision {
        let settings = &self.decider.settings;
        if !settings.enabled {
            return Decision::none(Stage::Off);
        }
        let joined = fragments::join(self.asked.message, self.asked.history);
        if joined.parts > 1 {
            self.notes.push(Note::Joined { messages: joined.parts });
        }
        let text = joined.text;
        let (judged, stage, similarity) = self.judge(&text);
        let Some(best) = judged.found.first() else { return Decision::none(stage) };
        if judged.served >= settings.min_served && best.probability >= settings.skip_threshold {
            return self.by_words(&judged, stage);
        }
        let classifier = &settings.classifier;
        let is_small = self.asked.allowed.len() <= classifier.few;
        let ask_from =
            if is_small { classifier.ask_from.min(classifier.ask_from_few) } else { classifier.ask_from };
        let is_open = judged.served >= ask_from || similarity >= settings.embeddings.ask_from;
        match &self.decider.classifier {
            Some(model) if is_open => self.classify(model.as_ref(), &text, &judged, stage),
            _ => self.by_words(&judged, stage),
        }
    }

    /// Ranks by words, and by vectors where there are any. Also returns the similarity of the best skill.
    fn judge(&mut self, text: &str) -> (Judged, Stage, f32) {
        let settings = &self.decider.settings;
        let within = Evidence { within: Some(self.asked.allowed), ..Evidence::default() };
        let words = self.router.judge(text, CANDIDATES, &within);
        let embeddings = self.decider.embeddings.as_ref().filter(|_| !text.trim().is_empty());
        let Some(embeddings) = embeddings else { return (words, Stage::Words, 0.0) };
        let left = embeddings.left(self.router);
        if left > 0 {
            self.notes.push(Note::NotEmbedded { skills: left });
        }
        let timeout = settings.embeddings.timeout.min(self.left());
        let similar = match embeddings.similarities(self.router, text, timeout) {
            Ok(similar) if similar.is_empty() => return (words, Stage::Words, 0.0),
            Ok(similar) => similar,
            Err(error) => {
                self.notes.push(Note::EmbeddingsFailed { why: error.message });
                return (words, Stage::Words, 0.0);
            }
        };
        let spread = spread(&words, &similar, settings.embeddings.candidates);
        let evidence = Evidence { similar: &spread, weight: settings.embeddings.weight, ..within };
        let judged = self.router.judge(text, CANDIDATES, &evidence);
        let best = judged.found.first().and_then(|found| similar.get(&found.entry));
        let best = best.copied().unwrap_or(0.0);
        (judged, Stage::Embeddings, best)
    }

    fn left(&self) -> Duration {
        self.decider.settings.timeout.saturating_sub(self.start.elapsed())
    }

    /// Decides from the probabilities alone.
    fn by_words(&self, judged: &Judged, stage: Stage) -> Decision {
        let settings = &self.decider.settings;
        let Some(best) = judged.found.first().filter(|_| judged.served >= settings.min_served) else {
            return Decision::none(stage);
        };
        let is_sure = best.probability >= settings.skip_threshold;
        let suggested = judged.found.iter().take(if is_sure { 1 } else { settings.top_k.max(1) });
        Decision {
            route: if is_sure { Route::Activate } else { Route::Suggest },
            skill: Some(best.entry),
            suggested: suggested.map(|found| found.entry).collect(),
            confidence: best.probability,
            tier: self.tier(best.entry, None),
            ..Decision::none(stage)
        }
    }

    /// Lets the classifier choose among the best candidates.
    fn classify(&mut self, model: &dyn Chat, text: &str, judged: &Judged, stage: Stage) -> Decision {
        let settings = &self.decider.settings.classifier;
        let candidates = judged.found.get(..settings.candidates.min(judged.found.len())).unwrap_or_default();
        let request =
            prompt::request(self.catalog, candidates, text, self.asked.history, settings.max_tokens);
        let key = cache::key(&request, self.router.fingerprint(), &model.id());
        let names: Vec<(String, usize)> = candidates
            .iter()
            .filter_map(|found| Some((self.catalog.entries.get(found.entry)?.address(), found.entry)))
            .collect();
        let cached = self.decider.cache.get(&key, self.asked.now);
        if let Some(found) = cached.as_ref().and_then(|verdict| self.chosen(verdict, &names)) {
            self.notes.push(Note::Cached);
            return found;
        }
        let answer = model.complete(&request, settings.timeout.min(self.left()));
        let verdict = match answer.map(|reply| verdict::read(&reply.text())) {
            Ok(Some(verdict)) => verdict,
            failed => {
                let why = failed.err().map_or_else(
                    || "its answer is not the JSON object that the prompt asks for".to_owned(),
                    |error| error.to_string(),
                );
                self.notes.push(Note::ClassifierFailed { why });
                return self.fall_back(judged, stage);
            }
        };
        match self.chosen(&verdict, &names) {
            Some(decision) => {
                self.decider.cache.put(key, &verdict, self.asked.now);
                decision
            }
            None => {
                self.notes.push(Note::UnknownName { name: verdict.skill.unwrap_or_default() });
                Decision::none(Stage::Classifier)
            }
        }
    }

    /// Decides from the words alone after the classifier failed.
    fn fall_back(&mut self, judged: &Judged, stage: Stage) -> Decision {
        let decision = self.by_words(judged, stage);
        if decision.skill.is_some() {
            self.notes.push(Note::Fallback);
        }
        decision
    }

    /// Turns a verdict into a decision; `None` when the verdict names a skill that is not a candidate.
    fn chosen(&self, verdict: &Verdict, names: &[(String, usize)]) -> Option<Decision> {
        let Some(name) = &verdict.skill else { return Some(Decision::none(Stage::Classifier)) };
        let exact = names.iter().find(|(candidate, _)| candidate == name);
        let mut alike = names.iter().filter(|(candidate, _)| candidate.to_lowercase() == name.to_lowercase());
        let (first, second) = (alike.next(), alike.next());
        let (_, entry) = exact.or(first.filter(|_| second.is_none()))?;
        let is_sure = verdict.confidence >= self.decider.settings.classifier.activate_from;
        Some(Decision {
            route: if is_sure { Route::Activate } else { Route::Suggest },
            skill: Some(*entry),
            suggested: vec![*entry],
            confidence: verdict.confidence,
            tier: self.tier(*entry, Some(verdict.tier)),
            ..Decision::none(Stage::Classifier)
        })
    }

    /// The skill's own `model_tier` takes precedence over the tier that the classifier proposes.
    fn tier(&self, entry: usize, judged: Option<Tier>) -> Tier {
        let own =
            self.catalog.entries.get(entry).and_then(|entry| entry.loaded.manifest.model_tier.as_deref());
        own.and_then(Tier::read).or(judged).unwrap_or_default()
    }
}

/// Selects the similarities that the re-ranker gets: the most similar skills, and all skills that the words
/// found. A skill of the second group without a vector gets the group's average, so that a missing vector
/// neither helps nor hurts it.
fn spread(words: &Judged, similar: &HashMap<usize, f32>, most: usize) -> Vec<(usize, f32)> {
    let mut best: Vec<(usize, f32)> =
        similar.iter().map(|(entry, similarity)| (*entry, *similarity)).collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    best.truncate(most);
    let known: HashSet<usize> = best.iter().map(|(entry, _)| *entry).collect();
    let found = || words.found.iter().map(|found| found.entry);
    let (sum, count) = found()
        .filter_map(|entry| similar.get(&entry))
        .fold((0.0_f32, 0.0_f32), |(sum, count), similarity| (sum + similarity, count + 1.0));
    let average = if count > 0.0 { sum / count } else { 0.0 };
    let rest = found().filter(|entry| !known.contains(entry));
    best.extend(rest.map(|entry| (entry, similar.get(&entry).copied().unwrap_or(average))));
    best.truncate(SIMILAR_LIMIT);
    best
}
