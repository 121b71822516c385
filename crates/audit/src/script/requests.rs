//! Judges requests: what is downloaded, what is sent, and to whom.

use super::{
    calls::{Meaning, is},
    env_file_keys,
};
use crate::{
    flow::{self, Flow, Labels},
    hosts::{self, HostKind},
    purpose,
    report::Severity,
    rule::Rule,
};
use std::ops::Range;

const FETCH: [&str; 14] = [
    "requests.get",
    "urlopen",
    "urlretrieve",
    "httpx.get",
    "axios.get",
    "http.get",
    "https.get",
    "fetch",
    "session.get",
    "aiohttp.request",
    "wget.download",
    "got",
    "client.get",
    "urllib3.request",
];
const SEND: [&str; 20] = [
    "requests.post",
    "requests.put",
    "requests.patch",
    "requests.request",
    "httpx.post",
    "httpx.put",
    "axios.post",
    "axios.put",
    "axios",
    "session.post",
    "client.post",
    "sendall",
    "sendmail",
    "send_message",
    "storbinary",
    "put_object",
    "upload_file",
    "sendBeacon",
    "http.request",
    "https.request",
];

/// The host of a request whose options are an object: `https.request({ hostname: "h", path: "/" })`.
fn host_of_options(meaning: &Meaning<'_>) -> Option<String> {
    let is_options = matches!(
        meaning.callee,
        "https.request" | "http.request" | "https.get" | "http.get" | "http2.connect"
    ) || meaning.callee.ends_with(".request")
        || matches!(meaning.callee, "axios" | "got" | "undici.request");
    if !is_options || !hosts::addresses(meaning.text).is_empty() {
        return None;
    }
    meaning.text.split_whitespace().map(|word| word.trim_matches(['"', '\'', ','])).find_map(|word| {
        let name = word.split(':').next().unwrap_or_default();
        let is_host = name.contains('.')
            && !name.starts_with('.')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
            && name.rsplit('.').next().is_some_and(|end| {
                (end.len() >= 2 && end.bytes().all(|b| b.is_ascii_alphabetic()) && !is_file_ending(end))
                    || name.split('.').count() == 4
            });
        is_host.then(|| name.to_ascii_lowercase())
    })
}

fn is_file_ending(end: &str) -> bool {
    matches!(
        end,
        "json"
            | "js"
            | "mjs"
            | "ts"
            | "py"
            | "txt"
            | "md"
            | "html"
            | "css"
            | "png"
            | "jpg"
            | "yaml"
            | "yml"
            | "toml"
            | "env"
            | "pem"
            | "key"
            | "csv"
            | "sh"
    )
}

