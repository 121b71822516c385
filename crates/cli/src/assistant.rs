//! The assistant at a terminal: configuration in, events out as lines, approvals of the user. The model loop itself
//! is in `skillful_assistant`.

mod approve;
mod face;
mod first_work;
mod interrupt;
mod needs;
pub(crate) mod once;
pub(crate) mod session;

use crate::{
    args::AssistantArgs,
    browser,
    commands::{proxy, tell_catalog, tell_diagnostics, unused},
    context::Context,
    error::{Failure, failed},
    output, prompt,
    terminal::keys::KeyWatch,
    turn::now,
};
use approve::AtTerminal;
pub(crate) use face::Account;
use face::Face;
use first_work::{FirstWork, ReadOnly, WithFolder};
use interrupt::Interrupt;
use session::Recorder;
use skillful::turn::MenuRoom;
pub(crate) use skillful::turn::Said;
use skillful::{
    Workspace,
    bindings::OnceAllowed,
    calendar,
    execution::{Execution, ExecutionOptions},
    workspace::Watcher,
};
use skillful_assistant::models::Connected;
use skillful_assistant::{
    agent_definitions::AgentDefinitions,
    approval::{ApprovalMode, Approver, DenyAll, needs_approval},
    event::{Event, Observer},
    first_load::{FirstLoad, first_load},
    instructions::Instructions,
    model_set::{ModelRequest, ModelSet},
    programs::{ProgramSetup, SkillPrograms},
    project,
    servers::SkillServers,
    session::ChatSession,
    setup::{Limits, TurnSetup},
    tool::Reach,
    tool_environment::ToolEnvironment,
    tools::{Web, built_in},
    turn::{self, TurnEnd, TurnError, TurnOutcome},
};
use skillful_catalog::{AgentProfile, profile::ToolListMode};
use skillful_llm::Cancel;
use skillful_mcp::client::{Held, Launch, PlainProcess, sign_in::SignInStore};
use skillful_render::news::Seen;
use skillful_runtime::{
    compose,
    room::Sandbox,
    transcribe::{self, Transcript},
};
use skillful_sandbox::Require;
use skillful_select::turn::Turn;
use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

/// The profile of the assistant itself.
const OURS: &str = "skillful";
/// How often skills may join in one turn.
const JOINS: usize = 8;
/// The user when none is named.
const DEFAULT_USER: &str = "";

/// A finished turn.
#[derive(Debug)]
pub(crate) struct Done {
    /// The outcome.
    pub turned: TurnOutcome,
    /// What happened in it.
    pub account: Account,
}

/// The assistant for the turns of one session.
pub(crate) struct Assistant {
    /// The models.
    pub models: ModelSet,
    /// When tool calls need approval.
    pub mode: ApprovalMode,
    /// The model that the user requests, above those of skills.
    pub wanted: ModelRequest,
    /// The session.
    pub session: ChatSession,
    /// Records the session.
    pub recorder: Recorder,
    user: String,
    limits: Limits,
    window: Option<usize>,
    execution: Execution,
    servers: SkillServers,
    cancel: Cancel,
    face: Face,
    interrupt: Interrupt,
    /// Watches the files of the workspace, from the second turn on.
    watcher: Option<Watcher>,
    /// Whether the workspace was used for a turn.
    used: bool,
    /// The menu at the end of the last turn, when that was in this process.
    seen: Option<Seen>,
    offered: BTreeSet<String>,
    /// Secrets that the user allowed to skills for this session.
    once: Mutex<OnceAllowed>,
    /// The class of model that the router suggests for this turn.
    class: Option<String>,
    noted: BTreeSet<PathBuf>,
    /// Whether the user let the assistant work in this folder.
    folder: FirstWork,
    /// Whether problems of the catalog were reported.
    reported: bool,
    /// Files that the command line names as touched.
    touched: Vec<PathBuf>,
    /// What the user typed while the model worked; `None` when keys are not watched.
    typed: Option<String>,
}

