//! One connection: what it sends to the client, and what it keeps.

use crate::{
    names::{DIRECTORY_READ_SETTING, SERVER, SKILLS_EXTENSION, method},
    server::{
        completion, extension,
        extension::FRESH_MS,
        live::Live,
        prompts,
        reply::result,
        resources,
        snapshot::Snapshot,
        tools::{self, Call},
    },
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        CustomRequest, CustomResult, ErrorCode, ExtensionCapabilities, GetPromptRequestParams,
        GetPromptResponse, Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
        ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::{Value, json};
use skillful_runtime::session::{Abilities, Event, Gate, Outcome, Session, Skill};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// How an agent should go about it. Some agents cut after 2 KB.
const INSTRUCTIONS: &str = "Skills are instructions for tasks that come up again. Before a task, call `search_skills` \
    with the task in its own words; if a skill fits, call `use_skill` and follow what it says. Files that a skill \
    names are read with `read_skill_file`.";

/// A turn cannot be seen over the protocol. After this long without a call another one has begun.
const TURN_GAP: Duration = Duration::from_mins(2);

/// Answers one connection.
pub struct Skills {
    live: Arc<Live>,
    conversation: Arc<Conversation>,
    /// Ends what follows this connection when it goes.
    alive: watch::Sender<()>,
}

/// What is active in a connection.
#[derive(Default)]
pub(crate) struct Conversation(Mutex<(Session, Option<Instant>)>);

impl Conversation {
    /// Takes an event in, and before it the begin of a turn when the last call is long ago.
    pub(crate) fn apply(&self, event: &Event, gate: &Gate<'_>) -> Outcome {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (session, last) = &mut *held;
        if last.is_none_or(|last| last.elapsed() > TURN_GAP) {
            session.apply(&Event::TurnStarted, gate);
        }
        *last = Some(Instant::now());
        session.apply(event, gate)
    }

    /// Where the leading skill may go on to.
    pub(crate) fn targets(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.targets()
    }
}

impl Skills {
    /// For a new connection.
    pub fn new(live: Arc<Live>) -> Self {
        let session = Session::new(Abilities::default());
        Self {
            live,
            conversation: Arc::new(Conversation(Mutex::new((session, None)))),
            alive: watch::Sender::new(()),
        }
    }

    /// Does something with the newest snapshot, beside the thread that speaks to the client.
    async fn work<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Snapshot) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let snapshot = self.live.snapshot().await.map_err(|reason| {
            ErrorData::internal_error(format!("the skills could not be read: {reason}"), None)
        })?;
        tokio::task::spawn_blocking(move || job(&snapshot)).await.unwrap_or_else(|error| {
            Err(ErrorData::internal_error(format!("the work was not done: {error}"), None))
        })
    }
}

/// The cursor of a request.
fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

/// How long a list may be kept, and by whom.
macro_rules! fresh {
    ($result:expr) => {
        $result.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private)
    };
}

impl ServerHandler for Skills {
    fn get_info(&self) -> ServerConfig {
        let settings = match json!({ DIRECTORY_READ_SETTING: true }) {
            Value::Object(settings) => settings,
            _ => JsonObject::new(),
        };
        let extensions = ExtensionCapabilities::from([(SKILLS_EXTENSION.to_owned(), settings)]);
        let capabilities = ServerCapabilities::builder()
            .enable_extensions_with(extensions)
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_tools()
            .build();
        let server = Implementation::new(SERVER, env!("CARGO_PKG_VERSION")).with_title("Skillful");
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(fresh!(ListToolsResult::with_all_items(tools::list())))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::listed(name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(row) = tools::named(&request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        };
        let (live, conversation) = (Arc::clone(&self.live), Arc::clone(&self.conversation));
        let arguments = request.arguments.unwrap_or_default();
        let id = context.id.to_string();
        self.work(move |snapshot| {
            let call = Call::new(snapshot, &live, &conversation, &id, &arguments);
            Ok(result((row.run)(&call)).into())
        })
        .await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = cursor(request);
        Ok(fresh!(self.work(move |snapshot| prompts::list(snapshot, cursor.as_deref())).await?))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let conversation = Arc::clone(&self.conversation);
        let id = context.id.to_string();
        self.work(move |snapshot| {
            let proof = prompts::find(snapshot, &request.name)?;
            let found = prompts::get(snapshot, &proof, request.arguments.as_ref())?;
            let entry = snapshot.entry(proof.entry());
            let skill = Skill::of(&entry.address(), &entry.loaded.manifest);
            // Only a user calls a prompt, so that a turn begins.
            conversation.apply(&Event::TurnStarted, &|_| Err(String::new()));
            conversation.apply(&Event::Activate { skill, call: id }, &|_| Err(String::new()));
            Ok(found.into())
        })
        .await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.work(move |snapshot| completion::complete(snapshot, &request)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = cursor(request);
        Ok(fresh!(self.work(move |snapshot| resources::list(snapshot, cursor.as_deref())).await?))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(fresh!(ListResourceTemplatesResult::with_all_items(vec![resources::template()])))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let found = self.work(move |snapshot| resources::read(snapshot, &request.uri)).await?;
        Ok(fresh!(found).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let answer = match request.method.as_str() {
            method::SKILLS_LIST => extension::list,
            method::SKILLS_GET => extension::get,
            method::DIRECTORY_READ => extension::directory,
            _ => return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)),
        };
        let params = request.params.unwrap_or(Value::Null);
        self.work(move |snapshot| answer(snapshot, &params)).await
    }

    /// Sends changes to a client of the older protocol from here on.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (mut changes, mut gone) = (self.live.changes(), self.alive.subscribe());
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    changed = changes.changed() => if changed.is_err() { return },
                    _ = gone.changed() => return,
                }
                let prompts = context.peer.notify_prompt_list_changed().await;
                let resources = context.peer.notify_resource_list_changed().await;
                if prompts.is_err() || resources.is_err() {
                    return;
                }
            }
        });
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    /// Sends changes to a client of the newer protocol as long as it listens.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.live.changes();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => if changed.is_err() { return Ok(()) },
            }
            let accepted = context.accepted();
            if accepted.prompts_list_changed == Some(true)
                && context.sink().notify_prompt_list_changed().await.is_err()
            {
                return Ok(());
            }
            if accepted.resources_list_changed == Some(true)
                && context.sink().notify_resource_list_changed().await.is_err()
            {
                return Ok(());
            }
        }
    }
}
