//! The MCP servers of active skills, behind a blocking interface.

use crate::tool::Output;
use serde_json::{Map, Value};
use skillful_catalog::{
    AdmittedSkill, Environment, Settings,
    variables::{self, SharedVariables},
};
use skillful_format::{Code, Diagnostic};
use skillful_llm::Cancel;
use skillful_mcp::client::{Launch, Options, ServerGrants, Servers, Tool, declared};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::runtime::{Builder, Runtime};

/// How often a waiting call checks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(50);

/// The MCP servers of skills. Nothing starts before a skill with a server is active.
pub struct SkillServers {
    launch: Arc<dyn Launch>,
    built: OnceLock<Option<(Runtime, Servers)>>,
}

impl SkillServers {
    /// Creates the set; `launch` starts the servers.
    pub fn new(launch: Arc<dyn Launch>) -> Self {
        Self { launch, built: OnceLock::new() }
    }

    fn built(&self) -> Option<&(Runtime, Servers)> {
        let build = || {
            let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().ok()?;
            Some((runtime, Servers::new(Arc::clone(&self.launch), Options::default())))
        };
        self.built.get_or_init(build).as_ref()
    }

    /// Starts the server of a skill and returns its tools.
    pub fn tools(
        &self,
        skill: &AdmittedSkill<'_>,
        environment: &Environment,
        settings: &Settings,
    ) -> (Vec<Tool>, Vec<Diagnostic>) {
        let entry = skill.entry();
        if entry.loaded.manifest.mcp.is_none() {
            return Default::default();
        }
        let Some((runtime, servers)) = self.built() else {
            let message =
                format!("cannot start the MCP server of `{}`: no thread available", entry.address());
            return (Vec::new(), vec![Diagnostic::new(Code::McpStartFailed, message)]);
        };
        let resolved = variables::resolve(entry, environment, &SharedVariables::new(settings));
        let found = declared(skill, &resolved.values, environment, &ServerGrants::of(entry, settings));
        let mut diagnostics = found.diagnostics;
        let Some(declaration) = found.declaration else { return (Vec::new(), diagnostics) };
        let (tools, more) = runtime.block_on(async {
            servers.declare(declaration).await;
            servers.tools(&entry.address()).await
        });
        diagnostics.extend(more);
        (tools, diagnostics)
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
        match called {
            None => Output::failed("the user cancelled the call"),
            Some(Err(error)) => Output::failed(error.to_string()),
            Some(Ok(outcome)) => {
                let mut text = outcome.text;
                if outcome.cut_bytes > 0 {
                    text.push_str(&format!("\n({} more bytes are not shown.)", outcome.cut_bytes));
                }
                for part in &outcome.left_out {
                    text.push_str(&format!("\n(A part of type {} is not shown.)", part.kind));
                }
                Output { text, failed: outcome.failed, cut: outcome.cut_bytes, untrusted: false }
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
