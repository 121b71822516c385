//! Programs that fetch and send.

use super::super::{Call, Out, Reader, call::content, path_labels};
use crate::{
    flow::{self, Labels},
    hosts::{self, HostKind},
    purpose,
    report::Severity,
    rule::Rule,
};

const FETCHERS: [&str; 10] = [
    "curl",
    "wget",
    "http",
    "https",
    "xh",
    "aria2c",
    "httpie",
    "iwr",
    "invoke-webrequest",
    "invoke-restmethod",
];
const CONNECTORS: [&str; 6] = ["nc", "ncat", "netcat", "socat", "telnet", "cryptcat"];
const LOOKUPS: [&str; 6] = ["dig", "nslookup", "host", "drill", "ping", "kdig"];
const COPIERS: [&str; 9] = ["scp", "rsync", "sftp", "ftp", "mail", "sendmail", "mutt", "rclone", "croc"];

pub(super) fn is(program: &str) -> bool {
    [&FETCHERS[..], &CONNECTORS, &LOOKUPS, &COPIERS].iter().any(|list| list.contains(&program))
        || matches!(program, "aws" | "gh" | "gsutil")
}

pub(super) fn call(reader: &mut Reader<'_>, program: &str, call: &Call) -> Out {
    if FETCHERS.contains(&program) {
        fetch(reader, program, call)
    } else if CONNECTORS.contains(&program) {
        connect(reader, call)
    } else if LOOKUPS.contains(&program) {
        look_up(reader, call)
    } else {
        copy(reader, program, call)
    }
}

