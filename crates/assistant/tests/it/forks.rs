//! Sub-agents.

use crate::harness::{Harness, result, text};
use serde_json::{Value, json};
use skillful_assistant::{approval::ApprovalMode, session::ChatSession};
use skillful_testkit::{ModelAnswer, ModelServer, RecordedRequest, wait_until};
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

/// Answers by session: the sub-agent's begins with its instructions.
fn server(parent: Vec<ModelAnswer>, child: Vec<ModelAnswer>) -> ModelServer {
    ModelServer::with(server_answers(parent, child))
}

fn server_answers(
    parent: Vec<ModelAnswer>,
    child: Vec<ModelAnswer>,
) -> impl Fn(&RecordedRequest) -> ModelAnswer + Send + Sync {
    let queues = Mutex::new((parent, child));
    move |asked| {
        let mut queues = queues.lock().unwrap();
        let queue = if is_child(&asked.body) { &mut queues.1 } else { &mut queues.0 };
        if queue.is_empty() { ModelAnswer::says("nothing more") } else { queue.remove(0) }
    }
}

fn is_child(body: &Value) -> bool {
    body["system"].to_string().contains("You are a sub-agent")
}

fn load(name: &str) -> ModelAnswer {
    ModelAnswer::calls([("use_skill", json!({ "name": name }))])
}

#[test]
fn a_sub_agent_has_its_own_session_and_tools_and_returns_only_its_answer() {
    let child = vec![
        ModelAnswer::calls([("read_file", json!({ "on": "a" })), ("write_file", json!({ "on": "b" }))]),
        ModelAnswer::says("found three"),
    ];
    let harness = Harness::with(server(vec![load("look"), ModelAnswer::says("there are three")], child))
        .skill("look", "context: fork\nallowed-tools: Read", "Look around.");
    let turned = harness.say(&mut ChatSession::new(), "How many, my secret friend?").unwrap();
    assert_eq!(turned.text, "there are three");
    let asked = harness.asked();
    let children: Vec<&Value> = asked.iter().filter(|body| is_child(body)).collect();
    assert_eq!(children.len(), 2);
    assert!(text(children[0]).contains("Look around."));
    assert!(!text(children[0]).contains("my secret friend"));
    assert!(result(children[1], 1).starts_with("Not run"));
    let last = asked.last().unwrap();
    assert_eq!(result(last, 0), "<sub_agent skill=\"look\">\nfound three\n</sub_agent>");
    assert!(!text(last).contains("Look around."));
    assert_eq!(harness.done(), ["read_file a"]);
    // The list goes with the child; the parent's stays as it is.
    assert!(turned.usage.output > 0);
}

#[test]
fn a_sub_agent_cannot_ask_the_user_or_start_sub_agents() {
    let child = vec![
        ModelAnswer::calls([
            ("web_fetch", json!({ "on": "https://example.org/" })),
            ("use_skill", json!({ "name": "deeper" })),
        ]),
        ModelAnswer::says("done"),
    ];
    let mut harness = Harness::with(server(vec![load("look"), ModelAnswer::says("ok")], child))
        .skill("look", "context: fork", "Look around.")
        .skill("deeper", "context: fork", "Look deeper.");
    harness.mode = ApprovalMode::AutoSafe;
    harness.say(&mut ChatSession::new(), "Look").unwrap();
    let asked = harness.asked();
    let second = asked.iter().filter(|body| is_child(body)).nth(1).unwrap();
    assert!(result(second, 0).contains("there is no terminal to ask at"));
    assert!(result(second, 1).contains("Look deeper."));
    assert!(result(second, 1).contains("this is a sub-agent already"));
}

