use super::*;
use proptest::prelude::*;

#[track_caller]
fn check(body: &str, expected: &[&str]) {
    let found = commands(body);
    let texts: Vec<&str> = found.iter().map(|command| command.text.as_str()).collect();
    assert_eq!(texts, expected, "{body:?}");
}

/// Nothing runs, and the record still names the text.
#[track_caller]
fn only_shown(body: &str, expected: &str) {
    check(body, &[]);
    assert_eq!(shown_texts(body), [expected], "{body:?}");
}

fn shown_texts(body: &str) -> Vec<String> {
    shown(body).into_iter().map(|one| one.text).collect()
}

#[test]
fn a_command_stands_at_the_start_of_a_line_or_after_a_blank() {
    check("!`git status`\n", &["git status"]);
    check("Branch: !`git branch` and\n\t!`pwd`", &["git branch", "pwd"]);
    check("no!`git status` x=!`id`", &[]);
    check("<context>\n!`git diff`\n</context>\n", &["git diff"]);
    check("!`` `x` ``  !` `", &[]);
    check("a\r\n!`id`\r\n", &["id"]);
}

#[test]
fn a_block_whose_fence_is_marked_is_a_command() {
    check("```!\nnode --version\nnpm -v\n```\n", &["node --version\nnpm -v"]);
    check("```!\r\nnode --version\r\nnpm -v\r\n```\r\n", &["node --version\nnpm -v"]);
    check("~~~ !\t\nls\n~~~\n", &["ls"]);
    check("```!bash\nls\n```\n```bash\n!`ls`\n```\n", &[]);
    check("1. Look:\n\n    ```!\n    ls\n    ```\n\n   !`id`\n", &["ls", "id"]);
}

#[test]
fn a_block_that_is_not_closed_by_its_own_fence_runs_nothing() {
    only_shown("```!\nls\n``", "ls\n``");
    only_shown("````!\nls\n```", "ls");
    only_shown("```!\nls\n", "ls");
    only_shown("~~~!\nls\n```\n", "ls\n```");
}

/// Attack 1 of the first trial: the runtime trimmed Unicode blanks, the record did not.
#[test]
fn another_blank_than_space_and_tab_before_the_mark_makes_it_text_for_every_reader() {
    for blank in ["\u{a0}", "\u{c}", "\u{2003}", "\u{b}", "\u{85}", "\u{3000}", "\u{200b}", "\u{feff}", "\r"]
    {
        only_shown(&format!("```{blank}!\nid\n```\n"), "id");
        only_shown(&format!("``` {blank} !\nid\n```\n"), "id");
        only_shown(&format!("~~~{blank}!\nid\n~~~\n"), "id");
        only_shown(&format!("a{blank}!`id`\n"), "id");
    }
    // Behind the mark it is another info string.
    only_shown("```!\u{a0}\nid\n```\n", "\u{a0}\nid");
    // A closing fence with something behind it closes nothing.
    only_shown("```!\nid\n```\u{a0}\n", "id");
}

#[test]
fn code_that_shows_the_notation_is_never_run() {
    only_shown("Write `` !`date` `` for the date.", "date");
    only_shown("````\n```!\nrm -rf /\n```\n````\n", "rm -rf /");
    only_shown("~~~\n```!\nrm -rf /\n```\n~~~\n", "rm -rf /");
    only_shown("Text.\n\n    !`indented code`\n", "indented code");
    only_shown("Text.\n\n    ```!\n    ls\n    ```\n", "ls");
    only_shown("# Heading\n \t!`ls`\n", "ls");
    only_shown("```\nx\n```\n    !`ls`\n", "ls");
    only_shown("Write ```!\nls\n    ``` so.", "ls");
    check("- item\n\n    !`in a list`\n", &["in a list"]);
    check("a paragraph\n    !`goes on`\n", &["goes on"]);
}

#[test]
fn a_stray_backtick_hides_no_command_of_the_next_paragraph() {
    check("A stray ` here.\n\n!`date`\n", &["date"]);
}

#[test]
fn a_command_knows_its_bytes_its_line_and_its_form() {
    let body = "On !`date` now\n\n```!\nls\n```\n!`id`";
    let found: Vec<_> = commands(body)
        .into_iter()
        .map(|command| (&body[command.range], &body[command.inner], command.line, command.form))
        .collect();
    assert_eq!(
        found,
        [
            ("!`date`", "date", 1, CommandForm::Span),
            ("```!\nls\n```\n", "ls", 3, CommandForm::Fence),
            ("!`id`", "id", 6, CommandForm::Span),
        ]
    );
}

#[test]
fn what_runs_is_not_among_what_is_only_shown() {
    assert_eq!(shown_texts("!`a` and `` !`b` `` and !`a`"), ["b"]);
    assert!(shown("Plain `code` and an exclamation! `more`.").is_empty());
    let body = "Look.\n`` !`b` ``\n````\n``` !\nid\n```\n````\n";
    let found: Vec<_> =
        shown(body).into_iter().map(|one| (body[one.range].to_owned(), one.line, one.form)).collect();
    assert_eq!(
        found,
        [("!`b".to_owned(), 2, CommandForm::Span), ("``` !\nid\n".to_owned(), 4, CommandForm::Fence),]
    );
}

proptest! {
    #[test]
    fn every_text_with_the_notation_is_run_or_shown(body in "[!`~ \n\t\r\u{a0}\u{c}\u{2003}abé#-]{0,120}") {
        let found = commands(&body);
        let mut end = 0;
        for command in &found {
            prop_assert!(command.range.start >= end);
            end = command.range.end;
            prop_assert_eq!(command.line, body[..command.range.start].matches('\n').count() + 1);
            prop_assert!(!command.text.trim_matches(OUTER_BLANKS).is_empty());
        }
        prop_assert!(body.get(..end).is_some());
        let run: BTreeSet<String> = found.into_iter().map(|command| command.text).collect();
        let shown: BTreeSet<String> = shown(&body).into_iter().map(|one| one.text).collect();
        prop_assert!(run.is_disjoint(&shown));
        for one in notations(&body).filter(|one| !one.text.is_empty()) {
            prop_assert!(body.get(one.range).is_some());
            prop_assert!(run.contains(&one.text) || shown.contains(&one.text));
        }
    }
}
