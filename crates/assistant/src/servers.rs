//! The MCP servers of active skills, for a loop that does not wait by itself.

use crate::tool::Output;
use serde_json::{Map, Value};
use skillful_catalog::{
    Entry, Environment, Settings,
    variables::{self, SharedVariables},
};
use skillful_format::{Code, Diagnostic};
use skillful_llm::Cancel;
use skillful_mcp::client::{Launch, Options, Servers, Tool, declared};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::runtime::{Builder, Runtime};

/// How often a waiting call looks whether somebody still wants it.
const LOOK: Duration = Duration::from_millis(50);

/// The servers of skills behind a blocking face. Nothing starts before a skill with a server is active.
pub struct Bridge {
    launch: Arc<dyn Launch>,
    built: OnceLock<Option<(Runtime, Servers)>>,
}

impl Bridge {
    /// Servers will be started by `launch`.
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

    /// The tools that a skill brings. Its server is started.
    pub fn tools(
        &self,
        entry: &Entry,
        environment: &Environment,
        settings: &Settings,
    ) -> (Vec<Tool>, Vec<Diagnostic>) {
        if entry.loaded.manifest.mcp.is_none() {
            return Default::default();
        }
        let Some((runtime, servers)) = self.built() else {
            let message = format!("the server of `{}` cannot be started: no thread for it", entry.address());
            return (Vec::new(), vec![Diagnostic::new(Code::McpStartFailed, message)]);
        };
        let resolved = variables::resolve(entry, environment, &SharedVariables::new(settings));
        let found = declared(entry, &resolved.values, environment);
        let mut told = found.diagnostics;
        let Some(declaration) = found.declaration else { return (Vec::new(), told) };
        let (tools, more) = runtime.block_on(async {
            servers.declare(declaration).await;
            servers.tools(&entry.address()).await
        });
        told.extend(more);
        (tools, told)
    }

    /// Calls a tool; ends early when nobody wants it any more.
    pub fn call(&self, name: &str, arguments: Map<String, Value>, cancel: &Cancel) -> Output {
        let Some((runtime, servers)) = self.built() else {
            return Output::failed("servers of skills cannot be started here");
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
            None => Output::failed("the call was cancelled"),
            Some(Err(error)) => Output::failed(error.to_string()),
            Some(Ok(outcome)) => {
                let mut text = outcome.text;
                if outcome.cut_bytes > 0 {
                    text.push_str(&format!("\n({} bytes more are not shown.)", outcome.cut_bytes));
                }
                for part in &outcome.left_out {
                    text.push_str(&format!("\n(A part of the kind {} is not shown.)", part.kind));
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

impl Drop for Bridge {
    fn drop(&mut self) {
        if let Some(Some((runtime, servers))) = self.built.get() {
            runtime.block_on(servers.stop_all());
        }
    }
}
