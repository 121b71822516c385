//! One connection: what it sends to the client, and what it keeps.

use crate::{
    names::{DIRECTORY_READ_SETTING, SERVER, SKILLS_EXTENSION, method, tool},
    server::{
        completion, extension,
        extension::FRESH_MS,
        live::Live,
        parts, prompts,
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
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
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
    /// Whether the client was shown the tool for pipelines.
    shown_pipelines: Arc<AtomicBool>,
    /// Ends what follows this connection when it goes.
    alive: watch::Sender<()>,
}

/// Texts of skills that a connection keeps, so that their further parts are those of one text.
const MOST_TEXTS: usize = 4;
/// How long a list of tools waits for the first look at the disk.
const TOOLS_WAIT: Duration = Duration::from_secs(1);

/// What is active in a connection.
#[derive(Default)]
pub(crate) struct Conversation {
    session: Mutex<(Session, Option<Instant>)>,
    /// The texts that were loaded last, by the address of the skill.
    texts: Mutex<VecDeque<(String, String)>>,
}

impl Conversation {
    /// Takes an event in, and before it the begin of a turn when the last call is long ago.
    pub(crate) fn apply(&self, event: &Event, gate: &Gate<'_>) -> Outcome {
        let mut held = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let (session, last) = &mut *held;
        if last.is_none_or(|last| last.elapsed() > TURN_GAP) {
            session.apply(&Event::TurnStarted, gate);
        }
        *last = Some(Instant::now());
        session.apply(event, gate)
    }

    /// Where the leading skill may go on to.
    pub(crate) fn targets(&self) -> Option<String> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).0.targets()
    }

    /// Keeps the text of a skill for its further parts.
    pub(crate) fn keep_text(&self, skill: &str, text: &str) {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.retain(|(of, _)| of != skill);
        texts.push_front((skill.to_owned(), text.to_owned()));
        texts.truncate(MOST_TEXTS);
    }

    /// The text of a skill that was loaded before.
    pub(crate) fn text_of(&self, skill: &str) -> Option<String> {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.iter().find(|(of, _)| of == skill).map(|(_, text)| text.clone())
    }
}

impl Skills {
    /// For a new connection.
    pub fn new(live: Arc<Live>) -> Self {
        let session = Session::new(Abilities::default());
        Self {
            live,
            conversation: Arc::new(Conversation {
                session: Mutex::new((session, None)),
                ..Conversation::default()
            }),
            shown_pipelines: Arc::default(),
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

/// The name that the client gives itself, with this request or when it opened the session.
fn client_name(context: &RequestContext<RoleServer>) -> Option<String> {
    let of_session = || context.peer.peer_info().map(|info| info.client_info.name.clone());
    context.meta.client_info().map(|client| client.name).or_else(of_session)
}

/// The cursor of a request.
fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

/// Whether a list of tools would differ from the one that the client has.
async fn has_other_tools(live: &Live, shown: &AtomicBool) -> bool {
    let known = live.snapshot().await;
    known.is_ok_and(|snapshot| snapshot.has_pipelines() != shown.load(Ordering::Relaxed))
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
            .enable_tool_list_changed()
            .build();
        let server = Implementation::new(SERVER, env!("CARGO_PKG_VERSION")).with_title("Skillful");
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // When the disk takes longer, the client is told of the further tool later.
        let known = tokio::time::timeout(TOOLS_WAIT, self.live.snapshot()).await;
        let has_pipelines = matches!(known, Ok(Ok(snapshot)) if snapshot.has_pipelines());
        self.shown_pipelines.store(has_pipelines, Ordering::Relaxed);
        Ok(fresh!(ListToolsResult::with_all_items(tools::list(has_pipelines, self.live.takes_proposals()))))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::listed(name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let is_served =
            |_: &&tools::Row| request.name != tool::SKILL_MANAGEMENT || self.live.takes_proposals();
        let Some(row) = tools::named(&request.name).filter(is_served) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        };
        let (live, conversation) = (Arc::clone(&self.live), Arc::clone(&self.conversation));
        let arguments = request.arguments.unwrap_or_default();
        let id = context.id.to_string();
        let client = client_name(&context);
        self.work(move |snapshot| {
            let room = parts::room(client.as_deref(), snapshot.workspace.agents().iter());
            let call = Call::new(snapshot, &live, &conversation, &id, room, &arguments);
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
            let skill = Skill::of(entry);
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
        let (live, shown) = (Arc::clone(&self.live), Arc::clone(&self.shown_pipelines));
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
                if has_other_tools(&live, &shown).await
                    && context.peer.notify_tool_list_changed().await.is_err()
                {
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
            if accepted.tools_list_changed == Some(true)
                && has_other_tools(&self.live, &self.shown_pipelines).await
                && context.sink().notify_tool_list_changed().await.is_err()
            {
                return Ok(());
            }
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
