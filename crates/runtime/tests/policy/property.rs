//! Properties that hold for every input.

use crate::policy;
use proptest::prelude::*;
use skillful_runtime::policy::ToolCall;

const SEPARATORS: [&str; 14] =
    [";", " ; ", "&&", " && ", "||", " || ", "|", " | ", "&", " & ", "\n", "\r\n", " |& ", "\n\n"];

fn command() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z]{1,8}",
        "--[a-z]{1,6}",
        "'[a-z ;&|$`]{0,8}'",
        "\"[a-z ;&|]{0,8}\"",
        "[a-z]{1,4}/\\*\\.rs",
    ];
    (
        prop::sample::select(vec!["git log", "git add", "ls", "npm run test"]),
        prop::collection::vec(word, 0..4),
    )
        .prop_map(|(head, words)| format!("{head} {}", words.join(" ")))
}

/// Text that is dense in what shells find special.
fn noise() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "git", "ls", " ", " ", ";", "&", "|", "(", ")", "{", "}", "<", ">", "$", "`", "'", "\"", "\\", "\n",
        "*", "?", "[", "]", "~", "=", "#", "!", "$(", "${", "<<", "EOF", "a", "-c", "é", "\u{200b}", "\0",
        "status",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_allowed_command_with_another_before_or_after_it_is_denied(
        command in command(),
        separator in prop::sample::select(SEPARATORS.to_vec()),
    ) {
        let policy = policy("Bash(git:*) Bash(ls:*) Bash(npm run test:*)", "");
        if policy.decide(&ToolCall::command("Bash", &command)).is_allowed() {
            for joined in [format!("{command}{separator}rm -rf /"), format!("rm -rf /{separator}{command}")] {
                prop_assert!(policy.decide(&ToolCall::command("Bash", &joined)).is_denied(), "{joined}");
            }
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let policy = policy("Bash(git:*) Read(src/**) WebFetch(domain:example.com)", "Bash(rm:*) Read(src/x)");
        let _ = policy.decide(&ToolCall::command("Bash", &bytes));
        let text = String::from_utf8_lossy(&bytes);
        let _ = policy.decide(&ToolCall::path("Read", &text));
        let _ = policy.decide(&ToolCall::url("WebFetch", &text));
        let _ = policy.decide(&ToolCall::text(&text, &text));
    }

    #[test]
    fn noise_of_the_shell_never_panics_and_runs_nothing_but_the_grant(text in noise()) {
        let policy = policy("Bash(git:*)", "");
        let decision = policy.decide(&ToolCall::command("Bash", &text));
        if decision.is_allowed() {
            let head = text.trim_start_matches([' ', '!', '\n']);
            prop_assert!(head.starts_with("git"), "{text:?}");
            prop_assert!(!text.contains("$(") || text.contains('\'') || text.contains('\\'), "{text:?}");
        }
    }

    #[test]
    fn no_pattern_panics(pattern in "\\PC{0,24}", tool in prop::sample::select(vec!["Bash", "Read", "WebFetch", "Skill"])) {
        let entry = skillful_format::ToolGrant { name: tool.to_owned(), pattern: Some(pattern) };
        let lists = skillful_runtime::policy::ToolLists { allowed: Some(vec![entry.clone()]), disallowed: vec![entry], ..Default::default() };
        let ground = crate::ground(skillful_catalog::profile::ToolListMode::Restrict);
        let policy = skillful_runtime::policy::Policy::of(&lists, &ground);
        let _ = policy.decide(&ToolCall::command("Bash", "git status"));
        let _ = policy.decide(&ToolCall::path("Read", "src/a"));
    }
}
