use crate::harness::Harness;
use serde_json::json;
use skillful_assistant::tool::{Effect, Preview, Reach};
use skillful_runtime::room::{Run, Sandbox};
use skillful_sandbox::{Job, Outcome, Report, Require, SandboxError, Tier};
use skillful_testkit::{require_tool, skip, wait_until};
use std::{fs, sync::LazyLock, thread};

static REPORT: LazyLock<Report> = LazyLock::new(skillful_sandbox::probe);

/// A sandbox of one tier.
#[derive(Debug)]
pub(crate) struct Only(pub(crate) Tier);

impl Run for Only {
    fn run(&self, job: &Job) -> Result<Outcome, SandboxError> {
        skillful_sandbox::run(job, Require::Exactly(self.0), &REPORT)
    }

    fn run_until(&self, job: &Job, stop: &dyn Fn() -> bool) -> Result<Outcome, SandboxError> {
        skillful_sandbox::run_until(job, Require::Exactly(self.0), &REPORT, stop)
    }
}

/// The tiers that hold here. The test is reported as skipped in the others.
pub(crate) fn tiers() -> Vec<Only> {
    let (usable, missing): (Vec<_>, Vec<_>) = REPORT.tiers().iter().partition(|finding| finding.usable);
    for finding in missing {
        skip(&format!("{} does not hold here: {finding:?}", finding.tier));
    }
    usable.into_iter().map(|finding| Only(finding.tier)).collect()
}

#[test]
fn a_command_writes_in_the_project_and_cannot_read_other_files_of_the_user() {
    for tier in tiers() {
        let harness = Harness::new();
        harness.file("../secret", "never");
        harness.file("../.agents/skills/x/run.sh", "echo from a skill\n");
        harness.file("src/a", "a\n");
        let command = "cat src/a; echo out; echo err >&2; echo new > src/b; cat ~/secret ../secret; \
            sh ../.agents/skills/x/run.sh; touch ../.agents/skills/x/evil; echo $FROM_SKILL; env | grep -c CARGO; \
            test -w \"$HOME\" && echo home";
        let (planned, found) = harness.command(&tier, json!({ "command": command })).unwrap();
        assert_eq!(planned.reach, Reach::Project);
        assert_eq!(planned.effects, [Effect::Command { text: command.to_owned(), network: false }]);
        assert_eq!(planned.preview, Some(Preview::Text(command.to_owned())));
        let text = &found.text;
        assert!(text.starts_with("a\nout\nerr\n"), "{tier:?} {text}");
        assert!(
            text.contains("from a skill\n") && text.contains("\nyes\n0\nhome\n(exit code 0; "),
            "{tier:?} {text}"
        );
        assert!(!text.contains("never") && !found.failed, "{tier:?} {text}");
        assert_eq!(harness.text("src/b"), "new\n");
        assert!(!harness.path("home/.agents/skills/x/evil").exists());
    }
}

#[test]
fn files_that_instruct_agents_or_git_stay_read_only() {
    for tier in tiers() {
        let harness = Harness::new();
        harness.file(".agents/skills/x/SKILL.md", "skill\n");
        harness.file("AGENTS.md", "agents\n");
        harness.file(".git/config", "config\n");
        harness.file(".git/hooks/sample", "");
        harness.file("src/a", "a\n");
        let command = "echo evil > .agents/skills/x/SKILL.md; echo evil >> AGENTS.md; mv AGENTS.md b; echo evil > .git/config; \
            echo evil > .git/hooks/pre-commit; rm -rf .agents; mv .agents old; mv .git old; mv .git/hooks .git/h; \
            mkdir -p .agents/skills/evil; echo fine > src/b";
        let (_, found) = harness.command(&tier, json!({ "command": command })).unwrap();
        for (path, text) in [
            (".agents/skills/x/SKILL.md", "skill\n"),
            ("AGENTS.md", "agents\n"),
            (".git/config", "config\n"),
            ("src/b", "fine\n"),
        ] {
            assert_eq!(harness.text(path), text, "{tier:?} {}", found.text);
        }
        assert!(!harness.path("home/work/.git/hooks/pre-commit").exists(), "{tier:?}");
        assert!(!harness.path("home/work/.agents/skills/evil").exists(), "{tier:?}");
        assert_eq!(found.text.contains("Landlock cannot keep"), tier.0 == Tier::Landlock, "{}", found.text);
    }
}

#[test]
fn a_skill_folder_that_a_command_creates_is_put_aside_and_reported() {
    for tier in tiers() {
        let harness = Harness::new();
        let (_, found) = harness.command(&tier, json!({ "command": "mkdir -p .agents/skills/new" })).unwrap();
        assert!(
            found.text.contains("created or redirected `.agents`, which instructs agents")
                || tier.0 == Tier::Landlock,
            "{tier:?} {}",
            found.text
        );
        assert!(!harness.path("home/work/.agents").exists(), "{tier:?}");
    }
}

