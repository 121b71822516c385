//! `ask`, `use`, `search`, `eval`: a turn as a person sees it.

use crate::{bare, has_sandbox};
use insta::assert_snapshot;
use skillful_testkit::{ModelAnswer, ModelServer, TestContext};

/// A home with a few skills that say when they apply.
fn office() -> TestContext {
    let machine = bare();
    let skill = |name: &str, description: &str, header: &str, body: &str| {
        let text = format!("---\nname: {name}\ndescription: {description}\n{header}---\n\n{body}\n");
        machine.file(&format!("home/.agents/skills/{name}/SKILL.md"), text);
    };
    skill(
        "weekly-report",
        "Turns notes of the week into a report for the team. Use when somebody wants a weekly report or a status summary.",
        "companion_skills: [style, gone]\n",
        "# Weekly report\n\nCollect the notes, group them by project, write three sentences each.\n\nToday: !`echo Monday`\n",
    );
    skill("style", "House style for anything that is sent to people.", "", "Write short sentences.");
    skill("invoice", "Writes an invoice from hours worked.", "admin_only: true\n", "Bill them.");
    skill(
        "deploy",
        "Ships a service to production.",
        "disable-model-invocation: true\narguments: [service]\n",
        "Ship $service with {{REGION}}.",
    );
    skill("whisper", "Works on voice memos.", "file_types: [ogg]\n", "Listen.");
    machine
}

/// A text without its costs, which depend on how long the paths of the machine are, and without
/// probabilities, which change with every fitting of the router.
fn steady(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        for unit in [" tokens", " %"] {
            if let Some((before, after)) = line.split_once(unit) {
                let what = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ',').trim_end();
                line = format!("{what}  N{unit}{after}");
            }
        }
        out.push_str(&format!("{line}\n"));
    }
    out
}

/// What is remembered.
const MEMORY: &str = "home/.local/share/skillful/sessions.db";

