//! Decisions by words, and properties of every decision.

use crate::fixture::TestWorkspace;
use crate::sample::SKILLS;
use skillful_catalog::Catalog;
use skillful_llm::{Client, Provider, SecretString, Wire};
use skillful_route::{
    Author, Decider, Decision, DecisionRequest, Evidence, Message, Note, RemoteChat, Route, Router, Settings,
    Stage, Tier,
};
use skillful_testkit::ModelServer;
use std::time::{Duration, SystemTime};

pub(crate) const KEY: &str = "sk-very-secret-0123456789";
/// A request whose words clearly identify one skill.
pub(crate) const CLEAR: &str = "Please deploy my services to the kubernetes cluster with kubectl manifests";
/// A request whose words no skill contains.
pub(crate) const STRANGE: &str = "zzyzx qwrtp";

pub(crate) fn says(text: &str) -> Message<'_> {
    Message { author: Author::User, text, at: None }
}

/// A workspace with a router and the settings of a decider.
pub(crate) struct Bench {
    pub(crate) workspace: TestWorkspace,
    pub(crate) catalog: Catalog,
    pub(crate) router: Router,
    pub(crate) settings: Settings,
    pub(crate) now: SystemTime,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::over(TestWorkspace::new())
    }

    pub(crate) fn over(workspace: TestWorkspace) -> Self {
        let (catalog, router, _) = workspace.open();
        let settings = Settings { enabled: true, ..Settings::default() };
        Self { workspace, catalog, router, settings, now: SystemTime::now() }
    }

    /// Sets the thresholds so that the words of the clear request suffice for a suggestion but not for
    /// activation.
    pub(crate) fn unsure() -> Self {
        let mut bench = Self::new();
        let (served, best) = bench.probabilities(CLEAR);
        assert!(served > 0.1 && best > 0.1, "{served} {best}");
        bench.settings.min_served = served - 0.05;
        bench.settings.classifier.ask_from = served - 0.06;
        bench.settings.skip_threshold = best + 0.001;
        bench
    }

    /// Like [`Bench::unsure`], but the words alone do not even suffice for a suggestion.
    pub(crate) fn doubtful() -> Self {
        let mut bench = Self::unsure();
        bench.settings.min_served = 1.1;
        bench
    }

    pub(crate) fn probabilities(&self, text: &str) -> (f32, f32) {
        let judged = self.router.judge(text, 1, &Evidence::default());
        (judged.served, judged.found.first().map_or(0.0, |found| found.probability))
    }

    pub(crate) fn named(&self, name: &str) -> usize {
        self.catalog.entries.iter().position(|entry| entry.name == name).unwrap()
    }

    pub(crate) fn decider(&self) -> Decider {
        Decider::new(self.settings.clone(), Some(&self.workspace.cache()))
    }

    pub(crate) fn asking(&self, server: &ModelServer) -> Decider {
        self.decider().with_classifier(Box::new(chat(server, "model")))
    }

    pub(crate) fn decide(&self, decider: &Decider, text: &str) -> Decision {
        self.decide_after(decider, text, &[])
    }

    pub(crate) fn decide_after(&self, decider: &Decider, text: &str, history: &[Message<'_>]) -> Decision {
        let allowed = self.router.restrict(&|_| true);
        let asked = DecisionRequest { message: says(text), history, allowed: &allowed, now: self.now };
        decider.decide(&self.router, &self.catalog, &asked)
    }
}

pub(crate) fn chat(server: &ModelServer, model: &str) -> RemoteChat {
    let url = format!("{}/v1", server.url());
    let provider = Provider::new(Wire::OpenAi, &url, model, Some(SecretString::from(KEY))).unwrap();
    RemoteChat::new(Client::default(), provider)
}

pub(crate) fn is_none(decision: &Decision) {
    assert_eq!(decision.route, Route::None, "{decision:?}");
    assert_eq!(decision.skill, None);
    assert!(decision.suggested.is_empty());
}

