//! The JSON Schemas in `schemas/` are those of the library, and everything that `--json` prints keeps to them.

use crate::{assistant, bare, memory, work};
use serde_json::Value;
use skillful::views::schemas;
use skillful_testkit::{ModelAnswer, ModelServer, TestContext, has_tool, ssh_key, write_program};
use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Output, Stdio},
    sync::{LazyLock, Mutex},
};

/// The views that each command prints with `--json`. A command with subcommands that print is listed with them.
const VIEWS: &[(&str, &[&str])] = &[
    // Without a command: the overview.
    ("", &["overview"]),
    ("add", &["install", "offered"]),
    ("agents", &["agents", "folders"]),
    ("ask", &["answer", "ask"]),
    ("audit", &["audit"]),
    ("chat", &["answer"]),
    ("check", &["check", "repairs"]),
    ("clean", &["clean"]),
    ("config", &["config", "setting-changed"]),
    ("diff", &["diff"]),
    ("disable", &["agent-settings", "switched"]),
    ("doctor", &["doctor"]),
    ("enable", &["agent-settings", "switched"]),
    ("eval", &["eval"]),
    ("exec", &["exec", "exec-by-proxy"]),
    ("explain", &["selection"]),
    ("export", &["export"]),
    ("fmt", &["format"]),
    ("list", &["changes", "skills"]),
    ("login", &["team-sign-ins"]),
    ("logout", &["team-sign-ins"]),
    ("mcp allow", &["server-answer"]),
    ("mcp install", &["agent-settings"]),
    ("mcp uninstall", &["agent-settings"]),
    ("mcp sign-in", &["sign-in"]),
    ("mcp sign-out", &["sign-in"]),
    ("mcp deny", &["server-answer"]),
    ("mcp tools", &["tool-result", "tools"]),
    ("menu", &["menu"]),
    ("new", &["created"]),
    ("proxy", &["proxy", "proxy-refusal"]),
    ("publish", &["published"]),
    ("push", &["push"]),
    ("remove", &["install"]),
    ("review", &["pin", "restore", "review", "review-decisions", "unused"]),
    ("run", &["answer"]),
    ("sandbox", &["sandbox"]),
    ("search", &["search"]),
    ("secret allow", &["secret-changed", "variable-answer"]),
    ("secret deny", &["secret-changed", "variable-answer"]),
    ("secret list", &["secrets"]),
    ("secret rm", &["secret-changed"]),
    ("secret set", &["secret-changed"]),
    ("serve backup", &["backup"]),
    ("serve check", &["serve"]),
    ("serve restore", &["backup"]),
    ("sessions", &["session", "sessions", "sessions-removed"]),
    ("show", &["skill", "variables"]),
    ("sign", &["keys", "signature", "signed"]),
    ("source", &["source-changed", "source-skills", "sources"]),
    ("starter install", &["install"]),
    ("starter", &["starter"]),
    ("sync", &["install"]),
    ("tour", &["tour"]),
    ("trust", &["trust", "trusted-folders"]),
    ("ui", &["matrix"]),
    ("untrust", &["untrusted"]),
    ("update", &["outdated", "update"]),
    ("use", &["loaded", "resource"]),
    ("verify", &["verify"]),
    ("view", &["agent-view", "links", "links-undone"]),
];
/// Commands that print something else than a view: a protocol, or files of other programs.
const WITHOUT_VIEW: [&str; 3] = ["completions", "lsp", "mcp"];

static VALIDATORS: LazyLock<BTreeMap<&str, jsonschema::Validator>> = LazyLock::new(|| {
    let validator = |schema: &Value| jsonschema::validator_for(schema).unwrap();
    schemas().into_iter().map(|view| (view.name, validator(&view.schema))).collect()
});

/// The views that commands of this process printed, for the test that expects all of them.
static SEEN: Mutex<BTreeSet<(String, &str)>> = Mutex::new(BTreeSet::new());

