//! Servers that hang, flood, die and lie.

use crate::support::{LONG, call, command, declaration, listed, messages, raw, with};
use skillful_mcp::client::{ClientError, limits};
use skillful_testkit::{alone, require_tool};
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_server_that_dies_at_its_start_is_a_diagnostic_with_its_last_words() {
    require_tool!("python3");
    let (tools, diagnostics) = listed(declaration("dies")).await;
    assert_eq!(tools, []);
    let told = messages(&diagnostics);
    assert!(told.starts_with("mcp-start-failed: the MCP server of `s` gives 0 tools: it ended before it was ready (exit status 7)"), "{told}");
    assert!(told.contains("cannot find my configuration"), "{told}");
    assert!(diagnostics[0].help.is_some() && diagnostics[0].path.is_some());
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let mut declaration = declaration("good");
    command(&mut declaration).program = "no-such-program-at-all".to_owned();
    let told = messages(&listed(declaration).await.1);
    assert!(
        told.contains("0 tools: there is no program `no-such-program-at-all` on the search path"),
        "{told}"
    );
}

#[tokio::test]
async fn a_server_that_hangs_runs_out_of_time() {
    require_tool!("python3");
    for mode in ["hangs", "hangs-at-list"] {
        let mut declaration = declaration(mode);
        declaration.startup = Duration::from_secs(2);
        let start = Instant::now();
        let told = messages(&listed(declaration).await.1);
        assert!(told.contains("0 tools: it was not ready within 2 s"), "{told}");
        assert!(start.elapsed() < LONG);
    }
}

#[tokio::test]
async fn a_server_that_refuses_says_why() {
    require_tool!("python3");
    let told = messages(&listed(declaration("refuses")).await.1);
    assert!(told.contains("it does not speak the protocol as expected: not for you, (-32000)"), "{told}");
    let told = messages(&listed(declaration("dies-at-list")).await.1);
    assert!(told.contains("it ended before it was ready (exit status 9)"), "{told}");
    let told = messages(&listed(declaration("no-tools")).await.1);
    assert!(told.contains("its list of tools has no `tools`"), "{told}");
}

