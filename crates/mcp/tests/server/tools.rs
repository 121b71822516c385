use crate::world::{World, client, names};
use serde_json::json;
use skillful::{Environment, Options, Workspace};
use skillful_mcp::server::{Live, Served};
use std::{sync::Mutex, sync::mpsc, time::Duration};

/// A workspace of an empty home that cannot be opened before the test allows it.
fn slow(home: &std::path::Path, allowed: mpsc::Receiver<()>) -> Served {
    let environment =
        Environment { cwd: home.to_path_buf(), home: home.to_path_buf(), ..Environment::default() };
    let workspace = Workspace::open(environment, Options { no_cache: true, ..Options::default() });
    let allowed = Mutex::new(allowed);
    let open = move || {
        allowed.lock().unwrap().recv().unwrap();
        workspace.clone()
    };
    let nothing = Workspace::open(Environment::default(), Options { no_cache: true, ..Options::default() });
    Served { open: Box::new(open), ..Served::workspace(nothing) }
}

#[tokio::test]
async fn a_session_and_its_tools_do_not_wait_until_the_disk_was_read() {
    let home = tempfile::tempdir().unwrap();
    let (open, closed) = mpsc::channel();
    let live = Live::start(slow(home.path(), closed)).unwrap();
    let client = client(&live).await;
    let tools = client.ask("tools/list", json!({})).await;
    let expected = ["use_skill", "read_skill_file", "list_skills", "search_skills", "skill_management"];
    assert_eq!(names(&tools["tools"], "name"), expected);
    for tool in tools["tools"].as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["additionalProperties"], json!(false), "{tool}");
        let reads =
            ["read_skill_file", "list_skills", "search_skills"].iter().any(|name| tool["name"] == **name);
        assert_eq!(tool["annotations"]["readOnlyHint"], json!(reads), "{tool}");
    }
    open.send(()).unwrap();
    let shipped = client.call("list_skills", json!({})).await;
    assert!(!shipped.listed().is_empty(), "the shipped skills are there once the disk was read");
}

#[tokio::test]
async fn an_agent_that_is_not_known_is_reported_to_the_client() {
    let home = tempfile::tempdir().unwrap();
    let (open, closed) = mpsc::channel();
    open.send(()).unwrap();
    let served = Served { agent: Some("no-such-agent".to_owned()), ..slow(home.path(), closed) };
    let client = client(&Live::start(served).unwrap()).await;
    let error = client.try_ask("prompts/list", json!({})).await.unwrap_err();
    assert!(error.message.contains("no agent named `no-such-agent`"), "{error:?}");
}

#[tokio::test]
async fn a_skill_is_loaded_with_its_arguments_its_files_and_its_companions() {
    let world = World::new();
    world
        .skill("deploy", "companion_skills: [style]\nallowed-tools: Read\n", "Deploy $ARGUMENTS now.")
        .file("skills/deploy/references/agents.md", "# AgentProfiles\n")
        .skill("style", "", "Write plainly.");
    let client = world.client().await;
    let loaded = client.call("use_skill", json!({ "name": "deploy", "arguments": "to staging" })).await;
    let text = loaded.text();
    for part in ["Deploy to staging now.", "references/agents.md", "Write plainly."] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("\nTools that this skill allows: Read.\n"), "{text}");
    let file =
        client.call("read_skill_file", json!({ "name": "deploy", "path": "references/agents.md" })).await;
    assert_eq!(file.text(), "# AgentProfiles\n");
}

#[tokio::test]
async fn a_refusal_says_what_to_do() {
    let world = World::new();
    world.skill("deploy", "", "Do it.");
    let client = world.client().await;
    for (tool, arguments, words) in [
        ("use_skill", json!({}), "`name` is missing"),
        ("use_skill", json!({ "name": 3 }), "`name` must be text"),
        ("use_skill", json!({ "name": "deplyo" }), "did you mean `deploy`?"),
        ("read_skill_file", json!({ "name": "deploy", "path": "no.md" }), "has no file `no.md`"),
        ("list_skills", json!({ "limit": "all" }), "`limit` must be a whole number"),
        ("skill_management", json!({ "operation": "rename" }), "create, list, get or delete"),
        ("skill_transition", json!({ "target_skill": " " }), "`target_skill` must name"),
    ] {
        let called = client.call(tool, arguments).await;
        assert!(called.refusal().contains(words), "{tool}: {}", called.text());
    }
    let error =
        client.try_ask("tools/call", json!({ "name": "no_tool", "arguments": {} })).await.unwrap_err();
    assert_eq!(error.code.0, -32602);
}

