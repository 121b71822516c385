use super::*;
use crate::{Arguments, substitution::OWN_DIALECT};
use proptest::prelude::*;
use std::{io::Write, process::Command as Process};

fn given(arguments: &str) -> Values {
    Values {
        arguments: Arguments::new(arguments),
        names: vec!["issue".to_owned()],
        places: [("CLAUDE_SKILL_DIR".to_owned(), "/skills/x".to_owned())].into(),
        variables: [("HOST".to_owned(), "db 1".to_owned())].into(),
        ..Values::default()
    }
}

#[track_caller]
fn check(text: &str, arguments: &str, expected: &str) {
    let found = command(text, &given(arguments), &OWN_DIALECT);
    assert_eq!((found.text.as_str(), found.refused), (expected, None), "{text}");
}

#[track_caller]
fn refused(text: &str) {
    let found = command(text, &given("a b"), &OWN_DIALECT);
    assert!(found.refused.is_some(), "{text} became {}", found.text);
}

#[test]
fn a_reference_is_quoted_by_where_it_stands() {
    check("gh view $0", "42; rm", "gh view \"${ARGUMENT_1}\"");
    check(
        "gh view \"$0\" '$0' x$0",
        "4",
        "gh view \"${ARGUMENT_1}\" ''\"${ARGUMENT_1}\"'' x\"${ARGUMENT_1}\"",
    );
    check(
        "gh $ARGUMENTS; echo \"$ARGUMENTS\"",
        "a b",
        "gh \"${ARGUMENT_1}\" \"${ARGUMENT_2}\"; echo \"${ARGUMENTS}\"",
    );
    check("gh --title=$ARGUMENTS", "a b", "gh --title=\"${ARGUMENTS}\"");
    check("ping {{HOST}} # don't $0", "a", "ping \"${SKILL_HOST}\" # don't ${ARGUMENT_1}");
    check("cat ${CLAUDE_SKILL_DIR}/x $HOME", "", "cat \"${CLAUDE_SKILL_DIR}\"/x $HOME");
    check("echo \"$(git log $0)\" $0", "a", "echo \"$(git log \"${ARGUMENT_1}\")\" \"${ARGUMENT_1}\"");
    check(
        "cat <<EOF\nHi $0's\nEOF\necho $0",
        "a",
        "cat <<EOF\nHi ${ARGUMENT_1}'s\nEOF\necho \"${ARGUMENT_1}\"",
    );
    check("X=$0 make $issue", "a", "X=\"${ARGUMENT_1}\" make \"${SKILL_issue}\"");
    check("awk '{print $5}' log", "a", "awk '{print $5}' log");
    check("env \"X=$0\" make", "a", "env \"X=${ARGUMENT_1}\" make");
    check("<$0 wc -l", "a", "<\"${ARGUMENT_1}\" wc -l");
    check(
        "echo \"$(case x in y) git log $0;; esac) $0\"",
        "a",
        "echo \"$(case x in y) git log \"${ARGUMENT_1}\";; esac) ${ARGUMENT_1}\"",
    );
    check("if true; then git log $0; fi", "a", "if true; then git log \"${ARGUMENT_1}\"; fi");
}

#[test]
fn where_an_argument_could_become_code_the_command_is_refused() {
    for text in [
        "$0",
        "$ARGUMENTS",
        "./$0.sh",
        "true; $0",
        "if $0; then true; fi",
        "env X=1 $0",
        "eval \"echo $0\"",
        "bash -c \"echo $0\"",
        "bash -c 'echo $0'",
        "python3 -c 'print($0)'",
        "sh -e -c $0",
        "echo $(( $0 + 1 ))",
        "(( $0 ))",
        "echo $[ $0 ]",
        "let x=$0",
        "declare -i x=$0",
        "[[ $0 -eq 1 ]]",
        "test -v $0",
        "printf -v $0 x",
        "echo ${x[$0]}",
        "a[$0]=1",
        "echo `git log $0`",
        "echo $'a$0'",
        "cat <<'EOF'\n$0\nEOF",
        "cat <<EOF\n$(git log $0)\nEOF",
        "awk '{print $0}' x",
        "sed s/$0/x/ file",
        "ssh agent $0",
        "source $0",
        ". $0",
        "unset $0",
        "trap $0 EXIT",
        "watch $0",
        "\\\\{{HOST}} $0 | eval $0",
        "echo ${x:-\"a\"} $0",
        "sudo -u me bash -c $0",
        // A redirection is not the program, an escape not a part of its name.
        ">/dev/null eval $0",
        "> log 2>&1 eval $0",
        "<in sed $0 file",
        "sed >out $0",
        "\\eval $0",
        "ev\\al $0",
        "\\\neval $0",
        "sed \\\n $0",
        "$'\\x65val' $0",
        "\"X=$0\"",
        "find . -exec sh -c \"echo $0\" ;",
        "docker run x sh -c \"$0\"",
        "xargs sh -c {} <<< \"$0\"",
        "xargs $0",
        "x=$0; eval \"$x\"",
        "x=$0; ${x}",
        "x=$0; sh -c \"echo $x\"",
        "sh <<< \"$0\"",
        "sh -s <<< $0",
        "echo $0 | sh",
        "echo $0 | sudo bash -x",
        "cat <<E | bash\n$0\nE\n",
        "echo $0 | python3 -",
        "awk -f - <<< $0",
        "make -f - <<< $0",
        "ed -s <<< $0",
        "sqlite3 x.db $0",
        "script -c $0 /dev/null",
        "flock /tmp/x -c \"$0\"",
        "tar cf x --checkpoint=1 --checkpoint-action=$0 y",
        "rsync --rsh $0 a b",
        "git -c $0 status",
        "LD_PRELOAD=$0 ls",
        "PATH=$0 ls",
        "env BASH_ENV=$0 bash x.sh",
        "cat <<\n$0\n",
        "cat <<$0\nx\n$0",
    ] {
        refused(text);
    }
}

