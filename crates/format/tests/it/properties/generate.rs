//! Generators of texts, frontmatter and manifests.

use proptest::prelude::*;
use skillful_format::{
    Data, Manifest, RareFields, ToolGrant,
    field::FIELDS,
    manifest::{EnvSpec, McpServer, Requires, Variable},
};

/// Pieces of text that often cause parser errors.
const PIECES: [&str; 46] = [
    "a",
    "b c",
    "名",
    "é\u{301}",
    "\u{1f600}",
    "\u{feff}",
    "\u{2028}",
    "\u{85}",
    "\u{202e}",
    "\u{7}",
    " ",
    "  ",
    "\t",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\n  ",
    "\n    ",
    "\n\t",
    "---",
    "\n---\n",
    "...",
    "-",
    "- ",
    ": ",
    ":",
    "#",
    " # ",
    "\"",
    "'",
    "\\",
    "[",
    "]",
    "{",
    "}",
    ",",
    "|",
    "> ",
    "@",
    "*",
    "&x ",
    "!t ",
    "name: ",
    "admin_only: ",
];

/// Text of any characters, or of the pieces above.
pub(super) fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => any::<String>(),
        4 => prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40).prop_map(|pieces| pieces.concat()),
    ]
}

/// Known keys in all their spellings, and unknown keys.
fn any_key() -> impl Strategy<Value = String> {
    let known: Vec<String> = FIELDS
        .iter()
        .flat_map(|field| field.spellings.iter().chain([&field.name]))
        .flat_map(|name| [name.replace('_', "-"), name.replace('-', "_"), (*name).to_owned()])
        .collect();
    prop_oneof![3 => prop::sample::select(known), 1 => "[a-z]{1,6}", 1 => any_text()]
}

/// Frontmatter of keys with values, some of them not valid YAML.
pub(super) fn any_frontmatter() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        prop::sample::select(vec![
            "yes",
            "no",
            "true",
            "0",
            "fork",
            "",
            "~",
            "1.50",
            "a b, c",
            "Read Bash(git:*)",
            "[a, b]",
            "{a: b}",
            "'quoted' # note",
            "\"a\\n---\\nb\"",
            "|\n  block\n  ---\n",
            ">-\n  folded\n  text\n",
            "Use when: x",
            "@x",
            "| text",
            "\n  - a\n  - b: c\n    d: e",
            "\n  env: [A]\n  bins: b",
            "one\ntwo",
            "\"one\ntwo\"",
            "\n\ta: b",
            "{env: [{var: A}]}",
            "[x] y",
            "\"a\" b",
        ])
        .prop_map(str::to_owned),
        any_data().prop_map(|data| data.to_json().to_string()),
        any_text(),
    ];
    prop::collection::vec((any_key(), value, any::<bool>()), 0..8).prop_map(|pairs| {
        let line = |(key, value, note): (String, String, bool)| {
            format!("{}{key}: {value}\n", if note { "# note\n" } else { "" })
        };
        pairs.into_iter().map(line).collect::<Vec<_>>().concat()
    })
}

fn any_word() -> impl Strategy<Value = String> {
    prop_oneof![2 => "[a-z]{1,8}", 1 => any_text()]
}

fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(any_word(), 0..3)
}

fn any_data() -> impl Strategy<Value = Data> {
    let leaf = prop_oneof![
        Just(Data::Null),
        any::<bool>().prop_map(Data::Bool),
        any::<i32>().prop_map(|number| Data::Number(number.to_string())),
        Just(Data::Number("1.50".to_owned())),
        any_word().prop_map(Data::Text),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Data::List),
            any_pairs(inner).prop_map(Data::Map),
        ]
    })
}

/// Pairs with unique keys, none of which has a meaning in YAML itself.
fn any_pairs(data: impl Strategy<Value = Data>) -> impl Strategy<Value = Vec<(String, Data)>> {
    prop::collection::vec((any_word(), data), 0..4).prop_map(|mut pairs| {
        let mut seen = Vec::new();
        pairs.retain(|(key, _)| {
            let fresh = key != "<<" && !seen.contains(key);
            seen.push(key.clone());
            fresh
        });
        pairs
    })
}

fn without(pairs: Vec<(String, Data)>, taken: impl Fn(&str) -> bool) -> Vec<(String, Data)> {
    pairs.into_iter().filter(|(key, _)| !taken(key)).collect()
}

fn text() -> impl Strategy<Value = Option<String>> {
    prop::option::of(any_word())
}

fn grants() -> impl Strategy<Value = Vec<ToolGrant>> {
    let grant = ("[A-Za-z_]{1,8}", prop::option::of("[a-z:*, ()-]{0,9}"))
        .prop_map(|(name, pattern)| ToolGrant { name, pattern });
    prop::collection::vec(grant, 0..4)
}

