//! Which commands use which skills.

use super::*;
use proptest::prelude::*;
use skillful_catalog::{
    Environment, Hosts, Inputs, Principal, Settings, TrustStore,
    settings::{RuleOwner, Select, SkillRule},
};

/// A library of `pdf`, `mail` and `off`, which is disabled.
struct Library {
    home: tempfile::TempDir,
    environment: Environment,
    principal: Principal,
    settings: Settings,
}

impl Library {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let at = home.path().canonicalize().unwrap();
        for (name, header) in [("pdf", ""), ("mail", "disable-model-invocation: true\n"), ("off", "")] {
            let folder = at.join(".agents/skills").join(name);
            std::fs::create_dir_all(folder.join("scripts")).unwrap();
            let text = format!("---\nname: {name}\ndescription: About {name}.\n{header}---\nBody.\n");
            std::fs::write(folder.join("SKILL.md"), text).unwrap();
        }
        let environment = Environment { cwd: at.join("work"), home: at, ..Environment::default() };
        let mut settings = Settings { system: false, ..Settings::default() };
        settings.rules.push(SkillRule {
            select: Select::Name("off".to_owned()),
            enabled: false,
            owner: RuleOwner::User,
            for_user: None,
        });
        Self { home, environment, principal: Principal::default(), settings }
    }

    fn catalog(&self) -> Catalog {
        Catalog::build(Inputs {
            hosts: &Hosts::embedded(),
            environment: &self.environment,
            settings: &self.settings,
            trust: &TrustStore::default(),
        })
    }

    /// What a command in the folder of the skills uses, as `name how`.
    fn uses(&self, command: Command<'_>) -> Vec<String> {
        let catalog = self.catalog();
        let finder = Finder::new(&catalog, Asker::new(&self.principal, &self.environment));
        let cwd = self.home.path().canonicalize().unwrap().join(".agents/skills");
        let found = finder.find(command, &cwd);
        found
            .into_iter()
            .map(|found| format!("{} {:?}", catalog.entries[found.entry].name, found.how))
            .collect()
    }

    #[track_caller]
    fn check(&self, lines: &[&str], expected: &[&str]) {
        for line in lines {
            assert_eq!(self.uses(Command::Shell(line)), expected, "{line}");
        }
    }
}

#[test]
fn a_runner_with_a_script_of_a_skill_uses_it() {
    Library::new().check(
        &[
            "python3 pdf/scripts/fill.py form.pdf",
            "python3 -u pdf/scripts/fill.py",
            "/usr/bin/python pdf/scripts/deep/er.py",
            "bash 'pdf/scripts/run.sh'",
            "zsh pdf/scripts/run.sh && true",
            "sh \"pdf/scripts/run.sh\"",
            "node pdf/scripts/x.js",
            "deno run -A pdf/scripts/x.ts",
            "ruby pdf/scripts/x.rb",
            "perl -w pdf/scripts/x.pl",
            "pwsh.exe -File pdf/scripts/x.ps1",
            "PYTHON3.EXE ./pdf/./scripts/fill.py",
            "A=1 B='x y' sudo python3 pdf/scripts/fill.py",
            "python3 ~/.agents/skills/pdf/scripts/fill.py",
            "python3 $HOME/.agents/skills/mail/../pdf/scripts/fill.py",
            "cd pdf && python3 scripts/fill.py",
            "cd pdf/scripts; python3 fill.py",
            "(cd pdf; python3 scripts/fill.py) | tee log",
            "bash -lc 'cd pdf && python3 scripts/fill.py'",
            "echo $(python3 pdf/scripts/fill.py)",
            "cd pdf && x=$(cd scripts; ls) && python3 scripts/fill.py",
            "sh -c 'cd mail'; python3 pdf/scripts/fill.py",
        ],
        &["pdf Script"],
    );
}

#[test]
fn code_on_the_command_line_is_no_script() {
    Library::new().check(
        &[
            "python3 -c 'import x' pdf/scripts/fill.py",
            "python3 -c pdf/scripts/fill.py",
            "python3 -m pdf.scripts.fill",
            "node -e pdf/scripts/x.js",
            "perl -e 1 pdf/scripts/x.pl",
            "python3 pdf/other/fill.py",
            "python3 fill.py pdf/scripts/fill.py",
            "echo python3 pdf/scripts/fill.py",
            "grep x pdf/scripts/fill.py",
            "(cd pdf); python3 scripts/fill.py",
            "cd - && python3 pdf/scripts/fill.py",
            "# python3 pdf/scripts/fill.py",
            "python3 \"$DIR/pdf/scripts/fill.py\"",
        ],
        &[],
    );
}

#[test]
fn a_script_that_is_run_directly_counts_too() {
    Library::new().check(
        &["pdf/scripts/run.sh", "./pdf/scripts/run x", "cd pdf; exec scripts/run", "make && pdf/scripts/run"],
        &["pdf Script"],
    );
    Library::new().check(&["run.sh pdf/scripts/x", "ls pdf/scripts/"], &[]);
}

#[test]
fn reading_the_instructions_uses_the_skill() {
    Library::new().check(
        &[
            "cat pdf/SKILL.md",
            "nl -ba pdf/SKILL.md | sed -n 1,20p",
            "sed -n '1,200p' pdf/SKILL.md",
            "head -n 5 pdf/SKILL.md",
            "tail -5 pdf/SKILL.md",
            "less pdf/SKILL.md",
            "bat --plain pdf/SKILL.md",
            "cat < pdf/SKILL.md",
            "cat notes.md pdf/SKILL.md 2>/dev/null",
            "Get-Content -Path pdf/SKILL.md -Raw",
            "gc pdf/SKILL.md",
            "type pdf/SKILL.md",
            "pwsh -NoProfile -Command \"Get-Content '.\\pdf\\SKILL.md'\"",
            "cd pdf\ncat SKILL.md",
            "cat \\\n  pdf/SKILL.md",
            "cat pdf/SKILL.md pdf/SKILL.md && python3 pdf/scripts/fill.py",
        ],
        &["pdf Read"],
    );
}

