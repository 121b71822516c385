//! The contract of a list, rule by rule.

use crate::{ground, lists, policy};
use skillful_catalog::profile::{AgentProfiles, ToolListMode};
use skillful_runtime::policy::{
    Because, COMMAND_LIMIT, Decision, Ground, LOADER_TOOLS, PathBase, Policy, Reason, Strictness, ToolCall,
    ToolLists,
};

fn allowed(policy: &Policy, call: &ToolCall<'_>) -> bool {
    policy.decide(call).is_allowed()
}

#[test]
fn use_skill_with_a_list_then_one_without_refuses_writes_then_clears() {
    let ground = ground(ToolListMode::Restrict);
    let first = Policy::of(&lists("Read Bash(git:*)", ""), &ground);
    assert!(first.decide(&ToolCall::path("Write", "a")).is_denied());
    assert!(allowed(&first, &ToolCall::path("Read", "a")));
    assert!(allowed(&first, &ToolCall::command("Bash", "git status")));
    assert!(first.decide(&ToolCall::command("Bash", "rm x")).is_denied());
    let second = Policy::of(&ToolLists::default(), &ground);
    assert_eq!(second.decide(&ToolCall::path("Write", "a")), Decision::Allowed(Because::Unrestricted));
    for policy in [&first, &second] {
        for tool in LOADER_TOOLS {
            assert_eq!(policy.decide(&ToolCall::bare(tool)), Decision::Allowed(Because::Loader));
        }
    }
}

#[test]
fn loader_tools_pass_under_the_name_of_the_agent_too() {
    assert!(allowed(&policy("Read", ""), &ToolCall::text("skill", "pdf")));
}

#[test]
fn names_are_normalised_in_both_directions_and_without_case() {
    for (grant, tool) in
        [("Bash", "run_command"), ("run_command", "BASH"), ("shell", "bash"), ("READ", "read_file")]
    {
        assert!(allowed(&policy(grant, ""), &ToolCall::command(tool, "x")), "{grant} {tool}");
    }
    let agents = AgentProfiles::embedded();
    let place = PathBase { folder: "/work".to_owned(), home: None };
    let mut codex = agents.get("codex").unwrap().clone();
    codex.tool_list = ToolListMode::Restrict;
    let policy = Policy::of(&lists("Bash(git:*)", ""), &Ground::of(&codex, &[], place));
    assert!(allowed(&policy, &ToolCall::command("exec_command", "git status")));
    assert!(policy.decide(&ToolCall::command("exec_command", "id")).is_denied());
}

#[test]
fn a_tool_that_is_two_of_ours_needs_both() {
    assert!(!allowed(&policy("Edit", ""), &ToolCall::path("apply_patch", "a")));
    assert!(allowed(&policy("Edit Write", ""), &ToolCall::path("apply_patch", "a")));
    assert!(!allowed(&policy("apply_patch", "Edit"), &ToolCall::path("apply_patch", "a")));
}

#[test]
fn a_list_that_names_no_known_tool_denies_in_strict_mode_and_not_in_lenient() {
    let mut ground = ground(ToolListMode::Restrict);
    for list in ["Frobnicate Widget(x)", ""] {
        let strict = Policy::of(&lists(list, ""), &ground);
        assert!(matches!(
            strict.decide(&ToolCall::bare("Read")),
            Decision::Denied(Reason::UnreadableList(_))
        ));
        assert!(allowed(&strict, &ToolCall::bare("use_skill")));
    }
    ground.strictness = Strictness::Lenient;
    let lenient = Policy::of(&lists("Frobnicate", ""), &ground);
    assert!(allowed(&lenient, &ToolCall::bare("Read")));
    assert_eq!(lenient.notes.len(), 1);
}