#[test]
fn what_only_looks_like_code_takes_its_arguments() {
    for text in [
        "echo $0 | python3 scripts/x.py",
        "gh pr view $0 --json body | python3 -c 'import json,sys; print(json.load(sys.stdin))'",
        "x=$0; echo \"$x\" | sed -n 1p",
        "eval \"$(direnv export bash)\"; make $0",
        "git -C repo log $0",
        "sqlite3 $0 .tables",
        "find $0 -name '*.md' -exec wc -l {} +",
        "sh ${CLAUDE_SKILL_DIR}/run.sh $0",
        "grep -c $0 file",
    ] {
        let found = command(text, &given("a"), &OWN_DIALECT);
        assert_eq!(found.refused, None, "{text}");
    }
}

/// A position without an argument stays as its author wrote it. The shell must not find an argument there, nor anywhere
/// else where no reference was judged.
#[test]
fn a_position_without_an_argument_gets_none_from_the_shell() {
    let hostile = "$(: >trace)";
    let folder = tempfile::tempdir().unwrap();
    for text in [
        "eval echo \"$1\"",
        "eval echo \"${1}\"",
        "eval \"$@\"",
        "eval \"$*\" $0",
        "echo $((  $1 ))",
        "echo ${x:$1}",
        "sh -c \"echo $1\"",
        "[ a = b ] || eval $1; echo $0",
        "echo $ARGUMENTS; eval $1",
        "echo $ARGUMENTS; eval $2 $3",
        "trap \"$1\" EXIT",
        "for i; do eval \"$i\"; done",
        "for i in \"$@\"; do eval $i; done",
        "shift; eval $1 $ARGUMENTS_1",
        "f() { eval \"$1\"; }; f \"$1\"",
    ] {
        let values = Values {
            arguments: Arguments { text: hostile.to_owned(), words: vec![hostile.to_owned()] },
            ..Values::default()
        };
        let found = command(text, &values, &OWN_DIALECT);
        if found.refused.is_none() {
            for shell in ["sh", "bash"] {
                let mut process = Process::new(shell);
                process.args(["-c", &found.text, shell]).env_clear().env("PATH", "/usr/bin:/bin");
                process.envs(&found.environment).current_dir(folder.path()).output().unwrap();
            }
        }
        let ran = folder.path().join("trace").exists();
        assert!(!ran, "{text} became {:?}", found.text);
    }
}

#[test]
fn the_last_position_of_a_dialect_takes_the_rest() {
    let rule = ArgumentRule { first: Some(1), rest: true, ..OWN_DIALECT };
    let found = command("echo $1 $2", &given("a b c"), &rule);
    assert_eq!(found.text, "echo \"${ARGUMENT_1}\" \"${ARGUMENT_2}\"");
    assert_eq!(found.environment["ARGUMENT_2"], "b c");
}

