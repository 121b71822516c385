use super::*;
use crate::policy::Aliases;
use skillful_format::{Document, Sidecars};
use std::collections::BTreeMap;

fn hooks(header: &str) -> (Hooks, Vec<Diagnostic>) {
    let text = format!("---\nname: x\ndescription: x\nhooks:\n{header}\n---\nx\n");
    Hooks::of(&Document::read(text.as_bytes(), &Sidecars::default()).manifest)
}

#[test]
fn a_guard_that_cannot_be_read_refuses_and_another_event_is_only_reported() {
    for guard in [
        "  PreToolUse: 3",
        "  PreToolUse:\n    - {type: prompt, prompt: ok?}",
        "  PreToolUse:\n    - hooks: [{type: command}]",
        "  pretooluse:\n    - hooks: no",
    ] {
        let (found, wrong) = hooks(guard);
        assert_eq!((found.0.len(), wrong.len()), (1, 1), "{guard}");
        assert!(found.0[0].command.contains("exit 2"));
    }
    let (found, wrong) = hooks("  Stop: 3\n  NoSuchEvent:\n    - hooks: [{command: x}]");
    assert_eq!((found.0.len(), wrong.len()), (0, 2));
}

#[test]
fn a_matcher_reads_names_and_counts_for_every_tool_when_it_cannot() {
    let aliases = Aliases::of(&BTreeMap::new(), &[]);
    let fits = |matcher: &str, tool: &str| Matcher::read(matcher).fits(tool, &aliases);
    for (matcher, tool, expected) in [
        ("", "Bash", true),
        ("*", "Bash", true),
        ("Bash", "bash", true),
        ("Bash", "run_command", true),
        ("Bash", "Read", false),
        ("Edit|Write", "write_file", true),
        ("^(Edit|Write)$", "Read", true),
        ("mcp__.*", "mcp__github__search", true),
        ("mcp__.*", "Read", false),
        ("mcp__*__read", "mcp__x__read", true),
    ] {
        assert_eq!(fits(matcher, tool), expected, "{matcher} {tool}");
    }
}

#[test]
fn times_have_a_bound() {
    let (found, wrong) =
        hooks("  Stop:\n    - {command: x, timeout: 999999}\n    - {command: y, timeout: soon}\n    - z");
    let times: Vec<u64> = found.0.iter().map(|hook| hook.timeout.as_secs()).collect();
    assert_eq!((times, wrong.len()), (vec![600, 60, 60], 0));
}
