//! All servers of all skills: one connection each, alive only while it is needed.

use super::{
    connection::Asked,
    declare::{Declaration, start_failed},
    error::ClientError,
    launch::Launch,
    limits::{CALL, RETRY_PAUSE},
    outcome::CallOutcome,
    sign_in::Challenge,
    slot::{Slot, death},
    tool::Tool,
};
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use serde_json::{Map, Value};
use skillful_format::Diagnostic;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::sleep;

/// What a caller may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// One call of a tool.
    pub call: Duration,
    /// A server whose start failed is not tried again for this long.
    pub retry_pause: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { call: CALL, retry_pause: RETRY_PAUSE }
    }
}

/// Whether a server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerState {
    /// Not started yet, or stopped.
    Stopped,
    /// Started and not known to be dead.
    Running,
    /// Its last start failed.
    Failed,
}

/// One server, for a list.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ServerStatus {
    /// The skill that brings it.
    pub skill: String,
    /// Its name among the servers of the skill.
    pub server: Option<String>,
    /// Whether it runs.
    pub state: ServerState,
    /// How many tools it had when it was last asked.
    pub tools: usize,
}

/// The servers of skills. Cheap to share behind an [`Arc`]; needs a `tokio` runtime. Dropping it kills what
/// runs; [`Servers::stop_all`] ends it politely.
pub struct Servers {
    launch: Arc<dyn Launch>,
    options: Options,
    slots: Mutex<BTreeMap<Key, Arc<Slot>>>,
}

type Key = (String, Option<String>);

impl Servers {
    /// No servers yet; processes will be started by `launch`.
    pub fn new(launch: Arc<dyn Launch>, options: Options) -> Self {
        Self { launch, options, slots: Mutex::default() }
    }

    /// Makes a server known. Nothing starts. One that is known with the same declaration stays as it is; a
    /// changed one is stopped, and starts anew when it is needed.
    pub async fn declare(&self, declaration: Declaration) {
        let key = (declaration.skill.clone(), declaration.server.clone());
        let old = {
            let mut slots = self.slots();
            if slots.get(&key).is_some_and(|slot| slot.declaration == declaration) {
                return;
            }
            slots.insert(key, Arc::new(Slot::new(declaration)))
        };
        if let Some(old) = old {
            old.stop().await;
        }
    }

    /// Stops the servers of a skill and forgets them and their tools.
    pub async fn forget(&self, skill: &str) {
        for slot in self.of(skill) {
            let key = (slot.declaration.skill.clone(), slot.declaration.server.clone());
            self.slots().remove(&key);
            slot.stop().await;
        }
    }

    /// The tools of a skill. Its servers are started if they do not run. One that fails costs its tools and
    /// a diagnostic, never the others.
    pub async fn tools(&self, skill: &str) -> (Vec<Tool>, Vec<Diagnostic>) {
        let mut tools = Vec::new();
        let mut diagnostics = Vec::new();
        for slot in self.of(skill) {
            match slot.awake(&self.launch, self.options).await {
                Ok(connection) => {
                    let listed = slot.listed();
                    tools.extend(listed.tools.iter().cloned());
                    diagnostics.extend(listed.diagnostics.iter().cloned());
                    diagnostics.extend(slot.misconduct(&connection));
                }
                Err(why) => {
                    let help =
                        "repair it or remove `mcp` from the skill; the skill works without these tools";
                    let told = start_failed(&slot.declaration.skill, &why.to_string(), help);
                    diagnostics.push(told.in_path(&slot.declaration.file));
                }
            }
        }
        (tools, diagnostics)
    }

    /// The servers of a skill that want their user to sign in, each with what it said.
    pub async fn challenges(&self, skill: &str) -> Vec<(Declaration, Challenge)> {
        let mut found = Vec::new();
        for slot in self.of(skill) {
            if let Some(challenge) = slot.challenge().await {
                found.push((slot.declaration.clone(), challenge));
            }
        }
        found
    }

    /// The declaration of the server that has a tool.
    pub fn declaration_of(&self, tool: &str) -> Option<Declaration> {
        self.find(tool).ok().map(|(slot, _)| slot.declaration.clone())
    }

    /// Calls a tool by its full name, or by its own when only one server has it.
    pub async fn call(&self, name: &str, arguments: Map<String, Value>) -> Result<CallOutcome, ClientError> {
        self.call_within(name, arguments, self.options.call).await
    }

