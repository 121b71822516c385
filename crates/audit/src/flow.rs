//! Data flow: labels on values, and findings when a labelled value reaches a sink.

use crate::{
    hosts::{self, Address, HostKind},
    purpose::{self, Purpose},
    report::Severity,
    rule::Rule,
};
use std::{collections::BTreeMap, ops::Range, sync::Arc};

/// The facts known about a value, as a set of labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Labels(u32);

impl Labels {
    pub(crate) const NONE: Self = Self(0);
    /// The value came from the network.
    pub(crate) const FETCHED: Self = Self(1);
    /// The value came from a host where anyone can publish.
    pub(crate) const SUSPICIOUS: Self = Self(1 << 1);
    /// The value was packed or encoded.
    pub(crate) const DECODED: Self = Self(1 << 2);
    /// Credentials that do not belong to the skill.
    pub(crate) const SECRET: Self = Self(1 << 3);
    /// The whole environment.
    pub(crate) const ENVIRONMENT: Self = Self(1 << 4);
    /// Private files.
    pub(crate) const PRIVATE: Self = Self(1 << 5);
    /// One variable that contains a key.
    pub(crate) const KEY: Self = Self(1 << 6);
    /// The script itself, or data of the skill.
    pub(crate) const ITSELF: Self = Self(1 << 7);
    /// Responses of the cloud metadata endpoint.
    pub(crate) const METADATA: Self = Self(1 << 8);
    /// The name of a credential file, not its content.
    pub(crate) const SECRET_PATH: Self = Self(1 << 9);
    /// The name of a startup file.
    pub(crate) const START_PATH: Self = Self(1 << 10);
    /// The name of an agent's settings or instruction file.
    pub(crate) const AGENT_PATH: Self = Self(1 << 11);
    /// The name of a private file.
    pub(crate) const PRIVATE_PATH: Self = Self(1 << 12);
    /// The value came through a socket.
    pub(crate) const SOCKET: Self = Self(1 << 13);
    /// The output of a known installer.
    pub(crate) const INSTALLER: Self = Self(1 << 14);

    /// The value came from a host that is neither a known service nor named in the skill's purpose.
    pub(crate) const FOREIGN: Self = Self(1 << 15);
    /// A connection: values written to it are sent.
    pub(crate) const WIRE: Self = Self(1 << 16);
    /// Keyboard, screen, clipboard or microphone.
    pub(crate) const SENSES: Self = Self(1 << 17);
    /// The key of a known service.
    pub(crate) const VENDOR: Self = Self(1 << 19);
    /// The value came in a request to a server of the skill.
    pub(crate) const REQUEST: Self = Self(1 << 20);
    /// A file that the user works on.
    pub(crate) const WORK: Self = Self(1 << 18);
    /// A key that the frontmatter of the skill declares.
    pub(crate) const OWN: Self = Self(1 << 21);
    /// The installer is a file of a project that is not well known.
    pub(crate) const UNKNOWN: Self = Self(1 << 23);
    /// The value goes to a foreign host that neither the frontmatter nor a declared key names.
    pub(crate) const STRANGE: Self = Self(1 << 22);

    /// The value came from a host that is reserved for examples, so that its author cannot be known.
    pub(crate) const EXAMPLE: Self = Self(1 << 25);

    /// Files that were found by walking through the home folder.
    pub(crate) const HOME_FILES: Self = Self(1 << 24);

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// The labels of the content of files with these names.
    pub(crate) fn content(self) -> Self {
        let mut out = self
            .without(Self::SECRET_PATH)
            .without(Self::PRIVATE_PATH)
            .without(Self::START_PATH)
            .without(Self::AGENT_PATH)
            .without(Self::HOME_FILES);
        if self.has(Self::HOME_FILES) {
            out.add(Self::PRIVATE);
        }
        if self.has(Self::SECRET_PATH) {
            out.add(Self::SECRET);
        }
        if self.has(Self::PRIVATE_PATH) {
            out.add(Self::PRIVATE);
        }
        out
    }
}

/// How a piece of code is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Automatically: a hook, a server, a command before reading.
    Auto,
    /// When an agent or a user runs the script.
    Script,
    /// When an agent copies the example.
    Block,
}

/// A finding of a rule inside a piece of code.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub(crate) rule: Rule,
    pub(crate) severity: Severity,
    pub(crate) range: Range<usize>,
}

