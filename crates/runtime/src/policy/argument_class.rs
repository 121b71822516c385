//! Classes of words that a program may be given: operands, and values of options.

use super::little_scripts;
use skillful_shell::Literal;

/// Folders of the kernel, whose files can be standard input under another name.
const KERNEL: [&str; 4] = ["/dev", "/proc", "/sys", "/run"];
/// Modules of Python that run only the project's own code, or none.
const MODULES: [&str; 6] = ["unittest", "json.tool", "venv", "compileall", "py_compile", "tokenize"];
/// Options that set the level of a lint.
const LEVELS: [&str; 8] = ["--deny", "--warn", "--allow", "--forbid", "-D", "-W", "-A", "-F"];
/// Options of rustfmt that only compare or list.
const CHECKS: [&str; 7] = ["--check", "-l", "--files-with-diff", "-q", "--quiet", "-v", "--verbose"];
/// Schemes of addresses of other machines for which git starts no helper of another name. `file` always leads out of
/// the working folder.
const SCHEMES: [&str; 4] = ["http", "https", "ssh", "git"];

/// What a word may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ArgumentClass {
    #[default]
    Any,
    None,
    /// At most one operand, or two: a further one would be written.
    One,
    Two,
    /// A path below the working folder.
    Inside,
    /// The same, and not `@file`, which many programs take further options from.
    Files,
    /// The same as `Inside` without hidden folders, in which skills and repositories of others lie.
    Below,
    /// A path without a host.
    Local,
    /// A remote of git: a name, a path below the working folder, or an address without a helper program.
    Remote,
    /// A remote of git, and the folder that it is copied to, which is `Below`.
    Copied,
    /// Letters, digits and `._-@+,`.
    Name,
    /// A package of a registry: no address and no path.
    Package,
    /// A form of output that is not read from a file.
    Output,
    /// Options behind `--` that change which lints count.
    Lints,
    /// Options behind `--` with which a formatter changes and names no file.
    Check,
    /// A target of make: no assignment.
    Target,
    /// A web address.
    Http,
    /// Text, not `@file`.
    Text,
    /// Text without `@`.
    NoAt,
    /// A script of the project or of a skill.
    Script,
    /// A module of Python.
    Module,
    /// A script of sed; further operands are files.
    Sed,
    /// A program of awk; further operands are files.
    Awk,
    /// An assignment for awk.
    Assign,
    /// The ending of a backup.
    Suffix,
}

impl ArgumentClass {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "any" => Self::Any,
            "none" => Self::None,
            "one" => Self::One,
            "two" => Self::Two,
            "inside" | "tree" => Self::Inside,
            "files" => Self::Files,
            "output" => Self::Output,
            "lints" => Self::Lints,
            "check" => Self::Check,
            "below" => Self::Below,
            "local" => Self::Local,
            "remote" => Self::Remote,
            "copied" => Self::Copied,
            "name" => Self::Name,
            "package" => Self::Package,
            "targets" => Self::Target,
            "http" => Self::Http,
            "text" => Self::Text,
            "noat" => Self::NoAt,
            "script" => Self::Script,
            "module" => Self::Module,
            "sed" => Self::Sed,
            "awk" => Self::Awk,
            "assign" => Self::Assign,
            "suffix" => Self::Suffix,
            _ => return None,
        })
    }

    /// Whether an operand is of this class; `before` operands came before it.
    pub(super) fn takes(self, word: &Literal, before: usize) -> bool {
        match self {
            Self::None => false,
            Self::One => before < 1,
            Self::Two => before < 2,
            // A word that the shell may turn into others is a path, never a script.
            Self::Sed | Self::Awk if before > 0 => true,
            Self::Any => true,
            Self::Inside if word.open => inside(&word.text) && !hides_a_glob(&word.text),
            Self::Files if word.open => files(&word.text) && !hides_a_glob(&word.text),
            Self::Below if word.open => below(&word.text),
            Self::Copied if before == 1 => below(&word.text),
            Self::Remote | Self::Copied | Self::Local if word.open => false,
            Self::Copied => before == 0 && remote(&word.text) && below(copied_name(&word.text)),
            _ => !word.open && self.holds(&word.text),
        }
    }

    /// Whether a text that is certain is of this class.
    pub(super) fn holds(self, text: &str) -> bool {
        match self {
            Self::None => false,
            Self::Any | Self::One | Self::Two => true,
            Self::Inside => inside(text),
            Self::Files => files(text),
            Self::Output => !text.contains("-file"),
            Self::Lints => lints(text),
            Self::Check => CHECKS.contains(&text),
            Self::Below => below(text),
            Self::Local => !text.contains(':'),
            Self::Remote | Self::Copied => remote(text),
            Self::Name => is_name(text),
            Self::Package => package(text),
            Self::Target => !text.contains('='),
            Self::Http => text.starts_with("http://") || text.starts_with("https://"),
            Self::Text => !text.starts_with('@'),
            Self::NoAt => !text.contains('@'),
            Self::Script => script(text),
            Self::Module => MODULES.contains(&text),
            Self::Sed => little_scripts::sed(text),
            Self::Awk => little_scripts::awk(text),
            Self::Assign => {
                let plain = |name: &str| {
                    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                };
                text.split_once('=').is_some_and(|(name, _)| plain(name))
            }
            Self::Suffix => text.bytes().all(|b| b.is_ascii_alphanumeric() || b".~_-".contains(&b)),
        }
    }
}