#[test]
fn ask_works_on_a_fresh_machine_in_an_empty_folder() {
    let machine = crate::machine();
    assert_snapshot!(steady(&machine.see("ask hello")), @r#"
    exit: 0
    ----- stdout -----
    No skill matches this message.
    A model would answer without a skill, with 10 skills in its menu (  N tokens).

    Look further: skillful search "…" --sources
    ----- stderr -----

    No model is configured, so there is no answer. Set one of
      ANTHROPIC_API_KEY   OPENAI_API_KEY   OPENAI_BASE_URL (Ollama, llama.cpp, vLLM)
    "#);
    let output = machine.command(["ask", "help me write a new agent skill for our release process"]).output();
    let text = machine.tell(&output.unwrap());
    assert!(text.contains("skill-creator"), "{text}");
}

#[test]
fn ask_tells_what_is_chosen_what_is_left_out_and_what_it_costs() {
    let machine = office();
    let output =
        machine.command(["ask", "$weekly-report from my notes, then /nothing and $invoice"]).output();
    assert_snapshot!(steady(&machine.tell(&output.unwrap())), @r#"
    exit: 0
    ----- stdout -----
    weekly-report   selected   mention  N tokens
    Turns notes of the week into a report for the team. Use when somebody wants a weekly report or a
    status summary.
      runs on load: echo Monday
    style   selected   companion of weekly-report  N tokens
    House style for anything that is sent to people.
    invoice   mention   UNAVAILABLE
      why: it is for administrators
      fix: skillful doctor invoice
    gone   missing   companion of weekly-report: no such skill exists

    A model sees   1 skill in the menu,  N tokens, none left out
    Instructions   2 skills,  N tokens
    More: skillful explain "…"     exact text: skillful ask --raw "…"
    ----- stderr -----

    No model is configured, so there is no answer. Set one of
      ANTHROPIC_API_KEY   OPENAI_API_KEY   OPENAI_BASE_URL (Ollama, llama.cpp, vLLM)
    "#);
}

#[test]
fn ask_names_what_a_model_would_likely_choose() {
    let machine = office();
    let output = machine.command(["ask", "turn my notes into the weekly report"]).output();
    assert_snapshot!(steady(&machine.tell(&output.unwrap())), @r#"
    exit: 0
    ----- stdout -----
    weekly-report  N %   turn, weekly, notes, report
    Turns notes of the week into a report for the team. Use when somebody wants a weekly report or a
    status summary.

    A model sees   3 skills in the menu,  N tokens, none left out
    More: skillful explain "…"     exact text: skillful ask --raw "…"
    ----- stderr -----

    No model is configured, so there is no answer. Set one of
      ANTHROPIC_API_KEY   OPENAI_API_KEY   OPENAI_BASE_URL (Ollama, llama.cpp, vLLM)
    "#);
}

#[test]
fn ask_raw_prints_exactly_what_a_model_would_read() {
    let machine = office();
    let output = machine.command(["ask", "/deploy 'the api' now", "--raw", "--agent", "codex"]).output();
    assert_snapshot!(machine.tell(&output.unwrap()), @"
    exit: 0
    ----- stdout -----
    <skills_instructions>
    ## Skills

    - style: House style for anything that is sent to people. (file: [TEMP]/home/.agents/skills/style/SKILL.md)
    - weekly-report: Turns notes of the week into a report for the team. Use when somebody wants a weekly report or a status summary. (file: [TEMP]/home/.agents/skills/weekly-report/SKILL.md)
    - whisper: Works on voice memos. (file: [TEMP]/home/.agents/skills/whisper/SKILL.md)
    </skills_instructions>

    /deploy 'the api' now

    <skill>
    <name>deploy</name>
    <path>[TEMP]/home/.agents/skills/deploy/SKILL.md</path>
    Ship $service with {{REGION}}.

    ARGUMENTS: 'the api' now
    </skill>
    ");
}

#[test]
fn ask_as_json_has_everything() {
    let machine = office();
    let json: serde_json::Value = {
        let line = ["ask", "$weekly-report please", "--json"];
        serde_json::from_slice(&machine.command(line).output().unwrap().stdout).unwrap()
    };
    // What the message names comes first.
    assert_eq!(json["selected"][0]["name"], "weekly-report");
    assert_eq!(json["skills"][0]["commands"][0]["text"], "echo Monday");
    assert_eq!(json["context"]["parts"][1]["text"], "$weekly-report please");
    assert_eq!(json["missing_companions"][0]["name"], "gone");
    assert_eq!(json["fingerprint"].as_str().unwrap().len(), 12);
    let parts = json["context"]["parts"].as_array().unwrap();
    let sum: u64 = parts.iter().map(|part| part["tokens"].as_u64().unwrap()).sum();
    assert_eq!(json["context"]["tokens"], sum);
}

#[test]
fn without_a_session_ask_writes_nothing_but_its_caches() {
    let machine = office();
    machine.see("ask $style");
    machine.see("explain $style --session room");
    assert!(!machine.exists(MEMORY), "looking at a conversation makes no memory");
}

#[test]
fn a_database_that_cannot_be_read_is_reported_and_not_changed() {
    let machine = office();
    machine.file(MEMORY, "this is no database, and longer than a header would be".repeat(10));
    let before = machine.text(MEMORY);
    let told = machine.see("ask $style --session room --raw");
    assert!(
        told.starts_with("exit: 0\n") && told.contains("warning[memory-lost]: nothing is remembered"),
        "{told}"
    );
    assert!(told.contains("<available_skills>"), "{told}");
    assert_eq!(told.matches("memory-lost").count(), 1, "{told}");
    let json = machine.json("ask $style --session room --json");
    assert!(json["diagnostics"].as_array().unwrap().iter().any(|one| one["code"] == "memory-lost"), "{json}");
    assert_eq!(machine.text(MEMORY), before);
}

#[test]
fn skills_stay_selected_within_a_session_and_news_is_noted_once() {
    let machine = office();
    let ask = |message: &str, more: &[&str]| {
        let line: Vec<&str> = [&["ask", message, "--session", "room 1"], more].concat();
        machine.tell(&machine.command(line).output().unwrap())
    };
    assert!(!ask("$style please", &[]).contains("what is new"));
    let second = ask("and the next paragraph", &[]);
    assert!(second.contains("style") && second.contains("sticky"), "{second}");
    machine.skill("home/.agents/skills/added", "Something new.");
    let third = ask("go on", &["--raw"]);
    assert!(
        third.contains("<skills_news>\nThe skills changed since the last turn.\nAdded: added\n"),
        "{third}"
    );
    assert!(!ask("go on", &["--raw"]).contains("skills_news"));
    let other = machine.command(["explain", "hi", "--session", "room 2"]).output().unwrap();
    assert!(!machine.tell(&other).contains("sticky"));
    let same = machine.command(["explain", "hi", "--session", "room 1"]).output().unwrap();
    assert!(machine.tell(&same).contains("sticky"));
}

#[test]
fn a_scheduled_turn_gets_no_news_and_does_not_mark_the_menu_as_seen() {
    let machine = office();
    let ask = |more: &[&str]| {
        let line: Vec<&str> = [&["ask", "go on", "--session", "room", "--raw"], more].concat();
        machine.tell(&machine.command(line).output().unwrap())
    };
    ask(&["--source-type", "briefing"]);
    ask(&[]);
    machine.skill("home/.agents/skills/added", "Something new.");
    assert!(!ask(&["--source-type", "briefing"]).contains("skills_news"));
    assert!(ask(&[]).contains("Added: added"), "a scheduled turn took the news from a person");
}

#[test]
fn what_ask_raw_leaves_out_of_the_text_is_told_beside_it() {
    let machine = office();
    machine.file(
        "home/.agents/skills/hello/SKILL.md",
        "---\nname: hello\ndescription: Say hello.\n---\n\nHello $3.\n",
    );
    let told = machine.see("ask $hello --raw");
    assert!(told.contains("hello has no value for $3"), "{told}");
    let json = machine.json("ask $hello --json");
    assert_eq!(json["skills"][0]["unfilled"][0], "$3");
    assert!(json["diagnostics"].is_array());
    for line in ["explain hi", "search hello", "prompt", "use hello"] {
        assert!(machine.json(&format!("{line} --json"))["diagnostics"].is_array(), "{line}");
    }
}

#[test]
fn explain_as_an_agent_counts_only_what_it_reads() {
    let machine = office();
    machine.skill("home/.claude/skills/own", "Only for Claude.");
    let line = ["explain", "$style and $own", "--agent", "claude-code"];
    assert_snapshot!(machine.tell(&machine.command(line).output().unwrap()), @"
    exit: 0
    ----- stdout -----
    SELECTED (1)
      own            mention
    IN THE MENU (0)
    NOT OFFERED (5)
      style          unavailable  `claude-code` does not load it: Claude Code does not read
                                  `~/.agents/skills` (mention)
                                  fix: link or copy the skill to `~/.claude/skills`
      deploy         unavailable  `claude-code` does not load it: Claude Code does not read
                                  `~/.agents/skills`
      invoice        unavailable  `claude-code` does not load it: Claude Code does not read
                                  `~/.agents/skills`; it is for administrators
      weekly-report  unavailable  `claude-code` does not load it: Claude Code does not read
                                  `~/.agents/skills`
      whisper        unavailable  `claude-code` does not load it: Claude Code does not read
                                  `~/.agents/skills`

    Order: mentions, rules, session, companions, menu.
    Budget: 8,000 characters; used 0; no description shortened.
    ");
}

#[test]
fn recordings_become_text_before_anything_is_chosen() {
    let machine = office();
    machine.file(
        "home/.config/skillful/config.toml",
        "transcribe = [\"sh\", \"-c\", \"echo '$style please, says' $1\", \"sh\", \"{file}\"]\n",
    );
    let line = ["ask", "Listen to this.", "--attach", "memo.ogg", "--raw"];
    let told = machine.tell(&machine.command(line).output().unwrap());
    assert!(told.contains("Listen to this.\n\n$style please, says memo.ogg"), "{told}");
    assert!(told.contains("Write short sentences."), "{told}");
    machine.file("home/.config/skillful/config.toml", "transcribe = [\"false\"]\n");
    let told = machine.tell(&machine.command(["ask", "Listen.", "--attach", "memo.ogg"]).output().unwrap());
    assert!(told.contains("memo.ogg was not transcribed: `false` failed"), "{told}");
}

#[test]
fn use_prints_a_skill_as_a_model_reads_it() {
    if !has_sandbox() {
        return;
    }
    let machine = office();
    assert_snapshot!(machine.see("use weekly-report for May"), @r#"
    exit: 0
    ----- stdout -----
    <skill_content name="weekly-report">
    # Weekly report

    Collect the notes, group them by project, write three sentences each.

    Today: Monday

    ARGUMENTS: for May

    The folder of this skill is [TEMP]/home/.agents/skills/weekly-report. Relative paths above start there.
    </skill_content>
    <!-- companion skill `style`, which `weekly-report` brings along -->
    <skill_content name="style">
    Write short sentences.

    The folder of this skill is [TEMP]/home/.agents/skills/style. Relative paths above start there.
    </skill_content>
    <!-- companion skill `gone` of `weekly-report` is unavailable: there is no such skill -->
    "#);
}

#[test]
fn use_prints_why_it_refuses_and_files_of_a_skill() {
    let machine = office();
    assert_snapshot!(machine.see("use deploy api"), @"
    exit: 1
    ----- stderr -----
    error: deploy cannot be called this way
      cause: only the user can call it, and this prints what a model would read
      fix:   call it yourself: skillful run deploy
    ");
    for (line, words) in [
        ("use invoice", "it is for administrators"),
        ("use deplo", "no skill named `deplo`"),
        ("use skill://style/../x", "must be relative"),
        ("use skill://style/no.md", "has no file `no.md`"),
    ] {
        let seen = machine.see(line);
        assert!(seen.starts_with("exit: 1") && seen.contains(words), "{line}: {seen}");
        assert!(!seen.contains("did you mean"), "{line}: {seen}");
    }
    assert_snapshot!(machine.see("use skill://style"), @"
    exit: 0
    ----- stdout -----
    Write short sentences.
    ");
}

#[test]
fn search_finds_by_meaning_and_names_the_words() {
    let machine = office();
    assert_snapshot!(steady(&machine.see("search summary of the week for the team")), @"
    exit: 0
    ----- stdout -----
    SKILL          MATCH  WORDS                DESCRIPTION
    weekly-report  N %   week, summary, team  Turns notes of the week into a report for the team. Use…
    ");
    assert_snapshot!(machine.see("search xylophone"), @"
    exit: 1
    ----- stdout -----
    no skill here matches any of these words
    ");
    let json = machine.json("search weekly report --json");
    assert_eq!(json["skills"][0]["address"], "weekly-report");
    // What is not available is found with its state.
    assert!(machine.see("search invoice hours worked").contains("UNAVAILABLE: skillful doctor invoice"));
}

#[test]
fn eval_measures_requests_in_every_form() {
    let machine = office();
    machine.file(
        "work/judged.jsonl",
        concat!(
            "{\"query\": \"summarise my week for the team\", \"relevant\": [\"weekly-report\"], \"source\": \"a\"}\n",
            "{\"query\": \"how should letters to people sound\", \"relevant\": [\"style\"], \"source\": \"b\"}\n",
            "{\"query\": \"good morning\", \"relevant\": [], \"source\": \"chat\"}\n",
            "{\"query\": \"x\", \"relevant\": [\"elsewhere\"]}\n",
            "not json\n",
        ),
    );
    let told = machine.see("eval judged.jsonl");
    let steady: Vec<&str> = told.lines().filter(|line| !line.contains(" ms ")).collect();
    assert_snapshot!(steady.join("\n"), @"
    exit: 1
    ----- stdout -----
    3 requests over 3 skills (1 more is about a skill that is not here)

    SOURCE         REQUESTS  HIT@1  HIT@5  MRR@10  NDCG@10  KEPT
    a              1         100.0  100.0  100.0   100.0    100.0
    b              1         100.0  100.0  100.0   100.0    0.0
    mean of these  2         100.0  100.0  100.0   100.0    50.0

    chat: 0.0 % of 1 request that no skill serves is let through

    The router is right about 2 of 3 requests.
    WANTED  SELECTED            REQUEST
    style   none (best: style)  how should letters to people sound

    ----- stderr -----
    warning[eval-invalid]: judged.jsonl: request 5: not JSON: expected ident at line 1 column 2
    ");
    machine.file(
        "home/.agents/skills/weekly-report/evals/triggers.json",
        "[{\"query\": \"write the weekly report\", \"should_trigger\": true}, {\"query\": \"ship the api\", \"should_trigger\": false}]",
    );
    machine.file(
        "home/.agents/skills/style/evals/evals.json",
        "{\"skill_name\": \"style\", \"evals\": [{\"id\": 1, \"prompt\": \"apply the house style\", \"expectations\": [\"short\"]}]}",
    );
    let home = machine.home().join(".agents/skills").display().to_string();
    let output = machine.command(["eval", &home, "--json"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((json["requests"].as_u64(), json["mean"]["hit_1"].as_f64()), (Some(3), Some(1.0)), "{json}");
    assert_eq!(json["near_misses"]["first"], 0.0);
    let over_folder =
        machine.command(["eval", "judged.jsonl", "--skills", &home, "--json"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&over_folder.stdout).unwrap();
    assert_eq!((json["skills"].as_u64(), json["left_out"].as_u64()), (Some(5), Some(1)));
}

#[test]
fn explain_selects_what_ask_selects_when_the_router_decides() {
    let machine = office();
    machine.file("home/.config/skillful/config.toml", "[router]\ndecide = true\nskip_threshold = 0.5\n");
    let selected = |line: &str| {
        let json = machine.json(&format!("{line} turn my notes into the weekly report --json"));
        json["selected"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect::<Vec<_>>()
    };
    assert!(selected("ask").contains(&"weekly-report".into()));
    assert_eq!(selected("explain"), selected("ask"));
}

#[test]
fn a_router_that_is_asked_to_decide_chooses_by_words_or_by_a_model() {
    let machine = office();
    let ask = || {
        let line = ["ask", "turn my notes into the weekly report"];
        machine.command(line).env("MY_KEY", "s3cret").output().unwrap()
    };
    machine.file("home/.config/skillful/config.toml", "[router]\ndecide = true\nskip_threshold = 0.5\n");
    let told = machine.tell(&ask());
    assert!(told.contains("weekly-report") && told.contains("routed"), "{told}");
    assert!(told.contains("The router selected weekly-report") && told.contains("by words"), "{told}");
    let server = ModelServer::with(|_| {
        ModelAnswer::chat(
            "{\"skill\": \"weekly-report\", \"confidence\": 0.9, \"model_tier\": \"smart\", \"reason\": \"x\"}",
        )
    });
    let config = format!(
        "[router]\ndecide = true\nskip_threshold = 1.0\n[router.classifier]\nmodel = \"m\"\nbase_url = \"{}\"\nkey_variable = \"MY_KEY\"\n",
        server.url()
    );
    machine.file("home/.config/skillful/config.toml", &config);
    let told = machine.tell(&ask());
    assert!(
        told.contains("The router selected weekly-report, 90 % sure") && told.contains("by a model"),
        "{told}"
    );
    assert!(!told.contains("s3cret"));
    assert_eq!(server.asked()[0].header("authorization"), Some("Bearer s3cret"));
    // The second time the answer is remembered.
    assert!(machine.tell(&ask()).contains("cached answer of the model"));
    assert_eq!(server.asked().len(), 1);
    // A model that cannot be asked chooses nothing.
    machine.file("home/.config/skillful/config.toml", "[router]\ndecide = true\nskip_threshold = 1.0\nmin_served = 1.0\n[router.classifier]\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9\"\n");
    let told = machine.tell(&ask());
    assert!(
        told.contains("The router selected no skill") && told.contains("the model gave no answer"),
        "{told}"
    );
}

#[test]
fn a_message_may_be_several_words_or_come_from_standard_input() {
    let machine = office();
    assert_eq!(machine.see("ask turn my notes into the weekly report"), {
        machine.tell(&machine.command(["ask", "turn my notes into the weekly report"]).output().unwrap())
    });
    machine.file("work/message.txt", "$style for this\nand that\n");
    let input = std::fs::File::open(machine.path("work/message.txt")).unwrap();
    let output = machine.command(["ask", "-", "--raw"]).stdin(input).output().unwrap();
    let told = machine.tell(&output);
    assert!(
        told.contains("$style for this\nand that\n") && told.contains("Write short sentences."),
        "{told}"
    );
}

#[test]
fn variables_are_shown_with_their_source_and_secrets_are_masked() {
    let machine = bare();
    machine.file(
        "home/.agents/skills/db/SKILL.md",
        "---\nname: db\ndescription: Asks the database.\nvars:\n  HOST:\n    description: where it runs\n    default: localhost\n  TOKEN:\n    secret: true\n    required: true\n  TEAM:\n    required: true\n---\n\nAsk {{HOST}}.\n",
    );
    machine.file("home/.config/skillful/variables.json", "{\"db\": {\"TOKEN\": \"s3cret\"}}");
    assert_snapshot!(machine.see("vars db"), @"
    exit: 1
    ----- stdout -----
    VARIABLE  VALUE      FROM            FOR
    HOST      localhost  default         where it runs
    TOKEN     ***        variables.json  (required)
    TEAM      missing                    (required)

    db is unavailable: TEAM not set
    fix: set it in vars.json beside the skill, in ~/.config/skillful/variables.json, or in the environment
    ");
    assert!(!machine.see("vars db --json").contains("s3cret"));
    machine.file("home/.agents/skills/db/vars.json", "{\"TEAM\": 7}");
    assert_snapshot!(machine.see("vars db"), @"
    exit: 0
    ----- stdout -----
    VARIABLE  VALUE      FROM            FOR
    HOST      localhost  default         where it runs
    TOKEN     ***        variables.json  (required)
    TEAM      7          vars.json       (required)
    ");
}

#[test]
fn ask_says_how_the_best_match_is_called_in_each_agent_found_here() {
    let machine = bare();
    machine.skill(
        "home/.codex/skills/weekly-report",
        "Turns notes of the week into a weekly report for the team.",
    );
    machine.skill("home/.claude/skills/slides", "Makes slides from an outline.");
    let seen = |words: &str| {
        let output = machine.command(["ask", words]).output().unwrap();
        steady(&machine.tell(&output)).split("----- stderr").next().unwrap().to_owned()
    };
    assert_snapshot!(seen("turn my notes into the weekly report"), @r#"
    exit: 0
    ----- stdout -----
    weekly-report  N %   turn, weekly, notes, report
    Turns notes of the week into a weekly report for the team.

    Use it in      Codex: $weekly-report    Claude Code: not loaded
    A model sees   2 skills in the menu,  N tokens, none left out
    More: skillful explain "…"     exact text: skillful ask --raw "…"
    "#);
    assert_snapshot!(seen("use $slides"), @r#"
    exit: 0
    ----- stdout -----
    slides   selected   mention  N tokens
    Makes slides from an outline.

    Use it in      Claude Code: /slides    Codex: not loaded
    A model sees   1 skill in the menu,  N tokens, none left out
    Instructions   1 skill,  N tokens
    More: skillful explain "…"     exact text: skillful ask --raw "…"
    "#);
    assert!(!seen("what is the capital of France").contains("Use it in"));
    let output = machine.command(["ask", "--json", "turn my notes into the weekly report"]).output().unwrap();
    let view: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(view["use_in"]["skill"], "weekly-report");
    let calls: Vec<String> =
        view["use_in"]["agents"].as_array().unwrap().iter().map(ToString::to_string).collect();
    assert_snapshot!(calls.join("\n"), @r#"
    {"agent":"codex","title":"Codex","call":"$weekly-report"}
    {"agent":"claude-code","title":"Claude Code","call":null}
    "#);
}