/// The facts known while a piece of code is read.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) origin: Origin,
    /// The stated purpose of the skill.
    pub(crate) purpose: Arc<Purpose>,
    /// Texts of variables, where they are written as literals.
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) variables: BTreeMap<String, Labels>,
    pub(crate) files: BTreeMap<String, Labels>,
    pub(crate) hits: Vec<Hit>,
    /// Programs that the code calls.
    pub(crate) programs: Vec<String>,
    /// Variables that the code reads.
    pub(crate) environment: Vec<String>,
    /// Whether an environment file is the only credential file that the script names.
    pub(crate) env_only: bool,
    /// Services whose keys the script selects by name from its environment file.
    pub(crate) picked: Vec<String>,
    /// Whether the script reads a file as a whole.
    pub(crate) reads_whole: bool,
    /// Whether a shell works in the home folder.
    pub(crate) in_home: bool,
    /// Whether the code repeats without an end.
    pub(crate) is_endless: bool,
}

impl Flow {
    pub(crate) fn new(origin: Origin, purpose: &Arc<Purpose>) -> Self {
        Self {
            origin,
            purpose: Arc::clone(purpose),
            texts: BTreeMap::new(),
            variables: BTreeMap::new(),
            files: BTreeMap::new(),
            hits: Vec::new(),
            programs: Vec::new(),
            environment: Vec::new(),
            env_only: false,
            picked: Vec::new(),
            reads_whole: false,
            in_home: false,
            is_endless: false,
        }
    }

    pub(crate) fn hit(&mut self, rule: Rule, severity: Severity, range: Range<usize>) {
        if !self
            .hits
            .iter()
            .any(|hit| hit.rule == rule && hit.range.start == range.start && hit.severity >= severity)
        {
            self.hits.push(Hit { rule, severity, range });
        }
    }

    /// Records that a value is run as code.
    pub(crate) fn run(&mut self, labels: Labels, through_file: bool, range: Range<usize>) {
        if labels.has(Labels::SOCKET) {
            self.hit(Rule::ReverseShell, Severity::Block, range.clone());
        }
        if labels.has(Labels::ITSELF) && labels.has(Labels::DECODED) {
            self.hit(Rule::SelfExtracting, Severity::Block, range);
        } else if labels.has(Labels::DECODED) {
            // A compressed download that is run counts as a download.
            let severity = if labels.has(Labels::INSTALLER) { Severity::Warn } else { Severity::Block };
            self.hit(Rule::EncodedRun, severity, range);
        } else if labels.has(Labels::FETCHED) {
            let rule = if through_file { Rule::DownloadRun } else { Rule::PipeToShell };
            let suspicious = labels.has(Labels::SUSPICIOUS);
            let severity = match self.origin {
                Origin::Auto => Severity::Block,
                _ if suspicious => Severity::Block,
                _ if labels.has(Labels::INSTALLER) && labels.has(Labels::UNKNOWN) => Severity::Warn,
                _ if labels.has(Labels::INSTALLER) => Severity::Note,
                _ if labels.has(Labels::FOREIGN) => Severity::Block,
                _ if labels.has(Labels::EXAMPLE) && !through_file => Severity::Block,
                Origin::Script | Origin::Block => Severity::Warn,
            };
            self.hit(rule, severity, range);
        }
    }

    /// Records that a value is sent to a host.
    pub(crate) fn send(&mut self, labels: Labels, place: HostKind, range: Range<usize>) {
        let labels = labels.content();
        if place == HostKind::Local {
            return;
        }
        if labels.has(Labels::METADATA) {
            self.hit(Rule::Metadata, Severity::Block, range.clone());
        }
        let foreign = labels.has(Labels::FOREIGN);
        if labels.has(Labels::SECRET.and(Labels::ENVIRONMENT)) || (labels.has(Labels::VENDOR) && foreign) {
            self.hit(Rule::SecretSent, Severity::Block, range);
        } else if labels.has(Labels::SENSES) {
            // Sending a screenshot to a named model is the purpose of some skills.
            let severity = if foreign || place.is_suspicious() || self.is_endless {
                Severity::Block
            } else {
                Severity::Warn
            };
            self.hit(Rule::Spies, severity, range);
        } else if labels.has(Labels::PRIVATE) {
            let severity = if place.is_suspicious() || foreign || self.origin == Origin::Auto {
                Severity::Block
            } else {
                Severity::Warn
            };
            self.hit(Rule::DataSent, severity, range);
        } else if labels.has(Labels::WORK) && (foreign || place.is_suspicious()) {
            self.hit(Rule::DataSent, Severity::Block, range);
        } else if labels.has(Labels::KEY) && place.is_suspicious() {
            // A bot's own key is in the address and not in the data that is sent. A service may give its
            // users a key, declare it and run on a rented address.
            let own = labels.has(Labels::OWN) && !labels.has(Labels::VENDOR.and(Labels::STRANGE));
            self.hit(Rule::OddCollector, if own { Severity::Warn } else { Severity::Block }, range);
        } else if place == HostKind::Collector || place == HostKind::Bare {
            self.hit(Rule::OddCollector, Severity::Warn, range);
        }
    }

