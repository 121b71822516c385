//! What is known about programs: which run others, and with which arguments.
//!
//! A grant `git:*` means git, not other programs that git can run. Under a grant with an open end a program
//! runs only with what its table names; a program without a table does not run. A grant that spells out the
//! whole command is not checked here: its author wrote every word.

use super::{
    argument_class::ArgumentClass,
    shell::Simple,
    table::{Table, Tables, Takes},
    unproven::Unproven,
};
use skillful_shell::Literal;

/// Programs that run the commands in their arguments, and builtins that change what a later word means. No
/// table can make an open-ended grant for them safe.
#[rustfmt::skip]
const LAUNCHERS: &[&str] = &[
    ".", "alias", "apptainer", "at", "batch", "builtin", "bunx", "busybox", "bwrap", "capsh", "catchsegv",
    "cgexec", "choom", "chpst", "chronic", "chroot", "chrt", "command", "coproc", "coresched", "cpulimit",
    "daemonize", "dbus-launch", "dbus-run-session", "declare", "direnv", "doas", "eatmydata", "enable",
    "entr", "env", "envdir", "eval", "exec", "expect", "export", "fakechroot", "fakeroot", "faketime",
    "firejail", "flock", "function", "gdb", "hash", "i386", "i486", "i586", "i686", "ifne", "ionice",
    "ld-linux-x86-64.so.2", "ld-linux.so.2", "ld.so", "let", "linux32", "linux64", "local", "ltrace",
    "mapfile", "mosh", "newgrp", "nice", "nix-shell", "nohup", "npx", "nsenter", "numactl", "parallel",
    "pdsh", "perf", "personality", "pipx", "pkexec", "pnpx", "prlimit", "proot", "proxychains", "readonly",
    "rlwrap", "rr", "run0", "runcon", "runuser", "screen", "script", "set", "setarch", "setpriv", "setsid",
    "setuidgid", "sg", "shopt", "socat", "softlimit", "source", "ssh", "ssh-agent", "start-stop-daemon",
    "stdbuf", "strace", "su", "sudo", "systemd-run", "taskset", "tclsh", "time", "timeout", "tmux",
    "torsocks", "toybox", "trap", "typeset", "uclampset", "unalias", "uname26", "unbuffer", "unset",
    "unshare", "uvx", "valgrind", "watch", "watchexec", "x86_64", "xargs", "xvfb-run",
];
/// Folders of programs that are not the project's own.
const SYSTEM: [&str; 9] = ["/bin", "/sbin", "/usr", "/lib", "/lib64", "/opt", "/nix", "/dev", "/proc"];

/// Why a command cannot be let through by a grant with an open end, if it cannot.
pub(crate) fn escape(command: &Simple) -> Option<Unproven> {
    let program = name(command.program());
    if LAUNCHERS.contains(&program) {
        return Some(Unproven::Launcher(program.to_owned()));
    }
    let arguments = &command.words[1..];
    let tables = Tables::shipped();
    let Some(table) = tables.get(&[program]) else {
        return (!is_own(command.program())).then(|| Unproven::NoTable(program.to_owned()));
    };
    if table.script && !arguments.iter().any(|word| !word.text.starts_with('-')) && !asks_version(arguments) {
        return Some(Unproven::Launcher(program.to_owned()));
    }
    let refused = Judge { tables, words: arguments }.program(program, table).err()?;
    Some(Unproven::Escape { program: program.to_owned(), argument: refused.text.chars().take(80).collect() })
}

/// The name of a program without its folder.
pub(crate) fn name(program: &str) -> &str {
    program.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(program)
}

/// Whether a program is named by its path and is not of the system: the author of the grant means that file,
/// and its arguments mean what it says they mean.
fn is_own(program: &str) -> bool {
    let parts = || program.split('/');
    program.contains('/')
        && parts().all(|part| part != "..")
        && !SYSTEM.iter().any(|folder| program.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
        && !program.starts_with("//")
}

fn asks_version(arguments: &[Literal]) -> bool {
    matches!(arguments, [only] if ["--version", "-V", "-v"].iter().any(|word| only.is(word)))
}

/// Compares the words of a command with its table.
struct Judge<'w> {
    tables: &'static Tables,
    words: &'w [Literal],
}

/// The first word that is not let through.
type Judged<'w> = Result<(), &'w Literal>;

