//! A team in a temporary folder, with a clock that the test moves.

use skillful_format::{Limits, Tree, TreeFile, TreePath};
use skillful_team::{
    Actor, Db, FIRST_ORG, Objects, Openness, Role, Scope, Team,
    people::Identity,
    upload::{Stored, Upload},
};
use std::{
    collections::BTreeSet,
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};
use tempfile::TempDir;

pub(crate) struct World {
    pub(crate) team: Team,
    pub(crate) folder: TempDir,
    pub(crate) address: String,
    clock: Arc<AtomicI64>,
}

pub(crate) type Test = fn(World) -> Pin<Box<dyn Future<Output = ()>>>;

/// Runs a test with a new team.
pub(crate) fn run(database: Option<String>, test: Test) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let address = database.unwrap_or_else(|| folder.path().join("team.db").to_str().unwrap().to_owned());
        let clock = Arc::new(AtomicI64::new(1_800_000_000_000));
        let team = open(&address, &folder, &clock).await;
        test(World { team, folder, address, clock }).await;
    });
}

async fn open(address: &str, folder: &TempDir, clock: &Arc<AtomicI64>) -> Team {
    let clock = Arc::clone(clock);
    let objects = Objects::folder(&folder.path().join("objects")).unwrap();
    let now = Arc::new(move || clock.fetch_add(1, Ordering::SeqCst));
    Team::open(Db::open(address).await.unwrap(), objects, Openness::default(), now).await.unwrap()
}

impl World {
    /// Another process of the same team.
    pub(crate) async fn another_process(&self) -> Team {
        open(&self.address, &self.folder, &self.clock).await
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, millis: i64) {
        self.clock.fetch_add(millis, Ordering::SeqCst);
    }

    /// A user with roles, as a browser session of theirs.
    pub(crate) async fn user(&self, name: &str, roles: &[Role]) -> Actor {
        self.user_of(FIRST_ORG, name, roles).await
    }

    pub(crate) async fn user_of(&self, org: &str, name: &str, roles: &[Role]) -> Actor {
        let identity = Identity {
            issuer: "https://id.example".to_owned(),
            sub: name.to_owned(),
            email: format!("{name}@example.org"),
            name: name.to_owned(),
            roles: Some(roles.iter().copied().collect::<BTreeSet<_>>()),
            groups: None,
        };
        let user = self.team.signed_in(org, &identity).await.unwrap();
        self.again(&user.id).await
    }

    /// The actor of a user as the next request has it.
    pub(crate) async fn again(&self, user: &str) -> Actor {
        use secrecy::ExposeSecret as _;
        let session = self.team.begin_session(user).await.unwrap();
        self.team.by_session(session.expose_secret()).await.unwrap()
    }

    /// Creates a skill.
    pub(crate) async fn skill(&self, actor: &Actor, scope: &Scope, name: &str, body: &str) -> Stored {
        self.team.create_skill(actor, scope, upload(name, body)).await.unwrap()
    }
}

pub(crate) fn own(actor: &Actor) -> Scope {
    Scope::Own(actor.user.clone().unwrap())
}

/// A skill whose frontmatter may have more lines: `body` begins with them when it has a line `---`.
pub(crate) fn upload(name: &str, body: &str) -> Upload {
    let (more, body) = body.split_once("---\n").unwrap_or(("", body));
    let text = format!("---\nname: {name}\ndescription: Does {name}. Use when asked.\n{more}---\n\n{body}\n");
    Upload { tree: files(&[("SKILL.md", &text)]), ..Default::default() }
}

pub(crate) fn files(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::default();
    for (path, content) in files {
        let file = TreeFile { bytes: content.as_bytes().to_vec(), executable: content.starts_with("#!") };
        tree.insert(TreePath::new(path, &Limits::default()).unwrap(), file, &Limits::default()).unwrap();
    }
    tree
}
