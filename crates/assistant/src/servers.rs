//! The MCP servers of active skills, behind a blocking interface.

use crate::tool::Output;
use serde_json::{Map, Value};
use skillful_catalog::{
    AdmittedSkill, Entry, Environment, Settings,
    asked_server::AskedServer,
    variables::{self, SharedVariables},
};
use skillful_format::{Code, Data, Diagnostic, manifest::McpServer};
use skillful_llm::Cancel;
use skillful_mcp::client::{
    Declaration, Launch, Options, ServerGrants, Servers, Tool, Transport, declared_server,
    sign_in::{Challenge, SignIn, SignInStore},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, SystemTime},
};
use tokio::runtime::{Builder, Runtime};

/// How often a waiting call checks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(50);

/// Time for the user to sign in.
const SIGN_IN: Duration = Duration::from_mins(5);

/// Shows the user the page at which they sign in, and the name of that place.
pub type OpenPage = Box<dyn Fn(&str, &str) + Send + Sync>;

/// The MCP servers of skills. Nothing starts before a skill with a server is active.
pub struct SkillServers {
    launch: Arc<dyn Launch>,
    built: OnceLock<Option<(Runtime, Servers)>>,
    /// Servers that the user allowed for this run, by skill.
    once: Mutex<BTreeSet<(String, AskedServer)>>,
    /// Tools of servers on the network: what they return is as untrusted as a page of the web.
    outside: Mutex<BTreeSet<String>>,
    /// Sign-ins of the user.
    sign_ins: SignInStore,
    open: OpenPage,
}

/// The tools of a skill's servers, or why there are none.
#[derive(Default)]
pub struct ServedTools {
    /// The tools.
    pub tools: Vec<Tool>,
    /// Problems of the servers.
    pub diagnostics: Vec<Diagnostic>,
    /// The server that the user has not allowed; nothing was started or connected to.
    pub unanswered: Option<AskedServer>,
    /// The server that wants its user to sign in.
    pub sign_in: Option<WantedSignIn>,
}

/// A server that wants its user to sign in.
#[derive(Clone, Debug)]
pub struct WantedSignIn {
    /// Its address.
    pub url: String,
    declaration: Declaration,
    challenge: Challenge,
    client_id: Option<String>,
}

impl SkillServers {
    /// Creates the set; `launch` starts the servers, and `open` shows pages to sign in at.
    pub fn new(launch: Arc<dyn Launch>, sign_ins: SignInStore, open: OpenPage) -> Self {
        let (built, once, outside) = Default::default();
        Self { launch, built, once, outside, sign_ins, open }
    }

    fn built(&self) -> Option<&(Runtime, Servers)> {
        let build = || {
            let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().ok()?;
            Some((runtime, Servers::new(Arc::clone(&self.launch), Options::default())))
        };
        self.built.get_or_init(build).as_ref()
    }

    /// Allows a skill a connection for this run.
    pub fn allow_once(&self, entry: &Entry, server: AskedServer) {
        self.once.lock().unwrap_or_else(PoisonError::into_inner).insert((entry.address(), server));
    }

    /// Starts the servers of a skill and returns their tools: the one that it brings, and `further` ones that it depends
    /// on. One on the network, or one that receives variables, is used only when the user allowed it: by `allowed`, or
    /// for this run.
    pub fn tools(
        &self,
        skill: &AdmittedSkill<'_>,
        environment: &Environment,
        settings: &Settings,
        mut allowed: BTreeSet<AskedServer>,
        further: &[McpServer],
    ) -> ServedTools {
        let entry = skill.entry();
        let all: Vec<&McpServer> = entry.loaded.manifest.mcp.iter().chain(further).collect();
        if all.is_empty() {
            return ServedTools::default();
        }
        let address = entry.address();
        let once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        allowed.extend(once.iter().filter(|(skill, _)| *skill == address).map(|(_, server)| server.clone()));
        drop(once);
        let Some((runtime, servers)) = self.built() else {
            let message = format!("cannot start the MCP server of `{address}`: no thread available");
            let diagnostics = vec![Diagnostic::new(Code::McpStartFailed, message)];
            return ServedTools { diagnostics, ..ServedTools::default() };
        };
        let resolved = variables::resolve(entry, environment, &SharedVariables::new(settings));
        let grants = ServerGrants::of(entry, settings, allowed);
        let mut served = ServedTools::default();
        let mut outside = BTreeSet::new();
        let mut ids = BTreeMap::new();
        for server in all {
            let found = declared_server(skill, server, &resolved.values, environment, &grants);
            served.diagnostics.extend(found.diagnostics);
            served.unanswered = served.unanswered.or(found.unanswered);
            let Some(mut declaration) = found.declaration else { continue };
            if matches!(declaration.transport, Transport::Http(_)) {
                outside.insert(declaration.server.clone());
                ids.insert(declaration.server.clone(), client_id(server));
            }
            runtime.block_on(async {
                self.sign_ins.authorize(&mut declaration, now()).await;
                servers.declare(declaration).await;
            });
        }
        let (mut tools, mut more) = runtime.block_on(servers.tools(&address));
        let mut wanted = runtime.block_on(servers.challenges(&address));
        // A sign-in that the server no longer accepts may still be renewed, once.
        if let Some((declaration, _)) = wanted.first()
            && runtime.block_on(self.sign_ins.renew(declaration, now()))
        {
            let mut again = unauthorized(declaration.clone());
            (tools, more, wanted) = runtime.block_on(async {
                self.sign_ins.authorize(&mut again, now()).await;
                servers.declare(again).await;
                let (tools, more) = servers.tools(&address).await;
                (tools, more, servers.challenges(&address).await)
            });
        }
        served.sign_in = wanted.into_iter().next().and_then(|(declaration, challenge)| {
            let Transport::Http(endpoint) = &declaration.transport else { return None };
            let client_id = ids.get(&declaration.server).cloned().flatten();
            Some(WantedSignIn {
                url: endpoint.url.clone(),
                declaration: unauthorized(declaration),
                challenge,
                client_id,
            })
        });
        if !outside.is_empty() {
            let names = tools.iter().map(|tool| tool.name.clone());
            self.outside.lock().unwrap_or_else(PoisonError::into_inner).extend(names);
        }
        served.diagnostics.extend(more);
        served.tools = tools;
        served
    }

