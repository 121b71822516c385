//! Where a value could become code: by what the shell makes of its place, and by the command it is given to.

use skillful_shell::slots::{Slot, SlotContext, SlotRole, is_assignment};

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
const INTERPRET: [&str; 17] = [
    "ash", "bash", "bun", "dash", "deno", "fish", "ksh", "lua", "node", "perl", "php", "python", "python2",
    "python3", "ruby", "sh", "zsh",
];
/// Options whose argument is a program.
const PROGRAM_TEXT: [&str; 6] = ["-c", "-e", "-p", "-r", "--eval", "eval"];
/// Commands whose first plain argument is a program.
const SCRIPTED: [&str; 5] = ["awk", "gawk", "mawk", "nawk", "sed"];
/// Commands that run the command behind them.
const WRAPPERS: [&str; 11] =
    ["builtin", "command", "doas", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "sudo", "timeout"];

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

/// Why the command that a value is given to could read it as code.
fn danger(slot: &Slot) -> Option<&'static str> {
    let words: Vec<&str> = slot.words.iter().map(String::as_str).collect();
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
    (program == "printf" && given("-v")).then_some("it names a variable")
}