#[test]
fn the_end_of_a_command_is_explained() {
    for tier in tiers() {
        let harness = Harness::new();
        let run = |arguments| harness.command(&tier, arguments).unwrap().1;
        let code = run(json!({ "command": "echo no; exit 3" }));
        assert!(code.failed && code.text.starts_with("no\n(exit code 3; "), "{}", code.text);
        let late = run(json!({ "command": "echo begun; sleep 60", "timeout_seconds": 3 }));
        assert!(
            late.failed && late.text.starts_with("begun\n(stopped after its limit of 3 s"),
            "{}",
            late.text
        );
        let much = run(json!({ "command": "seq 1 100000" }));
        assert!(much.text.len() < 48 << 10 && much.cut > 0, "{}", much.text.len());
        assert!(
            much.text.starts_with("1\n2\n")
                && much.text.contains("removed")
                && much.text.contains("\n100000\n")
        );
        let colours = run(json!({ "command": "printf '\\033[31mred\\033[0m\\n10%%\\r100%%\\n'" }));
        assert!(colours.text.starts_with("red\n100%\n"), "{}", colours.text);
        let inside = run(json!({ "command": "pwd", "folder": "." }));
        assert!(
            inside.text.starts_with(&format!("{}\n", harness.path("home/work").display())),
            "{}",
            inside.text
        );
    }
}

#[test]
fn the_network_is_asked_for_and_reaches_beyond() {
    let mut harness = Harness::new();
    let asked = |harness: &Harness, network: bool| {
        let run = Nowhere;
        harness.command(&run, json!({ "command": "true", "network": network })).unwrap().0
    };
    assert_eq!(asked(&harness, false).reach, Reach::Project);
    let with = asked(&harness, true);
    assert_eq!((with.reach, with.summary.as_str()), (Reach::Machine, "run with the network: true"));
    harness.network = true;
    let given = asked(&harness, false);
    assert_eq!(given.effects, [Effect::Command { text: "true".to_owned(), network: true }]);
    assert_eq!(given.reach, Reach::Project, "the user allows it for all commands");
}

/// A machine without any sandbox.
#[derive(Debug)]
struct Nowhere;

impl Run for Nowhere {
    fn run(&self, _: &Job) -> Result<Outcome, SandboxError> {
        Err(SandboxError::Unavailable {
            wanted: "any tier".to_owned(),
            reasons: "install bubblewrap".to_owned(),
        })
    }
}

#[test]
fn a_command_without_a_sandbox_is_not_run() {
    let harness = Harness::new();
    let (_, found) = harness.command(&Nowhere, json!({ "command": "touch made" })).unwrap();
    assert!(found.failed && found.text.contains("install bubblewrap"), "{}", found.text);
    assert!(!harness.path("home/work/made").exists());
    let off = harness.plan("run_command", json!({ "command": "true" })).unwrap_err();
    assert!(off.contains("commands are off"), "{off}");
    let outside = harness.command(&Nowhere, json!({ "command": "true", "folder": "/etc" })).unwrap_err();
    assert!(outside.contains("outside the project"), "{outside}");
    assert!(harness.command(&Nowhere, json!({ "command": " " })).unwrap_err().contains("`command`"));
}

#[test]
fn a_command_ends_soon_after_it_is_cancelled() {
    for tier in tiers() {
        let harness = Harness::new();
        let mark = harness.path("home/work/begun");
        let (cancel, seen) = (harness.cancel.clone(), mark.clone());
        let waiting = thread::spawn(move || {
            wait_until("the command runs", || seen.exists());
            cancel.cancel();
        });
        let (_, found) =
            harness.command(&tier, json!({ "command": "touch begun; sleep 300; touch ended" })).unwrap();
        waiting.join().unwrap();
        assert!(found.failed && found.text.contains("the user cancelled"), "{tier:?} {}", found.text);
        assert!(fs::exists(&mark).unwrap() && !harness.path("home/work/ended").exists());
    }
}

#[test]
fn the_sandbox_of_the_machine_can_be_stopped_too() {
    static SANDBOX: Sandbox = Sandbox::new(Require::Sandbox);
    if SANDBOX.report().best().is_none() {
        skip("no sandbox holds here");
        return;
    }
    let harness = Harness::new();
    harness.cancel.cancel();
    let (_, found) = harness.command(&SANDBOX, json!({ "command": "sleep 300" })).unwrap();
    assert!(found.failed && found.text.contains("the user cancelled"), "{}", found.text);
}

