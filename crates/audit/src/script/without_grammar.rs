//! Analyses languages without a grammar here, statement by statement: what a name is assigned, and
//! where it goes.
//!
//! A statement is a line, with the lines below it while brackets are open. A name on its left gets
//! the labels of its right side. This is coarse and requires a real source and a real sink, so that
//! honest code does not match.

use crate::{
    flow::{self, Flow, Labels},
    hosts::HostKind,
    limits,
    pattern::pattern,
    sensitive, shell,
};
use regex::Regex;
use std::{collections::BTreeMap, ops::Range, sync::LazyLock};

/// Maximum number of lines of one statement.
const LINES: usize = 12;
/// Maximum number of statements of one file.
const STATEMENTS: usize = 20_000;

struct Words {
    assigns: Regex,
    names: Regex,
    environment: Regex,
    reads: Regex,
    sends: Regex,
    fetches: Regex,
    runs: Regex,
    decodes: Regex,
    command: Regex,
    key: Regex,
    clients: Regex,
    quoted: Regex,
    text: Regex,
    loops: Regex,
    adds: Regex,
    copies: Regex,
    picks: Regex,
}

static WORDS: LazyLock<Option<Words>> = LazyLock::new(|| {
    let regex = pattern;
    Some(Words {
        assigns: regex(
            r"(?:^|[;{(]|\b(?:let|var|const|my|local|auto|val|final|set|mut))\s*\(?([$@%]?[A-Za-z_]\w*)(?:\s*,\s*[$@]?\w+)*\)?\s*(?::\s*[\w<>\[\]|. ]+)?\s*(?::=|\.=|\+=|=(?:[^=>]|$)|<-)",
        )?,
        names: regex(r"[$@%]?[A-Za-z_]\w*")?,
        environment: regex(
            r"(?i)Get-ChildItem\s+(?:-Path\s+)?env:|\b(?:gci|dir|ls)\s+env:|os\.Environ\(\)|ENV\.to_h|ENV\.(?:to_a|inspect|map|each)|\$_ENV\b[^\[]|getenv\(\s*\)|%ENV\b|env::vars\(|System\.getenv\(\s*\)|GetEnvironmentVariables\(|ProcessInfo\.processInfo\.environment\b[^\[]|JSON\.stringify\(process\.env\)|\.\.\.process\.env|Deno\.env\.toObject|popen\(\s*['\x22](?:env|printenv|set)\b|`(?:env|printenv)`",
        )?,
        reads: regex(
            r"(?i)Get-Content|ReadAllText|ReadAllBytes|File\.read|IO\.read|File\.open|file_get_contents|fopen|readfile|os\.ReadFile|ioutil\.ReadFile|os\.Open|read_to_string|fs::read|\bopen\s*\(|\bopen\s+my|readFile|Files\.readString|Files\.readAllBytes|FileReader|io\.open|String\(contentsOf|Data\(contentsOf|<\$",
        )?,
        sends: regex(
            r"(?i)Invoke-RestMethod|Invoke-WebRequest|\b(?:irm|iwr)\b|Upload(?:String|Data|File|Values)|PostAsync|Net::HTTP|HTTParty\.post|RestClient\.post|Faraday\.post|CURLOPT_POSTFIELDS|file_get_contents\([^\n]{0,80}http|->post\(|http\.Post|http\.NewRequest|\.Post\(|\.post\(|reqwest|ureq::|\.send_string|TcpStream|net\.Dial|fsockopen|TCPSocket|HttpRequest\.newBuilder|HttpClient|URLSession|socket\.http|Send-MailMessage|axios|fetch\(|sendBeacon|XMLHttpRequest|LWP::|HTTP::Tiny|IO::Socket|(?:^|[^.\w>])(?:get|getstore|mirror)\s*\(?\s*['\x22]https?:|->(?:get|put|request)\(|socket\.tcp|:send\(|https?\.request|http_request|URI\.(?:open|parse)|open-uri|Net::FTP|Net::SMTP|DownloadString|WebRequest|WebClient",
        )?,
        fetches: regex(
            r"(?i)DownloadString|DownloadFile|DownloadData|Invoke-WebRequest|Invoke-RestMethod|\b(?:irm|iwr)\b|URI\.open|URI(?:\.parse)?\([^)\n]{4,200}\)\.(?:open|read)|Net::HTTP\.get|open-uri|file_get_contents\(\s*['\x22]https?:|http\.Get|reqwest::(?:blocking::)?get|LWP::Simple|->get\(|popen\w*\s*\(\s*['\x22](?:curl|wget)\b|HttpClient|MSXML2\.XMLHTTP|curl_exec|certutil[^\n]{0,60}-urlcache|bitsadmin|https?\.request|HTTP::Tiny|(?:^|[^.\w>])get\s*\(\s*['\x22]https?:|:receive\(|WebRequest",
        )?,
        runs: regex(
            r"(?i)\b(?:iex|Invoke-Expression|Start-Process)\b|(?:^|[^.\w])(?:eval|system|exec|popen|shell_exec|passthru|proc_open|instance_eval|class_eval|loadstring|dofile|spawn)\s*[( '\x22]|(?:^|[^.\w])load\s*\([^)\n]*\)\s*\(|\bqx\s*[{(/|]|IO\.popen|io\.popen|Open3\.|%x[\[({]|Kernel\.(?:system|exec)|&\s*\(|exec\.Command|Command::new|Runtime\.getRuntime|ProcessBuilder|WScript\.Shell[^\n]{0,40}\.Run|\.Run\s+\x22|Process\.Start|os\.execute|do shell script|^\s*start\s|&\s*\$",
        )?,
        decodes: regex(
            r"(?i)FromBase64String|base64_decode|gzinflate|str_rot13|Base64\.(?:strict_)?decode64|decode_base64|unpack\s*\(?\s*['\x22](?:m|H\*)|base64\.StdEncoding\.DecodeString|hex\.DecodeString|base64::decode|Base64\.getDecoder",
        )?,
        command: regex(
            r#"(?i)(?:do shell script|system|exec|popen|shell_exec|passthru|os\.execute|Run|Command|ProcessBuilder|Start-Process|getRuntime\(\)\.exec)\s*\(?\s*(?:\[\s*)?(?:"((?:[^"\\]|\\.){4,600})"|'([^']{4,600})'|`([^`]{4,600})`)"#,
        )?,
        clients: regex(r"(?i)\b(?:curl|wget|nc|ncat|ftp|scp|Invoke-WebRequest|mail|sendmail)(?:\.exe)?\b")?,
        quoted: regex(
            r"(?:`|%x[\[({])\s*((?:curl|wget|cat|sh|bash|nc|tar|scp|rm|zip|base64)\s[^`\n]{4,400})",
        )?,
        text: regex(r#""([^"\n]{4,300})"|'([^'\n]{4,300})'"#)?,
        loops: regex(
            r"(?i)\b(?:foreach|for)\b\s*\(?\s*(?:var|let|const|auto|my|local|string)?\s*(?:\w+\s*,\s*)?([$@]?\w+)\s+(?:in|of)\b|\bforeach\s*\([^\n]{1,200}\bas\s+(?:\$\w+\s*=>\s*)?(\$\w+)|\bfor\b[^\n]{0,40}?(\w+)\s*:?=\s*range\b|\beach\s*(?:do|\{)\s*\|\s*(\w+)",
        )?,
        adds: regex(
            r"(?i)([$@]?[A-Za-z_]\w*)(?:\.|->)(?:add\w*|append\w*|push\w*|set|put|insert|write\w*|merge!?|concat|attach\w*|store)\s*\(",
        )?,
        copies: regex(
            r"(?i)\bCompress-Archive|\bCopy-Item|CreateFromDirectory|\bFileUtils\.cp|\bio\.Copy|\bfs::copy|(?:^|[^.\w])copy\s*\(|Files\.copy|->addFile",
        )?,
        picks: regex(
            r"(?i)preg_match|\bmatch\b|=~|\.scan\b|\[/|split|explode|parse|each_line|grep|strpos|Select-String|\bfind\w*\(|IndexOf",
        )?,
        key: regex(
            r#"(?i)(?:\$env:|ENV\[['"]|getenv\(\s*['"]|Getenv\(\s*"|\$ENV\{['"]?|env::var\(\s*"|process\.env\.)(\w+)"#,
        )?,
    })
});

/// Reads a script and records in the flow what it does. The ranges of hits are ranges of `text`.
pub(crate) fn read(text: &str, flow: &mut Flow) {
    let Some(words) = WORDS.as_ref() else { return };
    let mut names: BTreeMap<String, Labels> = BTreeMap::new();
    // The address may be in a separate statement.
    let mut place = (Labels::NONE, HostKind::Named);
    for (count, range) in statements(text).into_iter().enumerate() {
        if count >= STATEMENTS {
            return;
        }
        let statement = &text[range.clone()];
        if statement.len() > limits::LINE_BYTES {
            continue;
        }
        if statement.contains("://") {
            place = flow::fetched(statement, &flow.purpose);
        }
        let mut labels = source(words, statement);
        let quoted: Vec<Range<usize>> = words
            .text
            .find_iter(statement)
            .filter(|part| !part.as_str().contains(['{', '$', '\\', '@']))
            .map(|part| part.range())
            .collect();
        for name in words.names.find_iter(statement) {
            // A word of a text is not the variable of that name.
            if !quoted.iter().any(|part| part.start < name.start() && name.end() < part.end) {
                labels.add(names.get(name.as_str()).copied().unwrap_or_default());
            }
        }
        judge(words, statement, labels, place, flow, &range);
        let mut taken = labels.content().without(Labels::KEY);
        if words.fetches.is_match(statement) && statement.contains("://") {
            taken.add(place.0);
        }
        if words.decodes.is_match(statement) {
            taken.add(Labels::DECODED);
        }
        // One value that is picked out of a file of settings is the skill's own more often than not.
        if words.picks.is_match(statement) && source(words, statement) == Labels::NONE {
            taken = taken.without(Labels::SECRET);
        }
        if taken != Labels::NONE {
            for name in receivers(words, statement) {
                let bare = name.trim_start_matches(['$', '@', '%']);
                for name in [name, bare] {
                    names.entry(name.to_owned()).or_default().add(taken);
                }
            }
        }
    }
}

/// The names that get what a statement reads: what is assigned, what a loop goes through, what something is added or
/// copied to.
fn receivers<'a>(words: &Words, statement: &'a str) -> Vec<&'a str> {
    let mut found = Vec::new();
    found.extend(words.assigns.captures(statement).and_then(|found| found.get(1)));
    if let Some(name) = words.loops.captures(statement) {
        found.extend(name.iter().skip(1).flatten());
    }
    found.extend(words.adds.captures_iter(statement).take(8).filter_map(|found| found.get(1)));
    if words.copies.is_match(statement) {
        found.extend(words.names.find_iter(statement).filter(|name| name.as_str().starts_with('$')));
    }
    found.iter().map(regex::Match::as_str).collect()
}