#[tokio::test]
async fn floods_end_the_connection_and_say_what_they_were() {
    require_tool!("python3");
    for (mode, reason) in [
        ("floods-a-line", "it sent a message of more than 8388608 bytes"),
        ("floods-noise", "it wrote more than 10000 lines that are no messages"),
        ("floods-messages", "it sent more than 10000 messages that nobody asked for"),
        ("floods-stderr", "the end"),
    ] {
        let (tools, diagnostics) = listed(declaration(mode)).await;
        assert_eq!(tools, []);
        let told = messages(&diagnostics);
        assert!(told.contains(reason) && told.len() < 2_000, "{mode}: {told}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_flood_does_not_grow_our_memory() {
    require_tool!("python3");
    // Other tests of the same process would grow it too.
    if !alone() {
        return;
    }
    listed(declaration("good")).await;
    let before = peak();
    listed(declaration("floods-a-line")).await;
    listed(declaration("floods-messages")).await;
    listed(declaration("floods-stderr")).await;
    let grown = peak() - before;
    assert!(grown < 64 << 10, "{grown} KiB");
}

#[tokio::test]
async fn a_flood_after_a_call_ends_the_server_and_the_next_call_starts_it_anew() {
    require_tool!("python3");
    let servers = with(declaration("floods-after-a-call")).await;
    servers.tools("s").await;
    for _ in 0..2 {
        assert!(call(&servers, "echo", "x").await.is_ok());
        // Until the flood was noticed.
        let start = Instant::now();
        while servers.status().await[0].state == skillful_mcp::client::ServerState::Running {
            assert!(start.elapsed() < LONG);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    servers.stop_all().await;
}

#[tokio::test]
async fn a_message_that_is_too_long_ends_the_call() {
    require_tool!("python3");
    let servers = with(declaration("good")).await;
    servers.tools("s").await;
    let error = call(&servers, "huge", "").await.unwrap_err();
    assert!(matches!(error, ClientError::NotRunning { .. }));
    assert!(error.to_string().contains("a message of more than 8388608 bytes"), "{error}");
    assert!(call(&servers, "echo", "x").await.is_ok());
    servers.stop_all().await;
}

#[tokio::test]
async fn lists_without_end_end() {
    require_tool!("python3");
    let (tools, diagnostics) = listed(declaration("endless")).await;
    assert_eq!(tools.len(), limits::PAGES);
    assert!(messages(&diagnostics).contains("its list of tools has more than 64 pages"));
    let (tools, diagnostics) = listed(declaration("circle")).await;
    assert_eq!(raw(&tools), ["t0", "t1"]);
    assert!(messages(&diagnostics).contains("leads back to a page it gave before"));
    let (tools, diagnostics) = listed(declaration("many")).await;
    assert_eq!(tools.len(), limits::TOOLS);
    assert!(messages(&diagnostics).contains("it has more than 256 tools"));
}

#[tokio::test]
async fn tools_that_cannot_be_used_are_told_and_the_others_kept() {
    require_tool!("python3");
    let (tools, diagnostics) = listed(declaration("odd")).await;
    assert_eq!(raw(&tools), ["ok", "bare", "wetter/für:ü", "untyped", "chatty"]);
    for tool in &tools {
        assert!(tool.name.len() <= 64 && tool.name.is_ascii(), "{}", tool.name);
        assert_eq!(tool.schema["type"], "object");
    }
    let told = messages(&diagnostics);
    for expected in [
        "it lists the tool `ok` twice; the first counts",
        "its tool `` is not offered: it has no name",
        "its tool `` is not offered: it is no object",
        "its tool `two words` is not offered: its name holds blanks",
        "its name has more than 128 bytes",
        "its tool `list` is not offered: its schema is no object",
        "its tool `number` is not offered: its schema describes something else",
        "its tool `fat` is not offered: its schema has more than 65,536 bytes",
        "of the tool `chatty` not all is used: its description was cut after 8192 bytes",
    ] {
        assert!(told.contains(expected), "{expected}\n{told}");
    }
    assert!(!told.contains('\u{1b}'), "{told:?}");
}

#[tokio::test]
async fn a_tool_that_changes_between_pages_is_taken_as_it_was_first() {
    require_tool!("python3");
    let (tools, diagnostics) = listed(declaration("changing")).await;
    assert_eq!(raw(&tools), ["a", "b", "c"]);
    assert_eq!(tools[1].description.as_deref(), Some("Does b."));
    assert!(messages(&diagnostics).contains("it lists the tool `b` twice, each time differently"));
}

#[tokio::test]
async fn answers_to_others_are_counted_and_not_taken_for_ours() {
    require_tool!("python3");
    let servers = with(declaration("wrong-ids")).await;
    servers.tools("s").await;
    assert_eq!(call(&servers, "echo", "mine").await.unwrap().text.lines().next(), Some("mine"));
    let error = servers
        .call_within("s__nothing", crate::support::nothing(), Duration::from_millis(500))
        .await
        .unwrap_err();
    assert!(matches!(error, ClientError::Timeout { .. }));
    let told = messages(&servers.tools("s").await.1);
    assert!(
        told.contains("mcp-misbehaved") && told.contains("answers to questions that nobody asked"),
        "{told}"
    );
    servers.stop_all().await;
}

#[tokio::test]
async fn noise_between_messages_is_borne_and_told() {
    require_tool!("python3");
    let (tools, diagnostics) = listed(declaration("noisy")).await;
    assert!(!tools.is_empty());
    let told = messages(&diagnostics);
    assert!(
        told.contains(
            "it wrote 2 lines to its output that are no messages; the first: `Server started on stdio`"
        ),
        "{told}"
    );
}

/// The most memory that this process ever had, in kB.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
