//! `mcp`: skills for any agent, over standard input and output or over HTTP.

use crate::{
    args::McpArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    memory::lost,
    output::{self, harmless},
    turn::now,
};
use skillful::{SkillState, Workspace, refusal::fix};
use skillful_database::Database;
use skillful_mcp::server::{
    Live, Served,
    http::{self, Entrance, PATH, Token},
    serve_stdio,
};
use std::{
    io::{IsTerminal as _, Read},
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{net::TcpListener, runtime};

/// The variable that holds the token.
const TOKEN_VARIABLE: &str = "SKILLFUL_MCP_TOKEN";
/// Untrusted skills that the log names.
const NAMED: usize = 6;
/// Bytes of a token's file that are read.
const TOKEN_FILE_LIMIT: u64 = 4 << 10;

pub(crate) fn run(context: &mut Context, args: &McpArgs) -> Outcome {
    if let Some(name) = &args.agent {
        context.known_agent(name)?;
    }
    let entrance = args.http.as_deref().map(|address| entrance(context, args, address)).transpose()?;
    let data = context.workspace.paths().data.clone();
    let workspace = context.workspace.with_user(args.user.as_deref());
    let served = Served {
        agent: args.agent.clone(),
        run_commands: !args.no_run,
        used: Box::new(move |skill| count_use(&data, skill)),
        opened: {
            let said = Mutex::new(String::new());
            Box::new(move |workspace| tell_untrusted(workspace, &said))
        },
        ..Served::workspace(workspace)
    };
    let live = Live::start(served).map_err(failed("start to look for skills"))?;
    let runtime =
        runtime::Builder::new_current_thread().enable_all().build().map_err(failed("start the server"))?;
    let served = match entrance {
        Some((address, entrance)) => runtime.block_on(over_http(live, address, entrance)),
        None => {
            if std::io::stdin().is_terminal() {
                output::tell(
                    "waiting for an MCP client on standard input; Ctrl-C ends\n\
                     an agent starts this command itself: skillful mcp install --agent NAME\n",
                );
            }
            runtime.block_on(serve_stdio(live)).map_err(|ended| Failure::new(ended.to_string()))
        }
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
    let given = match (&args.token_file, context.workspace.environment().variable(TOKEN_VARIABLE)) {
        (Some(file), _) => Some(token_file(&context.workspace.environment().cwd.join(file))?),
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
        Failure::usage(format!("`{text}` is not an address"))
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

/// Prints for the user, who reads the log of the client, which skills the client is not offered until they are trusted. A
/// model must not learn of them.
fn tell_untrusted(workspace: &Workspace, said: &Mutex<String>) {
    let words = untrusted(workspace).unwrap_or_default();
    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
    if *said != words {
        output::tell(&words);
        *said = words;
    }
}

/// The skills that are not trusted yet, and the command that trusts them.
fn untrusted(workspace: &Workspace) -> Option<String> {
    let catalog = workspace.catalog();
    let places = catalog.entries.iter().enumerate();
    let found: Vec<_> = places
        .map(|(at, entry)| (workspace.state(at), entry))
        .filter(|(state, _)| matches!(state, SkillState::Untrusted { .. }))
        .collect();
    let (state, first) = found.first()?;
    let names: Vec<String> = found.iter().take(NAMED).map(|(_, entry)| harmless(&entry.address())).collect();
    let more = found.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let count =
        if found.len() == 1 { "1 skill is".to_owned() } else { format!("{} skills are", found.len()) };
    let fix = fix(state, first).map_or_else(String::new, |fix| format!("\n  fix:   {fix}"));
    let folder = harmless(&workspace.environment().cwd.display().to_string());
    Some(format!("note: {count} untrusted and not offered in {folder}: {}{more}{fix}\n", names.join(", ")))
}

/// Counts a use of a skill, where the user keeps sessions.
fn count_use(data: &Path, skill: &str) {
    let noted = Database::open_existing(data)
        .and_then(|store| store.map_or(Ok(()), |store| store.skill_used(skill, "", None, now())));
    if let Err(error) = noted {
        output::tell(&format!("{}\n", harmless(&lost(&error).message)));
    }
}