    /// Records that content is written to a file that other programs act on.
    pub(crate) fn write(&mut self, target: &str, labels: Labels, content: &str, range: Range<usize>) {
        let lower = target.to_ascii_lowercase();
        if lower.ends_with("skill.md") && labels.has(Labels::FETCHED) {
            let severity = if labels.has(Labels::SUSPICIOUS)
                || (labels.has(Labels::FOREIGN) && self.origin != Origin::Block)
            {
                Severity::Block
            } else {
                Severity::Warn
            };
            self.hit(Rule::SelfChange, severity, range.clone());
        }
        let planted = acts(content)
            || (content.len() > 20
                && crate::prose::look(content, crate::prose::Voice::Instructs, &self.purpose)
                    .iter()
                    .any(|said| said.severity == Severity::Block))
            || (crate::sensitive::is_agent(target)
                && content.len() > 20
                && !crate::page::planted_orders::look(content, &self.purpose).is_empty());
        let acts = planted || labels.has(Labels::FETCHED.and(Labels::DECODED));
        let auto = self.origin == Origin::Auto;
        // Files that git and Python run by their names, wherever their folder is.
        let by_name = planted && crate::sensitive::runs_by_name(&lower);
        if by_name || crate::sensitive::is_start(target) {
            let keys = target.contains("authorized_keys")
                || target.contains("sudoers")
                || target.contains("ld.so.preload");
            let severity = match () {
                () if acts || auto || (keys && self.origin == Origin::Script) => Severity::Block,
                // A key that the author chose.
                () if keys && is_fixed_key(content) => Severity::Block,
                () if keys || target.contains("cron") || target.contains("aunch") => Severity::Warn,
                () => Severity::Note,
            };
            self.hit(Rule::Persistence, severity, range.clone());
        } else if crate::sensitive::is_agent(target) {
            let fetched = labels.has(Labels::FETCHED.and(Labels::DECODED));
            let severity = match () {
                () if planted || auto => Severity::Block,
                () if labels.has(Labels::SUSPICIOUS.and(Labels::DECODED))
                    && self.origin == Origin::Script =>
                {
                    Severity::Block
                }
                // Instructions that a server supplies anew each time need a review.
                () if fetched => Severity::Warn,
                () => Severity::Note,
            };
            self.hit(Rule::AgentConfig, severity, range.clone());
        }
        if target == "/etc/hosts" && is_redirected(content) {
            self.hit(Rule::AgentConfig, Severity::Block, range);
        }
        if !target.is_empty() {
            let known = self.files.entry(target.to_owned()).or_default();
            known.add(labels);
        }
    }
}

/// Whether a line for the hosts file moves a well-known service to another address.
fn is_redirected(content: &str) -> bool {
    content.lines().any(|line| {
        let mut words = line.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        let address = words.find(|word| word.contains('.') || word.contains(':')).unwrap_or_default();
        hosts::kind_of(address, "") == HostKind::Bare && words.any(purpose::is_service)
    })
}

/// Whether a text holds a complete public key.
fn is_fixed_key(text: &str) -> bool {
    ["ssh-ed25519 AAAA", "ssh-rsa AAAA", "ecdsa-sha2-nistp256 AAAA"].iter().any(|start| {
        text.split_once(start).is_some_and(|(_, rest)| {
            let key: &str = rest.split(|c: char| c.is_whitespace() || c == '"').next().unwrap_or_default();
            key.len() >= 20 && !key.contains("...") && !key.contains(['<', '$', '…'])
        })
    })
}

/// Whether an encrypted address has one word as its host that does not mean this machine: `https://h/…`. Services of a local network
/// are mostly reached without encryption, and the usual words of examples stand for a host of the reader.
fn is_outside_word(address: &Address) -> bool {
    let host = address.host.as_str();
    let is_word =
        !host.contains(['.', ':']) && !host.is_empty() && host.bytes().any(|b| b.is_ascii_alphabetic());
    is_word
        && !address.plain
        && host != "localhost"
        && !purpose::is_usual_word(host)
        && !purpose::is_placeholder(host)
}

