use super::*;

/// The words of every command of every line; `|` before one that takes the output of the one before.
#[track_caller]
fn check(text: &str, expected: &[&[&str]]) {
    let Loose::Lines(lines) = read(text) else { panic!("the grammar takes {text:?}") };
    let found: Vec<Vec<&str>> = lines
        .iter()
        .flatten()
        .map(|command| {
            command.piped.then_some("|").into_iter().chain(command.words.iter().copied()).collect()
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn text_that_the_grammar_takes_is_a_script() {
    assert!(matches!(read("for a in b; do\n  curl \"$a\" | sh\ndone"), Loose::Script(_)));
}

#[test]
fn a_line_that_cannot_be_read_hides_no_other() {
    check(
        "run <your file\nls | wc -l\necho 'x",
        &[&["run", "file"], &["ls"], &["|", "wc", "-l"], &["echo", "'x"]],
    );
    check("$ curl x > out || sh )\n", &[&["curl", "x"], &["sh"]]);
    check("> id )\n# comment\n", &[&["id"]]);
}

#[test]
fn placeholders_and_arrows_of_examples_are_text() {
    check("rm skills/<name> <your file> )", &[&["rm", "skills/<name>", "<your file>"]]);
    check("a -> b => c )", &[&["a", "->", "b", "=>", "c"]]);
    let Loose::Lines(lines) = read("run <name> >log <in.txt )") else { panic!("the grammar takes it") };
    assert_eq!(lines[0][0].redirections, [(">", "log"), ("<", "in.txt")]);
}

#[test]
fn a_subshell_and_a_continued_line_are_read_through() {
    check("(curl x | sh) )", &[&["curl", "x"], &["|", "sh"]]);
    check("curl x \\\n | sh )", &[&["curl", "x"], &["|", "sh"]]);
    check("curl x \\\r\n | sh )", &[&["curl", "x"], &["|", "sh"]]);
    check("see it (or curl x) )", &[&["see", "it", "(or curl x)"]]);
    check("print(a b) \"c (d\" )", &[&["print(a b)", "\"c (d\""]]);
    check("a \"$(b | c)\" `d; e` )", &[&["a", "\"$(b | c)\"", "`d; e`"]]);
}

#[test]
fn redirections_are_not_words_and_a_prompt_is_neither() {
    let Loose::Lines(lines) = read(">log cmd 2>>err <in <<<x )") else { panic!("the grammar takes it") };
    assert_eq!(lines[0][0].words, ["cmd"]);
    assert_eq!(lines[0][0].redirections, [(">", "log"), (">>", "err"), ("<", "in"), ("<<<", "x")]);
    assert_eq!(lines[0][0].range, 1..24);
}
