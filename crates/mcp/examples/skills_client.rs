//! Reads skills from a server as an agent must (SEP-2640). What the conformance suite drives:
//!
//! ```text
//! skills_client list URL      # the entries, and no file
//! skills_client load URL      # every skill, verified, then its other files
//! ```
//!
//! Exits with 1 when a skill is not what its entry says.

use skillful_mcp::client::{
    Declaration, Endpoint, Mask, PlainProcess, Transport, limits,
    skills::{Files, SkillsError, Source},
};
use std::{
    error::Error,
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [verb, url] = &arguments[..] else { return Err("usage: skills_client list|load URL".into()) };
    let declaration = Declaration {
        skill: "conformance".to_owned(),
        server: None,
        file: PathBuf::new(),
        transport: Transport::Http(Endpoint {
            url: url.clone(),
            headers: Vec::new(),
            proxy: None,
            reach: skillful_net::Reach::Loopback,
        }),
        startup: limits::STARTUP,
        idle: limits::IDLE,
        mask: Mask::default(),
    };
    let source = Source::connect("conformance", &declaration, &PlainProcess, limits::CALL).await?;
    let done = match verb.as_str() {
        "list" => list(&source).await,
        "load" => load(&source).await,
        other => return Err(format!("no verb `{other}`; write `list` or `load`").into()),
    };
    source.close().await;
    Ok(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(io::stderr(), "{error}")?;
            ExitCode::FAILURE
        }
    })
}

async fn list(source: &Source) -> Result<(), Box<dyn Error>> {
    let (entries, diagnostics) = source.list().await?;
    for entry in entries {
        writeln!(io::stdout(), "{} {}", entry.name(), entry.uri())?;
    }
    for told in diagnostics {
        writeln!(io::stderr(), "{}: {}", told.code, told.message)?;
    }
    Ok(())
}

async fn load(source: &Source) -> Result<(), Box<dyn Error>> {
    let (entries, _) = source.list().await?;
    for entry in entries {
        let skill = source.load(entry).await?;
        writeln!(io::stdout(), "{}: {} bytes", skill.entry().uri(), skill.text().len())?;
        let files: Vec<String> = match skill.entry().files() {
            Files::Listed(files) => files.keys().cloned().collect(),
            Files::Dynamic => Vec::new(),
        };
        for uri in files.iter().filter(|uri| *uri != skill.entry().uri()) {
            let bytes: Result<_, SkillsError> = skill.read(uri).await;
            writeln!(io::stdout(), "{uri}: {} bytes", bytes?.len())?;
        }
    }
    Ok(())
}