impl Assistant {
    /// The assistant with these models and the options of the command line.
    pub(crate) fn new(
        context: &mut Context,
        connected: Connected,
        args: &AssistantArgs,
        who: Who<'_>,
        kept: (Recorder, ChatSession),
    ) -> Result<Self, Failure> {
        context.for_user(who.user);
        context.for_agent(who.agent)?;
        // Before the catalog is read; archived skills are reported.
        let curated = if args.no_session { Vec::new() } else { context.curate_daily(now()) };
        if !context.output.json {
            output::tell(&unused::changes(&curated, false));
        }
        // A skill that the gate admits is one whose files its user approved, with the tools that it names.
        let approves =
            acting_as(&context.workspace).is_some_and(|agent| agent.tool_list == ToolListMode::Preapprove);
        let options = ExecutionOptions { allow_unsandboxed: args.allow_unsandboxed, grant: approves };
        let execution = context.execution_as(acting_as(&context.workspace), options);
        let launch: Arc<dyn Launch> = if args.allow_unsandboxed {
            Arc::new(PlainProcess)
        } else {
            let copies = context.workspace.config().settings.copies.clone();
            Arc::new(Held::new(Arc::new(Sandbox::new(Require::Sandbox)), execution.grants.clone(), copies))
        };
        let settings = &context.workspace.config().assistant.assistant;
        let limits = Limits::default();
        let limits = Limits { steps: args.max_steps.or(settings.steps).unwrap_or(limits.steps), ..limits };
        let mode = args.mode.map(ApprovalMode::from).or(settings.mode).unwrap_or_default();
        let mut models = connected.models;
        let mut wanted = ModelRequest::default();
        if let Some(model) = &args.model {
            let name = model.trim().to_lowercase();
            models.named.insert(name.clone(), models.usual.clone());
            wanted.model = Some(name);
        }
        wanted.effort = args.effort.map(|effort| effort.word().to_owned());
        let cancel = Cancel::default();
        let face = Face::new(context);
        let interrupt =
            Interrupt::new(&cancel, face.screen.clone()).map_err(failed("listen for interrupts"))?;
        for note in connected.notes {
            output::tell(&format!("note: {}\n", output::harmless(&note)));
        }
        let mut assistant = Self {
            models,
            mode,
            wanted,
            session: kept.1,
            recorder: kept.0,
            user: who.user.unwrap_or(DEFAULT_USER).to_owned(),
            limits,
            window: settings.window,
            execution,
            servers: SkillServers::new(
                launch,
                SignInStore::new(&context.workspace),
                browser::opener(context),
            ),
            cancel,
            face,
            interrupt,
            watcher: None,
            used: false,
            seen: None,
            offered: BTreeSet::new(),
            once: Mutex::default(),
            class: None,
            noted: BTreeSet::new(),
            folder: FirstWork::new(&context.workspace, args.mode.is_some()),
            reported: false,
            touched: context.workspace.config().settings.touched.clone(),
            typed: None,
        };
        assistant.set_targets(context);
        Ok(assistant)
    }

    /// Sets what the configuration says about the targets of transitions.
    fn set_targets(&mut self, context: &Context) {
        let strict = context.workspace.config().assistant.assistant.strict_targets;
        self.session.set_strict_targets(strict.unwrap_or(false));
    }

    /// The terminal.
    pub(crate) fn face(&self) -> &Face {
        &self.face
    }

    /// Watches the keys during each step: Esc stops it, and what is typed waits for the next prompt.
    pub(crate) fn watch_keys(&mut self) {
        self.typed = Some(String::new());
    }

    /// What the user typed during the last step.
    pub(crate) fn take_typed(&mut self) -> String {
        self.typed.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Sets when tool calls need approval. To choose a mode is to work here.
    pub(crate) fn set_mode(&mut self, mode: ApprovalMode) {
        self.mode = mode;
        self.folder.accept();
    }

    /// Lets the assistant only read here until the user answers again. The answer then leads to questions, never to
    /// what was allowed before.
    pub(crate) fn only_read(&mut self) {
        self.mode = ApprovalMode::Ask;
        self.folder.close();
    }

    /// Why the assistant only reads.
    pub(crate) fn why_read_only(&self) -> &'static str {
        self.folder.why()
    }

    /// Whether the assistant only reads, because the user never worked in this folder or chose that.
    pub(crate) fn is_read_only(&self) -> bool {
        self.folder.is_new()
    }

