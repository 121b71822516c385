//! Finds addresses in text and classifies their hosts.

use crate::pattern::pattern;
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// The kind of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostKind {
    /// An ordinary name.
    Named,
    /// This machine or a private network.
    Local,
    /// A known installer over TLS.
    Installer,
    /// A link shortener, which hides the destination.
    Short,
    /// A site where anyone can publish text.
    Paste,
    /// A site where anyone can publish files.
    Share,
    /// A service that collects what is sent to it, a tunnel, or a dynamic DNS name.
    Collector,
    /// A public IP address without a name.
    Bare,
    /// The metadata endpoint of a cloud.
    Metadata,
}

impl HostKind {
    /// Whether an honest project would not use such a host.
    pub(crate) fn is_suspicious(self) -> bool {
        matches!(self, Self::Short | Self::Paste | Self::Share | Self::Collector | Self::Bare)
    }
}

/// An address found in a text.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// The position in the text.
    pub(crate) range: Range<usize>,
    /// The host, lower case, without port.
    pub(crate) host: String,
    /// The address after the host.
    pub(crate) rest: String,
    /// The kind of the host.
    pub(crate) kind: HostKind,
    /// Whether the connection is not encrypted.
    pub(crate) plain: bool,
}

/// Labels of host names; they match every top-level domain and every mirror of a service.
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
const COLLECTOR: [&str; 28] = [
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
    "nip",
    "sslip",
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
/// These services count only with one of these endings, because their labels are common words.
const SHARE_TOPS: [&str; 7] = ["nz", "com", "sh", "io", "st", "moe", "invalid"];
const SHORT: [&str; 14] =
    ["bit", "tinyurl", "is", "cutt", "rb", "shorturl", "goo", "t", "tiny", "ow", "buff", "rebrand", "v", "s"];
const SHORT_TOPS: [&str; 9] = ["ly", "com", "gd", "gy", "at", "gl", "co", "cc", "invalid"];
/// Installers that projects publish themselves. They lower the severity of a finding but never
/// remove it.
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
        r"(?i)\b(?:h(?:tt|xx)ps?|wss?|ftp|stratum\+(?:tcp|ssl))://([^\s/?#'\x22<>`)\]}|\\,;]+)([^\s'\x22<>`)\]|\\]*)",
    )
});

/// All addresses in a text.
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
            let kind = kind_of(&host, rest);
            let plain = whole.as_str().get(..5).is_some_and(|s| s.eq_ignore_ascii_case("http:"));
            Some(Address { range: whole.range(), kind, host, rest: rest.to_owned(), plain })
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

/// Classifies a host.
pub(crate) fn kind_of(host: &str, rest: &str) -> HostKind {
    if is_metadata(host) {
        return HostKind::Metadata;
    }
    if let Some(number) = address(host) {
        return if is_private(number) { HostKind::Local } else { HostKind::Bare };
    }
    if host == "localhost"
        || host.ends_with(".localhost")
        || host.rsplit('.').next() == Some("local")
        || host == "::1"
        || !host.contains('.')
    {
        return HostKind::Local;
    }
    if host.rsplit('.').next() == Some("onion") {
        return HostKind::Collector;
    }
    let path = rest.to_ascii_lowercase();
    // The address of a messenger bot contains its key, so a key in such an address is not a leak.
    if (host.ends_with("discord.com") || host.ends_with("discordapp.com"))
        && path.starts_with("/api/webhooks")
    {
        // A fixed chat room of the author collects what is sent; a placeholder is the reader's own.
        let fixed =
            path.split('/').nth(3).is_some_and(|id| id.len() >= 8 && id.bytes().all(|b| b.is_ascii_digit()));
        return if fixed { HostKind::Collector } else { HostKind::Named };
    }
    if host == "api.telegram.org" {
        let fixed =
            path.strip_prefix("/bot").and_then(|rest| rest.split_once(':')).is_some_and(|(id, key)| {
                id.len() >= 8 && id.bytes().all(|b| b.is_ascii_digit()) && key.len() >= 30
            });
        return if fixed { HostKind::Collector } else { HostKind::Named };
    }
    if is_fixed_inbox(host, &path) {
        return HostKind::Collector;
    }
    if host == "gist.githubusercontent.com" || (host == "cdn.discordapp.com") {
        return HostKind::Paste;
    }
    let labels: Vec<&str> = host.split('.').collect();
    let top = labels.last().copied().unwrap_or_default();
    let known = |list: &[&str]| labels[..labels.len() - 1].iter().any(|label| list.contains(label));
    if known(&COLLECTOR) {
        return HostKind::Collector;
    }
    if known(&PASTE) {
        return HostKind::Paste;
    }
    // Short labels must be the whole name, not a part of another name.
    let own = labels.get(labels.len().saturating_sub(2)).copied().unwrap_or_default();
    let first = labels.first().copied().unwrap_or_default();
    let name = if top == "invalid" { first } else { own };
    if SHARE.contains(&name) && SHARE_TOPS.contains(&top) {
        return HostKind::Share;
    }
    if SHORT.contains(&name) && SHORT_TOPS.contains(&top) && (labels.len() == 2 || top == "invalid") {
        return HostKind::Short;
    }
    if INSTALLER.contains(&host) {
        return HostKind::Installer;
    }
    HostKind::Named
}

