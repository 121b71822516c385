//! What is known about programs: which run others, and with which arguments.
//!
//! A grant `git:*` means git, not other programs that git can run. A grant that spells out the whole
//! command is not checked here: its author wrote every word.

use super::{shell::Simple, unproven::Unproven};
use skillful_shell::Literal;

/// Programs that run the commands in their arguments, and builtins that change what a later word means.
const LAUNCHERS: &[&str] = &[
    ".",
    "alias",
    "apptainer",
    "at",
    "batch",
    "builtin",
    "busybox",
    "capsh",
    "chroot",
    "chrt",
    "command",
    "coproc",
    "cpulimit",
    "dbus-run-session",
    "declare",
    "doas",
    "enable",
    "env",
    "eval",
    "exec",
    "expect",
    "export",
    "fakeroot",
    "firejail",
    "flock",
    "function",
    "hash",
    "ionice",
    "ld.so",
    "let",
    "local",
    "ltrace",
    "mapfile",
    "nice",
    "nohup",
    "nsenter",
    "numactl",
    "parallel",
    "pkexec",
    "prlimit",
    "proxychains",
    "readonly",
    "run0",
    "runuser",
    "screen",
    "script",
    "set",
    "setarch",
    "setpriv",
    "setsid",
    "source",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "tmux",
    "toybox",
    "trap",
    "typeset",
    "unshare",
    "xargs",
    "entr",
    "shopt",
    "unalias",
    "unset",
    "watch",
    "watchexec",
];
/// Shells: a script by name is a program like any other, a command line or standard input is not.
const SHELLS: [&str; 12] =
    ["ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "rbash", "sh", "tcsh", "zsh"];

/// Arguments that a program must not be given by a grant with an open end.
struct Rule {
    program: &'static str,
    /// Long options, and their abbreviations.
    long: &'static [&'static str],
    /// Letters of short options, alone or in a cluster.
    short: &'static str,
    /// Arguments with a single hyphen, as a whole.
    words: &'static [&'static str],
}

const RULES: &[Rule] = &[
    Rule {
        program: "find",
        long: &[],
        short: "",
        words: &["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"],
    },
    Rule {
        program: "npm",
        long: &[
            "--script-shell",
            "--node-options",
            "--prefix",
            "--userconfig",
            "--globalconfig",
            "--init-module",
            "--editor",
            "--viewer",
            "--shell",
            "--git",
            "--call",
            "--node-gyp",
            "--browser",
        ],
        short: "cC",
        words: &[],
    },
    Rule {
        program: "pnpm",
        long: &["--script-shell", "--dir", "--config", "--shell-mode"],
        short: "cC",
        words: &[],
    },
    Rule { program: "yarn", long: &["--cwd", "--use-yarnrc", "--script-shell"], short: "", words: &[] },
    Rule {
        program: "tar",
        long: &[
            "--to-command",
            "--checkpoint-action",
            "--use-compress-program",
            "--rsh-command",
            "--info-script",
            "--new-volume-script",
        ],
        short: "IF",
        words: &[],
    },
    Rule { program: "sort", long: &["--compress-program", "--output"], short: "o", words: &[] },
    Rule { program: "rsync", long: &["--rsh", "--rsync-path"], short: "e", words: &[] },
    Rule { program: "rg", long: &["--pre", "--hostname-bin", "--search-zip"], short: "z", words: &[] },
    Rule { program: "cargo", long: &["--config", "--manifest-path"], short: "Z", words: &[] },
    Rule {
        program: "go",
        long: &["--exec", "--toolexec", "--vettool", "--modfile", "--overlay"],
        short: "",
        words: &["-exec", "-toolexec", "-vettool", "-modfile", "-overlay", "-C"],
    },
    Rule {
        program: "make",
        long: &["--eval", "--file", "--makefile", "--directory"],
        short: "fCEI",
        words: &[],
    },
    Rule { program: "fd", long: &["--exec", "--exec-batch"], short: "xX", words: &[] },
];

/// Commands of git that do git's own work. Another word is an alias or a program on the PATH.
const GIT: &[&str] = &[
    "add",
    "am",
    "annotate",
    "apply",
    "archive",
    "bisect",
    "blame",
    "branch",
    "cat-file",
    "check-ignore",
    "checkout",
    "cherry",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "config",
    "count-objects",
    "describe",
    "diff",
    "diff-index",
    "diff-tree",
    "fetch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "hash-object",
    "help",
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge",
    "merge-base",
    "mv",
    "name-rev",
    "notes",
    "prune",
    "pull",
    "push",
    "range-diff",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "show-ref",
    "stash",
    "status",
    "submodule",
    "switch",
    "tag",
    "worktree",
];
/// Options before git's command that change only how it speaks.
const GIT_FIRST: [&str; 8] =
    ["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--version", "-v", "--help", "-h"];
