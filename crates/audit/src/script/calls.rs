//! Judges a call by the name that is called and by its arguments.

use super::{env_file_keys, requests};
use crate::{
    flow::{self, Flow, Labels},
    hosts::HostKind,
    purpose::Purpose,
    report::Severity,
    rule::Rule,
    shell,
};
use std::ops::Range;

/// A call and the facts known about it.
pub(super) struct Meaning<'a> {
    /// The called name as written, without spaces.
    pub(super) callee: &'a str,
    /// The last part of the name.
    pub(super) short: &'a str,
    /// The whole call as written.
    pub(super) raw: &'a str,
    /// Labels of the receiver.
    pub(super) receiver: &'a Labels,
    /// Labels of the arguments.
    pub(super) given: &'a Labels,
    /// Labels of the arguments other than HTTP headers.
    pub(super) beside: Labels,
    /// Labels of the first argument, which is the address of a request.
    pub(super) address: Labels,
    /// Texts among the arguments.
    pub(super) text: &'a str,
    /// Texts of the first argument.
    pub(super) first: &'a str,
}

const RUN: [&str; 17] = [
    "spec_from_file_location",
    "SourceFileLoader",
    "run_module",
    "exec",
    "eval",
    "os.system",
    "os.popen",
    "Function",
    "vm.runInThisContext",
    "vm.runInNewContext",
    "runpy.run_path",
    "builtins.exec",
    "__builtins__.exec",
    "importlib.import_module",
    "globalThis.eval",
    "window.eval",
    "vm.runInContext",
];
const COMMANDS: [&str; 16] = [
    "subprocess.run",
    "subprocess.Popen",
    "subprocess.call",
    "subprocess.check_output",
    "subprocess.check_call",
    "subprocess.getoutput",
    "os.execv",
    "os.execvp",
    "os.spawnl",
    "execSync",
    "spawn",
    "spawnSync",
    "execFile",
    "execFileSync",
    "pty.spawn",
    "asyncio.create_subprocess_shell",
];
const DECODE: [&str; 18] = [
    "b64decode",
    "a85decode",
    "b85decode",
    "b32decode",
    "b16decode",
    "urlsafe_b64decode",
    "unhexlify",
    "fromhex",
    "atob",
    "decompress",
    "gunzipSync",
    "inflateSync",
    "brotliDecompressSync",
    "fromCharCode",
    "unescape",
    "rot13",
    "decodebytes",
    "loads_marshal",
];
pub(super) fn is(list: &[&str], meaning: &Meaning<'_>) -> bool {
    list.iter().any(|name| {
        meaning.callee == *name
            || (name.contains('.') && meaning.callee.ends_with(name))
            || (!name.contains('.') && meaning.short == *name)
    })
}

