//! Runs a command beside the proxy, usually an agent, with an environment without secrets.

use crate::{
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output,
};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};
use skillful_credentials::proxy::{Proxy, model_environment};
use std::{collections::BTreeMap, os::unix::process::ExitStatusExt, path::Path, process::Command};

/// The signals that end a proxy.
pub(super) fn signals() -> Result<Signals, Failure> {
    Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(failed("listen for signals"))
}

/// The variables of the command, without secrets.
pub(super) fn variables(
    context: &Context,
    proxy: &Proxy,
    pass: &[String],
    socket: &Path,
) -> BTreeMap<String, String> {
    let environment =
        model_environment(&context.workspace.environment().variables, pass, proxy.handler(), socket);
    for name in &environment.left_out {
        let name = output::harmless(name);
        output::tell(&format!(
            "warning: `{name}` is not passed to the command: it is or contains a secret\n"
        ));
    }
    environment.variables
}

/// Runs a command to its end and ends with its code.
pub(super) fn run(context: &Context, proxy: &Proxy, pass: &[String], words: &[String]) -> Outcome {
    let Some((program, arguments)) = words.split_first() else { return Ok(Exit::Clean) };
    let variables = variables(context, proxy, pass, proxy.path());
    let mut signals = signals()?;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(&context.workspace.environment().cwd)
        .env_clear()
        .envs(&variables)
        .spawn()
        .map_err(|error| Failure::usage(format!("`{program}` did not start: {error}")))?;
    let (handle, pid) = (signals.handle(), i32::try_from(child.id()).ok().and_then(Pid::from_raw));
    let passing = std::thread::spawn(move || {
        for signal in signals.forever() {
            // A terminal sends interrupts to the command itself.
            if let (SIGHUP | SIGTERM, Some(pid)) = (signal, pid) {
                let _gone_already = kill_process(pid, Signal::TERM);
            }
        }
    });
    let status = child.wait().map_err(failed(format!("wait for `{program}`")));
    handle.close();
    drop(passing.join());
    let status = status?;
    let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(Exit::Program(u8::try_from(code).unwrap_or(1)))
}
