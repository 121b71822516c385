//! Runs the command in the sandbox: it reaches the project and the proxy, and nothing else.

use super::{
    command,
    pins::{Loose, Pins},
};
use crate::{
    commands::secret,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output,
    work::not_held,
};
use skillful_assistant::tools::project_guard::ProjectGuard;
use skillful_catalog::roots;
use skillful_credentials::proxy::{Gate as _, Proxy, ProxyPolicy, SANDBOX_VARIABLE};
use skillful_runtime::{
    credential_proxy::CatalogGate,
    mounted_place,
    room::{Grants, Sandbox},
};
use skillful_sandbox::{Ended, Job, Limits, Report, Require, Running, Status};
use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
    time::Duration,
};

/// Limits of an agent with its tools; its time is not limited.
const LIMITS: Limits = Limits {
    time: None,
    output_bytes: 0,
    processes: 1024,
    memory: 8 << 30,
    file_size: 4 << 30,
    open_files: 4096,
};
/// How often signals are checked.
const TICK: Duration = Duration::from_millis(100);
/// Bytes per copy.
const CHUNK: usize = 64 << 10;
/// The exit code of a command that was killed.
const ENDED: u8 = 137;

/// The paths of a sandboxed command, and its sandbox.
pub(super) struct Confined {
    report: Report,
    program: PathBuf,
    folder: PathBuf,
    writable: Vec<PathBuf>,
    read_only: Vec<PathBuf>,
    /// None when the user lets the command change what instructs git and agents.
    guard: Option<ProjectGuard>,
}

/// Determines what the command may access, before anything starts.
pub(super) fn prepare(
    context: &Context,
    grants: &Grants,
    sandbox: &Sandbox,
    gate: &CatalogGate,
    policy: &ProxyPolicy,
    change_guarded: bool,
) -> Result<Confined, Failure> {
    let cwd = &context.workspace.environment().cwd;
    let project = roots::repository_of(cwd).unwrap_or(cwd);
    let project = project.canonicalize().map_err(failed(format!("open `{}`", project.display())))?;
    for folder in grants.writable.iter().chain(&grants.readable).chain([&project]) {
        hides(context, folder)?;
    }
    let mut pins = Pins::default();
    // A command that could rewrite a program of a skill would get its secrets.
    for address in gate.reachable() {
        let allowed = gate.reach(&address).ok().filter(|skill| is_allowed(policy, &skill.address));
        let Some(skill) = allowed else { continue };
        let folder = gate.catalog.entries[skill.id].folder();
        pins.hold(&project, folder).map_err(|loose| not_kept(&project, &address, &loose))?;
        for granted in &grants.writable {
            let granted = granted.canonicalize().unwrap_or_else(|_| granted.clone());
            pins.hold(&granted, folder).map_err(|loose| not_kept(&granted, &address, &loose))?;
        }
    }
    let program = env::current_exe().and_then(fs::canonicalize).map_err(failed("find this program"))?;
    let granted =
        grants.writable.iter().map(|granted| granted.canonicalize().unwrap_or_else(|_| granted.clone()));
    let wide: Vec<PathBuf> = granted.chain([project.clone()]).collect();
    let mut writable = pins.writable;
    writable.push(project);
    writable.extend(grants.writable.iter().cloned());
    let mut read_only = pins.read_only;
    read_only.push(program.clone());
    read_only.extend(grants.readable.iter().cloned());
    let guard = (!change_guarded).then(|| guard(context, &wide, cwd)).transpose()?;
    if let Some(guard) = &guard {
        writable.extend(guard.writable.iter().cloned());
        // What is kept for another reason is in the list already.
        read_only.extend(guard.read_only.iter().filter(|path| path.exists()).cloned());
        if !guard.complete {
            output::tell(
                "warning: the project is too large to be searched completely for what instructs git and agents\n",
            );
        }
    }
    for list in [&mut writable, &mut read_only] {
        list.sort();
        list.dedup();
    }
    let stays =
        |path: &PathBuf| guard.iter().flat_map(|guard| &guard.read_only).any(|kept| path.starts_with(kept));
    writable.retain(|path| !read_only.contains(path) && !stays(path));
    Ok(Confined {
        report: sandbox.report().clone(),
        program,
        folder: cwd.clone(),
        writable,
        read_only,
        guard,
    })
}

fn guard(context: &Context, folders: &[PathBuf], folder: &Path) -> Result<ProjectGuard, Failure> {
    ProjectGuard::of(&context.workspace, folders, folder).map_err(|why| {
        Failure::usage(
            "what instructs git and agents in the project cannot be kept from a command in the sandbox",
        )
        .cause(why.to_string())
        .hint("let the command change it: --change-guarded")
    })
}

fn is_allowed(policy: &ProxyPolicy, skill: &str) -> bool {
    policy.skills.as_ref().is_none_or(|skills| skills.contains(skill))
}

/// Refuses a folder that contains the home, the settings or the key: the sandbox protects exactly these.
fn hides(context: &Context, folder: &Path) -> Result<(), Failure> {
    let paths = context.workspace.paths();
    let settings = paths.config.parent().unwrap_or(&paths.config);
    let key = secret::key_file(context);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = real(folder);
    let own = [settings, &paths.data, &key].map(real);
    let bare = mounted_place::contains(&folder, &context.workspace.environment().home)
        || own.iter().any(|own| own.starts_with(&folder) || folder.starts_with(own));
    if !bare {
        return Ok(());
    }
    let folder = folder.display();
    Err(Failure::usage(format!(
        "a command in the sandbox cannot access `{folder}`: it contains your home, settings or secrets"
    ))
    .hint("run it in the folder of a project, and grant narrower folders in `[run]`"))
}