/// Owners of installers on hosts where anyone has projects.
const PROJECTS: [&str; 40] = [
    "homebrew",
    "nvm-sh",
    "ohmyzsh",
    "rust-lang",
    "pyenv",
    "rbenv",
    "asdf-vm",
    "astral-sh",
    "denoland",
    "oven-sh",
    "helm",
    "kubernetes",
    "kubernetes-sigs",
    "docker",
    "golangci",
    "anchore",
    "aquasecurity",
    "k3d-io",
    "k3s-io",
    "tj",
    "cli",
    "github",
    "microsoft",
    "google",
    "anthropics",
    "openai",
    "vercel",
    "cloudflare",
    "aws",
    "hashicorp",
    "jesseduffield",
    "junegunn",
    "conda-forge",
    "python-poetry",
    "pnpm",
    "nodesource",
    "foundry-rs",
    "trufflesecurity",
    "gitleaks",
    "nektos",
];

/// Whether an address on a host of many projects belongs to a well-known one. Other hosts have one owner.
pub(crate) fn is_known_project(host: &str, rest: &str) -> bool {
    if !matches!(host, "github.com" | "raw.github.com" | "raw.githubusercontent.com") {
        return true;
    }
    let owner = rest.trim_start_matches('/').split('/').next().unwrap_or_default();
    owner.contains(['<', '{', '$', '[']) || PROJECTS.iter().any(|known| owner.eq_ignore_ascii_case(known))
}

/// Whether an address is one mailbox, form or chat room of a service: its author reads what is sent there.
fn is_fixed_inbox(host: &str, path: &str) -> bool {
    let parts: Vec<&str> = path.trim_start_matches('/').split(['/', '?']).collect();
    let id = |at: usize, least: usize| {
        parts.get(at).is_some_and(|part| {
            let mut seen: Vec<u8> = part.bytes().collect();
            seen.sort_unstable();
            seen.dedup();
            part.len() >= least
                && seen.len() > 5
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
                && !["your", "xxx", "example", "webhook", "token"].iter().any(|word| part.contains(word))
        })
    };
    match host {
        "hooks.slack.com" => parts.first() == Some(&"services") && id(3, 16),
        "script.google.com" => parts.get(1) == Some(&"s") && id(2, 30),
        "docs.google.com" => parts.first() == Some(&"forms") && path.contains("formresponse"),
        "hooks.zapier.com" => parts.get(1) == Some(&"catch") && parts.len() >= 4,
        "maker.ifttt.com" => path.contains("/with/key/") && !path.contains(['{', '$', '<']),
        "formspree.io" => parts.first() == Some(&"f") && id(1, 8),
        _ => false,
    }
}

/// The number of an IP address in any of its spellings.
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
        // A small number alone is a port or a year, not an address.
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
