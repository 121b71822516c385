//! How servers end: idle, dead, replaced, dropped. Nothing is left behind.

use crate::support::{
    LONG, all_gone, call, command, declaration, family, is_there, messages, numbers, options, with,
};
use skillful_mcp::client::{ClientError, Options, PlainProcess, ServerState, Servers};
use skillful_testkit::require_tool;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

#[tokio::test]
async fn an_idle_server_is_stopped_with_all_it_started_and_a_call_wakes_it() {
    require_tool!("python3");
    let mut declaration = declaration("good");
    declaration.idle = Duration::from_millis(300);
    let servers = with(declaration).await;
    servers.tools("s").await;
    let first = family(&servers).await;
    all_gone(&first).await;
    assert_eq!(servers.status().await[0].state, ServerState::Stopped);
    let second = family(&servers).await;
    assert_ne!(first, second);
    servers.stop_all().await;
    all_gone(&second).await;
}

#[tokio::test]
async fn a_server_in_use_is_not_idle() {
    require_tool!("python3");
    let mut declaration = declaration("good");
    declaration.idle = Duration::from_millis(100);
    let servers = with(declaration).await;
    servers.tools("s").await;
    assert_eq!(call(&servers, "sleep", "1").await.unwrap().text, "awake");
    servers.stop_all().await;
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_says_why_and_is_started_again() {
    require_tool!("python3");
    let servers = with(declaration("good")).await;
    servers.tools("s").await;
    let family = family(&servers).await;
    let error = call(&servers, "die", "").await.unwrap_err();
    assert!(matches!(error, ClientError::NotRunning { .. }));
    let text = error.to_string();
    assert!(text.contains("is not running: it ended during the call (exit status 3)"), "{text}");
    assert!(text.contains("out of ideas"), "{text}");
    all_gone(&family).await;
    assert_eq!(call(&servers, "echo", "again").await.unwrap().text.lines().next(), Some("again"));
    // Between two calls nobody needs to know.
    call(&servers, "quit", "").await.unwrap_err();
    assert!(servers.tools("s").await.1.is_empty());
    servers.stop_all().await;
}

#[tokio::test]
async fn a_server_whose_child_holds_the_pipes_counts_as_dead() {
    require_tool!("python3");
    let servers = with(declaration("good")).await;
    servers.tools("s").await;
    let error = call(&servers, "half-dead", "").await.unwrap_err();
    assert!(error.to_string().contains("exit status 4"), "{error}");
    servers.stop_all().await;
}

#[tokio::test]
async fn a_stubborn_server_and_its_child_are_killed() {
    require_tool!("python3");
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let mut declaration = declaration("stubborn");
    command(&mut declaration).environment.insert("PIDS".to_owned(), pids.display().to_string());
    let servers = with(declaration).await;
    let (tools, _) = servers.tools("s").await;
    assert!(!tools.is_empty());
    let both = numbers(&std::fs::read_to_string(pids).unwrap());
    assert!(both.len() == 2 && both.iter().all(|process| is_there(*process)));
    servers.stop_all().await;
    all_gone(&both).await;
}

#[tokio::test]
async fn dropping_the_servers_ends_their_processes() {
    require_tool!("python3");
    let servers = with(declaration("good")).await;
    servers.tools("s").await;
    let family = family(&servers).await;
    drop(servers);
    all_gone(&family).await;
}

#[tokio::test]
async fn a_changed_declaration_stops_the_old_server_and_an_equal_one_does_not() {
    require_tool!("python3");
    let servers = with(declaration("good")).await;
    servers.tools("s").await;
    let first = family(&servers).await;
    servers.declare(declaration("good")).await;
    assert!(is_there(first[0]));
    let mut changed = declaration("good");
    command(&mut changed).environment.insert("X".to_owned(), "1".to_owned());
    servers.declare(changed).await;
    all_gone(&first).await;
    assert!(call(&servers, "echo", "").await.is_err(), "its tools are not known before it was asked");
    assert!(!servers.tools("s").await.0.is_empty());
    servers.stop_all().await;
}

#[tokio::test]
async fn two_that_ask_at_once_get_one_server() {
    require_tool!("python3");
    let servers = Arc::new(with(declaration("good")).await);
    servers.tools("s").await;
    servers.stop("s").await;
    let calls = (0..8).map(|_| {
        let servers = Arc::clone(&servers);
        tokio::spawn(async move { family(&servers).await[0] })
    });
    let mut seen = std::collections::BTreeSet::new();
    for call in calls.collect::<Vec<_>>() {
        seen.insert(call.await.unwrap());
    }
    assert_eq!(seen.len(), 1);
    servers.stop_all().await;
    all_gone(&seen.into_iter().collect::<Vec<_>>()).await;
}

#[tokio::test]
async fn a_failed_start_is_not_tried_again_at_once() {
    require_tool!("python3");
    let servers = Servers::new(Arc::new(PlainProcess), Options { retry_pause: LONG, ..options() });
    servers.declare(declaration("dies")).await;
    let first = messages(&servers.tools("s").await.1);
    assert!(first.contains("exit status 7") && !first.contains("a moment ago"), "{first}");
    let start = Instant::now();
    let second = messages(&servers.tools("s").await.1);
    assert!(second.contains("exit status 7") && second.contains("tried a moment ago"), "{second}");
    assert!(start.elapsed() < LONG);
    assert_eq!(servers.status().await[0].state, ServerState::Failed);
}
