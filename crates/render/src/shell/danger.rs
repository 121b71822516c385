//! Where a value could become code: by what the shell makes of its place, and by the command it is given to.

use skillful_shell::slots::{SLOT, Slot, SlotContext, SlotRole, is_assignment};

/// Commands that read their arguments as code, or as names of variables.
const EVALUATE: [&str; 22] = [
    ".",
    "[[",
    "alias",
    "declare",
    "eval",
    "export",
    "let",
    "local",
    "mapfile",
    "parallel",
    "read",
    "readarray",
    "readonly",
    "screen",
    "source",
    "ssh",
    "su",
    "tmux",
    "trap",
    "typeset",
    "unset",
    "watch",
];
/// Commands that read an argument as a program with one of [`PROGRAM_TEXT`].
const INTERPRET: [&str; 29] = [
    "ash",
    "bash",
    "bun",
    "dash",
    "dc",
    "deno",
    "ex",
    "fish",
    "flock",
    "gdb",
    "ksh",
    "lua",
    "mysql",
    "node",
    "nvim",
    "osascript",
    "perl",
    "php",
    "psql",
    "pwsh",
    "python",
    "python2",
    "python3",
    "Rscript",
    "ruby",
    "script",
    "sh",
    "vim",
    "zsh",
];
/// Options whose argument is a program.
const PROGRAM_TEXT: [&str; 10] =
    ["-c", "-e", "-p", "-r", "--eval", "eval", "-ex", "-Command", "--cmd", "--command"];
/// Commands whose first plain argument is a program.
const SCRIPTED: [&str; 5] = ["awk", "gawk", "mawk", "nawk", "sed"];
/// Programs of databases whose second plain argument is a program.
const DATABASES: [&str; 2] = ["sqlite3", "duckdb"];
/// Options of any program whose value is a command.
const COMMAND_OPTIONS: [&str; 12] = [
    "--checkpoint-action",
    "--to-command",
    "--use-compress-program",
    "--rsh-command",
    "--rmt-command",
    "--new-volume-script",
    "--info-script",
    "--rsh",
    "--upload-pack",
    "--receive-pack",
    "--open-files-in-pager",
    "--pager",
];
/// Commands that run what they read from standard input.
const READERS: [&str; 6] = ["at", "batch", "crontab", "ed", "ex", "dc"];
/// Commands that run the command behind them.
const WRAPPERS: [&str; 18] = [
    "builtin", "busybox", "chroot", "command", "doas", "env", "exec", "ionice", "nice", "nohup", "setsid",
    "stdbuf", "strace", "sudo", "time", "timeout", "unshare", "xargs",
];

/// Those of them that take assignments before it.
const ASSIGNERS: [&str; 3] = ["doas", "env", "sudo"];

/// Why a value must not stand in a slot, if it must not.
pub(super) fn refusal(slot: &Slot) -> Option<&'static str> {
    match slot.context {
        SlotContext::Bare | SlotContext::Double | SlotContext::Single => danger(slot),
        SlotContext::HereDocument | SlotContext::Comment => None,
        SlotContext::Escaped => Some("a backslash stands before it"),
        SlotContext::AnsiC => Some("it is between $'…'"),
        SlotContext::Backquotes => Some("it is between backquotes; write $(…)"),
        SlotContext::Expansion => Some("it is inside an expansion"),
        SlotContext::Arithmetic => Some("it is in arithmetic"),
        SlotContext::LiteralHereDocument => Some("the here-document takes no values"),
        SlotContext::HereDocumentCode => Some("the here-document runs a command in its line"),
        SlotContext::Lost => Some("the quotes before it cannot be followed"),
    }
}

/// Why a command could run an argument that another part of it is given: it runs what it reads from its standard input,
/// or what a variable holds that an argument was put into.
pub(super) fn runs_what_it_reads(commands: &[Vec<String>]) -> Option<&'static str> {
    let filled = |word: &&String| word.contains(SLOT) && is_assignment(word);
    let filled = commands.iter().flatten().filter(filled);
    let filled: Vec<&str> =
        filled.filter_map(|word| Some(word.split_once('=')?.0.trim_end_matches('+'))).collect();
    let holds = |word: &str| {
        let mut names = word.split('$').skip(1).map(|rest| {
            let rest = rest.trim_start_matches('{');
            &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())]
        });
        names.any(|name| filled.contains(&name))
    };
    commands.iter().find_map(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let is_before = |word: &&&str| is_assignment(word) || WRAPPERS.contains(word);
        let words = &words[words.iter().take_while(is_before).count()..];
        let program = words.first()?.rsplit('/').next().unwrap_or_default();
        let is_held = holds(words[0]) || words[0].is_empty() && words.iter().any(|word| holds(word));
        if is_held || is_evaluated(words) && words.iter().any(|word| holds(word)) {
            return Some("the command runs what a variable holds that an argument was put into");
        }
        let is_interpreter = INTERPRET.contains(&program) && !matches!(program, "flock" | "script" | "gdb");
        let has_program = words.iter().any(|word| PROGRAM_TEXT.contains(word) || word.starts_with('+'));
        let is_file = |word: &&str| !word.starts_with('-') && !matches!(*word, "/dev/stdin" | "/dev/fd/0");
        let reads = is_interpreter && !has_program && !words[1..].iter().any(is_file);
        let asks = words.windows(2).any(|pair| pair[0] == "-f" && matches!(pair[1], "-" | "/dev/stdin"))
            && (SCRIPTED.contains(&program) || matches!(program, "make" | "gmake"));
        (reads || asks || READERS.contains(&program))
            .then_some("the command runs what it reads from its input")
    })
}

