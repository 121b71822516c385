//! From the `mcp` field of a skill's frontmatter to a server that can be started.

use super::{
    expand::{Expander, Mask},
    launch::Command,
    limits::{IDLE, IDLE_MOST, STARTUP, STARTUP_MOST},
    words,
};
use skillful_catalog::{
    AdmittedSkill, Environment, Scope, Settings,
    asked_server::{self, AskedServer, HOUSEHOLD},
    entry::Entry,
    variables::{self, Value},
};
use skillful_format::{Code, Data, Diagnostic, manifest::McpServer};
use skillful_net::Reach;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
    time::Duration,
};

/// A server, ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Address of the skill that brings it.
    pub skill: String,
    /// Its name among the servers of the skill; the one of the frontmatter needs none.
    pub server: Option<String>,
    /// The file that declares it, for diagnostics.
    pub file: PathBuf,
    /// Where it is.
    pub transport: Transport,
    /// From the start to the list of tools.
    pub startup: Duration,
    /// Without a call for this long it is stopped.
    pub idle: Duration,
    /// What it was given and must not be seen.
    pub mask: Mask,
}

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A process to be started.
    Process(Command),
    /// A server on the network.
    Http(Endpoint),
}

/// A server on the network.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its address.
    pub url: String,
    /// Headers of every request.
    pub headers: Vec<(String, String)>,
    /// The proxy that other machines are reached through.
    pub proxy: Option<String>,
    /// Which addresses it may be at.
    pub reach: Reach,
}

/// What the server of a skill may be given, and where it may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerGrants {
    /// The variables that expand in its declaration; no other does.
    pub variables: BTreeSet<String>,
    /// The addresses that may be connected to.
    pub reach: Reach,
    /// The servers on the network, and those that receive variables, that the user lets the skill have; no other is used.
    pub servers: BTreeSet<AskedServer>,
}

impl ServerGrants {
    /// What a skill gets: the servers that the user allowed, the variables that it declares, without keys of model providers. A skill of a
    /// repository or plugin reaches public addresses; one of the user may also name this machine, and private
    /// networks when the user allowed them.
    pub fn of(entry: &Entry, settings: &Settings, servers: BTreeSet<AskedServer>) -> Self {
        let is_key =
            |name: &String| variables::is_provider_key(name) || settings.provider_keys.contains(name);
        let variables = variables::declared(entry).into_iter().filter(|name| !is_key(name)).collect();
        let reach = match entry.origin.scope {
            Scope::Project | Scope::Plugin | Scope::Integration => Reach::Public,
            _ if settings.private_web => Reach::Anywhere,
            _ => Reach::Loopback,
        };
        Self { variables, reach, servers }
    }
}

/// Without what may be a secret: values, and a password in an address.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Endpoint").field("headers", &names).finish_non_exhaustive()
    }
}

/// The servers that the frontmatter of a skill declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The server, if there is one that can be tried.
    pub declaration: Option<Declaration>,
    /// Why there is none although one was asked for, and what was set right.
    pub diagnostics: Vec<Diagnostic>,
    /// The server that the user has not let the skill have.
    pub unanswered: Option<AskedServer>,
}

/// The server that a skill brings. `None` for a skill that brings none, whose `mcp` has `enabled: false` or
/// has neither a command nor an address.
pub fn declared(
    skill: &AdmittedSkill<'_>,
    variables: &BTreeMap<String, Value>,
    environment: &Environment,
    grants: &ServerGrants,
) -> Declared {
    match &skill.entry().loaded.manifest.mcp {
        Some(server) => declared_server(skill, server, variables, environment, grants),
        None => Declared::default(),
    }
}

