//! What flows where: labels on values, and what is wrong when a labelled value reaches a sink.

use crate::{
    hosts::{self, Place},
    purpose::{self, Purpose},
    report::Severity,
    rule::Rule,
};
use std::{collections::BTreeMap, ops::Range, sync::Arc};

/// What is known of a value, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Labels(u32);

impl Labels {
    pub(crate) const NONE: Self = Self(0);
    /// Came from the network.
    pub(crate) const FETCHED: Self = Self(1);
    /// Came from a host that gives out anything.
    pub(crate) const ODD: Self = Self(1 << 1);
    /// Was packed or encoded.
    pub(crate) const DECODED: Self = Self(1 << 2);
    /// Credentials of somebody else than the skill.
    pub(crate) const SECRET: Self = Self(1 << 3);
    /// The whole environment.
    pub(crate) const ENVIRONMENT: Self = Self(1 << 4);
    /// Private files.
    pub(crate) const PRIVATE: Self = Self(1 << 5);
    /// One variable that holds a key.
    pub(crate) const KEY: Self = Self(1 << 6);
    /// The script itself, or data of the skill.
    pub(crate) const ITSELF: Self = Self(1 << 7);
    /// Answers of the metadata service.
    pub(crate) const METADATA: Self = Self(1 << 8);
    /// The name of a file of credentials, not yet its content.
    pub(crate) const SECRET_PATH: Self = Self(1 << 9);
    /// The name of a start file.
    pub(crate) const START_PATH: Self = Self(1 << 10);
    /// The name of a file of an agent.
    pub(crate) const AGENT_PATH: Self = Self(1 << 11);
    /// The name of a private file.
    pub(crate) const PRIVATE_PATH: Self = Self(1 << 12);
    /// Came through a connection that stays open: a socket.
    pub(crate) const SOCKET: Self = Self(1 << 13);
    /// What a known installer gives out.
    pub(crate) const INSTALLER: Self = Self(1 << 14);

    /// Came from a host that the skill does not say it is about, and that nobody knows.
    pub(crate) const FOREIGN: Self = Self(1 << 15);
    /// A connection: what is written to it is sent.
    pub(crate) const WIRE: Self = Self(1 << 16);
    /// The keyboard, the screen, the clipboard or the microphone.
    pub(crate) const SENSES: Self = Self(1 << 17);
    /// The key of a service that is known by name.
    pub(crate) const VENDOR: Self = Self(1 << 19);
    /// Came in with a request to a server of the skill.
    pub(crate) const REQUEST: Self = Self(1 << 20);
    /// A file that the user works on.
    pub(crate) const WORK: Self = Self(1 << 18);

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

    /// The content of files whose names are these.
    pub(crate) fn content(self) -> Self {
        let mut out = self
            .without(Self::SECRET_PATH)
            .without(Self::PRIVATE_PATH)
            .without(Self::START_PATH)
            .without(Self::AGENT_PATH);
        if self.has(Self::SECRET_PATH) {
            out.add(Self::SECRET);
        }
        if self.has(Self::PRIVATE_PATH) {
            out.add(Self::PRIVATE);
        }
        out
    }
}

/// How a piece of code comes to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// By itself: a hook, a server, a command before reading.
    Auto,
    /// When somebody runs the script.
    Script,
    /// When an agent copies the example.
    Block,
}

/// A hit of a rule inside a piece of code.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub(crate) rule: Rule,
    pub(crate) severity: Severity,
    pub(crate) range: Range<usize>,
}

