use super::*;
use proptest::prelude::*;

const ONE_BASED: ArgumentRule =
    ArgumentRule { first: Some(1), missing: MissingArgument::Empty, all: true, named: false, rest: true };

fn given(arguments: &str) -> Values {
    let map =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Values {
        arguments: Arguments::new(arguments),
        names: vec!["issue".to_owned(), "branch".to_owned()],
        places: map(&[("CLAUDE_SKILL_DIR", "/s/pdf")]),
        variables: map(&[("HOST", "db1"), ("ODD", "$1\\x {{HOST}}")]),
        agent: map(&[("BOT_NAME", "Istota")]),
    }
}

#[track_caller]
fn check(text: &str, arguments: &str, expected: &str) {
    assert_eq!(substitute(text, &given(arguments), &OWN_DIALECT).text, expected, "{text}");
}

#[test]
fn arguments_are_counted_from_zero_in_our_own_dialect() {
    check("a $ARGUMENTS b", "x 'y z'", "a x 'y z' b");
    check("$0|$1|$ARGUMENTS[1]", "x 'y z'", "x|y z|y z");
    check("fix $issue on $branch.", "42 main", "fix 42 on main.");
}

#[test]
fn positions_follow_the_dialect_of_the_agent() {
    let text = "$1|$2|$0|$ARGUMENTS[0]";
    let out = substitute(text, &given("x y"), &ONE_BASED);
    assert_eq!(out.text, "x|y|$0|x");
}

#[test]
fn a_missing_position_stays_or_is_removed_by_the_dialect() {
    check("$0 $1", "x", "x $1");
    assert_eq!(substitute("$1 [$2]", &given("x"), &ONE_BASED).text, "x []");
    check("[$branch]", "x", "[]");
}

#[test]
fn the_highest_position_takes_the_rest_if_the_dialect_says_so() {
    assert_eq!(substitute("$1: $2", &given("a b c"), &ONE_BASED).text, "a: b c");
    check("$0: $1", "a b c", "a: b");
}

#[test]
fn argument_text_is_never_expanded_again() {
    check(
        "$ARGUMENTS",
        "$1 {{HOST}} ${CLAUDE_SKILL_DIR} !`rm -rf /`",
        "$1 {{HOST}} ${CLAUDE_SKILL_DIR} !`rm -rf /`",
    );
    check("{{ODD}}", "never", "$1\\x {{HOST}}");
}

#[test]
fn a_backslash_keeps_a_placeholder_as_it_is() {
    check(r"\$1 costs \$ARGUMENTS and \$x", "a b", r"$1 costs $ARGUMENTS and \$x");
}

#[test]
fn variables_allow_spaces_inside_and_unknown_ones_stay() {
    check("Host {{HOST}}{{ HOST }} {{ KEY }} {{ HOST", "", "Host db1db1 {{ KEY }} {{ HOST");
}

#[test]
fn names_of_the_agent_are_replaced_and_other_braces_stay() {
    check(
        "{BOT_NAME} {unknown} {\"json\": 1} ${CLAUDE_SKILL_DIR}/x ${HOME}",
        "",
        "Istota {unknown} {\"json\": 1} /s/pdf/x ${HOME}",
    );
}

#[test]
fn longer_words_are_not_placeholders() {
    check("$ARGUMENTSX $issues $1st $issue_id $5k", "a", "$ARGUMENTSX $issues $1st $issue_id $5k");
}

#[test]
fn unfilled_placeholders_are_reported() {
    let out = substitute("$0 $3", &given("a"), &OWN_DIALECT);
    assert_eq!(out.unfilled.into_iter().collect::<Vec<_>>(), ["$3"]);
}

#[test]
fn unused_arguments_are_appended_once() {
    let mut text = "Do it.\n\n\n".to_owned();
    append_arguments(&mut text, &Arguments::new(" now "));
    assert_eq!(text, "Do it.\n\nARGUMENTS: now\n");
    append_arguments(&mut text, &Arguments::new(""));
    assert_eq!(text, "Do it.\n\nARGUMENTS: now\n");
}

proptest! {
    #[test]
    fn any_text_passes_and_nothing_but_placeholders_changes(text in r"[$\\{}0-9A-Za-z \[\]é漢]{0,80}") {
        let none = ArgumentRule::default();
        let values = Values::default();
        prop_assert_eq!(substitute(&text, &values, &none).text, text.clone());
        let _whatever = substitute(&text, &given(&text), &OWN_DIALECT);
    }
}
