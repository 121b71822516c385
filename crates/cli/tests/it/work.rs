//! A skill at work, through the program.

use crate::{bare, has_sandbox};
use insta::assert_snapshot;
use skillful_testkit::{Terminal, TestContext, require_tool};

fn office() -> TestContext {
    let machine = bare();
    machine.file(
        "home/.agents/skills/status/SKILL.md",
        "---\nname: status\ndescription: Tells how things stand.\nallowed-tools: Bash(wc:*) Bash(echo:*)\n---\n\nLines of $0: !`wc -l $0`\n",
    );
    machine.file(
        "home/.agents/skills/status/scripts/say.sh",
        "#!/bin/sh\nprintf '%s|' \"$@\"; echo oops >&2; exit 5\n",
    );
    machine.file("work/a b.txt", "one\ntwo\n");
    machine
}

#[test]
fn use_runs_the_commands_of_a_skill_in_the_sandbox() {
    if !has_sandbox() {
        return;
    }
    let machine = office();
    let told = machine.tell(&machine.command(["use", "status", "a b.txt"]).output().unwrap());
    assert_snapshot!(told, @r#"
    exit: 0
    ----- stdout -----
    <skill_content name="status">
    Lines of a b.txt: 2 a b.txt

    The folder of this skill is [TEMP]/home/.agents/skills/status. Relative paths above start there.
    <skill_files>
    scripts/say.sh
    </skill_files>
    </skill_content>
    ----- stderr -----
    tools: now every tool is allowed; the skill leaves only Bash(wc:*), Bash(echo:*)
    "#);
    assert_snapshot!(machine.see("use --no-run status x"), @r#"
    exit: 0
    ----- stdout -----
    <skill_content name="status">
    Lines of x: !`wc -l $0`

    The folder of this skill is [TEMP]/home/.agents/skills/status. Relative paths above start there.
    <skill_files>
    scripts/say.sh
    </skill_files>
    </skill_content>
    "#);
}

#[test]
fn a_command_that_fails_or_is_not_allowed_stops_with_its_name_and_reason() {
    if !has_sandbox() {
        return;
    }
    let machine = office();
    assert_snapshot!(machine.see("use status gone.txt"), @r#"
    exit: 1
    ----- stderr -----
    error: the skill `status` cannot be used: the command `wc -l "${ARGUMENT_1}"` of the skill `status` failed with code 1: wc: gone.txt: No such file or directory
      fix:   `skillful use --no-run` prints the skill with its commands as written
    "#);
    machine.file(
        "home/.agents/skills/bad/SKILL.md",
        "---\nname: bad\ndescription: Bad.\nallowed-tools: Read\n---\n\n!`id`\n",
    );
    assert_snapshot!(machine.see("use bad"), @"
    exit: 1
    ----- stderr -----
    error: the skill `bad` cannot be used: the command `id` of the skill `bad` is not allowed: `Bash` is not allowed: the active skill allows only Read
      fix:   `skillful use --no-run` prints the skill with its commands as written
    ");
    machine.file("home/.config/skillful/config.toml", "[run]\ncommands = false\n");
    assert_snapshot!(machine.see("use status x"), @r#"
    exit: 1
    ----- stderr -----
    error: the skill `status` cannot be used: the command `wc -l "${ARGUMENT_1}"` of the skill `status` was not run: `run.commands` is off in the configuration
      fix:   `skillful use --no-run` prints the skill with its commands as written
    "#);
}

#[test]
fn exec_runs_a_program_and_ends_as_it_ended() {
    if !has_sandbox() {
        return;
    }
    let machine = office();
    let told = machine.tell(&machine.command(["exec", "status", "say", "a b", "--json"]).output().unwrap());
    assert_snapshot!(told, @"
    exit: 5
    ----- stdout -----
    a b|--json|----- stderr -----
    oops
    ");
    let json = machine.json("--json exec status say x");
    assert_eq!((json["exit_code"].as_i64(), json["stdout"].as_str()), (Some(5), Some("x|")));
    assert_eq!((json["status"].as_str(), json["stderr"].as_str()), (Some("error"), Some("oops\n")));
    assert_snapshot!(machine.see("exec status gone"), @"
    exit: 1
    ----- stderr -----
    error: the skill `status` has no program `gone`; it has say.sh
    ");
    assert_snapshot!(machine.see("exec status ../../../x"), @"
    exit: 1
    ----- stderr -----
    error: `../../../x` is not the name of a program; name a file of the skill's `scripts` folder
    ");
    assert_snapshot!(machine.see("exec nobody x"), @"
    exit: 1
    ----- stderr -----
    error: no skill named `nobody`
      cause: 1 skill in 1 folder was searched
      fix:   skillful list
    ");
}

#[test]
fn a_program_of_a_skill_that_the_gate_refuses_never_runs() {
    let machine = office();
    machine.see("disable status");
    let told = machine.see("exec status say");
    assert!(told.starts_with("exit: 1") && told.contains("status is disabled and was not run"), "{told}");
}

#[test]
fn doctor_says_of_one_skill_what_it_needs() {
    let machine = office();
    machine.file(
        "home/.agents/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: Deploys.\nrequires:\n  env: [DEPLOY_TOKEN, HOME]\n  binary: [nosuchprogram]\n  mcp: [github]\nhooks:\n  PreToolUse: 3\n---\nx\n",
    );
    let told = machine.see("doctor deploy");
    for words in ["variable DEPLOY_TOKEN, which is missing", "program nosuchprogram, which is missing"] {
        assert_eq!(told.matches(words).count(), 1, "{told}");
    }
    assert!(!told.contains("fix: skillful doctor deploy"), "{told}");
    if !has_sandbox() {
        return;
    }
    let told = told.replace("held by landlock", "held by bubblewrap");
    assert_snapshot!(told, @r#"
    exit: 1
    ----- stdout -----
    deploy: 3 errors, 1 warning

    error    it needs the variable DEPLOY_TOKEN, which is missing
             fix: export DEPLOY_TOKEN=…
    error    it needs the program nosuchprogram, which is missing
             fix: install it and put it on the PATH
    error    it hooks into PreToolUse; a hook of PreToolUse is neither a mapping nor a command
    warning  it wants the MCP server github, which is not configured; its author does not say how to get
             it
             fix: add [mcp."github"] to the configuration
    ok  callers         you and models, once it is available
    ok  files           not installed by Skillful; changes are not noticed
    ok  needs           variable HOME: found
    ok  programs        they run in bubblewrap
    "#);
}

#[test]
fn a_changed_installed_skill_is_not_used_until_it_is_approved() {
    let machine = office();
    machine.file("out/tale/SKILL.md", "---\nname: tale\ndescription: Tells a tale.\n---\n\nOnce.\n");
    machine.run(&format!("add {} --global --yes", machine.path("out/tale").display()));
    assert!(machine.see("use tale").contains("Once."));
    let file = "home/.agents/skills/tale/SKILL.md";
    machine.file(file, "---\nname: tale\ndescription: Tells a tale.\n---\n\nTwice.\n");
    assert_snapshot!(machine.see("use tale"), @"
    exit: 1
    ----- stderr -----
    error: tale is pending and was not used
      cause: you have not approved its files as they are now
      fix:   skillful review tale
    ");
    assert!(machine.see("doctor tale").contains("you have not approved its files as they are now"));
    assert_snapshot!(machine.see("accept tale"), @"
    exit: 0
    ----- stdout -----
    Approved tale (sha256 f9ba0b54) as it is now. Updated skillful.lock.
    Undo: skillful untrust ~/.agents/skills/tale
    ");
    assert!(machine.see("use tale").contains("Twice."));
    assert_snapshot!(machine.see("accept status"), @"
    exit: 1
    ----- stderr -----
    error: no skill `status` waits for a review
      fix:   skillful review shows the skills that wait
    ");
}

#[test]
fn a_value_that_is_missing_is_never_asked_for_without_a_terminal() {
    let machine = office();
    machine.file(
        "home/.agents/skills/call/SKILL.md",
        "---\nname: call\ndescription: Calls.\nrequires:\n  env: [SOME_TOKEN]\n---\nx\n",
    );
    assert_snapshot!(machine.see("use call"), @"
    exit: 1
    ----- stderr -----
    error: call is unavailable and was not used
      cause: the variable `SOME_TOKEN` is not set
      fix:   skillful doctor call
    ");
}

#[test]
fn at_a_terminal_a_missing_value_is_asked_for_without_echo_and_not_stored() {
    let machine = office();
    machine.file(
        "home/.agents/skills/call/SKILL.md",
        "---\nname: call\ndescription: Calls.\nrequires:\n  env: [SOME_TOKEN]\n---\nThe text.\n",
    );
    let mut terminal = Terminal::start(machine.command(["use", "call"]));
    terminal.wait_for("call needs SOME_TOKEN (not shown):");
    terminal.press("hunter2-x\u{7f}\n");
    let (code, shown) = terminal.end();
    assert!(code == Some(0) && shown.contains("The text."), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
    let mut terminal = Terminal::start(machine.command(["use", "call"]));
    terminal.wait_for("(not shown):");
    terminal.press("\u{3}");
    let (code, shown) = terminal.end();
    assert!(code == Some(1) && shown.contains("call is unavailable"), "it was kept: {shown}");
}

#[test]
fn at_a_terminal_a_missing_server_is_offered_and_only_a_yes_writes_it() {
    let machine = office();
    machine.file(
        "home/.agents/skills/issues/SKILL.md",
        "---\nname: issues\ndescription: Issues.\n---\nThe text.\n",
    );
    machine.file(
        "home/.agents/skills/issues/agents/openai.yaml",
        "dependencies:\n  tools:\n    - type: mcp\n      value: tracker\n      url: https://tracker.example/mcp\n",
    );
    let config = "home/.config/skillful/config.toml";
    let answer = |key: &str| {
        let mut terminal = Terminal::start(machine.command(["use", "issues"]));
        terminal.wait_for("The skill needs the MCP server tracker (https://tracker.example/mcp)");
        terminal.press(key);
        terminal.end().1
    };
    answer("n\n");
    let written = || std::fs::read_to_string(machine.path(config)).unwrap_or_default();
    assert!(!written().contains("tracker"));
    let shown = answer("y\n");
    assert!(shown.contains("may ask you to sign in") && shown.contains("The text."), "{shown}");
    assert_snapshot!(written(), @r#"
    system = false

    [mcp.tracker]
    url = "https://tracker.example/mcp"
    "#);
    let (_, shown) = Terminal::start(machine.command(["use", "issues"])).end();
    assert!(!shown.contains("needs the MCP server"), "what is known is not offered: {shown}");
}

#[test]
fn values_of_secret_variables_come_out_by_no_way() {
    let machine = office();
    machine.file(
        "home/.agents/skills/vault/SKILL.md",
        "---\nname: vault\ndescription: Keeps.\nvars:\n  TOKEN:\n    secret: true\n---\n\nIt: !`cat ${CLAUDE_SKILL_DIR}/vars.json; base64 ${CLAUDE_SKILL_DIR}/vars.json`\n",
    );
    machine.file(
        "home/.agents/skills/vault/scripts/show.sh",
        "#!/bin/sh\ncat \"$SKILLFUL_SKILL_DIR/vars.json\"; cat ../vars.json >&2\n",
    );
    machine.file("home/.agents/skills/vault/vars.json", "{\"TOKEN\": \"hunter2-hunter2\"}");
    machine.link("home/.agents/skills/vault/notes.md", "vars.json");
    for line in [
        "use vault",
        "use --json vault",
        "use skill://vault/vars.json",
        "use skill://vault/notes.md",
        "use skill://vault/VARS.json",
        "exec vault show",
        "--json exec vault show",
        "show vault",
        "vars vault",
        "ask $vault --raw",
        "export vault --output vault.zip",
        "export vault --output -",
    ] {
        let output = machine.run(line);
        let told = machine.tell(&output);
        for leak in ["hunter2", "aHVudGVyMi", "h1bnRlcjIt", "odW50ZXIyL"] {
            assert!(!told.contains(leak), "{line}: {told}");
        }
    }
    let listed = machine.see("use --no-run vault");
    assert!(!listed.contains("vars.json\n"), "{listed}");
    let zip = std::fs::read(machine.path("work/vault.zip")).unwrap();
    assert!(!zip.windows(9).any(|bytes| bytes == b"vars.json"), "the values left with the skill");
}

#[test]
fn the_tools_of_a_skills_server_are_listed_and_called_in_the_sandbox() {
    require_tool!("python3");
    if !has_sandbox() {
        return;
    }
    let machine = office();
    machine.file(
        "home/.agents/skills/echo/SKILL.md",
        "---\nname: echo\ndescription: Echoes.\nmcp:\n  command: python3 scripts/server.py\n---\nx\n",
    );
    machine.file("home/.agents/skills/echo/scripts/server.py", SERVER);
    assert_snapshot!(machine.see("tools echo"), @"
    exit: 0
    ----- stdout -----
    TOOL         DESCRIPTION
    echo__say    Can say.
    echo__write  Can write.
    ");
    let call = |words: &[&str]| {
        machine.tell(&machine.command([&["tools", "echo"], words].concat()).output().unwrap())
    };
    assert_snapshot!(call(&["say", "{\"text\": \"hello\"}"]), @"
    exit: 0
    ----- stdout -----
    hello
    ");
    assert_snapshot!(call(&["write"]), @"
    exit: 1
    ----- stdout -----
    it cannot write
    ");
    assert_snapshot!(call(&["gone"]), @"
    exit: 1
    ----- stderr -----
    error: no tool named `gone`
      fix:   skillful mcp tools echo lists the tools
    ");
    assert_snapshot!(call(&["say", "no json"]), @"
    exit: 2
    ----- stderr -----
    error: the arguments are not JSON: expected ident at line 1 column 2
    ");
    assert_snapshot!(machine.see("tools status"), @"
    exit: 1
    ----- stderr -----
    error: `status` has no MCP server
    ");
}

/// A server of two tools; one tries to write into its own folder.
pub(crate) const SERVER: &str = r#"
import json, sys
def tool(name): return {"name": name, "description": f"Can {name}.", "inputSchema": {"type": "object"}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    method, answer = asked["method"], {}
    if method == "initialize":
        answer = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "echo", "version": "1"}}
    elif method == "tools/list":
        answer = {"tools": [tool("say"), tool("write")]}
    elif method == "tools/call":
        params = asked["params"]
        text, failed = str(params.get("arguments", {}).get("text")), False
        if params["name"] == "write":
            try: open("scripts/new", "w")
            except OSError as error: text, failed = "it cannot write", True
        answer = {"content": [{"type": "text", "text": text}], "isError": failed}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"#;