#[tokio::test]
async fn no_file_outside_a_skill_and_no_value_of_a_variable_is_read() {
    let world = World::new();
    world
        .skill("it", "vars:\n  KEY:\n    secret: true\n", "Do it.")
        .file("skills/it/vars.json", "{\"KEY\": \"SECRET\"}")
        .file("skills/it/.env", "SECRET")
        .file("skills/it/docs/.hidden", "SECRET")
        .file("outside.txt", "SECRET");
    std::os::unix::fs::symlink("vars.json", world.path("skills/it/link.json")).unwrap();
    std::os::unix::fs::symlink(world.path("outside.txt"), world.path("skills/it/out.txt")).unwrap();
    let client = world.client().await;
    for path in [
        "vars.json",
        "./vars.json",
        ".//vars.json",
        "VARS.JSON",
        "docs/../vars.json",
        ".env",
        "docs/.hidden",
        "link.json",
        "out.txt",
        "../../outside.txt",
        "/etc/passwd",
    ] {
        let called = client.call("read_skill_file", json!({ "name": "it", "path": path })).await;
        assert!(!called.refusal().contains("SECRET"), "{path}: {}", called.text());
        let uri = format!("skill://it/{path}");
        let error = client.try_ask("resources/read", json!({ "uri": uri })).await.unwrap_err();
        assert!(!format!("{error:?}").contains("SECRET"), "{path}");
    }
}

#[tokio::test]
async fn long_lists_come_in_parts() {
    let world = World::new();
    for number in 0..7 {
        world.skill(&format!("s{number}"), "", "Do it.");
    }
    let client = world.client().await;
    let first = client.call("list_skills", json!({ "limit": 5 })).await;
    assert_eq!(first.listed(), ["s0", "s1", "s2", "s3", "s4"]);
    assert!(first.text().contains("5 of 7 skills are shown; go on with offset 5"), "{}", first.text());
    let rest = client.call("list_skills", json!({ "offset": 5 })).await;
    assert_eq!(rest.listed(), ["s5", "s6"]);
    assert!(!rest.text().contains("go on"), "{}", rest.text());
    let some = client.call("list_skills", json!({ "filter": "ABOUT S3" })).await;
    assert_eq!(some.listed(), ["s3"]);
}

