//! Names of sensitive files: credentials, startup files, settings of agents.

use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// Parts of paths of credentials that do not belong to the skill.
const CREDENTIALS: [&str; 121] = [
    "/proc/self/environ",
    "nuget/nuget.config",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".terraformrc",
    ".s3cfg",
    "/.boto",
    "rclone/rclone.conf",
    ".config/doctl",
    "doctl/config.yaml",
    ".kaggle/kaggle.json",
    "huggingface/token",
    ".huggingface/",
    ".config/hub",
    ".composer/auth.json",
    "composer/auth.json",
    ".fly/config.yml",
    "com.vercel.cli/auth.json",
    ".netlify/config.json",
    "filezilla/sitemanager.xml",
    "filezilla/recentservers.xml",
    ".config/op/",
    "keepass.config",
    ".mylogin.cnf",
    ".renviron",
    ".gemini/oauth_creds",
    ".bitcoin/wallet",
    "exodus.wallet",
    "atomic/local storage",
    "ledger live",
    "default/cookies",
    "chrome/cookies",
    "/.docker/config",
    ".config/gcloud",
    ".terraform.d/credentials",
    ".ssh/id_",
    ".ssh/identity",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    ".ssh/*",
    ".aws/credentials",
    ".aws/config",
    ".aws/*",
    ".aws/sso",
    "application_default_credentials",
    "gcloud/credentials.db",
    "gcloud/access_tokens",
    ".azure/accesstokens",
    ".azure/msal",
    ".kube/config",
    ".docker/config.json",
    ".netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".gem/credentials",
    ".cargo/credentials",
    ".gnupg",
    "secring.gpg",
    "login.keychain",
    "keychains/",
    "library/keychains",
    "login data",
    "cookies.sqlite",
    "logins.json",
    "key4.db",
    "key3.db",
    "local state",
    "chrome/default/cookies",
    "user data/default",
    "chrome/user data",
    "google-chrome/default",
    "bravesoftware",
    "firefox/profiles",
    "wallet.dat",
    ".electrum",
    "exodus/exodus.wallet",
    "metamask",
    "nkbihfbeogaeaoehlefnkodbefgpgknn",
    ".solana/id.json",
    ".config/solana/id.json",
    ".ethereum/keystore",
    "phantom/",
    "/etc/shadow",
    ".bash_history",
    ".zsh_history",
    "gh/hosts.yml",
    ".vault-token",
    ".clawdbot/.env",
    ".openclaw/.env",
    ".claude/.credentials",
    ".codex/auth.json",
    ".password-store",
    "1password/data",
    "local storage/leveldb",
    "local/storage/leveldb",
    "local/extension/settings",
    "local extension settings",
    "discord/local storage",
    "telegram desktop/tdata",
    "telegramdesktop/tdata",
    "slack/cookies",
    "signal/config.json",
    "web data",
    ".config/solana",
    ".near-credentials",
    ".sui/sui_config",
    ".aptos/config",
    ".cursor/mcp.json",
    ".claude/.env",
    ".config/claude",
    ".config/github-copilot",
    "github-copilot/hosts",
    ".config/anthropic",
    ".config/openai",
    ".config/stripe",
    ".config/sops/age",
    "/.databrickscfg",
];
/// Environment files, which honest scripts read for themselves and have no reason to send.
const DOTENV: [&str; 11] = [
    ".env",
    ".env*",
    ".env.*",
    ".env.local",
    ".env.production",
    ".env.prod",
    ".envrc",
    "secrets.yml",
    "secrets.yaml",
    "master.key",
    "service-account.json",
];
/// Parts of paths of private files.
const PRIVATE: [&str; 20] = [
    "openclaw.json",
    "clawdbot.json",
    ".claude/projects",
    ".codex/sessions",
    "library/messages",
    ".openclaw/workspace/memory",
    "~/documents",
    "$home/documents",
    "~/desktop",
    "$home/desktop",
    "~/downloads",
    "/etc/passwd",
    "~/library/messages",
    "chat.db",
    "~/library/mail",
    "~/pictures",
    "/home/*",
    "/users/*",
    "~/.claude/projects",
    "~/.codex/sessions",
];
/// Parts of paths that the system runs automatically.
const START: [&str; 29] = [
    "hooks/post-commit",
    "hooks/pre-commit",
    "hooks/pre-push",
    "hooks/post-checkout",
    "hooks/post-merge",
    ".bashrc",
    ".zshrc",
    ".profile",
    ".bash_profile",
    ".zprofile",
    ".zshenv",
    ".config/fish/config.fish",
    "/etc/profile",
    "launchagents",
    "launchdaemons",
    "/etc/cron",
    "/var/spool/cron",
    "systemd/system",
    "systemd/user",
    "/etc/rc.local",
    ".config/autostart",
    "authorized_keys",
    "/etc/ld.so.preload",
    "/etc/sudoers",
    "start menu/programs/startup",
    "currentversion\\run",
    ".git/hooks/",
    "core.hookspath",
    "/etc/init.d",
];
/// Parts of paths that contain settings or instructions of agents.
const AGENT: [&str; 32] = [
    ".claude/settings",
    ".claude/hooks",
    ".claude/commands",
    ".claude/agents",
    ".claude/instructions",
    ".claude/rules",
    ".claude/skills",
    ".claude.json",
    "claude.md",
    "agents.md",
    "gemini.md",
    ".mcp.json",
    "mcp.json",
    ".cursorrules",
    ".cursor/rules",
    ".cursor/mcp",
    ".windsurfrules",
    ".clinerules",
    ".codex/config",
    ".codex/skills",
    ".agents/skills",
    ".openclaw/",
    ".clawdbot/",
    "soul.md",
    "memory.md",
    "heartbeat.md",
    "copilot-instructions",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".gemini/settings",
    "claude_desktop_config",
    ".opencode/",
];

