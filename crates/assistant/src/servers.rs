//! The MCP servers of active skills, behind a blocking interface.

use crate::tool::Output;
use serde_json::{Map, Value};
use skillful_catalog::{
    AdmittedSkill, Entry, Environment, Settings,
    asked_server::AskedServer,
    variables::{self, SharedVariables},
};
use skillful_format::{Code, Diagnostic};
use skillful_llm::Cancel;
use skillful_mcp::client::{Launch, Options, ServerGrants, Servers, Tool, Transport, declared};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};
use tokio::runtime::{Builder, Runtime};

/// How often a waiting call checks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(50);

/// The MCP servers of skills. Nothing starts before a skill with a server is active.
pub struct SkillServers {
    launch: Arc<dyn Launch>,
    built: OnceLock<Option<(Runtime, Servers)>>,
    /// Servers that the user allowed for this run, by skill.
    once: Mutex<BTreeSet<(String, AskedServer)>>,
    /// Tools of servers on the network: what they return is as untrusted as a page of the web.
    outside: Mutex<BTreeSet<String>>,
}

/// The tools of a skill's server, or why there are none.
#[derive(Default)]
pub struct ServedTools {
    /// The tools.
    pub tools: Vec<Tool>,
    /// Problems of the server.
    pub diagnostics: Vec<Diagnostic>,
    /// The server that the user has not allowed; nothing was started or connected to.
    pub unanswered: Option<AskedServer>,
}

impl SkillServers {
    /// Creates the set; `launch` starts the servers.
    pub fn new(launch: Arc<dyn Launch>) -> Self {
        Self { launch, built: OnceLock::new(), once: Mutex::default(), outside: Mutex::default() }
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

    /// Starts the server of a skill and returns its tools. One on the network, or one that receives variables, is used
    /// only when the user allowed it: by `allowed`, or for this run.
    pub fn tools(
        &self,
        skill: &AdmittedSkill<'_>,
        environment: &Environment,
        settings: &Settings,
        mut allowed: BTreeSet<AskedServer>,
    ) -> ServedTools {
        let entry = skill.entry();
        if entry.loaded.manifest.mcp.is_none() {
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
        let found = declared(skill, &resolved.values, environment, &grants);
        let mut diagnostics = found.diagnostics;
        let Some(declaration) = found.declaration else {
            return ServedTools { tools: Vec::new(), diagnostics, unanswered: found.unanswered };
        };
        let is_outside = matches!(declaration.transport, Transport::Http(_));
        let (tools, more) = runtime.block_on(async {
            servers.declare(declaration).await;
            servers.tools(&address).await
        });
        if is_outside {
            let names = tools.iter().map(|tool| tool.name.clone());
            self.outside.lock().unwrap_or_else(PoisonError::into_inner).extend(names);
        }
        diagnostics.extend(more);
        ServedTools { tools, diagnostics, unanswered: None }
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

    /// Stops the servers of a skill that is no longer active.
    pub fn stop(&self, skill: &str) {
        if let Some(Some((runtime, servers))) = self.built.get() {
            runtime.block_on(servers.stop(skill));
        }
    }
}

impl Drop for SkillServers {
    fn drop(&mut self) {
        if let Some(Some((runtime, servers))) = self.built.get() {
            runtime.block_on(servers.stop_all());
        }
    }
}