#[test]
fn git_works_in_the_project_though_its_settings_are_kept() {
    let git = |harness: &Harness, words: &[&str]| {
        let mut command = std::process::Command::new("git");
        command
            .args(words)
            .current_dir(harness.path("home/work"))
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.output().is_ok_and(|output| output.status.success())
    };
    require_tool!("git");
    let harness = Harness::new();
    if REPORT.choose(Require::Exactly(Tier::Bubblewrap)).is_err() {
        skip(&format!("bubblewrap does not hold here: {:?}", REPORT.tiers()));
        return;
    }
    let tier = Only(Tier::Bubblewrap);
    assert!(git(&harness, &["init", "-q"]));
    harness.file("a", "a\n");
    let command = "git add a && git -c user.name=a -c user.email=b commit -qm one && git checkout -qb other && git log --format=%s; \
        git config x.y z";
    let (_, found) = harness.command(&tier, json!({ "command": command })).unwrap();
    assert!(found.text.starts_with("one\n") && found.failed, "{}", found.text);
    assert!(git(&harness, &["rev-parse", "other"]) && !harness.text(".git/config").contains("[x]"));
}

#[test]
fn a_link_to_skills_does_not_lead_out_of_the_project() {
    for tier in tiers() {
        let harness = Harness::new();
        harness.file("../dots/skills/x/SKILL.md", "skill\n");
        harness.link(".agents", "../dots");
        let command = "cat .agents/skills/x/SKILL.md; echo evil > .agents/skills/x/SKILL.md; echo evil > .agents/y; \
            rm .agents; mkdir .agents; echo done";
        let (_, found) = harness.command(&tier, json!({ "command": command })).unwrap();
        assert!(found.text.starts_with("skill\n"), "{tier:?} {}", found.text);
        assert_eq!(fs::read_to_string(harness.path("home/dots/skills/x/SKILL.md")).unwrap(), "skill\n");
        assert!(!harness.path("home/dots/y").exists(), "{tier:?}");
        assert!(found.text.contains("created or redirected `.agents`"), "{tier:?} {}", found.text);
    }
}

#[test]
fn a_project_inside_a_folder_of_skills_is_not_changed_by_commands() {
    for tier in tiers() {
        for folder in ["home/work", "home/work/x"] {
            let mut harness = Harness::new();
            harness.file("x/SKILL.md", "skill\n");
            harness.guarded.push(harness.path(folder));
            let (_, found) = harness
                .command(&tier, json!({ "command": "cat x/SKILL.md; echo evil > x/SKILL.md" }))
                .unwrap();
            assert!(found.failed && found.text.starts_with("skill\n"), "{tier:?} {folder} {}", found.text);
            assert_eq!(harness.text("x/SKILL.md"), "skill\n");
            let write = harness.plan("write_file", json!({ "path": "x/new", "content": "" })).unwrap();
            assert_eq!(write.reach, Reach::Guarded);
        }
    }
}

#[test]
fn thousands_of_skills_in_one_folder_are_one_folder_for_a_command() {
    #[derive(Debug)]
    struct Counts;
    impl Run for Counts {
        fn run(&self, job: &Job) -> Result<Outcome, SandboxError> {
            Err(SandboxError::BadWord { what: if job.read_only.len() < 10 { "few" } else { "many" } })
        }
    }
    let mut harness = Harness::new();
    for at in 0..2_000 {
        let folder = harness.path("home/.agents/skills").join(format!("skill-{at}"));
        fs::create_dir(&folder).unwrap();
        harness.guarded.push(folder);
    }
    let (_, found) = harness.command(&Counts, json!({ "command": "true" })).unwrap();
    assert!(found.text.contains("few"), "{}", found.text);
}

#[test]
fn no_folder_above_what_is_given_is_ever_given() {
    #[derive(Debug)]
    struct Looks(std::path::PathBuf);
    impl Run for Looks {
        fn run(&self, job: &Job) -> Result<Outcome, SandboxError> {
            let wide = job.writable.iter().chain(&job.read_only).find(|path| self.0.starts_with(path));
            assert_eq!(wide, None);
            Err(SandboxError::Lost)
        }
    }
    let mut harness = Harness::new();
    harness.file(".agents/skills/x/SKILL.md", "");
    harness.file(".git/hooks/x", "");
    for folder in ["home/work", "home/work/.git", "outside"] {
        harness.grants.readable.push(harness.path(folder));
        harness.grants.writable.push(harness.path(folder));
        harness.guarded.push(harness.path(folder));
        let (_, found) = harness.command(&Looks(harness.path("home")), json!({ "command": "true" })).unwrap();
        assert!(found.text.contains("was not run"), "{}", found.text);
    }
}

#[test]
fn a_grant_to_read_takes_no_right_to_write_away() {
    for tier in tiers() {
        let mut harness = Harness::new();
        harness.file("src/a", "");
        harness.grants.readable =
            vec![harness.path("home/work"), harness.path("home/work/src"), harness.path("outside")];
        harness.grants.writable = vec![harness.path("outside")];
        let command = format!("echo b > src/b; echo c > {}/c", harness.path("outside").display());
        let (_, found) = harness.command(&tier, json!({ "command": command })).unwrap();
        assert!(!found.failed, "{tier:?} {}", found.text);
        assert!(harness.path("outside/c").exists() && harness.text("src/b") == "b\n");
    }
}