/// Checks that a command with `--json` printed one of its views, and nothing else.
pub(crate) fn check(arguments: &[OsString], output: &Output) {
    let words = std::iter::once(OsString::from("skillful")).chain(arguments.iter().cloned());
    let Ok(matches) = skillful_cli::parse(words) else { return };
    let (mut command, mut deepest) = (String::new(), &matches);
    while let Some((name, below)) = deepest.subcommand() {
        if !command.is_empty() {
            command.push(' ');
        }
        command.push_str(name);
        deepest = below;
    }
    let views = VIEWS.iter().find(|(name, _)| command == *name || command.starts_with(&format!("{name} ")));
    let is_file = deepest.try_get_one::<std::path::PathBuf>("output").ok().flatten();
    let is_sarif = arguments.iter().any(|word| word == "sarif");
    if !deepest.get_flag("json") || is_sarif || is_file.is_some_and(|file| file == Path::new("-")) {
        return;
    }
    let Some((_, views)) = views else {
        let known = WITHOUT_VIEW.iter().any(|name| command.split(' ').next() == Some(name));
        assert!(known, "`{command}` is not in the table of tests/it/schemas.rs");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines() {
        let value: Value = serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("`{command} --json` printed what is not JSON: {error}\n{line}"));
        match views.iter().find(|view| VALIDATORS[*view].is_valid(&value)) {
            Some(view) => seen(&command, view),
            None => {
                panic!("`{command} --json` printed what is not one of its views:\n{}", faults(views, &value))
            }
        }
    }
    let code = output.status.code();
    if text.is_empty() && code.is_some_and(|code| code != 0) {
        let errors = String::from_utf8_lossy(&output.stderr);
        let last = errors.lines().last().unwrap_or_default();
        if let Ok(value) = serde_json::from_str(last) {
            assert!(VALIDATORS["error"].is_valid(&value), "{}", faults(&["error"], &value));
            seen(&command, "error");
        }
    }
}

fn seen(command: &str, view: &'static str) {
    SEEN.lock().unwrap().insert((command.to_owned(), view));
}

/// Checks one line that a command printed while it runs.
pub(crate) fn check_line(view: &str, line: &str) {
    let value: Value = serde_json::from_str(line).unwrap();
    assert!(VALIDATORS[view].is_valid(&value), "{}", faults(&[view], &value));
}

/// Why a value is none of the views.
fn faults(views: &[&str], value: &Value) -> String {
    let fault = |view: &&str| {
        let faults =
            VALIDATORS[view].iter_errors(value).map(|one| format!("  {}: {one}\n", one.instance_path()));
        format!("{view}:\n{}", faults.take(5).collect::<String>())
    };
    format!("{}{value:#}", views.iter().map(fault).collect::<String>())
}

#[test]
fn the_schemas_on_disk_are_the_generated_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let fix = "run `cargo xtask schemas`";
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let is_json = |name: &String| Path::new(name).extension().is_some_and(|extension| extension == "json");
    let files: BTreeSet<String> = files.filter(is_json).collect();
    let views = schemas();
    let expected: BTreeSet<String> = views.iter().map(|view| format!("{}.json", view.name)).collect();
    assert_eq!(files, expected, "{fix}");
    for view in views {
        let text = fs::read_to_string(folder.join(format!("{}.json", view.name))).unwrap();
        assert!(text == view.text(), "schemas/{}.json is out of date: {fix}", view.name);
    }
}

#[test]
fn the_description_of_the_servers_api_on_disk_is_the_generated_one() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/server/openapi.json");
    let text = fs::read_to_string(file).unwrap();
    assert!(text == skillful_server::openapi_text(), "run `cargo xtask schemas`");
    assert!(text == skillful_server::carried_openapi_text(), "run `cargo xtask schemas`");
}