fn not_kept(folder: &Path, skill: &str, loose: &Loose) -> Failure {
    let folder = folder.display();
    let why = match loose {
        Loose::Around => format!("`{folder}` is inside its folder"),
        Loose::Link(link) => format!("the link `{}` leads to it", link.display()),
        Loose::Winding => "too many links lead to it".to_owned(),
    };
    Failure::usage(format!("a command in the sandbox could change the programs of `{skill}`: {why}"))
        .hint("name the skills of this run with --skill, or run it in another folder")
}

impl Confined {
    /// Runs a command to its end and ends with its code.
    pub(super) fn run(&self, context: &Context, proxy: &Proxy, pass: &[String], words: &[String]) -> Outcome {
        let Some((program, arguments)) = words.split_first() else { return Ok(Exit::Clean) };
        let socket = proxy.path().canonicalize().map_err(failed("find the socket"))?;
        let mut variables = command::variables(context, proxy, pass, &socket);
        variables.insert(SANDBOX_VARIABLE.to_owned(), "1".to_owned());
        self.name_program(&mut variables);
        let job = Job {
            arguments: arguments.iter().map(Into::into).collect(),
            environment: variables.iter().map(|(name, value)| (name.into(), value.into())).collect(),
            read_only: self.read_only.clone(),
            writable: self.writable.clone(),
            hidden: self.guard.iter().flat_map(|guard| guard.hidden.clone()).collect(),
            sockets: vec![socket],
            limits: LIMITS,
            ..Job::new(program, &self.folder)
        };
        let mut signals = command::signals()?;
        let mut running = skillful_sandbox::spawn(&job, Require::Sandbox, &self.report)
            .map_err(|error| not_held(format!("`{program}` did not start: {error}"), &error))?;
        let copies = copy_streams(&mut running);
        let lost = |error: skillful_sandbox::SandboxError| Failure::new(error.to_string());
        let (ended, signal) = loop {
            if let Some(ended) = running.wait_for(TICK).map_err(lost)? {
                break (ended, None);
            }
            if let Some(guard) = &self.guard {
                guard.glance();
            }
            // It runs in its own session, so a terminal does not interrupt it.
            if let Some(signal) = signals.pending().next() {
                break (running.stop().map_err(lost)?, Some(signal));
            }
        };
        self.tell_put_aside(context);
        // Processes that could not be killed may keep the streams open forever.
        if ended.survivors == 0 {
            for copy in copies {
                drop(copy.join());
            }
        }
        Ok(Exit::Program(signal.map_or_else(|| code(program, ended), signalled)))
    }

    /// Names what the command made that instructs git or agents, and where it is now.
    fn tell_put_aside(&self, context: &Context) {
        for (path, to) in self.guard.iter().flat_map(ProjectGuard::finish) {
            let name = output::harmless(&context.short(&path));
            output::tell(&match to {
                Ok(to) => format!(
                    "warning: the command created or redirected `{name}`, which instructs git, agents or other tools; it is now `{}`\n",
                    output::harmless(&context.short(&to))
                ),
                Err(why) => format!(
                    "warning: the command created or redirected `{name}`, which instructs git, agents or other tools; it could not be renamed: {}\n",
                    output::harmless(&why)
                ),
            });
        }
    }

    /// Adds the folder of this program to the end of PATH.
    fn name_program(&self, variables: &mut BTreeMap<String, String>) {
        let path = variables.entry("PATH".to_owned()).or_default();
        let Some(folder) = self.program.parent().and_then(Path::to_str) else { return };
        if !env::split_paths(path).any(|known| known == Path::new(folder)) {
            path.push_str(if path.is_empty() { "" } else { ":" });
            path.push_str(folder);
        }
    }
}

fn code(program: &str, ended: Ended) -> u8 {
    let why = match ended.status {
        Status::Exited(code) => return u8::try_from(code).unwrap_or(1),
        Status::Signalled(signal) => return signalled(signal),
        Status::TooManyProcesses => "it started too many processes",
        Status::OutOfMemory => "it used too much memory",
        _ => return ENDED,
    };
    output::tell(&format!("{} was killed: {why}\n", output::harmless(program)));
    ENDED
}

fn signalled(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(1)
}

/// Copies the three streams. The input is not waited for: it may block on the terminal, and ends with this
/// process.
fn copy_streams(running: &mut Running) -> Vec<JoinHandle<()>> {
    if let Some(mut stdin) = running.stdin.take() {
        drop(thread::spawn(move || io::copy(&mut io::stdin(), &mut stdin)));
    }
    let stdout = running.stdout.take().map(|from| thread::spawn(move || copy(from, io::stdout())));
    let stderr = running.stderr.take().map(|from| thread::spawn(move || copy(from, io::stderr())));
    stdout.into_iter().chain(stderr).collect()
}

/// Copies the output of the command. Reading goes on when the target is closed, since the command would block
/// otherwise.
fn copy(mut from: impl Read, mut to: impl Write) {
    let (mut chunk, mut open) = (vec![0; CHUNK], true);
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => open = open && to.write_all(&chunk[..length]).and_then(|()| to.flush()).is_ok(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
