//! Addresses in text: which hosts they name, and which of these take in or give out anything.

use crate::pattern::pattern;
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// What kind of place a host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// A name like any other.
    Named,
    /// This machine or a private network.
    Local,
    /// A known installer over TLS.
    Installer,
    /// A shortener, which hides where it leads.
    Short,
    /// A place where anybody leaves text.
    Paste,
    /// A place where anybody leaves files.
    Share,
    /// A place that takes in what is sent, a tunnel, or a dynamic name.
    Collector,
    /// A public address without a name.
    Bare,
    /// The metadata service of a cloud.
    Metadata,
}

impl Place {
    /// Whether an honest project would not be reached this way.
    pub(crate) fn is_odd(self) -> bool {
        matches!(self, Self::Short | Self::Paste | Self::Share | Self::Collector | Self::Bare)
    }
}

/// An address found in a text.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// Where it stands.
    pub(crate) range: Range<usize>,
    /// The host, lower case, without port.
    pub(crate) host: String,
    /// What is behind the host.
    pub(crate) rest: String,
    /// What kind of place it is.
    pub(crate) place: Place,
    /// Whether it goes unprotected.
    pub(crate) plain: bool,
}

/// Labels of hosts, so that every top level and every mirror of a service counts.
const PASTE: [&str; 16] = [
    "pastebin",
    "rentry",
    "glot",
    "hastebin",
    "ghostbin",
    "dpaste",
    "controlc",
    "privatebin",
    "termbin",
    "paste",
    "sprunge",
    "justpaste",
    "pastes",
    "pasteio",
    "codepaste",
    "snippet",
];
const COLLECTOR: [&str; 26] = [
    "webhook",
    "requestbin",
    "pipedream",
    "ngrok",
    "ngrok-free",
    "trycloudflare",
    "loca",
    "localtunnel",
    "serveo",
    "burpcollaborator",
    "oastify",
    "oast",
    "interact",
    "interactsh",
    "dnslog",
    "ceye",
    "beeceptor",
    "requestcatcher",
    "hookbin",
    "postb",
    "duckdns",
    "no-ip",
    "ddns",
    "hookdeck",
    "requestinspector",
    "canarytokens",
];
const SHARE: [&str; 14] = [
    "mega",
    "mediafire",
    "anonfiles",
    "gofile",
    "transfer",
    "wetransfer",
    "file",
    "0x0",
    "temp",
    "catbox",
    "litterbox",
    "bashupload",
    "sendspace",
    "zippyshare",
];
/// Services among them are only meant with these endings: their labels are common words.
const SHARE_TOPS: [&str; 7] = ["nz", "com", "sh", "io", "st", "moe", "invalid"];
const SHORT: [&str; 14] =
    ["bit", "tinyurl", "is", "cutt", "rb", "shorturl", "goo", "t", "tiny", "ow", "buff", "rebrand", "v", "s"];
const SHORT_TOPS: [&str; 9] = ["ly", "com", "gd", "gy", "at", "gl", "co", "cc", "invalid"];
/// Installers that projects publish themselves. Being here makes a finding weigh less, never nothing.
const INSTALLER: &[&str] = &[
    "tailscale.com",
    "repo.anaconda.com",
    "repo.continuum.io",
    "fluxcd.io",
    "ntn.dev",
    "rclone.org",
    "get.scoop.sh",
    "scoop.sh",
    "community.chocolatey.org",
    "chocolatey.org",
    "antigravity.google",
    "skills.sh",
    "get.sops.dev",
    "istio.io",
    "tea.xyz",
    "railway.app",
    "railway.com",
    "cli.inference.sh",
    "inference.sh",
    "proto.moonrepo.dev",
    "moonrepo.dev",
    "turso.tech",
    "get.tur.so",
    "encore.dev",
    "elan.lean-lang.org",
    "sh.uv.dev",
    "dot.net",
    "vite.plus",
    "wasmtime.dev",
    "wasmer.io",
    "fnm.vercel.app",
    "get.jetify.com",
    "devbox.sh",
    "openclaw.ai",
    "raw.github.com",
    "ghcup.haskell.org",
    "get-ghcup.haskell.org",
    "juliaup.julialang.org",
    "install.julialang.org",
    "linkerd.io",
    "run.linkerd.io",
    "get.pulumi.com",
    "get.dapr.io",
    "fury.io",
    "cursor.sh",
    "dagger.io",
    "dl.dagger.io",
    "opam.ocaml.org",
    "packages.microsoft.com",
    "apt.releases.hashicorp.com",
    "download.docker.com",
    "pkgs.k8s.io",
    "dl.google.com",
    "dl.k8s.io",
    "get.modular.com",
    "risczero.com",
    "sp1up.succinct.xyz",
    "up.cyfrin.io",
    "sui.io",
    "aptos.dev",
    "sh.solana.com",
    "sh.rustup.rs",
    "rustup.rs",
    "get.docker.com",
    "astral.sh",
    "bun.sh",
    "deno.land",
    "get.pnpm.io",
    "install.python-poetry.org",
    "deb.nodesource.com",
    "rpm.nodesource.com",
    "fly.io",
    "get.sdkman.io",
    "get.helm.sh",
    "cli.github.com",
    "foundry.paradigm.xyz",
    "ollama.com",
    "claude.ai",
    "opencode.ai",
    "pixi.sh",
    "mise.run",
    "mise.jdx.dev",
    "starship.rs",
    "get.volta.sh",
    "sdk.cloud.google.com",
    "aka.ms",
    "pyenv.run",
    "nixos.org",
    "install.determinate.systems",
    "raw.githubusercontent.com",
    "github.com",
    "cursor.com",
    "get.k3s.io",
    "dl.deno.land",
    "release.solana.com",
];

