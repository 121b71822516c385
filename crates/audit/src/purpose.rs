//! The stated purpose of a skill, which separates the hosts it has a reason to reach from others.
//!
//! A skill for a service reaches that service and names it in its name or description, which a user
//! reads first. A host that neither of them names, and that is not a well-known service, may be the
//! target of a planted step.

use crate::{hosts, lines, sensitive};
use skillful_format::{Data, Document};
use std::collections::{BTreeMap, BTreeSet};

/// Variables and hosts that a frontmatter may declare.
const DECLARED: usize = 64;
/// Levels of metadata that are searched for them.
const DEPTH: usize = 8;
/// Bytes of a body that are searched for the owner of a host.
const BODY: usize = 256 << 10;
/// Letters of a body that explains its skill.
const LEAST_BODY: usize = 200;

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

/// The purpose of a skill: its name and description as one sequence of letters and digits, and what its
/// frontmatter declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Purpose {
    name: String,
    words: String,
    /// Variables that the frontmatter declares, each with the service that its secret belongs to.
    variables: BTreeMap<String, Option<String>>,
    /// Those of them that the frontmatter declares as secrets, whatever they are called.
    secrets: BTreeSet<String>,
    /// Hosts that the frontmatter names outside of the description.
    hosts: Vec<String>,
    /// The body as one sequence of letters and digits, up to a limit.
    body: String,
    /// How often the body names each host.
    named: BTreeMap<String, usize>,
}

