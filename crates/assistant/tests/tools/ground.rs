//! The ground of the assistant: what neither a file tool nor a command makes, changes or reads without a yes.
//! Every table has the columns group, attempt, and what must stay as it is.

use crate::{command::tiers, harness::Harness};
use serde_json::json;
use skillful_assistant::tool::Reach;
use skillful_sandbox::Tier;
use skillful_testkit::Attempts;
use std::{fs, process::Command};

const SECRET: &str = "sk-never-shown-4711";

/// A configuration of git that names places of the project.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\thooksPath = tools/hooks\n[include]\n\tpath = ../team.gitconfig\n\
    [filter \"x\"]\n\tclean = sh tools/clean.sh %f\n[alias]\n\tgo = !./go\n";

/// A project with a repository, settings of agents and keys.
fn project() -> Harness {
    let harness = Harness::new();
    for (path, content) in [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/config", CONFIG),
        (".git/hooks/sample", ""),
        (".git/objects/info/x", ""),
        (".git/refs/heads/x", ""),
        ("sub/.git/HEAD", "ref: refs/heads/main\n"),
        ("sub/.git/config", "[core]\n"),
        ("sub/.git/objects/x", ""),
        ("sub/.git/refs/x", ""),
        ("tree/.git", "gitdir: /elsewhere\n"),
        (".claude/settings.json", "{}\n"),
        ("docs/AGENTS.md", "agents\n"),
        (".vscode/settings.json", "{}\n"),
        ("src/a.rs", "a\n"),
    ] {
        harness.file(path, content);
    }
    harness
}

/// Group, command, and the path that must not be there or must not change.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("git at every depth", "echo /evil > .git/commondir", ".git/commondir"),
    ("git at every depth", "echo evil > .git/config", ".git/config"),
    ("git at every depth", "echo evil >> .git/config", ".git/config"),
    ("git at every depth", "git config core.fsmonitor evil", ".git/config"),
    ("git at every depth", "git config --global core.fsmonitor evil", ".git/config"),
    ("git at every depth", "echo evil > .git/config.worktree", ".git/config.worktree"),
    ("git at every depth", "echo evil > .git/hooks/pre-commit", ".git/hooks/pre-commit"),
    ("git at every depth", "rm -rf .git/hooks; mkdir .git/hooks; echo e > .git/hooks/x", ".git/hooks/x"),
    ("git at every depth", "mv .git/hooks .git/old; mkdir .git/hooks; echo e > .git/hooks/x", ".git/hooks/x"),
    ("git at every depth", "mv .git old", ".git/HEAD"),
    ("git at every depth", "cp -r .git new; echo evil > new/config; rm -rf .git; mv new .git", ".git/config"),
    ("git at every depth", "mkdir .git/info; echo '* filter=x' > .git/info/attributes", ".git/info"),
    ("git at every depth", "mkdir -p .git/modules/x/hooks; echo e > .git/modules/x/hooks/y", ".git/modules"),
    (
        "git at every depth",
        "mkdir -p .git/worktrees/x; echo e > .git/worktrees/x/commondir",
        ".git/worktrees",
    ),
    ("git at every depth", "ln -s /evil .git/commondir", ".git/commondir"),
    (
        "git at every depth",
        "mkdir .git/rebase-merge; echo 'exec evil' > .git/rebase-merge/git-rebase-todo",
        ".git/rebase-merge",
    ),
    ("git at every depth", "mkdir .git/sequencer; echo 'x evil' > .git/sequencer/todo", ".git/sequencer"),
    (
        "git at every depth",
        "mkdir .git/rebase-merge; echo ../../x > .git/rebase-merge/strategy",
        ".git/rebase-merge",
    ),
    (
        "git at every depth",
        "mkdir .git/sequencer; printf '[options]\\nstrategy = ../../x\\n' > .git/sequencer/opts",
        ".git/sequencer",
    ),
    ("named in .git/config", "mkdir -p tools/hooks; echo evil > tools/hooks/pre-commit", "tools/hooks"),
    ("named in .git/config", "mkdir -p t/hooks; echo evil > t/hooks/pre-commit; mv t tools", "tools/hooks"),
    ("named in .git/config", "mkdir -p tools; ln -s ../src tools/hooks", "tools/hooks"),
    ("named in .git/config", "echo evil > team.gitconfig", "team.gitconfig"),
    ("named in .git/config", "echo x > t; mv t team.gitconfig", "team.gitconfig"),
    ("named in .git/config", "mkdir -p tools; echo evil > tools/clean.sh", "tools/clean.sh"),
    ("named in .git/config", "echo evil > go; chmod +x go", "go"),
    (
        "git at every depth",
        "echo evil > sub/.git/hooks-x; mkdir -p sub/.git/hooks; echo e > sub/.git/hooks/y",
        "sub/.git/hooks",
    ),
    ("git at every depth", "echo evil >> sub/.git/config", "sub/.git/config"),
    ("git at every depth", "echo /evil > sub/.git/commondir", "sub/.git/commondir"),
    ("git at every depth", "echo 'gitdir: evil' > tree/.git", "tree/.git"),
    ("git at every depth", "rm tree/.git; echo 'gitdir: evil' > tree/.git", "tree/.git"),
    ("git at every depth", "mkdir -p new/.git/hooks; echo e > new/.git/hooks/x", "new/.git"),
    ("git at every depth", "git init -q new", "new/.git"),
    ("git at every depth", "echo 'gitdir: ../evil' > src/.git", "src/.git"),
    ("git at every depth", "ln -s ../evil src/.git", "src/.git"),
    ("git at every depth", "mkdir -p a/b/c/d/e/.git/hooks", "a/b/c/d/e/.git"),
    ("git at every depth", "git init -q --bare data", "data/HEAD"),
    (
        "git at every depth",
        "mkdir -p d/objects d/refs; echo 'ref: x' > d/HEAD; echo '[core]' > d/config",
        "d/HEAD",
    ),
    ("git at every depth", "mkdir -p .GIT/hooks; echo e > .GIT/hooks/x", ".GIT"),
    ("settings of agents", "echo evil > .claude/settings.json", ".claude/settings.json"),
    ("settings of agents", "echo evil > .claude/settings.local.json", ".claude/settings.local.json"),
    (
        "settings of agents",
        "rm -rf .claude; mkdir .claude; echo evil > .claude/settings.json",
        ".claude/settings.json",
    ),
    (
        "settings of agents",
        "mv .claude x; mkdir .claude; echo evil > .claude/settings.json",
        ".claude/settings.json",
    ),
    ("settings of agents", "echo evil > .mcp.json", ".mcp.json"),
    ("settings of agents", "ln -s src/a.rs .mcp.json", ".mcp.json"),
    ("settings of agents", "echo x > t; mv t .mcp.json", ".mcp.json"),
    ("settings of agents", "echo x > t; ln t .mcp.json", ".mcp.json"),
    ("settings of agents", "mkdir -p .cursor; echo evil > .cursor/mcp.json", ".cursor"),
    ("settings of agents", "mkdir -p .gemini; echo evil > .gemini/settings.json", ".gemini"),
    ("settings of agents", "mkdir -p .codex; echo evil > .codex/config.toml", ".codex"),
    ("settings of agents", "echo evil > opencode.json", "opencode.json"),
    ("settings of agents", "mkdir -p .opencode/plugin; echo evil > .opencode/plugin/x.js", ".opencode"),
    ("settings of agents", "mkdir -p sub2/.claude; echo evil > sub2/.claude/settings.json", "sub2/.claude"),
    ("settings of agents", "mkdir -p .roo .kilocode .continue .windsurf", ".roo"),
    ("settings of agents", "mkdir -p .skillful; echo evil > .skillful/config.toml", ".skillful"),
    ("settings of agents", "mkdir -p .zed; echo evil > .zed/settings.json", ".zed"),
    ("settings of agents", "mkdir -p .kiro/hooks", ".kiro"),
    ("rules of agents", "echo evil > AGENTS.md", "AGENTS.md"),
    ("rules of agents", "echo evil > CLAUDE.md", "CLAUDE.md"),
    ("rules of agents", "echo evil > CLAUDE.local.md", "CLAUDE.local.md"),
    ("rules of agents", "echo evil > GEMINI.md", "GEMINI.md"),
    ("rules of agents", "echo evil > .cursorrules", ".cursorrules"),
    ("rules of agents", "echo evil > .windsurfrules", ".windsurfrules"),
    ("rules of agents", "echo evil > .clinerules", ".clinerules"),
    ("rules of agents", "echo evil > docs/AGENTS.md", "docs/AGENTS.md"),
    ("rules of agents", "rm docs/AGENTS.md; echo evil > docs/AGENTS.md", "docs/AGENTS.md"),
    ("rules of agents", "mv docs d2; mkdir docs; echo evil > docs/AGENTS.md", "docs/AGENTS.md"),
    ("rules of agents", "sed -i s/a/evil/ docs/AGENTS.md", "docs/AGENTS.md"),
    ("rules of agents", "mkdir -p x/y; echo evil > x/y/CLAUDE.md", "x/y/CLAUDE.md"),
    ("rules of agents", "echo evil > agents.md", "agents.md"),
    (
        "rules of agents",
        "mkdir -p .github; echo evil > .github/copilot-instructions.md",
        ".github/copilot-instructions.md",
    ),
    (
        "rules of agents",
        "mkdir -p .github/instructions; echo evil > .github/instructions/x.md",
        ".github/instructions",
    ),
    ("rules of agents", "echo evil > src/AGENTS.md & sleep 0.2", "src/AGENTS.md"),
    ("skills", "mkdir -p .claude/skills/n; echo evil > .claude/skills/n/SKILL.md", ".claude/skills"),
    ("skills", "mkdir -p .agents/skills/n; echo evil > .agents/skills/n/SKILL.md", ".agents"),
    ("skills", "mkdir -p .github/skills/n; echo evil > .github/skills/n/SKILL.md", ".github/skills"),
    ("skills", "mkdir -p deep/er/.agents/skills/n", "deep/er/.agents"),
    ("skills", "mkdir -p .goose/skills/n", ".goose"),
    ("tools of the user", "mkdir -p .vscode; echo evil > .vscode/tasks.json", ".vscode/tasks.json"),
    ("tools of the user", "echo evil > .vscode/settings.json", ".vscode/settings.json"),
    ("tools of the user", "echo evil > .envrc", ".envrc"),
    ("tools of the user", "mkdir -p .idea; echo evil > .idea/workspace.xml", ".idea"),
    ("tools of the user", "mkdir -p .husky; echo evil > .husky/pre-commit", ".husky"),
    (
        "tools of the user",
        "mkdir -p .devcontainer; echo evil > .devcontainer/devcontainer.json",
        ".devcontainer",
    ),
    ("tools of the user", "echo evil > .pre-commit-config.yaml", ".pre-commit-config.yaml"),
    ("tools of the user", "echo evil > .exrc; echo evil > .gdbinit", ".exrc"),
    ("tools of the user", "echo evil > sub/.envrc", "sub/.envrc"),
    ("tools of the user", "echo evil > .mise.toml", ".mise.toml"),
    ("tools of the user", "echo evil > .mise.local.toml", ".mise.local.toml"),
    ("tools of the user", "mkdir -p .helix; echo evil > .helix/languages.toml", ".helix"),
    ("tools of the user", "echo evil > .gitconfig", ".gitconfig"),
    ("tools of the user", "mkdir -p .hg; echo evil > .hg/hgrc", ".hg/hgrc"),
    ("tools of the user", "echo evil > .zshenv", ".zshenv"),
    ("tools of the user", "echo evil > .lvimrc", ".lvimrc"),
    ("tools of the user", "echo evil > .Rprofile", ".Rprofile"),
    ("tools of the user", "mkdir -p .jj/repo; echo evil > .jj/repo/config.toml", ".jj/repo/config.toml"),
    ("settings of agents", "mkdir -p .amazonq; echo evil > .amazonq/mcp.json", ".amazonq"),
];