    /// Whether the user stopped the last step.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Reads the skills again when files changed: an edit counts from the next turn on.
    pub(crate) fn renew(&mut self, context: &mut Context) {
        if !std::mem::replace(&mut self.used, true) {
            return;
        }
        let is_current = match &mut self.watcher {
            Some(watcher) => !watcher.is_blind() && !watcher.changed(Duration::ZERO),
            None => false,
        };
        if is_current {
            return;
        }
        // Watched before reading, so that no change in between is missed.
        let watcher = self.watcher.get_or_insert_with(|| Watcher::new(&context.workspace));
        watcher.follow(&context.workspace);
        context.workspace = context.workspace.refresh().0;
        watcher.follow(&context.workspace);
    }

    /// Runs one turn and waits for the answer.
    pub(crate) fn say(&mut self, context: &mut Context, said: &Said) -> Result<Done, Failure> {
        self.renew(context);
        self.join_touched(context);
        let catalog = &context.workspace.catalog();
        // With --json they are part of the answer.
        if !std::mem::replace(&mut self.reported, true) && !context.output.json {
            tell_catalog(context, catalog);
        }
        if let Some(now) = self.recorder.take_turn()? {
            self.session = now;
            self.set_targets(context);
        }
        let history = self.recorder.past()?;
        let said = Said { in_session: true, ..said.clone() };
        let mut turn = context.workspace.turn_of(&said, &history, now());
        // Skills for files of earlier turns are active already.
        turn.touched.retain(|file| self.touched.iter().any(|given| given.as_os_str() == file.as_str()));
        let transcripts = transcripts(context, &turn);
        turn.message = transcribe::joined(&turn.message, &transcripts);
        let is_about_nothing =
            said.attachments.is_empty() && said.given.is_empty() && said.source_type.is_none();
        if turn.message.trim().is_empty() && is_about_nothing {
            return Err(Failure::usage("the message is empty"));
        }
        let unheard = unheard(context, &transcripts);
        self.prepare(context, catalog, &turn)?;
        let routed = context.workspace.route(&mut turn, &history, SystemTime::now());
        tell_diagnostics(context, &routed.diagnostics);
        // A class without a configured model is ignored, without a note in every turn.
        let class = routed.decision.filter(|_| turn.routed.is_some()).map(|decision| decision.tier.word());
        self.class = class.filter(|class| self.models.named.contains_key(*class)).map(str::to_owned);
        self.recorder.turn_began(&turn.message)?;
        let seen = match self.seen.take() {
            _ if !turn.is_interactive() => None,
            None => self.recorder.last_seen(&self.user),
            seen => seen,
        };
        let typed = typed(context);
        // A value that the user types makes a skill available to this session; that is not news.
        let known = seen.clone().map(|mut known| {
            typed.0.iter().for_each(|(name, content)| {
                known.0.entry(name.clone()).or_insert_with(|| content.clone());
            });
            known
        });
        let mut outcome = self.within(context, |setup, run| turn::turn(setup, run, &turn, known.as_ref()));
        for _ in 0..JOINS {
            outcome = match outcome {
                Ok(before) if before.end == TurnEnd::Joined => {
                    let catalog = context.workspace.catalog();
                    let known = catalog.entries.iter().map(skillful_catalog::Entry::address).collect();
                    self.join_touched(context);
                    self.within(context, |setup, run| turn::go_on(setup, run, before, &known))
                }
                outcome => outcome,
            };
        }
        let mut account = self.face.end();
        account.notes.extend(unheard);
        self.recorder.release();
        match outcome {
            Ok(turned) => {
                let mut kept = turned.seen.clone();
                let was_seen = |name: &String| seen.as_ref().is_some_and(|seen| seen.0.contains_key(name));
                kept.0.retain(|name, _| was_seen(name) || !typed.0.contains_key(name));
                // An unchanged menu is not recorded again.
                let kept = Some(&kept).filter(|kept| turn.is_interactive() && seen.as_ref() != Some(*kept));
                self.recorder.turn_ended(&turned.roots, &self.user, kept)?;
                self.seen = turn.is_interactive().then(|| turned.seen.clone());
                Ok(Done { turned, account })
            }
            Err(error) => Err(failure_of(&error)),
        }
    }

    /// The skills that the model loads first for a message in a new session. Nothing is run or recorded.
    pub(crate) fn first_load(&mut self, context: &Context, message: &str) -> Result<FirstLoad, Failure> {
        let said = Said { message: message.to_owned(), in_session: true, ..Said::default() };
        let turn = context.workspace.turn_of(&said, &[], now());
        self.session = ChatSession::new();
        let done = self.within(context, |setup, session| first_load(setup, session, &turn));
        done.map_err(|error| failure_of(&error))
    }