impl Purpose {
    /// Reads the purpose from the name, the description and the declarations.
    pub(crate) fn new(document: &Document) -> Self {
        let manifest = &document.manifest;
        let mut words = String::new();
        for text in [&manifest.name, &manifest.description, &manifest.when_to_use].into_iter().flatten() {
            words.extend(text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
            words.push(' ');
        }
        let name = manifest.name.as_deref().unwrap_or_default();
        let name = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let mut purpose = Self { name, words, ..Self::default() };
        if let Some(text) = &manifest.compatibility {
            purpose.declare(text);
        }
        for (_, data) in manifest.metadata.iter().chain(&manifest.extra) {
            purpose.declared(data, 0);
        }
        let required = manifest.requires.env.iter().chain(&document.sidecar.requires.env);
        for name in required.chain(manifest.vars.iter().map(|(name, _)| name)) {
            purpose.variables.insert(name.clone(), None);
        }
        for spec in &manifest.env {
            let service = spec.service.as_ref().map(|service| service.to_ascii_lowercase());
            purpose.variables.insert(spec.var.clone(), service);
        }
        let stored = manifest.env.iter().filter(|spec| spec.from.as_deref() == Some("secret"));
        let hidden = manifest.vars.iter().filter(|(_, spec)| spec.secret);
        purpose.secrets = stored.map(|spec| &spec.var).chain(hidden.map(|(name, _)| name)).cloned().collect();
        purpose
    }

    /// The same purpose with the body of the skill.
    pub(crate) fn with_body(mut self, body: &str) -> Self {
        let letters = body.bytes().take(BODY).filter(u8::is_ascii_alphanumeric);
        self.body = letters.map(|byte| char::from(byte.to_ascii_lowercase())).collect();
        self
    }

    /// The same purpose with the number of times that the body names each host.
    pub(crate) fn with_hosts(mut self, body: &str) -> Self {
        for address in hosts::addresses(&body[..lines::floor(body, BODY)]) {
            *self.named.entry(address.host).or_default() += 1;
        }
        self
    }

    /// How often the body of the skill names a host in an address.
    pub(crate) fn times_named(&self, host: &str) -> usize {
        self.named.get(host).copied().unwrap_or_default()
    }

    /// Whether the body says what the skill does and does not name the owner of a host.
    pub(crate) fn conceals(&self, host: &str) -> bool {
        self.body.len() >= LEAST_BODY && !self.mentions(host)
    }

    fn mentions(&self, host: &str) -> bool {
        let labels = host.split('.').collect::<Vec<_>>();
        labels[..labels.len().saturating_sub(1)].iter().any(|label| {
            let joined: String = label.chars().filter(|c| c.is_alphanumeric()).collect();
            joined.len() >= 4
                && joined != "example"
                && !PLAIN.contains(&joined.as_str())
                && self.body.contains(&joined)
        })
    }

    fn declared(&mut self, data: &Data, depth: usize) {
        match data {
            Data::Map(pairs) if depth < DEPTH => {
                for (_, value) in pairs {
                    self.declared(value, depth + 1);
                }
            }
            Data::List(items) if depth < DEPTH => {
                for item in items {
                    self.declared(item, depth + 1);
                }
            }
            Data::Text(text) => self.declare(text),
            _ => {}
        }
    }

    /// Keeps the hosts in a text, and the text itself if it is the name of a key.
    fn declare(&mut self, text: &str) {
        for address in hosts::addresses(text) {
            if self.hosts.len() < DECLARED && address.kind != hosts::HostKind::Local {
                self.hosts.push(address.host);
            }
        }
        let upper = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        if text.len() > 4
            && text.bytes().all(upper)
            && sensitive::is_secret_name(text)
            && self.variables.len() < DECLARED
        {
            self.variables.entry(text.to_owned()).or_default();
        }
    }

    /// Whether the frontmatter declares a variable.
    pub(crate) fn is_declared(&self, variable: &str) -> bool {
        self.variables.contains_key(variable)
    }

    /// Whether the frontmatter declares a variable as a secret.
    pub(crate) fn is_secret(&self, variable: &str) -> bool {
        self.secrets.contains(variable)
    }

    /// The service that the secret of a declared variable belongs to.
    pub(crate) fn service_of(&self, variable: &str) -> Option<&str> {
        self.variables.get(variable)?.as_deref()
    }

    /// Whether a declared variable holds the secret of a service, and a host belongs to another owner.
    pub(crate) fn is_of_other(&self, variable: &str, host: &str) -> bool {
        self.service_of(variable).is_some()
            && !self.serves(host)
            && !self.names(host)
            && !is_example(host)
            && !is_placeholder(host)
    }

    /// Whether a host belongs to the service of a declared variable: `api.groq.com` to `GROQ_API_KEY`.
    pub(crate) fn serves(&self, host: &str) -> bool {
        let own = host.rsplit('.').nth(1).unwrap_or_default();
        own.len() >= 3
            && self.variables.iter().any(|(name, service)| {
                let first = name.split('_').next().unwrap_or(name);
                first.eq_ignore_ascii_case(own) || service.as_deref() == Some(own)
            })
    }

    /// Whether the frontmatter names a host, as a home page or as an address of an interface.
    pub(crate) fn declares(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| {
            let suffix = |long: &str, short: &str| {
                long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            };
            suffix(host, known) || suffix(known, host)
        })
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
    /// Whether the purpose names the owner or the project in the path of an address, as in `/owner/project/…`.
    pub(crate) fn names_project(&self, path: &str) -> bool {
        path.trim_start_matches('/').split('/').take(2).any(|part| {
            let joined: String =
                part.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
            joined.len() >= 4 && !PLAIN.contains(&joined.as_str()) && self.words.contains(&joined)
        })
    }

    /// Whether the purpose names a package, its owner, or every word of its name.
    pub(crate) fn names_package(&self, package: &str) -> bool {
        let joined = |part: &str| -> String {
            part.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        package.split('/').any(|part| {
            let whole = joined(part);
            let known = whole.len() >= 4 && !PLAIN.contains(&whole.as_str()) && self.words.contains(&whole);
            let mut words = part.split(['-', '_', '.', '@']).filter(|word| !word.is_empty());
            known || words.all(|word| word.len() >= 2 && self.words.contains(&joined(word)))
        })
    }

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

/// Words that stand for a host which the reader fills in.
pub(crate) fn is_usual_word(host: &str) -> bool {
    const WORDS: [&str; 14] = [
        "api", "app", "base", "domain", "endpoint", "example", "gateway", "host", "hostname", "instance",
        "server", "service", "url", "registry",
    ];
    WORDS.contains(&host)
}

/// Whether a label is one that lessons put before a domain of the reader.
fn is_usual_label(label: &str) -> bool {
    const USUAL: &[&str] = &[
        "a",
        "account",
        "accounts",
        "acme",
        "admin",
        "api",
        "app",
        "apps",
        "assets",
        "auth",
        "b",
        "backend",
        "beta",
        "blog",
        "c",
        "cdn",
        "chat",
        "cloud",
        "code",
        "corp",
        "crm",
        "dashboard",
        "data",
        "db",
        "demo",
        "dev",
        "dl",
        "docs",
        "download",
        "downloads",
        "email",
        "events",
        "files",
        "forum",
        "ftp",
        "get",
        "git",
        "github",
        "gitlab",
        "help",
        "host",
        "images",
        "img",
        "install",
        "internal",
        "jira",
        "login",
        "mail",
        "media",
        "my",
        "news",
        "ns1",
        "portal",
        "preview",
        "prod",
        "production",
        "proxy",
        "registry",
        "s3",
        "sandbox",
        "shop",
        "smtp",
        "sso",
        "stage",
        "staging",
        "static",
        "status",
        "store",
        "sub",
        "support",
        "test",
        "uat",
        "upload",
        "uploads",
        "www",
    ];
    let name = label.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    name.is_empty()
        || label.starts_with("your")
        || label.starts_with("my-")
        || name.split('-').all(|part| USUAL.contains(&part) || is_usual_word(part))
}

/// Whether a host is reserved for examples and named like a host of one author: `cdn7.example.net`, and not
/// `get.example.com`, which stands for the reader's own in lessons.
pub(crate) fn is_reserved(host: &str) -> bool {
    ["example.com", "example.org", "example.net"].iter().any(|name| {
        host.strip_suffix(name).is_some_and(|rest| {
            rest.strip_suffix('.').is_some_and(|labels| {
                !labels.is_empty()
                    && !host.contains(['{', '<', '$', '[', '%', '*'])
                    && labels.split('.').any(|label| !is_usual_label(label))
            })
        })
    })
}

/// Whether a name says that its host belongs to an attacker, as in neutralised samples: `exfil.example.com`.
pub(crate) fn is_named_for_attacks(host: &str) -> bool {
    const NAMES: [&str; 17] = [
        "evil",
        "attacker",
        "adversary",
        "malicious",
        "exfil",
        "exfiltrate",
        "stealer",
        "c2",
        "malware",
        "keylog",
        "keylogger",
        "sniff",
        "steal",
        "phish",
        "phishing",
        "botnet",
        "trojan",
    ];
    host.split(['.', '-']).any(|label| NAMES.contains(&label))
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
    if is_reserved(host) {
        return false;
    }
    let mut labels = host.split('.');
    let top = labels.clone().next_back().unwrap_or_default();
    host.contains(['{', '<', '$', '[', '%', '*'])
        || (matches!(top, "com" | "org" | "net" | "io" | "co" | "ai" | "test" | "tld" | "example")
            && labels.any(|label| {
                EXAMPLES.contains(&label) || label.starts_with("your") || label.starts_with("my-")
            }))
}