/// What is known while a piece of code is read.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) origin: Origin,
    /// What the skill says it is for.
    pub(crate) purpose: Arc<Purpose>,
    /// Texts of variables, where they are written out.
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) variables: BTreeMap<String, Labels>,
    pub(crate) files: BTreeMap<String, Labels>,
    pub(crate) hits: Vec<Hit>,
    /// Programs that were called.
    pub(crate) programs: Vec<String>,
    /// Variables that were read.
    pub(crate) environment: Vec<String>,
    /// Whether an environment file is the only file of credentials that the script names.
    pub(crate) env_only: bool,
    /// Services whose keys the script picks by name out of its environment file.
    pub(crate) picked: Vec<String>,
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

    /// A value is run as code.
    pub(crate) fn run(&mut self, labels: Labels, through_file: bool, range: Range<usize>) {
        if labels.has(Labels::SOCKET) {
            self.hit(Rule::ReverseShell, Severity::Block, range.clone());
        }
        if labels.has(Labels::ITSELF) && labels.has(Labels::DECODED) {
            self.hit(Rule::SelfExtracting, Severity::Block, range);
        } else if labels.has(Labels::DECODED) {
            // What is fetched compressed and then run is a download like another.
            let severity = if labels.has(Labels::INSTALLER) { Severity::Warn } else { Severity::Block };
            self.hit(Rule::EncodedRun, severity, range);
        } else if labels.has(Labels::FETCHED) {
            let rule = if through_file { Rule::DownloadRun } else { Rule::PipeToShell };
            let odd = labels.has(Labels::ODD);
            let severity = match self.origin {
                Origin::Auto => Severity::Block,
                _ if odd => Severity::Block,
                _ if labels.has(Labels::INSTALLER) => Severity::Note,
                _ if labels.has(Labels::FOREIGN) => Severity::Block,
                Origin::Script | Origin::Block => Severity::Warn,
            };
            self.hit(rule, severity, range);
        }
    }

    /// A value is sent to a place.
    pub(crate) fn send(&mut self, labels: Labels, place: Place, range: Range<usize>) {
        let labels = labels.content();
        if place == Place::Local {
            return;
        }
        if labels.has(Labels::METADATA) {
            self.hit(Rule::Metadata, Severity::Block, range.clone());
        }
        let foreign = labels.has(Labels::FOREIGN);
        if labels.has(Labels::SECRET.and(Labels::ENVIRONMENT)) || (labels.has(Labels::VENDOR) && foreign) {
            self.hit(Rule::SecretSent, Severity::Block, range);
        } else if labels.has(Labels::SENSES) {
            // A screen shown to a model that is named is what some skills are for.
            let severity = if foreign || place.is_odd() { Severity::Block } else { Severity::Warn };
            self.hit(Rule::Spies, severity, range);
        } else if labels.has(Labels::PRIVATE) {
            let severity = if place.is_odd() || foreign || self.origin == Origin::Auto {
                Severity::Block
            } else {
                Severity::Warn
            };
            self.hit(Rule::DataSent, severity, range);
        } else if labels.has(Labels::WORK) && (foreign || place.is_odd()) {
            self.hit(Rule::DataSent, Severity::Block, range);
        } else if labels.has(Labels::KEY) && place.is_odd() {
            // Keys for the bot itself stand in the address and not in what is sent.
            self.hit(Rule::OddCollector, Severity::Block, range);
        } else if place == Place::Collector || place == Place::Bare {
            self.hit(Rule::OddCollector, Severity::Warn, range);
        }
    }

    /// Content is written to a file that others act on.
    pub(crate) fn write(&mut self, target: &str, labels: Labels, content: &str, range: Range<usize>) {
        let lower = target.to_ascii_lowercase();
        if lower.ends_with("skill.md") && labels.has(Labels::FETCHED) {
            let severity =
                if labels.has(Labels::ODD) || (labels.has(Labels::FOREIGN) && self.origin != Origin::Block) {
                    Severity::Block
                } else {
                    Severity::Warn
                };
            self.hit(Rule::SelfChange, severity, range.clone());
        }
        let planted = acts(content)
            || (content.len() > 20
                && crate::prose::look(content, true, &self.purpose)
                    .iter()
                    .any(|said| said.severity == Severity::Block));
        let acts = planted || labels.has(Labels::FETCHED.and(Labels::DECODED));
        let auto = self.origin == Origin::Auto;
        if crate::sensitive::is_start(target) {
            let keys = target.contains("authorized_keys")
                || target.contains("sudoers")
                || target.contains("ld.so.preload");
            let severity = match () {
                () if acts || auto || (keys && self.origin == Origin::Script) => Severity::Block,
                () if keys || target.contains("cron") || target.contains("aunch") => Severity::Warn,
                () => Severity::Note,
            };
            self.hit(Rule::Persistence, severity, range);
        } else if crate::sensitive::is_agent(target) {
            let fetched = labels.has(Labels::FETCHED.and(Labels::DECODED));
            let severity = match () {
                () if planted || auto => Severity::Block,
                () if labels.has(Labels::ODD.and(Labels::DECODED)) && self.origin == Origin::Script => {
                    Severity::Block
                }
                // Instructions that a server gives anew each time are worth a look.
                () if fetched => Severity::Warn,
                () => Severity::Note,
            };
            self.hit(Rule::AgentConfig, severity, range);
        }
        if !target.is_empty() {
            let known = self.files.entry(target.to_owned()).or_default();
            known.add(labels);
        }
    }
}

/// Whether a host is neither known, nor what the skill is about, nor one of an example.
pub(crate) fn is_foreign(host: &str, purpose: &Purpose) -> bool {
    host.contains('.') && !purpose.knows(host) && !purpose::is_example(host) && !purpose::is_placeholder(host)
}

/// Whether a text that is planted somewhere fetches, hides or opens a door.
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
    let odd = hosts::addresses(&lower).iter().any(|address| address.place.is_odd());
    let gives = ["--data", "-d @", "-t -", "-f ", "--upload"].iter().any(|flag| lower.contains(flag));
    // A well-known name that leads somewhere else.
    let shadows = ["sudo", "ssh", "git", "docker", "kubectl", "npm", "claude"]
        .iter()
        .any(|name| lower.split_once(&format!("alias {name}=")).is_some_and(|(_, rest)| rest.contains('/')));
    // A program in a folder that a listing does not show.
    let buried = lower.split_whitespace().any(|word| {
        word.starts_with('/') && word.contains("/.") && !word.contains("/./") && !word.contains("/../")
    });
    (has(&fetches) && (has(&runs) || odd || gives))
        || shadows
        || buried
        || lower.contains("/dev/tcp/")
        || (has(&runs[4..8]) && lower.contains("base64"))
        || lower.contains("dangerously-skip-permissions")
        || lower.contains("bypasspermissions")
        || lower.contains("\"bash(*)\"")
}

/// The labels of what a place gives out.
pub(crate) fn fetched(text: &str, purpose: &Purpose) -> (Labels, Place) {
    let mut labels = Labels::FETCHED;
    let mut worst = Place::Named;
    let found = hosts::addresses(text);
    for address in &found {
        if address.place == Place::Named && is_foreign(&address.host, purpose) {
            labels.add(Labels::FOREIGN);
        }
        match address.place {
            Place::Metadata => labels.add(Labels::METADATA),
            Place::Local => labels = labels.without(Labels::FETCHED),
            place if place.is_odd() || (address.plain && place == Place::Named) => labels.add(Labels::ODD),
            Place::Installer if !address.plain => labels.add(Labels::INSTALLER),
            _ => {}
        }
        worst = worst.max(address.place);
    }
    if found.len() == 1 && found[0].place == Place::Local {
        worst = Place::Local;
    }
    (labels, worst)
}
