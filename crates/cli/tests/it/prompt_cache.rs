//! The prompt caches of providers: each request of a session begins with the bytes of the one before it.

use crate::assistant::{connected, skill};
use serde_json::{Value, json};
use skillful_testkit::{ModelAnswer, ModelServer};

/// Words of which descriptions and messages are made, so that each message is about other skills.
const TOPICS: [&str; 12] = [
    "invoices",
    "rockets",
    "gardens",
    "databases",
    "violins",
    "tax returns",
    "bicycles",
    "recipes",
    "telescopes",
    "contracts",
    "spreadsheets",
    "kubernetes",
];

/// A request in the order in which providers read it, without the marks of their caches.
fn in_order(body: &Value) -> String {
    fn plain(value: &Value) -> Value {
        match value {
            Value::Object(all) => all
                .iter()
                .filter(|(key, _)| *key != "cache_control")
                .map(|(key, value)| (key.clone(), plain(value)))
                .collect(),
            Value::Array(all) => all.iter().map(plain).collect(),
            other => other.clone(),
        }
    }
    let messages = plain(&body["messages"]).to_string();
    format!("{}{}{}", plain(&body["tools"]), plain(&body["system"]), messages.trim_end_matches(']'))
}

fn shared(one: &str, next: &str) -> usize {
    one.bytes().zip(next.bytes()).take_while(|(a, b)| a == b).count()
}

#[test]
fn each_request_of_a_session_is_a_prefix_of_the_next_whatever_the_message() {
    let answers = TOPICS.iter().flat_map(|topic| {
        let name = format!("{}-3", topic.replace(' ', "-"));
        [
            ModelAnswer::calls([("use_skill", json!({ "name": name }))]),
            ModelAnswer::says(format!("Done with {topic}.")),
        ]
    });
    let server = ModelServer::new(answers.collect::<Vec<_>>());
    let machine = connected(&server);
    for topic in TOPICS {
        for number in 0..17 {
            let name = format!("{}-{number}", topic.replace(' ', "-"));
            let about =
                format!("description: Works on {topic}, kind {number}. {}\n", "Use it for them. ".repeat(20));
            let text = format!("---\nname: {name}\n{about}---\n\nWork on {topic} with care.\n");
            machine.file(&format!("home/.agents/skills/{name}/SKILL.md"), text);
        }
    }
    skill(&machine, "greet", "", "Greet them well.");
    for (turn, topic) in TOPICS.iter().enumerate() {
        let said =
            if turn == 4 { format!("$greet and {topic}") } else { format!("Please look after my {topic}") };
        let output = machine.command(["ask", "--session", "s", &said]).output().unwrap();
        assert!(output.status.success(), "{}", machine.tell(&output));
    }
    let requests: Vec<String> = server.asked().iter().map(|asked| in_order(&asked.body)).collect();
    assert_eq!(requests.len(), 2 * TOPICS.len());
    let shares: Vec<usize> =
        requests.windows(2).map(|two| 1_000 * shared(&two[0], &two[1]) / two[0].len()).collect();
    assert!(shares.iter().all(|permille| *permille >= 950), "{shares:?}");
    assert!(requests[0].len() > 20_000, "the menu is under pressure: {}", requests[0].len());
    let asked = server.asked();
    let first = asked[0].body["messages"].to_string();
    assert!(first.contains("Skills that may fit this message"), "{first}");
    assert!(first.contains("invoices-"), "{first}");
}

#[test]
fn a_skill_that_changes_while_it_is_active_reaches_the_session() {
    let server = ModelServer::new([
        ModelAnswer::calls([("use_skill", json!({ "name": "greet" }))]),
        ModelAnswer::says("Hello."),
        ModelAnswer::says("Hello again."),
    ]);
    let machine = connected(&server);
    skill(&machine, "greet", "", "Greet them well.");
    assert!(machine.command(["ask", "--session", "s", "hello"]).output().unwrap().status.success());
    skill(&machine, "greet", "", "Greet them in Latin.");
    assert!(machine.command(["ask", "--session", "s", "and now?"]).output().unwrap().status.success());
    let asked = server.asked();
    let last = asked.last().unwrap().body["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(last.contains("Greet them in Latin."), "{last}");
}
