use super::*;
use proptest::prelude::*;
use skillful_testkit::cpu_time;

/// The mentions of a text as `form name path`.
fn check(text: &str, expected: &[&str]) {
    let found: Vec<String> = parse(text)
        .list
        .iter()
        .map(|mention| {
            let path = mention.path.as_deref().map_or_else(String::new, |path| format!(" {path}"));
            format!("{:?} {}{path}", mention.form, mention.name)
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn every_form_is_found_in_text_order() {
    check(
        "use $beta, then [$alpha](skills/alpha/SKILL.md) and @gamma or skill://delta/references/a.md.",
        &["Dollar beta", "Link alpha skills/alpha/SKILL.md", "At gamma", "Url delta references/a.md"],
    );
}

#[test]
fn a_namespace_stays_with_its_name() {
    check("$slack:search please", &["Dollar slack:search"]);
    check("$alpha: do it", &["Dollar alpha"]);
    check("$alpha.skill", &["Dollar alpha"]);
}

#[test]
fn a_mention_starts_a_word() {
    check("US$esc a$b $$c me@example.com \\$alpha ./@x", &[]);
    check("($alpha) \"$beta\"", &["Dollar alpha", "Dollar beta"]);
}

#[test]
fn shell_variables_are_not_mentions() {
    check("$PATH $home [$HOME](x) $1 $_ ${x} $(ls) $MY_VAR $100", &[]);
}

#[test]
fn code_holds_no_mentions() {
    check("`$alpha` and ``$beta ` $c`` then $delta", &["Dollar delta"]);
    check("```\n$alpha\n```\n$beta\n~~~sh\n$gamma\n", &["Dollar beta"]);
    check("an unmatched ` leaves $alpha alone", &["Dollar alpha"]);
}

#[test]
fn a_link_without_a_path_is_a_plain_mention() {
    check("[$alpha]() [$beta] (x) [$gamma]", &["Dollar alpha", "Link beta x", "Dollar gamma"]);
    check("[alpha](x)", &[]);
}

#[test]
fn slash_commands_stack_up_to_six_at_the_head() {
    check("/a /b /skill:c the rest", &["Slash a", "Slash b", "SkillSlash c"]);
    let text = "/a /b the rest";
    assert_eq!(&text[parse(text).arguments], "the rest");
    check("/1 /2 /3 /4 /5 /6 /7", &["Slash 1", "Slash 2", "Slash 3", "Slash 4", "Slash 5", "Slash 6"]);
    check("say /a", &[]);
    check("/usr/bin/env", &[]);
    check("/apps/web:deploy now", &["Slash apps/web:deploy"]);
}

#[test]
fn packages_and_files_are_not_meant_by_an_at_sign() {
    check("@types/node @notes.md @alpha.", &["At alpha"]);
}

#[test]
fn a_quarter_megabyte_of_signs_takes_milliseconds() {
    for unit in ["$", "$a", "[$a](", "`", "` ``", "@", "skill://", "/a ", "[", "```\n", "s"] {
        let text = unit.repeat((256 << 10) / unit.len());
        let (took, _) = cpu_time(|| parse(&text));
        assert!(took.as_millis() < 1_000, "{unit} took {took:?}");
    }
}

proptest! {
    #[test]
    fn positions_are_exact_and_in_order(text in "[ a-zé$@/\\[\\]()`:~\n-]{0,80}|(\\$[a-z]{1,3}|skill://[a-z/]{1,5}|`| |\n){0,20}") {
        let mentions = parse(&text);
        let mut last = 0;
        for mention in &mentions.list {
            prop_assert!(mention.range.start >= last && mention.range.end <= text.len());
            prop_assert!(text[mention.range.clone()].contains(&mention.name));
            last = mention.range.end;
        }
        prop_assert!(text.is_char_boundary(mentions.arguments.start));
    }

    #[test]
    fn nothing_panics(text in any::<String>()) {
        parse(&text);
    }
}
