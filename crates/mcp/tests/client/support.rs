//! A server for a test, and whether it is gone.

use serde_json::{Map, Value, json};
use skillful_format::Diagnostic;
use skillful_mcp::client::{
    CallOutcome, ClientError, Command, Declaration, Mask, Options, PlainProcess, Servers, Tool, Transport,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

/// Longer than any machine needs; a test that waits this long fails.
pub(crate) const LONG: Duration = Duration::from_mins(1);

pub(crate) fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/client/server.py")
}

/// The server of the skill `s` in one of its modes.
pub(crate) fn declaration(mode: &str) -> Declaration {
    let path = std::env::var("PATH").unwrap();
    let command = Command {
        skill: "s".to_owned(),
        program: "python3".to_owned(),
        arguments: vec![script().display().to_string(), mode.to_owned()],
        environment: BTreeMap::from([("PATH".to_owned(), path)]),
        folder: std::env::temp_dir(),
        files: None,
    };
    Declaration {
        skill: "s".to_owned(),
        server: None,
        file: PathBuf::from("/skills/s/SKILL.md"),
        transport: Transport::Process(command),
        startup: LONG,
        idle: LONG,
        mask: Mask::default(),
    }
}

pub(crate) fn command(declaration: &mut Declaration) -> &mut Command {
    let Transport::Process(command) = &mut declaration.transport else { panic!("no process") };
    command
}

pub(crate) fn options() -> Options {
    Options { call: LONG, retry_pause: Duration::ZERO }
}

pub(crate) async fn with(declaration: Declaration) -> Servers {
    let servers = Servers::new(Arc::new(PlainProcess), options());
    servers.declare(declaration).await;
    servers
}

/// The tools and diagnostics of a server in one of its modes; it is stopped afterwards.
pub(crate) async fn listed(declaration: Declaration) -> (Vec<Tool>, Vec<Diagnostic>) {
    let servers = with(declaration).await;
    let listed = servers.tools("s").await;
    servers.stop_all().await;
    listed
}

pub(crate) fn raw(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.raw.as_str()).collect()
}

pub(crate) fn messages(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|told| format!("{}: {}\n", told.code, told.message)).collect()
}

pub(crate) async fn call(servers: &Servers, tool: &str, text: &str) -> Result<CallOutcome, ClientError> {
    let Value::Object(arguments) = json!({ "text": text }) else { return Err(unknown()) };
    servers.call(&format!("s__{tool}"), arguments).await
}

fn unknown() -> ClientError {
    ClientError::UnknownTool(String::new())
}

pub(crate) fn nothing() -> Map<String, Value> {
    Map::new()
}

/// The numbers of a server and of a process that it started.
pub(crate) async fn family(servers: &Servers) -> Vec<u32> {
    numbers(&call(servers, "family", "").await.unwrap().text)
}

pub(crate) fn numbers(text: &str) -> Vec<u32> {
    text.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// Fails unless all these processes go.
pub(crate) async fn all_gone(processes: &[u32]) {
    assert!(!processes.is_empty());
    let start = Instant::now();
    while processes.iter().any(|process| is_there(*process)) {
        assert!(start.elapsed() < LONG, "a process was left behind: {processes:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Whether a process runs. One that has ended and was not reaped by its parent does not.
pub(crate) fn is_there(process: u32) -> bool {
    let pid = rustix::process::Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
    if rustix::process::test_kill_process(pid).is_err() {
        return false;
    }
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
}
