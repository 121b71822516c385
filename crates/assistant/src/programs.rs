//! Programs of skills with their variables and secrets. A model names a program and its arguments; the values reach the
//! program alone, and what it prints comes back redacted. The same rules as of `skillful exec` and of the proxy apply.

use crate::tool::Output;
use skillful::{Workspace, bindings::OnceAllowed};
use skillful_catalog::{Entry, approvals::files_of};
use skillful_credentials::{
    env::{AskedSecret, UnansweredSecret},
    proxy::{
        Gate as _, ProgramVariables, Proxy, ProxyPolicy, RefusalLog, Reply, Request, RequestHandler,
        SocketOptions,
    },
    redaction::Redactor,
};
use skillful_llm::Cancel;
use skillful_registry::bindings::Subject;
use skillful_runtime::{
    credential_proxy::{CatalogGate, SandboxRunner},
    room::{Grants, Run, Sandbox},
};
use skillful_sandbox::{Job, Outcome, SandboxError};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What programs of skills need in a turn.
#[derive(Clone)]
pub struct ProgramSetup<'a> {
    /// The skills, the vault and the answers of the user.
    pub workspace: &'a Workspace,
    /// What the user grants to programs.
    pub grants: &'a Grants,
    /// What confines them.
    pub sandbox: Sandbox,
    /// What the user allowed for this session only.
    pub once: &'a Mutex<OnceAllowed>,
    /// Set when the user cancels.
    pub cancel: Cancel,
    /// Where the socket for commands is made.
    pub sockets: PathBuf,
    /// This program, which commands ask the proxy with.
    pub client: Option<PathBuf>,
    /// Whether commands may run programs that have the network.
    pub networked: bool,
    /// Receives what the proxy refused to a command.
    pub log: RefusalLog,
}

/// The programs of skills in one turn.
pub struct SkillPrograms<'a> {
    setup: ProgramSetup<'a>,
    gate: CatalogGate,
    called: Mutex<BTreeSet<String>>,
    /// By skill, of every program that ran.
    redactors: Mutex<BTreeMap<String, Redactor>>,
    proxy: Mutex<Option<Proxy>>,
}

impl std::fmt::Debug for SkillPrograms<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SkillPrograms").finish_non_exhaustive()
    }
}

/// Where commands reach the proxy, and the program that asks it.
pub(crate) struct ProxyAccess {
    pub(crate) socket: PathBuf,
    pub(crate) client: PathBuf,
}

impl<'a> SkillPrograms<'a> {
    /// The programs of a workspace. Reads nothing before the first one is run.
    pub fn new(setup: ProgramSetup<'a>) -> Self {
        let gate = setup.workspace.program_gate();
        let (called, redactors, proxy) = Default::default();
        Self { setup, gate, called, redactors, proxy }
    }

    /// Skills that are active, by address: their programs may be run.
    pub(crate) fn add_called(&self, skills: impl IntoIterator<Item = String>) {
        let mut called = locked(&self.called);
        let before = called.len();
        called.extend(skills);
        if called.len() > before {
            self.gate.called.set(called.clone());
            // The next command gets a proxy that knows them.
            *locked(&self.proxy) = None;
        }
    }

    /// The address and the entry of the skill that a word means, if its programs may be run.
    pub(crate) fn find(&self, word: &str) -> Result<(String, &Entry), String> {
        let found = self.gate.reach(word).map_err(|unreachable| unreachable.model_message)?;
        Ok((found.address, &self.gate.catalog.entries[found.id]))
    }

    /// Whether a skill's programs have the network.
    pub(crate) fn has_network(&self, skill: &str) -> bool {
        self.setup.grants.network.contains(skill)
    }

    /// The secrets of a skill that wait for an answer of the user.
    pub(crate) fn unanswered(&self, skill: &str) -> Vec<UnansweredSecret> {
        self.variables(skill).unanswered(skill).cloned().collect()
    }

    /// Lets a skill have a secret for this session, while its files are the same.
    pub(crate) fn allow(&self, entry: &Entry, secret: &AskedSecret) -> Result<(), String> {
        let files = files_of(entry).map_err(|error| error.to_string())?;
        let subject = match secret {
            AskedSecret::Vault { service, key } => {
                Subject::Secret { service: service.clone(), key: key.clone() }
            }
            AskedSecret::Variable(name) => Subject::Variable { name: name.clone() },
        };
        locked(self.setup.once).insert((subject, files));
        *locked(&self.proxy) = None;
        Ok(())
    }

