//! What people and authors write in a turn: mentions, placeholders, commands, addresses, judged requests.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_catalog::capability;
use skillful_format::code_spans;
use skillful_render::{
    Arguments, envelope, preprocess, shell,
    substitution::{OWN_DIALECT, Values, substitute},
};
use skillful_route::ranking::evalset;
use skillful_runtime::resource::SkillUri;
use skillful_select::mention;

fuzz_target!(|text: &str| {
    let found = mention::parse(text);
    let mut end = 0;
    for one in &found.list {
        assert!(one.range.start >= end && text.get(one.range.clone()).is_some(), "{one:?}");
        end = one.range.end;
    }
    assert!(text.get(found.arguments.clone()).is_some());
    assert!(code_spans::ranges(text).windows(2).all(|pair| pair[0].end <= pair[1].start));

    let covered = capability::commands_of(text);
    for command in preprocess::commands(text) {
        assert!(text.get(command.range.clone()).is_some() && covered.contains(&command.text), "{command:?}");
    }

    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let values = Values {
        arguments: Arguments::new(first),
        names: first.split_whitespace().take(4).map(str::to_owned).collect(),
        variables: [("A".to_owned(), "{{A}} $0".to_owned())].into(),
        places: [("B".to_owned(), "${B}".to_owned())].into(),
        agent: [("C".to_owned(), "{C}".to_owned())].into(),
    };
    let _filled = substitute(rest, &values, &OWN_DIALECT);
    let command = shell::command(rest, &values, &OWN_DIALECT);
    // However often references are made, they stay what they are.
    let _again = shell::command(&command.text, &values, &OWN_DIALECT);

    let wrapped = envelope::injected("n", "p", text);
    assert_eq!(wrapped.to_lowercase().matches("</skill>").count(), 1, "{wrapped}");
    if let Ok(uri) = text.parse::<SkillUri>() {
        assert_eq!(uri.to_string().parse(), Ok(uri.clone()));
        assert!(uri.path.is_none_or(|path| !path.starts_with('/') && !path.split('/').any(|part| part == "..")));
    }
    let _cases = evalset::read(text, "skill");
});
