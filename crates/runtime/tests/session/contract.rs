//! The contract of a run, rule by rule.

use crate::{gate, lists, skill};
use skillful_catalog::profile::ToolListMode;
use skillful_runtime::{
    policy::{Ground, PathBase, Policy, ToolCall},
    session::{
        Abilities, DEPTH_LIMIT, Event, HIGH_PRIVILEGE_TOOLS, Outcome, Record, Session, Skill, Stay,
        TransitionCause, Undirected,
    },
};
use std::collections::BTreeMap;

fn activate(skill: Skill) -> Event {
    Event::Activate { skill, call: "1".to_owned() }
}

fn answer(text: &str) -> Event {
    Event::FinalAnswer { text: text.to_owned(), tool_calls: false }
}

fn transition(target: &str) -> Event {
    Event::Transition { target: target.to_owned(), reason: Some("because".to_owned()) }
}

fn run(session: &mut Session, events: &[Event]) -> Outcome {
    events.iter().map(|event| session.apply(event, &gate)).last().unwrap()
}

fn policy(session: &Session) -> Policy {
    let place = PathBase { folder: "/work".to_owned(), home: None };
    let ground = Ground::new(&BTreeMap::new(), &[], ToolListMode::Restrict, place);
    Policy::of(&session.lists(), &ground)
}

fn answers(session: &Session) -> usize {
    session.history().records.iter().filter(|record| matches!(record, Record::Answer { .. })).count()
}

#[test]
fn line_40_a_final_answer_moves_to_the_next_skill_at_depth_1_and_is_stored() {
    let mut session = Session::default();
    let outcome = run(&mut session, &[activate(skill("a", Some("b"))), answer("done")]);
    let moved =
        Outcome::Moved { from: Some("a".into()), to: "b".into(), kind: TransitionCause::Next, depth: 1 };
    assert_eq!(outcome, moved);
    assert_eq!(answers(&session), 1);
    assert_eq!(session.leading().unwrap().name, "b");
}

#[test]
fn line_40_a_blank_answer_moves_on_and_is_not_stored() {
    let mut session = Session::default();
    let outcome = run(&mut session, &[activate(skill("a", Some("b"))), answer(" \n")]);
    assert!(matches!(outcome, Outcome::Moved { .. }));
    assert_eq!(answers(&session), 0);
}

#[test]
fn line_40_pending_tool_calls_move_nothing() {
    let mut session = Session::default();
    let calls = Event::FinalAnswer { text: "wait".to_owned(), tool_calls: true };
    assert_eq!(run(&mut session, &[activate(skill("a", Some("b"))), calls]), Outcome::Nothing);
    assert_eq!((session.leading().unwrap().name.as_str(), answers(&session)), ("a", 0));
}

#[test]
fn line_40_an_explicit_transition_beats_next_skill() {
    let mut session = Session::default();
    let outcome = run(&mut session, &[activate(skill("a", Some("b"))), transition("end"), answer("x")]);
    let moved = Outcome::Moved {
        from: Some("a".into()),
        to: "end".into(),
        kind: TransitionCause::Explicit,
        depth: 1,
    };
    assert_eq!(outcome, moved);
    assert_eq!(run(&mut session, &[answer("y")]), Outcome::Done);
}

#[test]
fn line_40_at_depth_5_a_run_stays_says_so_and_keeps_the_answer() {
    let mut session = Session::default();
    run(&mut session, &[activate(skill("c", Some("c")))]);
    for _ in 0..3 {
        assert!(matches!(run(&mut session, &[answer("x")]), Outcome::Moved { .. }));
    }
    run(&mut session, &[transition("c"), Event::Step, transition("c"), Event::Step]);
    assert_eq!(session.depth(), DEPTH_LIMIT);
    let Outcome::Stayed(why) = run(&mut session, &[answer("last")]) else { panic!("moved") };
    assert_eq!(why.to_string(), "not going on to `c`: this turn already made 5 transitions; answer now");
    assert!(matches!(run(&mut session, &[transition("a")]), Outcome::Stayed(Stay::Depth { .. })));
    assert_eq!(answers(&session), 4);
    run(&mut session, &[Event::TurnStarted]);
    assert!(matches!(run(&mut session, &[answer("x")]), Outcome::Moved { depth: 1, .. }));
}

#[test]
fn line_40_a_target_that_the_gate_refuses_is_stayed_away_from() {
    let mut session = Session::default();
    let outcome = run(&mut session, &[activate(skill("lost", Some("gone"))), answer("kept")]);
    let message = "there is no skill `gone`".to_owned();
    assert_eq!(outcome, Outcome::Stayed(Stay::Refused { target: "gone".into(), message }));
    assert_eq!(
        (session.leading().unwrap().name.as_str(), answers(&session), session.depth()),
        ("lost", 1, 0)
    );
    assert!(matches!(run(&mut session, &[transition("gone")]), Outcome::Stayed(Stay::Refused { .. })));
    assert_eq!(run(&mut session, &[transition("  ")]), Outcome::Stayed(Stay::NoTarget));
}