#[test]
fn no_command_makes_or_changes_a_guarded_place() {
    for tier in tiers() {
        let mut wrong = Vec::new();
        for (group, command, path) in COMMANDS {
            let harness = project();
            let place = harness.path("home/work").join(path);
            let before = fs::read(&place).ok();
            let was_there = place.symlink_metadata().is_ok();
            let (planned, found) = harness.command(&tier, json!({ "command": command })).unwrap();
            assert_eq!(planned.reach, Reach::Project, "{command}");
            let is_there = place.symlink_metadata().is_ok();
            if is_there != was_there || fs::read(&place).ok() != before {
                wrong.push(format!("{group}: {command}: {}", found.text));
            }
        }
        assert!(wrong.is_empty(), "{tier:?}: {} of {}:\n{}", wrong.len(), COMMANDS.len(), wrong.join("\n"));
    }
    // Where a tier is missing the test is reported as skipped.
    let tiers = tiers().len();
    if tiers == 2 {
        Attempts::of("no_command_makes_or_changes_a_guarded_place").refused(tiers * COMMANDS.len()).report();
    }
}

#[test]
fn a_file_tool_asks_before_every_guarded_place() {
    let harness = project();
    let mut count = 0;
    // One file alone makes no repository; the last of several does, see below.
    for (group, _, path) in COMMANDS.iter().filter(|(_, _, path)| !matches!(*path, "data/HEAD" | "d/HEAD")) {
        for name in [(*path).to_owned(), format!("./src/../{path}"), format!("{path}/inner")] {
            let Ok(planned) = harness.plan("write_file", json!({ "path": name, "content": "evil" })) else {
                continue;
            };
            assert_eq!(planned.reach, Reach::Guarded, "{group}: {name}");
            count += 1;
        }
    }
    assert!(count > 120, "{count}");
    // A repository without a working tree, file by file.
    harness.file("plant/objects/x", "");
    harness.file("plant/refs/x", "");
    let last = harness.plan("write_file", json!({ "path": "plant/HEAD", "content": "ref: x" })).unwrap();
    assert_eq!(last.reach, Reach::Guarded);
    harness.file("plant2/HEAD", "");
    harness.file("plant2/objects/x", "");
    for path in ["plant2/config", "plant2/refs/x", "plant2/hooks/x"] {
        let config = harness.plan("write_file", json!({ "path": path, "content": "[core]" }));
        let guarded = config.map(|planned| planned.reach) == Ok(Reach::Guarded);
        assert!(guarded || path != "plant2/refs/x", "{path}");
    }
    Attempts::of("a_file_tool_asks_before_every_guarded_place").refused(count + 4).report();
}