    /// Reads the skills of folders in which the session touched files.
    fn join_touched(&self, context: &mut Context) {
        let files: Vec<PathBuf> = self.session.state().touched().cloned().collect();
        if let Some(next) = context.workspace.with_touched(files) {
            context.workspace = next;
        }
    }

    /// Compacts the session now; returns whether there was anything to compact.
    pub(crate) fn compact(&mut self, context: &mut Context) -> Result<bool, Failure> {
        self.renew(context);
        let done = self.within(context, turn::compact);
        self.face.end();
        done.map_err(|error| failure_of(&error))
    }

    /// Calls the model loop with the current workspace.
    fn within<T>(
        &mut self,
        context: &Context,
        work_on: impl FnOnce(&TurnSetup<'_>, &mut ChatSession) -> Result<T, TurnError>,
    ) -> Result<T, TurnError> {
        let Some(agent) = acting_as(&context.workspace) else {
            return Err(TurnError::Blocked("the profile of the assistant is missing".to_owned()));
        };
        let catalog = &context.workspace.catalog();
        let id = self.recorder.id();
        let engine = context.workspace.engine(catalog, id.as_deref());
        let work = self.execution.work();
        let Instructions { text: instructions, notes } = Instructions::of(&context.workspace);
        for (file, why) in notes.into_iter().filter(|(file, _)| self.noted.insert(file.clone())) {
            output::tell(&format!("note: {} {why}\n", context.short(&file)));
        }
        let definitions = AgentDefinitions::of(&context.workspace);
        for (file, why) in definitions.notes.iter().filter(|(file, _)| self.noted.insert(file.clone())) {
            output::tell(&format!("note: {} {why}\n", context.short(file)));
        }
        let settings = &context.workspace.config().assistant.assistant;
        let web = Web { allow_private: settings.private_web.unwrap_or(false) };
        let tools = built_in(settings.search.as_deref(), web);
        // In a folder in which the user never worked, every change is a question.
        let mode = if self.folder.is_new() { ApprovalMode::Ask } else { self.mode };
        let real = |path: &std::path::Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let screen = self.face.screen.clone();
        let programs = SkillPrograms::new(ProgramSetup {
            workspace: &context.workspace,
            grants: &self.execution.grants,
            sandbox: self.execution.sandbox.clone(),
            once: &self.once,
            cancel: self.cancel.clone(),
            sockets: proxy::socket_folder(context),
            client: std::env::current_exe().and_then(std::fs::canonicalize).ok(),
            networked: !needs_approval(mode, Reach::Beyond),
            log: Arc::new(move |refused| {
                screen.tell(&format!("warning: {}\n", output::harmless(&refused.to_string())));
            }),
        });
        let env = ToolEnvironment {
            folder: real(&context.workspace.environment().cwd),
            project: real(&catalog.project),
            home: context.workspace.environment().home.clone(),
            guarded: project::guarded(catalog),
            guarded_names: project::guarded_names(context.workspace.agents()),
            grants: &self.execution.grants,
            environment: std::collections::BTreeMap::new(),
            network: settings.network.unwrap_or(false),
            run: work.run,
            programs: work.run.is_some().then_some(&programs),
            search: settings.search.clone(),
            cancel: self.cancel.clone(),
        };
        let at_terminal = AtTerminal { face: &self.face, output: context.output };
        let with_folder = WithFolder { inner: &at_terminal, folder: &self.folder, face: &self.face };
        let approver: &dyn Approver = match (self.folder.is_new(), prompt::is_possible()) {
            (true, true) => &with_folder,
            (true, false) => &ReadOnly,
            (false, true) => &at_terminal,
            (false, false) => &DenyAll,
        };
        let journal = self.recorder.journal(catalog);
        let window = self.window.unwrap_or(self.models.usual.window);
        let setup = TurnSetup {
            engine,
            agent,
            work,
            budget: context.workspace.menu_budget(MenuRoom { window: Some(window), ..MenuRoom::default() }),
            unit: skillful_render::Unit::EstimatedTokens,
            finder: &context.workspace,
            models: &self.models,
            tools: &tools,
            env,
            servers: context.workspace.config().run.commands.then_some(&self.servers),
            answers: &context.workspace,
            nearby: Some(&context.workspace),
            definitions: &definitions,
            only_tools: None,
            approver,
            mode,
            journal: &journal,
            observer: &self.face,
            cancel: self.cancel.clone(),
            limits: self.limits,
            wanted: ModelRequest {
                tier: self.wanted.tier.clone().or_else(|| self.class.clone()),
                ..self.wanted.clone()
            },
            instructions,
            today: calendar::date(now()),
            describes_repository: !self.folder.is_new(),
            // In the other modes the user judges each call; here a web page must not lead to changes.
            distrust_web: self.mode == ApprovalMode::Autonomous,
        };
        let _programs = context.workspace.environment().remember_programs();
        self.interrupt.begin();
        // A terminal that cannot be watched has Ctrl-C.
        let keys = self.typed.is_some().then(|| KeyWatch::new(self.interrupt.stopper()).ok()).flatten();
        self.face.screen.hint(if keys.is_some() { "esc stops" } else { "" });
        let spinner = self.face.begin();
        if let Some(note) = self.folder_note(context) {
            self.face.observe(&Event::Note(note));
        }
        let done = work_on(&setup, &mut self.session);
        drop(spinner);
        self.interrupt.end();
        if let (Some(keys), Some(typed)) = (keys, &mut self.typed) {
            typed.push_str(&keys.end());
        }
        done
    }
}

impl Assistant {
    /// What the user reads once about a folder in which the assistant never worked.
    pub(crate) fn folder_note(&self, context: &Context) -> Option<String> {
        self.folder.note(&context.named(&context.workspace.catalog().project), prompt::is_possible())
    }
}

/// The user who asks, and through which agent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Who<'a> {
    /// The user.
    pub user: Option<&'a str>,
    /// The agent.
    pub agent: Option<&'a str>,
}

