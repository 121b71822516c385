//! Open a workspace, select for a message, print the menu, activate a skill.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use skillful::{Environment, Options, Way, Workspace, turn::MenuRoom};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let environment = Environment {
        cwd: std::env::current_dir()?,
        home: std::env::home_dir().ok_or("no home folder")?,
        variables: std::env::vars().collect(),
        ..Environment::default()
    };
    let workspace = Workspace::open(environment, Options::default());
    let turn = workspace.turn("use $skill-creator for release notes");
    println!("{}", workspace.menu(&turn, MenuRoom::default()).text);
    for skill in workspace.select(&turn).selected {
        println!("{}", workspace.activate(&skill.proof, "release notes")?.instructions);
    }
    println!("{:?}", workspace.admit("no-such-skill", Way::Load).map_err(|error| error.to_string()));
    Ok(())
}