/// Records in the flow what a call does; returns the labels of its result.
pub(super) fn judge(flow: &mut Flow, meaning: &Meaning<'_>, place: &Range<usize>) -> Labels {
    let all = meaning.given.and(*meaning.receiver);
    obfuscated(flow, meaning, place);
    // One variable by name, like a direct access to the environment.
    if meaning.short == "get"
        && flow.env_only
        && meaning.receiver.has(Labels::SECRET.and(Labels::SECRET_PATH))
        && env_file_keys::is_name(meaning.first)
    {
        return variable(meaning.first, &flow.purpose);
    }
    // One variable by name from a copy of the environment.
    if matches!(meaning.short, "get" | "pop")
        && meaning.receiver.has(Labels::ENVIRONMENT)
        && env_file_keys::is_name(meaning.first)
    {
        return variable(meaning.first, &flow.purpose);
    }
    if matches!(
        meaning.callee,
        "pyautogui.screenshot"
            | "ImageGrab.grab"
            | "pyperclip.paste"
            | "sounddevice.rec"
            | "clipboardy.readSync"
            | "clipboard.paste"
    ) || meaning.callee.ends_with("ImageGrab.grab")
    {
        return Labels::SENSES;
    }
    // What a user types into a prompt for a password.
    if meaning.short == "getpass"
        || (meaning.callee == "input" && meaning.text.to_ascii_lowercase().contains("passw"))
    {
        return Labels::KEY.and(Labels::VENDOR);
    }
    if matches!(
        meaning.short,
        "HTTPSConnection" | "HTTPConnection" | "create_connection" | "createConnection"
    ) {
        let (mut labels, _) = flow::fetched(meaning.text, &flow.purpose);
        let host = meaning.first.split([':', '/', ' ']).next().unwrap_or_default().to_ascii_lowercase();
        if meaning.short.starts_with("HTTP") && host.contains('.') && !meaning.first.contains("://") {
            if flow::is_foreign(&host, &flow.purpose) {
                labels.add(Labels::FOREIGN);
            }
            if meaning.short == "HTTPConnection" {
                labels.add(Labels::SUSPICIOUS);
            }
        }
        return labels.without(Labels::FETCHED).and(Labels::WIRE);
    }
    let on = meaning.callee.trim_end_matches(meaning.short).trim_end_matches('.');
    let is_usual = matches!(
        on,
        "req" | "request" | "r" | "sock" | "s" | "c" | "conn" | "client" | "socket" | "connection"
    );
    // Under any other name the connection counts when what it gets is not the skill's to send.
    let is_private =
        meaning.given.content().has(Labels::SECRET.and(Labels::ENVIRONMENT).and(Labels::PRIVATE));
    if meaning.receiver.has(Labels::WIRE)
        && matches!(meaning.short, "write" | "send" | "end" | "request" | "sendall" | "sendto" | "putrequest")
        && (is_usual || is_private)
    {
        // A file that is sent without encryption.
        let open = meaning.receiver.has(Labels::SUSPICIOUS) && meaning.short == "request";
        let given = meaning
            .given
            .without(Labels::KEY)
            .without(if open { Labels::NONE } else { Labels::WORK })
            .and(if meaning.receiver.has(Labels::FOREIGN) { Labels::FOREIGN } else { Labels::NONE });
        let to = if meaning.receiver.has(Labels::SUSPICIOUS) && !open {
            HostKind::Collector
        } else {
            HostKind::Named
        };
        flow.send(given, to, place.clone());
        return Labels::NONE;
    }
    if runs(meaning) {
        let output = run(flow, meaning, place);
        return all.without(Labels::SECRET_PATH).without(Labels::PRIVATE_PATH).and(output);
    }
    if is(&DECODE, meaning)
        || (meaning.short == "from" && meaning.raw.contains("base64"))
        || (meaning.short == "from" && meaning.raw.contains("'hex'"))
        || (meaning.callee == "codecs.decode" && meaning.raw.contains("rot"))
        || (meaning.callee == "marshal.loads")
    {
        return all.and(Labels::DECODED);
    }
    if let Some(labels) = requests::network(flow, meaning, place) {
        return labels;
    }
    match meaning.short {
        "copy" | "items" if meaning.callee.starts_with("os.environ") => Labels::ENVIRONMENT,
        "open" | "read_text" | "read_bytes" | "readFileSync" | "readFile" | "createReadStream" | "copy"
        | "copyfile" | "copytree" | "copyFileSync" | "make_archive" | "read" | "glob" | "iglob" | "rglob"
        | "walk" | "listdir" | "scandir" | "expanduser" | "join" | "connect" | "copy2" | "copyFile"
        | "cpSync" | "readdirSync" | "readdir" | "globSync" => {
            if matches!(meaning.short, "open" | "copy" | "copyfile" | "copyFileSync") && writes(meaning) {
                write(flow, all, meaning, place);
                // A file that is opened for writing keeps its name.
                return all;
            }
            // A path stays a path until something reads it.
            if matches!(
                meaning.short,
                "expanduser" | "join" | "glob" | "iglob" | "rglob" | "walk" | "listdir" | "scandir"
            ) {
                let walks = matches!(meaning.short, "glob" | "iglob" | "rglob" | "walk");
                let found = if walks && is_home(meaning) { Labels::HOME_FILES } else { Labels::NONE };
                return all.and(super::pieces(meaning.text)).and(found);
            }
            if meaning.short != "connect" || meaning.callee.contains("sqlite") {
                return all.content().and(Labels::WORK);
            }
            all
        }
        // One field that is not secret, selected from a file that contains secrets.
        "match" | "search" | "findall" | "exec"
            if !["key", "token", "secret", "pass", ".*", "(.+)"]
                .iter()
                .any(|word| meaning.raw.to_ascii_lowercase().contains(word))
                && !selects_tokens(meaning.raw) =>
        {
            all.without(Labels::SECRET).without(Labels::SECRET_PATH)
        }
        "write" | "write_text" | "writelines" | "writeFileSync" | "appendFileSync" | "writeFile"
        | "appendFile" => {
            write(flow, all, meaning, place);
            all
        }
        "remove" | "unlink" | "unlinkSync" | "send2trash"
            if (all.has(Labels::PRIVATE_PATH) && meaning.text.contains('*'))
                || all.has(Labels::HOME_FILES) =>
        {
            flow.hit(Rule::Destroys, Severity::Block, place.clone());
            Labels::NONE
        }
        "rmtree" | "rmSync" | "rmdirSync" | "removeSync" => {
            let bare = meaning.text.trim();
            let home = matches!(bare, "/" | "~" | "~/")
                || meaning.raw.contains("Path.home())")
                || meaning.raw.contains("expanduser(\"~\"))")
                || meaning.raw.contains("expanduser('~'))")
                || meaning.raw.contains("homedir(),")
                || meaning.raw.contains("homedir())");
            if home || all.has(Labels::HOME_FILES) || names_user_folder(meaning.text) {
                flow.hit(Rule::Destroys, Severity::Block, place.clone());
            }
            Labels::NONE
        }
        "get_password" if meaning.callee.starts_with("keyring") => Labels::SECRET,
        "chrome" | "firefox" | "load"
            if meaning.callee.starts_with("browser_cookie3")
                || meaning.callee.starts_with("browsercookie") =>
        {
            Labels::SECRET
        }
        "getenv" | "get" if meaning.callee == "os.getenv" || meaning.callee == "os.environ.get" => {
            let name = meaning.text.split_whitespace().next().unwrap_or_default();
            flow.environment
                .push(name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(64).collect());
            variable(name, &flow.purpose)
        }
        "dup2" => {
            flow.hit(
                Rule::ReverseShell,
                if meaning.raw.contains("fileno()") { Severity::Block } else { Severity::Note },
                place.clone(),
            );
            Labels::NONE
        }
        "loads" | "load" if meaning.callee.contains("pickle") && all.has(Labels::FETCHED) => {
            flow.run(all, false, place.clone());
            Labels::NONE
        }
        "recv" | "recvfrom" | "makefile" => Labels::SOCKET,
        "gethostbyname" | "getaddrinfo" | "resolve" | "lookup" | "resolve4" | "resolveTxt"
            if meaning.short.starts_with("get")
                || meaning.callee.to_ascii_lowercase().contains("dns")
                || meaning.callee.contains("resolver") =>
        {
            let made =
                ["+", "f\"", "f'", "format", "%", "${", "join"].iter().any(|mark| meaning.raw.contains(mark));
            if made
                && all
                    .content()
                    .has(Labels::SECRET.and(Labels::ENVIRONMENT).and(Labels::PRIVATE).and(Labels::KEY))
            {
                flow.hit(Rule::DnsChannel, Severity::Block, place.clone());
            }
            Labels::NONE
        }
        _ => all,
    }
}

