//! Fuzzes the text of a turn from users and authors: mentions, placeholders, commands, addresses, judged
//! requests.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_format::{body_commands, code_spans};
use skillful_render::{
    Arguments, envelope, shell,
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

    let shown = body_commands::shown(text);
    let mut end = 0;
    for command in body_commands::commands(text) {
        assert!(command.range.start >= end && text.get(command.range.clone()).is_some(), "{command:?}");
        assert!(shown.iter().all(|one| one.text != command.text), "{command:?}");
        end = command.range.end;
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
    // Running the substitution again over its own output must not panic either.
    let _again = shell::command(&command.text, &values, &OWN_DIALECT);

    let wrapped = envelope::injected("n", "p", text);
    assert_eq!(wrapped.to_lowercase().matches("</skill>").count(), 1, "{wrapped}");
    if let Ok(uri) = text.parse::<SkillUri>() {
        assert_eq!(uri.to_string().parse(), Ok(uri.clone()));
        assert!(uri.path.is_none_or(|path| !path.starts_with('/') && !path.split('/').any(|part| part == "..")));
    }
    let _cases = evalset::read(text, "skill");
});