/// The labels of what a statement reads.
fn source(words: &Words, statement: &str) -> Labels {
    let mut labels = Labels::NONE;
    if words.environment.is_match(statement) {
        labels.add(Labels::ENVIRONMENT);
    }
    // Paths are joined from pieces: `Join(home, ".kube", "config")`.
    let path: String = statement.chars().filter(|c| !matches!(c, '"' | '\'' | ' ' | ')')).collect();
    let path = path.replace([',', '\\'], "/").replace("//", "/");
    let mut named = shell::path_labels(&path).and(shell::path_labels(&statement.replace('\\', "/")));
    for part in words.text.captures_iter(statement).filter_map(|found| found.get(1).or_else(|| found.get(2)))
    {
        if part.as_str().contains(['.', '/', '\\']) {
            named.add(shell::path_labels(&part.as_str().replace('\\', "/")));
        }
    }
    if named != Labels::NONE {
        labels.add(named);
        if words.reads.is_match(statement) {
            labels.add(named.content());
        }
    }
    if statement.contains("Get-Clipboard")
        || statement.contains("pbpaste")
        || statement.contains("CopyFromScreen")
    {
        labels.add(Labels::SENSES);
    }
    for key in words.key.captures_iter(statement).filter_map(|found| found.get(1)) {
        if sensitive::is_vendor_key(key.as_str()) {
            labels.add(Labels::VENDOR);
        }
    }
    labels
}