#[test]
fn what_a_command_made_is_renamed_and_the_model_reads_how_to_ask() {
    for tier in tiers().into_iter().filter(|tier| tier.0 == Tier::Bubblewrap) {
        let harness = project();
        let (_, found) =
            harness.command(&tier, json!({ "command": "echo mine > CLAUDE.md; echo done" })).unwrap();
        assert!(
            found.text.contains("created or redirected `CLAUDE.md`")
                && found.text.contains("`CLAUDE.md.held`"),
            "{}",
            found.text
        );
        assert_eq!(harness.text("CLAUDE.md.held"), "mine\n", "nothing is lost");
        assert!(!found.failed && found.text.contains("change_guarded"));
        let asked = json!({ "command": "echo yours > CLAUDE.md; echo x >> .git/config; git init -q made", "change_guarded": true });
        let (planned, found) = harness.command(&tier, asked).unwrap();
        assert_eq!(planned.reach, Reach::Guarded);
        assert!(planned.summary.contains("with write access to guarded files"), "{}", planned.summary);
        assert_eq!(harness.text("CLAUDE.md"), "yours\n", "{}", found.text);
        assert!(harness.text(".git/config").ends_with("x\n") && harness.path("home/work/made/.git").exists());
    }
}

#[test]
fn a_place_at_the_top_is_put_aside_while_the_command_runs() {
    for tier in tiers().into_iter().filter(|tier| tier.0 == Tier::Bubblewrap) {
        let harness = project();
        let command = "echo /evil > .git/commondir; sleep 1; test -e .git/commondir && echo stayed";
        let (_, found) = harness.command(&tier, json!({ "command": command })).unwrap();
        assert!(!found.text.contains("stayed"), "{}", found.text);
    }
}

