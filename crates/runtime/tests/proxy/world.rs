//! A user with skills, secrets and a proxy.

use crate::process::Process;
use secrecy::SecretString;
use serde_json::{Value as Json, json};
use skillful_catalog::{
    AgentProfiles, Approvals, Catalog, Environment, Inputs, Principal, Settings, TrustStore,
};
use skillful_credentials::{
    env::{SkillFiles, Unavailable, VariableSources},
    proxy::{
        Gate as _, Output, Proxy, ProxyPolicy, Refusal, RefusalLog, RefusalRecord, Reply, Request,
        RequestHandler, Runner, SocketOptions, client,
    },
};
use skillful_format::Digest;
use skillful_runtime::credential_proxy::{CalledSkills, CatalogGate, program_variables};
use skillful_testkit::write_program;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

/// How long a test waits for a reply; far more than any takes.
pub(crate) const WAIT: Duration = Duration::from_mins(2);

pub(crate) struct World {
    home: tempfile::TempDir,
    pub(crate) secrets: BTreeMap<(String, String), String>,
    pub(crate) config: Json,
    pub(crate) hooks: BTreeMap<String, String>,
    pub(crate) lent: BTreeMap<String, String>,
    pub(crate) settings: Settings,
    pub(crate) principal: Principal,
    pub(crate) policy: ProxyPolicy,
    pub(crate) timeout: Duration,
    pub(crate) heard: Arc<Mutex<Vec<RefusalRecord>>>,
    pub(crate) approvals: Arc<Approvals>,
    /// The skills that may have secrets, by their files; every one when there is no list.
    pub(crate) bound: Option<Vec<Digest>>,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("work/.git")).unwrap();
        let base = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("BASE_VALUE", "base-value-of-the-run")];
        Self {
            home,
            secrets: BTreeMap::new(),
            config: json!({}),
            hooks: BTreeMap::new(),
            lent: BTreeMap::new(),
            settings: Settings { system: false, ..Settings::default() },
            principal: Principal::default(),
            approvals: Arc::default(),
            policy: ProxyPolicy {
                base: base.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
                ..ProxyPolicy::default()
            },
            timeout: WAIT,
            heard: Arc::default(),
            bound: None,
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    pub(crate) fn folder(&self, skill: &str) -> PathBuf {
        self.path().join(".agents/skills").join(skill)
    }

    /// A skill with lines for its frontmatter.
    pub(crate) fn skill(self, name: &str, header: &str) -> Self {
        let text = format!("---\nname: {name}\ndescription: About {name}.\n{header}\n---\n\nUse {name}.\n");
        self.file(&format!(".agents/skills/{name}/SKILL.md"), &text)
    }

    /// A program of a skill.
    pub(crate) fn script(self, skill: &str, name: &str, text: &str) -> Self {
        write_program(&self.folder(skill).join("scripts").join(name), &format!("#!/bin/sh\n{text}\n"));
        self
    }

    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    pub(crate) fn secret(mut self, service: &str, key: &str, value: &str) -> Self {
        self.secrets.insert((service.to_owned(), key.to_owned()), value.to_owned());
        self
    }

    pub(crate) fn policy(mut self, change: impl FnOnce(&mut ProxyPolicy)) -> Self {
        change(&mut self.policy);
        self
    }

    pub(crate) fn environment(&self) -> Environment {
        Environment {
            cwd: self.path().join("work"),
            home: self.path(),
            system: "linux".to_owned(),
            ..Environment::default()
        }
    }

    pub(crate) fn gate(&self) -> CatalogGate {
        let (agents, trust, environment) =
            (AgentProfiles::embedded(), TrustStore::default(), self.environment());
        let catalog = Catalog::build(Inputs {
            agents: &agents,
            environment: &environment,
            settings: &self.settings,
            trust: &trust,
            approvals: &self.approvals,
        });
        CatalogGate {
            catalog: Arc::new(catalog),
            principal: self.principal.clone(),
            environment,
            called: CalledSkills::default(),
        }
    }

    pub(crate) fn refusal_log(&self) -> RefusalLog {
        let heard = Arc::clone(&self.heard);
        Arc::new(move |refused: &RefusalRecord| heard.lock().unwrap().push(refused.clone()))
    }

    pub(crate) fn heard(&self) -> Vec<RefusalRecord> {
        self.heard.lock().unwrap().clone()
    }

    pub(crate) fn handler(&self) -> RequestHandler {
        self.handler_with(Box::new(Process { folder: self.path().join("work") }))
    }

    pub(crate) fn handler_with(&self, runner: Box<dyn Runner>) -> RequestHandler {
        let gate = self.gate();
        let variables = program_variables(&gate, &self.settings, self, self.policy.clone());
        assert!(gate.reachable().is_sorted());
        RequestHandler::new("test", Box::new(gate), variables, runner, self.refusal_log())
            .timeout(self.timeout)
    }

    pub(crate) fn proxy(&self) -> Proxy {
        Proxy::start(&options(), self.handler()).unwrap()
    }
}

impl VariableSources for World {
    fn config(&self) -> &Json {
        &self.config
    }

    fn secret(
        &self,
        skill: SkillFiles<'_>,
        service: &str,
        key: &str,
    ) -> Result<Option<SecretString>, Unavailable> {
        if skill.digest.is_none_or(|files| self.bound.as_ref().is_some_and(|bound| !bound.contains(&files))) {
            return Err(Unavailable::unanswered("it may not have it", "allow it"));
        }
        Ok(self
            .secrets
            .get(&(service.to_owned(), key.to_owned()))
            .map(|value| SecretString::from(value.as_str())))
    }

    fn variable(&self, skill: SkillFiles<'_>, _: &str) -> Result<(), Unavailable> {
        if skill.digest.is_none_or(|files| self.bound.as_ref().is_some_and(|bound| !bound.contains(&files))) {
            return Err(Unavailable::unanswered("it may not have it", "allow it"));
        }
        Ok(())
    }

    fn user_id(&self) -> Option<&str> {
        Some("somebody")
    }

    fn hook(&self, _skill: &str, var: &str) -> Option<SecretString> {
        self.hooks.get(var).map(|value| SecretString::from(value.as_str()))
    }

    fn template_file(&self, _: &str, _: Option<&str>) -> Result<Option<String>, Unavailable> {
        Ok(None)
    }

    fn holds(&self, _gate: &str) -> bool {
        false
    }

    fn operator_variable(&self, name: &str) -> Option<SecretString> {
        self.lent.get(name).map(|value| SecretString::from(value.as_str()))
    }
}

pub(crate) fn options() -> SocketOptions {
    SocketOptions::below(std::env::temp_dir())
}

/// One line of a skill's `env` for a secret.
pub(crate) fn from_store(var: &str) -> String {
    format!("  - {{var: {var}, from: secret, service: store, key: {var}}}\n")
}

pub(crate) fn run(skill: &str, program: &str, args: &[&str]) -> Request {
    Request::Run {
        skill: skill.to_owned(),
        args: args.iter().map(|word| (*word).to_owned()).collect(),
        stdin: None,
        program: Some(program.to_owned()),
    }
}

pub(crate) fn lookup(name: &str) -> Request {
    Request::Credential { name: name.to_owned(), skill: None }
}

pub(crate) fn call(socket: &Path, request: &Request) -> Reply {
    client::call(socket, request, WAIT).unwrap()
}

/// The output of a program that ran.
pub(crate) fn ran(reply: Reply) -> Output {
    match reply {
        Reply::Ran(output) => output,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn refused(reply: Reply) -> Refusal {
    match reply {
        Reply::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}
