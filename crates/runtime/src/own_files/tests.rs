use super::*;
use proptest::prelude::*;

const FILES: [&str; 3] = ["scripts/x.sh", "references/a.md", "scripts/my tool.sh"];

fn whole(command: &str, folder: &str) -> Result<String, UnclearPath> {
    let own = |path: &str| {
        let is_folder = matches!(path, "scripts" | "references" | "scripts/lib");
        if FILES.contains(&path) { Some(Own::File) } else { is_folder.then_some(Own::Folder) }
    };
    with_whole_paths(command, Path::new(folder), own).map(Cow::into_owned)
}

#[test]
fn a_path_of_the_skill_is_made_whole_however_it_is_written() {
    for (command, expected) in [
        ("scripts/x.sh", "'/s/scripts/x.sh'"),
        ("./scripts//x.sh a", "'/s/scripts/x.sh' a"),
        ("scripts/../scripts/x.sh", "'/s/scripts/x.sh'"),
        ("sh \"scripts/x.sh\" 'scripts/x.sh'", "sh \"/s/scripts/x.sh\" '/s/scripts/x.sh'"),
        ("a;scripts/x.sh|b&&scripts/x.sh", "a;'/s/scripts/x.sh'|b&&'/s/scripts/x.sh'"),
        ("echo \"$(scripts/x.sh)\" $(scripts/x.sh)", "echo \"$('/s/scripts/x.sh')\" $('/s/scripts/x.sh')"),
        ("echo \"\\\"\" scripts/x.sh", "echo \"\\\"\" '/s/scripts/x.sh'"),
        ("echo \\' scripts/x.sh \\'", "echo \\' '/s/scripts/x.sh' \\'"),
        ("V=scripts/x.sh; sh $V", "V='/s/scripts/x.sh'; sh $V"),
        ("pandoc --template=references/a.md", "pandoc --template='/s/references/a.md'"),
        ("curl -d @references/a.md", "curl -d @'/s/references/a.md'"),
        ("cat <references/a.md", "cat <'/s/references/a.md'"),
        ("sh -c 'scripts/x.sh; true'", "sh -c '/s/scripts/x.sh; true'"),
        ("python3 - <<'E'\nopen('references/a.md')\nE", "python3 - <<'E'\nopen('/s/references/a.md')\nE"),
        ("sh \"scripts/my tool.sh\"", "sh \"/s/scripts/my tool.sh\""),
        ("sh scripts/my\\ tool.sh", "sh '/s/scripts/my tool.sh'"),
        ("echo `scripts/x.sh`", "echo `/s/scripts/x.sh`"),
        ("echo ${A:-scripts/x.sh}", "echo ${A:-/s/scripts/x.sh}"),
        ("( scripts/x.sh ) 2>&1", "( '/s/scripts/x.sh' ) 2>&1"),
        ("\"scripts\"/x.sh a", "'/s/scripts/x.sh' a"),
        ("sh scripts/'x.sh'; scr\"ipts/\"x'.sh'", "sh '/s/scripts/x.sh'; '/s/scripts/x.sh'"),
        ("sh \"scripts/my\"\\ tool.sh", "sh '/s/scripts/my tool.sh'"),
        ("cat scripts/*.sh ./scripts/x.?h", "cat '/s/scripts'/*.sh '/s/scripts'/x.?h"),
        ("cat scripts/{x,y}.sh scripts/lib/[a-z]", "cat '/s/scripts'/{x,y}.sh '/s/scripts/lib'/[a-z]"),
        ("cd scripts && ./x.sh", "cd '/s/scripts' && ./x.sh"),
        ("true; A=1 cd -- ./scripts; ./x.sh", "true; A=1 cd -- '/s/scripts'; ./x.sh"),
        ("(pushd \"scripts\"; sh x.sh)", "(pushd \"/s/scripts\"; sh x.sh)"),
        ("sh -c 'cd scripts && ./x.sh'", "sh -c 'cd /s/scripts && ./x.sh'"),
        ("ls scripts/lib", "ls '/s/scripts/lib'"),
        (
            "for f in scripts/x.sh references/a.md; do cat \"$f\"; done",
            "for f in '/s/scripts/x.sh' '/s/references/a.md'; do cat \"$f\"; done",
        ),
    ] {
        assert_eq!(whole(command, "/s").unwrap(), expected, "{command}");
    }
}

#[test]
fn other_paths_stay_as_they_are() {
    for command in [
        "cat package.json x.sh",
        "src/scripts/x.sh",
        "/scripts/x.sh",
        "../scripts/x.sh",
        "$HOME/scripts/x.sh ${D}/scripts/x.sh \"$D\"/scripts/x.sh",
        "\"$D/\"scripts/x.sh",
        "~/scripts/x.sh",
        "scripts/x.sh.bak scripts/x.shell",
        "my-scripts/x.sh",
        "a'b'scripts/x.sh",
        "ls scripts; echo cd scripts; abcd scripts",
        "echo 'about scripts'",
        "cat src/*.sh *.sh",
    ] {
        assert_eq!(whole(command, "/s").unwrap(), command);
    }
}

#[test]
fn a_folder_with_blanks_is_quoted_where_no_other_interpreter_reads_it() {
    let folder = "/my files";
    assert_eq!(whole("scripts/x.sh a", folder).unwrap(), "'/my files/scripts/x.sh' a");
    assert_eq!(whole("sh \"scripts/x.sh\"", folder).unwrap(), "sh \"/my files/scripts/x.sh\"");
    for command in ["sh -c 'scripts/x.sh'", "echo `scripts/x.sh`", "echo ${A:-scripts/x.sh}"] {
        assert!(whole(command, folder).is_err(), "{command}");
    }
}

#[test]
fn the_name_of_a_folder_never_becomes_code() {
    for folder in ["/k$(echo PWNED)", "/it's", "/a;b", "/a`b`", "/a\"b", "/a\\b"] {
        for command in
            ["scripts/x.sh", "sh -c 'sh scripts/x.sh'", "eval \"sh scripts/x.sh\"", "eval sh scripts/x.sh"]
        {
            let refused = whole(command, folder).unwrap_err().to_string();
            assert!(refused.starts_with("`scripts/x.sh` stands where"), "{folder} {command}: {refused}");
        }
    }
}

proptest! {
    #[test]
    fn a_whole_path_is_left_alone(
        command in "(scripts/x\\.sh|[ ab$'\"`(){}<>|&;#\\\\\n=./-]){0,40}",
    ) {
        if let Ok(once) = whole(&command, "/s") {
            let twice = whole(&once, "/s").unwrap();
            prop_assert_eq!(twice, once);
        }
    }
}
