//! What programs do with what they get: the meaning of a call.

mod danger;
pub(super) mod install;
mod network;
mod search;
mod spelling;

use super::{Call, Out, Read, Reader, call::content, nested};
use crate::{
    flow::{Labels, Origin},
    report::Severity,
    rule::Rule,
    script,
};
use search::{git, seeks};
use spelling::{octals, spelled};

/// Programs that run another one, which stands behind their flags.
const WRAPPERS: [&str; 14] = [
    "sudo", "doas", "nohup", "time", "timeout", "command", "nice", "setsid", "stdbuf", "builtin", "ionice",
    "xargs", "watch", "unbuffer",
];
/// Shells, which run what comes in.
const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "pwsh", "powershell"];
/// Other programs that run what comes in.
const INTERPRETERS: [&str; 10] =
    ["python", "python3", "python2", "node", "perl", "ruby", "php", "osascript", "deno", "bun"];
/// Programs that give out what is in the files they name.
const READERS: [&str; 28] = [
    "cat", "head", "tail", "less", "more", "grep", "egrep", "rg", "awk", "sed", "cut", "sort", "uniq",
    "strings", "find", "zip", "tar", "gpg", "jq", "yq", "xxd", "hexdump", "od", "bat", "nl", "tac", "7z",
    "ls",
];

/// Judges a call and returns what it gives out.
pub(super) fn call(reader: &mut Reader<'_>, mut call: Call) -> Out {
    unwrap(&mut call);
    let program = call.program();
    if program.is_empty() {
        return Out::default();
    }
    // A program whose name is made by another one.
    let made = call.words.first().is_some_and(|word| {
        word.labels.has(Labels::DECODED)
            || word.raw.starts_with("$(")
                // The name of a branch is not the spelled name of a program.
                && !["$(git symbolic-ref", "$(git rev-parse", "$(git branch", "$(git describe"]
                    .iter()
                    .any(|inner| word.raw.starts_with(inner))
                && ["| rev", "|rev", "| tr ", "|tr ", "| sed ", "xxd", "base64", "$(printf ", "$(echo "]
                    .iter()
                    .any(|part| word.raw.contains(part))
    });
    if made {
        reader.flow.hit(Rule::Obfuscated, Severity::Block, call.range.clone());
    }
    spelled(reader, &program, &call);
    if program.len() < 40 && program.bytes().all(|b| b.is_ascii_alphanumeric() || b"._+-".contains(&b)) {
        reader.flow.programs.push(program.clone());
    }
    danger::look(reader.flow, &program, &call);
    install::look(reader.flow, &program, &call);
    connection(reader, &program, &call);
    let out = meaning(reader, &program, &call);
    for (target, _) in &call.writes {
        reader.flow.write(target, out.labels, &out.text, call.range.clone());
    }
    out
}

/// Takes wrappers off: `sudo -E env X=1 curl` is `curl`.
fn unwrap(call: &mut Call) {
    // Prompts of examples.
    if call.words.len() > 1 && matches!(call.words[0].text.as_str(), "$" | "%" | ">" | "#" | "!" | "❯") {
        call.words.remove(0);
    }
    // Recipes of make and steps of images.
    if call.words.len() > 1 && call.words[0].text == "RUN" {
        call.words.remove(0);
    }
    if let Some(first) = call.words.first_mut()
        && let Some(rest) = first.text.strip_prefix(['@', '-']).filter(|rest| rest.len() > 1)
    {
        first.text = rest.to_owned();
    }
    for _ in 0..4 {
        let program = call.program();
        let wrapper = WRAPPERS.contains(&program.as_str());
        let environment = program == "env"
            && call.arguments().iter().any(|word| !word.text.starts_with('-') && !word.text.contains('='));
        let runner = program == "exec" && call.words.len() > 1;
        if !(wrapper || environment || runner) {
            return;
        }
        if program == "xargs" {
            // Its input becomes arguments.
            let labels = call.stdin.labels;
            let marked =
                call.words.iter_mut().skip(1).filter(|word| word.text.contains("{}") && word.text != "-I{}");
            marked.for_each(|word| word.labels.add(labels));
            call.words.push(Read { text: String::new(), labels, raw: String::new() });
        }
        let behind = call.words.iter().skip(1).position(|word| {
            !word.text.starts_with('-')
                && !word.text.contains('=')
                && !word.text.bytes().all(|b| b.is_ascii_digit() || b == b's')
                && !word.text.is_empty()
        });
        match behind {
            Some(at) => drop(call.words.drain(..=at)),
            None => return,
        }
    }
}

