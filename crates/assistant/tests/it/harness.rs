//! Skills on disk, a scripted model, and tools that record what they do.

use serde_json::{Map, Value, json};
use skillful_assistant::{
    agent_definitions::AgentDefinitions,
    approval::{ApprovalAnswer, ApprovalMode, ApprovalRequest, Approver, DenyAll},
    event::{Event, Observer},
    journal::{Journal, JournalEntry},
    model_set::{ModelRequest, ModelSet, ModelSpec},
    session::ChatSession,
    setup::{Finder, Limits, ServerAnswers, TurnSetup},
    tool::{Effect, Output, Reach, Tool, ToolPlan},
    tool_environment::ToolEnvironment,
    turn::{TurnError, TurnOutcome, turn},
};
use skillful_catalog::{
    AgentProfiles, Catalog, Entry, Environment, Inputs, Principal, Settings, TrustStore,
    asked_server::AskedServer, profile::ToolListMode,
};
use skillful_format::manifest::McpServer;
use skillful_llm::{Cancel, Client, Provider, ToolSpec, Usage, Wire};
use skillful_render::{Budget, Unit};
use skillful_runtime::{
    BodyExecution, Engine,
    compose::Ranked,
    policy::{Ground, PathBase, ToolsInEffect},
    room::{Grants, Sandbox},
    session::Session,
};
use skillful_sandbox::{Require, Tier};
use skillful_select::{access::Asker, turn::Turn};
use skillful_testkit::{ModelAnswer, ModelServer};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
    sync::Mutex,
};

/// Everything a test may change.
pub(crate) struct Harness {
    pub(crate) home: tempfile::TempDir,
    pub(crate) server: ModelServer,
    pub(crate) wire: Wire,
    pub(crate) mode: ApprovalMode,
    pub(crate) limits: Limits,
    pub(crate) window: usize,
    pub(crate) named: BTreeMap<String, String>,
    pub(crate) approver: Box<dyn Approver>,
    pub(crate) cancel: Cancel,
    pub(crate) distrust_web: bool,
    /// Where models may propose skills.
    pub(crate) proposed: Option<PathBuf>,
    pub(crate) kept: Kept,
    pub(crate) seen: Seen,
    /// What the tools did, in order.
    pub(crate) done: &'static Mutex<Vec<String>>,
}

impl Harness {
    pub(crate) fn new(answers: impl IntoIterator<Item = ModelAnswer>) -> Self {
        Self::with(ModelServer::new(answers))
    }