fn named<T: std::fmt::Debug>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<(String, T)>> {
    prop::collection::vec(("[A-Z]{1,3}", value), 0..3).prop_map(|mut pairs| {
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        pairs.dedup_by(|a, b| a.0 == b.0);
        pairs
    })
}

fn variable() -> impl Strategy<Value = Variable> {
    (text(), text(), any::<[bool; 3]>()).prop_map(
        |(description, default, [required, secret, expose_to_model])| Variable {
            description,
            default,
            required,
            secret,
            expose_to_model,
        },
    )
}

fn env() -> impl Strategy<Value = Vec<EnvSpec>> {
    const KNOWN: [&str; 11] = [
        "var",
        "from",
        "config_path",
        "when",
        "service",
        "key",
        "template",
        "user_path_fn",
        "fallback_var",
        "sensitive",
        "proxy_only",
    ];
    let texts = (text(), text(), text(), text(), text(), text(), text());
    let gates = prop::collection::btree_set("[a-z_]{1,5}", 0..3);
    let flags = any::<[bool; 2]>();
    let spec = ("[A-Z]{1,4}", texts, words(), gates, flags, any_pairs(any_data())).prop_map(
        |(var, texts, when, gates, [sensitive, proxy_only], rest)| {
            let (from, config_path, service, key, template, user_path_fn, fallback_var) = texts;
            let taken = |key: &str| KNOWN.contains(&key) || key.starts_with("gate_");
            EnvSpec {
                var,
                from,
                config_path,
                when,
                service,
                key,
                template,
                user_path_fn,
                fallback_var,
                gates: gates.into_iter().collect(),
                sensitive,
                proxy_only,
                rest: without(rest, taken),
            }
        },
    );
    prop::collection::vec(spec, 0..3)
}

fn server() -> impl Strategy<Value = Option<McpServer>> {
    let numbers = (prop::option::of(any::<u32>()), prop::option::of(any::<u32>()));
    let server = ("[a-z ]{0,4}x", words(), text(), named(any_word()), numbers, any_pairs(any_data()))
        .prop_map(|(command, args, url, env, (startup_timeout, idle_timeout), rest)| {
            let known = ["command", "args", "url", "env", "startup_timeout", "idle_timeout"];
            let rest = without(rest, |key| known.contains(&key));
            McpServer { command: Some(command), args, url, env, startup_timeout, idle_timeout, rest }
        });
    prop::option::of(server)
}

fn requires() -> impl Strategy<Value = Requires> {
    let choices = prop::collection::vec(prop::collection::vec(any_word(), 1..3), 0..3);
    (words(), choices, words(), words()).prop_map(|(env, binary, skills, mcp)| Requires {
        env,
        binary,
        skills,
        mcp,
    })
}

/// A manifest with every field.
pub(super) fn any_manifest() -> impl Strategy<Value = Manifest> {
    let texts = prop::collection::vec(text(), 14);
    let lists = prop::collection::vec(words(), 10);
    let flags = any::<[bool; 10]>();
    let tools = (prop::option::of(grants()), grants());
    let parts =
        (requires(), env(), named(variable()), server(), named(any_word()), prop::option::of(any_data()));
    let free = (any_pairs(any_data()), any_pairs(any_data()), prop::option::of(any::<bool>()));
    (texts, lists, flags, tools, parts, free).prop_map(
        |(texts, lists, flags, (allowed_tools, disallowed_tools), parts, (metadata, extra, background))| {
            let mut texts = texts.into_iter();
            let mut text = || texts.next().unwrap();
            let mut lists = lists.into_iter();
            let mut list = || lists.next().unwrap();
            let (requires, env, vars, mcp, conditional_next_skills, hooks) = parts;
            let rare = RareFields {
                when_to_use: text(),
                model: text(),
                model_tier: text(),
                effort: text(),
                agent: text(),
                shell: text(),
                next_skill: text(),
                override_mode: text(),
                arguments: list(),
                paths: list(),
                source_types: list(),
                file_types: list(),
                resource_types: list(),
                companion_skills: list(),
                exclude_skills: list(),
                dependencies: list(),
                requires_capability: list(),
                context_fork: flags[2],
                always_include: flags[3],
                exclude_memory: flags[4],
                exclude_persona: flags[5],
                exclude_resources: flags[6],
                admin_only: flags[7],
                experimental: flags[8],
                cli: flags[9],
                background,
                disallowed_tools,
                requires,
                env,
                vars,
                mcp,
                conditional_next_skills,
                hooks,
                closed_gates: Vec::new(),
            };
            Manifest {
                name: text(),
                description: text(),
                license: text(),
                compatibility: text(),
                version: text(),
                argument_hint: text(),
                triggers: list(),
                disable_model_invocation: flags[0],
                user_invocable: flags[1],
                allowed_tools,
                metadata,
                extra: without(extra, |key| skillful_format::field::field(key).is_some()),
                rare: rare.into(),
            }
        },
    )
}