static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:h(?:tt|xx)ps?|wss?|ftp|stratum\+(?:tcp|ssl))://([^\s/'\x22<>`)\]}|\\,;]+)([^\s'\x22<>`)\]|\\]*)",
    )
});

/// All addresses of a text.
pub(crate) fn addresses(text: &str) -> Vec<Address> {
    if !text.contains("://") {
        return Vec::new();
    }
    let Some(regex) = ADDRESS.as_ref() else { return Vec::new() };
    regex
        .captures_iter(text)
        .filter_map(|found| {
            let whole = found.get(0)?;
            let host = host_of(found.get(1)?.as_str());
            let rest = found.get(2).map_or("", |rest| rest.as_str());
            let place = place(&host, rest);
            let plain = whole.as_str().get(..5).is_some_and(|s| s.eq_ignore_ascii_case("http:"));
            Some(Address { range: whole.range(), place, host, rest: rest.to_owned(), plain })
        })
        .collect()
}

fn host_of(authority: &str) -> String {
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or(six),
        None => host.split(':').next().unwrap_or(host),
    };
    host.trim_end_matches(['.', '*', '_']).to_ascii_lowercase()
}

/// What kind of place a host is.
pub(crate) fn place(host: &str, rest: &str) -> Place {
    if is_metadata(host) {
        return Place::Metadata;
    }
    if let Some(number) = address(host) {
        return if is_private(number) { Place::Local } else { Place::Bare };
    }
    if host == "localhost"
        || host.ends_with(".localhost")
        || host.rsplit('.').next() == Some("local")
        || host == "::1"
        || !host.contains('.')
    {
        return Place::Local;
    }
    if host.rsplit('.').next() == Some("onion") {
        return Place::Collector;
    }
    let path = rest.to_ascii_lowercase();
    // Bots of messengers are named by their keys, so that a key in such an address is no leak.
    if (host.ends_with("discord.com") || host.ends_with("discordapp.com"))
        && path.starts_with("/api/webhooks")
    {
        // A fixed room of the author takes in what is sent; a placeholder is the reader's own.
        let fixed =
            path.split('/').nth(3).is_some_and(|id| id.len() >= 8 && id.bytes().all(|b| b.is_ascii_digit()));
        return if fixed { Place::Collector } else { Place::Named };
    }
    if host == "api.telegram.org" {
        let fixed =
            path.strip_prefix("/bot").and_then(|rest| rest.split_once(':')).is_some_and(|(id, key)| {
                id.len() >= 8 && id.bytes().all(|b| b.is_ascii_digit()) && key.len() >= 30
            });
        return if fixed { Place::Collector } else { Place::Named };
    }
    if host == "gist.githubusercontent.com" || (host == "cdn.discordapp.com") {
        return Place::Paste;
    }
    let labels: Vec<&str> = host.split('.').collect();
    let top = labels.last().copied().unwrap_or_default();
    let known = |list: &[&str]| labels[..labels.len() - 1].iter().any(|label| list.contains(label));
    if known(&COLLECTOR) {
        return Place::Collector;
    }
    if known(&PASTE) {
        return Place::Paste;
    }
    // Short labels count only as the name itself, not as a part of somebody else's.
    let own = labels.get(labels.len().saturating_sub(2)).copied().unwrap_or_default();
    let first = labels.first().copied().unwrap_or_default();
    let name = if top == "invalid" { first } else { own };
    if SHARE.contains(&name) && SHARE_TOPS.contains(&top) {
        return Place::Share;
    }
    if SHORT.contains(&name) && SHORT_TOPS.contains(&top) && (labels.len() == 2 || top == "invalid") {
        return Place::Short;
    }
    if INSTALLER.contains(&host) {
        return Place::Installer;
    }
    Place::Named
}

/// The number of an address without a name, in any of its spellings.
fn address(host: &str) -> Option<u32> {
    let parts: Vec<&str> = host.split('.').collect();
    if parts.len() > 4 {
        return None;
    }
    let mut numbers = Vec::new();
    for part in &parts {
        let number = if let Some(hex) = part.strip_prefix("0x") {
            u32::from_str_radix(hex, 16).ok()?
        } else if part.len() > 1 && part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit()) {
            u32::from_str_radix(part, 8).ok()?
        } else {
            part.parse().ok()?
        };
        numbers.push(number);
    }
    match numbers.as_slice() {
        // A small number alone is no address, but a port or a year.
        [one] if *one > 0xff_ffff => Some(*one),
        [a, b, c, d] if [a, b, c, d].into_iter().all(|n| *n < 256) => {
            Some((a << 24) | (b << 16) | (c << 8) | d)
        }
        _ => None,
    }
}

fn is_private(number: u32) -> bool {
    let [a, b, ..] = number.to_be_bytes();
    matches!((a, b), (0 | 10 | 127, _) | (192, 168) | (172, 16..=31) | (169, 254)) || a >= 224
}

fn is_metadata(host: &str) -> bool {
    matches!(host, "metadata.google.internal" | "metadata.goog" | "100.100.100.200" | "fd00:ec2::254")
        || address(host) == Some(0xA9FE_A9FE)
}
