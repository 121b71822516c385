//! The agent at a terminal: from the configuration to a world, from events to lines, from a person to
//! answers. What an agent does is said by `skillful_assistant`; here is only how it meets this machine.

mod approve;
mod face;
mod interrupt;
mod needs;
pub(crate) mod once;
pub(crate) mod session;

use crate::{
    args::AssistantArgs,
    commands::{curate, tell_catalog, tell_diagnostics},
    context::Context,
    error::{Failure, failed},
    output, prompt,
    turn::now,
};
use approve::AtTerminal;
pub(crate) use face::Account;
use face::Face;
use interrupt::Interrupt;
use session::Keeper;
use skillful::{
    Workspace, calendar,
    execution::{Execution, ExecutionOptions},
    workspace::Watcher,
};
use skillful_assistant::models::Connected;
use skillful_assistant::{
    approval::{ApprovalMode, Approver, DenyAll},
    model_set::{ModelRequest, ModelSet},
    project::{self, Instructions},
    servers::SkillServers,
    session::ChatSession,
    setup::{Limits, TurnSetup},
    tool_environment::ToolEnvironment,
    tools::{Web, built_in},
    turn::{TurnError, TurnOutcome},
};
use skillful_catalog::AgentProfile;
use skillful_llm::Cancel;
use skillful_mcp::client::{Held, Launch, PlainProcess};
use skillful_render::{Budget, news::Seen};
use skillful_runtime::{
    conversation::past,
    room::Sandbox,
    transcribe::{self, Transcript},
};
use skillful_sandbox::Require;
use skillful_select::{
    access::{Way, is_open},
    turn::Turn,
};
use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};

/// Our own agent.
const OURS: &str = "skillful";
/// Whose memory counts when nobody is named.
const NOBODY: &str = "";

/// What somebody says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// In words.
    pub message: String,
    /// Files that come with it.
    pub attachments: Vec<String>,
    /// Skills that come with it, by their paths.
    pub given: Vec<String>,
    /// Kind of turn; `talk` when nothing is said.
    pub source_type: Option<String>,
}

/// What a turn came to.
#[derive(Debug)]
pub(crate) struct Done {
    /// The answer.
    pub turned: TurnOutcome,
    /// What it was about.
    pub account: Account,
}

/// An agent for some turns of one conversation.
pub(crate) struct Assistant {
    /// The models.
    pub models: ModelSet,
    /// When a person is asked.
    pub mode: ApprovalMode,
    /// What the person wants above what skills want.
    pub wanted: ModelRequest,
    /// The conversation.
    pub run: ChatSession,
    /// Where it is kept.
    pub keeper: Keeper,
    person: String,
    limits: Limits,
    window: Option<usize>,
    execution: Execution,
    bridge: SkillServers,
    cancel: Cancel,
    face: Face,
    interrupt: Interrupt,
    /// Watches what the workspace was made from, from the second turn on.
    watcher: Option<Watcher>,
    /// Whether the workspace was used for a turn.
    used: bool,
    /// What the person saw at the end of the last turn, when that was in this process.
    seen: Option<Seen>,
    offered: BTreeSet<String>,
    /// The class of model that the router thinks this turn needs.
    class: Option<String>,
    noted: BTreeSet<PathBuf>,
    /// Whether what is wrong with the skills was told.
    told: bool,
}

