//! A server on a free port, with users.

use secrecy::ExposeSecret as _;
use serde_json::Value;
use skillful_server::{OidcConfig, Reached, serve, service};
use skillful_team::{
    Db, FIRST_ORG, Objects, Openness, Outbound, Role, Team, TokenScope, credentials::TokenInput,
    people::Identity,
};
use std::{
    io::Read as _,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};
use tempfile::TempDir;
use tokio::{net::TcpListener, runtime::Runtime, sync::oneshot};

pub(crate) struct Running {
    pub(crate) team: Team,
    pub(crate) port: u16,
    pub(crate) runtime: Runtime,
    _folder: TempDir,
    stop: Option<oneshot::Sender<()>>,
}

/// An answer: status, header fields by name, and the body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn field(&self, name: &str) -> &str {
        self.head.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }
}

impl Running {
    pub(crate) fn start() -> Self {
        Self::start_at(0, None)
    }

    /// A server that may reach this machine.
    pub(crate) fn start_open() -> Self {
        let program_path = std::env::var("PATH").unwrap_or_default();
        Self::start_with(
            0,
            &Reached::default(),
            Outbound { private_addresses: true, program_path, ..Default::default() },
        )
    }

    pub(crate) fn start_at(port: u16, oidc: Option<OidcConfig>) -> Self {
        Self::start_with(port, &Reached { oidc, ..Default::default() }, Outbound::default())
    }

    /// A server with a limit of requests in a second.
    pub(crate) fn start_limited(requests: u32) -> Self {
        Self::start_with(0, &Reached { requests, ..Default::default() }, Outbound::default())
    }

    fn start_with(port: u16, reached: &Reached, outbound: Outbound) -> Self {
        let runtime = Runtime::new().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (team, port, stop) = runtime.block_on(async {
            let db = Db::open(folder.path().join("team.db").to_str().unwrap()).await.unwrap();
            let objects = Objects::folder(&folder.path().join("objects")).unwrap();
            let now = Arc::new(|| {
                i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
            });
            let team =
                Team::open(db, objects, Openness::default(), now).await.unwrap().with_outbound(outbound);
            let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
            let port = listener.local_addr().unwrap().port();
            let (router, _) = service(team.clone(), port, reached);
            let (stop, stopped) = oneshot::channel();
            tokio::spawn(serve(listener, router, stopped));
            (team, port, stop)
        });
        Self { team, port, runtime, _folder: folder, stop: Some(stop) }
    }

    /// Asks the server to stop.
    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Adds an organisation.
    pub(crate) fn organisation(&self, id: &str) {
        self.runtime.block_on(async {
            let mut tx = self.team.db().begin().await.unwrap();
            let row = vec![id.into(), id.into(), 0_i64.into()];
            tx.run("INSERT INTO org (id, name, created) VALUES ($1, $2, $3)", row).await.unwrap();
            tx.commit().await.unwrap();
        });
    }

    /// The token of a user with these roles and every scope.
    pub(crate) fn user(&self, name: &str, roles: &[Role]) -> String {
        self.user_of(FIRST_ORG, name, roles)
    }

    pub(crate) fn user_of(&self, org: &str, name: &str, roles: &[Role]) -> String {
        self.runtime.block_on(async {
            let identity = Identity {
                issuer: "https://id.example".to_owned(),
                sub: name.to_owned(),
                roles: Some(roles.iter().copied().collect()),
                ..Default::default()
            };
            let user = self.team.signed_in(org, &identity).await.unwrap();
            let session = self.team.begin_session(&user.id).await.unwrap();
            let actor = self.team.by_session(session.expose_secret()).await.unwrap();
            let input = TokenInput {
                name: "test".to_owned(),
                scopes: TokenScope::ALL.iter().copied().collect(),
                days: 1,
                bound: String::new(),
            };
            self.team.create_token(&actor, &input).await.unwrap().1.expose_secret().to_owned()
        })
    }

    /// The cookie of a browser session of a user.
    pub(crate) fn browser(&self, name: &str) -> String {
        self.runtime.block_on(async {
            let identity = Identity {
                issuer: "https://id.example".to_owned(),
                sub: name.to_owned(),
                ..Default::default()
            };
            let user = self.team.signed_in(FIRST_ORG, &identity).await.unwrap();
            format!("skillful_session={}", self.team.begin_session(&user.id).await.unwrap().expose_secret())
        })
    }

    pub(crate) fn ask(&self, method: &str, path: &str, head: &[(&str, &str)], body: &[u8]) -> Answer {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .allow_non_standard_methods(true)
            .build()
            .into();
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("http://127.0.0.1:{}{path}", self.port));
        for (name, value) in head {
            request = request.header(*name, *value);
        }
        let answer = agent.run(request.body(body.to_vec()).unwrap()).unwrap();
        let status = answer.status().as_u16();
        let head = answer
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()))
            .collect();
        let mut bytes = Vec::new();
        answer.into_body().into_reader().read_to_end(&mut bytes).unwrap();
        Answer { status, head, body: bytes }
    }

    /// A request of a user with a body of JSON.
    pub(crate) fn call(&self, token: &str, method: &str, path: &str, body: &Value) -> Answer {
        let bearer = format!("Bearer {token}");
        let head = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        self.ask(method, path, &head, &bytes)
    }

    /// Uploads a skill.
    pub(crate) fn upload(&self, token: &str, path: &str, name: &str, body: &str) -> Answer {
        let text = format!("---\nname: {name}\ndescription: Does {name}. Use when asked.\n---\n\n{body}\n");
        let bearer = format!("Bearer {token}");
        let head = [("authorization", bearer.as_str()), ("content-type", "text/markdown")];
        self.ask("POST", path, &head, text.as_bytes())
    }
}
