//! What a skill says that it is for, so that a host it never names can be told from its own.
//!
//! A skill for a service reaches that service, and says so where a person reads it first: in its
//! name and its description. A place that neither of them names, and that is no service everybody
//! knows, is where a planted step sends things or fetches them from.

use skillful_format::Manifest;

/// Parts of host names that say nothing about who is behind them.
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

/// Services that skills of every kind reach, so that their names need not be said.
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

/// What a skill is for, as one run of letters and digits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Purpose {
    name: String,
    said: String,
}

impl Purpose {
    /// Takes the purpose from the name and the description.
    pub(crate) fn new(manifest: &Manifest) -> Self {
        let mut said = String::new();
        for text in [&manifest.name, &manifest.description, &manifest.when_to_use].into_iter().flatten() {
            said.extend(text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
            said.push(' ');
        }
        let name = manifest.name.as_deref().unwrap_or_default();
        let name = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        Self { name, said }
    }

    /// Whether a host is one that everybody knows, or one that the skill says it is about.
    pub(crate) fn knows(&self, host: &str) -> bool {
        is_service(host) || self.names(host)
    }

    /// Whether the name or the description names the host, or the word it is made of.
    pub(crate) fn names(&self, host: &str) -> bool {
        let labels: Vec<&str> = host.split('.').collect();
        // `moltcorporation.com` is of `moltcorp`.
        if self.name.len() >= 5 && host.replace('-', "").contains(&self.name) {
            return true;
        }
        // Hosts whose top level is part of the name: `inference.sh`, `skills.sh`.
        let whole: String = host.chars().filter(|c| c.is_alphanumeric()).collect();
        if whole.len() >= 6 && self.said.contains(&whole) {
            return true;
        }
        labels[..labels.len().saturating_sub(1)].iter().any(|label| {
            // `get-prettier` is about `prettier`; `prettier-core` is how somebody else calls himself.
            let label =
                ["get-", "try-", "use-"].iter().find_map(|start| label.strip_prefix(start)).unwrap_or(label);
            let joined: String = label.chars().filter(|c| c.is_alphanumeric()).collect();
            joined.len() >= 4 && !PLAIN.contains(&joined.as_str()) && self.said.contains(&joined)
        })
    }
}

impl Purpose {
    /// Whether an address of mail is one that the skill says it is about.
    pub(crate) fn names_mail(&self, mail: &str) -> bool {
        let (local, host) = mail.rsplit_once('@').unwrap_or(("", mail));
        let local: String = local.chars().filter(|c| c.is_alphanumeric()).collect();
        self.names(host) || (local.len() >= 6 && self.said.contains(&local.to_lowercase()))
    }
}

/// Whether a host belongs to a service that skills of every kind reach.
pub(crate) fn is_service(host: &str) -> bool {
    is_package_index(host)
        || SERVICES.iter().any(|service| {
            host.strip_suffix(service).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
}

/// The places that package managers ask by themselves, by the name that their owners registered.
pub(crate) fn is_package_index(host: &str) -> bool {
    let mut parts = host.rsplit('.');
    let (end, name) = (parts.next(), parts.next());
    matches!(end, Some("org" | "com")) && matches!(name, Some("pypi" | "npmjs" | "rubygems"))
}

/// Hosts that stand for one that the reader fills in.
pub(crate) fn is_placeholder(host: &str) -> bool {
    host.contains(['{', '<', '$', '[', '%', '*'])
        || host
            .split('.')
            .any(|label| label.starts_with("your") || label.starts_with("my-") || label == "domain")
}

/// Hosts that nobody can own: names kept for examples, bare words, and what stands for the reader's own.
pub(crate) fn is_nobody(host: &str) -> bool {
    let of = |name: &str| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !host.contains('.')
        || host.contains(['{', '<', '$', '['])
        || ["example.com", "example.org", "example.net", "company.com", "example"].iter().any(|name| of(name))
}

/// Whether a host is one letter below a common top level, as in `a@b.com`: such names are not sold.
pub(crate) fn is_letter(host: &str) -> bool {
    matches!(host.as_bytes(), [letter, rest @ ..]
        if letter.is_ascii_lowercase() && !b"qxz".contains(letter) && matches!(rest, b".com" | b".org" | b".net"))
}

/// Hosts of examples, which nobody reaches.
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