/// Runs a command as the runtime does and gives the words that its programs got.
fn words_of(found: &ShellCommand) -> Vec<Vec<u8>> {
    let folder = std::env::temp_dir();
    let output = Process::new("sh")
        .args(["-c", &found.text, "sh"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .envs(&found.environment)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{found:?}: {}", String::from_utf8_lossy(&output.stderr));
    let mut words: Vec<Vec<u8>> = output.stdout.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    words.pop();
    words
}

/// Many commands in one shell process, for ten thousand strings in seconds.
#[test]
fn ten_thousand_strings_change_no_word_of_a_command() {
    let pieces = [
        "a", " ", "  ", ";", "|", "&", "$(id)", "`id`", "${HOME}", "$HOME", "*", "?", "[a-z]", "~", "\"",
        "'", "\\", "\n", "\t", "(", ")", "<", ">", "{a,b}", "!", "#", "=", "-rf", "--", "é", "漢", "$1",
        "$@", "\\\"", "${x@P}", "$((1))", "a[$(id)]", "\u{202e}", "\r", "%s", "EOF",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).unwrap()
    };
    let forms = [
        ("printf '%s\\0' $0 end", 1),
        ("printf '%s\\0' \"$0\" end", 1),
        ("printf '%s\\0' '$0' end", 1),
        ("X=$0; printf '%s\\0' \"$X\" end", 1),
        ("printf '%s\\0' \"$(printf %s $0; printf .)\" end", 2),
    ];
    let mut script = Vec::new();
    let mut expected: Vec<Vec<u8>> = Vec::new();
    let quoted = |value: &str| format!("'{}'", value.replace('\'', "'\\''"));
    for round in 0..10_000 {
        let value: String = (0..=next(8)).map(|_| pieces[next(pieces.len())]).collect();
        let values = Values {
            arguments: Arguments { text: value.clone(), words: vec![value.clone()] },
            ..Values::default()
        };
        let (form, kind) = forms[round % forms.len()];
        let found = command(form, &values, &OWN_DIALECT);
        assert_eq!(found.refused, None);
        assert_eq!(found.text, command(form, &given("x"), &OWN_DIALECT).text, "{value:?} is in the text");
        for (name, value) in &found.environment {
            writeln!(script, "{name}={}", quoted(value)).unwrap();
        }
        writeln!(script, "{}", found.text).unwrap();
        let told = if kind == 2 { value + "." } else { value };
        expected.extend([told.into_bytes(), b"end".to_vec()]);
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &script).unwrap();
    let output = Process::new("sh").arg(file.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut words: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
    words.pop();
    assert_eq!(words.len(), expected.len());
    for (word, expected) in words.iter().zip(&expected) {
        assert_eq!(*word, expected.as_slice(), "{}", String::from_utf8_lossy(expected));
    }
}

/// Commands made of what shells find special, with an argument that would leave a trace if it were run. A
/// command that is not refused must leave none, whatever shell reads it.
#[test]
fn no_argument_runs_in_any_command_that_is_not_refused() {
    let pieces = [
        "echo ",
        "printf %s ",
        ": ",
        "X=",
        "env ",
        "$0",
        "$0",
        " $0",
        "\"$0\"",
        "'$0'",
        " ",
        "; ",
        "\n",
        " | cat ",
        " && ",
        "(",
        ")",
        "$(",
        ")",
        "$(echo ",
        "\"",
        "\"",
        "'",
        "'",
        "`",
        "\\",
        "\\\n",
        "${X:-",
        "}",
        "${X}",
        "$((",
        "))",
        "case a in a) ",
        ";; esac",
        "if true; then ",
        "; fi",
        "{ ",
        "; }",
        ">/dev/null ",
        "2>&1 ",
        "</dev/null ",
        " <<EOF\n",
        "\nEOF\n",
        " <<'EOF'\n",
        "# ",
        "$'",
        "$\"",
        "$",
        "eval ",
        "sh -c ",
        "a",
        "-n ",
        "[ ",
        "!",
        "<(",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let arguments = [
        "x'\"; : >trace; $(: >trace) `: >trace` ) } \n: >trace\nEOF\n: >trace #",
        "x; : >trace",
        "$(: >trace)",
        "x\nEOF\n: >trace\n",
        "' ; : >trace ; '",
        "\" ; : >trace ; \"",
    ];
    let mut ran = 0;
    while ran < 600 {
        let text: String = (0..2 + next(9)).map(|_| pieces[next(pieces.len())]).collect();
        let value = arguments[next(arguments.len())].to_owned();
        let values =
            Values { arguments: Arguments { text: value.clone(), words: vec![value] }, ..Values::default() };
        let found = command(&text, &values, &OWN_DIALECT);
        if found.refused.is_some() || !found.took_arguments {
            continue;
        }
        ran += 1;
        for shell in ["sh", "bash"] {
            let status = Process::new(shell)
                .args(["-c", &found.text, shell])
                .env_clear()
                .env("PATH", "/usr/bin:/bin")
                .envs(&found.environment)
                .current_dir(folder.path())
                .stdin(std::process::Stdio::null())
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .status();
            // A machine without this shell tests the other one.
            if status.is_err() {
                continue;
            }
            assert!(!trace.exists(), "{shell} ran the argument: {text:?} became {:?}", found.text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn the_words_that_were_typed_are_the_words_that_arrive(text in "[ -~]{0,40}") {
        let values = given(&text);
        let found = command("printf '%s\\0' x $ARGUMENTS", &values, &OWN_DIALECT);
        let mut expected: Vec<Vec<u8>> = vec![b"x".to_vec()];
        expected.extend(values.arguments.words.iter().map(|word| word.clone().into_bytes()));
        prop_assert_eq!(words_of(&found), expected);
    }

    #[test]
    fn any_command_is_read_to_its_end(text in r#"[$0'"`(){}\[\]<>|&;#\\ \nAEOFa=-]{0,60}"#) {
        let found = command(&text, &given("a b"), &OWN_DIALECT);
        prop_assert!(found.refused.is_some() || !found.text.contains("a b"));
    }
}