#[test]
fn deciding_is_off_by_default() {
    let bench = Bench::new();
    let decider = Decider::new(Settings::default(), None);
    let decision = bench.decide(&decider, CLEAR);
    is_none(&decision);
    assert_eq!(decision.stage, Stage::Off);
}

#[test]
fn a_likely_skill_is_activated_and_a_less_likely_one_suggested() {
    let mut bench = Bench::unsure();
    let decision = bench.decide(&bench.decider(), CLEAR);
    assert_eq!((decision.route, decision.stage), (Route::Suggest, Stage::Words));
    assert_eq!(decision.skill, Some(bench.named("kubernetes-deploy")));
    assert_eq!(decision.suggested[0], bench.named("kubernetes-deploy"));
    assert!(decision.suggested.len() <= bench.settings.top_k);
    assert!(!decision.is_fallback());
    bench.settings.skip_threshold -= 0.01;
    let decision = bench.decide(&bench.decider(), CLEAR);
    assert_eq!((decision.route, decision.stage), (Route::Activate, Stage::Words));
    assert_eq!(decision.suggested, [bench.named("kubernetes-deploy")]);
    assert_eq!(decision.tier, Tier::Balanced);
}

#[test]
fn small_talk_and_unknown_words_get_no_skill() {
    let bench = Bench::new();
    for text in ["hello, how are you?", STRANGE, "", "  \n", "?"] {
        is_none(&bench.decide(&bench.decider(), text));
    }
}

#[test]
fn fragments_are_read_as_one_request() {
    let bench = Bench::unsure();
    let at = |seconds| Some(Duration::from_secs(seconds));
    let first = Message { author: Author::User, text: "Deploy my services to the kubernetes", at: at(100) };
    let between = Message { author: Author::Other, text: "Which one?", at: at(101) };
    let allowed = bench.router.restrict(&|_| true);
    let message = Message { author: Author::User, text: "and the cluster manifests", at: at(105) };
    let asked = DecisionRequest { message, history: &[first, between], allowed: &allowed, now: bench.now };
    let decision = bench.decider().decide(&bench.router, &bench.catalog, &asked);
    assert!(decision.notes.contains(&Note::Joined { messages: 2 }), "{decision:?}");
    // After a longer pause the message is a request of its own.
    let message = Message { at: at(161), ..message };
    let asked = DecisionRequest { message, ..asked };
    assert_eq!(bench.decider().decide(&bench.router, &bench.catalog, &asked).notes, []);
}

#[test]
fn the_tier_of_the_skill_takes_precedence() {
    let workspace = TestWorkspace::new();
    let file = workspace.skill("kubernetes-deploy", SKILLS[2].1, SKILLS[2].2);
    let text = std::fs::read_to_string(&file).unwrap().replacen("---\n", "---\nmodel_tier: deep\n", 1);
    std::fs::write(&file, text).unwrap();
    let mut bench = Bench::over(workspace);
    bench.settings.skip_threshold = 0.01;
    bench.settings.min_served = 0.01;
    assert_eq!(bench.decide(&bench.decider(), CLEAR).tier, Tier::Deep);
}

#[test]
fn a_skill_that_is_not_allowed_is_never_chosen() {
    let mut bench = Bench::new();
    bench.settings.skip_threshold = 0.0;
    bench.settings.min_served = 0.0;
    let deploy = bench.named("kubernetes-deploy");
    let allowed = bench.router.restrict(&|entry| entry != deploy);
    let asked = DecisionRequest { message: says(CLEAR), history: &[], allowed: &allowed, now: bench.now };
    let decision = bench.decider().decide(&bench.router, &bench.catalog, &asked);
    assert!(!decision.suggested.contains(&deploy), "{decision:?}");
    let none = bench.router.restrict(&|_| false);
    let asked = DecisionRequest { allowed: &none, ..asked };
    is_none(&bench.decider().decide(&bench.router, &bench.catalog, &asked));
}