    /// Runs a program of a skill to its end.
    pub(crate) fn run(&self, skill: &str, request: &Request) -> Output {
        // The reply says why, so that nothing is lost without a log.
        let handler = self.handler(self.variables(skill), std::sync::Arc::new(|_| {}));
        locked(&self.redactors).insert(skill.to_owned(), handler.redactor().clone());
        let diagnostics: Vec<String> = handler
            .variables()
            .diagnostics()
            .iter()
            .filter(|found| found.message.contains(&format!("`{skill}`")))
            .map(|found| format!("(note: {})\n", found.message))
            .collect();
        match handler.answer(request) {
            Reply::Ran(ran) => {
                let mut text = joined(&ran.stdout, &ran.stderr);
                text.push_str(&format!("(exit code {})\n", ran.returncode));
                if ran.truncated {
                    text.push_str("(the output was longer and is cut)\n");
                }
                // Also after a success: a program without its secret may have done something else.
                text.push_str(&diagnostics.concat());
                let untrusted = self.has_network(skill);
                Output { text, failed: ran.returncode != 0, untrusted, ..Output::default() }
            }
            Reply::Refused(refusal) => Output::failed(format!("Not run: {}", refusal.error)),
            Reply::Value(_) => Output::failed("Not run: the program gave a value and not a result"),
        }
    }

    /// A text without the secrets of the programs that ran.
    pub(crate) fn redacted(&self, text: String) -> String {
        let redactors: Vec<Redactor> = locked(&self.redactors).values().cloned().collect();
        redactors.iter().fold(text, |text, redactor| redactor.text(&text))
    }

    /// The socket for a command; `None` when no program of a skill gets a variable of its own, since commands run all
    /// other programs by themselves.
    pub(crate) fn access(&self) -> Option<Result<ProxyAccess, String>> {
        let client = self.setup.client.clone()?;
        let mut proxy = locked(&self.proxy);
        if proxy.is_none() {
            let networked = &self.setup.grants.network;
            let mut reachable = self.gate.reachable();
            reachable.retain(|skill| self.setup.networked || !networked.contains(skill));
            let policy = ProxyPolicy {
                selected: locked(&self.called).clone(),
                skills: Some(reachable.iter().cloned().collect()),
                base: self.setup.workspace.common_variables(),
                ..ProxyPolicy::default()
            };
            let vault = Box::new(self.setup.workspace.vault_file());
            let once = locked(self.setup.once).clone();
            let variables = self.setup.workspace.program_variables(&self.gate, policy, vault, &[], &once);
            if !reachable.iter().any(|skill| variables.gives(skill)) {
                return None;
            }
            let handler = self.handler(variables, self.setup.log.clone());
            locked(&self.redactors).insert(String::new(), handler.redactor().clone());
            match Proxy::start(&SocketOptions::below(&self.setup.sockets), handler) {
                Ok(started) => *proxy = Some(started),
                Err(error) => return Some(Err(error.to_string())),
            }
        }
        let socket = proxy.as_ref().map(Proxy::path).and_then(|path: &Path| path.canonicalize().ok())?;
        Some(Ok(ProxyAccess { socket, client }))
    }

    fn variables(&self, skill: &str) -> ProgramVariables {
        let vault = Box::new(self.setup.workspace.vault_file());
        let once = locked(self.setup.once).clone();
        self.setup.workspace.variables_of(&self.gate, skill, vault, &once)
    }

    fn handler(&self, variables: ProgramVariables, log: RefusalLog) -> RequestHandler {
        let run = Cancelled { sandbox: self.setup.sandbox.clone(), cancel: self.setup.cancel.clone() };
        let settings = &self.setup.workspace.config().settings;
        let runner = SandboxRunner::new(&self.gate, settings, self.setup.grants, Box::new(run));
        let id = std::process::id().to_string();
        RequestHandler::new(id, Box::new(self.gate.clone()), variables, Box::new(runner), log)
    }
}

/// Both outputs of a program, each with its line end.
fn joined(stdout: &str, stderr: &str) -> String {
    let ended = |text: &str| match text {
        "" => String::new(),
        text if text.ends_with('\n') => text.to_owned(),
        text => format!("{text}\n"),
    };
    ended(stdout) + &ended(stderr)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The sandbox, whose jobs also end when the user cancels.
#[derive(Debug)]
struct Cancelled {
    sandbox: Sandbox,
    cancel: Cancel,
}

impl Run for Cancelled {
    fn run(&self, job: &Job) -> Result<Outcome, SandboxError> {
        self.run_until(job, &|| false)
    }

    fn run_until(&self, job: &Job, stop: &dyn Fn() -> bool) -> Result<Outcome, SandboxError> {
        self.sandbox.run_until(job, &|| stop() || self.cancel.is_cancelled())
    }
}