/// A shell tied to a connection by a redirection.
fn connection(reader: &mut Reader<'_>, program: &str, call: &Call) {
    let network = call
        .writes
        .iter()
        .any(|(target, _)| target.starts_with("/dev/tcp/") || target.starts_with("/dev/udp/"));
    if !network {
        return;
    }
    if SHELLS.contains(&program) || program == "exec" {
        reader.flow.hit(Rule::ReverseShell, Severity::Block, call.range.clone());
    } else {
        let labels = call.stdin.labels.and(call.labels());
        reader.flow.send(labels, crate::hosts::HostKind::Bare, call.range.clone());
    }
}

fn meaning(reader: &mut Reader<'_>, program: &str, call: &Call) -> Out {
    match program {
        "echo" | "printf" => {
            let text = call.line();
            let mut labels = call.arguments().iter().fold(Labels::NONE, |l, w| {
                l.and(w.labels.without(Labels::SECRET_PATH).without(Labels::PRIVATE_PATH))
            });
            if text.matches("\\x").count() >= 6 || octals(&text) >= 6 {
                labels.add(Labels::DECODED);
            }
            Out { labels, text, shell: false }
        }
        "eval" => {
            reader.flow.run(call.labels(), false, call.range.clone());
            nested(&call.line(), reader.flow, Some(call.range.clone()), reader.depth() + 1, &Out::default())
        }
        "source" | "." => {
            let file = call.arguments().first().cloned().unwrap_or_default();
            let labels = reader.flow.files.get(&file.text).copied().unwrap_or_default();
            reader.flow.run(
                labels.and(file.labels.without(Labels::SECRET_PATH)),
                file.text != "<()",
                call.range.clone(),
            );
            Out::default()
        }
        "export" | "local" | "declare" | "readonly" | "typeset"
            if program != "export" || !call.has(&["-p"]) =>
        {
            Out::default()
        }
        "base64" | "base32" | "basenc" => {
            let labels = files_and_input(reader, call);
            let decodes = call.has(&["-d", "-D", "--decode"]);
            Out::of(if decodes { labels.and(Labels::DECODED) } else { labels })
        }
        "openssl" => {
            let labels = files_and_input(reader, call);
            let decodes = call.has(&["-d"]) && call.line().contains("enc")
                || call.line().starts_with("base64") && call.has(&["-d"]);
            Out::of(if decodes { labels.and(Labels::DECODED) } else { labels })
        }
        "xxd" if call.has(&["-r"]) => Out::of(files_and_input(reader, call).and(Labels::DECODED)),
        "gunzip" | "zcat" | "gzcat" | "bunzip2" | "bzcat" | "xzcat" | "unxz" | "uudecode" | "zstdcat"
        | "uncompress" | "rev" => Out::of(files_and_input(reader, call).and(Labels::DECODED)),
        "gzip" | "xz" | "bzip2" | "zstd" if call.has(&["-d", "--decompress"]) => {
            Out::of(files_and_input(reader, call).and(Labels::DECODED))
        }
        "tr" => {
            let line = call.line();
            let rotates = line.contains("N-ZA-M")
                || line.contains("n-za-m")
                || line.contains("a-zA-Z") && line.contains("A-Za-z");
            Out::of(if rotates { call.stdin.labels.and(Labels::DECODED) } else { call.stdin.labels })
        }
        "printenv" | "env" | "set" if call.arguments().is_empty() => Out::of(Labels::ENVIRONMENT),
        "export" | "declare" => Out::of(Labels::ENVIRONMENT),
        "security" if call.line().contains("find-") || call.line().contains("dump-keychain") => {
            Out::of(Labels::SECRET)
        }
        "secret-tool" | "lpass" | "bw" => Out::of(Labels::SECRET),
        // Password managers give out what is in them.
        "op" if ["item get", "item list", "read ", "document get"]
            .iter()
            .any(|verb| call.line().starts_with(verb)) =>
        {
            Out::of(Labels::SECRET)
        }
        "pass" | "gopass" if call.line().starts_with("show ") => Out::of(Labels::SECRET),
        "osascript" if call.line().contains("hidden answer") => Out::of(Labels::SECRET),
        "tee" => {
            for target in call.plain() {
                reader.flow.write(&target.text, call.stdin.labels, &call.stdin.text, call.range.clone());
            }
            call.stdin.clone()
        }
        "cp" | "mv" | "install" | "ln" => {
            let words: Vec<&Read> = call.plain().collect();
            if let Some((target, sources)) = words.split_last() {
                let labels =
                    sources.iter().fold(Labels::NONE, |labels, file| labels.and(content(reader.flow, file)));
                reader.flow.write(&target.text, labels, "", call.range.clone());
            }
            Out::default()
        }
        "crontab" => {
            let lists = call.has(&["-l", "-r", "-e"]);
            if !lists {
                let text = call.stdin.text.clone();
                reader.flow.write("/var/spool/cron", call.stdin.labels, &text, call.range.clone());
            }
            Out::default()
        }
        "pbpaste" | "xclip" | "xsel" | "wl-paste" | "screencapture" | "scrot" | "arecord" => {
            for word in call.plain() {
                reader.flow.files.entry(word.text.clone()).or_default().add(Labels::SENSES);
            }
            Out::of(Labels::SENSES)
        }
        "pg_dump" | "pg_dumpall" | "mysqldump" | "mongodump" | "mariadb-dump" => {
            let target = call.value(&["-f", "--file", "-o", "--out"]).map(|file| file.text.clone());
            if let Some(target) = target {
                reader.flow.files.entry(target).or_default().add(Labels::PRIVATE);
            }
            Out::of(Labels::PRIVATE)
        }
        "git" => git(reader, call),
        "find" | "grep" | "egrep" | "rg" if seeks(call) => {
            Out::of(files_and_input(reader, call).and(Labels::SECRET))
        }
        "tar" | "zip" | "unzip" | "7z" | "7za" | "bsdtar" => archive(reader, call),
        program if network::is(program) => network::call(reader, program, call),
        program if SHELLS.contains(&program) || INTERPRETERS.contains(&base(program)) => {
            run(reader, base(program), call)
        }
        program if READERS.contains(&program) => {
            let labels = files_and_input(reader, call);
            let text = if program == "cat" && call.plain().next().is_none() {
                call.stdin.text.clone()
            } else {
                String::new()
            };
            Out { labels, text, shell: false }
        }
        _ => {
            // A file of the flow that is run by its path.
            let path = call.words.first().map_or("", |word| word.text.as_str());
            if let Some(labels) = reader
                .flow
                .files
                .get(path)
                .or_else(|| reader.flow.files.get(path.trim_start_matches("./")))
                .copied()
            {
                reader.flow.run(labels, true, call.range.clone());
            }
            // A program that nothing is known about, with the content of a key file and an address.
            let given = call.labels().has(Labels::SECRET.and(Labels::ENVIRONMENT));
            if given && !["ssh", "sftp", "gpg", "openssl", "docker", "git"].contains(&program) {
                let line = call.line();
                let (mut labels, place) = crate::flow::fetched(&line, &reader.flow.purpose);
                labels = labels.without(Labels::FETCHED);
                let away = labels.has(Labels::FOREIGN) || place.is_suspicious();
                if away || crate::prose::is_foreign_mail(&line, &reader.flow.purpose) {
                    reader.flow.send(labels.and(call.labels()), place, call.range.clone());
                }
            }
            Out { labels: call.stdin.labels, text: String::new(), shell: call.stdin.shell }
        }
    }
}

