//! A library in a temp folder, and a client of it.

use rmcp::{
    ClientHandler, ErrorData, RoleClient, ServiceError, ServiceExt,
    model::{ClientRequest, CustomRequest, ServerResult},
    service::{NotificationContext, RunningService},
};
use serde_json::{Value, json};
use skillful::{Environment, Options, Workspace};
use skillful_mcp::server::{Live, Served, Skills};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use tempfile::TempDir;
use tokio::sync::mpsc;

/// A folder of skills, and one of proposals. Copies share them.
#[derive(Clone)]
pub(crate) struct World {
    root: Arc<TempDir>,
    /// Folders that a user enabled or off.
    switched: Arc<Mutex<Vec<(String, bool)>>>,
}

impl World {
    pub(crate) fn new() -> Self {
        let root = tempfile::Builder::new().prefix("skillful-mcp-").tempdir().unwrap();
        for folder in ["skills", "data/proposed", "home", "plugins"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        Self { root: Arc::new(root), switched: Arc::default() }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn file(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
        self
    }

    /// A skill with some lines of header.
    pub(crate) fn skill(&self, name: &str, header: &str, body: &str) -> &Self {
        self.file(
            &format!("skills/{name}/SKILL.md"),
            format!("---\nname: {name}\ndescription: About {name}.\n{header}---\n\n{body}\n"),
        )
    }

    pub(crate) fn switch(&self, folder: &str, enabled: bool) {
        self.switched.lock().unwrap().push((folder.to_owned(), enabled));
        self.configure();
    }

    /// A client of a server of its own over this library.
    pub(crate) async fn client(&self) -> Client {
        client(&Live::start(Served::workspace(self.workspace())).unwrap()).await
    }
}

impl World {
    /// The workspace of these folders, with the configuration that the switches make.
    pub(crate) fn workspace(&self) -> Workspace {
        self.configure();
        let environment = Environment {
            cwd: self.path("home"),
            home: self.path("home"),
            variables: [("SKILLFUL_HOME".to_owned(), self.path("").display().to_string())].into(),
            system: "linux".to_owned(),
            ..Environment::default()
        };
        Workspace::open(environment, Options { no_cache: true, ..Options::default() })
    }

    fn configure(&self) {
        let mut config = format!(
            "custom = [\"{}\"]\nplugins = [\"{}\"]\nsystem = false\n",
            self.path("skills").display(),
            self.path("plugins").display()
        );
        for (path, enabled) in self.switched.lock().unwrap().iter() {
            config.push_str(&format!(
                "[[skill]]\npath = \"{}\"\nenabled = {enabled}\n",
                self.path(path).display()
            ));
        }
        fs::write(self.path("config.toml"), config).unwrap();
    }
}

/// Keeps the notifications of the server.
pub(crate) struct Ears(mpsc::UnboundedSender<&'static str>);

impl ClientHandler for Ears {
    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _gone = self.0.send("prompts");
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _gone = self.0.send("resources");
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _gone = self.0.send("tools");
    }
}

/// A connected client.
pub(crate) struct Client {
    service: RunningService<RoleClient, Ears>,
    pub(crate) told: mpsc::UnboundedReceiver<&'static str>,
}

/// Connects a client to a server.
pub(crate) async fn client(live: &Arc<Live>) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = Skills::new(Arc::clone(live));
    tokio::spawn(async move { server.serve(theirs).await.unwrap().waiting().await });
    let (sender, told) = mpsc::unbounded_channel();
    Client { service: Ears(sender).serve(ours).await.unwrap(), told }
}

impl Client {
    /// Asks, and gives the answer as it came.
    pub(crate) async fn try_ask(&self, method: &str, params: Value) -> Result<Value, ErrorData> {
        let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
        match self.service.send_request(request).await {
            Ok(ServerResult::CustomResult(result)) => Ok(result.0),
            Ok(result) => Ok(serde_json::to_value(result).unwrap()),
            Err(ServiceError::McpError(error)) => Err(error),
            Err(error) => panic!("{method}: {error}"),
        }
    }

    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        self.try_ask(method, params).await.unwrap()
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Called {
        let called = Called(self.ask("tools/call", json!({ "name": name, "arguments": arguments })).await);
        // Agents that are sent data forward it in place of the text.
        assert!(called.0["structuredContent"].is_null(), "{}", called.0);
        called
    }
}

/// What a tool answered.
pub(crate) struct Called(pub(crate) Value);

impl Called {
    pub(crate) fn text(&self) -> &str {
        self.0["content"][0]["text"].as_str().unwrap()
    }

    /// The names of the skills that a list shows.
    pub(crate) fn listed(&self) -> Vec<&str> {
        self.text().lines().filter_map(|line| Some(line.strip_prefix("- ")?.split_once(": ")?.0)).collect()
    }

    /// The words of a refusal.
    #[track_caller]
    pub(crate) fn refusal(&self) -> &str {
        assert_eq!(self.0["isError"], json!(true), "{}", self.0);
        self.text()
    }
}

/// The names in a list of objects.
pub(crate) fn names(list: &Value, key: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item[key].as_str().unwrap().to_owned()).collect()
}

/// The bytes of a file.
pub(crate) fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}