/// Options after it that run a program or leave the repository.
const GIT_LONG: [&str; 10] = [
    "--exec",
    "--upload-pack",
    "--receive-pack",
    "--ext-diff",
    "--open-files-in-pager",
    "--extcmd",
    "--output",
    "--no-index",
    "--exec-path",
    "--textconv",
];
/// The same for one command: letters, and long options.
const GIT_OWN: [(&str, &str, &[&str]); 7] = [
    ("clone", "cu", &["--config", "--template"]),
    ("init", "", &["--template"]),
    ("rebase", "x", &[]),
    ("grep", "O", &[]),
    ("archive", "o", &["--remote"]),
    ("hash-object", "", &["--stdin-paths"]),
    ("ls-remote", "", &["--exec"]),
];
/// What `git config` may be asked; everything else could write a program into it.
const GIT_CONFIG: [&str; 7] = ["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"];

/// Why a command cannot be let through by a grant with an open end, if it cannot.
pub(crate) fn escape(command: &Simple) -> Option<Unproven> {
    let program = name(command.program());
    if LAUNCHERS.contains(&program) {
        return Some(Unproven::Launcher(program.to_owned()));
    }
    let arguments = &command.words[1..];
    let refuse = |word: &Literal| {
        Some(Unproven::Escape { program: program.to_owned(), argument: word.text.chars().take(80).collect() })
    };
    if SHELLS.contains(&program) {
        let script = arguments.first().is_some_and(|word| {
            !word.open
                && !word.text.starts_with(['-', '+'])
                && !word.text.starts_with("/dev/")
                && !word.text.starts_with("/proc/")
        });
        return (!script).then(|| Unproven::Launcher(program.to_owned()));
    }
    if program == "git" {
        return git(arguments).and_then(refuse);
    }
    let rule = RULES.iter().find(|rule| rule.program == program)?;
    for word in arguments {
        if word.is("--") {
            return None;
        }
        let assigns = program == "make" && word.text.contains('=');
        let hyphens = program == "npm"
            && word.text.len() > 2
            && word.text.starts_with('-')
            && !word.text.starts_with("--");
        if word.open_start
            || assigns
            || hyphens
            || long(&word.text, rule.long)
            || short(&word.text, rule.short)
            || rule
                .words
                .iter()
                .any(|refused| word.text == *refused || word.text.starts_with(&format!("{refused}=")))
        {
            return refuse(word);
        }
    }
    None
}

/// The name of a program without its folder.
pub(crate) fn name(program: &str) -> &str {
    program.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(program)
}

fn git(arguments: &[Literal]) -> Option<&Literal> {
    let mut words = arguments.iter();
    let command = loop {
        let word = words.next()?;
        if word.open {
            return Some(word);
        }
        if word.text == "-C" {
            if words.next().is_none_or(|folder| folder.open) {
                return Some(word);
            }
        } else if !word.text.starts_with('-') {
            break word;
        } else if !GIT_FIRST.contains(&word.text.as_str()) {
            return Some(word);
        }
    };
    if !GIT.contains(&command.text.as_str()) {
        return Some(command);
    }
    let rest = words.as_slice();
    let own = GIT_OWN.iter().find(|(name, ..)| command.text == *name);
    match command.text.as_str() {
        "config" if !rest.first().is_some_and(|word| GIT_CONFIG.iter().any(|read| word.is(read))) => {
            return Some(command);
        }
        "bisect" => {
            if let Some(word) = rest.iter().find(|word| word.open || word.text == "run") {
                return Some(word);
            }
        }
        "submodule" => {
            if let Some(word) = rest.iter().find(|word| word.open || word.text == "foreach") {
                return Some(word);
            }
        }
        _ => {}
    }
    let mut literal = false;
    rest.iter().find(|word| {
        let address = word.text.contains("ext::") || word.text.contains("fd::");
        if literal || address {
            return address;
        }
        literal = word.is("--");
        word.open_start
            || long(&word.text, &GIT_LONG)
            || own
                .is_some_and(|(_, letters, options)| short(&word.text, letters) || long(&word.text, options))
    })
}

/// Whether a word is one of these options, has a value for it, or abbreviates it.
fn long(word: &str, options: &[&str]) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    name.len() > 2 && name.starts_with("--") && options.iter().any(|option| option.starts_with(name))
}

fn short(word: &str, letters: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word[1..].contains(|c| letters.contains(c))
}
