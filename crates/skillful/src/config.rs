//! The configuration: one TOML file of the user, one of the administrator, one of the
//! repository, and what each value comes from.
//!
//! A repository's file may only take away: ignore names and disable skills, of the repository alone. Everything
//! else in it is a diagnostic and has no effect. A setting that cannot be read closes what it guards, and the rest
//! of its file counts.

pub mod assistant;
mod closing;
mod mcp;
pub mod router;
pub mod run;
mod tolerant;
pub mod ui;

use crate::paths::Paths;
pub use assistant::ApprovalMode;
use assistant::{AssistantRules, AssistantSection, ModelEntry, ProviderSection};
use closing::Closing;
pub use mcp::McpSection;
use router::RouterSection;
use run::{RunRules, RunSection};
use serde::Deserialize;
use skillful_catalog::{
    Scope, Settings,
    bounded::{self, Boundary, ReadError},
    names::scope_named,
    settings::{NameGlob, RuleOwner, Select, SkillRule, SourceRule},
};
use skillful_format::{Code, Diagnostic, source::span_in};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use tolerant::Unread;
use ui::UiSection;

/// A configuration file as written. Absent keys keep their default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConfigFile {
    custom: Option<Vec<PathBuf>>,
    plugins: Option<Vec<PathBuf>>,
    integrations: Option<Vec<PathBuf>>,
    overrides: Option<Vec<PathBuf>>,
    managed: Option<Vec<PathBuf>>,
    required: Option<Vec<String>>,
    include: Option<Vec<String>>,
    ignore: Option<Vec<String>>,
    features: Option<Vec<String>>,
    capabilities: Option<Vec<String>>,
    admin: Option<bool>,
    system: Option<bool>,
    cache: Option<bool>,
    approve_locked: Option<bool>,
    scan: Option<ScanSection>,
    names: Option<BTreeMap<String, String>>,
    transcribe: Option<Vec<String>>,
    router: Option<RouterSection>,
    run: Option<RunSection>,
    assistant: Option<AssistantSection>,
    providers: BTreeMap<String, ProviderSection>,
    models: BTreeMap<String, ModelEntry>,
    mcp: BTreeMap<String, McpSection>,
    sources: BTreeMap<String, bool>,
    ui: Option<UiSection>,
    team: Option<TeamSection>,
    skill: Vec<SkillSection>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ScanSection {
    depth: Option<u32>,
    folders: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TeamSection {
    usage: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct SkillSection {
    name: Option<String>,
    path: Option<PathBuf>,
    enabled: bool,
}

/// One value in effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InEffect {
    /// Its key, dotted.
    pub key: String,
    /// As TOML.
    pub value: String,
    /// The file or place it comes from.
    pub origin: String,
}

/// Everything the files say, together.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// For the catalog.
    pub settings: Settings,
    /// Experimental features that are on.
    pub features: Vec<String>,
    /// Capabilities of this machine.
    pub capabilities: Vec<String>,
    /// Whether `admin_only` skills are for this user.
    pub admin: bool,
    /// Whether walks are remembered.
    pub cache: bool,
    /// Whether `sync` approves what a lock names, for machines where no user answers.
    pub approve_locked: bool,
    /// What `{name}` in a skill's text stands for.
    pub names: BTreeMap<String, String>,
    /// The program that writes recordings down; empty when there is none.
    pub transcribe: Vec<String>,
    /// How messages are routed.
    pub router: RouterSection,
    /// What commands of skills may do.
    pub run: RunRules,
    /// Who answers, and how far the agent goes.
    pub assistant: AssistantRules,
    /// MCP servers of the user.
    pub mcp: BTreeMap<String, McpSection>,
    /// Keys, colours and the mouse of the full-screen view.
    pub ui: UiSection,
    /// Whether uses of a team's skills are reported to its server: counts, no content.
    pub team_usage: bool,
    /// Every value with its origin, in order of the keys.
    pub values: Vec<InEffect>,
    /// What could not be used.
    pub diagnostics: Vec<Diagnostic>,
    /// Settings that cannot be read, until what they guard is closed.
    closings: Vec<Closing>,
    /// The home folder, for `~` in paths.
    home: PathBuf,
}