/// `python3.12` is `python3`.
fn base(program: &str) -> &str {
    match program.split_once('.') {
        Some((name, rest)) if name.starts_with("python") && rest.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => program,
    }
}

fn files_and_input(reader: &Reader<'_>, call: &Call) -> Labels {
    call.arguments().iter().fold(call.stdin.labels, |labels, file| labels.and(content(reader.flow, file)))
}

/// Unpacking: what was in the archive may be run afterwards by any name.
fn archive(reader: &mut Reader<'_>, call: &Call) -> Out {
    let labels = files_and_input(reader, call);
    let line = call.line();
    let unpacks = call.program() == "unzip"
        || call.has(&["-x", "--extract"])
        || line.split(' ').next().is_some_and(|first| first.len() <= 5 && first.contains('x'));
    if !unpacks {
        for word in call.plain().filter(|word| {
            [".zip", ".tgz", ".tar", ".gz", ".7z", ".xz"].iter().any(|ending| word.text.ends_with(ending))
        }) {
            reader.flow.files.entry(word.text.clone()).or_default().add(labels);
        }
        return Out::of(labels);
    }
    if labels.has(Labels::ITSELF) {
        reader.flow.variables.insert("*unpacked*".to_owned(), labels.and(Labels::DECODED));
    }
    // A password in the command line keeps scanners out of the archive.
    if call.program() == "unzip" && call.has(&["-P"]) && labels.has(Labels::FETCHED) {
        reader.flow.hit(Rule::DownloadRun, Severity::Block, call.range.clone());
    }
    Out::default()
}

