//! Serves skills to a model loop of one's own: the menu in the system prompt, one tool that loads a skill, and a
//! fresh snapshot before each turn. The "model" here is a function that asks for a skill by name.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use skillful::{Environment, Options, Way, Workspace, turn::MenuRoom, workspace::Watcher};
use std::time::Duration;

/// What a model answers: a call of the tool `use_skill`, or a text.
enum Answer {
    UseSkill(String, String),
    Text(String),
}

/// A stand-in for a model: it loads the first skill of the menu, then answers.
fn model(system: &str, history: &[String]) -> Answer {
    let first = system.split("<name>").nth(1).and_then(|rest| rest.split("</name>").next());
    match first {
        Some(name) if history.len() == 1 => Answer::UseSkill(name.trim().to_owned(), "now".to_owned()),
        _ => Answer::Text(format!("I read {} texts.", history.len())),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let environment = Environment {
        cwd: std::env::current_dir()?,
        home: std::env::home_dir().ok_or("no home folder")?,
        variables: std::env::vars().collect(),
        ..Environment::default()
    };
    let mut workspace = Workspace::open(environment, Options::default());
    let mut watcher = Watcher::new(&workspace);
    for message in ["write a skill for me", "and now another one"] {
        if watcher.changed(Duration::ZERO) {
            workspace = workspace.refresh().0;
            watcher.follow(&workspace);
        }
        let system = workspace.menu(&workspace.turn(message), MenuRoom::default()).text;
        let mut history = vec![message.to_owned()];
        loop {
            match model(&system, &history) {
                Answer::Text(text) => break println!("{text}"),
                Answer::UseSkill(name, arguments) => history.push(match workspace.admit(&name, Way::Load) {
                    // A refusal is a tool result: the model reads it and goes on.
                    Err(refusal) => refusal.to_string(),
                    Ok(proof) => workspace.activate(&proof, &arguments)?.instructions,
                }),
            }
        }
    }
    Ok(())
}
