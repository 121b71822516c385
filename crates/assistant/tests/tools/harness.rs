//! Tools over a temporary home, a project in it, and files outside.

use serde_json::{Map, Value};
use skillful_assistant::{
    project::guarded_names,
    tool::{Effect, Output, Preview, Reach, Tool, ToolPlan},
    tool_environment::ToolEnvironment,
    tools::{Web, built_in},
};
use skillful_catalog::AgentProfiles;
use skillful_llm::Cancel;
use skillful_runtime::room::{Grants, Run};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

pub(crate) struct Harness {
    root: TempDir,
    pub(crate) grants: Grants,
    pub(crate) web: Web,
    pub(crate) search: Option<String>,
    pub(crate) cancel: Cancel,
    pub(crate) network: bool,
    /// More folders of skills.
    pub(crate) guarded: Vec<PathBuf>,
}

/// What was planned, without its work.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) summary: String,
    pub(crate) reach: Reach,
    pub(crate) effects: Vec<Effect>,
    pub(crate) preview: Option<Preview>,
}

impl Harness {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home/work", "home/.agents/skills", "outside"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        Self {
            root,
            grants: Grants::default(),
            web: Web { allow_private: true },
            search: None,
            cancel: Cancel::default(),
            network: false,
            guarded: Vec::new(),
        }
    }

    /// A path below the temp folder.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    /// Writes a file; the path is below the project unless it begins with `../`.
    pub(crate) fn file(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let file = self.path("home/work").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, content).unwrap();
        file
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path("home/work").join(path)).unwrap()
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.path("home/work").join(path)).unwrap();
    }

    pub(crate) fn env<'a>(&'a self, run: Option<&'a dyn Run>) -> ToolEnvironment<'a> {
        let project = self.path("home/work");
        ToolEnvironment {
            guarded: [self.path("home/.agents/skills"), project.join(".agents/skills")]
                .into_iter()
                .chain(self.guarded.iter().cloned())
                .collect(),
            guarded_names: guarded_names(&AgentProfiles::embedded()),
            folder: project.clone(),
            project,
            home: self.path("home"),
            grants: &self.grants,
            environment: BTreeMap::from([("FROM_SKILL".to_owned(), "yes".to_owned())]),
            network: self.network,
            run,
            programs: None,
            search: self.search.clone(),
            cancel: self.cancel.clone(),
        }
    }

    fn with<T>(
        &self,
        run: Option<&dyn Run>,
        tool: &str,
        arguments: Value,
        then: impl FnOnce(ToolPlan<'_>) -> T,
    ) -> Result<T, String> {
        let tools = built_in(self.search.as_deref(), self.web);
        let tool = tools.iter().find(|known| known.spec().name == tool).expect("the tool");
        let env = self.env(run);
        tool.plan(&object(arguments), &env).map(then)
    }

    /// Plans a call.
    pub(crate) fn plan(&self, tool: &str, arguments: Value) -> Result<Planned, String> {
        self.with(None, tool, arguments, planned)
    }

    /// Plans and does a call.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Output {
        self.with(None, tool, arguments, |plan| (plan.work)()).unwrap_or_else(Output::failed)
    }

    /// Plans a call, lets something happen, and does it.
    pub(crate) fn meanwhile(&self, tool: &str, arguments: Value, happens: impl FnOnce()) -> Output {
        let after = |plan: ToolPlan<'_>| {
            happens();
            (plan.work)()
        };
        self.with(None, tool, arguments, after).unwrap()
    }

    /// Plans and does a command.
    pub(crate) fn command(&self, run: &dyn Run, arguments: Value) -> Result<(Planned, Output), String> {
        self.with(Some(run), "run_command", arguments, |mut plan| {
            let work = std::mem::replace(&mut plan.work, Box::new(Output::default));
            (planned(plan), work())
        })
    }
}

impl Harness {
    /// Plans and does a command in another project.
    pub(crate) fn command_in(
        &self,
        run: &dyn Run,
        project: &str,
        arguments: Value,
    ) -> Result<(Planned, Output), String> {
        let tools = built_in(None, self.web);
        let tool = tools.iter().find(|known| known.spec().name == "run_command").expect("the tool");
        let project = self.path(project);
        let env = ToolEnvironment { folder: project.clone(), project, ..self.env(Some(run)) };
        let mut plan = tool.plan(&object(arguments), &env)?;
        let work = std::mem::replace(&mut plan.work, Box::new(Output::default));
        Ok((planned(plan), work()))
    }
}

fn planned(plan: ToolPlan<'_>) -> Planned {
    Planned { summary: plan.summary, reach: plan.reach, effects: plan.effects, preview: plan.preview }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => panic!("an object"),
    }
}

/// All tools.
pub(crate) fn all() -> Vec<Box<dyn Tool>> {
    built_in(Some("http://127.0.0.1:1"), Web::default())
}