/// The agent that the assistant acts as: the one of `--agent`, else the assistant itself.
fn acting_as(workspace: &Workspace) -> Option<&AgentProfile> {
    workspace.as_agent().or_else(|| workspace.agents().get(OURS))
}

/// Transcribes attached recordings, when a command for it is configured.
pub(crate) fn transcripts(context: &Context, turn: &Turn) -> Vec<Transcript> {
    let command = &context.workspace.config().transcribe;
    if command.is_empty() || !turn.attachments.iter().any(|file| transcribe::is_recording(file)) {
        return Vec::new();
    }
    output::tell("transcribing the recordings …\n");
    transcribe::transcribe(command, &turn.attachments, &turn.folder, transcribe::BUDGET)
}

/// Prints which recordings the model does not read, and returns that for `--json`.
fn unheard(context: &Context, transcripts: &[Transcript]) -> Vec<String> {
    let lost = transcripts.iter().filter_map(|transcript| {
        let reason = transcript.text.as_ref().err()?;
        let file = output::harmless(&transcript.file);
        Some(format!("{file} was not transcribed: {}", output::harmless(reason)))
    });
    let lost: Vec<String> = lost.collect();
    if !context.output.json {
        for note in &lost {
            output::tell(&format!("note: {note}\n"));
        }
    }
    lost
}

/// The skills that the user typed values for.
fn typed(context: &Context) -> Seen {
    let catalog = context.workspace.catalog();
    let user = context.workspace.asker().principal.user.as_deref();
    let known = context.workspace.typed_skills().filter_map(|name| catalog.called_by(name, user));
    let known: Vec<usize> = known.map(|(at, _)| at).collect();
    compose::seen_of(&catalog, &known)
}

/// The failure of a turn.
fn failure_of(error: &TurnError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        TurnError::Model(skillful_llm::Error::Unreachable(_)) => {
            failure.hint("check that the server runs and its address is right; skillful doctor shows it")
        }
        TurnError::Model(skillful_llm::Error::Status { status: 401 | 403, .. }) => failure
            .cause("the server does not accept the key, or no key was sent")
            .hint("set the key of this server; skillful doctor shows the model and its address"),
        TurnError::Model(skillful_llm::Error::Status { status: 404, .. }) => failure
            .cause("the server does not know the model")
            .hint("name another with --model or `assistant.model`"),
        TurnError::Journal(_) => failure.hint("--no-session continues without recording"),
        _ => failure,
    }
}
