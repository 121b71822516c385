//! Lists the tools of a server and calls each of them once: `tools_client URL`. What the conformance suite
//! drives. Arguments are those that a scenario asks for in `MCP_CONFORMANCE_CONTEXT`, else made up from the
//! schema; an argument `schema` is the schema of the first tool, as we understood it.

use serde_json::{Map, Value, json};
use skillful_format::Code;
use skillful_mcp::client::{Declaration, Endpoint, Mask, Options, PlainProcess, Servers, Transport, limits};
use std::{
    error::Error,
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

const SKILL: &str = "conformance";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("usage: tools_client URL")?;
    let servers = Servers::new(Arc::new(PlainProcess), Options::default());
    let declaration = Declaration {
        skill: SKILL.to_owned(),
        server: None,
        file: PathBuf::new(),
        transport: Transport::Http(Endpoint {
            url,
            headers: Vec::new(),
            proxy: None,
            reach: skillful_net::Reach::Loopback,
        }),
        startup: limits::STARTUP,
        idle: limits::IDLE,
        mask: Mask::default(),
    };
    servers.declare(declaration).await;
    let (tools, diagnostics) = servers.tools(SKILL).await;
    for told in &diagnostics {
        writeln!(io::stderr(), "{}: {}", told.code, told.message)?;
    }
    let context: Value =
        std::env::var("MCP_CONFORMANCE_CONTEXT").ok().and_then(|text| text.parse().ok()).unwrap_or_default();
    for tool in &tools {
        let asked = context["toolCalls"].as_array().into_iter().flatten();
        let asked =
            asked.filter(|call| call["name"] == tool.raw).find_map(|call| call["arguments"].as_object());
        let mut arguments = asked.cloned().unwrap_or_else(|| made_up(&tool.schema));
        if arguments.contains_key("schema") {
            arguments.insert("schema".to_owned(), tools[0].schema.clone());
        }
        match servers.call(&tool.name, arguments).await {
            Ok(outcome) => writeln!(io::stdout(), "{}: {}", tool.name, outcome.text)?,
            Err(error) => writeln!(io::stderr(), "{}: {error}", tool.name)?,
        }
    }
    servers.stop_all().await;
    let failed = diagnostics.iter().any(|told| told.code == Code::McpStartFailed);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn made_up(schema: &Value) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let value = |property: &Value| match property.get("type").and_then(Value::as_str) {
        Some("number" | "integer") => json!(3),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("text"),
    };
    properties.into_iter().flatten().map(|(name, property)| (name.clone(), value(property))).collect()
}
