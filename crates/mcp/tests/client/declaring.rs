//! From a skill on disk to a server: placeholders, defaults, what is hidden, what is refused.

use crate::support::{messages, script};
use skillful_catalog::{
    AgentProfiles, Catalog, Environment, Inputs, Principal, Settings, TrustStore,
    access::{Asker, Way, admit},
    asked_server::AskedServer,
    variables::{SharedVariables, resolve},
};
use skillful_mcp::client::{
    Declared, Endpoint, Options, PlainProcess, ServerGrants, Servers, Transport, declared, limits,
};
use skillful_net::Reach;
use skillful_testkit::{
    Attempts, FileServer, Served,
    disguised::{hosts, whole},
    require_tool,
};
use std::{collections::BTreeSet, fs, sync::Arc, time::Duration};

struct Machine {
    home: tempfile::TempDir,
    environment: Environment,
    settings: Settings,
    /// The servers on the network that the user allowed; every one when there is no list.
    remote: Option<BTreeSet<AskedServer>>,
}

impl Machine {
    fn new(variables: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let base = home.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("work/.git")).unwrap();
        let mut environment = Environment {
            cwd: base.join("work"),
            home: base,
            system: "linux".to_owned(),
            ..Environment::default()
        };
        environment.variables.insert("PATH".to_owned(), std::env::var("PATH").unwrap());
        for (name, value) in variables {
            environment.variables.insert((*name).to_owned(), (*value).to_owned());
        }
        Self { home, environment, settings: Settings { system: false, ..Settings::default() }, remote: None }
    }

    fn declared(&self, header: &str) -> Declared {
        self.declared_in(".agents/skills/s", header)
    }

    fn declared_in(&self, folder: &str, header: &str) -> Declared {
        let folder = self.home.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), format!("---\nname: s\ndescription: d\n{header}\n---\nBody\n"))
            .unwrap();
        let settings = self.settings.clone();
        let (agents, trust) = (AgentProfiles::embedded(), TrustStore::default());
        let inputs = Inputs {
            agents: &agents,
            environment: &self.environment,
            settings: &settings,
            trust: &trust,
            approvals: skillful_catalog::Approvals::none(),
        };
        let catalog = Catalog::build(inputs);
        let at = catalog.entries.iter().position(|entry| entry.name == "s").unwrap();
        let principal = Principal::default();
        let asker = Asker::new(&principal, &self.environment);
        let proof = admit(&catalog, at, asker, Way::Execute).unwrap();
        let skill = catalog.admitted(&proof).unwrap();
        let entry = skill.entry();
        let values = resolve(entry, &self.environment, &SharedVariables::new(&settings)).values;
        let with = |remote: BTreeSet<AskedServer>| {
            declared(&skill, &values, &self.environment, &ServerGrants::of(entry, &settings, remote))
        };
        let found = with(self.remote.clone().unwrap_or_default());
        match found.unanswered.clone().filter(|_| self.remote.is_none()) {
            Some(remote) => with([remote].into()),
            None => found,
        }
    }
}

#[test]
fn without_timeouts_thirty_seconds_and_five_minutes() {
    let machine = Machine::new(&[]);
    let declaration = machine.declared("mcp: {command: npx -y server}").declaration.unwrap();
    assert_eq!((declaration.startup, declaration.idle), (limits::STARTUP, limits::IDLE));
    assert_eq!((limits::STARTUP, limits::IDLE), (Duration::from_secs(30), Duration::from_mins(5)));
    let Transport::Process(command) = declaration.transport else { panic!() };
    assert_eq!(
        (command.program.as_str(), &command.arguments[..]),
        ("npx", &["-y".to_owned(), "server".to_owned()][..])
    );
    assert!(command.folder.ends_with(".agents/skills/s"));
    let own = machine.declared("mcp: {command: x, startup_timeout: 7, idle_timeout: 2}").declaration.unwrap();
    assert_eq!((own.startup, own.idle), (Duration::from_secs(7), Duration::from_mins(2)));
    let silly = machine.declared("mcp: {command: x, startup_timeout: 0, idle_timeout: 99999}");
    assert_eq!(silly.diagnostics.len(), 2, "{}", messages(&silly.diagnostics));
    assert_eq!(silly.declaration.unwrap().idle, limits::IDLE_MOST);
}

#[test]
fn no_command_a_blank_one_or_a_disabled_one_declares_no_server() {
    let machine = Machine::new(&[]);
    for header in [
        "license: MIT",
        "mcp: {command: '  '}",
        "mcp: {url: ''}",
        "mcp: {}",
        "mcp: {command: x, enabled: false}",
    ] {
        assert_eq!(machine.declared(header), Declared::default(), "{header}");
    }
}