/// Whether a call walks through the home folder as a whole, or through a folder of documents in it.
fn is_home(meaning: &Meaning<'_>) -> bool {
    let whole = ["Path.home().", "expanduser(\"~\")", "expanduser('~')", "homedir()", "Path.home())"];
    let below = meaning.text.split_whitespace().any(|word| {
        let folder = word.strip_prefix("~/").unwrap_or_default().split('/').next().unwrap_or_default();
        (word.starts_with("~/*") || word.starts_with("~/**") || is_user_folder(folder)) && word.len() > 2
    });
    let joined = meaning.raw.split("home() / ").skip(1).any(|rest| {
        is_user_folder(rest.trim_start_matches(['"', '\'']).split(['"', '\'']).next().unwrap_or_default())
    });
    whole.iter().any(|home| meaning.raw.contains(home)) && !meaning.text.contains("/.") || below || joined
}

/// Whether a text has the path of a whole folder of the user: `~/Documents`.
fn names_user_folder(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        word.starts_with("~/") && is_user_folder(word.trim_start_matches("~/").trim_end_matches('/'))
    })
}

fn is_user_folder(name: &str) -> bool {
    matches!(
        name,
        "Documents" | "Desktop" | "Downloads" | "Pictures" | "Music" | "Movies" | "Videos" | "Photos"
    )
}