    pub(crate) fn with(server: ModelServer) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("work/.git")).unwrap();
        Self {
            home,
            server,
            wire: Wire::Anthropic,
            mode: ApprovalMode::Autonomous,
            limits: Limits::default(),
            window: 200_000,
            named: BTreeMap::new(),
            approver: Box::new(DenyAll),
            cancel: Cancel::default(),
            distrust_web: false,
            proposed: None,
            kept: Kept::default(),
            seen: Seen::default(),
            done: Box::leak(Box::default()),
        }
    }

    fn base(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    /// A skill of the user, with extra frontmatter lines and a body.
    pub(crate) fn skill(self, name: &str, frontmatter: &str, body: &str) -> Self {
        let file = self.base().join(format!(".agents/skills/{name}/SKILL.md"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(
            file,
            format!("---\nname: {name}\ndescription: About {name}.\n{frontmatter}\n---\n\n{body}\n"),
        )
        .unwrap();
        self
    }

    /// Says something and waits for the end of the turn.
    pub(crate) fn say(&self, run: &mut ChatSession, message: &str) -> Result<TurnOutcome, TurnError> {
        let environment = Environment {
            cwd: self.base().join("work"),
            home: self.base(),
            system: "linux".to_owned(),
            ..Environment::default()
        };
        let settings = Settings {
            system: false,
            custom: self.proposed.iter().filter(|folder| folder.is_dir()).cloned().collect(),
            proposed: self.proposed.clone(),
            ..Settings::default()
        };
        let (agents, trust, principal) =
            (AgentProfiles::embedded(), TrustStore::default(), Principal::default());
        let catalog = Catalog::build(Inputs {
            agents: &agents,
            environment: &environment,
            settings: &settings,
            trust: &trust,
            approvals: skillful_catalog::Approvals::none(),
        });
        let names = BTreeMap::new();
        let place = PathBase { folder: environment.cwd.display().to_string(), home: None };
        let agent = agents.get("skillful").unwrap();
        let ground = Ground::new(&agent.tools, &[], ToolListMode::Restrict, place);
        let (in_effect, grants) = (ToolsInEffect::default(), Grants::default());
        let sandbox = Sandbox::new(Require::Exactly(Tier::None));
        let work = BodyExecution {
            grants: &grants,
            ground: &ground,
            in_effect: &in_effect,
            opt_in: false,
            run: Some(&sandbox),
        };
        let line = |model: &str| {
            let base = match self.wire {
                Wire::Anthropic => self.server.url(),
                Wire::OpenAi | Wire::Responses => format!("{}/v1", self.server.url()),
            };
            let provider = Provider::new(self.wire, &base, model, None).unwrap();
            ModelSpec { window: self.window, answer: 1_000, ..ModelSpec::new(provider) }
        };
        let named = self.named.iter().map(|(name, model)| (name.clone(), line(model))).collect();
        let models = ModelSet { client: Client::default(), usual: line("usual"), named };
        let tools: Vec<Box<dyn Tool>> = vec![
            Box::new(Fake { name: "read_file", reach: Reach::Nothing, done: self.done }),
            Box::new(Fake { name: "write_file", reach: Reach::Project, done: self.done }),
            Box::new(Fake { name: "run_command", reach: Reach::Project, done: self.done }),
            Box::new(Fake { name: "web_fetch", reach: Reach::Beyond, done: self.done }),
        ];
        let setup = TurnSetup {
            engine: Engine::new(&catalog, Asker::new(&principal, &environment), &settings, &names),
            agent,
            work,
            budget: Budget::default(),
            unit: Unit::EstimatedTokens,
            finder: &Nowhere,
            models: &models,
            tools: &tools,
            env: ToolEnvironment {
                folder: environment.cwd.clone(),
                project: environment.cwd.clone(),
                home: environment.home.clone(),
                guarded: Vec::new(),
                guarded_names: Vec::new(),
                grants: &grants,
                environment: BTreeMap::new(),
                network: false,
                run: Some(&sandbox),
                programs: None,
                search: None,
                cancel: self.cancel.clone(),
            },
            servers: None,
            answers: &Nowhere,
            nearby: None,
            definitions: &AgentDefinitions::default(),
            only_tools: None,
            approver: &*self.approver,
            mode: self.mode,
            journal: &self.kept,
            observer: &self.seen,
            cancel: self.cancel.clone(),
            limits: self.limits,
            wanted: ModelRequest::default(),
            instructions: String::new(),
            today: "2026-11-15".to_owned(),
            describes_repository: false,
            distrust_web: self.distrust_web,
        };
        let asked = Turn { message: message.to_owned(), folder: environment.cwd.clone(), ..Turn::default() };
        turn(&setup, run, &asked, None)
    }

    /// The bodies of everything that the model was asked.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.server.asked().into_iter().map(|asked| asked.body).collect()
    }

    pub(crate) fn done(&self) -> Vec<String> {
        self.done.lock().unwrap().clone()
    }

    /// What was seen, one line an event, without pieces of answers and without figures.
    pub(crate) fn events(&self) -> Vec<String> {
        self.seen.0.lock().unwrap().clone()
    }
}

/// The text of a request, wherever it stands.
pub(crate) fn text(body: &Value) -> String {
    fn collect(value: &Value, out: &mut String) {
        match value {
            Value::String(text) => {
                out.push_str(text);
                out.push('\n');
            }
            Value::Array(all) => all.iter().for_each(|one| collect(one, out)),
            Value::Object(all) => all.values().for_each(|one| collect(one, out)),
            _ => {}
        }
    }
    let mut out = String::new();
    collect(&body["system"], &mut out);
    collect(&body["messages"], &mut out);
    out
}

/// The result of the last message of a request that answers the call at this place.
pub(crate) fn result(body: &Value, at: usize) -> String {
    let last = body["messages"].as_array().unwrap().last().unwrap();
    let parts: Vec<&Value> =
        last["content"].as_array().unwrap().iter().filter(|part| part["type"] == "tool_result").collect();
    let content = &parts[at]["content"];
    content.as_str().map_or_else(|| content[0]["text"].as_str().unwrap().to_owned(), str::to_owned)
}

struct Nowhere;

impl Finder for Nowhere {
    fn rank(&self, _message: &str, menu: &[usize]) -> Ranked {
        Ranked::unknown(menu)
    }

    fn search(&self, _query: &str, _limit: usize, _open: &dyn Fn(usize) -> bool) -> Vec<usize> {
        Vec::new()
    }
}

impl ServerAnswers for Nowhere {
    fn servers(&self, _entry: &Entry) -> BTreeSet<AskedServer> {
        BTreeSet::new()
    }

    fn answer(&self, _entry: &Entry, _server: &AskedServer) -> Option<bool> {
        None
    }

    fn dependencies(&self, _entry: &Entry) -> (Vec<McpServer>, Vec<String>) {
        (Vec::new(), Vec::new())
    }
}

/// A tool that only writes down that it was used.
struct Fake {
    name: &'static str,
    reach: Reach,
    done: &'static Mutex<Vec<String>>,
}

impl Tool for Fake {
    fn spec(&self) -> ToolSpec {
        let schema = json!({ "type": "object", "properties": { "on": { "type": "string" } } });
        ToolSpec { name: self.name.to_owned(), description: "Does it.".to_owned(), schema }
    }

    fn plan<'a>(
        &'a self,
        arguments: &Map<String, Value>,
        env: &'a ToolEnvironment<'a>,
    ) -> Result<ToolPlan<'a>, String> {
        let on = arguments.get("on").and_then(Value::as_str).ok_or("`on` is missing")?.to_owned();
        let path = env.folder.join(&on);
        let effect = match self.name {
            "read_file" => Effect::Read(path),
            "write_file" => Effect::Write(path),
            "run_command" => Effect::Command { text: on.clone(), network: false },
            _ => Effect::Fetch(on.clone()),
        };
        Ok(ToolPlan {
            summary: format!("{} {on}", self.name),
            effects: vec![effect],
            reach: self.reach,
            preview: None,
            parallel: self.reach == Reach::Nothing,
            work: Box::new(move || {
                let words = format!("{} {on}", self.name);
                self.done.lock().unwrap().push(words.clone());
                Output { untrusted: self.name == "web_fetch", ..Output::ok(format!("did {words}")) }
            }),
        })
    }
}