/// Whether encoded code stands behind `-enc`; without it the option is only named.
fn has_encoded_argument(lower: &str) -> bool {
    let words: Vec<&str> = lower.split_whitespace().collect();
    words
        .windows(2)
        .any(|pair| pair[0].starts_with("-enc") && (pair[1].len() >= 8 || pair[1].starts_with('$')))
}

/// A shell or an interpreter.
fn run(reader: &mut Reader<'_>, program: &str, call: &Call) -> Out {
    let shell = SHELLS.contains(&program);
    let line = call.line();
    let lower = line.to_ascii_lowercase();
    if matches!(program, "pwsh" | "powershell")
        && (has_encoded_argument(&lower) || lower.contains("-e ") && lower.contains("ja"))
    {
        reader.flow.hit(Rule::EncodedRun, Severity::Block, call.range.clone());
    }
    let code = call
        .arguments()
        .iter()
        .position(|word| {
            matches!(
                word.text.as_str(),
                "-c" | "-e" | "-lc" | "-ic" | "-Command" | "-command" | "--eval" | "-r" | "-ec"
            )
        })
        .and_then(|at| call.arguments().get(at + 1));
    if let Some(code) = code {
        let labels = code.labels.without(Labels::SECRET_PATH).without(Labels::PRIVATE_PATH);
        reader.flow.run(labels, false, call.range.clone());
        let depth = reader.depth() + 1;
        if shell {
            return nested(&code.text, reader.flow, Some(call.range.clone()), depth, &call.stdin);
        }
        if program.starts_with("python") {
            script::nested(&code.text, script::Language::Python, reader.flow, call.range.clone());
        } else if matches!(program, "node" | "bun" | "deno") {
            script::nested(&code.text, script::Language::JavaScript, reader.flow, call.range.clone());
        }
        let mut out = Out::of(call.stdin.labels);
        if decodes(&code.text) {
            out.labels.add(Labels::DECODED);
        }
        return out;
    }
    let flag_stdin = call.has(&["-s"])
        || call.arguments().iter().any(|word| word.text == "-" || word.text == "/dev/stdin");
    let file = call.plain().find(|word| !matches!(word.text.as_str(), "run" | "-"));
    match file {
        Some(file) if !flag_stdin => {
            let labels = if file.text == "<()" {
                file.labels
            } else {
                reader.flow.files.get(&file.text).copied().unwrap_or_default()
            };
            let mut labels = labels.and(if file.text.contains("$()") { file.labels } else { Labels::NONE });
            // What a script unpacked from itself and then runs.
            if let Some(unpacked) = reader.flow.variables.get("*unpacked*").copied() {
                labels.add(unpacked);
            }
            reader.flow.run(labels, file.text != "<()", call.range.clone());
            Out::of(call.stdin.labels)
        }
        _ => {
            let labels = call.stdin.labels;
            let pipes_in = labels != Labels::NONE || !call.stdin.text.is_empty();
            if pipes_in {
                reader.flow.run(labels, false, call.range.clone());
                if shell && !call.stdin.text.is_empty() && !labels.has(Labels::DECODED) {
                    let text = call.stdin.text.clone();
                    nested(&text, reader.flow, Some(call.range.clone()), reader.depth() + 1, &Out::default());
                }
            }
            Out {
                labels: Labels::NONE,
                text: String::new(),
                shell: shell && (call.has(&["-i"]) || labels != Labels::NONE),
            }
        }
    }
}

/// Whether code on a command line decodes what it reads.
fn decodes(code: &str) -> bool {
    ["b64decode", "base64.decode", "unpack(", "fromhex", "decode_base64", "zlib.decompress", "atob("]
        .iter()
        .any(|name| code.contains(name))
}

/// Whether what runs by itself should weigh more.
fn by_itself(origin: Origin, severity: Severity) -> Severity {
    if origin == Origin::Auto && severity == Severity::Warn { Severity::Block } else { severity }
}