#[test]
fn commands_do_not_change_the_users_own_folder_of_an_agent() {
    for tier in tiers() {
        let harness = Harness::new();
        harness.file("../.claude/settings.json", "{}\n");
        let (_, found) = harness
            .command_in(
                &tier,
                "home/.claude",
                json!({ "command": "cat settings.json; echo evil > settings.json" }),
            )
            .unwrap();
        assert!(found.failed && found.text.starts_with("{}\n"), "{tier:?} {}", found.text);
        assert_eq!(fs::read_to_string(harness.path("home/.claude/settings.json")).unwrap(), "{}\n");
    }
}

/// Group and command; the output must not hold the secret.
const READS: &[(&str, &str)] = &[
    ("by name", "cat .env"),
    ("by name", "cat ./.env"),
    ("by name", "cat src/../.env"),
    ("by name", "cat \"$PWD/.env\""),
    ("by name", "cat .env.local conf/.env.production"),
    ("by name", "cat deep/er/.env"),
    ("by name", "head -c 100 .env; tail .env; od -c .env | head; base64 .env"),
    ("by name", "cat keys/id_rsa keys/server.key keys/private.pem"),
    ("by name", "cat .envrc; . ./.envrc; echo $KEY"),
    ("by name", "cat credentials.json .npmrc .netrc secrets.toml"),
    ("by search", "grep -r never . ; grep -rh sk- ."),
    ("by search", "find . -type f -exec cat {} +"),
    ("by search", "cat .* conf/.* deep/er/.* keys/* 2>/dev/null"),
    ("by shell", ". ./.env; echo $KEY"),
    ("by shell", "while read line; do echo $line; done < .env"),
    ("by shell", "echo \"$(<.env)\""),
    ("by a copy", "cp .env x; cat x"),
    ("by a copy", "cp -r . /tmp/all; cat /tmp/all/.env /tmp/all/deep/er/.env"),
    ("by a copy", "tar cf - . | tar xOf -"),
    ("by a copy", "dd if=.env"),
    ("by a link", "ln -s .env x; cat x"),
    ("by a link", "ln .env x; cat x"),
    ("by a link", "cat linked"),
    ("by a move", "mv .env x; cat x"),
    ("by a move", "mv deep d; cat d/er/.env"),
    ("by a move", "mv deep/er /tmp/er; cat /tmp/er/.env"),
    ("by the kernel", "cat /proc/self/cwd/.env"),
    ("by the kernel", "cat /proc/self/root$PWD/.env"),
    ("by a mode", "chmod 777 .env; cat .env"),
    ("by a program", "python3 -c \"print(open('.env').read())\""),
    ("by a program", "git diff --no-index /dev/null .env"),
    ("by a program", "git hash-object -w .env && git cat-file -p $(git hash-object .env)"),
    ("variables", "cat ../.agents/skills/x/vars.json"),
    ("variables", "cat tool/vars.json"),
    ("variables", "grep -r sk- ../.agents/skills"),
    ("home", "cat ~/.ssh/id_rsa ../.ssh/id_rsa; cat ../.aws/credentials"),
];