#[test]
fn several_sub_agents_of_one_answer_run_in_parallel() {
    let parent = vec![
        ModelAnswer::calls([("use_skill", json!({ "name": "a" })), ("use_skill", json!({ "name": "b" }))]),
        ModelAnswer::says("both"),
    ];
    // Neither gets an answer before both have asked, which they never do one after the other.
    let asked = AtomicUsize::new(0);
    let answers = server_answers(parent, vec![ModelAnswer::says("one"), ModelAnswer::says("one")]);
    let together = ModelServer::with(move |request| {
        if is_child(&request.body) {
            asked.fetch_add(1, Ordering::SeqCst);
            wait_until("both sub-agents ask", || asked.load(Ordering::SeqCst) >= 2);
        }
        answers(request)
    });
    let harness =
        Harness::with(together).skill("a", "context: fork", "Do a.").skill("b", "context: fork", "Do b.");
    harness.say(&mut ChatSession::new(), "Both").unwrap();
    let events = harness.events();
    let place = |what: &str| events.iter().position(|line| line.contains(what)).unwrap();
    let began = [place("fork a: Started"), place("fork b: Started")];
    assert!(began.iter().all(|at| *at < place("Finished")), "{events:?}");
}

#[test]
fn a_background_sub_agent_does_not_block_the_turn_and_its_result_arrives_before_the_end() {
    let parent = vec![
        load("slow"),
        ModelAnswer::calls([("read_file", json!({ "on": "meanwhile" }))]),
        ModelAnswer::says("not yet"),
        ModelAnswer::says("now with the result"),
    ];
    // The sub-agent gets its answer when the parent has asked for its third.
    let asked = AtomicUsize::new(0);
    let answers = server_answers(parent, vec![ModelAnswer::says("came late")]);
    let late = ModelServer::with(move |request| {
        if is_child(&request.body) {
            wait_until("the parent goes on", || asked.load(Ordering::SeqCst) >= 3);
        } else {
            asked.fetch_add(1, Ordering::SeqCst);
        }
        answers(request)
    });
    let harness = Harness::with(late).skill("slow", "context: fork\nbackground: true", "Take your time.");
    let turned = harness.say(&mut ChatSession::new(), "Do both").unwrap();
    assert_eq!(turned.text, "now with the result");
    let asked = harness.asked();
    assert!(text(asked.last().unwrap()).contains("came late"));
    let first = asked.iter().filter(|body| !is_child(body)).nth(1).unwrap();
    assert!(result(first, 0).contains("runs in the background"));
}

#[test]
fn a_sub_agent_is_not_started_again_after_a_crash() {
    let child = vec![ModelAnswer::says("did it")];
    let harness = Harness::with(server(vec![load("act")], child)).skill("act", "context: fork", "Act.");
    // What was kept is the call and that its fork began; the result is not.
    *harness.kept.full_at.lock().unwrap() = Some(2);
    assert!(harness.say(&mut ChatSession::new(), "Act").is_err());
    *harness.kept.full_at.lock().unwrap() = None;
    assert_eq!(harness.asked().iter().filter(|body| is_child(body)).count(), 1);
    let mut again = harness.kept.resume();
    let second = Harness { server: server(vec![ModelAnswer::says("I see")], Vec::new()), ..harness };
    second.say(&mut again, "Go on").unwrap();
    assert!(second.asked().iter().all(|body| !is_child(body)));
    assert!(text(&second.asked()[0]).contains("was interrupted"));
}

#[test]
fn a_user_who_calls_a_forked_skill_gets_its_result_into_the_session() {
    let harness =
        Harness::with(server(vec![ModelAnswer::says("so it is")], vec![ModelAnswer::says("looked at")]))
            .skill("look", "context: fork", "Look at $ARGUMENTS.");
    harness.say(&mut ChatSession::new(), "/look the sky").unwrap();
    let asked = harness.asked();
    assert!(text(&asked[0]).contains("Look at the sky."));
    let parent = asked.iter().find(|body| !is_child(body)).unwrap();
    assert!(text(parent).contains("looked at"));
    assert!(!text(parent).contains("Look at the sky."));
}