fn inside(text: &str) -> bool {
    !text.starts_with(['/', '~']) && text.split('/').all(|part| part != "..")
}

fn files(text: &str) -> bool {
    inside(text) && !text.starts_with('@')
}

/// `-D warnings`, `-Dwarnings`, `--deny=clippy::all`.
fn lints(text: &str) -> bool {
    let is_lint = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-:".contains(&b));
    let rest = LEVELS.iter().find_map(|level| text.strip_prefix(level));
    match rest {
        Some(rest) => is_lint(rest.strip_prefix('=').unwrap_or(rest)),
        None => !text.starts_with('-') && is_lint(text),
    }
}

fn below(text: &str) -> bool {
    text != "-" && inside(text) && text.split('/').all(|part| part == "." || !part.starts_with('.'))
}

/// Whether a glob may become `..`: some shells let `.*` mean it.
fn hides_a_glob(text: &str) -> bool {
    text.split('/').any(|part| part.starts_with('.') && part.contains(['*', '?', '[']))
}

fn remote(text: &str) -> bool {
    if text.contains("::") {
        return false;
    }
    match text.split_once("://") {
        Some((scheme, _)) => SCHEMES.contains(&scheme),
        // `host:path` is on another machine, unless a folder has that name; a slash before the colon makes it a path.
        None => {
            let is_host = text.split_once(':').is_some_and(|(host, _)| !host.contains('/'));
            inside(text) || is_host && text.split('/').all(|part| part != "..")
        }
    }
}

/// The name of the folder that git makes for a remote when no other is given.
fn copied_name(text: &str) -> &str {
    let blank = |c: char| c <= ' ';
    let text = text.trim_end_matches(|c| blank(c) || c == '/');
    let text = text.strip_suffix("/.git").unwrap_or(text).trim_end_matches('/');
    let name = text.rsplit(['/', ':']).next().unwrap_or(text).trim_matches(blank);
    name.strip_suffix(".git").unwrap_or(name)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-@+,".contains(&b))
}

fn package(text: &str) -> bool {
    let scoped = text.strip_prefix('@');
    let plain = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-@+,=<>!~^*[]".contains(&b))
            && !text.starts_with(['.', '-'])
    };
    match scoped {
        Some(rest) => rest.split_once('/').is_some_and(|(scope, name)| plain(scope) && plain(name)),
        None => text == "." || plain(text),
    }
}

fn script(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(['-', '+', '~'])
        && text.split('/').all(|part| part != "..")
        && !KERNEL.iter().any(|folder| {
            let text = text.trim_start_matches('/');
            let folder = &folder[1..];
            text == folder || text.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        })
}