#[test]
fn every_command_and_every_view_is_in_the_table() {
    let command = skillful_cli::command_line();
    let names = VIEWS.iter().map(|(name, _)| name.split(' ').next().unwrap_or_default());
    let names = names.filter(|name| !name.is_empty());
    let listed: BTreeSet<&str> = names.chain(WITHOUT_VIEW).collect();
    let known: BTreeSet<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    assert_eq!(listed, known);
    let printed: BTreeSet<&str> = VIEWS.iter().flat_map(|(_, views)| views.iter().copied()).collect();
    let views: BTreeSet<&str> =
        schemas().iter().map(|view| view.name).filter(|name| *name != "error").collect();
    assert_eq!(printed, views);
}

#[test]
fn a_schema_refuses_a_field_that_has_no_type() {
    let machine = bare();
    machine.skill("home/.agents/skills/style", "House style.");
    let mut value = machine.json("list --json");
    assert!(VALIDATORS["skills"].is_valid(&value));
    value["skills"][0]["extra"] = true.into();
    assert!(!VALIDATORS["skills"].is_valid(&value));
    value = machine.json("list --json");
    value["schema"] = 2.into();
    assert!(!VALIDATORS["skills"].is_valid(&value));
}

/// The view of a command that does not end by itself; the test of `list --watch` calls [`check_line`].
const OF_A_WATCH: (&str, &str) = ("list", "changes");

#[test]
fn every_view_of_every_command_is_printed_and_valid() {
    let machine = prepared();
    for line in LINES.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let output = machine.run(line);
        let is_known = output.status.code().is_some_and(|code| code <= 3);
        assert!(is_known && !output.stdout.is_empty(), "{line}\n{}", machine.tell(&output));
    }
    let links = machine.json("view --agent claude-code --fix --yes --json");
    machine.run(&format!("view --undo {} --json", links["undo"].as_str().unwrap()));
    let secret = fs::File::open(machine.file("work/secret.txt", "tok-0123456789")).unwrap();
    machine.command(["secret", "set", "mail", "token", "--json"]).stdin(secret).output().unwrap();
    machine.file(
        "home/.agents/skills/mail/SKILL.md",
        "---\nname: mail\ndescription: Mail.\nenv:\n  - {var: T, from: secret, service: mail, key: token}\nvars: {PASSCODE: {secret: true}}\nmcp: {url: 'https://mail.example/mcp'}\n---\n",
    );
    for line in [
        "secret allow mail token --skill mail --json",
        "secret deny mail token --skill mail --json",
        "secret allow --variable PASSCODE --skill mail --json",
        "secret deny --variable PASSCODE --skill mail --json",
        "secret list --json",
        "secret rm mail token --json",
        "mcp allow mail --json",
        "mcp deny mail --json",
    ] {
        machine.run(line);
    }
    crate::secret::piped(&machine, "secret set mcp-sign-in https://mail.example/mcp", "kept");
    machine.run("mcp sign-out mail --json");
    let python = has_tool("python3");
    if python {
        machine.run("--json mcp tools echo --allow-unsandboxed");
        machine.command(["--json", "mcp", "tools", "echo", "say", "--allow-unsandboxed"]).output().unwrap();
    }
    by_proxy(&machine);
    answers();
    let printed = SEEN.lock().unwrap();
    // `mcp_sign_in` signs in, at an authorization server; `team` signs out of a team server.
    let without =
        |command: &str| command == "mcp tools" && !python || command == "mcp sign-in" || command == "logout";
    for (command, views) in VIEWS.iter().filter(|(command, _)| !without(command)) {
        for view in *views {
            let is_printed = |(name, one): &(String, &str)| {
                one == view && (name == command || name.starts_with(&format!("{command} ")))
            };
            assert!(
                OF_A_WATCH == (*command, *view) || printed.iter().any(is_printed),
                "`{command} --json` did not print its view {view}"
            );
        }
    }
    assert!(printed.iter().any(|(_, view)| *view == "error"));
}