    /// The same with a time of its own. A server that rests or has died is started first, within its own
    /// time.
    pub async fn call_within(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        within: Duration,
    ) -> Result<CallOutcome, ClientError> {
        let (slot, tool) = self.find(name)?;
        let skill = &slot.declaration.skill;
        let connection = slot
            .awake(&self.launch, self.options)
            .await
            .map_err(|why| ClientError::NotRunning { skill: skill.clone(), why: why.to_string() })?;
        if !slot.listed().tools.iter().any(|listed| listed.raw == tool.raw) {
            return Err(ClientError::ToolGone { skill: skill.clone(), tool: tool.raw });
        }
        let _open = slot.open_call();
        let params = CallToolRequestParams::new(tool.raw.clone()).with_arguments(arguments);
        let answer = tokio::select! {
            answer = connection.peer().call_tool_once(params) => answer.map_err(Asked::from),
            () = death(&connection) => Err(Asked::Closed),
            () = sleep(within) => {
                slot.ran_out_of_time(&connection).await;
                return Err(ClientError::Timeout { tool: tool.name, within });
            }
        };
        slot.was_in_time();
        let mask = &slot.declaration.mask;
        let nonsense = |why: &str| ClientError::Nonsense { skill: skill.clone(), why: mask.hide(why) };
        match answer {
            Ok(CallToolResponse::Complete(result)) => Ok(CallOutcome::of(result, mask)),
            Ok(CallToolResponse::InputRequired(_)) => {
                Err(nonsense("it asks for input, which cannot be given here"))
            }
            Ok(_) => Err(nonsense("it answers with a task to wait for, which was not asked for")),
            Err(Asked::Refused { code, message }) => {
                Err(ClientError::Refused { skill: skill.clone(), code, message: mask.hide(&message) })
            }
            Err(Asked::Nonsense(why)) => Err(nonsense(&why)),
            Err(Asked::Closed) => {
                let why = format!("it ended during the call{}", connection.last_words().await);
                // All of it goes, not only the part that died.
                slot.stop_if(&connection).await;
                Err(ClientError::NotRunning { skill: skill.clone(), why: mask.hide(&why) })
            }
        }
    }

    /// The full name of a tool, given that or its own name.
    pub fn resolve(&self, name: &str) -> Result<String, ClientError> {
        self.find(name).map(|(_, tool)| tool.name)
    }

    /// Stops the servers of a skill. They start again when they are needed.
    pub async fn stop(&self, skill: &str) {
        for slot in self.of(skill) {
            slot.stop().await;
        }
    }

    /// Stops every server, all at once, and waits until no process is left.
    pub async fn stop_all(&self) {
        let slots: Vec<_> = self.slots().values().cloned().collect();
        let stops: Vec<_> =
            slots.into_iter().map(|slot| tokio::spawn(async move { slot.stop().await })).collect();
        for stop in stops {
            let _ = stop.await;
        }
    }

    /// Every known server.
    pub async fn status(&self) -> Vec<ServerStatus> {
        let slots: Vec<_> = self.slots().values().cloned().collect();
        let mut all = Vec::with_capacity(slots.len());
        for slot in slots {
            let state = slot.state().await;
            let Declaration { skill, server, .. } = &slot.declaration;
            let tools = slot.listed().tools.len();
            all.push(ServerStatus { skill: skill.clone(), server: server.clone(), state, tools });
        }
        all
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<Key, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, skill: &str) -> Vec<Arc<Slot>> {
        self.slots().values().filter(|slot| slot.declaration.skill == skill).cloned().collect()
    }

    fn find(&self, name: &str) -> Result<(Arc<Slot>, Tool), ClientError> {
        let slots = self.slots();
        let mut by_own_name = Vec::new();
        for slot in slots.values() {
            for tool in &slot.listed().tools {
                if tool.name == name {
                    return Ok((Arc::clone(slot), tool.clone()));
                }
                if tool.raw == name {
                    by_own_name.push((Arc::clone(slot), tool.clone()));
                }
            }
        }
        match by_own_name.len() {
            0 => Err(ClientError::UnknownTool(name.to_owned())),
            1 => Ok(by_own_name.remove(0)),
            _ => {
                let of = by_own_name.into_iter().map(|(_, tool)| tool.name).collect();
                Err(ClientError::Ambiguous { name: name.to_owned(), of })
            }
        }
    }
}