/// The labels of one environment variable.
pub(crate) fn variable(name: &str, purpose: &Purpose) -> Labels {
    let labels = match () {
        () if crate::sensitive::is_vendor_key(name) => Labels::KEY.and(Labels::VENDOR),
        () if crate::sensitive::is_secret_name(name) || purpose.is_secret(name) => Labels::KEY,
        () => return Labels::NONE,
    };
    if purpose.is_declared(name) { labels.and(Labels::OWN) } else { labels }
}

/// Whether a pattern selects strings of many characters of one class: tokens, and not a field.
fn selects_tokens(raw: &str) -> bool {
    raw.split("]{").skip(1).any(|rest| rest.bytes().take(2).filter(u8::is_ascii_digit).count() == 2)
}

/// Whether a call runs code or a command. `re.exec` and `cursor.exec` do not.
fn runs(meaning: &Meaning<'_>) -> bool {
    let bare = matches!(meaning.short, "exec" | "eval");
    if bare && meaning.callee != meaning.short {
        let on = meaning.callee.trim_end_matches(meaning.short).trim_end_matches('.');
        return matches!(
            on,
            "builtins"
                | "__builtins__"
                | "child_process"
                | "cp"
                | "globalThis"
                | "window"
                | "require('child_process')"
                | "require(\"child_process\")"
                | "childProcess"
        );
    }
    is(&RUN, meaning) || is(&COMMANDS, meaning)
}

