//! `serve`: the server of a team.

use super::printed;
use crate::{
    args::{ServeArgs, ServeCommand},
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{Output, harmless},
};
use secrecy::ExposeSecret as _;
use skillful::views::{BackupView, ServeView};
use skillful_server::{
    Machine, Proxies, Reached, carried_openapi_text, check_sign_in,
    config::{REQUESTS, ServeConfig},
    serve, service,
};
use skillful_team::{
    Team,
    backup::{backup, restore},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::{net::TcpListener, runtime, signal, sync::oneshot};

pub(crate) fn run(context: &Context, args: &ServeArgs) -> Outcome {
    if let Some(ServeCommand::Openapi) = args.command {
        printed(context.output.print(&carried_openapi_text()))?;
        return Ok(Exit::Clean);
    }
    let config = config(context, args)?;
    let runtime =
        runtime::Builder::new_multi_thread().enable_all().build().map_err(failed("start the server"))?;
    // Everything that is wrong is named, the socket among it.
    if let Some(ServeCommand::Check) = args.command {
        return runtime.block_on(check(context, &config, args.public));
    }
    // A backup listens nowhere.
    if let Some(command @ (ServeCommand::Backup { folder } | ServeCommand::Restore { folder })) =
        &args.command
    {
        let restores = matches!(command, ServeCommand::Restore { .. });
        let done = runtime.block_on(move_rows(context, &config, folder, restores));
        runtime.shutdown_background();
        return done;
    }
    let socket = config.socket().map_err(Failure::usage)?;
    if !socket.ip().is_loopback() && !args.public {
        return Err(Failure::usage(format!("{socket} can be reached from other machines"))
            .hint("listen at 127.0.0.1 behind a proxy with TLS, or pass --public"));
    }
    if args.open && !socket.ip().is_loopback() {
        return Err(Failure::usage(format!(
            "{socket} is not on this machine only, and --open signs in without asking"
        ))
        .hint("listen at 127.0.0.1, or leave --open out"));
    }
    let done = runtime.block_on(start(context, &config, socket, args.open));
    runtime.shutdown_background();
    done
}

/// Options over variables over the file.
fn config(context: &Context, args: &ServeArgs) -> Result<ServeConfig, Failure> {
    let environment = context.workspace.environment();
    let (path, is_named) = match &args.config {
        Some(path) => (environment.cwd.join(path), true),
        None => (context.workspace.paths().config.with_file_name("serve.toml"), false),
    };
    let file = match fs::read_to_string(&path) {
        Ok(text) => ServeConfig::of_toml(&text).map_err(|why| {
            Failure::usage(format!("{} cannot be read: {}", path.display(), harmless(&why)))
        })?,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_named => ServeConfig::default(),
        Err(error) => return Err(Failure::usage(format!("{} cannot be read: {error}", path.display()))),
    };
    let options = ServeConfig {
        listen: args.listen.clone(),
        database: args.database.clone(),
        objects: args.objects.clone(),
        address: args.address.clone(),
        hosts: args.allow_host.clone(),
        ..ServeConfig::default()
    };
    Ok(options.over(ServeConfig::of_variables(|name| environment.variable(name))).over(file))
}

fn data(context: &Context) -> PathBuf {
    context.workspace.paths().data.clone()
}

async fn open(context: &Context, config: &ServeConfig) -> Result<Team, Failure> {
    let environment = context.workspace.environment();
    config.open(&data(context), |name| environment.variable(name)).await.map_err(|error| {
        Failure::new(format!("the team's data cannot be opened: {}", harmless(&error.to_string())))
            .hint("run `skillful serve check`")
    })
}

async fn move_rows(context: &Context, config: &ServeConfig, folder: &Path, restores: bool) -> Outcome {
    let team = open(context, config).await?;
    let place = context.workspace.environment().cwd.join(folder);
    let done = if restores {
        restore(team.db(), team.objects(), &place).await
    } else {
        backup(team.db(), team.objects(), &place).await
    };
    let kept = done.map_err(|error| Failure::new(harmless(&error.to_string())))?;
    let view = BackupView::new(place.display().to_string(), kept.rows, kept.trees, restores);
    if context.output.json {
        printed(context.output.print_json(&view))?;
    } else {
        let verb = if restores { "restored" } else { "kept" };
        let text =
            format!("{verb} {} rows and {} contents: {}\n", view.rows, view.contents, harmless(&view.folder));
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}

async fn check(context: &Context, config: &ServeConfig, is_public: bool) -> Outcome {
    let folder = data(context);
    let address = config.address.clone().unwrap_or_else(|| {
        format!("http://{}", config.listen.as_deref().unwrap_or(skillful_server::config::LISTEN))
    });
    let mut view = ServeView::new(address, config.database_name(&folder), config.objects_name(&folder));
    view.problems.extend(config.problems());
    if let Some(oidc) = config.oidc(|name| context.workspace.environment().variable(name))
        && let Err(error) = check_sign_in(oidc).await
    {
        view.problems.push(error.to_string());
    }
    let environment = context.workspace.environment();
    view.problems.extend(config.look(&folder, |name| environment.variable(name)).await);
    if let Ok(socket) = config.socket()
        && !socket.ip().is_loopback()
        && !is_public
    {
        view.problems.push(format!("{socket} can be reached from other machines; pass --public to allow it"));
    }
    if let Ok(socket) = config.socket()
        && let Err(error) = TcpListener::bind(socket).await
    {
        view.problems.push(format!("{socket} cannot be listened at: {error}"));
    }
    let is_clean = view.problems.is_empty();
    print(context, &view, &checked(&view, &context.output))?;
    Ok(if is_clean { Exit::Clean } else { Exit::Findings })
}

fn checked(view: &ServeView, output: &Output) -> String {
    let mut out = places(view);
    for problem in &view.problems {
        out.push_str(&format!("{} {}\n", output.paint(crate::output::BAD, "problem"), harmless(problem)));
    }
    if view.problems.is_empty() {
        out.push_str("The server can start.\n");
    }
    out
}

fn places(view: &ServeView) -> String {
    format!(
        "address   {}\ndatabase  {}\ncontents  {}\n",
        harmless(&view.address),
        harmless(&view.database),
        harmless(&view.objects)
    )
}

fn print(context: &Context, view: &ServeView, text: &str) -> Result<(), Failure> {
    if context.output.json {
        return printed(context.output.print_json_line(view));
    }
    printed(context.output.print_now(text))
}

async fn start(
    context: &Context,
    config: &ServeConfig,
    socket: std::net::SocketAddr,
    opens: bool,
) -> Outcome {
    let faults = config.faults();
    if let Some(first) = faults.first() {
        return Err(Failure::usage(harmless(first))
            .hint("`skillful serve check` reports everything that is wrong with the settings"));
    }
    let team = open(context, config).await?;
    let listener = TcpListener::bind(socket).await.map_err(failed(format!("listen at {socket}")))?;
    let port = listener.local_addr().map_err(failed("learn the address"))?.port();
    let proxies = Proxies::parse(&config.proxies).map_err(|why| Failure::usage(format!("proxies: {why}")))?;
    let reached = Reached {
        proxies,
        address: config.address.clone(),
        hosts: config.hosts.clone(),
        requests: config.requests.unwrap_or(REQUESTS),
        oidc: config.oidc(|name| context.workspace.environment().variable(name)),
        machine: machine(context, config, socket, opens),
    };
    let (router, app) = service(team.clone(), port, &reached);
    let folder = data(context);
    let mut view =
        ServeView::new(app.address().to_owned(), config.database_name(&folder), config.objects_name(&folder));
    let lost = |error: skillful_team::TeamError| Failure::new(error.to_string());
    let link = if opens { Some(open_link(&team, &app).await.map_err(lost)?) } else { None };
    if team.needs_first_admin().await.map_err(lost)? {
        let secret = team.first_admin_link().await.map_err(lost)?;
        view.first_administrator = Some(format!("{}/first/{}", app.address(), secret.expose_secret()));
    }
    let in_step = tokio::spawn(team.clone().keep_in_step());
    let delivering = tokio::spawn(team.clone().keep_delivering());
    let tidying = tokio::spawn(team.clone().keep_tidy());
    let mut text = places(&view);
    if let Some(link) = &view.first_administrator {
        text.push_str(&format!(
            "\nOpen this link once, within a day, to become the administrator:\n  {link}\n"
        ));
    }
    if let Some(link) = &link {
        text.push_str(&format!("\nThe page opens in your browser, signed in; this link works once, within two minutes:\n  {link}\n"));
    }
    text.push_str("\nCtrl-C ends.\n");
    print(context, &view, &text)?;
    if let Some(link) = &link {
        crate::browser::open(context, link);
    }
    let (stop, stopped) = oneshot::channel();
    let waiting = tokio::spawn(async move {
        ended().await;
        drop(stop);
    });
    let served = serve(listener, router, stopped).await;
    waiting.abort();
    in_step.abort();
    delivering.abort();
    tidying.abort();
    served.map_err(failed("serve"))?;
    Ok(Exit::Clean)
}

/// The machine, for a server that its one user opened on it. A server with sign-in or another name is that of a team.
fn machine(
    context: &Context,
    config: &ServeConfig,
    socket: std::net::SocketAddr,
    opens: bool,
) -> Option<Arc<Machine>> {
    let has_sign_in = config.oidc(|name| context.workspace.environment().variable(name)).is_some();
    let is_named = config.address.is_some() || !config.hosts.is_empty() || has_sign_in;
    let machine = opens.then(|| Machine::of_one_user(context.workspace.clone(), socket, is_named));
    machine.flatten().map(Arc::new)
}

/// How long the link of `--open` can be used.
const OPEN_MILLIS: i64 = 2 * 60 * 1_000;

/// A link that signs the browser of this machine in as its administrator, once.
async fn open_link(team: &Team, app: &skillful_server::App) -> Result<String, skillful_team::TeamError> {
    let user = team.local_admin().await?;
    let secret = skillful_team::credentials::secret()?;
    team.keep_once("open", &secret, &user.id, OPEN_MILLIS).await?;
    Ok(format!("{}/ui/open/{}", app.address(), secret.expose_secret()))
}

/// Ctrl-C, or the signal of a service manager.
async fn ended() {
    let Ok(mut terminate) = signal::unix::signal(signal::unix::SignalKind::terminate()) else {
        let _interrupted = signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _interrupted = signal::ctrl_c() => {}
        _terminated = terminate.recv() => {}
    }
}