#[test]
fn a_pattern_that_cannot_be_read_grants_nothing_and_is_noted() {
    for entry in [
        "Bash(git add . && rm x)",
        "Bash(:*)",
        "Bash($X:*)",
        "Bash(git* status)",
        "Read(../x)",
        "WebFetch(x)",
    ] {
        let policy = policy(entry, "");
        assert_eq!(policy.notes.len(), 1, "{entry}");
        assert!(!allowed(&policy, &ToolCall::command("Bash", "git add .")));
        assert!(!allowed(&policy, &ToolCall::path("Read", "/x")));
    }
}

#[test]
fn preapprove_asks_and_ignored_has_no_effect() {
    let approve = Policy::of(&lists("Bash(git:*)", "Write"), &ground(ToolListMode::Preapprove));
    assert!(allowed(&approve, &ToolCall::command("Bash", "git status")));
    assert!(matches!(approve.decide(&ToolCall::command("Bash", "id")), Decision::NeedsApproval(_)));
    assert!(matches!(approve.decide(&ToolCall::command("Bash", "git $(id)")), Decision::NeedsApproval(_)));
    assert!(approve.decide(&ToolCall::path("Write", "a")).is_denied());
    let ignored = Policy::of(&lists("Read", "Write"), &ground(ToolListMode::Ignored));
    assert!(allowed(&ignored, &ToolCall::command("Bash", "id")));
    assert!(ignored.decide(&ToolCall::path("Write", "a")).is_denied(), "narrowing holds in every mode");
}

#[test]
fn what_is_disallowed_beats_what_is_allowed() {
    let policy = policy(
        "Bash Read WebFetch",
        "Bash(rm:*) Bash(git push) Read(secret/**) WebFetch(domain:evil.example)",
    );
    for command in [
        "rm x",
        "/bin/rm x",
        "RM x",
        "\\rm x",
        "ls; rm x",
        "sudo rm x",
        "env rm x",
        "sh -c 'rm x'",
        "find . -exec rm {} +",
        "$(echo rm) x",
        "git push",
        "git push origin",
        "git -C x push",
        "git --no-pager push",
        "echo x | xargs rm",
        "git pu''sh",
        "git p* x",
    ] {
        assert!(policy.decide(&ToolCall::command("Bash", command)).is_denied(), "{command}");
    }
    assert!(allowed(&policy, &ToolCall::command("Bash", "ls -la && git pull")));
    for path in ["secret/a", "/work/secret/a", "SECRET/a", "x/../secret/a"] {
        assert!(policy.decide(&ToolCall::path("Read", path)).is_denied(), "{path}");
    }
    assert!(policy.decide(&ToolCall::command("Bash", "cat < secret/a")).is_denied());
    assert!(allowed(&policy, &ToolCall::path("Read", "open/a")));
    assert!(policy.decide(&ToolCall::url("WebFetch", "https://evil.example/")).is_denied());
    assert!(allowed(&policy, &ToolCall::url("WebFetch", "https://example.com/")));
}

#[test]
fn a_bare_shell_grant_is_every_command() {
    assert!(allowed(&policy("Bash", ""), &ToolCall::command("Bash", "x $(y) > z &")));
}

#[test]
fn a_skill_can_be_forbidden_by_name_and_loaders_not_by_a_star() {
    let policy = policy("Read", "Skill(deploy) *");
    assert!(policy.decide(&ToolCall::text("Skill", "deploy")).is_denied());
    assert!(policy.decide(&ToolCall::text("Skill", "DEPLOY")).is_denied());
    assert!(allowed(&policy, &ToolCall::text("Skill", "pdf")));
    assert!(policy.decide(&ToolCall::bare("Read")).is_denied());
}

#[test]
fn a_redirection_needs_a_grant_for_its_file() {
    let policy = policy("Bash(echo:*) Write(out/**)", "");
    assert!(allowed(&policy, &ToolCall::command("Bash", "echo x > out/a")));
    assert!(policy.decide(&ToolCall::command("Bash", "echo x > a")).is_denied());
    assert!(
        policy.decide(&ToolCall::command("Bash", "echo x < out/a")).is_denied(),
        "reading is another tool"
    );
}

