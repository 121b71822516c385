//! Vectors: computed lazily, stored, and without effect on decisions when they fail.

use crate::{
    decider::{Bench, KEY},
    sample::SKILLS,
};
use serde_json::{Value, json};
use skillful_llm::{Client, Provider, SecretString, Wire};
use skillful_route::{Embeddings, Endpoint, Note, Stage};
use skillful_testkit::{ModelAnswer, ModelServer, RecordedRequest};
use std::time::Duration;

const LONG: Duration = Duration::from_mins(1);
const ALL: usize = 10_000;
/// No skill contains a word of it; the fake model maps it to a topic.
const GERMAN: &str = "welcher Stand hat den Fehler gebracht";

/// The vector of a fake model that knows a few topics in two languages.
fn vector(text: &str) -> Value {
    const TOPICS: &[&[&str]] = &[
        &["commit", "revisions", "stand"],
        &["form", "formular"],
        &["flight", "fares", "flug"],
        &["deploy", "kubectl"],
        &["document", "reports"],
        &["query", "queries", "indexes"],
    ];
    let text = text.to_lowercase();
    let topic = |words: &&[&str]| u8::from(words.iter().any(|word| text.contains(word)));
    let mut numbers: Vec<u8> = TOPICS.iter().map(topic).collect();
    // Texts without a known topic get a dimension of their own.
    numbers.push(u8::from(numbers.iter().all(|number| *number == 0)));
    json!(numbers)
}

fn embed(asked: &RecordedRequest) -> ModelAnswer {
    let texts = asked.body["input"].as_array().unwrap();
    let data = texts.iter().enumerate();
    let data: Vec<Value> =
        data.map(|(at, text)| json!({ "index": at, "embedding": vector(text.as_str().unwrap()) })).collect();
    ModelAnswer::Json(json!({ "data": data }))
}

fn texts(server: &ModelServer) -> usize {
    server.asked().iter().map(|asked| asked.body["input"].as_array().unwrap().len()).sum()
}

fn embeddings(bench: &Bench, server: &ModelServer) -> Embeddings {
    let url = format!("{}/v1", server.url());
    let provider = Provider::new(Wire::OpenAi, &url, "vectors", Some(SecretString::from(KEY))).unwrap();
    Embeddings::new(Box::new(Endpoint::new(Client::default(), provider)), Some(&bench.workspace.cache()))
}

#[test]
fn skills_without_a_vector_are_ranked_by_words_and_reported() {
    let bench = Bench::new();
    let server = ModelServer::with(embed);
    let decider = bench.decider().with_embeddings(embeddings(&bench, &server));
    let decision = bench.decide(&decider, "deploy services to the kubernetes cluster");
    assert_eq!(decision.stage, Stage::Words);
    assert_eq!(decision.notes, [Note::NotEmbedded { skills: SKILLS.len() }]);
    assert!(server.asked().is_empty(), "without vectors there is nothing to compare the request with");
}

#[test]
fn vectors_find_skills_that_words_do_not() {
    let mut bench = Bench::new();
    bench.settings.min_served = 0.0;
    let server = ModelServer::with(embed);
    let decider = bench.decider().with_embeddings(embeddings(&bench, &server));
    assert_eq!(bench.decide(&decider, GERMAN).skill, None);
    let progress = decider.embeddings().unwrap().embed_missing(&bench.router, &bench.catalog, ALL, LONG);
    assert_eq!((progress.embedded, progress.left, progress.failed), (SKILLS.len(), 0, None));
    let decision = bench.decide(&decider, GERMAN);
    assert_eq!(decision.stage, Stage::Embeddings);
    assert_eq!(decision.skill, Some(bench.named("git-bisect")), "{decision:?}");
    assert_eq!(decision.notes, []);
}

