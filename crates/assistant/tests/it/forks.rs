//! Sub-agents.

use crate::stage::{Stage, result, text};
use serde_json::{Value, json};
use skillful_assistant::{approval::ApprovalMode, run::Run};
use skillful_testkit::{ModelAnswer, ModelServer, RecordedRequest, wait_until};
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

/// Answers by whose conversation it is: the sub-agent's begins with its instructions.
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
fn a_fork_has_its_own_conversation_its_own_tools_and_gives_back_its_answer_alone() {
    let child = vec![
        ModelAnswer::calls([("read_file", json!({ "on": "a" })), ("write_file", json!({ "on": "b" }))]),
        ModelAnswer::says("found three"),
    ];
    let stage = Stage::with(server(vec![load("look"), ModelAnswer::says("there are three")], child)).skill(
        "look",
        "context: fork\nallowed-tools: Read",
        "Look around.",
    );
    let turned = stage.say(&mut Run::new(), "How many, my secret friend?").unwrap();
    assert_eq!(turned.text, "there are three");
    let asked = stage.asked();
    let children: Vec<&Value> = asked.iter().filter(|body| is_child(body)).collect();
    assert_eq!(children.len(), 2);
    assert!(text(children[0]).contains("Look around."));
    assert!(!text(children[0]).contains("my secret friend"));
    assert!(result(children[1], 1).starts_with("Not done"));
    let last = asked.last().unwrap();
    assert_eq!(result(last, 0), "<sub_agent skill=\"look\">\nfound three\n</sub_agent>");
    assert!(!text(last).contains("Look around."));
    assert_eq!(stage.done(), ["read_file a"]);
    // The list goes with the child; the parent's stays as it is.
    assert!(turned.usage.output > 0);
}

#[test]
fn a_fork_asks_nobody_and_starts_none_of_its_own() {
    let child = vec![
        ModelAnswer::calls([
            ("web_fetch", json!({ "on": "https://example.org/" })),
            ("use_skill", json!({ "name": "deeper" })),
        ]),
        ModelAnswer::says("done"),
    ];
    let mut stage = Stage::with(server(vec![load("look"), ModelAnswer::says("ok")], child))
        .skill("look", "context: fork", "Look around.")
        .skill("deeper", "context: fork", "Look deeper.");
    stage.mode = ApprovalMode::AutoSafe;
    stage.say(&mut Run::new(), "Look").unwrap();
    let asked = stage.asked();
    let second = asked.iter().filter(|body| is_child(body)).nth(1).unwrap();
    assert!(result(second, 0).contains("nobody is there to be asked"));
    assert!(result(second, 1).contains("Look deeper."));
    assert!(result(second, 1).contains("this is a sub-agent already"));
}

#[test]
fn several_forks_of_one_answer_work_side_by_side() {
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
    let stage =
        Stage::with(together).skill("a", "context: fork", "Do a.").skill("b", "context: fork", "Do b.");
    stage.say(&mut Run::new(), "Both").unwrap();
    let events = stage.events();
    let place = |what: &str| events.iter().position(|line| line.contains(what)).unwrap();
    let began = [place("fork a: Began"), place("fork b: Began")];
    assert!(began.iter().all(|at| *at < place("Ended")), "{events:?}");
}

#[test]
fn a_fork_in_the_background_lets_the_run_go_on_and_its_result_comes_before_the_end() {
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
    let stage = Stage::with(late).skill("slow", "context: fork\nbackground: true", "Take your time.");
    let turned = stage.say(&mut Run::new(), "Do both").unwrap();
    assert_eq!(turned.text, "now with the result");
    let asked = stage.asked();
    assert!(text(asked.last().unwrap()).contains("came late"));
    let first = asked.iter().filter(|body| !is_child(body)).nth(1).unwrap();
    assert!(result(first, 0).contains("works in the background"));
}

#[test]
fn a_fork_is_not_started_again_after_a_crash() {
    let child = vec![ModelAnswer::says("did it")];
    let stage = Stage::with(server(vec![load("act")], child)).skill("act", "context: fork", "Act.");
    // What was kept is the call and that its fork began; the result is not.
    *stage.kept.full_at.lock().unwrap() = Some(2);
    assert!(stage.say(&mut Run::new(), "Act").is_err());
    *stage.kept.full_at.lock().unwrap() = None;
    assert_eq!(stage.asked().iter().filter(|body| is_child(body)).count(), 1);
    let mut again = stage.kept.resume();
    let second = Stage { server: server(vec![ModelAnswer::says("I see")], Vec::new()), ..stage };
    second.say(&mut again, "Go on").unwrap();
    assert!(second.asked().iter().all(|body| !is_child(body)));
    assert!(text(&second.asked()[0]).contains("was interrupted"));
}

#[test]
fn a_person_who_calls_a_forked_skill_gets_its_result_into_the_conversation() {
    let stage = Stage::with(server(
        vec![ModelAnswer::says("so it is")],
        vec![ModelAnswer::says("looked at")],
    ))
    .skill("look", "context: fork", "Look at $ARGUMENTS.");
    stage.say(&mut Run::new(), "/look the sky").unwrap();
    let asked = stage.asked();
    assert!(text(&asked[0]).contains("Look at the sky."));
    let parent = asked.iter().find(|body| !is_child(body)).unwrap();
    assert!(text(parent).contains("looked at"));
    assert!(!text(parent).contains("Look at the sky."));
}