#[test]
fn line_46_the_next_activation_replaces_the_list_and_one_without_clears_it() {
    let mut session = Session::default();
    let write = ToolCall::path("Write", "a");
    run(&mut session, &[activate(Skill { lists: lists("Read Bash(git:*)"), ..skill("a", None) })]);
    assert!(policy(&session).decide(&write).is_denied());
    assert!(policy(&session).decide(&ToolCall::command("Bash", "git status")).is_allowed());
    assert!(policy(&session).decide(&ToolCall::bare("use_skill")).is_allowed());
    run(&mut session, &[activate(skill("b", None))]);
    assert!(policy(&session).decide(&write).is_allowed());
}

#[test]
fn the_list_ends_with_the_turn() {
    let mut session = Session::default();
    run(&mut session, &[activate(Skill { lists: lists("Read"), ..skill("a", None) }), Event::TurnStarted]);
    assert!(policy(&session).decide(&ToolCall::path("Write", "a")).is_allowed());
}

#[test]
fn conditional_labels_are_shown_and_in_strict_mode_the_only_targets() {
    let branching = Skill { conditional: vec![("on failure".into(), "end".into())], ..skill("a", Some("b")) };
    let mut free = Session::default();
    run(&mut free, &[activate(branching.clone())]);
    assert_eq!(free.targets().unwrap(), "- on failure: `end`\n- after the final answer: `b`");
    assert!(matches!(run(&mut free, &[transition("c")]), Outcome::Pending { .. }));
    let mut strict = Session::new(Abilities { strict_targets: true, ..Abilities::default() });
    run(&mut strict, &[activate(branching)]);
    let Outcome::Stayed(why) = run(&mut strict, &[transition("c")]) else { panic!("moved") };
    assert_eq!(why.to_string(), "not going on to `c`: after the active skill come only end, b");
    assert!(matches!(run(&mut strict, &[transition("end")]), Outcome::Pending { .. }));
}

#[test]
fn a_fork_is_a_directive_when_nested_untrusted_or_without_sub_agents() {
    let fork = || Event::Activate { skill: Skill { fork: true, ..skill("f", None) }, call: "7".to_owned() };
    let able = Abilities { sub_agents: true, ..Abilities::default() };
    let why = |mut session: Session, first: &[Event]| {
        for event in first {
            session.apply(event, &gate);
        }
        session.apply(&fork(), &gate)
    };
    let directive = |why| Outcome::Directive { skill: "f".to_owned(), why };
    let untrusted = Event::MarkUntrusted { source: "mail".to_owned() };
    assert_eq!(why(Session::new(Abilities { nested: true, ..able }), &[]), directive(Undirected::Nested));
    assert_eq!(why(Session::new(able), &[untrusted]), directive(Undirected::Untrusted));
    assert_eq!(why(Session::default(), &[]), directive(Undirected::NoSubAgents));
    assert!(matches!(why(Session::new(able), &[]), Outcome::Fork { .. }));
}

#[test]
fn a_fork_is_never_started_twice_for_a_call_even_after_a_restart() {
    let fork = Event::Activate { skill: Skill { fork: true, ..skill("f", None) }, call: "7".to_owned() };
    let mut session = Session::new(Abilities { sub_agents: true, ..Abilities::default() });
    assert!(matches!(session.apply(&fork, &gate), Outcome::Fork { .. }));
    let mut stored: Session = serde_json::from_str(&serde_json::to_string(&session).unwrap()).unwrap();
    assert_eq!(stored, session);
    assert_eq!(stored.apply(&fork, &gate), Outcome::AlreadyForked { call: "7".to_owned() });
    assert!(stored.leading().is_none(), "the list rides on the child");
}

#[test]
fn an_untrusted_run_loses_the_high_privilege_tools_for_good() {
    let mut session = Session::default();
    let bash = Skill { lists: lists("Bash Read Harmless"), ..skill("a", None) };
    run(
        &mut session,
        &[Event::MarkUntrusted { source: "mail".to_owned() }, activate(bash), Event::TurnStarted],
    );
    assert!(session.is_untrusted());
    for tool in HIGH_PRIVILEGE_TOOLS.iter().chain(&["Bash", "Read", "WebFetch"]) {
        assert!(policy(&session).decide(&ToolCall::bare(tool)).is_denied(), "{tool}");
    }
    assert!(policy(&session).decide(&ToolCall::bare("use_skill")).is_allowed());
    assert!(policy(&session).decide(&ToolCall::bare("mcp__mail__list")).is_allowed());
}