#[test]
fn a_request_in_another_language_goes_to_the_classifier() {
    let mut bench = Bench::new();
    // The vectors of this server are more certain than real ones.
    bench.settings.skip_threshold = 1.1;
    let server = ModelServer::with(|asked| {
        if asked.path.ends_with("/embeddings") {
            embed(asked)
        } else {
            ModelAnswer::chat(r#"{"skill": "git-bisect"}"#)
        }
    });
    let decider = bench.asking(&server).with_embeddings(embeddings(&bench, &server));
    decider.embeddings().unwrap().embed_missing(&bench.router, &bench.catalog, ALL, LONG);
    let decision = bench.decide(&decider, GERMAN);
    assert_eq!((decision.stage, decision.skill), (Stage::Classifier, Some(bench.named("git-bisect"))));
    // Without a similar skill the classifier is not asked.
    let asked = server.asked().len();
    assert_eq!(bench.decide(&decider, "guten Morgen").skill, None);
    assert_eq!(server.asked().len(), asked + 1, "only the embeddings endpoint is called");
}

#[test]
fn unusable_vectors_are_not_stored() {
    let bench = Bench::new();
    let server = ModelServer::with(|asked| {
        let zeros = asked.body["input"].as_array().unwrap().iter().map(|_| json!({ "embedding": [0, 0] }));
        ModelAnswer::Json(json!({ "data": zeros.collect::<Vec<_>>() }))
    });
    let progress = embeddings(&bench, &server).embed_missing(&bench.router, &bench.catalog, ALL, LONG);
    assert_eq!((progress.embedded, progress.left), (0, SKILLS.len()));
}

#[test]
fn vectors_are_stored_and_only_changed_skills_are_embedded_again() {
    let bench = Bench::new();
    let server = ModelServer::with(embed);
    embeddings(&bench, &server).embed_missing(&bench.router, &bench.catalog, ALL, LONG);
    // Name and description, and the one part of each body.
    assert_eq!(texts(&server), SKILLS.len() * 2);
    assert_eq!(embeddings(&bench, &server).left(&bench.router), 0);
    bench.workspace.skill("git-bisect", "Prune roses.", "");
    let (catalog, router, _) = bench.workspace.open();
    let again = embeddings(&bench, &server);
    assert_eq!(again.left(&router), 1);
    assert_eq!(again.embed_missing(&router, &catalog, ALL, LONG).embedded, 1);
    assert_eq!(texts(&server), SKILLS.len() * 2 + 1);
}

#[test]
fn embedding_stops_at_the_limits_of_the_caller() {
    let bench = Bench::new();
    let server = ModelServer::with(embed);
    let embeddings = embeddings(&bench, &server);
    let progress = embeddings.embed_missing(&bench.router, &bench.catalog, 2, LONG);
    assert_eq!((progress.embedded, progress.left), (2, SKILLS.len() - 2));
    let progress = embeddings.embed_missing(&bench.router, &bench.catalog, ALL, Duration::ZERO);
    assert_eq!((progress.embedded, progress.left), (0, SKILLS.len() - 2));
    assert!(progress.failed.is_some());
}

#[test]
fn an_unreachable_server_is_reported_in_a_note() {
    let bench = Bench::unsure();
    let server = ModelServer::with(|asked| {
        if asked.body["input"][0] == crate::decider::CLEAR { ModelAnswer::HangUp } else { embed(asked) }
    });
    let embeddings = embeddings(&bench, &server);
    embeddings.embed_missing(&bench.router, &bench.catalog, ALL, LONG);
    let words = bench.decide(&bench.decider(), crate::decider::CLEAR);
    let decision = bench.decide(&bench.decider().with_embeddings(embeddings), crate::decider::CLEAR);
    assert_eq!(decision.stage, Stage::Words);
    assert_eq!((decision.route, decision.skill), (words.route, words.skill));
    assert!(
        matches!(&decision.notes[..], [Note::EmbeddingsFailed { why }] if !why.contains(KEY)),
        "{decision:?}"
    );
}

#[test]
fn one_refused_text_does_not_block_the_others() {
    let bench = Bench::new();
    let server = ModelServer::with(|asked| {
        if asked.body["input"].to_string().contains("airlines") {
            ModelAnswer::error(400, "too long")
        } else {
            embed(asked)
        }
    });
    let embeddings = embeddings(&bench, &server);
    let progress = embeddings.embed_missing(&bench.router, &bench.catalog, ALL, LONG);
    assert_eq!((progress.embedded, progress.left), (SKILLS.len() - 1, 1));
    assert!(progress.failed.unwrap().contains("too long"));
}

#[test]
fn a_server_that_refuses_the_key_is_called_once() {
    let bench = Bench::new();
    let server = ModelServer::new([ModelAnswer::error(401, "invalid key")]);
    let progress = embeddings(&bench, &server).embed_missing(&bench.router, &bench.catalog, ALL, LONG);
    assert_eq!((progress.embedded, progress.left), (0, SKILLS.len()));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn damaged_vectors_are_computed_again() {
    let bench = Bench::new();
    let server = ModelServer::with(embed);
    embeddings(&bench, &server).embed_missing(&bench.router, &bench.catalog, ALL, LONG);
    let mut files = std::fs::read_dir(bench.workspace.cache()).unwrap().map(|entry| entry.unwrap().path());
    let file = files.find(|file| file.extension().is_some_and(|ending| ending == "vec")).unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(embeddings(&bench, &server).left(&bench.router), SKILLS.len());
}

#[test]
fn vectors_of_another_length_replace_the_old_ones() {
    let bench = Bench::new();
    let server = ModelServer::with(|asked| {
        if asked.body["input"][0] == GERMAN {
            return ModelAnswer::Json(json!({ "data": [{ "embedding": [1, 0, 0] }] }));
        }
        embed(asked)
    });
    let decider = bench.decider().with_embeddings(embeddings(&bench, &server));
    decider.embeddings().unwrap().embed_missing(&bench.router, &bench.catalog, ALL, LONG);
    // A request whose vector has another length is not compared with any skill.
    assert_eq!(bench.decide(&decider, GERMAN).stage, Stage::Words);
}

#[test]
fn the_vectors_of_the_last_used_models_are_kept() {
    let bench = Bench::new();
    let server = ModelServer::with(embed);
    for at in 0..6 {
        let provider = Provider::new(Wire::OpenAi, &server.url(), &format!("model-{at}"), None).unwrap();
        let model = Box::new(Endpoint::new(Client::default(), provider));
        let embeddings = Embeddings::new(model, Some(&bench.workspace.cache()));
        assert_eq!(embeddings.embed_missing(&bench.router, &bench.catalog, ALL, LONG).left, 0);
    }
    let files = std::fs::read_dir(bench.workspace.cache()).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(files.filter(|file| file.extension().is_some_and(|ending| ending == "vec")).count(), 4);
}