#[test]
fn no_command_reads_a_file_with_keys() {
    for tier in tiers() {
        let mut wrong = Vec::new();
        for (group, command) in READS {
            let harness = project();
            let content = format!("KEY={SECRET}\n");
            for path in [
                ".env",
                ".env.local",
                ".envrc",
                "conf/.env.production",
                "deep/er/.env",
                "keys/id_rsa",
                "keys/server.key",
                "credentials.json",
                ".npmrc",
                ".netrc",
                "secrets.toml",
                "../.ssh/id_rsa",
                "../.aws/credentials",
                "../.agents/skills/x/vars.json",
                "tool/vars.json",
            ] {
                harness.file(path, &content);
            }
            harness.file("keys/private.pem", format!("-----BEGIN PRIVATE KEY-----\n{content}"));
            harness.file("../.agents/skills/x/SKILL.md", "skill\n");
            harness.file("tool/SKILL.md", "skill\n");
            harness.link("linked", ".env");
            let (_, found) = harness.command(&tier, json!({ "command": command })).unwrap();
            if found.text.contains(SECRET) || found.text.contains("c2stbmV2ZXI") {
                wrong.push(format!("{group}: {command}: {}", found.text));
            }
            assert!(harness.path("home/work/.env").exists(), "{command}");
        }
        assert!(wrong.is_empty(), "{tier:?}: {} of {}:\n{}", wrong.len(), READS.len(), wrong.join("\n"));
    }
    // Where a tier is missing the test is reported as skipped.
    let tiers = tiers().len();
    if tiers == 2 {
        Attempts::of("no_command_reads_a_file_with_keys").refused(tiers * READS.len()).report();
    }
}