#[test]
fn tools_of_a_server_are_granted_together_or_alone() {
    for list in ["mcp__github", "mcp__github__*"] {
        let policy = policy(list, "");
        assert!(allowed(&policy, &ToolCall::bare("mcp__github__get_issue")), "{list}");
        assert!(!allowed(&policy, &ToolCall::bare("mcp__githubevil__get_issue")), "{list}");
    }
    let one = policy("mcp__github__get_issue", "mcp__slack__*");
    assert!(!allowed(&one, &ToolCall::bare("mcp__github__delete_repo")));
    assert!(one.decide(&ToolCall::bare("mcp__slack__post")).is_denied());
}

#[test]
fn absolute_home_and_relative_patterns_are_distinguished() {
    let policy = policy("Read(/etc/agents) Read(~/notes/*.md) Read(./docs/**)", "");
    for (path, fits) in [
        ("/etc/agents", true),
        ("/etc/passwd", false),
        ("/home/ann/notes/a.md", true),
        ("/home/ann/notes/deep/a.md", false),
        ("docs/a/b", true),
        ("/work/docs/a", true),
        ("/docs/a", false),
    ] {
        assert_eq!(allowed(&policy, &ToolCall::path("Read", path)), fits, "{path}");
    }
}

#[test]
fn a_call_without_its_argument_fits_no_pattern() {
    assert!(policy("Bash(git:*)", "").decide(&ToolCall::bare("Bash")).is_denied());
    assert!(policy("Bash", "Bash(rm:*)").decide(&ToolCall::bare("Bash")).is_denied());
}

#[test]
fn an_overlong_or_deeply_nested_command_is_denied_quickly() {
    let policy = policy("Bash(git:*)", "");
    let long = format!("git log {}", "a".repeat(COMMAND_LIMIT));
    let opened = format!("git log {}", "$(".repeat(2_000));
    let braces = format!("git log {}", "{".repeat(8_000));
    let parens = format!("git log {}", "(".repeat(8_000));
    let quotes = format!("git log {}", "\"'".repeat(4_000));
    let pipes = format!("git log {}", "| git log ".repeat(1_500));
    let subshells = format!("{}git log{}", "(".repeat(4_000), ")".repeat(4_000));
    for command in [long, opened, braces, parens, quotes, pipes, subshells] {
        let decision = policy.decide(&ToolCall::command("Bash", &command));
        assert!(decision.is_denied() || !command.contains('('), "{}", &command[..40]);
    }
}

#[test]
fn refusals_read_as_sentences() {
    let policy = policy("Bash(git:*) Read", "WebFetch");
    let words = |call: ToolCall<'_>| match policy.decide(&call) {
        Decision::Denied(reason) => reason.to_string(),
        other => format!("{other:?}"),
    };
    insta::assert_snapshot!(
        [
            words(ToolCall::path("Write", "a")),
            words(ToolCall::command("Bash", "git log; curl x")),
            words(ToolCall::command("Bash", "git log $(id)")),
            words(ToolCall::command("Bash", "git -c core.pager=id log")),
            words(ToolCall::url("WebFetch", "https://example.com")),
        ]
        .join("\n"),
        @r"
    `Write` is not allowed: the active skill allows only Bash(git:*), Read
    `curl x` is not allowed: the active skill allows only Bash(git:*), Read
    it cannot be shown to be allowed: `$(id)` is expanded by the shell; write the value itself
    it cannot be shown to be allowed: `-c` is not among the arguments of `git` that an open-ended grant lets through; leave it out, or let the grant spell out the whole command
    it is forbidden by `WebFetch`
    ");
}

#[test]
fn a_here_document_inside_a_substitution_is_refused_before_it_is_read() {
    let policy = policy("Bash(git:*)", "");
    for command in ["git log $(cat <<a", "git log `<<a`", "git log $(<<a\nx\na\n)", "git log ${x:-<<a}"] {
        assert!(policy.decide(&ToolCall::command("Bash", command)).is_denied(), "{command}");
    }
    // Text that only looks like one is a word.
    assert!(allowed(&policy, &ToolCall::command("Bash", "git commit -m 'a << b'")));
}