fn judge(
    words: &Words,
    statement: &str,
    labels: Labels,
    place: (Labels, HostKind),
    flow: &mut Flow,
    range: &Range<usize>,
) {
    let runs = words.runs.is_match(statement);
    // A program that sends, with the data among its arguments.
    let by_program = (runs || statement.contains('`')) && words.clients.is_match(statement);
    if by_program || words.sends.is_match(statement) {
        let read = labels.without(Labels::SECRET_PATH).without(Labels::PRIVATE_PATH);
        // Services expect a key in an HTTP header.
        let read = if statement.to_ascii_lowercase().contains("header") {
            read.without(Labels::VENDOR)
        } else {
            read
        };
        let foreign = if place.0.has(Labels::FOREIGN) { Labels::FOREIGN } else { Labels::NONE };
        let private = Labels::SECRET.and(Labels::ENVIRONMENT).and(Labels::PRIVATE).and(Labels::VENDOR);
        if read.has(private.and(Labels::SENSES)) {
            flow.send(read.and(foreign), place.1, range.clone());
        }
    }
    for command in words.quoted.captures_iter(statement).filter_map(|found| found.get(1)) {
        shell::nested(command.as_str(), flow, Some(range.clone()), 1, &shell::Out::default());
    }
    if runs {
        let mut run = labels.without(Labels::KEY);
        // The address may be in a variable.
        if words.fetches.is_match(statement) && !statement.contains("localhost") {
            run.add(place.0);
        }
        if words.decodes.is_match(statement) {
            run.add(Labels::DECODED);
        }
        flow.run(run, false, range.clone());
        if let Some(found) = words.command.captures(statement)
            && let Some(command) = found.get(1).or_else(|| found.get(2)).or_else(|| found.get(3))
        {
            let command = command.as_str().replace("\\\"", "\"");
            shell::nested(&command, flow, Some(range.clone()), 1, &shell::Out::default());
        }
    }
}

/// The statements of a text: lines, with the lines below them while brackets are open.
fn statements(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut at, mut start, mut open, mut count) = (0, 0, 0i32, 0);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        at += line.len();
        if count == 0 {
            start = at - line.len();
        }
        let comment = trimmed.starts_with("//") || trimmed.starts_with('#') || trimmed.starts_with("--");
        if !comment {
            for byte in line.bytes() {
                match byte {
                    b'(' | b'[' => open += 1,
                    b')' | b']' => open -= 1,
                    _ => {}
                }
            }
        }
        count += 1;
        if open <= 0 || count >= LINES {
            if !comment && !trimmed.is_empty() {
                found.push(start..at);
            }
            open = 0;
            count = 0;
        }
    }
    if count > 0 {
        found.push(start..at);
    }
    found
}