#[test]
fn keys_are_read_with_a_yes_and_values_of_variables_never() {
    for tier in tiers() {
        let harness = project();
        harness.file(".env", SECRET);
        harness.file("tool/SKILL.md", "skill\n");
        harness.file("tool/vars.json", SECRET);
        let command = json!({ "command": "cat .env; cat tool/vars.json", "read_keys": true });
        let (planned, found) = harness.command(&tier, command).unwrap();
        assert_eq!(planned.reach, Reach::Guarded);
        assert_eq!(found.text.matches(SECRET).count(), 1, "{tier:?} {}", found.text);
        for (tool, arguments) in [
            ("read_file", json!({ "path": "tool/vars.json" })),
            ("read_file", json!({ "path": "./tool/../tool/vars.json" })),
            ("read_file", json!({ "path": "tool/VARS.json" })),
            ("grep", json!({ "pattern": "sk", "path": "tool/vars.json" })),
            ("edit_file", json!({ "path": "tool/vars.json", "old": "sk", "new": "x" })),
            ("write_file", json!({ "path": "tool/vars.json", "content": "x" })),
        ] {
            let told = harness.plan(tool, arguments.clone());
            let refused = told.as_ref().is_err_and(|why| why.contains("values of variables"));
            let folded = arguments.to_string().contains("VARS");
            assert!(refused || folded, "{tool} {arguments}: {told:?}");
        }
        let listed = harness.call("grep", json!({ "pattern": "sk-" }));
        assert!(!listed.text.contains(SECRET), "{}", listed.text);
    }
}

#[test]
fn reading_a_key_needs_a_yes_in_every_mode() {
    let harness = project();
    for path in [".env", ".env.local", "a/server.key", "../.ssh/config"] {
        harness.file(path, SECRET);
        let read = harness.plan("read_file", json!({ "path": path })).unwrap();
        assert_eq!(read.reach, Reach::Guarded, "{path}");
    }
    let edit = harness.plan("write_file", json!({ "path": ".env", "content": "A=1\n" })).unwrap();
    assert_eq!(edit.reach, Reach::Guarded, "a change shows what is there");
}

/// Honest commands, which keep working, and what they print.
const HONEST: &[(&str, &str)] = &[
    ("echo b > src/b.rs && git add -A src && git commit -qm one && git log --format=%s -1", "one"),
    ("git checkout -qb topic && git commit -q --allow-empty -m two && git log --format=%s -1", "two"),
    ("echo b > src/b.rs && git add src/b.rs && git stash -q && git stash pop -q && ls src", "b.rs"),
    ("git commit -q --allow-empty -m x && git tag v1 && git tag", "v1"),
    ("git branch other && git merge -q other; git branch --list other", "other"),
    (
        "git commit -q --allow-empty -m a && git commit -q --allow-empty -m b && git rebase -q HEAD~1; git log --format=%s -1",
        "b",
    ),
    ("git reset -q --hard && git status --short | wc -l", "0"),
    ("mkdir -p out && echo built > out/x && cat out/x", "built"),
    ("mv src lib && ls lib", "a.rs"),
    ("sed -i s/a/c/ src/a.rs && cat src/a.rs", "c"),
    ("cat .env.example", "EXAMPLE"),
    ("cat keys/certificate.pem", "CERTIFICATE"),
    ("cat docs/AGENTS.md .git/HEAD .vscode/settings.json", "agents"),
    ("cat .gitignore; echo x >> .gitignore && tail -1 .gitignore", "x"),
    (
        "mkdir -p .github/workflows && echo on > .github/workflows/ci.yml && cat .github/workflows/ci.yml",
        "on",
    ),
    ("printf 'exit 0' > run.sh && sh run.sh && echo ran", "ran"),
    ("git diff --stat; git log --oneline | wc -l", "1"),
];