/// A configuration larger than this is refused.
pub const CONFIG_LIMIT: u64 = 1 << 20;
/// Patterns of one list. Each becomes a program of its own in memory.
const PATTERNS: usize = 1_000;
/// Bytes of one pattern.
const PATTERN: usize = 256;

impl Config {
    /// Reads the files that exist. `project` is the repository's root.
    pub fn load(paths: &Paths, home: &Path, project: Option<&Path>) -> Self {
        let mut config = Self { cache: true, home: home.to_path_buf(), ..Self::default() };
        config.defaults();
        config.layer(&paths.managed_config, &RuleOwner::Managed);
        config.layer(&paths.config, &RuleOwner::User);
        if let Some(project) = project {
            config.layer(&project_file(project), &RuleOwner::Project);
        }
        config.close_unread();
        config.values.sort_by(|a, b| a.key.cmp(&b.key));
        config
    }

    fn defaults(&mut self) {
        let settings = Settings::default();
        for (key, value) in [
            ("custom", "[]".to_owned()),
            ("plugins", "[]".to_owned()),
            ("integrations", "[]".to_owned()),
            ("overrides", "[]".to_owned()),
            ("managed", "[]".to_owned()),
            ("required", "[]".to_owned()),
            ("include", "[]".to_owned()),
            ("ignore", "[]".to_owned()),
            ("features", "[]".to_owned()),
            ("capabilities", "[]".to_owned()),
            ("admin", "false".to_owned()),
            ("system", "true".to_owned()),
            ("cache", "true".to_owned()),
            ("approve_locked", "false".to_owned()),
            ("names", "{}".to_owned()),
            ("transcribe", "[]".to_owned()),
            ("router.decide", "false".to_owned()),
            ("run.commands", "true".to_owned()),
            ("run.manifests", "strict".to_owned()),
            ("run.network", "[]".to_owned()),
            ("run.readable", "[]".to_owned()),
            ("run.writable", "[]".to_owned()),
            ("run.forbidden_tools", "[]".to_owned()),
            ("run.ask_tools", "[]".to_owned()),
            ("scan.depth", settings.depth.to_string()),
            ("scan.folders", settings.folders.to_string()),
            ("team.usage", false.to_string()),
            ("ui.mouse", "true".to_owned()),
        ] {
            self.values.push(InEffect { key: key.to_owned(), value, origin: "default".to_owned() });
        }
        for (key, value) in assistant::defaults() {
            self.set(key, value, "default");
        }
    }

    fn layer(&mut self, file: &Path, owner: &RuleOwner) {
        let Some(text) = self.read(file, owner) else { return };
        let (parsed, unread) = tolerant::read(&text);
        for one in unread {
            let span = one.span.clone().map(|range| span_in(&text, range));
            let message = match (one.unknown, one.key.as_str()) {
                (true, key) => format!("`{key}` is not used: {}", one.why),
                (false, key) => {
                    let what =
                        if key.is_empty() { "the configuration".to_owned() } else { format!("`{key}`") };
                    format!("{what} cannot be read: {}; {}", one.why, closing::consequence(key, owner))
                }
            };
            let found = Diagnostic::new(Code::ConfigInvalid, message).in_path(file).at(span);
            self.diagnostics.push(found.help("see `skillful help config` for the keys"));
            if !one.unknown {
                self.close(one, owner, file);
            }
        }
        if *owner == RuleOwner::Project {
            self.project_layer(file, parsed);
        } else {
            self.own_layer(file, parsed, owner);
        }
    }

