//! Chores: `cargo xtask docs`, `cargo xtask schemas`, `cargo xtask pictures`, `cargo xtask peers`, `cargo xtask audit`, `cargo xtask conformance`,
//! `cargo xtask dist`, `cargo xtask reproduce`, `cargo xtask server`, `cargo xtask sdk`, `cargo xtask bench`, `cargo xtask mutants`, `cargo xtask package`,
//! `cargo xtask security`.

#![expect(clippy::print_stderr, reason = "a chore talks to the person who runs it")]

mod mutants;
mod package;
mod pictures;
mod security;

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

const USAGE: &str = "\
usage: cargo xtask CHORE
  dist         build the program and write every package, see packaging/README.md
  reproduce    build the committed sources again in another folder and compare the bytes of the packages
  docs         write docs/diagnostics.md, docs/audit.md and the manual pages in target/man
  schemas      write schemas/*.json, the JSON Schemas of everything that --json prints
  pictures     write docs/*.svg from real runs of the program
  peers        compare with the real agents (downloads large packages), see tests/peers/README.md
  audit        `skillful audit` beside another scanner (downloads packages)
  conformance  ask the protocol's own clients and suite about `skillful mcp` (downloads packages)
  server       the long suites of the team server: faults, S3, schemathesis, load, the vendors' clients, see docs/server.md
  sdk          the model vendors' own clients against our test server (downloads packages)
  bench        measure speed as ratios, see benches/README.md
  mutants      break gates and contracts on purpose and expect a test to fail; --only ID for one contract, --new for
               those that docs/mutations.md does not have, --all for those that were caught before too
  package      package every published crate and build each from its package alone; --no-verify only packages
  security     run the attack suite and write its numbers into docs/security.md; GROUP for one family
";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let chore = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    let result = match chore.as_str() {
        "dist" => python("packaging/dist.py", &rest),
        "reproduce" => python("packaging/reproduce.py", &rest),
        "docs" => docs(),
        "schemas" => schemas(),
        "pictures" => pictures::write(&root()),
        "peers" if rest.is_empty() => {
            python("tests/peers/run.py", &rest).and_then(|()| python("tests/peers/turn.py", &rest))
        }
        "peers" => python("tests/peers/run.py", &rest),
        "audit" => python("tests/peers/audit.py", &rest),
        "conformance" => python("tests/peers/protocol.py", &rest),
        "sdk" => python("tests/sdk/run.py", &rest),
        "server" => python("tests/server/long.py", &rest),
        "bench" => python("benches/run.py", &rest),
        "mutants" => mutants::run(&root(), &rest),
        "package" => package::run(&root(), &rest),
        "security" => security::run(&root(), &rest),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{chore}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

fn docs() -> io::Result<()> {
    fs::write(root().join("docs/diagnostics.md"), skillful_cli::report::diagnostics_markdown())?;
    fs::write(root().join("docs/audit.md"), skillful_cli::report::audit_markdown())?;
    let pages = root().join("target/man");
    fs::create_dir_all(&pages)?;
    skillful_cli::write_manual(&pages)
}

/// Writes the schema of every view and removes files of views that are gone.
fn schemas() -> io::Result<()> {
    let folder = root().join("schemas");
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(&folder)? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "json") {
            fs::remove_file(file)?;
        }
    }
    for view in skillful::views::schemas() {
        fs::write(folder.join(format!("{}.json", view.name)), view.text())?;
    }
    let server = folder.join("server");
    fs::create_dir_all(&server)?;
    let text = skillful_server::openapi_text();
    fs::write(server.join("openapi.json"), &text)?;
    // The program carries it packed. The same text is not packed again, since another version may pack it otherwise.
    if text == skillful_server::carried_openapi_text() {
        return Ok(());
    }
    fs::write(root().join("crates/server/src/openapi.json.gz"), skillful_server::packed(&text)?)
}

fn python(script: &str, arguments: &[String]) -> io::Result<()> {
    let status =
        Command::new("python3").arg(root().join(script)).args(arguments).current_dir(root()).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{script} ended with {status}"))) }
}