#[test]
fn honest_commands_keep_working() {
    let git = |harness: &Harness, words: &[&str]| {
        let mut command = Command::new("git");
        command.args(words).current_dir(harness.path("home/work")).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        assert!(command.output().unwrap().status.success(), "{words:?}");
    };
    for tier in tiers().into_iter().filter(|tier| tier.0 == Tier::Bubblewrap) {
        let mut wrong = Vec::new();
        for (command, wanted) in HONEST {
            let harness = Harness::new();
            harness.file("src/a.rs", "a\n");
            harness.file("docs/AGENTS.md", "agents\n");
            harness.file(".vscode/settings.json", "{}\n");
            harness.file(".env.example", "EXAMPLE\n");
            harness.file(".gitignore", "target\n");
            harness.file("keys/certificate.pem", "-----BEGIN CERTIFICATE-----\n");
            git(&harness, &["init", "-q", "-b", "main"]);
            git(&harness, &["config", "user.name", "a"]);
            git(&harness, &["config", "user.email", "a@example.com"]);
            git(&harness, &["add", "-A"]);
            git(&harness, &["commit", "-qm", "zero"]);
            let (_, found) = harness.command(&tier, json!({ "command": command })).unwrap();
            if found.failed || !found.text.contains(wanted) || found.text.contains("created or redirected") {
                wrong.push(format!("{command}: {}", found.text));
            }
        }
        assert!(wrong.is_empty(), "{tier:?}: {} of {}:\n{}", wrong.len(), HONEST.len(), wrong.join("\n"));
    }
}

#[test]
fn git_runs_nothing_that_a_repository_names() {
    for tier in tiers().into_iter().filter(|tier| tier.0 == Tier::Bubblewrap) {
        for (group, setting, command) in [
            ("monitor", "[core]\nfsmonitor = touch ran; false\n", "git status"),
            ("hooks", "[core]\nhooksPath = hooks\n", "git commit -q --allow-empty -m x"),
            ("pager", "[core]\npager = touch ran; cat\n", "git log"),
            ("editor", "[core]\neditor = touch ran; true\n", "git commit --allow-empty; true"),
            (
                "ssh",
                "[core]\nsshCommand = touch ran; false\n[url \"ssh://x/\"]\ninsteadOf = y:\n",
                "git ls-remote y:z; true",
            ),
            (
                "helper",
                "[credential]\nhelper = \"!touch ran\"\n",
                "echo url=https://h | git credential fill; true",
            ),
            (
                "signer",
                "[commit]\ngpgSign = true\n[gpg]\nprogram = touch ran; false\n",
                "git commit -q --allow-empty -m x",
            ),
            ("transport", "[protocol \"ext\"]\nallow = always\n", "git ls-remote 'ext::touch ran'; true"),
        ] {
            let harness = Harness::new();
            let git = |words: &[&str]| {
                let mut command = Command::new("git");
                command.args(words).current_dir(harness.path("home/work")).env_clear();
                command.env("PATH", "/usr/local/bin:/usr/bin:/bin").output().unwrap();
            };
            git(&["init", "-q"]);
            git(&["config", "user.name", "a"]);
            git(&["config", "user.email", "a@example.com"]);
            git(&["commit", "-q", "--allow-empty", "-m", "zero"]);
            let hook = harness.file("hooks/pre-commit", "#!/bin/sh\ntouch ran\n");
            fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            let config = harness.path("home/work/.git/config");
            let text = fs::read_to_string(&config).unwrap();
            fs::write(&config, format!("{text}{setting}")).unwrap();
            let (_, found) = harness.command(&tier, json!({ "command": command })).unwrap();
            assert!(!harness.path("home/work/ran").exists(), "{group}: {}", found.text);
        }
        let harness = Harness::new();
        harness.file("bare/HEAD", "ref: refs/heads/main\n");
        harness.file(
            "bare/config",
            "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ..\nfsmonitor = touch ran\n",
        );
        harness.file("bare/objects/x", "");
        harness.file("bare/refs/x", "");
        let (_, found) = harness.command(&tier, json!({ "command": "cd bare && git status; true" })).unwrap();
        assert!(!harness.path("home/work/ran").exists() && found.text.contains("bare"), "{}", found.text);
    }
}