/// Keeps in memory, and can be read back as after a crash.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) entries: Mutex<Vec<JournalEntry>>,
    pub(crate) state: Mutex<Session>,
    pub(crate) used: Mutex<BTreeSet<String>>,
    /// Fails from this entry on.
    pub(crate) full_at: Mutex<Option<usize>>,
}

impl Kept {
    pub(crate) fn resume(&self) -> ChatSession {
        ChatSession::resume(self.entries.lock().unwrap().clone(), self.state.lock().unwrap().clone())
    }
}

impl Journal for Kept {
    fn append(&self, entries: &[JournalEntry], state: &Session) -> Result<(), String> {
        let mut all = self.entries.lock().unwrap();
        if self.full_at.lock().unwrap().is_some_and(|full| all.len() + entries.len() > full) {
            return Err("the disk is full".to_owned());
        }
        // As a store would, through text.
        let text = serde_json::to_string(entries).unwrap();
        all.extend(serde_json::from_str::<Vec<JournalEntry>>(&text).unwrap());
        *self.state.lock().unwrap() = serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap();
        Ok(())
    }

    fn record_use(&self, skill: &str) -> Result<(), String> {
        self.used.lock().unwrap().insert(skill.to_owned());
        Ok(())
    }

    fn record_usage(&self, _model: &str, _usage: Usage, _cost: Option<f64>) -> Result<(), String> {
        Ok(())
    }
}

#[derive(Default)]
pub(crate) struct Seen(Mutex<Vec<String>>);

impl Observer for Seen {
    fn observe(&self, event: &Event) {
        let line = match event {
            Event::Activated { skill, why } => format!("activated {skill}: {why}"),
            Event::NotActivated { skill, why } => format!("not activated {skill}: {why}"),
            Event::Denied { tool, why, .. } => format!("denied {tool}: {why}"),
            Event::Transitioned { from, to, depth } => {
                format!("moved {} -> {to} ({depth})", from.as_deref().unwrap_or("-"))
            }
            Event::TransitionRefused(why) => format!("stayed: {why}"),
            Event::Fork { skill, phase } => format!("fork {skill}: {phase:?}"),
            Event::Compacted { kept, lost, .. } => format!("compacted: kept {kept:?}, lost {lost:?}"),
            Event::Note(text) => format!("note: {text}"),
            Event::Diagnostic(one) => format!("diagnostic {}: {}", one.code, one.message),
            _ => return,
        };
        self.0.lock().unwrap().push(line);
    }
}

/// A user who answers by a script.
pub(crate) struct Person(pub(crate) Mutex<Vec<ApprovalAnswer>>, pub(crate) &'static Mutex<Vec<String>>);

impl Person {
    /// The answers come in this order.
    pub(crate) fn new(mut answers: Vec<ApprovalAnswer>) -> (Box<Self>, &'static Mutex<Vec<String>>) {
        answers.reverse();
        let asked: &'static Mutex<Vec<String>> = Box::leak(Box::default());
        (Box::new(Self(Mutex::new(answers), asked)), asked)
    }
}

impl Approver for Person {
    fn ask(&self, question: &ApprovalRequest) -> ApprovalAnswer {
        self.1.lock().unwrap().push(format!("{}: {}", question.summary, question.why));
        self.0.lock().unwrap().pop().unwrap_or(ApprovalAnswer::No(None))
    }
}
