use super::*;
use crate::tools::change::difference;
use proptest::prelude::*;

/// Applies a unified difference, as a person with `patch` would.
fn patched(old: &str, diff: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::new(), 0);
    let mut lines = diff.split_inclusive('\n').skip_while(|line| !line.starts_with("@@")).peekable();
    while let Some(line) = lines.next() {
        if let Some(hunk) = line.strip_prefix("@@ -") {
            let start: Vec<usize> =
                hunk.split([' ', '+']).next().unwrap().split(',').map(|n| n.parse().unwrap()).collect();
            // A hunk without old lines stands after the line it names.
            let from = if start.get(1) == Some(&0) { start[0] } else { start[0] - 1 };
            out.extend(old[at..from].iter().copied());
            at = from;
            continue;
        }
        let cut = lines.next_if(|next| next.starts_with("\\ No newline")).is_some();
        let body = if cut { line[1..].trim_end_matches('\n') } else { &line[1..] };
        match line.as_bytes()[0] {
            b' ' => {
                assert_eq!(old[at], body);
                out.push_str(body);
                at += 1;
            }
            b'-' => {
                assert_eq!(old[at], body);
                at += 1;
            }
            b'+' => out.push_str(body),
            _ => panic!("{line}"),
        }
    }
    out.extend(old[at..].iter().copied());
    out
}

proptest! {
    #[test]
    fn the_difference_that_is_shown_makes_the_old_file_the_new_one(
        lines in proptest::collection::vec("[ab]{0,2}", 0..30),
        last in any::<bool>(),
        old in "[ab\n]{1,3}",
        new in "[abc\n]{0,4}",
        all in any::<bool>(),
    ) {
        let mut text = lines.join("\n");
        if last {
            text.push('\n');
        }
        let edit = Edit { old: old.clone(), new: new.clone(), all };
        let count = text.matches(&old).count();
        match apply(&text, &[edit]) {
            Ok(after) => {
                prop_assert!(count == 1 || all && count > 0);
                prop_assert_eq!(&after, &text.replace(&old, &new));
                if after != text {
                    prop_assert_eq!(patched(&text, &difference("x", Some(&text), &after)), after);
                }
            }
            Err(why) => {
                prop_assert!(count == 0 || count > 1 && !all, "{}", why);
            }
        }
    }

    #[test]
    fn an_edit_never_fails_on_odd_text(text in any::<String>(), old in "\\PC{1,4}|[\r\n \t]{1,3}", new in any::<String>()) {
        let _either = apply(&text, &[Edit { old, new, all: true }]);
    }
}