fn fetch(reader: &mut Reader<'_>, program: &str, call: &Call) -> Out {
    let raw: String = call.arguments().iter().map(|word| word.raw.as_str()).collect::<Vec<_>>().join(" ");
    let line = match call.line() {
        line if raw.contains('?') && hosts::addresses(&line).is_empty() => with_schemes(call),
        line => line,
    };
    let (mut labels, mut place) = flow::fetched(&line, &reader.flow.purpose);
    // A host that is named for an attacker is one; neutralised samples have such names below reserved ones.
    if hosts::addresses(&line).iter().any(|address| purpose::is_named_for_attacks(&address.host)) {
        labels.add(Labels::SUSPICIOUS.and(Labels::FOREIGN));
        place = place.max(HostKind::Collector);
    }
    // Without a check of the certificate anyone on the way answers.
    let unchecked = match program {
        "curl" => call.has(&["-k", "--insecure"]),
        _ => call.has(&["--no-check-certificate"]),
    };
    if unchecked && labels.has(Labels::FETCHED) {
        labels.add(Labels::SUSPICIOUS);
    }
    if hosts::addresses(&line).is_empty() {
        // Without a scheme: `curl 203.0.113.9/x`.
        for word in call.plain() {
            let host = word.text.split(['/', ':']).next().unwrap_or_default();
            if host.contains('.') && !host.starts_with('.') {
                let found = hosts::kind_of(host, "");
                if found.is_suspicious() || found == HostKind::Metadata {
                    place = place.max(found);
                    labels.add(if found == HostKind::Metadata {
                        Labels::METADATA
                    } else {
                        Labels::SUSPICIOUS
                    });
                }
            }
        }
        // The address is in a variable.
        let carried = call.labels();
        if carried.has(Labels::FETCHED.and(Labels::DECODED)) {
            labels.add(Labels::SUSPICIOUS);
        }
    }
    if place == HostKind::Metadata {
        let severity = super::by_itself(reader.flow.origin, Severity::Warn);
        reader.flow.hit(Rule::Metadata, severity, call.range.clone());
    }
    let body = [
        "-d",
        "--data",
        "--data-binary",
        "--data-raw",
        "--data-urlencode",
        "--data-ascii",
        "-F",
        "--form",
        "--form-string",
        "-T",
        "--upload-file",
        "--json",
        "--post-data",
        "--post-file",
        "--body-data",
        "--body-file",
        "-Body",
        "-InFile",
    ];
    let sends = call.arguments().iter().any(|word| {
        body.iter().any(|flag| {
            word.text == *flag
                || (flag.starts_with("--")
                    && word.text.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')))
        }) || (program == "curl"
            && (matches!(word.text.as_str(), "-sT" | "-fsT" | "-sST" | "-sF" | "-sd")
                || word.text.starts_with("-d@")
                || word.text.starts_with("-F") && word.text.len() > 2))
    });
    let mut sent = Labels::NONE;
    for word in call.arguments() {
        // A key in a header goes where keys go; a file, a body or an address carries it away.
        let header = word.text.to_ascii_lowercase().contains("authorization")
            || word.text.to_ascii_lowercase().contains("api-key");
        let mut found = if word.text.contains('@') || word.text.starts_with("--post-file") {
            content(reader.flow, word)
        } else {
            word.labels
        };
        let attached = ["--post-file=", "--body-file="].iter().find_map(|flag| word.text.strip_prefix(flag));
        if let Some(file) = attached {
            found.add(path_labels(file).content());
            found.add(reader.flow.files.get(file).copied().unwrap_or_default());
        }
        if let Some((_, file)) = word.text.split_once('@') {
            found.add(reader.flow.files.get(file).copied().unwrap_or_default());
        }
        if !word.text.contains('@') && !word.text.contains('=') {
            found = found.without(Labels::SECRET_PATH).without(Labels::PRIVATE_PATH);
        }
        if header && !place.is_suspicious() {
            found = found.without(Labels::KEY).without(Labels::VENDOR);
        }
        sent.add(found);
    }
    if labels.has(Labels::FOREIGN) {
        sent.add(Labels::FOREIGN);
    }
    let uploads = call
        .value(&["-T", "--upload-file", "--post-file", "--body-file", "-InFile"])
        .or_else(|| call.value(&["-sT", "-fsT", "-sST"]));
    if let Some(file) = uploads {
        sent.add(content(reader.flow, file));
    }
    let found = hosts::addresses(&line);
    let purpose = &reader.flow.purpose;
    let named = found.iter().any(|address| purpose.names(&address.host) || purpose.declares(&address.host))
        || (!found.is_empty() && found.iter().all(|address| !address.plain && keyed(call, &address.host)));
    let open = found.iter().any(|address| address.plain && address.kind != HostKind::Local);
    let whole = uploads.is_some_and(|file| file.text != "-")
        || call.arguments().iter().any(|word| {
            word.raw.contains("=@") && !word.raw.contains("=@-")
                || (word.text.starts_with('@')
                    && word.text.len() > 2
                    && !word.text.contains(' ')
                    && !word.text.starts_with("@/dev/"))
        });
    if sends && !named && whole && (open || reader.flow.origin == flow::Origin::Block) {
        sent.add(Labels::WORK);
    }
    let takes_input = line.contains("-file=- ")
        || line.contains("@-")
        || uploads.is_some_and(|file| file.text == "-")
        || line.contains("@/dev/stdin");
    if takes_input {
        sent.add(call.stdin.labels);
    }
    let private = Labels::SECRET.and(Labels::ENVIRONMENT).and(Labels::PRIVATE).and(Labels::VENDOR);
    let in_address = (raw.contains('?') && sent.has(private)) || address_labels(call).has(private);
    let key_away = sent.has(Labels::KEY) && place.is_suspicious();
    if labels.has(Labels::STRANGE) {
        sent.add(Labels::STRANGE);
        // A key alone is sent as data.
        if takes_input && call.stdin.labels.has(Labels::KEY) && !sent.has(private) {
            let own = call.stdin.labels.has(Labels::OWN);
            let severity = if own { Severity::Block } else { Severity::Warn };
            reader.flow.hit(Rule::SecretSent, severity, call.range.clone());
        }
    }
    if sends || takes_input || in_address || key_away {
        reader.flow.send(sent, place, call.range.clone());
    }
    let target = call
        .value(&["-o", "--output", "--output-document", "-OutFile"])
        .or_else(|| if program == "wget" { call.value(&["-O"]) } else { None });
    let stdout_flags = call.has(&["-qO-", "-O-"]) || target.is_some_and(|file| file.text == "-");
    match target {
        Some(file) if file.text != "-" => {
            reader.flow.write(&file.text, labels, "", call.range.clone());
            Out::default()
        }
        _ if !stdout_flags
            && (program == "wget"
                || program == "aria2c"
                || program == "curl" && call.has(&["-O", "--remote-name"])) =>
        {
            if let Some(address) = hosts::addresses(&line).first() {
                let name = address
                    .rest
                    .split(['?', '#'])
                    .next()
                    .unwrap_or_default()
                    .rsplit('/')
                    .next()
                    .unwrap_or_default();
                if !name.is_empty() {
                    reader.flow.write(name, labels, "", call.range.clone());
                }
            }
            // `wget -q -O - x | sh` spells its flag in two words.
            if line.contains("-O -") || line.contains("O- ") { Out::of(labels) } else { Out::default() }
        }
        _ => Out::of(labels.and(call.stdin.labels)),
    }
}

/// The words of a call, with a scheme before an address that has a query and none: `curl collect.example.net?t=…`. An
/// address of one word is read as one of others (`https`) where a value follows; without a value it may be a question.
fn with_schemes(call: &Call) -> String {
    let word = |text: &str| {
        let host = text.split(['/', ':', '?', '#']).next().unwrap_or_default();
        let is_word = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        match text.split_once('?') {
            Some(_) if host.contains('.') && !host.starts_with(['.', '-', '$']) => format!("http://{text}"),
            Some((_, query)) if is_word && !host.starts_with('-') && query.contains('=') => {
                format!("https://{text}")
            }
            _ => text.to_owned(),
        }
    };
    call.arguments().iter().map(|one| word(&one.text)).collect::<Vec<_>>().join(" ")
}

/// The labels of what is put into the address of a request, in its path or its query.
fn address_labels(call: &Call) -> Labels {
    const VALUES: [&str; 14] =
        ["-H", "--header", "-o", "--output", "-u", "--user", "-A", "-e", "-b", "-c", "-X", "-x", "-K", "-O"];
    let words = call.arguments();
    let schemed = words.iter().any(|word| word.text.contains("://"));
    words
        .iter()
        .enumerate()
        .filter(|(at, word)| {
            let value = at.checked_sub(1).is_some_and(|before| VALUES.contains(&words[before].text.as_str()));
            let address = if schemed {
                word.text.split("://").next().is_some_and(|scheme| scheme.len() < 8)
                    && word.text.contains("://")
            } else {
                !word.text.starts_with('-') && word.text.contains(['/', '?'])
            };
            address && !value
        })
        .fold(Labels::NONE, |labels, (_, word)| {
            labels.and(word.labels.without(Labels::SECRET_PATH).without(Labels::PRIVATE_PATH))
        })
}

/// Whether a call carries, in a header, a key that is named for the host: `$GROQ_API_KEY` to
/// `api.groq.com`. Who has a key of a service has an account there.
fn keyed(call: &Call, host: &str) -> bool {
    call.arguments().iter().filter(|word| word.text.to_ascii_lowercase().contains("authorization")).any(
        |word| {
            word.raw.split('$').skip(1).any(|name| {
                let name = name
                    .trim_start_matches('{')
                    .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .next();
                name.and_then(|name| name.split_once('_')).is_some_and(|(service, rest)| {
                    (rest.ends_with("KEY") || rest.ends_with("TOKEN"))
                        && crate::script::is_of(host, &[service.to_ascii_lowercase()])
                })
            })
        },
    )
}

fn connect(reader: &mut Reader<'_>, call: &Call) -> Out {
    let line = call.line();
    let runs = call.has(&["-e", "--exec", "--sh-exec"])
        || line.to_ascii_lowercase().contains("exec:")
        || (call.has(&["-c"]) && line.contains("sh"));
    if runs || call.stdin.shell {
        reader.flow.hit(Rule::ReverseShell, Severity::Block, call.range.clone());
        return Out::default();
    }
    if call.has(&["-z"]) {
        return Out::default();
    }
    // The value of an option is not the host: `nc -w 5 h 8443`.
    let host = call
        .plain()
        .find(|word| !word.text.bytes().all(|b| b.is_ascii_digit()))
        .map_or(String::new(), |word| word.text.clone());
    let place = hosts::kind_of(&host, "").max(HostKind::Named);
    if call.stdin.labels != Labels::NONE {
        reader.flow.send(
            call.stdin.labels,
            if place == HostKind::Local { place } else { HostKind::Bare },
            call.range.clone(),
        );
    }
    Out::of(Labels::SOCKET)
}

fn look_up(reader: &mut Reader<'_>, call: &Call) -> Out {
    for word in call.arguments() {
        let made =
            ["$(", "`", "${", "$"].iter().any(|mark| word.raw.contains(mark)) && word.raw.contains('.');
        let private = word
            .labels
            .content()
            .has(Labels::SECRET.and(Labels::PRIVATE).and(Labels::ENVIRONMENT).and(Labels::KEY));
        let encodes =
            ["base64", "base32", "xxd", "hexdump", "od -"].iter().any(|name| word.raw.contains(name));
        if made && (private || encodes) {
            reader.flow.hit(Rule::DnsChannel, Severity::Block, call.range.clone());
        }
    }
    Out::default()
}

fn copy(reader: &mut Reader<'_>, program: &str, call: &Call) -> Out {
    let line = call.line();
    let sends = match program {
        "aws" => line.starts_with("s3 cp") || line.starts_with("s3 sync") || line.starts_with("s3 mv"),
        "gsutil" => line.starts_with("cp") || line.starts_with("rsync"),
        "gh" if line.starts_with("auth token") => return Out::of(Labels::KEY),
        "gh" => line.starts_with("gist create"),
        _ => true,
    };
    if !sends {
        return Out::default();
    }
    let public =
        (program == "gh" && call.has(&["--public", "-p"]) && !reader.flow.purpose.names_package("gist"))
            || (program == "aws" && line.contains("--acl public-read"));
    if public {
        reader.flow.hit(Rule::DataSent, Severity::Warn, call.range.clone());
    }
    let words: Vec<_> = call.plain().collect();
    let (target, sources) =
        words.split_last().map_or((None, &[][..]), |(target, sources)| (Some(*target), sources));
    let remote = program == "gh"
        || matches!(program, "mail" | "sendmail" | "mutt" | "croc")
        || target.is_some_and(|word| word.text.contains(':'));
    if remote {
        let files = if program == "gh" { &words[..] } else { sources };
        let mut labels =
            files.iter().fold(call.stdin.labels, |labels, file| labels.and(content(reader.flow, file)));
        if files.iter().any(|file| matches!(file.text.as_str(), "~" | "~/" | "$HOME" | "$HOME/" | "~/*")) {
            labels.add(Labels::PRIVATE);
        }
        let host = target.and_then(|word| word.text.split(':').next()).unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or(host);
        if host.contains('.') && flow::is_foreign(&host.to_ascii_lowercase(), &reader.flow.purpose) {
            labels.add(Labels::FOREIGN);
        }
        reader.flow.send(labels, hosts::kind_of(host, "").max(HostKind::Named), call.range.clone());
    }
    Out::default()
}