/// Judges downloads and uploads.
pub(super) fn network(flow: &mut Flow, meaning: &Meaning<'_>, place: &Range<usize>) -> Option<Labels> {
    let posts = is(&SEND, meaning)
        || (meaning.short == "fetch"
            && ["POST", "PUT", "body"].iter().any(|mark| meaning.raw.contains(mark)))
        || (meaning.short == "urlopen"
            && (meaning.raw.contains("data=") || meaning.given.has(Labels::SECRET.and(Labels::ENVIRONMENT))))
        || (meaning.short == "Request" && meaning.raw.contains("data="))
        || (meaning.short == "send" && meaning.callee.contains("sock"));
    let gets = is(&FETCH, meaning);
    if !posts && !gets {
        return None;
    }
    let (mut labels, mut worst) = flow::fetched(meaning.text, &flow.purpose);
    if let Some(host) = host_of_options(meaning) {
        let (more, kind) = flow::fetched(&format!("https://{host}/"), &flow.purpose);
        labels.add(more);
        worst = worst.max(kind);
    }
    if hosts::addresses(meaning.text).is_empty() && meaning.given.has(Labels::SUSPICIOUS) {
        worst = HostKind::Collector;
        labels.add(Labels::SUSPICIOUS);
    }
    // The address is spelled so that a reader does not see it.
    if hosts::addresses(meaning.text).is_empty() && meaning.address.has(Labels::DECODED) {
        worst = HostKind::Collector;
        labels.add(Labels::SUSPICIOUS.and(Labels::FOREIGN));
    }
    // A host that is named for an attacker is one; neutralised samples have such names below reserved ones.
    if posts
        && hosts::addresses(meaning.text).iter().any(|address| purpose::is_named_for_attacks(&address.host))
    {
        worst = HostKind::Collector;
        labels.add(Labels::SUSPICIOUS.and(Labels::FOREIGN));
    }
    let given = meaning.given.and(*meaning.receiver);
    let given = if worst.is_suspicious() || !is_own_key(flow, meaning, labels) {
        given
    } else {
        given.without(Labels::SECRET).without(Labels::SECRET_PATH)
    };
    // Services expect a key in an HTTP header.
    let private = given
        .without(Labels::KEY)
        .content()
        .has(Labels::SECRET.and(Labels::ENVIRONMENT).and(Labels::PRIVATE).and(Labels::METADATA))
        || given.has(Labels::SENSES);
    // A key of a service in the address of another owner.
    let in_address = meaning.address.has(Labels::VENDOR) && labels.has(Labels::FOREIGN);
    if posts || private || in_address || (worst.is_suspicious() && given.has(Labels::KEY)) {
        let named = if worst == HostKind::Local && hosts::addresses(meaning.text).is_empty() {
            HostKind::Named
        } else {
            worst
        };
        let foreign = labels.has(Labels::FOREIGN);
        let given = match () {
            () if named.is_suspicious() && !meaning.raw.contains("headers") => given,
            () if in_address => given,
            () if meaning.raw.contains("headers") && !has_key_in_body(meaning.raw) => {
                given.without(Labels::KEY).without(Labels::VENDOR)
            }
            () => given.without(Labels::KEY),
        };
        let given = given.without(Labels::FOREIGN.and(Labels::STRANGE));
        let given = given.and(if foreign { Labels::FOREIGN } else { Labels::NONE });
        let given = given.and(if labels.has(Labels::STRANGE) { Labels::STRANGE } else { Labels::NONE });
        // A whole file that is sent without encryption or to an unknown host.
        let whole = posts
            && (meaning.raw.contains("files=") || meaning.raw.contains("FormData"))
            && plain(meaning.text);
        let concealed =
            hosts::addresses(meaning.text).iter().any(|address| flow.purpose.conceals(&address.host));
        let given = match () {
            () if whole => given.and(Labels::WORK),
            // The skill says nothing about the receiver.
            () if plain(meaning.text) || (posts && concealed) => given,
            () => given.without(Labels::WORK),
        };
        let given =
            if posts { given } else { given.without(Labels::SECRET_PATH).without(Labels::PRIVATE_PATH) };
        // A whole file for a host that the skill does not name.
        if foreign
            && !whole
            && posts
            && meaning.raw.contains("files=")
            && !flow.purpose.names_package("upload")
        {
            let severity = if concealed { Severity::Block } else { Severity::Warn };
            flow.hit(Rule::DataSent, severity, place.clone());
        }
        flow.send(given, named, place.clone());
    }
    if worst == HostKind::Metadata {
        flow.hit(Rule::Metadata, Severity::Warn, place.clone());
    }
    if matches!(meaning.short, "request") && posts {
        labels.add(Labels::WIRE);
    }
    Some(labels)
}

/// Whether the body of a request names the key of a service: beside its headers it is not a credential for the receiver.
fn has_key_in_body(raw: &str) -> bool {
    let bodies = ["body:", "body=", "json=", "data=", "data:"];
    bodies.iter().filter_map(|mark| raw.split_once(mark)).any(|(_, body)| {
        let body = body.split("headers").next().unwrap_or(body);
        body.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(crate::sensitive::is_vendor_key)
    })
}

/// Whether the only secret is a key that the script selected by name from its environment file, and
/// that goes to the service of that name or to the host that the skill is for; or, in an HTTP header or in a
/// request without a body, to a well-known service.
fn is_own_key(flow: &Flow, meaning: &Meaning<'_>, to: Labels) -> bool {
    let header = !meaning.beside.content().has(Labels::SECRET);
    let bare = meaning.short == "urlopen" && !meaning.raw.contains("data=");
    let found = hosts::addresses(meaning.text);
    let is_own = |host: &str| {
        env_file_keys::is_of(host, &flow.picked)
            || (flow.purpose.serves(host) && !to.has(Labels::STRANGE))
            || flow.purpose.names(host)
    };
    let own = !found.is_empty() && found.iter().all(|address| !address.plain && is_own(&address.host));
    let placed = header || bare;
    !flow.picked.is_empty()
        && ((own && (placed || !flow.reads_whole)) || (placed && !to.has(Labels::FOREIGN)))
}

/// Whether a text contains an address without encryption.
fn plain(text: &str) -> bool {
    hosts::addresses(text).iter().any(|address| address.plain && address.kind != HostKind::Local)
}