    fn read(&mut self, file: &Path, owner: &RuleOwner) -> Option<String> {
        // `.skillful/config.toml` of a repository stays in the repository.
        let within = (*owner == RuleOwner::Project)
            .then(|| Boundary::of(file.parent().and_then(Path::parent).unwrap_or(file)));
        let read = match within {
            Some(within) => bounded::read_text(file, CONFIG_LIMIT, Some(&within)).map(Some),
            None => bounded::read_own(file, CONFIG_LIMIT),
        };
        match read {
            Ok(text) => text,
            Err(ReadError::Missing) => None,
            Err(error) => {
                let closes = closing::consequence("", owner);
                let message = format!("the configuration could not be read: {error}; {closes}");
                let found = Diagnostic::new(Code::ConfigInvalid, message).in_path(file).help(error.help());
                self.diagnostics.push(found);
                self.close_key("", owner, file);
                None
            }
        }
    }

    fn close(&mut self, unread: Unread, owner: &RuleOwner, file: &Path) {
        self.closings.push(Closing { unread, owner: owner.clone(), file: file.to_path_buf() });
    }

    fn close_key(&mut self, key: &str, owner: &RuleOwner, file: &Path) {
        let (why, span, skill) = (String::new(), None, (None, None));
        self.close(Unread { key: key.to_owned(), why, span, unknown: false, skill }, owner, file);
    }