impl Assistant {
    /// An agent with these models, as the command line wants it.
    pub(crate) fn new(
        context: &mut Context,
        connected: Connected,
        args: &AssistantArgs,
        who: Who<'_>,
        kept: (Keeper, ChatSession),
    ) -> Result<Self, Failure> {
        context.for_user(who.user);
        context.for_agent(who.agent)?;
        // Before the skills are looked at; what was set aside is told.
        let curated = if args.no_session { Vec::new() } else { context.curate_daily(now()) };
        if !context.output.json {
            output::tell(&curate::changes(&curated, false));
        }
        let options = ExecutionOptions { allow_unsandboxed: args.allow_unsandboxed, grant: false };
        let execution = context.execution_as(acting_as(&context.workspace), options);
        let launch: Arc<dyn Launch> = if args.allow_unsandboxed {
            Arc::new(PlainProcess)
        } else {
            Arc::new(Held::new(Arc::new(Sandbox::new(Require::Sandbox)), execution.grants.clone()))
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
        Ok(Self {
            models,
            mode,
            wanted,
            run: kept.1,
            keeper: kept.0,
            person: who.user.unwrap_or(NOBODY).to_owned(),
            limits,
            window: settings.window,
            execution,
            bridge: SkillServers::new(launch),
            cancel,
            face,
            interrupt,
            watcher: None,
            used: false,
            seen: None,
            offered: BTreeSet::new(),
            class: None,
            noted: BTreeSet::new(),
            told: false,
        })
    }

    /// The terminal.
    pub(crate) fn face(&self) -> &Face {
        &self.face
    }

    /// Whether a person stopped the last step.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// The skills of this moment: an edit of a skill counts from the next turn on.
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
        // Watched before it is read again, so that no change is missed in between.
        let watcher = self.watcher.get_or_insert_with(|| Watcher::new(&context.workspace));
        watcher.follow(&context.workspace);
        context.workspace = context.workspace.refresh().0;
        watcher.follow(&context.workspace);
    }

    /// Says something and waits for the answer.
    pub(crate) fn say(&mut self, context: &mut Context, said: &Said) -> Result<Done, Failure> {
        self.renew(context);
        let catalog = &context.workspace.catalog();
        // As JSON it comes with the answer.
        if !std::mem::replace(&mut self.told, true) && !context.output.json {
            tell_catalog(context, catalog);
        }
        let history = self.keeper.past()?;
        let mut turn = Turn {
            message: said.message.clone(),
            folder: context.workspace.environment().cwd.clone(),
            attachments: said.attachments.clone(),
            given: said.given.clone(),
            touched: context
                .workspace
                .config()
                .settings
                .touched
                .iter()
                .map(|file| file.display().to_string())
                .collect(),
            source_type: Some(said.source_type.clone().unwrap_or_else(|| "talk".to_owned())),
            past: past(&history, now()),
            ..Turn::default()
        };
        let transcripts = transcripts(context, &turn);
        turn.message = transcribe::joined(&turn.message, &transcripts);
        self.prepare(context, catalog, &turn)?;
        let context = &*context;
        self.class = None;
        if context.workspace.decides() {
            let asker = context.workspace.asker();
            let open = |at| is_open(catalog, at, asker, Way::Route);
            let index = context.workspace.index();
            let allowed = index.restrict(&open);
            let (decision, told) =
                context.workspace.decide(catalog, &index, &allowed, &turn.message, &history);
            tell_diagnostics(context, &told);
            turn.routed = skillful::decide::chosen(catalog, &decision);
            // A class that nobody gave a model is no reason to say so in every turn.
            let class = decision.tier.word();
            let sure = turn.routed.is_some() && self.models.named.contains_key(class);
            self.class = sure.then(|| class.to_owned());
        }
        self.keeper.turn_began(&turn.message)?;
        let seen = match self.seen.take() {
            _ if !turn.is_interactive() => None,
            None => self.keeper.last_seen(&self.person),
            seen => seen,
        };
        let outcome = self
            .within(context, |setup, run| skillful_assistant::turn::turn(setup, run, &turn, seen.as_ref()));
        let account = self.face.end();
        match outcome {
            Ok(turned) => {
                // What they saw before need not be kept again.
                let is_new = turn.is_interactive() && seen.as_ref() != Some(&turned.seen);
                let kept = Some(&turned.seen).filter(|_| is_new);
                self.keeper.turn_ended(&turned.roots, &self.person, kept)?;
                self.seen = turn.is_interactive().then(|| turned.seen.clone());
                Ok(Done { turned, account })
            }
            Err(error) => Err(refused(&error)),
        }
    }

