//! The tools of a server, page by page.

use super::{
    connection::{Asked, Connection},
    declare::Declaration,
    limits::{DIAGNOSTICS, PAGES, TOOLS},
    text::quote,
    tool::Tool,
};
use crate::names::method;
use serde_json::{Value, json};
use skillful_format::{Code, Diagnostic};
use std::collections::{HashMap, HashSet};

/// All tools that can be used, in the order of the server, and the diagnostics about the others.
pub(crate) async fn tools(
    connection: &Connection,
    declaration: &Declaration,
) -> Result<(Vec<Tool>, Vec<Diagnostic>), Asked> {
    let mut listing = Listing { declaration, tools: Vec::new(), seen: HashMap::new(), remarks: Vec::new() };
    let mut cursors = HashSet::new();
    let mut cursor: Option<String> = None;
    for page in 1.. {
        let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let answer = connection.ask(method::TOOLS_LIST, params).await?;
        let Some(listed) = answer.get("tools").and_then(Value::as_array) else {
            return Err(Asked::Nonsense("its list of tools has no `tools`".to_owned()));
        };
        if !listing.page(listed) {
            break;
        }
        match answer.get("nextCursor") {
            Some(Value::String(next)) if !next.is_empty() => {
                if !cursors.insert(next.clone()) {
                    listing.say(Code::McpMisbehaved, "its list of tools leads back to a page it gave before");
                    break;
                }
                if page == PAGES {
                    listing
                        .say(Code::McpMisbehaved, &format!("its list of tools has more than {PAGES} pages"));
                    break;
                }
                cursor = Some(next.clone());
            }
            // An empty cursor is how some servers say that this was the last page.
            _ => break,
        }
    }
    Ok(listing.finish())
}

struct Listing<'a> {
    declaration: &'a Declaration,
    tools: Vec<Tool>,
    /// The tools by the name that the server gives them, as listed.
    seen: HashMap<String, Value>,
    remarks: Vec<(Code, String)>,
}

impl Listing<'_> {
    /// Takes a page in. Whether there is room for more.
    fn page(&mut self, listed: &[Value]) -> bool {
        for listed in listed {
            if self.tools.len() == TOOLS {
                let message = format!("it has more than {TOOLS} tools; the first of them are offered");
                self.say(Code::McpToolDropped, &message);
                return false;
            }
            let name = listed.get("name").and_then(Value::as_str).unwrap_or_default();
            if let Some(before) = self.seen.get(name) {
                let how = if before == listed { "twice" } else { "twice, each time differently" };
                self.say(
                    Code::McpToolDropped,
                    &format!("it lists the tool `{}` {how}; the first counts", quote(name)),
                );
                continue;
            }
            match Tool::read(listed, self.declaration) {
                Ok((tool, changed)) => {
                    if let Some(why) = changed {
                        let message = format!("of the tool `{}` not all is used: {why}", quote(&tool.raw));
                        self.say(Code::McpToolDropped, &message);
                    }
                    self.seen.insert(tool.raw.clone(), listed.clone());
                    self.tools.push(tool);
                }
                Err(why) => {
                    let message = format!("its tool `{}` is not offered: {why}", quote(name));
                    self.say(Code::McpToolDropped, &message);
                }
            }
        }
        true
    }

    fn say(&mut self, code: Code, what: &str) {
        self.remarks.push((code, what.to_owned()));
    }

    fn finish(self) -> (Vec<Tool>, Vec<Diagnostic>) {
        let Declaration { skill, file, mask, .. } = self.declaration;
        let told = |code: Code, what: &str| {
            let message = mask.hide(&format!("the MCP server of `{skill}`: {what}"));
            Diagnostic::new(code, message).in_path(file).help("report it to the author of the server")
        };
        let more = self.remarks.len().saturating_sub(DIAGNOSTICS);
        let mut diagnostics: Vec<_> =
            self.remarks.iter().take(DIAGNOSTICS).map(|(code, what)| told(*code, what)).collect();
        if more > 0 {
            diagnostics.push(told(Code::McpToolDropped, &format!("{more} more findings about its tools")));
        }
        (self.tools, diagnostics)
    }
}