impl<'w> Judge<'w> {
    fn program(mut self, program: &str, table: &Table) -> Judged<'w> {
        if !table.has_commands {
            return self.all(table);
        }
        while let Some((word, rest)) = self.words.split_first() {
            if word.text.starts_with('-') {
                self.option(table)?;
                continue;
            }
            if word.open {
                return Err(word);
            }
            self.words = rest;
            let nested = rest.first().filter(|next| !next.open);
            let found = nested.and_then(|next| self.tables.get(&[program, &word.text, &next.text]));
            if let Some(table) = found {
                self.words = &rest[1..];
                return self.all(table);
            }
            let table = self.tables.get(&[program, &word.text]).ok_or(word)?;
            return self.all(table);
        }
        Ok(())
    }

    /// Every word that is left.
    fn all(&mut self, table: &Table) -> Judged<'w> {
        let (mut operands, mut ended) = (0, false);
        if table.old {
            self.old_cluster(table)?;
        }
        while let Some((word, rest)) = self.words.split_first() {
            if table.harmless {
                return Ok(());
            }
            if ended && table.passes {
                return Ok(());
            }
            if !ended && word.is("--") {
                (ended, self.words) = (true, rest);
                continue;
            }
            if !ended && word.open_start {
                return Err(word);
            }
            if !ended && word.text.starts_with('-') && word.text.len() > 1 {
                if self.option(table)? {
                    // Its value was a script, so the next operand is a file.
                    operands += 1;
                }
                continue;
            }
            if table.script {
                return if ArgumentClass::Script.takes(word, 0) { Ok(()) } else { Err(word) };
            }
            if !table.operands.takes(word, operands) {
                return Err(word);
            }
            (operands, self.words) = (operands + 1, rest);
        }
        Ok(())
    }

    /// The option at the start, with its value. Returns whether the value is a script.
    fn option(&mut self, table: &Table) -> Result<bool, &'w Literal> {
        let Some((word, rest)) = self.words.split_first() else { return Ok(false) };
        self.words = rest;
        let text = word.text.as_str();
        if word.open_start {
            return Err(word);
        }
        if table.numbers && text[1..].bytes().all(|b| b.is_ascii_digit()) {
            return Ok(false);
        }
        if table.words || text.starts_with("--") {
            let (name, value) =
                text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
            let one = name.strip_prefix('-').filter(|_| table.words && name.starts_with("--"));
            let takes = table.options.get(one.unwrap_or(name)).ok_or(word)?;
            return match (takes, value) {
                (Takes::Nothing, Some(_)) => Err(word),
                (Takes::Nothing | Takes::Attached(_), None) => Ok(false),
                (Takes::Value(class) | Takes::Attached(class), Some(value)) => attached(word, *class, value),
                (Takes::Value(class), None) => self.value(word, *class),
            };
        }
        for (at, letter) in text[1..].char_indices() {
            let mut buffer = [0; 8];
            let name = short(letter, &mut buffer);
            let takes = table.options.get(name).ok_or(word)?;
            let left = &text[1 + at + letter.len_utf8()..];
            if table.alone && text.len() > 2 {
                return Err(word);
            }
            match takes {
                Takes::Nothing => {}
                Takes::Value(class) if left.is_empty() => return self.value(word, *class),
                Takes::Attached(_) if left.is_empty() => return Ok(false),
                Takes::Value(class) | Takes::Attached(class) => return attached(word, *class, left),
            }
        }
        Ok(false)
    }

    /// The value of an option in the next word.
    fn value(&mut self, option: &'w Literal, class: ArgumentClass) -> Result<bool, &'w Literal> {
        let (word, rest) = self.words.split_first().ok_or(option)?;
        self.words = rest;
        if word.open {
            return Err(word);
        }
        if class == ArgumentClass::Module {
            return self.module(word);
        }
        if class.holds(&word.text) { Ok(class == ArgumentClass::Sed) } else { Err(word) }
    }

    /// `python -m NAME`: a module that has a table as a program is judged by it.
    fn module(&mut self, word: &'w Literal) -> Result<bool, &'w Literal> {
        if let Some(table) = self.tables.get(&[&word.text]).filter(|table| !table.harmless && !table.script) {
            Judge { tables: self.tables, words: self.words }.program(&word.text, table)?;
        } else if !ArgumentClass::Module.holds(&word.text) {
            return Err(word);
        }
        self.words = &[];
        Ok(false)
    }

    /// `tar cf x`: letters without a hyphen, then their values in order.
    fn old_cluster(&mut self, table: &Table) -> Judged<'w> {
        let Some((word, rest)) = self.words.split_first() else { return Ok(()) };
        if word.text.starts_with('-') {
            return Ok(());
        }
        if word.open {
            return Err(word);
        }
        self.words = rest;
        for letter in word.text.chars() {
            let mut buffer = [0; 8];
            match table.options.get(short(letter, &mut buffer)).ok_or(word)? {
                Takes::Nothing => {}
                Takes::Value(class) | Takes::Attached(class) => {
                    self.value(word, *class)?;
                }
            }
        }
        Ok(())
    }
}

fn attached<'w>(word: &'w Literal, class: ArgumentClass, value: &str) -> Result<bool, &'w Literal> {
    let certain = !word.open || class == ArgumentClass::Any;
    if certain && class != ArgumentClass::Module && class.holds(value) {
        Ok(class == ArgumentClass::Sed)
    } else {
        Err(word)
    }
}

/// A short option with its hyphen.
fn short(letter: char, buffer: &mut [u8; 8]) -> &str {
    buffer[0] = b'-';
    let end = 1 + letter.encode_utf8(&mut buffer[1..]).len();
    std::str::from_utf8(&buffer[..end]).unwrap_or("-")
}