/// Whether a host is neither known, nor named in the skill's purpose, nor an example.
pub(crate) fn is_foreign(host: &str, purpose: &Purpose) -> bool {
    host.contains('.') && !purpose.knows(host) && !purpose::is_example(host) && !purpose::is_placeholder(host)
}

/// Whether a text that is written to a file downloads, hides something or grants access.
pub(crate) fn acts(content: &str) -> bool {
    let lower = content.to_ascii_lowercase();
    let fetches =
        ["curl ", "wget ", "/dev/tcp/", "nc -", "invoke-webrequest", "urlopen", "requests.", "fetch("];
    let runs = [
        "| sh",
        "|sh",
        "| bash",
        "|bash",
        "base64",
        "eval ",
        "eval(",
        "exec(",
        "python -c",
        "python3 -c",
        "nohup",
        "bash -i",
        "| python",
    ];
    let has = |list: &[&str]| list.iter().any(|part| lower.contains(part));
    let suspicious = hosts::addresses(&lower).iter().any(|address| address.kind.is_suspicious());
    let gives = ["--data", "-d @", "-t -", "-f ", "--upload"].iter().any(|flag| lower.contains(flag));
    // A well-known name that resolves to another address.
    let shadows = ["sudo", "ssh", "git", "docker", "kubectl", "npm", "claude"]
        .iter()
        .any(|name| lower.split_once(&format!("alias {name}=")).is_some_and(|(_, rest)| rest.contains('/')));
    // A function that takes the place of a program that reads a password.
    let takes_place = ["sudo", "su", "ssh", "gpg", "passwd"].iter().any(|name| {
        [format!("{name}()"), format!("{name} ()"), format!("function {name}")].iter().any(|head| {
            lower.match_indices(head.as_str()).any(|(at, _)| {
                let line = lower[..at].rfind('\n').map_or(0, |end| end + 1);
                lower[line..at].trim().is_empty()
                    && lower[at + head.len()..].starts_with([' ', '{', '\n', '('])
            })
        })
    });
    // A program in a folder that listings do not show.
    let buried = lower.split_whitespace().any(|word| {
        word.starts_with('/') && word.contains("/.") && !word.contains("/./") && !word.contains("/../")
    });
    (has(&fetches) && (has(&runs) || suspicious || gives))
        || shadows
        || takes_place
        || buried
        || lower.contains("/dev/tcp/")
        || (has(&runs[4..8]) && lower.contains("base64"))
        || lower.contains("dangerously-skip-permissions")
        || lower.contains("bypasspermissions")
        || lower.contains("\"bash(*)\"")
}

/// The labels of a value that is fetched from the addresses in a text, and the worst kind of host.
pub(crate) fn fetched(text: &str, purpose: &Purpose) -> (Labels, HostKind) {
    let mut labels = Labels::FETCHED;
    let mut worst = HostKind::Named;
    let found = hosts::addresses(text);
    for address in &found {
        let is_word = is_outside_word(address);
        let kind = if is_word { HostKind::Named } else { address.kind };
        let foreign = is_word || is_foreign(&address.host, purpose);
        if foreign && kind == HostKind::Named {
            labels.add(Labels::FOREIGN);
        }
        if !address.host.starts_with("your")
            && (purpose::is_reserved(&address.host) || address.host.contains("redacted"))
        {
            labels.add(Labels::EXAMPLE);
        }
        let own = purpose.declares(&address.host) || purpose.serves(&address.host);
        if !own && (kind.is_suspicious() || foreign) {
            labels.add(Labels::STRANGE);
        }
        match kind {
            HostKind::Metadata => labels.add(Labels::METADATA),
            HostKind::Local => labels = labels.without(Labels::FETCHED),
            kind if kind.is_suspicious() || (address.plain && kind == HostKind::Named) => {
                labels.add(Labels::SUSPICIOUS);
            }
            HostKind::Installer if !address.plain => {
                labels.add(Labels::INSTALLER);
                if !hosts::is_known_project(&address.host, &address.rest)
                    && !purpose.names_project(&address.rest)
                {
                    labels.add(Labels::UNKNOWN);
                }
            }
            _ => {}
        }
        worst = worst.max(kind);
    }
    (labels, worst)
}