    /// Shortens the conversation now; whether anything was left out.
    pub(crate) fn compact(&mut self, context: &mut Context) -> Result<bool, Failure> {
        self.renew(context);
        let done = self.within(context, skillful_assistant::turn::compact);
        self.face.end();
        done.map_err(|error| refused(&error))
    }

    /// Does something with the conversation in the world of this moment.
    fn within<T>(
        &mut self,
        context: &Context,
        work_on: impl FnOnce(&TurnSetup<'_>, &mut ChatSession) -> Result<T, TurnError>,
    ) -> Result<T, TurnError> {
        let Some(agent) = acting_as(&context.workspace) else {
            return Err(TurnError::Blocked("the profile of our own assistant is missing".to_owned()));
        };
        let catalog = &context.workspace.catalog();
        let id = self.keeper.id();
        let mut engine = context.workspace.engine(catalog, id.as_deref());
        engine.approvals = Some(&self.execution.approvals);
        let work = self.execution.work();
        let Instructions { text: instructions, note } = project::instructions(&context.workspace);
        for (file, why) in note.into_iter().filter(|(file, _)| self.noted.insert(file.clone())) {
            output::tell(&format!("note: {}: {why}\n", context.short(&file)));
        }
        let settings = &context.workspace.config().assistant.assistant;
        let web = Web { allow_private: settings.private_web.unwrap_or(false) };
        let tools = built_in(settings.search.as_deref(), web);
        let real = |path: &std::path::Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
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
            search: settings.search.clone(),
            cancel: self.cancel.clone(),
        };
        let at_terminal = AtTerminal { face: &self.face, output: context.output };
        let approver: &dyn Approver = if prompt::is_possible() { &at_terminal } else { &DenyAll };
        let journal = self.keeper.journal(catalog);
        let window = self.window.unwrap_or(self.models.usual.window);
        let setup = TurnSetup {
            engine,
            agent,
            work,
            budget: Budget::of_window(window),
            unit: skillful_render::Unit::EstimatedTokens,
            finder: &context.workspace,
            models: &self.models,
            tools: &tools,
            env,
            servers: context.workspace.config().run.commands.then_some(&self.bridge),
            approver,
            mode: self.mode,
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
            // Where a person is asked, they judge; where nobody is, a page may not lead to deeds.
            distrust_web: self.mode == ApprovalMode::Autonomous,
        };
        self.interrupt.begin();
        let spinner = self.face.begin();
        let done = work_on(&setup, &mut self.run);
        drop(spinner);
        self.interrupt.end();
        done
    }
}

/// Who asks, through which agent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Who<'a> {
    /// The person.
    pub user: Option<&'a str>,
    /// The agent.
    pub agent: Option<&'a str>,
}

/// The agent that the assistant acts as: the one that was named, else our own.
fn acting_as(workspace: &Workspace) -> Option<&AgentProfile> {
    workspace.as_agent().or_else(|| workspace.agents().get(OURS))
}

/// Writes down the recordings, when somebody configured how.
pub(crate) fn transcripts(context: &Context, turn: &Turn) -> Vec<Transcript> {
    let command = &context.workspace.config().transcribe;
    if command.is_empty() || !turn.attachments.iter().any(|file| transcribe::is_recording(file)) {
        return Vec::new();
    }
    output::tell("writing the recordings down …\n");
    transcribe::transcribe(command, &turn.attachments, &turn.folder, transcribe::BUDGET)
}

/// A turn that did not come to its end, for a person.
fn refused(error: &TurnError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        TurnError::Model(skillful_llm::Error::Unreachable(_)) => {
            failure.hint("is the server running, and is its address right? `skillful doctor` shows it")
        }
        TurnError::Model(skillful_llm::Error::Status { status: 401 | 403, .. }) => {
            failure.hint("the key is missing or not accepted; `skillful doctor` shows who is asked")
        }
        TurnError::Model(skillful_llm::Error::Status { status: 404, .. }) => {
            failure.hint("the server does not know the model; --model or `assistant.model` names another")
        }
        TurnError::Journal(_) => failure.hint("`--no-session` goes on without keeping anything"),
        _ => failure,
    }
}