/// Whether the words of a command are read as code.
fn is_evaluated(words: &[&str]) -> bool {
    let program = words[0].rsplit('/').next().unwrap_or_default();
    matches!(program, "eval" | "source" | "." | "trap" | "ssh" | "su" | "watch" | "parallel")
        || INTERPRET.contains(&program) && PROGRAM_TEXT.iter().any(|option| words.contains(option))
}

/// Why the command that a value is given to could read it as code.
fn danger(slot: &Slot) -> Option<&'static str> {
    let words: Vec<&str> = slot.words.iter().map(String::as_str).collect();
    let name = slot.prefix.as_deref().and_then(|prefix| prefix.split_once('=')).map(|(name, _)| name);
    if name.is_some_and(|name| skillful_format::is_steering(name.trim_end_matches('+'))) {
        return Some("it decides which programs or which code run");
    }
    if name.is_some_and(|name| COMMAND_OPTIONS.contains(&name))
        || words.last().is_some_and(|word| COMMAND_OPTIONS.contains(word))
    {
        return Some("it is the value of an option that names a command");
    }
    // A command may start a shell in the middle of its words: `find … -exec sh -c`, `docker run x sh -c`.
    let is_shell = |at: usize| {
        let program = words[at].rsplit('/').next().unwrap_or_default();
        at > 0 && INTERPRET.contains(&program) && words[at..].iter().any(|word| PROGRAM_TEXT.contains(word))
    };
    if (0..words.len()).any(is_shell) {
        return Some("it is given to another interpreter as a program");
    }
    let skipped = |word: &&&str| {
        let numeric = word.starts_with(|c: char| c.is_ascii_digit());
        is_assignment(word) || WRAPPERS.contains(word) || word.starts_with('-') || numeric
    };
    let before = words.iter().take_while(skipped).count();
    if before == words.len() {
        // To these programs an assignment is an argument, and may stand in quotes.
        let assigns = words.iter().any(|word| ASSIGNERS.contains(word))
            && slot.prefix.as_deref().is_some_and(is_assignment);
        let named = slot.role == SlotRole::Argument && !assigns;
        return named.then_some("it would choose which command runs");
    }
    // Behind a command that runs another one, any word may be that other one.
    let wrapped = words[..before].iter().any(|word| WRAPPERS.contains(word));
    let candidates = if wrapped { words.len() } else { before + 1 };
    let danger = (before..candidates).find_map(|at| danger_of(&words[at..]));
    if danger.is_some() {
        return danger;
    }
    slot.prefix.as_deref().is_some_and(|prefix| prefix.ends_with('[')).then_some("it is an index")
}

/// Why a value among the arguments of a program could become code.
fn danger_of(words: &[&str]) -> Option<&'static str> {
    let program = words[0].rsplit('/').next().unwrap_or(words[0]);
    let given = |option: &str| words.contains(&option);
    if EVALUATE.contains(&program) || (matches!(program, "[" | "test") && given("-v")) {
        return Some("the command reads its arguments as code or as names");
    }
    if INTERPRET.contains(&program) && PROGRAM_TEXT.iter().any(|option| given(option)) {
        return Some("it is given to another interpreter as a program");
    }
    let plain = words[1..].iter().filter(|word| !word.starts_with('-')).count();
    if SCRIPTED.contains(&program) && plain == 0 {
        return Some("it is a part of a program");
    }
    if DATABASES.contains(&program) && plain == 1 {
        return Some("it is a part of a program");
    }
    if program == "git" && words.last() == Some(&"-c") {
        return Some("it is a setting of git, which can name a command");
    }
    (program == "printf" && given("-v")).then_some("it names a variable")
}
