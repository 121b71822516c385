//! The stated purpose of a skill, which separates the hosts it has a reason to reach from others.
//!
//! A skill for a service reaches that service and names it in its name or description, which a user
//! reads first. A host that neither of them names, and that is not a well-known service, may be the
//! target of a planted step.

use skillful_format::Manifest;

/// Parts of host names that do not identify an owner.
const PLAIN: [&str; 42] = [
    "www",
    "api",
    "app",
    "apps",
    "cdn",
    "dev",
    "docs",
    "get",
    "cli",
    "install",
    "installer",
    "download",
    "downloads",
    "data",
    "files",
    "file",
    "static",
    "assets",
    "img",
    "images",
    "raw",
    "hub",
    "cloud",
    "web",
    "site",
    "online",
    "tools",
    "tool",
    "skill",
    "skills",
    "agent",
    "agents",
    "core",
    "helper",
    "update",
    "updates",
    "sync",
    "backup",
    "mail",
    "server",
    "service",
    "services",
];

/// Services that skills of every kind use, so that a skill need not name them.
const SERVICES: [&str; 94] = [
    "overleaf.com",
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "bitbucket.org",
    "google.com",
    "googleapis.com",
    "microsoft.com",
    "azure.com",
    "windows.net",
    "office.com",
    "live.com",
    "amazonaws.com",
    "aws.amazon.com",
    "apple.com",
    "icloud.com",
    "openai.com",
    "anthropic.com",
    "claude.ai",
    "claude.com",
    "slack.com",
    "notion.so",
    "notion.com",
    "atlassian.net",
    "atlassian.com",
    "linear.app",
    "stripe.com",
    "paypal.com",
    "twilio.com",
    "sendgrid.com",
    "cloudflare.com",
    "vercel.com",
    "netlify.com",
    "heroku.com",
    "digitalocean.com",
    "docker.com",
    "docker.io",
    "rubygems.org",
    "huggingface.co",
    "kaggle.com",
    "wikipedia.org",
    "python.org",
    "nodejs.org",
    "mozilla.org",
    "debian.org",
    "ubuntu.com",
    "kubernetes.io",
    "hashicorp.com",
    "terraform.io",
    "salesforce.com",
    "force.com",
    "hubspot.com",
    "shopify.com",
    "zoom.us",
    "dropbox.com",
    "dropboxapi.com",
    "box.com",
    "figma.com",
    "airtable.com",
    "trello.com",
    "asana.com",
    "discord.com",
    "telegram.org",
    "twitter.com",
    "x.com",
    "facebook.com",
    "instagram.com",
    "linkedin.com",
    "reddit.com",
    "youtube.com",
    "tiktok.com",
    "spotify.com",
    "supabase.co",
    "supabase.com",
    "firebase.com",
    "firebaseio.com",
    "mongodb.com",
    "snowflake.com",
    "databricks.com",
    "datadoghq.com",
    "sentry.io",
    "grafana.com",
    "jetbrains.com",
    "ethereum.org",
    "etherscan.io",
    "coinbase.com",
    "binance.com",
    "intuit.com",
    "zapier.com",
    "feishu.cn",
    "aliyun.com",
    "aliyuncs.com",
    "tencent.com",
    "baidu.com",
];

/// The purpose of a skill, as one sequence of letters and digits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Purpose {
    name: String,
    words: String,
}

