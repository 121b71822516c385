//! `mcp`: skills for any agent, over standard input and output or over HTTP.

use crate::{
    args::{Global, McpArgs, WorkArgs},
    config::project_file,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    memory::lost,
    output,
    turn::now,
    work,
};
use skillful_catalog::roots::repository_of;
use skillful_database::Store;
use skillful_mcp::server::{
    Hit, Library, Live, Snapshot, Workshop,
    http::{self, Entrance, PATH, Token},
    serve_stdio,
};
use skillful_route::{Evidence, Router};
use skillful_runtime::{Work, installed};
use std::{
    io::Read,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{net::TcpListener, runtime};

/// The variable that holds the token.
const TOKEN_VARIABLE: &str = "SKILLFUL_MCP_TOKEN";
/// Bytes of a token's file that are read.
const TOKEN_FILE_LIMIT: u64 = 4 << 10;

pub(crate) fn run(context: &mut Context, global: &Global, args: &McpArgs) -> Outcome {
    if args.agent.is_some() {
        context.load_agents();
        context.agent(args.agent.as_deref())?;
    }
    let entrance = args.http.as_deref().map(|address| entrance(context, args, address)).transpose()?;
    let local = Local {
        global: global.clone(),
        agent: args.agent.clone(),
        user: args.user.clone(),
        run: !args.no_run,
        search: Mutex::default(),
        data: context.paths.data.clone(),
    };
    let live = Live::start(local).map_err(failed("start to look for skills"))?;
    let runtime =
        runtime::Builder::new_current_thread().enable_all().build().map_err(failed("start the server"))?;
    let served = match entrance {
        Some((address, entrance)) => runtime.block_on(over_http(live, address, entrance)),
        None => runtime.block_on(serve_stdio(live)).map_err(|ended| Failure::new(ended.to_string())),
    };
    // A read of standard input may still be under way.
    runtime.shutdown_background();
    served.map(|()| Exit::Clean)
}

async fn over_http(live: Arc<Live>, address: SocketAddr, entrance: Entrance) -> Result<(), Failure> {
    let listener = TcpListener::bind(address).await.map_err(failed(format!("listen at {address}")))?;
    let address = listener.local_addr().map_err(failed("learn the address"))?;
    output::tell(&format!("listening at http://{address}{PATH}; Ctrl-C ends\n"));
    http::serve(listener, live, entrance, std::future::pending()).await.map_err(failed("serve"))
}

/// Where to listen and whom to let in.
fn entrance(context: &Context, args: &McpArgs, address: &str) -> Result<(SocketAddr, Entrance), Failure> {
    let address = socket(address)?;
    if !address.ip().is_loopback() && !args.public {
        return Err(Failure::usage(format!("{address} can be reached from other machines"))
            .hint("listen at 127.0.0.1, or say --public"));
    }
    let given = match (&args.token_file, context.environment.variable(TOKEN_VARIABLE)) {
        (Some(file), _) => Some(token_file(&context.environment.cwd.join(file))?),
        (None, variable) => variable,
    };
    let token = match given {
        _ if args.no_token => None,
        Some(text) => Some(Token::new(&text).map_err(|fault| Failure::usage(fault.to_string()))?),
        None if args.public => {
            return Err(Failure::usage("--public needs a token of your own").hint(format!(
                "write one to a file and give it with --token-file, or set {TOKEN_VARIABLE}"
            )));
        }
        None => {
            let (token, text) = Token::random().map_err(failed("make a token"))?;
            output::tell(&format!("token: {text}\n"));
            Some(token)
        }
    };
    Ok((address, Entrance { token, hosts: args.allow_host.clone(), origins: args.allow_origin.clone() }))
}

/// `127.0.0.1:8765`, `localhost:8765`, `:8765` or `8765`.
fn socket(text: &str) -> Result<SocketAddr, Failure> {
    let port = text.strip_prefix(':').unwrap_or(text).parse::<u16>();
    if let Ok(port) = port {
        return Ok(SocketAddr::from((IpAddr::from([127, 0, 0, 1]), port)));
    }
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| {
        Failure::usage(format!("`{text}` is no address"))
            .hint("write an address and a port, such as 127.0.0.1:8765")
    })
}

fn token_file(file: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read =
        std::fs::File::open(file).and_then(|file| file.take(TOKEN_FILE_LIMIT).read_to_string(&mut text));
    read.map_err(|error| {
        Failure::usage(format!("the token cannot be read from `{}`: {error}", file.display()))
    })?;
    Ok(text)
}

/// The skills of this machine, as every other command sees them.
struct Local {
    global: Global,
    agent: Option<String>,
    user: Option<String>,
    /// Whether commands of bodies run.
    run: bool,
    /// The search index of the newest catalogue that was asked about, by its fingerprint.
    search: Mutex<Option<(String, Router)>>,
    /// Where the memory is, if there is one.
    data: PathBuf,
}

impl Library for Local {
    fn look(&self) -> Result<Snapshot, String> {
        let mut context = Context::new(&self.global).map_err(|failure| failure.message)?;
        context.principal.user.clone_from(&self.user);
        let catalog = context.catalog();
        let told = |failure: Failure| failure.message;
        let agent = context.agent(self.agent.as_deref()).map_err(told)?.cloned();
        let mut workshop = context.workshop(agent.as_ref(), WorkArgs::default()).map_err(told)?;
        let installed = std::mem::take(&mut workshop.installed);
        let paths = &context.paths;
        let mut depends_on = vec![
            paths.config.clone(),
            paths.managed_config.clone(),
            paths.trust.clone(),
            paths.variables.clone(),
        ];
        depends_on.push(paths.data.join(installed::FILE));
        depends_on.extend(repository_of(&context.environment.cwd).map(project_file));
        Ok(Snapshot {
            catalog,
            depends_on,
            agent,
            installed,
            workshop: self.run.then(|| Arc::new(workshop) as Arc<dyn Workshop>),
            settings: context.config.settings,
            names: context.config.names,
            environment: context.environment,
            principal: context.principal,
        })
    }

    fn search(
        &self,
        snapshot: &Snapshot,
        request: &str,
        most: usize,
        open: &dyn Fn(usize) -> bool,
    ) -> Vec<Hit> {
        let fingerprint = snapshot.catalog.fingerprint();
        let mut kept = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        let router = match kept.take() {
            Some((known, router)) if known == fingerprint => router,
            Some((_, router)) => router.reopen(&snapshot.catalog).0,
            None => Router::open(&snapshot.catalog, snapshot.settings.cache.as_deref()).0,
        };
        let within = router.restrict(open);
        let judged = router.judge(request, most, &Evidence { within: Some(&within), ..Evidence::default() });
        *kept = Some((fingerprint, router));
        judged.found.iter().map(|found| Hit { entry: found.entry, probability: found.probability }).collect()
    }

    fn used(&self, skill: &str) {
        let noted = Store::open_existing(&self.data)
            .and_then(|store| store.map_or(Ok(()), |store| store.skill_used(skill, "", None, now())));
        if let Err(error) = noted {
            output::tell(&format!("{}\n", output::harmless(&lost(&error).message)));
        }
    }
}

impl Workshop for work::Workshop {
    fn work(&self) -> Work<'_> {
        work::Workshop::work(self)
    }
}