#[tokio::test]
async fn a_list_that_a_client_would_cut_goes_on_with_the_next_page() {
    let world = World::new();
    for number in 0..90 {
        world.file(
            &format!("skills/s{number:02}/SKILL.md"),
            format!("---\nname: s{number:02}\ndescription: {}\n---\n\nDo it.\n", "Words of it. ".repeat(16)),
        );
    }
    let client = world.client().await;
    let (mut offset, mut seen) = (0, Vec::new());
    while seen.len() < 90 {
        let page = client.call("list_skills", json!({ "offset": offset })).await;
        assert!(page.text().len() <= 10_000, "{}", page.text().len());
        seen.extend(page.listed().into_iter().map(str::to_owned));
        offset = seen.len();
        assert_eq!(
            page.text().contains(&format!("go on with offset {offset}")),
            offset < 90,
            "{}",
            page.text()
        );
    }
    assert_eq!(seen, (0..90).map(|number| format!("s{number:02}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_long_skill_comes_in_parts_and_its_commands_run_once() {
    let world = World::new();
    let body: String =
        (0..600).map(|line| format!("{line}. Do this, and then that, “carefully”.\n")).collect();
    world.skill("long", "", &format!("For $ARGUMENTS.\n{body}")).file("skills/long/notes.md", &body);
    let client = world.client().await;
    let mut whole = String::new();
    let mut part = 1;
    loop {
        // A model does not repeat its arguments.
        let arguments = if part == 1 {
            json!({ "name": "long", "arguments": "it" })
        } else {
            json!({ "name": "long", "part": part })
        };
        let answer = client.call("use_skill", arguments).await;
        let text = answer.text();
        assert!(text.len() <= 10_000, "{}", text.len());
        let (shown, footer) = text.rsplit_once("\n[part ").unwrap();
        whole.push_str(shown);
        if footer.ends_with("this was the last one]\n") {
            break;
        }
        part += 1;
        assert!(
            footer.contains(&format!("call `use_skill` with `name`: `long` and `part`: {part}]")),
            "{footer}"
        );
    }
    assert!(
        part > 2 && whole.contains("For it.") && whole.contains(&body) && whole.contains("</skill_content>")
    );
    let fresh = world.client().await;
    let second = fresh.call("use_skill", json!({ "name": "long", "arguments": "it", "part": 2 })).await;
    let same = client.call("use_skill", json!({ "name": "long", "part": 2 })).await;
    assert_eq!(second.text(), same.text(), "a server that has no text of it loads it");
    let many = client.call("use_skill", json!({ "name": "long", "part": 99 })).await;
    assert!(many.refusal().contains("there is no part 99"), "{}", many.text());
    let file = client.call("read_skill_file", json!({ "name": "long", "path": "notes.md", "part": 2 })).await;
    assert!(file.text().contains("[part 2 of "), "{}", file.text());
}

#[tokio::test]
async fn a_search_that_finds_nothing_lists_few_skills_and_names_the_list_of_many() {
    let world = World::new();
    world.skill("greet", "", "Do it.").skill("bake", "", "Do it.");
    let query = json!({ "query": "quarterly figures of zebras" });
    let few = world.client().await.call("search_skills", query.clone()).await;
    assert_eq!(few.listed(), ["bake", "greet"]);
    assert!(few.text().starts_with("No skill matches these words. All 2 skills:\n"), "{}", few.text());
    for number in 0..20 {
        world.skill(&format!("s{number}"), "", "Do it.");
    }
    let many = world.client().await.call("search_skills", query).await;
    assert!(many.text().contains("all 22 with `list_skills`"), "{}", many.text());
    assert!(many.listed().is_empty());
}

#[tokio::test]
async fn the_tool_for_pipelines_is_listed_where_a_skill_names_another() {
    let world = World::new();
    world.skill("one", "", "Do it.");
    let mut client = world.client().await;
    let has =
        |tools: &serde_json::Value| names(&tools["tools"], "name").contains(&"skill_transition".to_owned());
    assert!(!has(&client.ask("tools/list", json!({})).await));
    world.skill("two", "next_skill: one\n", "Do it.");
    loop {
        let told = tokio::time::timeout(Duration::from_mins(1), client.told.recv()).await.unwrap().unwrap();
        if told == "tools" {
            break;
        }
    }
    assert!(has(&client.ask("tools/list", json!({})).await));
    assert!(has(&world.client().await.ask("tools/list", json!({})).await));
}

#[tokio::test]
async fn a_pipeline_goes_on_and_each_connection_has_its_own() {
    let world = World::new();
    world
        .skill("first", "next_skill: second\nconditional_next_skills:\n  broken: mend\n", "Start.")
        .skill("second", "", "Go on.")
        .skill("mend", "", "Mend it.");
    let live = Live::start(Served::workspace(world.workspace())).unwrap();
    let (one, other) = (client(&live).await, client(&live).await);
    let loaded = one.call("use_skill", json!({ "name": "first" })).await;
    assert!(
        loaded.text().contains("- broken: `mend`\n- after the final answer: `second`"),
        "{}",
        loaded.text()
    );
    let moved = one.call("skill_transition", json!({ "target_skill": "second", "reason": "done" })).await;
    assert!(moved.text().starts_with("You went on from `first` to the skill `second`."), "{}", moved.text());
    let fresh = other.call("skill_transition", json!({ "target_skill": "second" })).await;
    assert!(fresh.text().starts_with("You went on to the skill `second`."), "{}", fresh.text());
    for _ in 0..4 {
        assert!(
            one.call("skill_transition", json!({ "target_skill": "mend" })).await.0["isError"]
                == json!(false)
        );
    }
    let much = one.call("skill_transition", json!({ "target_skill": "first" })).await;
    assert!(much.refusal().contains("already made 5 transitions"), "{}", much.text());
    let unknown = other.call("skill_transition", json!({ "target_skill": "nothing" })).await;
    assert!(unknown.refusal().contains("there is no skill `nothing`"), "{}", unknown.text());
}

#[tokio::test]
async fn a_client_is_notified_when_skills_change() {
    let world = World::new();
    world.skill("one", "", "Do it.");
    let mut client = world.client().await;
    assert_eq!(names(&client.ask("prompts/list", json!({})).await["prompts"], "name"), ["one"]);
    // The watch may begin after this; a change that it did not see is found when it begins.
    world.skill("two", "", "Do it.");
    let mut told = Vec::new();
    while told.len() < 2 {
        told.push(tokio::time::timeout(Duration::from_mins(1), client.told.recv()).await.unwrap().unwrap());
    }
    assert_eq!(told, ["prompts", "resources"]);
    assert_eq!(names(&client.ask("prompts/list", json!({})).await["prompts"], "name"), ["one", "two"]);
}