impl Purpose {
    /// Reads the purpose from the name and the description.
    pub(crate) fn new(manifest: &Manifest) -> Self {
        let mut words = String::new();
        for text in [&manifest.name, &manifest.description, &manifest.when_to_use].into_iter().flatten() {
            words.extend(text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
            words.push(' ');
        }
        let name = manifest.name.as_deref().unwrap_or_default();
        let name = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        Self { name, words }
    }

    /// Whether a host is well known or named in the purpose.
    pub(crate) fn knows(&self, host: &str) -> bool {
        is_service(host) || self.names(host)
    }

    /// Whether the name or the description names the host, or the word that its name consists of.
    pub(crate) fn names(&self, host: &str) -> bool {
        let labels: Vec<&str> = host.split('.').collect();
        // `moltcorporation.com` belongs to `moltcorp`.
        if self.name.len() >= 5 && host.replace('-', "").contains(&self.name) {
            return true;
        }
        // Hosts whose top-level domain is part of the name: `inference.sh`, `skills.sh`.
        let whole: String = host.chars().filter(|c| c.is_alphanumeric()).collect();
        if whole.len() >= 6 && self.words.contains(&whole) {
            return true;
        }
        labels[..labels.len().saturating_sub(1)].iter().any(|label| {
            // `get-prettier` belongs to `prettier`; `prettier-core` may belong to someone else.
            let label =
                ["get-", "try-", "use-"].iter().find_map(|start| label.strip_prefix(start)).unwrap_or(label);
            let joined: String = label.chars().filter(|c| c.is_alphanumeric()).collect();
            joined.len() >= 4 && !PLAIN.contains(&joined.as_str()) && self.words.contains(&joined)
        })
    }
}

impl Purpose {
    /// Whether the purpose names a mail address.
    pub(crate) fn names_mail(&self, mail: &str) -> bool {
        let (local, host) = mail.rsplit_once('@').unwrap_or(("", mail));
        let local: String = local.chars().filter(|c| c.is_alphanumeric()).collect();
        self.names(host) || (local.len() >= 6 && self.words.contains(&local.to_lowercase()))
    }
}

/// Whether a host belongs to a service that skills of every kind use.
pub(crate) fn is_service(host: &str) -> bool {
    is_package_index(host)
        || SERVICES.iter().any(|service| {
            host.strip_suffix(service).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
}

/// The hosts that package managers use by default, by their registered names.
pub(crate) fn is_package_index(host: &str) -> bool {
    let mut parts = host.rsplit('.');
    let (end, name) = (parts.next(), parts.next());
    matches!(end, Some("org" | "com")) && matches!(name, Some("pypi" | "npmjs" | "rubygems"))
}

/// Placeholder hosts that the reader replaces.
pub(crate) fn is_placeholder(host: &str) -> bool {
    host.contains(['{', '<', '$', '[', '%', '*'])
        || host
            .split('.')
            .any(|label| label.starts_with("your") || label.starts_with("my-") || label == "domain")
}

/// Hosts without an owner: names reserved for examples, single words, and placeholders.
pub(crate) fn is_unowned(host: &str) -> bool {
    let of = |name: &str| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !host.contains('.')
        || host.contains(['{', '<', '$', '['])
        || ["example.com", "example.org", "example.net", "company.com", "example"].iter().any(|name| of(name))
}

/// Whether a host is one letter below a common top-level domain, as in `a@b.com`: such names are
/// not sold.
pub(crate) fn is_letter(host: &str) -> bool {
    matches!(host.as_bytes(), [letter, rest @ ..]
        if letter.is_ascii_lowercase() && !b"qxz".contains(letter) && matches!(rest, b".com" | b".org" | b".net"))
}

/// Example hosts, which do not exist.
pub(crate) fn is_example(host: &str) -> bool {
    const EXAMPLES: [&str; 16] = [
        "example",
        "your-domain",
        "yourdomain",
        "your-server",
        "yoursite",
        "mysite",
        "my-app",
        "myapp",
        "domain",
        "host",
        "hostname",
        "your-app",
        "your-api",
        "yourapp",
        "acme",
        "target",
    ];
    let mut labels = host.split('.');
    let top = labels.clone().next_back().unwrap_or_default();
    host.contains(['{', '<', '$', '[', '%', '*'])
        || (matches!(top, "com" | "org" | "net" | "io" | "co" | "ai" | "test" | "tld" | "example")
            && labels.any(|label| {
                EXAMPLES.contains(&label) || label.starts_with("your") || label.starts_with("my-")
            }))
}