    fn own_layer(&mut self, file: &Path, parsed: ConfigFile, owner: &RuleOwner) {
        let origin = file.display().to_string();
        let base = file.parent().unwrap_or(Path::new("/")).to_path_buf();
        let absolute = |paths: Vec<PathBuf>| -> Vec<PathBuf> {
            paths.into_iter().map(|path| if path.starts_with("~") { path } else { base.join(path) }).collect()
        };
        let settings = &mut self.settings;
        let mut set: Vec<(&str, String)> = Vec::new();
        let mut folders = |key: &'static str, from: Option<Vec<PathBuf>>, to: &mut Vec<PathBuf>| {
            if let Some(paths) = from {
                set.push((key, list(paths.iter().map(|path| path.display().to_string()))));
                *to = absolute(paths);
            }
        };
        folders("custom", parsed.custom, &mut settings.custom);
        folders("plugins", parsed.plugins, &mut settings.plugins);
        folders("integrations", parsed.integrations, &mut settings.integrations);
        folders("overrides", parsed.overrides, &mut settings.overrides);
        folders("managed", parsed.managed, &mut settings.managed);
        if let Some(required) = parsed.required {
            set.push(("required", list(required.iter().cloned())));
            settings.required = required.into_iter().collect();
        }
        if let Some(names) = parsed.features {
            set.push(("features", list(names.iter().cloned())));
            self.features = names;
        }
        if let Some(names) = parsed.capabilities {
            set.push(("capabilities", list(names.iter().cloned())));
            self.capabilities = names;
        }
        for (key, from, to) in [
            ("admin", parsed.admin, &mut self.admin),
            ("system", parsed.system, &mut settings.system),
            ("cache", parsed.cache, &mut self.cache),
            ("approve_locked", parsed.approve_locked, &mut self.approve_locked),
        ] {
            if let Some(flag) = from {
                set.push((key, flag.to_string()));
                *to = flag;
            }
        }
        if let Some(command) = parsed.transcribe {
            set.push(("transcribe", list(command.iter().cloned())));
            self.transcribe = command;
        }
        if let Some(names) = parsed.names {
            let shown = names.iter().map(|(name, value)| format!("{name} = {value:?}"));
            set.push(("names", format!("{{ {} }}", shown.collect::<Vec<_>>().join(", "))));
            self.names = names;
        }
        if let Some(router) = parsed.router {
            set.extend(router.settings().1);
            self.router = router;
        }
        if let Some(run) = parsed.run {
            let (values, wrong) = run.put(&mut self.run, &base, Some(&self.home));
            self.settings.forbidden_skills = run::forbidden_skills(&self.run);
            set.extend(values);
            let invalid = |message| Diagnostic::new(Code::ConfigInvalid, message).in_path(file);
            self.diagnostics.extend(wrong.into_iter().map(invalid));
        }
        if let Some(usage) = parsed.team.and_then(|team| team.usage) {
            set.push(("team.usage", usage.to_string()));
            self.team_usage = usage;
        }
        let (values, wrong) = self.assistant.put(parsed.assistant, parsed.providers, parsed.models);
        for (key, value) in values {
            self.set(&key, value, &origin);
        }
        let invalid = |message| Diagnostic::new(Code::ConfigInvalid, message).in_path(file);
        self.diagnostics.extend(wrong.into_iter().map(invalid));
        for (name, server) in parsed.mcp {
            let how = server.url.clone().or_else(|| server.command.clone()).unwrap_or_default();
            let line = server.args.iter().fold(how, |line, word| line + " " + word);
            self.set(&format!("mcp.{name}"), format!("{line:?}"), &origin);
            self.mcp.insert(name, server);
        }
        let settings = &mut self.settings;
        let scan = parsed.scan.unwrap_or_default();
        for (key, from, to) in [
            ("scan.depth", scan.depth, &mut settings.depth),
            ("scan.folders", scan.folders, &mut settings.folders),
        ] {
            if let Some(number) = from {
                set.push((key, number.to_string()));
                *to = number;
            }
        }
        for (key, value) in set {
            self.set(key, value, &origin);
        }
        for (key, value) in parsed.ui.map(|section| self.ui.put(section)).unwrap_or_default() {
            self.set(&key, value, &origin);
        }
        if let Some(include) = parsed.include {
            self.set("include", list(include.iter().cloned()), &origin);
            self.settings.include = self.globs("include", &include, file, owner);
            if self.settings.include.is_empty() && !include.is_empty() {
                self.close_key("include", owner, file);
            }
        }
        if let Some(ignore) = parsed.ignore {
            self.set("ignore", list(ignore.iter().cloned()), &origin);
            self.settings.ignore = self.globs("ignore", &ignore, file, owner);
        }
        for (word, enabled) in parsed.sources {
            match source_rule(&word, enabled) {
                Some(rule) => {
                    self.set(&format!("sources.{word}"), enabled.to_string(), &origin);
                    self.settings.sources.push(rule);
                }
                None => self.diagnostics.push(
                    Diagnostic::new(
                        Code::ConfigInvalid,
                        format!("`sources.{word}` is neither an agent nor a scope"),
                    )
                    .in_path(file)
                    .help("write `codex`, `user`, or `codex/user`"),
                ),
            }
        }
        self.rules(parsed.skill, owner, file, &origin);
    }

    fn project_layer(&mut self, file: &Path, parsed: ConfigFile) {
        let origin = file.display().to_string();
        let only = ConfigFile {
            ignore: parsed.ignore.clone(),
            skill: parsed.skill.clone(),
            ..ConfigFile::default()
        };
        if parsed != only {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::ConfigInvalid,
                    "a repository can only set `ignore` and disable skills; the rest has no effect",
                )
                .in_path(file)
                .help("move the other keys to your own configuration"),
            );
        }
        if let Some(ignore) = parsed.ignore {
            self.set("ignore (repository)", list(ignore.iter().cloned()), &origin);
            self.settings.project_ignore = self.globs("ignore", &ignore, file, &RuleOwner::Project);
        }
        let (enabled, disabled): (Vec<_>, Vec<_>) =
            parsed.skill.into_iter().partition(|section| section.enabled);
        if !enabled.is_empty() {
            self.diagnostics.push(
                Diagnostic::new(Code::ConfigInvalid, "a repository can disable skills and never enable them")
                    .in_path(file)
                    .help("run `skillful enable NAME` to decide for yourself"),
            );
        }
        self.rules(disabled, &RuleOwner::Project, file, &origin);
    }

    fn rules(&mut self, sections: Vec<SkillSection>, owner: &RuleOwner, file: &Path, origin: &str) {
        let base = file.parent().unwrap_or(Path::new("/"));
        for section in sections {
            let select = match (section.name, section.path) {
                (Some(name), None) if !name.trim().is_empty() => Select::Name(name),
                (None, Some(path)) if !path.as_os_str().is_empty() => Select::Path(base.join(path)),
                _ => {
                    self.diagnostics.push(
                        Diagnostic::new(
                            Code::ConfigInvalid,
                            "a `[[skill]]` needs exactly one of `name` and `path`",
                        )
                        .in_path(file),
                    );
                    continue;
                }
            };
            let what = match &select {
                Select::Name(name) => name.clone(),
                Select::Path(path) => path.display().to_string(),
            };
            let value = if section.enabled { "enabled" } else { "disabled" };
            self.set(&format!("skill.{what}"), format!("\"{value}\""), origin);
            let enabled = section.enabled;
            self.settings.rules.push(SkillRule { select, enabled, owner: owner.clone(), for_user: None });
        }
    }

    /// The patterns of a list. Of one that cannot be read, `ignore` takes everything that starts like it.
    fn globs(&mut self, key: &str, texts: &[String], file: &Path, owner: &RuleOwner) -> Vec<NameGlob> {
        let mut globs = Vec::new();
        if texts.len() > PATTERNS {
            let closes = closing::consequence(key, owner);
            let message = format!("`{key}` has {} patterns, and {PATTERNS} are read; {closes}", texts.len());
            self.close_key(key, owner, file);
            let found = Diagnostic::new(Code::ConfigInvalid, message).in_path(file);
            self.diagnostics.push(found.help("write fewer patterns, such as `team-*` for many names"));
        }
        for text in texts.iter().take(PATTERNS) {
            if text.len() > PATTERN {
                let start: String = text.chars().take(40).collect();
                let message = format!("the pattern `{start}…` is longer than {PATTERN} bytes");
                self.diagnostics.push(Diagnostic::new(Code::ConfigInvalid, message).in_path(file));
                globs.extend((key == "ignore").then(|| wider(text)).flatten());
                continue;
            }
            match NameGlob::new(text) {
                Ok(glob) => globs.push(glob),
                Err(error) => {
                    let message = format!("`{text}` is not a pattern: {error}");
                    self.diagnostics.push(Diagnostic::new(Code::ConfigInvalid, message).in_path(file));
                    globs.extend((key == "ignore").then(|| wider(text)).flatten());
                }
            }
        }
        globs
    }

    /// Says what a value is and where it comes from.
    pub fn set(&mut self, key: &str, value: String, origin: &str) {
        let value = InEffect { key: key.to_owned(), value, origin: origin.to_owned() };
        match self.values.iter_mut().find(|known| known.key == key) {
            Some(known) => *known = value,
            None => self.values.push(value),
        }
    }
}

/// A pattern for every name that starts like one that cannot be read.
fn wider(text: &str) -> Option<NameGlob> {
    let start: String = text.chars().take_while(|c| !"*?[]{}!\\,".contains(*c)).take(PATTERN / 4).collect();
    NameGlob::new(&format!("{start}*")).ok()
}

/// The repository's own file.
pub fn project_file(project: &Path) -> PathBuf {
    project.join(".skillful/config.toml")
}

fn list(items: impl Iterator<Item = String>) -> String {
    toml::Value::Array(items.map(toml::Value::String).collect()).to_string()
}

/// `codex`, `user` or `codex/user`.
fn source_rule(word: &str, enabled: bool) -> Option<SourceRule> {
    let scope_of = |word: &str| -> Option<Scope> { scope_named(word) };
    let (agent, scope) = match word.split_once('/') {
        Some((agent, scope)) => (Some(agent.to_owned()), Some(scope_of(scope)?)),
        None => match scope_of(word) {
            Some(scope) => (None, Some(scope)),
            None => (Some(word.to_owned()), None),
        },
    };
    Some(SourceRule { agent, scope, enabled })
}
