//! Calls of tools, and what becomes of their results.

use crate::support::{LONG, call, command, declaration, listed, messages, nothing, raw, with};
use skillful_mcp::client::{ClientError, ServerState, limits};
use skillful_testkit::require_tool;
use std::time::Duration;

#[tokio::test]
async fn a_server_starts_at_the_first_need_and_its_tools_have_the_names_of_their_skill() {
    require_tool!("python3");
    let servers = with(declaration("good")).await;
    assert_eq!(servers.status().await[0].state, ServerState::Stopped);
    let (tools, diagnostics) = servers.tools("s").await;
    assert_eq!(messages(&diagnostics), "");
    assert_eq!((tools[0].name.as_str(), tools[0].raw.as_str()), ("s__echo", "echo"));
    assert_eq!(tools[0].description.as_deref(), Some("Does echo."));
    assert_eq!(tools[0].schema["properties"]["text"]["type"], "string");
    assert_eq!(servers.status().await[0].state, ServerState::Running);
    assert_eq!(servers.tools("other").await.0, []);
    let outcome = call(&servers, "echo", "hello").await.unwrap();
    assert_eq!((outcome.text.as_str(), outcome.failed), ("hello\n{\"text\": \"hello\"}", false));
    servers.stop_all().await;
}

#[tokio::test]
async fn every_kind_of_result_is_text_or_told() {
    require_tool!("python3");
    let servers = with(declaration("good")).await;
    servers.tools("s").await;
    let picture = call(&servers, "picture", "").await.unwrap();
    assert_eq!((picture.text.as_str(), picture.left_out[0].kind), ("a\nb", "image"));
    assert_eq!(call(&servers, "nothing", "").await.unwrap().text, "(no output)");
    let failed = call(&servers, "fail", "").await.unwrap();
    assert!(failed.failed && failed.text == "no such city");
    let large = call(&servers, "large", "").await.unwrap();
    assert_eq!(large.cut_bytes, 300_000 - limits::OUTPUT_BYTES);
    let refused = call(&servers, "refuse", "").await.unwrap_err();
    assert_eq!(refused.to_string(), "the MCP server of `s` refused the call (-32602): bad arguments");
    assert!(matches!(call(&servers, "strange", "").await, Err(ClientError::Nonsense { .. })));
    assert_eq!(call(&servers, "echo", "still here").await.unwrap().text.lines().next(), Some("still here"));
    servers.stop_all().await;
}

#[tokio::test]
async fn a_tool_is_also_found_by_its_own_name_while_that_is_unique() {
    require_tool!("python3");
    let servers = with(declaration("good")).await;
    servers.tools("s").await;
    assert_eq!(servers.resolve("echo").unwrap(), "s__echo");
    let mut other = declaration("good");
    other.skill = "t".to_owned();
    other.server = Some("eu".to_owned());
    servers.declare(other).await;
    servers.tools("t").await;
    let error = servers.call("echo", nothing()).await.unwrap_err();
    assert_eq!(error.to_string(), "`echo` is a tool of several skills; write one of: s__echo, t__eu__echo");
    servers.forget("t").await;
    assert_eq!(servers.resolve("echo").unwrap(), "s__echo");
    assert!(matches!(servers.call("t__eu__echo", nothing()).await, Err(ClientError::UnknownTool(_))));
    servers.stop_all().await;
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled_and_a_server_that_hangs_is_stopped() {
    require_tool!("python3");
    let servers = with(declaration("good")).await;
    servers.tools("s").await;
    let family = crate::support::family(&servers).await;
    let short = Duration::from_millis(200);
    for _ in 0..limits::TIMEOUTS_IN_A_ROW {
        let arguments = serde_json::json!({"text": "1000"}).as_object().unwrap().clone();
        let error = servers.call_within("s__sleep", arguments, short).await.unwrap_err();
        assert_eq!(error.to_string(), "`s__sleep` did not answer within 0.2 s; the call was cancelled");
    }
    crate::support::all_gone(&family).await;
    assert_eq!(call(&servers, "echo", "anew").await.unwrap().text.lines().next(), Some("anew"));
    servers.stop_all().await;
}

#[tokio::test]
async fn pages_are_read_to_the_end() {
    require_tool!("python3");
    let (tools, diagnostics) = listed(declaration("paged")).await;
    assert_eq!(raw(&tools), ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"]);
    assert_eq!(messages(&diagnostics), "");
}

#[tokio::test]
async fn tools_that_change_are_listed_anew() {
    require_tool!("python3");
    let servers = with(declaration("good")).await;
    let before = servers.tools("s").await.0.len();
    call(&servers, "more", "").await.unwrap();
    // The notice was sent before the result, but is handled beside it.
    let start = std::time::Instant::now();
    while servers.tools("s").await.0.len() == before {
        assert!(start.elapsed() < LONG);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(call(&servers, "new", "").await.unwrap().text, "new");
    servers.stop_all().await;
}

#[tokio::test]
async fn a_server_without_a_handshake_is_understood_too() {
    require_tool!("python3");
    let servers = with(declaration("modern")).await;
    let (tools, diagnostics) = servers.tools("s").await;
    assert!(!tools.is_empty(), "{}", messages(&diagnostics));
    assert_eq!(call(&servers, "echo", "x").await.unwrap().text.lines().next(), Some("x"));
    servers.stop_all().await;
}

#[tokio::test]
async fn nothing_of_our_environment_reaches_a_server() {
    require_tool!("python3");
    let mut declaration = declaration("good");
    command(&mut declaration).environment.insert("GIVEN".to_owned(), "yes".to_owned());
    let servers = with(declaration).await;
    servers.tools("s").await;
    let seen: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&call(&servers, "env", "").await.unwrap().text).unwrap();
    assert_eq!(seen["GIVEN"], "yes");
    // Shells and launchers of Python set some themselves.
    let own = |name: &str| {
        ["PATH", "PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"].contains(&name) || name.contains("PYENV")
    };
    let inherited: Vec<_> =
        std::env::vars().filter(|(name, _)| seen.contains_key(name) && !own(name)).collect();
    assert_eq!(inherited, []);
    assert!(std::env::var("CARGO_MANIFEST_DIR").is_ok(), "there was something to inherit");
    servers.stop_all().await;
}