/// One line for each view.
const LINES: &str = "
    --json
    ui --json
    list --json
    agents --json
    agents --folders --json
    ask --json $style please
    audit style --json
    check lib --json
    check lib --fix --dry-run --json
    clean --dry-run --json
    config --json
    config set cache true --json
    mcp install --agent codex --yes --json
    mcp uninstall --agent codex --yes --json
    disable style --agent codex --json
    enable style --agent codex --json
    doctor --json
    doctor style --json
    eval judged.jsonl --json
    exec --json --allow-unsandboxed style hello
    explain $style --json
    export style --output style.zip --json
    fmt lib --check --json
    menu --json
    new fresh --description Makes_things. --json
    search style --json
    show style --json
    show style --variables --json
    use style --json
    use skill://style/SKILL.md --json
    view --agent codex --json
    sandbox --json
    serve check --listen 127.0.0.1:0 --json
    serve backup kept --json
    serve restore kept --database restored.db --objects restored --json
    publish lib --to site --version 1.0.0 --json
    login --status --json
    push style --to https://api.example.org/openai/v1 --dry-run --json
    source add mine ./lib --json
    source list --json
    source browse --json
    sign lib/pdf --json
    sign --check lib/pdf --json
    sign keys --json
    add ./lib --list --json
    add ./lib --yes --json
    verify --json
    diff --json
    update --check --json
    update --json
    sync --json
    starter --json
    starter install meeting-notes --yes --json
    tour --json
    remove pdf --yes --json
    review --json
    review reject made --json
    review --unused --pin kept --json
    review --unused --json
    review --unused --restore old --json
    trust --yes --json
    trust --list --json
    untrust --json
    disable style --json
    enable style --json
    ask --session room-1 --json hello
    sessions --json
    sessions show room-1 --json
    sessions rm room-1 --json
";

fn prepared() -> TestContext {
    let machine = bare();
    machine.skill("home/.agents/skills/style", "House style for letters.");
    write_program(&machine.path("home/.agents/skills/style/scripts/hello"), "#!/bin/sh\necho hello\n");
    machine.skill("work/lib/pdf", "Read PDF files.");
    machine.skill("work/.agents/skills/own", "Of this repository.");
    machine.file("work/judged.jsonl", "{\"query\": \"house style\", \"relevant\": [\"style\"]}\n");
    machine.file(
        "home/.agents/skills/echo/SKILL.md",
        "---\nname: echo\ndescription: Echoes.\nmcp:\n  command: python3 scripts/server.py\n---\nx\n",
    );
    machine.file("home/.agents/skills/echo/scripts/server.py", work::SERVER);
    ssh_key("alice", &machine.path("home/.ssh/id_ed25519"));
    memory::propose(&machine, "made", "Do it.");
    memory::accepted(&machine, "kept", 200);
    memory::accepted(&machine, "old", 100);
    machine
}

/// A proxy that runs a program and refuses another.
fn by_proxy(machine: &TestContext) {
    let mut command = machine.command(["proxy", "--json", "--allow-unsandboxed", "--skill", "style"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    check_line("proxy", &line);
    seen("proxy", "proxy");
    let socket = serde_json::from_str::<Value>(&line).unwrap()["socket"].as_str().unwrap().to_owned();
    for skill in ["style", "own"] {
        let mut exec = machine.command(["exec", "--json", skill, "hello"]);
        exec.env("SKILLFUL_PROXY_SOCKET", &socket).env("SKILLFUL_SANDBOX", "1").output().unwrap();
    }
    child.kill().unwrap();
    let refusals = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    let refusal = refusals.lines().find(|line| line.starts_with('{')).unwrap();
    check_line("proxy-refusal", refusal);
    seen("proxy", "proxy-refusal");
}

/// The commands that a model answers.
fn answers() {
    let server = ModelServer::new([
        ModelAnswer::says("Done."),
        ModelAnswer::says("Done."),
        ModelAnswer::says("Done."),
    ]);
    let machine = assistant::connected(&server);
    machine.skill("home/.agents/skills/style", "House style for letters.");
    machine.run("ask --json hello");
    machine.run("run --json style");
    let message = fs::File::open(machine.file("work/message.txt", "hello\n")).unwrap();
    machine.command(["chat", "--json"]).stdin(message).output().unwrap();
    machine.run("show nothing --json");
}
