//! Commands that a body asks to be run before a model sees it: !`command` at the start of a line or
//! after a blank, and blocks fenced with ```` ```! ````.
//!
//! Only the author's own text is looked at, before anything is put in, so that no argument and no
//! output can add a command. Code that merely shows the notation is never a command.

use skillful_format::code_spans;
use std::ops::Range;

/// A command in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Bytes of the body that its output replaces.
    pub range: Range<usize>,
    /// As written.
    pub text: String,
}

/// The commands of a body, in order.
pub fn commands(body: &str) -> Vec<Command> {
    if !body.contains('!') {
        return Vec::new();
    }
    let indented = indented_code(body);
    let mut commands = Vec::new();
    for range in code_spans::ranges(body) {
        let shown = &body[range.clone()];
        if shown.starts_with("```") || shown.starts_with("~~~") {
            commands.extend(block(shown).map(|text| Command { range: range.clone(), text }));
            continue;
        }
        let Some(before) = body[..range.start].strip_suffix('!') else { continue };
        let is_alone = before.chars().next_back().is_none_or(char::is_whitespace);
        let inner = shown.trim_matches('`');
        let single = shown.len() == inner.len() + 2 && !inner.contains(['\n', '`']);
        let in_code = indented.iter().any(|code| code.contains(&range.start));
        if is_alone && single && !in_code && !inner.trim().is_empty() {
            commands.push(Command { range: range.start - 1..range.end, text: inner.trim().to_owned() });
        }
    }
    commands
}

/// The lines of a block whose fence says `!` and nothing else.
fn block(shown: &str) -> Option<String> {
    let (fence, rest) = shown.split_once('\n')?;
    let mark = fence.chars().next()?;
    let opening = fence.chars().take_while(|c| *c == mark).count();
    if fence[opening..].trim() != "!" {
        return None;
    }
    // A block that is never closed is a mistake and runs nothing.
    let (lines, last) = rest.trim_end().rsplit_once('\n')?;
    let closing = last.trim();
    if closing.len() < opening || !closing.chars().all(|c| c == mark) {
        return None;
    }
    let text = lines.trim();
    // A fence inside a block makes its end a matter of opinion, and opinions run nothing.
    let plain = !text.contains("```") && !text.contains("~~~");
    (!text.is_empty() && plain).then(|| text.to_owned())
}

/// Lines indented by four or more behind an empty line are code, unless they belong to a list.
fn indented_code(body: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut at, mut after_blank, mut in_list, mut in_code) = (0, true, false, false);
    for line in body.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let content = line.trim_start();
        if content.is_empty() {
            after_blank = true;
            continue;
        }
        let indented = line.starts_with("    ") || line.starts_with('\t');
        in_code = indented && !in_list && (after_blank || in_code);
        if in_code {
            found.push(range);
        } else if !indented {
            let digits = content.bytes().take_while(u8::is_ascii_digit).count();
            let bullet = content.starts_with("- ") || content.starts_with("* ") || content.starts_with("+ ");
            let number = digits > 0 && content[digits..].starts_with(['.', ')']);
            // A paragraph that starts in the first column ends the list above it.
            in_list = bullet || number || (in_list && (!after_blank || line.starts_with(' ')));
        }
        after_blank = false;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use skillful_catalog::capability;

    #[track_caller]
    fn check(body: &str, expected: &[&str]) {
        let found = commands(body);
        let texts: Vec<&str> = found.iter().map(|command| command.text.as_str()).collect();
        assert_eq!(texts, expected, "{body}");
    }

    #[test]
    fn a_command_stands_at_the_start_of_a_line_or_after_a_blank() {
        check("!`git status`\n", &["git status"]);
        check("Branch: !`git branch` and\n\t!`pwd`", &["git branch", "pwd"]);
        check("no!`git status` x=!`id`", &[]);
        check("<context>\n!`git diff`\n</context>\n", &["git diff"]);
        check("!`` `x` ``  !` `", &[]);
    }

    #[test]
    fn a_block_whose_fence_is_marked_is_a_command() {
        check("```!\nnode --version\nnpm -v\n```\n", &["node --version\nnpm -v"]);
        check("~~~ !\nls\n~~~\n", &["ls"]);
        check("```!bash\nls\n```\n```bash\n!`ls`\n```\n", &[]);
    }

    #[test]
    fn a_block_that_is_not_closed_by_its_own_fence_runs_nothing() {
        check("```!\nls\n``", &[]);
        check("````!\nls\n```", &[]);
        check("```!\nls\n", &[]);
    }

    #[test]
    fn code_that_shows_the_notation_is_never_run() {
        check("Write `` !`date` `` for the date.", &[]);
        check("````\n```!\nrm -rf /\n```\n````\n", &[]);
        check("Text.\n\n    !`indented code`\n", &[]);
        check("- item\n\n    !`in a list`\n", &["in a list"]);
    }

    #[test]
    fn a_stray_backtick_hides_no_command_of_the_next_paragraph() {
        check("A stray ` here.\n\n!`date`\n", &["date"]);
    }

    #[test]
    fn the_range_is_what_the_output_replaces() {
        let body = "On !`date` now";
        assert_eq!(&body[commands(body)[0].range.clone()], "!`date`");
    }

    proptest! {
        #[test]
        fn every_command_of_any_body_is_one_that_trust_covers(body in "[!`~ \n\tabé-]{0,120}") {
            let mut end = 0;
            for command in commands(&body) {
                prop_assert!(command.range.start >= end);
                // What would run is part of what a person agrees to when trusting the skill.
                prop_assert!(capability::commands_of(&body).contains(&command.text));
                end = command.range.end;
            }
            prop_assert!(end <= body.len());
        }
    }
}