    /// Lets the user sign in to a server, and keeps that in the vault. Blocks until they did, or cancelled.
    pub fn sign_in(&self, wanted: &WantedSignIn, cancel: &Cancel) -> Result<(), String> {
        let Some((runtime, _)) = self.built() else { return Err("no thread available".to_owned()) };
        let Transport::Http(endpoint) = &wanted.declaration.transport else {
            return Err("a process cannot be signed in to".to_owned());
        };
        let saved = runtime.block_on(async {
            let sign_in = SignIn::prepare(endpoint, &wanted.challenge, wanted.client_id.as_deref()).await?;
            (self.open)(sign_in.page(), sign_in.issuer());
            sign_in.finish(SIGN_IN, now(), &|| cancel.is_cancelled()).await
        });
        let saved = saved.map_err(|error| error.to_string())?;
        self.sign_ins.save(&wanted.url, &saved).map_err(|error| error.to_string())
    }

    /// Calls a tool; returns early when the call is cancelled.
    pub fn call(&self, name: &str, arguments: Map<String, Value>, cancel: &Cancel) -> Output {
        let Some((runtime, servers)) = self.built() else {
            return Output::failed("MCP servers of skills cannot be started here");
        };
        let called = runtime.block_on(async {
            let mut called = std::pin::pin!(servers.call(name, arguments));
            loop {
                tokio::select! {
                    called = &mut called => return Some(called),
                    () = tokio::time::sleep(LOOK), if !cancel.is_cancelled() => {}
                    () = std::future::ready(()), if cancel.is_cancelled() => return None,
                }
            }
        });
        let untrusted = self.outside.lock().unwrap_or_else(PoisonError::into_inner).contains(name);
        match called {
            None => Output::failed("the user cancelled the call"),
            // An error may repeat what the server sent.
            Some(Err(error)) => Output { untrusted, ..Output::failed(error.to_string()) },
            Some(Ok(outcome)) => {
                let mut text = outcome.text;
                if outcome.cut_bytes > 0 {
                    text.push_str(&format!("\n({} more bytes are not shown.)", outcome.cut_bytes));
                }
                for part in &outcome.left_out {
                    text.push_str(&format!("\n(A part of type {} is not shown.)", part.kind));
                }
                Output { text, failed: outcome.failed, cut: outcome.cut_bytes, untrusted, image: None }
            }
        }
    }

    /// Whether a tool is of a server on the network.
    pub fn is_outside(&self, tool: &str) -> bool {
        self.outside.lock().unwrap_or_else(PoisonError::into_inner).contains(tool)
    }

    /// Stops the servers of a skill that is no longer active.
    pub fn stop(&self, skill: &str) {
        if let Some(Some((runtime, servers))) = self.built.get() {
            runtime.block_on(servers.stop(skill));
        }
    }
}

/// A declaration without a sign-in.
fn unauthorized(mut declaration: Declaration) -> Declaration {
    if let Transport::Http(endpoint) = &mut declaration.transport {
        endpoint.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
    }
    declaration
}

/// The name of this program at the authorization server, where programs cannot register themselves.
fn client_id(server: &McpServer) -> Option<String> {
    let named = server.rest.iter().find(|(key, _)| key == "client_id");
    named.and_then(|(_, value)| if let Data::Text(text) = value { Some(text.clone()) } else { None })
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Drop for SkillServers {
    fn drop(&mut self) {
        if let Some(Some((runtime, servers))) = self.built.get() {
            runtime.block_on(servers.stop_all());
        }
    }
}