/// Returns the labels of what the command gives out.
fn run(flow: &mut Flow, meaning: &Meaning<'_>, place: &Range<usize>) -> Labels {
    let mut output = Labels::NONE;
    let labels =
        meaning.given.without(Labels::SECRET_PATH).without(Labels::PRIVATE_PATH).without(Labels::KEY);
    let command = is(&COMMANDS, meaning)
        || matches!(meaning.callee, "os.system" | "os.popen")
        || (meaning.short == "exec" && meaning.callee.contains('.'))
        || meaning.short == "exec" && meaning.raw.contains("=>");
    // An interpreter runs a file or code that is passed to it; an argument of another program is
    // only data.
    let direct = !command || labels.has(Labels::SOCKET);
    let shell_given = meaning.raw.contains("shell=True")
        || matches!(meaning.callee, "os.system" | "os.popen" | "subprocess.getoutput")
        || matches!(meaning.short, "exec" | "execSync");
    let interpreter = ["bash", "sh", "python", "python3", "node", "-c"]
        .iter()
        .any(|name| meaning.text.split_whitespace().any(|word| word == *name));
    if labels.has(Labels::REQUEST) && (shell_given || (!command && meaning.short != "import_module")) {
        flow.hit(Rule::ReverseShell, Severity::Block, place.clone());
    }
    if direct || shell_given || interpreter {
        // Scripts call other scripts with a list that begins with the interpreter and their own
        // file.
        let labels = if labels.has(Labels::DECODED) { labels } else { labels.without(Labels::ITSELF) };
        // A program that evaluates an answer has no reason to, whatever host it comes from.
        let evaluates = matches!(meaning.short, "eval" | "exec" | "Function") && !command;
        if evaluates && labels.has(Labels::FETCHED) && flow.origin == flow::Origin::Script {
            flow.hit(Rule::PipeToShell, Severity::Block, place.clone());
        }
        // A command that a server names, whatever the server is called.
        if shell_given
            && meaning.address.has(Labels::FETCHED)
            && !meaning.address.has(Labels::INSTALLER)
            && flow.origin == flow::Origin::Script
        {
            flow.hit(Rule::ReverseShell, Severity::Block, place.clone());
        }
        flow.run(labels, false, place.clone());
    }
    // The line of a shell is made of the content of a key file and of a program that sends.
    let private = meaning.given.has(Labels::SECRET.and(Labels::ENVIRONMENT));
    let sender = ["curl", "wget", "nc", "ncat", "scp"]
        .iter()
        .any(|name| meaning.text.split_whitespace().any(|word| word == *name));
    if shell_given && private && sender {
        let (to, place_of_host) = flow::fetched(meaning.text, &flow.purpose);
        let sent = meaning.given.and(to.without(Labels::FETCHED));
        flow.send(sent, place_of_host, place.clone());
    }
    if command && !meaning.first.is_empty() {
        let text = shell_text(meaning);
        output = shell::nested(&text, flow, Some(place.clone()), 1, &shell::Out::default()).labels;
    }
    if meaning.short == "spawn"
        && meaning.callee == "pty.spawn"
        && flow.variables.values().any(|labels| labels.has(Labels::SOCKET))
    {
        flow.hit(Rule::ReverseShell, Severity::Block, place.clone());
    }
    output.without(Labels::FETCHED).without(Labels::KEY)
}

/// The words of a command as a line of shell; each word of a list is quoted.
fn shell_text(meaning: &Meaning<'_>) -> String {
    let line = meaning.first.lines().next().unwrap_or_default();
    // The interpreter is often a variable.
    let line = if line.starts_with("-m ") { format!("python {line}") } else { line.to_owned() };
    if meaning.raw.contains('[') && !line.contains(['|', ';']) {
        line
    } else if meaning.first.contains('\n') {
        meaning.first.to_owned()
    } else {
        line
    }
}

fn writes(meaning: &Meaning<'_>) -> bool {
    meaning.short != "open"
        || ["'w", "\"w", "'a", "\"a", "'x", "\"x"].iter().any(|mode| meaning.raw.contains(mode))
}

fn write(flow: &mut Flow, labels: Labels, meaning: &Meaning<'_>, place: &Range<usize>) {
    let target = match () {
        () if labels.has(Labels::START_PATH) => ".bashrc",
        () if labels.has(Labels::AGENT_PATH) => "claude.md",
        () => return,
    };
    flow.write(target, labels, meaning.text, place.clone());
}

/// A function that is looked up by an assembled name.
fn obfuscated(flow: &mut Flow, meaning: &Meaning<'_>, place: &Range<usize>) {
    const NAMES: [&str; 8] =
        ["system", "popen", "exec", "eval", "__import__", "subprocess", "child_process", "Popen"];
    if !matches!(meaning.short, "getattr" | "__import__" | "require" | "import_module") {
        return;
    }
    let pieces: String = meaning.text.split_whitespace().collect();
    // A name that is decoded where it is used; elsewhere the same name may have another meaning.
    let decoded = meaning.given.has(Labels::DECODED)
        && DECODE.iter().chain(&["decode", "chr("]).any(|name| meaning.raw.contains(name));
    let joined = meaning.raw.contains('+')
        || meaning.raw.contains("join")
        || meaning.raw.contains("[::-1]")
        || decoded;
    let reversed: String = pieces.chars().rev().collect();
    let names = NAMES
        .iter()
        .any(|name| pieces.contains(name) || (meaning.raw.contains("[::-1]") && reversed.contains(name)));
    if joined && (names || decoded) {
        flow.hit(Rule::Obfuscated, Severity::Block, place.clone());
    }
}