/// A server that a skill depends on and that the user configured: under the same rules as one that it brings.
pub fn declared_server(
    skill: &AdmittedSkill<'_>,
    server: &McpServer,
    variables: &BTreeMap<String, Value>,
    environment: &Environment,
    grants: &ServerGrants,
) -> Declared {
    let entry = skill.entry();
    let command = server.command.as_deref().filter(|command| !command.trim().is_empty());
    let url = server.url.as_deref().filter(|url| !url.trim().is_empty());
    let is_off = matches!(rest(server, "enabled"), Some(Data::Bool(false)));
    if is_off || command.or(url).is_none() {
        return Declared::default();
    }
    // A process has these anyway.
    let household = HOUSEHOLD.iter().filter(|_| command.is_some()).map(|name| (*name).to_owned());
    let allowed = grants.variables.iter().cloned().chain(household).collect();
    let mut reading = Reading {
        skill,
        entry,
        expander: Expander::new(&allowed, variables, environment),
        grants,
        environment,
        diagnostics: Vec::new(),
        unanswered: None,
    };
    let declaration = reading.server(server, command, url);
    Declared { declaration, diagnostics: reading.diagnostics, unanswered: reading.unanswered }
}

struct Reading<'a> {
    skill: &'a AdmittedSkill<'a>,
    entry: &'a Entry,
    expander: Expander<'a>,
    grants: &'a ServerGrants,
    environment: &'a Environment,
    diagnostics: Vec<Diagnostic>,
    unanswered: Option<AskedServer>,
}

