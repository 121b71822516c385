//! Servers of skills in the real sandbox of this machine.

use crate::support::{LONG, call, command, declaration, options, script};
use skillful_mcp::client::{Held, Servers};
use skillful_runtime::room::{Grants, Sandbox};
use skillful_sandbox::{Require, probe_best};
use skillful_testkit::{require_tool, skip};
use std::{sync::Arc, time::Instant};

/// Whether servers can be run here. If not, the test is reported as skipped.
fn has_sandbox() -> bool {
    let report = probe_best();
    if report.best().is_none() {
        skip(&format!("no sandbox holds here: {:?}", report.tiers()));
    }
    report.best().is_some()
}

async fn held(folder: &std::path::Path) -> Servers {
    let mut server = declaration("good");
    command(&mut server).folder = folder.canonicalize().unwrap();
    "server.py".clone_into(&mut command(&mut server).arguments[0]);
    std::fs::copy(script(), folder.join("server.py")).unwrap();
    let sandbox = Arc::new(Sandbox::new(Require::Sandbox));
    let servers = Servers::new(Arc::new(Held::new(sandbox, Grants::default(), None)), options());
    servers.declare(server).await;
    servers
}

#[tokio::test]
async fn a_server_of_a_skill_runs_in_the_sandbox_and_stops_with_all_it_started() {
    require_tool!("python3");
    if !has_sandbox() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let servers = held(folder.path()).await;
    let (tools, wrong) = servers.tools("s").await;
    assert!(tools.iter().any(|tool| tool.name == "s__echo"), "{wrong:?}");
    assert!(call(&servers, "echo", "hello").await.unwrap().text.starts_with("hello"));
    let variables = call(&servers, "env", "").await.unwrap().text;
    assert!(!variables.contains("CARGO"), "it sees variables of ours: {variables}");
    call(&servers, "family", "").await.unwrap();
    let start = Instant::now();
    servers.stop_all().await;
    assert!(start.elapsed() < LONG);
}

#[tokio::test]
async fn a_server_that_dies_in_the_sandbox_is_started_again() {
    require_tool!("python3");
    if !has_sandbox() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let servers = held(folder.path()).await;
    servers.tools("s").await;
    assert!(call(&servers, "die", "").await.is_err());
    assert!(call(&servers, "echo", "again").await.unwrap().text.starts_with("again"));
    servers.stop_all().await;
}
