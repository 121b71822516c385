//! `list_dir`: lists a folder.

use super::{
    arguments::Arguments,
    content::size,
    path_access::PathRules,
    real_path::{display_path, printable, resolve_argument},
    spec,
    walk::{self, WalkEntry, walk},
};
use crate::{
    tool::{Effect, Output, RESULT_LIMIT, Tool, ToolPlan},
    tool_environment::ToolEnvironment,
};
use serde_json::{Map, Value, json};
use skillful_llm::{Cancel, ToolSpec};
use std::path::Path;

/// Most entries of a result.
const ENTRIES: usize = 1_000;
/// Most levels of a listing.
const DEPTH: usize = 8;
/// Bytes of a result before its closing note.
const SHOWN: usize = RESULT_LIMIT - 512;

/// Lists a folder.
pub(super) struct ListDir;

impl Tool for ListDir {
    fn spec(&self) -> ToolSpec {
        let schema = json!({
            "path": { "type": "string" },
            "depth": { "type": "integer", "minimum": 1, "maximum": DEPTH, "description": "Levels, 1 by default." },
        });
        spec("list_dir", include_str!("../../prompts/tools/list_dir.md"), &schema, &[])
    }

    fn plan<'a>(
        &'a self,
        arguments: &Map<String, Value>,
        env: &'a ToolEnvironment<'a>,
    ) -> Result<ToolPlan<'a>, String> {
        let arguments = Arguments::new(arguments, &["path", "depth"])?;
        let path = resolve_argument(env, arguments.maybe_text("path")?.unwrap_or("."))?;
        let depth = arguments.number("depth", 1..=DEPTH, 1)?;
        let name = display_path(env, &path);
        let work = {
            let (path, name) = (path.clone(), name.clone());
            move || match walk::root(&path, &name, false) {
                Ok(root) => list(&root, &name, depth, &env.cancel),
                Err(why) => Output::failed(why),
            }
        };
        Ok(ToolPlan {
            summary: format!("list {name}"),
            reach: PathRules::of(env).reading(&path).reach,
            effects: vec![Effect::Read(path)],
            preview: None,
            parallel: true,
            work: Box::new(work),
        })
    }
}

fn list(root: &Path, name: &str, depth: usize, cancel: &Cancel) -> Output {
    let (mut text, mut count) = (String::new(), 0);
    let end = walk(root, depth, cancel, |met| {
        if count >= ENTRIES || text.len() > SHOWN {
            return false;
        }
        count += 1;
        text.push_str(&line(met));
        true
    });
    if count == 0 {
        text = format!("`{name}` is empty, or .gitignore hides everything in it.\n");
    }
    if let Some(words) = walk::end_note(end, "there is more; name a folder below, or a smaller depth") {
        text.push_str(&words);
    }
    Output::ok(text)
}

fn line(met: &WalkEntry<'_>) -> String {
    let indent = "  ".repeat(met.depth.saturating_sub(1));
    let name = printable(&met.path.file_name().unwrap_or_default().to_string_lossy());
    let more = match () {
        () if met.is_folder => "/".to_owned(),
        () if met.is_link => {
            let to = met.path.read_link().unwrap_or_default();
            format!(" -> {}", printable(&to.to_string_lossy()))
        }
        () if met.is_file => {
            met.path.symlink_metadata().map(|meta| format!("  ({})", size(meta.len()))).unwrap_or_default()
        }
        () => "  (special)".to_owned(),
    };
    format!("{indent}{name}{more}\n")
}