#[test]
fn variables_of_the_skill_come_before_the_environment_and_a_missing_one_is_named() {
    let machine = Machine::new(&[("T", "outside"), ("E", "environment")]);
    let header = "vars: {T: {secret: true}, P: '8080'}\nrequires: {env: [E]}\nmcp: {command: x, args: ['--port=${P}'], env: {A: '${T}', B: '${E}', C: '${GONE:-d}'}}";
    fs::create_dir_all(machine.home.path().join(".agents/skills/s")).unwrap();
    fs::write(machine.home.path().join(".agents/skills/s/vars.json"), r#"{"T": "from-the-file"}"#).unwrap();
    let declaration = machine.declared(header).declaration.unwrap();
    assert!(!format!("{declaration:?}").contains("from-the-file"), "{declaration:?}");
    assert_eq!(declaration.mask.hide("say from-the-file and environment"), "say *** and environment");
    let Transport::Process(command) = declaration.transport else { panic!() };
    assert_eq!(command.arguments, ["--port=8080"]);
    let value = |name: &str| command.environment[name].clone();
    assert_eq!([value("A"), value("B"), value("C")], ["from-the-file", "environment", "d"]);
    let missing = machine.declared(
        "vars: {NOT_SET: {}, NOR_THIS: {}}\nmcp: {command: x, env: {A: '${NOT_SET}', B: '${NOR_THIS}'}}",
    );
    assert_eq!(missing.declaration, None);
    assert_eq!(
        messages(&missing.diagnostics),
        "mcp-start-failed: the MCP server of `s` gives 0 tools: `NOR_THIS`, `NOT_SET` has no value\n"
    );
}

#[test]
fn an_address_has_headers_and_the_old_transport_is_refused() {
    let machine = Machine::new(&[("TOKEN", "t0ken-value")]);
    let header = "requires: {env: [TOKEN]}\nmcp: {url: 'https://x.example/mcp', headers: {Authorization: 'Bearer ${TOKEN}'}}";
    let declaration = machine.declared(header).declaration.unwrap();
    assert!(!format!("{declaration:?}").contains("t0ken"), "{declaration:?}");
    let Transport::Http(endpoint) = &declaration.transport else { panic!() };
    assert_eq!(endpoint.headers, [("Authorization".to_owned(), "Bearer t0ken-value".to_owned())]);
    let old = machine.declared("mcp: {url: 'https://x.example/sse', type: sse}");
    assert!(old.declaration.is_none() && messages(&old.diagnostics).contains("`sse` is not spoken"));
}

/// A connection is refused unless the user allowed this address with these variables.
#[test]
fn a_connection_that_was_not_allowed_is_not_made() {
    let mut machine = Machine::new(&[("TOKEN", "t0ken-value"), ("OTHER", "x"), ("HOST", "one.example")]);
    let head = "requires: {env: [TOKEN, OTHER, HOST]}\n";
    let allowed = AskedServer {
        address: "https://one.example/mcp?k=${TOKEN}".to_owned(),
        variables: ["HOST", "TOKEN"].map(str::to_owned).into(),
        is_process: false,
    };
    let written = "mcp: {url: 'https://${HOST}/mcp?k=${TOKEN}'}";
    machine.remote = Some(BTreeSet::new());
    let found = machine.declared(&format!("{head}{written}"));
    assert_eq!((found.declaration, found.unanswered), (None, Some(allowed.clone())));
    let said = messages(&found.diagnostics);
    assert!(
        said.contains(
            "you have not allowed it to connect to https://one.example/mcp?k=${TOKEN} and send HOST, TOKEN"
        ),
        "{said}"
    );
    assert!(!said.contains("t0ken"), "{said}");
    machine.remote = Some([allowed].into());
    assert!(machine.declared(&format!("{head}{written}")).declaration.is_some());
    for other in [
        "mcp: {url: 'https://one.example/mcp?k=${TOKEN}'}",
        "mcp: {url: 'https://${HOST}/mcp?k=${OTHER}'}",
        "mcp: {url: 'https://${HOST}/mcp?k=${TOKEN}', headers: {X: '${OTHER}'}}",
        "mcp: {url: 'https://${HOST}:8443/mcp?k=${TOKEN}'}",
        "mcp: {url: 'http://${HOST}/mcp?k=${TOKEN}'}",
        "mcp: {url: 'https://${HOST}/mcp?k=${TOKEN}&l=${TOKEN}'}",
        "mcp: {url: 'https://u@${HOST}/mcp?k=${TOKEN}'}",
        "mcp: {url: 'https://${HOST}.evil.example/mcp?k=${TOKEN}'}",
    ] {
        let found = machine.declared(&format!("{head}{other}"));
        assert!(found.declaration.is_none() && found.unanswered.is_some(), "{other}");
    }
    machine.environment.variables.insert("HOST".to_owned(), "two.example".to_owned());
    let found = machine.declared(&format!("{head}{written}"));
    assert!(found.declaration.is_none(), "the value of a variable made another address of it");
}

#[tokio::test]
async fn a_secret_that_a_server_repeats_is_shown_nowhere() {
    require_tool!("python3");
    let machine = Machine::new(&[("TOKEN", "s3cret-value")]);
    let server = script().display().to_string();
    for mode in ["dies", "refuses", "good"] {
        let header = format!(
            "requires: {{env: [TOKEN]}}\nmcp: {{command: python3, args: ['{server}', {mode}], env: {{TOKEN: '${{TOKEN}}'}}}}"
        );
        let servers = Servers::new(Arc::new(PlainProcess), Options::default());
        servers.declare(machine.declared(&header).declaration.unwrap()).await;
        let (tools, diagnostics) = servers.tools("s").await;
        let told = messages(&diagnostics);
        assert!(!told.contains("s3cret"), "{told}");
        assert_eq!(told.contains("***"), mode != "good", "{told}");
        if !tools.is_empty() {
            let outcome = crate::support::call(&servers, "env", "").await.unwrap();
            assert!(outcome.text.contains("\"TOKEN\": \"***\""), "{}", outcome.text);
        }
        servers.stop_all().await;
    }
}

/// Names that no declaration may expand, each written in every place of a declaration.
const KEYS: [&str; 6] = [
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "OPENROUTER_API_KEY",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "MY_GATEWAY_KEY",
    "UNDECLARED_TOKEN",
];

/// Where a name stands. `DECLARE` becomes ways to declare it, which help with no key of a provider.
const PLACES: [&str; 5] = [
    "mcp: {url: 'https://x.example/?k=${NAME}'}",
    "mcp: {url: 'https://x.example/', headers: {Authorization: 'Bearer ${NAME}'}}",
    "mcp: {url: 'https://${NAME}.x.example/'}",
    "mcp: {command: x, args: ['--key=${NAME}']}",
    "mcp: {command: x, env: {K: '${NAME}'}}",
];

#[test]
fn no_provider_key_and_no_undeclared_variable_expands() {
    let pairs = KEYS.map(|key| (key, "sk-the-key-of-the-user"));
    let mut machine = Machine::new(&pairs);
    machine.settings.provider_keys = ["MY_GATEWAY_KEY".to_owned()].into();
    let mut attempts = 0;
    for key in KEYS {
        let declared = match key {
            "UNDECLARED_TOKEN" => vec![String::new()],
            key => vec![
                String::new(),
                format!("requires: {{env: [{key}]}}\n"),
                format!("vars: {{{key}: {{secret: true}}}}\n"),
                format!("env: [{{var: {key}, from: config}}]\n"),
            ],
        };
        for place in PLACES {
            for head in &declared {
                let found = machine.declared(&format!("{head}{}", place.replace("NAME", key)));
                assert_eq!(found.declaration, None, "{head}{place} {key}");
                assert!(!messages(&found.diagnostics).contains("sk-the-key"), "{head}{place} {key}");
                attempts += 1;
            }
        }
    }
    Attempts::of("no_provider_key_and_no_undeclared_variable_expands").refused(attempts).report();
}

#[tokio::test]
async fn no_spelling_of_a_local_address_is_reached_by_a_server_of_a_repository() {
    let canary = FileServer::with(|_| Served::Status(404));
    let port = canary.port();
    let written = hosts()
        .into_iter()
        .flat_map(|host| [format!("https://{host}:{port}/mcp"), format!("http://{host}:{port}/mcp")]);
    let mut attempts = 0;
    for url in written.chain(whole(port)) {
        let endpoint = Endpoint { url, headers: Vec::new(), proxy: None, reach: Reach::Public };
        let transport = Transport::Http(endpoint);
        let servers = Servers::new(Arc::new(PlainProcess), Options::default());
        servers
            .declare(skillful_mcp::client::Declaration { transport, ..crate::support::declaration("good") })
            .await;
        let (tools, diagnostics) = servers.tools(&crate::support::declaration("good").skill).await;
        assert!(tools.is_empty() && !diagnostics.is_empty());
        attempts += 1;
    }
    assert!(attempts >= 250, "{attempts}");
    assert_eq!(canary.connections(), 0, "a declaration reached this machine");
    Attempts::of("no_spelling_of_a_local_address_is_reached_by_a_server_of_a_repository")
        .refused(attempts)
        .report();
}

#[test]
fn a_skill_of_a_repository_reaches_public_addresses_and_one_of_the_user_also_this_machine() {
    let machine = Machine::new(&[]);
    let reach = |found: Declared| match found.declaration.unwrap().transport {
        Transport::Http(endpoint) => endpoint.reach,
        Transport::Process(_) => panic!(),
    };
    assert_eq!(reach(machine.declared("mcp: {url: 'http://localhost:1/mcp'}")), Reach::Loopback);
    let mut trusting = Machine::new(&[]);
    trusting.settings.trust = skillful_catalog::settings::TrustMode::All;
    let found = trusting.declared_in("work/.agents/skills/s", "mcp: {url: 'http://localhost:1/mcp'}");
    assert_eq!(reach(found), Reach::Public);
}