fn matcher(list: &[&str]) -> Option<AhoCorasick> {
    AhoCorasick::builder().ascii_case_insensitive(true).build(list).ok()
}

static CREDENTIAL: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| matcher(&CREDENTIALS));
static PRIVATES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| matcher(&PRIVATE));
static STARTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| matcher(&START));
static AGENTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| matcher(&AGENT));

fn holds(matcher: &LazyLock<Option<AhoCorasick>>, text: &str) -> bool {
    matcher.as_ref().is_some_and(|matcher| matcher.is_match(text))
}

/// Whether a text names a credential file; public keys do not count.
pub(crate) fn is_credential(text: &str) -> bool {
    holds(&CREDENTIAL, text)
        && text.trim_end().rsplit('.').next() != Some("pub")
        && !text.contains("known_hosts")
}

/// The places of names of credential files.
pub(crate) fn credentials(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    CREDENTIAL.as_ref().into_iter().flat_map(move |matcher| matcher.find_iter(text).map(|hit| hit.range()))
}

/// Whether a text is the path of a folder of keys.
pub(crate) fn is_key_folder(text: &str) -> bool {
    const FOLDERS: [&str; 7] = [".ssh", ".aws", ".gnupg", ".kube", ".azure", ".password-store", ".mozilla"];
    let path = text.trim_matches(['"', '\'']).trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or(path);
    FOLDERS.contains(&name) && (path == name || path.starts_with(['~', '$', '/']))
}

/// Whether a text is the path of an environment file.
pub(crate) fn is_dotenv(text: &str) -> bool {
    let name = text.trim_matches(['"', '\'', '@', ' ']).rsplit(['/', '=', '@']).next().unwrap_or(text);
    DOTENV.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a text names private files.
pub(crate) fn is_private(text: &str) -> bool {
    holds(&PRIVATES, text)
}

/// Whether a text names a file that the system runs automatically.
pub(crate) fn is_start(text: &str) -> bool {
    holds(&STARTS, text)
}

/// Whether another program runs a file of this name: a hook of git, a path file of Python.
pub(crate) fn runs_by_name(path: &str) -> bool {
    const HOOKS: [&str; 8] = [
        "pre-commit",
        "pre-push",
        "commit-msg",
        "post-checkout",
        "post-merge",
        "post-commit",
        "prepare-commit-msg",
        "post-rewrite",
    ];
    let name = path.trim_matches('"').rsplit('/').next().unwrap_or(path);
    HOOKS.contains(&name) || name.to_ascii_lowercase().ends_with(".pth")
}

/// Whether a text names settings or instructions of an agent.
pub(crate) fn is_agent(text: &str) -> bool {
    holds(&AGENTS, text)
}

/// Whether a variable contains a key of a known service, which only that service should receive.
pub(crate) fn is_vendor_key(name: &str) -> bool {
    const KEYS: [&str; 20] = [
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_ACCESS_KEY_ID",
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "GITLAB_TOKEN",
        "STRIPE_SECRET_KEY",
        "GOOGLE_API_KEY",
        "GEMINI_API_KEY",
        "HF_TOKEN",
        "NPM_TOKEN",
        "DATABASE_URL",
        "SSH_PRIVATE_KEY",
        "PRIVATE_KEY",
        "MNEMONIC",
        "SLACK_BOT_TOKEN",
        "AZURE_CLIENT_SECRET",
        "CLOUDFLARE_API_TOKEN",
    ];
    KEYS.contains(&name) || is_named_after_a_service(name)
}

/// Whether the name of a secret begins with a service that gives it out: `SLACK_TOKEN`, `NOTION_API_KEY`.
fn is_named_after_a_service(name: &str) -> bool {
    const SERVICES: [&str; 22] = [
        "SLACK",
        "DISCORD",
        "NOTION",
        "LINEAR",
        "STRIPE",
        "GITHUB",
        "GITLAB",
        "OPENAI",
        "ANTHROPIC",
        "GEMINI",
        "SENDGRID",
        "TWILIO",
        "TELEGRAM",
        "HUBSPOT",
        "SHOPIFY",
        "DIGITALOCEAN",
        "CLOUDFLARE",
        "VERCEL",
        "HEROKU",
        "DROPBOX",
        "AIRTABLE",
        "JIRA",
    ];
    let Some((service, rest)) = name.split_once('_') else { return false };
    SERVICES.contains(&service) && ["TOKEN", "KEY", "SECRET"].iter().any(|end| rest.ends_with(end))
}

/// Whether the name of a variable suggests a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "MNEMONIC", "PRIVATE"]
        .iter()
        .any(|part| upper.contains(part))
}