impl Reading<'_> {
    fn server(
        &mut self,
        server: &McpServer,
        command: Option<&str>,
        url: Option<&str>,
    ) -> Option<Declaration> {
        if matches!(rest(server, "type").or(rest(server, "transport")), Some(Data::Text(kind)) if kind == "sse")
        {
            let help = "most such servers also speak streamable HTTP, often at `/mcp`";
            self.fails("the old transport `sse` is not spoken", help);
            return None;
        }
        let transport = match (command, url) {
            (Some(command), url) => {
                if url.is_some() {
                    self.set_right(
                        "`mcp` has a command and an address; the command counts",
                        "remove one of them",
                    );
                }
                Transport::Process(self.process(server, command)?)
            }
            (None, Some(url)) => Transport::Http(self.endpoint(server, url)),
            (None, None) => return None,
        };
        let names = |names: &BTreeSet<String>| {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let refused: BTreeSet<String> = std::mem::take(&mut self.expander.refused);
        if let Some(key) = refused.iter().find(|name| variables::is_provider_key(name)) {
            let help = "give the server a key of its own, under a name of its own";
            self.fails(&format!("`{key}` is a key of a model provider, and no server gets it"), help);
            return None;
        }
        if !refused.is_empty() {
            let help = "the skill's author lists it in `requires.env`, `env` or `vars`";
            self.fails(&format!("the skill does not declare {}", names(&refused)), help);
            return None;
        }
        let unresolved: BTreeSet<String> = std::mem::take(&mut self.expander.unresolved);
        if !unresolved.is_empty() {
            let help = "set it in the environment or in `vars.json` beside the skill";
            self.fails(&format!("{} has no value", names(&unresolved)), help);
            return None;
        }
        let asked = match (&transport, url) {
            (Transport::Process(_), _) => AskedServer::process(server),
            (Transport::Http(_), url) => url.map(|url| AskedServer {
                address: self.expander.shown(url.trim()),
                variables: asked_server::variables(server),
                is_process: false,
            }),
        };
        if let Some(asked) = asked.filter(|asked| !self.grants.servers.contains(asked)) {
            self.not_allowed(asked);
            return None;
        }
        Some(Declaration {
            skill: self.entry.address(),
            server: text(server, "name"),
            file: self.entry.origin.file.clone(),
            transport,
            startup: self.within("startup_timeout", server.startup_timeout, 1, STARTUP, STARTUP_MOST),
            idle: self.within("idle_timeout", server.idle_timeout, 60, IDLE, IDLE_MOST),
            mask: std::mem::take(&mut self.expander.mask),
        })
    }

    fn process(&mut self, server: &McpServer, command: &str) -> Option<Command> {
        // With arguments of its own the command is a program, as in every other configuration of servers.
        let mut words = if server.args.is_empty() {
            words::split(command)?
        } else {
            let arguments = server.args.iter().map(|argument| self.expander.expand(argument, false));
            std::iter::once(command.trim().to_owned()).chain(arguments).collect()
        };
        let mut environment: BTreeMap<String, String> = HOUSEHOLD
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), self.environment.variable(name)?)))
            .collect();
        for (name, value) in &server.env {
            if name.is_empty() || name.contains(['=', '\0']) {
                self.fails(
                    "a variable in `env` has a name that no system takes",
                    "use letters, digits and `_`",
                );
                return None;
            }
            environment.insert(name.clone(), self.expander.expand(value, false));
        }
        let has_nul = environment.values().chain(&words).any(|text| text.contains('\0'));
        if has_nul {
            self.fails("an argument or a variable holds a NUL byte", "remove it");
            return None;
        }
        let program = words.remove(0);
        let (folder, files) = (self.skill.folder().to_owned(), self.skill.approved_files().cloned());
        Some(Command { skill: self.entry.address(), program, arguments: words, environment, folder, files })
    }

    fn endpoint(&mut self, server: &McpServer, url: &str) -> Endpoint {
        // Hidden, because errors of the network repeat the address.
        let url = self.expander.expand(url.trim(), true);
        let mut headers = Vec::new();
        if let Some(Data::Map(pairs)) = rest(server, "headers") {
            for (name, value) in pairs {
                match scalar(value) {
                    Some(value) => headers.push((name.clone(), self.expander.expand(&value, true))),
                    None => self.set_right(&format!("the header `{name}` is not text"), "it is skipped"),
                }
            }
        }
        // A proxy looks names up itself, so that the address of a repository's server could not be checked.
        let proxy = ["HTTPS_PROXY", "https_proxy"].iter().find_map(|name| self.environment.variable(name));
        let proxy = proxy.filter(|_| self.grants.reach != Reach::Public);
        Endpoint { url, headers, proxy, reach: self.grants.reach }
    }

    fn within(
        &mut self,
        key: &str,
        given: Option<u32>,
        unit: u64,
        usual: Duration,
        most: Duration,
    ) -> Duration {
        let Some(given) = given else { return usual };
        let asked = Duration::from_secs(u64::from(given) * unit);
        let taken = asked.clamp(Duration::from_secs(unit), most);
        if taken != asked {
            let message = format!("`{key}` of {given} is out of range");
            self.set_right(&message, &format!("{} is used", taken.as_secs() / unit));
        }
        taken
    }

    fn fails(&mut self, why: &str, help: &str) {
        self.diagnostics
            .push(start_failed(&self.entry.address(), why, help).in_path(&self.entry.origin.file));
    }

    /// A connection, and what a process receives, are effects that the user allows first.
    fn not_allowed(&mut self, server: AskedServer) {
        let names = server.variables.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let address = &server.address;
        let why = match (server.is_process, names.as_str()) {
            (true, names) => format!("you have not allowed it to start `{address}` with {names}"),
            (false, "") => format!("you have not allowed it to connect to {address}"),
            (false, names) => format!("you have not allowed it to connect to {address} and send {names}"),
        };
        self.fails(&why, &format!("fix: skillful mcp allow {}", self.entry.address()));
        self.unanswered = Some(server);
    }

    fn set_right(&mut self, message: &str, help: &str) {
        let told = Diagnostic::new(Code::ConfigInvalid, message).help(help.to_owned());
        self.diagnostics.push(told.in_path(&self.entry.origin.file));
    }
}

/// The diagnostic of a server that is not there.
pub(crate) fn start_failed(skill: &str, why: &str, help: &str) -> Diagnostic {
    let message = format!("the MCP server of `{skill}` gives 0 tools: {why}");
    Diagnostic::new(Code::McpStartFailed, message).help(help.to_owned())
}

fn rest<'a>(server: &'a McpServer, key: &str) -> Option<&'a Data> {
    server.rest.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

fn text(server: &McpServer, key: &str) -> Option<String> {
    rest(server, key).and_then(scalar).filter(|text| !text.trim().is_empty())
}

fn scalar(data: &Data) -> Option<String> {
    match data {
        Data::Text(text) | Data::Number(text) => Some(text.clone()),
        Data::Bool(value) => Some(value.to_string()),
        Data::Null | Data::List(_) | Data::Map(_) => None,
    }
}