#[test]
fn what_only_names_or_writes_the_instructions_is_no_use() {
    Library::new().check(
        &[
            "echo pdf/SKILL.md",
            "ls pdf/SKILL.md",
            "cat notes.md > pdf/SKILL.md",
            "cat >>pdf/SKILL.md",
            "sed -i s/a/b/ pdf/SKILL.md",
            "cat pdf/skill.txt",
            "cat <<EOF > x\ncat pdf/SKILL.md\nEOF",
            "cat <<-'EOF'\npython3 pdf/scripts/x.py\n\tEOF",
            "cat <<< pdf/SKILL.md",
            "'cat pdf/SKILL.md'",
        ],
        &[],
    );
}

#[test]
fn what_follows_a_here_document_is_seen() {
    Library::new().check(&["cat <<EOF > x\ntext\nEOF\ncat pdf/SKILL.md"], &["pdf Read"]);
}

#[test]
fn a_skill_that_is_switched_off_is_never_detected() {
    Library::new().check(&["cat off/SKILL.md", "python3 off/scripts/x.py", "off/scripts/x"], &[]);
}

#[test]
fn a_skill_that_models_may_not_choose_is_detected_all_the_same() {
    Library::new().check(&["cat mail/SKILL.md"], &["mail Read"]);
}

#[test]
fn one_command_may_use_several_skills_each_once() {
    Library::new().check(
        &["cat mail/SKILL.md pdf/SKILL.md; cat mail/SKILL.md; pdf/scripts/x"],
        &["mail Read", "pdf Read"],
    );
}

#[test]
fn a_list_of_arguments_needs_no_quotes() {
    let library = Library::new();
    let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let uses = |words: &[&str]| library.uses(Command::Argv(&argv(words)));
    assert_eq!(uses(&["python3", "pdf/scripts/it's.py"]), ["pdf Script"]);
    assert_eq!(uses(&["bash", "-lc", "cat pdf/SKILL.md"]), ["pdf Read"]);
    assert_eq!(uses(&["cat", ">", "x"]), [""; 0]);
    assert_eq!(uses(&[]), [""; 0]);
}

#[test]
fn a_skill_counts_once_per_turn() {
    let library = Library::new();
    let catalog = library.catalog();
    let at = |name: &str| catalog.called(name).next().unwrap().0;
    let read = |name: &str| Use { entry: at(name), how: How::Read };
    let script = |name: &str| Use { entry: at(name), how: How::Script };
    let mut counted = Counted::default();
    assert_eq!(counted.fresh(&catalog, vec![read("pdf")]), [read("pdf")]);
    assert_eq!(counted.fresh(&catalog, vec![script("pdf"), read("mail")]), [read("mail")]);
    assert_eq!(Counted::default().fresh(&catalog, vec![script("pdf")]), [script("pdf")]);
}

#[test]
fn a_quarter_megabyte_of_anything_takes_milliseconds() {
    let library = Library::new();
    let catalog = library.catalog();
    let finder = Finder::new(&catalog, Asker::new(&library.principal, &library.environment));
    let units = [
        "cat ",
        "'",
        "\"",
        "\\",
        "cat <<E\n",
        "<<E ",
        "(",
        ")",
        "cd x;",
        "cat scripts/scripts/",
        "scripts/",
        "cat ../",
        "sh -c ",
        "sh -c '",
        "python3 -u ",
        "> ",
        "; ",
        "cat a/SKILL.md ",
        "sh scripts/scripts/x\n",
    ];
    for unit in units {
        let line = unit.repeat((256 << 10) / unit.len());
        let start = std::time::Instant::now();
        finder.find(Command::Shell(&line), Path::new("/work"));
        assert!(start.elapsed().as_millis() < 2_000, "{unit} took {:?}", start.elapsed());
    }
}

proptest! {
    #[test]
    fn any_command_is_read(
        line in any::<String>(),
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "cat", "sh", "-c", "python3", "cd", " ", "'", "\"", "\\", "\n", "<<E", "E", ">", "<", "(", ")", "{", "}",
                ";", "&&", "|", "`", "#", "$HOME/", "~", "/", "..", "scripts", "SKILL.md", "x=1", "é",
            ]),
            0..24,
        ),
        argv in prop::collection::vec(".{0,8}", 0..5),
    ) {
        let catalog = Catalog::default();
        let (principal, environment) = (Principal::default(), Environment::default());
        let finder = Finder::new(&catalog, Asker::new(&principal, &environment));
        for line in [line, pieces.concat(), pieces.join(" ")] {
            prop_assert_eq!(finder.find(Command::Shell(&line), Path::new("/")), []);
            words::steps(&line, Dialect::PowerShell);
        }
        prop_assert_eq!(finder.find(Command::Argv(&argv), Path::new("/")), []);
    }

    #[test]
    fn plain_words_are_cut_at_blanks(words in prop::collection::vec("[a-z0-9/._-]{1,8}", 1..6)) {
        prop_assert_eq!(words::steps(&words.join(" "), Dialect::Posix), [Step::Words(words)]);
    }

    #[test]
    fn a_quoted_word_is_itself(word in "[^'\\x00]{0,20}") {
        let steps = words::steps(&format!("cat '{word}'"), Dialect::Posix);
        prop_assert_eq!(steps, [Step::Words(vec!["cat".to_owned(), word])]);
    }
}
