use super::*;
use crate::{
    Literal,
    script::{Command, Item},
};

/// The words of every simple command, or the reason why they are not certain.
fn words(command: &str) -> Result<Vec<Vec<String>>, Unreadable> {
    let mut found = Vec::new();
    for chain in read(command.as_bytes())?.chains {
        for command in chain.pipelines.iter().flat_map(|pipeline| &pipeline.commands) {
            let Command::Simple(simple) = command else { continue };
            let after = simple.after.iter().filter_map(|item| match item {
                Item::Word(word) | Item::Assignment(_, word) => Some(word),
                Item::Redirection(_) | Item::Process(_) => None,
            });
            let words = simple.program.iter().chain(after).map(Literal::of);
            found.push(words.map(|word| word.map(|word| word.text)).collect::<Result<_, _>>()?);
        }
    }
    Ok(found)
}

#[test]
fn what_every_shell_reads_alike_is_read() {
    let found = words("  git log --format='%h %s' \"a b\" c\\ d 2>&1 | head -n 5 && ls > out;\n").unwrap();
    assert_eq!(
        found,
        [vec!["git", "log", "--format=%h %s", "a b", "c d"], vec!["head", "-n", "5"], vec!["ls"],]
    );
}

#[test]
fn what_shells_read_differently_is_named() {
    let reason = |command: &str| words(command).unwrap_err();
    assert_eq!(reason(""), Unreadable::Empty);
    assert_eq!(reason("ls \u{200b}x"), Unreadable::Character(0x200b));
    assert_eq!(reason("ls\nid"), Unreadable::Lines);
    assert_eq!(reason("ls # x"), Unreadable::Hidden("# x".to_owned()));
    assert_eq!(reason("ls |& id"), Unreadable::Operator("|&".to_owned()));
    assert_eq!(reason("ls $HOME"), Unreadable::Expansion("$HOME".to_owned()));
    assert_eq!(reason("ls $\"a\""), Unreadable::Expansion("$\"a\"".to_owned()));
    assert_eq!(reason("ls {a,b}"), Unreadable::Braces("{a,b}".to_owned()));
    assert_eq!(reason("cat <<$(x)"), Unreadable::Operator("<<".to_owned()));
    assert_eq!(reason(&"a ".repeat(COMMAND_LIMIT)), Unreadable::TooLong(COMMAND_LIMIT));
    assert!(matches!(reason("ls 'x"), Unreadable::Syntax(_)));
}

#[test]
fn a_glob_or_a_tilde_leaves_a_word_open() {
    let literal = |raw: &str| Literal::of(&crate::Word { raw: raw.to_owned(), range: None }).unwrap();
    for (raw, open, open_start, plain) in [
        ("a*", true, false, true),
        ("*a", true, true, true),
        ("'*'", false, false, false),
        ("~/x", true, false, true),
        ("x=~/y", true, false, true),
        ("\\*", false, false, false),
        ("a.b", false, false, true),
    ] {
        let found = literal(raw);
        assert_eq!((found.open, found.open_start, found.plain), (open, open_start, plain), "{raw}");
    }
}
