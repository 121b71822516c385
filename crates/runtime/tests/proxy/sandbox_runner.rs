//! The proxy over the real sandbox.

use crate::world::{World, call, from_store, options, ran, run};
use skillful_credentials::proxy::{Proxy, TIMED_OUT, client};
use skillful_runtime::{
    credential_proxy::SandboxRunner,
    room::{Grants, Run, Sandbox},
};
use skillful_sandbox::{Job, Outcome, Require, SandboxError, probe_best};
use skillful_testkit::{require_tool, skip};
use std::{
    sync::mpsc::{self, Sender},
    time::Duration,
};

const TOKEN: &str = "tok-0123456789-abcdef";

fn world() -> World {
    World::new()
        .skill("it", &format!("env:\n{}", from_store("TOKEN")))
        .secret("store", "TOKEN", TOKEN)
        .file("keys/secrets.key", "the-key-of-the-store")
        .script(
            "it",
            "show",
            "echo \"${#TOKEN}\"; echo $TOKEN | base64; cat -; cat /proc/1/environ /proc/self/environ",
        )
        // Landlock cannot hide that a name exists; reaching what it names is what counts.
        .script(
            "it",
            "steal",
            "cat \"$1\"; python3 -c 'import socket,sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print(\"reached\")' \"$2\"; true",
        )
        .script("it", "slow", "echo early; sleep 600")
}

/// A proxy over the sandbox of this machine; without one the test is reported as skipped.
fn proxy(world: &World) -> Option<Proxy> {
    proxy_with(world, Box::new(Sandbox::new(Require::Sandbox)))
}

fn proxy_with(world: &World, runner: Box<dyn Run + Send + Sync>) -> Option<Proxy> {
    if probe_best().best().is_none() {
        skip("no sandbox works here");
        return None;
    }
    let runner = SandboxRunner::new(&world.gate(), &world.settings, &Grants::default(), runner);
    Some(Proxy::start(&options(), world.handler_with(Box::new(runner))).unwrap())
}

#[test]
fn a_program_in_the_sandbox_has_its_secret_and_shows_none() {
    let world = world();
    let Some(proxy) = proxy(&world) else { return };
    let output = ran(call(proxy.path(), &run("it", "show", &[])));
    assert!(output.stdout.starts_with("21\n[redacted]"), "{output:?}");
    assert!(!output.stdout.contains(TOKEN));
}

#[test]
fn a_program_in_the_sandbox_reaches_neither_the_key_nor_the_socket() {
    require_tool!("python3");
    let world = world();
    let Some(proxy) = proxy(&world) else { return };
    let key = world.path().join("keys/secrets.key").display().to_string();
    let socket = proxy.path().display().to_string();
    let output = ran(call(proxy.path(), &run("it", "steal", &[&key, &socket])));
    assert_eq!(output.stdout, "", "{output:?}");
}

#[test]
fn a_program_that_takes_too_long_in_the_sandbox_is_code_124() {
    let mut world = world();
    world.timeout = Duration::from_secs(1);
    let Some(proxy) = proxy(&world) else { return };
    let output = ran(call(proxy.path(), &run("it", "slow", &[])));
    assert_eq!((output.returncode, output.stdout.as_str()), (TIMED_OUT, ""));
}

/// The sandbox, with a message when it is about to run a program.
#[derive(Debug)]
struct Announced(Sandbox, Sender<()>);

impl Run for Announced {
    fn run(&self, job: &Job) -> Result<Outcome, SandboxError> {
        self.run_until(job, &|| false)
    }

    fn run_until(&self, job: &Job, stop: &dyn Fn() -> bool) -> Result<Outcome, SandboxError> {
        self.1.send(()).unwrap();
        self.0.run_until(job, stop)
    }
}

#[test]
fn the_end_of_the_proxy_ends_a_program_in_the_sandbox() {
    let world = world();
    let (announce, announced) = mpsc::channel();
    let runner = Announced(Sandbox::new(Require::Sandbox), announce);
    let Some(mut proxy) = proxy_with(&world, Box::new(runner)) else { return };
    let socket = proxy.path().to_owned();
    let (patience, request) = (Duration::from_secs(20), run("it", "slow", &[]));
    let caller = std::thread::spawn(move || client::call(&socket, &request, patience));
    announced.recv_timeout(patience).unwrap();
    proxy.stop();
    let output = ran(caller.join().unwrap().unwrap());
    assert_eq!(output.returncode, 137, "{output:?}");
}
